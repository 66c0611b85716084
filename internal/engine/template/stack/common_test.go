package stack_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
)

// portUses are the places of a project in which a port stands, and nowhere else in that file.
var portUses = []struct{ path, text, port string }{
	{".env", "PORT={port}", "web"},
	{".env.example", "PORT={port}", "web"},
	{"README.md", "BASE_URL=http://localhost:{port}", "web"},
	{"compose.yaml", "${PORT:-{port}}", "web"},
	{".env", "DB_PORT={port}", "database"},
	{".env.example", "DB_PORT={port}", "database"},
	{"compose.yaml", "${DB_PORT:-{port}}", "database"},
	{".env", "@localhost:{port}/", "database"},
	{".env.example", "@localhost:{port}/", "database"},
}

// common renders the files that every project has.
func common(t *testing.T, p stack.Project) map[string]string {
	t.Helper()
	files, err := stack.RenderCommon(p)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range files {
		out[f.Path] = string(f.Content)
	}
	return out
}

// parsed completes a spec.
func parsed(t *testing.T, text string) spec.Spec {
	t.Helper()
	s, err := spec.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	s, _, err = s.Complete()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// everySpec has a spec for each language and store, and sites.
func everySpec(t *testing.T) (out []spec.Spec) {
	t.Helper()
	for i, language := range spec.Languages {
		for k, store := range spec.Stores {
			out = append(out, everything(language, store, []string{spec.Token, spec.None}[(i+k)%2]))
		}
	}
	out = append(out, parsed(t, "site\nsection about"), parsed(t, "site, license isc\nsection \"BASE_URL=http://localhost:8080\"\ntext title: \"BASE_URL=http://localhost:8080\""),
		parsed(t, "api with postgres\nbook: name one of \"BASE_URL=http://localhost:8080\"/b"))
	return out
}

func TestPortsStandOnce(t *testing.T) {
	t.Parallel()
	for _, s := range everySpec(t) {
		for _, port := range []int{s.Port, 5432, 5433, 54320, 8080, 65535} {
			s.Port = port
			p := stack.ViewOf(s)
			files := common(t, p)
			for _, use := range portUses {
				number := map[string]int{"web": p.Port, "database": p.DatabasePort()}[use.port]
				want := 1
				if use.port == "database" && s.Store != spec.Postgres {
					want = 0
				}
				text := strings.ReplaceAll(regexp.QuoteMeta(use.text), `\{port\}`, strconv.Itoa(number))
				at := regexp.MustCompile(`(?:\D|^)?`+text+`(?:\D|$)`).FindAllString(files[use.path], -1)
				if got := strings.Count(files[use.path], strings.ReplaceAll(use.text, "{port}", strconv.Itoa(number))); got != want || len(at) != want {
					t.Errorf("%s %s: %q stands %d times in %s:\n%s", s.Name, s.Store, use.text, got, use.path, files[use.path])
				}
			}
		}
	}
}

func TestComposeFiles(t *testing.T) {
	t.Parallel()
	for _, s := range append(everySpec(t), parsed(t, "api with file, name null\nnote: text")) {
		var compose struct {
			Services map[string]struct {
				Image       string
				Environment map[string]string
				Ports       []struct {
					HostIP string `yaml:"host_ip"`
				}
			}
			Volumes map[string]any
		}
		text := common(t, stack.ViewOf(s))["compose.yaml"]
		if err := yaml.Unmarshal([]byte(text), &compose); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		app := compose.Services["app"]
		host, loopback := "", ""
		if s.Kind == spec.API {
			host = "0.0.0.0"
		}
		if s.Auth == spec.None {
			loopback = "127.0.0.1"
		}
		if app.Image != s.Name || app.Environment["HOST"] != host || app.Ports[0].HostIP != loopback {
			t.Errorf("auth %q: %+v", s.Auth, app)
		}
		if db := compose.Services["db"]; (db.Image != "") != (s.Store == spec.Postgres) || db.Image != "" && !strings.Contains(db.Image, "@sha256:") {
			t.Errorf("%s: the image of the database is %q", s.Store, db.Image)
		}
	}
}

func TestReadmes(t *testing.T) {
	t.Parallel()
	s := everything(spec.Go, spec.SQLite, spec.None)
	p := stack.ViewOf(s)
	p.Kept = []string{"books.isbn string"}
	got := common(t, p)["README.md"]
	for _, part := range []string{
		"```text\n" + s.String() + "```\n", "svc generate --edit", "`migrations/sqlite/`", "the records stay where they were", "never change", "- `books.isbn string`", "this machine alone",
		"curl -X POST \"$BASE_URL/authors\"", "| DELETE | `/notes/{id}` | 204, or 404 |", "| DELETE | `/authors/{id}` | 204, or 404, or 409 while others refer to it |",
		"| `price` | money | required; at least 0 |", "| `author_id` | string | the id of a record of `/authors`; required |", "MIT, see `LICENSE`",
		`| one of draft, in review, say "go"; draft if a new record has none |`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("the README has no %q:\n%s", part, got)
		}
	}
	for _, absent := range []string{"API_TOKEN", "<no value>", "Authorization"} {
		if strings.Contains(got, absent) {
			t.Errorf("the README has %q", absent)
		}
	}
	got = common(t, stack.ViewOf(parsed(t, "site\nsection about\ntext title: \"<script>alert(1)</script> *x* [a](b)\"")))["README.md"]
	if !strings.HasPrefix(got, "# &lt;script&gt;alert\\(1\\)&lt;/script&gt; \\*x\\* \\[a\\]\\(b\\)\n") {
		t.Errorf("the title is not a text:\n%.200s", got)
	}
}

