package bundlezip_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

const zeroDigest = "0000000000000000000000000000000000000000000000000000000000000000"

func TestParseManifest(t *testing.T) {
	m, err := bundlezip.ParseManifest([]byte(`{
		"manifest_version": 1, "project_id": "proj_a", "architecture": {"language": "go"}, "future": {"x": [1]},
		"files": [
			{"path": "b", "entry": "b", "destination_type": "project", "merge_strategy": "three_way", "sha256": "` + zeroDigest + `", "size": 3},
			{"path": "a.json", "entry": "x", "base": "home", "destination_type": "global_config", "merge_strategy": "create_only",
			 "sha256": "` + zeroDigest + `", "size": 0, "mode": "0755", "Path": "../evil", "PATH": "/evil"}
		],
		"ports": [
			{"name": "web", "port": 80, "uses": [{"path": "b", "template": "y{port}"}, {"path": "b", "template": "x{port}"}]},
			{"name": "admin", "port": 81, "uses": []}
		]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := bundlezip.Manifest{
		ProjectID:    "proj_a",
		Architecture: map[string]string{"language": "go"},
		Files: []bundlezip.File{
			{
				Path: "a.json", Entry: "x", Base: bundlezip.Home, DestinationType: bundlezip.GlobalConfig,
				MergeStrategy: bundlezip.CreateOnly, SHA256: zeroDigest, Mode: bundlezip.Executable,
			},
			{
				Path: "b", DestinationType: bundlezip.Project, MergeStrategy: bundlezip.ThreeWay,
				SHA256: zeroDigest, Size: 3, Mode: bundlezip.Plain,
			},
		},
		Ports: []bundlezip.Port{
			{Name: "admin", Port: 81},
			{Name: "web", Port: 80, Uses: []bundlezip.PortUse{{Path: "b", Template: "x{port}"}, {Path: "b", Template: "y{port}"}}},
		},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
	text, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := bundlezip.ParseManifest(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, again); diff != "" {
		t.Errorf("encoding and parsing changes it: %s", diff)
	}
}

// Spellings that the schema takes for whole numbers, and we do not.
func TestParseManifestWantsPlainNumbers(t *testing.T) {
	for _, size := range []string{"1e2", "100.0", "1E+2"} {
		text := `{"manifest_version":1,"project_id":"proj_a","files":[{"path":"a","destination_type":"project",
			"merge_strategy":"overwrite","sha256":"` + zeroDigest + `","size":` + size + `}]}`
		_, err := bundlezip.ParseManifest([]byte(text))
		var bad *bundlezip.ManifestError
		if !errors.As(err, &bad) || bad.Field != "/files/0/size" {
			t.Errorf("%s: got %v", size, err)
		}
	}
}

func TestSchemaIsPublishable(t *testing.T) {
	var document map[string]any
	if err := json.Unmarshal(bundlezip.Schema(), &document); err != nil {
		t.Fatal(err)
	}
	if document["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
		t.Errorf("the schema says it is %v", document["$schema"])
	}
	changed := bundlezip.Schema()
	changed[0] = 'x'
	if bundlezip.Schema()[0] != '{' {
		t.Error("a caller can change the schema of all others")
	}
}

// The published schema alone accepts what Write makes, and knows every constant
// of this package.
// Promise: manifest-schema
func TestSchemaAcceptsWhatIsWritten(t *testing.T) {
	s := sample()
	for _, strategy := range []bundlezip.MergeStrategy{
		bundlezip.Overwrite, bundlezip.CreateOnly, bundlezip.DeepMerge, bundlezip.EnvMerge,
		bundlezip.AppendUnique, bundlezip.ManagedBlock, bundlezip.ThreeWay,
	} {
		for _, destination := range []bundlezip.DestinationType{bundlezip.Project, bundlezip.GlobalConfig} {
			s.Put(bundlezip.StateFile{
				Path: "all/" + string(strategy) + "-" + string(destination), MergeStrategy: strategy,
				DestinationType: destination, Content: bundlezip.Bytes(nil),
			})
		}
	}
	archive, _ := write(t, s)
	text, err := check(t, archive).Manifest().Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := bySchema(text); err != nil {
		t.Error(err)
	}
}

func TestModes(t *testing.T) {
	for perm, want := range map[fs.FileMode]bundlezip.Mode{
		0o644: bundlezip.Plain, 0o600: bundlezip.Plain, 0o755: bundlezip.Executable, 0o700: bundlezip.Executable, 0o611: bundlezip.Plain,
	} {
		if got := bundlezip.ModeOf(perm); got != want {
			t.Errorf("%o: got %s, want %s", perm, got, want)
		}
	}
	if bundlezip.Plain.Perm() != 0o644 || bundlezip.Executable.Perm() != 0o755 {
		t.Error("a mode does not give its own bits")
	}
}
