package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// fact is something that a program does or does not.
type fact struct {
	what  string // an omission has to name one of these words; | parts them
	check func(ctx context.Context, m *made) error
	run   *invocation // of a command
}

// object is a record as JSON has it.
type object = map[string]any

func parse(text string) (o object) {
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(fmt.Sprintf("%s in the table of trials: %v", text, err))
	}
	return o
}

// wrong tells what was seen, and the error behind it where there is one.
func wrong(err error, format string, args ...any) error {
	return errors.Join(fmt.Errorf(format, args...), err)
}

func written(ext string) fact {
	return fact{what: ext, check: func(_ context.Context, m *made) error {
		for name := range m.files {
			if other := filepath.Ext(name); other != "."+ext && slices.Contains([]string{".go", ".py", ".ts"}, other) {
				return fmt.Errorf("%s is not written in %s", name, ext)
			}
		}
		if !m.has(func(name string) bool { return filepath.Ext(name) == "."+ext }) {
			return fmt.Errorf("nothing is written in %s", ext)
		}
		return nil
	}}
}

func says(name, text string) fact {
	return fact{what: name, check: func(_ context.Context, m *made) error {
		if !strings.Contains(m.files[name], text) {
			return fmt.Errorf("%s does not say %q", name, text)
		}
		return nil
	}}
}

// mentions looks into the code alone: a README may quote what was asked.
func mentions(word string) fact {
	return fact{what: word, check: func(_ context.Context, m *made) error {
		if !m.has(func(name string) bool {
			return !strings.HasSuffix(name, ".md") && contains(m.files[name], word)
		}) {
			return fmt.Errorf("no code mentions %s", word)
		}
		return nil
	}}
}

func silent(words ...string) fact {
	return fact{what: strings.Join(words, "|"), check: func(_ context.Context, m *made) error {
		for _, word := range words {
			if m.has(func(name string) bool { return contains(m.files[name], word) }) {
				return fmt.Errorf("%q leaked into a file", word)
			}
		}
		return nil
	}}
}

// lacks is for what nobody can check here: it has to be named.
func lacks(what, why string) fact {
	return fact{what: what, check: func(context.Context, *made) error { return errors.New(why) }}
}

func port(n int) fact {
	return fact{what: "port", check: func(ctx context.Context, m *made) error {
		if !slices.Contains(m.ports, n) {
			return fmt.Errorf("port %d is not declared", n)
		}
		m.stop()
		defer m.stop()
		return m.serve(ctx, fmt.Sprintf("127.0.0.1:%d", n))
	}}
}

// post stores a record, its keys as given or in camel case.
func (m *made) post(ctx context.Context, resource string, body object) (string, object, error) {
	where, err := m.find(ctx, resource)
	if err != nil {
		return "", nil, err
	}
	status, answer, err := m.call(ctx, http.MethodPost, where, body, m.token)
	if err == nil && status >= 400 && status != 401 {
		body = camel(body)
		status, answer, err = m.call(ctx, http.MethodPost, where, body, m.token)
	}
	if err != nil {
		return "", nil, err
	}
	stored := unwrapped(answer)
	if status/100 != 2 || stored["id"] == nil {
		return "", nil, fmt.Errorf("POST %s %v: %d %v", where, body, status, answer)
	}
	return fmt.Sprintf("%s/%v", where, stored["id"]), stored, same(stored, body)
}

// same says whether everything that was stored came back, with its type.
func same(got, want object) error {
	for key, value := range want {
		if !reflect.DeepEqual(got[key], value) {
			return fmt.Errorf("%s was stored as %v and came back as %v", key, value, got[key])
		}
	}
	return nil
}

func (m *made) get(ctx context.Context, where string, want object) error {
	status, answer, err := m.call(ctx, http.MethodGet, where, nil, m.token)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("GET %s: %d", where, status)
	}
	return errors.Join(err, same(unwrapped(answer), want))
}

func (m *made) gone(ctx context.Context, where string) error {
	if status, _, err := m.call(ctx, http.MethodGet, where, nil, m.token); err != nil || status != http.StatusNotFound {
		return wrong(err, "GET %s, which is not there: %d", where, status)
	}
	return nil
}

