package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
)

// called is the act of calling what was added a field, or what follows.
func (c *change) called(s state, next bool) act {
	return func(*builder) {
		n := len(c.added) - 1
		switch {
		case s != adding:
		case next:
			c.fields = true
		case n >= 0:
			c.added[n].field = true
		}
	}
}

// heard refuses a thing that was spoken of, and nothing was said.
func (c *change) heard(b *builder) {
	t := c.spoken
	said := c.held || slices.ContainsFunc(b.Things, func(o *Thing) bool { return slices.Contains(o.Parents, t) })
	if t != nil && !said && len(t.Fields)+len(t.Parents) == c.size {
		b.Unknown = append(b.Unknown, english.Plural(t.Name))
	}
	c.spoken, c.held = nil, false
}

// thing gives a thing that there is, or was added before; another is not understood.
func (c *change) thing(b *builder, name []string) *Thing {
	t := b.find(strings.Join(name, "_"))
	if t == nil {
		b.Unknown = append(b.Unknown, "to "+strings.Join(name, " "))
	}
	return t
}

// whose gives what was added to a thing, or removes from it what was to be removed.
func (c *change) whose(b *builder, t *Thing) {
	if b.current, c.given = nil, nil; len(c.added)+len(c.dropped) == 0 {
		b.Unknown = append(b.Unknown, english.Plural(t.Name))
	}
	for _, each := range c.added {
		last := each.words[len(each.words)-1]
		several := english.IsPlural(last) && b.Text.Tables["field"][last] == ""
		if several && !each.field && each.kind == "" {
			c.keep(b, each.words, t)
		} else {
			c.give(b, t, each.item)
		}
	}
	for _, name := range c.dropped {
		if !slices.Contains(c.owners(name), t) {
			b.Unknown = append(b.Unknown, name)
		}
		c.done = append(c.done, name+" of "+t.Name)
	}
	c.added, c.dropped, c.fields = nil, nil, false
}

// keep makes a thing of a name, which may belong to another.
func (c *change) keep(b *builder, name []string, owner *Thing) {
	if p := (&parser{Text: b.Text}); !p.goodThing(name) {
		b.Unknown = append(b.Unknown, strings.Join(name, " "))
		return
	}
	b.current = nil
	b.thing(name, false)
	if owner != nil && b.current != owner {
		b.current.Parents = append(b.current.Parents, owner)
	}
}

// give gives a thing a field; one that is called as another thing says to which of these a record belongs.
func (c *change) give(b *builder, t *Thing, it item) {
	other := b.find(strings.Join(it.words, "_"))
	if other != nil && other != t && !it.told {
		t.Parents = append(t.Parents, other)
		return
	}
	b.current = t
	b.field(it)
	b.current = nil
	c.given, c.givenName = t, strings.Join(it.words, "_")
}

// relate lets things belong to those that their new fields are called after, and refuses what would belong to itself.
func (c *change) relate(b *builder) {
	for _, t := range b.Things {
		old, told := t.Fields[:c.had[t]], t.Fields[c.had[t]:]
		t.Fields = append(old, slices.DeleteFunc(told, func(f Field) bool { return c.refers(b, t, f) })...)
	}
	for _, t := range b.Things {
		if len(t.Parents) > 0 && leads(b, t, t, map[*Thing]bool{}) {
			b.Unknown = append(b.Unknown, t.Name+" belongs to "+t.Name)
		}
	}
}

// refers says whether a field stands for a thing, and lets its records belong to one of that.
func (c *change) refers(b *builder, t *Thing, f Field) bool {
	other := b.find(f.Name)
	switch {
	case other == nil || other == t, f.Ref != "" || f.Choices != nil:
		return false
	case english.IsPlural(f.Name): // several of each other
		b.Unknown = append(b.Unknown, f.Name+" of "+english.Plural(t.Name))
	case f.Kind != values.Text:
		return false
	case !slices.Contains(t.Parents, other):
		t.Parents = append(t.Parents, other)
	}
	return true
}

// leads says whether one of the things that another belongs to is a thing, or belongs to it.
func leads(b *builder, from, to *Thing, seen map[*Thing]bool) bool {
	all := slices.Clone(from.Parents)
	for _, f := range from.Fields {
		if other := b.find(f.Ref); f.Ref != "" && other != nil {
			all = append(all, other)
		}
	}
	return slices.ContainsFunc(all, func(t *Thing) bool {
		before := seen[t]
		seen[t] = true
		return t == to || !before && leads(b, t, to, seen)
	})
}

// settle makes things, or fields of the only thing, of what is added and was not said to what.
func (c *change) settle(b *builder) {
	c.heard(b)
	for _, each := range c.added {
		last, whole := each.words[len(each.words)-1], strings.Join(each.words, "_")
		listed := b.Text.Is("field", last) && !b.Text.Is("rather-thing", last)
		plain := !english.IsPlural(whole) || each.told || listed
		switch {
		case b.find(whole) != nil && slices.Contains(c.old.Things, b.find(whole)):
			b.Unknown = append(b.Unknown, strings.Join(each.words, " "))
		case (plain || each.field) && len(c.old.Things) == 1:
			c.give(b, c.old.Things[0], each.item)
		case plain || each.field:
			b.Unknown = append(b.Unknown, strings.Join(each.words, " "))
		default:
			c.keep(b, each.words, nil)
		}
	}
	for _, name := range c.dropped {
		if owners := c.owners(name); len(owners) == 1 {
			c.done = append(c.done, name+" of "+owners[0].Name)
		} else {
			b.Unknown = append(b.Unknown, name)
		}
	}
	for _, it := range b.loose {
		b.Unknown = append(b.Unknown, strings.Join(it.words, " "))
	}
	c.added, c.dropped, c.fields, b.current, b.loose = nil, nil, false, nil, nil
}
