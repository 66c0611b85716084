package llm_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

const sum = "package a\n\nfunc Sum(a, b int) int {\n\treturn a + c\n}\n"

var (
	mended    = strings.Replace(sum, "a + c", "a + b", 1)
	goodBlock = wiretest.Replace("a.go", "\treturn a + c\n", "\treturn a + b\n")
)

func called(tool string, input map[string]any) wiretest.Call {
	return wiretest.Call{Name: tool, Input: input}
}

// carefully lets a model answer first, as a planned change of a.go and as its repair,
// and then do it well. The file has to be mended, and told is what it was told between.
func carefully(t *testing.T, first func(wiretest.Ask) wiretest.Answer, check func(t *testing.T, told string)) {
	t.Helper()
	for name, findings := range map[string][]string{"change": nil, "repair": {"a.go:4:13: undefined: c"}} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, run generate) {
				r, req := existing(t, map[string]string{"a.go": sum, "b.go": "package a\n"})
				if req.Attempt = 1 + len(findings); findings != nil {
					req.Findings = findings
				}
				told := ""
				_, err := run(req, r, func(a wiretest.Ask) wiretest.Answer {
					switch {
					case a.File() == "" && !a.Repairs():
						return wiretest.Author{Plan: changeOf("a.go")}.Answer(a)
					case strings.Contains(a.Last(), "Change the file") || strings.Contains(a.Last(), "This was found wrong"):
						return first(a)
					}
					told = a.Last()
					return wiretest.Answer{Calls: []wiretest.Call{goodBlock, wiretest.Done()}}
				})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(map[string]string{"a.go": mended, "b.go": "package a\n"}, r.files); diff != "" {
					t.Error(diff)
				}
				check(t, told)
			})
		})
	}
}

// A call that lacks a text, or has something else in its place, changes nothing: what
// was not given is not taken for empty.
// Promise: llm-malformed-call
func TestAChangeWithoutItsTextsDestroysNothing(t *testing.T) {
	t.Parallel()
	const old = "\treturn a + c\n"
	for name, call := range map[string]wiretest.Call{
		"new is a list":        called("replace", map[string]any{"path": "a.go", "old": old, "new": []string{"\treturn a + b"}}),
		"new is null":          called("replace", map[string]any{"path": "a.go", "old": old, "new": nil}),
		"new is an object":     called("replace", map[string]any{"path": "a.go", "old": old, "new": map[string]any{"text": "x"}}),
		"new has another name": called("replace", map[string]any{"path": "a.go", "old": old, "new_text": "\treturn a + b\n"}),
		"old is a number":      called("replace", map[string]any{"path": "a.go", "old": 4, "new": "x"}),
		"path is a list":       called("replace", map[string]any{"path": []string{"b.go"}, "old": old, "new": "x"}),
		"content is a list":    called("write", map[string]any{"path": "a.go", "content": []string{"package a"}}),
		"content is null":      called("write", map[string]any{"path": "a.go", "content": nil}),
		"content is not there": called("write", map[string]any{"path": "a.go", "text": "package a\n"}),
		"content is empty":     called("write", map[string]any{"path": "a.go", "content": ""}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			carefully(t, func(wiretest.Ask) wiretest.Answer {
				return wiretest.Answer{Calls: []wiretest.Call{call, wiretest.Done()}}
			}, func(t *testing.T, told string) {
				if !strings.Contains(told, "has to be a text") && !strings.Contains(told, "Not understood") && !strings.Contains(told, "would empty") {
					t.Errorf("told %q", told)
				}
			})
		})
	}
}

// Done ends nothing as long as something of the same answer was not done.
// Promise: llm-done
func TestWhatWasNotUnderstoodIsNotDone(t *testing.T) {
	t.Parallel()
	many := make([]wiretest.Call, 40)
	for i := range many {
		many[i] = search("nothing like it")
	}
	many[0] = wiretest.Done()
	for name, first := range map[string]wiretest.Answer{
		"an unknown tool":     {Calls: []wiretest.Call{called("edit_file", map[string]any{"path": "a.go", "old": "x", "new": []string{"y"}}), wiretest.Done()}},
		"no object":           {Calls: []wiretest.Call{called("replace", nil), {Name: "replace", Input: `["a.go", {"new": "y"}]`}, wiretest.Done()}},
		"more than is looked": {Calls: append(slices.Clone(many), goodBlock)},
		"cut off":             {Calls: []wiretest.Call{wiretest.Done(), search("x")}, Stop: "length"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			carefully(t, func(wiretest.Ask) wiretest.Answer { return first }, func(t *testing.T, told string) {
				if told == "" {
					t.Error("it was told nothing")
				}
			})
		})
	}
}

