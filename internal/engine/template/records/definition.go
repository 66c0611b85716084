package records

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// defined is a thing with a list of what it holds, as far as both are found.
type defined struct {
	noun
	opener     string // the word or the mark that opens the list
	begin, end int    // of the list
	known      bool   // the thing was named before
	apart      bool   // a comma stands between the thing and its list
	parent     *Thing // what it belongs to, as its name says
	child      *Thing // what belongs to it, as its name says
	where      string // where, or whose, it is
	inside     noun   // another thing in which it is
}

func (d defined) mark() bool { return d.opener == ":" || d.opener == "(" }

// definition reads a thing and the list of what it holds: each hive has a name; members (name, email); Parts: number, price.
func (r *reader) definition(i, to int) int {
	if r.whereHas(i) {
		i++
	}
	d, ok := r.findDefinition(i, to)
	if !ok {
		return i
	}
	if r.Is("every-one", r.At(i).Low) && r.anyRecord(d.noun) && !d.known && r.namedBefore(i) > 1 { // rooms and desks. Every record has a number
		r.Refuse(r.text(i, d.begin))
		return d.begin
	}
	if r.nested(d.begin, d.end) || d.opener == "(" && r.mixed(d.begin, d.end) {
		r.thing(d.noun)
		r.eachLine(d.begin, d.end)
		return d.end + 1
	}
	if d.opener == ":" && r.Is("noted", r.At(d.begin).Low) && r.At(d.begin+1).Low == "name" && !r.Is("has-tracks", english.Singular(d.last())) { // dogs: track name, breed
		d.begin++
	}
	l, others := r.list(d.begin, d.end, d.opener == "("), [][2]int(nil)
	if lines := r.lines(d.begin, d.end); d.opener == "(" && len(lines) > 0 {
		l, others = r.fieldLines(lines)
	}
	if d.opener == "and" || r.Is("owns", d.opener) && d.many() && r.eachOne(l) == len(l.items) { // and their; kids have names
		l = r.ofTheirs(l)
	}
	if t := r.soleThing(); d.mark() && t != nil && !d.known {
		if end := r.values(t, d.noun, l); end > 0 { // statuses: open, closed
			return end
		}
	}
	switch {
	case len(l.items)+len(l.parents) == 0 && r.chained(d):
		return d.begin
	case len(l.items)+len(l.parents) == 0, d.opener == ":" && r.severalInBrackets(d.begin):
		return r.heading(d, i)
	case r.doubtful(d, l, i):
		return i
	case d.opener == "with" && r.anyNumber(l), r.onlyPlurals(l) && len(l.items) > 2 && l.things == nil && d.opener == "with" && !d.many() && r.At(d.from-1).Low == "for": // hotel booking with rooms, guests and reservations
		r.Refuse(r.text(d.begin, l.end))
		return l.end
	}
	r.takeDefinition(d, l)
	for _, each := range others {
		r.sentence(each[0], each[1])
	}
	if d.opener == "(" {
		return d.end + 1
	}
	return l.end
}

// whereHas says whether a clause at a place tells what things hold: where a dog has a name.
func (r *reader) whereHas(i int) bool {
	n, ok := r.noun(i + 1)
	return r.At(i).Low == "where" && ok && r.Is("owns", r.At(n.to).Low) && !r.Ends(n.to+1)
}

