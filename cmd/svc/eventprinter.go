package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/printable"
)

// eventPrinter shows the events of a run to a person: a line for each step, and on a
// terminal how far the file in the making is. Events and fields that it does
// not know are passed over, for there may be new ones.
type eventPrinter struct {
	app   *app
	bytes map[string]int64
	left  string // what the engine says it left out
	// untried are checks in a row that were not made for one reason.
	untried []string
	why     string
	// checks is what all that was tried came to. It is told with the result.
	checks string
	// written counts files that a terminal was not told one by one.
	written int
}

func newEventPrinter(a *app) *eventPrinter { return &eventPrinter{app: a, bytes: map[string]int64{}} }

// step tells one thing: a word that says what sort of thing, and the rest.
func (p *eventPrinter) step(colour, word, format string, args ...any) {
	p.app.term.clear()
	p.app.step(colour, word, fmt.Sprintf(format, args...))
}

func (p *eventPrinter) print(e svc.Event) {
	var t svc.ToolStatusEvent
	if e.Name == svc.EventToolStatus && p.app.term.errTTY && !p.app.verbose && json.Unmarshal(e.Data, &t) == nil && t.Action == "generate_file" && t.File != "" {
		p.written++
		p.app.term.status("  %s", t.File)
		return
	}
	if e.Name != svc.EventToken {
		p.tellWritten()
	}
	if e.Name == svc.EventToolStatus && json.Unmarshal(e.Data, &t) == nil && t.Check != "" && t.Status == "skipped" && t.Detail != "" {
		p.notTried(t)
		return
	}
	p.tellUntried()
	switch e.Name {
	case svc.EventToken:
		var t svc.TokenEvent
		if json.Unmarshal(e.Data, &t) == nil && t.File != "" {
			p.bytes[t.File] = t.Offset + int64(len(t.Delta))
			p.app.term.status("  %s  %s", t.File, size(p.bytes[t.File]))
		}
	case svc.EventToolStatus:
		var t svc.ToolStatusEvent
		if json.Unmarshal(e.Data, &t) == nil {
			p.tool(t)
		}
	case svc.EventStateUpdate:
		var u svc.StateUpdateEvent
		if json.Unmarshal(e.Data, &u) == nil {
			p.decision(u)
		}
	case svc.EventMemoryUpdate:
		var u svc.MemoryUpdateEvent
		if json.Unmarshal(e.Data, &u) == nil {
			p.step("", "memory", "revision %d, %s", u.Revision, size(int64(len(u.Content))))
		}
	case svc.EventCostSummary:
		var c svc.CostSummaryEvent
		if json.Unmarshal(e.Data, &c) == nil {
			p.step("", "cost", "%d tokens in, %d out, about %.4f USD (%s)", c.InputTokens, c.OutputTokens, c.EstimatedCostUSD, c.Model)
		}
	case svc.EventBundleReady:
		var r svc.BundleReadyEvent
		if json.Unmarshal(e.Data, &r) == nil {
			p.step(boldGreen, "ready", "%s, %s", count(r.FileCount, "file"), size(r.TotalSizeBytes))
			if p.left != "" {
				p.step(yellow, "left out", "%s", p.left)
			}
		}
	case svc.EventError:
	}
}

// decision prints a decision; a spec has a line for each part of the project.
func (p *eventPrinter) decision(u svc.StateUpdateEvent) {
	reason := ""
	if u.Reason != "" {
		reason = " (" + u.Reason + ")"
	}
	if u.Key == "left_out" { // told again where the result is
		p.left = u.Value
	}
	if u.Key == "spec" {
		p.step(cyan, "decided", "spec%s", reason)
		p.app.note("%s", shown(printable.Quoted(u.Value)))
		return
	}
	p.step(cyan, "decided", "%s = %s%s", u.Key, u.Value, reason)
}

func (p *eventPrinter) tool(t svc.ToolStatusEvent) {
	if t.RunAttempt > 1 {
		p.step(yellow, "again", "the run was taken up by another worker; what was told before is void")
		clear(p.bytes)
	}
	word, known := actions[t.Action]
	switch {
	case t.Check != "":
		p.check(t)
	case !known:
		p.step("", "step", "%s", strings.TrimSpace(strings.ReplaceAll(t.Action, "_", " ")+" "+cmp.Or(t.File, t.Detail)))
	case t.Action == "validate" && t.Status == "unchecked":
		p.checks = tried(t.Detail)
	case t.Action == "validate" && t.Status != svc.ToolStarted:
		p.checks = strings.TrimSuffix(strings.ReplaceAll(t.Status, "_", " ")+": "+t.Detail, ": ")
		if t.Status == "failed" { // what is repaired now, or ends the run
			p.step(red, "checks", "%s", p.checks)
		}
	case t.File != "":
		p.step(green, word, "%s", t.File)
	default:
		p.step("", word, "%s", t.Detail)
	}
}

// actions are the words for what engines do. A program that serves as one may do
// other things, and words of its own begin no line.
var actions = map[string]string{
	"plan": "plan", "generate_file": "generate", "validate": "validate", "repair_file": "repair", "finalize": "finalize",
}

var checkColours = map[string]string{"passed": green, "failed": red, "failed_before": yellow, "skipped": yellow}

// check tells what is tried: when it waits, and when it has ended.
func (p *eventPrinter) check(t svc.ToolStatusEvent) {
	text := t.Check
	if t.Seconds > 0 {
		text += fmt.Sprintf(" %.1f s", t.Seconds)
	}
	if t.Status != "passed" && t.Status != svc.ToolStarted {
		text += " " + strings.ReplaceAll(t.Status, "_", " ")
	}
	if t.Detail != "" {
		text += ", " + t.Detail
	}
	if t.Status != svc.ToolStarted || t.Detail != "" {
		p.step(checkColours[t.Status], "check", "%s", text)
	}
}

// notTried notes a check that was not made. Those that follow each other for the same
// reason are one line, for the reason is the news.
func (p *eventPrinter) notTried(t svc.ToolStatusEvent) {
	if t.Detail != p.why {
		p.tellUntried()
	}
	p.untried, p.why = append(p.untried, t.Check), t.Detail
}

// tellWritten is one line for the files that came and went in the status line of a
// terminal: a list of them would push away what matters.
func (p *eventPrinter) tellWritten() {
	if p.written > 0 {
		p.step(green, actions["generate_file"], "%s", count(p.written, "file"))
	}
	p.written = 0
}

// tried is what checks came to of which some were not made.
func tried(tally string) string {
	return cmp.Or(strings.ReplaceAll(tally, "skipped", "not tried"), "nothing was tried")
}

func (p *eventPrinter) tellUntried() {
	if len(p.untried) > 0 {
		p.step("", "not tried", "%s: %s", strings.Join(p.untried, ", "), p.why)
	}
	p.untried, p.why = nil, ""
}
