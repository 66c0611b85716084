package former

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
)

// heart says whether what a project is for is what records are to be kept of, and not where they are, who keeps them, or what
// others are told of instead: boat repairs, food for dogs, but not museums or hikers.
func (r *reader) heart(t *Thing) bool {
	n, born, called := noun{words: strings.Fields(t.said)}, 0, false
	for _, o := range r.Things {
		if o.born {
			born++
			called = called || slices.ContainsFunc(o.Fields, func(f Field) bool { return strings.HasPrefix(f.Name, o.Name+"_") }) // rooms: room number
		}
	}
	last, whole := english.Singular(n.last()), english.Singular(t.said)
	named, _ := r.noun(t.at)
	users := r.At(named.to).Low == "to" && (r.ClassAt(named.to+1) == "things" || r.Is("keep-verb", r.At(named.to+1).Low)) // for dentists to keep patients
	if n.many() && r.At(named.to).Low == "with" && r.skip(named.to+1) == named.to+1 && !called {                          // hotels with pools: of which of both?
		return true
	}
	if users || r.Is("institution", whole) || r.Is("keeper", last) || r.Is("keeper", whole) {
		return false
	}
	if !n.many() { // food for dogs
		of, ok := r.noun(named.to + 1)
		return ok && of.many() && r.Is("of-what", r.At(named.to).Low) && r.skip(named.to+1) == named.to+1 && !r.isPlace(last) && !r.Is("gathers", last) && r.skip(t.at) == t.at
	}
	return born < 2 || r.Is("occasion", last) && !r.Is("outcome", last)
}

// ofWhat says whether what is told of a business is not its own, but of something that nobody named: a travel agency: passenger,
// date; lawyers: case, client. Where a place stands for what it holds, neither is what only a place has: a hotel: name, stars.
func (r *reader) ofWhat(t *Thing) bool {
	last := english.Singular(t.said[strings.LastIndex(t.said, " ")+1:])
	if len(r.Things) > 1 || len(t.Fields) == 0 || t.known || !r.Is("institution", last) && !r.Is("business", last) && !r.Is("business", english.Singular(t.said)) {
		return false
	}
	served, own := false, false
	for _, f := range t.Fields {
		first, _, _ := strings.Cut(f.Name, "_")
		served = served || r.Is("served", first)
		own = own || r.Is("of-places", strings.ReplaceAll(f.Name, "_", " "))
	}
	named := t.field("name") != nil
	switch many := english.IsPlural(t.said); {
	case t.holds != "":
		return own && named && !r.Is("held-people", t.holds)
	case many:
		return served && !named
	}
	return t.born && (served || !named)
}

// otherHearts refuses records of which something says that they are not those that were asked for.
func (r *reader) otherHearts() {
	for _, t := range r.Things {
		if !t.known && (t.born && r.behindOther(t) || r.itsOwnValue(t) || r.usesIt(t)) {
			r.Refuse(t.said)
		}
	}
}

// behindOther says whether a thing was named as the place of others: tokens in our laundromat: number, machine.
func (r *reader) behindOther(t *Thing) bool {
	before := r.At(t.at - 1)
	return !before.Mark && r.skip(t.at) > t.at && (before.Low == "in" || before.Low == "at" || before.Low == "of" && r.isPlace(t.Name[strings.LastIndex(t.Name, "_")+1:]))
}

// usesIt says whether a thing is who does something with what a project is for: for nurses to log temperatures: patient, time.
func (r *reader) usesIt(t *Thing) bool {
	n, _ := r.noun(t.at)
	verb, what := r.At(n.to+1), r.At(n.to+2)
	return r.At(t.at-1).Low == "for" && r.At(n.to).Low == "to" && !verb.Mark && !what.Mark && english.IsPlural(what.Low) && (len(t.Fields) > 0 || len(r.Things) == 1)
}

// itsOwnValue says whether a thing is a value of its own records, so that they are of something else, unless it stands where only
// they can: lending laptops: laptop, pupil; room service API: room, dish; but quotes: quote, author.
func (r *reader) itsOwnValue(t *Thing) bool {
	first, last := t.Name[:max(0, strings.Index(t.Name, "_"))], t.Name[strings.LastIndex(t.Name, "_")+1:]
	n, _ := r.noun(t.at)
	before := r.At(t.at - 1)
	named := before.Mark || before.Low == "for" || r.Is("determiner", before.Low) || r.keptAt(t.at)
	part := strings.HasSuffix(first, "ing") || r.class(n.to) == "kind" && r.class(n.to+1) == "kind" // booking flights: flight
	return (t.field(t.Name) != nil || t.field(last) != nil) && (!named || part)
}

// keptAt says whether words before a place say that records are kept of what follows: keep track of.
func (r *reader) keptAt(i int) bool {
	for k := i - 1; k >= max(0, i-4); k-- {
		if m, n := r.Phrase(k); m.Class == "things" && k+n == i || k+r.Length(k, "keeps") == i {
			return true
		}
	}
	return false
}
