package records

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// take takes what a derivation says.
func (r *reader) take(n *grammar.Node) {
	switch n.Name {
	case "{setting", "{wanted", "{platform":
		r.Take(r.Text, n.From)
		r.endsList(n)
	case "called", "named", "titled":
		r.call(n)
	case "thing", "occurrence", "entry", "roll", "heading", "those", "logbook", "{thingname", "{records", "{plural", "{single", "{several", "{reference", "{references", "{mentioned", "{other", "{newname", "{holders", "{has", "{kept-apart", "{of-ones":
		r.thing(n)
	case "subjectname":
		r.thing(n.Parts[0])
	case "who", "ofone", "owner", "topic", "repeated", "place", "users", "story", "why", "runs", "role", "aside", "instead", "doable", "occasion", "system":
		if k := len(n.Parts) - 1; k >= 0 && n.Parts[k].Name == "{kept" { // jobs are stored
			return
		} else if k >= 0 && (n.Parts[k].Name == "owned" || n.Parts[k].Name == "holder") {
			r.take(n.Parts[k])
			return
		}
		r.background(n)
	case "det":
		if n.Parts[0].Name == "{possessor" && r.find(r.nameOf(n.From, n.To)) == nil && !r.elsewhere(n.From, n.To) { // my dog's walks
			r.Leave(r.Written(n.From, n.To), settings.Background)
		}
	case "makes":
		r.makes(n)
	case "deal":
		r.deals = append(r.deals, n)
	case "owned", "holder":
		r.owned(n)
	case "guard":
		r.guard(n)
	case "unguarded":
		r.Auth = project.None
	case "asked":
		r.Refuse(r.said(n.From, n.To))
	case "knowing":
		r.take(n.Parts[slices.IndexFunc(n.Parts, func(p *grammar.Node) bool { return p.Name == "either" })])
		r.background(n)
	case "matter": // of what the project is that the records are for
		r.take(n.Parts[0])
		r.current.place = true
	case "lasts":
		r.lasts(n)
	case "either":
		r.either(n)
	case "heart":
		r.heart(n)
	case "beyond":
		r.leaveOut(n, r.beyond(n.From, n.To))
	case "law":
		r.heldBy(n)
	case "aspect":
		why, _ := r.Longest(n.From, "aspect")
		r.leaveOut(n, why)
	case "ofproject":
		of := n.Parts[len(n.Parts)-1]
		why, _ := r.Longest(of.From, "of-all")
		if r.leaveOut(of, why); r.At(of.To).Low == "," && r.Is("setting-too", r.At(of.To+1).Low) && r.Ends(of.To+2) { // thread safe, license
			r.Refuse(r.said(of.From, of.To+2))
		}
	case "along":
		r.current.along = english.Singular(r.nameOf(n.Parts[len(n.Parts)-1].From, n.To))
	case "detail":
		m, _ := r.Phrase(n.Parts[0].From)
		r.endsFields(n)
		r.leave(n, m.Value)
	case "field", "timed", "just", "needful", "alone", "typed", "intext":
		r.field(n)
	case "alike", "others":
		r.alike(n)
	case "leading":
		r.need = r.needs(n.From)
		r.take(n.Parts[1])
		r.take(n.Parts[2])
		r.need = ""
	case "unclear":
		r.Refuse(r.said(n.From, n.To))
	case "relate", "ofthem":
		if !r.ofShared(n) {
			r.relation(n)
		}
	case "label", "boxed":
		r.holding(n)
		r.current.All = true
	case "claim":
		r.claim(n)
	case "handing":
		r.take(n.Parts[0])
		by := r.current
		r.take(n.Parts[len(n.Parts)-1])
		if n.Parts[1].Name == "{belongs" {
			by.belongs(r.current)
			return
		}
		r.ofOne(r.current, by, r.said(n.From, n.To))
	case "gapped":
		var all []*Thing
		for _, p := range n.Parts {
			if p.Name == "{mentioned" {
				all = append(all, r.look(p))
			}
		}
		for k := 1; k < len(all); k += 2 {
			all[k-1].belongs(all[k])
		}
	case "bothhave":
		if len(r.Things) != 2 {
			r.Refuse(r.said(n.From, n.To))
			return
		}
		for _, t := range r.Things {
			r.current = t
			r.take(n.Parts[len(n.Parts)-1])
		}
		r.current = nil // what follows may be of each
	case "linking":
		r.linkBoth(n)
	case "inquiry":
		r.inquiry(n)
	case "fromone":
		r.fromOne(n)
	case "belonging":
		r.tell(&said{}, n)
	case "both":
		r.joins(n)
	case "ofeachone":
		r.ofEach(n)
	case "whereof":
		if r.current = r.child; r.manyAnd(n.To) || r.ofParent() { // hotels have many rooms with a number and a price and a manager
			r.Refuse(r.said(n.To, r.NextMark(n.To)))
		}
	case "sentence":
		for k, p := range n.Parts {
			if k > 0 && n.Parts[k-1].Name == "roll" && p.Name == "part" && len(p.Parts) > 0 && p.Parts[0].Name == "further-on" && r.At(p.From).Low == "and" { // posts, comments and likes are liked by users
				r.Refuse(r.said(n.From, n.To))
			}
			r.take(p)
		}
	case "define":
		if !r.ofShared(n) {
			r.define(n)
		}
	case "needing":
		r.need = r.needs(n.Parts[1].From)
		r.take(n.Parts[len(n.Parts)-1])
		r.need = ""
	case "loose", "bulleted":
		r.loose(n)
	case "roles":
		r.roles(n)
	case "amend", "heldto":
		r.amend(n)
	case "every":
		r.all = n.Parts[len(n.Parts)-1]
	case "inner", "nested", "within", "had":
		r.inner(n)
	case "holdings":
		r.holdings(n)
	case "bare", "opened", "further", "closed", "told", "item":
		r.holding(n)
	case "loosely":
		r.holding(n)
		r.current.loosely = true
	default:
		for _, p := range n.Parts {
			r.take(p)
		}
	}
}