func record(resource, body string) fact {
	return fact{what: resource, check: func(ctx context.Context, m *made) error {
		m.samples[resource] = parse(body)
		where, stored, err := m.post(ctx, resource, parse(body))
		if err == nil {
			err = m.get(ctx, where, stored)
		}
		if err != nil {
			return err
		}
		all, err := m.list(ctx, resource, "")
		if err != nil || !slices.ContainsFunc(all, func(o object) bool { return reflect.DeepEqual(o["id"], stored["id"]) }) {
			return wrong(err, "the list lacks the record: %v", all)
		}
		if status, _, err := m.call(ctx, http.MethodDelete, where, nil, m.token); err != nil || status/100 != 2 {
			return wrong(err, "DELETE %s: %d", where, status)
		}
		return m.gone(ctx, where)
	}}
}

func rejects(resource, field, value string) fact {
	return fact{what: field + "|type", check: func(ctx context.Context, m *made) error {
		sent := parse(fmt.Sprintf(`{%q: %s}`, field, value))[field]
		if status, _, err := m.posted(ctx, resource, field, sent); err != nil || status/100 != 4 {
			return wrong(err, "%s = %s was answered with %d", field, value, status)
		}
		return nil
	}}
}

// posted stores the sample of a resource with another value of a field, or without it, and gives the answer.
func (m *made) posted(ctx context.Context, resource, field string, value any) (int, object, error) {
	body := object{}
	for key, usual := range m.samples[resource] {
		body[key] = usual
	}
	if body[field] = value; value == nil {
		delete(body, field)
	}
	where, err := m.find(ctx, resource)
	if err != nil {
		return 0, nil, err
	}
	status, answer, err := m.call(ctx, http.MethodPost, where, body, m.token)
	return status, unwrapped(answer), err
}

// unique says that no two records have the same value.
func unique(resource, field, value string) fact {
	return fact{what: field + "|unique", check: func(ctx context.Context, m *made) error {
		for _, want := range []int{2, 4} {
			if status, answer, err := m.posted(ctx, resource, field, value); err != nil || status/100 != want {
				return wrong(err, "%s = %s was answered with %d %v", field, value, status, answer)
			}
		}
		return nil
	}}
}

// usual says what a record has that comes without a value.
func usual(resource, field string, value any) fact {
	return fact{what: field + "|default", check: func(ctx context.Context, m *made) error {
		if status, answer, err := m.posted(ctx, resource, field, nil); err != nil || status/100 != 2 || !reflect.DeepEqual(answer[field], value) {
			return wrong(err, "without %s: %d %v", field, status, answer)
		}
		return nil
	}}
}

// required and optional say whether a record can do without a value.
func required(resource, field string) fact { return without(resource, field, "required", 4) }
func optional(resource, field string) fact { return without(resource, field, "optional", 2) }

func without(resource, field, word string, hundreds int) fact {
	return fact{what: field + "|" + word, check: func(ctx context.Context, m *made) error {
		if status, answer, err := m.posted(ctx, resource, field, nil); err != nil || status/100 != hundreds {
			return wrong(err, "without %s: %d %v", field, status, answer)
		}
		return nil
	}}
}

func guarded(resource string) fact {
	return fact{what: "auth|token|key", check: func(ctx context.Context, m *made) error {
		where, err := m.find(ctx, resource)
		for _, token := range []string{"", "wrong"} {
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				if status, _, callErr := m.call(ctx, method, where, object{}, token); err == nil && status != http.StatusUnauthorized {
					err = wrong(callErr, "%s with the token %q: %d", method, token, status)
				}
			}
		}
		return err
	}}
}

// The ways in which records outlive the program.
const (
	file     = "file"
	sqlite   = "sqlite"
	postgres = "postgres"
)

