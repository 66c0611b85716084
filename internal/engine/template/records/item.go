package records

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// item is what is said of one field.
type item struct {
	words     []string
	kind, ref string
	rules     values.Rules
	left      []string // what is said of its values, and they are not held to
	told      bool     // its kind, or a rule
	several   bool     // what is said holds for the names before it too
	stated    bool     // it stands in a sentence of its own: the plate is unique
	the       bool     // something certain: the price sold
	both      bool     // what is said holds for the one before it too
	all       bool     // what is said holds for all before it of which nothing is said
	unit      bool     // its kind was told by its unit only
	colon     bool     // a colon stands behind its name
	called    bool     // it is called a field
	refers    bool     // it refers to a thing that nothing but its name tells
	counted   string   // how it was told that there are several of it
	apart     string   // how those are told apart
	from, end int
}

func (it item) bare() bool { return !it.told && it.kind == "" && it.ref == "" && len(it.left) == 0 }

// entry reads one item of a list, or two that share a word: first and last name.
func (r *reader) entry(i, to int) (all []item, end int) {
	if all, end = r.several(i, to); len(all) > 0 {
		return all, end
	}
	if all, end = r.ofEach(i, to); len(all) > 0 {
		return all, end
	}
	if at := r.skip(i); r.Is("pair", r.At(at).Low) && r.At(at+1).Low == "and" && r.Tables["pair"][r.At(at).Low] == r.At(at+2).Low && !r.Ends(at+3) {
		other, ok := r.item(at+2, to)
		if !ok || len(other.words) < 2 {
			return nil, i
		}
		one := other
		one.words = append([]string{r.At(at).Low}, other.words[1:]...)
		return []item{one, other}, other.end
	}
	if at := r.skip(i); r.At(at).Low == "from" && r.joins(at+1) && r.At(at+2).Low == "to" && english.IsPlural(r.At(at+3).Low) && r.Is("dates", english.Singular(r.At(at+3).Low)) && r.over(at+4, to) { // from and to dates
		date := english.Singular(r.At(at + 3).Low)
		return []item{{words: []string{"from", date}, from: at, end: at + 1}, {words: []string{"to", date}, from: at + 2, end: at + 4}}, at + 4
	}
	it, ok := r.item(i, to)
	if !ok {
		return nil, i
	}
	return []item{it}, it.end
}

// item reads one field: its name, behind what points at it, and all that is said of its values.
func (r *reader) item(i, to int) (it item, ok bool) {
	at := r.before(&it, r.article(i), to)
	if r.At(at).Low == "flag" && (r.ifSo(at+1) || r.At(at+1).Low == "whether") { // a flag if it's vegetarian
		at++
	}
	it.from, it.end, it.the = at, at, r.At(at-1).Low == "the"
	if low := r.At(at).Low; low == "whether" || low == "how" && r.Tables["how-measure"][r.At(at+1).Low] == "" || r.ifSo(at) || r.isIt(at) {
		return it, r.asked(&it, at, to) && r.tail(&it, to)
	}
	if r.hasIt(at) { // has garden
		it.words, it.kind, it.told, it.end = []string{r.At(at).Low, r.At(at + 1).Low}, values.Truth, true, at+2
		return it, r.tail(&it, to)
	}
	if r.clauseField(&it, at, to) {
		return it, r.tail(&it, to)
	}
	if !r.name(&it, to) || !r.clauseBehind(&it, to) || !r.tail(&it, to) {
		return it, false
	}
	if k := len(it.words) - 1; k > 0 && r.Is("particle", it.words[k]) && it.rules.Choices != nil { // status on time/delayed
		return it, false
	}
	if k := len(it.words) - 1; k > 0 && r.Is("field-noun", it.words[k]) && it.words[k] != "value" { // a notes field
		it.words = it.words[:k]
	}
	if it.stated && it.several && it.kind == values.Texts && !english.IsPlural(it.words[len(it.words)-1]) { // name and city are texts
		it.kind = values.Text
	}
	if before := r.At(it.from - 1); before.Low == "." && len(it.words) > 1 && r.Is("keep-verb", it.words[0]) { // Store model, height
		return it, false
	}
	return it, len(it.words) > 1 || it.kind != "" || !r.Is("bound", it.words[0]) // salary min and max
}

