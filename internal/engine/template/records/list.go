package records

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// list is what a record holds, as far as it was told in one list.
type list struct {
	items   []item
	things  []noun // where all of them are names of things
	parents []noun // what the records belong to
	unknown []string
	end     int
}

// list reads the items of a list from a place on, up to a bracket that closes it or to where something else begins.
func (r *reader) list(i, to int, within bool) (l list) {
	l.end = i
	defer func(before bool) { r.typed, r.depth = before, r.depth-1 }(r.typed)
	r.typed, r.depth = r.types(i, to) > 1, r.depth+1
	for i < to {
		at := i
		for at < to && r.separates(at) {
			at++
		}
		if at >= to {
			l.end = at
			break
		}
		if r.At(i).Low == "or" && within { // which of both?
			l.unknown, l.end = append(l.unknown, r.text(i-1, to)), to
			break
		}
		each := len(l.items) > 0 && (r.At(at).Low == "each" || r.At(at).Low == "every") && !r.Ends(at+1) // and each product sits in a machine
		if r.At(i).Low == "or" || !within && (each || r.endsList(at) || r.At(i).Low == words.Bullet) {
			if last := len(l.items) - 1; r.joins(i) && last > 0 && l.items[last].bare() && r.joins(r.skipBack(l.items[last].from)-1) && r.does(at) { // …, paid, and clerks and staff should
				l.unknown = append(l.unknown, r.text(l.items[last].from, at))
			}
			break
		}
		if n, ok := r.noun(at); ok && r.At(n.to).Low == "it" && r.ClassAt(n.to+1) == "relation" { // a show it belongs to
			_, k := r.Phrase(n.to + 1)
			l.parents, i, l.end = append(l.parents, n), n.to+1+k, n.to+1+k
			continue
		}
		if _, n := r.Phrase(at); r.ClassAt(at) == "relation" && !r.Ends(at+n) && (n > 1 || !r.Is("also-name", r.At(at).Low)) {
			parents, end := r.relatives(at+n, to)
			if len(parents) == 0 {
				break
			}
			l.parents, i, l.end = append(l.parents, parents...), end, end
			continue
		}
		if n, ok := r.noun(at); ok && r.At(i).Text == ";" && r.At(n.to).Low == ":" && (n.many() || r.heads[n.name()]) { // …; visits: date, remarks
			break
		}
		if r.opensThing(at, to) { // a shop with bikes: brand, model
			break
		}
		if n := max(r.Length(at, "label"), r.Length(at, "heading")); n > 0 && !within && r.At(i).Text == ";" && r.At(at+n).Low == ":" {
			break
		}
		got, end := r.entry(at, to)
		if len(l.items) > 0 && len(got) > 0 && !within && got[0].stated && got[0].the { // a fabric; the price must be positive
			break
		}
		if len(got) == 0 && within {
			end = max(at+1, min(r.EndOf(at), to))
			l.unknown = append(l.unknown, r.text(at, end))
		} else if len(got) == 0 {
			break
		}
		if k := len(l.items) - 1; !within && k >= 0 && len(got) > 0 && l.items[k].colon && l.items[k].ref != "" && !got[0].colon { // log: bed, note: a field, or a thing?
			l.unknown = append(l.unknown, r.text(l.items[k].from, end))
		}
		r.sameEnd(&l, got, i)
		if shared := r.shared(&l, got, i); !shared {
			l.unknown = append(l.unknown, r.text(at, end))
		}
		l.items = append(l.items, got...)
		i, l.end = end, end
		if i < to && !r.Ends(i) {
			break
		}
	}
	if within && l.end < to { // what brackets hold is read whole
		l.unknown = append(l.unknown, r.text(l.end, to))
	}
	l.things = r.onlyThings(l)
	return l
}

// joins says whether "and" stands at a place.
func (r *reader) joins(i int) bool { return r.At(i).Low == "and" && !r.At(i).Mark }

// does says whether somebody does, or is to do, something at a place.
func (r *reader) does(i int) bool {
	n, ok := r.noun(i)
	return ok && (r.Is("predicate", r.At(n.to).Low) || r.ClassAt(n.to) == "fields")
}

// opensThing says whether several things stand at a place, and behind a colon what each of them holds.
func (r *reader) opensThing(i, to int) bool {
	n, ok := r.noun(i)
	if !ok || !n.many() || r.At(n.to).Low != ":" || r.depth > 2 {
		return false
	}
	l := r.list(n.to+1, to, false)
	return len(l.items) > 1 && 2*r.holds(l) >= len(l.items)
}

