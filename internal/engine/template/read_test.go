package template

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine"
)

func TestPromptsAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]spec{
		"A todo list API with tags":                                                                         {Language: "go", Name: "todo-api", Resources: read1("todos/todo(title:string,done:boolean,tags:strings)")},
		"build me a REST API in Go for managing books and authors":                                          {Language: "go", Name: "book-api", Resources: read1("books/book(title:string,author:string,year:integer);authors/author(name:string)")},
		"a blog API with posts and comments":                                                                {Language: "go", Name: "post-api", Resources: read1("posts/post(title:string,body:string,published:boolean);comments/comment(text:string,author:string)")},
		"URL shortener in TypeScript":                                                                       {Language: "typescript", Name: "link-api", Resources: read1("links/link(url:string,title:string)")},
		"I want an expense tracker with category, in python with sqlite":                                    {Language: "python", Name: "expense-api", Database: "sqlite", Resources: read1("expenses/expense(description:string,amount:number,date:string,category:string)")},
		"an API that lets students enroll in courses":                                                       {Language: "go", Name: "student-api", Resources: read1("students/student(name:string);courses/course(title:string)")},
		"an API for a bakery to manage orders":                                                              {Language: "go", Name: "order-api", Resources: read1("orders/order(customer:string,status:string,total:number)")},
		"a recipe sharing service on port 9090 with CORS and authentication":                                {Language: "go", Name: "recipe-api", Port: 9090, Auth: "token", CORS: "on", Resources: read1("recipes/recipe(title:string,ingredients:strings,servings:integer)")},
		"a REST API named 'Fleet Manager' for cars with year; MIT license":                                  {Language: "go", Name: "fleet-manager", License: "mit", Resources: read1("cars/car(name:string,year:integer)")},
		"employee directory with email and salary, store it in a PostgreSQL db":                             {Language: "go", Name: "employee-api", Database: "postgres", Resources: read1("employees/employee(name:string,email:string,salary:number)")},
		"a chat backend in node with a database":                                                            {Language: "typescript", Name: "message-api", Database: "postgres", Resources: read1("messages/message(text:string,author:string)")},
		"Python API für Bücher":                                                                             {Language: "python", Name: "item-api", Resources: read1("items/item(name:string)")},
		"a Go API for notes, no database and without authentication":                                        {Language: "go", Name: "note-api", Resources: read1("notes/note(title:string,body:string)")},
		"an API for tasks with a due date, phone number, first name, user id and optional tags":             {Language: "go", Name: "task-api", Resources: read1("tasks/task(title:string,done:boolean,due_date:string,phone_number:string,first_name:string,user_id:string,tags:strings)")},
		"an API for parcels with delivery dates, a unit price, max weight, max attendees and full tracking": {Language: "go", Name: "parcel-api", Resources: read1("parcels/parcel(name:string,delivery_date:string,unit_price:number,max_weight:number,max_attendees:integer)")},
		"hello":                           {Language: "go", Name: "item-api", Resources: read1("items/item(name:string)")},
		"a to-do service for aux and con": {Language: "go", Name: "todo-api", Resources: read1("todos/todo(title:string,done:boolean)")},
		"make a landing page for my bakery with a menu and contact form":                  {Language: "static", Name: "bakery-site", Subject: "bakery", Sections: []string{"menu", "contact"}},
		"A portfolio for a photographer called Anna Smith":                                {Language: "static", Name: "anna-smith", Subject: "photographer", Sections: []string{"portfolio", "about", "services", "contact"}},
		"a landing page for a coffee shop":                                                {Language: "static", Name: "coffee-shop-site", Subject: "coffee shop", Sections: []string{"about", "menu", "hours", "location", "contact"}},
		"a site for a rock band with tour dates, music and merch":                         {Language: "static", Name: "rock-band-site", Subject: "rock band", Sections: []string{"tour-dates", "music", "merch"}},
		"our flower shop website, in a dark theme":                                        {Language: "static", Name: "flower-shop-site", Subject: "flower shop", Sections: []string{"about", "products", "hours", "contact"}},
		"a website about cats with breeds, a feeding guide and photos, and a dark design": {Language: "static", Name: "cats-site", Subject: "cats", Sections: []string{"breeds", "feeding-guide", "gallery"}},
		"a landing page for my app":                                                       {Language: "static", Name: "app-site", Subject: "app", Sections: []string{"features", "pricing", "faq", "contact"}},
		"a landing page with pricing for teams":                                           {Language: "static", Name: "my-site", Sections: []string{"pricing"}},
		"an API for the site of scouts":                                                   {Language: "go", Name: "scout-api", Resources: read1("scouts/scout(name:string)")},
		"a website":                                                                       {Language: "static", Name: "my-site", Sections: []string{"about", "features", "contact"}},
	} {
		t.Run(prompt, func(t *testing.T) {
			t.Parallel()
			p, err := begin(prompt, constraints{})
			if err != nil {
				t.Fatal(err)
			}
			fill(&want.Database, dbNone)
			fill(&want.Auth, authNone)
			fill(&want.CORS, switchOff)
			fill(&want.License, licenseNone)
			if want.Port == 0 {
				want.Port = defaultPort(want.Language)
			}
			got := p.spec
			got.Title, got.Summary = "", ""
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, d := range p.spec.decisions() {
				if p.reasons[d.key] == "" {
					t.Errorf("no reason is given for %s", d.key)
				}
			}
		})
	}
}

