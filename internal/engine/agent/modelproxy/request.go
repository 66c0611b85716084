package modelproxy

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
)

// maxSmall is how long a field may be that the relay decodes.
const maxSmall = 64 << 10

// request is what an agent asks of a model.
type request struct {
	// fields are what is left of each in the body, or another text.
	fields map[string][][]byte
	// refers reports whether it stands for more than it holds: the provider stores
	// the rest.
	refers bool
}

// readRequest reads a body in one pass and leaves out what may not be passed on.
// A [badRequest], or the error of ctx.
func readRequest(ctx context.Context, p *protocol, body []byte) (*request, error) {
	s := newScan(ctx, body)
	r := &request{fields: map[string][][]byte{}}
	if s.from.PeekKind() != '{' {
		return nil, badRequest("the request is no JSON object")
	}
	var tools list
	err := s.members(func(name string) error {
		if !p.fields[name] {
			return s.skip()
		}
		if r.fields[name] != nil {
			return badRequest(fmt.Sprintf("the request names %q twice", name))
		}
		keep := true
		parts, err := s.field(func() (err error) {
			switch name {
			case "tools":
				tools, err = s.toolList(1)
				keep = tools.kept > 0 || tools.isList && tools.gone == 0
			case "input":
				err = s.input()
			case "context_management":
				keep, err = s.compacts()
				keep = !keep
			case "messages", "system", "cache_control":
				err = s.member(name)
			default:
				err = s.skip()
			}
			return err
		})
		if keep {
			r.fields[name] = parts
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(body[s.end():])) > 0 {
		return nil, badRequest("the request is no JSON object")
	}
	r.refers = s.refers || r.isGiven("previous_response_id")
	return r, r.fitChoice(tools)
}

// fitChoice removes a choice among tools that are not there: a provider refuses it.
func (r *request) fitChoice(tools list) error {
	if r.fields["tool_choice"] == nil || tools.gone == 0 {
		return nil
	}
	var told struct {
		Type string `json:"type"`
	}
	isObject, err := r.decodeObject("tool_choice", &told)
	if err != nil {
		return err
	}
	if tools.kept == 0 || isObject && told.Type != "function" && told.Type != "custom" {
		delete(r.fields, "tool_choice")
	}
	return nil
}

// raw returns a field of which nothing is left out; nil: it is not there.
func (r *request) raw(name string) []byte {
	if parts := r.fields[name]; parts != nil {
		return parts[0]
	}
	return nil
}

// isGiven reports whether a field is there and not null.
func (r *request) isGiven(name string) bool {
	raw := r.raw(name)
	return raw != nil && string(raw) != "null"
}

// decodeObject decodes a small field to the letter: names in their exact case, and
// each once. False: it is there as something else, or not at all.
func (r *request) decodeObject(name string, to any) (bool, error) {
	raw := r.raw(name)
	if len(raw) == 0 || raw[0] != '{' {
		return false, nil
	}
	if len(raw) > maxSmall {
		return false, badRequest(fmt.Sprintf("the field %q is larger than %d bytes", name, maxSmall))
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return false, badRequest(fmt.Sprintf("the field %q cannot be read", name))
	}
	return true, nil
}

// set replaces a field, or adds it.
func (r *request) set(name string, text []byte) { r.fields[name] = [][]byte{text} }

// parts returns what is sent: pieces of the body, and what stands between them.
func (r *request) parts() [][]byte {
	var parts [][]byte
	for i, name := range slices.Sorted(maps.Keys(r.fields)) {
		before := `,"` + name + `":`
		if i == 0 {
			before = `{"` + name + `":`
		}
		parts = append(parts, []byte(before))
		parts = append(parts, r.fields[name]...)
	}
	return append(parts, []byte("}"))
}
