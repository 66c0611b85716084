package stack_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/schema"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
)

// goFlags let an unchanged project come out of the build cache: the path of its folder
// is not in the binaries.
var goFlags = []string{"GOFLAGS=-mod=readonly -trimpath -buildvcs=false", "GOWORK=off"}

// buildGo formats, vets, builds and tests a project, and returns its folder and program.
func buildGo(t *testing.T, s spec.Spec, env ...string) (dir, program string) {
	t.Helper()
	dir = project(t, s)
	if out := command(t, dir, nil, "gofmt", "-s", "-l", "."); out != "" {
		t.Errorf("not formatted: %s", out)
	}
	env = append(env, goFlags...)
	program = filepath.Join(dir, "bin", "app")
	command(t, dir, env, "go", "build", "-o", program, ".")
	command(t, dir, env, "go", "test", "-vet=all", "./...")
	return dir, program
}

// Promise: template-builds, template-stores, template-sql, template-fields
func TestGoAPIs(t *testing.T) {
	t.Parallel()
	for _, store := range spec.Stores {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			auth := spec.None
			if store == spec.File || store == spec.Postgres {
				auth = spec.Token
			}
			var env, settings []string
			if store == spec.Postgres {
				env, settings = []string{"TEST_DATABASE_URL=" + emptyDatabase(t)}, []string{"DATABASE_URL=" + emptyDatabase(t)}
			}
			s := everything(spec.Go, store, auth)
			dir, program := buildGo(t, s, env...)
			checkAPI(t, s, dir, settings, program)
		})
	}
}

// The go command takes no path with the name of a device of Windows.
func TestModulesHaveNamesThatGoTakes(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"con": "example.com/con-app", "com1": "example.com/com1-app", "console": "example.com/console", "v1": "example.com/v1"} {
		if got := stack.ViewOf(parsed(t, "api in go, name "+name+"\nbook: title")).Module; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// Each of these uses few parts of the templates, or words that code knows.
func TestSmallGoAPIs(t *testing.T) {
	t.Parallel()
	for store, text := range map[string]string{
		"with memory": "book: title",
		"with file":   "author: name\nbook: title, -> author, due date: date",
		"with memory ": "type: string, func: integer 1..9, error: text unique, i: boolean, v: number\nstore: id card: money, record -> type optional\n" +
			"record: model: datetime \"2026-01-01T00:00:00Z\"..\"2027-01-01T00:00:00Z\", api: uuid, json: email\nsheep: name, line 2, line2, url: url",
		"with memory  ":               oddNames,
		"with file, cors":             "book: name, close: number\ndescribe book: ping, -> book\nx (ping): name\ny (close): -> x",
		"with sqlite, cors":           "book: name\ndescribe book: ping, -> book\nx (ping): name\ny (close): -> x",
		"with file, auth token, cors": `note: text: text, kind one of "a ` + "`" + `b"/c default c, day: date 2026-01-01..2026-12-31, count: integer unique`,
		"with sqlite":                 "thing: name, size: integer one of 1/2/3",
		"with sqlite ":                "thing: name\npart: -> thing, code unique",
		"with postgres":               "thing: name",
		"with postgres, cors":         "thing: name unique 2..1000, cost: money 0.5..2.25 default 1",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			var env []string
			if strings.Contains(store, "postgres") {
				env = append(env, "TEST_DATABASE_URL="+emptyDatabase(t))
			}
			buildGo(t, parsed(t, "api in go "+store+"\n"+text+"\n"), env...)
		})
	}
}

func TestGoAPIsMigrate(t *testing.T) {
	t.Parallel()
	for _, store := range []string{spec.SQLite, spec.Postgres} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			settings := []string{"DATABASE_FILE=" + filepath.Join(t.TempDir(), "books.db")}
			if store == spec.Postgres {
				settings = []string{"DATABASE_URL=" + emptyDatabase(t)}
			}
			checkMigrations(t, spec.Go, store, settings, func(t *testing.T, dir string) []string {
				program := filepath.Join(dir, "bin", "app")
				command(t, dir, goFlags, "go", "build", "-o", program, ".")
				return []string{program}
			})
		})
	}
}

// The data file of an earlier version has the records below "body".
func TestGoReadsTheDataFilesOfEarlierVersions(t *testing.T) {
	t.Parallel()
	s := parsed(t, "api in go with file\ntodo: title: text, tags: text, due date: date\n")
	dir, _ := continued(t, schema.Change{Old: &s, Now: s, Documents: true}, nil)
	program := filepath.Join(dir, "bin", "app")
	command(t, dir, goFlags, "go", "build", "-o", program, ".")
	write(t, dir, "data.json", []byte(`{"todos":[{"id":"a","body":{"id":"a","title":"kept","tags":["one","two"],"due_date":""}}]}`))
	port, stop := service(t, dir, []string{"DATA_FILE=" + filepath.Join(dir, "data.json")}, program)
	a := &api{t: t, p: stack.ViewOf(s), base: "http://127.0.0.1:" + port}
	if got := a.object("GET", "/todos/a", nil, 200); got["title"] != "kept" || got["tags"] != "one\ntwo" || got["due_date"] != nil {
		t.Errorf("%v", got)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// The modules of a project are in the cache of whoever builds this one.
func TestModulesOfGoProjectsAreOurs(t *testing.T) {
	t.Parallel()
	ours, err := os.ReadFile("../../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, store := range []string{spec.SQLite, spec.Postgres} {
		theirs, err := os.ReadFile(filepath.Join(project(t, everything(spec.Go, store, spec.None)), "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		module := regexp.MustCompile(`(?m)^require (\S+ \S+)$`).FindSubmatch(theirs)
		if module == nil || !strings.Contains(string(ours), string(module[1])+"\n") {
			t.Errorf("%s needs %s, which our go.mod does not have", store, module)
		}
	}
}
