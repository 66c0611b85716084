package records

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/values"
)

// pair is two things of which each may have several of the other.
type pair struct{ one, other *Thing }

// several takes that a thing has several of another; each of those is of one, unless it has several of the first as well: a
// publisher has many books, but a book can have several authors.
func (r *reader) several(one, many *Thing, may bool) {
	shared := (r.Is("of-several", many.Name) || may && r.Is("of-several-too", many.Name)) && !r.isPlace(one.Name) && !r.Is("above", one.Name)
	switch {
	case shared, r.shared(one, many), slices.Contains(r.manys, pair{many, one}), slices.ContainsFunc(r.links, func(p pair) bool { return p.is(one, many) }):
		r.link(one, many)
	default:
		many.belongs(one)
		r.manys = append(r.manys, pair{one, many})
	}
}

// shared says whether something that has several of another shares them with others of its kind, unless it was told that each is of
// one: the products of an order, the courses of a student; but not those of a teacher, and mostly not the members of a club.
func (r *reader) shared(one, many *Thing) bool {
	_, part := cutLast(many.Name)
	both := r.inSeveral(many, one) && r.Is("shared-by", part) && !r.Is("above", one.Name)
	return (both || r.inSeveral(one, many)) && !r.Is("of-one-mostly", part) && !slices.Contains(r.deeds, pair{many, one})
}

// eachOfOne says of what others may have as well that each is of one, where only the other side was told.
func (r *reader) eachOfOne() {
	for _, p := range r.manys {
		_, part := cutLast(p.other.Name)
		if r.Is("shared-by", part) && slices.Contains(p.other.Parents, p.one) && !slices.Contains(r.deeds, pair{p.other, p.one}) {
			r.Leave(inPlural(p.other.Name)+" of "+inPlural(p.one.Name), "each belongs to one")
		}
	}
}

// inSeveral says whether one of what a thing has may be in several of them, so that it belongs to none: products of orders.
func (r *reader) inSeveral(one, many *Thing) bool {
	_, whole := cutLast(one.Name)
	_, part := cutLast(many.Name)
	return r.Is("shares-its", whole) && r.Is("shared-by", part)
}

// ofOne takes that each of several things is of one of several others, where nothing says so but that they have to do with each other:
// players play in teams; actors play in films may be in several.
func (r *reader) ofOne(many, one *Thing, said string) {
	if r.inSeveral(one, many) {
		r.Refuse(said + ": each in one, or in several?")
	}
	many.belongs(one)
	r.Leave(inPlural(many.Name)+" of "+inPlural(one.Name), "each belongs to one")
}

// linkAll takes what no relations are told of for a part of the other thing, or what joins both others, where it is; but where the
// fields of all are told, these are all.
func (r *reader) linkAll() {
	if r.command || len(r.Things) < 2 {
		return
	}
	plain := func(t *Thing) bool { return len(t.Fields)+len(t.Parents) == 0 }
	for _, t := range r.Things {
		if !t.known && !t.Link && !t.alone && (len(t.Fields) == 0 || len(t.Parents) == 0 && slices.ContainsFunc(r.Things, plain) && !r.tellsOther(t)) {
			r.linkUsual(t)
		}
	}
}

// tellsOther says whether a field of a thing tells of another, so that it belongs to none of that kind: a member name of a loan.
func (r *reader) tellsOther(t *Thing) bool {
	return slices.ContainsFunc(t.Fields, func(f Field) bool {
		return slices.ContainsFunc(r.Things, func(o *Thing) bool { return o != t && strings.HasPrefix(f.Name+"_", o.Name+"_") })
	})
}

// sideBySide says of what nobody told how it belongs to the rest, where that is missed: the fields of some are not told, or it is
// the record that joins the others.
func (r *reader) sideBySide() {
	missed := func(t *Thing) bool {
		_, last := cutLast(t.Name)
		return !t.known && len(t.Parents) == 0 && (len(t.Fields) == 0 || len(r.Things) > 2 && r.Is("joins-two", last) && !r.tellsOther(t))
	}
	if r.command || len(r.Things) < 2 || !slices.ContainsFunc(r.Things, missed) {
		return
	}
	var apart []string
	for _, t := range r.Things {
		if !t.known && len(t.Parents) == 0 && !slices.ContainsFunc(r.Things, func(o *Thing) bool { return o != t && r.related(o, t) }) {
			apart = append(apart, inPlural(t.Name))
		}
	}
	if len(apart) > 0 {
		r.Leave("relations of "+english.List(apart), "none were told: they are kept side by side")
	}
}

