package llm_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

// ways are how a model is asked: by the tools of both protocols, and in words.
var ways = []struct {
	name, protocol string
	words          bool
}{
	{"anthropic", wiretest.Anthropic, false},
	{"openai", wiretest.OpenAI, false},
	{"anthropic, in words", wiretest.Anthropic, true},
	{"openai, in words", wiretest.OpenAI, true},
}

// generate lets a model answer a request.
type generate func(req engine.Request, r *record, model func(wiretest.Ask) wiretest.Answer) (*wiretest.Handler, error)

// eachWay runs a test for all of them.
func eachWay(t *testing.T, test func(t *testing.T, run generate)) {
	t.Helper()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			test(t, func(req engine.Request, r *record, model func(wiretest.Ask) wiretest.Answer) (*wiretest.Handler, error) {
				e, server := engineOf(t, way.protocol, llm.Config{}, func(a wiretest.Ask) wiretest.Answer {
					if way.words && a.Tools != nil {
						return wiretest.Answer{Status: 400, Type: "invalid_request_error", Message: "tools: unknown"}
					}
					return model(a)
				})
				return server, e.Generate(t.Context(), req, r.emit)
			})
		})
	}
}

// changeOf is a plan that changes one file.
func changeOf(path string) map[string]any {
	return map[string]any{"summary": "A change.", "files": []map[string]any{{"path": path, "purpose": "changes"}}}
}

// existing is a record and a request for a project with these files.
func existing(t *testing.T, files map[string]string) (*record, engine.Request) {
	t.Helper()
	r := newRecord(t)
	for path, content := range files {
		r.files[path] = content
	}
	req := request("a change")
	req.Project = r.project()
	return r, req
}

func read(path string, from, to int) wiretest.Call {
	return wiretest.Call{Name: "read", Input: map[string]any{"path": path, "from": from, "to": to}}
}

func search(text string) wiretest.Call {
	return wiretest.Call{Name: "search", Input: map[string]any{"text": text, "path": ""}}
}

// Promise: llm-edit-blocks
func TestLargeFilesChangeInOnePlaceAlone(t *testing.T) {
	t.Parallel()
	for i, size := range []int{50_000, 300_000, 1_000_000} {
		for j, part := range []string{"beginning", "middle", "end"} {
			t.Run(fmt.Sprintf("%d bytes, %s", size, part), func(t *testing.T) {
				random := rand.New(rand.NewPCG(uint64(i), uint64(j)))
				var text strings.Builder
				for n := 0; text.Len() < size; n++ {
					fmt.Fprintf(&text, "func f%d() int { return %d } // Grüße\n", n, random.IntN(1000))
				}
				lines := strings.SplitAfter(strings.TrimSuffix(text.String(), "\n"), "\n")
				at := random.IntN(len(lines)/10) + []int{0, len(lines) * 45 / 100, len(lines)*9/10 - 1}[j]
				old := lines[at]
				fresh := fmt.Sprintf("func f%d() int { return -1 }\n// and a line more\n", at)
				if !strings.HasSuffix(old, "\n") {
					fresh = strings.TrimSuffix(fresh, "\n")
				}
				eachWay(t, func(t *testing.T, run generate) {
					r, req := existing(t, map[string]string{"big.go": strings.Join(lines, ""), "other.go": "package other\n"})
					server, err := run(req, r, func(a wiretest.Ask) wiretest.Answer {
						switch {
						case a.File() == "":
							return wiretest.Answer{Calls: []wiretest.Call{{Name: "plan", Input: changeOf("big.go")}}}
						case strings.Contains(a.Last(), "Change the file"):
							return wiretest.Answer{Calls: []wiretest.Call{search(fmt.Sprintf(`^func f%d\(`, at)), read("big.go", at-1, at+3)}}
						case !strings.Contains(a.Last(), fmt.Sprintf("big.go:%d: %s", at+1, strings.TrimSuffix(old, "\n"))):
							return wiretest.Answer{Text: "I was told nothing: " + a.Last()}
						}
						return wiretest.Answer{Calls: []wiretest.Call{wiretest.Replace("big.go", old, fresh), wiretest.Done()}}
					})
					if err != nil {
						t.Fatal(err)
					}
					want := slices.Clone(lines)
					want[at] = fresh
					if got := r.files["big.go"]; got != strings.Join(want, "") {
						t.Errorf("big.go has %d bytes, want %d; or differs elsewhere", len(got), len(strings.Join(want, "")))
					}
					if r.files["other.go"] != "package other\n" {
						t.Error("another file changed")
					}
					for _, a := range server.Asks() {
						if a.Size > 40_000 {
							t.Errorf("a request has %d bytes", a.Size)
						}
					}
				})
			})
		}
	}
}