// An action that is pinned by a tag can become other code.
func TestWorkflowsArePinned(t *testing.T) {
	t.Parallel()
	pinned := regexp.MustCompile(`^(uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|image: [\w./-]+:\d[\w.-]*@sha256:[0-9a-f]{64})$`)
	found := 0
	err := filepath.WalkDir("templates", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "ci.yml.tmpl") {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			line = strings.TrimPrefix(strings.TrimSpace(line), "- ")
			if strings.HasPrefix(line, "uses:") || strings.HasPrefix(line, "image:") {
				if found++; !pinned.MatchString(line) {
					t.Errorf("%s: %s", path, line)
				}
			}
		}
		return err
	})
	if err != nil || found < 8 {
		t.Errorf("found %d, %v", found, err)
	}
}

// Every licence has its text, and the name that SPDX gives it.
// Promise: template-licences
func TestLicensesAreWhole(t *testing.T) {
	t.Parallel()
	official := map[string]string{ // the texts in which nobody is named, as their authors publish them
		"apache-2.0":   "c71d239df91726fc519c6eb72d318ec65820627232b2f796219e87dcf35d0ab4",
		"mpl-2.0":      "1f256ecad192880510e84ad60474eab7589218784b9a50bc7ceee34c2b91f1d5",
		"gpl-3.0-only": "3972dc9744f6499f0f9b2dbf76696f2ae7ad8af9b23dde66d6af86c9dfb36986", "gpl-3.0-or-later": "3972dc9744f6499f0f9b2dbf76696f2ae7ad8af9b23dde66d6af86c9dfb36986",
		"agpl-3.0-only": "0d96a4ff68ad6d4b6f1f30f713b18d5184912ba8dd389f86aa7710db079abcb0", "agpl-3.0-or-later": "0d96a4ff68ad6d4b6f1f30f713b18d5184912ba8dd389f86aa7710db079abcb0",
		"unlicense": "7e12e5df4bae12cb21581ba157ced20e1986a0508dd10d0e8a4ab9a4cf94e85c",
	}
	names := []string{"MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MPL-2.0", "GPL-3.0-only", "GPL-3.0-or-later", "AGPL-3.0-only", "AGPL-3.0-or-later", "Unlicense"}
	for _, license := range append(slices.Clone(spec.Licenses), spec.None) {
		p := stack.ViewOf(parsed(t, "site, license "+license+"\nsection about\ntext title: Golden Crust"))
		files := common(t, p)
		text, name := files["LICENSE"], p.LicenseName()
		sum := sha256.Sum256([]byte(text))
		switch {
		case license == spec.None:
			if text != "" || name != "" || strings.Contains(files["README.md"], "## License") {
				t.Errorf("a project without a licence has %q", text)
			}
			continue
		case official[license] != "" && hex.EncodeToString(sum[:]) != official[license]:
			t.Errorf("%s is not as published:\n%s", license, text)
		case official[license] == "" && !strings.Contains(text, "Copyright (c) the Golden Crust authors\n"):
			t.Errorf("%s names nobody:\n%s", license, text)
		}
		if !slices.Contains(names, name) || strings.ToLower(name) != license || !strings.Contains(files["README.md"], "\n"+name+", see `LICENSE`.") {
			t.Errorf("%s is called %q", license, name)
		}
	}
}

// Go takes lab_test.go for a test and leaves app_linux.go out elsewhere, and Windows has
// no file com1.go.
func TestFilesOfRecordsAreAlwaysBuilt(t *testing.T) {
	t.Parallel()
	kept := regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
	for language, folder := range map[string]string{spec.Go: "internal/model/", spec.TypeScript: "src/models/"} {
		p := stack.ViewOf(parsed(t, "api in "+language+"\n"+oddNames))
		files, err := stack.Render(p)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range files {
			if name, ok := strings.CutPrefix(f.Path, folder); ok {
				name, _, _ = strings.Cut(name, ".")
				names = append(names, name)
				if strings.Contains(name, "_") || kept.MatchString(name) {
					t.Errorf("%s may be left out of a build", f.Path)
				}
			}
		}
		slices.Sort(names)
		if len(slices.Compact(names)) != len(p.Records) || !slices.Contains(names, "blogpost") {
			t.Errorf("%s: %v for %d records", language, names, len(p.Records))
		}
	}
}

// oddNames are records whose names mean something in the names of files.
const oddNames = "lab test: name\napp linux: name\nx amd64: name\ny windows: name\ncom 1: name\npr n: name\ntest: name\nindex: name\nd: name\nblog post: name\nmain: name\n"