// ofParent says whether what follows may be of what the last thing belongs to: containers with a size are on a vessel with a name.
func (r *reader) ofParent() bool {
	if r.child == nil {
		return false
	}
	k := len(r.child.Parents) - 1
	return k >= 0 && len(r.child.Fields) > 0 && len(r.child.Parents[k].Fields) == 0
}

// manyAnd says whether what follows is joined by nothing but several "and", so that the last may be of something else.
func (r *reader) manyAnd(from int) bool {
	n := 0
	for i := from; i < len(r.Tokens) && !r.At(i).Mark; i++ {
		if r.At(i).Low == "and" {
			n++
		}
	}
	return n > 1
}

// heart takes what cannot be had: some of it can be left out where there are records to keep.
func (r *reader) heart(n *grammar.Node) {
	at := n.Parts[0].From
	m, _ := r.Phrase(at)
	if len(r.Things) > 0 && r.soft(m.Value) {
		r.endsFields(n)
		r.leave(n, m.Value)
		return
	}
	r.Take(r.Text, at)
}

// call gives the project its name, or its module.
func (r *reader) call(n *grammar.Node) {
	last := n.Parts[len(n.Parts)-1]
	switch last.Name {
	case "{path":
		r.Module = r.At(last.From).Text
	case "{quoted":
		if words.PathLike.MatchString(r.At(last.From).Text) {
			r.Module = r.At(last.From).Text
			return
		}
		r.Title = plaintext.Title(r.At(last.From).Text)
	case "{name", "{title":
		r.Title, _ = r.NameAt(last.From)
	default:
		r.call(last)
	}
}

