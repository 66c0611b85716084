package template_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// ruledBook is a resource whose fields are held to every rule.
const ruledBook = "books/book(title:string!required,isbn:string!required!unique!min=10!max=13,status:string!default=new!one of=new|in use|A+,price:number!min=0.5!max=99.5," +
	"percent:integer!default=5!min=1!max=100,copies:integer!required,active:boolean!default=true,lent:boolean!required,weight:number!default=-1.5,key:integer!unique!min=1," +
	"tags:strings!required,note:string!optional,day:date!unique,seen_at:datetime!required,grade:string!one of=a|b,nick:string!max=5"

// ruled begins a project and gives it other resources, as if a request had asked for them.
func ruled(t *testing.T, prompt, resources string) *project {
	t.Helper()
	p := begin(t, prompt+" for books", nil)
	if p.state["resources"] = resources; p.state["kind"] == "api" {
		p.state["page_size"] = "2"
	}
	p.ask(t, "rename it to Zebra", nil)
	checkTree(t, p)
	return p
}

// ruledAPI is an API with every rule, a relation, and a resource that has neither.
func ruledAPI(t *testing.T, prompt string) *project {
	t.Helper()
	return ruled(t, prompt, ruledBook+",book_id:ref.book);authors/author(name:string,books:integer)")
}

// oneRule are resources that use one thing of all that the templates know.
var oneRule = []string{
	"status:string!default=new", "active:boolean!default=true", "status:string!one of=a|b", "count:integer!min=1", "name:string!max=9", "isbn:string!unique", "count:integer!required",
}

func TestFieldsAreHeldToTheirRules(t *testing.T) {
	t.Parallel()
	t.Run("go", func(t *testing.T) {
		t.Parallel()
		for _, database := range []string{"in memory", "a JSON file", "SQLite"} {
			checkGoRules(t, "a Go API with "+database, nil)
		}
	})
	t.Run("python", func(t *testing.T) {
		t.Parallel()
		need(t, "python3")
		for _, database := range []string{"in memory", "a JSON file", "SQLite"} {
			dir := ruledAPI(t, "a Python API with "+database).write(t)
			pythonTests(t, dir)
			checkRules(t, dir, database != "in memory", nil, "python3", "-m", "app")
		}
	})
	t.Run("commands", func(t *testing.T) {
		t.Parallel()
		command(t, ruled(t, "a command-line tool in Go", ruledBook+")").write(t), []string{"GOWORK=off", "GOFLAGS=-trimpath -buildvcs=false"}, "go", "test", "-vet=all", "./...")
		pythonTests(t, ruled(t, "a command-line tool in Python", ruledBook+")").write(t))
	})
}

// Each rule is written without the others.
func TestOneRuleIsEnough(t *testing.T) {
	t.Parallel()
	for _, fields := range oneRule {
		for _, prompt := range []string{"a Python API", "a command-line tool in Python"} {
			pythonTests(t, ruled(t, prompt, "books/book("+fields+")").write(t))
		}
		for _, prompt := range []string{"a Go API", "a command-line tool in Go"} {
			dir := ruled(t, prompt, "books/book("+fields+")").write(t)
			command(t, dir, []string{"GOWORK=off", "GOFLAGS=-mod=readonly -trimpath -buildvcs=false"}, "go", "vet", "./...") // compiles the tests too
		}
	}
}

func pythonTests(t *testing.T, dir string) {
	t.Helper()
	command(t, dir, []string{"PYTHONDONTWRITEBYTECODE=1"}, "python3", "-W", "error", "-m", "unittest", "discover", "-s", "tests", "-t", ".")
}

// checkGoRules has a Go project with every rule test itself, and asks it.
func checkGoRules(t *testing.T, prompt string, env []string) {
	t.Helper()
	dir, said := buildGo(t, ruledAPI(t, prompt), env...)
	if strings.Contains(said, "--- SKIP") {
		t.Errorf("something was not tested:\n%s", said)
	}
	checkRules(t, dir, !strings.Contains(prompt, "memory"), env, filepath.Join(dir, "bin", "app"))
}