// A model that speaks of a change, or shows it, has not made it: it is asked once
// more, and what stays as it is counts as no change.
// Promise: llm-only-talk
func TestAChangeThatIsOnlyTalkedAboutIsAskedForAgain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		says string
		done bool
	}{
		"prose":          {"I changed the sum, as you asked.", false},
		"a whole file":   {"Here it is:\n```go\n" + mended + "```\n", false},
		"a diff":         {"```diff\n-\treturn a + c\n+\treturn a + b\n```\n", false},
		"a diff, done":   {"```diff\n-\treturn a + c\n+\treturn a + b\n```\n", true},
		"an empty fence": {"```\n```\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, run generate) {
				for _, always := range []bool{false, true} {
					r, req := existing(t, map[string]string{"a.go": sum})
					asked := 0
					_, err := run(req, r, func(a wiretest.Ask) wiretest.Answer {
						if a.File() == "" {
							return wiretest.Author{Plan: changeOf("a.go")}.Answer(a)
						}
						if asked++; asked == 1 || always {
							out := wiretest.Answer{Text: tc.says}
							if tc.done {
								out.Calls = []wiretest.Call{wiretest.Done()}
							}
							return out
						}
						if !strings.Contains(a.Last(), "Nothing was changed") {
							return wiretest.Answer{Text: "I was told " + a.Last()}
						}
						return wiretest.Answer{Calls: []wiretest.Call{goodBlock, wiretest.Done()}}
					})
					want := mended
					if always {
						want = sum
					}
					if err != nil || r.files["a.go"] != want || asked != 2 {
						t.Errorf("always %v: asked %d times, a.go is %q: %v", always, asked, r.files["a.go"], err)
					}
					if strings.Contains(r.memory, "`a.go`") == always {
						t.Errorf("always %v: the memory is %q", always, r.memory)
					}
				}
			})
		})
	}
}

// Who says at once that nothing is to be done is believed, and it is no change.
// Promise: llm-only-talk
func TestNothingToDoIsBelieved(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, run generate) {
		r, req := existing(t, map[string]string{"a.go": mended})
		r.refuse = func(o engine.Output) error {
			if f, ok := o.(engine.File); ok {
				t.Errorf("%s was written", f.Path)
			}
			return nil
		}
		server, err := run(req, r, func(a wiretest.Ask) wiretest.Answer {
			if a.File() == "" {
				return wiretest.Author{Plan: changeOf("a.go")}.Answer(a)
			}
			return wiretest.Answer{Calls: []wiretest.Call{wiretest.Done()}}
		})
		if err != nil || len(server.Asks()) > 3 || strings.Contains(r.memory, "`a.go`") {
			t.Errorf("%d calls, the memory is %q: %v", len(server.Asks()), r.memory, err)
		}
	})
}

// A file that is given under another's name is not taken for the one that was asked.
// Promise: llm-file-name
func TestAFileOfAnotherNameIsNotTaken(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, run generate) {
		r, req := existing(t, map[string]string{"a.go": sum})
		_, err := run(req, r, func(a wiretest.Ask) wiretest.Answer {
			switch {
			case a.File() == "":
				return wiretest.Author{Plan: changeOf("a.go")}.Answer(a)
			case strings.Contains(a.Last(), "only a.go is written here"):
				return wiretest.Answer{Text: a.Marked(mended)}
			}
			return wiretest.Answer{Text: "<file_content path=\"b.go\">\npackage b\n</file_content>"}
		})
		if err != nil || r.files["a.go"] != mended {
			t.Errorf("a.go is %q: %v", r.files["a.go"], err)
		}
	})
}

// New text in a block may read as it likes.
// Promise: llm-ordinary-words
func TestABlockOfOrdinaryWordsIsApplied(t *testing.T) {
	t.Parallel()
	for _, fresh := range []string{"This is the new.\n", "Here is a list:\n\n- one\n", "one\nNote that it is small.\n"} {
		for _, path := range []string{"a.txt", "a.html"} {
			eachWay(t, func(t *testing.T, run generate) {
				r, req := existing(t, map[string]string{path: "one\ntwo\n"})
				server, err := run(req, r, wiretest.Author{Plan: changeOf(path), Edits: map[string][]wiretest.Edit{path: {{Old: "one\n", New: fresh}}}}.Answer)
				if err != nil || r.files[path] != fresh+"two\n" || len(server.Asks()) > 3 {
					t.Errorf("%s is %q: %v", path, r.files[path], err)
				}
			})
		}
	}
}

