package template

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

var spanLike = regexp.MustCompile(`^(-?\d+(?:\.\d+)?)(?:-|\.\.+)(-?\d+(?:\.\d+)?)$`) // 1-10, 0..1

// limits reads what is said of the field that is read, or of the one before: unique, from 1 to 5.
func (r *reader) limits(i int) int {
	if r.site || r.slot != inFields && r.slot != inAdded {
		return 0
	}
	if len(r.group) == 0 {
		n := r.rule(i, &field{})
		before := r.Ends(i-1) && !r.Ends(i+n) // ", optional note"
		switch {
		case n == 0:
			return 0
		case !before && r.reopen(i) || is("adjective", r.At(i).Low):
		case !r.Ends(i-1) && r.Ends(i-2) && !is("determiner", r.At(i-1).Low): // "uses at least 1": what says little elsewhere is a name here
			r.group = []string{r.At(i - 1).Low}
		default:
			return 0
		}
	}
	if n := r.rule(i, &r.about); n > 0 {
		return n
	}
	n := r.Length(i, "modal")
	if n == 0 || len(r.group) == 0 {
		return 0
	}
	end := i + n
	for !r.Ends(end) {
		end++
	}
	if english.HasSuffix(r.Words(i, n), "one of", "either") { // where the choices end is not told
		r.unknown = append(r.unknown, strings.Join(r.group, " ")+" "+r.Words(i, end-i))
	} else {
		r.limit(r.Words(i, end-i))
	}
	return end - i
}

// reopen takes the field back that ends before a place, of which more is said.
func (r *reader) reopen(i int) bool {
	if r.current == nil || len(r.current.fields) == 0 || r.slot != inFields {
		return false
	}
	k := i - 1
	for r.At(k).Low == "," {
		k--
	}
	n := len(r.current.fields) - 1
	if last := r.At(k).Low; last != ")" && !is("type", last) && !is("ends-field", last) && strings.Trim(last, "0123456789.%") != "" && !strings.HasSuffix("_"+r.current.fields[n].Name, "_"+last) && !slices.Contains(r.current.fields[n].Choices, r.At(k).Raw) {
		return false
	}
	r.about, r.current.fields = r.current.fields[n], r.current.fields[:n]
	r.group = strings.Split(r.about.Name, "_")
	if slices.Contains(r.guessed, r.about.Name) {
		r.about.Kind = ""
	}
	return true
}

// limit leaves out what is said of a field's values.
func (r *reader) limit(what string) {
	name := slices.DeleteFunc(slices.Clone(r.group), func(w string) bool { return is("type-behind", w) })
	r.leave(strings.ReplaceAll(what, " ,", ",")+" of "+strings.Join(name, " "), "limits and choices of a field")
}

// rule reads one rule of a field, and gives the number of its words: none where no rule is certain.
func (r *reader) rule(i int, f *field) int {
	what, n := r.Longest(i, "rule")
	at := i + n
	if modal := r.Length(i, "modal"); n == 0 {
		at = r.After(i+modal, "a", "an")
		if kind, k := r.Longest(at, "type"); modal > 0 && k > 0 && r.Ends(at+k) {
			f.Kind = kind
			return at + k - i
		}
		what, n = r.Longest(at, "rule")
		at += n
	}
	number := r.After(at, ":", "of", "is")
	switch what {
	case "unique":
		f.Unique = true
	case "required", "optional":
		f.Need = what
	case "zero":
		f.Min = "0"
	case "positive":
		f.Min = "+0"
	case "default":
		at = r.After(at, ":", "is", "to", "of", "value", "as")
		f.Default = r.At(at).Raw
		if at = r.Behind(at); f.Default == "" {
			return 0
		}
	case "least", "most", "above", "below", "out of":
		n := r.At(number).Raw
		bounds := map[string]rules{"least": {Min: n}, "most": {Max: n}, "above": {Min: "+" + n}, "below": {Max: "+" + n}, "out of": {Min: "0", Max: n}}[what]
		if !values.Decimal.MatchString(n) {
			return 0
		}
		f.Min, f.Max, at = cmp.Or(bounds.Min, f.Min), cmp.Or(bounds.Max, f.Max), number+1
	case "example":
		for !r.Ends(at) {
			at++
		}
	case "choice", "or", "range", "":
		low, high, end := r.span(at)
		if f.Min, f.Max = cmp.Or(low, f.Min), cmp.Or(high, f.Max); end == 0 {
			if end = r.choicesEnd(at, what == "choice", what == "or"); end == 0 || what == "range" {
				return 0
			}
			f.Choices = r.choices(at, end)
		}
		at = end
	}
	for ; is("unit", r.At(at).Low); at++ {
		f.Kind = cmp.Or(tables["unit"][r.At(at).Low], f.Kind) // at most 20 characters
	}
	return at - i
}

