package records

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
)

// pair is two things of which each may have several of the other.
type pair struct{ one, other *Thing }

// several takes that a thing has several of another; each of those is of one, unless it has several of the first as well: a
// publisher has many books, but a book can have several authors.
func (r *reader) several(one, many *Thing, may bool) {
	shared := (r.Is("of-several", many.Name) || may && r.Is("of-several-too", many.Name)) && !r.isPlace(one.Name) && !r.Is("above", one.Name)
	switch {
	case shared, slices.Contains(r.manys, pair{many, one}), slices.ContainsFunc(r.links, func(p pair) bool { return p.is(one, many) }):
		r.link(one, many)
	default:
		many.belongs(one)
		r.manys = append(r.manys, pair{one, many})
	}
}

func (p pair) is(a, b *Thing) bool { return p.one == a && p.other == b || p.one == b && p.other == a }

// link takes that each of two things may have several of the other, whatever was told of one side before.
func (r *reader) link(a, b *Thing) {
	if a == b {
		r.Refuse(strings.ReplaceAll(a.Name, "_", " "))
		return
	}
	for _, p := range []pair{{a, b}, {b, a}} {
		p.one.Parents = slices.DeleteFunc(p.one.Parents, func(t *Thing) bool { return t == p.other })
	}
	if slices.Index(r.Things, b) < slices.Index(r.Things, a) {
		a, b = b, a
	}
	if !slices.Contains(r.links, pair{a, b}) {
		r.links = append(r.links, pair{a, b})
	}
	a.place, b.place = false, false
}

// linkUp gives things of which each may have several of the other a thing between them, unless one was told.
func (r *reader) linkUp() {
	for _, p := range r.links {
		between := func(t *Thing) bool { return slices.Contains(t.Parents, p.one) && slices.Contains(t.Parents, p.other) }
		if slices.ContainsFunc(r.Things, between) || slices.Contains(p.one.Parents, p.other) || slices.Contains(p.other.Parents, p.one) {
			continue
		}
		t := &Thing{Name: p.one.Name + "_" + p.other.Name, Link: true, Parents: []*Thing{p.one, p.other}}
		one, other := strings.ReplaceAll(english.Plural(p.one.Name), "_", " "), strings.ReplaceAll(english.Plural(p.other.Name), "_", " ")
		t.said = one + " and " + other
		r.Things = append(r.Things, t)
		r.Leave("many "+one+" with many "+other, "by records of "+strings.ReplaceAll(english.Plural(t.Name), "_", " ")+", each of one and one")
	}
}