func TestWhatIsDeniedIsNotTurnedOn(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]wishes{
		"an API for books. I do not want a database":                         {database: dbNone},
		"an API for books, I don't need a database":                          {database: dbNone},
		"an API for books which doesn’t need authentication":                 {auth: authNone},
		"an API for books that does not require any kind of authentication":  {auth: authNone},
		"an API for books without a database, authentication or CORS":        {database: dbNone, auth: authNone, cors: switchOff},
		"an API for books with no database and no auth":                      {database: dbNone, auth: authNone},
		"an API for books without database and authentication":               {database: dbNone, auth: authNone},
		"an API for books without a database but with authentication":        {database: dbNone, auth: authToken},
		"an API for books; there should not be a database, and enable CORS":  {database: dbNone, cors: switchOn},
		"an API for books, no need for a SQL database":                       {database: dbNone},
		"an API for books. A database is not needed. Login isn't required":   {database: dbNone, auth: authNone},
		"an API for books, no database, keep them in a file":                 {database: dbFile},
		"an API for books with no MongoDB, use PostgreSQL":                   {database: dbPostgres},
		"an API for books without Django and without JWT":                    {},
		"an API for books that persists, where nobody is required to read":   {database: dbAny},
		"an API for books where one is not required to log in":               {auth: authNone},
		"an API for books with no login but API keys":                        {auth: authToken},
		"an API for books; do not remove the database":                       {},
		"an API for books with not only a database":                          {database: dbAny},
		"an API for books with not just authentication but CORS":             {auth: authToken, cors: switchOn},
		"an API for books, never use CORS, and I would rather not use a db":  {cors: switchOff, database: dbNone},
		"an API for books\nwithout\na license\nwith a database":              {license: licenseNone, database: dbAny},
		"an API for books. We dont want tokens, we cannot have a database":   {auth: authNone, database: dbNone},
		"an API for books with authentication, and the database is required": {auth: authToken, database: dbAny},
	} {
		got := read(prompt)
		things := thingsIn(got.rest)
		got.rest = ""
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(wishes{}, refusal{})); diff != "" {
			t.Errorf("%q (-want +got)\n%s", prompt, diff)
		}
		if len(things) != 1 || things[0].singular != "book" {
			t.Errorf("%q is about %+v", prompt, things)
		}
	}
}

func fill(s *string, value string) {
	if *s == "" {
		*s = value
	}
}

// read1 is decodeResources for tests that know what they write.
func read1(text string) []resource {
	r, err := decodeResources(text)
	if err != nil {
		panic(err)
	}
	return r
}

