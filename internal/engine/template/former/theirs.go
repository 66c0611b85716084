package former

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
)

// theirs says whether a word says that what follows is of the things before it; some write "there": my pupils and there lessons.
func (r *reader) theirs(i int) bool {
	low := r.At(i).Low
	return low == "their" || low == "its" || r.there(i)
}

func (r *reader) there(i int) bool {
	return r.At(i).Low == "there" && r.joins(i-1) && english.IsPlural(r.At(i+1).Low) && r.class(i+1) == "" && r.Ends(i+2)
}

// ofThose says that things are of those before them: students and their marks. Who owns or makes others is above them: books
// and their authors.
func (r *reader) ofThose(t, those *Thing) {
	if r.Is("above", t.Name) {
		t, those = those, t
	}
	r.belongs(t, those)
}

// whose gives the things that a name says whose it is: the pets' appointments.
func (r *reader) whose(n noun) *Thing {
	for k := n.from; k < n.to; k++ {
		if owns(r.At(k)) {
			return r.find(spelled(r.At(k)))
		}
	}
	return nil
}

// belongs says that things are of others, as long as nothing else is told of them.
func (r *reader) belongs(t, of *Thing) {
	if t != of && len(t.Parents) == 0 {
		t.Parents, t.implied = []*Thing{of}, of
	}
}

// ofTheirs reads a list behind "and their" as what each of the things before it has one of, in the singular, where it is that:
// students and their names, but not runners and their split times, of which each has many.
func (r *reader) ofTheirs(l list) list {
	if !r.onlyPlurals(l) {
		return l
	}
	switch r.eachOne(l) {
	case 0:
		l.things = nounsOf(l)
	case len(l.items):
		l.things, l.items = nil, slices.Clone(l.items)
		for k := range l.items {
			l.items[k].words = strings.Split(english.Singular(strings.Join(l.items[k].words, "_")), "_")
		}
	default: // names and marks: of which has each one?
		l.things, l.unknown = nil, append(l.unknown, r.text(l.items[0].from, l.end))
	}
	return l
}

// eachOne counts the items of a list that things have one of.
func (r *reader) eachOne(l list) (n int) {
	for _, it := range l.items {
		last := english.Singular(it.words[len(it.words)-1])
		if !r.Is("again", last) && (r.Is("of-one", last) || r.isMeasure(last)) {
			n++
		}
	}
	return n
}
