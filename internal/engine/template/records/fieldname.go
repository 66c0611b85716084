package records

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
)

// name reads the name of a field, up to what is said of its values.
func (r *reader) name(it *item, to int) bool {
	if t := r.At(it.end); t.Quoted {
		it.words, it.end = strings.FieldsFunc(spelled(t), func(c rune) bool { return c == ' ' || c == '_' }), it.end+1
		return plainName.MatchString(strings.Join(it.words, "_"))
	}
	if k := r.amongFields(it.end); k > 0 {
		it.words, it.end = strings.Fields(r.Words(it.end, k)), it.end+k
		return true
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
		case !first && r.At(i).Low == "required" && r.truthAt(r.After(i+1, "(")): // prescription required (yes/no)
			it.words, it.end = append(it.words, r.At(i).Low), i+1
			return r.goodField(it.words)
		case !first && r.Is("moment", r.At(i).Low) && r.goesOn(it.words[len(it.words)-1], r.At(i).Low) && r.partable(i+1) && (r.over(i+2, to) || r.partable(i+2) && r.over(i+3, to)): // temperature on arrival, height above sea level
			for it.words, it.end = append(it.words, r.At(i).Low), i+1; !r.over(it.end, to); it.end++ {
				it.words = append(it.words, r.At(it.end).Low)
			}
		case len(it.words) == 1 && r.At(i).Low == "only" && r.At(it.from-1).Low == "," && r.Ends(i+1) && (!r.fieldWord(it.words[0]) || english.IsPlural(it.words[0])): // prescription only, members only
			it.words, it.kind, it.end = append(it.words, "only"), values.Truth, i+1
			return !r.fieldWord(it.words[0])
		case !first && r.Is("alright", r.At(i).Low) && r.At(it.from-1).Mark && r.At(it.from-1).Low != "." && r.Ends(i+1) && !settings.Is(r.Text, it.from): // photo ok
			it.words, it.kind, it.end = append(it.words, r.At(i).Low), values.Truth, i+1
			return r.goodField(it.words[:len(it.words)-1])
		case !first && (r.belonging(i) || r.pronoun(i) > 0 || r.paid(i, to) > 0 || r.Is("points-out", r.At(i).Low) && r.pronoun(i+1) > 0 || r.At(i).Low == "who" && r.pronoun(r.EndOf(i)-1) > 0):
			return r.goodField(it.words)
		case !first && r.At(i).Low == "in" && (it.words[len(it.words)-1] == "years" && r.partable(i+1) || r.done(it.words[len(it.words)-1]) && r.At(i+1).Low == "year") && r.over(i+2, to): // years in business, written in year
			it.words, it.end, it.kind, it.told = append(it.words, "in", r.At(i+1).Low), i+2, values.Integer, true
		case !first && r.done(it.words[len(it.words)-1]) && r.Is("particle", r.At(i).Low) && r.Is("field-ends", r.At(i+1).Low) && r.over(i+2, to): // moved in on
			it.words, it.end = append(it.words, r.At(i).Low, r.At(i+1).Low), i+2
		case !first && r.said(*it, i) && !((r.Is("condition", r.At(i).Low) || r.Is("way", r.At(i).Low)) && r.Is("dates", r.At(i+1).Low)):
			return r.goodField(it.words) || r.written(*it)
		case !first && r.At(i).Low == "needed" && r.over(i+1, to): // yarn needed
			it.words, it.end = append(it.words, "needed"), i+1
		case !first && (r.At(i).Low == "of" || r.At(i).Low == "per") && r.Length(i+1, "rule") == 0 && r.partable(r.After(i+1, "the", "a", "an", "that")):
			it.words, it.end = append(it.words, r.At(i).Low), r.After(i+1, "the", "a", "an", "that")
		case (!first || r.Is("alone-too", r.At(i).Low)) && (r.Is("particle", r.At(i).Low) || r.Is("condition", r.At(i).Low)) && r.Is("dates", r.At(i+1).Low) && r.over(i+2, to): // dropped off date
			it.words, it.end = append(it.words, r.At(i).Low, r.At(i+1).Low), i+2
		case first && r.Is("way", r.At(i).Low) && (r.fieldWord(r.At(i+1).Low) || r.isThing(r.At(i+1).Low)) && r.over(i+2, to): // from address
			it.words, it.end = []string{r.At(i).Low, r.At(i + 1).Low}, i+2
		case r.Is("particle", r.At(i).Low) && r.class(i) != "" && r.over(i+1, to):
			if r.Is("type-behind", r.At(i+1).Low) && r.heads[r.At(i+1).Low] { // people on float, of carnival floats
				r.Refuse(r.text(it.from, i+2))
			}
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
		case !first && r.over(i+1, to) && (r.At(i).Raw == "1" && r.follows(r.At(i-1).Low, "2") || r.At(i).Raw == "2" && r.follows(r.At(i-1).Low, "1")): // player 1, player 2
			it.words, it.end = append(it.words, r.At(i).Raw), i+1
			return r.goodField(it.words)
		case !first && r.At(i).Low == "no" && r.over(i+1, to): // passport no
			it.words, it.end = append(it.words, "no"), i+1
		case first && r.Is("only-verb", r.At(i).Low) && !r.Is("adverb", r.At(i).Low) && (r.over(i+1, to) || r.Length(i+1, "type") > 1): // an estimate in hours
			it.words, it.end = append(it.words, r.At(i).Low), i+1
		case first && r.beginsName(i) && r.over(i+2, to): // found date, holding number
			it.words, it.end = append(it.words, r.At(i).Low, r.At(i+1).Low), i+2
		case first && r.Is("need-word", r.At(i).Low) && english.IsPlural(r.At(i+1).Low) && r.over(i+2, to): // required skills
			it.words, it.end = []string{r.At(i).Low, r.At(i + 1).Low}, i+2
			return true
		case !first && stretchLike.MatchString(r.At(i).Raw) && r.partable(i+1): // best 5k time
			it.words, it.end = append(it.words, r.At(i).Low), i+1
		case !first && roomLike.MatchString(r.At(i).Raw) && !r.Is("field", r.At(i).Low) && !r.Is("also-field", r.At(i).Low): // room A102
			return false
		case r.partable(i), first && r.Is("field-begins", r.At(i).Low) && !r.Ends(i+1):
			it.words, it.end = append(it.words, strings.Split(spelled(r.At(i)), "_")...), i+1
		default:
			return false
		}
	}
	return len(it.words) > 0 && (r.written(*it) || r.goodField(it.words) || r.typedSystem(*it))
}

