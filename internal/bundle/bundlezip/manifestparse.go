package bundlezip

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// ParseManifest reads a manifest and applies every rule that can be applied
// without the files, as Manifest.Check has them. Order in the text means nothing;
// the result is sorted. Fields that are unknown are passed over. The error
// matches ErrInvalid.
func ParseManifest(text []byte) (Manifest, error) {
	if len(text) > MaxManifest {
		return Manifest{}, badManifest("", "is larger than %d bytes", MaxManifest)
	}
	if !utf8.Valid(text) {
		return Manifest{}, badManifest("", "is not valid UTF-8")
	}
	document, err := decodeJSON(text)
	if err != nil {
		return Manifest{}, err
	}
	m, err := manifestFrom(document)
	if err != nil {
		return Manifest{}, err
	}
	if err := m.Check(); err != nil {
		return Manifest{}, err
	}
	m.sort()
	return m, nil
}

// manifestFrom takes a document apart by exact field names. Decoding into
// structs would let "Path" overrule "path".
func manifestFrom(document any) (Manifest, error) {
	var err error
	top := newFields("", document, &err)
	if version := top.integer("manifest_version"); err == nil && version != ManifestVersion {
		return Manifest{}, badManifest("/manifest_version", "must be %d", ManifestVersion)
	}
	m := Manifest{ProjectID: top.text("project_id"), Architecture: map[string]string{}}
	if given, ok := top.values["architecture"]; ok {
		architecture := newFields("/architecture", given, &err)
		for key := range architecture.values {
			m.Architecture[key] = architecture.text(key)
		}
	}
	top.require("files")
	for _, o := range top.objects("files") {
		f := File{
			Path:            o.text("path"),
			Entry:           o.optional("entry", ""),
			DestinationType: DestinationType(o.text("destination_type")),
			MergeStrategy:   MergeStrategy(o.text("merge_strategy")),
			Base:            Base(o.optional("base", "")),
			SHA256:          o.text("sha256"),
			Size:            o.integer("size"),
			Mode:            Mode(o.optional("mode", string(Plain))),
		}
		if f.Entry == f.Path {
			f.Entry = ""
		}
		m.Files = append(m.Files, f)
	}
	for _, o := range top.objects("ports") {
		p := Port{Name: o.text("name"), Port: int(o.integer("port"))}
		o.require("uses")
		for _, u := range o.objects("uses") {
			p.Uses = append(p.Uses, PortUse{Path: u.text("path"), Template: u.text("template")})
		}
		m.Ports = append(m.Ports, p)
	}
	return m, err
}

// fields are those of a JSON object. Of what is missing or has another type than
// the one asked for, the first is kept as the error.
type fields struct {
	at     string // JSON pointer to the object
	values map[string]any
	err    *error
}

func newFields(at string, value any, err *error) fields {
	values, ok := value.(map[string]any)
	o := fields{at: at, values: values, err: err}
	if !ok && *err == nil {
		*err = badManifest(at, "must be an object")
	}
	return o
}

func (o fields) fail(name, format string, args ...any) {
	if *o.err == nil {
		name = strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		*o.err = badManifest(o.at+"/"+name, format, args...)
	}
}

func (o fields) require(name string) {
	if _, given := o.values[name]; !given && *o.err == nil {
		*o.err = badManifest(o.at, "has no %q", name)
	}
}

func (o fields) text(name string) string {
	o.require(name)
	text, ok := o.values[name].(string)
	if !ok {
		o.fail(name, "must be text")
	}
	return text
}

// optional gives a text that may be missing, but not be empty.
func (o fields) optional(name, missing string) string {
	if _, given := o.values[name]; !given {
		return missing
	}
	text := o.text(name)
	if text == "" {
		o.fail(name, "must not be empty")
	}
	return text
}

// integer refuses spellings such as 1e3 and 8.0, which a schema's "integer"
// allows and which no two programs print alike.
func (o fields) integer(name string) int64 {
	o.require(name)
	number, ok := o.values[name].(json.Number)
	n, err := strconv.ParseInt(number.String(), 10, 64)
	switch {
	case !ok:
		o.fail(name, "must be a whole number")
	case err != nil:
		o.fail(name, "%q is not a plain whole number", number.String())
	}
	return n
}

func (o fields) objects(name string) []fields {
	value, given := o.values[name]
	list, ok := value.([]any)
	if given && !ok {
		o.fail(name, "must be a list")
	}
	out := make([]fields, 0, len(list))
	for i, item := range list {
		out = append(out, newFields(fmt.Sprintf("%s/%s/%d", o.at, name, i), item, o.err))
	}
	return out
}

// What a JSON text may hold before anything is built from it. The largest
// manifest that Write makes has some 200,000 values.
const (
	maxJSONDepth  = 32
	maxJSONTokens = 400_000
)

// decodeJSON refuses what decoders read differently: a key given twice in one
// object, and anything after the document. It bounds the work before it builds
// anything.
func decodeJSON(text []byte) (any, error) {
	if err := checkJSON(text); err != nil {
		return nil, err
	}
	values := json.NewDecoder(bytes.NewReader(text))
	values.UseNumber()
	var document any
	if err := values.Decode(&document); err != nil {
		return nil, badManifest("", "is not JSON: %w", err)
	}
	return document, nil
}

// checkJSON reads a text token by token. The text is UTF-8; an escape that stands for
// half a character is read as the replacement character, which no path may hold.
func checkJSON(text []byte) error {
	tokens := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowInvalidUTF8(true))
	for count := 1; ; count++ {
		whole := count > 1 && tokens.StackDepth() == 0
		if kind := tokens.PeekKind(); tokens.StackDepth() > maxJSONDepth && kind != '}' && kind != ']' {
			return badManifest("", "is nested too deeply")
		}
		_, err := tokens.ReadToken()
		wrong, _ := errors.AsType[*jsontext.SyntacticError](err)
		switch {
		case whole && errors.Is(err, io.EOF):
			return nil
		case whole && err == nil:
			return badManifest("", "has data after the document")
		case errors.Is(err, jsontext.ErrDuplicateName):
			return badManifest("", "has the key %q twice in one object", wrong.JSONPointer.LastToken())
		case wrong != nil:
			return badManifest("", "is not JSON: %w", wrong.Err)
		case err != nil:
			return badManifest("", "is not JSON: %w", err)
		case count > maxJSONTokens:
			return badManifest("", "holds too many values")
		}
	}
}
