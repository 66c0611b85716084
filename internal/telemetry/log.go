// Package telemetry writes the log and the metrics that operators see.
//
// Invariants. A full API key never reaches the log: whoever wrote a line, and in
// whatever field, the secret in it is masked before the line leaves the process.
// No id is a label of a metric, so that the number of series does not grow with
// the number of users. A metric that has to ask the database asks when it is
// read, and says so when it could not.
package telemetry

import (
	"bytes"
	"io"
	"log/slog"

	svc "github.com/bundle-delivery/svc"
)

// NewLogger makes a log that writes a line for each event: JSON for machines,
// or text for a person at a terminal.
func NewLogger(w io.Writer, forPeople bool) *slog.Logger {
	w = Masked(w)
	if forPeople {
		return slog.New(slog.NewTextHandler(w, nil))
	}
	return slog.New(slog.NewJSONHandler(w, nil))
}

// Masked makes a writer that hides the secrets of API keys. Each Write is
// looked at alone; loggers write whole lines.
//
// It is the last line of defence and not the only one. It works on the finished
// text because a key has no character that any format would escape.
func Masked(w io.Writer) io.Writer { return masked{w} }

type masked struct{ w io.Writer }

func (m masked) Write(p []byte) (int, error) {
	if clean, found := mask(p); found {
		// The caller's bytes are not ours to change, and their number is what it
		// asks about.
		if _, err := m.w.Write(clean); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	return m.w.Write(p)
}

const (
	keyStart    = "svc_"
	keyLength   = 45 // svc_, 8 public characters, _, 32 secret ones
	secretStart = 13
)

// mask overwrites the secret of every key in a copy of the text.
func mask(text []byte) (clean []byte, found bool) {
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(keyStart))
		if i < 0 || from+i+keyLength > len(text) {
			return clean, found
		}
		at := from + i
		from = at + len(keyStart)
		if _, ok := svc.ParseKey(string(text[at : at+keyLength])); !ok {
			continue
		}
		if !found {
			clean, found = bytes.Clone(text), true
		}
		for j := at + secretStart; j < at+keyLength; j++ {
			clean[j] = '*'
		}
	}
}
