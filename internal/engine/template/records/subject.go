package records

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
)

// subject reads what the records are of behind words such as "for" or "to track".
func (r *reader) subject(i, to int) int {
	if r.open != nil && !r.begins(i) { // a list is read: what for
		return i
	}
	if k := r.Length(i, "mocks"); k > 0 && r.definition(i+k, to) > i+k { // to mock a pharmacy stock: drug, price
		return r.listEnd
	}
	if n, ok := r.noun(i + 2); ok && r.Is("relative", r.At(i).Low) && r.At(i+1).Low == "records" && n.many() && r.heads[english.Singular(n.last())] { // that records windows. A window has
		return r.things(i, i+2, to, 1)
	}
	at, verbs := i, 0
	for at < to {
		m, n := r.Phrase(at)
		if next, k := r.Phrase(at + 1); r.At(at).Low == "to" && next.Class == "things" && k >= n { // to keep track of
			m.Class, n = "to", 1
		}
		k := max(r.Length(at, "done-with"), r.Length(at, "crud"))
		switch {
		case at == i && r.Length(at, "we-have") > 0 && r.brackets(at+r.Length(at, "we-have")):
			at, verbs = at+r.Length(at, "we-have"), verbs+1
		case m.Class == "things" && r.open != nil && r.At(at+n-1).Low == "of": // a list of ingredients
			return i
		case verbs > 0 && strings.HasSuffix(r.At(at).Low, "s") && (m.Class == "things" && n == 1 || k == 1 || r.Length(at, "keeps") == 1) && !r.At(at-1).Mark && !r.joins(at-1): // to manage shows
			r.Refuse(r.At(at).Low)
			return i
		case m.Class == "things":
			at, verbs = at+n, verbs+1
		case r.Length(at, "keeps") > 0 && !r.narrated(at):
			at, verbs = at+r.Length(at, "keeps"), verbs+1
		case m.Class == "to" && verbs == 0 && at == i, verbs > 0 && (m.Class == "join" || r.At(at).Low == ","), verbs > 0 && r.Is("object", r.At(at).Low):
			at += max(n, 1)
		case k > 0 && (verbs > 0 || r.At(at-1).Low == "to" || r.At(at-1).Low == "can"):
			at, verbs = at+k, verbs+1
		case verbs > 0 && r.class(r.skip(at)) == "container" && r.At(r.skip(at)+1).Low == "of":
			at = r.skip(at) + 2
		default:
			return r.things(i, at, to, verbs)
		}
	}
	return i
}

// narrated says whether somebody does what stands at a place, and not the project.
func (r *reader) narrated(i int) bool { return i > 0 && r.Is("narrator", r.At(i-1).Low) }

// things names the things that follow at a place, if some do.
func (r *reader) things(i, at, to, verbs int) int {
	if verbs == 0 {
		return i
	}
	if n := r.skip(at); r.class(n) == "container" && r.At(n+1).Low == "of" { // a collection of
		at = n + 2
	}
	if end := r.settingInName(r.skip(at)); end > at {
		r.Refuse(r.text(at, end))
		return end
	}
	if end := max(r.whichOf(at, to), r.pursuit(at), r.valuesOf(at, to)); end > at {
		return end
	}
	if end := r.definition(at, to); end > at {
		return end
	}
	all, end := r.nouns(at, to)
	if len(all) == 0 {
		return i
	}
	value := r.fieldWord(all[0].last()) && !all[0].many() && !r.Is("gathers", all[0].last())
	if value && r.class(end) != "container" && !r.Is("own", r.At(at).Low) && r.At(end).Low != "logs" { // store temperature
		return i
	}
	before := len(r.Things)
	end = r.named(all, end)
	if len(r.Things) == before+1 && all[0].many() {
		r.Things[before].kept = true
	}
	return r.behind(end, to)
}

// pursuit gives the place behind what people do with the things that follow: coffee roasting: batches with a bean.
func (r *reader) pursuit(i int) int {
	end := i
	for end < i+3 && !r.At(end).Mark && r.nameable(end) {
		end++
	}
	if r.At(end).Low != ":" || !strings.HasSuffix(r.At(end-1).Low, "ing") || !r.defines(end+1) {
		return i
	}
	r.Leave(r.text(i, end), settings.Background)
	return end
}

