package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/workdir"
	"github.com/bundle-delivery/svc/internal/workdir/generate"
)

func TestExitCodes(t *testing.T) {
	answer := func(status int) error {
		return fmt.Errorf("wrapped: %w", &client.StatusError{Status: status, Err: svc.Errorf(svc.CodeInternal, "x")})
	}
	tests := []struct {
		command string
		err     error
		want    int
	}{
		{"pull", nil, 0},
		{"pull", errors.New("a mistake"), 1},
		{"pull", answer(400), 1},
		{"pull", answer(401), 1},
		{"pull", answer(404), 1},
		{"export", answer(409), 1},
		{"pull", answer(410), 0},
		{"export", answer(413), 1},
		{"pull", &client.LimitError{Err: answer(429)}, 1},
		{"pull", answer(500), 2},
		{"pull", answer(502), 2},
		{"export", answer(502), 1},
		{"export", answer(503), 2},
		{"pull", &client.NetworkError{Host: "h", Err: errors.New("x")}, 2},
		{"pull", context.Canceled, 130},
		{"pull", errors.Join(errors.New("x"), context.Canceled), 130},
		{"pull", workdir.ErrConflicts, 1},
		{"generate", &generate.Failed{ErrorEvent: svc.ErrorEvent{Code: "VALIDATION_FAILED"}}, 1},
		{"generate", &generate.Failed{ErrorEvent: svc.ErrorEvent{Code: "CANCELLED"}}, 1},
		{"generate", &generate.Failed{ErrorEvent: svc.ErrorEvent{Code: "UPSTREAM_OUTAGE"}}, 2},
		{"generate", &generate.Failed{ErrorEvent: svc.ErrorEvent{Code: "INTERNAL"}}, 2},
	}
	for _, test := range tests {
		if got := exitCode(test.command, test.err); got != test.want {
			t.Errorf("svc %s, %v: exit %d, want %d", test.command, test.err, got, test.want)
		}
	}
}

// Promise: unreadable-shown
func TestExplanationsNameTheNextStep(t *testing.T) {
	a := newApp(Streams{Getenv: func(string) string { return "" }})
	tests := map[string]struct {
		err  error
		want []string
	}{
		"hint":  {&client.StatusError{Status: 401, Err: &svc.Error{Message: "No.", Hint: "Make a key."}}, []string{"No.", "Make a key."}},
		"401":   {&client.StatusError{Status: 401, Err: &svc.Error{Message: "No."}}, []string{"svc auth --api-key"}},
		"page":  {&client.StatusError{Status: 410, Err: &svc.Error{Message: "Gone.", Hint: "A web page answered."}}, []string{"A web page answered."}},
		"gone":  {&client.StatusError{Status: 410, Err: &svc.Error{Message: "Gone.", Bundle: &svc.Bundle{ProjectID: "proj_x"}}}, []string{"svc export proj_x"}},
		"large": {&client.StatusError{Status: 413, Err: &svc.Error{Message: "Large.", Limit: &svc.Extent{Files: 500, Bytes: 1}, Actual: &svc.Extent{Files: 501, Bytes: 2}}}, []string{"500 files, 1 bytes", "501 files, 2 bytes"}},
		"limit": {&client.LimitError{At: time.Now().Add(time.Hour), Err: &client.StatusError{Status: 429, Err: &svc.Error{Message: "Too often."}}}, []string{"Too often.", "It will work again at"}},
		"422": {
			&generate.Refusal{Message: "No.", Suggestion: svc.Suggestion{Spec: "api\x1b\nbook: title"}},
			[]string{"No.", "nearest spec", "  api·\n  book: title"},
		},
		"500": {&client.StatusError{Status: 500, RequestID: "req_1", Err: &svc.Error{Message: "Oops."}}, []string{"req_1"}},
	}
	for name, test := range tests {
		got := a.explain(test.err)
		for _, want := range test.want {
			if !strings.Contains(string(got), want) {
				t.Errorf("%s: %q does not say %q", name, got, want)
			}
		}
	}
}

// Where the client knows which command helps, nobody is told what to send over HTTP.
// Promise: client-advice
func TestExplanationsSpeakOfCommands(t *testing.T) {
	a := newApp(Streams{Getenv: func(string) string { return "" }})
	for code, status := range map[svc.Code]int{
		svc.CodeBundleNotFound: 404, svc.CodeProjectNotFound: 404, svc.CodeGenerationNotFound: 404,
		svc.CodeBundleExpired: 410, svc.CodeAssemblyUnavailable: 502, svc.CodeUnavailable: 503,
	} {
		e := &svc.Error{Code: code, Message: "No.", Hint: "POST /x"}
		if status == 410 {
			e.Bundle = &svc.Bundle{ProjectID: "proj_x"}
		}
		if got := string(a.explain(&client.StatusError{Status: status, Err: e})); strings.Contains(got, "POST") || len(got) < 10 {
			t.Errorf("%s: %q", code, got)
		}
	}
	if got := string(a.explain(&client.StatusError{Status: 400, Err: &svc.Error{Message: "No.", Hint: "POST /x"}})); !strings.Contains(got, "POST /x") {
		t.Errorf("a hint without a command is lost: %q", got)
	}
}