// linkUsual gives a thing to those of which it is where nothing is told: orders to customers, comments to posts, loans to members and
// books.
func (r *reader) linkUsual(t *Thing) {
	_, last := cutLast(t.Name)
	for _, f := range strings.Split(r.Tables["has"][last], ",") { // an order has a customer
		name, _, _ := strings.Cut(f, ":")
		if o := r.exact(cmp.Or(name, "-")); o != nil && o != t && !english.IsPlural(name) && !r.related(t, o) {
			t.belongs(o)
		}
	}
	others := slices.DeleteFunc(slices.Clone(r.Things), func(o *Thing) bool { return o == t })
	part := len(others) == 1 && r.Is("inner", last) && !r.Is("inner", others[0].Name) && !r.Is("any-record", last)
	joins := len(others) == 2 && r.Is("joins-two", last) && t == r.Things[2] && r.somebody(others[0].Name) != r.somebody(others[1].Name) && !r.related(others[0], others[1])
	if len(t.Parents) > 0 || r.isParent(t) || !part && !joins {
		return
	}
	var names []string
	for _, o := range others {
		t.belongs(o)
		names = append(names, inPlural(o.Name))
	}
	r.Leave(inPlural(t.Name)+" of "+english.List(names), "each belongs to one")
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
		t := r.joining(p)
		one, other := inPlural(p.one.Name), inPlural(p.other.Name)
		if t.Parents = []*Thing{p.one, p.other}; t.Link {
			t.said = one + " and " + other
			r.Things = append(r.Things, t)
		}
		r.Leave("many "+one+" with many "+other, "by records of "+inPlural(t.Name)+", each of one and one")
	}
}

// joining gives the record that joins two things: one that was told and is of nothing else, as enrollments beside students with many
// courses, or a new one.
func (r *reader) joining(p pair) *Thing {
	for _, t := range r.Things {
		_, last := cutLast(t.Name)
		if r.Is("joins-many", last) && !r.Is("of-several", p.one.Name) && !r.Is("of-several", p.other.Name) && len(t.Parents) == 0 && t != p.one && t != p.other && !r.isParent(t) {
			if len(r.links) > 1 || slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Ref != "" }) { // of which of them?
				r.Refuse("what " + t.said + " are of")
			}
			return t
		}
	}
	return &Thing{Name: p.one.Name + "_" + p.other.Name, Link: true}
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

// roles takes for what two fields of a thing stand: sender and recipient are users; both are persons, where only two may be.
func (r *reader) roles(n *grammar.Node) {
	of, names := r.current, []string(nil)
	for _, p := range n.Parts {
		if p.Name == "{knownfield" {
			names = append(names, r.nameOf(p.From, p.To))
		}
	}
	var found []int
	for k := 0; of != nil && k < len(of.Fields); k++ {
		f := of.Fields[k]
		if slices.Contains(names, f.Name) || len(names) == 0 && !f.Sure && f.Kind == values.Text && f.told == "" && f.Ref == "" {
			found = append(found, k)
		}
	}
	last := r.At(n.To - 1).Low
	if r.take(n.Parts[len(n.Parts)-1]); len(found) != 2 || r.current == of || r.Is("type", last) || r.Is("type", english.Singular(last)) { // start and end are dates
		r.Refuse(r.said(n.From, n.To))
		return
	}
	for _, k := range found {
		of.Fields[k].Ref, of.Fields[k].Kind = r.current.Name, values.Text
	}
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
		known := c.other == nil && (r.isParent(c.one) || len(c.one.Parents) > 0)
		k := slices.IndexFunc(r.Things, of)
		if known || k >= 0 && !r.another(c, r.Things[k]) {
			r.Leave(c.said, settings.Background)
		} else {
			r.Refuse(c.said)
		}
	}
}

// another says whether the record that is of both things does not tell of what they have to do with each other: users can join many
// rooms, and a message is of a user and a room.
func (r *reader) another(c claim, t *Thing) bool {
	_, last := cutLast(t.Name)
	return !t.Link && !r.Is("joins-many", last) && slices.ContainsFunc(strings.Fields(c.said), func(w string) bool { return r.Is("many", w) })
}
