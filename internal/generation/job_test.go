package generation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// Promise: event-updates, event-bundle-ready
func TestRunFromRequestToBundle(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		stop := h.work(says(
			engine.ToolStatus{Action: engine.ActionPlan},
			engine.StateUpdate{Key: "language", Value: "go", Reason: "asked for"},
			engine.ToolStatus{Action: engine.ActionGenerateFile, File: "main.go"},
			engine.Token{File: "main.go", Delta: "package "},
			engine.Token{File: "main.go", Delta: "main\n"},
			engine.File{Path: "main.go"},
			engine.File{Path: "README.md", Content: []byte("hello"), Place: engine.Placement{MergeStrategy: "create_only"}},
			engine.MemoryUpdate{Content: "a program"},
			engine.Usage{Model: "m", InputTokens: 3, OutputTokens: 4, CostUSD: 0.5},
			engine.Usage{InputTokens: 1, OutputTokens: 1, CostUSD: 0.25},
		), 2)
		defer stop()
		queued := h.start("", "make a program")
		events := h.watchAll(queued.ID, 0)
		run := h.run(queued.ID)
		checkStory(t, events, run)

		if run.Status != svc.RunSucceeded || run.Error != nil {
			t.Fatalf("the run ended as %s with %+v", run.Status, run.Error)
		}
		if diff := cmp.Diff(&svc.Cost{Model: "m", InputTokens: 4, OutputTokens: 5, EstimatedUSD: 0.75}, run.Cost); diff != "" {
			t.Errorf("cost (-want +got):\n%s", diff)
		}
		want := map[string]string{"main.go": "package main\n", "README.md": "hello"}
		if diff := cmp.Diff(want, rebuild(t, events)); diff != "" {
			t.Errorf("rebuilt from events (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, h.projectFiles(run)); diff != "" {
			t.Errorf("packaged (-want +got):\n%s", diff)
		}

		said := map[svc.EventName]svc.Event{}
		actions := ""
		for _, e := range events {
			said[e.Name] = e
			if e.Name == svc.EventToolStatus {
				s := payload[svc.ToolStatusEvent](t, e)
				actions += s.Action + " " + s.File + ","
			}
		}
		if diff := cmp.Diff(svc.StateUpdateEvent{Key: "language", Value: "go", Reason: "asked for"}, payload[svc.StateUpdateEvent](t, said[svc.EventStateUpdate])); diff != "" {
			t.Errorf("state_update (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(svc.MemoryUpdateEvent{Revision: 1, Content: "a program"}, payload[svc.MemoryUpdateEvent](t, said[svc.EventMemoryUpdate])); diff != "" {
			t.Errorf("memory_update (-want +got):\n%s", diff)
		}
		if want := "plan ,generate_file main.go,validate ,validate ,validate ,validate ,validate ,finalize ,"; actions != want {
			t.Errorf("the actions are %q, want %q", actions, want)
		}
		first := payload[svc.ToolStatusEvent](t, events[0])
		if diff := cmp.Diff(svc.ToolStatusEvent{Action: "plan", Status: "started", RunAttempt: 1}, first); diff != "" {
			t.Errorf("first event (-want +got):\n%s", diff)
		}
		cost := payload[svc.CostSummaryEvent](t, events[len(events)-2])
		if cost.Model != "m" || cost.EstimatedCostUSD != 0.75 {
			t.Errorf("cost_summary is %+v", cost)
		}
		ready := payload[svc.BundleReadyEvent](t, events[len(events)-1])
		bundle, err := h.Store.Bundles().Get(t.Context(), h.account.ID, run.BundleID)
		must.Do(t, err)
		if ready.BundleID != bundle.ID || ready.FileCount != 2 || ready.TotalSizeBytes != bundle.Size || bundle.GenerationID != run.ID {
			t.Errorf("bundle_ready is %+v for %+v", ready, bundle)
		}
		project, err := h.Store.Projects().Get(t.Context(), h.account.ID, run.ProjectID)
		must.Do(t, err)
		if project.Memory != "a program" || project.MemoryRevision != 1 || project.State["language"] != "go" || project.Revision != 1 {
			t.Errorf("the project is %+v", project)
		}
	})
}
