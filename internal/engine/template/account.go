package template

import (
	"maps"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

// account holds a finished reading to the words of the request, whatever way they were read: every word that was taken for a
// name is told somewhere, fields are of the thing that stands before their list, what has a type is no thing, and choices
// are as they are written. What fails is not understood.
func (r *reading) account() {
	r.accountForNames()
	r.accountForRelations()
	if r.Kind == project.Site || r.project != nil {
		return
	}
	ledger := newLedger(r)
	for _, t := range r.things {
		if what := ledger.strange(t); what != "" {
			r.unknown = append(r.unknown, what)
		}
	}
}

// accountForNames refuses words that were read as parts of names and are told nowhere.
func (r *reading) accountForNames() {
	all := project.Squeezed(strings.ToLower(strings.Join(r.told(), ",")))
	for _, word := range r.names {
		one := english.Singular(word)
		said := strings.Contains(all, project.Squeezed(word)) || strings.Contains(all, project.Squeezed(one))
		if !said && !is("adjective", word) && !is("type", word) && !is("collective", one) {
			r.unknown = append(r.unknown, word)
		}
	}
}

// told gives all that a reading tells, and names the fields of which it guessed the kind.
func (r *reading) told() []string {
	all := slices.Concat(r.context, strings.Split(strings.Join(r.Sections, "-"), "-"), r.unknown, r.hearts, r.Left, r.Sections, r.removed, r.given,
		[]string{r.Title, r.Subject, r.Place, r.Email, r.Hours, r.Address, r.When})
	guessed := map[string][]string{}
	for _, t := range r.things {
		if whose := r.nobodys(t); whose != "" {
			r.unknown = append(r.unknown, strings.ReplaceAll(whose, "_", " "))
		}
		all = append(all, t.singular, english.Plural(t.singular))
		for _, p := range t.parents {
			all = append(all, p.singular+"_id")
		}
		for _, f := range t.fields {
			all = append(all, f.Name)
			if in := f.In().Words; slices.Contains(r.guessed, f.Name) && !slices.Contains(guessed[in], f.Name) {
				guessed[in] = append(guessed[in], f.Name)
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(guessed)) {
		r.leave("a kind for "+english.List(guessed[kind]), "none was told: "+kind)
	}
	return all
}

// nobodys gives the name of a thing that records are not kept of: a place whose fields would be those of what is in it, or
// records beside things that have fields, as in "beekeeping records, hives with name".
func (r *reading) nobodys(t *thing) string {
	bare := len(t.fields)+len(t.parents) == 0 && !t.known
	switch {
	case t.one && len(t.fields) > 0 && is("institution", lastWord(t.singular)):
		return t.singular
	case bare && strings.HasSuffix(t.singular, "_record") && slices.ContainsFunc(r.things, func(o *thing) bool { return len(o.fields) > 0 }):
		return english.Plural(t.singular)
	}
	return ""
}

// accountForRelations refuses things that belong to themselves, also by way of others.
func (r *reading) accountForRelations() {
	for _, t := range r.things {
		told := !t.known || len(t.parents) > 0
		if told && r.leadsTo(t, t, map[*thing]bool{}) {
			r.unknown = append(r.unknown, strings.ReplaceAll(t.singular, "_", " ")+" belongs to "+strings.ReplaceAll(t.singular, "_", " "))
			return
		}
	}
}

// leadsTo says whether one of the things that another belongs to is a thing, or belongs to it.
func (r *reading) leadsTo(from, to *thing, seen map[*thing]bool) bool {
	parents := slices.Clone(from.parents)
	for _, f := range from.fields {
		if other := r.find(f.Of()); f.Of() != "" && other != nil {
			parents = append(parents, other)
		}
	}
	return slices.ContainsFunc(parents, func(p *thing) bool {
		before := seen[p]
		seen[p] = true
		return p == to || !before && r.leadsTo(p, to, seen)
	})
}

// ledger is a request as it is checked: the classes of its words beside them, and the choices that it lists.
type ledger struct {
	*reading
	classes []class
	atoms   []string // words as they are written, and separators as commas
}

func newLedger(r *reading) ledger {
	l := ledger{reading: r, classes: make([]class, len(r.Tokens))}
	for i := 0; i < len(r.Tokens); {
		m, n := r.Phrase(i)
		for k := range n {
			l.classes[i+k] = m.Class
		}
		i += max(n, 1)
	}
	for _, t := range r.Tokens {
		raw := strings.NewReplacer("/", " , ").Replace(strings.ToLower(t.Raw))
		if t.Mark || is("separates", t.Low) {
			raw = ","
		}
		l.atoms = append(l.atoms, strings.Fields(raw)...)
	}
	return l
}

// strange says what of a thing contradicts the words of the request, or nothing.
func (l ledger) strange(t *thing) string {
	if t.known {
		return ""
	}
	if at := l.typed(t); at >= 0 {
		return l.Words(at, 1)
	}
	if t.isPlace && !usuallyHolds(t.said, lastOf(strings.Fields(t.said)), t) { // what there is in a climbing gym nobody says
		return t.said
	}
	if l.late(t) {
		return strings.ReplaceAll(english.Plural(t.singular), "_", " ")
	}
	for _, f := range t.fields {
		if f.Choices != nil && !l.lists(f) {
			return strings.ReplaceAll(f.Name, "_", " ") + " " + strings.Join(f.Choices, "/")
		}
		if heads := l.ownersOf(f); len(heads) > 0 && !slices.ContainsFunc(heads, func(h head) bool { return h.names(t) }) {
			return heads[0].word + ": " + strings.ReplaceAll(f.Name, "_", " ")
		}
	}
	return ""
}

// typed gives the place where a thing is called what only a field is: a name with a type behind it. None is -1.
func (l ledger) typed(t *thing) int {
	for i, word := range l.Tokens {
		if !word.Mark && t.is(word.Low) && is("type-behind", l.At(l.After(i+1, ":")).Low) {
			return i
		}
	}
	return -1
}

// lists says whether the choices of a field stand in the request as they are, with nothing but separators between, and with
// nothing before them that could be a part of them.
func (l ledger) lists(f field) bool {
	for i := range l.atoms {
		end := i
		for k, choice := range f.Choices {
			for k > 0 && l.atom(end) == "," {
				end++
			}
			for _, w := range strings.Fields(strings.ToLower(choice)) {
				if l.atom(end) != w {
					end = len(l.atoms) + 1
				}
				end++
			}
		}
		if end <= len(l.atoms) && l.begins(f, i) {
			return true
		}
	}
	return false
}

func (l ledger) atom(i int) string {
	if i < 0 || i >= len(l.atoms) {
		return ""
	}
	return l.atoms[i]
}

// begins says whether the choices of a field may begin at an atom: behind a separator, its name, or what is said of it.
func (l ledger) begins(f field, i int) bool {
	before := l.atom(i - 1)
	said := is("type", before) || is("ends-rule", before)
	return before == "," || said || strings.HasSuffix(project.Squeezed(f.Name), strings.NewReplacer("_", "", "-", "", "'", "").Replace(before))
}

// head is a noun that a list of fields may be of, and the phrase that it ends.
type head struct{ word, phrase string }

// names says whether a noun is the name of a thing, or of the place where such things usually are: no other noun says what.
func (h head) names(t *thing) bool {
	return t.is(h.word) || usuallyHolds(h.phrase, h.word, t) || english.Singular(lastWord(h.word)) == lastWord(t.singular)
}

// usuallyHolds says whether a thing is what there usually is in a place, and no other noun of its phrase says something else.
func usuallyHolds(phrase, last string, t *thing) bool {
	if is("place-of", phrase) {
		return tables["place-of"][phrase] == t.singular
	}
	other := slices.ContainsFunc(strings.Fields(phrase), func(w string) bool { return !isPlace(w) })
	return tables["place-of"][last] == t.singular && (!other || is("same-inside", last))
}

// late says whether nothing is told of a thing that is named behind the fields of another: no thing is born there.
func (l ledger) late(t *thing) bool {
	related := slices.ContainsFunc(l.things, func(o *thing) bool { return slices.Contains(o.parents, t) })
	if len(t.fields)+len(t.parents) > 0 || related {
		return false
	}
	born := min(l.firstMention(t.singular), l.firstMention(english.Plural(t.singular)))
	return slices.ContainsFunc(l.things, func(o *thing) bool {
		return len(o.fields) > 0 && l.firstMention(o.fields[0].Name) < born && born < len(l.Tokens)
	})
}

// firstMention gives the place where a name stands first, or the end.
func (l ledger) firstMention(name string) int {
	for i := range l.Tokens {
		if l.mentions(i, field{Name: name}) > 0 {
			return i
		}
	}
	return len(l.Tokens)
}

func lastWord(name string) string { return name[strings.LastIndex(name, "_")+1:] }

// ownersOf gives the nouns of which a field may be, by the places of the lists that name it: none where nothing opens one.
func (l ledger) ownersOf(f field) (all []head) {
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
func (l ledger) mentions(i int, f field) int {
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
	for i--; is("determiner", l.At(i).Low) || is("adjective", l.At(i).Low); i-- {
	}
	return l.Ends(i) || i >= 0 && l.classes[i] == opensFields
}

// openers gives the places of the marks and words that may open the list in which a place is.
func (l ledger) openers(i int) (all []int) {
	for k := i - 1; k >= 0; k-- {
		switch low := l.Tokens[k].Low; {
		case low == "(":
			return append(all, k)
		case low == ":" || l.classes[k] == opensFields:
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
		case is("no-noun", l.classes[k]) || low == ",":
		case !l.isNoun(k):
			described, related = false, l.classes[k] == isRelation
		case !described:
			all = append(all, head{low, l.phraseTo(k)})
			described = !is("holds-things", l.classes[k]) && !is("collective", low)
		}
	}
	return all
}

// isNoun says whether a word may be one: what has a meaning of its own is none, unless it is part of names too.
func (l ledger) isNoun(k int) bool {
	t, c := l.At(k), l.classes[max(k, 0)]
	if t.Mark || l.Ends(k) {
		return false
	}
	named := slices.ContainsFunc(l.things, func(o *thing) bool { return o.is(t.Low) })
	return named || c == "" || is("also-noun", c) || vocabulary[t.Low].Value == "filler"
}

// phraseTo gives the nouns in a row that end at a place.
func (l ledger) phraseTo(end int) string {
	begin := end
	for begin > 0 && l.isNoun(begin-1) {
		begin--
	}
	return l.Words(begin, end+1-begin)
}
