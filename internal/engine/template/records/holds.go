package records

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
)

// holdsOf reads a sentence that says of the only thing what somebody wants to know of it: We store name and breed; for each dog
// I need the name, the breed and the age; name and breed are enough.
func (r *reader) holdsOf(i, to int) int {
	t := r.soleThing()
	if before := r.At(i - 1); t == nil || len(r.Things) != 1 || len(t.Fields)+len(t.Parents) > 0 || !before.Mark || before.Low != "." && before.Low != "," {
		return i
	}
	if last := english.Singular(lastWord(t.said)); !english.IsPlural(lastWord(t.said)) && english.Plural(last) != last || r.Is("keeper", last) || r.Is("institution", last) || r.Is("business", last) { // for wine lovers
		return i
	}
	stop := r.NextMark(i)
	for stop < to && (r.At(stop).Low == "," && r.At(stop).Text == "" || r.At(stop).Low == "(" && r.Closes(stop) > 0) {
		if r.At(stop).Low == "(" {
			stop = r.Closes(stop)
		}
		stop = r.NextMark(stop + 1)
	}
	stop = min(stop, to)
	begin, end := r.asksToKeep(i, t), r.ofEachOne(i, stop, t)
	for k := max(i, end-4); k < end; k++ {
		if r.Length(k, "is-enough") == end-k {
			begin, end = max(begin, r.article(i)), k
		}
	}
	if begin == i && end == stop {
		return i
	}
	l := r.list(begin, end, false)
	none := func(it item) bool { // and walks, my location, comments in English
		return !r.likeField(it) && english.IsPlural(it.words[len(it.words)-1]) || r.Is("own", r.At(it.from-1).Low) || len(it.left) > 0 && !it.unit
	}
	if doubtful := l.things != nil || r.onlyPlurals(l) || slices.ContainsFunc(l.items, none) || 2*r.like(l) < len(l.items); doubtful || len(l.items) < 2 || len(l.unknown)+len(l.parents) > 0 {
		return i
	}
	rest := r.After(l.end, ",", "and")
	if sets := end == stop && (settings.Is(r.Text, r.skip(rest)) || r.class(rest) == "place" && settings.Is(r.Text, r.skip(rest+1))); l.end < end && !sets { // in SQLite
		return i
	} else if sets {
		stop = l.end
	}
	r.current, r.open = t, t
	r.fields(l)
	return stop
}

func lastWord(said string) string { return said[strings.LastIndex(said, " ")+1:] }

// asksToKeep gives the place behind words that ask to keep what follows of the things: for each dog we want to save.
func (r *reader) asksToKeep(i int, t *Thing) int {
	at, asked, each := i, false, false
	if every := r.After(at, "for", "of", "about"); r.Is("every-one", r.At(every).Low) {
		if n, ok := r.noun(every); ok && (r.find(n.name()) == t && r.ClassAt(n.to) != "fields" || r.Is("any-record", n.name())) {
			at, each = r.After(n.to, ","), true
		}
	}
	for !r.At(at).Mark && r.Is("before-keeping", r.At(at).Low) {
		asked = asked || r.Is("keeping", r.At(at).Low) || each && r.Is("owns", r.At(at).Low)
		at++
		if n, ok := r.noun(at + 1); r.At(at).Low == "per" && ok && r.find(n.name()) == t { // what I need per dog is
			at = n.to
		}
	}
	switch n := r.Length(at, "keeping"); {
	case r.Is("keeping", r.At(i).Low): // store number, amount
		return i
	case n > 0:
		return at + n
	case asked:
		return at
	}
	return i
}

// ofEachOne gives the place before words at the end of a sentence that say of which things it was told: for each dog.
func (r *reader) ofEachOne(i, to int, t *Thing) int {
	for k := max(i, to-4); k < to; k++ {
		n, ok := r.noun(k + 1)
		each := r.Is("every-one", r.At(k+1).Low)
		if r.Is("of-each", r.At(k).Low) && (each || r.At(k).Low == "per") && (each && k+2 == to || ok && n.to == to && (r.find(n.name()) == t || r.Is("any-record", n.name()))) {
			return k
		}
	}
	return to
}

// areKept reads things of which nothing is told but that they are kept: where volunteers and shifts are stored.
func (r *reader) areKept(i, to int) int {
	all, end := r.nouns(i, to)
	one := func(n noun) bool { return !n.many() || r.fieldWord(n.last()) }
	begins := r.begins(i) || r.At(i-1).Low == "where"
	if len(all) < 2 || !begins || r.At(end).Low != "are" || !r.Is("kept", r.At(end+1).Low) || end+2 < to && !r.Ends(end+2) || r.At(end+2).Low == "(" || r.At(end+2).Low == ":" || slices.ContainsFunc(all, one) {
		return i
	}
	r.enumerate(all)
	return end + 2
}

// valuesOf reads what is to be kept of things, told before them: to store the serial numbers and purchase dates of our printers.
func (r *reader) valuesOf(i, to int) int {
	of := i
	for of < to && r.At(of).Low != "of" && (!r.At(of).Mark || r.At(of).Low == ",") {
		of++
	}
	n, ok := r.noun(r.After(of+1, "all"))
	if len(r.Things) > 0 || r.At(i).Low != "the" || !ok || !n.many() || r.skip(of+1) == of+1 && r.At(of+1).Low != "all" || n.to < to && !r.Ends(n.to) || r.At(n.to).Low == "(" || r.At(n.to).Low == ":" {
		return i
	}
	l := r.list(i, of, true)
	again := func(it item) bool {
		last := it.words[len(it.words)-1]
		one := english.Singular(last)
		return !it.bare() || r.Is("again", one) || r.isThing(one) || !r.likeWord(one) || one != last && r.Tables["field"][last] != ""
	}
	if len(l.items) < 2 || len(l.unknown)+len(l.parents) > 0 || slices.ContainsFunc(l.items, again) {
		return i
	}
	for k, it := range l.items {
		l.items[k].words = strings.Split(english.Singular(strings.Join(it.words, "_")), "_")
	}
	l.end, l.things = n.to, nil
	t := r.thing(n)
	t.kept, r.current = true, t
	r.fields(l)
	return n.to
}
