package generation

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// ended runs an engine in a project that has one file, and returns how.
func ended(t *testing.T, h *house, e engine.Engine) (svc.Run, []svc.Event) {
	t.Helper()
	first := h.start("", "first")
	stop := h.work(says(engine.File{Path: "kept.txt", Content: []byte("kept")}), 1)
	h.watchAll(first.ID, 0)
	stop()
	run := h.start(first.ProjectID, "second")
	defer h.work(e, 1)()
	events := h.watchAll(run.ID, 0)
	done := h.run(run.ID)
	checkStory(t, events, done)
	return done, events
}

// Promise: event-error, push-no-repository
func TestEngineThatMisbehavesEndsItsRunAlone(t *testing.T) {
	inHouse(t, engineMisbehaves)
}

func engineMisbehaves(h *house) {
	t := h.t
	h.limit(func(l *Limits) { l.Project, l.RunTime = svc.Extent{Files: 10, Bytes: 1000}, time.Minute })
	text := []byte("x")
	for name, test := range map[string]struct {
		engine engine.Engine
		code   string
		says   string
	}{
		"unsafe path":         {says(engine.File{Path: "../x", Content: text}), "VALIDATION_FAILED", "../x"},
		"unsafe token":        {says(engine.Token{File: "/etc/passwd", Delta: "x"}), "VALIDATION_FAILED", "/etc/passwd"},
		"unsafe delete":       {says(engine.Delete{Path: ".git/config"}), "VALIDATION_FAILED", ".git"},
		"unsafe tool":         {says(engine.ToolStatus{Action: "generate_file", File: "a\x00b"}), "VALIDATION_FAILED", "cannot hold"},
		"unknown action":      {says(engine.ToolStatus{Action: "dance"}), "VALIDATION_FAILED", "dance"},
		"no text":             {says(engine.File{Path: "a", Content: []byte{0xff, 0xfe}}), "VALIDATION_FAILED", "UTF-8"},
		"half a character":    {says(engine.Token{File: "a", Delta: "\xc3"}, engine.File{Path: "a"}), "VALIDATION_FAILED", "UTF-8"},
		"half at the end":     {says(engine.Token{File: "a", Delta: "\xe2\x82"}), "VALIDATION_FAILED", "UTF-8"},
		"too large":           {says(engine.File{Path: "a", Content: make([]byte, 1001)}), "VALIDATION_FAILED", "more than 1000 bytes"},
		"too large in all":    {says(engine.File{Path: "a", Content: make([]byte, 600)}, engine.File{Path: "b", Content: make([]byte, 600)}), "VALIDATION_FAILED", "more than 1000 bytes"},
		"too many files":      {manyFiles(10), "VALIDATION_FAILED", "more than 10 files"},
		"too many beginnings": {says(tokens(11, "")...), "VALIDATION_FAILED", "more than 10 files"},
		"too many acts":       {says(slices.Repeat([]engine.Output{engine.ToolStatus{Action: engine.ActionPlan}}, maxSideOutputs+1)...), "VALIDATION_FAILED", "more than 100000 things"},
		"too many decisions":  {says(slices.Repeat([]engine.Output{engine.MemoryUpdate{Content: strings.Repeat("x", maxMemory)}}, maxSideBytes/maxMemory+1)...), "VALIDATION_FAILED", "bytes in all"},
		"long message": {engineFunc(func(context.Context, engine.Request, func(engine.Output) error) error {
			return &engine.Error{Code: engine.CodeInternal, Message: strings.Repeat("é", 8<<20)}
		}), "INTERNAL", "éé…"},
		"endless rewriting":  {rewriting(), "VALIDATION_FAILED", "in all"},
		"long memory":        {says(engine.MemoryUpdate{Content: strings.Repeat("x", maxMemory+1)}), "VALIDATION_FAILED", "memory"},
		"nameless decision":  {says(engine.StateUpdate{Value: "x"}), "VALIDATION_FAILED", "without a key"},
		"impossible usage":   {says(engine.Usage{InputTokens: -1}), "VALIDATION_FAILED", "usage"},
		"path collision":     {says(engine.File{Path: "KEPT.txt", Content: text}), "VALIDATION_FAILED", "KEPT.txt"},
		"file as a folder":   {says(engine.File{Path: "kept.txt/a", Content: text}), "VALIDATION_FAILED", "kept.txt"},
		"Git repository":     {says(engine.File{Path: "x/HEAD", Content: text}, engine.File{Path: "x/objects/x", Content: text}, engine.File{Path: "x/refs/x", Content: text}), "VALIDATION_FAILED", `folder "x" a Git repository without .git`},
		"linked repository":  {says(engine.File{Path: "HEAD", Content: text}, engine.File{Path: "CommonDir", Content: text}), "VALIDATION_FAILED", "the root a Git repository without .git"},
		"unknown strategy":   {says(engine.File{Path: "a", Content: text, Place: engine.Placement{MergeStrategy: "shake"}}), "VALIDATION_FAILED", "merge_strategy"},
		"port without place": {says(engine.File{Path: ".env", Content: []byte("PORT=1")}, engine.Port{Name: "web", Port: 3000, Uses: []engine.PortUse{{Path: ".env", Template: "PORT={port}"}}}), "VALIDATION_FAILED", "web"},
		"broken JSON":        {says(engine.File{Path: "a.json", Content: []byte("{\n\"a\":}")}), "VALIDATION_FAILED", "a.json: line 2"},
		"no files left":      {says(engine.Delete{Path: "kept.txt"}), "VALIDATION_FAILED", "no files"},
		"constraint":         {fails(engine.CodeConstraintUnresolvable), "CONSTRAINT_UNRESOLVABLE", "as it is"},
		"outage":             {fails(engine.CodeUpstreamOutage), "UPSTREAM_OUTAGE", "as it is"},
		"unknown code":       {fails("SOMETHING_ELSE"), "INTERNAL", "as it is"},
		"foreign error":      {engineFunc(func(context.Context, engine.Request, func(engine.Output) error) error { return io.ErrUnexpectedEOF }), "INTERNAL", "inside the service"},
		"panic":              {engineFunc(func(context.Context, engine.Request, func(engine.Output) error) error { panic("secret") }), "INTERNAL", "inside the service"},
		"too slow": {engineFunc(func(ctx context.Context, _ engine.Request, _ func(engine.Output) error) error {
			<-ctx.Done()
			return ctx.Err()
		}), "INTERNAL", "took longer"},
	} {
		run, events := ended(t, h, test.engine)
		told := payload[svc.ErrorEvent](t, events[len(events)-1])
		if run.Status != svc.RunFailed || told.Code != test.code || !strings.Contains(told.Message, test.says) {
			t.Errorf("%s: the run is %s and tells %+v, want %s: …%s…", name, run.Status, told, test.code, test.says)
		}
		if run.BundleID != "" {
			t.Errorf("%s: there is a bundle", name)
		}
		if len(told.Message) > maxMessage+len("…") {
			t.Errorf("%s: viewers are told %d bytes", name, len(told.Message))
		}
		if strings.Contains(told.Message, "secret") {
			t.Errorf("%s: viewers are told of the cause", name)
		}
		if diff := cmp.Diff(map[string]string{"kept.txt": "kept"}, h.projectFiles(run)); diff != "" {
			t.Errorf("%s: the project changed (-want +got):\n%s", name, diff)
		}
		project, err := h.Store.Projects().Get(t.Context(), h.account.ID, run.ProjectID)
		must.Do(t, err)
		if project.Revision != 1 {
			t.Errorf("%s: the project has revision %d", name, project.Revision)
		}
	}
}