// thing takes something that records are kept of; who calls it by the last word of its name later means the same.
func (r *reader) thing(n *grammar.Node) {
	from, to, one := n.From, n.To, n.Name == "{compound" || n.Name == "gathering"
	if k := len(n.Parts) - 1; k >= 0 {
		from, to = n.Parts[k].From, n.Parts[k].To
		one = one || n.Name != "entry" && n.Name != "heading" && (n.Parts[k].Name == "{single" || n.Parts[k].Name == "{gathered" || n.Parts[k].Name == "{logbook") || n.Parts[k].Name == "{fixed-name" && r.Is("place-of", r.said(from, to))
	}
	name := english.Singular(r.nameOf(from, to))
	t := r.find(name)
	if t == nil {
		t = r.toldIn(name)
	}
	if t == nil && n.Name == "{thingname" {
		t = r.oneOf(name)
	}
	switch {
	case t == nil:
		t = &Thing{Name: name, said: r.said(from, to), place: one, at: from}
		if one {
			t.holds = r.heldIn(from, to)
		}
		r.Things = append(r.Things, t)
	case name == t.holds && len(t.Fields) == 0: // a club has members: named only now
		t.Name, t.place = name, false
		k := slices.Index(r.Things, t)
		r.Things = append(slices.Delete(r.Things, k, k+1), t)
	case name == t.holds:
		t.Name, t.place = name, false
	case strings.HasSuffix(t.Name, "_"+name): // a grocery list: lists have a name, and items are something else
		t.Name, t.place, t.holds = name, false, ""
	case n.Name == "entry" || n.Name == "heading": // what is told of with a list is no mere place
		t.place = false
	}
	t.alone = false
	t.each = len(t.Fields) == 0 && english.IsPlural(r.At(to-1).Low)
	r.current, r.named = t, append(r.named, t)
}

// oneOf gives the thing of which a name means one, where it has no plural: staff, and each staff member.
func (r *reader) oneOf(name string) *Thing {
	if whole, last := cutLast(name); english.Plural(whole) == whole && r.Is("one-of", last) {
		return r.exact(whole)
	}
	return nil
}

// toldIn gives the thing of which only that was named before in which each is told: bug reports, each bug has a title.
func (r *reader) toldIn(name string) *Thing {
	for _, t := range r.Things {
		if whole, last := cutLast(t.Name); whole == name && len(t.Fields) == 0 && r.Is("told-in", last) {
			return t
		}
		if t.holds != "" && t.holds == r.Tables["same-as"][name] { // a todo list, and a task has a title
			t.holds = name
			return t
		}
	}
	return nil
}

// heldIn gives what is kept in something of which there is one: members in a gym, coins in a coin collection.
func (r *reader) heldIn(from, to int) string {
	place, last, before := r.Tables["place-of"], r.At(to-1).Low, r.At(to-2).Low
	held := cmp.Or(place[r.said(from, to)], place[before+" "+last])
	switch {
	case held != "":
		return held
	case to > from+1 && r.Is("herds", last) && r.Is("herded", english.Singular(before)): // a truck fleet
		return english.Singular(r.nameOf(from, to-1))
	case to > from+1 && last == "store" && !r.Is("shop-of", before): // a feature flag store
		return english.Singular(r.nameOf(from, to-1))
	case to == from+1 || !r.Is("gathers", last), r.Is("never-held", before) && place[last] != "": // a personal library
		return place[last]
	case r.Is("never-held", before):
		r.Refuse("what records of " + r.said(from, to))
	case r.isPlace(before): // a kitchen inventory
		return "item"
	case r.Is("uncounted", before), r.Is("uncounted", before+" "+last): // a fuel log
		return r.nameOf(from, to-1) + "_entry"
	}
	return english.Singular(r.nameOf(from, to-1))
}

// isPlace says whether things are in it, and it is none of them.
func (r *reader) isPlace(word string) bool {
	return r.Is("room", word) || r.Is("institution", word) || r.Is("place-of", word) && r.Tables["place-of"][word] != word
}