// findDefinition finds the thing that is defined at a place, and the list that says what it holds.
func (r *reader) findDefinition(i, to int) (d defined, ok bool) {
	n, ok := r.noun(i)
	if history := ok && !n.many() && r.skip(i) == i && r.At(i-1).Low == "with" && len(r.Things) > 0 && r.At(n.to).Low == ":"; history { // prices with history: product, price
		return d, false
	}
	if project := len(n.words) == 1 && !n.many() && r.class(n.to-1) == "kind"; !ok || n.to >= to || project && r.Is("behind", r.At(n.to).Low) { // a service for the runners: name
		return d, false
	}
	d = defined{noun: n, end: to, known: r.find(n.name()) != nil}
	at := n.to
	if r.theirs(i) && r.Is("above", n.name()) {
		d.child = r.current
	} else if r.theirs(i) {
		d.parent = r.current
	}
	if of, ok := r.noun(at + 1); r.At(at).Low == "of" && ok && r.find(of.name()) != nil { // reviews of dishes
		d.parent, at = r.find(of.name()), of.to
	} else if end := r.whereabouts(n, at, to); end > at {
		if of, ok := r.noun(at + 1); ok && of.to == end && d.many() && (r.find(of.name()) != nil && r.find(of.name()) != r.find(n.name()) || r.find(of.name()) == nil && !of.many() && r.heads[of.name()]) { // slots in a machine
			d.inside = of
		} else {
			d.where = r.text(at, end)
		}
		at = end
	}
	at = r.After(at, "themselves", "itself")
	if mark := r.At(at + 2).Low; r.At(at).Low == "are" && r.Is("kept", r.At(at+1).Low) && d.many() && (mark == "(" || mark == ":" || mark == "with" && r.listsFields(at+3, to)) { // where the clinics are stored (name, city)
		at += 2
	}
	if r.At(at).Low == "only" && r.At(at+1).Low == ":" { // appointments only: name, phone
		at++
	}
	if mark := r.At(at + 2); r.Is("behind", r.At(at).Low) && r.Is("others-of", r.At(at+1).Low) && mark.Mark && (mark.Low == "(" || mark.Low == ":") && d.many() { // visits to it (date, vet)
		d.parent, at = r.current, at+2
	}
	if m, k := r.Phrase(at + 1); r.pronoun(at) > 0 && m.Class == "relation" && r.At(at+1+k).Mark && (r.At(at+1+k).Low == "(" || r.At(at+1+k).Low == ":") { // the vans they are stored in (plate)
		d.child, at = r.current, at+1+k
	}
	if k := r.afterComma(at); k > 0 { // customers, which have a name
		if before, ok := r.nounBefore(i - 1); ok && before.many() && r.joins(i-1) && r.Is("every-one", r.At(at+1).Low) { // dogs and cats, each with a name
			r.Refuse(r.text(at+1, at+k+1))
		}
		d.apart, at = true, at+k
	}
	if r.At(at).Low == ":" && r.At(at+1).Low == "(" { // customers: {name, city}
		at++
	}
	d.opener = r.At(at).Low
	k := r.opens(d, i, at)
	if d.begin = at + k; k == 0 {
		return d, false
	}
	if d.opener == "(" {
		if d.end = r.Closes(at); d.end < 0 || d.end > to {
			return d, false
		}
	}
	return d, !r.definesNone(d, i)
}

// listsFields says whether a list at a place is for certain of what a record holds.
func (r *reader) listsFields(i, to int) bool {
	l := r.list(i, to, false)
	return len(l.items) > 1 && len(l.unknown) == 0 && l.things == nil && 2*r.like(l) >= len(l.items)
}

// opens gives the number of words that open the list of what a thing holds, or none.
func (r *reader) opens(d defined, i, at int) int {
	m, k := r.Phrase(at)
	needs := r.Is("needs", d.opener) && r.begins(i) && !r.Ends(at+1) && (d.many() || d.known)                                 // pieces need a title
	inside := r.open != nil && d.opener == "with" && !((d.many() || r.At(d.from).Capital && r.joins(i-1)) && r.after(i, ",")) // a list is read already
	switch {
	case d.mark() || needs || d.opener == "records" && r.Is("any-one", r.At(d.from).Low) && r.begins(i):
		return 1
	case m.Class != "fields" || inside || r.At(d.to-1).Low == "each" || r.At(d.to-1).Low == "one":
		return 0
	case r.Is("owns", d.opener) && r.At(at+k).Low == ":", k > 2 && r.At(at+k).Low == "with" && r.Is("predicate", d.opener): // each product has: a name; patients should be their own records with
		return k + 1
	}
	return k
}

// after says whether a mark stands before a place, with no more than a word that joins between.
func (r *reader) after(i int, mark string) bool {
	if r.class(i-1) == "join" {
		i--
	}
	return r.At(i-1).Low == mark
}

// definesNone says whether what stands behind a thing is no list of what it holds.
func (r *reader) definesNone(d defined, i int) bool {
	switch {
	case settings.Is(r.Text, d.begin) && (!d.mark() && !r.partOfName(r.skip(d.begin), 1) || r.endsList(d.begin)): // spots (typescript), but: jobs have a file name
		return true
	case d.opener != "(":
		return false
	}
	rules := r.At(i-1).Low == "," && r.lines(d.begin, d.end) != nil // below a list of fields
	return rules || r.Is("list-of", r.At(d.begin).Low)              // answers (list of numbers)
}

