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
	if at := r.skip(i); r.At(at).Low == "from" && r.joins(at+1) && r.At(at+2).Low == "to" && r.Is("dates", english.Singular(r.At(at+3).Low)) && r.over(at+4, to) { // from and to dates
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
	if low := r.At(at).Low; low == "whether" || low == "how" && r.Is("many-or-much", r.At(at+1).Low) || r.ifSo(at) || r.isIt(at) {
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
	if k := len(it.words); k > 2 && it.words[0] == "default" && r.literal(r.At(it.from+k-1)) { // default currency EUR: of what?
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
		case r.Is("behind", r.At(i).Low) && r.At(i+1).Low == "which" && r.partable(i+2) && r.Ends(i+3): // in which year
			i += 2
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
		case n == 1 && what == "required" && r.Ends(i+2) && english.IsPlural(r.At(i+1).Low) && r.needed(i+1): // required skills
			return i
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

// needed says whether several of something may be needed in life, and not in a record.
func (r *reader) needed(i int) bool {
	return !r.Is("field-noun", english.Singular(r.At(i).Low)) && !r.isMeasure(english.Singular(r.At(i).Low)) && !r.isThing(r.At(i).Low) && r.Length(i, "type") == 0
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
	} else if kind != values.Truth && len(it.words) < 4 && !slices.ContainsFunc(it.words, counted) { // how many I saw
		it.words = append([]string{"how", r.At(i + 1).Low}, it.words...)
		return len(it.words) > 2 && plainName.MatchString(strings.Join(it.words, "_"))
	}
	return kind != "" && len(it.words) > 0 && len(it.words) < 4 && plainName.MatchString(strings.Join(it.words, "_"))
}

// hasIt says whether a field follows that tells if something is there: has garden.
func (r *reader) hasIt(i int) bool {
	next, certain := r.At(i+1).Low, r.truthAt(r.After(i+2, "("))
	plain := (r.At(i).Low == "has" || r.At(i).Low == "needs" && r.At(i-1).Low == "," && !settings.Is(r.Text, i+1) && r.ClassAt(i+1) == "") && !english.IsPlural(next) && r.over(i+2, len(r.Tokens))
	if r.At(i).Low == "contains" && r.At(i-1).Low == "," && r.partable(i+1) && r.Ends(i+2) && !r.isThing(next) && !r.fieldWord(next) { // contains nuts
		return true
	}
	return (plain || certain && r.Is("has-or-needs", r.At(i).Low)) && r.Ends(i-1) && r.partable(i+1)
}

// ifSo says whether a field follows that tells if something is so: if it's vegan.
func (r *reader) ifSo(i int) bool {
	end := r.EndOf(i)
	ours := r.Length(i+1, "narrator") > 0 && r.At(end).Low == "or" && r.At(end+1).Low == "not" // if I saw it or not
	return r.At(i).Low == "if" && (r.Is("someone", r.At(i+1).Low) || ours)
}

// isIt says whether a field follows that asks if something is so: is it working.
func (r *reader) isIt(i int) bool {
	did := r.At(i-1).Low == "," && (r.At(i).Low == "did" || r.At(i).Low == "does") && r.Ends(i+3) // did it help
	return (did || r.Is("asks-if", r.At(i).Low)) && r.Is("someone", r.At(i+1).Low) && r.begins(i) && !r.Ends(i+2)
}

// tail reads all that is said of the values of a field, up to the end of its part of the list.
func (r *reader) tail(it *item, to int) bool {
	for it.end < to {
		i := it.end
		if !r.Ends(i) && !r.Is("type-behind", r.At(i).Low) && settings.Is(r.Text, i) { // on port 5050
			return true
		}
		if r.At(i).Low == ":" && it.bare() && english.IsPlural(it.words[len(it.words)-1]) && r.defines(i+1) && r.At(i+1).Low != "(" && r.Length(i+1, "type") == 0 { // cars and trips: a trip has
			return true
		}
		if n, ok := r.noun(i + 1); r.At(i).Low == "(" && ok && it.bare() && english.IsPlural(it.words[len(it.words)-1]) && r.tellsRelation(i+1, to) && n.name() == english.Singular(strings.Join(it.words, "_")) { // trains and stops (a stop links a train to a station)
			return true
		}
		if r.Is("polite", r.At(i).Low) || r.class(i) == "place" && settings.Is(r.Text, r.skip(i+1)) || r.class(i) == "fields" && settings.Is(r.Text, r.skip(i+1)) {
			return true // please, in Go
		}
		if r.At(i).Low == "or" && r.At(i+1).Low == "not" && r.over(i+2, to) && (it.kind == "" || it.kind == values.Truth) { // vegan or not
			it.kind, it.told, it.end = values.Truth, true, i+2
			continue
		}
		if n := r.Length(i, "till-now"); n > 0 && i > it.from && r.over(i+n, to) { // kilometres so far, price each
			it.end += n
			continue
		}
		if r.closesDash(i) || r.belonging(i) {
			return true
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

// closesDash says whether a dash ends a list that another one opened: permits - plate, zone - with SQLite.
func (r *reader) closesDash(i int) bool {
	opened := i - 1
	for opened > 0 && r.At(opened).Text != "-" && r.At(opened).Low != "." {
		opened--
	}
	at := r.skip(i + 1)
	return r.At(i).Text == "-" && r.At(i).Mark && r.At(opened).Text == "-" && (settings.Is(r.Text, at) || r.endsList(at) || r.class(i+1) == "place" || r.class(i+1) == "fields")
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
		return r.choices(it, r.After(i, "of", "as", "from", "either", "being"), to, true)
	case low == "from" && it.bare() && r.Is("chosen", it.words[len(it.words)-1]) && r.Ends(i+2) && !r.over(i+1, to): // category from food, drinks
		return r.choices(it, i+1, to, true)
	case low == "(":
		return r.remark(it, i, to)
	case r.At(i).Text == "|" && r.Is("nothing", r.At(i+1).Low): // date | None
		it.rules.Need, it.end = "optional", i+2
	case r.At(i).Text == "=" && r.Ends(i+2) && i+1 < to && (it.kind != "" || it.rules.Choices != nil || it.bare() && r.literal(r.At(i+1))): // bool = true, currency = EUR
		it.rules.Default, it.told, it.end = r.At(i+1).Raw, true, i+2
	case low == "in" && strings.Contains(r.At(i+1).Raw, "/"):
		it.kind, it.told, it.end = values.Number, true, r.Behind(i+1)
	case low == ":":
		arrow := r.At(i).Text == "->" && r.At(it.from-1).Text != ";" // berth -> Berth, but not: title, author; loan -> book, member
		it.colon = r.At(i).Text != "=" && !arrow && it.words[len(it.words)-1] != "id"
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
	case r.eitherNumber(i):
		it.left, it.told, it.end = append(it.left, r.text(i, i+3)), true, i+3
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
	case low == "in" && r.done(it.words[len(it.words)-1]) && r.partable(i+1): // paid in cash
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

// eitherNumber says whether one of two numbers is told at a place: 25 or 50.
func (r *reader) eitherNumber(i int) bool {
	return values.Decimal.MatchString(r.At(i).Raw) && r.At(i+1).Low == "or" && values.Decimal.MatchString(r.At(i+2).Raw) && !r.spans(i) && r.Ends(i+3)
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
	placed := r.Is("article", r.At(it.end+1).Low) && !r.likeField(it)                            // depart from an airport
	within := r.done(it.words[last]) && english.IsPlural(r.At(r.EndOf(it.end)-1).Low)            // grouped in collections
	does := english.IsPlural(it.words[last]) || r.class(it.from) == "detail" || placed || within // import from files
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
		if choices := it.rules.Choices; choices != nil && !slices.Contains(choices, value) || choices == nil && !r.literal(r.At(i)) && !r.Is("chosen", it.words[len(it.words)-1]) { // country, active by default
			return false
		}
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
	first, last := !r.At(r.skipBack(it.from)-1).Mark, r.At(r.NextMark(i+2)).Low != ":"
	switch {
	case i >= to || r.At(i).Mark || r.At(i-1).Text == "->" && r.projectAt(i): // book -> title, author -> REST API
		return false
	case n == 1 && r.fieldWord(r.At(i).Low) && r.At(i-1).Low == ":" && r.At(i+1).Low == "," && first && last && !(r.colons && (!english.IsPlural(it.words[len(it.words)-1]) || r.endsList(i+2))): // with a view: number, price
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
