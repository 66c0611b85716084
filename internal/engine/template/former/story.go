package former

import (
	"slices"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
)

// tellsMore says whether somebody tells more of records, or of others, where some were told of: my horses have a breed, we

// hasField says whether a field is called like a word.
func (r *reader) hasField(name string) bool {
	return slices.ContainsFunc(r.Things, func(t *Thing) bool { return t.field(name) != nil })
}

// someTold says whether fields of records were told before.
func (r *reader) someTold() bool {
	return slices.ContainsFunc(r.Things, func(t *Thing) bool { return len(t.Fields) > 0 })
}

// story reads a sentence that tells of somebody and asks for nothing.
func (r *reader) story(from, to int) bool {
	about, begin := false, from
	for begin < to && (r.At(begin).Mark || r.Is("greeting", r.At(begin).Low)) {
		begin++
	}
	told := r.Is("own", r.At(begin).Low) || r.Length(begin, "narrator") > 0 && !r.every(begin)
	for i := from; i < to; i++ {
		low := r.At(i).Low
		if r.Is("owns", low) && !told { // films have a title
			return false
		}
		if c := r.ClassAt(i); c == "fields" && !r.Is("owns", low) || c == "things" && !r.Is("life-too", low) || low == ":" || low == "(" || low == "you" {
			return false
		}
		about = about || r.Is("own", low) || r.Length(i, "narrator") > 0 || low == "us"
	}
	first := begin
	if r.Is("imperative", r.At(begin).Low) {
		first++
	}
	project := !r.Is("own", r.At(first).Low) && r.skip(first) > first && r.ClassAt(r.skip(first)) == "kind" // a service where our club keeps boats
	if !about || project || r.tellsMore(begin, to) || r.demands(from, to, false) || r.namesFields(from, to) {
		return false
	}
	r.Leave(r.text(from, to), settings.Background)
	return true
}

// namesFields says whether words list what records would hold: I write the date, the price and the place.
func (r *reader) namesFields(from, to int) bool {
	n, parted := 0, false
	for i := from; i < to; i++ {
		parted = parted || r.At(i).Low == "," || r.At(i).Low == "with" && r.fieldWord(r.At(r.skip(i+1)).Low) // with their name and class
		if r.Ends(i+1) && r.fieldWord(r.At(i).Low) {
			n++
		}
	}
	return n > 1 && parted
}

// every says whether all of the records are spoken of: they also have a size.
func (r *reader) every(i int) bool {
	return r.Is("every-one", r.At(i).Low) && r.Is("owns", r.At(r.After(i+1, "also", "all", "both", "each")).Low)
}

// clauseEnds says whether a clause may end at a place.
func (r *reader) clauseEnds(i int) bool {
	if n := r.Length(i, "narrator"); n > 0 && r.Is("wish", r.At(i+n).Low) { // because it got lost I need
		return true
	}
	return r.At(i).Mark || r.class(i) == "join" || r.At(i).Low == "but" || r.At(i).Low == "so"
}

// demanding are the classes of words that ask for something.
var demanding = []string{"kind", "language", "database", "auth", "cors", "license", "port", "module", "named", "page-size", "operation", "heart", "detail", "relation"}

// demands says whether words ask for something.
func (r *reader) demands(from, to int, why bool) bool {
	for i := from; i < to; i++ {
		m, k := r.Phrase(i)
		w := r.At(i).Low
		if m.Class == "language" && r.ClassAt(i+k) == "kind" { // a Go service, though we go to a service
			return true
		}
		if r.Is("little", w) || m.Class == "detail" && m.Value == "dates" {
			continue
		}
		if said := r.Words(i, max(k, 1)); !r.At(i).Mark && r.Is("used-now", said) || m.Class == "language" && m.Value == r.Language { // we had it in Excel; my nephew knows Python
			continue
		}
		if used := r.skip(i + k); m.Class == "relation" && r.Length(used, "used-now") > 0 || r.Is("machine", r.Words(i, max(k, 1))) && r.Any("runs", from, i) { // everything is in an Excel sheet, I run it on a Raspberry Pi
			continue
		}
		if r.Is("how-often", r.Words(i, max(k, 1))) && !r.At(i).Mark { // we get deliveries every week
			continue
		}
		if m.Class == "kind" && r.Is("studies", r.At(i+k).Low) || r.profession(i) { // I teach a backend course, I freelance as a translator
			continue
		}
		if m.Value == "an app with screens" && r.Any("making", from, i) { // I'm building a phone app and need an API
			continue
		}
		if !why && r.Length(i, "demand") > 0 || slices.Contains(demanding, m.Class) && !r.Is("also-name", w) {
			return true
		}
	}
	return false
}

// profession says whether a word says as what somebody works: I freelance as a translator.
func (r *reader) profession(i int) bool {
	return r.Is("article", r.At(i-1).Low) && r.At(i-2).Low == "as" && r.Is("works-as", r.At(i-3).Low)
}

// tells says whether something is told of somebody: a verb of everyday life, or a form of to be.
func (r *reader) tells(from, to int) bool {
	for k := from; k < to; k++ {
		w := r.At(k).Low
		if r.Is("copulas", w) || slices.ContainsFunc(english.Bases(w), func(b string) bool { return r.Is("life", b) }) {
			return true
		}
	}
	return false
}