func manyFiles(n int) engineFunc {
	return func(_ context.Context, _ engine.Request, emit func(engine.Output) error) error {
		for i := range n {
			if err := emit(engine.File{Path: fmt.Sprintf("f%d", i), Content: []byte("x")}); err != nil {
				return err
			}
		}
		return nil
	}
}

func tokens(files int, delta string) (all []engine.Output) {
	for i := range files {
		all = append(all, engine.Token{File: fmt.Sprintf("f%d", i), Delta: delta})
	}
	return all
}

func rewriting() engineFunc {
	return func(_ context.Context, _ engine.Request, emit func(engine.Output) error) error {
		for i := range 1000 {
			if err := emit(engine.File{Path: "a", Content: fmt.Appendf(nil, "%0900d", i)}); err != nil {
				return err
			}
		}
		return nil
	}
}

func fails(code string) engineFunc {
	return func(context.Context, engine.Request, func(engine.Output) error) error {
		return &engine.Error{Code: code, Message: "as it is"}
	}
}

// Promise: findings-return
func TestFindingsGoBackToTheEngine(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		var asked []engine.Request
		e := engineFunc(func(_ context.Context, req engine.Request, emit func(engine.Output) error) error {
			asked = append(asked, req)
			if req.Attempt == 1 {
				if err := emit(engine.File{Path: "good.txt", Content: []byte("good")}); err != nil {
					return err
				}
				return emit(engine.File{Path: "main.go", Content: []byte("package")})
			}
			r, err := req.Project.Open("main.go")
			must.Do(t, err)
			seen, err := io.ReadAll(r)
			must.Do(t, err)
			if string(seen) != "package" || len(req.Project.Files) != 3 {
				t.Errorf("the second attempt sees %q among %d files", seen, len(req.Project.Files))
			}
			if err := emit(engine.ToolStatus{Action: engine.ActionRepairFile, File: "main.go"}); err != nil {
				return err
			}
			return emit(engine.File{Path: "main.go", Content: []byte("package main\n")})
		})
		run, events := ended(t, h, e)
		if run.Status != svc.RunSucceeded || len(asked) != 2 {
			t.Fatalf("the run is %s after %d attempts: %+v", run.Status, len(asked), run.Error)
		}
		if asked[1].Attempt != 2 || len(asked[1].Findings) != 1 || !strings.Contains(asked[1].Findings[0], "main.go") {
			t.Errorf("the second attempt is asked with %d and %q", asked[1].Attempt, asked[1].Findings)
		}
		want := map[string]string{"kept.txt": "kept", "good.txt": "good", "main.go": "package main\n"}
		if diff := cmp.Diff(want, h.projectFiles(run)); diff != "" {
			t.Errorf("packaged (-want +got):\n%s", diff)
		}
		delete(want, "kept.txt")
		if diff := cmp.Diff(want, rebuild(t, events)); diff != "" {
			t.Errorf("rebuilt (-want +got):\n%s", diff)
		}
	})
}