// article gives the place behind an article, or a word like one.
func (r *reader) article(i int) int {
	for !r.At(i).Mark && (r.Is("determiner", r.At(i).Low) || (r.Is("also", r.At(i).Low) || r.At(i).Low == "one") && !r.Ends(i+1)) {
		i++
	}
	return i
}

// before reads what stands before the name of a field: a, optional, unique, list of.
func (r *reader) before(it *item, i, to int) int {
	for i < to {
		what, n := r.Longest(i, "rule")
		plain := what == "unique" || what == "required" || what == "optional"
		switch {
		case r.At(i).Low == "which" && (r.isThing(r.At(i+1).Low) && r.Ends(i+2) || r.partable(i+1) && r.pronoun(i+2) > 0): // which kayak, which shelf it is on
			i++
		case r.At(i+1).Low == "which" && r.isThing(r.At(i+2).Low) && r.Ends(i+3) && !r.At(i).Mark && english.IsPlural(r.At(i).Low) && !r.fieldWord(r.At(i).Low): // fits which typewriter
			i += 2
		case r.At(i).Low == "have" && r.At(i-1).Low == "," && r.At(i-1).Text != ";" && r.article(i+1) > i+1: // cases: belong to a client, have a name
			i = r.article(i + 1)
		case r.Length(i, "exactly-one") > 0 && r.isThing(r.At(i+r.Length(i, "exactly-one")).Low): // at most one tenant
			i += r.Length(i, "exactly-one")
		case r.ownsThing(i) > 0:
			i += r.ownsThing(i)
		case r.Is("list-of", r.At(i).Low) && r.At(i+1).Low == "of" && !r.Ends(i+2):
			it.kind, it.told, i = values.Texts, true, i+2
		case n > 0 && plain && i+n < to && !r.Ends(i+n):
			it.rules.Said(r.Text, i, &it.kind)
			it.told, i = true, r.article(i+n)
		case r.Length(i, "free-form") > 0 && !r.over(i+r.Length(i, "free-form"), to): // free-text notes
			it.kind, it.told, i = values.Text, true, i+r.Length(i, "free-form")
		case r.Is("quality", r.At(i).Low) && !r.over(i+1, to) && !r.Is("particle", r.At(i+1).Low): // a valid email
			it.left, it.told, i = append(it.left, r.At(i).Low), true, i+1
		case r.Is("type-behind", r.At(i).Low) && !r.Is("field", r.At(i).Low) && !r.Ends(i+1) && r.partable(i+1) && !r.Is("type-behind", r.At(i+1).Low):
			it.kind, it.told, i = r.Tables["type"][r.At(i).Low], true, i+1
		default:
			return i
		}
	}
	return i
}

// asked reads a field that says whether something is so, or how many there are.
func (r *reader) asked(it *item, i, to int) bool {
	kind, at := values.Truth, i+1
	if r.At(i).Low == "how" {
		kind, at = map[string]string{"many": values.Integer, "much": values.Number}[r.At(at).Low], at+1
	}
	for ; at < to && !r.Ends(at) && !(kind == values.Truth && r.truthAt(at)); at++ { // is it working y/n
		if low := r.At(at).Low; !r.Is("copula", low) && !r.Is("light", low) && r.Length(at, "narrator") == 0 && !r.Is("of-it", low) {
			it.words = append(it.words, spelled(r.At(at)))
		}
	}
	it.kind, it.told, it.end = kind, true, at
	counted := func(w string) bool { return english.IsPlural(w) || r.fieldWord(w) }
	if kind == values.Integer && len(it.words) == 1 && r.done(it.words[0]) { // how many made
		it.words = []string{"number", it.words[0]}
	} else if kind != values.Truth && !slices.ContainsFunc(it.words, counted) { // how many I saw
		return false
	}
	return kind != "" && len(it.words) > 0 && len(it.words) < 4 && plainName.MatchString(strings.Join(it.words, "_"))
}

// hasIt says whether a field follows that tells if something is there: has garden.
func (r *reader) hasIt(i int) bool {
	next, certain := r.At(i+1).Low, r.truthAt(r.After(i+2, "("))
	plain := r.At(i).Low == "has" && !english.IsPlural(next) && r.over(i+2, len(r.Tokens))
	return (plain || certain && r.Is("has-or-needs", r.At(i).Low)) && r.Ends(i-1) && r.partable(i+1)
}

