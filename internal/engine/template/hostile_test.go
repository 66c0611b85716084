package template_test

import (
	"errors"
	"html"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// checkPrompt begins a project with one prompt and continues it with another;
// both may only end well or with a refusal.
func checkPrompt(t *testing.T, first, second string) {
	t.Helper()
	p := newProject()
	for _, prompt := range []string{first, second} {
		out, err := generate(t.Context(), engine.Request{Prompt: prompt, Project: p.forEngine(), Attempt: 1})
		if err != nil {
			if refused, ok := errors.AsType[*engine.Error](err); !ok || refused.Code != engine.CodeConstraintUnresolvable {
				t.Fatalf("%q: %v", prompt, err)
			}
			continue
		}
		p.apply(t, out)
		checkTree(t, p)
		if t.Failed() {
			t.Fatalf("these prompts made an unsound project: %q, %q", first, second)
		}
	}
}

var hostile = []string{
	"a todo api called ../../etc/passwd",
	"an API called `$(rm -rf /)` for {{.Secret}} and ${IFS}",
	"a website called <script>alert(1)</script> with about",
	"an api for cats\";}); process.exit(1); //",
	"an api for aux, con, nul, healthz and ids, called CON",
	"PORT=8080 BASE_URL=http://localhost:8080 ${PORT:-8080} DefaultPort = 8080 a todo api",
	"an api for types, funcs, classes, maps, strings, errors, imports and defs with id, key, class, type, func, constructor and __proto__",
	"a Python api for None, True, False, self, exec and print with lambda, def and is",
	"\x00\xff\xfe\u202e\u2066 books \ufeff\u0000",
	"*/ --> ]]> ''' \"\"\" ``` \\ ~~~ # <!-- %> an api for books",
	"rename to vendor", "rename to internal", "rename to ÄÖÜ", "call it ''", "port 99999999999999999999",
	"api, resources = [host(name, ip, os), package(name, version), install(host, package, installed_at)]",
	"- [link](javascript:alert(1)) ![x](y) | a | b |\n# Heading\n> quote",
}

func TestHostilePrompts(t *testing.T) {
	t.Parallel()
	for i, prompt := range hostile {
		// Each prompt meets two languages, and each language every kind of prompt.
		for _, language := range [][2]string{{" in go", " as a website"}, {" in typescript", " in python"}}[i%2] {
			checkPrompt(t, prompt+language, "add "+prompt)
		}
	}
}

func TestLongPrompts(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"an api called " + strings.Repeat("very ", 2000) + "long for " + strings.Repeat("a", 5000),
		strings.Repeat("cats, dogs and birds with tags, ", 1000),
	} {
		checkPrompt(t, prompt, "add "+prompt)
	}
}

func TestAnyWordsMakeASoundProject(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom(append(strings.Fields(`add remove rename to a an the with and for api service website in go python typescript node
books todos tags prices users class type port 9090 80 database postgres sqlite file auth cors called named mit license , . " ' < > & { } ${x} {{x}} \ / .. %00
endpoint field section pricing contact item func map string error test main import
name code status percent active note unique required optional default true between 1 and 100 max min least most one of open/closed (open/closed) A+ -5 0.5 9999999999999999
10-20 25 per page phone +44 020/7946 hours Mon-Fri 8:00-17:00 address`), hostile...))
	prompt := rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 4).Draw(t, "kind") == 0 {
			return rapid.String().Draw(t, "text")
		}
		return strings.Join(rapid.SliceOfN(words, 1, 12).Draw(t, "words"), " ")
	})
	rapid.Check(t, func(rt *rapid.T) {
		checkPrompt(t, prompt.Draw(rt, "first"), prompt.Draw(rt, "second"))
	})
}

// Nobody has thought of every way of putting two things into one request, or of every word that is missing.
func TestAnyMixOfRequestsIsAnswered(t *testing.T) {
	t.Parallel()
	requests := append([]string{
		"I need a service to register lost items at our station: what it is, where found, when, picked up or not, finder's name. Must require a token.",
		"API for a choir. Members (name, voice part), rehearsals (date, place), and who attended. sqlite, port 8085",
		"Each hive has a name, a queen year and between 1 and 10 frames; inspections belong to a hive, which are done by a keeper",
		"typescript api: loans -> tool, borrower; how long, how much it cost, whether it's back, what's broken, status (out/back, default out)",
		"page for the annual fair in Millbrook, saturday 5th july 11-3, with stalls, how to find us, prices and a phone number",
		"a python cli that counts how often each word occurs in all .txt files under a folder, top N, with --ignore-case",
		"Language: Go\nResource: Elevator\nFields:\n- address (string, unique)\n- load_kg: int\n- last_inspection (date, optional)\nAuth: API token",
		"we run a small ferry line and would like to keep sailings, bookings for those sailings and which passenger booked how many seats",
		"a grade links student and course with a mark from 1 to 6, students have many grades, module example.com/school, MIT",
	}, prompts...)
	said := rapid.Custom(func(t *rapid.T) []string {
		return strings.SplitAfter(rapid.SampledFrom(requests).Draw(t, "request"), " ")
	})
	rapid.Check(t, func(rt *rapid.T) {
		first, second := said.Draw(rt, "first"), said.Draw(rt, "second")
		upTo := rapid.IntRange(0, len(first)).Draw(rt, "up to")
		from, to := rapid.IntRange(0, len(second)).Draw(rt, "from"), rapid.IntRange(0, len(second)).Draw(rt, "to")
		mixed := slices.Concat(first[:upTo], second[min(from, to):max(from, to)], first[rapid.IntRange(upTo, len(first)).Draw(rt, "on"):])
		checkPrompt(t, strings.Join(mixed, ""), strings.Join(second, ""))
	})
}

