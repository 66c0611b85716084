package records

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
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

var ordinals = []string{"first", "second", "third"}

// apart takes several of a thing that a record has, each by a name of its own: two fencers, two members as speakers.
func (r *reader) apart(n *grammar.Node) {
	last := n.Parts[len(n.Parts)-1]
	called := strings.Split(english.Singular(r.nameOf(last.From, last.To)), "_")
	nths := ordinals[:2+strings.Index("two three", r.At(n.From).Low)/4]
	for _, nth := range nths {
		r.add(said{name: append([]string{nth}, called...), ref: english.Singular(r.nameOf(n.Parts[1].From, n.Parts[1].To))})
	}
	r.Leave(r.said(n.From, n.To), "told apart as "+english.List(nths))
}

// ofBoth takes a field that each of several things has which a record has: a home team, an away team and the goals of each.
func (r *reader) ofBoth(n *grammar.Node, name []string) {
	var nths []string
	for _, f := range r.current.Fields {
		nth, what := cutLast(f.Name)
		if nth != "" && slices.ContainsFunc(r.current.Fields, func(o Field) bool { return o.Name != f.Name && strings.HasSuffix(o.Name, "_"+what) }) {
			nths = append(nths, nth)
		}
	}
	if len(nths) == 0 {
		r.Refuse(r.said(n.From, n.To))
	}
	for _, nth := range nths {
		r.add(said{name: append([]string{nth}, name...)})
	}
}

// fromOne takes the two ends of something, by their names: from one city to another.
func (r *reader) fromOne(n *grammar.Node) {
	name := english.Singular(r.nameOf(n.Parts[0].From, n.Parts[0].To))
	for _, way := range []string{"from", "to"} {
		s := said{name: append([]string{way}, strings.Split(name, "_")...)}
		if r.find(name) != nil {
			s.ref = name
		}
		r.add(s)
	}
	if last := n.Parts[len(n.Parts)-1]; r.nameOf(last.From, last.To) != name { // from one city to another country
		r.Refuse(r.said(n.From, n.To))
	}
}

// claim is that two things have to do with each other; where the other is missing, a thing with somebody who is not named.
type claim struct {
	said       string
	one, other *Thing
}

// inquiry takes what somebody wants to know of things: which books I lent to whom.
func (r *reader) inquiry(n *grammar.Node) {
	for _, p := range n.Parts {
		switch p.Name {
		case "{nouns", "thing":
			r.thing(p)
		case "whom", "whose":
			r.claims = append(r.claims, claim{r.said(p.From, p.To), r.current, nil})
		case "mine":
			r.background(p)
		}
	}
}

// claimed refuses that things have to do with each other where nothing tells how, and leaves it out elsewhere.
func (r *reader) claimed() {
	for _, c := range r.claims {
		for _, word := range strings.Fields(c.said) { // members borrow books: a loan is of both
			if t := r.exact(r.Tables["deed-of"][word]); t != nil && c.other != nil && len(t.Parents) == 0 {
				t.Parents = []*Thing{c.one, c.other}
			}
		}
		of := func(t *Thing) bool {
			return c.one != c.other && slices.Contains(t.Parents, c.one) && slices.Contains(t.Parents, c.other)
		}
		if known := c.other == nil && (r.isParent(c.one) || len(c.one.Parents) > 0); known || slices.ContainsFunc(r.Things, of) {
			r.Leave(c.said, settings.Background)
		} else {
			r.Refuse(c.said)
		}
	}
}
