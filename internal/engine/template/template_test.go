package template_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/template"
	"github.com/bundle-delivery/svc/internal/text/secrets"
	"github.com/bundle-delivery/svc/internal/workdir/merge"
)

const books = `api in go with sqlite, port 9100, auth token
book: title, author, isbn unique, year: integer 1450..2100, price: money
loan: -> book, borrower required, due date: date, returned: boolean default false, state one of lent/back
`

// specs has one project of each kind and language.
var specs = []string{
	books,
	"api in python with postgres, license mit\nrecipe: title, steps: text\n",
	"api in typescript with file, cors\nproduct: name, price: money\n",
	"site, name harbour-bakery\nsection menu: Bread and rolls\nsection opening hours\ntext title: Harbour Bakery\ntext hours: 7 to 18\n",
}

// Promise: template-deterministic
func TestTheSameRequestGivesTheSameProject(t *testing.T) {
	t.Parallel()
	for _, prompt := range specs {
		first, err := generate(t.Context(), engine.Request{Prompt: prompt, GenerationID: "gen_a"})
		if err != nil {
			t.Fatal(err)
		}
		second, err := generate(t.Context(), engine.Request{Prompt: prompt, GenerationID: "gen_b"})
		if diff := cmp.Diff(first, second); err != nil || diff != "" {
			t.Errorf("%q: %v %s", prompt, err, diff)
		}
	}
}