// Promise: event-error
func TestValidationIsTriedAsOftenAsTheLimitSays(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		asked := 0
		run, _ := ended(t, h, engineFunc(func(_ context.Context, _ engine.Request, emit func(engine.Output) error) error {
			asked++ // and something else is wrong each time
			if err := emit(engine.Delete{Path: strings.Repeat("a", asked-1) + "b.json"}); err != nil {
				return err
			}
			return emit(engine.File{Path: strings.Repeat("a", asked) + "b.json", Content: []byte("{")})
		}))
		if asked != h.Limits.Attempts || run.Error.Code != "VALIDATION_FAILED" {
			t.Errorf("%d attempts were made, and the run ended with %+v", asked, run.Error)
		}
	})
}

// Promise: llm-repair
func TestAFindingThatComesBackUnchangedTwiceEndsTheRun(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		asked := 0
		run, _ := ended(t, h, engineFunc(func(_ context.Context, req engine.Request, emit func(engine.Output) error) error {
			asked++
			if err := emit(engine.Usage{Model: "m", InputTokens: 1000, OutputTokens: 10, CostUSD: 0.0012}); err != nil {
				return err
			}
			// The same mistake, on another line each time.
			return emit(engine.File{Path: "a.go", Content: []byte("package a\n" + strings.Repeat("\n", req.Attempt) + "func {\n")})
		}))
		if asked != 3 || run.Error.Code != "VALIDATION_FAILED" {
			t.Fatalf("%d attempts were made, and the run ended with %+v", asked, run.Error)
		}
		for _, want := range []string{"a.go", "unchanged twice", "3030 tokens (about $0.003600)"} {
			if !strings.Contains(run.Error.Message, want) {
				t.Errorf("the run ended with %q, without %q", run.Error.Message, want)
			}
		}
	})
}

