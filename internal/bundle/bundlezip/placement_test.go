package bundlezip_test

import (
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// Promise: default-placement
func TestDefaultPlacement(t *testing.T) {
	type place struct {
		destination bundlezip.DestinationType
		strategy    bundlezip.MergeStrategy
	}
	env := place{bundlezip.GlobalConfig, bundlezip.EnvMerge}
	deep := place{bundlezip.GlobalConfig, bundlezip.DeepMerge}
	lines := place{bundlezip.Project, bundlezip.AppendUnique}
	text := place{bundlezip.Project, bundlezip.ThreeWay}
	for name, want := range map[string]place{
		".env": env, ".env.local": env, "web/.env.production": env, ".env.example": text, "x.env": text, ".envrc": text,
		"package.json": deep, "web/package.json": deep, "tsconfig.json": deep, "tsconfig.build.json": deep, "jsconfig.json": deep,
		".vscode/settings.json": deep, "a/.vscode/launch.json": deep, ".vscode/x.txt": text, "vscode/settings.json": text, ".vscode/a/b.json": text,
		".eslintrc.json": deep, ".eslintrc.js": text, ".prettierrc": deep, ".prettierrc.yaml": deep, ".prettierrc.js": text,
		"compose.yaml": deep, "compose.override.yml": deep, "docker-compose.yml": deep, "docker-compose.test.yaml": deep, "my-compose.yaml": text,
		"pyproject.toml": deep, "Cargo.toml": deep, "Cargo.lock": text, "mkdocs.yml": deep, "mkdocs.yaml": text,
		".gitignore": lines, "a/.dockerignore": lines, ".prettierignore": lines, "gitignore": text, ".ignored": text,
		"package-lock.json": text, "main.go": text, "LICENSE": text, "config.json": text, "go.sum": text, "logo.png": text,
	} {
		destination, strategy := bundlezip.DefaultPlacement(name)
		if got := (place{destination, strategy}); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestSilentFilesArePlacedByTheTable: what a state leaves out, a manifest has
// from the table; what it says stays.
// Promise: default-placement
func TestSilentFilesArePlacedByTheTable(t *testing.T) {
	s := bundlezip.State{ProjectID: "proj_silent"}
	for path, said := range map[string]bundlezip.StateFile{
		".env": {}, "main.go": {}, "a/.gitignore": {},
		"b/.env": {MergeStrategy: bundlezip.Overwrite}, "c/.env": {DestinationType: bundlezip.Project},
		"d/x.txt": {DestinationType: bundlezip.GlobalConfig},
	} {
		said.Path, said.Content = path, bundlezip.Bytes(nil)
		s.Put(said)
	}
	pack, _ := write(t, s)
	got := map[string]string{}
	for _, f := range check(t, pack).Manifest().Files {
		got[f.Path] = string(f.DestinationType) + " " + string(f.MergeStrategy)
	}
	for path, want := range map[string]string{
		".env": "global_config env_merge", "main.go": "project three_way", "a/.gitignore": "project append_unique",
		"b/.env": "project overwrite", "c/.env": "project env_merge", "d/x.txt": "global_config three_way",
	} {
		if got[path] != want {
			t.Errorf("%s: %s, want %s", path, got[path], want)
		}
	}
}

func TestLockFiles(t *testing.T) {
	for name, want := range map[string]bool{
		"package-lock.json": true, "web/pnpm-lock.yaml": true, "yarn.lock": true, "Cargo.lock": true, "bun.lockb": true, "uv.lock": true,
		"npm-shrinkwrap.json": true, "gradle.lockfile": true, "lock.go": false, "package.json": false, "go.sum": false, "clock": false,
	} {
		if got := bundlezip.IsLockFile(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
