package merge

import "strings"

// bracketDetail is what an editor must know of a container in brackets beyond
// its range.
type bracketDetail struct {
	lastEnd           int  // end of the last value, or of the opening bracket
	contentEnd        int  // end of the last value, comma or comment inside
	trailingComma     bool // a comma follows the last value
	padded            bool // a space follows the opening bracket
	endsInLineComment bool // the content ends in a comment that reaches to the end of its line
}

// brackets inserts entries into containers that are written in brackets, in the
// style that they have: all of JSON, flow collections of YAML, arrays and inline
// tables of TOML. The three editors embed it.
type brackets struct {
	src       string
	eol       string
	step      string // one level of indentation
	comma     string // what separates entries on one line
	multiline bool   // empty containers are opened over several lines
	padDicts  bool   // dicts are written with spaces inside of their braces
}

// entryLayout is how new entries stand in a container.
type entryLayout struct {
	multiline bool   // each on a line of its own
	indent    string // of these lines
	before    string // between what is there and the first new entry
	between   string // between the comma behind a new entry and the next one
	after     string // between the last new entry and the closing bracket
}

// entryText is an entry as it is written, and the comment behind it on its line,
// which follows the comma.
type entryText struct{ text, comment string }

func joinEntries(entries []entryText, between string, trailingComma bool) string {
	var out strings.Builder
	for i, e := range entries {
		out.WriteString(e.text)
		isLast := i == len(entries)-1
		if !isLast || trailingComma {
			out.WriteString(",")
		}
		if e.comment != "" {
			out.WriteString(" " + e.comment)
		}
		if !isLast {
			out.WriteString(between)
		}
	}
	return out.String()
}

// insert puts entries behind the last one of a container. Write gives one of
// them; from is the container that they come from.
func (b brackets) insert(n, from *node, count int, write func(i int, indent string, multiline bool) entryText) []splice {
	layout := b.layout(n, from)
	entries := make([]entryText, count)
	for i := range entries {
		entries[i] = write(i, layout.indent, layout.multiline)
	}
	d := n.brackets
	if layout.after == "" && !hasNewline(b.src, d.contentEnd, n.end) {
		entries[count-1].comment = "" // the closing bracket follows on the line
	}
	inserted := layout.before + joinEntries(entries, layout.between, d.trailingComma)
	end := d.contentEnd
	if closer := n.end - 1; layout.after != "" && strings.Trim(b.src[end:closer], " \t") == "" {
		end = closer // in place of the blanks of { }
	}
	insertion := splice{d.contentEnd, end, inserted + layout.after}
	if n.size() == 0 || d.trailingComma {
		return []splice{insertion}
	}
	return []splice{{d.lastEnd, d.lastEnd, ","}, insertion}
}

// layout chooses how new entries stand in a container: like those that it has,
// or, in an empty one, like those of the container that they come from.
func (b brackets) layout(n, from *node) entryLayout {
	var l entryLayout
	switch {
	case n.size() > 0:
		l = b.besideOthers(n)
	case hasNewline(b.src, n.start, n.end):
		l = b.betweenLines(n)
	default:
		l = b.betweenBrackets(n, from)
	}
	// A line comment would swallow what follows it.
	l.multiline = l.multiline || n.brackets.endsInLineComment
	l.between = b.commaOf(n)[1:]
	if l.multiline {
		l.between = b.eol + l.indent
	}
	if l.multiline || n.size() > 0 {
		l.before = l.between
	}
	return l
}

// besideOthers is the layout of the last entry.
func (b brackets) besideOthers(n *node) entryLayout {
	l := entryLayout{indent: indentAt(b.src, n.start) + b.step}
	starts := []int{n.start}
	for start := range n.entries() {
		starts = append(starts, start)
	}
	last := len(starts) - 1
	if l.multiline = hasNewline(b.src, starts[last-1], starts[last]); l.multiline {
		l.indent = b.entryIndent(starts[1:], l.indent)
	}
	return l
}

// betweenLines is the layout for an empty container whose brackets stand on
// different lines.
func (b brackets) betweenLines(n *node) entryLayout {
	outer := n.start
	if closer := n.end - 1; firstOnLine(b.src, closer) {
		outer = closer
	}
	return entryLayout{multiline: true, indent: indentAt(b.src, outer) + b.step}
}

// betweenBrackets is the layout for an empty container on one line.
func (b brackets) betweenBrackets(n, from *node) entryLayout {
	outer := indentAt(b.src, n.start)
	l := entryLayout{indent: outer + b.step}
	isBare := n.brackets.contentEnd == n.start+1 && !n.brackets.padded
	switch {
	case b.multiline && !from.inline:
		l.multiline, l.after = true, b.eol+outer
	case isBare && b.pads(from):
		l.before, l.after = " ", " "
	}
	return l
}

// pads reports whether a container like from is written with spaces inside of
// its brackets.
func (b brackets) pads(from *node) bool {
	if from.flow {
		return from.brackets.padded && b.comma != ","
	}
	return b.padDicts && from.kind == dictKind
}

// commaOf is how a container separates entries on one line.
func (b brackets) commaOf(n *node) string {
	gap := b.comma
	switch {
	case len(n.items) > 1:
		gap = b.src[n.items[0].end:n.items[1].start]
	case len(n.fields) > 1:
		gap = b.src[n.fields[0].value.end:n.fields[1].keyStart]
	}
	if gap == "," || gap == ", " {
		return gap
	}
	return b.comma
}

// entryIndent is the indentation of the last entry that begins a line. It looks
// at a few only: on a line of a mebibyte each look is long.
func (b brackets) entryIndent(starts []int, otherwise string) string {
	for i := len(starts) - 1; i >= max(0, len(starts)-8); i-- {
		if firstOnLine(b.src, starts[i]) {
			return indentAt(b.src, starts[i])
		}
	}
	last := starts[len(starts)-1]
	line := lineStart(b.src, last)
	if b.src[line+len(indentAt(b.src, last))] != ',' {
		return otherwise
	}
	// Commas come first: the entries are aligned behind them.
	return strings.Repeat(" ", last-line)
}

// indentStep is how far the entries of the first container in brackets that is
// spread over lines are indented beyond it.
func indentStep(src string, n *node) (step string, ok bool) {
	if n.inline {
		return "", false
	}
	isFirst := n.flow
	for start, v := range n.entries() {
		if isFirst && firstOnLine(src, start) {
			outer, inner := indentAt(src, n.start), indentAt(src, start)
			if step, ok = strings.CutPrefix(inner, outer); ok && step != "" {
				return step, true
			}
		}
		isFirst = false
		if step, ok = indentStep(src, v); ok {
			return step, true
		}
	}
	return "", false
}