// define takes what a sentence tells of a thing, and what that belongs to.
func (r *reader) define(n *grammar.Node) {
	if r.picked(n) {
		r.need = "optional"
		defer func() { r.need = "" }()
	}
	before := r.current
	var next *tie
	for k, p := range n.Parts {
		switch of := r.current; {
		case p.Name == "{relation":
			next = &tie{}
			r.verb(p, next)
			continue
		case next != nil && p.Name == "det":
			continue
		case next != nil && p.Name == "{thingname":
			r.take(p)
			next.to = r.current
			r.tied([]tie{{to: of}, *next}, r.said(n.From, n.To))
			continue
		}
		r.each = k > 0 && n.Parts[k-1].Name == "{owns" && english.IsPlural(r.At(n.Parts[k-1].From-1).Low) // kids have names
		r.take(p)
		r.each = false
		if p.Name == "{thingname" && k > 0 {
			r.whoseAre(n.Parts[k-1], before)
		}
		if p.Name == "fields" && len(p.Parts) == 1 && r.Is("kept-too", r.At(p.To-1).Low) && !r.elsewhere(p.From, p.To) { // tickets have comments: texts, or records?
			r.Refuse(r.said(n.From, n.To))
		}
	}
}

// whoseAre takes whose the things are of which a sentence tells: their orders, every house's rooms; but not those of our shop.
func (r *reader) whoseAre(n *grammar.Node, before *Thing) {
	t, own := r.current, r.Is("own", r.At(n.From-1).Low)
	switch of := r.find(r.nameOf(n.From, n.To)); {
	case r.Is("theirs", r.At(n.From).Low) && before != nil && before != t && r.ofLast(before) && !r.related(before, t):
		r.theirs(before, false)
	case r.Is("theirs", r.At(n.From).Low) && (before == nil || !r.ofLast(before)): // of several things, whose?
		r.Refuse(r.said(n.From, n.To+1))
	case !r.whose(n.To - 1):
	case of != nil && of != t && !r.related(of, t):
		r.theirs(of, false)
	case of == nil && !own:
		r.Refuse(r.said(n.From, n.To))
	}
}

// ofSeveral says whether things are of several others, which are records then: customers' pets, my kids' chores; but not women's shoes.
func (r *reader) ofSeveral(n *grammar.Node) bool {
	last := r.At(n.To - 1)
	return (strings.HasSuffix(last.Text, "s'") || english.IsPlural(last.Low)) && (r.Is("has-phone", last.Low) || r.Is("own", r.At(n.From-1).Low))
}

// ofLast says whether the sentence before told of nothing else, or of what has to do with it.
func (r *reader) ofLast(t *Thing) bool {
	return !slices.ContainsFunc(r.last, func(o *Thing) bool { return o != t && !o.place && !r.related(o, t) })
}

// picked says whether a sentence tells only of some of the things that were told of before: new members have a trial end.
func (r *reader) picked(n *grammar.Node) bool {
	for k, p := range n.Parts[:len(n.Parts)-1] {
		if next := n.Parts[k+1]; r.Is("picks", r.At(p.To-1).Low) && next.Name == "{thingname" {
			t := r.find(r.nameOf(next.From, next.To))
			return t != nil && len(t.Fields) > 0
		}
	}
	return false
}

// holdings takes things with what they hold; what stands behind a list that "with" began may be of what that list is of:
// batches with a name and a style, and tasting notes with a score.
func (r *reader) holdings(n *grammar.Node) {
	var outer *Thing
	withs := false // a list that "with" began
	for k, p := range n.Parts {
		switch r.take(p); {
		case p.Name == "sep":
		case p.Name == "bare" && len(n.Parts) > 1:
			r.current.amid, outer = k > 0 || r.At(p.From-1).Low == ":", nil
			if k > 1 && r.At(p.From-1).Low == "and" && r.Is("theirs", r.At(n.Parts[k-2].From).Low) && p.Parts[0].Name == "thing" && len(r.named) > 2 { // customers, their addresses and orders
				r.ofSame = append(r.ofSame, pair{r.current, r.named[len(r.named)-3]})
			}
		case p.Name == "bare" && r.current != nil && len(r.current.Fields) == 0:
			r.current.alone = true
		case p.Name != "opened" && p.Name != "further":
			outer = nil
		default:
			at := p.Parts[len(p.Parts)-1].From
			with := r.At(at).Low == "with" || r.At(at-1).Low == "with"
			if outer != nil && outer != r.current && (with || r.At(n.Parts[k-1].From).Low == "and" && r.lacksAnd(n.Parts[k-2])) {
				r.current.inside, r.current.beside = outer, r.At(n.Parts[k-1].From).Low != "and" && (withs || r.At(n.Parts[k-1].From).Text == ";")
				if r.Is("many", r.At(p.From).Low) || r.Any("listing", p.From, p.From+2) { // a name, and several vaccinations with a date
					r.current.belongs(outer)
				}
				r.goesOn(p)
			}
			outer, withs = r.current, with
		}
	}
}

