package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

// account holds what was read to the words of the request, whatever way they were read: fields are of the thing that stands
// before their list, what has a type is no thing, choices are as they are written, and nothing belongs to itself. What fails
// is not understood.
func (b *builder) account() {
	l := newLedger(b.Request)
	for _, t := range b.Things {
		if what := l.strange(t); what != "" {
			b.Unknown = append(b.Unknown, what)
		}
		if leads(b, t, t, map[*Thing]bool{}) {
			b.Unknown = append(b.Unknown, t.Name+" belongs to "+t.Name)
		}
	}
}

// ledger is a request as it is checked: the classes of its words beside them, and the choices that it lists.
type ledger struct {
	*Request
	words.Text
	classes []string
	atoms   []string // words as they are written, and separators as commas
}

func newLedger(r *Request) ledger {
	l := ledger{Request: r, Text: r.Text, classes: make([]string, len(r.Text.Tokens))}
	for i := 0; i < len(l.Tokens); {
		m, n := l.Phrase(i)
		for k := range n {
			l.classes[i+k] = m.Class
		}
		i += max(n, 1)
	}
	for _, t := range l.Tokens {
		raw := strings.ReplaceAll(strings.ToLower(t.Raw), "/", " , ")
		if t.Mark || l.Is("separates", t.Low) {
			raw = ","
		}
		l.atoms = append(l.atoms, strings.Fields(raw)...)
	}
	return l
}

// strange says what of a thing contradicts the words of the request, or nothing.
func (l ledger) strange(t *Thing) string {
	for i, word := range l.Tokens {
		if !word.Mark && t.is(word.Low) && l.Is("type-behind", l.At(l.After(i+1, ":")).Low) {
			return word.Low // what has a type is no thing
		}
	}
	for _, f := range t.Fields {
		if f.Choices != nil && !l.lists(f) {
			return strings.ReplaceAll(f.Name, "_", " ") + " " + strings.Join(f.Choices, "/")
		}
		heads := l.ownersOf(f)
		nouns := slices.ContainsFunc(heads, func(h head) bool { return !h.holds })
		if nouns && !slices.ContainsFunc(heads, func(h head) bool { return l.names(h, t) }) {
			return heads[0].word + ": " + strings.ReplaceAll(f.Name, "_", " ")
		}
	}
	return ""
}

// is says whether a word is the name of a thing.
func (t *Thing) is(word string) bool {
	return project.Squeezed(english.Singular(word)) == project.Squeezed(t.Name)
}

// lists says whether the choices of a field stand in the request as they are, with nothing but separators between, and with
// nothing before them that could be a part of them.
func (l ledger) lists(f Field) bool {
	for i := range l.atoms {
		end := i
		for k, choice := range f.Choices {
			for k > 0 && l.atom(end) == "," {
				end++
			}
			end = l.past(end, strings.Fields(strings.ToLower(choice)))
		}
		if end <= len(l.atoms) && l.begins(f, i) {
			return true
		}
	}
	return false
}

// past gives the place behind words, or one behind all of them where they do not stand.
func (l ledger) past(i int, all []string) int {
	for _, w := range all {
		if l.atom(i) != w {
			return len(l.atoms) + 1
		}
		i++
	}
	return i
}

func (l ledger) atom(i int) string {
	if i < 0 || i >= len(l.atoms) {
		return ""
	}
	return l.atoms[i]
}

// begins says whether the choices of a field may begin at an atom: behind a separator, its name, or what is said of it.
func (l ledger) begins(f Field, i int) bool {
	before := l.atom(i - 1)
	if before == "," || l.Is("type", before) || l.Is("ends-rule", before) {
		return true
	}
	name := strings.NewReplacer("_", "", "-", "", "'", "").Replace(before)
	return strings.HasSuffix(project.Squeezed(f.Name), name) || strings.HasSuffix(project.Squeezed(f.Name), english.Singular(name))
}

// head is a noun that a list of fields may be of.
type head struct {
	word, phrase string // the noun, and the nouns in a row that it ends
	before       string // all that stands before the list in the sentence
	holds        bool   // it is but a word for what holds things
}

// names says whether a noun is the name of a thing, of one of its fields, or of the place where such things usually are.
func (l ledger) names(h head, t *Thing) bool {
	last := func(name string) string { return name[strings.LastIndex(name, "_")+1:] }
	one := english.Singular(last(h.word))
	switch {
	case t.is(h.word), one == last(t.Name), h.phrase == t.said, // what records are called after is told
		strings.Contains(t.said, " ") && strings.HasSuffix(h.before, t.said):
		return true
	case strings.Contains(t.Name, "_") && strings.Contains(h.before, strings.ReplaceAll(t.Name, "_", " ")):
		return true
	}
	field := func(f Field) bool { return last(f.Name) == last(h.word) }
	return l.usuallyHolds(h, t) || slices.ContainsFunc(t.Fields, field)
}