// doubtful says whether a list may be something else than what a thing holds.
func (r *reader) doubtful(d defined, l list, i int) bool {
	last, one := r.At(i-1), !d.many()
	if t := r.soleThing(); d.mark() && t != nil && t.field(d.name()) != nil && t.field(d.name()).Ref == d.name() { // album: belongs to Album. Album: title, pages
		return 2*r.like(l) < len(l.items)
	}
	if low := r.At(d.from).Low; d.known && d.mark() && (low == "each" || low == "every") { // each inspection: site, inspector
		return false
	}
	if d.opener == "(" && one && !d.known && r.open != nil && !plaintext.IsCapital(r.At(d.from).Text) { // name, size (in words), price
		return true
	}
	certain := (d.mark() || r.Is("owns", d.opener) && r.Is("determiner", r.At(i).Low)) && len(l.items) > 2 && 2*r.holds(l) >= len(l.items) && (r.soleThing() == nil || last.Low == "." || i == 0) // Bid: item, bidder, amount
	if r.fieldWord(d.last()) && one && !d.known && r.typedOf(l) < 2 && !certain {
		return true
	}
	if l.things != nil || !d.mark() {
		if d.opener == ":" && r.toldLater(l.things) > 1 {
			return false
		}
		return l.things != nil && !one && !d.known && d.opener != "with" && !r.among(d, l)
	}
	if (last.Low == "," && last.Text != ";" || r.joins(i-1)) && d.opener == ":" && len(l.items) == 1 && l.items[0].bare() { // a reference that is not known
		return true
	}
	t, least := r.soleThing(), len(l.items)
	if same := last.Low == "." && d.opener == ":" && r.openBy == ":" && one && least > 2 && len(l.unknown) == 0; same && t != nil && t.born && t.field(d.name()) == nil { // hive: name, place. inspection: hive, date
		return false
	}
	if t == nil { // the first one that is named
		return 2*r.holds(l) < 2
	}
	inside := last.Low == ":" && one && d.opener == ":"         // leads: source: web, phone
	named := d.many() || plaintext.IsCapital(r.At(d.from).Text) // venues, or Venue, of which records are kept
	told := !(named && len(l.items) > 1 && 2*r.holds(l) > len(l.items)) && t.field(d.name()) != nil || t.field(strings.Join(d.words, "_")) != nil
	return !d.known && (inside || told) || 2*r.holds(l) < least
}

// among says whether a thing is one of those that a list names.
func (r *reader) among(d defined, l list) bool {
	return slices.ContainsFunc(l.things, func(o noun) bool { return o.last() == d.last() })
}

// takeDefinition makes a thing with its fields, or the things that a list names.
func (r *reader) takeDefinition(d defined, l list) {
	switch {
	case r.among(d, l):
		r.enumerate(l.things)
		return
	case l.things != nil && (d.many() && d.opener == "with" || (r.Is("owns", d.opener) || r.Is("contains", d.opener)) && r.anyOf(d.noun)): // clients have invoices, each client has invoices
		r.children(r.thing(d.noun), l.things)
		return
	case l.things != nil && d.opener == ":" && !d.known && d.many() && r.toldLater(l.things) > 1: // pipe restorations: workshops, organs and pipes
		r.Leave(strings.Join(d.words, " "), settings.Background)
		r.enumerate(l.things)
		return
	case l.things != nil: // an online course: modules and lessons
		r.thing(d.noun).weak = !d.many()
		r.enumerate(l.things)
		return
	}
	outer, with := r.open, d.opener == "with" && r.openBy != "with" // an order has a date, items with product, quantity
	beside := outer != nil && outer.apart && r.joins(d.from-1) && r.At(d.from-2).Low == ","
	goesOn := r.after(d.from, ",") && r.At(d.from-1).Text != ";" && d.many() && !d.known
	if len(d.inside.words) > 0 {
		d.parent = r.thing(d.inside)
	}
	t := r.one(d.noun)
	t.whole, t.closed, t.apart = t.whole || d.opener != "with", d.opener == "(", d.apart
	t.weak = t.weak && !camelCase.MatchString(r.At(r.skip(d.from)).Text) // RailWagon
	r.Leave(d.where, settings.Background)
	r.current = t
	r.fields(l)
	if outer != nil && outer != t && (d.opener == "(" || d.apart && !beside || with) { // number, lines (product, price), total, but not: guests, who have a name, and rooms, which have a number
		d.parent, r.current = outer, outer
	}
	if outer != nil && outer != t && d.opener == r.openBy && goesOn {
		t.inside = outer
	}
	if d.parent != nil && d.parent != t && !slices.Contains(t.Parents, d.parent) {
		t.Parents = append(t.Parents, d.parent)
	}
	if d.child != nil && d.child != t && !slices.Contains(d.child.Parents, t) {
		d.child.Parents = append(d.child.Parents, t)
	}
	if d.opener != "(" {
		r.open, r.openBy = t, d.opener
	}
}

