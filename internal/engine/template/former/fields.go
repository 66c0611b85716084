package former

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
)

// onlyPlurals says whether a list names nothing but several of something.
func (r *reader) onlyPlurals(l list) bool {
	one := func(it item) bool { return !it.bare() || !english.IsPlural(it.words[len(it.words)-1]) }
	return len(l.items) > 0 && len(l.unknown)+len(l.parents) == 0 && !slices.ContainsFunc(l.items, one)
}

// anyNumber says whether a list names several of something, and what is the same word for one and for several, so that both may
// be fields, or things: series and issues, but not series and tags.
func (r *reader) anyNumber(l list) bool {
	same, many := 0, 0
	for _, it := range l.items {
		last := it.words[len(it.words)-1]
		kind, sure := values.Guess(r.Lexicon, it.words)
		switch {
		case !it.bare() || r.skipBack(it.from) < it.from:
			return false
		case english.IsPlural(last) && !(sure && kind == values.Texts):
			many++
		case english.Plural(last) == last:
			same++
		}
	}
	return same > 0 && same+many == len(l.items) && many > 0
}

func nounsOf(l list) (all []noun) {
	for _, it := range l.items {
		all = append(all, noun{it.words, it.from, it.end})
	}
	return all
}

// enumerate takes names for those of things.
func (r *reader) enumerate(all []noun) {
	before := r.soleThing()
	for _, n := range all {
		t := r.thing(n)
		if those := r.whose(n); those != nil {
			r.belongs(t, those)
		} else if before != nil && r.theirs(n.from-1) { // owners, their animals
			r.ofThose(t, before)
		}
		before = t
	}
	r.current = nil
}

// children takes names for those of things that belong to another, as long as nothing else is told of them.
func (r *reader) children(parent *Thing, all []noun) {
	for _, n := range all {
		if t := r.thing(n); t == parent { // flashcards with decks and cards
			r.Refuse(strings.Join(n.words, " "))
		} else if r.ofSeveral(parent, t, false) { // boats with owners
			r.link(parent, t)
		} else {
			r.belongs(t, parent)
		}
	}
	r.current = nil
}

// fields gives the current thing what a list says that it holds.
func (r *reader) fields(l list) {
	t := r.current
	r.listEnd = max(r.listEnd, l.end)
	for _, it := range l.items {
		r.field(t, it)
		r.items = append(r.items, span{it.from, it.end})
	}
	for _, n := range l.parents {
		parent := r.thing(n)
		parent.weak, r.current = false, t
		if parent == t {
			r.Refuse(strings.Join(n.words, " "))
		} else if !slices.Contains(t.Parents, parent) {
			t.Parents = append(t.Parents, parent)
		}
	}
	for _, what := range l.unknown {
		r.Refuse(what)
	}
}