func keeps(resource, body, how string) fact {
	return fact{what: how, check: func(ctx context.Context, m *made) error {
		where, stored, err := m.post(ctx, resource, parse(body))
		if err != nil {
			return err
		}
		m.stop()
		if err := m.serve(ctx, ""); err != nil {
			return err
		}
		if err := m.get(ctx, where, stored); err != nil {
			return fmt.Errorf("after a restart: %w", err)
		}
		if how == postgres {
			return pgtest.Exec(ctx, m.database, "DO $$ BEGIN IF NOT EXISTS (SELECT FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema')) THEN RAISE EXCEPTION 'no table'; END IF; END $$")
		}
		return m.stored(how, stored)
	}}
}

// stored looks for the file that holds the records.
func (m *made) stored(how string, o object) error {
	found := false
	err := filepath.WalkDir(m.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "node_modules") {
			return err
		}
		text, err := os.ReadFile(path) //nolint:gosec // what was generated lies there
		is := strings.HasPrefix(string(text), "SQLite format 3")
		if how == file {
			is = !is && strings.Contains(string(text), fmt.Sprint(o["id"])) && m.files[strings.TrimPrefix(path, m.dir+"/")] == ""
		}
		found = found || is
		return err
	})
	if err == nil && !found {
		err = fmt.Errorf("no file holds the records as %s", how)
	}
	return err
}

func paged(resource, body string) fact {
	return fact{what: "pag", check: func(ctx context.Context, m *made) error {
		for range 3 {
			if _, _, err := m.post(ctx, resource, parse(body)); err != nil {
				return err
			}
		}
		for _, query := range [][2]string{{"?limit=2", "&offset=2"}, {"?limit=2", "&page=2"}, {"?per_page=2", "&page=2"}, {"?page_size=2", "&page=2"}} {
			first, err := m.list(ctx, resource, query[0])
			second, err2 := m.list(ctx, resource, query[0]+query[1])
			if err == nil && err2 == nil && len(first) == 2 && len(second) > 0 && !reflect.DeepEqual(first[0], second[0]) {
				return nil
			}
		}
		return errors.New("no page of two followed by another")
	}}
}

func filtered(resource, body, key string) fact {
	return fact{what: "filter", check: func(ctx context.Context, m *made) error {
		for _, value := range []string{"One", "Two"} {
			if _, _, err := m.post(ctx, resource, parse(fmt.Sprintf(body, value))); err != nil {
				return err
			}
		}
		all, err := m.list(ctx, resource, "?"+key+"=Two")
		if err == nil && (len(all) == 0 || slices.ContainsFunc(all, func(o object) bool { return o[key] != "Two" })) {
			err = fmt.Errorf("%v is not filtered", all)
		}
		return err
	}}
}

func ordered(resource, body, key string) fact {
	return fact{what: "sort|order", check: func(ctx context.Context, m *made) error {
		for _, value := range []string{"B", "A"} {
			if _, _, err := m.post(ctx, resource, parse(fmt.Sprintf(body, value))); err != nil {
				return err
			}
		}
		all, err := m.list(ctx, resource, "?sort="+key)
		if err == nil && !slices.IsSortedFunc(all, func(a, b object) int { return strings.Compare(fmt.Sprint(a[key]), fmt.Sprint(b[key])) }) {
			err = fmt.Errorf("%v is not ordered", all)
		}
		return err
	}}
}

func belongs(child, body, parent, parentBody string) fact {
	return fact{what: "belong|relation", check: func(ctx context.Context, m *made) error {
		_, stored, err := m.post(ctx, parent, parse(parentBody))
		if err != nil {
			return err
		}
		key := strings.TrimSuffix(parent, "s") + "_id"
		one := parse(body)
		one[key] = stored["id"]
		if _, _, err := m.post(ctx, child, one); err != nil {
			return err
		}
		one[key] = unlike(stored["id"])
		if _, _, err := m.post(ctx, child, one); err == nil {
			return fmt.Errorf("a record was stored that belongs to %v, which is not there", one[key])
		}
		return nil
	}}
}

// unlike is an identifier of the same kind that nothing has.
func unlike(id any) any {
	if text, ok := id.(string); ok {
		return text[:len(text)-1] + map[bool]string{true: "1", false: "0"}[strings.HasSuffix(text, "0")]
	}
	return 987654321
}
