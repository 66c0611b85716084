package template

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

var spanLike = regexp.MustCompile(`^(-?\d+(?:\.\d+)?)(?:-|\.\.+)(-?\d+(?:\.\d+)?)$`) // 1-10, 0..1

// limits reads what is said of the field that is read, or of the one before: unique, from 1 to 5.
func (r *reader) limits(i int) int {
	if r.site || r.slot != inFields && r.slot != inAdded {
		return 0
	}
	if len(r.group) == 0 {
		n := r.rule(i, &field{})
		before := r.ends(i-1) && !r.ends(i+n) // ", optional note"
		if n == 0 || (before || !r.reopen(i)) && !is("adjective", r.at(i).low) {
			return 0
		}
	}
	if n := r.rule(i, &r.about); n > 0 {
		return n
	}
	_, n := longest(r.reading, i, tables["modal"])
	if n == 0 || len(r.group) == 0 {
		return 0
	}
	end := i + n
	for !r.ends(end) {
		end++
	}
	if english.HasSuffix(r.words(i, n), "one of", "either") { // where the choices end is not told
		r.unknown = append(r.unknown, strings.Join(r.group, " ")+" "+r.words(i, end-i))
	} else {
		r.limit(r.words(i, end-i))
	}
	return end - i
}

// reopen takes the field back that ends before a place, of which more is said.
func (r *reader) reopen(i int) bool {
	if r.current == nil || len(r.current.fields) == 0 || r.slot != inFields {
		return false
	}
	k := i - 1
	for r.at(k).low == "," {
		k--
	}
	n := len(r.current.fields) - 1
	if last := r.at(k).low; last != ")" && !is("type", last) && !is("ends-field", last) && strings.Trim(last, "0123456789.%") != "" && !strings.HasSuffix("_"+r.current.fields[n].Name, "_"+last) && !slices.Contains(r.current.fields[n].Choices, r.at(k).raw) {
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
	what, n := longest(r.reading, i, tables["rule"])
	at := i + n
	if _, modal := longest(r.reading, i, tables["modal"]); n == 0 {
		at = r.after(i+modal, "a", "an")
		if kind, k := longest(r.reading, at, tables["type"]); modal > 0 && k > 0 && r.ends(at+k) {
			f.Kind = kind
			return at + k - i
		}
		what, n = longest(r.reading, at, tables["rule"])
		at += n
	}
	number := r.after(at, ":", "of", "is")
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
		at = r.after(at, ":", "is", "to", "of", "value", "as")
		f.Default = r.at(at).raw
		if at = r.behind(at); f.Default == "" {
			return 0
		}
	case "least", "most", "above", "below", "out of":
		n := r.at(number).raw
		bounds := map[string]rules{"least": {Min: n}, "most": {Max: n}, "above": {Min: "+" + n}, "below": {Max: "+" + n}, "out of": {Min: "0", Max: n}}[what]
		if !decimal.MatchString(n) {
			return 0
		}
		f.Min, f.Max, at = cmp.Or(bounds.Min, f.Min), cmp.Or(bounds.Max, f.Max), number+1
	case "example":
		for !r.ends(at) {
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
	for ; is("unit", r.at(at).low); at++ {
		f.Kind = cmp.Or(tables["unit"][r.at(at).low], f.Kind) // at most 20 characters
	}
	return at - i
}

// behind gives the place behind a word and what else is written in one with it.
func (r *reading) behind(i int) int {
	for i++; i < len(r.tokens) && r.tokens[i].raw == "" && !r.tokens[i].mark; i++ {
	}
	return i
}

// span reads two numbers and all between them, and gives the place behind.
func (r *reader) span(i int) (low, high string, end int) {
	low, high, end = r.at(i).raw, r.at(i+2).raw, i+3
	if m := spanLike.FindStringSubmatch(low); m != nil {
		low, high, end = m[1], m[2], r.behind(i)
	} else if !is("between-numbers", r.at(i+1).low) {
		return "", "", 0
	}
	least, err := strconv.ParseFloat(low, 64)
	most, err2 := strconv.ParseFloat(high, 64)
	if err != nil || err2 != nil || least >= most || r.at(end).low == "or" || r.at(i+1).low == "or" && least+1 != most {
		return "", "", 0
	}
	return low, high, end
}

// choicesEnd finds where a list such as "open, closed or lost" ends; none where that is not told.
func (r *reader) choicesEnd(i int, told, or bool) int {
	if strings.Contains(r.at(i).raw, "/") && !is("type", r.at(i).low) {
		return r.behind(i)
	}
	fields := false
	for end := i; told || or; end++ {
		switch t := r.at(end); {
		case t.low == "or" && (told || !fields):
			for end++; !r.ends(end); end++ {
			}
			return end
		case t.mark && (t.low != "," || t.text == ";") && told && !fields && end > i:
			return end
		case t.mark && t.low != "," || t.low == "and" || t.low == "or" || is("type-behind", t.low):
			return 0
		case r.ends(end + 1):
			kind := cmp.Or(tables["field"][t.low], tables["also-field"][t.low], kindBoolean)
			fields = fields || kind != kindBoolean && t.raw != strings.ToUpper(t.raw)
		}
	}
	return 0
}

// choices gives what stands from one place to another, with commas, slashes or "or" between.
func (r *reader) choices(from, to int) (list []string) {
	var words []string
	for i := from; i <= to; i++ {
		t := r.at(i)
		if i < to && !r.ends(i) {
			if t.raw != "" {
				words = append(words, t.raw)
			}
			continue
		}
		if len(words) > 0 {
			list = append(list, strings.Split(strings.Join(words, " "), "/")...)
		}
		words = nil
	}
	return list
}

// remark reads what stands in brackets behind a field: its kind and its rules. What is neither is left
// out. It gives the place behind, or none: a list behind a plural is that of the fields of a thing.
func (r *reader) remark(i int) int {
	end := i + 1
	for end < len(r.tokens) && r.tokens[end].low != ")" {
		end++
	}
	last, about, at := lastOf(r.group), r.about, i+1
	var list []string
	vague := false // a word names a kind, but may be one of the choices too
	for at < end {
		kind, n := longest(r.reading, at, tables["type"])
		if is("no-title", last) && !is("type-behind", r.at(at).low) { // a kind (laptop, phone)
			n = 0
		}
		if unit := tables["type"]["in "+r.words(at, min(r.endOf(at), end)-at)]; n == 0 && at == i+1 && unit != "" && !english.IsPlural(last) { // the yield (kg)
			kind, n = unit, min(r.endOf(at), end)-at
		}
		if usual, sure := kindOf(r.group); sure && usual == kindInteger && (kind == kindNumber && !is("type-behind", r.at(at).low)) { // an age in years
			kind = usual
		}
		if n > 0 && at+n <= end {
			about.Kind, vague = kind, vague || !is("type-behind", r.at(at).low)
		} else if n = r.rule(at, &about); n == 0 || at+n > end {
			for n = 0; at+n < end && !r.ends(at+n); n++ {
			}
			list = append(list, r.choices(at, at+n)...)
		}
		for at += n; at < end && (r.ends(at) || is("beside-rule", r.at(at).low)); at++ {
		}
	}
	words := strings.Fields(r.words(i+1, end-i-1))
	known, parts := 0, 0
	for k := i + 1; k < end; k++ {
		if w := r.at(k).low; k+1 == end || r.ends(k+1) {
			parts++
			known += map[bool]int{true: 1}[is("field", w[strings.LastIndex(w, "_")+1:])]
		}
	}
	thing := english.IsPlural(last) || !is("field", last)
	typed := thing && slices.ContainsFunc(words, func(w string) bool { return is("type-behind", w) || strings.Contains(w, "_") })
	fields := (typed || 2*known >= parts) && !is("no-title", last)
	if english.IsPlural(last) || plaintext.IsCapital(r.at(i-1).text) && !is("field", last) {
		fields = fields || r.ofPlace || !is("field", last) || r.at(i-len(r.group)-1).low == bullet
	}
	switch {
	case len(list) == 0:
	case fields && thing && slices.Contains(words, ",") && (typed || !strings.ContainsAny(strings.Join(words, ""), "0123456789")):
		return 0
	case len(list) == 1 || fields || vague || slices.ContainsFunc(list, func(c string) bool { return len(strings.Fields(c)) > 3 }):
		r.limit(strings.Join(words, " "))
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
	case f.Choices != nil && !slices.ContainsFunc(f.Choices, decimal.MatchString):
		kind, sure = kindString, true
	case sure:
	case is("truth", strings.ToLower(f.Default)):
		kind, sure = kindBoolean, true
	case figures+f.Default != "" && strings.Trim(figures+f.Default, "+-0123456789") == "":
		kind, sure = kindInteger, true
	case decimal.MatchString(cmp.Or(f.Default, strings.TrimPrefix(f.Min, "+"), strings.TrimPrefix(f.Max, "+"))):
		kind, sure = kindNumber, true
	}
	if f.Kind = kind; !sure {
		r.guessed = append(r.guessed, f.Name)
	}
	return f
}
