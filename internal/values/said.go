package values

import (
	"cmp"
	"regexp"
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
	if told, modal := x.Longest(i, "modal"); n == 0 || what == "or" && x.Length(i+modal, "rule")+x.Length(i+modal, "rule-behind") > 0 {
		if at = i + modal; modal > 0 && x.At(at).Raw != "A" { // "is A above 90"
			at = x.After(at, "a", "an")
		}
		if kinds, k := x.Longest(at, "type"); modal > 0 && told == "" && k > 0 && (x.Ends(at+k) || x.Length(at+k, "rule") > 0) {
			*kind = kinds
			return at + k - i
		}
		if what, n = x.Longest(at, "rule"); modal > 0 {
			if behind, k := x.Longest(i+modal, "rule-behind"); k > n {
				what, n, at = behind, k, i+modal
			}
			if what = meant(told, what); what == "" && (n > 0 || told == "not" || told == "free") {
				return 0
			}
		}
		at += n
	}
	after := x.After(at, "of", "exactly")
	value, exact := x.Tables["truth"][x.At(i).Low], x.At(after)
	bound, end := boundBehind(x, after, kind)
	switch {
	case what == "" && bound == "least":
		r.Min = exact.Raw
		return end - i
	case what == "" && bound == "most":
		r.Max = exact.Raw
		return end - i
	case value != "" && x.Words(i+1, min(2, len(x.Tokens)-i-1)) == "by default": // smoking no by default
		r.Default = value
		return 3
	case what == "" && length.MatchString(exact.Raw) && x.Tables["unit"][x.At(after+1).Low] == Text: // 6 digits, exactly 12 characters
		r.Min, r.Max, *kind = exact.Raw, exact.Raw, Text
		return x.After(after+2, "long") - i
	}
	switch what {
	case "unique":
		r.Unique = true
	case "required", "optional":
		r.Need = what
	case "free":
	case "zero":
		r.Min = "0"
	case "positive":
		if x.Is("choice-beside", x.At(at+1).Low) || x.Is("choice-beside", x.At(i-2).Low) { // positive, negative or neutral
			return 0
		}
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
		n := cmp.Or(x.Tables["digit"][x.At(at).Low], x.At(at).Raw)
		if !Decimal.MatchString(n) {
			return 0
		}
		bounds := map[string]Rules{"least": {Min: n}, "most": {Max: n}, "above": {Min: "+" + n}, "below": {Max: "+" + n}, "out of": {Min: "0", Max: n}}[what]
		r.Min, r.Max = cmp.Or(bounds.Min, r.Min), cmp.Or(bounds.Max, r.Max)
		at++
	case "example":
		at = x.EndOf(at)
	default:
		if what != "" {
			at = x.After(at, ":") // enum: a, b
		}
		low, high, end := span(x, at)
		if r.Min, r.Max = cmp.Or(low, r.Min), cmp.Or(high, r.Max); end == 0 {
			if end = ChoicesEnd(x, at, what == "choice", what == "or"); end == 0 || what == "range" {
				return 0
			}
			r.Choices = Choices(x, at, end)
		}
		at = end
	}
	return x.After(units(x, at, kind), "long") - i
}

// units gives the place behind what is counted: at most 20 characters.
func units(x words.Text, at int, kind *string) int {
	for ; x.Is("unit", x.At(at).Low); at++ {
		*kind = cmp.Or(x.Tables["unit"][x.At(at).Low], *kind)
	}
	return at
}

// boundBehind reads a number and behind it what bound it is, and gives the place behind: 20 characters or more.
func boundBehind(x words.Text, i int, kind *string) (bound string, end int) {
	if !Decimal.MatchString(x.At(i).Raw) {
		return "", 0
	}
	counted := ""
	at := x.After(units(x, i+1, &counted), "long")
	bound, n := x.Longest(at, "bound-behind")
	if n == 0 || !x.Ends(at+n) {
		return "", 0
	}
	*kind = cmp.Or(counted, *kind)
	return bound, at + n
}

// meant gives what values are held to that must be something, may be it, must not be it, or need not; nothing where no rule says it.
func meant(how, what string) string {
	if how == "" && what == "given" {
		return "required"
	}
	if said, ok := map[string]string{"not above": "most", "not below": "least", "not empty": "required", "may empty": "optional", "not twice": "unique", "not negative": "zero", "free given": "optional"}[how+" "+what]; ok {
		return said
	}
	apart := what == "empty" || what == "given" || what == "twice" || what == "negative"
	if apart || how == "not" || how == "free" || how == "may" && (what == "above" || what == "below" || what == "required" || what == "unique") {
		return ""
	}
	return what
}

// span reads two numbers and all between them, and gives the place behind.
func span(x words.Text, i int) (low, high string, end int) {
	low, high, end = x.At(i).Raw, x.At(i+2).Raw, i+3
	if m := spanLike.FindStringSubmatch(low); m != nil {
		low, high, end = m[1], m[2], x.Behind(i)
	} else if !x.Is("between-numbers", x.At(i+1).Low) {
		return "", "", 0
	}
	low, high = strings.TrimPrefix(cmp.Or(x.Tables["digit"][low], low), "+"), strings.TrimPrefix(cmp.Or(x.Tables["digit"][high], high), "+") // -20 to +20, one to five
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
	if end := x.NextMark(i); x.At(end).Text == "|" { // person | company
		for x.At(end).Text == "|" {
			end = x.NextMark(end + 1)
		}
		return end
	}
	if spanLike.MatchString(x.At(i).Raw) && x.At(x.Behind(i)).Low == "," && !words.FigureLike.MatchString(x.At(x.Behind(i)+1).Low) { // priority 1-3, due date, open or done
		return 0
	}
	fields := false
	for end := i; told || or; end++ {
		switch t := x.At(end); {
		case t.Low == "or" && (told || !fields):
			return x.EndOf(end + 1)
		case t.Mark && told && end > i && (t.Text == ";" || x.Length(end+1, "rule") > 0 || t.Low != "," && !fields):
			return end
		case t.Mark && t.Low != "," || t.Low == "and" || t.Low == "or" || x.Is("type-behind", t.Low) && (end == i || x.At(end-1).Low != ","): // but: single, double
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
		if low := x.At(from).Low; end == from && !x.At(from).Mark && low != "and" && low != "or" && x.Ends(from+1) { // basic, plus or premium
			end++
		}
		if text := x.Written(from, end); text != "" {
			list = append(list, strings.Split(text, "/")...)
		}
		from = end + 1
	}
	return list
}

// Certain gives those of the rules that values of a kind can be held to, and says the others in words.
func (r Rules) Certain(kind string) (out Rules, others []string) {
	for _, bound := range []*string{&r.Min, &r.Max} {
		if n, err := strconv.Atoi(strings.TrimPrefix(*bound, "+")); err == nil && strings.HasPrefix(*bound, "+") && (kind == Integer || kind == Text) { // above 0
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
