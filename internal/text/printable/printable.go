// Package printable shows texts that others wrote to whoever sits at a terminal.
//
// Invariant. What comes out holds no character that a terminal obeys or that changes
// the order of text, and no bytes that are none.
package printable

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Steers says whether a character does more than stand where it is: a control
// character, which a terminal obeys, or one that changes lines or their direction.
func Steers(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// Text shows a text of several lines, such as that of a file. What is no character
// becomes the one that stands for such.
func Text(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && Steers(r) {
			return '·'
		}
		return r
	}, text)
}

// Line is Text for what must stay in its line.
func Line(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(Text(text))
}

// margin is in front of lines that are not the program's own.
const margin = "  "

// Indented shows a text that may have several lines behind something of the
// program's own. Those after the first are set in, so that none of them looks like a
// line of the program.
func Indented(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = Line(lines[i])
		if i > 0 && !strings.HasPrefix(lines[i], margin) {
			lines[i] = margin + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// Quoted is Indented for a text that stands in lines of its own: all are set in.
func Quoted(text string) string { return margin + Indented(text) }

// JSON writes the characters that steer as JSON escapes: a program reads the same, a
// terminal nothing. In JSON that was encoded they, and bytes that are no characters,
// stand only inside of strings; the breaks of lines are its layout.
func JSON(text []byte) []byte {
	var out bytes.Buffer
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			out.WriteRune(r)
		case r != '\n' && Steers(r): // all of them are below U+10000
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.Write(text[:n])
		}
		text = text[n:]
	}
	return out.Bytes()
}

// ShellWord makes a word safe to paste into a shell.
func ShellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./_-", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
