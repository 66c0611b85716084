package llm_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

// Promise: llm-project, llm-plan-first
func TestASentenceBecomesAProject(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		author := greeter()
		e, server := engineOf(t, protocol, llm.Config{}, author.Answer)
		r := newRecord(t)
		if err := e.Generate(t.Context(), request("a server that greets"), r.emit); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(author.Files, r.files); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(author.Files, r.told); diff != "" || r.retold != nil {
			t.Errorf("the tokens do not build the files: %v\n%s", r.retold, diff)
		}
		if diff := cmp.Diff(map[string]string{"language": "go", "database": "none"}, r.state); diff != "" {
			t.Error(diff)
		}
		wantPorts := []engine.Port{{Name: "web", Port: 8087, Uses: []engine.PortUse{{Path: ".env", Template: "PORT={port}"}}}}
		if diff := cmp.Diff(wantPorts, r.ports); diff != "" {
			t.Error(diff)
		}
		if !strings.HasPrefix(r.memory, "# Greeter\n") || !strings.Contains(r.memory, "a server that greets") {
			t.Errorf("the memory is %q", r.memory)
		}
		if r.story[0] != "plan" || r.story[len(r.story)-1] != "finalize" || !slices.Contains(r.story, "validate") {
			t.Errorf("the story is %q", r.story)
		}
		if r.usage.Input == 0 || r.usage.Output == 0 || r.cost <= 0 {
			t.Errorf("used %+v for $%v", r.usage, r.cost)
		}
		if first := server.Asks()[0]; !slices.Contains(first.Tools, "plan") || len(server.Asks()) != 1+len(author.Files) {
			t.Errorf("%d calls, the first %+v", len(server.Asks()), first)
		}
	})
}

// Promise: llm-dependencies, llm-cache
func TestAFileSeesWhatItBuildsOn(t *testing.T) {
	t.Parallel()
	author := greeter()
	e, server := engineOf(t, wiretest.Anthropic, llm.Config{}, author.Answer)
	if err := e.Generate(t.Context(), request("a server"), newRecord(t).emit); err != nil {
		t.Fatal(err)
	}
	var prefixes []string
	for _, ask := range server.Asks()[1:] {
		prefixes = append(prefixes, ask.System)
		if ask.File() == "main.go" && (!strings.Contains(ask.Last(), author.Files["greet/greet.go"]) || strings.Contains(ask.Last(), author.Files["README.md"])) {
			t.Errorf("main.go is asked for with %s", ask.Last())
		}
		// What all have in common ends with a mark, and only that.
		if len(ask.Cached) != 3 || ask.Cached[0] != ask.System || !strings.HasPrefix(ask.Turns[0].Text, ask.Cached[1]) || !strings.Contains(ask.Last(), ask.Cached[2]) || strings.Contains(ask.Cached[2], "Write the file") {
			t.Errorf("%s is asked for with marks for the cache at %q", ask.File(), ask.Cached)
		}
		prefixes = append(prefixes, ask.Cached[1:]...)
	}
	slices.Sort(prefixes)
	if len(slices.Compact(prefixes)) != 3 {
		t.Error("the calls do not begin alike, so no cache can help")
	}
}

// Promise: llm-parallel-same
func TestOneAtATimeAndFourAtATimeAreTheSame(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		asked := map[int]map[string]string{}
		results := map[int]*record{}
		for _, parallel := range []int{1, 4} {
			var running, most int
			var mu sync.Mutex
			author := greeter()
			e, server := engineOf(t, protocol, llm.Config{Parallel: parallel}, func(a wiretest.Ask) wiretest.Answer {
				mu.Lock()
				running++
				most = max(most, running)
				mu.Unlock()
				defer func() { mu.Lock(); running--; mu.Unlock() }()
				answer := author.Answer(a)
				answer.Piece = 5
				return answer
			})
			r := newRecord(t)
			if err := e.Generate(t.Context(), request("a server that greets"), r.emit); err != nil {
				t.Fatal(err)
			}
			if most > parallel {
				t.Errorf("%d files at a time, want at most %d", most, parallel)
			}
			asked[parallel], results[parallel] = map[string]string{}, r
			for _, a := range server.Asks() {
				asked[parallel][a.File()] = a.Last()
			}
		}
		if diff := cmp.Diff(results[1].files, results[4].files); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(results[1].told, results[4].told); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(asked[1], asked[4]); diff != "" {
			t.Errorf("what is asked depends on the order: %s", diff)
		}
	})
}

