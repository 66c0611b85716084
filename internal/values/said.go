package values

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

var spanLike = regexp.MustCompile(`^(-?\d+(?:\.\d+)?)(?:-|\.\.+)(-?\d+(?:\.\d+)?)$`) // 1-10, 0..1

// Said reads one rule at a place of a text, or the kind of the values, and gives the number of
// its words: none where no rule is certain. A bound that is none itself has a plus before it.
func (r *Rules) Said(x words.Text, i int, kind *string) int {
	what, n := x.Longest(i, "rule")
	at := i + n
	if modal := x.Length(i, "modal"); n == 0 {
		if at = i + modal; x.At(at).Raw != "A" { // "is A above 90"
			at = x.After(at, "a", "an")
		}
		if told, k := x.Longest(at, "type"); modal > 0 && k > 0 && x.Ends(at+k) {
			*kind = told
			return at + k - i
		}
		what, n = x.Longest(at, "rule")
		at += n
	}
	value, whole := x.Tables["truth"][x.At(i).Low], x.At(at).Raw
	switch {
	case value != "" && x.Words(i+1, min(2, len(x.Tokens)-i-1)) == "by default": // smoking no by default
		r.Default = value
		return 3
	case what == "" && length.MatchString(whole) && x.Tables["unit"][x.At(at+1).Low] == Text: // 6 digits
		r.Min, r.Max, *kind = whole, whole, Text
		return at + 2 - i
	}
	switch what {
	case "unique":
		r.Unique = true
	case "required", "optional":
		r.Need = what
	case "zero":
		r.Min = "0"
	case "positive":
		r.Min = "+0"
	case "default":
		from := x.After(at, ":", "is", "to", "of", "value", "as")
		for at = from; !x.Ends(at) && (at == from || x.Length(at, "rule") == 0); at++ {
		}
		if r.Default = x.Written(from, at); r.Default == "" {
			return 0
		}
	case "least", "most", "above", "below", "out of":
		at = x.After(at, ":", "of", "is")
		n := x.At(at).Raw
		if !Decimal.MatchString(n) {
			return 0
		}
		bounds := map[string]Rules{"least": {Min: n}, "most": {Max: n}, "above": {Min: "+" + n}, "below": {Max: "+" + n}, "out of": {Min: "0", Max: n}}[what]
		r.Min, r.Max = cmp.Or(bounds.Min, r.Min), cmp.Or(bounds.Max, r.Max)
		at++
	case "example":
		at = x.EndOf(at)
	default:
		low, high, end := span(x, at)
		if r.Min, r.Max = cmp.Or(low, r.Min), cmp.Or(high, r.Max); end == 0 {
			if end = ChoicesEnd(x, at, what == "choice", what == "or"); end == 0 || what == "range" {
				return 0
			}
			r.Choices = Choices(x, at, end)
		}
		at = end
	}
	for ; x.Is("unit", x.At(at).Low); at++ {
		*kind = cmp.Or(x.Tables["unit"][x.At(at).Low], *kind) // at most 20 characters
	}
	return at - i
}

// span reads two numbers and all between them, and gives the place behind.
func span(x words.Text, i int) (low, high string, end int) {
	low, high, end = x.At(i).Raw, x.At(i+2).Raw, i+3
	if m := spanLike.FindStringSubmatch(low); m != nil {
		low, high, end = m[1], m[2], x.Behind(i)
	} else if !x.Is("between-numbers", x.At(i+1).Low) {
		return "", "", 0
	}
	least, err := strconv.ParseFloat(low, 64)
	most, err2 := strconv.ParseFloat(high, 64)
	if err != nil || err2 != nil || least >= most || x.At(end).Low == "or" || x.At(i+1).Low == "or" && least+1 != most {
		return "", "", 0
	}
	return low, high, end
}

// ChoicesEnd finds where a list such as "open, closed or lost" ends; none where that is not told.
// It is told of choices where something says so; an "or" tells of some that are no fields.
func ChoicesEnd(x words.Text, i int, told, or bool) int {
	if strings.Contains(x.At(i).Raw, "/") && !x.Is("type", x.At(i).Low) {
		return x.Behind(i)
	}
	fields := false
	for end := i; told || or; end++ {
		switch t := x.At(end); {
		case t.Low == "or" && (told || !fields):
			return x.EndOf(end + 1)
		case t.Mark && (t.Low != "," || t.Text == ";") && told && !fields && end > i:
			return end
		case t.Mark && t.Low != "," || t.Low == "and" || t.Low == "or" || x.Is("type-behind", t.Low):
			return 0
		case x.Ends(end + 1):
			kind := cmp.Or(x.Tables["field"][t.Low], x.Tables["also-field"][t.Low], Truth)
			fields = fields || kind != Truth && t.Raw != strings.ToUpper(t.Raw)
		}
	}
	return 0
}

