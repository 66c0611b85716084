package spec_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// The states were written by the engine of version 1, of requests that have every
// kind of field, rule and fact.
// Promise: spec-equivalent
func TestStatesOfEarlierVersionsAreRead(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/states.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		State map[string]string
		Spec  []string
	}
	if err := json.Unmarshal(data, &all); err != nil || len(all) < 40 {
		t.Fatal(len(all), err)
	}
	for _, each := range all {
		s, ok, err := spec.FromState(each.State)
		if want := strings.Join(each.Spec, "\n") + "\n"; err != nil || !ok || s.String() != want {
			t.Errorf("%v: %v\n%s\nwant\n%s", each.State, err, s, want)
		}
	}
}

// Promise: spec-equivalent
func TestStatesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	api := map[string]string{"engine": "template", "kind": "api", "language": "go", "database": "none", "auth": "none", "cors": "off", "license": "none", "name": "book-api", "port": "8080", "resources": "books/book(title:string)"}
	if _, ok, err := spec.FromState(api); !ok || err != nil {
		t.Fatal(ok, err)
	}
	for _, c := range []struct{ key, value, want string }{
		{"kind", "command", "it is a command-line tool (command), which this engine does not generate any more; it can still be delivered"},
		{"kind", "game", `"game" is not how a spec begins`},
		{"port", "80", `"80" is not a port`},
		{"port", "x", `"x" is not a port`},
		{"language", "cobol", `"cobol" is not a language`},
		{"resources", "", "cannot be the name of a record"},
		{"resources", "books/book", "cannot be the name of a field"},
		{"resources", "books/book(title:string!max)", "cannot be the name of a field"},
		{"resources", "books/book(title:string!max=x)", `"x" is not a whole number`},
		{"resources", "books/book(title:string!default=a\nb)", "printable"},
		{"resources", "books/book(author_id:ref.author)", `"author" is not a kind of record`},
		{"spec", "api in go\nloan: -> book", `loan.book: "book" is not a kind of record`},
	} {
		state := map[string]string{}
		for k, v := range api {
			state[k] = v
		}
		state[c.key] = c.value
		if _, ok, err := spec.FromState(state); !ok || err == nil || !strings.Contains(err.Error(), "the state of the project cannot be read: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v, want %s", c.key, c.value, err, c.want)
		}
	}
	stored := map[string]string{"engine": "template", "spec": "api\nbook: mail: email ..12\n"} // of a version that had no such rule
	if s, ok, err := spec.FromState(stored); !ok || err != nil || s.Records[0].Fields[0].Max != "12" {
		t.Error(s, ok, err)
	}
	for _, state := range []map[string]string{nil, {"engine": "llm", "kind": "api"}} {
		if _, ok, err := spec.FromState(state); ok || err != nil {
			t.Errorf("%v: %v, %v", state, ok, err)
		}
	}
}
