package llm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

// Whatever models say around a file, none of it is delivered. Those that say it every
// time end the run.
// Promise: llm-wrapping
func TestWhatModelsSayAroundAFileIsNotDelivered(t *testing.T) {
	t.Parallel()
	file := greeter().Files["main.go"]
	long := strings.Repeat("Let me think about this. ", 200)
	for name, tc := range map[string]struct {
		answer string
		asks   int // for the file
	}{
		"a fence inside the marks":          {wiretest.Marked("```go\n" + file + "```\n"), 1},
		"a preface and a remark":            {"Here is the file:\n" + wiretest.Marked(file) + "\nThis file serves. Let me know!", 1},
		"a fence instead of marks":          {"Here is the file:\n```go\n" + file + "```\nEnjoy!", 1},
		"a remark inside the marks":         {wiretest.Marked("Here is the file:\n\n" + file), 2},
		"a remark inside, at the end":       {wiretest.Marked(file + "\nI hope this helps!\n"), 2},
		"a fence and remarks inside":        {wiretest.Marked("Sure:\n```go\n" + file + "```\nDone.\n"), 2},
		"thinking":                          {"<think>" + long[:100] + "</think>\n" + wiretest.Marked(file), 1},
		"thinking of more than 2 KiB":       {"<think>\n" + long + "\n</think>\n" + wiretest.Marked(file), 1},
		"thinking with a draft":             {"<think>\n" + wiretest.Marked("draft\n") + "\n</think>\n" + wiretest.Marked(file), 1},
		"thinking that is not closed":       {"<think>\n" + long + "\n" + wiretest.Marked(file), 1},
		"thinking not closed, then remarks": {"<think>\n" + wiretest.Marked("draft\n") + "\n" + long, 2},
		"thinking inside the marks":         {wiretest.Marked("<think>\n" + long + "\n</think>\n" + file), 1},
		"thinking inside, not closed":       {wiretest.Marked("<think>\n" + file), 2},
		"only thinking":                     {"<think>\n" + long, 2},
		"a closing mark in the content":     {wiretest.Marked("package main\n</file_content>\nfunc main() {}\n"), 2},
		"no marks":                          {file, 2},
		"no end":                            {"<file_content>\n" + file, 2},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, protocol string) {
				for _, always := range []bool{false, true} {
					author := greeter()
					e, server := engineOf(t, protocol, llm.Config{}, func(a wiretest.Ask) wiretest.Answer {
						if a.File() == "main.go" && (always || !strings.Contains(a.Last(), "told apart")) {
							return wiretest.Answer{Text: tc.answer}
						}
						return author.Answer(a)
					})
					r := newRecord(t)
					err := e.Generate(t.Context(), request("a server"), r.emit)
					if always && tc.asks > 1 && r.files["main.go"] != file { // another answer may have made it clear
						wantError(t, err, engine.CodeValidationFailed, "main.go could not be told apart", true)
						if _, delivered := r.files["main.go"]; delivered {
							t.Error("it was delivered")
						}
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(author.Files, r.files); diff != "" {
						t.Error(diff)
					}
					asked := 0
					for _, a := range server.Asks() {
						if a.File() == "main.go" {
							asked++
						}
					}
					if asked != tc.asks {
						t.Errorf("asked for main.go %d times, want %d", asked, tc.asks)
					}
				}
			})
		})
	}
}