// Choices gives what stands from one place to another, with commas, slashes or "or" between.
func Choices(x words.Text, from, to int) (list []string) {
	for from < to {
		end := min(x.EndOf(from), to)
		if text := x.Written(from, end); text != "" {
			list = append(list, strings.Split(text, "/")...)
		}
		from = end + 1
	}
	return list
}

// Kind gives the kind of values that the rules tell, where the name of a field tells one that may not be sure.
func (r Rules) Kind(kind string, sure bool) (string, bool) {
	figures := r.Min + r.Max
	if r.Choices != nil {
		figures = ""
	}
	all := figures + r.Default
	switch texts := kind == Text || kind == Texts; {
	case r.Choices != nil && !slices.ContainsFunc(r.Choices, Decimal.MatchString):
		return Text, true
	case sure && (figures == "" || !texts): // a mood from 1 to 10 is no text
		return kind, true
	case all != "" && strings.Trim(all, "+-0123456789") == "":
		return Integer, true
	case Decimal.MatchString(cmp.Or(r.Default, strings.TrimPrefix(r.Min, "+"), strings.TrimPrefix(r.Max, "+"))):
		return Number, true
	case truth.MatchString(r.Default):
		return Truth, true
	}
	return kind, sure
}

// Certain gives those of the rules that values of a kind can be held to, and says the others in words.
func (r Rules) Certain(kind string) (out Rules, others []string) {
	for _, bound := range []*string{&r.Min, &r.Max} {
		if n, err := strconv.Atoi(strings.TrimPrefix(*bound, "+")); err == nil && strings.HasPrefix(*bound, "+") && kind == Integer { // above 0
			*bound = strconv.Itoa(n + map[bool]int{true: 1, false: -1}[bound == &r.Min])
		}
	}
	if short, _ := strconv.Atoi(r.Max); kind == Text && r.Min != "" && r.Min != r.Max && r.Max != "" && short < 10 { // which text, or how long?
		others = append(others, r.Min+" to "+r.Max)
		r.Min, r.Max = "", ""
	}
	for _, each := range []struct {
		what, value string
		set         func(*Rules)
	}{
		{"", r.Need, func(o *Rules) { o.Need = r.Need }},
		{"", english.List(r.Choices), func(o *Rules) { o.Choices = r.Choices }},
		{"min ", r.Min, func(o *Rules) { o.Min = r.Min }},
		{"max ", r.Max, func(o *Rules) { o.Max = r.Max }},
		{"default ", r.Default, func(o *Rules) { o.Default = r.Default }},
		{"", map[bool]string{true: "unique"}[r.Unique], func(o *Rules) { o.Unique = r.Unique }},
	} {
		tried := out
		if each.set(&tried); each.value != "" && tried.Bad(kind) {
			others = append(others, strings.NewReplacer("min +", "above ", "max +", "below ").Replace(each.what+each.value))
		} else {
			out = tried
		}
	}
	return out, others
}

// Guess finds the kind of a field's values from the words of its name, and says whether these tell it.
func Guess(l words.Lexicon, name []string) (kind string, sure bool) {
	if of := slices.Index(name, "of"); of > 0 && name[of-1] == "number" {
		return Integer, true
	}
	for _, word := range []string{"per", "of"} { // the price per night, the date of birth
		if k := slices.Index(name, word); k > 0 {
			name = name[:k]
		}
	}
	last, whole := name[len(name)-1], strings.Join(name, " ")
	if len(name) > 1 && l.Is("bound", name[0]) {
		kind, sure = Guess(l, name[1:])
		return strings.Replace(strings.Replace(kind, Texts, Integer, 1), Text, Integer, 1), sure
	}
	if kind = cmp.Or(l.Tables["field"][whole], l.Tables["also-field"][whole]); kind == "" && len(name) > 1 {
		kind, whole = cmp.Or(l.Tables["field-begins"][name[0]], l.Tables["field-ends"][last], l.Tables["field"][last], l.Tables["also-field"][last]), last
	}
	sure = kind != "" && !l.Is("ambiguous", whole)
	switch {
	case kind == "" && len(name) == 1 && english.HasSuffix(last, "ed", "able", "ible") && !l.Is("noun-anyway", last) && !l.Is("dated", last):
		return Truth, false // neutered, refundable
	case kind == "" && len(name) > 1 && strings.HasSuffix(last, "ed"): // the amount claimed
		kind, sure = Guess(l, name[:len(name)-1])
		return kind, sure && kind == Number
	case kind == Truth && name[0] == "last": // last seen
		return Text, false
	case kind == Truth && len(name) > 1 && l.Tables["field"][name[0]] == Integer: // copies available
		return Integer, true
	case english.IsPlural(last):
		return cmp.Or(kind, Texts), sure
	}
	return cmp.Or(kind, Text), sure
}