func TestChangesAreRead(t *testing.T) {
	t.Parallel()
	base, err := begin("a todo api in go", constraints{})
	if err != nil {
		t.Fatal(err)
	}
	const todos = "todos/todo(title:string,done:boolean)"
	for prompt, want := range map[string]func(*spec){
		"add a database":                     func(s *spec) { s.Database = dbPostgres },
		"store the data in a file":           func(s *spec) { s.Database = dbFile },
		"add authentication":                 func(s *spec) { s.Auth = authToken },
		"please enable CORS":                 func(s *spec) { s.CORS = switchOn },
		"rename to Foo Bar":                  func(s *spec) { s.Name, s.Title = "foo-bar", "Foo Bar" },
		"Rename the whole project to: foo":   func(s *spec) { s.Name, s.Title = "foo", "foo" },
		"change the project name to 'x y'":   func(s *spec) { s.Name, s.Title = "x-y", "x y" },
		"use port 9000":                      func(s *spec) { s.Port = 9000 },
		"license it under MIT":               func(s *spec) { s.License = "mit" },
		"add an endpoint for comments":       func(s *spec) { s.Resources = read1(todos + ";comments/comment(text:string,author:string)") },
		"add a new resource called projects": func(s *spec) { s.Resources = read1(todos + ";projects/project(name:string)") },
		"also manage invoices with a total":  func(s *spec) { s.Resources = read1(todos + ";invoices/invoice(name:string,total:number)") },
		"add tags and a priority to todos": func(s *spec) {
			s.Resources = read1("todos/todo(title:string,done:boolean,tags:strings,priority:integer)")
		},
		"add a due date and an estimated_cost to todos": func(s *spec) {
			s.Resources = read1("todos/todo(title:string,done:boolean,due_date:string,estimated_cost:number)")
		},
		"add a start-date field to todos":                   func(s *spec) { s.Resources = read1("todos/todo(title:string,done:boolean,start_date:string)") },
		"rename todos to tasks":                             func(s *spec) { s.Resources = read1("tasks/task(title:string,done:boolean)") },
		"add cats and dogs":                                 func(s *spec) { s.Resources = read1(todos + ";cats/cat(name:string);dogs/dog(name:string)") },
		"remove authentication":                             func(*spec) {},
		"I don't want a database":                           func(*spec) {},
		"it doesn't need authentication, and use port 9001": func(s *spec) { s.Port = 9001 },
		"add todos":                                         func(*spec) {},
		"add a Dockerfile":                                  func(*spec) {},
	} {
		t.Run(prompt, func(t *testing.T) {
			t.Parallel()
			p, err := carryOn(base.spec, prompt, constraints{})
			if err != nil {
				t.Fatal(err)
			}
			s := base.spec.clone()
			want(&s)
			if diff := cmp.Diff(s, p.spec); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if p.said == "" {
				t.Error("nothing is said for the history")
			}
		})
	}
}

func TestWhatCannotBeMetIsRefusedByName(t *testing.T) {
	t.Parallel()
	base := map[string]string{"go": "a todo api in go", "static": "a website"}
	for name, test := range map[string]struct {
		on          string // a language to continue; empty for a new project
		prompt      string
		constraints map[string]string
		want        []string
	}{
		"language of the prompt":      {"", "write a Rust service", nil, []string{"language", "rust", "go, typescript, python or static"}},
		"C++":                         {"", "a server in C++", nil, []string{"language", "c++"}},
		"language constraint":         {"", "x", map[string]string{"language": "cobol"}, []string{"language", "cobol", "typescript"}},
		"framework":                   {"", "a FastAPI service for books", nil, []string{"framework", "fastapi", "standard library"}},
		"framework constraint":        {"", "x", map[string]string{"framework": "gin"}, []string{"framework", "gin"}},
		"database of the prompt":      {"", "a Go API with MongoDB", nil, []string{"database", "mongodb", "postgres"}},
		"database of other languages": {"", "a Python API with PostgreSQL", nil, []string{"database", "postgres", "python", "sqlite"}},
		"database for a page":         {"", "a landing page with a database", nil, []string{"database", "static"}},
		"auth":                        {"", "an API with OAuth2", nil, []string{"auth", "oauth2", "token"}},
		"auth for a page":             {"", "a web page", map[string]string{"auth": "token"}, []string{"auth", "static", "none"}},
		"license":                     {"", "an API under the GPL license", nil, []string{"license", "gpl", "mit"}},
		"low port":                    {"", "an API on port 80", nil, []string{"port", "80", "1024"}},
		"high port":                   {"", "x", map[string]string{"port": "99999"}, []string{"port", "65535"}},
		"name without letters":        {"", "x", map[string]string{"name": "123"}, []string{"name", "a to z"}},
		"unknown constraint":          {"", "x", map[string]string{"colour": "red"}, []string{"colour", "language", "license"}},
		"constraint twice":            {"", "x", map[string]string{"Port": "4000", "port": "5000"}, []string{"port", "twice"}},
		"resources that are paths":    {"", "x", map[string]string{"resources": "../etc"}, []string{"resources", "../etc"}},
		"reserved resource":           {"", "x", map[string]string{"resources": "con"}, []string{"resources", "con"}},
		"resources for a page":        {"", "a web page", map[string]string{"resources": "cats"}, []string{"resources", "sections"}},
		"sections for an API":         {"", "an API", map[string]string{"sections": "faq"}, []string{"sections", "static"}},
		"unknown section":             {"", "a web page", map[string]string{"sections": "dungeon"}, []string{"sections", "dungeon", "pricing"}},
		"another language later":      {"go", "rewrite it in Python", nil, []string{"language", "locked to go"}},
		"nothing that is known":       {"go", "make it faster", nil, []string{"add a database", "rename to"}},
		"capability":                  {"go", "add rate limiting", nil, []string{"add authentication"}},
		"the last resource":           {"go", "remove todos", nil, []string{"todos", "add another resource first"}},
		"database on a page later":    {"static", "add a database", nil, []string{"database", "static"}},
		"nothing known for a page":    {"static", "make it pop", nil, []string{"pricing section"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := readConstraints(test.constraints)
			if err == nil {
				var p plan
				if test.on == "" {
					_, err = begin(test.prompt, c)
				} else {
					if p, err = begin(base[test.on], constraints{}); err != nil {
						t.Fatal(err)
					}
					_, err = carryOn(p.spec, test.prompt, c)
				}
			}
			refused, ok := errors.AsType[*engine.Error](err)
			if !ok || refused.Code != engine.CodeConstraintUnresolvable {
				t.Fatalf("error = %v", err)
			}
			for _, want := range test.want {
				if !strings.Contains(refused.Message, want) {
					t.Errorf("%q does not name %q", refused.Message, want)
				}
			}
		})
	}
}

