package llm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

// The calls of a run begin alike, and the files are not all asked for before the
// provider has read what they share: none but the first call of a run misses.
// Promise: llm-cache
func TestCallsShareTheirPrefix(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		author := greeter()
		e, server := engineOf(t, protocol, llm.Config{Parallel: 4}, author.Answer)
		r := newRecord(t)
		if err := e.Generate(t.Context(), request("a server that greets"), r.emit); err != nil {
			t.Fatal(err)
		}
		change := wiretest.Author{
			Read: []string{"main.go"}, Plan: map[string]any{"files": []map[string]any{{"path": "main.go", "purpose": "x"}, {"path": "go.mod", "purpose": "x"}}},
			Edits: map[string][]wiretest.Edit{"main.go": {{Old: "package main\n", New: "// Command greeter greets.\npackage main\n"}}, "go.mod": {{Old: "go 1.22\n", New: "go 1.24\n"}}},
		}
		e2, server2 := engineOf(t, protocol, llm.Config{Parallel: 4}, change.Answer)
		req := request("comments")
		req.Project = r.project()
		if err := e2.Generate(t.Context(), req, r.emit); err != nil {
			t.Fatal(err)
		}
		for _, asks := range [][]wiretest.Ask{server.Asks(), server2.Asks()} {
			for i, a := range asks {
				known := a.CacheRead * 4
				switch {
				case i == 0 && known != 0:
					t.Errorf("the first call cannot be known: %d", known)
				case i == 1 && known == 0:
					t.Error("the second call misses")
				case i > 1 && known < int64(a.Size)*7/10:
					t.Errorf("call %d (%s) has %d of %d bytes from the cache", i, a.File(), known, a.Size)
				}
			}
		}
	})
}

// What a small change takes depends on the change, not on the size of the project or
// on how many changes there were before.
// Promise: llm-change-cost
func TestASmallChangeCostsTheSameInALargeProject(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		tokens := func(files, generations int) (used []int64) {
			r := newRecord(t)
			for i := range files {
				path := fmt.Sprintf("src/part%d/file%d.go", i/10, i)
				r.files[path] = fmt.Sprintf("package part%d\n\n", i/10) + strings.Repeat(fmt.Sprintf("// F%d does what it does.\n", i), 100)
			}
			for n := range generations {
				path := fmt.Sprintf("src/part%d/file%d.go", n%2, n%2*10)
				model := wiretest.Author{
					Read: []string{path},
					Plan: map[string]any{
						"summary": "One comment more.", "memory": "# Parts\n\nFiles in parts.", "decisions": []map[string]any{{"key": "style", "value": fmt.Sprintf("comments %d", n), "reason": "asked"}},
						"files": []map[string]any{{"path": path, "purpose": "a comment"}},
					},
					Edits: map[string][]wiretest.Edit{path: {{Old: fmt.Sprintf("package part%d\n", n%2), New: fmt.Sprintf("// Package part%d is a part.\npackage part%d\n", n%2, n%2)}}},
				}
				e, _ := engineOf(t, protocol, llm.Config{}, model.Answer)
				req := request("add a comment")
				req.Project = r.project()
				before := r.usage
				if err := e.Generate(t.Context(), req, r.emit); err != nil {
					t.Fatal(err)
				}
				used = append(used, r.usage.Total()-before.Total())
				r.files[path] = strings.TrimPrefix(r.files[path], fmt.Sprintf("// Package part%d is a part.\n", n%2)) // so that the same can be asked again
			}
			return used
		}
		small, large, huge := tokens(20, 1), tokens(200, 10), tokens(1500, 1)
		t.Logf("20 files: %v, 200 files: %v, 1500 files: %v", small, large, huge)
		first, last := large[1], large[9] // the first has no memory to tell
		if last > first*105/100 {
			t.Errorf("the tenth change takes %d tokens, the second %d", last, first)
		}
		if large[0] > small[0]*13/10 || huge[0] > small[0]*15/10 {
			t.Errorf("a change takes %d tokens among 20 files, %d among 200, %d among 1500", small[0], large[0], huge[0])
		}
	})
}
