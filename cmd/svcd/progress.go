package main

import (
	"fmt"
	"io"
	"time"

	"github.com/bundle-delivery/svc/internal/store/migrate"
)

// progress shows people how far a long command is: one line that changes. In a
// pipe it says nothing.
type progress struct {
	out   io.Writer // nil: nobody watches
	shown time.Time
	stage migrate.Stage
}

// showEvery is how often the line changes at most.
const showEvery = 100 * time.Millisecond

func newProgress(w io.Writer) *progress {
	if !isTerminal(w) {
		return &progress{}
	}
	return &progress{out: w}
}

func (p *progress) update(now migrate.Progress) {
	if p.out == nil || now.Stage == p.stage && time.Since(p.shown) < showEvery {
		return
	}
	p.shown, p.stage = time.Now(), now.Stage
	text := fmt.Sprintf("%s: %d", now.Stage, now.Done)
	if now.What != "" {
		text = fmt.Sprintf("%s: %s %d", now.Stage, now.What, now.Done)
	}
	// What cannot be shown is no reason to stop.
	_, _ = fmt.Fprintf(p.out, "\r\x1b[K%s", text)
}

// end makes room for what is said next.
func (p *progress) end() {
	if p.out != nil {
		_, _ = io.WriteString(p.out, "\r\x1b[K")
	}
}
