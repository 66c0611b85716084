package merge

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// scalar finds where a scalar ends, and gives it its kind.
func (r *yamlReader) scalar(n *node, theirs *yaml.Node, at int) (err error) {
	n.kind, n.text = stringKind, theirs.Value
	switch theirs.Style &^ yaml.TaggedStyle {
	case yaml.LiteralStyle, yaml.FoldedStyle:
		n.block = true
		n.end, err = r.blockEnd(at, n.outer)
	case yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle:
		n.end, err = r.quotedEnd(at, n)
	default:
		n.end, err = r.plainEnd(at, theirs.Value)
	}
	if err != nil {
		return err
	}
	n.raw = r.src[at:n.end]
	if theirs.Style&^yaml.TaggedStyle != 0 {
		return nil
	}
	spansLines := strings.Contains(n.raw, "\n")
	switch {
	case n.flow && strings.HasSuffix(n.raw, ":"):
		return r.fail(at, "a colon needs a space behind it")
	case n.flow && (n.raw[0] == ':' || strings.Contains(n.raw, "?")) || !isPlainStart(n.raw):
		return r.fail(at, "a value begins with a character that has a meaning of its own")
	case n.flow && spansLines:
		return r.fail(at, "a value in brackets spans lines or is not separated by a comma")
	case tabIndents(n.raw, n.outer):
		return r.fail(at, "a tab is used to indent")
	case !spansLines:
		n.resolveYAML()
	}
	return nil
}

// plainEnd returns where a scalar without quotes ends: its characters stand in the
// source as they are, and only white space between them may differ.
func (r *yamlReader) plainEnd(at int, text string) (int, error) {
	end := at
	for i := range len(text) {
		if isBreak(text[i]) {
			continue
		}
		for end < len(r.src) && isBreak(r.peek(end)) {
			end++
		}
		if r.peek(end) != text[i] {
			return 0, r.fail(at, "a value is not where it should be")
		}
		end++
	}
	return end, nil
}

// quotedEnd returns where a scalar in quotes ends. In a block, its further lines must
// be indented beyond the column around: other parsers want that.
func (r *yamlReader) quotedEnd(at int, n *node) (int, error) {
	quote := r.peek(at)
	if quote != '"' && quote != '\'' {
		return 0, r.fail(at, "a value is not where it should be")
	}
	end := at + 1
	for ; end < len(r.src) && r.src[end] != quote || quote == '\'' && r.peek(end+1) == quote; end++ {
		if quote == '\'' && r.src[end] == quote || quote == '"' && r.src[end] == '\\' {
			end++
		}
	}
	if end >= len(r.src) {
		return 0, r.fail(at, "a quoted text does not end")
	}
	end++
	_, further, _ := strings.Cut(r.src[at:end], "\n")
	for line := range strings.Lines(further) {
		text := strings.TrimLeft(line, " ")
		if !n.flow && len(line)-len(text) <= n.outer && strings.TrimSpace(text) != "" {
			return 0, r.fail(at, "a quoted text is not indented far enough")
		}
	}
	return end, nil
}

// blockEnd returns where a text behind | or > ends: with its last line that is not
// blank, or, where its head says so, with the blank lines behind it.
func (r *yamlReader) blockEnd(at, outer int) (int, error) {
	line := lineEnd(r.src, at)
	if at-lineStart(r.src, at) <= outer {
		return 0, r.fail(at, "the indentation does not fit")
	}
	head := r.src[at:line]
	if i := strings.IndexAny(head, " \t"); i >= 0 {
		head = head[:i]
	}
	if strings.Trim(head[1:], "+-123456789") != "" {
		return 0, r.fail(at, "the head of a block text is malformed")
	}
	end := at + len(head)
	indent, widest := -1, 0
	if i := strings.IndexAny(head, "123456789"); i >= 0 {
		indent = max(outer, 0) + int(head[i]-'0')
	}
	for {
		next := line + len(lineBreak(r.src[line:]))
		if next == line || next == len(r.src) {
			return end, nil
		}
		line = lineEnd(r.src, next)
		text := strings.TrimLeft(r.src[next:line], " ")
		spaces := line - next - len(text)
		isText := text != "" || indent >= 0 && spaces > indent
		switch {
		case text == "" && indent < 0:
			widest = max(widest, spaces)
		case text == "":
		case indent < 0 && text[0] == '\t':
			// It would count as text, but others take it for indentation.
			return 0, r.fail(line, "a tab is used to indent")
		case spaces <= max(outer, 0) || spaces < indent:
			return end, nil
		case indent < 0 && widest > spaces:
			return 0, r.fail(line, "a blank line of a block text is indented further than its text")
		case indent < 0:
			indent = spaces
		}
		if isText || strings.Contains(head, "+") {
			end = line
		}
	}
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

// isPlainStart reports whether a plain scalar may begin like s.
func isPlainStart(s string) bool {
	if s == "" {
		return false
	}
	switch s[0] {
	case '-', '?', ':':
		return len(s) > 1 && s[1] != ' ' && s[1] != '\t'
	}
	return strings.IndexByte(",[]{}#&*!|>'\"%@`", s[0]) < 0
}
