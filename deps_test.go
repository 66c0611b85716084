package svc_test

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/bundle-delivery/svc"

// root is the package of the nouns in the table below.
const root = "."

// A room is a folder of internal/ with everything below it, or a package outside of it.
type room struct {
	name string
	// imports lists the rooms, or single packages of rooms, that its code may import.
	// They stand above it in the table, so that no two rooms can need each other.
	imports []string
	// doors lists the packages that other rooms may import; nil: all. cmd/svcd, which
	// wires everything, and tests need no door.
	doors []string
}

var rooms = []room{
	{name: root},
	{name: "sleep"},
	{name: "text"},
	{name: "sandbox"},
	{name: "bundle", imports: []string{root, "text"}},
	{name: "store", imports: []string{root, "sleep"}, doors: []string{}},

	// Policy knows the contracts of the root and no adapter.
	{name: "accounts", imports: []string{root, "text"}},
	{name: "delivery", imports: []string{root, "bundle", "sleep", "text"}},
	{name: "validate", imports: []string{"sandbox"}},
	{
		name:    "engine",
		imports: []string{root, "bundle", "sandbox", "sleep", "text", "validate"},
		doors:   []string{"engine", "engine/template/change", "engine/template/spec"},
	},
	{name: "generation", imports: []string{root, "bundle", "engine", "sleep", "text", "validate"}},

	{name: "ops", imports: []string{root, "delivery", "generation", "validate"}},
	{
		name:    "web",
		imports: []string{root, "accounts", "bundle", "delivery", "engine", "generation", "sleep", "text"},
		doors:   []string{"web/api"},
	},

	// The client links no policy and no adapter.
	{name: "client", imports: []string{root, "sleep", "text", "web"}},
	{name: "workdir", imports: []string{root, "bundle", "client", "sleep", "text"}},
	{name: "mcp", imports: []string{root, "bundle", "client", "text", "workdir"}},
	{name: "cmd/svc", imports: []string{root, "bundle", "client", "mcp", "text", "web", "workdir"}},
}

// wiring is the package that may import every room.
const wiring = "cmd/svcd"

// alone are packages that import nothing of their own room but what is listed: adapters
// do not know each other, and neither do the pages and the API.
var alone = map[string][]string{
	"store/sqlite":    {"store/column", "store/diskfull", "store/sqlshared"},
	"store/postgres":  {"store/column", "store/diskfull", "store/sqlshared"},
	"store/fsblob":    {"store/diskfull"},
	"store/s3blob":    {"store/diskfull"},
	"store/jetstream": nil,
	"store/backup":    {"store/datadir", "store/fsblob", "store/sqlite"}, // a data folder is what it knows
	"store/migrate":   {"store/datadir", "store/fsblob", "store/sqlite"},
	"web/api":         nil,
	"web/certs":       nil,
	"web/clientdir":   nil,
	"web/edge":        nil,
	"web/httpd":       {"web/api", "web/api/openapi"},
	"web/console":     {"web/api", "web/clientdir", "web/console/specform"},
	"engine":          nil,
	"engine/exec":     {"engine"},
	"engine/llm":      {"engine", "engine/llm/answer", "engine/llm/edit"},
	"sandbox/egress":  nil,
	"workdir/merge":   nil,
	"workdir/leaks":   nil,
}

// less are packages that may import less than their room: the wire knows no policy,
// what applies a bundle no network, the law of the archive nothing of ours.
var less = map[string][]string{
	"bundle/bundlezip": {},
	"engine/exec":      {root, "sandbox/proctree"},
	"engine/template":  {root, "text"},
	"ops/setting":      {},
	"web/api":          {root, "text"},
	"web/certs":        {root, "sleep"},
	"web/clientdir":    {},
	"web/edge":         {root},
	"workdir":          {root, "bundle", "text"},
	"workdir/merge":    {"bundle", "text"},
}

// forTests are rooms that only tests, benchmarks and examples use. They may import
// anything; no program may import them.
var forTests = []string{"deploy", "examples", "testkit"}

