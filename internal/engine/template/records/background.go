package records

import (
	"slices"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
)

// background reads a clause that only tells of somebody, or why something is wanted. It is known by its form, and asks for
// nothing.
func (r *reader) background(i, to int) int {
	if end := r.forWhat(i); end > i {
		r.Leave(r.text(i, end), settings.Background)
		return end
	}
	why := r.Length(i, "because")
	if !r.begins(i) && (why == 0 || r.open != nil) || r.every(i) { // licence since
		return i
	}
	who := max(r.Length(i+why, "narrator"), r.Length(i+why, "told"))
	own := r.Is("own", r.At(i+why).Low)
	if why+who == 0 && !own {
		return i
	}
	best := i
	for end := i + why + who + 1; end <= to; end++ {
		if end < to && !r.clauseEnds(end) {
			continue
		}
		mine := why > 0 && (r.Length(i+why, "narrator") > 0 && !r.Is("others", r.At(i+why).Low) || r.Is("because-i", r.Words(i, why)))
		if r.demands(i+why, end, mine) {
			break
		}
		if why > 0 || r.Length(i, "told") > 0 || who > 0 && r.tells(i, end) || r.tells(i+1, end) {
			best = end
		}
		if end < to && r.At(end).Mark && r.At(end).Low != "," {
			break
		}
	}
	if next := r.At(best).Low; best > i && (next == "(" || next == ":") { // we have hives (name, place)
		return i
	}
	if best > i {
		r.Leave(r.text(i, best), settings.Background)
	}
	return best
}

// forWhat gives the place behind what somebody needs something for: for my course I need.
func (r *reader) forWhat(i int) int {
	if r.At(i).Low != "for" || !r.Is("own", r.At(i+1).Low) {
		return i
	}
	for end := i + 3; end < i+6 && !r.At(end-1).Mark; end++ {
		if r.Length(end, "narrator") > 0 {
			return end
		}
	}
	return i
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
	if !about || r.demands(from, to, false) {
		return false
	}
	r.Leave(r.text(from, to), settings.Background)
	return true
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

// demands says whether words ask for something.
func (r *reader) demands(from, to int, why bool) bool {
	classes := []string{"kind", "language", "database", "auth", "cors", "license", "port", "module", "named", "page-size", "operation", "heart", "detail", "relation"}
	for i := from; i < to; i++ {
		m, _ := r.Phrase(i)
		w := r.At(i).Low
		if r.Is("little", w) || m.Class == "detail" && m.Value == "dates" {
			continue
		}
		if !why && r.Length(i, "demand") > 0 || slices.Contains(classes, m.Class) && !r.Is("also-name", w) {
			return true
		}
	}
	return false
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