// The same holds for what is given to a tool.
// Promise: llm-wrapping
func TestWhatModelsSayAroundAFileIsNotWrittenByATool(t *testing.T) {
	t.Parallel()
	file := greeter().Files["main.go"]
	for name, content := range map[string]string{
		"a fence": "```go\n" + file + "```\n", "thinking": "<think>hm</think>\n" + file, "a remark": "Here is the file:\n" + file,
		"thinking that is not closed": "<think>\n" + file, "a fence and a remark": "```go\n" + file + "```\nEnjoy!\n",
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, protocol string) {
				author := greeter()
				e, _ := engineOf(t, protocol, llm.Config{}, func(a wiretest.Ask) wiretest.Answer {
					if a.File() == "main.go" && strings.Contains(a.Last(), "Write the file") {
						return wiretest.Answer{Calls: []wiretest.Call{{Name: "write", Input: map[string]any{"path": "main.go", "content": content}}, wiretest.Done()}}
					}
					return author.Answer(a)
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

// A model that thinks without end is charged for it while it does.
// Promise: llm-charged-live
func TestThinkingIsChargedWhileItStreams(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		e, _ := engineOf(t, protocol, llm.Config{Budget: engine.Budget{Tokens: 20_000}}, func(wiretest.Ask) wiretest.Answer {
			return wiretest.Answer{Thinking: strings.Repeat("hm ", 40), Endless: true}
		})
		r := newRecord(t)
		wantError(t, e.Generate(t.Context(), request("x"), r.emit), engine.CodeConstraintUnresolvable, "budget of tokens", false)
		if r.usage.Output < 10_000 {
			t.Errorf("it was booked at %+v", r.usage)
		}
	})
}

// An answer that reached its limit before a word came is no turn of the conversation:
// the server for tests refuses empty ones, as providers do.
// Promise: llm-charged-live
func TestALimitBeforeAnyTextLeavesNoEmptyTurn(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, run generate) {
		author := greeter()
		r := newRecord(t)
		_, err := run(request("x"), r, func(a wiretest.Ask) wiretest.Answer {
			if !strings.Contains(a.Last(), "token limit") && (a.File() == "" || a.File() == "main.go") {
				return wiretest.Answer{Thinking: "too long", Stop: "length"}
			}
			return author.Answer(a)
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(author.Files, r.files); diff != "" {
			t.Error(diff)
		}
	})
}

// A plan that the token limit cuts off is continued, also when it is a call.
// Promise: llm-charged-live
func TestAPlanThatIsCutOffIsContinued(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, run generate) {
		author := greeter()
		r := newRecord(t)
		const cut = 300
		_, err := run(request("x"), r, func(a wiretest.Ask) wiretest.Answer {
			answer := author.Answer(a)
			if a.File() != "" {
				return answer
			}
			object := planText(t, answer)
			switch {
			case strings.Contains(a.Last(), "cut off"):
				return wiretest.Answer{Text: object[cut:]}
			case a.Tools == nil:
				return wiretest.Answer{Text: object[:cut], Stop: "length"}
			}
			return wiretest.Answer{Calls: []wiretest.Call{{Name: "plan", Input: object}}, CutCall: cut, Stop: "length"}
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(author.Files, r.files); diff != "" {
			t.Error(diff)
		}
	})
}

// A plan may have as many files as a run may write.
// Promise: llm-plan-size
func TestAPlanMayHaveAsManyFilesAsARun(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		for n, want := range map[int]string{2000: "provider", 2001: "at most 2000"} {
			files := make([]map[string]any, n)
			for i := range files {
				files[i] = map[string]any{"path": fmt.Sprintf("src/part%d/file%d.txt", i%50, i), "purpose": "a part", "interface": "", "depends_on": on(i, n)}
			}
			author := wiretest.Author{Plan: map[string]any{"files": files}}
			e, _ := engineOf(t, protocol, llm.Config{}, func(a wiretest.Ask) wiretest.Answer {
				if a.File() != "" { // the plan was accepted
					return wiretest.Answer{Status: 401, Type: "authentication_error"}
				}
				return author.Answer(a)
			})
			if err := e.Generate(t.Context(), request("x"), newRecord(t).emit); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%d files: %v", n, err)
			}
		}
	})
}

// on names files around another, in circles.
func on(i, n int) []string {
	var paths []string
	for k := range 20 {
		j := (i + k*k + 1) % n
		paths = append(paths, fmt.Sprintf("src/part%d/file%d.txt", j%50, j))
	}
	return paths
}

func planText(t *testing.T, answer wiretest.Answer) string {
	t.Helper()
	i := slices.IndexFunc(answer.Calls, func(c wiretest.Call) bool { return c.Name == "plan" })
	if i < 0 {
		t.Fatal("no plan")
	}
	return wiretest.JSON(answer.Calls[i].Input)
}
