package console

import (
	"bytes"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/text/printable"
)

// tell adds payloads to a transcript, numbered from 1, and gives the texts of its
// files as pages show them.
func tell(t *testing.T, payloads ...svc.Payload) (s *transcript, texts map[string]string) {
	t.Helper()
	s, texts = &transcript{}, map[string]string{}
	var events []svc.Event
	for i, p := range payloads {
		e, err := svc.NewEvent(p)
		if err != nil {
			t.Fatal(err)
		}
		e.Seq = int64(i + 1)
		s.add(e)
		events = append(events, e)
	}
	for _, path := range s.Transcript.Files {
		f := shownFile{Path: path, last: s.Last, most: maxFileText}
		for _, e := range events {
			f.add(e)
		}
		texts[path] = f.Text()
	}
	return s, texts
}

// begin tells of the beginnings of files.
func begin(t *testing.T, s *transcript, paths ...string) {
	t.Helper()
	for _, path := range paths {
		e, err := svc.NewEvent(svc.TokenEvent{File: path, Attempt: 1})
		if err != nil {
			t.Fatal(err)
		}
		s.Add(e)
	}
}

// Promise: checks-shown
func TestATranscriptPutsFilesTogether(t *testing.T) {
	s, texts := tell(t,
		svc.TokenEvent{File: "a", Attempt: 1, Delta: "one "},
		svc.TokenEvent{File: "b", Attempt: 1, Delta: "other"},
		svc.TokenEvent{File: "a", Attempt: 1, Offset: 4, Delta: "two"},
		svc.StateUpdateEvent{Key: "language", Value: "go"},
		svc.StateUpdateEvent{Key: "language", Value: "rust"},
		svc.StateUpdateEvent{Key: "left_out", Value: "colours; sorting"},
		svc.TokenEvent{File: "b", Attempt: 2, Delta: "again"},
		svc.TokenEvent{File: "b", Attempt: 1, Offset: 5, Delta: " late"},
		svc.ToolStatusEvent{Action: "validate", Check: "go build", Status: svc.ToolStarted},
		svc.ToolStatusEvent{Action: "validate", Check: "go build", Status: "passed", Seconds: 2},
		svc.ToolStatusEvent{Action: "validate", Status: "unchecked", Detail: "1 passed"},
		svc.MemoryUpdateEvent{Revision: 1, Content: "noted"},
		svc.CostSummaryEvent{Model: "m", InputTokens: 3},
	)
	if diff := cmp.Diff(map[string]string{"a": "one two", "b": "again"}, texts); diff != "" {
		t.Error(diff)
	}
	if len(s.Decisions) != 1 || s.Decisions[0].Value != "rust" || s.Memory() != "noted" || s.Cost == nil || s.Last != 13 || s.Verdict.Status != "unchecked" {
		t.Errorf("the transcript is %+v", s)
	}
	if len(s.LeftOut()) != 2 || len(s.Checks) != 1 || s.Checks[0].Status != "passed" {
		t.Errorf("left out %q, checks %+v", s.LeftOut(), s.Checks)
	}
	s.Settle(nil)
	if len(s.Checks) != 1 {
		t.Errorf("without a record: %+v", s.Checks)
	}
	s.Settle(&svc.Validation{Status: "passed", Checks: []svc.ValidationCheck{{Check: "bundle", Status: "passed"}, {Check: "go build", Status: "passed", Version: "go1.26"}}})
	if s.Verdict.Status != "passed" || len(s.Checks) != 2 || s.Checks[1].Version != "go1.26" {
		t.Errorf("by the record: %s %+v", s.Verdict.Status, s.Checks)
	}
}