// ifSo says whether a field follows that tells if something is so: if it's vegan.
func (r *reader) ifSo(i int) bool {
	return r.At(i).Low == "if" && r.Is("someone", r.At(i+1).Low)
}

// isIt says whether a field follows that asks if something is so: is it working.
func (r *reader) isIt(i int) bool {
	return r.Is("asks-if", r.At(i).Low) && r.Is("someone", r.At(i+1).Low) && r.begins(i) && !r.Ends(i+2)
}

// name reads the name of a field, up to what is said of its values.
func (r *reader) name(it *item, to int) bool {
	if t := r.At(it.end); t.Quoted {
		it.words, it.end = strings.FieldsFunc(spelled(t), func(c rune) bool { return c == ' ' || c == '_' }), it.end+1
		return plainName.MatchString(strings.Join(it.words, "_"))
	}
	if k := r.usual(it.end, to); k > 0 {
		if r.Tables["type"][r.Words(it.end, k)] == values.DateTime {
			it.kind, it.told = values.DateTime, true
		}
		it.words, it.end = strings.Fields(r.Words(it.end, k)), it.end+k
		return true
	}
	for it.end < to && !r.Ends(it.end) && len(it.words) <= longestName {
		i := it.end
		first := len(it.words) == 0
		switch {
		case !first && r.Is("need-word", r.At(i).Low) && r.truthAt(r.After(i+1, "(")): // prescription required (yes/no)
			it.words, it.end = append(it.words, r.At(i).Low), i+1
			return r.goodField(it.words)
		case !first && r.Is("moment", r.At(i).Low) && r.likeWord(it.words[len(it.words)-1]) && r.partable(i+1) && (r.over(i+2, to) || r.partable(i+2) && r.over(i+3, to)): // temperature on arrival, height above sea level
			for it.words, it.end = append(it.words, r.At(i).Low), i+1; !r.over(it.end, to); it.end++ {
				it.words = append(it.words, r.At(it.end).Low)
			}
		case !first && (r.pronoun(i) > 0 || r.paid(i, to) > 0 || r.Is("points-out", r.At(i).Low) && r.pronoun(i+1) > 0 || r.At(i).Low == "who" && r.pronoun(r.EndOf(i)-1) > 0):
			return r.goodField(it.words)
		case !first && r.At(i).Low == "in" && it.words[len(it.words)-1] == "years" && r.partable(i+1) && r.over(i+2, to): // years in business
			it.words, it.end, it.kind, it.told = append(it.words, "in", r.At(i+1).Low), i+2, values.Integer, true
		case !first && r.said(*it, i) && !((r.Is("condition", r.At(i).Low) || r.Is("way", r.At(i).Low)) && r.Is("dates", r.At(i+1).Low)):
			return r.goodField(it.words)
		case !first && (r.At(i).Low == "of" || r.At(i).Low == "per") && r.Length(i+1, "rule") == 0 && r.partable(r.After(i+1, "the", "a", "an")):
			it.words, it.end = append(it.words, r.At(i).Low), r.After(i+1, "the", "a", "an")
		case (!first || r.Is("alone-too", r.At(i).Low)) && (r.Is("particle", r.At(i).Low) || r.Is("condition", r.At(i).Low)) && r.Is("dates", r.At(i+1).Low) && r.over(i+2, to): // dropped off date
			it.words, it.end = append(it.words, r.At(i).Low, r.At(i+1).Low), i+2
		case first && r.Is("way", r.At(i).Low) && (r.fieldWord(r.At(i+1).Low) || r.isThing(r.At(i+1).Low)) && r.over(i+2, to): // from address
			it.words, it.end = []string{r.At(i).Low, r.At(i + 1).Low}, i+2
		case r.Is("particle", r.At(i).Low) && r.class(i) != "" && r.over(i+1, to):
			if r.At(i).Low == "from" && r.joins(i+1) && r.At(i+2).Low == "to" { // a salary from and to
				return false
			}
			if r.At(i).Low == "in" && (first || !r.done(it.words[len(it.words)-1])) { // humidity in %
				return false
			}
			it.words, it.end = append(it.words, r.At(i).Low), i+1
			return (!first || r.Is("alone-too", r.At(i).Low)) && r.goodField(it.words)
		case !first && (r.At(i).Low == "before" || r.At(i).Low == "after") && r.over(i+1, to) && (r.likeWord(it.words[len(it.words)-1]) || r.Is("eaten", it.words[0])): // pitch before, drink before
			it.words, it.end = append(it.words, r.At(i).Low), i+1
		case len(it.words) == 1 && r.hasTwin(i) && r.over(i+1, to): // pitch before, pitch after
			it.words, it.end = append(it.words, r.At(i).Low), i+1
			return r.goodField(it.words)
		case !first && r.At(i).Low == "no" && r.over(i+1, to): // passport no
			it.words, it.end = append(it.words, "no"), i+1
		case first && r.Is("only-verb", r.At(i).Low) && !r.Is("adverb", r.At(i).Low) && (r.over(i+1, to) || r.Length(i+1, "type") > 1): // an estimate in hours
			it.words, it.end = append(it.words, r.At(i).Low), i+1
		case first && r.beginsName(i) && r.over(i+2, to): // found date, holding number
			it.words, it.end = append(it.words, r.At(i).Low, r.At(i+1).Low), i+2
		case r.partable(i), first && r.Is("field-begins", r.At(i).Low) && !r.Ends(i+1):
			it.words, it.end = append(it.words, strings.Split(spelled(r.At(i)), "_")...), i+1
		default:
			return false
		}
	}
	return len(it.words) > 0 && (r.goodField(it.words) || r.typedSystem(*it))
}