// Promise: llm-context
func TestContinuingSendsWhatMatters(t *testing.T) {
	t.Parallel()
	author := greeter()
	e, _ := engineOf(t, wiretest.OpenAI, llm.Config{}, author.Answer)
	r := newRecord(t)
	if err := e.Generate(t.Context(), request("a server that greets"), r.emit); err != nil {
		t.Fatal(err)
	}
	change := wiretest.Author{
		Read: []string{"greet/greet.go", "../../etc/passwd"},
		Plan: map[string]any{
			"summary": "Louder.", "memory": "# Greeter\nLoud now.", "delete": []string{"README.md", "nowhere.txt"},
			"files":    []map[string]any{{"path": "greet/greet.go", "purpose": "greets loudly", "depends_on": []string{}}},
			"left_out": []string{"a sound: there is no loudspeaker"},
		},
		Edits: map[string][]wiretest.Edit{"greet/greet.go": {{Old: `name + " 🎉"`, New: `name + "!"`}}},
	}
	e, server := engineOf(t, wiretest.OpenAI, llm.Config{}, change.Answer)
	req := request("greet louder, with a sound")
	req.Project = r.project()
	if err := e.Generate(t.Context(), req, r.emit); err != nil {
		t.Fatal(err)
	}
	asks := server.Asks()
	if len(asks) != 3 {
		t.Fatalf("%d calls, want one to read, one to plan, one to change", len(asks))
	}
	look, plan, write := asks[0].Last(), asks[1].Last(), asks[2].Last()
	for _, want := range []string{"- main.go (", "- language: go", "Asked: a server that greets", "greet louder"} {
		if !strings.Contains(look, want) {
			t.Errorf("the planning begins without %q: %s", want, look)
		}
	}
	if strings.Contains(look, "func Hello") || !strings.Contains(plan, "func Hello") || strings.Contains(plan, "func main") || !strings.Contains(plan, `There is no file "../../etc/passwd"`) {
		t.Errorf("the plan has to see the files that were read, and no others: %s", plan)
	}
	if !strings.Contains(write, "Change the file greet/greet.go") || strings.Contains(write, "func main") || strings.Contains(write, "func Hello") {
		t.Errorf("the file, which was read already, is asked for with %s", write)
	}
	if diff := cmp.Diff([]string{"README.md"}, r.deleted); diff != "" {
		t.Error(diff)
	}
	want := strings.Replace(author.Files["greet/greet.go"], " 🎉", "!", 1)
	if r.files["greet/greet.go"] != want || r.files["main.go"] == "" {
		t.Errorf("the project is %v", r.files)
	}
	if r.state["left_out"] != "a sound: there is no loudspeaker" || !strings.Contains(r.memory, "Not done: a sound") {
		t.Errorf("what is not done is told as %q and remembered as %s", r.state["left_out"], r.memory)
	}
}