// settingInName gives the place behind a name that begins with what sets something elsewhere: for postgres servers: host.
func (r *reader) settingInName(i int) int {
	n, ok := r.noun(i + 1)
	if !ok && !r.At(i+1).Mark && r.Is("given-too", r.At(i+1).Low) && (r.At(i+2).Low == ":" || r.At(i+2).Low == "(") { // auth logs: user
		n, ok = noun{[]string{r.At(i + 1).Low}, i + 1, i + 2}, true
	}
	if ok && n.many() && r.Is("sets", r.class(i)) && r.At(i).Low != "license" && r.At(i).Low != "licence" && // license keys
		r.skip(i+1) == i+1 && r.At(n.to).Mark && r.At(n.to).Low != "." {
		return n.to
	}
	return 0
}

// compound reads things before the word for the project: a bug tracker API, employees and departments REST API.
func (r *reader) compound(i, to int) int {
	if low := r.At(i).Low; strings.HasSuffix(low, "ing") && r.class(i) == "" && r.Vocabulary[r.At(i+1).Low].Value == project.API && !r.At(i).Mark { // a polling API
		r.Leave(low, settings.Background)
		return i + 1
	}
	all, end := r.nouns(i, to)
	if len(all) == 0 || end >= to || slices.ContainsFunc(r.Things, func(t *Thing) bool { return t.born }) { // and a standings endpoint
		return i
	}
	at := end
	for r.ClassAt(at) == "language" {
		at = r.Take(r.Text, at)
	}
	if r.At(at).Low == "as" && r.begins(i) && r.projectAt(at+1) { // my stamp collection as an API
		return r.named(all, end)
	}
	if c := r.ClassAt(at); c != "kind" && c != "container" && (!r.Is("gathers-too", r.At(at).Low) || at > end) {
		return i
	}
	if m, _ := r.Phrase(at); m.Class == "kind" && m.Value == project.Site { // launch site, launch time
		return i
	}
	last := at + 1
	for r.nameable(last) && r.class(last) == "" {
		last++
	}
	if c := r.class(at); c == "kind" && last > at+1 && r.class(last) == "kind" { // game server leaderboard API
		r.Refuse(r.text(i, last))
		return last
	}
	if at > end {
		end = at
	}
	return r.behind(r.named(all, end), to)
}

// logOf reads what is written of things, with what it holds: vaccination records for cats: name, vaccine, date.
func (r *reader) logOf(i, to int) int {
	n, ok := r.noun(i)
	if log := r.At(n.to).Low; ok && r.Is("log-of", log) { // a fuel log
		n.words, n.to = append(slices.Clone(n.words), log), n.to+1
	}
	of, also := r.noun(n.to + 1)
	if !ok || !also || len(n.words) < 2 || !r.Is("log-of", n.last()) || r.At(n.to).Low != "of" && r.At(n.to).Low != "for" || !r.begins(i) || of.to >= to {
		return i
	}
	l := r.list(of.to+1, to, false)
	listed := r.At(of.to).Low == ":" && !r.defines(of.to+1) && len(l.items) > 1 && 2*r.holds(l) >= len(l.items) && l.things == nil
	if each := r.At(of.to).Text == ";" && r.At(of.to+1).Low == "each" && r.Is("any-record", r.At(of.to+2).Low); !listed && !each { // for our vans; each entry has
		return i
	}
	if last := len(n.words) - 1; !n.many() && !r.Is("gathers", n.words[last]) { // a repair history
		r.Leave(strings.Join(n.words, " "), "records are called "+strings.Join(n.words[:last], " ")+" entries")
		n.words = append(slices.Clone(n.words[:last]), "entry")
	}
	t := r.thing(n)
	r.Leave(r.text(n.to, of.to), settings.Background)
	r.current = t
	if !listed {
		return of.to
	}
	r.open = t
	r.fields(l)
	return l.end
}