// A file of which the model has seen only a part cannot be written whole, however
// often it tries.
// Promise: llm-partial-view
func TestAFileThatWasNotShownWholeIsNotRewritten(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("line after line\n", 5000)
	for name, answer := range map[string]func(wiretest.Ask) wiretest.Answer{
		"in marks": func(a wiretest.Ask) wiretest.Answer { return wiretest.Answer{Text: a.Marked("line after line\n")} },
		"by the tool": func(wiretest.Ask) wiretest.Answer {
			return wiretest.Answer{Calls: []wiretest.Call{{Name: "write", Input: map[string]any{"path": "big.txt", "content": "line after line\n"}}, wiretest.Done()}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, protocol string) {
				r, req := existing(t, map[string]string{"big.txt": big})
				e, _ := engineOf(t, protocol, llm.Config{}, func(a wiretest.Ask) wiretest.Answer {
					if a.File() == "" {
						return wiretest.Answer{Calls: []wiretest.Call{read("big.txt", 1, 0), {Name: "plan", Input: changeOf("big.txt")}}}
					}
					return answer(a)
				})
				wantError(t, e.Generate(t.Context(), req, r.emit), engine.CodeValidationFailed, "big.txt", true)
				if r.files["big.txt"] != big || len(r.told) > 0 {
					t.Error("the file was rewritten")
				}
			})
		})
	}
}

// A small file that was shown whole may be written whole.
// Promise: llm-partial-view
func TestAFileThatWasShownWholeMayBeRewritten(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, run generate) {
		r, req := existing(t, map[string]string{"a.txt": "one\ntwo\n"})
		if _, err := run(req, r, wiretest.Author{Plan: changeOf("a.txt"), Files: map[string]string{"a.txt": "three\n"}}.Answer); err != nil {
			t.Fatal(err)
		}
		if r.files["a.txt"] != "three\n" {
			t.Errorf("a.txt is %q", r.files["a.txt"])
		}
	})
}

