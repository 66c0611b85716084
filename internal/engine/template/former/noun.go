package former

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
	plainName   = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}(?:_[a-z0-9]{1,23}){0,5}$`)
	letters     = regexp.MustCompile(`^[A-Z][-–][A-Z]$`)
	sides       = regexp.MustCompile(`^(?:[LWHDBT][xX][LWHDBT](?:[xX][LWHDBT])?|lxwxh|lxw|wxh)$`)
	fraction    = regexp.MustCompile(`\d/\d`)
	coded       = regexp.MustCompile(`^(?:[A-Za-z]+\d+|\d+[A-Za-z]+)$`)
	codes       = regexp.MustCompile(`^[A-Z]\d{0,2}[-–][A-Z]\d{0,2}$`)
	stretchLike = regexp.MustCompile(`^\d{1,3}(?:k|km|m|h)$`)
	roomLike    = regexp.MustCompile(`^[A-Z]{1,3}\d{2,}$`)
	figure      = regexp.MustCompile(`^\d[a-z]{1,3}$`)
	camelCase   = regexp.MustCompile(`([a-z0-9])([A-Z])`)
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
	case t.Low == "lists" && r.after(i, ",") && r.At(i+1).Low == "with" && !settings.Is(r.Text, i+2): // boards with a name, lists with a title
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
	case (m.Class == "given" || m.Class == "detail") && english.IsPlural(t.Low) && (r.At(i-1).Low == "for" || r.Is("done-with", r.At(i-1).Low)) && (r.At(i+1).Low == "(" || r.At(i+1).Low == ":"): // an API for containers: number, weight; keeping logs: message
		return true
	case m.Class == "given" && english.IsPlural(t.Low) && r.begins(i) && (r.Is("owns", r.At(i+1).Low) || strings.HasPrefix(r.At(i+1).Low, "belong")): // options belong to a poll
		return true
	case t.Low == "test" && english.IsPlural(r.At(i+1).Low) && r.class(i+1) == "": // test tiles
		return true
	case r.Is("event-too", t.Low) && (r.ClassAt(i+1) == "relation" && pointed || r.Length(i+1, "links-two") > 0 || english.IsPlural(t.Low) && r.At(i+1).Low == "of" && r.isThing(r.At(r.skip(i+2)).Low)): // a signup links, runs of a machine
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

// another says whether a word for where records are kept is one more of the things that are told of: guests with a name. Tables
// with seats; models (name), jobs (fee).
func (r *reader) another(i int) bool {
	if !english.IsPlural(r.At(i).Low) || i > 0 && !r.Ends(i-1) {
		return false
	}
	if with := r.At(i+1).Low == "with"; with {
		return i > 0 && r.current != nil && len(r.current.Fields) > 0 && !settings.Is(r.Text, i+2)
	}
	end := r.Closes(i + 1)
	next := r.After(end+1, ",", "and")
	return r.At(i+1).Low == "(" && end > 0 && next > end+1 && r.At(next+1).Low == "(" && r.At(end-1).Low != ")"
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
	for ; r.nameable(n.to) && !(len(n.words) > 0 && (r.tellsOf(n.to) || records(n.to) || r.unparted(n.to))); n.to++ {
		n.words = append(n.words, strings.Split(spelled(r.At(n.to)), "_")...)
		last := english.Singular(n.words[len(n.words)-1])
		switch {
		case (owns(r.At(n.to)) || len(n.words) == 1 && r.Is("kin", r.At(n.to).Low) && r.Is("own", r.At(n.to-1).Low)) && r.nameable(n.to+1): // our club's gear, my moms orders
			n.words = nil
		case len(n.words) == 1 && r.At(n.to+1).Low == "of" && r.Is("collective", last) && r.open == nil && r.nameable(r.skip(n.to+2)) && !r.isPlace(r.lastOf(r.skip(n.to+2))): // a fleet of vehicles, but neither the inventory of our workshop nor a fuel log of my car
			n.words, n.to = nil, r.skip(n.to+2)-1
		case r.At(n.to+1).Low == "of" && r.nameable(n.to+2) && !english.IsPlural(r.At(n.to+2).Low) && !(english.IsPlural(r.At(n.to).Low) && english.IsPlural(r.lastOf(n.to+2))): // points of interest, but not certificates of torque wrenches
			n.words, n.to = append(n.words, "of"), n.to+1
		}
	}
	if k := len(n.words) - 1; k > 0 && r.Is("about-them", n.words[k]) { // weather station data
		n.words = n.words[:k]
	}
	mark := r.At(n.to).Low
	part := len(n.words) > 1 && r.isThing(n.words[0]) && (mark == "(" || mark == ":" || r.Is("owns", mark))                          // orders (date), order lines (order)
	does := r.deed(n.words) && !part && !r.Is("own", r.At(r.skip(i)-1).Low)                                                          // send invoices, but not their split times
	each := (r.Is("every-one", r.At(i).Low) || r.Is("indefinite", r.At(i).Low)) && r.Is("owns", r.At(n.to).Low) && len(n.words) == 1 // each milking has
	if len(n.words) == 0 || len(n.words) > longestName || does || !each && !r.Is("place-of", strings.Join(n.words, " ")) && !(len(n.words) == 2 && r.Is("fixed-name", strings.Join(n.words, " "))) && !r.goodName(n.words) || r.says(n.words) {
		return n, false
	}
	told := r.At(n.to).Low == "(" || r.At(n.to).Low == ":"
	return n, told || len(n.words) == 1 || !r.Is("verb", n.last())
}

// nounBefore reads the name of a thing that ends at a place.
func (r *reader) nounBefore(end int) (n noun, ok bool) {
	for i := end - 1; i >= max(0, end-longestName) && r.nameable(i); i-- {
		if one, good := r.noun(i); good && one.to == end {
			n, ok = one, true
		}
	}
	return n, ok
}

// verbAt says whether a word tells what somebody, or the project, does: so we know when they expire, an API to water plants.
func (r *reader) verbAt(i int) bool {
	before := r.At(i - 1)
	to := before.Low == "to" && (r.class(i-2) == "kind" || r.Is("wish", r.At(i-2).Low))
	return !before.Mark && (r.Is("does-so", before.Low) || to)
}

// unparted says whether another name begins at a place though nothing parts it from the one before it, as something is told of
// both: members boats and outings. A member has.
func (r *reader) unparted(i int) bool {
	before, here := r.At(i-1), r.At(i)
	told := func(w string) bool { return english.IsPlural(w) && r.heads[english.Singular(w)] }
	return !before.Mark && !here.Mark && told(before.Low) && told(here.Low)
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
		kind := next.Low == ":" && r.Ends(i-1) && r.encloses(t.Low) // skipper (person); person: name
		if verb || mark && (english.IsPlural(t.Low) || capital || kind) && !r.fieldWord(t.Low) {
			r.heads[english.Singular(strings.ToLower(spelled(t)))] = true
		}
	}
}

// encloses says whether brackets hold nothing but a word.
func (r *reader) encloses(w string) bool {
	for i := range r.Tokens {
		if r.At(i).Low == "(" && r.At(i+1).Low == w && r.At(i+2).Low == ")" {
			return r.Length(i+1, "type")+r.Length(i+1, "rule") == 0
		}
	}
	return false
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
		if i = r.After(n.to, ",", "and", "&", "or", "plus"); i == n.to && !r.unparted(i) {
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
