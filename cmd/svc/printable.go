package main

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Whatever comes from afar (what a server says, what a bundle or a folder holds)
// is shown through this file: print, note, step, status and printJSON call it, and
// nothing else writes to the two streams but what svc says by itself.

// shown is text that may be written as it is: what came from afar is printable in
// it, and the rest, such as colours, is svc's own.
type shown string

// steers says whether a character does more than stand where it is: a control
// character, which a terminal obeys, or one that changes lines or their direction.
func steers(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// printable shows a text of several lines, such as that of a file. What is no
// character becomes the one that stands for such.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && steers(r) {
			return '·'
		}
		return r
	}, text)
}

// line is printable for what must stay in its line.
func line(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(printable(text))
}

// indented shows a text that may have several lines. Those after the first are
// set in, so that none of them looks like a line of svc.
func indented(text string) shown {
	const margin = "  "
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = line(lines[i])
		if i > 0 && !strings.HasPrefix(lines[i], margin) {
			lines[i] = margin + lines[i]
		}
	}
	return shown(strings.Join(lines, "\n"))
}

// keepInLine makes every text among the arguments of a format stay in its line,
// but for what is shown.
func keepInLine(args []any) {
	for i, arg := range args {
		switch v := arg.(type) {
		case shown:
		case error:
			args[i] = line(v.Error())
		case fmt.Stringer:
			args[i] = line(v.String())
		default:
			if text := reflect.ValueOf(arg); text.Kind() == reflect.String {
				args[i] = line(text.String())
			}
		}
	}
}

// escapedJSON writes the characters that steer as JSON escapes: a program reads
// the same, a terminal nothing. In JSON that was encoded they, and bytes that are
// no characters, stand only inside of strings; the breaks of lines are its layout.
func escapedJSON(text []byte) []byte {
	var out bytes.Buffer
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			out.WriteRune(r)
		case r != '\n' && steers(r): // all of them are below U+10000
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.Write(text[:n])
		}
		text = text[n:]
	}
	return out.Bytes()
}