// span reads two numbers and all between them, and gives the place behind.
func (r *reader) span(i int) (low, high string, end int) {
	low, high, end = r.At(i).Raw, r.At(i+2).Raw, i+3
	if m := spanLike.FindStringSubmatch(low); m != nil {
		low, high, end = m[1], m[2], r.Behind(i)
	} else if !is("between-numbers", r.At(i+1).Low) {
		return "", "", 0
	}
	least, err := strconv.ParseFloat(low, 64)
	most, err2 := strconv.ParseFloat(high, 64)
	if err != nil || err2 != nil || least >= most || r.At(end).Low == "or" || r.At(i+1).Low == "or" && least+1 != most {
		return "", "", 0
	}
	return low, high, end
}

// choicesEnd finds where a list such as "open, closed or lost" ends; none where that is not told.
func (r *reader) choicesEnd(i int, told, or bool) int {
	if strings.Contains(r.At(i).Raw, "/") && !is("type", r.At(i).Low) {
		return r.Behind(i)
	}
	fields := false
	for end := i; told || or; end++ {
		switch t := r.At(end); {
		case t.Low == "or" && (told || !fields):
			for end++; !r.Ends(end); end++ {
			}
			return end
		case t.Mark && (t.Low != "," || t.Text == ";") && told && !fields && end > i:
			return end
		case t.Mark && t.Low != "," || t.Low == "and" || t.Low == "or" || is("type-behind", t.Low):
			return 0
		case r.Ends(end + 1):
			kind := cmp.Or(tables["field"][t.Low], tables["also-field"][t.Low], kindBoolean)
			fields = fields || kind != kindBoolean && t.Raw != strings.ToUpper(t.Raw)
		}
	}
	return 0
}

// choices gives what stands from one place to another, with commas, slashes or "or" between.
func (r *reader) choices(from, to int) (list []string) {
	for from < to {
		end := min(r.EndOf(from), to)
		if r.Written(from, end) != "" {
			list = append(list, strings.Split(r.Written(from, end), "/")...)
		}
		from = end + 1
	}
	return list
}

// describe reads kinds and rules of the field that is read, with marks between. It gives what is neither, and whether
// a word names a kind but may be one of the choices too.
func (r *reader) describe(from, end int, about *field) (list []string, vague bool) {
	last, at, typed := lastOf(r.group), from, false
	for at < end {
		kind, n := r.Longest(at, "type")
		if is("no-title", last) && !is("type-behind", r.At(at).Low) { // a kind (laptop, phone)
			n = 0
		}
		if unit := tables["type"]["in "+r.Words(at, min(r.EndOf(at), end)-at)]; n == 0 && at == from && unit != "" && !english.IsPlural(last) { // the yield (kg)
			kind, n = unit, min(r.EndOf(at), end)-at
		}
		if usual, sure := kindOf(r.group); sure && usual == kindInteger && (kind == kindNumber && !is("type-behind", r.At(at).Low)) { // an age in years
			kind = usual
		}
		if n > 0 && at+n <= end {
			if typed { // email, phone
				list = append(list, r.Words(at, n))
			}
			about.Kind, typed, vague = kind, true, vague || !is("type-behind", r.At(at).Low)
		} else if n = r.rule(at, about); n == 0 || at+n > end {
			for n = 0; at+n < end && !r.Ends(at+n); n++ {
			}
			list = append(list, r.choices(at, at+n)...)
		}
		for at += n; at < end && (r.Ends(at) || is("beside-rule", r.At(at).Low)); at++ {
		}
	}
	return list, vague
}

