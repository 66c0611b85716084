package bundlezip

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ParseManifest reads a manifest and applies every rule that can be applied
// without the files: the schema, the paths alone and together, the home rules,
// the limits, the shape of port templates. Order in the text means nothing; the
// result is sorted. The error matches ErrInvalid.
func ParseManifest(text []byte) (Manifest, error) {
	if len(text) > MaxManifest {
		return Manifest{}, badManifest("", "is larger than %d bytes", MaxManifest)
	}
	if !utf8.Valid(text) {
		return Manifest{}, badManifest("", "is not valid UTF-8")
	}
	if err := checkJSON(text); err != nil {
		return Manifest{}, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return Manifest{}, &ManifestError{Err: err}
	}
	if err := checkSchema(document); err != nil {
		return Manifest{}, err
	}
	m, err := manifestFrom(document)
	if err != nil {
		return Manifest{}, err
	}
	m.sort()
	if err := m.validate(); err != nil {
		return Manifest{}, err
	}
	return m, nil
}

// What a JSON text may hold before anything is built from it. The largest
// manifest that Write makes stays far below both.
const (
	maxJSONDepth  = 32
	maxJSONTokens = 1_000_000
)

// checkJSON refuses what decoders read differently: a key given twice in one
// object, and anything after the document. It also bounds the work to come.
func checkJSON(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	type level struct {
		keys    map[string]bool // nil in an array
		wantKey bool
	}
	var open []level
	for tokens := 0; ; tokens++ {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) && tokens > 0 && len(open) == 0 {
			return nil
		}
		if err != nil {
			return badManifest("", "is not JSON: %w", err)
		}
		if tokens > 0 && len(open) == 0 {
			return badManifest("", "has data after the document")
		}
		if tokens > maxJSONTokens {
			return badManifest("", "holds too many values")
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if len(open) > 0 {
			top := &open[len(open)-1]
			if top.keys != nil && top.wantKey {
				key, _ := token.(string)
				if top.keys[key] {
					return badManifest("", "has the key %q twice in one object", key)
				}
				top.keys[key] = true
				top.wantKey = false
				continue
			}
			top.wantKey = top.keys != nil
		}
		switch token {
		case json.Delim('{'):
			open = append(open, level{keys: map[string]bool{}, wantKey: true})
		case json.Delim('['):
			open = append(open, level{})
		}
		if len(open) > maxJSONDepth {
			return badManifest("", "is nested too deeply")
		}
	}
}

// manifestFrom takes the document apart by exact field names. Decoding into
// structs would let "Path" overrule the "path" that the schema has seen.
func manifestFrom(document any) (Manifest, error) {
	top := object(document)
	m := Manifest{
		ProjectID:    top.text("project_id"),
		Architecture: map[string]string{},
	}
	for key, value := range object(top["architecture"]) {
		m.Architecture[key], _ = value.(string)
	}
	for i, item := range list(top["files"]) {
		o := object(item)
		size, err := o.integer("size")
		if err != nil {
			return Manifest{}, &ManifestError{Field: fmt.Sprintf("/files/%d/size", i), Err: err}
		}
		f := File{
			Path:            o.text("path"),
			Entry:           o.text("entry"),
			DestinationType: DestinationType(o.text("destination_type")),
			MergeStrategy:   MergeStrategy(o.text("merge_strategy")),
			Base:            Base(o.text("base")),
			SHA256:          o.text("sha256"),
			Size:            size,
			Mode:            Mode(o.text("mode")),
		}
		if f.Mode == "" {
			f.Mode = Plain
		}
		if f.Entry == f.Path {
			f.Entry = ""
		}
		m.Files = append(m.Files, f)
	}
	for i, item := range list(top["ports"]) {
		o := object(item)
		number, err := o.integer("port")
		if err != nil {
			return Manifest{}, &ManifestError{Field: fmt.Sprintf("/ports/%d/port", i), Err: err}
		}
		p := Port{Name: o.text("name"), Port: int(number)}
		for _, use := range list(o["uses"]) {
			u := object(use)
			p.Uses = append(p.Uses, PortUse{Path: u.text("path"), Template: u.text("template")})
		}
		m.Ports = append(m.Ports, p)
	}
	return m, nil
}

// jsonObject reads fields whose types the schema has already checked.
type jsonObject map[string]any

func object(v any) jsonObject {
	o, _ := v.(map[string]any)
	return o
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func (o jsonObject) text(key string) string {
	s, _ := o[key].(string)
	return s
}

// integer refuses spellings such as 1e3 and 8.0, which the schema's "integer"
// allows and which no two programs print alike.
func (o jsonObject) integer(key string) (int64, error) {
	number, _ := o[key].(json.Number)
	n, err := strconv.ParseInt(number.String(), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a plain whole number", number.String())
	}
	return n, nil
}
