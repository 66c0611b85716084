package merge

import (
	"errors"
	"slices"
	"strings"
)

// tomlEditor writes lines into sections and new sections behind old ones.
type tomlEditor struct {
	brackets
	root    *node
	doc     *tomlDoc
	equals  string
	compact bool // no blank lines between sections
}

var (
	errTOMLArrayTable = errors.New("it lies in an array of tables, which is changed only as a whole")
	errTOMLBraces     = errors.New("it is a dotted key inside of braces")
	errTOMLSpread     = errors.New("the value is spread over several tables and cannot be replaced as one")
)

func newTOMLEditor(src string, root *node, _ string) editor {
	doc := root.doc
	e := &tomlEditor{brackets: brackets{src: src, eol: eolOf(src), step: "    ", comma: ", ", padDicts: true}, root: root, doc: doc, equals: " = "}
	blank, tight := 0, 0
	for i, s := range doc.sections {
		if s.equals != "" && i < 64 {
			e.equals = s.equals
		}
		if i > 0 && s.start > 0 && doc.sections[i-1].last > 0 {
			above := e.aboveHeader(i)
			if strings.TrimSpace(src[lineStart(src, max(0, above-1)):above]) == "" {
				blank++
			} else {
				tight++
			}
		}
	}
	e.compact = tight > blank
	if step, ok := indentStep(src, root); ok {
		e.step = step
	}
	return e
}

func (e *tomlEditor) addItems(list *node, items []*node, from *node) ([]splice, error) {
	if !list.flow {
		return nil, errTOMLArrayTable
	}
	return e.insert(list, from, len(items), func(i int, indent string, _ bool) entryText {
		return entryText{text: e.inline(items[i], indent)}
	}), nil
}

func (e *tomlEditor) replace(old, value *node) ([]splice, error) {
	if old.kind >= listKind && !old.flow {
		return e.replaceTables(old, value)
	}
	return []splice{{old.start, old.end, e.inline(value, indentAt(e.src, old.start))}}, nil
}

func (e *tomlEditor) addFields(dict *node, fields []field, from *node) ([]splice, error) {
	if dict.flow {
		return e.insert(dict, from, len(fields), func(i int, indent string, _ bool) entryText {
			return entryText{text: fields[i].rawKey + e.equals + e.inline(fields[i].value, indent)}
		}), nil
	}
	t := dict.table
	switch {
	case t == nil || t.inArray:
		return nil, errTOMLArrayTable
	case t.section < 0:
		return nil, errTOMLBraces
	}
	if t.style == tomlDotted {
		at := lineEnd(e.src, t.last)
		var out strings.Builder
		for _, line := range e.entries(fields, t.prefix+".", indentAt(e.src, t.start)) {
			out.WriteString(e.eol + line)
		}
		return []splice{{at, at, out.String()}}, nil
	}
	lines, tables := splitTOML(fields)
	var splices []splice
	if len(lines) > 0 {
		if t.style == tomlImplied {
			tables = append([]field{{key: "", value: asTable(lines)}}, tables...)
		} else {
			splices = append(splices, e.addLines(t.section, lines))
		}
	}
	if len(tables) > 0 {
		splices = append(splices, e.addTables(t, tables))
	}
	return splices, nil
}

// asTable wraps fields into a table.
func asTable(fields []field) *node {
	n := &node{kind: dictKind, table: &tomlTable{style: tomlHeader}}
	for _, f := range fields {
		n.add(f)
	}
	return n
}

// splitTOML tells the fields that are written as lines from those that are
// written as tables of their own.
func splitTOML(fields []field) (lines, tables []field) {
	for _, f := range fields {
		t := f.value.table
		switch {
		case f.value.kind < listKind || f.value.flow, t != nil && t.style == tomlDotted:
			lines = append(lines, f)
		default:
			tables = append(tables, f)
		}
	}
	return lines, tables
}

// addLines puts entries behind the last one of a section.
func (e *tomlEditor) addLines(section int, fields []field) splice {
	s := e.doc.sections[section]
	if section == 0 && s.first < 0 {
		return e.addFirstLines(fields)
	}
	indent := indentAt(e.src, max(s.first, s.start))
	at := lineEnd(e.src, s.last)
	var out strings.Builder
	for _, line := range e.entries(fields, "", indent) {
		out.WriteString(e.eol + line)
	}
	return splice{at, at, out.String()}
}

