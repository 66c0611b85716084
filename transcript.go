package svc

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Transcript is what a run has told so far, without the texts of its files. The zero
// value is that of a run that has told nothing.
type Transcript struct {
	Last      int64    // number of the last event
	Files     []string // in the order in which they were begun
	Latest    string   // the file that was written last
	Action    ToolStatusEvent
	Decisions []StateUpdateEvent // but LeftOut; a later one replaces an earlier one of its key
	LeftOut   string             // what was asked for and is not done
	Checks    []ToolStatusEvent  // a later status replaces an earlier one of its check
	Verdict   ToolStatusEvent    // what all checks came to
	Memory    string
	Cost      *CostSummaryEvent

	attempts map[string]int
}

// leftOut is the decision that names what was asked for and is not done.
const leftOut = "left_out"

// Add takes in the next event and returns its payload, or nil if it cannot be read.
// Events and fields that are not known are passed over, for there may be new ones.
func (t *Transcript) Add(e Event) Payload {
	t.Last = e.Seq
	switch e.Name {
	case EventToken:
		return added(e, t.addToken)
	case EventToolStatus:
		return added(e, t.addAction)
	case EventStateUpdate:
		return added(e, t.addDecision)
	case EventMemoryUpdate:
		return added(e, func(m MemoryUpdateEvent) { t.Memory = m.Content })
	case EventCostSummary:
		return added(e, func(c CostSummaryEvent) { t.Cost = &c })
	case EventBundleReady:
		return added(e, func(BundleReadyEvent) {})
	case EventError:
		return added(e, func(ErrorEvent) {})
	}
	return nil
}

func added[P Payload](e Event, add func(P)) Payload {
	var p P
	if json.Unmarshal(e.Data, &p) != nil {
		return nil
	}
	add(p)
	return p
}

func (t *Transcript) addToken(p TokenEvent) {
	if p.File == "" {
		return
	}
	if t.attempts == nil {
		t.attempts = map[string]int{}
	}
	if _, known := t.attempts[p.File]; !known {
		t.Files = append(t.Files, p.File)
	}
	t.Latest = p.File
	t.attempts[p.File] = max(t.attempts[p.File], p.Attempt)
}

// Attempt returns the latest attempt of a file, and whether the run has begun it.
func (t *Transcript) Attempt(file string) (attempt int, begun bool) {
	attempt, begun = t.attempts[file]
	return attempt, begun
}

func (t *Transcript) addAction(p ToolStatusEvent) {
	if p.RunAttempt > 1 { // what was told before is void
		*t = Transcript{Last: t.Last}
	}
	t.Action = p
	switch {
	case p.Check != "":
		at := slices.IndexFunc(t.Checks, func(c ToolStatusEvent) bool { return c.Check == p.Check })
		if at < 0 {
			t.Checks = append(t.Checks, p)
		} else {
			t.Checks[at] = p
		}
	case p.Action == "validate" && p.Status != ToolStarted:
		t.Verdict = p
	}
}

func (t *Transcript) addDecision(p StateUpdateEvent) {
	if p.Key == leftOut {
		t.LeftOut = p.Value
		return
	}
	if at := slices.IndexFunc(t.Decisions, func(known StateUpdateEvent) bool { return known.Key == p.Key }); at >= 0 {
		t.Decisions[at] = p
		return
	}
	t.Decisions = append(t.Decisions, p)
}

// Settle takes the checks from the record of a run, which has them also when what the
// run told is not kept any more. A nil record changes nothing.
func (t *Transcript) Settle(v *Validation) {
	if v == nil {
		return
	}
	t.Checks = nil
	for _, c := range v.Checks {
		t.Checks = append(t.Checks, ToolStatusEvent{Action: "validate", Check: c.Check, Status: c.Status, Seconds: c.Seconds, Detail: c.Detail, Version: c.Version})
	}
	t.Verdict = ToolStatusEvent{Action: "validate", Status: v.Status, Detail: t.Tally()}
}

// Tally counts the checks by what came of them.
func (t *Transcript) Tally() string {
	var parts []string
	for _, status := range []string{"passed", "failed", "failed_before", "skipped"} {
		n := 0
		for _, c := range t.Checks {
			if c.Status == status {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(status, "_", " ")))
		}
	}
	return strings.Join(parts, ", ")
}