// holding takes a thing with what it holds; their clues belong to the puzzles before them.
func (r *reader) holding(n *grammar.Node) {
	var those, before, of *Thing
	made := false // of what stands before a name
	if len(r.named) > 0 {
		before = r.named[len(r.named)-1]
	}
	for _, p := range n.Parts {
		switch {
		case p.Name == "foreach": // for every hive its inspections
			those = r.look(p.Parts[0])
			continue
		case p.Name == "det" && p.Parts[0].Name == "{possessor": // the dogs' walks
			if those = r.find(r.nameOf(p.From, p.To)); those == nil && r.ofSeveral(p) && !r.Is("field", english.Singular(r.At(p.To).Low)) && !r.command { // customers' pets
				those = &Thing{Name: english.Singular(r.nameOf(p.From, p.To)), said: english.Plural(r.said(p.From, p.To)), at: p.From}
				r.Things, made = append(r.Things, those), true
			}
		case p.Name == "det" && r.Is("theirs", r.At(p.From).Low) && len(r.named) > 0:
			if those = r.named[len(r.named)-1]; len(those.Parents) > 0 { // swimmers, their times and their coaches
				r.Refuse(r.said(n.From, n.To))
			}
		}
		if r.attach(p, before) {
			continue
		}
		r.take(p)
		if n.Name == "bare" && r.current != nil {
			r.current.listed, r.current.amid = true, r.current.amid || r.At(n.From-1).Low == "," || r.At(n.From-1).Low == "and"
		}
		if n.Name == "opened" && p.Name == "held" && r.current != of && of != nil { // visits, where each animal has a name
			of.alone = true
		}
		if p.Name == "thing" {
			of = r.current
		}
		if (p.Name == "thing" || p.Name == "entry" || p.Name == "heading" || p.Name == "those") && those != nil && those != r.current {
			if r.theirs(those, n.Name == "bare"); made {
				r.made = append(r.made, pair{those, r.current})
			}
		}
	}
}

// linkBoth takes that a thing belongs to the two others: loans connecting the two.
func (r *reader) linkBoth(n *grammar.Node) {
	others := slices.DeleteFunc(slices.Clone(r.Things), func(t *Thing) bool { return t == r.current || t.alone && len(t.Fields) == 0 })
	if len(others) != 2 {
		r.Refuse(r.said(n.From, n.To))
		return
	}
	r.current.belongs(others[0])
	r.current.belongs(others[1])
}

// theirs takes what things have: their owners have them, and what a record holds is a field: products and their prices.
func (r *reader) theirs(of *Thing, bare bool) {
	t := r.current
	kind := r.Tables["field"][t.Name]
	switch {
	case r.Is("above", t.Name):
		of.belongs(t)
	case bare && len(t.Fields) == 0 && kind != "" && kind != values.Texts && !r.Is("has-phone", t.Name) && !r.labelled(t.Name, 0, 0):
		is := func(o *Thing) bool { return o == t }
		r.Things, r.named, r.current = slices.DeleteFunc(r.Things, is), slices.DeleteFunc(r.named, is), of
		r.add(said{name: strings.Split(t.Name, "_")})
		of.theirs++
	default:
		t.belongs(of)
	}
}