// Promise: default-placement
func TestPortsAndPlacementsReachTheManifest(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		run, _ := ended(t, h, says(
			engine.File{Path: ".env", Content: []byte("PORT=3000\n")},
			engine.File{Path: "old.txt", Content: []byte("PORT=3000\n")},
			engine.File{Path: "run.sh", Content: []byte("#!/bin/sh\n"), Place: engine.Placement{Mode: "0755"}},
			engine.Port{Name: "web", Port: 3000, Uses: []engine.PortUse{{Path: ".env", Template: "PORT={port}"}, {Path: "old.txt", Template: "PORT={port}"}}},
			engine.Delete{Path: "old.txt"},
			engine.Delete{Path: "never-there.txt"},
		))
		if run.Status != svc.RunSucceeded {
			t.Fatalf("the run is %s: %+v", run.Status, run.Error)
		}
		p, err := h.Store.Projects().Get(t.Context(), run.AccountID, run.ProjectID)
		must.Do(t, err)
		source, err := h.packager.Open(t.Context(), p)
		must.Do(t, err)
		defer func() { must.Do(t, source.Close()) }()
		m := source.Manifest()
		var files []string
		for _, f := range m.Files {
			files = append(files, fmt.Sprintf("%s %s %s %s", f.Path, f.DestinationType, f.MergeStrategy, f.Mode))
		}
		want := []string{".env global_config env_merge 0644", "kept.txt project three_way 0644", "run.sh project three_way 0755"}
		if diff := cmp.Diff(want, files); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
		if len(m.Ports) != 1 || m.Ports[0].Port != 3000 || len(m.Ports[0].Uses) != 1 {
			t.Errorf("ports are %+v", m.Ports)
		}
	})
}

func TestWhatAFileLineLeavesOutStaysAsItWas(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		first := h.start("", "first")
		stop := h.work(says(
			engine.File{Path: "run.sh", Content: []byte("1"), Place: engine.Placement{MergeStrategy: "create_only", Mode: "0755"}},
			engine.File{Path: ".tool.json", Content: []byte("{\"a\":1}"), Place: engine.Placement{Base: "home", DestinationType: "global_config", MergeStrategy: "create_only"}},
			engine.File{Path: "gone.sh", Content: []byte("1"), Place: engine.Placement{Mode: "0755"}},
		), 1)
		h.watchAll(first.ID, 0)
		stop()
		if done := h.run(first.ID); done.Error != nil {
			t.Fatal(done.Error)
		}
		second := h.start(first.ProjectID, "second")
		defer h.work(says(
			engine.File{Path: "run.sh", Content: []byte("2"), Place: engine.Placement{MergeStrategy: "overwrite"}},
			engine.File{Path: ".tool.json", Content: []byte("{\"a\":2}")},
			engine.Delete{Path: "gone.sh"},
			engine.File{Path: "gone.sh", Content: []byte("2")},
		), 1)()
		h.watchAll(second.ID, 0)
		p, err := h.Store.Projects().Get(t.Context(), h.account.ID, first.ProjectID)
		must.Do(t, err)
		source, err := h.packager.Open(t.Context(), p)
		must.Do(t, err)
		defer func() { must.Do(t, source.Close()) }()
		var files []string
		for _, f := range source.Manifest().Files {
			files = append(files, fmt.Sprintf("%s %q %s %s %s", f.Path, f.Base, f.DestinationType, f.MergeStrategy, f.Mode))
		}
		slices.Sort(files)
		want := []string{`.tool.json "home" global_config create_only 0644`, `gone.sh "" project three_way 0644`, `run.sh "" project overwrite 0755`}
		if diff := cmp.Diff(want, files); diff != "" || p.Revision != 2 {
			t.Errorf("revision %d (-want +got):\n%s", p.Revision, diff)
		}
	})
}

func TestNameOfAModelIsCut(t *testing.T) {
	inHouse(t, func(h *house) {
		run, events := ended(h.t, h, says(
			engine.File{Path: "a", Content: []byte("x")},
			engine.Usage{Model: strings.Repeat("m", 1<<20), InputTokens: 1},
		))
		told := payload[svc.CostSummaryEvent](h.t, events[len(events)-2])
		if len(told.Model) > maxModel+len("…") || run.Cost.Model != told.Model {
			h.t.Errorf("the model has %d bytes, told as %d", len(run.Cost.Model), len(told.Model))
		}
	})
}
