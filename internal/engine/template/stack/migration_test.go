package stack_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/schema"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
)

// checkMigrations starts three versions of a project on one database. build makes the
// project in a folder ready, and returns what starts it.
func checkMigrations(t *testing.T, language, store string, settings []string, build func(t *testing.T, dir string) []string) {
	t.Helper()
	version := func(text string) spec.Spec {
		return parsed(t, "api in "+language+" with "+store+"\nbook: "+text+"\n")
	}
	first, second, third := version("title, isbn, pages: integer"), version("headline, isbn, pages: number, price: money default 1.5"), version("headline, isbn unique, pages: number, price: money default 1.5")
	dir, all := continued(t, schema.Change{Now: first}, nil)
	begin := func(dir string, run []string) (*api, func() error) {
		port, stop := service(t, dir, settings, run[0], run[1:]...)
		return &api{t: t, p: stack.ViewOf(first), base: "http://127.0.0.1:" + port}, stop
	}
	end := func(stop func() error) {
		if err := stop(); err != nil {
			t.Errorf("the service ended with %v", err)
		}
	}

	a, stop := begin(dir, build(t, dir))
	one := a.object("POST", "/books", object{"title": "Emma", "isbn": "1", "pages": 3}, 201)
	two := a.object("POST", "/books", object{"title": "Persuasion", "isbn": "1"}, 201)
	end(stop)

	dir, all = continued(t, schema.Change{Old: &first, Now: second, Renames: []spec.Rename{{Record: "book", From: "title", To: "headline"}}}, all)
	run := build(t, dir)
	a, stop = begin(dir, run)
	if got := a.object("GET", fmt.Sprint("/books/", one["id"]), nil, 200); got["headline"] != "Emma" || fmt.Sprint(got["price"]) != "1.50" || fmt.Sprint(got["isbn"]) != "1" {
		t.Errorf("after the migration: %v", got)
	}
	end(stop)

	last, _ := continued(t, schema.Change{Old: &second, Now: third}, all)
	runLast := build(t, last)
	if out := refused(t, last, settings, runLast); !strings.Contains(out, "0003_change_books.sql") || !strings.Contains(out, fmt.Sprint(one["id"])) || !strings.Contains(out, fmt.Sprint(two["id"])) {
		t.Errorf("the migration that stops does not name the records %v and %v:\n%s", one["id"], two["id"], out)
	}
	a, stop = begin(dir, run) // the database is as it was
	a.ask("DELETE", fmt.Sprint("/books/", two["id"]), nil, 204)
	end(stop)
	a, stop = begin(last, runLast)
	a.ask("POST", "/books", object{"headline": "Again", "isbn": "1"}, 409)
	end(stop)
	if out := refused(t, dir, settings, run); !strings.Contains(out, "0003_change_books.sql") {
		t.Errorf("a database that is newer than the program is not named:\n%s", out)
	}
}

// refused starts a program that must not start, and returns what it says.
func refused(t *testing.T, dir string, env, run []string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), run[0], run[1:]...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "PORT=1"), env...)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("%v started:\n%s", run, out)
	}
	return string(out)
}