// usualThing reads a noun by itself that requests are usually for: rest api todo go.
func (r *reader) usualThing(i, to int) int {
	n, ok := r.noun(i)
	if !ok {
		return i
	}
	if among := r.At(i-1).Low == "," && r.At(n.to).Low == "," && !settings.Is(r.Text, n.to+1); among { // service, message, level
		return i
	}
	gathers := len(n.words) > 1 && r.Is("gathers", n.last())
	if heading := r.Is("institution", n.last()) && len(n.words) > 1 && r.At(i-1).Low == ":" && r.class(i-2) == "kind" && r.At(n.to).Low == "."; heading { // API: scooter repair shop.
		r.thing(n)
		return n.to
	}
	if len(r.Things) > 0 || !r.Is("has", n.name()) && !gathers || n.to < to && !r.Ends(n.to) && !settings.Is(r.Text, n.to) {
		return i
	}
	r.thing(n)
	return n.to
}

// thing names what records are kept of, or where they are, and makes it the current one.
func (r *reader) thing(n noun) *Thing {
	defer func() { r.nounEnd, r.lastNamed = n.to, r.current }()
	if t := r.find(strings.Join(n.words, "_")); t != nil {
		if one := n.name(); len(one) < len(t.Name) && strings.HasSuffix(t.Name, "_"+one) && !t.known && r.find(one) == t { // blog posts, and then posts
			r.Leave(strings.ReplaceAll(english.Plural(t.Name), "_", " "), "called "+strings.ReplaceAll(english.Plural(one), "_", " ")+" for short")
			t.Name = one
		}
		t.weak = t.weak && !n.many()
		r.current = t
		return t
	}
	t := &Thing{Name: n.name(), alone: r.At(n.from-1).Low == "for" && !r.Ends(n.to) || r.At(n.from-1).Low == "for" && r.class(n.to) != "join", said: strings.Join(n.words, " "), at: n.from}
	if first := r.At(r.skip(n.from)); figure.MatchString(first.Low) {
		r.Leave(first.Low+" "+strings.Join(n.words, " "), "called "+strings.ReplaceAll(english.Plural(t.Name), "_", " ")+", as names begin with a letter")
	}
	last, place := n.last(), r.Tables["place-of"]
	t.weak = !n.many() && !r.Is("has", last)
	switch held := place[t.said]; {
	case n.many():
	case held != "":
		t.holds, t.weak = held, true
	case len(n.words) > 1 && (r.Is("gathers", last) || r.Is("herds", last) && r.Is("herded", n.words[len(n.words)-2])): // a vinyl collection, a truck fleet
		t.holds = english.Singular(strings.Join(n.words[:len(n.words)-1], "_"))
		if r.Is("uncounted", n.words[len(n.words)-2]) { // a fuel log
			t.holds += "_entry"
		}
		if r.isPlace(n.words[len(n.words)-2]) { // a kitchen inventory
			t.holds = "item"
		}
	case place[last] != "":
		t.holds, t.weak = place[last], true
	}
	r.Things = append(r.Things, t)
	r.current = t
	return t
}

// named takes names for things, and passes over the words that only say that there are many of them.
func (r *reader) named(all []noun, end int) int {
	if last := all[len(all)-1]; r.At(end).Low == "logs" && r.isMeasure(last.last()) && len(last.words) > 1 { // fridge temperature logs
		last.words, last.to = append(slices.Clone(last.words), "logs"), end+1
		all[len(all)-1], end = last, end+1
	}
	if r.class(end) == "given" && english.IsPlural(r.At(end).Low) && !r.heads[english.Singular(r.At(end).Low)] { // aquarium logs
		r.Refuse(r.text(all[len(all)-1].from, end+1))
		return end + 1
	}
	gathers := r.Is("gathers", r.At(end).Low)
	for ; r.class(end) == "container" || r.class(end) == "kind" || r.Is("gathers-too", r.At(end).Low) && !r.At(end).Mark; end++ { // a movie db
	}
	for k, n := range all {
		t := r.thing(n)
		t.listed = t.listed || len(all) > 1 && n.many()
		if those := r.whose(n); those != nil {
			r.belongs(t, those)
		} else if k > 0 && r.theirs(n.from) {
			r.ofThose(t, r.find(all[k-1].name()))
		}
		switch last := n.last(); {
		case !gathers || n.many():
		case r.isPlace(last): // a kitchen inventory
			t.weak, t.holds, t.said = true, "item", t.said+" "+r.At(n.to).Low
		case t.holds == "" && r.Is("uncounted", last): // a fuel log
			t.weak, t.holds, t.said = true, t.Name+"_entry", t.said+" "+r.At(n.to).Low
		case t.holds == "":
			t.weak, t.holds = true, t.Name
		}
	}
	if len(all) > 1 {
		r.current = nil
	}
	return end
}