// typedSystem says whether a name ends like what a project would have, and its kind stands in brackets behind it: affected
// system (string).
func (r *reader) typedSystem(it item) bool {
	k := len(it.words) - 1
	_, n := r.Longest(it.end+1, "type")
	return k > 0 && it.words[k] == "system" && n > 0 && r.At(it.end).Low == "(" && r.At(it.end+1+n).Mark && r.goodField(it.words[:k])
}

// hasTwin says whether a name ends at a place that another one begins like, and ends the other way: pitch before, pitch after.
func (r *reader) hasTwin(i int) bool {
	twin := r.Tables["twins-behind"][r.At(i).Low]
	return twin != "" && r.follows(r.At(i-1).Low, twin)
}

// follows says whether two words stand side by side anywhere.
func (r *reader) follows(one, other string) bool {
	for i := range r.Tokens {
		if r.At(i).Low == one && r.At(i+1).Low == other && !r.At(i).Mark {
			return true
		}
	}
	return false
}

// beginsName says whether a word that does something elsewhere begins the name of a field: found date, holding number.
func (r *reader) beginsName(i int) bool {
	low, next := r.At(i).Low, r.At(i+1)
	if next.Mark || next.Quoted || r.At(i).Mark || r.At(i).Quoted {
		return false
	}
	verb := r.class(i) == "things" || r.Is("done-first", low)
	return verb && r.Is("field", next.Low) && !(r.Is("keep-verb", low) && r.At(i-1).Low == ".") || r.Is("only-verb", low) && r.Is("side", next.Low)
}

// likeWord says whether a word by itself is usual for the name of a field.
func (r *reader) likeWord(w string) bool {
	return r.isMeasure(w) || r.fieldWord(w) || r.Is("also-field", w) || r.Is("chosen", w)
}

// truthAt says whether a kind stands at a place that is true or false.
func (r *reader) truthAt(i int) bool {
	kind, n := r.Longest(i, "type")
	return n > 0 && kind == values.Truth
}

// usual gives the length of a name of several words that is usual for a field, and that ends where they do: on display.
func (r *reader) usual(i, to int) int {
	for _, table := range []string{"field", "also-field", "type"} {
		k := r.Length(i, table)
		if k > 1 && (table != "type" || r.Words(i, k) == "date and time") && r.over(i+k, to) {
			return k
		}
	}
	return 0
}

// pluralType says whether a word is the plural of a kind, and of nothing else.
func (r *reader) pluralType(w string) bool {
	return english.IsPlural(w) && r.Is("type-behind", english.Singular(w))
}

// over says whether a name may end before a place.
func (r *reader) over(i, to int) bool {
	return i >= to || r.Ends(i) || strings.Contains(r.At(i).Raw, "/") || r.Length(i, "rule") > 0 || r.Is("type-behind", r.At(i).Low) || r.Length(i, "modal") > 0
}