// What a repair takes away is measured by what the file was when it began.
// Promise: llm-repair
func TestARepairTakesNothingAwayInSteps(t *testing.T) {
	t.Parallel()
	const before = "export const add = (a, b) => a + c\n\nclass Sum {\n  total(x) {\n    return x\n  }\n}\n"
	for name, first := range map[string][]wiretest.Call{
		"an arrow": {wiretest.Replace("a.js", "export const add = (a, b) => a + c\n", "\n")},
		"a method": {wiretest.Replace("a.js", "  total(x) {\n    return x\n  }\n", "\n")},
		"a class":  {wiretest.Replace("a.js", "class Sum {\n", "class Total {\n")},
	} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, run generate) {
				r, req := existing(t, map[string]string{"a.js": before})
				req.Attempt, req.Findings = 2, []string{"a.js:1:32: c is not defined; subtotal, added, Summary"}
				told := ""
				_, err := run(req, r, func(a wiretest.Ask) wiretest.Answer {
					if strings.Contains(a.Last(), "This was found wrong") {
						return wiretest.Answer{Calls: append(slices.Clone(first), wiretest.Done())}
					}
					told = a.Last()
					return wiretest.Answer{Calls: []wiretest.Call{wiretest.Replace("a.js", "a + c\n", "a + b\n"), wiretest.Done()}}
				})
				if err != nil || !strings.Contains(told, "away") || r.files["a.js"] != strings.Replace(before, "a + c", "a + b", 1) {
					t.Errorf("told %q, a.js is %q: %v", told, r.files["a.js"], err)
				}
			})
		})
	}
	t.Run("half of it, and half again", func(t *testing.T) {
		eachWay(t, func(t *testing.T, run generate) {
			lines := strings.Repeat("a\n", 24)
			text := "1\n" + lines + "2\n" + lines + "3\n" + lines + "4\n"
			r, req := existing(t, map[string]string{"a.txt": text})
			req.Attempt, req.Findings = 2, []string{"a.txt: 4 is wrong"}
			step := 0
			_, err := run(req, r, func(wiretest.Ask) wiretest.Answer {
				switch step++; step {
				case 1:
					return wiretest.Answer{Calls: []wiretest.Call{wiretest.Replace("a.txt", "1\n"+lines+"2\n", "2\n")}}
				case 2:
					return wiretest.Answer{Calls: []wiretest.Call{wiretest.Replace("a.txt", "2\n"+lines+"3\n", "3\n")}}
				}
				return wiretest.Answer{Calls: []wiretest.Call{wiretest.Done()}}
			})
			if want := "2\n" + lines + "3\n" + lines + "4\n"; err != nil || r.files["a.txt"] != want {
				t.Errorf("a.txt has %d bytes: %v", len(r.files["a.txt"]), err)
			}
		})
	})
}

// A search looks into folders that begin with a dot, shows what is around a match,
// and says where it did not look.
// Promise: llm-search
func TestASearchShowsWhatItFound(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, run generate) {
		r, req := existing(t, map[string]string{
			".github/ci.yml": "on: push # needle\n", "min.js": strings.Repeat("x", 300_000) + "(needle)" + strings.Repeat("y", 300_000),
			"big.sql": strings.Repeat("-- a line of data\n", 130_000), "a.go": sum,
		})
		told := ""
		_, err := run(req, r, func(a wiretest.Ask) wiretest.Answer {
			if a.File() == "" && len(a.Turns) == 1 {
				return wiretest.Answer{Calls: []wiretest.Call{called("search", map[string]any{"text": "needle", "path": ".github/"}), search(`\(needle`)}}
			}
			if a.File() == "" {
				told = a.Last()
			}
			return wiretest.Author{Plan: changeOf("a.go"), Edits: map[string][]wiretest.Edit{"a.go": {{Old: "a + c", New: "a + b"}}}}.Answer(a)
		})
		for _, want := range []string{".github/ci.yml:1: on: push # needle", "min.js:1: …xxx", "x(needle)y", "big.sql was not searched"} {
			if err != nil || !strings.Contains(told, want) {
				t.Errorf("told %.600q, want %q: %v", told, want, err)
			}
		}
	})
}