// ruledBody is a good book with other values; nil leaves a field out.
func ruledBody(t *testing.T, changes map[string]any) string {
	t.Helper()
	book := map[string]any{"title": "Dune", "isbn": "9780441013", "copies": 0, "lent": false, "tags": []string{"sand"}, "seen_at": "2026-01-31T09:30:00Z"}
	maps.Copy(book, changes)
	maps.DeleteFunc(book, func(_ string, value any) bool { return value == nil })
	body, err := json.Marshal(book)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// checkRules asks a service that keeps books whether it holds them to their rules, and still does after a restart.
func checkRules(t *testing.T, dir string, lasting bool, env []string, name string, args ...string) {
	t.Helper()
	url, stop := service(t, dir, env, name, args...)
	expect := func(status int, says, method, path string, changes map[string]any) map[string]any {
		t.Helper()
		got, answer := ask(t, method, url+path, "", ruledBody(t, changes))
		if got != status || !strings.Contains(answer, says) {
			t.Errorf("%s %s with %v = %d %s, want %d and %q", method, path, changes, got, answer, status, says)
		}
		var body map[string]any
		if err := json.Unmarshal([]byte(answer), &body); err != nil && status != 204 {
			t.Errorf("%s %s: %v", method, path, err)
		}
		return body
	}
	first := expect(201, `"status":`, "POST", "/books", map[string]any{"key": 7, "day": "2026-01-31"})
	id, _ := first["id"].(string)
	for field, want := range map[string]any{"status": "new", "percent": 5.0, "active": true, "weight": -1.5, "price": nil, "note": "", "copies": 0.0} {
		if first[field] != want {
			t.Errorf("%s = %v, want %v", field, first[field], want)
		}
	}
	for _, broken := range []struct {
		changes map[string]any
		says    string
	}{
		{map[string]any{"title": nil}, "title"},
		{map[string]any{"title": " "}, "title"},
		{map[string]any{"isbn": nil}, "isbn"},
		{map[string]any{"copies": nil}, "copies"},
		{map[string]any{"lent": nil}, "lent"},
		{map[string]any{"tags": []string{}}, "tags"},
		{map[string]any{"seen_at": ""}, "seen_at"},
		{map[string]any{"status": "old"}, "new, in use, A+"},
		{map[string]any{"percent": 0}, "percent must be at least 1"},
		{map[string]any{"percent": 101}, "percent must be at most 100"},
		{map[string]any{"price": 0.25}, "price must be at least 0.5"},
		{map[string]any{"isbn": "123456789"}, "isbn must have at least 10"},
		{map[string]any{"nick": "éééééé"}, "nick must have at most 5"},
	} {
		expect(422, broken.says, "POST", "/books", broken.changes)
		expect(422, broken.says, "PUT", "/books/"+id, broken.changes)
	}
	for _, taken := range []map[string]any{{"key": 8}, {"isbn": "9780441014", "key": 7}, {"isbn": "9780441015", "day": "2026-01-31"}} {
		expect(409, "another record has the same", "POST", "/books", taken)
	}
	second := atOnce(t, url, ruledBody(t, map[string]any{"isbn": "ISBN è là !", "nick": "ééééé", "status": "in use"}))
	at := "/books/" + second
	expect(409, "isbn", "PUT", at, nil)
	expect(200, "isbn", "PUT", at, map[string]any{"isbn": "ISBN è là !", "status": "A+", "percent": nil, "active": false})
	expect(201, "", "POST", "/books", map[string]any{"isbn": "third isbn"})
	if _, list := ask(t, "GET", url+"/books", "", ""); strings.Count(list, `"isbn"`) != 2 {
		t.Errorf("a page of two has %s", list)
	}
	_, before := ask(t, "GET", url+"/books?limit=9", "", "")
	if lasting {
		if err := stop(); err != nil {
			t.Errorf("the service ended with %v", err)
		}
		url, stop = service(t, dir, env, name, args...)
		if _, after := ask(t, "GET", url+"/books?limit=9", "", ""); after != before {
			t.Errorf("after a restart: %s, before: %s", after, before)
		}
		expect(409, "isbn", "POST", "/books", nil)
	}
	expect(204, "", "DELETE", "/books/"+id, nil)
	expect(201, "", "POST", "/books", map[string]any{"key": 7, "day": "2026-01-31"})
	if err := stop(); err != nil {
		t.Errorf("the service ended with %v", err)
	}
}

// atOnce sends one body several times at once: one record comes of it, whose id it gives.
func atOnce(t *testing.T, url, body string) (id string) {
	t.Helper()
	type answer struct {
		status int
		id     string
		err    error
	}
	answers := make(chan answer)
	const times = 6
	for range times {
		go func() {
			var got answer
			resp, err := http.Post(url+"/books", "application/json", strings.NewReader(body)) //nolint:noctx // the service ends with the test
			if err == nil {
				var made struct{ ID string }
				err = json.NewDecoder(resp.Body).Decode(&made)
				got = answer{status: resp.StatusCode, id: made.ID}
				_ = resp.Body.Close()
			}
			got.err = err
			answers <- got
		}()
	}
	made := 0
	for range times {
		switch got := <-answers; {
		case got.err != nil:
			t.Error(got.err)
		case got.status == http.StatusCreated:
			made, id = made+1, got.id
		case got.status != http.StatusConflict:
			t.Errorf("a value that is wanted twice is answered with %d", got.status)
		}
	}
	if made != 1 {
		t.Errorf("%d records have the same value", made)
	}
	return id
}