// said says whether something is said of the values at a place, and the name has ended.
func (r *reader) said(it item, i int) bool {
	var rules values.Rules
	var none string
	what, _ := r.Longest(i, "rule")
	if what == "choice" || what == "or" || what != "" && rules.Said(r.Text, i, &none) > 0 || r.Length(i, "modal") > 0 {
		return true
	}
	kind, n := r.Longest(i, "type")
	if r.chooses(it, i) {
		return true
	}
	switch low := r.At(i).Low; {
	case n == 1 && r.pluralType(low) && r.At(r.skipBack(it.from)-1).Low == "and" && r.Ends(i+1):
		return true
	case low == "of" && r.Length(i+1, "rule") > 0: // of at most 500 characters
		return true
	case r.Is("refers", low) && r.isThing(strings.Join(it.words, "_")):
		return true
	case r.Is("type-behind", low), n > 1, strings.Contains(r.At(i).Raw, "/"):
		return true
	case n > 0 && (r.typed || strings.Contains(r.At(i-1).Text, "_") || r.someTyped && low == "date" && r.happened(it.words)) && (!r.fieldWord(low) || r.Is("dates", low) && low != "year" && r.skipBack(it.from) == it.from) && (r.over(i+1, len(r.Tokens)) || r.spans(i+1)): // valid_until date
		return true
	case low == "text" && (r.Length(i+1, "rule") > 0 || r.Ends(i+1) && (r.typed || strings.Contains(r.At(i-1).Text, "_") || r.fieldWord(it.words[len(it.words)-1]) || r.Is("also-field", it.words[len(it.words)-1]))):
		return true
	case codes.MatchString(r.At(i).Raw), r.timeOfDay(i): // level A1-C2
		return true
	case low == "in" && strings.Contains(r.At(i+1).Raw, "/") && r.over(i+2, len(r.Tokens)): // in km/h
		return true
	case low == "number" || low == "text":
		guess, sure := values.Guess(r.Lexicon, it.words)
		bound, _ := r.Longest(i+1, "rule")
		return sure && guess == kind && (r.Is("bounds", bound) || r.spans(i+1))
	case r.Is("polite", low):
		return true
	case r.Length(i, "condition") > 0, r.class(i) == "place":
		return !r.over(i+1, len(r.Tokens))
	}
	return rules.Said(r.Text, i, &none) > 0
}

// happened says whether a name is what something did, or what was done with it: launched, departs.
func (r *reader) happened(name []string) bool {
	kind := r.Tables["field"][name[0]]
	return len(name) == 1 && name[0] != "due" && (r.done(name[0]) || kind == values.Day || kind == values.DateTime)
}

// timeOfDay says whether a kind stands behind a name that only programmers write: start_time time.
func (r *reader) timeOfDay(i int) bool {
	return r.At(i).Low == "time" && strings.Contains(r.At(i-1).Text, "_") && r.over(i+1, len(r.Tokens))
}

// goodField says whether words may be the name of a field.
func (r *reader) goodField(all []string) bool {
	last := all[len(all)-1]
	if all[0] == "pk" || all[0] == "fk" || len(all) == 1 && (r.Is("copula", last) || r.Is("never-alone", last) || len(last) == 1 && !strings.Contains("xyz", last)) {
		return false
	}
	for _, w := range all[:len(all)-1] {
		if english.IsPlural(w) && !r.Is("plural-first", w) && !english.HasSuffix(w, "ss", "us", "is", "ics") && !slices.Contains(all, "of") && !r.fieldWord(w) && !r.Is("field-ends", last) && !(r.done(last) && !r.heads[english.Singular(w)] && r.find(w) == nil) {
			return false // players name
		}
	}
	for k, w := range all[1:] {
		if r.Is("whole-name", all[k]) && w != "name" && (r.Is("whole-name", w) || r.Is("field", w) && r.Tables["field"][w] != values.Text) {
			return false // name phone
		}
	}
	if len(all) > 1 && r.Is("rule", all[0]) && !r.Is("bound", all[0]) && !r.Is("field", last) && !(r.Is("way", all[0]) && r.isThing(last)) { // default true
		return false
	}
	if k := slices.Index(all, "of"); k > 0 && r.Is("parts-of", all[k-1]) { // order lines of product and quantity
		return false
	}
	if len(all) > 3 && r.fieldWord(all[0]) && !slices.Contains(all, "of") && len(slices.DeleteFunc(slices.Clone(all), func(w string) bool { return !r.fieldWord(w) })) > 2 { // name maker type price
		return false
	}
	does := len(all) > 1 && (r.Is("acts", all[0]) || r.Is("only-do", all[0]) && !r.Is("inside-word", all[1]) && !r.Is("field", last))
	none := r.Is("never-field", last) && !(len(all) > 1 && r.Is("soon", all[0])) || r.Is("no-field", last) || r.Is("no-name", last)
	if slices.ContainsFunc(all[1:], func(w string) bool { return r.Is("number-word", w) && all[0] == "last" }) {
		return false
	}
	return len(all) <= longestName+1 && !does && !none && last != "of" && last != "per" && !r.Is("number-word", all[0])
}

