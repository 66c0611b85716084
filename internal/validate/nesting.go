package validate

import (
	"bytes"
	"fmt"
)

// maxNesting is how deep brackets may stand in brackets. The parsers of some
// formats call themselves at each, and the stack of a process is finite: beyond
// it there is nothing to recover.
const maxNesting = 200

// delimiters are what hides brackets in a format.
type delimiters struct {
	quotes  string // characters that begin and end a text
	raw     string // those of them in which a backslash is nothing special
	triple  bool   // three of them make a text of several lines
	comment string // what begins a comment that the end of the line ends
	block   bool   // there are /* comments */
}

var (
	jsoncDelimiters = delimiters{quotes: `"`, comment: "//", block: true}
	tomlDelimiters  = delimiters{quotes: `"'`, raw: "'", triple: true, comment: "#"}
)

// checkNesting refuses what is nested too deep, in one pass. It reads texts and
// comments as the parser will, up to the first error that the parser would find.
func checkNesting(content []byte, m delimiters) error {
	depth, line := 0, 1
	for rest := content; len(rest) > 0; {
		n := m.hidden(rest)
		if n == 0 {
			n = 1
			switch rest[0] {
			case '[', '{', '(':
				if depth++; depth > maxNesting {
					return fmt.Errorf("line %d: brackets are nested more than %d deep", line, maxNesting)
				}
			case ']', '}', ')':
				depth = max(depth-1, 0)
			}
		}
		line += bytes.Count(rest[:n], []byte{'\n'})
		rest = rest[n:]
	}
	return nil
}

// hidden is the length of the text or comment that begins here; 0: none does.
func (m delimiters) hidden(s []byte) int {
	switch {
	case bytes.HasPrefix(s, []byte(m.comment)):
		return until(s, len(m.comment), "\n")
	case m.block && bytes.HasPrefix(s, []byte("/*")):
		return until(s, 2, "*/")
	case bytes.IndexByte([]byte(m.quotes), s[0]) < 0:
		return 0
	}
	if m.triple && len(s) >= 3 && s[1] == s[0] && s[2] == s[0] {
		n := m.text(s, s[:3])
		for range 2 { // a long text may end with quotes of its own
			if n < len(s) && s[n] == s[0] {
				n++
			}
		}
		return n
	}
	return m.text(s, s[:1])
}

// text is the length of a text that begins and ends with the same quotes.
func (m delimiters) text(s, quotes []byte) int {
	if bytes.IndexByte([]byte(m.raw), s[0]) >= 0 {
		return until(s, len(quotes), string(quotes))
	}
	for i := len(quotes); i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if bytes.HasPrefix(s[i:], quotes) {
			return i + len(quotes)
		}
	}
	return len(s)
}

// until is the length up to and with an end that is looked for after from.
func until(s []byte, from int, end string) int {
	if i := bytes.Index(s[from:], []byte(end)); i >= 0 {
		return from + i + len(end)
	}
	return len(s)
}