// addFirstLines puts entries above the first header of a file that has no
// entries there, or at the end of a file of comments.
func (e *tomlEditor) addFirstLines(fields []field) splice {
	if len(e.doc.sections) == 1 {
		comments := strings.TrimRight(e.src, " \t\r\n")
		fields = slices.Clone(fields)
		if strings.HasSuffix(comments, strings.Join(fields[0].headComment, e.eol)) {
			fields[0].headComment = nil // it is there already
		}
		return splice{len(comments), len(comments), e.eol + strings.Join(e.entries(fields, "", ""), e.eol)}
	}
	lines := e.entries(fields, "", "")
	at := e.aboveHeader(1)
	text := strings.Join(lines, e.eol) + e.eol
	if !e.compact {
		text += e.eol
	}
	return splice{at, at, text}
}

// aboveHeader is the start of the comment lines directly above a header, or of
// its own line.
func (e *tomlEditor) aboveHeader(section int) int {
	at := lineStart(e.src, e.doc.sections[section].start)
	floor := 0
	if last := e.doc.sections[section-1].last; last > 0 {
		floor = min(at, lineEnd(e.src, last)+len(lineBreak(e.src[lineEnd(e.src, last):])))
	}
	for at > floor {
		above := lineStart(e.src, at-1)
		if above < floor || !strings.HasPrefix(strings.TrimSpace(e.src[above:at]), "#") {
			break
		}
		at = above
	}
	return at
}

// addTables puts new sections behind the last one below a path.
func (e *tomlEditor) addTables(t *tomlTable, fields []field) splice {
	last := len(e.doc.sections) - 1
	for last > 0 && !hasPrefix(e.doc.sections[last].keys, t.keys) {
		last--
	}
	limit := len(e.src)
	if last+1 < len(e.doc.sections) {
		limit = e.aboveHeader(last + 1)
	}
	at := len(strings.TrimRight(e.src[:limit], " \t\r\n"))
	if at < e.doc.sections[last].last {
		at = e.doc.sections[last].last
	}
	var blocks []string
	for _, f := range fields {
		blocks = append(blocks, e.table(append(slices.Clone(t.path), f.rawKey), f, e.indentOf(last))...)
	}
	gap := e.gap()
	text := strings.Join(blocks, gap)
	if at > 0 {
		text = gap + text
	} else {
		text += e.eol
	}
	return splice{at, at, text}
}

// gap is what stands between two sections.
func (e *tomlEditor) gap() string {
	if e.compact {
		return e.eol
	}
	return e.eol + e.eol
}

// tomlIndent is the indentation of a header and of the entries below it.
type tomlIndent struct{ header, entry string }

// indentOf is the indentation that a section has.
func (e *tomlEditor) indentOf(section int) tomlIndent {
	if section == 0 {
		return tomlIndent{}
	}
	s := e.doc.sections[section]
	in := tomlIndent{header: indentAt(e.src, s.start)}
	in.entry = in.header
	if s.first >= 0 {
		in.entry = indentAt(e.src, s.first)
	}
	return in
}

// replaceTables puts a new array of tables in the place of an old one, if its
// sections stand together and hold no comment.
func (e *tomlEditor) replaceTables(old, value *node) ([]splice, error) {
	if old.kind != listKind || value.kind != listKind || value.flow {
		return nil, errTOMLSpread
	}
	t := old.items[0].table
	if t == nil {
		return nil, errTOMLSpread
	}
	first, last := -1, -1
	for i, s := range e.doc.sections {
		if !hasPrefix(s.keys, t.keys) {
			continue
		}
		if first < 0 {
			first = i
		} else if last != i-1 {
			return nil, errTOMLSpread
		}
		last = i
	}
	start, end := e.doc.sections[first].start, e.doc.sections[last].last
	switch {
	case strings.Contains(e.src[start:lineEnd(e.src, end)], "#"):
		return nil, errors.New("the value cannot be replaced without losing a comment in it")
	case len(t.keys) > 1 && e.insideArray(t.keys[:len(t.keys)-1]):
		return nil, errTOMLArrayTable
	}
	blocks := e.table(t.path, field{value: value}, e.indentOf(first))
	return []splice{{start, end, strings.TrimLeft(strings.Join(blocks, e.gap()), " \t")}}, nil
}

// insideArray reports whether a path leads through an array of tables.
func (e *tomlEditor) insideArray(keys []string) bool {
	n := e.root
	for _, k := range keys {
		if n = n.get(k); n == nil || n.kind != dictKind {
			return true
		}
	}
	return false
}

func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}