// done says whether a word tells what was done: kilometres driven.
func (r *reader) done(w string) bool {
	return r.Is("participle", w) || english.HasSuffix(w, "ed", "en") && len(w) > 3
}

// tail reads all that is said of the values of a field, up to the end of its part of the list.
func (r *reader) tail(it *item, to int) bool {
	for it.end < to {
		i := it.end
		if !r.Ends(i) && !r.Is("type-behind", r.At(i).Low) && settings.Is(r.Text, i) { // on port 5050
			return true
		}
		if r.At(i).Low == ":" && it.bare() && english.IsPlural(it.words[len(it.words)-1]) && r.defines(i+1) && r.At(i+1).Low != "(" { // cars and trips: a trip has
			return true
		}
		if r.Is("polite", r.At(i).Low) || r.class(i) == "place" && settings.Is(r.Text, r.skip(i+1)) || r.class(i) == "fields" && settings.Is(r.Text, r.skip(i+1)) {
			return true // please, in Go
		}
		if r.At(i).Low == "or" && r.At(i+1).Low == "not" && r.over(i+2, to) && (it.kind == "" || it.kind == values.Truth) { // vegan or not
			it.kind, it.told, it.end = values.Truth, true, i+2
			continue
		}
		if r.Ends(i) && r.At(i).Low != "(" && r.At(i).Low != ":" && !(r.At(i).Text == "|" && r.Is("nothing", r.At(i+1).Low)) {
			if !r.more(it, to) {
				return true
			}
			continue
		}
		if !r.spec(it, i, to) {
			return false
		}
	}
	return true
}

// spec reads one thing that is said of the values of a field.
func (r *reader) spec(it *item, i, to int) bool {
	kind, n := r.Longest(i, "type")
	if low := r.At(i).Low; r.Is("predicate", low) {
		it.stated = true
		it.several = it.several || low == "are" || r.At(r.skipBack(it.from)-1).Low == "and"
	}
	switch low := r.At(i).Low; {
	case r.chooses(*it, i):
		return r.choices(it, r.After(i, "of", "as"), to, true)
	case low == "(":
		return r.remark(it, i, to)
	case r.At(i).Text == "|" && r.Is("nothing", r.At(i+1).Low): // date | None
		it.rules.Need, it.end = "optional", i+2
	case r.At(i).Text == "=" && r.Ends(i+2) && i+1 < to && (it.kind != "" || it.rules.Choices != nil || it.bare() && r.literal(r.At(i+1))): // bool = true, currency = EUR
		it.rules.Default, it.told, it.end = r.At(i+1).Raw, true, i+2
	case low == "in" && strings.Contains(r.At(i+1).Raw, "/"):
		it.kind, it.told, it.end = values.Number, true, r.Behind(i+1)
	case low == ":":
		it.colon = r.At(i).Text != "=" && r.At(i).Text != "->" && it.words[len(it.words)-1] != "id"
		return r.described(it, i+1, to)
	case n > 0 && (n == 1 || strings.Count(r.At(i).Raw, "/") < n): // but yes/no/maybe
		it.several = it.several || n == 1 && r.pluralType(low) && r.At(r.skipBack(it.from)-1).Low == "and" // created and updated timestamps
		it.kind, it.told, it.end, it.unit = r.kindOf(kind, i), true, i+n, low == "in"
		if it.unit { // a number has none
			it.left = append(it.left, r.text(i, i+n))
		}
	case r.timeOfDay(i):
		it.kind, it.told, it.left, it.end = values.Text, true, append(it.left, low), i+1
	case codes.MatchString(r.At(i).Raw): // level A1-C2
		it.kind, it.told, it.left, it.end = cmp.Or(it.kind, values.Text), true, append(it.left, strings.ToLower(r.At(i).Raw)), r.Behind(i)
	case r.Is("refers", low) && r.isThing(strings.Join(it.words, "_")):
		it.told, it.refers, it.end = true, true, i+1
	case low == "of" && r.rule(it, i+1, to):
	case r.rule(it, i, to):
	case r.modal(i) > 0:
		k := r.modal(i)
		if denied := " " + r.Words(i, k) + " "; strings.Contains(denied, " not ") || strings.Contains(denied, "cannot") { // must not be unique
			return false
		}
		if r.At(i+k).Raw == "A" {
			return r.described(it, i+k, to)
		}
		return r.described(it, r.After(i+k, "a", "an"), to)
	case r.Length(i, "condition") > 0 && r.tellsOfUs(i, to): // a count when I list them
		return false
	case (r.Length(i, "condition") > 0 || r.class(i) == "place") && !r.verbal(*it):
		end := min(r.EndOf(i), to)
		for k := i + 2; k < end; k++ {
			if what, _ := r.Longest(k, "rule"); r.class(i) == "place" && (r.Is("bounds", what) || r.Is("type-behind", r.At(k).Low)) { // in millilitres between 3 and 5
				end = k
			}
		}
		it.left, it.told, it.end = append(it.left, r.text(i, end)), true, end
	default:
		return false
	}
	return true
}

