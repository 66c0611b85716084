package validate

import (
	"bytes"
	"fmt"
)

// maxNesting is how deep brackets may stand in brackets. The parsers of some
// formats call themselves at each, and the stack of a process is finite: beyond
// it there is nothing to recover.
const maxNesting = 200

// hiding is a text or comment of a format: brackets are none there.
type hiding struct {
	begin, end string
	escapes    bool // a backslash hides what follows it
}

// What hides brackets in each format. What begins with more comes first.
var (
	jsoncHiding = []hiding{{`"`, `"`, true}, {"//", "\n", false}, {"/*", "*/", false}}
	tomlHiding  = []hiding{{`"""`, `"""`, true}, {"'''", "'''", false}, {`"`, `"`, true}, {"'", "'", false}, {"#", "\n", false}}
)

// checkNesting refuses what is nested too deep, in one pass. It reads texts and
// comments as the parser will, up to the first error that the parser would find.
func checkNesting(content []byte, all []hiding) error {
	depth, line := 0, 1
	for rest := content; len(rest) > 0; {
		n := hidden(rest, all)
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
func hidden(s []byte, all []hiding) int {
	for _, h := range all {
		if !bytes.HasPrefix(s, []byte(h.begin)) {
			continue
		}
		for n := len(h.begin); n < len(s); n++ {
			if h.escapes && s[n] == '\\' {
				n++
			} else if bytes.HasPrefix(s[n:], []byte(h.end)) {
				n += len(h.end)
				for range len(h.end) - 1 { // a long text may end with quotes of its own
					if h.end == h.begin && n < len(s) && s[n] == s[0] {
						n++
					}
				}
				return n
			}
		}
		return len(s)
	}
	return 0
}
