package svc_test

import (
	"slices"
	"testing"

	"github.com/bundle-delivery/svc"
)

// hear adds payloads to a transcript, numbered from 1.
func hear(t *testing.T, payloads ...svc.Payload) *svc.Transcript {
	t.Helper()
	told := &svc.Transcript{}
	for i, p := range payloads {
		e, err := svc.NewEvent(p)
		if err != nil {
			t.Fatal(err)
		}
		e.Seq = int64(i + 1)
		if got := told.Add(e); got != p {
			t.Errorf("event %d is %#v, want %#v", i+1, got, p)
		}
	}
	return told
}

func TestATranscriptHoldsWhatIsTrueNow(t *testing.T) {
	told := hear(t,
		svc.TokenEvent{File: "b", Attempt: 1, Delta: "x"},
		svc.TokenEvent{File: "a", Attempt: 2, Delta: "x"},
		svc.TokenEvent{File: "b", Attempt: 3, Delta: "x"},
		svc.StateUpdateEvent{Key: "language", Value: "go"},
		svc.StateUpdateEvent{Key: "language", Value: "rust"},
		svc.StateUpdateEvent{Key: "left_out", Value: "colours; sorting"},
		svc.ToolStatusEvent{Action: "validate", Check: "syntax", Status: svc.ToolStarted},
		svc.ToolStatusEvent{Action: "validate", Check: "syntax", Status: "passed"},
		svc.ToolStatusEvent{Action: "validate", Status: "unchecked", Detail: "1 passed"},
		svc.MemoryUpdateEvent{Revision: 1, Content: "noted"},
		svc.CostSummaryEvent{Model: "m", InputTokens: 3},
		svc.BundleReadyEvent{BundleID: "id"},
	)
	if attempt, begun := told.Attempt("b"); !slices.Equal(told.Files, []string{"b", "a"}) || told.Latest != "b" || attempt != 3 || !begun {
		t.Errorf("files %q, the latest %s in attempt %d", told.Files, told.Latest, attempt)
	}
	if len(told.Decisions) != 1 || told.Decisions[0].Value != "rust" || told.LeftOut != "colours; sorting" {
		t.Errorf("decided %+v, left out %q", told.Decisions, told.LeftOut)
	}
	if len(told.Checks) != 1 || told.Checks[0].Status != "passed" || told.Verdict.Status != "unchecked" || told.Action.Status != "unchecked" {
		t.Errorf("checks %+v came to %+v at %+v", told.Checks, told.Verdict, told.Action)
	}
	if told.Memory != "noted" || told.Cost == nil || told.Cost.InputTokens != 3 || told.Last != 12 {
		t.Errorf("%+v", told)
	}
}

func TestAnotherAttemptOfARunVoidsItsTranscript(t *testing.T) {
	told := hear(t,
		svc.TokenEvent{File: "a", Attempt: 1, Delta: "x"},
		svc.StateUpdateEvent{Key: "left_out", Value: "all"},
		svc.ToolStatusEvent{Action: "plan", Status: svc.ToolStarted, RunAttempt: 2},
	)
	if _, begun := told.Attempt("a"); begun || len(told.Files) > 0 || told.LeftOut != "" || told.Last != 3 || told.Action.RunAttempt != 2 {
		t.Errorf("%+v", told)
	}
}

func TestEventsThatAreNotKnownArePassedOver(t *testing.T) {
	var told svc.Transcript
	for i, e := range []svc.Event{{Name: svc.EventToken, Data: []byte("not JSON")}, {Name: "new", Data: []byte("{}")}, {Name: svc.EventToken, Data: []byte("{}")}} {
		e.Seq = int64(i + 1)
		if p := told.Add(e); (p == nil) != (i < 2) {
			t.Errorf("event %d is %#v", e.Seq, p)
		}
	}
	if len(told.Files) > 0 || told.Last != 3 {
		t.Errorf("%+v", told)
	}
}

func TestTheRecordSettlesTheChecks(t *testing.T) {
	told := hear(t, svc.ToolStatusEvent{Action: "validate", Check: "syntax", Status: svc.ToolStarted})
	told.Settle(nil)
	if len(told.Checks) != 1 || told.Verdict.Status != "" {
		t.Errorf("without a record: %+v", told)
	}
	told.Settle(&svc.Validation{Status: "failed_before", Checks: []svc.ValidationCheck{
		{Check: "syntax", Status: "passed"}, {Check: "go test", Status: "failed_before"}, {Check: "go vet", Status: "skipped", Detail: "not here"}, {Check: "bundle", Status: "passed"},
	}})
	if len(told.Checks) != 4 || told.Verdict.Status != "failed_before" || told.Verdict.Detail != "2 passed, 1 failed before, 1 skipped" {
		t.Errorf("%+v", told)
	}
}