// opened reads a list of what the current thing holds behind words such as "with" or "fields".
func (r *reader) opened(i, to int) int {
	m, n := r.Phrase(i)
	at := i + n
	if r.Is("one-field", r.At(i).Low) && r.At(i+1).Low != ":" { // sports field reservations
		return i
	}
	if m.Class == "fields" && n > 1 && r.At(i-1).Low == "," && r.At(at).Low == "," { // made by, made of, worn by
		return i
	}
	if i == r.listEnd && !r.begins(i) || r.Is("page-part", r.At(i).Low) { // a number of frames with brood
		return i
	}
	if r.Is("owns", r.At(i).Low) && r.open != nil && r.At(i-1).Low == "," { // number of moons, has rings
		return i
	}
	if end := r.settingInName(at); end > at && r.class(at) == "auth" { // with auth logs: user
		r.Refuse(r.text(at, end))
		return end
	}
	r.openBy = r.At(i).Low
	for r.At(at).Low == ":" || r.Is("field-noun", r.At(at).Low) && !r.At(at).Mark || r.Is("determiner", r.At(at).Low) && r.Is("field-noun", r.At(at+1).Low) {
		at++
	}
	each := r.Is("every-one", r.At(at).Low)
	every := r.Length(i, "every-one")
	if every > 0 && r.ClassAt(i+every) == "fields" { // each one has a name
		_, n = r.Phrase(i + every)
		m.Class, at = "fields", i+every+n
	}
	if _, two := r.Phrase(i - 2); two == 2 && r.ClassAt(i-2) == "given" { // a health check with the status
		return i
	}
	if before := r.class(i - 1); before == "auth" || before == "database" || before == "given" { // protected with a token
		return i
	}
	if verb := r.Is("owns", r.At(i).Low); verb && !r.begins(i) && i != r.nounEnd && !r.Is("relative", r.At(i-1).Low) { // what has it?
		return i
	}
	if m.Class == "fields" && r.class(i-1) == "kind" && r.brackets(at) { // the API should have stations (name)
		return at
	}
	if t := r.soleThing(); m.Class == "things" && r.At(i).Low == "there" && t != nil && len(t.Fields) == 0 { // there should be a name and an email
		if l := r.list(at, to, false); len(l.items) > 1 && l.things == nil && r.like(l) == len(l.items) {
			m.Class = "fields"
		}
	}
	if m.Class != "fields" || each || settings.Is(r.Text, r.skip(at)) && r.endsList(at) {
		return i
	}
	end := to
	if r.At(at).Low == "(" {
		if end = r.Closes(at); end < 0 || end > to {
			return i
		}
		at++
	}
	if t := r.soleThing(); end < to && t != nil && t.closed && r.At(i-1).Low == "," { // animals (tag), fields (name, crop): of what?
		return i
	}
	if k := r.crud(at); k > at { // with add, list and delete
		return k
	}
	l := r.list(at, end, end < to || r.At(end).Low == ")")
	t := r.soleThing()
	if every > 0 && (r.namedBefore(i) > 1 || r.eachOfWhich(i, t)) { // dogs (breed) and owners (phone). Each has a name: of which?
		r.Refuse(r.text(i, l.end))
		return max(l.end, at)
	}
	if r.Is("relative", r.At(i-1).Low) && r.nounEnd == i-1 && r.lastNamed != nil { // several ingredients that have a name
		t = r.lastNamed
	}
	if n, ok := r.nounBefore(i - 2); ok && r.Is("relative", r.At(i-1).Low) && r.At(i-2).Low == "," && n.many() && t != nil && r.find(n.name()) != t { // menus, which contain dishes, which contain allergens
		if !r.isThing(n.name()) || l.things == nil {
			r.Refuse(r.text(i-1, l.end))
			return l.end
		}
		r.children(r.thing(n), l.things)
		return l.end
	}
	if child, ok := r.noun(at); ok && t != nil && (r.Is("owns", r.At(i).Low) || r.At(i).Low == "with" && r.At(i-1).Low == ")") && child.many() && r.At(child.to).Low == "(" { // owners have dogs (name, breed)
		return r.childrenWith(t, at, to)
	}
	switch {
	case l.things != nil && (t == nil || t.weak || r.At(i).Low == "with" && len(l.things) > 1 && slices.ContainsFunc(l.things, func(n noun) bool { return r.find(n.name()) == t })): // seed swaps, with members, packets and swaps
		r.enumerate(l.things)
	case len(l.items)+len(l.parents) == 0 || t == nil:
		return i
	case r.At(i).Low == "with" && r.like(l) == 0 && l.things == nil: // with pytest
		return i
	case l.things != nil && r.At(i).Low == "with": // invoices with line items
		r.children(t, l.things)
	default:
		r.current, r.open = t, t
		r.fields(l)
	}
	if end < to {
		return end + 1
	}
	return l.end
}

// eachOfWhich says whether what each has, told in a sentence of its own, may be of others than the things that are meant: projects
// and tasks. A project has a name. Each has a deadline; houses with rooms. Each has an area.
func (r *reader) eachOfWhich(i int, t *Thing) bool {
	last := r.At(i - 2).Low
	inside := t != nil && english.IsPlural(last) && t.field(last) != nil
	several := 0
	for _, o := range r.Things {
		if !o.weak {
			several++
		}
	}
	return r.At(i-1).Low == "." && (inside || several > 1 && r.At(i).Low != "it")
}

// namedBefore counts the things that the sentence before a place was the first to name.
func (r *reader) namedBefore(i int) (n int) {
	begin := max(0, i-2)
	for begin > 0 && !(r.At(begin).Mark && r.At(begin).Low == ".") {
		begin--
	}
	for _, t := range r.Things {
		if t.at >= begin && !t.weak {
			n++
		}
	}
	return n
}

