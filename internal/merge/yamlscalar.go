package merge

import (
	"strconv"
	"strings"
)

// inlineValue reads a value that begins on the line of its key or dash, or
// that is no collection in block style. Outer is the column of the container
// around: the lines of the value must be indented beyond it.
func (r *yamlReader) inlineValue(outer int) (*node, error) {
	start := r.at
	switch c := r.peek(0); c {
	case '&', '!':
		return r.withProps(outer)
	case '*':
		n, err := r.alias()
		if err != nil {
			return nil, err
		}
		n.outer = outer
		return n, r.endLine()
	case '[', '{':
		r.flowOuter = outer
		n, err := r.flow()
		if err != nil {
			return nil, err
		}
		n.outer = outer
		return n, r.endLine()
	case '|', '>':
		return r.blockScalar(outer)
	case '"', '\'':
		text, err := r.quoted(outer)
		if err != nil {
			return nil, err
		}
		n := &node{kind: stringKind, text: text, raw: r.src[start:r.at], start: start, end: r.at, outer: outer}
		return n, r.endLine()
	}
	return r.plain(outer)
}

// plain reads a scalar without quotes, which may go on over several lines.
func (r *yamlReader) plain(outer int) (*node, error) {
	start := r.at
	end := lineEnd(r.src, r.at)
	line := plainPart(r.src[r.at:end])
	if !isPlainStart(line) {
		return nil, r.fail("a value begins with a character that has a meaning of its own")
	}
	if plainKeyEnd(line) >= 0 {
		return nil, r.fail("a colon stands where no key can be")
	}
	r.at += len(line)
	var text strings.Builder
	last := r.at
	for {
		if err := r.endLine(); err != nil {
			return nil, err
		}
		if r.lineComment != "" {
			break
		}
		saved := *r
		breaks := r.lineBreaks()
		if r.at >= len(r.src) || r.peek(0) == '#' || r.spaces() <= outer || r.column() == 0 && (r.atMarker("---") || r.atMarker("...")) {
			*r = saved
			break
		}
		if tabIndents(r.src[last:r.at], outer) {
			return nil, r.fail("a tab is used to indent")
		}
		line = plainPart(r.src[r.at:lineEnd(r.src, r.at)])
		if plainKeyEnd(line) >= 0 {
			return nil, r.fail("the indentation does not fit")
		}
		if text.Len() == 0 {
			text.WriteString(r.src[start:last])
		}
		text.WriteString(fold(breaks))
		text.WriteString(line)
		r.at += len(line)
		last = r.at
	}
	n := &node{raw: r.src[start:last], start: start, end: last, outer: outer}
	if hasNewline(r.src, start, last) {
		n.kind, n.text = stringKind, text.String()
		return n, nil
	}
	n.resolveYAML()
	return n, nil
}

// lineBreaks goes over line endings and the blanks of blank lines to the next
// text, and counts the endings.
func (r *yamlReader) lineBreaks() int {
	breaks := 0
	for r.peek(0) == '\n' {
		if r.src[r.at] == '\r' {
			r.at++
		}
		r.at++
		r.line = r.at
		breaks++
		r.blanks()
	}
	return breaks
}

// tabIndents reports whether, in the blanks between two lines of a value, a tab
// stands where the indentation of the value has to be.
func tabIndents(blanks string, outer int) bool {
	_, lines, _ := strings.Cut(blanks, "\n")
	for line := range strings.Lines(lines) {
		rest := strings.TrimLeft(line, " ")
		if len(line)-len(rest) <= outer && strings.HasPrefix(rest, "\t") {
			return true
		}
	}
	return false
}

// spaces counts the spaces with which the line at the position begins.
func (r *yamlReader) spaces() int {
	n := 0
	for r.line+n < len(r.src) && r.src[r.line+n] == ' ' {
		n++
	}
	return n
}

// fold is what line endings inside of a scalar mean: one is a space, more are
// one less.
func fold(breaks int) string {
	if breaks == 1 {
		return " "
	}
	return strings.Repeat("\n", breaks-1)
}

// plainPart cuts a line before a comment and the white space at its end.
func plainPart(line string) string {
	for i := 1; i < len(line); i++ {
		if line[i] == '#' && (line[i-1] == ' ' || line[i-1] == '\t') {
			line = line[:i]
			break
		}
	}
	return strings.TrimRight(line, " \t")
}

// resolveYAML gives a plain scalar its kind. Spellings on which versions of
// YAML disagree, such as yes, 0777 or 1_000, keep their text and equal only
// themselves.
func (n *node) resolveYAML() {
	s := n.raw
	n.kind, n.text = stringKind, s
	switch s {
	case "", "~", "null", "Null", "NULL":
		n.kind, n.text = nullKind, "null"
		return
	case "true", "True", "TRUE", "false", "False", "FALSE":
		n.kind, n.text = boolKind, strings.ToLower(s)
		return
	case ".nan", ".NaN", ".NAN":
		n.kind, n.text = floatKind, "nan"
		return
	}
	body := strings.TrimLeft(s, "+-")
	if len(s)-len(body) > 1 || body == "" {
		return
	}
	negative := strings.HasPrefix(s, "-")
	switch body {
	case ".inf", ".Inf", ".INF":
		n.kind, n.text = floatKind, "inf"
		if negative {
			n.text = "-inf"
		}
		return
	}
	if c := body[0]; c != '.' && (c < '0' || c > '9') {
		return
	}
	if len(body) > 2 && body[0] == '0' && (body[1] == 'x' || body[1] == 'o') && body == s {
		base := 16
		if body[1] == 'o' {
			base = 8
		}
		if v, err := strconv.ParseUint(body[2:], base, 64); err == nil {
			n.kind, n.text = numberKind, strconv.FormatUint(v, 10)
		}
		return
	}
	if strings.Trim(body, "0123456789") == "" {
		n.kind = numberKind
		if len(body) == 1 || body[0] != '0' {
			n.text = strings.TrimPrefix(s, "+")
		}
		if n.text == "-0" {
			n.text = "0"
		}
		return
	}
	if text, ok := yamlFloat(body); ok {
		n.kind, n.text = floatKind, text
		if negative && text != "0e0" {
			n.text = "-" + text
		}
	}
}

// yamlFloat reads a decimal number with a fraction or an exponent.
func yamlFloat(s string) (string, bool) {
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], strings.TrimLeft(s[i+1:], "+-")
		if exponent == "" || len(s)-i-1-len(exponent) > 1 || strings.Trim(exponent, "0123456789") != "" {
			return "", false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return "", false
	}
	return decimal(s), true
}