// usuallyHolds says whether a thing is what there usually is in a place, and no other noun of its phrase says something else.
func (l ledger) usuallyHolds(h head, t *Thing) bool {
	places := l.Tables["place-of"]
	if l.Is("place-of", h.phrase) {
		return places[h.phrase] == t.Name
	}
	other := slices.ContainsFunc(strings.Fields(h.phrase), func(w string) bool { return !isPlace(l.Text, w) })
	return places[h.word] == t.Name && (!other || l.Is("same-inside", h.word))
}

// isPlace says whether things are in it, and it is none of them.
func isPlace(x words.Text, w string) bool {
	return x.Is("institution", w) || x.Is("room", w) || x.Is("place-of", w)
}

// ownersOf gives the nouns of which a field may be, by the places of the lists that name it: none where nothing opens one.
func (l ledger) ownersOf(f Field) (all []head) {
	for i := range l.Tokens {
		if l.mentions(i, f) > 0 && l.beginsItem(i) {
			for _, open := range l.openers(i) {
				all = append(all, l.heads(open)...)
			}
		}
	}
	return all
}

// mentions gives the number of words from a place that are the name of a field.
func (l ledger) mentions(i int, f Field) int {
	name, said := project.Squeezed(f.Name), ""
	for n := 0; len(said) < len(name) && !l.At(i+n).Mark; n++ {
		if said += project.Squeezed(strings.ToLower(l.At(i + n).Text)); strings.ReplaceAll(said, "-", "") == name {
			return n + 1
		}
	}
	return 0
}

// beginsItem says whether an item of a list begins at a place.
func (l ledger) beginsItem(i int) bool {
	for i--; l.Is("determiner", l.At(i).Low) || l.Is("adjective", l.At(i).Low); i-- {
	}
	return l.Ends(i) || i >= 0 && l.classes[i] == "fields"
}

// openers gives the places of the marks and words that may open the list in which a place is.
func (l ledger) openers(i int) (all []int) {
	for k := i - 1; k >= 0; k-- {
		switch low := l.Tokens[k].Low; {
		case low == "(":
			return append(all, k)
		case low == ":" || l.classes[k] == "fields":
			all = append(all, k)
		case low == ")":
			k = l.opening(k)
		case low == "." || low == words.Bullet:
			return all
		}
	}
	return all
}

// opening gives the place of the bracket that is closed at a place.
func (l ledger) opening(k int) int {
	for deep := 0; k > 0; k-- {
		switch l.Tokens[k].Low {
		case ")":
			deep++
		case "(":
			deep--
		}
		if deep == 0 {
			break
		}
	}
	return k
}

// heads gives the nouns that the phrase before a place may be about: the last one, and that of each part before a little
// word. Of "members of a gym" these are gym and members; of "gym members" it is members alone.
func (l ledger) heads(i int) (all []head) {
	described := false // the next noun only says of what kind the one behind it is
	related := false   // what belongs to the noun behind is told next
	for k := i - 1; k >= 0; k-- {
		switch low := l.Tokens[k].Low; {
		case low == ")":
			k = l.opening(k)
		case l.Tokens[k].Mark && low != ",", l.Ends(k) && len(all) > 0 && !related:
			return all
		case l.Is("no-noun", l.classes[k]) || low == ",":
		case !l.isNoun(k):
			described, related = false, l.classes[k] == "relation"
		case !described:
			holds := l.Is("holds-things", l.classes[k])
			all = append(all, head{low, l.phraseTo(k), l.before(i), holds})
			described = !holds && !l.Is("collective", low)
		}
	}
	return all
}

// isNoun says whether a word may be one: what has a meaning of its own is none, unless it is part of names too.
func (l ledger) isNoun(k int) bool {
	t, c := l.At(k), l.classes[max(k, 0)]
	if t.Mark || l.Ends(k) || l.Is("behind", t.Low) {
		return false
	}
	named := slices.ContainsFunc(l.Things, func(o *Thing) bool { return o.is(t.Low) })
	return named || c == "" || l.Is("also-noun", c) || l.Vocabulary[t.Low].Value == "filler"
}

// phraseTo gives the nouns in a row that end at a place.
func (l ledger) phraseTo(end int) string {
	begin := end
	for begin > 0 && l.isNoun(begin-1) {
		begin--
	}
	return l.Words(begin, end+1-begin)
}

// before gives the words of a sentence before a place.
func (l ledger) before(end int) string {
	begin := end
	for begin > 0 && l.Tokens[begin-1].Low != "." {
		begin--
	}
	return l.Words(begin, end-begin)
}
