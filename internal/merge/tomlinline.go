package merge

import (
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

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
