package merge

import (
	"strconv"
	"strings"
	"unicode"
)

// block writes a collection of the bundle as lines at column 0.
func (e *yamlEditor) block(n *node) []string {
	var lines []string
	for _, f := range n.fields {
		step := e.step
		if f.value.kind == listKind {
			step = e.listStep
		}
		lines = append(lines, f.headComment...)
		lines = append(lines, e.behind(f.rawKey+":", f.value, step, f.lineComment)...)
	}
	for _, item := range n.items {
		lines = append(lines, item.headComment...)
		lines = append(lines, e.behind("-", item, 2, "")...)
	}
	return lines
}

// isYAMLBlock reports whether a value is written as lines of its own.
func isYAMLBlock(n *node) bool {
	return n.kind >= listKind && !n.flow && n.size() > 0
}

// yamlProps is the anchor and the tag of a value.
func yamlProps(n *node) string {
	switch {
	case n.anchor == "":
		return n.tag
	case n.tag == "":
		return "&" + n.anchor
	}
	return "&" + n.anchor + " " + n.tag
}

// behind writes a value behind a key or a dash. The lines of a block are indented
// by a step, or begin on the line of the dash.
func (e *yamlEditor) behind(lead string, n *node, step int, comment string) []string {
	props := yamlProps(n)
	if !isYAMLBlock(n) {
		lines := e.scalar(n, false)
		if comment != "" && len(lines) == 1 {
			lines[0] = spaced(lines[0], comment)
		}
		lines[0] = spaced(lead, spaced(props, lines[0]))
		for i := 1; i < len(lines) && lead == "-"; i++ {
			lines[i] = shifted(lines[i], step)
		}
		return lines
	}
	inner := e.block(n)
	for i := range inner {
		inner[i] = shifted(inner[i], step)
	}
	if lead == "-" && props == "" {
		inner[0] = "-" + inner[0][1:]
		return inner
	}
	return append([]string{spaced(lead, props)}, inner...)
}

// spaced joins two texts with a space, if both say something.
func spaced(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

func shifted(line string, by int) string {
	if line == "" {
		return ""
	}
	return strings.Repeat(" ", by) + line
}

// scalar writes a value that begins on the line of its key: the first line as
// it follows the key, further ones indented from the key's column.
func (e *yamlEditor) scalar(n *node, last bool) []string {
	if n.kind >= listKind {
		return []string{e.flowBody(n)}
	}
	if !strings.Contains(n.raw, "\n") && !n.block {
		return []string{n.raw}
	}
	if !last && e.finalEOL {
		lines, ok := asWritten(n)
		if !ok {
			lines, ok = literal(n.text)
		}
		if ok {
			for i := 1; i < len(lines); i++ {
				lines[i] = shifted(lines[i], e.step)
			}
			return lines
		}
	}
	if plainSafe(n.text) {
		return []string{n.text}
	}
	return []string{doubleQuoted(n.text)}
}

// asWritten takes a block text over as the bundle wrote it, without its
// indentation.
func asWritten(n *node) ([]string, bool) {
	head, body, ok := strings.Cut(strings.ReplaceAll(n.raw, "\r\n", "\n"), "\n")
	if !n.block || !ok || strings.Trim(head, "|>-") != "" {
		return nil, false
	}
	if !strings.Contains(head, "-") && !strings.HasSuffix(n.text, "\n") {
		return nil, false // it ends its file without a newline, and would have one here
	}
	lines := strings.Split(body, "\n")
	indent := ""
	for _, line := range lines {
		if text := strings.TrimLeft(line, " "); text != "" {
			indent = line[:len(line)-len(text)]
			break
		}
	}
	for i, line := range lines {
		if lines[i], ok = strings.CutPrefix(line, indent); !ok && strings.Trim(line, " ") != "" {
			return nil, false
		} else if !ok {
			lines[i] = ""
		}
	}
	return append([]string{head}, lines...), true
}

// literal writes a text of several lines behind a bar.
func literal(text string) ([]string, bool) {
	if !strings.Contains(text, "\n") || text[0] == ' ' || text[0] == '\n' || text[0] == '\t' {
		return nil, false
	}
	for _, r := range text {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return nil, false
		}
	}
	body, head := strings.TrimSuffix(text, "\n"), "|"
	switch {
	case body == text:
		head = "|-"
	case strings.HasSuffix(body, "\n"):
		return nil, false
	}
	lines := strings.Split(body, "\n")
	for _, line := range lines {
		if line != "" && strings.TrimSpace(line) == "" {
			return nil, false
		}
	}
	return append([]string{head}, lines...), true
}

// flowKey writes a key and its colon inside of braces.
func (e *yamlEditor) flowKey(f field) string {
	if strings.ContainsAny(f.rawKey, ",[]{}:#?") && f.rawKey[0] != '"' && f.rawKey[0] != '\'' {
		return doubleQuoted(f.key) + ": "
	}
	return f.rawKey + ": "
}

// flowText writes a value on one line, inside of brackets or not.
func (e *yamlEditor) flowText(n *node) string {
	return spaced(yamlProps(n), e.flowBody(n))
}

func (e *yamlEditor) flowBody(n *node) string {
	switch n.kind {
	case dictKind, listKind:
		parts := make([]string, 0, n.size())
		for _, f := range n.fields {
			parts = append(parts, e.flowKey(f)+e.flowText(f.value))
		}
		for _, item := range n.items {
			parts = append(parts, e.flowText(item))
		}
		text := strings.Join(parts, ", ")
		if n.brackets.padded && text != "" {
			text = " " + text + " "
		}
		if n.kind == listKind {
			return "[" + text + "]"
		}
		return "{" + text + "}"
	case nullKind:
		if n.raw == "" {
			return "null"
		}
	case stringKind:
		special := !isQuotedYAML(n.raw) && strings.ContainsAny(n.raw, ",[]{}:#?")
		if n.block || n.raw == "" || special || strings.Contains(n.raw, "\n") {
			return doubleQuoted(n.text)
		}
	}
	return n.raw
}

// plainSafe reports whether a text can stand without quotes and is read as
// that text by every version of YAML.
func plainSafe(s string) bool {
	if !isPlainStart(s) || strings.TrimSpace(s) != s || strings.ContainsAny(s, "\n\t\"'\\") {
		return false
	}
	if strings.Contains(s, ": ") || strings.Contains(s, " #") || strings.HasSuffix(s, ":") {
		return false
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	c := s[0]
	if c >= '0' && c <= '9' || strings.IndexByte("+-.=<~", c) >= 0 {
		return false
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return false
	}
	return true
}

// doubleQuoted writes a text with escapes. YAML has all that Go's spelling uses.
func doubleQuoted(s string) string { return strconv.Quote(s) }