// A block that cannot be applied goes back with the reason and the nearest place.
// Promise: llm-bad-block
func TestBlocksThatDoNotApplyGoBack(t *testing.T) {
	t.Parallel()
	const before = "package a\n\nfunc one() int {\n\treturn 1\n}\n\nfunc two() int {\n\treturn 1\n}\n"
	good := wiretest.Replace("a.go", "func one() int {\n\treturn 1\n}\n", "func one() int {\n\treturn 3\n}\n")
	for name, tc := range map[string]struct {
		first []wiretest.Call
		told  string
	}{
		"not there":         {[]wiretest.Call{wiretest.Replace("a.go", "func one() int {\n  return 1\n}\n", "x\n")}, "the nearest place is line 3, which reads exactly:\nfunc one() int {\n\treturn 1\n}"},
		"there twice":       {[]wiretest.Call{wiretest.Replace("a.go", "\treturn 1\n", "\treturn 3\n")}, "2 times, in lines 4, 8"},
		"overlapping":       {[]wiretest.Call{wiretest.Replace("a.go", "package a\n\nfunc one() int {\n", "package a\n\nfunc one() int {\n\t// here\n"), wiretest.Replace("a.go", "\nfunc one() int {\n\treturn 1\n", "\nfunc one() int {\n\treturn 4\n")}, "overlaps with block 1"},
		"a missing file":    {[]wiretest.Call{wiretest.Replace("gone/a.go", "package a\n", "package b\n")}, `there is no file "gone/a.go". There is a.go.`},
		"another file":      {[]wiretest.Call{wiretest.Replace("b.go", "package b\n", "package c\n")}, "only a.go is changed here"},
		"a fence around it": {[]wiretest.Call{wiretest.Replace("a.go", "package a\n", "```go\npackage b\n```\n")}, "a fence"},
		"nothing changes":   {[]wiretest.Call{wiretest.Replace("a.go", "package a\n", "package a\n")}, "the same"},
	} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, run generate) {
				r, req := existing(t, map[string]string{"a.go": before, "b.go": "package b\n"})
				var told string
				_, err := run(req, r, func(a wiretest.Ask) wiretest.Answer {
					switch {
					case a.File() == "":
						return wiretest.Author{Plan: changeOf("a.go")}.Answer(a)
					case strings.Contains(a.Last(), "Change the file"):
						return wiretest.Answer{Calls: append(slices.Clone(tc.first), wiretest.Done())}
					}
					told = a.Last()
					if name == "overlapping" {
						return wiretest.Answer{Calls: []wiretest.Call{wiretest.Replace("a.go", "\t// here\n\treturn 1\n", "\treturn 3\n"), wiretest.Done()}}
					}
					return wiretest.Answer{Calls: []wiretest.Call{good, wiretest.Done()}}
				})
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(told, tc.told) {
					t.Errorf("told %q, want %q", told, tc.told)
				}
				if diff := cmp.Diff(strings.Replace(before, "return 1", "return 3", 1), r.files["a.go"]); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// Promise: llm-endless
func TestAModelThatOnlySearchesIsEnded(t *testing.T) {
	t.Parallel()
	for name, perAnswer := range map[string]int{"one at a time": 1, "ten thousand at once": 10_000} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, run generate) {
				r, req := existing(t, map[string]string{"a.go": strings.Repeat("package a // and more\n", 1000)})
				calls := make([]wiretest.Call, perAnswer)
				for i := range calls {
					calls[i] = search("package")
				}
				server, err := run(req, r, func(a wiretest.Ask) wiretest.Answer {
					if len(a.Turns) > 1 { // and goes on with fifty at a time
						return wiretest.Answer{Calls: calls[:min(50, len(calls))], Piece: 4096}
					}
					return wiretest.Answer{Calls: calls, Piece: 4096}
				})
				wantError(t, err, engine.CodeValidationFailed, "does not end its plan", true)
				if !strings.Contains(err.Error(), "tokens (about $") {
					t.Errorf("what it cost is not told: %v", err)
				}
				asks := server.Asks()
				if len(asks) > 18 || asks[len(asks)-1].Size > 600_000 {
					t.Errorf("%d calls, the last of %d bytes", len(asks), asks[len(asks)-1].Size)
				}
				if !strings.Contains(asks[len(asks)-1].Text(), "nothing left of what may be looked up") && perAnswer > 1 {
					t.Error("the budget of searches was not told")
				}
			})
		})
	}
}

// Promise: llm-endless
func TestAModelThatNeverStopsEditingIsEnded(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, run generate) {
		r, req := existing(t, map[string]string{"a.txt": "0\n"})
		n := 0
		server, err := run(req, r, func(a wiretest.Ask) wiretest.Answer {
			if a.File() == "" {
				return wiretest.Author{Plan: changeOf("a.txt")}.Answer(a)
			}
			n++
			return wiretest.Answer{Calls: []wiretest.Call{wiretest.Replace("a.txt", fmt.Sprintf("%d\n", n-1), fmt.Sprintf("%d\n", n))}}
		})
		wantError(t, err, engine.CodeValidationFailed, "does not end a.txt", true)
		if len(server.Asks()) > 20 || r.files["a.txt"] != "0\n" {
			t.Errorf("%d calls, a.txt is %q", len(server.Asks()), r.files["a.txt"])
		}
	})
}

