package bundlezip_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/hostile"
)

// publishedSchema is the schema as a program would use it that fetched it.
var publishedSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(bundlezip.Schema()))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("urn:published", document); err != nil {
		return nil, err
	}
	return compiler.Compile("urn:published")
})

// bySchema says what is wrong with a manifest by the published schema alone.
func bySchema(text []byte) error {
	schema, err := publishedSchema()
	if err != nil {
		return err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(document)
}

const valid = `{
  "manifest_version": 1, "project_id": "proj_abc", "architecture": {"language": "go"},
  "files": [
    {"path": "a.txt", "destination_type": "project", "merge_strategy": "overwrite", "sha256": "` + zeroDigest + `", "size": 10, "mode": "0644"},
    {"path": "b.json", "entry": "_svc/b", "destination_type": "global_config", "merge_strategy": "deep_merge", "base": "home", "sha256": "` + zeroDigest + `", "size": 0}
  ],
  "ports": [{"name": "web", "port": 3000, "uses": [{"path": "a.txt", "template": "PORT={port}"}]}]
}`

func TestAValidManifestIsAccepted(t *testing.T) {
	if err := bySchema([]byte(valid)); err != nil {
		t.Error(err)
	}
	if _, err := bundlezip.ParseManifest([]byte(valid)); err != nil {
		t.Error(err)
	}
}

// spoil are values that some field does not allow, and some that one does.
var spoil = []any{
	nil, true, "", "x", "proj_", "home", "project", "global_config", "deep_merge", "overwrite", "three_way", "0755", "0700",
	"/abs", "dir/", `back\slash`, "c:d", "a\nb", ".env", "b.toml", "c.yml", strings.Repeat("p", 1024), strings.Repeat("é", 1025),
	strings.Repeat("e", 1089), strings.Repeat("0", 64), strings.Repeat("0", 63), strings.Repeat("A", 64), "{port}", "port", "PORT={port}",
	-1, 0, 1, 2, 65535, 65536, 268435456, 268435457, json.Number("1.0"),
	[]any{},
	map[string]any{},
	[]any{1},
	map[string]any{"path": "a"},
	slices.Repeat([]any{map[string]any{}}, 65),
}

// spot is a place in a document where something can be changed: a field of an
// object, or an item of a list.
type spot struct {
	object map[string]any
	name   string
	list   []any
	index  int
}

func spots(v any) (found []spot) {
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			found = append(append(found, spot{object: v, name: name}), spots(v[name])...)
		}
	case []any:
		for i := range v {
			found = append(append(found, spot{list: v, index: i}), spots(v[i])...)
		}
	}
	return found
}

// removed stands for a field that is not there any more.
var removed = new(int)

func (s spot) set(value any) {
	switch {
	case s.object == nil && value == any(removed):
		s.list[s.index] = nil
	case s.object == nil:
		s.list[s.index] = value
	case value == any(removed):
		delete(s.object, s.name)
	default:
		s.object[s.name] = value
	}
}

// beyondTheSchema are the rules that no schema can say, as their messages begin
// to: about texts that JSON Schema has no words for, and about what stands in two
// places of a manifest at once.
var beyondTheSchema = []string{
	"path \"",                                               // the rules of paths: a pattern knows only a part of them
	"is not a plain whole number",                           // 1.0 is one to a schema
	"exactly once", "a digit beside", "a control character", // templates
	"which is not a file of the project", "which is larger than",
	"bytes together, more than", "ports are used in", "is declared twice",
}

// TestTheSchemaIsTheLaw: what the published schema refuses is refused here, and
// what is refused here the schema refuses as well, but for rules that it cannot
// say.
// Promise: manifest-schema
func TestTheSchemaIsTheLaw(t *testing.T) {
	for i := range spots(document(t)) { // each change alone
		for _, value := range append(spoil, removed) {
			d := document(t)
			spots(d)[i].set(value)
			compareLaws(t, d)
		}
	}
	rapid.Check(t, func(t *rapid.T) { // and some together
		d := document(t)
		for range rapid.IntRange(2, 4).Draw(t, "changes") {
			at := spots(d)
			if len(at) == 0 {
				break
			}
			rapid.SampledFrom(at).Draw(t, "spot").set(rapid.SampledFrom(append(spoil, removed)).Draw(t, "value"))
		}
		compareLaws(t, d)
	})
}

type fataler interface {
	Fatalf(format string, args ...any)
}

func document(t fataler) any {
	var d any
	decoder := json.NewDecoder(strings.NewReader(valid))
	decoder.UseNumber()
	if err := decoder.Decode(&d); err != nil {
		t.Fatalf("%v", err)
	}
	return d
}

