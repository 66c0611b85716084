package spec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// Names that could be read as something else, beside ordinary ones.
var (
	nouns = []string{"book", "blog post", "Person", "lens", "news", "text", "section one", "required", "one of", "site", "api", "port", "is default", "x-ray", "house_key", "series", "datetime", "title string"}
	names = []string{"title", "due date", "price", "default", "unique", "optional thing", "one of", "one", "of", "is done", "pages", "section", "text", "email", "created at", "X_9", "kind integer", "string"}
	texts = []string{"We bake.", "a", "1 # 2", `say "hi"`, `"quoted"`, `back\slash`, "Mon; Tue", "10:30", "a, b", "->", "..", "日本 ünï", "text x: y", "section: z", `5" pipe`, "'", "<b>", "{{.}}", "$(x)"}
	words = []string{"open", "in use", "a/b", "x:y", `q"u`, `\`, "default", "required", "#1", "1..2", "->", "(x)", "one", "é", "a,b", ";"}
)

func someSpec(t *rapid.T) spec.Spec {
	s := spec.Spec{
		Kind:    rapid.SampledFrom([]string{spec.API, spec.Site}).Draw(t, "kind"),
		Port:    rapid.SampledFrom([]int{0, 1024, 9100, 65535}).Draw(t, "port"),
		License: rapid.SampledFrom([]string{"", spec.None, "mit", "gpl-3.0-or-later"}).Draw(t, "license"),
		Name:    rapid.SampledFrom([]string{"", "book-api", "Fleet Desk", "port", "a, b"}).Draw(t, "name"),
	}
	if s.Kind == spec.Site {
		for _, name := range some(t, "sections", append(slices.Clone(texts[:2]), "menu", "opening hours", "a, b", "10:30", `x"y`, "1;2", "# 1"), 1, 4) {
			s.Sections = append(s.Sections, spec.Section{Name: name, Text: rapid.SampledFrom(append(texts, "")).Draw(t, "text")})
		}
		for _, key := range some(t, "facts", []string{"title", "tagline", "address", "hours"}, 0, 4) {
			s.Facts = append(s.Facts, spec.Fact{Key: key, Value: rapid.SampledFrom(texts).Draw(t, "fact")})
		}
		slices.SortFunc(s.Facts, func(a, b spec.Fact) int {
			return slices.Index(spec.TextKeys, a.Key) - slices.Index(spec.TextKeys, b.Key)
		})
		return s
	}
	s.Language = rapid.SampledFrom(append(spec.Languages, "")).Draw(t, "language")
	s.Store = rapid.SampledFrom(append(spec.Stores, "")).Draw(t, "store")
	s.Auth = rapid.SampledFrom([]string{"", spec.None, spec.Token}).Draw(t, "auth")
	s.CORS = rapid.Bool().Draw(t, "cors")
	for _, noun := range some(t, "nouns", nouns, 1, 4) {
		r := spec.Record{Noun: noun, Plural: spec.PluralOf(noun)}
		if rapid.Bool().Draw(t, "plural") {
			r.Plural = noun + " list"
		}
		for i, name := range some(t, "fields", names, 1, 5) {
			f := someField(t, name)
			if len(s.Records) > 0 && i > 0 && rapid.Bool().Draw(t, "refers") {
				f = spec.Field{Name: name, To: s.Records[0].Noun, Need: f.Need, Unique: f.Unique}
				if rapid.Bool().Draw(t, "unnamed") {
					f.Name = f.To
				}
			}
			if r.Find(f.Name, f.To) < 0 {
				r.Fields = append(r.Fields, f)
			}
		}
		s.Records = append(s.Records, r)
	}
	return s
}