func TestConstraintsOutrankThePrompt(t *testing.T) {
	t.Parallel()
	c, err := readConstraints(map[string]string{
		"Language": "py", "name": "Best Of", "port": "9999", "database": "yes", "auth": "bearer", "cors": "true", "license": "MIT",
		"resources": "cats, dogs", "framework": "stdlib",
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := begin("a Rust API called Worst with MongoDB, JWT and FastAPI for birds on port 1, GPL license", c)
	if err != nil {
		t.Fatal(err)
	}
	want := spec{
		Language: "python", Name: "best-of", Title: "Best Of", Port: 9999, Database: "sqlite", Auth: "token", CORS: "on", License: "mit",
		Resources: read1("cats/cat(name:string);dogs/dog(name:string)"), Summary: p.spec.Summary,
	}
	if diff := cmp.Diff(want, p.spec); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSingularAndPlural(t *testing.T) {
	t.Parallel()
	for s, p := range map[string]string{
		"todo": "todos", "box": "boxes", "category": "categories", "key": "keys", "class": "classes", "person": "people", "bus": "buses",
		"match": "matches", "dish": "dishes", "address": "addresses", "news": "news", "movie": "movies", "quiz": "quizzes", "house": "houses",
	} {
		if got := plural(s); got != p {
			t.Errorf("plural(%q) = %q, want %q", s, got, p)
		}
		if got := singular(p); got != s {
			t.Errorf("singular(%q) = %q, want %q", p, got, s)
		}
		if got := singular(s); got != s {
			t.Errorf("singular(%q) = %q, want it unchanged", s, got)
		}
	}
}

func TestForeignStateIsRefused(t *testing.T) {
	t.Parallel()
	p, err := begin("a todo api", constraints{})
	if err != nil {
		t.Fatal(err)
	}
	good := map[string]string{}
	for _, d := range p.spec.decisions() {
		good[d.key] = d.value
	}
	if got, err := specOf(good); err != nil || !cmp.Equal(got, p.spec) {
		t.Fatalf("specOf = %+v, %v", got, err)
	}
	for key, values := range map[string][]string{
		"language": {"", "rust"}, "name": {"", "../x", "A"}, "title": {"", "<b>"}, "summary": {"two\nlines"}, "port": {"", "80", "x"},
		"database": {"", "mysql"}, "auth": {"maybe"}, "cors": {"perhaps"}, "license": {"gpl"}, "former_databases": {"mysql", ","},
		"resources": {
			"", "todos", "todos/todo()", "todos/todo(title:blob)", "todos/todo(done:boolean)", "../x/todo(title:string)", "auxes/aux(title:string)",
			"todos/todo(title:string,title:string)", "todos/todo(title:string);todos/todo(title:string)", "todos/todo(title:string,id:string)", "todos/todo(title:string,i_d:string)", "todos/todo(title:string,_x:string)", "todos/todo(title:string,a_b_c:string)",
			strings.Join(slices.Repeat([]string{"todos/todo(title:string)"}, 20), ";"),
		},
	} {
		for _, value := range values {
			state := map[string]string{}
			for k, v := range good {
				state[k] = v
			}
			state[key] = value
			if _, err := specOf(state); err == nil {
				t.Errorf("%s %q was accepted", key, value)
			}
		}
	}
}
