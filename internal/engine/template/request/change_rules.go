package request

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/values"
)

// amendEdges reads what is said of a field that was just added: make it unique, that is unique, at most 500 characters.
func (p *parser) amendEdges(i int, s state) []edge {
	at := i
	if low := p.At(i).Low; low == "it" || p.Is("relative", low) {
		at++
	} else if s == fields || p.At(i-1).Low != "," {
		return nil
	}
	var it item
	n := it.rules.Said(p.Text, at, &it.kind)
	if n == 0 || !p.ends(at+n) {
		return nil
	}
	return []edge{{at + n, 2, s, func(b *builder) { p.change.amend(b, it) }}}
}

// amended reads what is said of a field behind a colon: add a status to books: open, closed or lost.
func (p *parser) amended(i, to int) (out []edge) {
	var all []item
	p.described(item{words: []string{"it"}}, i+1, to, &all)
	for _, it := range all {
		if it.cost < never && it.ref == "" && len(it.left) == 0 {
			out = append(out, edge{it.end, 2 + it.cost, targeted, func(b *builder) { p.change.amend(b, it) }})
		}
	}
	return out
}

// amend says more of the field that was added last.
func (c *change) amend(b *builder, said item) {
	n := len(c.added) - 1
	switch {
	case n >= 0:
		c.added[n].rules = merged(c.added[n].rules, said.rules)
		if c.added[n].told = true; said.kind != "" {
			c.added[n].kind = said.kind
		}
	case c.given != nil:
		said.words = strings.Split(c.givenName, "_")
		c.hold(b, c.given, said)
	default:
		b.Unknown = append(b.Unknown, "it")
	}
}

// owners gives the things that have a field.
func (c *change) owners(field string) (all []*Thing) {
	for _, t := range c.old.Things {
		if slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Name == field }) {
			all = append(all, t)
		}
	}
	return all
}

// ruleEdges reads what is said of fields that there are: make title unique, name and email are required.
func (p *parser) ruleEdges(i, to int) (out []edge) {
	c := p.change
	for end := i + 1; end <= to; end++ {
		if end < to && !p.ends(end) && !p.cuts(end) {
			continue
		}
		for _, it := range p.items(i, end) {
			owner := c.ownerOf(it.words)
			if whole := it.told && it.end == end && it.cost < never; owner != nil && whole && it.ref == "" {
				out = append(out, edge{end, 6, open, func(b *builder) { c.hold(b, owner, it) }})
			}
		}
	}
	return slices.Concat(out, p.bothRules(i, to), p.ownRules(i, to))
}

// ownRules reads what is said of a field of one of several things: the name of authors must be unique.
func (p *parser) ownRules(i, to int) (out []edge) {
	c := p.change
	for _, n := range p.fieldNames(p.overLight(i)) {
		if p.At(n.end).Low != "of" || len(c.owners(strings.Join(n.words, "_"))) == 0 {
			continue
		}
		for _, of := range p.thingAt(n.end + 1) {
			t := p.request.find(strings.Join(of.words, "_"))
			var all []item
			p.tail(item{words: n.words, end: of.end}, to, &all)
			for _, it := range all {
				if it.told && it.ref == "" && slices.Contains(c.owners(strings.Join(n.words, "_")), t) {
					out = append(out, edge{it.end, 6 + it.cost, open, func(b *builder) { c.hold(b, t, it) }})
				}
			}
		}
	}
	return out
}

// bothRules reads two fields of which the same is said.
func (p *parser) bothRules(i, to int) (out []edge) {
	c := p.change
	for _, n := range p.fieldNames(i) {
		owner := c.ownerOf(n.words)
		if owner == nil || !p.ends(n.end) || n.end >= to {
			continue
		}
		for _, e := range p.ruleEdges(p.overLight(n.end+1), to) {
			out = append(out, edge{e.to, e.cost + 2, open, func(b *builder) {
				e.act(b)
				c.same(b, owner, n.words)
			}})
		}
	}
	return out
}

// same holds a field to what was last said of another.
func (c *change) same(b *builder, t *Thing, name []string) {
	if plain := (values.Rules{Need: c.last.Need, Unique: c.last.Unique}); plain.Need != "" || plain.Unique {
		c.hold(b, t, item{words: name, rules: plain})
		return
	}
	b.Unknown = append(b.Unknown, strings.Join(name, " "))
}

// ownerOf gives the only thing that has a field.
func (c *change) ownerOf(name []string) *Thing {
	if all := c.owners(strings.Join(name, "_")); len(all) == 1 {
		return all[0]
	}
	return nil
}

// hold holds a field to what is said of it. Another kind would not fit the records that there are.
func (c *change) hold(b *builder, t *Thing, it item) {
	c.last = it.rules
	name := strings.Join(it.words, "_")
	k := slices.IndexFunc(t.Fields, func(f Field) bool { return f.Name == name })
	if k < 0 {
		b.Unknown = append(b.Unknown, strings.Join(it.words, " "))
		return
	}
	f := t.Fields[k]
	if it.kind != "" && it.kind != f.Kind || f.Ref != "" {
		b.Unknown = append(b.Unknown, strings.Join(it.words, " ")+" as "+it.kind)
		return
	}
	rules, others := merged(f.Rules, it.rules).Certain(f.Kind)
	if len(others)+len(it.left) > 0 {
		b.Unknown = append(b.Unknown, strings.Join(append(others, it.left...), ", ")+" of "+strings.Join(it.words, " "))
		return
	}
	if c.held = true; reflect.DeepEqual(rules, f.Rules) {
		b.Unknown = append(b.Unknown, strings.Join(it.words, " ")+", which is so")
	}
	t.Fields[k].Rules = rules
}

// more takes what is said of a field that a thing has already: if that is nothing, it is no change.
func (c *change) more(b *builder, t *Thing, it item) {
	if it.told {
		c.hold(b, t, it)
		return
	}
	b.Unknown = append(b.Unknown, strings.Join(it.words, " ")+", which is there")
}

// merged gives rules with others laid over them.
func merged(old, told values.Rules) values.Rules {
	out := old
	out.Need, out.Default = cmp.Or(told.Need, old.Need), cmp.Or(told.Default, old.Default)
	out.Min, out.Max = cmp.Or(told.Min, old.Min), cmp.Or(told.Max, old.Max)
	out.Unique = old.Unique || told.Unique
	if told.Choices != nil {
		out.Choices = told.Choices
	}
	return out
}