// drivers are libraries that one package wraps for all others, or one for each engine.
var drivers = map[string][]string{
	"modernc.org/":                     {"store/sqlite"},
	"zombiezen.com/":                   {"store/sqlite"},
	"github.com/pressly/goose/":        {"store/sqlite", "store/postgres"},
	"github.com/jackc/":                {"store/postgres"},
	"github.com/minio/":                {"store/s3blob"},
	"github.com/nats-io/":              {"store/jetstream"},
	"github.com/prometheus/":           {"ops/telemetry"},
	"github.com/santhosh-tekuri/":      nil, // tests alone hold manifests against the published schema
	"github.com/klauspost/compress/":   {"bundle/bundlezip"},
	"github.com/git-pkgs/gitignore":    {"text/ignore"},
	"golang.org/x/crypto/":             {"accounts"},
	"github.com/go-webauthn/":          {"accounts"},
	"github.com/alecthomas/chroma/":    {"web/console"},
	"github.com/evanw/esbuild/":        {"validate"},
	"github.com/caddyserver/":          {"web/certs"},
	"github.com/pires/":                {"web/edge"},
	"go.uber.org/zap":                  {"web/certs"},
	"github.com/BurntSushi/":           {"workdir/merge", "mcp"},
	"github.com/modelcontextprotocol/": {"mcp"},
	"github.com/google/jsonschema-go/": {"mcp"},
	"github.com/coreos/go-oidc":        {"accounts/oidc"},
	"golang.org/x/oauth2":              {"accounts/oidc"},
}

type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	Deps       []string
}

// list asks the go command about the packages of this module.
func list(t *testing.T, patterns ...string) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Dir,GoFiles,Imports,Deps"}, patterns...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// short returns the name of a package of this module as the tables have it, or false.
func short(importPath string) (string, bool) {
	if importPath == module {
		return root, true
	}
	name, ours := strings.CutPrefix(importPath, module+"/")
	return strings.TrimPrefix(name, "internal/"), ours
}

// within reports whether a package is one of these rooms or packages, or below one.
func within(name string, these []string) bool {
	return slices.ContainsFunc(these, func(each string) bool { return name == each || strings.HasPrefix(name, each+"/") })
}

func roomOf(name string) (room, bool) {
	at := slices.IndexFunc(rooms, func(r room) bool { return within(name, []string{r.name}) })
	if at < 0 {
		return room{}, false
	}
	return rooms[at], true
}

func TestRoomsImportOnlyRoomsAbove(t *testing.T) {
	for i, r := range rooms {
		for _, other := range r.imports {
			if !slices.ContainsFunc(rooms[:i], func(above room) bool { return within(other, []string{above.name}) }) {
				t.Errorf("%s imports %s, which does not stand above it in the table", r.name, other)
			}
		}
	}
	all := list(t, "./...")
	names := append(slices.Concat(slices.Collect(maps.Keys(alone)), slices.Collect(maps.Keys(less))), forTests...)
	for _, r := range rooms {
		names = append(append(names, r.name), r.doors...)
	}
	for _, owners := range drivers {
		names = append(names, owners...)
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(p listed) bool { other, _ := short(p.ImportPath); return within(other, []string{name}) }) {
			t.Errorf("deps_test.go has %s, which does not exist", name)
		}
	}
	for _, p := range all {
		name, _ := short(p.ImportPath)
		if name == wiring || within(name, forTests) {
			continue
		}
		own, known := roomOf(name)
		if !known {
			t.Errorf("%s is in no room of deps_test.go", name)
			continue
		}
		for _, imported := range p.Imports {
			other, ours := short(imported)
			if !ours {
				continue
			}
			siblings, limited := alone[name]
			fewer, narrow := less[name]
			switch to, _ := roomOf(other); {
			case to.name != own.name && narrow && !within(other, fewer):
				t.Errorf("%s imports %s, which is not among what it may", name, other)
			case to.name != own.name && !within(other, own.imports):
				t.Errorf("%s imports %s, which its room may not", name, other)
			case to.name != own.name && to.doors != nil && !slices.Contains(to.doors, other):
				t.Errorf("%s imports %s, which is no door of its room", name, other)
			case to.name == own.name && limited && !slices.Contains(siblings, other):
				t.Errorf("%s imports %s, which stands beside it", name, other)
			}
		}
	}
}

// mapLine matches a line of the map in doc.go: a path, what it is, and the folders in it.
var mapLine = regexp.MustCompile(`(?m)^//\t([a-z/]+) +[^(\n]+(?:\(([a-z0-9, ]+)\))?$`)

func TestTheMapShowsTheTree(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	tree := map[string][]string{"client": nil, "tests": nil} // the folders in each room
	for _, p := range list(t, "./internal/...", "./cmd/...") {
		parts := strings.Split(strings.TrimPrefix(p.ImportPath, module+"/"), "/")
		name := path.Join(parts[:2]...)
		if len(parts) > 2 && !slices.Contains(tree[name], parts[2]) {
			tree[name] = append(tree[name], parts[2])
		} else if tree[name] == nil {
			tree[name] = []string{}
		}
	}
	next := 1 // of the rooms, behind the root
	for _, m := range mapLine.FindAllStringSubmatch(string(doc), -1) {
		if next < len(rooms) && strings.TrimPrefix(m[1], "internal/") != rooms[next].name {
			t.Errorf("doc.go shows %s where deps_test.go has %s", m[1], rooms[next].name)
		}
		next++
		below, there := tree[m[1]]
		slices.Sort(below)
		if in := strings.Join(below, ", "); !there || in != m[2] && m[1] != "internal/testkit" {
			t.Errorf("doc.go shows %s (%s), which has (%s)", m[1], m[2], in)
		}
		delete(tree, m[1])
	}
	for name := range tree {
		t.Errorf("doc.go does not show %s", name)
	}
}

