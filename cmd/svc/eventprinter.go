package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/text/printable"
)

// eventPrinter shows the events of a run: to a person a line for each step, and on a
// terminal how far the file in the making is, or each as JSON. Events and fields that it
// does not know are passed over, for there may be new ones.
type eventPrinter struct {
	app  *app
	told svc.Transcript
	// untried are checks in a row that were not made for one reason.
	untried []string
	why     string
	// written counts files that a terminal was not told one by one.
	written int
}

// step tells one thing: a word that says what sort of thing, and the rest.
func (p *eventPrinter) step(colour, word, format string, args ...any) {
	p.app.term.clear()
	p.app.step(colour, word, fmt.Sprintf(format, args...))
}

// event shows an event.
func (p *eventPrinter) event(e svc.Event) error {
	if p.app.asJSON {
		return printEvent(p.app, e)
	}
	p.print(e)
	return nil
}

func (p *eventPrinter) print(e svc.Event) {
	payload := p.told.Add(e)
	tool, _ := payload.(svc.ToolStatusEvent)
	if p.app.term.errTTY && !p.app.verbose && tool.Action == "generate_file" && tool.File != "" {
		p.written++
		p.app.term.status("  %s", tool.File)
		return
	}
	if e.Name != svc.EventToken {
		p.tellWritten()
	}
	if tool.Check != "" && tool.Status == "skipped" && tool.Detail != "" {
		p.notTried(tool)
		return
	}
	p.tellUntried()
	switch t := payload.(type) {
	case svc.TokenEvent:
		if t.File != "" {
			p.app.term.status("  %s  %s", t.File, size(t.Offset+int64(len(t.Delta))))
		}
	case svc.ToolStatusEvent:
		p.tool(t)
	case svc.StateUpdateEvent:
		p.decision(t)
	case svc.MemoryUpdateEvent:
		p.step("", "memory", "revision %d, %s", t.Revision, size(int64(len(t.Content))))
	case svc.CostSummaryEvent:
		p.step("", "cost", "%d tokens in, %d out, about %.4f USD (%s)", t.InputTokens, t.OutputTokens, t.EstimatedCostUSD, t.Model)
	case svc.BundleReadyEvent:
		p.step(boldGreen, "ready", "%s, %s", count(t.FileCount, "file"), size(t.TotalSizeBytes))
		if p.told.LeftOut != "" {
			p.step(yellow, "left out", "%s", p.told.LeftOut)
		}
	}
}

// decision prints a decision; a spec has a line for each part of the project.
func (p *eventPrinter) decision(u svc.StateUpdateEvent) {
	reason := ""
	if u.Reason != "" {
		reason = " (" + u.Reason + ")"
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
	}
	word, known := actions[t.Action]
	switch {
	case t.Check != "":
		p.check(t)
	case !known:
		p.step("", "step", "%s", strings.TrimSpace(strings.ReplaceAll(t.Action, "_", " ")+" "+cmp.Or(t.File, t.Detail)))
	case t.Action == "validate" && t.Status != svc.ToolStarted: // told with the result
		if t.Status == "failed" { // what is repaired now, or ends the run
			p.step(red, "checks", "%s", cameTo(t))
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

// cameTo is what all checks came to.
func cameTo(verdict svc.ToolStatusEvent) string {
	if verdict.Status == "unchecked" {
		return cmp.Or(strings.ReplaceAll(verdict.Detail, "skipped", "not tried"), "nothing was tried")
	}
	return strings.TrimSuffix(strings.ReplaceAll(verdict.Status, "_", " ")+": "+verdict.Detail, ": ")
}

func (p *eventPrinter) tellUntried() {
	if len(p.untried) > 0 {
		p.step("", "not tried", "%s: %s", strings.Join(p.untried, ", "), p.why)
	}
	p.untried, p.why = nil, ""
}
