package stack_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
)

// everything is a spec with every kind of field, every rule and every relation.
func everything(language, store, auth string) spec.Spec {
	s := spec.Spec{
		Kind: spec.API, Language: language, Store: store, Port: 9100, Auth: auth, CORS: true, License: "mit", Name: "every-thing",
		Records: []spec.Record{
			{Noun: "author", Plural: "authors", Fields: []spec.Field{
				{Name: "name", Kind: spec.String, Unique: true, Max: "60"},
				{Name: "email", Kind: spec.Email, Unique: true},
				{Name: "site", Kind: spec.URL},
				{Name: "tag", Kind: spec.UUID},
				{Name: "mentor", To: "author", Need: spec.Optional},
			}},
			{Noun: "blog post", Plural: "blog posts", Fields: []spec.Field{
				{Name: "title", Kind: spec.String},
				{Name: "author", To: "author"},
				{Name: "editor", To: "author", Need: spec.Optional},
				{Name: "body", Kind: spec.Text},
				{Name: "code", Kind: spec.String, Min: "3", Max: "12", Need: spec.Required},
				{Name: "state", Kind: spec.String, Choices: []string{"draft", "in review", `say "go"`}, Default: "draft", HasDefault: true},
				{Name: "price", Kind: spec.Money, Min: "0", Need: spec.Required},
				{Name: "fee", Kind: spec.Money, Default: "1.5", HasDefault: true},
				{Name: "debt", Kind: spec.Money, Min: "-10.25", Max: "99.5"},
				{Name: "year", Kind: spec.Integer, Min: "1450", Max: "2100"},
				{Name: "rank", Kind: spec.Integer, Unique: true},
				{Name: "stars", Kind: spec.Integer, Choices: []string{"1", "3", "5"}, Default: "3", HasDefault: true},
				{Name: "size", Kind: spec.Integer, Default: "3", HasDefault: true, Need: spec.Required},
				{Name: "weight", Kind: spec.Number, Min: "0.5", Max: "2.5"},
				{Name: "score", Kind: spec.Number},
				{Name: "done", Kind: spec.Boolean, Default: "false", HasDefault: true},
				{Name: "good", Kind: spec.Boolean, Need: spec.Required},
				{Name: "due date", Kind: spec.Date, Min: "2020-01-01", Max: "2030-12-31"},
				{Name: "born", Kind: spec.Date, Need: spec.Required},
				{Name: "seen at", Kind: spec.DateTime},
			}},
			{Noun: "note", Plural: "notes", Fields: []spec.Field{{Name: "blog post", To: "blog post"}, {Name: "type", Kind: spec.Text}}},
		},
	}
	return s
}

// checkAPI starts the program of a project twice and asks it for everything that the
// documentation of generated APIs promises. env has the settings of the store, which
// is empty. The program is what name and args start in dir.
func checkAPI(t *testing.T, s spec.Spec, dir string, env []string, name string, args ...string) {
	t.Helper()
	p := stack.ViewOf(s)
	token := ""
	if s.Auth == spec.Token {
		token = testToken
		env = append(env, "API_TOKEN="+token)
	}
	port, stop := service(t, dir, env, name, args...)
	checkAddresses(t, port, s.Auth == spec.Token)
	a := &api{t: t, p: p, base: "http://127.0.0.1:" + port, token: token}
	a.check()
	before := a.dump()
	if err := stop(); err != nil {
		t.Errorf("the service ended with %v", err)
	}

	port, stop = service(t, dir, append(env, "HOST=0.0.0.0"), name, args...)
	checkAddresses(t, port, true)
	a.base = "http://127.0.0.1:" + port
	if after := a.dump(); s.Store != spec.Memory && before != after {
		t.Errorf("after a restart:\n%s\nwas:\n%s", after, before)
	} else if s.Store == spec.Memory && strings.Contains(after, "id") {
		t.Errorf("records in memory outlived the process: %s", after)
	}
	a.create(p.Records[len(p.Records)-1])
	if err := stop(); err != nil {
		t.Errorf("the service ended with %v", err)
	}
}