// Promise: llm-checks
func TestBrokenPromisesAreMendedAlone(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ path, wrong string }{
		"an import that leads nowhere": {"main.go", "package main\n\nimport _ \"example.com/greeter/nothing\"\n\nfunc main() {}\n"},
		"a port that is not there":     {".env", "HTTP_PORT=1\n"},
		"an empty file":                {"README.md", "\n"},
		"control characters":           {"README.md", "# \x1b[31mred\x00\n"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, protocol string) {
				author := greeter()
				right := author.Files[tc.path]
				author.Files[tc.path] = tc.wrong
				author.Repaired = map[string]string{tc.path: right}
				e, _ := engineOf(t, protocol, llm.Config{}, author.Answer)
				r := newRecord(t)
				if err := e.Generate(t.Context(), request("a server"), r.emit); err != nil {
					t.Fatal(err)
				}
				if r.files[tc.path] != right || r.told[tc.path] != right {
					t.Errorf("%s is %q", tc.path, r.files[tc.path])
				}
				repairs := slices.DeleteFunc(slices.Clone(r.story), func(s string) bool { return !strings.HasPrefix(s, "repair_file") })
				if diff := cmp.Diff([]string{"repair_file " + tc.path}, repairs); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// Promise: llm-checks
func TestFindingsOfTheRunAreMendedAlone(t *testing.T) {
	t.Parallel()
	author := greeter()
	author.Repaired = map[string]string{"main.go": "package main\n\nfunc main() {}\n"}
	e, server := engineOf(t, wiretest.Anthropic, llm.Config{}, author.Answer)
	r := newRecord(t)
	r.files = map[string]string{"main.go": "package main\nfunc {", "go.mod": author.Files["go.mod"]}
	req := request("a server")
	req.Project, req.Attempt, req.Findings = r.project(), 2, []string{"main.go: 2:6: expected 'IDENT'"}
	if err := e.Generate(t.Context(), req, r.emit); err != nil {
		t.Fatal(err)
	}
	if r.files["main.go"] != author.Repaired["main.go"] || len(server.Asks()) != 1 {
		t.Errorf("%d calls, main.go is %q", len(server.Asks()), r.files["main.go"])
	}
	if last := server.Asks()[0].Last(); !strings.Contains(last, req.Findings[0]) || !strings.Contains(last, "func {") {
		t.Errorf("the repair is asked for with %s", last)
	}
}

// Promise: llm-continues
func TestAnAnswerCutOffIsContinued(t *testing.T) {
	t.Parallel()
	author := greeter()
	for name, how := range map[string]struct {
		first  wiretest.Answer
		repeat bool // the unfinished line, as asked
	}{
		"by the token limit":                {wiretest.Answer{Stop: "length"}, true},
		"by the token limit, going on bare": {wiretest.Answer{Stop: "length"}, false},
		"by the network":                    {wiretest.Answer{Cut: true, After: 1 << 20}, true},
		"by an error in the stream":         {wiretest.Answer{StreamErr: "overloaded_error", After: 1 << 20}, true},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, protocol string) {
				whole := author.Files["greet/greet.go"]
				cut := strings.Index(whole, "世") + len("世")
				e, _ := engineOf(t, protocol, llm.Config{}, func(a wiretest.Ask) wiretest.Answer {
					if a.File() != "greet/greet.go" {
						return author.Answer(a)
					}
					if !strings.Contains(a.Last(), "cut off") {
						answer := how.first
						answer.Text = "<file_content>\n" + whole[:cut]
						return answer
					}
					rest := whole[cut:]
					if how.repeat {
						rest = whole[strings.LastIndex(whole[:cut], "\n")+1:]
					}
					return wiretest.Answer{Text: wiretest.Marked(rest), Piece: 3}
				})
				r := newRecord(t)
				if err := e.Generate(t.Context(), request("a server"), r.emit); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(author.Files, r.files); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestFormsInWhichModelsAnswer(t *testing.T) {
	t.Parallel()
	readme := greeter().Files["README.md"]
	for name, answer := range map[string]string{
		"as asked":            wiretest.Marked(readme),
		"with a preface":      "Sure! Here is the file:\n\n" + wiretest.Marked(readme) + "\nAnything else?",
		"in a fence":          "```markdown\n" + readme + "```\n",
		"bare":                readme,
		"without the end":     "<file_content>\n" + readme,
		"with Windows's ends": "<file_content>\r\n" + readme + "</file_content>\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, piece := range []int{1, 7, 1000} {
				author := greeter()
				e, _ := engineOf(t, wiretest.OpenAI, llm.Config{}, func(a wiretest.Ask) wiretest.Answer {
					if a.File() == "README.md" && !strings.Contains(a.Last(), "told apart") {
						return wiretest.Answer{Text: answer, Piece: piece}
					}
					return author.Answer(a)
				})
				r := newRecord(t)
				if err := e.Generate(t.Context(), request("a server"), r.emit); err != nil {
					t.Fatal(err)
				}
				if r.files["README.md"] != readme {
					t.Errorf("in pieces of %d: %q", piece, r.files["README.md"])
				}
			}
		})
	}
}

// failing answers with a failure so many times, then as the author does.
func failing(times int, failure wiretest.Answer, then func(wiretest.Ask) wiretest.Answer) func(wiretest.Ask) wiretest.Answer {
	var mu sync.Mutex
	return func(a wiretest.Ask) wiretest.Answer {
		mu.Lock()
		defer mu.Unlock()
		if times > 0 {
			times--
			return failure
		}
		return then(a)
	}
}

// Promise: llm-rate-limit
func TestPassingFailuresAreBorneWith(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]wiretest.Answer{
		"overloaded": {Status: 529, Type: "overloaded_error"},
		"down":       {Status: 500, Type: "api_error"},
		"cut":        {Text: "x", Cut: true},
		"garbled":    {Raw: "data: {\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, protocol string) {
				w := new(waits)
				e, _ := engineOf(t, protocol, llm.Config{Wait: w.wait}, failing(2, failure, greeter().Answer))
				r := newRecord(t)
				if err := e.Generate(t.Context(), request("a server"), r.emit); err != nil {
					t.Fatal(err)
				}
				if len(w.all) != 2 || w.all[1] <= w.all[0] {
					t.Errorf("waited %v", w.all)
				}
			})
		})
	}
}