// behind reads where, or whose, the things are: in my cellar, at a food bank.
func (r *reader) behind(i, to int) int {
	if len(r.Things) == 0 {
		return i
	}
	if end := min(r.EndOf(i), to); r.Is("relative", r.At(i).Low) && r.didThat(i+1, end) && len(r.Things) > 1 { // concerts and the musicians who play in them
		r.deeds = append(r.deeds, deed{span: span{i, end}, by: r.Things[len(r.Things)-1]})
		return end
	}
	if end := min(r.NextMark(i), to); i < end && r.Is("others", r.At(i).Low) { // the products they deliver
		r.Refuse(r.text(i, end))
		return end
	}
	if end := min(r.NextMark(i), to); r.tellsWho(i, end) {
		r.Leave(r.text(i, end), settings.Background)
		return end
	}
	n, ok := r.noun(i + 1)
	pointed := r.skip(i+1) > i+1
	keeps := r.At(i).Low == "to" && r.Is("keep-verb", r.At(i+1).Low) && !r.Is("logged", r.At(i+2).Low) // for our choir to log rehearsals
	if !r.Is("behind", r.At(i).Low) || settings.Is(r.Text, i+1) || keeps {
		return i
	}
	if ok && r.At(i).Low == "between" { // messages between users
		r.Refuse(r.text(i, n.to))
		return n.to
	}
	if r.ClassAt(i) == "relation" || r.At(i).Low == "for" && !pointed { // guests for each wedding; a feedback API for workshops
		return i
	}
	opened := r.At(n.to).Low == "(" || r.At(n.to).Low == ":" && !r.defines(n.to+1)
	if told := ok && r.heads[english.Singular(n.last())] && r.find(n.name()) == nil; told { // flashcards in decks. A deck has
		if last := r.Things[len(r.Things)-1]; n.many() && r.heldBy(last, r.At(i).Low, n) && (n.to >= to || r.At(n.to).Low == ".") && r.nounEnd == i {
			r.belongs(last, r.thing(n))
			r.current = nil
			return n.to
		}
		return i
	}
	if !ok || n.to > to || !pointed && !n.many() || opened {
		return i
	}
	last := r.Things[len(r.Things)-1]
	if t := r.find(n.name()); t != nil && t != last && r.At(i).Low == "of" { // the invoices of the clients
		last.Parents = append(last.Parents, t)
		return n.to
	} else if t != nil && t != r.current {
		return i
	}
	r.Leave(r.text(i, n.to), settings.Background)
	return n.to
}

// heldBy says whether each of some things is in, or of, one of others: flashcards in decks, letters from clients, but neither
// songs in playlists nor authors of books.
func (r *reader) heldBy(t *Thing, word string, of noun) bool {
	several := r.Is("above", t.Name) || r.Is("of-several", t.Name) || r.Is("of-several-too", t.Name)
	return !several && (r.Is("held-by", word) || word == "in" && r.Is("holder", english.Singular(of.last())))
}

// tellsWho says whether words behind a noun only tell what somebody does with it: trees i planted.
func (r *reader) tellsWho(i, end int) bool {
	if r.Is("relative", r.At(i).Low) {
		i++
	}
	who := max(r.Length(i, "narrator"), r.Length(i, "own"))
	if n, ok := r.noun(i); ok && n.to == end && len(n.words) == 1 && r.Is("own", r.At(i).Low) { // track my weight, but not: songs our choir knows
		return false
	}
	if r.Is("others", r.At(i).Low) || r.Any("points-back", i, end) { // suppliers and the products they deliver
		return false
	}
	for k := i + who; k < end; k++ {
		if r.ClassAt(k) == "fields" { // movies I've watched with title
			return false
		}
	}
	return who > 0 && end > i+who && !r.demands(i+who, end, false)
}

// isPlace says whether things are in it, and it is none of them.
func (r *reader) isPlace(w string) bool {
	return r.Is("room", w) || r.Is("institution", w) || r.Is("place-of", w) && r.Tables["place-of"][w] != w
}