// What all checks came to is told once: with the result, or at once where it is bad.
// Promise: checks-shown, console-unchecked
func TestWhatAllChecksCameToIsPrinted(t *testing.T) {
	var errs strings.Builder
	printer := &eventPrinter{app: newApp(Streams{Out: &strings.Builder{}, Err: &errs, Getenv: func(string) string { return "" }})}
	for _, told := range []string{
		`{"action":"validate","check":"syntax","status":"passed"}`,
		`{"action":"validate","check":"go build","status":"skipped","detail":"not here"}`,
		`{"action":"validate","check":"go test","status":"skipped","detail":"not here"}`,
		`{"action":"validate","check":"npm test","status":"skipped","detail":"npm is not installed"}`,
		`{"action":"validate","status":"failed","detail":"1 passed, 1 failed"}`,
		`{"action":"validate","status":"failed_before","detail":"1 passed, 1 failed before"}`,
		`{"action":"validate","status":"unchecked","detail":"1 passed, 3 skipped"}`,
	} {
		printer.print(svc.Event{Name: svc.EventToolStatus, Data: []byte(told)})
	}
	want := "check     syntax\nnot tried go build, go test: not here\nnot tried npm test: npm is not installed\nchecks    failed: 1 passed, 1 failed\n"
	if errs.String() != want || cameTo(printer.told.Verdict) != "1 passed, 3 not tried" {
		t.Errorf("printed\n%swant\n%sand with the result %q", errs.String(), want, cameTo(printer.told.Verdict))
	}
}

// A terminal is not told every file: the list would push away what matters.
// Promise: console-unchecked
func TestFilesAreOneLineOnATerminal(t *testing.T) {
	for verbose, want := range map[bool][]string{false: {"generate  3 files\n"}, true: {"generate  a.go\n", "generate  b.go\n", "generate  c.go\n"}} {
		var errs strings.Builder
		a := newApp(Streams{Out: &strings.Builder{}, Err: &errs, Getenv: func(string) string { return "" }})
		a.term.errTTY, a.term.colour, a.verbose = true, false, verbose
		printer := &eventPrinter{app: a}
		for _, file := range []string{"a.go", "b.go", "c.go"} {
			printer.print(svc.Event{Name: svc.EventToolStatus, Data: []byte(`{"action":"generate_file","status":"started","file":"` + file + `"}`)})
			printer.print(svc.Event{Name: svc.EventToken, Data: []byte(`{"file":"` + file + `","delta":"x"}`)})
		}
		printer.print(svc.Event{Name: svc.EventMemoryUpdate, Data: []byte(`{"revision":1}`)})
		for _, line := range want {
			if !strings.Contains(errs.String(), line) {
				t.Errorf("verbose %v: %q lacks %q", verbose, errs.String(), line)
			}
		}
		if lines := strings.Count(errs.String(), "\n"); lines != len(want)+1 {
			t.Errorf("verbose %v: %d lines in %q", verbose, lines, errs.String())
		}
	}
}

// TestNothingFromAfarSteersTheTerminal: what a server says is shown, not obeyed.
// Promise: terminal-safe
func TestNothingFromAfarSteersTheTerminal(t *testing.T) {
	var errs strings.Builder
	a := newApp(Streams{Out: &strings.Builder{}, Err: &errs, Getenv: func(string) string { return "" }})
	a.finish(a.root(), &client.StatusError{Status: 500, Err: &svc.Error{Message: "\x1b]0;owned\x07 \u202eexe.txt"}})
	printer := &eventPrinter{app: a}
	for _, name := range []svc.EventName{svc.EventToken, svc.EventToolStatus, svc.EventStateUpdate, svc.EventMemoryUpdate, svc.EventCostSummary, svc.EventBundleReady, svc.EventError, "new"} {
		printer.print(svc.Event{Name: name, Data: []byte(`{"file":"\u001b[2Ja","action":"\u001b[2J","key":"\u001b","value":"a\nb","reason":"\u001b","model":"\u009b"}`)})
		printer.print(svc.Event{Name: name, Data: []byte(`not JSON`)})
	}
	if strings.ContainsAny(errs.String(), "\x1b\x07\u009b\u202e") || !strings.Contains(errs.String(), "decided") {
		t.Errorf("%q", errs.String())
	}
}
