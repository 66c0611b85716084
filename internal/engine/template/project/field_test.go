package project

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
)

// stateWith is the state of a project whose one resource has these fields.
func stateWith(fields string) map[string]string {
	return map[string]string{
		StateKey: Engine, "kind": API, "language": Go, "name": "book-api", "title": "Book Api", "port": "8080",
		"resources": "books/book(" + fields + ")", "database": None, "auth": None, "cors": "off", "license": None,
	}
}

func TestRulesAreKeptInTheState(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Field{
		"name:string":                                    {Name: "name", Kind: values.Text},
		"name:string!required":                           {"name", values.Text, values.Rules{Need: Needed}},
		"note:string!optional":                           {"note", values.Text, values.Rules{Need: "optional"}},
		"isbn:string!required!unique!min=10!max=13":      {"isbn", values.Text, values.Rules{Need: Needed, Unique: true, Min: "10", Max: "13"}},
		"status:string!default=in use!one of=in use|A+":  {"status", values.Text, values.Rules{Default: "in use", Choices: []string{"in use", "A+"}}},
		"percent:integer!optional!default=5!min=1!max=9": {"percent", values.Integer, values.Rules{Need: "optional", Default: "5", Min: "1", Max: "9"}},
		"price:number!min=-0.5":                          {"price", values.Number, values.Rules{Min: "-0.5"}},
		"active:boolean!default=true":                    {"active", values.Truth, values.Rules{Default: "true"}},
		"day:date!unique":                                {"day", values.Day, values.Rules{Unique: true}},
		"tags:strings!required":                          {"tags", values.Texts, values.Rules{Need: Needed}},
	} {
		s, err := Read(stateWith(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, s.Resources[0].Fields[0], cmp.AllowUnexported(Field{})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
		for _, kept := range []Spec{s, s.Clone()} {
			if got := kept.Decided("resources").Text(); got != "books/book("+text+")" {
				t.Errorf("%s became %s", text, got)
			}
		}
	}
}

func TestRulesThatNobodyWroteAreRefused(t *testing.T) {
	t.Parallel()
	for _, fields := range []string{
		"", "name", "name:", "name:string!", "name:string!needed", "name:string!unique!required", "name:string!required!required", "name:string!default=",
		"name:string!default=\"x\"", "name:string!default=a'b", "name:string!default={{x}}", "name:string!default=a\nb", "name:string!default= a", "name:string!default=${x}", "name:string!default=`x`",
		"name:string!one of=a", "name:string!one of=a|", "name:string!one of=a|\"", "name:string!one of=" + strings.Repeat("a|", 12) + "b", "name:string!default=c!one of=a|b",
		"name:string!unique!default=a", "name:string!unique!one of=a|b", "name:string!unique!max=3", "name:string!min=1", "name:string!min=5!max=4", "name:string!min=1.5", "name:string!default=ab!max=1",
		"count:integer!min=1.5", "count:integer!min=01", "count:integer!max=1e9", "count:integer!min=9!max=1", "count:integer!default=0!min=1", "count:integer!default=1.5", "count:integer!one of=1|2",
		"count:integer!unique!min=1!max=4", "price:number!min=NaN", "price:number!max=Inf", "price:number!default=0x1",
		"done:boolean!default=yes", "done:boolean!unique", "done:boolean!min=1", "tags:strings!unique", "tags:strings!default=a", "day:date!default=2026-01-31", "day:date!min=1",
		"author_id:ref.author!required", "author_id:ref.author!unique", strings.Repeat("long_name_", 5) + "of_book:string!unique",
	} {
		if s, err := Read(stateWith(fields)); err == nil {
			t.Errorf("%q was accepted: %+v", fields, s.Resources)
		}
	}
	for key, value := range map[string]string{
		"name": "Bad Name", "page_size": "-1", "port": "08080", "phone": "<b>12345", "hours": "8-17<script>", "address": "Main St \"5\"", "when": "{{.}}",
	} {
		state := stateWith("name:string")
		state[key] = value
		if _, err := Read(state); err == nil {
			t.Errorf("%s %s was accepted", key, value)
		}
	}
}

func TestKindsAreWrittenInEveryLanguage(t *testing.T) {
	t.Parallel()
	want := kindWords{Go: "bool", TypeScript: "boolean", Python: "BOOLEAN", Words: "true or false", Sample: "true"}
	if got := (Field{Kind: values.Truth}).In(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestWhatARequestMustGive(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]string{
		"name:string,note:string":                                   "name",
		"count:integer,name:string":                                 "name",
		"count:integer":                                             "",
		"name:string!optional,note:string":                          "note",
		"name:string!optional":                                      "",
		"name:string,count:integer!required":                        "count",
		"name:string!required,note:string,count:integer!required":   "name count",
		"name:string!default=x,note:string":                         "note",
		"name:string!required!default=x,note:string,count:integer":  "",
		"status:string!default=a!one of=a|b,done:boolean!required":  "done",
		"name:string,status:string!optional!default=a!one of=a|b|c": "name",
	} {
		s, err := Read(stateWith(fields))
		if err != nil {
			t.Errorf("%s: %v", fields, err)
			continue
		}
		if got := strings.Join(s.Resources[0].Required(), " "); got != want {
			t.Errorf("%s: %q is required, want %q", fields, got, want)
		}
	}
}

// What a project's own tests send keeps to the rules of the
func TestSamplesKeepToTheRules(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"name:string", "name:string!unique", "name:string!unique!max=4", "name:string!max=2", "name:string!unique!min=30!max=31", "status:string!one of=a|b", "line_2:string!unique!max=5",
		"count:integer", "count:integer!unique", "count:integer!min=100", "count:integer!max=-7", "count:integer!unique!min=1!max=5", "count:integer!unique!max=0", "price:number!min=0.25!max=0.5", "price:number!unique!min=0.5",
	} {
		f := FieldIn(text)
		if f.bad() {
			t.Errorf("%s is none", text)
		}
		seen := map[string]bool{}
		for n := 1; n <= 4; n++ {
			value := f.Value(n)
			if seen[value] = true; !f.Takes(f.Kind, value) {
				t.Errorf("%s: %q", text, value)
			}
			if sample := f.Sample(n); !json.Valid([]byte(sample)) || !f.Takes(f.Kind, strings.Trim(sample, `"`)) {
				t.Errorf("%s: %s", text, sample)
			}
		}
		if f.Unique && len(seen) != 4 {
			t.Errorf("%s: %v", text, seen)
		}
	}
}

// The tables hold what the program expects of them.
func TestTheTablesNameKindsOfFields(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"field", "type"} {
		for word, kind := range lexicon.Tables[table] {
			if notKindOfField(kind) {
				t.Errorf("%s is of the kind %q", word, kind)
			}
		}
	}
	all := maps.Clone(lexicon.Tables["has"])
	maps.Copy(all, lexicon.Tables["has-too"])
	for thing, fields := range all {
		var s Spec
		if s.Decided("resources").Set(english.Plural(thing) + "/" + thing + "(" + fields + ")"); BadResources(s.Resources) {
			t.Errorf("%s cannot have %s", thing, fields)
		}
	}
}