// Promise: llm-rate-limit
func TestTheRateLimitIsWaitedForAsTold(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		w := new(waits)
		limit := wiretest.Answer{Status: 429, Type: "rate_limit_error", Header: map[string]string{"Retry-After": "42"}}
		e, _ := engineOf(t, protocol, llm.Config{Wait: w.wait}, failing(1, limit, greeter().Answer))
		if err := e.Generate(t.Context(), request("a server"), newRecord(t).emit); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]time.Duration{42 * time.Second}, w.all); diff != "" {
			t.Error(diff)
		}
		// Longer than the budget's time is not waited for.
		w = new(waits)
		e, _ = engineOf(t, protocol, llm.Config{Wait: w.wait, Budget: engine.Budget{Time: 40 * time.Second}}, failing(1, limit, greeter().Answer))
		wantError(t, e.Generate(t.Context(), request("a server"), newRecord(t).emit), engine.CodeUpstreamOutage, "rate limit", true)
		if len(w.all) != 0 {
			t.Errorf("waited %v", w.all)
		}
	})
}

// wantError checks an error that people see.
func wantError(t *testing.T, err error, code, text string, retryable bool) {
	t.Helper()
	e, ok := errors.AsType[*engine.Error](err)
	if !ok || e.Code != code || !strings.Contains(e.Message, text) || e.Retryable != retryable {
		t.Errorf("got %v (retryable: %v); want %s with %q", err, ok && e.Retryable, code, text)
	}
}

// Promise: llm-failures-named
func TestFailuresThatPeopleSee(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer    wiretest.Answer
		code      string
		text      string
		retryable bool
	}{
		"down":         {wiretest.Answer{Status: 500, Type: "api_error"}, engine.CodeUpstreamOutage, "cannot be reached", true},
		"overloaded":   {wiretest.Answer{Status: 529, Type: "overloaded_error"}, engine.CodeUpstreamOutage, "overloaded", true},
		"limited":      {wiretest.Answer{Status: 429, Type: "rate_limit_error"}, engine.CodeUpstreamOutage, "rate limit", true},
		"far too long": {wiretest.Answer{Status: 429, Type: "rate_limit_error", Header: map[string]string{"Retry-After": "86400"}}, engine.CodeUpstreamOutage, "rate limit", true},
		"wrong key":    {wiretest.Answer{Status: 401, Type: "authentication_error"}, engine.CodeUpstreamOutage, "key", false},
		"no model":     {wiretest.Answer{Status: 404, Type: "not_found_error"}, engine.CodeUpstreamOutage, "settings", false},
		"declined":     {wiretest.Answer{Text: "I will not.", Stop: "refusal"}, engine.CodeConstraintUnresolvable, "declined", false},
		"garbled":      {wiretest.Answer{Raw: "data: {\n\n"}, engine.CodeUpstreamOutage, "could not be read", true},
		"no plan":      {wiretest.Answer{Text: "What a lovely idea!"}, engine.CodeValidationFailed, "no usable plan", true},
		"cannot":       {wiretest.Answer{Text: `{"cannot":"There is no COBOL here."}`}, engine.CodeConstraintUnresolvable, "COBOL", false},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, protocol string) {
				e, _ := engineOf(t, protocol, llm.Config{}, func(wiretest.Ask) wiretest.Answer { return tc.answer })
				r := newRecord(t)
				wantError(t, e.Generate(t.Context(), request("a server"), r.emit), tc.code, tc.text, tc.retryable)
				if len(r.files) > 0 {
					t.Errorf("files were written: %v", r.files)
				}
			})
		})
	}
}

