package spec

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/bundle-delivery/svc/internal/text/plaintext"
)

// FromState reads the spec of a project from its state, as this version or an
// earlier one wrote it, and reports whether the project is one of this engine.
func FromState(state map[string]string) (s Spec, ok bool, err error) {
	if state["engine"] != "template" {
		return s, false, nil
	}
	if text := state["spec"]; text != "" {
		s, err = Stored(text)
	} else if s, err = oldState(state); err == nil {
		s, err = s.stored()
	}
	if err != nil {
		return Spec{}, true, fmt.Errorf("the state of the project cannot be read: %w", err)
	}
	return s, true, nil
}

// Stored reads the spec of a project, which may have fields that [Parse] refuses today.
func Stored(text string) (Spec, error) {
	s, _, err := read(text)
	if err != nil {
		return Spec{}, err
	}
	return s.stored()
}

func (s Spec) stored() (Spec, error) {
	s, _ = s.filled()
	_, err := s.check(Field.check)
	return s, err
}

// oldState reads the state of an earlier version, which had a key for each decision.
func oldState(state map[string]string) (s Spec, err error) {
	s = Spec{Kind: state["kind"], Name: state["name"], License: state["license"]}
	if s.Kind == "command" {
		return s, errors.New("it is a command-line tool (command), which this engine does not generate any more; it can still be delivered, repackaged and pushed")
	}
	if err = s.set("port", state["port"]); s.Kind == Site {
		s.oldSite(state)
		return s, err
	}
	s.Language, s.Auth, s.CORS = state["language"], state["auth"], state["cors"] == "on"
	err = cmp.Or(err, s.set("store", state["database"]))
	for text := range strings.SplitSeq(state["resources"], ";") {
		names, fields, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
		plural, noun, _ := strings.Cut(names, "/")
		s.Records = append(s.Records, Record{noun, plural, oldFields(fields)})
	}
	return s, err
}

// oldSite reads the sections and texts of a site: subject, place and day become the
// tagline.
func (s *Spec) oldSite(state map[string]string) {
	for name := range strings.SplitSeq(state["sections"], ",") {
		s.Sections = append(s.Sections, Section{Name: strings.ReplaceAll(name, "-", " ")})
	}
	line := state["subject"] + behind(" in ", state["place"]) + behind(", ", state["when"])
	texts := maps.Clone(state)
	texts["tagline"] = plaintext.Line(strings.TrimPrefix(strings.TrimPrefix(line, " in "), ", "), MaxValue)
	if texts["address"] != "" {
		texts["address"] += behind(", ", state["place"])
	}
	for _, key := range TextKeys {
		if texts[key] != "" {
			s.Facts = append(s.Facts, Fact{key, texts[key]})
		}
	}
}

var oldField = regexp.MustCompile(`^([^:!]+):([^!]+)(?:!(required|optional))?(!unique)?(?:!default=([^!]+))?(?:!one of=([^!]+))?(?:!min=([^!]+))?(?:!max=([^!]+))?$`)

// oldFields reads isbn:string!required!unique!min=10!max=13,author_id:ref.author.
// What it cannot read has no name, which no spec takes. The first text is required,
// unless a field says that it is.
func oldFields(text string) (out []Field) {
	found := strings.Contains(text, "!required")
	for i, part := range strings.Split(text, ",") {
		m := append(oldField.FindStringSubmatch(part), make([]string, 9)...)
		f := Field{Name: m[1], Kind: m[2], Unique: m[4] != "", Default: m[5], HasDefault: m[5] != "", Min: m[7], Max: m[8]}
		required := m[3] == Required && !f.HasDefault
		if !found && f.Kind == String && m[3] == "" && !f.HasDefault {
			required, found = true, true
		}
		if m[6] != "" {
			f.Choices = strings.Split(m[6], "|")
		}
		if to, is := strings.CutPrefix(f.Kind, "ref."); is {
			f.Kind, f.To, f.Name = "", to, strings.TrimSuffix(f.Name, "_id")
		}
		if f.Kind == "strings" || f.Kind == String && f.Choices == nil { // which had up to 10,000 characters and any number of lines
			f.Kind = Text
		}
		if usual := i == 0 || f.To != ""; required != usual {
			f.Need = map[bool]string{true: Required, false: Optional}[required]
		}
		out = append(out, f)
	}
	return out
}