// types counts the words that tell a kind behind a name.
func (r *reader) types(from, to int) (n int) {
	for i := from + 1; i < to && r.At(i).Low != "."; i++ {
		if r.Is("type-behind", r.At(i).Low) && !r.At(i-1).Mark {
			n++
		}
	}
	return n
}

// separates says whether a word or a mark only parts the items of a list.
func (r *reader) separates(i int) bool {
	t := r.At(i)
	if t.Mark {
		return t.Low == "," && t.Text != "|" || t.Low == words.Bullet
	}
	return t.Low == "and" || t.Low == "&" || (r.class(i) == "join" && t.Low != "or" || r.Is("also", t.Low)) && !r.Ends(i+1)
}

// shared gives the names before what is said of several what is said of the last: name and email are required. It says
// whether it is certain of which ones that is told.
func (r *reader) shared(l *list, got []item, from int) bool {
	if len(got) == 0 || !got[0].several && !got[0].both && !got[0].all {
		return true
	}
	told, k := got[0], len(l.items)
	for joined := r.At(from).Low; k > 0 && l.items[k-1].bare() && (joined == "," || joined == "and" || told.all); k-- {
		one := &l.items[k-1]
		one.kind, one.rules, one.told = told.kind, told.rules, true
		before := r.skipBack(one.from) - 1
		more := k > 1 && l.items[k-2].bare() && r.At(before).Low == ","
		if told.all {
			continue
		}
		if told.both || joined == "and" && !more {
			return true
		}
		if more && before >= r.clause && r.listOpened(before) { // of two, or of all of them?
			return false
		}
		joined = r.At(before).Low
	}
	return k == 0 || k < len(l.items)
}

// listOpened says whether a word before a place in its clause opens a list.
func (r *reader) listOpened(i int) bool {
	for ; i > 0 && r.At(i).Low != "."; i-- {
		if r.ClassAt(i) == "fields" || r.At(i).Low == ":" || r.At(i).Low == "(" {
			return true
		}
	}
	return false
}

// sameEnd gives a name before "and" the word that ends the one behind it: arrival and departure date.
func (r *reader) sameEnd(l *list, got []item, from int) {
	k := len(l.items) - 1
	if k < 0 || len(got) != 1 || len(got[0].words) < 2 || r.At(from).Low != "and" || !l.items[k].bare() {
		return
	}
	last := got[0].words[len(got[0].words)-1]
	if r.skipBack(got[0].from) < got[0].from { // a medium and an inoculation date
		return
	}
	if one := &l.items[k]; r.Is("dates", last) && !r.likeField(*one) && !strings.Contains(r.At(got[0].from).Text, "_") || r.Is("side", strings.Join(one.words, " ")) && r.Is("side", got[0].words[0]) {
		one.words = append(slices.Clone(one.words), last)
	}
}

func (r *reader) skipBack(i int) int {
	for i > 0 && r.Is("determiner", r.At(i-1).Low) && !r.At(i-1).Mark {
		i--
	}
	return i
}

