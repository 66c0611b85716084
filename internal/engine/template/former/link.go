package former

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// pair is two things of which each may have several of the other.
type pair struct{ one, other *Thing }

func (p pair) is(a, b *Thing) bool { return p.one == a && p.other == b || p.one == b && p.other == a }

// linked says whether each of two things may have several of the other.
func (r *reader) linked(a, b *Thing) bool {
	return slices.ContainsFunc(r.links, func(p pair) bool { return p.is(a, b) })
}

// link notes that each of two things may have several of the other, whatever was told of one side before.
func (r *reader) link(a, b *Thing) {
	for _, each := range [][2]*Thing{{a, b}, {b, a}} {
		each[0].Parents = slices.DeleteFunc(each[0].Parents, func(p *Thing) bool { return p == each[1] })
	}
	if slices.Index(r.Things, b) < slices.Index(r.Things, a) {
		a, b = b, a
	}
	if !r.linked(a, b) {
		r.links = append(r.links, pair{a, b})
	}
	a.weak, b.weak = false, false
}

// linkUp gives things of which each may have several of the other a thing between them, unless one was told.
func (r *reader) linkUp() {
	for _, t := range r.Things {
		t.Link = t.Link && len(t.Fields) == 0
	}
	for _, p := range r.links {
		if r.between(p.one, p.other) || slices.Contains(p.one.Parents, p.other) || slices.Contains(p.other.Parents, p.one) {
			continue
		}
		one, other := strings.ReplaceAll(english.Plural(p.one.Name), "_", " "), strings.ReplaceAll(english.Plural(p.other.Name), "_", " ")
		between := &Thing{Name: p.one.Name + "_" + p.other.Name, Link: true, said: one + " and " + other, Parents: []*Thing{p.one, p.other}}
		r.Things = append(r.Things, between)
		r.Leave("many "+one+" with many "+other, "by records of "+strings.ReplaceAll(english.Plural(between.Name), "_", " ")+", each of one and one")
	}
	for _, each := range r.deeds {
		said := r.text(each.from, each.to)
		if each.who != "" {
			each.by = r.exact(each.who)
		}
		told := func(t *Thing) bool { // by a thing between both, or by one that belongs to what was named
			if each.who != "" && each.by == nil { // singers, of whom a loan has the name
				return len(t.Parents) > 0 && slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Name == each.who || strings.HasPrefix(f.Name, each.who+"_") })
			}
			return each.by == nil && len(t.Parents) > 0 || each.by != nil && slices.Contains(t.Parents, each.by) && len(t.Parents) > 1
		}
		switch t := r.toldBy(each); {
		case t != nil && each.by != nil:
			r.belongsToo(t, each.by, each.what)
			r.Leave(r.text(each.rest.from, each.rest.to), "rules between records")
		case slices.ContainsFunc(r.Things, told):
			r.Leave(said, settings.Background)
		case t != nil:
			r.belongsToo(t, r.thing(noun{[]string{english.Plural(each.who)}, each.from, each.from + 1}), each.what)
			r.Leave(r.text(each.rest.from, each.rest.to), "rules between records")
		default:
			r.Refuse(said)
		}
	}
}

// between says whether a thing belongs to two others.
func (r *reader) between(a, b *Thing) bool {
	return slices.ContainsFunc(r.Things, func(t *Thing) bool { return slices.Contains(t.Parents, a) && slices.Contains(t.Parents, b) })
}

// linksBoth reads records between the two things that were told of: loans connecting the two with a due date.
func (r *reader) linksBoth(i, to int) int {
	at := r.After(i, "with", "plus")
	n, end := r.joiner(at)
	both := slices.DeleteFunc(slices.Clone(r.Things), func(t *Thing) bool { return t.weak && !t.born })
	if end == at || end > to || len(both) != 2 || r.find(n.name()) != nil || !r.Ends(end) && r.ClassAt(end) != "fields" {
		return i
	}
	t := r.thing(n)
	t.Parents, t.Link, t.weak, r.open = both, true, false, nil
	if closes := r.Closes(end); r.At(end).Low == "(" && closes > 0 && closes < to {
		t.closed, t.born = true, true
		r.fields(r.list(end+1, closes, true))
		return closes + 1
	}
	return end
}

// joiner gives what is said to join the two things before it, and the place behind that: attendance that links both.
func (r *reader) joiner(i int) (n noun, end int) {
	n = noun{from: i}
	for n.to = r.skip(i); r.nameable(n.to) && len(n.words) < longestName; {
		n.words, n.to = append(n.words, spelled(r.At(n.to))), n.to+1
		at := n.to
		if r.Is("relative", r.At(at).Low) {
			at++
		}
		k := r.Length(at, "links-two")
		if both := r.Length(at+k, "both-of"); k > 0 && both > 0 && r.goodName(n.words) && !r.says(n.words) {
			return n, at + k + both
		}
	}
	return n, i
}