// owned takes what is of the thing told of last, or what that is of.
func (r *reader) owned(n *grammar.Node) {
	one := r.current
	for _, p := range n.Parts {
		if p.Name == "{mentioned" || p.Name == "{holders" {
			r.take(p)
		}
	}
	other := r.current
	if r.current = one; n.Name == "holder" {
		one, other = other, one
	}
	one.place, other.place = false, false
	one.belongs(other)
}

// makes takes who makes things, so that each is of one of them, and maybe of something else: reservations on a ride.
func (r *reader) makes(n *grammar.Node) {
	var all []*Thing
	for _, p := range n.Parts {
		if p.Name == "those" || p.Name == "entry" || p.Name == "closed" || p.Name == "{mentioned" {
			r.take(p)
			all = append(all, r.current)
		}
	}
	for k, of := range all {
		switch {
		case k == 0 && r.Is("of-several", of.Name): // authors write books
			r.link(all[1], of)
		case k != 1:
			all[1].belongs(of)
		}
	}
	r.made = append(r.made, pair{all[0], all[1]})
	r.current = all[1]
}

// attach takes what a clause behind a name says of it and of what was named before, or not at all: reviews of products, visits
// to it, the vehicles they are stored in.
func (r *reader) attach(n *grammar.Node, before *Thing) bool {
	if n.Name == "who" && len(n.Parts) > 0 && n.Parts[0].Name == "tied" {
		n = n.Parts[0]
	}
	if n.Name != "who" && n.Name != "tied" && n.Name != "ofone" || len(n.Parts) == 0 {
		return false
	}
	last, of := n.Parts[len(n.Parts)-1], r.ofThose(n)
	switch how := n.Parts[0]; {
	case last.Name == "belonging" || last.Name == "joining":
		r.take(last)
	case how.Name == "ofthose":
		if inner := how.Parts[len(how.Parts)-1]; inner.Name == "{other" || inner.Name == "{mentioned" {
			before = r.look(inner)
		}
		if before == nil || before == r.current {
			r.Refuse(r.said(n.From, n.To))
			return true
		}
		r.current.belongs(before)
	case how.Name == "linking":
		r.linkBoth(how)
	case how.Name == "wherein" && before != nil:
		before.belongs(r.current)
	case how.Name == "todo" && before != nil:
		r.claims = append(r.claims, claim{r.said(n.From, n.To), r.current, before})
	case how.Name == "todo" && r.Any("others-of", n.To-1, n.To): // of whom was nothing told
		r.Refuse(r.said(n.From, n.To))
	case of != nil && of != r.current:
		r.current.belongs(of)
	default:
		return false
	}
	return true
}

// look gives what a name stands for, and tells of nothing else.
func (r *reader) look(n *grammar.Node) *Thing {
	current, named := r.current, r.named
	r.take(n)
	found := r.current
	r.current, r.named = current, named
	return found
}

// claim takes that two things have to do with each other, of which others must tell how.
func (r *reader) claim(n *grammar.Node) {
	first, last := n.Parts[0], n.Parts[len(n.Parts)-1]
	for _, p := range n.Parts {
		if p.Name == "{mentioned" && first.Name != "{mentioned" {
			first = p
		}
	}
	r.claims = append(r.claims, claim{r.said(n.From, n.To), r.look(first), r.look(last)})
}

// ofThose gives what things are of that were named before: reviews of products, slots in a machine, tickets for events.
func (r *reader) ofThose(n *grammar.Node) *Thing {
	at, one := n.From+1, false
	for ; r.Is("determiner", r.At(at).Low); at++ {
		one = one || r.Is("any-one", r.At(at).Low)
	}
	_, last := cutLast(r.current.Name)
	if first := r.At(n.From).Low; first != "of" && !((one || r.Is("of-one-each", last)) && r.Is("of-what", first)) {
		return nil
	}
	return r.find(r.nameOf(at, n.To))
}