// What was not tried is short, and comes after what was.
// Promise: console-unchecked
func TestChecksThatWereNotMadeAreOneLineForEachReason(t *testing.T) {
	s, _ := tell(t,
		svc.ToolStatusEvent{Action: "validate", Check: "go build", Status: "skipped", Detail: "not here"},
		svc.ToolStatusEvent{Action: "validate", Check: "syntax", Status: "passed"},
		svc.ToolStatusEvent{Action: "validate", Check: "npm test", Status: "skipped", Detail: "npm is not installed"},
		svc.ToolStatusEvent{Action: "validate", Check: "go test", Status: "skipped", Detail: "not here"},
		svc.ToolStatusEvent{Action: "validate", Status: "unchecked", Detail: "1 passed, 3 skipped"},
	)
	if tried := s.Tried(); len(tried) != 1 || tried[0].Check != "syntax" {
		t.Errorf("tried: %+v", tried)
	}
	want := []untried{{"go build, go test", "not here"}, {"npm test", "npm is not installed"}}
	if diff := cmp.Diff(want, s.Untried()); diff != "" || s.Came() != "1 passed, 3 not tried" {
		t.Errorf("%s and %q", diff, s.Came())
	}
}

// A run of very many files is one page that opens at once.
// Promise: console-large-page
func TestThePageOfALargeRunIsSmall(t *testing.T) {
	c, err := New(Config{Accounts: accounts.New(nil, time.Now), BaseURL: "https://svc.example"})
	if err != nil {
		t.Fatal(err)
	}
	hostile := strings.Repeat(`<a href="?a=1&b=2">it's 1+1 & "more"</a>`+"\n", 40)
	checks := svc.Validation{Status: "failed_before"}
	for n := range 12 {
		checks.Checks = append(checks.Checks, svc.ValidationCheck{
			Check: fmt.Sprintf("go test ./part%d/...", n), Status: "failed_before", Seconds: 1.5, Version: "go1.26", Detail: hostile[:400],
		})
	}
	for name, piece := range map[string]string{"plain": strings.Repeat("what a file of this size says\n", 40), "full of markup": hostile} {
		t.Run(name, func(t *testing.T) {
			payloads := []svc.Payload{svc.MemoryUpdateEvent{Content: strings.Repeat(piece, 100)}, svc.StateUpdateEvent{Key: "left_out", Value: "colours; " + piece[:200]}}
			for n := range 30 {
				payloads = append(payloads, svc.StateUpdateEvent{Key: fmt.Sprintf("decision%d", n), Value: piece[:60], Reason: piece[:120]})
			}
			told, _ := tell(t, payloads...)
			told.Settle(&checks)
			for n := range 1500 {
				begin(t, told, fmt.Sprintf("services/inventory%02d/internal/handlers/resource_%04d_handler_test.go", n/60, n))
			}
			begin(t, told, "README.md")
			first := &shownFile{Path: told.choose("", false), most: told.room()}
			for i := range 400 {
				first.addToken(svc.TokenEvent{File: first.Path, Attempt: 1, Offset: int64(i * len(piece)), Delta: piece})
			}
			body := runPage{Run: svc.Run{ID: "gen_00000000000000000000", Status: svc.RunSucceeded, Prompt: "a large one"}, Transcript: told, File: first}
			var out bytes.Buffer
			if err := c.core.pages["generation"].ExecuteTemplate(&out, "layout.html", page{Account: &svc.Account{}, Script: "live.js", Body: body}); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes, of which the file has %d and the memory %d", out.Len(), weight(first.Text()), weight(told.Memory()))
			if out.Len() > 200_000 || !first.Cut || first.Text() == "" || !told.MemoryCut() || told.Memory() == "" {
				t.Errorf("the page has %d bytes, its file is cut (%v) to %d bytes, its memory (%v) to %d", out.Len(), first.Cut, len(first.Text()), told.MemoryCut(), len(told.Memory()))
			}
			for _, want := range []string{`href="?n=1500"`, "resource_1499_handler_test.go", ">1501<", "decision29", "go test ./part11/...", "the project has all of it"} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("the page lacks %s", want)
				}
			}
		})
	}
}

// A page is as long as its texts weigh.
// Promise: console-large-page
func TestTheWeightOfATextIsItsLengthInAPage(t *testing.T) {
	page := template.Must(template.New("").Parse("{{.}}"))
	for _, text := range []string{"plain", `<&>"'+`, "`~!@#$%^*()=-_[]{}|;:,./?\\ ü 界"} {
		var out bytes.Buffer
		if err := page.Execute(&out, text); err != nil {
			t.Fatal(err)
		}
		if got := weight(text); got < out.Len() || got > out.Len()+2 { // &lt; and &gt; are shorter than the others
			t.Errorf("%q weighs %d and has %d bytes in a page", text, got, out.Len())
		}
	}
	if text, cut := beginning("one\ntwo\nthree", 8); text != "one\ntwo\n" || !cut {
		t.Errorf("the beginning is %q", text)
	}
	if text, cut := beginning("one\n", 4); text != "one\n" || cut {
		t.Errorf("what fits is %q, cut: %v", text, cut)
	}
}

