package console

import (
	"encoding/json"
	"strings"

	svc "github.com/bundle-delivery/svc"
)

const (
	// maxFileText is how much of one file the transcript shows, maxText of all files
	// together, maxRead how much is read for one page: a live view goes on
	// from there.
	maxFileText = 24 << 10
	maxText     = 1 << 20
	maxRead     = 24 << 20
)

// transcript is what a run has told so far, put together.
type transcript struct {
	Last      int64 // number of the last event
	Action    svc.ToolStatusEvent
	Files     []*transcriptFile
	Decisions []svc.StateUpdateEvent
	Memory    string
	Cost      *svc.CostSummaryEvent

	byPath map[string]*transcriptFile
	text   int
	read   int
}

// transcriptFile is one file as far as it has been told.
type transcriptFile struct {
	Path    string
	Attempt int
	Size    int64
	Cut     bool

	text strings.Builder
}

// Text is the beginning of the file.
func (f *transcriptFile) Text() string { return f.text.String() }

// Blank is the shape of a file of which nothing has been told.
func (*transcript) Blank() *transcriptFile { return &transcriptFile{} }

func newTranscript() *transcript { return &transcript{byPath: map[string]*transcriptFile{}} }

// add takes one event in and says whether there is room for more.
func (s *transcript) add(e svc.Event) bool {
	if s.read += len(e.Data); s.read > maxRead {
		return false
	}
	s.Last = e.Seq
	switch e.Name {
	case svc.EventToken:
		take(e.Data, s.addToken)
	case svc.EventStateUpdate:
		take(e.Data, s.addDecision)
	case svc.EventMemoryUpdate:
		take(e.Data, func(m svc.MemoryUpdateEvent) { s.Memory = m.Content })
	case svc.EventToolStatus:
		take(e.Data, s.addAction)
	case svc.EventCostSummary:
		take(e.Data, func(c svc.CostSummaryEvent) { s.Cost = &c })
	case svc.EventBundleReady, svc.EventError: // the record tells the ending
	}
	return true
}

// take decodes a payload; one that cannot be read tells nothing.
func take[T any](data []byte, use func(T)) {
	var payload T
	if json.Unmarshal(data, &payload) == nil {
		use(payload)
	}
}

func (s *transcript) addAction(a svc.ToolStatusEvent) {
	if a.RunAttempt > 1 { // what was said before is void
		*s = transcript{Last: s.Last, read: s.read, byPath: map[string]*transcriptFile{}}
	}
	s.Action = a
}

func (s *transcript) addDecision(d svc.StateUpdateEvent) {
	for i := range s.Decisions {
		if s.Decisions[i].Key == d.Key {
			s.Decisions[i] = d
			return
		}
	}
	s.Decisions = append(s.Decisions, d)
}

func (s *transcript) addToken(t svc.TokenEvent) {
	f := s.byPath[t.File]
	if f == nil {
		f = &transcriptFile{Path: t.File, Attempt: t.Attempt}
		s.byPath[t.File] = f
		s.Files = append(s.Files, f)
	}
	if t.Attempt > f.Attempt {
		s.text -= f.text.Len()
		*f = transcriptFile{Path: t.File, Attempt: t.Attempt}
	}
	if t.Attempt < f.Attempt {
		return
	}
	f.Size = t.Offset + int64(len(t.Delta))
	if f.Cut || f.text.Len()+len(t.Delta) > maxFileText || s.text+len(t.Delta) > maxText {
		f.Cut = true
		return
	}
	f.text.WriteString(t.Delta)
	s.text += len(t.Delta)
}