func TestOutputsComeInOrder(t *testing.T) {
	t.Parallel()
	out, err := generate(t.Context(), engine.Request{Prompt: books})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, o := range out {
		kind := strings.TrimPrefix(fmt.Sprintf("%T", o), "engine.")
		if s, ok := o.(engine.ToolStatus); ok {
			kind = s.Action
		}
		kinds = append(kinds, kind)
	}
	kinds = slices.Compact(slices.DeleteFunc(kinds, func(k string) bool { return k == "Token" || k == "File" }))
	want := []string{"plan", "StateUpdate", "generate_file", "Port", "MemoryUpdate", engine.ActionFinalize, "Usage"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAStoppedRunSaysNothingMore(t *testing.T) {
	t.Parallel()
	stop := errors.New("enough")
	for _, at := range []int{1, 5, 50, 200} {
		calls := 0
		err := template.New().Generate(t.Context(), engine.Request{Prompt: books, Attempt: 1}, func(engine.Output) error {
			if calls++; calls == at {
				return stop
			}
			return nil
		})
		if err != stop || calls != at { //nolint:errorlint // the contract says: the error of emit itself
			t.Errorf("stopped at %d: %v after %d calls", at, err, calls)
		}
	}
}

// The state describes the project, with a true reason for each decision.
// Promise: template-deterministic
func TestDecisionsHaveTrueReasons(t *testing.T) {
	t.Parallel()
	of := func(p *project, prompt string, constraints map[string]string) map[string]string {
		out, err := generate(t.Context(), engine.Request{Prompt: prompt, Constraints: constraints, Project: p.forEngine()})
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, o := range out {
			if d, ok := o.(engine.StateUpdate); ok {
				all[d.Key] = d.Value + ": " + d.Reason
			}
		}
		return all
	}
	reasons := func(prompt string, constraints map[string]string) map[string]string {
		return of(newProject(), prompt, constraints)
	}
	got := reasons("a todo list API in Python", map[string]string{"store": "sqlite"})
	for key, want := range map[string]string{
		"language": "python: the request names it", "store": "sqlite: the constraint store says so", "port": "8000: no port is named",
		"kind": "api: the request names it", "auth": "none: no authentication is asked for", "license": "none: no licence is named",
		"record todo": "title, done, due date: no field is named; these are usual",
	} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
	if got := reasons("api\nbook: title\n", nil)["language"]; got != "go: no language is named" {
		t.Errorf("language is %q", got)
	}
	for store, want := range map[string]string{
		"sqlite": "moved: an earlier version kept the records as JSON documents; the first migration moves them",
		"file":   "read: an earlier version kept the records as JSON documents; a service with a file store reads them in its data file",
	} {
		former := newProject()
		former.state = map[string]string{
			"auth": "none", "cors": "off", "database": store, "engine": "template", "kind": "api", "language": "go", "license": "none",
			"name": "book-api", "port": "8080", "resources": "books/book(title:string!required)", "title": "Book API",
		}
		if got := of(former, "license mit", nil)["documents"]; got != want {
			t.Errorf("%s: documents is %q, want %q", store, got, want)
		}
	}
	if !strings.Contains(begin(t, books, nil).memory, "book: title, author, isbn unique, year: integer 1450..2100") {
		t.Error("the memory does not show the spec")
	}
}

// Promise: template-deterministic, template-sql
func TestAContinuationTouchesOnlyWhatChanges(t *testing.T) {
	t.Parallel()
	p := begin(t, books, nil)
	first := string(p.files["migrations/sqlite/0001_books_and_loans.sql"])
	for _, step := range []struct {
		prompt      string
		constraints map[string]string
		has, hasNot []string
		told        string
	}{
		{"port 9200", nil, []string{".env", "README.md", "compose.yaml"}, []string{"go.mod", "main.go"}, "port"},
		{"add book.pages: integer", nil, []string{"internal/model/book.go", "README.md"}, []string{"internal/model/loan.go", ".env"}, "pages"},
		{"add a field shelf to books", nil, []string{"internal/model/book.go"}, []string{"internal/model/loan.go"}, "shelf"},
		{"add note: title, text", nil, []string{"internal/model/note.go"}, []string{"internal/model/book.go"}, "note"},
		{"remove note", nil, []string{"-internal/model/note.go"}, []string{"internal/model/book.go"}, "note"},
		{"rename book.author writer", nil, []string{"internal/model/book.go"}, []string{"internal/model/loan.go"}, "writer"},
		{"continue", map[string]string{"license": "mit"}, []string{"LICENSE"}, []string{"internal/model/book.go"}, "mit"},
	} {
		got := p.ask(t, step.prompt, step.constraints)
		for _, path := range step.has {
			if !slices.Contains(got, path) {
				t.Errorf("%q did not write %s: %v", step.prompt, path, got)
			}
		}
		for _, path := range step.hasNot {
			if slices.Contains(got, path) {
				t.Errorf("%q wrote %s", step.prompt, path)
			}
		}
		if !strings.Contains(p.memory, step.told) {
			t.Errorf("the memory does not tell %q:\n%s", step.told, p.memory)
		}
	}
	if string(p.files["migrations/sqlite/0001_books_and_loans.sql"]) != first {
		t.Error("a delivered migration changed")
	}
	var migrations []string
	for path := range p.files {
		if strings.HasPrefix(path, "migrations/sqlite/") {
			migrations = append(migrations, path)
		}
	}
	if len(migrations) != 6 { // the first, and one for each change of the tables
		t.Errorf("migrations: %v", migrations)
	}
	if !strings.Contains(p.state["spec"], "writer") || !strings.Contains(p.state["kept_columns"], "notes") {
		t.Errorf("state = %v", p.state)
	}
	for _, nothing := range []string{"port 9200", p.state["spec"]} {
		if refused := p.refusal(t, nothing, nil); !strings.Contains(strings.ToLower(refused.Message), "nothing to do") {
			t.Errorf("%q: %v", nothing, refused)
		}
	}
}

// Promise: template-deterministic
func TestFilesOfOthersStay(t *testing.T) {
	t.Parallel()
	p := begin(t, books, nil)
	p.files["notes/mine.txt"] = []byte("mine")
	p.ask(t, "remove loan", nil)
	if string(p.files["notes/mine.txt"]) != "mine" {
		t.Error("a file that the engine did not write was touched")
	}
	foreign := newProject()
	foreign.files["main.rs"] = []byte("fn main() {}")
	_, err := generate(t.Context(), engine.Request{Prompt: books, Project: foreign.forEngine()})
	if refused, ok := errors.AsType[*engine.Error](err); !ok || !strings.Contains(refused.Message, "another engine") {
		t.Errorf("a foreign project: %v", err)
	}
}

func TestAFileThatCannotBeReadIsADefect(t *testing.T) {
	t.Parallel()
	p := begin(t, books, nil)
	torn := p.forEngine()
	torn.Open = func(string) (io.ReadCloser, error) { return nil, errors.New("gone") }
	_, err := generate(t.Context(), engine.Request{Prompt: "port 9200", Project: torn})
	if refused, ok := errors.AsType[*engine.Error](err); !ok || refused.Code != engine.CodeInternal {
		t.Errorf("%v", err)
	}
}

// The memory keeps how the project began, and what was done last.
func TestTheMemoryHasAHistory(t *testing.T) {
	t.Parallel()
	p := begin(t, books, nil)
	for n := 2; n <= 300; n++ {
		p.memory += fmt.Sprintf("%d. Changed %d.\n", n, n)
	}
	p.ask(t, "port 9200", nil)
	_, history, _ := strings.Cut(p.memory, "## History\n\n")
	entries := strings.Split(strings.TrimSpace(history), "\n")
	if len(entries) != 200 || entries[0] != "1. Began the project." || entries[198] != "199. Changed 300." || !strings.Contains(entries[199], "200. now port 9200; no longer port 9100") {
		t.Errorf("%d entries: %s ... %s", len(entries), entries[0], entries[len(entries)-2:])
	}
}

// Promise: template-deterministic
func TestFurtherAttemptsWriteWhatIsMissing(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{books, "a todo list API in Go"} {
		p := begin(t, prompt, nil)
		memory := p.memory
		delete(p.files, "main.go")
		out, err := generate(t.Context(), engine.Request{Prompt: prompt, Project: p.forEngine(), Attempt: 2, Findings: []string{"README.md: line 3"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.apply(t, out); !slices.Equal(got, []string{"README.md", "main.go"}) || p.memory != memory {
			t.Errorf("%q: written %v", prompt, got)
		}
	}
}

// What is not understood is refused with a spec that can be sent as it is.
// Promise: request-language
func TestRefusalsNameAWayOn(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"a library system with search":          `did not understand "library", "system", "search"`,
		"api in go\nbook: title, author: strin": "ine 2",
		"api in cobol\nbook: title":             "cobol",
		"teach my parrot to sing":               "parrot",
	} {
		if refused := newProject().refusal(t, prompt, nil); !strings.Contains(refused.Message, want) || refused.Suggestion == nil {
			t.Errorf("%q: %v %v", prompt, refused, refused.Suggestion)
		}
	}
	for prompt, want := range map[string]string{
		"site, port 9100, name crumb\nsection menu: \"Bread":                                                                       "site, port 9100, license none, name crumb\nsection menu: Bread\n",
		"api in python with sqlite, auth token\nbook: price: decimal":                                                              "api in python with sqlite, port 8000, auth token, license none, name book-api\nbook: name\n",
		"api in go, port 80\nbook: title, author unique, year: integer 1450..":                                                     "api in go with memory, port 8080, auth none, license none, name book-api\nbook: title, author unique, year: integer 1450..\n",
		"api in rust with oracle, colour red, auth token\nbook: title, writer: sting, year: integer 9..1\nloan: -> tome, borrower": "api in go with memory, port 8080, auth token, license none, name book-api\nbook: title, year: integer\nloan: borrower\n",
	} {
		if refused := newProject().refusal(t, prompt, nil); refused.Suggestion.Spec != want {
			t.Errorf("%q: %s", prompt, refused.Suggestion.Spec)
		}
	}
	if refused := newProject().refusal(t, "api\nbook: title", map[string]string{"language": "cobol"}); !strings.Contains(refused.Message, "cobol") {
		t.Errorf("a constraint: %v", refused)
	}
	for _, c := range []struct {
		prompt, wants, keeps string
		constraints          map[string]string
	}{
		{"a todo list API", "mysql", "todo: title, done: boolean, due date: date", map[string]string{"store": "mysql", "port": "9100"}},
		{"a todo list API", "9100", "todo: title, done: boolean, due date: date", map[string]string{"colour": "red", "port": "9100"}},
		{"a todo list API", "1024 to 65535", "todo: title, done: boolean, due date: date", map[string]string{"port": "80"}},
		{"a todo list API", "twice", "todo: title, done: boolean, due date: date", map[string]string{"store": "sqlite", "database": "file"}},
		{"an API", "sting", "book: author", map[string]string{"resources": "book: title: sting, author"}},
		{"x", "Line 1: \"80\" is not a port", "year: integer 1450..", map[string]string{"spec": "api in go, port 80\nbook: title, year: integer 1450.."}},
		{"x", "Line 1: \"rust\" is not a language", "item: name", map[string]string{"spec": "api in rust"}},
	} {
		refused := newProject().refusal(t, c.prompt, c.constraints)
		port := c.constraints["port"] == "9100" && !strings.Contains(refused.Suggestion.Spec, "port 9100")
		if !strings.Contains(refused.Message+refused.Suggestion.Spec, c.wants) || !strings.Contains(refused.Suggestion.Spec, c.keeps) || port || len(refused.Suggestion.Understood) > 0 {
			t.Errorf("%q %v: %v\n%s", c.prompt, c.constraints, refused, refused.Suggestion.Spec)
		}
	}
	p := begin(t, books, nil)
	refused := p.refusal(t, "make it pretty", nil)
	if refused.Suggestion == nil || refused.Suggestion.Spec != p.state["spec"] || !refused.Suggestion.Unchanged || !strings.Contains(refused.Message, "Nothing of the request was read: edit") || !slices.Contains(refused.Suggestion.NotUnderstood, "pretty") {
		t.Errorf("a change: %v %v", refused, refused.Suggestion)
	}
	for change, want := range map[string]string{
		"add book.year: date": "year", "rename book.title isbn": "isbn", "language python": "language",
		"add book.pages: integer required": "default", "store mysql": "write one of memory, file, sqlite, postgres",
		"port 70000": "write a number from 1024 to 65535", "name shelf": "the name of a project stays",
		"rename loan book": "names another record", "rename loan book and make it nice": "one line renames one thing", "port 9300\nmake it pretty": `"make it pretty": it is not a change`,
		"api in go, port 80\nbook: title": `"80" is not a port`, "continue": "names no change",
	} {
		if refused := p.refusal(t, change, nil); !strings.Contains(refused.Message, want) {
			t.Errorf("%q: %v", change, refused)
		}
	}
}

// A change of which a part is sound is suggested with that part, and a project with a
// field that is refused today gets a spec that can be sent.
// Promise: request-language
func TestRefusedContinuationsSuggestWhatCanBeSent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stored, prompt string
		constraints    map[string]string
		has            string
	}{
		{"", "port 9300\nmake it pretty", nil, "port 9300"},
		{"", "add book.pages: integer", map[string]string{"store": "mysql", "license": "mit"}, "license mit"},
		{"", strings.Replace(books, "price: money", "price: moony, shelf", 1), nil, "year: integer 1450..2100, shelf"},
		{"api in go with memory, port 8080, auth none, license none, name book-api\nbook: title, code: integer unique 1..3\n", "make it pretty", nil, "code: integer unique\n"},
		{"api in go with memory, port 8080, auth none, license none, name book-api\nbook: title, mail: email ..10\n", "add book.pages: integer", nil, "mail: email, pages: integer"},
	} {
		p := begin(t, books, nil)
		if c.stored != "" {
			p = begin(t, strings.NewReplacer("unique 1..3", "unique", " ..10", "").Replace(c.stored), nil)
			p.state["spec"] = c.stored
		}
		s := p.refusal(t, c.prompt, c.constraints).Suggestion
		if s.Unchanged || !strings.Contains(s.Spec, c.has) {
			t.Errorf("%q suggests %v:\n%s", c.prompt, s.Unchanged, s.Spec)
		}
		p.ask(t, s.Spec, nil)
	}
	p := begin(t, books, nil)
	if s := p.refusal(t, "x", map[string]string{"spec": "port 9300"}).Suggestion; !s.Unchanged || s.Spec != p.state["spec"] {
		t.Errorf("no spec suggests %v:\n%s", s.Unchanged, s.Spec)
	}
	site := begin(t, specs[3], nil)
	if refused := site.refusal(t, "remove section about", nil); strings.Contains(refused.Message, "write add") || !strings.Contains(refused.Message, "there is no section") {
		t.Error(refused)
	}
}

// Lines of change are read before English, and a first line may leave its records to
// the constraints.
func TestRequestsThatNeedNoEnglish(t *testing.T) {
	t.Parallel()
	site := map[string]string{"engine": "template", "spec": "site, port 8080, license none, name bakery\nsection menu: Bread\ntext phone: +44 117 496 0123\n"}
	for _, c := range []struct {
		prompt             string
		constraints, state map[string]string
	}{
		{"remove text phone", nil, site},
		{"api in typescript", map[string]string{"resources": "book: title"}, nil},
		{"an API", map[string]string{"resources": "book: title, author; loan: -> book"}, nil},
		{"a web site", map[string]string{"sections": "section menu: Bread"}, nil},
	} {
		if err := template.Reader().Check(c.prompt, c.constraints, c.state); err != nil {
			t.Errorf("%q: %v", c.prompt, err)
		}
	}
	if err := template.Reader().Check("api in typescript", map[string]string{"port": "9100"}, nil); err == nil {
		t.Error("an api without records is accepted")
	}
}

// Promise: template-old-cli
func TestCommandsAreNotGeneratedAgain(t *testing.T) {
	t.Parallel()
	p := newProject()
	p.state = map[string]string{"engine": "template", "kind": "command", "language": "go", "name": "count", "title": "Count", "operations": "count", "license": "none"}
	p.files["main.go"] = []byte("package main\n")
	if refused := p.refusal(t, "use the MIT license", nil); !strings.Contains(refused.Message, "command-line tool") {
		t.Error(refused)
	}
}

// Every path is one that a bundle takes, and every port stands where it is said to.
// Promise: template-placement, push-placeholders
func TestTreesAreSound(t *testing.T) {
	t.Parallel()
	for _, prompt := range specs {
		p := begin(t, prompt, nil)
		for path, content := range p.files {
			if err := bundlezip.CheckPath(path); err != nil || len(content) == 0 {
				t.Errorf("%s has %d bytes: %v", path, len(content), err)
			}
			if found := secrets.FindInFile(path, content); len(found) > 0 { // which a push would refuse
				t.Errorf("%s holds what looks like a secret: %v", path, found)
			}
		}
		for name, port := range p.ports {
			if len(port.Uses) == 0 {
				t.Errorf("the port %s is used nowhere", name)
			}
			for _, use := range port.Uses {
				text := strings.ReplaceAll(use.Template, "{port}", fmt.Sprint(port.Port))
				if n := strings.Count(string(p.files[use.Path]), text); n != 1 {
					t.Errorf("%s has %q %d times", use.Path, text, n)
				}
			}
		}
	}
}

// A folder that was left as it was takes the next state without a conflict.
// Promise: template-placement
func TestTheNextStateMergesIntoTheLast(t *testing.T) {
	t.Parallel()
	for _, prompt := range specs {
		before, after := begin(t, prompt, nil), begin(t, prompt, nil)
		after.ask(t, "license isc\nport 9300", nil)
		for path, content := range after.files {
			_, strategy := bundlezip.DefaultPlacement(path)
			old := before.files[path]
			result := merge.Merge(strategy, merge.Input{Path: path, Current: old, Base: old, Incoming: content, Owner: "proj_x"})
			if len(result.Conflicts) > 0 {
				t.Errorf("%s: %v", path, result.Conflicts)
			}
			if path != ".env" && string(result.Content) != string(content) { // settings of a machine are kept
				t.Errorf("%s by %s became\n%s\nand not\n%s", path, strategy, result.Content, content)
			}
		}
	}
}

// The requests that the console and the documents show are generated at once.
// Promise: example-requests
func TestExamplesAreGenerated(t *testing.T) {
	t.Parallel()
	for _, prompt := range engine.Examples() {
		if p := begin(t, prompt, nil); len(p.files) < 10 {
			t.Errorf("%q made %d files", prompt, len(p.files))
		}
	}
}

func TestASpecNamesItsProject(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		books: "Book API", specs[3]: "Harbour Bakery", "a todo list API in Go": "", "api in go\nbook: title: nothing": "",
	} {
		if got := template.Reader().Title(prompt); got != want {
			t.Errorf("%q: %q, want %q", prompt, got, want)
		}
	}
}