// Promise: console-run-screen
func TestAPageSaysWhatARunIsAt(t *testing.T) {
	token := svc.TokenEvent{File: "a.go", Attempt: 1, Delta: "package a"}
	plan := svc.ToolStatusEvent{Action: "plan", Status: svc.ToolStarted}
	for _, tt := range []struct {
		status svc.RunStatus
		told   []svc.Payload
		doing  string
		now    string
	}{
		{svc.RunQueued, nil, "waiting for a worker", "Queued"},
		{svc.RunRunning, nil, "starting", "Plan"},
		{svc.RunRunning, []svc.Payload{plan}, "planning", "Plan"},
		{svc.RunRunning, []svc.Payload{plan, token}, "writing a.go", "Write"}, // an engine of few words
		{svc.RunRunning, []svc.Payload{token, svc.ToolStatusEvent{Action: "repair_file", File: "b.go"}}, "repairing b.go", "Write"},
		{svc.RunRunning, []svc.Payload{token, svc.ToolStatusEvent{Action: "validate", Check: "go vet"}}, "checking go vet", "Check"},
		{svc.RunRunning, []svc.Payload{token, svc.ToolStatusEvent{Action: "finalize"}}, "packing", "Pack"},
	} {
		told, _ := tell(t, tt.told...)
		p := runPage{Run: svc.Run{Status: tt.status}, Transcript: told}
		at := slices.IndexFunc(p.Stages(), func(s stage) bool { return s.State == "now" })
		if at < 0 || p.Stages()[at].Name != tt.now || p.Doing() != tt.doing {
			t.Errorf("%s after %v: %q at %+v, want %q at %s", tt.status, tt.told, p.Doing(), p.Stages(), tt.doing, tt.now)
		}
	}
}

func TestATranscriptForgetsWhatALostWorkerSaid(t *testing.T) {
	s, texts := tell(t,
		svc.TokenEvent{File: "a", Attempt: 1, Delta: "void"},
		svc.TokenEvent{File: "c", Attempt: 1, Delta: "void"},
		svc.StateUpdateEvent{Key: "language", Value: "go"},
		svc.ToolStatusEvent{Action: "plan", Status: svc.ToolStarted, RunAttempt: 2},
		svc.TokenEvent{File: "c", Attempt: 1, Delta: "true"},
	)
	if diff := cmp.Diff(map[string]string{"c": "true"}, texts); diff != "" || len(s.Decisions) != 0 || s.Last != 5 {
		t.Errorf("%s and %+v", diff, s)
	}
}

func TestATranscriptIsBounded(t *testing.T) {
	f := shownFile{Path: "a", most: maxFileText}
	piece := strings.Repeat("x", maxFileText/2+1)
	f.addToken(svc.TokenEvent{File: "a", Attempt: 1, Delta: piece})
	f.addToken(svc.TokenEvent{File: "a", Attempt: 1, Offset: int64(len(piece)), Delta: piece})
	f.addToken(svc.TokenEvent{File: "a", Attempt: 1, Offset: int64(2 * len(piece)), Delta: "end"})
	if !f.Cut || len(f.Text()) != len(piece) || f.Size != int64(2*len(piece)+3) {
		t.Errorf("cut %v, %d bytes shown of %d", f.Cut, len(f.Text()), f.Size)
	}
	s := &transcript{}
	if !s.add(svc.Event{Seq: 3, Name: svc.EventToken, Data: []byte("not JSON")}) || s.Last != 3 {
		t.Error("an event that cannot be read stops the transcript")
	}
	if s.add(svc.Event{Seq: 4, Name: svc.EventToken, Data: make([]byte, maxRead)}) || s.Last != 3 {
		t.Error("a transcript that has read enough goes on")
	}
}

