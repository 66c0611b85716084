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
	if k := r.After(i, "just", "only", "simply"); k > i && r.notes(k, to) && r.likeWord(r.At(r.NextMark(k)-1).Low) { // jokes, just text and author
		i = k
	}
	defer func(before, some, colons bool) {
		r.typed, r.someTyped, r.colons, r.depth = before, some, colons, r.depth-1
	}(r.typed, r.someTyped, r.colons)
	r.someTyped = r.types(i, to) > 0 && r.types(0, len(r.Tokens)) > 1
	r.typed, r.depth = r.types(i, to) > 1 || r.typedLines || r.allTyped(i, to) || r.types(0, len(r.Tokens)) > 1 && r.texts(i, to) > 1, r.depth+1
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
		if low := r.At(at).Low; len(l.parents) > 0 && len(l.items) == 0 && (low == "have" || low == "has") && !r.Ends(at+1) { // Cases: belong to a client, have a name
			at++
		}
		each := len(l.items) > 0 && (r.At(at).Low == "each" || r.At(at).Low == "every") && !r.Ends(at+1) // and each product sits in a machine
		if n, k := r.broughtTo(at, to); k > at {                                                         // one volunteer assigned to it
			l.parents, i, l.end = append(l.parents, n), k, k
			continue
		}
		if r.At(i).Low == "or" || !within && (each || r.endsList(at) || r.At(i).Low == words.Bullet) {
			if last := len(l.items) - 1; r.joins(i) && last > 0 && l.items[last].bare() && r.joins(r.skipBack(l.items[last].from)-1) && r.does(at) && !r.Is("indefinite", r.At(at).Low) { // …, paid, and clerks and staff should
				l.unknown = append(l.unknown, r.text(l.items[last].from, at))
			}
			break
		}
		if n, ok := r.noun(at); ok && r.At(n.to).Low == "it" && r.ClassAt(n.to+1) == "relation" && (r.isThing(n.name()) || strings.HasPrefix(r.At(n.to+1).Low, "belong")) { // a show it belongs to, but not: the album it is in
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
		if n, ok := r.noun(at); ok && r.At(n.to).Low == ":" && !r.goesOnTyped(l, n.to+1) {
			if r.At(i).Text == ";" && (n.many() || r.heads[n.name()]) { // …; visits: date, remarks
				break
			}
			if r.opensThing(at, to) { // a shop with bikes: brand, model
				break
			}
		}
		if n := max(r.Length(at, "label"), r.Length(at, "heading")); n > 0 && !within && r.At(i).Text == ";" && r.At(at+n).Low == ":" {
			break
		}
		k := len(l.items) - 1
		r.colons = k >= 0 && l.items[k].colon && l.items[k].kind != ""
		got, end := r.entry(at, to)
		if slash := r.At(i); slash.Mark && slash.Text == "/" && len(l.items) > 0 && !settings.Is(r.Text, at) { // level low / high: choices, or fields?
			l.unknown = append(l.unknown, r.text(l.items[len(l.items)-1].from, max(end, at+1)))
		}
		if len(l.items) > 0 && len(got) > 0 && !within && got[0].stated && got[0].the { // a fabric; the price must be positive
			break
		}
		if len(got) == 0 && within {
			end = max(at+1, min(r.EndOf(at), to))
			l.unknown = append(l.unknown, r.text(at, end))
		} else if len(got) == 0 {
			break
		}
		if !within && k >= 0 && len(got) > 0 && l.items[k].colon && l.items[k].ref != "" && !got[0].colon { // log: bed, note: a field, or a thing?
			l.unknown = append(l.unknown, r.text(l.items[k].from, end))
		}
		if gap := end < to && !r.Ends(end) && r.Is("article", r.At(end).Low); gap && len(got) > 0 { // an inspection a date
			l.unknown = append(l.unknown, r.text(at, end+1))
		}
		r.sameEnd(&l, got, i)
		if shared := r.shared(&l, got, i); !shared || r.sameOwner(l, got, i) {
			l.unknown = append(l.unknown, r.text(at, end))
		}
		l.items = append(l.items, got...)
		i, l.end = end, end
		if parents, stop := r.relatives(i+2, to); r.belonging(i) && len(parents) == 1 { // a date belonging to an item
			l.parents, i, l.end = append(l.parents, parents...), stop, stop
		}
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

// belonging says whether it is told at a place what the record belongs to that a list was read of.
func (r *reader) belonging(i int) bool {
	return r.At(i).Low == "belonging" && r.At(i+1).Low == "to" && r.Is("any-one", r.At(i+2).Low)
}

// broughtTo gives a thing of which each record has one, told by what was done with it: one volunteer assigned to it.
func (r *reader) broughtTo(i, to int) (n noun, end int) {
	at := r.article(i)
	n = noun{[]string{spelled(r.At(at))}, i, at + 1}
	if r.At(at).Mark || at == i || n.many() || !r.isThing(r.At(at).Low) || !r.done(r.At(at+1).Low) || !r.Is("by-what", r.At(at+2).Low) || r.At(at+3).Low != "it" || at+4 < to && !r.Ends(at+4) {
		return n, i
	}
	return n, at + 4
}

// joins says whether "and" stands at a place.
func (r *reader) joins(i int) bool { return r.At(i).Low == "and" && !r.At(i).Mark }

// does says whether somebody does, or is to do, something at a place.
func (r *reader) does(i int) bool {
	n, ok := r.noun(i)
	return ok && (r.Is("predicate", r.At(n.to).Low) || r.ClassAt(n.to) == "fields")
}

// goesOnTyped says whether a kind stands behind a colon, as behind the names before it: packets: integer, expires: date.
func (r *reader) goesOnTyped(l list, i int) bool {
	_, n := r.Longest(i, "type")
	return n > 0 && r.Ends(i+n) && len(l.items) > 0 && l.items[len(l.items)-1].colon
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
	for i := from + 1; i < to && (r.At(i).Low != "." || from == 0); i++ { // of all of a request, if from its beginning
		if r.Is("type-behind", r.At(i).Low) && !r.At(i-1).Mark {
			n++
		}
	}
	return n
}

// allTyped says whether a kind stands behind every name of a list, and several are "text": code text, bait text, set date. A
// name may point at a thing instead, or only one have a kind that is nothing else, where kinds stand behind names elsewhere
// too: berth -> Berth, arrives date.
func (r *reader) allTyped(from, to int) bool {
	texts, certain := 0, 0
	for i := from; i < to && r.At(i).Low != "." && r.At(i).Low != ")"; {
		end := min(r.NextMark(i), to)
		if next := r.NextMark(end + 1); r.At(end).Low == ":" && end < to && r.reference(end+1, next) != "" {
			certain, i = certain+1, next+1
			continue
		}
		last := end - 1
		for last > i && r.Is("rule", r.At(last).Low) {
			last--
		}
		switch kind := r.At(last).Low; {
		case last <= i || r.At(end).Low == "(" || !r.Is("type-behind", kind) && kind != "text" && kind != "date" && kind != "number":
			return false
		case kind == "text":
			texts++
		case r.Is("type-behind", kind):
			certain++
		}
		if i = end + 1; r.At(end).Low == ")" {
			break
		}
	}
	return texts > 1 || certain > 0 && r.types(0, len(r.Tokens)) > 1
}

// texts counts the parts of a list that end with "text".
func (r *reader) texts(from, to int) (n int) {
	for i := from + 1; i < to && r.At(i).Low != "." && r.At(i).Low != words.Bullet; i++ {
		if r.At(i).Low == "text" && !r.At(i-1).Mark && (i+1 >= to || r.Ends(i+1) || r.Is("rule", r.At(i+1).Low)) {
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
	if len(got) == 0 {
		return true
	}
	if !got[0].several && !got[0].both && !got[0].all {
		return r.ruled(l, got)
	}
	told, k := got[0], len(l.items)
	for joined := r.At(from).Low; k > 0 && l.items[k-1].bare() && (joined == "," || joined == "and" || told.all); k-- {
		one := &l.items[k-1]
		if guess, sure := values.Guess(r.Lexicon, one.words); told.all && sure && told.kind != "" && guess != told.kind && !(guess == values.Number && told.kind == values.Integer) { // description, fat (all grams)
			return false
		}
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

// ruled gives the names before "and" a rule that stands behind the last of them, or the one behind it a rule that stands before
// the first: name, email and phone required; required name and email. It says whether it is certain of which ones it is told.
func (r *reader) ruled(l *list, got []item) bool {
	first, k := r.skipBack(got[0].from), len(l.items)
	if k == 0 || !r.joins(first-1) {
		return true
	}
	what, _ := r.Longest(got[0].end-1, "rule")
	if before, _ := r.Longest(l.items[k-1].from-1, "rule"); got[0].bare() && first == got[0].from && (before == "required" || before == "optional") {
		got[0].rules.Need, got[0].told = before, true
		return true
	} else if got[0].bare() && first == got[0].from && before == "unique" { // unique code and name, but a unique code and name
		return r.skipBack(l.items[k-1].from-1) < l.items[k-1].from-1
	}
	for k > 0 && l.items[k-1].bare() {
		k--
	}
	names, alone := l.items[k:], k == 0
	switch {
	case len(names) == 0 || what != "required" && what != "unique" && (what != "optional" || alone):
		return true
	case what != "required" && len(names) > 1: // name, code and email unique: of two, or of all of them?
		return false
	}
	for k := range names {
		one := &names[k]
		one.told = true
		if one.rules.Unique = what == "unique"; what != "unique" {
			one.rules.Need = what
		}
	}
	return true
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
	if k < 0 || len(got) != 1 || r.At(from).Low != "and" || !l.items[k].bare() {
		return
	}
	last := got[0].words[len(got[0].words)-1]
	one := &l.items[k]
	if r.skipBack(got[0].from) < got[0].from && one.words[0] != "from" { // a medium and an inoculation date
		return
	}
	if who := len(one.words) - 1; who > 0 && (one.words[who] == "name" || r.Is("reaches", one.words[who])) && r.Is("has-phone", strings.Join(one.words[:who], " ")) && r.Is("reaches", strings.Join(got[0].words, " ")) { // owner name and phone
		got[0].words = append(slices.Clone(one.words[:who]), got[0].words...)
	}
	if len(got[0].words) < 2 {
		return
	}
	if both := strings.Join(one.words, " ") + " " + got[0].words[0]; r.Is("halves", both) { // front and rear tyre size
		one.words = append(slices.Clone(one.words), got[0].words[1:]...)
		return
	}
	twins := r.Is("twins", strings.Join(one.words, " ")+" "+got[0].words[0]) && len(got[0].words) == 2
	if r.Is("dates", last) && twins && !strings.Contains(r.At(got[0].from).Text, "_") || r.Is("side", strings.Join(one.words, " ")) && r.Is("side", got[0].words[0]) {
		one.words = append(slices.Clone(one.words), last)
	}
}

// sameOwner says whether a name before "and" may be told of what the one behind it is: name and phone of the owner.
func (r *reader) sameOwner(l list, got []item, from int) bool {
	k := len(l.items) - 1
	if k >= 0 && len(got) == 1 && l.items[k].unit && r.joins(from) && r.Is("type", "in "+strings.Join(got[0].words, " ")) { // price in EUR and USD
		return true
	}
	if k < 0 || len(got) != 1 || len(got[0].words) < 3 || got[0].words[1] != "of" || !r.joins(from) {
		return false
	}
	if r.At(l.items[k].from-1).Low != "the" && r.skipBack(got[0].from) < got[0].from { // an age and an email of the parents
		return false
	}
	one := strings.Join(l.items[k].words, " ")
	return r.Is("of-one", one) && one != "title" && r.Is("of-one", got[0].words[0])
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
	if low == "how" && r.Is("many-or-much", r.At(at+1).Low) {
		return false
	}
	if k := r.Length(at, "for-what"); k > 0 && r.Ends(at+k) { // for sale
		return false
	}
	if r.ifSo(at) || r.hasIt(at) || r.isIt(at) || r.amongFields(at) > 0 || r.usual(at, len(r.Tokens)) > 0 || r.tellsField(at, len(r.Tokens)) {
		return false
	}
	if r.Is("stored", low) && r.class(at+1) == "place" && settings.Is(r.Text, r.skip(at+2)) { // kept in SQLite
		return true
	}
	if r.Is("behind", low) && r.At(at+1).Low == "which" && r.partable(at+2) && r.Ends(at+3) { // in which year
		return false
	}
	if low == "which" && r.isThing(r.At(at+1).Low) && r.Ends(at+2) {
		return false
	}
	if (r.Is("alone-too", low) || r.Is("item-too", low) || r.Is("thing-too", low)) && r.Ends(at+1) {
		return false
	}
	single := n == 1 && r.over(at+1, len(r.Tokens)) && (r.fieldWord(low) || r.Is("also-name", low) || r.Is("also-field", low) || m.Value == "filler" || r.Is("item-too", low))
	if next := r.At(at + 1).Low; m.Class == "heart" && n == 1 && r.Is("also-name", low) && english.IsPlural(next) && r.nameable(at+1) && r.over(at+2, len(r.Tokens)) { // game masters
		return false
	}
	switch m.Class {
	case "language", "database", "given", "denial", "page-size", "module", "cors", "auth", "license", "port", "kind", "heart", "detail":
		switch {
		case m.Class == "database" && r.At(at+n).Low == "in" && r.Length(at+n, "type") > 0: // ram in gb
			return false
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
	if r.Length(i, "narrator")+r.Length(i, "because") > 0 || r.Is("breaks-list", low) && !r.Ends(at+1) && !(r.Is("particle", r.At(at+1).Low) && (r.Is("dates", r.At(at+2).Low) || r.Is("participle", low) && r.Ends(at+2))) || r.Is("polite", low) && r.Ends(at+1) {
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
	return has && (at > i || next.many() || r.find(next.name()) != nil || r.At(at).Capital && r.At(next.to).Low == "with" && r.joins(i-1)) // and Defect with a code
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
	return it.told || odd || table("field") || table("also-field") || r.fieldWord(last) || len(it.words) > 1 && r.Is("field-ends", last) || r.heads[english.Singular(last)] || len(it.words) == 1 && r.exact(last) != nil
}

// partable says whether a word may be a part of the name of a field.
func (r *reader) partable(i int) bool {
	t := r.At(i)
	if letters.MatchString(t.Raw) || letters.MatchString(r.At(i-1).Raw) && t.Raw == "" { // zone A-F
		return false
	}
	if t.Mark || t.Quoted || sides.MatchString(t.Raw) || !plainName.MatchString(spelled(t)) || r.Is("adverb", t.Low) || r.Is("never-named", t.Low) {
		return false
	}
	m := r.Vocabulary[t.Low]
	if m.Class == "stop" && r.heads[t.Low] { // samples: well, depth
		return true
	}
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