func someField(t *rapid.T, name string) spec.Field {
	f := spec.Field{Name: name, Need: rapid.SampledFrom([]string{"", spec.Required, spec.Optional}).Draw(t, "need")}
	rules := rapid.SampledFrom([]spec.Field{
		{Kind: spec.String},
		{Kind: spec.Text, Unique: true, Max: "200"},
		{Kind: spec.Integer, Min: "-5", Max: "5", Default: "0", HasDefault: true},
		{Kind: spec.Number, Min: "0.5"},
		{Kind: spec.Money, Max: "99.99"},
		{Kind: spec.Boolean, Default: "true", HasDefault: true},
		{Kind: spec.Date, Min: "2026-01-01", Max: "2026-12-31"},
		{Kind: spec.DateTime, Max: "2026-01-01T00:00:00Z"},
		{Kind: spec.Email},
		{Kind: spec.URL, Default: "https://example.com/a", HasDefault: true},
		{Kind: spec.UUID, Unique: true},
		{Kind: spec.String, Choices: some(t, "choices", words, 2, 5)},
		{Kind: spec.String, Default: rapid.SampledFrom(words).Draw(t, "default"), HasDefault: true},
		{Kind: spec.Integer, Choices: []string{"1", "2"}},
	}).Draw(t, "rules")
	rules.Name, rules.Need = f.Name, f.Need
	return rules
}

// some draws different ones of these.
func some(t *rapid.T, label string, these []string, least, most int) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(these), least, most, func(s string) string { return s }).Draw(t, label)
}

// Promise: spec-equivalent
func TestTextAndSpecAreTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := someSpec(t)
		text := want.String()
		got, err := spec.Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s(-want +got)\n%s", text, diff)
		}
		if got.String() != text || !spec.IsSpec(text) {
			t.Fatalf("%s became\n%s", text, got)
		}
	})
}

// Promise: spec-equivalent
func TestConstraintsAndSpecAreTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := someSpec(t)
		got, err := spec.Spec{}.Override(want.Constraints())
		if err != nil {
			t.Fatalf("%v\n%v", err, want.Constraints())
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%v(-want +got)\n%s", want.Constraints(), diff)
		}
	})
}

// Promise: spec-equivalent
func TestCompleteSpecsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first, _, err := someSpec(t).Complete()
		if err != nil {
			t.Fatal(err)
		}
		again, guesses, err := first.Complete()
		if diff := cmp.Diff(first, again); diff != "" || len(guesses) > 0 || err != nil {
			t.Fatalf("%v, %v\n%s", guesses, err, diff)
		}
		read, err := spec.Parse(first.String())
		if diff := cmp.Diff(first, read, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Fatalf("%v\n%s\n%s", err, first, diff)
		}
		kept, ok, err := spec.FromState(map[string]string{"engine": "template", "spec": first.String()})
		if diff := cmp.Diff(first, kept, cmpopts.EquateEmpty()); diff != "" || !ok || err != nil {
			t.Fatalf("%v\n%s", err, diff)
		}
	})
}

// A text of any kind ends in a spec that is the same after another round, or in an error.
// Promise: template-sound
func FuzzParse(f *testing.F) {
	f.Add(library)
	f.Add("site\nsection menu: \"a \\\" b\"\r\ntext phone: 12345 # x")
	f.Add("api: book(title: string required 1.. one of a/b default \"x y\"), loan(-> book)")
	f.Fuzz(func(t *testing.T, text string) {
		spec.IsSpec(text)
		_, _ = spec.Spec{}.Override(map[string]string{"resources": text, "sections": text})
		s, err := spec.Parse(text)
		if err != nil {
			return
		}
		if !spec.IsSpec(text) {
			t.Errorf("%q is parsed but is none", text)
		}
		again, err := spec.Parse(s.String())
		if err != nil || again.String() != s.String() {
			t.Errorf("%q: %v\n%s\n%s", text, err, s, again)
		}
		if diff := cmp.Diff(s, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q\n%s", text, diff)
		}
	})
}

