package former

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
)

// deed is what things do with others, which records of a third tell: members who borrow them.
type deed struct {
	span
	by   *Thing
	who  string // or the name of what may be a thing, or a field of one
	does string // what is done
	what *Thing // with what
	rest span   // for how long
}

// doers reads things that are told by what they do with those before: packets (variety), and the members who borrow them.
func (r *reader) doers(i, to int) int {
	n, ok := r.noun(i)
	before := r.At(i - 1).Low
	if !ok || !n.many() || r.skip(i) == i || len(r.Things) == 0 || before != "and" && before != "also" && before != "," || !r.Is("relative", r.At(n.to).Low) || r.find(n.name()) != nil {
		return i
	}
	end := min(r.EndOf(n.to), to)
	if !r.didThat(n.to+1, end) {
		return i
	}
	r.deeds = append(r.deeds, deed{span: span{n.to, end}, by: r.thing(n)})
	return end
}

// whoDid reads who does something with the things before, which records of another tell: the tools, and who has borrowed them.
func (r *reader) whoDid(i, to int) int {
	end := min(r.EndOf(i), to)
	if r.At(i).Low != "who" || !r.begins(i) || r.open != nil || len(r.Things) == 0 || r.inList(i) || !r.didThat(i+1, end) && !(end == i+2 && r.done(r.At(i+1).Low)) || end < to && r.At(end).Low != "." {
		return i
	}
	r.deeds = append(r.deeds, deed{span: span{i, end}})
	return end
}

// doesThat reads what things do with others, which records of a third tell: members borrow packets.
func (r *reader) doesThat(i, to int) int {
	at := r.After(i+1, "can")
	who, does := r.At(i), r.At(at)
	n, ok := r.noun(at + 1)
	plain := func(k int) bool {
		return !r.At(k).Mark && !r.At(k).Quoted && (r.class(k) == "" || r.Is("also-name", r.At(k).Low))
	}
	if !r.begins(i) && r.At(i-1).Low != "where" || !plain(i) || !plain(at) || !english.IsPlural(who.Low) || english.IsPlural(does.Low) || !ok || !n.many() || !r.isThing(n.name()) {
		return i
	}
	end, rest := n.to, span{}
	if k := r.skip(n.to + 1); r.At(n.to).Low == "for" && (r.Is("number-word", r.At(n.to+1).Low) || r.Is("indefinite", r.At(n.to+1).Low) || r.IsFigure(n.to+1)) && r.Is("time-unit", english.Singular(r.At(max(k, n.to+2)).Low)) { // for two weeks
		end = max(k, n.to+2) + 1
		rest = span{n.to, end}
	}
	if end > to || end < to && r.At(end).Low != "." && r.At(end).Low != "," {
		return i
	}
	r.deeds = append(r.deeds, deed{span{i, end}, nil, english.Singular(who.Low), does.Low, r.thing(n), rest})
	r.current = nil
	return end
}

// makes reads who makes things, so that each is of one of them: drivers offer rides (from, to), and members write reviews.
func (r *reader) makes(i, to int) int {
	at := r.skip(i)
	who := noun{[]string{spelled(r.At(at))}, i, at + 1}
	what, ok := r.noun(at + 2)
	if !ok || !r.nameable(at) || !r.begins(i) && r.At(i-1).Low != "where" || !r.makesAt(who) || !who.many() && r.fieldWord(who.last()) || !what.many() || what.to > to || r.skip(at+2) > at+2 || r.settled(who) {
		return i
	}
	of, named := r.noun(what.to + 1)
	behind := named && !of.many() && r.Is("by-what", r.At(what.to).Low) && r.Is("any-one", r.At(what.to+1).Low) && r.isThing(of.name()) // on a ride
	ended := func(k int) bool { return k >= to || r.Ends(k) && r.At(k).Low != ":" }
	switch {
	case behind && ended(of.to), r.isThing(what.name()) && ended(what.to), r.defines(what.from), r.At(what.to).Low == ":":
	default:
		return i
	}
	maker := r.thing(who)
	end := r.definition(what.from, to)
	made := r.find(what.name())
	if end == what.from {
		made, end = r.thing(what), what.to
	}
	if made == nil || made == maker {
		r.Refuse(r.text(i, end))
		return end
	}
	maker.weak = false
	if r.ofSeveral(made, maker, false) {
		r.link(made, maker)
	} else {
		r.belongsToo(made, maker)
		r.makers = append(r.makers, deed{span: span{i, what.to}, by: maker, what: made})
	}
	if behind && end == what.to {
		r.belongsToo(made, r.thing(of))
		end = of.to
	}
	r.current = made
	return end
}

// unmade takes back who makes things where only their names are kept with these: drivers offer rides. Ride: driver name.
func (r *reader) unmade() {
	for _, each := range r.makers {
		named := slices.ContainsFunc(each.what.Fields, func(f Field) bool { return strings.HasPrefix(f.Name, each.by.Name+"_") })
		if named && len(each.by.Fields)+len(each.by.Parents) == 0 && r.mentions(each.by.Name) < 3 {
			each.what.Parents = slices.DeleteFunc(each.what.Parents, func(p *Thing) bool { return p == each.by })
			r.Things = slices.DeleteFunc(r.Things, func(t *Thing) bool { return t == each.by })
			r.Leave(r.text(each.from, each.to), settings.Background)
		}
	}
}

// makesAt says whether somebody is said to make what follows: drivers offer, a teacher creates.
func (r *reader) makesAt(who noun) bool {
	low := r.At(who.to).Low
	if who.many() {
		return r.Is("makes-it", low) && who.to == who.from+1
	}
	return r.Is("makes-it", strings.TrimSuffix(low, "s")) && strings.HasSuffix(low, "s") && r.Is("any-one", r.At(who.from).Low)
}

// settled says whether what would make something is where things are, or the project itself.
func (r *reader) settled(n noun) bool {
	return r.isPlace(english.Singular(n.last())) || r.class(n.to-1) == "kind" || r.class(n.to-1) == "container"
}

// didThat says whether somebody did something with the things before: has borrowed them, play in it.
func (r *reader) didThat(i, end int) bool {
	at := r.After(i, "has", "have", "had")
	known := r.class(at) != "" && !r.Is("also-name", r.At(at).Low) && r.class(at) != "relation"
	last := at + 1
	if m, n := r.Phrase(at); m.Class == "relation" || r.Is("particle", r.At(last).Low) {
		last = max(last+1, at+n)
	}
	return !known && last == end-1 && r.Is("others-of", r.At(last).Low)
}

// toldBy gives the records that are named by what is done, and have something of their own: customers rent skis, and rentals
// have a date.
func (r *reader) toldBy(d deed) *Thing {
	root := cmp.Or(r.Tables["deed-of"][d.does], strings.TrimSuffix(d.does, "e"))
	for _, t := range r.Things {
		last := t.Name[strings.LastIndex(t.Name, "_")+1:]
		named := last == d.does || len(root) > 2 && strings.HasPrefix(last, root) && !english.HasSuffix(last, "er", "or")
		if d.does != "" && named && t != d.what && t != d.by && len(t.Fields)+len(t.Parents) > 0 {
			return t
		}
	}
	return nil
}

// belongsToo says of which things another is, where it was not told before.
func (r *reader) belongsToo(t *Thing, all ...*Thing) {
	for _, of := range all {
		if of != nil && of != t && !slices.Contains(t.Parents, of) && t.field(of.Name) == nil {
			t.Parents = append(t.Parents, of)
		}
	}
}