// opensSentence says whether a sentence begins at a place that does not go on with what stands before it.
func (r *reader) opensSentence(i int) bool {
	for k := i - 1; k >= r.clause; k-- {
		if r.Is("also", r.At(k).Low) {
			return false
		}
	}
	before := r.At(r.clause - 1)
	return before.Mark && (before.Low == "." || before.Low == ":")
}

// childrenWith reads things that belong to another, each with the list of what it holds in brackets.
func (r *reader) childrenWith(t *Thing, i, to int) int {
	for at := i; ; {
		n, ok := r.noun(at)
		if !ok || r.At(n.to).Low != "(" {
			return i
		}
		stop := r.definition(at, to)
		if c := r.find(n.name()); stop > at && c != nil && c != t {
			c.Parents = append(c.Parents, t)
		}
		i = stop
		if at = r.After(stop, "and", ","); at == stop || stop == at {
			return i
		}
	}
}

// crud gives the place behind words for what is done with all records.
func (r *reader) crud(i int) int {
	end, verbs := i, 0
	for at := i; r.Length(at, "crud") > 0; verbs++ {
		end = at + r.Length(at, "crud")
		at = r.After(end, ",", "and", "or", "&")
	}
	if verbs < 2 || !r.Ends(end) {
		return i
	}
	return end
}

// listed reads a list that nothing opens: of things, or of what the only thing holds of which nothing was told yet.
func (r *reader) listed(i, to int) int {
	if closed := r.joins(i-1) && r.At(i-2).Low == ")"; !r.begins(i) || r.class(i-1) == "join" && i-1 != r.listEnd && !closed {
		return i
	}
	at, asked := i, r.At(i-1).Low == "," && i-1 == r.nounEnd && !r.Ends(i+1) && !r.Is("of-stores", r.At(i+1).Low)
	if asked && r.Is("stores", r.At(i).Low) && r.likeWord(r.At(i+1).Low) { // dogs, store name, breed, but not: sales, store number
		at++
	}
	l := r.list(at, to, false)
	if asked && at == i && (r.Is("stores", r.At(i).Low) || r.Is("stores-or-names", r.At(i).Low)) && len(l.items) > 0 && len(l.items[0].words) > 1 { // dogs, track name, or songs, track name
		l.unknown = append(l.unknown, strings.Join(l.items[0].words, " "))
	}
	if len(l.items) > 0 && i-1 != r.listEnd && strings.Join(l.items[0].words, " ") == "public domain" { // jokes, python, public domain
		l.unknown = append(l.unknown, "public domain")
	}
	t := r.soleThing()
	if t != nil && len(t.Fields) > 0 && r.At(l.end).Low == ":" { // a list of its own that was not understood
		return i
	}
	if told := t != nil && len(t.Fields) > 0 && !t.stated(); told && r.opensSentence(i) && l.things == nil { // fields: name, price. Roles: admin, clerk
		return i
	}
	if t != nil && t.closed && r.open == nil { // users (email), posts (text), likes
		if r.onlyPlurals(l) {
			r.enumerate(nounsOf(l))
			return l.end
		}
		return i
	}
	switch {
	case l.things != nil && (len(l.things) > 1 && (t == nil || len(t.Fields) == 0) || len(r.Things) == 0 || r.At(l.end).Low == "," && r.brackets(l.end+1)):
		r.enumerate(l.things)
	case len(l.items) == 0 || t == nil:
		return i
	case len(t.Fields) > 0 && slices.ContainsFunc(l.items, func(it item) bool { return r.elsewhere(t, it) }): // of which of both?
		return i
	case len(t.Fields) > 0 && (r.like(l) < len(l.items) || !t.stated() && slices.ContainsFunc(l.items, func(it item) bool { return it.stated })), len(t.Fields) == 0 && 2*r.like(l) < len(l.items):
		return i
	default:
		r.current, r.open = t, t
		for k, it := range l.items { // customer name and email, order total
			if other, name := r.owner(it); len(r.Things) > 1 && other != nil && !strings.Contains(r.At(it.from).Text, "_") && name != strings.Join(it.words, "_") {
				r.current, it.words = other, strings.Split(name, "_")
			} else if k > 0 && r.current != t && !r.joins(r.skipBack(it.from)-1) { // ski length, boot size, rate: of which of both?
				r.Refuse(strings.Join(it.words, " "))
			}
			r.field(r.current, it)
			r.items = append(r.items, span{it.from, it.end})
		}
		r.fields(list{parents: l.parents, unknown: l.unknown, end: l.end})
	}
	return l.end
}