// Names of projects in a state of an earlier version, by what their spec is now.
func TestConstraintsAreReadAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]map[string]string{
		"api in typescript with postgres, port 9000, auth token, name \"Fleet Desk\"\ncar: plate\ndriver: name": {"Language": "ts", "database": "PostgreSQL", "auth": "bearer", "name": "Fleet Desk", "port": "9000", "resources": "car: plate; driver: name"},
		"api\ntodo: title, done: boolean":                                        {"resources": "todo(title:string,done:boolean)"},
		"api, cors\nbook: title\nloan: -> book, due date: date":                  {"resources": "book: title; loan: -> book, due date: date", "cors": "on"},
		"api, license apache-2.0\nbook: title\nnight-shift: name":                {"resources": "book(title)\nnight-shift(name)", "license": "Apache 2.0", "cors": "off"},
		"site\nsection menu\nsection opening hours":                              {"sections": "section menu; section opening hours"},
		"site\nsection menu: Bread; cake\ntext phone: 12345":                     {"sections": "section menu: \"Bread; cake\"\ntext phone: 12345"},
		"api in python with sqlite, port 9100\nbook: title, Isbn: string 10..13": {"spec": "api in go with sqlite, port 9100\nbook: title, Isbn 10..13 # short", "language": "python"},
	} {
		s, err := spec.Spec{}.Override(c)
		got := strings.ReplaceAll(strings.TrimSuffix(s.String(), "\n"), `"Bread; cake"`, "Bread; cake")
		if got = strings.ReplaceAll(got, "Isbn 10", "Isbn: string 10"); got != want || err != nil {
			t.Errorf("%v: %v\n%s\nwant\n%s", c, err, got, want)
		}
	}
}

func TestConstraintsWinOverThePrompt(t *testing.T) {
	t.Parallel()
	s, err := spec.Parse(library)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Override(map[string]string{"store": "memory", "port": "9200", "resources": "author: name", "auth": "none"})
	want := "api in go with memory, port 9200, auth none\nauthor: name\n"
	if err != nil || got.String() != want {
		t.Errorf("%v\n%s", err, got)
	}
	done, guesses, err := got.Complete()
	if err != nil || !strings.Contains(done.String(), "\nauthor: name\n") || fmt.Sprint(guesses) != "[{name author-api from the first record}]" {
		t.Errorf("%v, %v\n%s", guesses, err, done)
	}
}

func TestConstraintsThatCannotBeMet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want string
		c    map[string]string
	}{
		{`"theme" is not a constraint; write one of spec, kind, language`, map[string]string{"theme": "dark"}},
		{`the constraint language: "cobol" is not a language; write one of go, python, typescript`, map[string]string{"language": "cobol"}},
		{`the constraint port: "80" is not a port`, map[string]string{"port": "80"}},
		{`"1x" cannot be the name of a record`, map[string]string{"resources": "1x: name"}},
		{`the constraint resources: a project has at most 12 records`, map[string]string{"resources": strings.Repeat("a: b;", spec.MaxBytes/5)}},
		{`the constraint sections: a project has at most 12 records, or 16 sections`, map[string]string{"sections": strings.Repeat("section a;", spec.MaxBytes/10)}},
		{`the constraint resources: "books, authors" is not a record; write a noun, a colon and fields`, map[string]string{"resources": "books, authors"}},
		{`the constraint sections: a site has lines such as "section menu: ..." and "text phone: ..."`, map[string]string{"sections": "menu, text phone: 12345"}},
		{`the constraint sections: a site has lines such as`, map[string]string{"sections": `"a, b", c`}},
		{`the constraint store: "oracle" is not a store; write one of memory, file, sqlite, postgres`, map[string]string{"database": "oracle"}},
		{`the constraint name: "!!" is not the name of a project`, map[string]string{"name": "!!"}},
		{`given twice with different values`, map[string]string{"auth": "none", "AUTH": "token"}},
		{`given twice with different values`, map[string]string{"store": "file", "database": "sqlite"}},
		{`the constraint spec: line 2: loan.lorn: "lorn" is not a kind of record`, map[string]string{"spec": "api in go\nloan: -> lorn"}},
		{`the constraint resources: "mony" is not a kind of field`, map[string]string{"resources": "book(price: mony)"}},
	} {
		s, err := spec.Spec{}.Override(c.c)
		if err == nil {
			_, _, err = s.Complete()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.c, err, c.want)
		}
	}
	s, err := spec.Spec{}.Override(map[string]string{"kind": "site", "resources": "book: title"})
	if err == nil {
		_, _, err = s.Complete()
	}
	if err == nil || !strings.Contains(err.Error(), "has no records") {
		t.Error(err)
	}
}
