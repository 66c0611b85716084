package english_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/english"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

const (
	maxForms = 29
	maxWords = 300
)

// Forms and words stay few: what is not read, a spec says.
// Promise: grammar-small
func TestTheFormsStayFew(t *testing.T) {
	t.Parallel()
	if n := len(english.Begin) + len(english.Changes); n > maxForms {
		t.Errorf("%d forms, at most %d", n, maxForms)
	}
	known := map[string]bool{}
	for _, file := range []string{"words.txt", "usual.txt"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "#") {
				for _, w := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,:=\n", r) }) {
					known[w] = true
				}
			}
		}
	}
	if len(known) > maxWords {
		t.Errorf("%d words, at most %d", len(known), maxWords)
	}
}

func TestTheFormsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/spec.md")
	if err != nil {
		t.Fatal(err)
	}
	api := complete(t, parse(t, "api in go\nbook: title, isbn\ntask: title\n"))
	site := complete(t, parse(t, "site\nsection menu\n"))
	for _, form := range english.Begin {
		if got := english.Read(form.Example); !got.Sure {
			t.Errorf("%q: not understood %q", form.Example, got.NotUnderstood)
		}
	}
	for _, form := range english.Changes {
		if !english.Change(form.Example, api).Sure && !english.Change(form.Example, site).Sure {
			t.Errorf("%q is not read", form.Example)
		}
	}
	for _, form := range slices.Concat(english.Begin, english.Changes) {
		if !strings.Contains(string(page), "- `"+form.Example+"`\n") {
			t.Errorf("docs/spec.md does not list %q", form.Example)
		}
	}
}

// Promise: request-language
func TestRequestsAreReadAsSpecs(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"a todo list API in Go":                                                                "api in go with memory\ntodo: title, done, due date",
		"an API for memory cards with name":                                                    "api\nmemory card: name",
		"an API to manage database backups with name, with sqlite":                             "api with sqlite\ndatabase backup: name",
		"todo app backend":                                                                     "api\ntodo: title, done, due date",
		"a Go HTTP API for a todo list":                                                        "api in go\ntodo: title, done, due date",
		"a web site for a bakery in Bristol":                                                   "site\nsection about\nsection contact\ntext title: Bakery in Bristol",
		"a bakery website with menu and prices":                                                "site\nsection menu\nsection prices\ntext title: Bakery",
		"a Python API for books with title, author and isbn":                                   "api in python\nbook: title, author, isbn",
		"Node API for products with name and price, using PostgreSQL, with authentication":     "api in typescript with postgres, auth token\nproduct: name, price",
		"API for books\n- title\n- an author\n- isbn unique":                                   "api\nbook: title, author, isbn unique",
		"an API for customers and orders. Each order belongs to a customer":                    "api\ncustomer: name, email\norder: date, total, -> customer",
		"Go API for events (title, start date, location), on port 9100, under MIT license":     "api in go, port 9100, license mit\nevent: title, start date, location",
		"REST API to manage blog posts called Daily News with CORS. Posts have a title":        "api, cors, name daily-news\nblog post: title",
		"expense tracker in python with sqlite":                                                "api in python with sqlite\nexpense: description, amount, date",
		"a CRM API with contacts & customers":                                                  "api, name crm\ncontact: name, email, phone\ncustomer: name, email",
		"backend for my dog salon. Pets have a name and belong to a customer. Python please":   "api in python, name dog-salon\npet: name, -> customer\ncustomer: name, email",
		"tickets: subject, body (text), state, age (int), optional owner. TypeScript, no auth": "api in typescript, auth none\nticket: subject, body, state, age: integer, owner optional",
		"an API for books, members and loans. Each loan belongs to a book and a member":        "api\nbook: title, author, year\nmember: name, email\nloan: -> book, -> member",
		"build me a simple bookmarks API in Python with a database, tests and a Dockerfile":    "api in python with sqlite\nbookmark: title, url, notes",
	} {
		got := english.Read(prompt)
		if text := complete(t, got.Spec).String(); !got.Sure || text != complete(t, parse(t, want)).String() {
			t.Errorf("%q: sure %v, not understood %q, read as\n%s", prompt, got.Sure, got.NotUnderstood, text)
		}
	}
}

// What is not understood is named, and the spec beside it can be sent as it is.
// Promise: request-language
func TestWhatIsNotUnderstoodIsNamed(t *testing.T) {
	t.Parallel()
	for prompt, word := range map[string]string{
		"an API for books without a database": "without", "a todo API with search": "search", "an API for recipes with tags": "tags",
		"a website for people to share recipes": "share", "an API for weather data": "weather", "a REST API for a library": "library",
		"an API for notes, sort by title": "sort", "not in Go, a books API": "not", "a bakery website with a contact form": "form",
		"an API in Go and Python for books": "Python", "ein Programm": "ein", "": "", "!!!": "", "an app": "",
		"an API for books with name of the author":         "of",
		"an API for books with title and author, CORS off": "off", "an API for books with title, authentication disabled": "disabled",
		"an API for books with title and author etc": "etc", "an API for books with only title and author": "only", "an API for books with title but isbn": "but", "an API for tasks with title, priority 1-5": "priority", "an API for node clusters with name": "node",
		"a chat API": "chat", "django for movies": "django", "fastapi crud for movies": "fastapi", "a website for booking appointments": "booking",
	} {
		got := english.Read(prompt)
		if named := strings.Join(got.NotUnderstood, " "); got.Sure || !strings.Contains(named, word) {
			t.Errorf("%q: sure %v, not understood %q", prompt, got.Sure, named)
		}
		s := complete(t, got.Spec)
		if again := complete(t, parse(t, s.String())); again.String() != s.String() {
			t.Errorf("%q: %s", prompt, again)
		}
	}
}