// written says whether a name is one word, as programmers write it: rows_in.
func (r *reader) written(it item) bool {
	odd := strings.Contains(r.At(it.from).Text, "_") || camelCase.MatchString(r.At(it.from).Text)
	return it.end == it.from+1 && odd && r.goodField([]string{strings.Join(it.words, "_")})
}

// goesOn says whether a name goes on behind a little word: temperature on arrival, days to harvest, price for pupils.
func (r *reader) goesOn(last, little string) bool {
	switch little {
	case "to":
		return r.Is("stretch", last)
	case "for":
		return r.Is("priced", last)
	}
	return r.likeWord(last)
}

// amongFields gives the length of words that set something elsewhere and are a field here, as one follows behind the next comma:
// name, licence, phone.
func (r *reader) amongFields(i int) int {
	n := r.Length(i, "setting-too")
	if before, next := r.At(i-1), r.At(i+n); n == 0 || !before.Mark || r.At(i).Quoted || !next.Mark || next.Low != "," || next.Text != "" {
		return 0
	}
	before := i - 1
	for before > 0 && !r.At(before-1).Mark {
		before--
	}
	if !r.listOpened(i-1) || settings.Is(r.Text, r.skip(before)) && r.Length(before, "setting-too") == 0 { // sqlite, token, title
		return 0
	}
	at := r.article(i + n + 1)
	if settings.Is(r.Text, at) && r.amongFields(at) == 0 || r.Length(at, "narrator") > 0 || r.ClassAt(at) == "kind" {
		return 0
	}
	if it, ok := r.item(at, len(r.Tokens)); !ok || !r.Ends(it.end) || !r.likeField(it) && r.amongFields(at) == 0 {
		return 0
	}
	return n
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
		if k > 1 && (table != "type" || r.Words(i, k) == "date and time") && (r.over(i+k, to) || r.truthAt(i+k)) { // no-show yes or no
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
	if k := r.Length(i, "till-now"); r.chooses(it, i) || k > 0 && r.over(i+k, len(r.Tokens)) {
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
	case low == "text" && (r.Length(i+1, "rule") > 0 || r.Ends(i+1) && (r.typed || strings.Contains(r.At(i-1).Text, "_") || r.fieldWord(it.words[len(it.words)-1]))):
		return true
	case codes.MatchString(r.At(i).Raw), r.timeOfDay(i), r.eitherNumber(i): // level A1-C2
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
	only := strings.Contains(r.At(i-1).Text, "_") || r.someTyped && r.done(r.At(i-1).Low) && r.Ends(i-2) // placed time
	return r.At(i).Low == "time" && only && r.over(i+1, len(r.Tokens))
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
	if k := slices.Index(all, "x"); k > 0 && k < len(all)-1 { // width x height
		return false
	}
	for k, w := range all[1:] {
		if r.Is("whole-name", all[k]) && (r.Is("whole-name", w) && w != "name" || r.Is("name-of-its-own", w)) && !r.Is("one-name", all[k]+" "+w) {
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
	none := r.Is("never-field", last) && !(len(all) > 1 && r.Is("soon", all[0])) || r.Is("no-field", last) || len(all) > 1 && r.Is("no-longer", last) || r.Is("no-name", last)
	if slices.ContainsFunc(all[1:], func(w string) bool { return r.Is("number-word", w) && all[0] == "last" }) {
		return false
	}
	return len(all) <= longestName+1 && !does && !none && last != "of" && last != "per" && !r.Is("number-word", all[0])
}

// done says whether a word tells what was done: kilometres driven.
func (r *reader) done(w string) bool {
	return r.Is("participle", w) || english.HasSuffix(w, "ed", "en") && len(w) > 3
}