// tellsOfUs says whether what depends on something is done by who asks, or by the project.
func (r *reader) tellsOfUs(i, to int) bool {
	for k := i + 1; k < min(r.EndOf(i), to); k++ {
		if r.Length(k, "narrator") > 0 || r.Is("points-back", r.At(k).Low) || r.At(k).Low == "you" {
			return true
		}
	}
	return false
}

// verbal says whether a name may be what something does: sits in a warehouse.
func (r *reader) verbal(it item) bool {
	last := len(it.words) - 1
	of := last == 0 || r.isThing(strings.Join(it.words[:last], "_"))
	placed := r.Is("article", r.At(it.end+1).Low) && !r.likeField(it)                  // depart from an airport
	does := english.IsPlural(it.words[last]) || r.class(it.from) == "detail" || placed // import from files
	return of && it.bare() && does && !r.fieldWord(it.words[last])
}

// modal gives the length of words before what values are: which is a, but not which is A, B or C.
func (r *reader) modal(i int) int {
	n := r.Length(i, "modal")
	if n > 1 && r.At(i+n-1).Raw == "A" {
		n--
	}
	return n
}

// rule reads one rule at a place.
func (r *reader) rule(it *item, i, to int) bool {
	what, k := r.Longest(i, "rule")
	if what == "choice" || what == "or" {
		return r.choices(it, r.After(i+k, ":"), to, true)
	}
	if what == "" && strings.Contains(r.At(i).Raw, "/") {
		return r.choices(it, i, to, true)
	}
	rules, kind := it.rules, it.kind
	if end := r.EndOf(i + k); what == "example" && end < to && r.figures(i+k, end) { // like 1x 2x 4+
		it.left, it.told, it.end = append(it.left, r.text(i, end)), true, end
		return true
	}
	if what == "example" && r.At(r.EndOf(i+k)).Low == "," { // such as flour, eggs and sugar
		end, or := r.choicesEnd(i+k, to)
		it.left, it.told, it.end = append(it.left, r.text(i, end)), true, end
		return or
	}
	n := rules.Said(r.Text, i, &kind)
	if n == 0 || i+n > to || rules.Choices != nil && it.rules.Choices == nil {
		return false
	}
	if slices.ContainsFunc(r.Tokens[i:i+n], func(t words.Token) bool { return t.Low == "digits" || t.Low == "letters" }) { // only the length is held
		it.left = append(it.left, r.text(i, i+n))
	}
	it.rules, it.kind, it.told, it.end = rules, kind, true, i+n
	return true
}

// figures says whether every word between two places has a digit, so that none of them is a field.
func (r *reader) figures(from, to int) bool {
	plain := func(t words.Token) bool { return !strings.ContainsAny(t.Raw, "0123456789") }
	return from < to && !slices.ContainsFunc(r.Tokens[from:to], plain)
}