// anyOf says whether a name stands for any of the things that are called so, and not for a certain one: clients, a client, Client.
func (r *reader) anyOf(n noun) bool {
	return n.many() || r.Is("any-one", r.At(n.from).Low) || r.skip(n.from) == n.from
}

// toldLater counts the names of which something is told elsewhere.
func (r *reader) toldLater(all []noun) (n int) {
	for _, each := range all {
		if r.heads[english.Singular(each.last())] {
			n++
		}
	}
	return n
}

// heading reads what a request is about, before a colon and the things that it is for: equipment rental: items (name).
func (r *reader) heading(d defined, i int) int {
	next, ok := r.noun(d.begin)
	project := r.class(next.to) == "kind" && i == 0
	if d.opener != ":" || !ok || d.many() || r.At(next.to).Low != "(" && !project {
		return i
	}
	r.thing(d.noun)
	return d.begin
}

// chained takes things that have others, of which the same is told behind them: countries with cities with streets.
func (r *reader) chained(d defined) bool {
	n, ok := r.noun(d.begin)
	if !ok || d.opener != "with" || !d.many() || !n.many() || r.At(n.to).Low != "with" {
		return false
	}
	r.children(r.thing(d.noun), []noun{n})
	return true
}

// severalInBrackets says whether several things stand at a place, with what each of them holds in brackets: orders (number),
// crates (number, weight).
func (r *reader) severalInBrackets(i int) bool {
	n, _ := r.noun(i)
	next, _ := r.noun(r.After(r.Closes(n.to)+1, ",", "and"))
	return r.brackets(i) && r.brackets(next.from) && n.many() && next.many() && r.At(r.NextMark(next.to+1)).Low == ","
}

// values holds a field to what a list in the plural of its name says that it may be, and gives the place behind it.
func (r *reader) values(t *Thing, n noun, l list) int {
	names := n.words
	for len(names) > 1 && r.Is("possible", names[0]) {
		names = names[1:]
	}
	if last := names[len(names)-1]; len(names) > 1 && r.Is("sorts", last) && t.field(strings.Join(names[:len(names)-1], "_")) != nil {
		names = names[:len(names)-1]
	}
	f := t.field(english.Singular(strings.Join(names, "_")))
	if f == nil && len(names) > 1 && names[0] == t.Name {
		f = t.field(english.Singular(strings.Join(names[1:], "_")))
	}
	if f == nil || len(l.items) < 2 || len(l.unknown)+len(l.parents) > 0 || 2*r.holds(l) >= len(l.items) {
		return 0
	}
	told := item{words: strings.Split(f.Name, "_"), told: true}
	for _, it := range l.items {
		if !it.bare() {
			return 0
		}
		told.rules.Choices = append(told.rules.Choices, r.Written(it.from, it.end))
	}
	r.field(t, told)
	return l.end
}

// nested says whether every line below another defines a thing of its own.
func (r *reader) nested(from, to int) bool {
	lines := r.lines(from, to)
	return len(lines) > 0 && !slices.ContainsFunc(lines, func(line [2]int) bool { return !r.defining(line[0], line[1]) })
}

// defining says whether a line defines a thing, and not a field.
func (r *reader) defining(from, to int) bool {
	n, ok := r.noun(from)
	if !ok || n.to >= to || r.At(n.to).Low != ":" && r.At(n.to).Low != "(" && r.ClassAt(n.to) != "fields" {
		return false
	}
	l := r.list(n.to+1, to, r.At(n.to).Low == "(")
	return !(r.fieldWord(n.last()) && !n.many() && r.typedOf(l) == 0 || len(l.items) < 2 && r.typedOf(l) == 0 || 2*r.like(l) < len(l.items))
}

// mixed says whether some lines below another define things of their own, and no line is but a field.
func (r *reader) mixed(from, to int) bool {
	defines := 0
	for _, line := range r.lines(from, to) {
		l := r.list(line[0], line[1], true)
		switch {
		case r.defining(line[0], line[1]):
			defines++
		case len(l.items) > 0 && len(l.unknown) == 0 && !settings.Is(r.Text, r.skip(line[0])):
			return false
		}
	}
	return defines > 0
}

