package merge

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoted reads a scalar in single or double quotes. Its further lines must be
// indented beyond the column outer.
func (r *yamlReader) quoted(outer int) (string, error) {
	quote := r.src[r.at]
	r.at++
	var text strings.Builder
	for r.at < len(r.src) {
		c := r.src[r.at]
		switch {
		case c == quote && quote == '\'' && r.at+1 < len(r.src) && r.src[r.at+1] == '\'':
			text.WriteByte('\'')
			r.at += 2
		case c == quote:
			r.at++
			return text.String(), nil
		case c == '\\' && quote == '"':
			if err := r.escape(&text, outer); err != nil {
				return "", err
			}
		case c == ' ' || c == '\t':
			start := r.at
			r.blanks()
			if r.peek(0) != '\n' {
				text.WriteString(r.src[start:r.at])
			}
		case c == '\n' || c == '\r':
			text.WriteString(fold(r.lineBreaks()))
			if err := r.insideIndent(outer); err != nil {
				return "", err
			}
		default:
			text.WriteByte(c)
			r.at++
		}
	}
	return "", r.fail("a quoted text does not end")
}

// insideIndent checks a further line of a quoted scalar.
func (r *yamlReader) insideIndent(outer int) error {
	if r.at < len(r.src) && r.spaces() <= outer || r.column() == 0 && (r.atMarker("---") || r.atMarker("...")) {
		return r.fail("a quoted text is not indented far enough")
	}
	return nil
}

// escape reads a backslash and what it stands for.
func (r *yamlReader) escape(text *strings.Builder, outer int) error {
	c := r.peek(1)
	r.at += 2
	digits := 0
	switch c {
	case '\n':
		r.at--
		breaks := r.lineBreaks()
		text.WriteString(strings.Repeat("\n", breaks-1))
		return r.insideIndent(outer)
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		plain := yamlEscapes[c]
		if plain == "" {
			return r.fail("a backslash stands before a character that it cannot stand before")
		}
		text.WriteString(plain)
		return nil
	}
	if r.at+digits > len(r.src) {
		return r.fail("a quoted text does not end")
	}
	v, err := strconv.ParseUint(r.src[r.at:r.at+digits], 16, 32)
	if err != nil || !utf8.ValidRune(rune(v)) {
		return r.fail("an escape names no character")
	}
	text.WriteRune(rune(v))
	r.at += digits
	return nil
}

// yamlEscapes are what a backslash and one character stand for.
var yamlEscapes = [256]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '/': "/", '\\': `\`, 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// blockScalar reads a text behind | or >.
func (r *yamlReader) blockScalar(outer int) (*node, error) {
	start := r.at
	folded := r.src[r.at] == '>'
	chomp, explicit := byte(0), 0
	for r.at++; !isBreak(r.peek(0)); r.at++ {
		switch c := r.peek(0); {
		case (c == '+' || c == '-') && chomp == 0:
			chomp = c
		case c >= '1' && c <= '9' && explicit == 0:
			explicit = int(c - '0')
		default:
			return nil, r.fail("the head of a block text is malformed")
		}
	}
	end := r.at
	if err := r.endLine(); err != nil {
		return nil, err
	}
	r.lineComment = ""
	t := blockText{indent: -1}
	if explicit > 0 {
		t.indent = max(outer, 0) + explicit
	}
	if err := r.blockLines(outer, &t); err != nil {
		return nil, err
	}
	if t.textEnd > 0 {
		end = t.textEnd
	}
	if chomp == '+' && t.blankEnd > 0 {
		end = t.blankEnd
	}
	n := &node{kind: stringKind, block: true, raw: r.src[start:end], start: start, end: end, outer: outer}
	n.text = chompText(t.lines, folded, chomp)
	if end == len(r.src) && chomp != '-' {
		n.text = strings.TrimSuffix(n.text, "\n") // the file has no final newline to be part of the text
	}
	return n, nil
}

// blockText is the body of a block scalar.
type blockText struct {
	indent   int      // of its text; -1 until known
	lines    []string // without indentation
	textEnd  int      // end of the last line with text, 0 if there is none
	blankEnd int      // end of the last line, 0 if there is none
}

// blockLines reads on as far as lines belong to the block.
func (r *yamlReader) blockLines(outer int, t *blockText) error {
	widest := 0
	for {
		next := r.at + len(lineBreak(r.src[r.at:]))
		if next == r.at || next == len(r.src) {
			return nil
		}
		end := lineEnd(r.src, next)
		line := r.src[next:end]
		text := strings.TrimLeft(line, " ")
		spaces := len(line) - len(text)
		switch {
		case text == "" && t.indent < 0:
			widest = max(widest, spaces)
			line = ""
		case text == "":
			line = line[min(len(line), t.indent):]
		case t.indent < 0 && text[0] == '\t':
			// It would count as text, but others take it for indentation.
			return r.fail("a tab is used to indent")
		case spaces <= max(outer, 0) || spaces < t.indent:
			return nil
		case t.indent < 0 && widest > spaces:
			return r.fail("a blank line of a block text is indented further than its text")
		default:
			if t.indent < 0 {
				t.indent = spaces
			}
			line = line[t.indent:]
		}
		t.lines = append(t.lines, line)
		if line != "" {
			t.textEnd = end
		}
		t.blankEnd = end
		r.at, r.line = end, next
	}
}

// chompText joins the lines of a block text.
func chompText(lines []string, folded bool, chomp byte) string {
	last := len(lines)
	for last > 0 && lines[last-1] == "" {
		last--
	}
	var out strings.Builder
	if folded {
		foldLines(&out, lines[:last])
	} else {
		out.WriteString(strings.Join(lines[:last], "\n"))
	}
	switch {
	case chomp == '+':
		if last > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(strings.Repeat("\n", len(lines)-last))
	case chomp == 0 && last > 0:
		out.WriteByte('\n')
	}
	return out.String()
}

// foldLines joins lines as > does: a single line ending becomes a space unless
// a neighbour is indented further.
func foldLines(out *strings.Builder, lines []string) {
	deep := func(s string) bool { return s != "" && (s[0] == ' ' || s[0] == '\t') }
	for i := 0; i < len(lines); {
		out.WriteString(lines[i])
		j := i + 1
		for j < len(lines) && lines[j] == "" {
			j++
		}
		switch {
		case j >= len(lines):
		case lines[i] == "" && i == 0:
			out.WriteString(strings.Repeat("\n", j-i))
		case deep(lines[i]) || deep(lines[j]):
			out.WriteString(strings.Repeat("\n", j-i))
		case j-i == 1:
			out.WriteByte(' ')
		default:
			out.WriteString(strings.Repeat("\n", j-i-1))
		}
		i = j
	}
}