// remark reads what stands in brackets behind a field: its kind and its rules. What is neither is left
// out. It gives the place behind, or none: a list behind a plural is that of the fields of a thing.
func (r *reader) remark(i int) int {
	end := i + 1
	for end < len(r.Tokens) && r.Tokens[end].Low != ")" {
		end++
	}
	last, about := lastOf(r.group), r.about
	list, vague := r.describe(i+1, end, &about)
	inside := strings.Fields(r.Words(i+1, end-i-1))
	known, parts := 0, 0
	for k := i + 1; k < end; k++ {
		if w := r.At(k).Low; k+1 == end || r.Ends(k+1) {
			parts++
			known += map[bool]int{true: 1}[is("field", w[strings.LastIndex(w, "_")+1:])]
		}
	}
	thing := english.IsPlural(last) || !is("field", last)
	typed := thing && slices.ContainsFunc(inside, func(w string) bool { return is("type-behind", w) || strings.Contains(w, "_") })
	fields := (typed || 2*known >= parts) && !is("no-title", last)
	if english.IsPlural(last) || plaintext.IsCapital(r.At(i-1).Text) && !is("field", last) {
		fields = fields || r.ofPlace || !is("field", last) || r.At(i-len(r.group)-1).Low == words.Bullet
	}
	switch {
	case len(list) == 0:
	case fields && thing && slices.Contains(inside, ",") && (typed || !strings.ContainsAny(strings.Join(inside, ""), "0123456789")):
		return 0
	case len(list) == 1 || fields || vague || slices.ContainsFunc(list, func(c string) bool { return len(strings.Fields(c)) > 3 }):
		r.limit(strings.Join(inside, " "))
		about = r.about
	default:
		about.Choices = list
	}
	r.about = about
	return end + 1
}

// certain holds a field to those of its rules that it can be held to; the others are left out.
func (r *reader) certain(f field) field {
	out := field{Name: f.Name, Kind: f.Kind}
	for _, bound := range []*string{&f.Min, &f.Max} {
		if n, err := strconv.Atoi(strings.TrimPrefix(*bound, "+")); err == nil && strings.HasPrefix(*bound, "+") && f.Kind == kindInteger { // above 0
			*bound = strconv.Itoa(n + map[bool]int{true: 1, false: -1}[bound == &f.Min])
		}
	}
	if f.Kind == kindBoolean {
		f.Default = cmp.Or(tables["truth"][strings.ToLower(f.Default)], f.Default)
	}
	short, _ := strconv.Atoi(f.Max)
	if f.Kind == kindString && f.Min != "" && f.Max != "" && short < 10 { // which of the text, or how long?
		r.leave(f.Min+" to "+f.Max+" of "+f.Name, "limits and choices of a field")
		f.Min, f.Max = "", ""
	}
	for _, each := range []struct {
		said bool
		what string
		rule func(*field)
	}{
		{f.Need != "", f.Need, func(o *field) { o.Need = f.Need }},
		{f.Choices != nil, english.List(f.Choices), func(o *field) { o.Choices = f.Choices }},
		{f.Min != "", "min " + f.Min, func(o *field) { o.Min = f.Min }},
		{f.Max != "", "max " + f.Max, func(o *field) { o.Max = f.Max }},
		{f.Default != "", "default " + f.Default, func(o *field) { o.Default = f.Default }},
		{f.Unique, "unique", func(o *field) { o.Unique = true }},
	} {
		if tried := out; !each.said {
			continue
		} else if each.rule(&tried); !tried.bad() {
			out = tried
		} else {
			r.leave(strings.NewReplacer("min +", "above ", "max +", "below ").Replace(each.what)+" of "+f.Name, "limits and choices of a field")
		}
	}
	return out
}

// withKind gives a field of which no kind was told the one that its name and its rules tell.
func (r *reader) withKind(f field) field {
	if len(f.Choices) == 2 && is("truth", strings.ToLower(f.Choices[0])) && is("truth", strings.ToLower(f.Choices[1])) { // yes/no
		f.Kind, f.Choices = kindBoolean, nil
	}
	if f.Kind != "" {
		return f
	}
	kind, sure := kindOf(strings.Split(f.Name, "_"))
	figures := f.Min + f.Max
	if sure = sure && (figures == "" || kind != kindString && kind != kindStrings); f.Choices != nil { // a mood from 1 to 10
		figures = ""
	}
	switch {
	case f.Choices != nil && !slices.ContainsFunc(f.Choices, values.Decimal.MatchString):
		kind, sure = kindString, true
	case sure:
	case is("truth", strings.ToLower(f.Default)):
		kind, sure = kindBoolean, true
	case figures+f.Default != "" && strings.Trim(figures+f.Default, "+-0123456789") == "":
		kind, sure = kindInteger, true
	case values.Decimal.MatchString(cmp.Or(f.Default, strings.TrimPrefix(f.Min, "+"), strings.TrimPrefix(f.Max, "+"))):
		kind, sure = kindNumber, true
	}
	if f.Kind = kind; !sure {
		r.guessed = append(r.guessed, f.Name)
	}
	return f
}
