package merge

import (
	"slices"
	"strings"
)

// inline writes a value behind an equals sign, a table in braces.
func (e *tomlEditor) inline(n *node, indent string) string {
	switch n.kind {
	case dictKind:
		if len(n.fields) == 0 {
			return "{}"
		}
		parts := make([]string, 0, len(n.fields))
		for _, f := range n.fields {
			parts = append(parts, f.rawKey+" = "+e.inline(f.value, indent))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case listKind:
		return e.array(n, indent)
	}
	return withEOL(n.raw, e.eol)
}

// array writes a list; one that the bundle spreads over lines stays so.
func (e *tomlEditor) array(n *node, indent string) string {
	if len(n.items) == 0 {
		return "[]"
	}
	multiline := n.flow && !n.inline
	inner := indent
	if multiline {
		inner += e.step
	}
	parts := make([]string, 0, len(n.items))
	for _, item := range n.items {
		parts = append(parts, e.inline(item, inner))
	}
	if !multiline {
		return "[" + strings.Join(parts, ", ") + "]"
	}
	lead := e.eol + inner
	return "[" + lead + strings.Join(parts, ","+lead) + "," + e.eol + indent + "]"
}

// entries writes fields as lines, dotted tables as dotted keys, each with the
// comments that the bundle has for it.
func (e *tomlEditor) entries(fields []field, prefix, indent string) []string {
	var lines []string
	for _, f := range fields {
		for _, c := range f.headComment {
			lines = append(lines, indent+c)
		}
		key := prefix + f.rawKey
		if f.value.kind == dictKind && !f.value.flow && len(f.value.fields) > 0 {
			lines = append(lines, e.entries(f.value.fields, key+".", indent)...)
			continue
		}
		line := indent + key + e.equals + e.inline(f.value, indent)
		if tail := f.lineComment; tail != "" {
			line += " " + tail
		}
		lines = append(lines, line)
	}
	return lines
}

// table writes a field as sections of their own.
func (e *tomlEditor) table(path []string, f field, indent tomlIndent) []string {
	if path[len(path)-1] == "" {
		path = path[:len(path)-1] // the header that an implied table lacked
	}
	name := strings.Join(path, ".")
	var blocks []string
	if f.value.kind == listKind {
		for i, item := range f.value.items {
			var head []string
			if i == 0 {
				head = f.headComment
			}
			blocks = append(blocks, e.section(path, "[["+name+"]]", item, head, indent, true)...)
		}
		return blocks
	}
	return e.section(path, "["+name+"]", f.value, f.headComment, indent, false)
}

func (e *tomlEditor) section(path []string, header string, n *node, head []string, indent tomlIndent, always bool) []string {
	lines, tables := splitTOML(n.fields)
	var blocks []string
	if always || len(lines) > 0 || len(tables) == 0 || len(head) > 0 {
		var block []string
		for _, c := range head {
			block = append(block, indent.header+c)
		}
		block = append(block, indent.header+header)
		block = append(block, e.entries(lines, "", indent.entry)...)
		blocks = append(blocks, strings.Join(block, e.eol))
	}
	for _, f := range tables {
		blocks = append(blocks, e.table(append(slices.Clone(path), f.rawKey), f, indent)...)
	}
	return blocks
}