// checkAddresses reports whether a service can be reached from elsewhere, of which
// another address of this machine is an example.
func checkAddresses(t *testing.T, port string, everywhere bool) {
	t.Helper()
	dialer := net.Dialer{Timeout: 5 * time.Second}
	for host, want := range map[string]bool{"127.0.0.1": true, "::1": hasIPv6() && !everywhere, "127.0.0.2": everywhere} {
		if host == "::1" && !want {
			continue
		}
		conn, err := dialer.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
		if (err == nil) != want {
			t.Errorf("%s is reached: %t, want %t (%v)", host, err == nil, want, err)
		}
		if err == nil {
			_ = conn.Close()
		}
	}
}

func hasIPv6() bool {
	l, err := net.Listen("tcp", "[::1]:0") //nolint:noctx // it is closed at once
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// api is a client of a generated API, and what a test expects of it.
type api struct {
	t           *testing.T
	p           stack.Project
	base, token string
	made        int // counts records, so that unique values differ
}

type object = map[string]any

// raw is JSON that a test writes itself.
type raw = json.RawMessage

// ask sends a request. A body that is a string is sent as it is.
func (a *api) ask(method, path string, body any, want int) (*http.Response, string) {
	a.t.Helper()
	text, ok := body.(string)
	if !ok && body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			a.t.Fatal(err)
		}
		text = string(data)
	}
	req, err := http.NewRequestWithContext(a.t.Context(), method, a.base+path, strings.NewReader(text))
	if err != nil {
		a.t.Fatal(err)
	}
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	data, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		a.t.Fatal(err)
	}
	if resp.StatusCode != want {
		a.t.Errorf("%s %s %.300s = %d %s, want %d", method, path, text, resp.StatusCode, data, want)
	}
	var failed struct{ Error string }
	if want >= 400 && (json.Unmarshal(data, &failed) != nil || failed.Error == "") {
		a.t.Errorf("%s %s: the answer %q has no error", method, path, data)
	}
	return resp, string(data)
}

func (a *api) object(method, path string, body any, want int) object {
	a.t.Helper()
	_, text := a.ask(method, path, body, want)
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var out object
	if err := decoder.Decode(&out); err != nil {
		a.t.Errorf("%s %s answered %q", method, path, text)
	}
	return out
}

func (a *api) list(path string, want int) (out []object, total string) {
	a.t.Helper()
	resp, text := a.ask("GET", path, nil, want)
	if want == 200 {
		if err := json.Unmarshal([]byte(text), &out); err != nil || out == nil {
			a.t.Errorf("GET %s = %s", path, text)
		}
	}
	return out, resp.Header.Get("X-Total-Count")
}

// dump returns all records of an API.
func (a *api) dump() string {
	var out strings.Builder
	for _, r := range a.p.Records {
		_, text := a.ask("GET", path(r), nil, 200)
		out.WriteString(text + "\n")
	}
	return out.String()
}

func path(r stack.Record) string { return "/" + r.Plural }

func (a *api) record(plural string) stack.Record {
	return a.p.Records[slices.IndexFunc(a.p.Records, func(r stack.Record) bool { return r.Plural == plural })]
}

// good returns a body that a new record of a kind accepts, with its required references.
func (a *api) good(r stack.Record) object {
	a.t.Helper()
	a.made++
	out := object{}
	for _, f := range r.Fields {
		switch {
		case f.To == "":
			out[f.Column] = raw(f.Sample(a.made))
		case f.Required:
			out[f.Column] = a.create(a.record(f.Target))["id"]
		}
	}
	return out
}

func (a *api) create(r stack.Record) object {
	a.t.Helper()
	body := a.good(r) // first: it creates what the record refers to
	return a.object("POST", path(r), body, 201)
}

// with returns a body with another value of a column, or without it if that is absent.
func with(body object, column string, value any) object {
	out := maps.Clone(body)
	if value == absent {
		delete(out, column)
	} else {
		out[column] = value
	}
	return out
}

const absent = "\x00absent"

func (a *api) check() {
	a.checkDoors()
	for _, r := range a.p.Records {
		a.checkLife(r)
		a.checkList(r)
		for _, f := range r.Fields {
			a.checkNone(r, f)
			a.checkBounds(r, f)
			a.checkKind(r, f)
			if f.Unique && f.To == "" {
				a.checkUnique(r, f)
			}
			if f.To != "" {
				a.checkReference(r, f)
			}
		}
	}
}