// lines gives the items of a list on lines of their own.
func (r *reader) lines(from, to int) (out [][2]int) {
	begin, depth := from, 0
	for i := from; i <= to; i++ {
		t := r.At(i)
		switch {
		case i == to || t.Mark && t.Low == words.Bullet && depth == 0:
			if i > begin {
				out = append(out, [2]int{begin, i})
			}
			begin = i + 1
		case t.Mark && t.Low == "(":
			depth++
		case t.Mark && t.Low == ")":
			depth--
		}
	}
	if !slices.ContainsFunc(r.Tokens[from:min(to, len(r.Tokens))], func(t words.Token) bool { return t.Mark && t.Low == words.Bullet }) {
		return nil
	}
	return out
}

// eachLine reads the items of a list on lines of their own as sentences.
func (r *reader) eachLine(from, to int) {
	for _, line := range r.lines(from, to) {
		r.sentence(line[0], line[1])
	}
}

// afterComma gives the length of a comma, and what stands before the verb that says what things hold: , which have.
func (r *reader) afterComma(i int) int {
	switch {
	case r.At(i).Low != "," || r.At(i).Text == ";":
		return 0
	case r.Is("every-one", r.At(i+1).Low) && (r.Is("owns", r.At(i+2).Low) || r.At(i+2).Low == "with"), r.Is("relative", r.At(i+1).Low) && r.Is("owns", r.At(i+2).Low):
		return 2
	}
	return 0
}

// one gives the thing that a name stands for, which may be but a word for any record.
func (r *reader) one(n noun) *Thing {
	if t := r.soleThing(); r.anyRecord(n) && r.find(n.name()) == nil && t != nil && !(t.weak && r.Is("indefinite", r.At(t.at).Low)) && !(t.born && len(t.Fields) > 0) { // but: for a taxidermist, each piece has
		return t
	}
	t := r.thing(r.longer(n))
	t.born = true
	return t
}

// anyRecord says whether a name is but a word for any record.
func (r *reader) anyRecord(n noun) bool {
	return len(n.words) == 1 && !n.many() && !r.At(n.to).Mark && r.Is("any-record", n.name())
}

// longer gives the whole name of things that are told of by the first words of it: fault reports, each fault has a code.
func (r *reader) longer(n noun) noun {
	if n.many() || r.find(n.name()) != nil || r.mentions(n.last()) > 2 || !r.Is("any-one", r.At(n.from).Low) {
		return n
	}
	for _, t := range r.Things {
		if what, ok := strings.CutPrefix(t.Name, n.name()+"_"); ok && len(t.Fields) == 0 && r.Is("told-in", what) {
			return noun{strings.Split(t.Name, "_"), n.from, n.to}
		}
	}
	return n
}

// soleThing gives the thing that is meant where none is named.
func (r *reader) soleThing() *Thing {
	if r.current != nil || len(r.Things) != 1 {
		return r.current
	}
	return r.Things[0]
}

// whereabouts gives the place behind words that say where, or whose, something is, before the list of what it holds: reviews of
// restaurants: restaurant, stars.
func (r *reader) whereabouts(x noun, i, to int) int {
	if end := r.NextMark(i); end < to && r.At(end).Low == ":" && r.tellsWho(i, end) {
		return end
	}
	n, ok := r.noun(i + 1)
	opener := r.At(n.to).Low
	if !ok || n.to >= to || opener != ":" && opener != "(" {
		return i
	}
	one := r.isPlace(english.Singular(x.last())) || r.Is("gathers", x.last()) || r.Is("collective", english.Singular(x.last()))
	if r.Is("of-what", r.At(i).Low) && n.many() && !one && r.lists(english.Singular(n.last()), n.to+1, to) {
		return n.to
	}
	loans := x.many() && n.many() && !one && opener == ":" && r.mentions(n.last()) == 1 && r.At(i).Low != "between" // loans of tools: name
	if pointed := r.skip(i+1) > i+1; !r.Is("behind", r.At(i).Low) || !pointed && !loans {
		return i
	}
	return n.to
}

// lists says whether a word is an item of the list that begins at a place.
func (r *reader) lists(w string, i, to int) bool {
	for ; i < to && r.At(i).Low != "." && r.At(i).Low != ")"; i++ {
		if r.At(i).Low == w && r.Ends(r.skipBack(i)-1) && r.Ends(i+1) {
			return true
		}
	}
	return false
}

// mentions counts how often a request speaks of something.
func (r *reader) mentions(w string) (n int) {
	for _, t := range r.Tokens {
		if !t.Mark && english.Singular(strings.ToLower(spelled(t))) == english.Singular(w) {
			n++
		}
	}
	return n
}

// defines says whether a thing and what it holds follow at a place.
func (r *reader) defines(i int) bool {
	n, ok := r.noun(i)
	return ok && (r.ClassAt(n.to) == "fields" || r.At(n.to).Low == "(")
}