// What came between two looks at the events is left to the live view.
// Promise: console-run-screen
func TestAFileEndsWhereItsTranscriptDoes(t *testing.T) {
	f := shownFile{Path: "a", last: 1, most: maxFileText}
	for i, text := range []string{"now", "later"} {
		e, err := svc.NewEvent(svc.TokenEvent{File: "a", Attempt: 1, Delta: text})
		if err != nil {
			t.Fatal(err)
		}
		e.Seq = int64(i + 1)
		if more := f.add(e); more != (i == 0) {
			t.Errorf("event %d: more is %v", e.Seq, more)
		}
	}
	if f.Text() != "now" {
		t.Errorf("%q", f.Text())
	}
}

// Promise: console-large-page, console-run-screen
func TestTheTreeOfFiles(t *testing.T) {
	s := &transcript{}
	begin(t, s, "main.go", "internal/b/b.go", "README.md", "internal/a.go")
	var lines []string
	for _, r := range s.Tree("main.go") {
		line := strings.Repeat("  ", r.Depth) + r.Name
		if r.Current {
			line += " <"
		}
		lines = append(lines, line)
	}
	want := []string{"README.md", "internal/", "  a.go", "  b/", "    b.go", "main.go <"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if got := s.asked(url.Values{"n": {"2"}}) + s.asked(url.Values{"n": {"4"}, "file": {"+"}}) + s.asked(url.Values{"n": {"-1"}}); got != "internal/b/b.go+" {
		t.Errorf("asked for by number: %q", got)
	}
	for want, got := range map[string]string{
		"main.go": s.choose("main.go", true), "internal/a.go": s.choose("gone", true), "README.md": s.choose("", false),
		"": (&transcript{}).choose("", true),
	} {
		if got != want {
			t.Errorf("%q is shown, want %q", got, want)
		}
	}
}

func TestColouringEscapesEverything(t *testing.T) {
	for _, path := range []string{"a.html", "a.go", "a.js", "a.md", "a.unknown", "Dockerfile"} {
		code, err := colour(path, "<script>alert('&')</script>\n<img src=x onerror=alert(1)>\x00\x1b")
		if err != nil {
			t.Fatal(err)
		}
		for _, tag := range strings.SplitAfter(string(code), "<")[1:] {
			if !strings.HasPrefix(tag, "span class=\"c-") && !strings.HasPrefix(tag, "/span>") {
				t.Errorf("%s: the markup has <%.30s", path, tag)
			}
		}
	}
}

// Promise: console-words
func TestWordsForPeople(t *testing.T) {
	for want, got := range map[string]string{
		"1 second left": left(1_400_000_000), "24 hours left": left(24*3600_000_000_000 - 1_000_000_000), "1 hour left": left(3599_000_000_000), "1 minute left": left(59_700_000_000), "due now": left(0), "2 hours left": left(2 * 3600_000_000_000), "2 days left": left(48 * 3600_000_000_000),
		"just now": ago(0), "1 minute ago": ago(61_000_000_000),
		"999 B": byteText(999), "1.0 KiB": byteText(1024), "2.5 MiB": byteText(5 << 19), "4.0 GiB": byteText(4 << 30),
		"1\u202f234\u202f567": numberText(1234567), "12": numberText(12),
		"Chrome on Linux": browserName("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150 Safari/537.36"), "A browser": browserName("curl"),
		"'a b'": printable.ShellWord("a b"), `'it'\''s'`: printable.ShellWord("it's"), "https://h:1/p": printable.ShellWord("https://h:1/p"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestOnlyProjectsThatAreTooLargeAreSaidToBe(t *testing.T) {
	limit := svc.Extent{Files: 500, Bytes: 25 << 20}
	for _, test := range []struct {
		actual svc.Extent
		capped bool
	}{
		{svc.Extent{}, false},
		{limit, false},
		{svc.Extent{Files: 501, Bytes: 1}, true},
		{svc.Extent{Files: 1, Bytes: 25<<20 + 1}, true},
	} {
		if got := sizeCap(test.actual, limit); (got != "") != test.capped {
			t.Errorf("%+v: %q", test.actual, got)
		}
	}
}
