package template_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/format"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/engine"
)

// checkTree holds a project to what every bundle must keep.
func checkTree(t *testing.T, p *project) {
	t.Helper()
	if err := bundlezip.CheckPaths(slices.Sorted(maps.Keys(p.files))); err != nil {
		t.Error(err)
	}
	for name, f := range p.files {
		if err := bundlezip.CheckPath(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := parse(name, f.content); err != nil {
			t.Errorf("%s: %v\n%s", name, err, f.content)
		}
		checkText(t, name, f.content)
		if f.place != (engine.Placement{}) {
			t.Errorf("%s is placed as %+v, and not by its name", name, f.place)
		}
	}
	for _, port := range p.ports {
		for _, use := range port.Uses {
			if _, _, err := bundlezip.FindPort(p.files[use.Path].content, use.Template, port.Port); err != nil {
				t.Errorf("port %s in %s: %v", port.Name, use.Path, err)
			}
		}
	}
}

func parse(name string, content []byte) error {
	var into any
	switch path.Ext(name) {
	case ".json":
		return json.Unmarshal(content, &into)
	case ".yaml", ".yml":
		return yaml.Unmarshal(content, &into)
	case ".toml":
		return toml.Unmarshal(content, &into)
	case ".go":
		formatted, err := format.Source(content)
		if err == nil && !bytes.Equal(formatted, content) {
			return errNotFormatted
		}
		return err
	}
	return nil
}

var errNotFormatted = errors.New("not formatted")

// checkText looks for what templates leave behind when they go wrong.
func checkText(t *testing.T, name string, content []byte) {
	t.Helper()
	text := string(content)
	if strings.Contains(text, "<no value>") || strings.Contains(text, "\n\n\n\n") || strings.ContainsFunc(text, unprintable) {
		t.Errorf("%s is badly rendered:\n%s", name, text)
	}
	if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
		t.Errorf("%s does not end in one line end", name)
	}
	for line := range strings.Lines(text) {
		if bare := strings.TrimSuffix(line, "\n"); strings.TrimRight(bare, " \t") != bare {
			t.Errorf("%s has white space at the end of %q", name, bare)
		}
	}
}

func unprintable(r rune) bool {
	return r != '\n' && r != '\t' && (r == utf8.RuneError || !unicode.IsPrint(r))
}

func TestEveryCombinationIsSound(t *testing.T) {
	t.Parallel()
	combinations := 0
	for language, databases := range map[string][]string{"go": {"none", "file", "sqlite", "postgres"}, "typescript": {"none", "file", "sqlite", "postgres"}, "python": {"none", "file", "sqlite", "postgres"}, "static": {"none"}} {
		prompt := "an API for parcels with tags, weight and sent on (date). parcels belong to delivery vans"
		if language == "static" {
			prompt = "a site for a bakery"
		}
		for _, database := range databases {
			for _, auth := range []string{"none", "token"} {
				for _, cors := range []string{"off", "on"} {
					if language == "static" && (auth != "none" || cors != "off") {
						continue
					}
					// License and port touch different files, so they may vary together.
					for license, port := range map[string]string{
						"none": "5432", "mit": "8080", "isc": "5433", "apache-2.0": "8081", "bsd-2-clause": "8082", "bsd-3-clause": "8083",
						"mpl-2.0": "8084", "gpl-3.0-only": "8085", "agpl-3.0-or-later": "8086", "unlicense": "8087",
					} {
						checkTree(t, begin(t, prompt, map[string]string{
							"language": language, "database": database, "auth": auth, "cors": cors, "license": license, "port": port,
						}))
						combinations++
					}
				}
			}
		}
	}
	if combinations != 10*(4*4+4*4+4*4+1) {
		t.Errorf("only %d combinations were tried", combinations)
	}
}

// Every operation of a command, alone and beside the others, in both languages.
func TestCommandsPassTheirOwnTests(t *testing.T) {
	t.Parallel()
	operations := []string{"printing the sha256 of files", "word count", "csv to json", "json to csv", "the sum of a column", "grep", "duplicate files", "a password generator", "renaming files", "showing folder sizes", "replacing a text in files", "sorting lines", "random uuids", "checking json files", "merging csv files", "comparing two files", "extracting email addresses", "listing the newest files", "splitting a file into pieces", "printing the directory tree"}
	all, alone := strings.Join(operations, ", "), t.TempDir()
	for _, prompt := range append(operations, all, "todos", "expenses with amount, paid (bool), count (int), day (date) and seen at (timestamp)") {
		for _, language := range []string{"Go", "Python"} {
			p := begin(t, "a command-line tool in "+language+" for "+prompt, nil)
			checkTree(t, p)
			if done := strings.Split(p.state["operations"], ","); prompt == all && len(done) != len(operations) {
				t.Errorf("%d operations were asked for, and these came: %q", len(operations), done)
			}
			if _, ok := p.files["compose.yaml"]; ok || len(p.ports) > 0 {
				t.Errorf("%q listens", prompt)
			}
			dir := p.write(t)
			if language == "Python" {
				command(t, dir, []string{"PYTHONDONTWRITEBYTECODE=1"}, "python3", "-W", "error", "-m", "unittest", "discover", "-s", "tests", "-t", ".")
			} else if prompt == all || strings.HasPrefix(prompt, "expenses") {
				command(t, dir, []string{"GOWORK=off", "GOFLAGS=-trimpath -buildvcs=false"}, "go", "test", "-vet=all", "./...")
			} else if err := errors.Join(os.Remove(filepath.Join(dir, "go.mod")), os.Rename(dir, filepath.Join(alone, p.state["name"]))); err != nil {
				t.Fatal(err)
			}
		}
	}
	// What each is alone in Go, is tested as one module.
	if err := os.WriteFile(filepath.Join(alone, "go.mod"), []byte("module alone\n\ngo 1.25.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command(t, alone, []string{"GOWORK=off", "GOFLAGS=-trimpath -buildvcs=false"}, "go", "test", "-vet=all", "./...")
}

func TestProjectsBringWhatIsPromised(t *testing.T) {
	t.Parallel()
	for _, prompt := range prompts {
		p := begin(t, prompt, nil)
		for _, name := range []string{"Dockerfile", "compose.yaml", ".env", ".env.example", ".gitignore", ".dockerignore", ".editorconfig", ".vscode/settings.json", "README.md", "Makefile", ".github/workflows/ci.yml"} {
			if len(p.files[name].content) == 0 {
				t.Errorf("%q has no %s", prompt, name)
			}
		}
		if !slices.ContainsFunc(slices.Sorted(maps.Keys(p.files)), func(name string) bool { return strings.Contains(name, "test") }) {
			t.Errorf("%q has no tests", prompt)
		}
		if len(p.ports["web"].Uses) < 5 {
			t.Errorf("%q declares %+v", prompt, p.ports)
		}
		checkTree(t, p)
	}
}