func compareLaws(t fataler, document any) {
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatalf("%v", err)
	}
	byLaw, published := parsed(text), bySchema(text)
	switch {
	case published != nil && byLaw == nil:
		t.Fatalf("%s\nonly the schema refuses it: %v", text, published)
	case published == nil && byLaw != nil && !beyond(byLaw):
		t.Fatalf("%s\nonly the law refuses it: %v", text, byLaw)
	}
}

// TestRulesBeyondTheSchema: each of them is one.
// Promise: manifest-schema
func TestRulesBeyondTheSchema(t *testing.T) {
	broken := map[string]string{
		`"a.txt"`: `"a//b"`, `"size": 10`: `"size": 10.0`, `"PORT={port}"`: `"{port}{port}"`, `PORT={port}`: `1{port}`, `=`: `=\u0001`,
		`"uses": [{"path": "a.txt"`: `"uses": [{"path": "c"`, `"size": 10,`: `"size": 1048577,`, `"size": 0`: `"size": 268435447`,
		`"ports": [`: `"ports": [{"name": "web", "port": 1, "uses": []}, `,
		`{"path": "a.txt", "template": "PORT={port}"}]`: strings.Repeat(`{"path": "a.txt", "template": "PORT={port}"}, `, 63) + `{"path": "a.txt", "template": "PORT={port}"}]`,
	}
	hit := map[string]bool{}
	for from, to := range broken {
		text := strings.Replace(valid, from, to, 1)
		if strings.HasPrefix(to, `{"path": "a.txt", "template"`) { // five ports with 64 uses each are too many together
			port := text[strings.Index(text, `{"name": "web"`):strings.LastIndex(text, "]")]
			for _, name := range []string{"b", "c", "d", "e"} {
				text = text[:strings.LastIndex(text, "]")] + ", " + strings.Replace(port, "web", name, 1) + text[strings.LastIndex(text, "]"):]
			}
		}
		if err := bySchema([]byte(text)); err != nil {
			t.Errorf("%s: the schema knows: %v", to, err)
		}
		err := parsed([]byte(text))
		if err == nil || !beyond(err) {
			t.Errorf("%s: %v", to, err)
			continue
		}
		for _, rule := range beyondTheSchema {
			if strings.Contains(err.Error(), rule) {
				hit[rule] = true
			}
		}
	}
	if len(hit) < len(beyondTheSchema) {
		t.Errorf("of %q only %v are rules", beyondTheSchema, hit)
	}
}

func parsed(text []byte) error {
	_, err := bundlezip.ParseManifest(text)
	return err
}

func beyond(err error) bool {
	return slices.ContainsFunc(beyondTheSchema, func(rule string) bool { return strings.Contains(err.Error(), rule) })
}

// TestHostileManifests: whatever the manifest of a hostile archive breaks that
// the schema can say, is refused.
func TestHostileManifests(t *testing.T) {
	seen := 0
	for _, c := range hostile.Cases() {
		text, ok := manifestOf(c.Bytes)
		if !ok {
			continue
		}
		seen++
		if err := bySchema(text); err != nil && parsed(text) == nil {
			t.Errorf("%s: only the schema refuses: %v", c.Name, err)
		}
	}
	if seen < 20 {
		t.Errorf("only %d manifests were found", seen)
	}
}

// manifestOf reads the manifest of an archive, if an ordinary reader can.
func manifestOf(archive []byte) ([]byte, bool) {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, false
	}
	f, err := r.Open(bundlezip.ManifestName)
	if err != nil {
		return nil, false
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, 1<<20))
	return text, err == nil
}

// Whoever moves ports searches for every one of these places.
func TestPortsAreUsedInABoundedNumberOfPlaces(t *testing.T) {
	m, err := bundlezip.ParseManifest([]byte(valid))
	if err != nil {
		t.Fatal(err)
	}
	var uses []bundlezip.PortUse
	for i := range 4 {
		uses = append(uses, bundlezip.PortUse{Path: "a.txt", Template: fmt.Sprintf("PORT%d={port}", i)})
	}
	m.Ports = nil
	for i := range 64 {
		m.Ports = append(m.Ports, bundlezip.Port{Name: fmt.Sprintf("p%d", i), Port: 3000 + i, Uses: uses})
	}
	text, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bundlezip.ParseManifest(text); err != nil {
		t.Errorf("256 places: %v", err)
	}
	m.Ports[0].Uses = append(slices.Clone(uses), bundlezip.PortUse{Path: "a.txt", Template: "ALSO={port}"})
	if text, err = m.Encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := bundlezip.ParseManifest(text); err == nil || !strings.Contains(err.Error(), "257 places") {
		t.Errorf("257 places: %v", err)
	}
}
