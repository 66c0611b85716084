package merge

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// value reads one value that begins at or after an offset.
func (r *tomlReader) value(v *unstable.Node, at, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	for at < len(r.src) && (r.src[at] == ' ' || r.src[at] == '\t') {
		at++
	}
	switch v.Kind {
	case unstable.Array, unstable.InlineTable:
		return r.container(v, at, depth)
	}
	raw := v.Raw
	if raw.Length == 0 {
		raw = r.p.Range(v.Data)
	}
	n := &node{start: at, end: int(raw.Offset + raw.Length)}
	n.raw = r.src[n.start:n.end]
	if err := n.setTOML(v); err != nil {
		return nil, r.fail(at, "%v", err)
	}
	return n, nil
}

// setTOML gives a scalar its kind and canonical form.
func (n *node) setTOML(v *unstable.Node) error {
	n.text = string(v.Data)
	switch v.Kind {
	case unstable.String:
		n.kind = stringKind
		if strings.Contains(n.raw, "\r\n") {
			n.text = strings.ReplaceAll(n.text, "\r\n", "\n")
		}
		return nil
	case unstable.Bool:
		n.kind = boolKind
		return nil
	case unstable.Integer:
		n.kind = numberKind
		if len(n.raw) < 18 && isJSONNumber(n.raw) {
			return nil
		}
	case unstable.Float:
		n.kind = floatKind
		if isJSONNumber(n.raw) {
			n.text = decimal(n.raw)
			return nil
		}
	default:
		n.kind = timeKind
	}
	// The rarer spellings are left to the library's own reading.
	var doc struct{ V any }
	if err := toml.Unmarshal([]byte("V = "+n.raw), &doc); err != nil {
		return fmt.Errorf("%s is no valid value", n.raw)
	}
	switch x := doc.V.(type) {
	case int64:
		n.text = strconv.FormatInt(x, 10)
	case float64:
		n.text = decimal(strings.ReplaceAll(strings.TrimPrefix(n.raw, "+"), "_", ""))
	default:
		n.text = strings.Replace(strings.ToUpper(n.raw), " ", "T", 1)
	}
	return nil
}

// container reads an array or an inline table, whose places the library does
// not tell: they follow from the places of what is inside.
func (r *tomlReader) container(v *unstable.Node, at, depth int) (*node, error) {
	n := &node{kind: listKind, start: at, flow: true}
	closer := byte(']')
	if v.Kind == unstable.InlineTable {
		n.kind, closer = dictKind, '}'
	}
	pos := at + 1
	d := bracketDetail{lastEnd: pos, padded: strings.HasPrefix(r.src[pos:], " ")}
	for it := v.Children(); it.Next(); {
		child := it.Node()
		if child.Kind == unstable.Comment {
			continue
		}
		pos = r.tomlGap(pos, nil)
		end, err := r.child(n, child, pos, depth)
		if err != nil {
			return nil, err
		}
		pos, d.lastEnd = end, end
	}
	d.contentEnd = pos
	pos = r.tomlGap(pos, &d)
	if pos >= len(r.src) || r.src[pos] != closer {
		return nil, r.fail(at, "the end of the value was not found")
	}
	n.end = pos + 1
	n.inline, n.brackets = !hasNewline(r.src, n.start, n.end), d
	n.raw = r.src[n.start:n.end]
	return n, nil
}

func (r *tomlReader) child(n *node, child *unstable.Node, pos, depth int) (int, error) {
	if n.kind == listKind {
		item, err := r.value(child, pos, depth+1)
		if err != nil {
			return 0, err
		}
		n.items = append(n.items, item)
		return item.end, nil
	}
	keys, err := r.keys(child.Key())
	if err != nil {
		return 0, err
	}
	end := int(child.Raw.Offset + child.Raw.Length)
	if depth+len(keys) > maxDepth {
		return 0, errTooDeep
	}
	return end, r.assign(n, keys, child, end, -1-n.start, nil)
}

// tomlGap skips white space, comments and commas. With a detail it also notes
// what it saw.
func (r *tomlReader) tomlGap(at int, d *bracketDetail) int {
	for at < len(r.src) {
		switch r.src[at] {
		case ' ', '\t', '\r', '\n':
			at++
			continue
		case ',':
			at++
			if d != nil {
				d.trailingComma, d.endsInLineComment = true, false
			}
		case '#':
			at = lineEnd(r.src, at)
			if d != nil {
				d.endsInLineComment = true
			}
		default:
			return at
		}
		if d != nil {
			d.contentEnd = at
		}
	}
	return at
}
