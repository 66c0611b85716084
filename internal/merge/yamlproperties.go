package merge

import "strings"

// name reads an anchor, an alias or a tag with its sign, and returns it without
// that of an anchor or an alias. Only names that every parser reads alike are
// accepted.
func (r *yamlReader) name() (string, error) {
	isTag := r.src[r.at] == '!'
	start := r.at
	for r.at++; !isBreak(r.peek(0)); r.at++ {
		c := r.peek(0)
		isWord := c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if isWord || isTag && (c == '!' && r.at == start+1 || c == ':' || c == '.' || c == '/') {
			continue
		}
		if strings.IndexByte(",]}", c) >= 0 {
			break
		}
		return "", r.fail("the name of an anchor, an alias or a tag is not understood")
	}
	name := r.src[start+1 : r.at]
	if strings.TrimPrefix(name, "!") == "" {
		return "", r.fail("an anchor, an alias or a tag has no name")
	}
	if isTag {
		return "!" + name, nil
	}
	return name, nil
}

// alias reads an alias, which stands for the last value before it that has its
// name. One that stands for a value around it is not followed.
func (r *yamlReader) alias() (*node, error) {
	start := r.at
	name, err := r.name()
	if err != nil {
		return nil, err
	}
	target, ok := r.anchors[name]
	if !ok {
		return nil, r.fail("an alias stands for no anchor")
	}
	if target != nil {
		target.referred = true
	}
	raw := r.src[start:r.at]
	return &node{kind: opaqueKind, text: raw, raw: raw, start: start, end: r.at, target: target}, nil
}

// yamlProperties are what may stand before a value of YAML.
type yamlProperties struct {
	anchor, tag string
	start, end  int
}

// properties reads anchors and tags.
func (r *yamlReader) properties() (p yamlProperties, err error) {
	p.start = r.at
	for c := r.peek(0); c == '&' || c == '!'; c = r.peek(0) {
		into := &p.tag
		if c == '&' {
			into = &p.anchor
		}
		if *into != "" {
			return p, r.fail("a value has anchors or tags twice")
		}
		if *into, err = r.name(); err != nil {
			return p, err
		}
		p.end = r.at
		r.blanks()
	}
	if p.anchor != "" {
		r.anchors[p.anchor] = nil
	}
	return p, nil
}

// attach gives a value its properties. A tag says itself what a scalar is, so
// that only the scalar's text counts.
func (r *yamlReader) attach(n *node, p yamlProperties) error {
	switch {
	case n.kind == opaqueKind: // on this line or below: an alias has the properties of its anchor
		return r.fail("an anchor or a tag stands before an alias, which cannot have one")
	case n.anchor != "" || n.tag != "":
		return r.fail("a value has anchors or tags twice")
	case p.tag != "" && n.kind < stringKind:
		n.kind, n.text = stringKind, n.raw
	}
	n.anchor, n.tag, n.start = p.anchor, p.tag, p.start
	if p.anchor != "" {
		r.anchors[p.anchor] = n
	}
	return nil
}

// withProps reads anchors and tags and the value that they belong to.
func (r *yamlReader) withProps(outer int) (*node, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	defer r.leave()
	p, err := r.properties()
	if err != nil {
		return nil, err
	}
	var n *node
	switch {
	case r.restIsBlank():
		n, err = r.valueBelow(outer, p.end, r.behindKey(outer))
	case r.peek(0) == '-' && isBreak(r.peek(1)):
		return nil, r.fail("an anchor or a tag stands before something that cannot have one")
	default:
		n, err = r.inlineValue(outer)
	}
	if err != nil {
		return nil, err
	}
	return n, r.attach(n, p)
}

// behindKey reports whether the line at the position has a key at a column, and
// neither the dash of a list nor blanks.
func (r *yamlReader) behindKey(column int) bool {
	if column < 0 {
		return false
	}
	rest := r.src[r.line+column:]
	return rest != "" && rest[0] != ' ' && !(rest[0] == '-' && (len(rest) == 1 || isBreak(rest[1]) || rest[1] == '\r'))
}
