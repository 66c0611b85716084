package merge

import "strings"

// bracketDetail is what an editor must know of a container in brackets beyond
// its range.
type bracketDetail struct {
	lastEnd       int32 // end of the last value, or of the opening bracket
	contentEnd    int32 // end of the last value, comma or comment inside
	trailingComma bool  // a comma follows the last value
	padded        bool  // a space follows the opening bracket
	lineComment   bool  // the content ends in a comment that reaches to the end of its line
}

// brackets inserts into containers in brackets, in the style that they have.
type brackets struct {
	src   string
	eol   string
	step  string // one level of indentation
	comma string // what separates entries on one line
	lines bool   // empty containers are spread over several lines
	pad   bool   // maps have spaces inside of their braces
}

// entryStarts are the offsets at which the entries of a container begin.
func entryStarts(n *node) []int {
	starts := make([]int, 0, len(n.fields)+len(n.items))
	for _, f := range n.fields {
		starts = append(starts, f.keyStart)
	}
	for _, item := range n.items {
		starts = append(starts, item.start)
	}
	return starts
}

// insert puts entries behind the last one of a container. An empty container
// is laid out like the one that the entries come from.
func (e brackets) insert(n, from *node, count int, text func(i int, indent string, spread bool) string) []splice {
	d := n.brackets
	lastEnd, contentEnd := int(d.lastEnd), int(d.contentEnd)
	starts := entryStarts(n)
	outer := indentAt(e.src, n.start)
	indent := outer + e.step
	var spread bool
	opening, closing := "", ""
	switch {
	case len(starts) > 0:
		last := starts[len(starts)-1]
		before := n.start
		if len(starts) > 1 {
			before = starts[len(starts)-2]
		}
		spread = hasNewline(e.src, before, last)
		if spread {
			indent = e.entryIndent(starts, indent)
		}
	case !hasNewline(e.src, n.start, n.end):
		spread = e.lines && !from.inline
		if spread {
			closing = e.eol + outer
		} else if e.padded(from) && !d.padded && contentEnd == n.start+1 {
			opening, closing = " ", " "
		}
	default:
		spread = true
		if closer := n.end - 1; firstOnLine(e.src, closer) {
			indent = indentAt(e.src, closer) + e.step
		}
	}
	if d.lineComment {
		spread = true // the comment would swallow what follows on its line
	}
	comma := e.commaOf(n)
	lead, between := opening, comma
	switch {
	case spread:
		lead, between = e.eol+indent, ","+e.eol+indent
	case len(starts) > 0:
		lead = comma[1:]
	}
	var out strings.Builder
	out.WriteString(lead)
	for i := range count {
		if i > 0 {
			out.WriteString(between)
		}
		out.WriteString(text(i, indent, spread))
	}
	if d.trailingComma {
		out.WriteString(",")
	}
	out.WriteString(closing)
	end := contentEnd
	if closing != "" && strings.Trim(e.src[end:n.end-1], " \t") == "" {
		end = n.end - 1 // the blanks of { } would stand before the closing bracket
	}
	splices := []splice{{contentEnd, end, out.String()}}
	if len(starts) > 0 && !d.trailingComma {
		splices = append([]splice{{lastEnd, lastEnd, ","}}, splices...)
	}
	return splices
}

// padded reports whether a container like from is written with spaces inside
// of its brackets.
func (e brackets) padded(from *node) bool {
	if from.brackets.lastEnd > 0 {
		return from.brackets.padded && e.comma != ","
	}
	return e.pad && from.kind == dictKind
}

// commaOf is how a container separates entries on one line.
func (e brackets) commaOf(n *node) string {
	gap := e.comma
	switch {
	case len(n.items) > 1:
		gap = e.src[n.items[0].end:n.items[1].start]
	case len(n.fields) > 1:
		gap = e.src[n.fields[0].value.end:n.fields[1].keyStart]
	}
	if gap == "," || gap == ", " {
		return gap
	}
	return e.comma
}

// entryIndent is the indentation of the last entry that begins a line.
func (e brackets) entryIndent(starts []int, otherwise string) string {
	for i := len(starts) - 1; i >= 0 && i >= len(starts)-8; i-- {
		if firstOnLine(e.src, starts[i]) {
			return indentAt(e.src, starts[i])
		}
	}
	last := starts[len(starts)-1]
	if e.src[lineStart(e.src, last)+len(indentAt(e.src, last))] != ',' {
		return otherwise
	}
	// Commas come first: the entries are aligned behind them.
	return strings.Repeat(" ", last-lineStart(e.src, last))
}