func (a *api) checkDoors() {
	a.t.Helper()
	first := path(a.p.Records[0])
	token := a.token
	for _, wrong := range []string{"", "wrong", token + "x"} {
		a.token = wrong
		if got := a.object("GET", "/healthz", nil, 200); got["status"] != "ok" {
			a.t.Errorf("healthz = %v", got)
		}
		if token != "" {
			if resp, _ := a.ask("GET", first, nil, 401); resp.Header.Get("WWW-Authenticate") != "Bearer" {
				a.t.Error("401 does not name the scheme")
			}
		}
	}
	a.token = token
	a.ask("GET", "/no/such/path", nil, 404)
	a.ask("PATCH", first, nil, 405)
	resp, _ := a.ask("GET", first, nil, 200)
	if origin := resp.Header.Get("Access-Control-Allow-Origin"); (origin != "") != a.p.CORS {
		a.t.Errorf("allowed origin = %q", origin)
	}
	if kind := resp.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		a.t.Errorf("content type = %q", kind)
	}
}

func (a *api) checkLife(r stack.Record) {
	a.t.Helper()
	body := a.good(r)
	resp, text := a.ask("POST", path(r), with(body, "id", "mine"), 201)
	var made object
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		a.t.Fatalf("%s: %v", text, err)
	}
	id, _ := made["id"].(string)
	at := path(r) + "/" + id
	if id == "" || id == "mine" || resp.Header.Get("Location") != at {
		a.t.Fatalf("POST %s = %s, at %q", path(r), text, resp.Header.Get("Location"))
	}
	for _, f := range r.Fields {
		if _, ok := made[f.Column]; !ok {
			a.t.Errorf("%s of %s is not in the answer %s", f.Column, r.Plural, text)
		}
	}
	if len(made) != len(r.Fields)+1 {
		a.t.Errorf("the answer has more than the fields: %s", text)
	}
	if _, got := a.ask("GET", at, nil, 200); !same(got, text) {
		a.t.Errorf("GET %s = %s, want %s", at, got, text)
	}
	if _, got := a.ask("PUT", at, made, 200); !same(got, text) {
		a.t.Errorf("PUT of what GET returned = %s, want %s", got, text)
	}
	for _, bad := range []string{"", "{", "[]", `"text"`, "null", `{"surprise": 1}`} {
		a.ask("POST", path(r), bad, 400)
		a.ask("PUT", at, bad, 400)
	}
	a.ask("POST", path(r), `{"x": "`+strings.Repeat("x", 1<<20)+`"}`, 413) // so little above the limit that the client has sent it
	if _, got := a.ask("GET", at, nil, 200); !same(got, text) {
		a.t.Errorf("bad requests changed %s", got)
	}
	a.ask("DELETE", at, nil, 204)
	a.ask("GET", at, nil, 404)
	a.ask("PUT", at, made, 404)
	a.ask("DELETE", at, nil, 404)
	a.ask("GET", path(r)+"/nobody", nil, 404)
	a.ask("GET", path(r)+"/%00", nil, 404)
	a.ask("GET", path(r)+"/it's", nil, 404)
}

// same compares JSON.
func same(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

func (a *api) checkList(r stack.Record) {
	a.t.Helper()
	_, total := a.list(path(r), 200)
	before, err := strconv.Atoi(total)
	if err != nil {
		a.t.Fatalf("X-Total-Count = %q", total)
	}
	var ids []any
	for range 3 {
		ids = append(ids, a.create(r)["id"])
	}
	_, total = a.list(path(r), 200)
	after, _ := strconv.Atoi(total)
	if after < before+3 {
		a.t.Errorf("X-Total-Count = %s after %d records more than %d", total, 3, before)
	}
	// A record may refer to its own kind, so that more than three are new.
	found := func(query string) (out []any) {
		part, count := a.list(path(r)+query, 200)
		if count != total {
			a.t.Errorf("%s: X-Total-Count = %s, want %s", query, count, total)
		}
		for _, each := range part {
			out = append(out, each["id"])
		}
		return out
	}
	last := strconv.Itoa(after - 1)
	for query, want := range map[string][]any{
		"?limit=1&offset=" + last: ids[2:], "?offset=" + last: ids[2:], "?offset=" + total: nil, "?limit=0": nil, "?limit=7&offset=" + last: ids[2:],
	} {
		if got := found(query); !slices.Equal(got, want) {
			a.t.Errorf("%s%s = %v, want %v", path(r), query, got, want)
		}
	}
	for _, bad := range []string{"?limit=some", "?limit=-1", "?offset=-1", "?offset=1.5"} {
		a.ask("GET", path(r)+bad, nil, 400)
	}
}