// A repair that makes a finding go by taking code away is refused; told so, the model
// repairs it.
// Promise: llm-repair
func TestARepairTakesNothingAway(t *testing.T) {
	t.Parallel()
	const before = "package a\n\nfunc Add(a, b int) int {\n\treturn a + c\n}\n\nfunc TestAdd(t *testing.T) {\n\tAdd(1, 2)\n}\n"
	for name, first := range map[string][]wiretest.Call{
		"a function":      {wiretest.Replace("a.go", "func Add(a, b int) int {\n\treturn a + c\n}\n", "\n")},
		"a test":          {wiretest.Replace("a.go", "func TestAdd(t *testing.T) {\n\tAdd(1, 2)\n}\n", "\n")},
		"all of the file": {{Name: "write", Input: map[string]any{"path": "a.go", "content": "package a\n"}}},
	} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, run generate) {
				r, req := existing(t, map[string]string{"a.go": before})
				req.Attempt, req.Findings = 2, []string{"a.go:4:13: undefined: c"}
				var told string
				_, err := run(req, r, func(a wiretest.Ask) wiretest.Answer {
					if strings.Contains(a.Last(), "This was found wrong") {
						return wiretest.Answer{Calls: append(slices.Clone(first), wiretest.Done())}
					}
					told = a.Last()
					return wiretest.Answer{Calls: []wiretest.Call{wiretest.Replace("a.go", "\treturn a + c\n", "\treturn a + b\n"), wiretest.Done()}}
				})
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(told, "away") {
					t.Errorf("told %q", told)
				}
				if diff := cmp.Diff(strings.Replace(before, "a + c", "a + b", 1), r.files["a.go"]); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// A finding that no repair changes ends the run, with what it cost.
// Promise: llm-repair
func TestAFindingThatComesBackUnchangedTwiceEndsTheRepair(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, run generate) {
		author := greeter()
		author.Files["main.go"] = "package main\n\nimport _ \"example.com/greeter/nothing\"\n\nfunc main() {}\n"
		var mu sync.Mutex
		repairs := 0
		_, err := run(request("a server"), newRecord(t), func(a wiretest.Ask) wiretest.Answer {
			if a.Repairs() {
				mu.Lock()
				defer mu.Unlock()
				repairs++
			}
			return author.Answer(a)
		})
		wantError(t, err, engine.CodeValidationFailed, "after 2 repairs: main.go: ", true)
		if repairs != 2 || !strings.Contains(err.Error(), "tokens (about $") {
			t.Errorf("%d repairs, %v", repairs, err)
		}
	})
}

// What a model reads of a file that it is changing is what the file is by then.
// Promise: llm-sees-changes
func TestAModelSeesItsOwnChanges(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, run generate) {
		r, req := existing(t, map[string]string{"a.txt": "one\ntwo\n"})
		_, err := run(req, r, func(a wiretest.Ask) wiretest.Answer {
			switch {
			case a.File() == "":
				return wiretest.Author{Plan: changeOf("a.txt")}.Answer(a)
			case strings.Contains(a.Last(), "Change the file"):
				return wiretest.Answer{Calls: []wiretest.Call{wiretest.Replace("a.txt", "one\n", "three\n")}}
			case strings.Contains(a.Last(), "Applied."):
				return wiretest.Answer{Calls: []wiretest.Call{read("a.txt", 0, 0), search("three")}}
			case strings.Contains(a.Last(), "three\ntwo\n") && strings.Contains(a.Last(), "a.txt:1: three"):
				return wiretest.Answer{Calls: []wiretest.Call{wiretest.Replace("a.txt", "three\ntwo\n", "four\n"), wiretest.Done()}}
			}
			return wiretest.Answer{Text: "I see something else: " + a.Last()}
		})
		if err != nil || r.files["a.txt"] != "four\n" {
			t.Errorf("a.txt is %q: %v", r.files["a.txt"], err)
		}
	})
}

