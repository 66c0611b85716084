package template_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/engine"
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
endpoint field section pricing contact item func map string error test main import`), hostile...))
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

func FuzzPrompt(f *testing.F) {
	for i, prompt := range hostile {
		f.Add(prompt, prompts[i%len(prompts)])
	}
	f.Fuzz(func(t *testing.T, first, second string) { checkPrompt(t, first, second) })
}

func TestPagesEscapeWhatPeopleWrote(t *testing.T) {
	t.Parallel()
	const attack = `<script>alert(1)</script> & "Co"`
	for _, prompt := range []string{"a website called '" + attack + "' with about", "a website for a bakery in '" + attack + "'", "an API for books called '" + attack + "'"} {
		for name, f := range begin(t, prompt, nil).files {
			if strings.Contains(string(f.content), "<script>") || strings.Contains(string(f.content), "alert(1)") {
				t.Errorf("%q: %s carries the attack:\n%s", prompt, name, f.content)
			}
		}
	}
}

// A prompt may hold what nobody wants to find in a repository.
func TestNothingOfThePromptLeaks(t *testing.T) {
	t.Parallel()
	p := begin(t, "a Go API for books, please, and make it a real quick one asap", nil)
	p.ask(t, "please be so kind, thanks, and add authentication asap", nil)
	for name, f := range p.files {
		if strings.Contains(string(f.content), "asap") || strings.Contains(string(f.content), "quick") {
			t.Errorf("%s quotes the prompt:\n%s", name, f.content)
		}
	}
	if strings.Contains(p.memory, "asap") || strings.Contains(strings.Join(slices.Collect(maps.Values(p.state)), " "), "asap") {
		t.Errorf("memory or state quote the prompt:\n%s\n%v", p.memory, p.state)
	}
}
