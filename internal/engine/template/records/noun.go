package records

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

var (
	plainName = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}(?:_[a-z0-9]{1,23}){0,5}$`)
	letters   = regexp.MustCompile(`^[A-Z][-–][A-Z]$`)
	fraction  = regexp.MustCompile(`\d/\d`)
	coded     = regexp.MustCompile(`^(?:[A-Za-z]+\d+|\d+[A-Za-z]+)$`)
	codes     = regexp.MustCompile(`^[A-Z]\d{0,2}[-–][A-Z]\d{0,2}$`)
	figure    = regexp.MustCompile(`^\d[a-z]{1,3}$`)
	camelCase = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

const longestName = 4

// noun is what may be the name of a thing, from one place to another.
type noun struct {
	words    []string
	from, to int
}

func (n noun) name() string { return english.Singular(strings.Join(n.words, "_")) }

// last gives the word of a name that has its number: of points of interest, the first.
func (n noun) last() string {
	if k := slices.Index(n.words, "of"); k > 0 {
		return n.words[k-1]
	}
	return n.words[len(n.words)-1]
}

// many says whether a name is that of several: clinics, but not electronics.
func (n noun) many() bool {
	last := n.last()
	return english.IsPlural(last) && (!strings.HasSuffix(last, "ics") || english.HasSuffix(last, "clinics", "fabrics", "comics", "topics", "relics", "critics", "mosaics", "picnics", "medics"))
}

// spelled gives a word as a part of a name.
func spelled(t words.Token) string {
	text := strings.TrimSuffix(strings.TrimSuffix(t.Text, "'s"), "'")
	if len(text) > 4 && camelCase.MatchString(text) && !strings.Contains(text, " ") {
		return strings.ToLower(camelCase.ReplaceAllString(text, "${1}_$2"))
	}
	return strings.ReplaceAll(t.Low, " ", "_")
}

// nameable says whether a word may be a part of the name of a thing.
func (r *reader) nameable(i int) bool {
	t := r.At(i)
	if t.Mark || t.Quoted || !plainName.MatchString(spelled(t)) || r.Is("adverb", t.Low) || r.Is("never-named", t.Low) {
		return false
	}
	if r.Is("keeps", t.Low) && r.narrated(i) { // we save contestants
		return false
	}
	pointed := r.Is("determiner", r.At(i-1).Low) && !r.At(i-1).Mark || plaintext.IsCapital(t.Text)
	another := r.opensSentence(i) && english.IsPlural(t.Low) && r.current != nil && len(r.current.Fields) > 0                                      // guests with a name. Tables with seats
	if next := r.At(i + 1); pointed && r.class(i) == "container" && (r.Is("owns", next.Low) || next.Low == ":" || next.Low == "with" && another) { // a table has
		return true
	}
	switch m := r.Vocabulary[t.Low]; {
	case m.Class == "container" && english.IsPlural(t.Low) && i > 0 && !r.At(i-1).Mark && r.class(i-1) == "" && (r.At(i+1).Low == "(" || r.At(i+1).Low == ":" || r.Is("owns", r.At(i+1).Low)): // task lists (name)
		return true
	case m.Class == "given" && !english.IsPlural(t.Low) && i > 0 && !r.At(i-1).Mark && r.class(i-1) == "" && r.class(i+1) == "" && !r.At(i+1).Mark && english.IsPlural(r.At(i+1).Low): // vinyl test pressings
		return true
	case t.Low == "test" && r.nameable(i+1) && (r.heads[english.Singular(r.At(i+1).Low)] || r.class(i+1) == "" && !r.Is("of-tests", english.Singular(r.At(i+1).Low))): // test tiles, a test run has
		return true
	case t.Low == "ports" && (r.At(i+1).Low == "(" || r.At(i+1).Low == ":"): // ports: code, country
		return true
	case m.Value == project.AnyDatabase && !settings.Is(r.Text, i): // storage units (code)
		return true
	case t.Low == "objects" && (r.ClassAt(i+1) == "fields" || r.At(i-1).Low == "for" || i > 0 && r.class(i-1) == "" && !r.At(i-1).Mark):
		return true
	case r.Is("thing-too", t.Low) && (r.class(i-1) == "join" || r.At(i-1).Low == "for" || r.heads[english.Singular(t.Low)]):
		return true
	case (m.Class == "given" || m.Class == "detail") && english.IsPlural(t.Low) && r.At(i+1).Low == "(" && r.At(i-1).Low == "," && r.At(i-2).Low == ")": // plants (name), logs (level)
		return true
	case (m.Class == "given" || m.Class == "detail") && (r.At(i+1).Low == "(" || r.At(i+1).Low == ":") && i > 0 && r.class(i-1) == "" && !r.At(i-1).Mark: // water tests (ph, tested at)
		return true
	case m.Class == "given" && english.IsPlural(t.Low) && i > 0 && !r.At(i-1).Mark && r.ClassAt(i-1) == "" && r.At(i+1).Low == "," && r.fieldWord(r.At(i+2).Low) && r.At(i+3).Low == "," && r.fieldWord(r.At(i+4).Low): // water tests, ph, nitrate
		return true
	case (m.Class == "given" || m.Class == "detail") && english.IsPlural(t.Low) && r.At(i-1).Low == "for" && (r.At(i+1).Low == "(" || r.At(i+1).Low == ":"): // an API for containers: number, weight
		return true
	case t.Low == "test" && english.IsPlural(r.At(i+1).Low) && r.class(i+1) == "": // test tiles
		return true
	case r.Is("event-too", t.Low) && (r.ClassAt(i+1) == "relation" && pointed || english.IsPlural(t.Low) && r.At(i+1).Low == "of" && r.isThing(r.At(r.skip(i+2)).Low)): // a signup links, runs of a machine
		return true
	case r.heads[english.Singular(t.Low)], r.find(t.Low) != nil, r.Is("also-name", t.Low), m.Value == "filler":
		return true
	case m.Class != "":
		return false
	}
	if r.Is("determiner", r.At(i-1).Low) && !r.At(i-1).Mark && plainName.MatchString(t.Low) { // a book
		return true
	}
	verb := r.Is("only-verb", t.Low) || r.Is("behind", t.Low) || strings.HasSuffix(t.Low, "ly") && len(t.Low) > 4
	return !verb || r.Is("field", t.Low)
}

// skip gives the place behind words that only point at a noun: a, our, each, small.
func (r *reader) skip(i int) int {
	for !r.At(i).Mark && (r.Is("points", r.At(i).Low) || r.there(i) || r.Is("determiner", r.At(i).Low) || r.declares(i)) {
		i++
	}
	return i
}

// declares says whether a word only says that the name of a thing follows: class Book, resource book: title.
func (r *reader) declares(i int) bool {
	next := r.At(i + 2).Low
	return r.Is("declares", r.At(i).Low) && plaintext.IsCapital(r.At(i+1).Text) || r.Is("declares-any", r.At(i).Low) && !r.At(i+1).Mark && (next == ":" || next == "(")
}

// noun reads the name of a thing at a place, behind the words that point at it. Whose it is, is left out.
func (r *reader) noun(i int) (n noun, ok bool) {
	if t := r.At(r.skip(i)); t.Quoted {
		n = noun{strings.FieldsFunc(spelled(t), func(c rune) bool { return strings.ContainsRune(" _-", c) }), i, r.skip(i) + 1}
		return n, plainName.MatchString(strings.Join(n.words, "_"))
	}
	n = noun{from: i, to: r.skip(i)}
	if n.to == i && r.verbAt(i) {
		return n, false
	}
	if m, k := r.Phrase(n.to); m.Class == "heart" && k > 1 && !r.nameable(n.to+k) && r.class(n.to+k) != "container" && !r.At(n.to+k).Mark {
		return n, false
	} else if m.Class == "heart" && k > 1 && r.Ends(n.to+k) && !r.Is("also-name", r.Words(n.to, k)) && r.At(n.to+k).Low != "(" && r.At(n.to+k).Low != ":" {
		return n, false
	}
	if m, k := r.Phrase(n.to); k > 1 && (m.Class == "kind" || m.Class == "language" || m.Class == "database" || m.Class == "auth" || m.Class == "license") { // a landing page, type script
		return n, false
	}
	if figure.MatchString(r.At(n.to).Low) && r.nameable(n.to+1) { // 3D printers
		n.to++
	}
	if k := r.Length(n.to, "fixed-name"); k > 0 {
		n.words, n.to = strings.Fields(r.Words(n.to, k)), n.to+k
	}
	records := func(k int) bool { return r.At(k).Low == "records" && r.Is("any-one", r.At(i).Low) } // an inspection records
	for ; r.nameable(n.to) && !(len(n.words) > 0 && (r.tellsOf(n.to) || records(n.to))); n.to++ {
		n.words = append(n.words, strings.Split(spelled(r.At(n.to)), "_")...)
		last := english.Singular(n.words[len(n.words)-1])
		switch {
		case (owns(r.At(n.to)) || len(n.words) == 1 && r.Is("kin", r.At(n.to).Low) && r.Is("own", r.At(n.to-1).Low)) && r.nameable(n.to+1): // our club's gear, my moms orders
			n.words = nil
		case r.At(n.to+1).Low == "of" && r.Is("collective", last) && r.open == nil && r.nameable(r.skip(n.to+2)): // a fleet of vehicles
			n.words, n.to = nil, r.skip(n.to+2)-1
		case r.At(n.to+1).Low == "of" && r.nameable(n.to+2) && !english.IsPlural(r.At(n.to+2).Low) && !(english.IsPlural(r.At(n.to).Low) && english.IsPlural(r.lastOf(n.to+2))): // points of interest, but not certificates of torque wrenches
			n.words, n.to = append(n.words, "of"), n.to+1
		}
	}
	if k := len(n.words) - 1; k > 0 && r.Is("about-them", n.words[k]) { // weather station data
		n.words = n.words[:k]
	}
	does := r.deed(n.words) && !r.Is("own", r.At(r.skip(i)-1).Low)                                                                   // send invoices, but not their split times
	each := (r.Is("every-one", r.At(i).Low) || r.Is("indefinite", r.At(i).Low)) && r.Is("owns", r.At(n.to).Low) && len(n.words) == 1 // each milking has
	if len(n.words) == 0 || len(n.words) > longestName || does || !each && !r.Is("place-of", strings.Join(n.words, " ")) && !r.goodName(n.words) || r.says(n.words) {
		return n, false
	}
	told := r.At(n.to).Low == "(" || r.At(n.to).Low == ":"
	return n, told || len(n.words) == 1 || !r.Is("verb", n.last())
}

// verbAt says whether a word tells what somebody, or the project, does: so we know when they expire, an API to water plants.
func (r *reader) verbAt(i int) bool {
	before := r.At(i - 1)
	to := before.Low == "to" && (r.class(i-2) == "kind" || r.Is("wish", r.At(i-2).Low))
	return !before.Mark && (r.Is("does-so", before.Low) || to)
}

// lastOf gives the last of the words from a place on that may be one name.
func (r *reader) lastOf(i int) string {
	for r.nameable(i+1) && !r.tellsOf(i+1) {
		i++
	}
	return r.At(i).Low
}

// tellsOf says whether something is told at a place of the noun before it.
func (r *reader) tellsOf(i int) bool {
	c := r.ClassAt(i)
	if _, k := r.Phrase(i); c == "kind" && (k > 1 || !english.IsPlural(r.At(i).Low)) { // a recipe service, a small web service
		return true
	}
	needs := r.Is("needs", r.At(i).Low) && r.Is("determiner", r.At(i+1).Low) // an exhibit needs a title
	return needs || c == "relation" || c == "fields" && !r.Is("also-name", r.At(i).Low)
}

// says says whether words only describe: a small API.
func (r *reader) says(all []string) bool {
	return !slices.ContainsFunc(all, func(w string) bool {
		m := r.Vocabulary[w]
		idle := m.Class == "container" && !english.IsPlural(w) || m.Value == "filler" && !r.Is("also-name", w)
		return !idle || r.heads[w]
	})
}

func owns(t words.Token) bool {
	return strings.HasSuffix(t.Text, "'s") || strings.HasSuffix(t.Text, "s'")
}

// goodName says whether words may be the name of a thing: in English the last of them has the number.
func (r *reader) goodName(all []string) bool {
	last := all[len(all)-1]
	for k, w := range all[:len(all)-1] {
		if all[k+1] == "of" {
			continue
		}
		ing := strings.HasSuffix(w, "ing") && !r.Is("noun-in-ing", w) && !r.Is("noun-anyway", w) && !r.Is("institution", last) && !r.occasion(all, k)
		many := english.IsPlural(w) && !r.Is("plural-first", w) && !english.HasSuffix(w, "ss", "us", "is", "ics") && !(k > 0 && k == len(all)-2 && r.Is("gathers", last)) // a film negatives archive
		if ing || many || r.Is("never-inside", w) {
			return false
		}
	}
	if len(all) > 1 && (r.Is("rule", all[0]) && !r.Is("bound", all[0]) || r.done(all[0]) && (r.Is("dates", english.Singular(last)) || last == "timestamps")) { // default fuel, updated times
		return false
	}
	if strings.HasSuffix(last, "s") && english.Plural(english.Singular(last)) != last && !english.HasSuffix(last, "ss", "us", "is", "ics", "ies", "news") { // fill-ups: one, or several?
		return false
	}
	verbal := english.HasSuffix(last, "ing", "ed", "able", "ible", "ful", "ous") && !(r.Is("craft", last) && r.heads[last]) && !r.Is("noun-anyway", last) && !r.Is("noun-in-ing", last)
	none := slices.ContainsFunc([]string{"no-thing", "reserved-noun", "no-name"}, func(table string) bool { return r.Is(table, last) })
	return !verbal && !none && !r.Is("reserved-noun", english.Singular(last))
}

// deed says whether words tell what people do with things, and name none: send invoices, booking flights.
func (r *reader) deed(all []string) bool {
	last := all[max(0, len(all)-1):]
	doing := len(all) == 2 && r.Is("doing", all[0]) && !r.Is("occasion", english.Singular(all[1]))
	return len(all) > 1 && (r.Is("people-do", all[0]) || doing) && english.IsPlural(last[0])
}

// occasion says whether a word in -ing says what something is for that happens, or is written of it: piano tuning appointments.
func (r *reader) occasion(all []string, k int) bool {
	noun := k > 0 && !r.Is("institution", all[k-1]) && !r.Is("people-do", all[k-1]) || r.Is("craft", all[k])
	return noun && r.Is("occasion", english.Singular(all[len(all)-1]))
}

// findHeads finds the names of which something is told: has, belongs to, a colon or a bracket follows them.
func (r *reader) findHeads() {
	for i, t := range r.Tokens {
		next := r.At(i + 1)
		record := r.class(i) == "container" && plaintext.IsCapital(t.Text) && next.Low == ":" && !r.Is("label", t.Low)
		if t.Mark || r.class(i) != "" && !r.Is("also-name", t.Low) && r.Vocabulary[t.Low].Value != "filler" && !record {
			continue
		}
		m, _ := r.Phrase(i + 1)
		verb := r.Is("owns", next.Low) || m.Class == "relation" && !r.Is("refers", next.Low) || strings.HasPrefix(next.Low, "should have")
		mark := next.Low == "(" || next.Low == ":"
		capital := t.Quoted || plaintext.IsCapital(t.Text) && len(t.Text) > 1
		if verb || mark && (english.IsPlural(t.Low) || capital) && !r.fieldWord(t.Low) {
			r.heads[english.Singular(strings.ToLower(spelled(t)))] = true
		}
	}
}

// fieldWord says whether a word names a field in most requests.
func (r *reader) fieldWord(w string) bool {
	return r.Is("field", w) || r.Is("field", english.Singular(w))
}

// nouns reads several names of things with commas or words that join them between.
func (r *reader) nouns(i, to int) (all []noun, end int) {
	end = i
	for i < to {
		n, ok := r.noun(i)
		if !ok || n.to > to || len(all) > 0 && !r.goesWith(all[0], n) {
			return all, end
		}
		all, end = append(all, n), n.to
		if i = r.After(n.to, ",", "and", "&", "or", "plus"); i == n.to {
			return all, end
		}
	}
	return all, end
}

// goesWith says whether a name is one more of those before it in a list, and begins nothing else.
func (r *reader) goesWith(first, n noun) bool {
	next := r.At(n.to)
	_, k := r.Phrase(n.to)
	_, joined := r.joiner(n.to + 1)
	told := r.ClassAt(n.to) == "fields" && !settings.Is(r.Text, n.to+k) && joined == n.to+1 || r.ClassAt(n.to) == "relation" || next.Low == ":" && !r.defines(n.to+1)
	same := n.many() && (!r.Is("field", n.last()) || r.At(n.from-1).Low == "and") || r.heads[english.Singular(n.last())]
	return !told && (same || !first.many() && r.At(n.from-1).Low == "and" && !r.fieldWord(n.last()))
}

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
	if end := r.whichOf(at, to); end > at {
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

// settingInName gives the place behind a name that begins with what sets something elsewhere: for postgres servers: host.
func (r *reader) settingInName(i int) int {
	n, ok := r.noun(i + 1)
	if ok && n.many() && r.Is("sets", r.class(i)) && r.skip(i+1) == i+1 && r.At(n.to).Mark && r.At(n.to).Low != "." {
		return n.to
	}
	return 0
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
		if those := r.whose(n); those != nil {
			r.belongs(t, those)
		} else if k > 0 && r.theirs(n.from) {
			r.ofThose(t, r.find(all[k-1].name()))
		}
		switch last := n.last(); {
		case !gathers || n.many():
		case r.isPlace(last): // a kitchen inventory
			t.weak, t.holds, t.said = true, "item", t.said+" "+r.At(n.to).Low
		case t.holds == "":
			t.weak, t.holds = true, t.Name
		}
	}
	if len(all) > 1 {
		r.current = nil
	}
	return end
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
	return who > 0 && end > i+who && !r.demands(i+who, end, false)
}

// isPlace says whether things are in it, and it is none of them.
func (r *reader) isPlace(w string) bool {
	return r.Is("room", w) || r.Is("institution", w) || r.Is("place-of", w) && r.Tables["place-of"][w] != w
}

// behind reads where, or whose, the things are: in my cellar, at a food bank.
func (r *reader) behind(i, to int) int {
	if len(r.Things) == 0 {
		return i
	}
	if end := min(r.EndOf(i), to); r.Is("relative", r.At(i).Low) && r.didThat(i+1, end) && len(r.Things) > 1 { // concerts and the musicians who play in them
		r.deeds = append(r.deeds, deed{span{i, end}, r.Things[len(r.Things)-1], ""})
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
	if !r.Is("behind", r.At(i).Low) || settings.Is(r.Text, i+1) {
		return i
	}
	n, ok := r.noun(i + 1)
	pointed := r.skip(i+1) > i+1
	if ok && r.At(i).Low == "between" { // messages between users
		r.Refuse(r.text(i, n.to))
		return n.to
	}
	if r.ClassAt(i) == "relation" || r.At(i).Low == "for" && !pointed { // guests for each wedding; a feedback API for workshops
		return i
	}
	opened := r.At(n.to).Low == "(" || r.At(n.to).Low == ":" && !r.defines(n.to+1)
	if ok && r.heads[english.Singular(n.last())] && r.find(n.name()) == nil { // flashcards in decks. A deck has
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

// usualThing reads a noun by itself that requests are usually for: rest api todo go.
func (r *reader) usualThing(i, to int) int {
	n, ok := r.noun(i)
	if !ok {
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
	case len(n.words) > 1 && r.Is("gathers", last): // a vinyl collection
		t.holds = english.Singular(strings.Join(n.words[:len(n.words)-1], "_"))
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