// endsList says whether something else than an item of a list begins at a place.
func (r *reader) endsList(i int) bool {
	at := r.skip(i)
	m, n := r.Phrase(at)
	low := r.At(at).Low
	if next := r.At(at + 1).Low; low == "how" && (next == "many" || next == "much") {
		return false
	}
	if r.ifSo(at) || r.hasIt(at) {
		return false
	}
	if low == "which" && r.heads[english.Singular(r.At(at+1).Low)] && r.Ends(at+2) {
		return false
	}
	if (r.Is("alone-too", low) || r.Is("item-too", low) || r.Is("thing-too", low)) && r.Ends(at+1) {
		return false
	}
	single := n == 1 && r.over(at+1, len(r.Tokens)) && (r.fieldWord(low) || r.Is("also-name", low) || r.Is("also-field", low) || m.Value == "filler" || r.Is("item-too", low))
	switch m.Class {
	case "language", "database", "given", "denial", "page-size", "module", "cors", "auth", "license", "port", "kind", "heart", "detail":
		switch {
		case r.Is("with-value", m.Class):
			return settings.Is(r.Text, at)
		case m.Value == "unique values" || m.Value == "dates":
			return false
		}
		return !single && !r.partOfName(at, n)
	case "named":
		return r.tried(at) > at
	case "things", "fields", "relation", "adding", "removing", "operation", "to":
		several := r.Is("list-of", low) && r.At(at+1).Low == "of"        // a list of moves
		counted := m.Class == "operation" && r.over(at+n, len(r.Tokens)) // word count
		return m.Class != "relation" && !single && !several && !counted && !r.partOfName(at, n)
	}
	if r.Length(i, "narrator")+r.Length(i, "because") > 0 || r.Is("breaks-list", low) && !r.Ends(at+1) && !(r.Is("particle", r.At(at+1).Low) && r.Is("dates", r.At(at+2).Low)) || r.Is("polite", low) && r.Ends(at+1) {
		return true
	}
	next, ok := r.noun(at)
	if !ok {
		return false
	}
	class := r.ClassAt(next.to)
	if r.Is("refers", r.At(next.to).Low) { // sample fk
		class = ""
	}
	_, length := r.Phrase(next.to)
	has := class == "fields" || class == "relation" && (length > 1 || !r.Is("also-name", r.At(next.to).Low)) || r.Is("owns", r.At(next.to).Low)
	if next.many() && r.afterComma(next.to) > 0 { // orders, which have
		return true
	}
	return has && (at > i || next.many() || r.find(next.name()) != nil)
}

// partOfName says whether a phrase that means something elsewhere begins the name of a field: license plate, file size.
func (r *reader) partOfName(i, n int) bool {
	if c := r.ClassAt(i); n > 1 && (c == "detail" || c == "kind") { // filter by author, landing page
		return false
	}
	end := i + n
	for end < i+longestName && !r.Ends(end) && r.partable(end) && r.Length(end, "rule") == 0 && !r.Is("type-behind", r.At(end).Low) {
		end++
	}
	if of := r.At(end).Low; n == 1 && end == i+1 && (of == "of" || of == "per") && r.fieldWord(r.At(i).Low) { // the colour of the holds
		return true
	}
	if r.At(end).Low == "no" && n == 1 && r.over(end+1, len(r.Tokens)) { // licence no
		return true
	}
	if n == 1 && end == i+1 && r.Is("particle", r.At(end).Low) && r.done(r.At(i).Low) && r.over(end+1, len(r.Tokens)) { // tested at
		return true
	}
	if end == i+n {
		return r.At(end).Low == "(" && r.depth > 0 // cover letter (long text)
	}
	last := r.At(end - 1).Low
	if c := r.class(i); (c == "given" || c == "language") && r.Tables["field"][last] == values.Truth { // docker included
		return false
	}
	return r.Is("field", last) || r.Is("also-field", last) || r.Is("field-ends", last) || r.Is("ends-odd-name", last)
}

// onlyThings gives the names in a list as those of things, if every one is in the plural and not all are usual for fields.
func (r *reader) onlyThings(l list) (all []noun) {
	if len(l.parents)+len(l.unknown) > 0 {
		return nil
	}
	usual := 0
	for _, it := range l.items {
		last := it.words[len(it.words)-1]
		whole, measure := strings.Join(it.words, " "), len(it.words) > 1 && r.isMeasure(english.Singular(last)) // due dates
		if (r.Is("field", whole) || r.Is("also-field", whole) || measure) && !r.heads[english.Singular(last)] {
			usual++
		}
		if n, ok := r.noun(it.from); !ok || n.to != it.end || !it.bare() || !english.IsPlural(last) {
			return nil
		}
		all = append(all, noun{it.words, it.from, it.end})
	}
	if 2*usual > len(all) || usual == len(all) {
		return nil
	}
	return all
}

// onlyPlurals says whether a list names nothing but several of something.
func (r *reader) onlyPlurals(l list) bool {
	one := func(it item) bool { return !it.bare() || !english.IsPlural(it.words[len(it.words)-1]) }
	return len(l.items) > 0 && len(l.unknown)+len(l.parents) == 0 && !slices.ContainsFunc(l.items, one)
}

func nounsOf(l list) (all []noun) {
	for _, it := range l.items {
		all = append(all, noun{it.words, it.from, it.end})
	}
	return all
}

