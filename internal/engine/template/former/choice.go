package former

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// remark reads what stands in brackets behind the name of a field: its kind, its rules, or its choices.
func (r *reader) remark(it *item, i, to int) bool {
	end := r.Closes(i)
	if end < 0 || end >= to+1 || end == i+1 {
		return false
	}
	from := r.After(i+1, "both", "each", "all")
	if from == i+1 && r.pluralType(r.At(from).Low) && r.At(r.skipBack(it.from)-1).Low == "," && !english.IsPlural(it.words[len(it.words)-1]) { // left, right (decimals): which of them?
		r.Refuse(r.text(it.from, end))
	}
	it.end, it.both, it.all = end+1, r.At(i+1).Low == "both", r.At(i+1).Low == "all"
	if ref := r.reference(from, end); r.ClassAt(from) == "relation" && ref != "" { // (belongs to Vineyard)
		it.ref, it.told = ref, true
		return true
	}
	if n, ok := r.noun(from); ok && n.to == end && r.reference(from, end) != "" {
		it.ref, it.told = n.name(), true
		return true
	}
	if to := r.After(from+1, "to"); r.Is("refers", r.At(from).Low) && to == from+2 && r.reference(to, end) != "" { // reference to Vehicle
		it.ref, it.told = r.reference(to, end), true
		return true
	}
	if r.Is("refers", r.text(from, end)) {
		it.told, it.refers = true, true
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
	if last := it.words[len(it.words)-1]; len(l.items) > 1 && !r.Is("made-of", last) && (r.Is("above", last) && r.like(l) == len(l.items) || r.lists("name", from, end)) { // owner (name, phone): a record?
		return false
	}
	return r.enclosed(it, from, end)
}

// finishAt says whether all that brackets hold was read, and goes on behind them.
func (r *reader) finishAt(it *item, end int) bool {
	if what, n := r.Longest(it.end, "rule"); what == "optional" && it.end+n == end { // gold/silver or empty
		it.rules.Need, it.end = what, end
	}
	ok := r.tail(it, end) && it.end >= end
	it.end = end + 1
	return ok
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

// typedOf counts the items of a list that say more than a name.
func (r *reader) typedOf(l list) (n int) {
	for _, it := range l.items {
		if it.told && len(it.words) > 0 && !r.Is("rule", it.words[0]) && !r.Is("type", it.words[0]) {
			n++
		}
	}
	return n
}

// both says whether one of several stands together with what is behind them: WS or SS and year.
func (r *reader) both(from, end int) bool {
	or := slices.IndexFunc(r.Tokens[from:end], func(t words.Token) bool { return t.Low == "or" })
	return or > 0 && slices.ContainsFunc(r.Tokens[from+or:end], func(t words.Token) bool { return t.Low == "and" })
}

// enclosed reads kinds, rules and choices that brackets hold together.
func (r *reader) enclosed(it *item, from, end int) bool {
	if last := it.words[len(it.words)-1]; r.Is("made-of", last) && r.namesOnly(from, end) { // address (street, city)
		it.left = append(it.left, r.text(from, end))
		return true
	}
	if next := *it; r.Length(from, "rule") > 0 && from+1 < end { // unique integer
		next.end = from
		if r.tail(&next, end) && next.end == end && next.kind != "" && len(next.left) == 0 {
			next.end = end + 1
			*it = next
			return true
		}
	}
	if slices.ContainsFunc(r.Tokens[from:end], func(t words.Token) bool { return fraction.MatchString(t.Raw) }) || r.both(from, end) { // (1/4, 1/2)
		it.left = append(it.left, r.Written(from, end))
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
	if guess, _ := values.Guess(r.Lexicon, it.words); guess == values.Integer && it.kind == "" && english.IsPlural(last) && r.wordsOnly(from, end) { // days (mon, tue, wed)
		it.kind, it.told, it.left = values.Texts, true, append(it.left, r.text(from, end))
		return true
	}
	if list := r.options(from, end); english.IsPlural(last) && r.Length(from, "type") == 0 && r.fieldWord(last) && !r.Is("no-title", last) && len(list) > 1 && r.ruleWithin(from, end) == end && !values.Decimal.MatchString(list[0]) && r.choosable(list, from, end) { // tags (quick, cheap): each one of them?
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
	if !it.unit || kind == "" { // in kg (integer)
		kind = cmp.Or(it.kind, kind) // an int (minutes)
	}
	switch {
	case len(left) == 0:
		it.rules, it.kind, it.told = rules, kind, true
		if said := r.text(from, end); strings.HasSuffix(said, " letters") || strings.HasSuffix(said, " digits") { // only the length is held
			it.left = append(it.left, strings.TrimSpace(said[strings.LastIndex(said, ",")+1:]))
		}
		return true
	case english.IsPlural(last) && !r.fieldWord(last): // matches (home, away): a thing of its own?
		return false
	case len(left) > 1 && kind == it.kind && !vague && r.choosable(left, from, end):
		it.rules, it.told = rules, true
		it.rules.Choices = left
		return true
	}
	if told, k, n := r.typeWithin(from, end); n > 0 { // decimal, mostly positive
		it.kind, it.told = cmp.Or(it.kind, told), true
		for _, rest := range []string{r.text(from, k), r.text(k+n, end)} {
			if rest != "" {
				it.left = append(it.left, rest)
			}
		}
		return true
	} else if codes.MatchString(r.At(from).Raw) || coded.MatchString(r.At(from).Raw) && coded.MatchString(r.At(end-1).Raw) { // A1 to C2
		it.kind = cmp.Or(it.kind, values.Text)
	}
	it.left = append(it.left, r.text(from, end))
	return true
}

// wordsOnly says whether brackets hold several words that may be chosen, and no figure.
func (r *reader) wordsOnly(from, end int) bool {
	figure := func(t words.Token) bool { return strings.ContainsAny(t.Raw, "0123456789") }
	list := r.options(from, end)
	return len(list) > 2 && r.namesOnly(from, end) && r.choosable(list, from, end) && !slices.ContainsFunc(r.Tokens[from:end], figure)
}

// typeWithin finds a part of a list that is a kind, with its place and length.
func (r *reader) typeWithin(from, end int) (kind string, at, n int) {
	for at = from; at < end && len(r.options(from, end)) < 3; at++ {
		begins := at == from || r.At(at-1).Low == ","
		if kind, n = r.Longest(at, "type"); n > 0 && begins && (at+n == end || r.At(at+n).Low == ",") {
			return kind, at, n
		}
	}
	return "", end, 0
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
	parts := len(r.options(from, end))
	for k := from; k < end; k++ {
		t := r.At(k)
		typed := r.Is("type", t.Low) && (k == from || !r.alternates(from, end) && parts < 3)
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
		if t.Low == "or" || t.Mark && (t.Text == "|" || t.Text == "/") {
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
		if len(all) == 0 || unlikely(each) || r.Is("no-choice", all[0]) && (len(all) == 1 || strings.ContainsAny(each, "0123456789") || all[1] == "than" || all[1] == "or") { // but: under review
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
	if it.rules.Choices != nil { // which of both?
		return false
	}
	if strings.Contains(r.At(i).Raw, "/") {
		it.rules.Choices, it.told, it.end = r.options(i, r.Behind(i)), true, r.Behind(i)
		return len(it.rules.Choices) > 1
	}
	if r.At(i).Low == "(" {
		end := r.Closes(i)
		if end < 0 || end >= to {
			return false
		}
		list := r.options(i+1, end)
		it.rules.Choices, it.told, it.end = list, true, end+1
		return len(list) > 1
	}
	end, or := r.choicesEnd(i, to)
	usual, _ := r.usualValues(i)
	if usual > i {
		end, or = usual, true
	}
	list := r.options(i, end)
	if slices.ContainsFunc(list, unlikely) {
		return false
	}
	if end == 0 || len(list) < 2 || !told && !or || usual == i && !r.choicesFollow(i) && !r.choosable(list, i, end) {
		return false
	}
	if !or && (!r.choicesFollow(i) && slices.ContainsFunc(list, r.measures) || slices.ContainsFunc(list, r.isThing)) { // status: open, closed, price; loan => book, member
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

// usualValues gives the place behind several values that such fields have, if what follows is no other one: low, medium, high,
// or none.
func (r *reader) usualValues(i int) (end int, or bool) {
	n := 0
	end = i
	for at := i; r.Length(at, "usual-value") > 0 && r.Ends(at+r.Length(at, "usual-value")) && !or; n++ {
		or = r.At(at-1).Low == "or" && n > 0
		end = at + r.Length(at, "usual-value")
		at = r.After(end, ",", "and", "or")
	}
	if n < 2 || r.At(end).Low == "or" || r.At(end).Low == "(" {
		return i, false
	}
	if or {
		return end, true
	}
	next := r.After(end, ",", "and")
	it, ok := r.item(next, len(r.Tokens))
	if next > end && !r.endsList(next) && r.Length(next, "rule") == 0 && !(ok && r.likeField(it)) {
		return i, false
	}
	return end, false
}

// chooses says whether the values of a field stand right behind its name: status open, paid or closed, severity from low, high.
func (r *reader) chooses(it item, i int) bool {
	told := r.After(i, "from", "of", "either", "being")
	if end, or := r.usualValues(told); it.bare() && len(it.words) > 0 && end > told && (told > i || or || r.Is("chosen", it.words[len(it.words)-1])) { // rhesus positive or negative
		return true
	}
	if len(it.words) == 0 || !it.bare() || r.Ends(i) || strings.Contains(r.At(i).Raw, "/") {
		return false
	}
	if of := r.At(i).Low == "of"; of && !r.literal(r.At(i+1)) && r.At(i+2).Low != "or" || !(of && r.literal(r.At(i+1))) && !r.Is("chosen", it.words[len(it.words)-1]) { // currency of EUR or USD, but: number of players, league amateur or pro
		return false
	}
	for k := i; k < i+12 && (!r.At(k).Mark || r.At(k).Low == ","); k++ {
		if r.At(k).Low == "or" {
			return r.At(k+1).Low != "not" && !r.At(k+1).Mark
		}
		if r.Is("determiner", r.At(k).Low) || r.At(k).Low == "and" || r.Length(k, "rule")+r.Length(k, "modal") > 0 {
			return false
		}
	}
	return false
}

// isThing says whether records are kept of what a word names.
func (r *reader) isThing(w string) bool {
	w = strings.TrimSuffix(strings.ToLower(w), "_id")
	return r.heads[english.Singular(w)] || r.find(w) != nil
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
	comma, bar := 0, false
	for k := i; k < to; k++ {
		what, _ := r.Longest(k, "rule")
		t := r.At(k)
		bar = bar || t.Mark && (t.Text == "|" || t.Text == "/")
		switch {
		case bar && t.Mark && t.Low == "," && t.Text != "|" && t.Text != "/": // person | company, phone
			return k, true
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
		case k > i && (what != "" || strings.Contains(t.Text, "_") && !bar || r.Is("type-behind", t.Low) && !r.Ends(k-1)):
			return comma, false
		case t.Low == "and" && comma == k-1 && r.Is("determiner", r.At(k+1).Low): // house, flat, and a price
			return comma, false
		case t.Low == "and" && comma > 0 && r.choicesFollow(i) && !r.Is("determiner", r.At(k+1).Low) && r.Ends(r.EndOf(k+1)): // one of A1, A2 and B1
			return min(r.EndOf(k+1), to), true
		case t.Low == "and":
			return 0, false
		}
	}
	return to, false
}

// closed says whether a list of choices ends for certain, by "or" or a semicolon.
func (r *reader) closed(i, to int) bool {
	end, or := r.choicesEnd(i, to)
	return or || end > i && r.At(end).Text == ";"
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