// joins says that a thing belongs to the two that were named before it.
func (r *reader) joins(n *grammar.Node) {
	if len(r.named) != 3 {
		r.Refuse(r.said(n.From, n.To))
		return
	}
	r.current.belongs(r.named[0])
	r.current.belongs(r.named[1])
	r.current.Link = true
}

// ofEach takes what is kept of each of several things: the serial numbers and purchase dates of our printers.
func (r *reader) ofEach(n *grammar.Node) {
	r.take(n.Parts[len(n.Parts)-1])
	r.oneEach = true
	r.take(n.Parts[0])
	r.oneEach = false
}

// inner takes something that another thing holds, with what it holds itself.
func (r *reader) inner(n *grammar.Node) {
	outer := r.current
	for k, p := range n.Parts {
		r.take(p)
		switch {
		case p.Name != "{plural" || r.current == outer || outer == nil:
		case n.Name == "inner" && n.Parts[k+1].Name == "fields":
			r.current.inside = outer
		default:
			r.current.belongs(outer)
		}
	}
	if r.current = outer; n.Name == "inner" && r.At(n.From).Low != "•" {
		r.goesOn(n)
	}
}

// lacksAnd says whether nothing stands before the last of a list, so that it may go on: a name, a theme, and then "and puzzles".
func (r *reader) lacksAnd(n *grammar.Node) bool {
	last := n.Parts[len(n.Parts)-1]
	return !slices.ContainsFunc(r.Tokens[last.From:last.To], func(t words.Token) bool { return t.Low == "and" })
}

// goesOn refuses a list inside of another one that goes on behind its end, so that the rest may be of the other: a name,
// ingredients with an amount and a unit, and a cooking time; a name, ingredients with an amount, and a cooking time.
func (r *reader) goesOn(n *grammar.Node) {
	for n.Name != "fields" && len(n.Parts) > 0 {
		n = n.Parts[len(n.Parts)-1]
	}
	for k, p := range n.Parts {
		if p.Name == "sep" && r.At(p.To-1).Low == "and" && (k+2 < len(n.Parts) || len(n.Parts) == 3 && r.At(p.From).Low == ",") {
			r.Refuse(r.said(p.To, n.To))
		}
	}
}

// tie is how a thing of which a sentence tells has to do with the one that it begins with.
type tie struct {
	to              *Thing
	kind, verb      string
	may, deed, many bool
}

// verb takes how words relate what stands before them to what is behind.
func (r *reader) verb(n *grammar.Node, t *tie) {
	m, _ := r.phrase(n.From, n.To-n.From)
	t.kind, t.may, t.verb = m.Value, r.Is("may", r.At(n.From).Low), r.At(n.From).Low
}

// ofShared takes of each of several things what a sentence tells of all of them: books and articles belong to an author.
func (r *reader) ofShared(n *grammar.Node) bool {
	shared, relate := n.Parts[0], n.Parts[0]
	if relate.Name == "relate" && slices.ContainsFunc(n.Parts, func(p *grammar.Node) bool { return p.Name == "fields" }) { // and have a title
		shared = relate.Parts[0]
	}
	if shared.Name != "shared" {
		return false
	}
	ends := len(n.Parts)
	for ends > 0 && n.Parts[ends-1].Name == "part" {
		ends--
	}
	var subjects []*Thing
	for _, p := range shared.Parts {
		if p.Name != "{mentioned" {
			continue
		}
		one := &grammar.Node{Name: "{thingname", From: p.From, To: p.To}
		if shared != relate {
			one = &grammar.Node{Name: relate.Name, From: relate.From, To: relate.To, Parts: append([]*grammar.Node{one}, relate.Parts[1:]...)}
		}
		r.take(&grammar.Node{Name: n.Name, From: n.From, To: n.To, Parts: append([]*grammar.Node{one}, n.Parts[1:ends]...)})
		subjects = append(subjects, r.look(p))
	}
	if last := r.At(n.From - 1).Low; n.From > r.begin && (last == "," || last == "and") || r.Any("theirs", shared.From, shared.To) || r.ofWhich(subjects, shared.To, n.To) {
		r.Refuse(r.said(n.From, n.To))
	}
	r.current, r.child = nil, nil // what follows may be of each
	for _, p := range n.Parts[ends:] {
		r.take(p)
	}
	return true
}