// enumerate takes names for those of things.
func (r *reader) enumerate(all []noun) {
	var before *Thing
	for _, n := range all {
		t := r.thing(n)
		if low := r.At(n.from - 1).Low; before != nil && (low == "their" || low == "its") && len(t.Parents) == 0 { // owners, their animals
			t.Parents, t.implied = []*Thing{before}, before
		}
		before = t
	}
	r.current = nil
}

// children takes names for those of things that belong to another, as long as nothing else is told of them.
func (r *reader) children(parent *Thing, all []noun) {
	for _, n := range all {
		if t := r.thing(n); t != parent && len(t.Parents) == 0 {
			t.Parents, t.implied = []*Thing{parent}, parent
		}
	}
	r.current = nil
}

// like says how many items of a list are like fields: usual names, or with a kind or a rule.
func (r *reader) like(l list) (n int) {
	for _, it := range l.items {
		if r.likeField(it) {
			n++
		}
	}
	return n
}

func (r *reader) likeField(it item) bool {
	all := it.words
	for _, w := range []string{"of", "per"} { // the price per night
		if k := slices.Index(all, w); k > 0 {
			all = all[:k]
		}
	}
	last, whole := all[len(all)-1], strings.Join(all, " ")
	table := func(name string) bool { return r.Is(name, last) || r.Is(name, whole) }
	if len(it.words) == 1 && (r.Is("alone-too", last) || r.Is("item-too", last)) {
		return true
	}
	odd := strings.Contains(r.At(it.from).Text, "_") || camelCase.MatchString(r.At(it.from).Text)
	return it.told || odd || table("field") || table("also-field") || r.fieldWord(last) || len(it.words) > 1 && r.Is("field-ends", last) || r.heads[english.Singular(last)]
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
	if i == r.listEnd && !r.begins(i) || r.Is("page-part", r.At(i).Low) { // a number of frames with brood
		return i
	}
	r.openBy = r.At(i).Low
	for r.At(at).Low == ":" || r.Is("field-noun", r.At(at).Low) && !r.At(at).Mark || r.Is("determiner", r.At(at).Low) && r.Is("field-noun", r.At(at+1).Low) {
		at++
	}
	each := r.Is("every-one", r.At(at).Low)
	if r.Is("every-one", r.At(i).Low) && r.ClassAt(i+1) == "fields" { // each has a name
		_, n = r.Phrase(i + 1)
		m.Class, at = "fields", i+1+n
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
	if r.Is("relative", r.At(i-1).Low) && r.nounEnd == i-1 && r.lastNamed != nil { // several ingredients that have a name
		t = r.lastNamed
	}
	if child, ok := r.noun(at); ok && t != nil && (r.Is("owns", r.At(i).Low) || r.At(i).Low == "with" && r.At(i-1).Low == ")") && child.many() && r.At(child.to).Low == "(" { // owners have dogs (name, breed)
		return r.childrenWith(t, at, to)
	}
	switch {
	case l.things != nil && (t == nil || t.weak):
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
	if !r.begins(i) || r.class(i-1) == "join" && i-1 != r.listEnd {
		return i
	}
	l := r.list(i, to, false)
	t := r.soleThing()
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

// partable says whether a word may be a part of the name of a field.
func (r *reader) partable(i int) bool {
	t := r.At(i)
	if letters.MatchString(t.Raw) || letters.MatchString(r.At(i-1).Raw) && t.Raw == "" { // zone A-F
		return false
	}
	if t.Mark || t.Quoted || !plainName.MatchString(spelled(t)) || r.Is("adverb", t.Low) || r.Is("never-named", t.Low) {
		return false
	}
	m := r.Vocabulary[t.Low]
	if r.Is("thing-too", t.Low) || r.Is("item-too", t.Low) || r.Is("ends-odd-name", t.Low) {
		return true
	}
	known := r.fieldWord(t.Low) || r.Is("also-name", t.Low) || r.Is("also-field", t.Low) || m.Value == "filler" || r.Is("participle", t.Low)
	switch m.Class {
	case "", "kind", "container", "detail", "given", "heart", "license", "language", "database", "auth", "cors", "port", "module", "operation", "removing":
		return known || !r.Is("only-verb", t.Low) && !r.Is("behind", t.Low)
	}
	return known
}

// kindOf settles a kind that was told by its unit: what is counted in minutes is a whole number.
func (r *reader) kindOf(kind string, i int) string {
	if kind == values.Number && r.Length(i, "in-whole") > 0 {
		return values.Integer
	}
	return kind
}
