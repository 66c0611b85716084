package values

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

// Described reads the kind and the rules of a field's values, with marks between, behind the words of its name. It gives
// what is neither, and whether a word names a kind but may be one of the choices too.
func (r *Rules) Described(x words.Text, name []string, from, end int, kind *string) (list []string, vague bool) {
	last, at, typed := name[len(name)-1], from, false
	for at < end {
		told, n := x.Longest(at, "type")
		if x.Is("no-title", last) && !x.Is("type-behind", x.At(at).Low) && (at > from || at+n < end) { // a kind (laptop, phone)
			n = 0
		}
		unitOf := func(at int) string { return x.Tables["type"]["in "+x.Words(at, max(0, min(x.EndOf(at), end)-at))] }
		if unit := unitOf(at); n == 0 && (x.EndOf(at) >= end || new(Rules).Said(x, x.EndOf(at)+1, new(string)) > 0) && at == from && unit != "" && (!english.IsPlural(last) || x.Tables["field"][last] == Number || last == "calories" || x.Is("time-unit", last)) { // the yield (kg), hours (h)
			told, n = unit, min(x.EndOf(at), end)-at
		}
		if usual, sure := Guess(x.Lexicon, name); sure && usual == Integer && told == Number && x.Is("whole-unit", x.At(at+n-1).Low) { // an age in years
			told = usual
		}
		if n > 0 && at+n <= end {
			if typed { // email, phone
				list = append(list, x.Words(at, n))
			}
			*kind, typed, vague = told, true, vague || !x.Is("type-behind", x.At(at).Low)
		} else if n = r.Said(x, at, kind); n == 0 || at+n > end {
			for n = 0; at+n < end && !x.Ends(at+n); n++ {
			}
			list = append(list, Choices(x, at, at+n)...)
		}
		for at += n; at < end && (x.Ends(at) || x.Is("beside-rule", x.At(at).Low) && at+1 < end && !x.Ends(at+1)); at++ {
		}
	}
	return list, vague
}

// Settled gives the kind of a field's values, where none was told the one that its name and its rules tell, whether that is
// sure, those of the rules that such values can be held to, and the others in words.
func (r Rules) Settled(l words.Lexicon, name []string, told string) (kind string, out Rules, sure bool, others []string) {
	truth := func(value string) string { return l.Tables["truth"][strings.ToLower(value)] }
	kind, sure = told, true
	if len(r.Choices) == 2 && truth(r.Choices[0]) != "" && truth(r.Choices[1]) != "" { // yes/no
		kind, r.Choices = Truth, nil
	}
	said := r.Default
	r.Default = cmp.Or(truth(said), said)
	if kind == "" {
		if kind, sure = Guess(l, name); !sure || r.Choices != nil || r.Min+r.Max != "" {
			kind, sure = r.Kind(kind, sure)
		}
		if kind == Text && truth(said) != "" && r.Choices == nil { // single room default no
			kind = Truth
		}
	}
	if kind != Truth {
		r.Default = said
	}
	out, others = r.Certain(kind)
	return kind, out, sure, others
}

// Kind gives the kind of values that the rules tell, where the name of a field tells one that may not be sure.
func (r Rules) Kind(kind string, sure bool) (string, bool) {
	figures := r.Min + r.Max
	if r.Choices != nil {
		figures = ""
	}
	all := figures + r.Default
	switch {
	case r.Choices != nil && !slices.ContainsFunc(r.Choices, Decimal.MatchString):
		return Text, true
	case r.Choices != nil && kind == Texts && !sure: // lines 2 or 4
		return Integer, false
	case sure && (figures == "" || kind != Text): // a mood from 1 to 10 is no text
		return kind, true
	case all != "" && kind == Number: // a dose of at most 10
		return Number, false
	case r.Min == "0" && r.Max == "1": // a confidence between 0 and 1
		return Number, false
	case all != "" && strings.Trim(all, "+-0123456789") == "":
		return Integer, sure || figures == ""
	case Decimal.MatchString(cmp.Or(r.Default, strings.TrimPrefix(r.Min, "+"), strings.TrimPrefix(r.Max, "+"))):
		return Number, true
	case truth.MatchString(r.Default):
		return Truth, true
	}
	return kind, sure
}