// ofWhich says whether several things have others of which nobody knows whether each is of one of them, or of one of each: posts and
// photos have comments.
func (r *reader) ofWhich(subjects []*Thing, from, to int) bool {
	for i := from; i < to; i++ {
		t := r.exact(english.Singular(r.At(i).Low))
		if t == nil || !english.IsPlural(r.At(i).Low) || r.Is("joins-two", t.Name) {
			continue
		}
		if r.Any("owns", from, i) || slices.Contains(t.Parents, subjects[0]) {
			return !slices.ContainsFunc(r.links, func(p pair) bool { return p.is(t, subjects[0]) })
		}
	}
	return false
}

// relation takes which things belong to which.
func (r *reader) relation(n *grammar.Node) {
	var ties []tie
	next := tie{} // an order belongs to a customer, and has many items
	for k, p := range n.Parts {
		switch p.Name {
		case "bound":
			next.deed = true
		case "meets":
			next.kind = "link"
		case "{hands-in":
			next.kind = "many"
			if r.Is("of-several", ties[0].to.Name) { // authors write books
				next.kind = "link"
			}
		case "{thingname", "{single", "{several", "{reference", "{references", "{mentioned", "{of-ones", "untold":
			if kind := r.Tables["field"][english.Singular(r.At(p.To-1).Low)]; p.Name != "untold" && kind != "" && kind != values.Text && r.find(r.nameOf(p.From, p.To)) == nil { // prices are in euro
				r.Refuse(r.said(n.From, n.To))
				return
			}
			r.take(p)
			next.to, next.many = r.current, english.IsPlural(r.At(p.To-1).Low) && p.Name == "{thingname"
			if before := n.Parts[max(k-1, 0)]; len(ties) > 0 && before.Name == "det" {
				next.kind = r.asMany(r.said(before.From, before.To), next)
			}
			ties = append(ties, next)
		case "{relation":
			r.verb(p, &next)
			ties[0].to.joins = ties[0].to.joins || r.Any("links-two", p.From, p.To)
		}
	}
	r.tied(ties, r.said(n.From, n.To))
}

// asMany gives how a thing is related where the word before it says how many there are: has many trips and one driver, is assigned
// to many tasks.
func (r *reader) asMany(word string, t tie) string {
	switch {
	case !t.many && (word == "one" || r.Is("indefinite", word)):
		return ""
	case t.kind == "" && r.Is("many", word):
		return "link"
	}
	return t.kind
}

// tied takes how the first of several things has to do with the others.
func (r *reader) tied(ties []tie, said string) {
	of := ties[0]
	r.current, r.child = of.to, of.to
	for k, t := range ties[1:] {
		if slices.ContainsFunc(ties[1:k+1], func(o tie) bool { return o.to == t.to }) { // comes from a contact and goes to many contacts
			r.Refuse(said)
		}
		switch t.kind {
		case "link":
			r.link(of.to, t.to)
			r.child = nil // of both, or of what is between them
		case "many":
			r.several(of.to, t.to, t.may)
			if r.child = t.to; len(t.to.Fields) > 0 && !slices.Contains(t.to.Parents, of.to) { // many products with a quantity
				r.child = nil
			}
		default:
			if t.deed && slices.Contains(r.deeds, pair{of.to, t.to}) { // sent by one customer, paid by one customer
				r.Refuse(said)
			}
			r.deeds = append(r.deeds, pair{of.to, t.to})
			if of.many && t.many && !strings.HasPrefix(t.verb, "belong") { // actors play in films
				r.ofOne(of.to, t.to, said)
			}
			of.to.belongs(t.to)
		}
	}
}

func (t *Thing) belongs(to *Thing) {
	if !slices.Contains(t.Parents, to) {
		t.Parents = append(t.Parents, to)
	}
}
