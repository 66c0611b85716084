package former

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/values"
)

// pairs gives fields of which two belong together the kind that both have: start and end, valid from and valid to.
func (r *reader) pairs() {
	for _, t := range r.Things {
		for i := range t.Fields {
			for k := range t.Fields {
				r.pair(&t.Fields[i], &t.Fields[k])
			}
		}
	}
}

// pair gives a field, or two, the kind that both have.
func (r *reader) pair(one, other *Field) {
	open := func(f *Field) bool { return !f.old && f.Ref == "" && f.told.kind == "" }
	guessed := func(f *Field) bool { return open(f) && (!f.Sure || f.Kind == values.Truth) } // opened, closed
	end := one.Name[strings.LastIndex(one.Name, "_")+1:]
	begin, ended := strings.CutSuffix(one.Name, "_"+end)
	switch {
	case one.Name == "value" && guessed(one) && r.Is("names-value", other.Name): // key, value
		one.Kind = values.Text
	case guessed(one) && guessed(other) && r.Is("moments", one.Name+" "+other.Name):
		one.Kind, other.Kind, one.Sure, other.Sure = values.DateTime, values.DateTime, false, false
	case ended && !one.told.told && !other.told.told && open(one) && other.Name == begin+"_"+r.Tables["twins-behind"][end]: // pitch before, pitch after
		one.Kind, _ = values.Guess(r.Lexicon, strings.Split(begin, "_"))
		one.Sure = false
	case open(one) && !one.Sure && one.Kind == values.Text && one.Choices == nil && other.Kind != values.Truth && r.opposed(one.Name, other.Name):
		one.Kind = other.Kind
	}
}

// opposed says whether two names differ in one word, and both words are the two ends of something: valid from, valid to. A
// name may do without the word that says that it is a day: start date, end.
func (r *reader) opposed(one, other string) bool {
	a, b := strings.Split(one, "_"), strings.Split(other, "_")
	if len(a) == 1 && len(b) == 2 && r.Is("dates", b[1]) {
		return r.Is("moments", b[0]+" "+a[0])
	}
	if len(a) != len(b) {
		return false
	}
	differs := slices.IndexFunc(a, func(w string) bool { return !slices.Contains(b, w) })
	if differs < 0 || !r.Is("twins", a[differs]+" "+b[differs]) && !r.Is("twins", b[differs]+" "+a[differs]) {
		return false
	}
	return slices.Equal(append(slices.Clone(a[:differs]), a[differs+1:]...), append(slices.Clone(b[:differs]), b[differs+1:]...))
}
