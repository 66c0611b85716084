package console

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
)

// tell adds payloads to a transcript, numbered from 1.
func tell(t *testing.T, payloads ...svc.Payload) *transcript {
	t.Helper()
	s := newTranscript()
	for i, p := range payloads {
		e, err := svc.NewEvent(p)
		if err != nil {
			t.Fatal(err)
		}
		e.Seq = int64(i + 1)
		s.add(e)
	}
	return s
}

func texts(s *transcript) map[string]string {
	all := map[string]string{}
	for _, f := range s.Files {
		all[f.Path] = f.Text()
	}
	return all
}

func TestATranscriptPutsFilesTogether(t *testing.T) {
	s := tell(t,
		svc.TokenEvent{File: "a", Attempt: 1, Delta: "one "},
		svc.TokenEvent{File: "b", Attempt: 1, Delta: "other"},
		svc.TokenEvent{File: "a", Attempt: 1, Offset: 4, Delta: "two"},
		svc.StateUpdateEvent{Key: "language", Value: "go"},
		svc.StateUpdateEvent{Key: "language", Value: "rust"},
		svc.TokenEvent{File: "b", Attempt: 2, Delta: "again"},
		svc.TokenEvent{File: "b", Attempt: 1, Offset: 5, Delta: " late"},
		svc.MemoryUpdateEvent{Revision: 1, Content: "noted"},
		svc.CostSummaryEvent{Model: "m", InputTokens: 3},
	)
	if diff := cmp.Diff(map[string]string{"a": "one two", "b": "again"}, texts(s)); diff != "" {
		t.Error(diff)
	}
	if len(s.Decisions) != 1 || s.Decisions[0].Value != "rust" || s.Memory != "noted" || s.Cost == nil || s.Last != 9 {
		t.Errorf("the transcript is %+v", s)
	}
}

func TestATranscriptForgetsWhatALostWorkerSaid(t *testing.T) {
	s := tell(t,
		svc.TokenEvent{File: "a", Attempt: 1, Delta: "void"},
		svc.StateUpdateEvent{Key: "language", Value: "go"},
		svc.ToolStatusEvent{Action: "plan", Status: svc.ToolStarted, RunAttempt: 2},
		svc.TokenEvent{File: "c", Attempt: 1, Delta: "true"},
	)
	if diff := cmp.Diff(map[string]string{"c": "true"}, texts(s)); diff != "" || len(s.Decisions) != 0 || s.Last != 4 {
		t.Errorf("%s and %+v", diff, s)
	}
}

func TestATranscriptIsBounded(t *testing.T) {
	piece := strings.Repeat("x", maxFileText/2+1)
	s := tell(t,
		svc.TokenEvent{File: "a", Attempt: 1, Delta: piece},
		svc.TokenEvent{File: "a", Attempt: 1, Offset: int64(len(piece)), Delta: piece},
	)
	if f := s.Files[0]; !f.Cut || len(f.Text()) != len(piece) || f.Size != int64(2*len(piece)) {
		t.Errorf("cut %v, %d bytes shown of %d", f.Cut, len(f.Text()), f.Size)
	}
	if !s.add(svc.Event{Seq: 3, Name: svc.EventToken, Data: []byte("not JSON")}) || s.Last != 3 {
		t.Error("an event that cannot be read stops the transcript")
	}
	if s.add(svc.Event{Seq: 4, Name: svc.EventToken, Data: make([]byte, maxRead)}) || s.Last != 3 {
		t.Error("a transcript that has read enough goes on")
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

func TestWordsForPeople(t *testing.T) {
	for want, got := range map[string]string{
		"1 second left": left(1_500_000_000), "due now": left(0), "2 hours left": left(2 * 3600_000_000_000), "2 days left": left(48 * 3600_000_000_000),
		"just now": ago(0), "1 minute ago": ago(61_000_000_000),
		"999 B": byteText(999), "1.0 KiB": byteText(1024), "2.5 MiB": byteText(5 << 19), "4.0 GiB": byteText(4 << 30),
		"1\u202f234\u202f567": numberText(1234567), "12": numberText(12),
		"Chrome on Linux": browserName("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150 Safari/537.36"), "A browser": browserName("curl"),
		"'a b'": shellWord("a b"), `'it'\''s'`: shellWord("it's"), "https://h:1/p": shellWord("https://h:1/p"),
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