// inWhich reads what things belong to, told behind it: batches (year) and a cellar each batch is stored in.
func (r *reader) inWhich(i, to int) int {
	n, ok := r.noun(i)
	m, also := r.noun(n.to)
	_, k := r.Phrase(m.to)
	known := r.ClassAt(m.to) == "relation"
	if !known && r.Is("asks-if", r.At(m.to).Low) && r.done(r.At(m.to+1).Low) && r.Is("by-what", r.At(m.to+2).Low) { // is parked in
		known, k = true, 3
	}
	if !ok || !also || n.many() || m.many() || r.skip(i) == i || !r.Is("any-one", r.At(n.to).Low) || r.find(m.name()) == nil || !known || m.to+k > to || m.to+k < to && (!r.Ends(m.to+k) || r.At(m.to+k).Low == "(") {
		return i
	}
	child, parent := r.thing(m), r.thing(n)
	parent.weak = false
	r.belongsToo(child, parent)
	return m.to + k
}

// onePer reads that a thing has one of another: one horse per stall.
func (r *reader) onePer(i, to int) int {
	n, ok := r.noun(i)
	other, also := r.noun(n.to + 1)
	sentence := i == 0 || r.At(i-1).Mark && r.At(i-1).Low == "."
	if !ok || !also || !sentence || r.At(i).Low != "one" || r.At(n.to).Low != "per" || n.many() || other.many() || !r.isThing(n.last()) || !r.isThing(other.last()) || n.name() == other.name() || other.to < to {
		return i
	}
	r.belongs(r.thing(n), r.thing(other))
	r.Leave(r.text(i, other.to), "rules between records")
	r.current = nil
	return other.to
}

// canMany reads what a thing can do with many of another: a musician can play in many concerts.
func (r *reader) canMany(i, to int) int {
	n, ok := r.noun(i)
	at := n.to + 2
	if r.Is("particle", r.At(at).Low) || r.At(at).Low == "part" {
		at = r.After(at, "part", "in", "on", "at", "for", "to")
	}
	if can := r.At(n.to).Low; !ok || can != "can" && can != "may" || !r.Is("many", r.At(at).Low) || r.At(n.to+1).Low == "have" || !r.begins(i) || r.ClassAt(n.to) == "relation" {
		return i
	}
	other, ok := r.noun(at + 1)
	if !ok || !other.many() || other.to > to || other.to < to && !r.Ends(other.to) || !r.isThing(n.name()) || !r.isThing(other.name()) || n.name() == other.name() {
		return i
	}
	r.link(r.thing(n), r.thing(other))
	return other.to
}

// moves reads where something comes from and goes to: a swap is from one member to another member.
func (r *reader) moves(i, to int) int {
	n, ok := r.noun(i)
	at := r.After(n.to, "is", "goes", "are", "go", "runs", "leads", "moves", "happens", "always")
	if !ok || at == n.to || r.At(at).Low != "from" || r.skip(at+1) == at+1 || !r.begins(i) {
		return i
	}
	one, ok := r.noun(at + 1)
	if !ok || r.At(one.to).Low != "to" || r.skip(one.to+1) == one.to+1 || one.to >= to {
		return i
	}
	other, ok := r.noun(one.to + 1)
	if end := one.to + 2; !ok && r.At(one.to+1).Low == "another" && (r.Ends(end) || r.At(end).Low == "with") { // from one shelf to another
		other, ok = noun{one.words, one.to + 1, end}, true
	}
	if !ok || other.name() != one.name() || one.many() || other.to > to || !r.isThing(one.name()) && (n.many() || r.Is("chosen", one.last())) { // but: tickets go from one status to another
		return i
	}
	t := r.one(n)
	for _, way := range []string{"from", "to"} {
		it := item{words: append([]string{way}, one.words...), from: at, end: other.to, told: true}
		if r.isThing(one.name()) {
			it.ref = one.name()
		}
		r.field(t, it)
	}
	r.current, r.open = t, t
	return other.to
}

// forEach reads things that another has, told behind it: for every hive its inspections (date, notes).
func (r *reader) forEach(i, to int) int {
	k := r.Length(i, "for-each")
	n, ok := r.noun(i + k)
	parent := r.find(n.name())
	child, also := r.noun(r.After(n.to, "its", "their", "the", "we", "i", "store", "keep", "also"))
	if k == 0 || !ok || parent == nil || !also || !child.many() || r.At(child.to).Low != "(" && r.At(child.to).Low != ":" {
		return i
	}
	end := r.definition(child.from, to)
	if t := r.find(child.name()); end > child.from && t != nil && t != parent {
		if slices.ContainsFunc(t.Fields, func(f Field) bool { return strings.HasPrefix(f.Name, parent.Name+"_") }) { // the pets: owner name; pet name
			r.Refuse(r.text(child.to, end))
		}
		if !slices.Contains(t.Parents, parent) {
			t.Parents = append(t.Parents, parent)
		}
		return end
	}
	return i
}