// more reads a rule that a comma parts from the rest: a string, required.
func (r *reader) more(it *item, to int) bool {
	i := it.end
	if low := r.At(i).Low; low != "," && low != "and" && low != "but" && low != "&" {
		return false
	}
	first := r.After(i, ",")
	for i < to && (r.At(i).Low == "," || r.At(i).Low == "&" || r.Is("beside-rule", r.At(i).Low) && r.At(i).Low != "type") {
		i++
	}
	what, k := r.Longest(i, "rule")
	next := *it
	switch value := r.At(i).Raw; {
	case r.Length(i+1, "at-first") > 0 && r.Ends(i+1+r.Length(i+1, "at-first")): // (open, closed), which is open by default
		next.rules.Default, next.told, next.end = value, true, i+1+r.Length(i+1, "at-first")
	case r.relative(first) > 0:
		if !r.described(&next, r.After(first+r.relative(first), "a", "an"), to) {
			return false
		}
	case r.At(i+k).Low == "(": // required (bool) is a field
		return false
	case what == "default" && !r.plainValue(*it, i+k): // default room
		return false
	case k > 0 && what != "choice" && what != "or" && what != "example", k == 0 && (it.kind != "" || r.At(i).Low == "exactly") && r.spans(i):
		if !r.rule(&next, i, to) {
			return false
		}
	default:
		return false
	}
	if next.end < to && !r.Ends(next.end) {
		return false
	}
	*it = next
	return true
}

// literal says whether a word is a value, whatever it means: EUR, 5, "draft".
func (r *reader) literal(t words.Token) bool {
	return t.Quoted || values.Decimal.MatchString(t.Raw) || r.Is("truth", t.Low) || len(t.Raw) > 1 && t.Raw == strings.ToUpper(t.Raw) && !strings.Contains(t.Raw, "/")
}

// plainValue says whether a value stands at a place that may be the default of a field: a number, yes or no, or one of its choices.
func (r *reader) plainValue(it item, i int) bool {
	t := r.At(r.After(i, ":", "is", "to", "of", "value", "as"))
	return t.Quoted || values.Decimal.MatchString(t.Raw) || r.Is("truth", t.Low) || slices.Contains(it.rules.Choices, t.Raw)
}

// relative gives the length of a phrase that goes on about the name before a comma: which can be.
func (r *reader) relative(i int) int {
	if n := r.Length(i, "modal"); n > 0 && r.Is("relative", r.At(i).Low) {
		return n
	}
	return 0
}

// described reads what stands behind a colon, or behind "is".
func (r *reader) described(it *item, i, to int) bool {
	if other := r.reference(i, to); other != "" && !english.IsPlural(it.words[len(it.words)-1]) {
		it.ref, it.told, it.end = other, true, min(r.EndOf(i), to)
		return true
	}
	kind, n := r.Longest(i, "type")
	if t := r.soleThing(); n == 0 && r.At(i-1).Low == ":" && t != nil && r.find(strings.Join(it.words, "_")) == t && !r.alternates(i, r.NextMark(i)+2) { // each inspection: site, inspector
		return false
	}
	switch {
	case i >= to || r.At(i).Mark:
		return false
	case r.Is("refers", r.At(i).Low) && r.over(i+1, to): // podcast: ref
		it.told, it.refers, it.end = true, true, i+1
		return true
	case n == 1 && !r.Is("type-behind", r.At(i).Low) && r.At(i+1).Low == "," && !r.Is("nothing", r.At(i+2).Low) && r.closed(i, to): // channel: phone, email, letter;
		return r.choices(it, i, to, true)
	case r.At(i).Low == "time" && r.over(i+1, to): // start_time: time
		it.kind, it.told, it.left, it.end = values.Text, true, append(it.left, "time"), i+1
		return true
	case n > 0 && (i+n >= to || r.Ends(i+n) || r.Length(i+n, "rule") > 0 || r.At(i+n).Low == "("):
		it.kind, it.told, it.end = r.kindOf(kind, i), true, i+n
		return true
	case r.rule(it, i, to):
		return true
	}
	return r.choices(it, i, to, r.At(i-1).Low == ":")
}

// reference gives the thing that something refers to: an artist, belongs to Vessel.
func (r *reader) reference(i, to int) string {
	if m, n := r.Phrase(i); m.Class == "relation" {
		i += n
	}
	n, ok := r.noun(i)
	if !ok || n.to < to && !r.Ends(n.to) || n.many() && r.find(n.name()) == nil {
		return ""
	}
	if r.find(n.name()) != nil || r.heads[n.name()] {
		return n.name()
	}
	return ""
}
