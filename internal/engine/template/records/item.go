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
	called    bool     // it is called a field
	from, end int
}

func (it item) bare() bool { return !it.told && it.kind == "" && it.ref == "" && len(it.left) == 0 }

// entry reads one item of a list, or two that share a word: first and last name.
func (r *reader) entry(i, to int) (all []item, end int) {
	if at := r.skip(i); r.Is("pair", r.At(at).Low) && r.At(at+1).Low == "and" && r.Tables["pair"][r.At(at).Low] == r.At(at+2).Low && !r.Ends(at+3) {
		other, ok := r.item(at+2, to)
		if !ok || len(other.words) < 2 {
			return nil, i
		}
		one := other
		one.words = append([]string{r.At(at).Low}, other.words[1:]...)
		return []item{one, other}, other.end
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
	it.from, it.end, it.the = at, at, r.At(at-1).Low == "the"
	if low := r.At(at).Low; low == "whether" || low == "how" {
		return it, r.asked(&it, at, to) && r.tail(&it, to)
	}
	if !r.name(&it, to) || !r.tail(&it, to) {
		return it, false
	}
	if it.stated && it.several && it.kind == values.Texts && !english.IsPlural(it.words[len(it.words)-1]) { // name and city are texts
		it.kind = values.Text
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
		case r.At(i).Low == "which" && r.heads[english.Singular(r.At(i+1).Low)] && r.Ends(i+2): // which kayak
			i++
		case r.Is("list-of", r.At(i).Low) && r.At(i+1).Low == "of" && !r.Ends(i+2):
			it.kind, it.told, i = values.Texts, true, i+2
		case n > 0 && plain && i+n < to && !r.Ends(i+n):
			it.rules.Said(r.Text, i, &it.kind)
			it.told, i = true, r.article(i+n)
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
	for ; at < to && !r.Ends(at); at++ {
		if low := r.At(at).Low; !r.Is("copula", low) && !r.Is("light", low) && r.Length(at, "narrator") == 0 && !r.Is("of-it", low) {
			it.words = append(it.words, spelled(r.At(at)))
		}
	}
	it.kind, it.told, it.end = kind, true, at
	return kind != "" && len(it.words) > 0 && len(it.words) < 4 && plainName.MatchString(strings.Join(it.words, "_"))
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
		case !first && r.said(*it, i) && !(r.Is("condition", r.At(i).Low) && r.Is("dates", r.At(i+1).Low)):
			return r.goodField(it.words)
		case !first && (r.At(i).Low == "of" || r.At(i).Low == "per") && r.partable(r.After(i+1, "the", "a", "an")):
			it.words, it.end = append(it.words, r.At(i).Low), r.After(i+1, "the", "a", "an")
		case (!first || r.Is("alone-too", r.At(i).Low)) && (r.Is("particle", r.At(i).Low) || r.Is("condition", r.At(i).Low)) && r.Is("dates", r.At(i+1).Low) && r.over(i+2, to): // dropped off date
			it.words, it.end = append(it.words, r.At(i).Low, r.At(i+1).Low), i+2
		case r.Is("particle", r.At(i).Low) && r.class(i) != "" && r.over(i+1, to):
			if r.At(i).Low == "in" && (first || !r.done(it.words[len(it.words)-1])) { // humidity in %
				return false
			}
			it.words, it.end = append(it.words, r.At(i).Low), i+1
			return (!first || r.Is("alone-too", r.At(i).Low)) && r.goodField(it.words)
		case !first && r.At(i).Low == "no" && r.over(i+1, to): // passport no
			it.words, it.end = append(it.words, "no"), i+1
		case first && r.Is("only-verb", r.At(i).Low) && !r.Is("adverb", r.At(i).Low) && (r.over(i+1, to) || r.Length(i+1, "type") > 1): // an estimate in hours
			it.words, it.end = append(it.words, r.At(i).Low), i+1
		case r.partable(i), first && r.Is("field-begins", r.At(i).Low) && !r.Ends(i+1):
			it.words, it.end = append(it.words, strings.Split(spelled(r.At(i)), "_")...), i+1
		default:
			return false
		}
	}
	return len(it.words) > 0 && r.goodField(it.words)
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
	switch low := r.At(i).Low; {
	case n == 1 && r.pluralType(low) && r.At(r.skipBack(it.from)-1).Low == "and" && r.Ends(i+1):
		return true
	case r.Is("type-behind", low), n > 1, r.Is("refers", low), strings.Contains(r.At(i).Raw, "/"):
		return true
	case n > 0 && (r.typed || strings.Contains(r.At(i-1).Text, "_")) && (r.over(i+1, len(r.Tokens)) || r.spans(i+1)): // valid_until date
		return true
	case low == "text" && (r.Length(i+1, "rule") > 0 || r.Ends(i+1) && r.fieldWord(it.words[len(it.words)-1])):
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
	if len(all) > 1 && r.Is("rule", all[0]) && !r.Is("bound", all[0]) && !r.Is("field", last) { // default true
		return false
	}
	does := len(all) > 1 && (r.Is("acts", all[0]) || r.Is("only-do", all[0]) && !r.Is("inside-word", all[1]) && !r.Is("field", last))
	none := r.Is("never-field", last) || r.Is("no-field", last) || r.Is("no-name", last)
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
		if r.Is("polite", r.At(i).Low) || r.class(i) == "place" && settings.Is(r.Text, r.skip(i+1)) || r.class(i) == "fields" && settings.Is(r.Text, r.skip(i+1)) {
			return true // please, in Go
		}
		if r.At(i).Low == "or" && r.At(i+1).Low == "not" && r.over(i+2, to) && it.kind == "" { // vegan or not
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
	case low == "(":
		return r.remark(it, i, to)
	case r.At(i).Text == "|" && r.Is("nothing", r.At(i+1).Low): // date | None
		it.rules.Need, it.end = "optional", i+2
	case low == ":" && it.kind != "" && r.Ends(i+2) && i+1 < to && r.At(i).Text == "=": // bool = true
		it.rules.Default, it.told, it.end = r.At(i+1).Raw, true, i+2
	case low == "in" && strings.Contains(r.At(i+1).Raw, "/"):
		it.kind, it.told, it.end = values.Number, true, r.Behind(i+1)
	case low == ":":
		return r.described(it, i+1, to)
	case n > 0 && (n == 1 || strings.Count(r.At(i).Raw, "/") < n): // but yes/no/maybe
		it.several = it.several || n == 1 && r.pluralType(low) && r.At(r.skipBack(it.from)-1).Low == "and" // created and updated timestamps
		it.kind, it.told, it.end = r.kindOf(kind, i), true, i+n
	case r.Is("refers", low):
		it.told, it.end = true, i+1
	case r.rule(it, i, to):
	case r.Length(i, "modal") > 0:
		k := r.Length(i, "modal")
		if denied := " " + r.Words(i, k) + " "; strings.Contains(denied, " not ") || strings.Contains(denied, "cannot") { // must not be unique
			return false
		}
		return r.described(it, r.After(i+k, "a", "an"), to)
	case r.Length(i, "condition") > 0 || r.class(i) == "place":
		end := min(r.EndOf(i), to)
		it.left, it.told, it.end = append(it.left, r.text(i, end)), true, end
	default:
		return false
	}
	return true
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
	if what == "example" && r.At(r.EndOf(i+k)).Low == "," { // such as flour, eggs and sugar
		return false
	}
	n := rules.Said(r.Text, i, &kind)
	if n == 0 || i+n > to || rules.Choices != nil && it.rules.Choices == nil {
		return false
	}
	it.rules, it.kind, it.told, it.end = rules, kind, true, i+n
	return true
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
	case k > 0 && what != "choice" && what != "or" && what != "example", k == 0 && it.kind != "" && r.spans(i):
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

// plainValue says whether a value stands at a place that may be the default of a field: a number, yes or no, or one of its choices.
func (r *reader) plainValue(it item, i int) bool {
	t := r.At(r.After(i, ":", "is", "to", "of", "value", "as"))
	return t.Quoted || values.Decimal.MatchString(t.Raw) || r.Is("truth", t.Low) || slices.Contains(it.rules.Choices, t.Raw)
}

// closed says whether a list of choices ends for certain, by "or" or a semicolon.
func (r *reader) closed(i, to int) bool {
	end, or := r.choicesEnd(i, to)
	return or || end > i && r.At(end).Text == ";"
}

// relative gives the length of a phrase that goes on about the name before a comma: which can be.
func (r *reader) relative(i int) int {
	if n := r.Length(i, "modal"); n > 0 && r.Is("relative", r.At(i).Low) {
		return n
	}
	return 0
}

// manySpans says whether several ranges of numbers stand between two places.
func (r *reader) manySpans(from, end int) bool {
	n := 0
	for k := from; k < end; k++ {
		if (k == from || r.At(k-1).Mark) && r.spans(k) {
			n++
		}
	}
	return n > 1
}

// spans says whether two numbers with all between them stand at a place.
func (r *reader) spans(i int) bool {
	var rules values.Rules
	var kind string
	return rules.Said(r.Text, i, &kind) > 0 && rules.Min != "" && rules.Max != ""
}

// described reads what stands behind a colon, or behind "is".
func (r *reader) described(it *item, i, to int) bool {
	if other := r.reference(i, to); other != "" && !english.IsPlural(it.words[len(it.words)-1]) {
		it.ref, it.told, it.end = other, true, min(r.EndOf(i), to)
		return true
	}
	kind, n := r.Longest(i, "type")
	switch {
	case i >= to || r.At(i).Mark:
		return false
	case r.Is("refers", r.At(i).Low) && r.over(i+1, to): // podcast: ref
		it.told, it.end = true, i+1
		return true
	case n == 1 && !r.Is("type-behind", r.At(i).Low) && r.At(i+1).Low == "," && r.closed(i, to): // channel: phone, email, letter;
		return r.choices(it, i, to, true)
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

// remark reads what stands in brackets behind the name of a field: its kind, its rules, or its choices.
func (r *reader) remark(it *item, i, to int) bool {
	end := r.closes(i)
	if end < 0 || end >= to+1 || end == i+1 {
		return false
	}
	from := r.After(i+1, "both", "each", "all")
	it.end, it.both = end+1, r.At(i+1).Low == "both"
	if n, ok := r.noun(from); ok && n.to == end && r.reference(from, end) != "" {
		it.ref, it.told = n.name(), true
		return true
	}
	if r.Is("refers", r.text(from, end)) {
		it.told = true
		return true
	}
	if r.lines(from, end) != nil { // a list of rules below the lists of fields
		return false
	}
	l := r.list(from, end, true)
	typed := r.typedOf(l) > 0 && 2*r.holds(l) >= len(l.items)
	if len(l.items) > 1 && (typed || !r.alternates(from, end) && r.Tables["field"][it.words[len(it.words)-1]] != values.Text && 2*r.holds(l) > len(l.items)) && !r.Is("made-of", it.words[len(it.words)-1]) { // unit (number unique, floor int)
		return false
	}
	if what, n := r.Longest(from, "rule"); what == "choice" || what == "or" {
		return r.choices(it, r.After(from+n, ":"), end, true) && r.finishAt(it, end)
	}
	return r.enclosed(it, from, end)
}

// holds counts the items of a list that are like fields, and not only true or false.
func (r *reader) holds(l list) (n int) {
	for _, it := range l.items {
		raw := r.At(it.from).Raw
		whole := strings.Join(it.words, " ")
		kind := cmp.Or(r.Tables["field"][whole], r.Tables["also-field"][whole], r.Tables["field"][it.words[len(it.words)-1]])
		if r.likeField(it) && (kind != values.Truth || it.told) && raw != strings.ToUpper(raw) {
			n++
		}
	}
	return n
}

// finishAt says whether all that brackets hold was read, and goes on behind them.
func (r *reader) finishAt(it *item, end int) bool {
	ok := r.tail(it, end)
	it.end = end + 1
	return ok
}

// typedOf counts the items of a list that say more than a name.
func (r *reader) typedOf(l list) (n int) {
	for _, it := range l.items {
		if it.told && len(it.words) > 0 && !r.Is("rule", it.words[0]) && !r.Is("type", it.words[0]) {
			n++
		}
	}
	return n
}

// enclosed reads kinds, rules and choices that brackets hold together.
func (r *reader) enclosed(it *item, from, end int) bool {
	if last := it.words[len(it.words)-1]; r.Is("made-of", last) && r.namesOnly(from, end) { // address (street, city)
		it.left = append(it.left, r.text(from, end))
		return true
	}
	if at := r.atFirst(from, end); at < end { // (open/closed; open by default)
		list, k := r.plain(from, at-1)
		if until := at - 1; k == until && slices.Contains(list, r.At(at).Raw) {
			it.rules.Choices, it.rules.Default, it.told = list, r.At(at).Raw, true
			return true
		}
	}
	if at := r.ruleWithin(from, end); at < end { // (open, closed; default open)
		until := at
		for until > from && r.At(until-1).Mark {
			until--
		}
		if list, k := r.plain(from, until); k == until && until > from && r.choosable(list, from, until) && !english.IsPlural(it.words[len(it.words)-1]) {
			it.rules.Choices, it.told, it.end = list, true, until
			return r.finishAt(it, end)
		}
	}
	if list, at := r.plain(from, end); at == end && !english.IsPlural(it.words[len(it.words)-1]) && r.choosable(list, from, end) {
		it.rules.Choices, it.told = list, true
		return true
	}
	rules, kind := it.rules, it.kind
	last := it.words[len(it.words)-1]
	if list := r.options(from, end); english.IsPlural(last) && r.fieldWord(last) && !r.Is("no-title", last) && len(list) > 1 && r.ruleWithin(from, end) == end && !values.Decimal.MatchString(list[0]) && r.choosable(list, from, end) { // tags (quick, cheap): each one of them?
		it.left = append(it.left, r.text(from, end))
		return true
	}
	if list := r.options(from, end); r.Is("no-title", last) && r.ruleWithin(from, end) == end && len(list) > 2 && r.choosable(list, from, end) { // a type (single, double, suite)
		it.rules.Choices, it.told = list, true
		return true
	}
	if r.manySpans(from, end) { // 0-2, 3-5, 6-9
		it.left = append(it.left, r.text(from, end))
		return true
	}
	left, vague := rules.Described(r.Text, it.words, from, end, &kind)
	kind = cmp.Or(it.kind, kind) // an int (minutes)
	switch {
	case len(left) == 0:
		it.rules, it.kind, it.told = rules, kind, true
		return true
	case english.IsPlural(last) && !r.fieldWord(last): // matches (home, away): a thing of its own?
		return false
	case len(left) > 1 && kind == it.kind && !vague && r.choosable(left, from, end):
		it.rules, it.told = rules, true
		it.rules.Choices = left
		return true
	}
	it.left = append(it.left, r.text(from, end))
	return true
}

// namesOnly says whether several words stand between two places, and none that says something of values.
func (r *reader) namesOnly(from, end int) bool {
	for k := from; k < end; k++ {
		if r.Length(k, "rule")+r.Length(k, "type") > 0 {
			return false
		}
	}
	return len(r.options(from, end)) > 1
}

// atFirst gives the place of a word behind a mark that a value is to begin with, or the end.
func (r *reader) atFirst(from, end int) int {
	for k := from + 1; k+1 < end; k++ {
		if r.At(k-1).Mark && r.Length(k+1, "at-first") > 0 && k+1+r.Length(k+1, "at-first") == end {
			return k
		}
	}
	return end
}

// ruleWithin gives the place of the first rule that says of choices which one is meant, or the end.
func (r *reader) ruleWithin(from, end int) int {
	for k := from; k < end; k++ {
		if what, _ := r.Longest(k, "rule"); what == "default" || what == "required" || what == "optional" || what == "unique" {
			return k
		}
	}
	return end
}

// plain gives the parts of a list of words with nothing else between, and the place behind it.
func (r *reader) plain(from, end int) (list []string, to int) {
	for k := from; k < end; k++ {
		t := r.At(k)
		typed := r.Is("type", t.Low) && (k == from || !r.alternates(from, end))
		said := r.Length(k, "rule") > 0 || typed || r.Length(k, "modal") > 0 && t.Low != "or" || t.Mark && t.Low != ","
		if said && !t.Quoted || words.FigureLike.MatchString(t.Low) {
			return nil, k
		}
	}
	list = r.options(from, end)
	if len(list) < 2 {
		return nil, from
	}
	return list, end
}

// options gives what stands from one place to another, with commas, slashes, "or" or a last "and" between.
func (r *reader) options(from, to int) (list []string) {
	begin := from
	for k := from; k <= to; k++ {
		t := r.At(k)
		if k < to && !(t.Mark && !t.Quoted) && t.Low != "or" && t.Low != "and" {
			continue
		}
		if text := r.Written(begin, k); k > begin && text != "" {
			list = append(list, strings.Split(text, "/")...)
		}
		begin = k + 1
	}
	return list
}

// alternates says whether words are parted by what only parts choices: or, a slash, a bar.
func (r *reader) alternates(from, end int) bool {
	slash, comma := false, false
	for _, t := range r.Tokens[from:min(end, len(r.Tokens))] {
		if t.Low == "or" || t.Text == "|" {
			return true
		}
		slash, comma = slash || strings.Contains(t.Raw, "/"), comma || t.Mark && t.Low == ","
	}
	return slash && !comma
}

// choosable says whether words can be what a field may be: no names of fields, and not joined by "and" alone.
func (r *reader) choosable(list []string, from, end int) bool {
	or := r.alternates(from, end)
	for k := from; k < end; k++ {
		if t := r.At(k); t.Mark && t.Low != "," || r.Length(k, "rule") > 0 && !t.Quoted {
			return false
		}
	}
	if !or && !slices.ContainsFunc(r.Tokens[from:end], func(t words.Token) bool { return t.Mark && t.Low == "," }) {
		return false
	}
	fields := 0
	for _, each := range list {
		all := strings.Fields(strings.ToLower(each))
		if len(all) == 0 || unlikely(each) || r.Is("no-choice", all[0]) {
			return false
		}
		kind := r.Tables["field"][all[len(all)-1]]
		if kind != "" && kind != values.Truth && each != strings.ToUpper(each) && !or {
			fields++
		}
	}
	return 2*fields < len(list)
}

// choices reads what the values of a field may be. Where the list ends must be certain: at an "or", at a semicolon or at the
// end of what can be read.
func (r *reader) choices(it *item, i, to int, told bool) bool {
	if strings.Contains(r.At(i).Raw, "/") {
		it.rules.Choices, it.told, it.end = r.options(i, r.Behind(i)), true, r.Behind(i)
		return len(it.rules.Choices) > 1
	}
	if r.At(i).Low == "(" {
		end := r.closes(i)
		if end < 0 || end >= to {
			return false
		}
		list := r.options(i+1, end)
		it.rules.Choices, it.told, it.end = list, true, end+1
		return len(list) > 1
	}
	end, or := r.choicesEnd(i, to)
	list := r.options(i, end)
	if slices.ContainsFunc(list, unlikely) {
		return false
	}
	if end == 0 || len(list) < 2 || !told && !or || !r.choicesFollow(i) && !r.choosable(list, i, end) {
		return false
	}
	if !or && !r.choicesFollow(i) && slices.ContainsFunc(list, r.measures) { // status: open, closed, price
		return false
	}
	it.rules.Choices, it.told, it.end = list, true, end
	return true
}

// unlikely says whether words are no choice: too many, or letters with spaces between, which are several.
func unlikely(choice string) bool {
	all := strings.Fields(choice)
	return len(all) > 3 || len(all) > 1 && !slices.ContainsFunc(all, func(w string) bool { return len(w) > 1 })
}

// measures says whether a word names a field that is not only true or false.
func (r *reader) measures(w string) bool {
	kind := r.Tables["field"][strings.ToLower(w)]
	return kind != "" && kind != values.Truth
}

// choicesFollow says whether a word before a place says that choices follow: one of, enum.
func (r *reader) choicesFollow(i int) bool {
	at := i - 1
	if r.At(at).Low == ":" {
		at--
	}
	return r.Is("certain-choice", r.At(at).Low)
}

// choicesEnd gives the place where a list of choices ends for certain, or none, and whether an "or" tells that it is one. A
// part of which something else is said is the next field.
func (r *reader) choicesEnd(i, to int) (end int, or bool) {
	comma := 0
	for k := i; k < to; k++ {
		what, _ := r.Longest(k, "rule")
		t := r.At(k)
		switch {
		case t.Low == "or":
			end = min(r.EndOf(k+1), to)
			for e := k + 1; e < end; e++ {
				if r.Length(e, "rule") > 0 {
					return e, true
				}
			}
			return end, true
		case t.Mark && t.Low == ":" && t.Text != "=" && comma > 0: // foil, epee, hand: left
			return comma, false
		case t.Mark && (t.Text == ";" || t.Low != ","):
			return k, false
		case t.Mark:
			comma = k
		case k > i && (what == "default" || what == "required" || what == "unique" || what == "optional"):
			return k, false
		case k > i && (what != "" || strings.Contains(t.Text, "_") || r.Is("type-behind", t.Low)):
			return comma, false
		case t.Low == "and":
			return 0, false
		}
	}
	return to, false
}