// several reads how many of another thing a record has, each with a name of its own: two fencers.
func (r *reader) several(i, to int) (all []item, end int) {
	at := r.article(i)
	n, ok := r.noun(at + 1)
	count := map[string]int{"two": 2, "three": 3}[r.At(at).Low]
	called, end := n.name(), n.to
	if as, named := r.noun(n.to + 1); ok && r.At(n.to).Low == "as" && named && as.many() { // two members as speakers
		called, end = as.name(), as.to
	}
	if count == 0 || !ok || !n.many() || !r.isThing(n.name()) || end > to || end < to && !r.Ends(end) {
		return nil, i
	}
	n.to = end
	for _, nth := range ordinals[:count] {
		all = append(all, item{words: append([]string{nth}, strings.Split(called, "_")...), ref: n.name(), told: true, counted: r.text(at, n.to), apart: english.List(ordinals[:count]), from: at, end: n.to})
	}
	return all, n.to
}

var ordinals = []string{"first", "second", "third"}

// ofEach reads a field that each of several has: a bout has two fencers, and the score of each.
func (r *reader) ofEach(i, to int) (all []item, end int) {
	at := r.article(i)
	k := at
	for ; k < to && !r.Ends(k) && r.Length(k, "of-each") == 0; k++ {
	}
	n := r.Length(k, "of-each")
	if k == at || k > at+2 || n == 0 || k+n < to && !r.Ends(k+n) {
		return nil, i
	}
	count := 0
	for b := i - 1; b > 0 && !(r.At(b).Mark && r.At(b).Low == "."); b-- {
		if many, ok := r.noun(b + 1); ok && many.many() && r.isThing(many.name()) {
			count = max(count, map[string]int{"two": 2, "three": 3}[r.At(b).Low])
		}
	}
	nths := ordinals[:count]
	if count == 0 && r.saidBefore("home", i) && r.saidBefore("away", i) { // a home team, an away team, the goals of each
		nths = []string{"home", "away"}
	}
	for _, nth := range nths {
		words := []string{nth}
		for w := at; w < k; w++ {
			words = append(words, spelled(r.At(w)))
		}
		all = append(all, item{words: words, counted: r.text(at, k+n), apart: english.List(nths), from: at, end: k + n})
	}
	return all, k + n
}

// saidBefore says whether a word stands before a place in its sentence, and begins a name there.
func (r *reader) saidBefore(word string, i int) bool {
	for b := i - 1; b > 0 && !(r.At(b).Mark && r.At(b).Low == "."); b-- {
		if r.At(b).Low == word && !r.Ends(b+1) {
			return true
		}
	}
	return false
}

// entities reads the names of what records are kept of, behind a word for them: two entities, Glacier and Measurement.
func (r *reader) entities(i, to int) int {
	m, k := r.Phrase(i)
	if m.Class != "container" || k == 0 || !r.Is("tables", r.At(i+k-1).Low) || r.At(i+k).Low != "," && r.At(i+k).Low != ":" {
		return i
	}
	var all []noun
	end := i + k
	for at := end + 1; at < to; {
		n, ok := r.noun(at)
		if !ok {
			break
		}
		named := plaintext.IsCapital(r.At(r.skip(at)).Text) || r.mentions(n.last()) > 1 || r.heads[n.last()] || r.At(i+k-1).Low == "entities"
		if n.many() || n.to > to || !named || r.fieldWord(n.last()) && len(all) == 0 {
			break
		}
		all, end = append(all, n), n.to
		if at = r.After(n.to, ",", "and", "&"); at == n.to || r.At(n.to).Text == ";" {
			break
		}
	}
	if len(all) < 2 || end < to && !r.Ends(end) || r.At(end).Low == ":" {
		return i
	}
	if before := r.At(end); before.Low == "(" && !r.tellsRelation(end+1, to) { // Author and Book (title)
		return i
	}
	r.enumerate(all)
	for _, n := range all {
		r.find(n.name()).weak = false
	}
	return end
}

// tellsRelation says whether what belongs to what is told at a place.
func (r *reader) tellsRelation(i, to int) bool {
	n, ok := r.noun(i)
	return ok && n.to < to && r.ClassAt(n.to) == "relation"
}
