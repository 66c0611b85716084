package svc

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// payloads has one of each, as there are seven events and no more.
var payloads = map[EventName]Payload{
	"token":         TokenEvent{File: "a", Attempt: 1, Delta: "<&>\u2028\n"},
	"state_update":  StateUpdateEvent{Key: "k", Value: "v", Reason: "r"},
	"memory_update": MemoryUpdateEvent{Revision: 2, Content: "c"},
	"tool_status":   ToolStatusEvent{Action: "plan", Status: ToolStarted, RunAttempt: 1},
	"cost_summary":  CostSummaryEvent{Model: "m", InputTokens: 1, OutputTokens: 2, EstimatedCostUSD: 0.5},
	"bundle_ready":  BundleReadyEvent{BundleID: "b", ProjectID: "p", FileCount: 1, TotalSizeBytes: 2, SHA256: "s", ExpiresAt: "t"},
	"error":         ErrorEvent{Code: "CONSTRAINT_UNRESOLVABLE", Message: "m", Retryable: true, Suggestion: &Suggestion{Spec: "s"}},
}

// Promise: event-names
func TestSevenEventsEachWithItsVersion(t *testing.T) {
	fields := map[EventName][]string{
		"token":         {"file", "attempt", "offset", "delta"},
		"state_update":  {"key", "value", "reason"},
		"memory_update": {"revision", "content"},
		"tool_status":   {"action", "status", "run_attempt"},
		"cost_summary":  {"model", "input_tokens", "output_tokens", "estimated_cost_usd"},
		"bundle_ready":  {"bundle_id", "project_id", "file_count", "total_size_bytes", "sha256", "expires_at"},
		"error":         {"code", "message", "retryable", "suggestion"},
	}
	if len(payloads) != 7 {
		t.Errorf("there are %d events", len(payloads))
	}
	for name, p := range payloads {
		e, err := NewEvent(p)
		if err != nil {
			t.Fatal(err)
		}
		if e.Name != name || e.Seq != 0 {
			t.Errorf("%s is encoded as %s with number %d", name, e.Name, e.Seq)
		}
		if strings.ContainsAny(string(e.Data), "\r\n") || !strings.HasPrefix(string(e.Data), `{"v":1,`) {
			t.Errorf("%s is %q", name, e.Data)
		}
		var data map[string]any
		if err := json.Unmarshal(e.Data, &data); err != nil {
			t.Fatalf("%s is no JSON: %v", e.Data, err)
		}
		for _, field := range append(fields[name], "v") {
			if _, there := data[field]; !there {
				t.Errorf("%s lacks %s: %s", name, field, e.Data)
			}
			delete(data, field)
		}
		if len(data) != 0 {
			t.Errorf("%s has more than it should: %v", name, data)
		}
		if want := name == "bundle_ready" || name == "error"; name.Terminal() != want {
			t.Errorf("%s is terminal: %t", name, name.Terminal())
		}
	}
}

// TestEveryEventIsHandled names the places where a new event is missing: the schema of
// the API, the page, and what prints or checks events. A place that has no use for an
// event says so here.
func TestEveryEventIsHandled(t *testing.T) {
	for file, passedOver := range map[string][]EventName{
		"internal/web/api/openapi/openapi.json": nil,
		"internal/web/console/static/live.js":   {EventCostSummary}, // told by the beat of the stream
		"internal/web/console/transcript.go":    nil,
		"internal/mcp/runtools.go":              {EventMemoryUpdate, EventError},
		"transcript.go":                         nil,
		"cmd/svc/eventprinter.go":               {EventError}, // of which the command fails
		"tests/viewer/viewer.go":                nil,
	} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, p := range payloads {
			kind := reflect.TypeOf(p).Name() // TokenEvent, or EventToken as its name is called
			constant := "Event" + strings.TrimSuffix(kind, "Event")
			handled := regexp.MustCompile(`\b(` + kind + `|` + constant + `)\b`)
			if path.Ext(file) == ".js" {
				handled = regexp.MustCompile(`(?m)^    ` + string(name) + `\b(\(|:)`)
			}
			if !handled.Match(content) && !slices.Contains(passedOver, name) {
				t.Errorf("%s does not handle %s", file, name)
			}
		}
	}
}

// TestTheSchemaHasTheFieldsOfEvents: a field is in the payload and in the API's document.
func TestTheSchemaHasTheFieldsOfEvents(t *testing.T) {
	content, err := os.ReadFile("internal/web/api/openapi/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(content, &document); err != nil {
		t.Fatal(err)
	}
	for _, p := range payloads {
		kind := reflect.TypeOf(p)
		fields := []string{"v"}
		for i := range kind.NumField() {
			name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
			fields = append(fields, name)
		}
		slices.Sort(fields)
		if described := slices.Sorted(maps.Keys(document.Components.Schemas[kind.Name()].Properties)); !slices.Equal(fields, described) {
			t.Errorf("%s has %v, and its schema %v", kind.Name(), fields, described)
		}
	}
}

// Promise: event-names
func TestEventTextSurvivesItsEncoding(t *testing.T) {
	for _, delta := range []string{"", "<a href=\"x\">&amp;</a>", "tab\tand\r\nlines", "\u2028\u2029", "\x00\x1f", "🙂é", `\n"`} {
		e, err := NewEvent(TokenEvent{File: "f", Attempt: 1, Delta: delta})
		if err != nil {
			t.Fatal(err)
		}
		var back TokenEvent
		if err := json.Unmarshal(e.Data, &back); err != nil || back.Delta != delta {
			t.Errorf("%q comes back as %q (%v)", delta, back.Delta, err)
		}
	}
}

func TestCostThatIsNoNumberIsRefused(t *testing.T) {
	if _, err := NewEvent(CostSummaryEvent{EstimatedCostUSD: math.NaN()}); err == nil {
		t.Error("a cost that is no number is encoded")
	}
}

func TestFormatTime(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6_999_999, time.FixedZone("", 3600))
	if got := FormatTime(at); got != "2026-01-02T02:04:05.006Z" {
		t.Errorf("written as %s", got)
	}
}

func TestRunStatus(t *testing.T) {
	for status, final := range map[RunStatus]bool{RunQueued: false, RunRunning: false, RunSucceeded: true, RunFailed: true, RunCancelled: true} {
		if !status.Valid() || status.Final() != final {
			t.Errorf("%s: valid %t, final %t", status, status.Valid(), status.Final())
		}
	}
	if RunStatus("paused").Valid() {
		t.Error("paused is a state")
	}
}

func TestEventsDoNotShareTheirText(t *testing.T) {
	first, err := NewEvent(TokenEvent{File: "first", Attempt: 1, Delta: "one"})
	if err != nil {
		t.Fatal(err)
	}
	before := string(first.Data)
	if _, err := NewEvent(TokenEvent{File: "second", Attempt: 2, Delta: "two"}); err != nil {
		t.Fatal(err)
	}
	if string(first.Data) != before {
		t.Errorf("an event became %s by the next, was %s", first.Data, before)
	}
}