// The words that a request is refused for are those that were not read, and no others.
// Promise: request-language
func TestWhatIsUnderstoodIsNotNamed(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"todo list REST API in Rust with MongoDB on port 9100": "Rust MongoDB",
		"a GraphQL API for books with title and author":        "GraphQL",
		"a rust books API":                        "rust",
		"a website for a bakery in Angular":       "Angular",
		"API for books on port 9100 and 9200":     "9200",
		"API for books with title and websockets": "websockets",
		"expense tracker for students":            "students",
	} {
		if got := strings.Join(english.Read(prompt).NotUnderstood, " "); got != want {
			t.Errorf("%q: not understood %q, want %q", prompt, got, want)
		}
	}
	old := complete(t, parse(t, "api\nbook: title, isbn\n"))
	for prompt, want := range map[string]string{
		"use port 9100 and 9200": "9200", "port 9100 and 9200": "9200",
		"make the isbn of books required and unique": "books required",
	} {
		if got := english.Change(prompt, old); got.Sure || strings.Join(got.NotUnderstood, " ") != want {
			t.Errorf("%q: sure %v, not understood %q, want %q", prompt, got.Sure, got.NotUnderstood, want)
		}
	}
}

// Promise: request-language
func TestChangesAreReadAsLines(t *testing.T) {
	t.Parallel()
	api := complete(t, parse(t, "api in go\ntask: title, done\nnote: title, text\n"))
	site := complete(t, parse(t, "site\nsection menu\nsection contact\n"))
	for prompt, want := range map[string]string{
		"add a field due date to tasks": "add task.due date", "add a priority field to tasks": "add task.priority",
		"add a database": "store sqlite", "store it in postgres": "store postgres", "switch to PostgreSQL": "store postgres",
		"store the data in a JSON file": "store file", "add authentication": "auth token", "remove authentication": "auth none",
		"use port 9100": "port 9100", "add CORS": "cors on", "license it under MIT": "license mit", "use the MIT license": "license mit",
		"remove notes": "remove note", "remove the field text from notes": "remove note.text", "remove text from notes": "remove note.text",
		"rename the field text of notes to body": "rename note.text body", "rename notes to memos": "rename note memo",
		"add books with title and isbn unique": "add book: title, isbn unique",
		"add comments for title":               "", "add a field to notes": "", "remove some notes": "", "add authentication and use port 9100": "port 9100\nauth token",
		"make done required": "", "make it pretty": "", "add tags to tasks": "", "remove the database": "",
		"add validation to notes": "", "add publisher to notes": "", "add rate limiting to tasks": "", "add books with validation": "", "add note to tasks": "",
		"add a database id to tasks": "", "add title, publisher to notes": "add note.title\nadd note.publisher", "add a field publisher to notes": "add note.publisher", "use MongoDB": "", "add": "",
	} {
		if got := english.Change(prompt, api); (got.Sure && got.Lines != "") != (want != "") || got.Sure && got.Lines != want {
			t.Errorf("%q: sure %v, not understood %q, %q", prompt, got.Sure, got.NotUnderstood, got.Lines)
		}
	}
	for prompt, want := range map[string]string{
		"add a section prices": "add section prices", "add a pricing section": "add section pricing", "remove the section menu": "remove section menu",
		"add prices and news": "add section prices\nadd section news", "add a section dark room": "add section dark room",
		"add dark mode": "", "add three sections": "", "add a big photo": "", "add a contact form": "",
	} {
		if got := english.Change(prompt, site); got.Sure != (want != "") || got.Sure && got.Lines != want {
			t.Errorf("%q: sure %v, not understood %q, %q", prompt, got.Sure, got.NotUnderstood, got.Lines)
		}
	}
}

// Promise: request-language
func FuzzRead(f *testing.F) {
	f.Add("a Python API for books with title, author and isbn")
	f.Add("each a has each b: (c, d")
	old, err := spec.Parse("api\ntask: title\n")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		if _, _, err := english.Read(prompt).Spec.Complete(); err != nil {
			t.Errorf("%q: %v", prompt, err)
		}
		english.Change(prompt, old)
	})
}

func parse(t *testing.T, text string) spec.Spec {
	t.Helper()
	s, err := spec.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func complete(t *testing.T, s spec.Spec) spec.Spec {
	t.Helper()
	out, _, err := s.Complete()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
