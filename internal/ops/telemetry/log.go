// Package telemetry writes the log and the metrics that operators see.
//
// Invariants. A full API key never reaches the log: whoever wrote a line, and in
// whatever field, the secret in it is masked before the line leaves the process.
// No id is a label of a metric, so that the number of series does not grow with
// the number of users. A metric that has to ask the database asks when it is
// read, and says so when it could not.
package telemetry

import (
	"io"
	"log/slog"
	"regexp"
	"strings"
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

// fullKey is a key as svc.ParseKey takes it, its secret behind the part that is shown.
var fullKey = regexp.MustCompile(`(svc_[0-9A-Za-z]{8}_)[0-9A-Fa-f]{32}`)

var hidden = []byte("${1}" + strings.Repeat("*", 32))

func (m masked) Write(p []byte) (int, error) {
	// The caller's bytes are not ours to change, and their number is what it asks about.
	if _, err := m.w.Write(fullKey.ReplaceAll(p, hidden)); err != nil {
		return 0, err
	}
	return len(p), nil
}
