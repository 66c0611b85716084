package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/bundle-delivery/svc/internal/text/printable"
)

// terminal is what can be shown to a person while a command is at work. Without
// a terminal it shows nothing.
type terminal struct {
	err            io.Writer
	errTTY, outTTY bool
	inTTY          bool
	colour         bool
	quiet          bool // no status line
	width          func() int
	shown          *bool // a status line stands there
}

func newTerminal(std Streams) terminal {
	t := terminal{
		err: std.Err, errTTY: isTerminal(std.Err), outTTY: isTerminal(std.Out), inTTY: isTerminal(std.In),
		shown: new(bool),
	}
	dumb := std.Getenv("TERM") == "dumb"
	t.colour = std.Getenv("NO_COLOR") == "" && !dumb
	t.errTTY = t.errTTY && !dumb
	t.width = func() int {
		if f, ok := std.Err.(*os.File); ok {
			if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
				return w
			}
		}
		return 80
	}
	return t
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// status shows one line that the next one replaces.
func (t terminal) status(format string, args ...any) {
	if !t.errTTY || t.quiet {
		return
	}
	text := []rune(printable.Line(fmt.Sprintf(format, args...)))
	if w := t.width() - 1; len(text) > w && w > 1 {
		text = append(text[:w-1], '…')
	}
	*t.shown = true
	_, _ = fmt.Fprintf(t.err, "\r\x1b[K%s", string(text))
}

// clear takes the status line away.
func (t terminal) clear() {
	if *t.shown {
		*t.shown = false
		_, _ = io.WriteString(t.err, "\r\x1b[K")
	}
}

// The colours that are used.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
	bold   = "1"

	boldGreen = bold + ";" + green
)

// paint colours a text for stdout.
func (t terminal) paint(code, text string) shown {
	return t.coloured(t.outTTY, code, printable.Line(text))
}

// paintNote colours a text for stderr.
func (t terminal) paintNote(code, text string) shown {
	return t.coloured(t.errTTY, code, printable.Line(text))
}

func (t terminal) coloured(tty bool, code, text string) shown {
	if t.colour && tty && code != "" {
		text = "\x1b[" + code + "m" + text + "\x1b[0m"
	}
	return shown(text)
}

// stepIndent is where the text of a step begins, and on a terminal that is too
// narrow for it goes on.
const stepIndent = 10

// hanging breaks a line between words so that it fits beside a margin. Without a
// terminal it stays one line: whoever reads a pipe wants one line for one thing.
func (t terminal) hanging(text string) shown {
	width := t.width() - 1 - stepIndent
	if !t.errTTY || width < stepIndent {
		return shown(text)
	}
	var out strings.Builder
	column := 0
	for i, word := range strings.Split(text, " ") {
		length := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+length > width:
			out.WriteString("\n" + strings.Repeat(" ", stepIndent))
			column = 0
		default:
			out.WriteByte(' ')
			column++
		}
		out.WriteString(word)
		column += length
	}
	return shown(out.String())
}

// oneLine is the first line of an error.
func oneLine(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// briefLines is how many lines of a list a terminal shows first.
const briefLines = 20

// brief is how many of n lines are shown: on a terminal a few, with --verbose and in a
// pipe all of them. One that stands for a single line saves none.
func (a *app) brief(n int) int {
	if a.term.outTTY && !a.verbose && n > briefLines+1 {
		return briefLines
	}
	return n
}

// more is the line that stands for those which are not shown.
func (a *app) more(n int, noun string) string {
	return fmt.Sprintf("… and %s more; --verbose shows them all", count(n, noun))
}

// ago writes a time that has passed for people.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	}
	return fmt.Sprintf("%d days ago", d/(24*time.Hour))
}

// count writes a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// tally lists numbers of things, but for those of which there are none.
type tally []string

func (t *tally) add(n int, format string) {
	if n > 0 {
		*t = append(*t, fmt.Sprintf(format, n))
	}
}

func (t *tally) addCount(n int, noun string) {
	if n > 0 {
		*t = append(*t, count(n, noun))
	}
}

// or returns the list, or the text for an empty one.
func (t *tally) or(none string) string { return cmp.Or(strings.Join(*t, ", "), none) }
