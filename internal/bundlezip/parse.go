package bundlezip

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
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
	document, err := decodeJSON(text)
	if err != nil {
		return Manifest{}, err
	}
	if err := checkShape(document); err != nil {
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

// packManifest reads the manifest of a pack, which this package wrote. Packs are
// opened more often than made, and the schema has had its say when they were.
func packManifest(text []byte) (Manifest, error) {
	var wire manifestJSON
	if err := json.Unmarshal(text, &wire); err != nil {
		return Manifest{}, badManifest("", "is not JSON: %w", err)
	}
	if wire.Version != ManifestVersion {
		return Manifest{}, badManifest("/manifest_version", "is %d, only %d is known", wire.Version, ManifestVersion)
	}
	m := Manifest{ProjectID: wire.ProjectID, Architecture: wire.Architecture}
	for _, f := range wire.Files {
		m.Files = append(m.Files, File(f))
	}
	for _, p := range wire.Ports {
		port := Port{Name: p.Name, Port: p.Port}
		for _, u := range p.Uses {
			port.Uses = append(port.Uses, PortUse(u))
		}
		m.Ports = append(m.Ports, port)
	}
	return m, nil
}

// What a JSON text may hold before anything is built from it. The largest
// manifest that Write makes has some 200,000 values.
const (
	maxJSONDepth  = 32
	maxJSONTokens = 400_000
)

// decodeJSON refuses what decoders read differently: a key given twice in one
// object, and anything after the document. It also bounds the work to come.
func decodeJSON(text []byte) (any, error) {
	d := treeDecoder{tokens: json.NewDecoder(bytes.NewReader(text))}
	d.tokens.UseNumber()
	document, err := d.value(0)
	if err != nil {
		return nil, err
	}
	switch _, err := d.tokens.Token(); {
	case err == nil:
		return nil, badManifest("", "has data after the document")
	case !errors.Is(err, io.EOF):
		return nil, badManifest("", "is not JSON: %w", err)
	}
	return document, nil
}

type treeDecoder struct {
	tokens *json.Decoder
	count  int
}

func (d *treeDecoder) token() (json.Token, error) {
	d.count++
	if d.count > maxJSONTokens {
		return nil, badManifest("", "holds too many values")
	}
	token, err := d.tokens.Token()
	if err != nil {
		return nil, badManifest("", "is not JSON: %w", err)
	}
	return token, nil
}

func (d *treeDecoder) value(depth int) (any, error) {
	if depth > maxJSONDepth {
		return nil, badManifest("", "is nested too deeply")
	}
	token, err := d.token()
	switch {
	case err != nil:
		return nil, err
	case token == json.Delim('{'):
		return d.object(depth + 1)
	case token == json.Delim('['):
		return d.list(depth + 1)
	}
	return token, nil
}

func (d *treeDecoder) object(depth int) (any, error) {
	o := map[string]any{}
	for d.tokens.More() {
		token, err := d.token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string) // the decoder lets nothing else stand here
		if _, twice := o[key]; twice {
			return nil, badManifest("", "has the key %q twice in one object", key)
		}
		if o[key], err = d.value(depth); err != nil {
			return nil, err
		}
	}
	_, err := d.token() // the closing brace, or what is wrong
	return o, err
}

func (d *treeDecoder) list(depth int) (any, error) {
	l := []any{}
	for d.tokens.More() {
		item, err := d.value(depth)
		if err != nil {
			return nil, err
		}
		l = append(l, item)
	}
	_, err := d.token() // the closing bracket, or what is wrong
	return l, err
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