// Whatever is said of fields, what comes of it is sound, and goes on.
func TestAnyRulesMakeASoundProject(t *testing.T) {
	t.Parallel()
	value := rapid.SampledFrom(append(strings.Fields(`1 0 -5 0.5 100 1e9 007 99999999999999999999 true false open closed new none null "x" 'x' A+ C# a|b a,b a;b x!unique } \ $1 {{x}} ${x} ü 日本 <b> 5% "in use" today`), hostile[0]))
	rule := rapid.Custom(func(t *rapid.T) string {
		form := rapid.SampledFrom([]string{
			"unique", "required", "optional", "must be unique", "default V", "defaults to V", "(V/V)", "(V, V or V)", "one of V, V and V", "between V and V", "min V", "max V", "at least V", "at most V characters",
			"from V to V", "V-V", "V or V", "int", "bool", "float", "text", "(string, unique, max V)", "is V or V", "cannot be V", "V",
		}).Draw(t, "form")
		for strings.Contains(form, "V") {
			form = strings.Replace(form, "V", value.Draw(t, "value"), 1)
		}
		return form
	})
	field := rapid.Custom(func(t *rapid.T) string {
		name := rapid.SampledFrom([]string{"name", "code", "status", "percent", "active", "price", "note", "due date", "tags", "class"}).Draw(t, "name")
		return strings.Join(append([]string{name}, rapid.SliceOfN(rule, 0, 3).Draw(t, "rules")...), " ")
	})
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom([]string{"a Go API", "a Python API with SQLite", "a TypeScript API", "a command-line tool in Go", "a python cli"}).Draw(rt, "kind")
		fields := rapid.SliceOfN(field, 1, 5)
		checkPrompt(t, kind+" for books with "+strings.Join(fields.Draw(rt, "fields"), ", "), "add "+strings.Join(fields.Draw(rt, "more"), " and ")+" to books")
	})
}

func FuzzPrompt(f *testing.F) {
	for i, prompt := range hostile {
		f.Add(prompt, prompts[i%len(prompts)])
	}
	f.Fuzz(func(t *testing.T, first, second string) { checkPrompt(t, first, second) })
}

func TestPagesEscapeWhatPeopleWrote(t *testing.T) {
	t.Parallel()
	const attack = `<script>alert(1)</script> & "Co"`
	for _, prompt := range []string{
		"a website called '" + attack + "' with about", "a website for '" + attack + "', a bakery in Cork", "a website for a bakery with a section '" + attack + "'",
		"a website for a bakery in Cork", "an API for books called '" + attack + "'",
	} {
		p := begin(t, prompt, nil)
		if p.state["place"] != "" { // no request names such a place
			p.state["place"] = plaintext.Title(attack)
			p.ask(t, "rename it to Zebra", nil)
			if page := string(p.files["site/index.html"].content); !strings.Contains(page, "A bakery in "+html.EscapeString(plaintext.Title(attack))) {
				t.Errorf("the page does not tell its place:\n%s", page)
			}
		}
		for name, f := range p.files {
			if strings.Contains(string(f.content), "<script>") || strings.Contains(string(f.content), "alert(1)") {
				t.Errorf("%q: %s carries the attack:\n%s", prompt, name, f.content)
			}
		}
	}
}

// A prompt may hold what nobody wants to find in a repository.
func TestNothingOfThePromptLeaks(t *testing.T) {
	t.Parallel()
	p := begin(t, "a quick Go API for books, please, asap", nil)
	p.ask(t, "please add authentication asap, thanks", nil)
	for name, f := range p.files {
		if strings.Contains(string(f.content), "asap") || strings.Contains(string(f.content), "quick") {
			t.Errorf("%s quotes the prompt:\n%s", name, f.content)
		}
	}
	if strings.Contains(p.memory, "asap") || strings.Contains(strings.Join(slices.Collect(maps.Values(p.state)), " "), "asap") {
		t.Errorf("memory or state quote the prompt:\n%s\n%v", p.memory, p.state)
	}
}