// Guess finds the kind of a field's values from the words of its name, and says whether these tell it.
func Guess(l words.Lexicon, name []string) (kind string, sure bool) {
	if kind = cmp.Or(l.Tables["field"][strings.Join(name, " ")], l.Tables["also-field"][strings.Join(name, " ")]); kind != "" && (slices.Contains(name, "of") || slices.Contains(name, "per")) { // the day of the week
		return kind, true
	}
	if of := slices.Index(name, "of"); of > 0 && name[of-1] == "number" && (of == 1 || l.Is("bound", name[of-2]) || l.Is("counting", name[of-2])) { // but: the phone number of the owner
		return Integer, true
	}
	if len(name) > 2 && name[1] == "of" && l.Is("bound", name[0]) { // a maximum of participants
		return Integer, true
	}
	if last := len(name) - 1; last > 0 && whole.MatchString(name[last]) { // player 1, player 2
		return Guess(l, name[:last])
	}
	of, per := slices.Index(name, "of"), slices.Contains(name, "per")
	for _, word := range []string{"per", "for", "of"} { // the price per night, the date of birth
		if k := slices.Index(name, word); k > 0 && k < len(name)-1 { // but: sold for
			name = name[:k]
		}
	}
	if last := len(name) - 1; last > 0 && l.Is("way", name[last]) && l.Tables["also-field"][strings.Join(name, " ")] == "" { // the age from
		kind, sure = Guess(l, name[:last])
		return strings.Replace(kind, Truth, Text, 1), sure && kind == Integer
	}
	if last := len(name) - 1; last > 0 && l.Is("measured", name[last]) { // the weight empty, the price members
		if kind, sure := Guess(l, name[:last]); kind == Number || kind == Integer {
			return kind, sure
		}
	}
	if k := slices.IndexFunc(name, func(w string) bool { return l.Is("moment", w) }); kind == "" && k > 0 && k < len(name)-1 && l.Tables["field"][name[len(name)-1]] != Day { // the temperature on arrival, but: the best before date
		name = name[:k]
	}
	if k := slices.IndexFunc(name, func(w string) bool { return w == "in" || w == "to" }); k > 0 && l.Tables["field"][name[k-1]] == Integer { // years in business, minutes to cook
		name = name[:k]
	}
	if last := len(name) - 1; last > 0 && !timed(l, name) { // hosted at, depends on
		return Text, false
	}
	last, whole := name[len(name)-1], strings.Join(name, " ")
	if len(name) > 1 && l.Is("bound", name[0]) {
		if kind, sure = Guess(l, name[1:]); kind == Truth { // a maximum draft
			return Number, false
		}
		return strings.Replace(strings.Replace(kind, Texts, Integer, 1), Text, Number, 1), sure // max players, max aperture
	}
	if kind = cmp.Or(l.Tables["field"][whole], l.Tables["also-field"][whole]); kind == "" && len(name) > 2 && l.Tables["field"][strings.Join(name[1:], " ")] == Truth {
		kind, whole = Truth, strings.Join(name[1:], " ") // closed all day
	} else if kind == "" && len(name) > 1 {
		kind, whole = cmp.Or(l.Tables["field-begins"][name[0]], l.Tables["field-ends"][last], l.Tables["field"][last], l.Tables["also-field"][last]), last
	}
	sure = kind != "" && !l.Is("ambiguous", whole) && !(len(name) == 1 && l.Is("or-dated", whole))
	switch {
	case name[0] == "year" && len(name) > 1 && (strings.HasSuffix(last, "ed") || l.Is("timed-on", last)): // the year built
		return Integer, true
	case kind == Truth && per: // paid per hour
		return Number, false
	case name[0] == "last" && len(name) == 2 && (kind == Truth || kind == "" && (strings.HasSuffix(last, "ed") || l.Is("participle", last))): // last seen, last watered
		return Day, false
	case (kind == Number || kind == Text || kind == "") && len(name) > 1 && l.Is("soon", name[0]) && l.Is("happens", last): // the last donation
		return Day, false
	case kind == "" && len(name) == 1 && english.HasSuffix(last, "ed", "able", "ible", "worthy") && !l.Is("noun-anyway", last) && !l.Is("dated", last):
		return Truth, false // neutered, refundable
	case kind == "" && len(name) > 1 && strings.HasSuffix(last, "ed"): // the amount claimed
		kind, sure = Guess(l, name[:len(name)-1])
		if one := english.Singular(name[len(name)-2]); kind == Texts && l.Tables["field"][one] == Number { // the fees owed
			return Number, false
		}
		return kind, sure && kind == Number
	case kind == Integer && len(name) > 1 && l.Is("field-ends", last) && l.Tables["field"][name[len(name)-2]] == Number: // the weight left
		return Number, sure
	case kind == Integer && len(name) > 1 && whole == last && l.Is("field-ends", last) && l.Tables["field"][name[len(name)-2]] != Integer && !english.IsPlural(name[len(name)-2]): // the hearing left
		return Text, false
	case kind == Truth && len(name) > 1 && !sure && whole == last && l.Tables["field-begins"][name[0]] == "": // the lyrics draft
		return Text, false
	case kind == Truth && len(name) > 1 && l.Is("names-what", last): // the telescope used
		kind, _ = Guess(l, name[:len(name)-1])
		return kind, false
	case kind == Truth && len(name) == 2 && english.IsPlural(name[0]) && l.Tables["field"][name[0]] == "": // tests passed: how many, or whether?
		return Truth, false
	case kind == Truth && len(name) > 1 && l.Is("sum", name[len(name)-2]): // the amount lent
		return Number, true
	case kind == Truth && len(name) > 1 && name[0] == "time": // the time finished
		return Text, false
	case kind == Truth && len(name) > 1 && l.Tables["field"][name[0]] == Integer: // copies available
		return Integer, last != "free" // but: children free
	case kind == "" && len(name) == 2 && l.Is("time-unit", name[0]) && !english.IsPlural(last): // minutes late
		return l.Tables["field"][name[0]], true
	case kind == "" && len(name) > 1 && name[0] == "total" && english.IsPlural(last): // total donations
		return Number, false
	case english.IsPlural(last) && kind == "" && of > 0: // frames of brood
		return Text, false
	case english.IsPlural(last):
		return cmp.Or(kind, Texts), sure
	}
	return cmp.Or(kind, Text), sure
}

// timed says whether what a name ends with tells when, where it may tell where or on what as well.
func timed(l words.Lexicon, name []string) bool {
	last := len(name) - 1
	verb := name[last-1]
	if last > 1 && l.Is("timed-pair", name[last-2]+" "+verb) {
		verb = name[last-2]
	}
	on := name[last] == "on" && (l.Is("timed-on", verb) || l.Is("dates", verb))
	return !l.Is("when-or-where", name[last]) || l.Is("timed", verb) || on
}