// Models that are tired write "the rest is unchanged": that would be the end of it.
// Promise: llm-elision
func TestWhatIsLeftOutOfAFileIsNotLost(t *testing.T) {
	t.Parallel()
	const before = "package a\n\nfunc one() {}\n\nfunc two() {}\n"
	for name, first := range map[string]func(a wiretest.Ask) wiretest.Answer{
		"whole": func(a wiretest.Ask) wiretest.Answer {
			return wiretest.Answer{Text: a.Marked("package b\n\n// ... rest of the code unchanged ...\n")}
		},
		"in a block": func(wiretest.Ask) wiretest.Answer {
			return wiretest.Answer{Calls: []wiretest.Call{wiretest.Replace("a.go", before, "package b\n\n// ... existing functions ...\n"), wiretest.Done()}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, run generate) {
				r, req := existing(t, map[string]string{"a.go": before})
				_, err := run(req, r, func(a wiretest.Ask) wiretest.Answer {
					switch {
					case a.File() == "":
						return wiretest.Author{Plan: changeOf("a.go")}.Answer(a)
					case strings.Contains(a.Last(), "Change the file"):
						return first(a)
					case !strings.Contains(a.Last(), "would be lost"):
						return wiretest.Answer{Text: "I was told " + a.Last()}
					}
					return wiretest.Answer{Calls: []wiretest.Call{wiretest.Replace("a.go", "package a\n", "package b\n"), wiretest.Done()}}
				})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(strings.Replace(before, "package a", "package b", 1), r.files["a.go"]); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// A plan that deletes a file in order to write it anew changes it, as any other.
// Promise: llm-partial-view
func TestAFileIsNotDeletedToBeRewritten(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		big := strings.Repeat("line after line\n", 5000)
		r, req := existing(t, map[string]string{"big.txt": big})
		plan := changeOf("big.txt")
		plan["delete"] = []string{"big.txt"}
		e, _ := engineOf(t, protocol, llm.Config{}, wiretest.Author{Plan: plan, Files: map[string]string{"big.txt": "short\n"}}.Answer)
		wantError(t, e.Generate(t.Context(), req, r.emit), engine.CodeValidationFailed, "big.txt", true)
		if r.files["big.txt"] != big || r.deleted != nil {
			t.Error("it went")
		}
	})
}

// Promise: llm-elision
func TestAFileThatIsNoTextIsNotPlanned(t *testing.T) {
	t.Parallel()
	r, req := existing(t, map[string]string{"logo.png": "\x89PNG\xff", "a.txt": "one\n"})
	good := wiretest.Author{Plan: changeOf("a.txt"), Edits: map[string][]wiretest.Edit{"a.txt": {{Old: "one\n", New: "two\n"}}}}
	e, _ := engineOf(t, wiretest.Anthropic, llm.Config{}, func(a wiretest.Ask) wiretest.Answer {
		if a.File() == "" && len(a.Turns) == 1 {
			return wiretest.Author{Plan: changeOf("logo.png")}.Answer(a)
		}
		if a.File() == "" && !strings.Contains(a.Last(), "logo.png is no text") {
			return wiretest.Answer{Text: "I was told " + a.Last()}
		}
		return good.Answer(a)
	})
	if err := e.Generate(t.Context(), req, r.emit); err != nil || r.files["a.txt"] != "two\n" {
		t.Errorf("a.txt is %q: %v", r.files["a.txt"], err)
	}
}