// Promise: llm-tools
func TestAServerWithoutToolsIsAskedInWords(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]wiretest.Answer{
		"400": {Status: 400, Type: "invalid_request_error", Message: "unknown field tools"},
		"404": {Status: 404, Type: "not_found_error", Message: "No endpoints found that support tool use."},
		"422": {Status: 422, Type: "invalid_request_error", Message: "Unprocessable Entity"},
		"500": {Status: 500, Type: "server_error", Message: "tools param requires --jinja flag"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, protocol string) {
				author := greeter()
				e, server := engineOf(t, protocol, llm.Config{}, func(a wiretest.Ask) wiretest.Answer {
					if a.Tools != nil {
						return refusal
					}
					answer := author.Answer(a)
					if a.File() == "" {
						answer.Text = "Here is the plan:\n```json\n"
						answer.Calls = append(answer.Calls, wiretest.Call{Name: "plan", Input: "```\n"})
					}
					return answer
				})
				r := newRecord(t)
				if err := e.Generate(t.Context(), request("a server"), r.emit); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(author.Files, r.files); diff != "" {
					t.Error(diff)
				}
				author = wiretest.Author{
					Read: []string{"main.go"}, Plan: map[string]any{"files": []map[string]any{{"path": "main.go", "purpose": "says more"}}},
					Edits: map[string][]wiretest.Edit{"main.go": {{Old: ")\n\nfunc main() { fmt.Println(greet.Hello(\"you\")) }\n", New: ")\n\nfunc main() {\n\tfmt.Println(greet.Hello(\"all\"))\n}\n"}}},
				}
				req := request("a comment")
				req.Project = r.project()
				if err := e.Generate(t.Context(), req, r.emit); err != nil {
					t.Fatal(err)
				}
				want := strings.Replace(greeter().Files["main.go"], "{ fmt.Println(greet.Hello(\"you\")) }", "{\n\tfmt.Println(greet.Hello(\"all\"))\n}", 1)
				if diff := cmp.Diff(want, r.files["main.go"]); diff != "" {
					t.Error(diff)
				}
				refused := slices.IndexFunc(server.Asks()[1:], func(a wiretest.Ask) bool { return a.Tools != nil })
				if refused >= 0 {
					t.Error("a server that refused once is asked with tools again")
				}
			})
		})
	}
}

func TestCancelStopsEveryStream(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		author := greeter()
		e, server := engineOf(t, protocol, llm.Config{}, func(a wiretest.Ask) wiretest.Answer {
			answer := author.Answer(a)
			if a.File() != "" {
				answer = wiretest.Answer{Text: "<file_content>\nword\n", Endless: true}
			}
			return answer
		})
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("cancelled")
		r := newRecord(t)
		r.refuse = func(o engine.Output) error {
			if _, ok := o.(engine.Token); ok {
				cancel(why)
			}
			return context.Cause(ctx)
		}
		if err := e.Generate(ctx, request("a server"), r.emit); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
		if n := len(server.Asks()); n > 1+4 {
			t.Errorf("%d calls were made", n)
		}
	})
}
