package schema_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/bundlezip/hostile"
	"github.com/bundle-delivery/svc/internal/bundlezip/schema"
)

const valid = `{
  "manifest_version": 1, "project_id": "proj_abc", "architecture": {"language": "go"},
  "files": [
    {"path": "a.txt", "destination_type": "project", "merge_strategy": "overwrite", "sha256": "` + digest + `", "size": 10, "mode": "0644"},
    {"path": "b.json", "entry": "_svc/b", "destination_type": "global_config", "merge_strategy": "deep_merge", "base": "home", "sha256": "` + digest + `", "size": 0}
  ],
  "ports": [{"name": "web", "port": 3000, "uses": [{"path": "a.txt", "template": "PORT={port}"}]}]
}`

const digest = "0000000000000000000000000000000000000000000000000000000000000000"

func TestAValidManifestIsAccepted(t *testing.T) {
	if err := schema.Validate([]byte(valid)); err != nil {
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

func (s spot) set(value any) {
	if s.object != nil {
		s.object[s.name] = value
	} else {
		s.list[s.index] = value
	}
}

// The client's rules and the schema must refuse the same forms: what the schema
// refuses, the client refuses; what the client refuses for its form, the schema
// refuses too. (The client has more rules, about meaning, which it names.)
func TestTheClientKeepsTheSchema(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var document any
		decoder := json.NewDecoder(strings.NewReader(valid))
		decoder.UseNumber()
		if err := decoder.Decode(&document); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			s := rapid.SampledFrom(spots(document)).Draw(t, "spot")
			if s.object != nil && rapid.Bool().Draw(t, "remove") {
				delete(s.object, s.name)
				if len(spots(document)) == 0 {
					break
				}
				continue
			}
			s.set(rapid.SampledFrom(spoil).Draw(t, "value"))
		}
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		bySchema := schema.Validate(text)
		byClient := bundlezip.CheckShape(text)
		if (bySchema == nil) != (byClient == nil) {
			t.Fatalf("%s\nschema: %v\nclient: %v", text, bySchema, byClient)
		}
	})
}

// Whatever a hostile archive's manifest breaks in form, both see.
func TestHostileManifests(t *testing.T) {
	seen := 0
	for _, c := range hostile.Cases() {
		text, ok := manifestOf(c.Bytes)
		if !ok {
			continue
		}
		seen++
		if err := schema.Validate(text); err != nil && bundlezip.CheckShape(text) == nil {
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

func ExampleValidate() {
	fmt.Println(schema.Validate([]byte(valid)))
	// Output: <nil>
}