var (
	walkFile = regexp.MustCompile("`([a-z/]+\\.go)`")
	walkFunc = regexp.MustCompile("`([A-Za-z]+)\\(\\)`")
)

func TestWalksNameFilesThatExist(t *testing.T) {
	design, err := os.ReadFile("docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(design), "\n### A download\n")
	text, _, _ = strings.Cut(text, "\n## ")
	walks := strings.Split(text, "\n### ")
	if len(walks) != 3 {
		t.Fatalf("docs/design.md has %d walks; it needs a download, a run and a pull", len(walks))
	}
	for i, w := range walks {
		files, code := map[string]bool{}, ""
		for _, m := range walkFile.FindAllStringSubmatch(w, -1) {
			source, err := os.ReadFile(m[1])
			if err != nil {
				t.Errorf("walk %d: %v", i+1, err)
			}
			files[m[1]] = true
			code += string(source)
		}
		if len(files) == 0 || len(files) > 12 {
			t.Errorf("walk %d leads through %d files; a dozen can be followed", i+1, len(files))
		}
		for _, m := range walkFunc.FindAllStringSubmatch(w, -1) {
			if !regexp.MustCompile(`(?m)^(func .*\b` + m[1] + `\(|\t` + m[1] + `\()`).MatchString(code) {
				t.Errorf("walk %d: none of its files declares %s", i+1, m[1])
			}
		}
	}
}

func TestTheNounsNeedOnlyTheStandardLibrary(t *testing.T) {
	for _, p := range list(t, ".") {
		for _, imported := range p.Deps {
			if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") {
				t.Errorf("the root package links %s", imported)
			}
		}
	}
}

func TestDriversStayInTheirPackages(t *testing.T) {
	for _, p := range list(t, "./...") {
		name, _ := short(p.ImportPath)
		if within(name, forTests) {
			continue
		}
		for _, imported := range p.Imports {
			for prefix, owners := range drivers {
				if strings.HasPrefix(imported, prefix) && !slices.Contains(owners, name) {
					t.Errorf("%s imports %s, which is for %q alone", name, imported, owners)
				}
			}
		}
	}
}

// Promise: mcp-unlinked
func TestTheClientStaysSmall(t *testing.T) {
	heavy := []string{
		"modernc.org/", "zombiezen.com/", "github.com/pressly/goose", "github.com/nats-io/", "github.com/prometheus/", "github.com/jackc/", "github.com/minio/",
		"database/sql", "net/http/pprof", "github.com/santhosh-tekuri/", "github.com/modelcontextprotocol/",
		module + "/internal/store", module + "/internal/web/httpd", module + "/internal/delivery", module + "/internal/generation", module + "/internal/accounts",
		module + "/internal/engine", module + "/internal/validate", module + "/internal/sandbox",
	}
	for _, p := range list(t, "./cmd/svc") {
		for _, imported := range p.Deps {
			for _, prefix := range heavy {
				if strings.HasPrefix(imported, prefix) {
					t.Errorf("the client links %s", imported)
				}
			}
		}
	}
}

func TestProgramsLinkNothingMadeForTests(t *testing.T) {
	for _, p := range list(t, "./cmd/...") {
		for _, imported := range p.Deps {
			if name, ours := short(imported); imported == "testing" || ours && within(name, forTests) {
				t.Errorf("%s links %s", p.ImportPath, imported)
			}
		}
	}
}

// method matches the declaration of a method, and the type of its receiver.
var method = regexp.MustCompile(`(?m)^func \(\w* ?\*?(\w+)[)\[]`)

func TestNoTypeHasTooManyMethods(t *testing.T) {
	const most = 60
	for _, p := range list(t, "./...") {
		count := map[string]int{}
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range method.FindAllStringSubmatch(string(text), -1) {
				count[m[1]]++
			}
		}
		for name, methods := range count {
			if methods > most {
				t.Errorf("%s.%s has %d methods; part it, so that none has more than %d", p.ImportPath, name, methods, most)
			}
		}
	}
}
