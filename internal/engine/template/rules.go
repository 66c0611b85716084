package template

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

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
	if n == 0 || len(r.group) == 0 || r.about.Kind == kindBoolean && is("copula", r.At(i).Low) { // whether snacks are included
		return 0
	}
	end := i + n
	for !r.Ends(end) {
		end++
	}
	if english.HasSuffix(r.Words(i, n), "one of", "either") || r.At(i).Low == "are" { // where the choices end is not told; "double bookings are rejected"
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
	for r.At(k).Low == "," || r.At(k).Low == "and" {
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

// rule reads one rule of a field, and gives the number of its words.
func (r *reader) rule(i int, f *field) int { return f.Said(r.Text, i, &f.Kind) }

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
		if usual, sure := values.Guess(lexicon, r.group); sure && usual == kindInteger && (kind == kindNumber && !is("type-behind", r.At(at).Low)) { // an age in years
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
			list = append(list, values.Choices(r.Text, at, at+n)...)
		}
		for at += n; at < end && (r.Ends(at) || is("beside-rule", r.At(at).Low) && at+1 < end && !r.Ends(at+1)); at++ {
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
	thing := english.IsPlural(last) || !is("field", last)
	known, parts := 0, strings.Split(strings.Join(inside, " "), " , ")
	for _, part := range parts {
		known += map[bool]int{true: 1}[slices.ContainsFunc(strings.Fields(part), func(w string) bool {
			w = w[strings.LastIndex(w, "_")+1:]
			return is("field", w) || thing && !is("also-field", last) && is("also-field", w)
		})]
	}
	typed := thing && slices.ContainsFunc(inside, func(w string) bool { return is("type-behind", w) || strings.Contains(w, "_") })
	fields := (typed || 2*known >= len(parts)) && !is("no-title", last)
	if english.IsPlural(last) || plaintext.IsCapital(r.At(i-1).Text) && !is("field", last) {
		fields = fields || r.ofPlace || !is("field", last) || r.At(i-len(r.group)-1).Low == words.Bullet
	}
	switch {
	case len(list) == 0:
	case fields && thing && slices.Contains(inside, ",") && (typed || 2*known > len(parts) || !strings.ContainsAny(strings.Join(inside, ""), "0123456789")):
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

// withKind gives a field the kind that its name and its rules tell where none was told, and holds it to those of its
// rules that it can be held to; the others are left out.
func (r *reader) withKind(f field) field {
	truth := func(value string) string { return tables["truth"][strings.ToLower(value)] }
	if len(f.Choices) == 2 && truth(f.Choices[0]) != "" && truth(f.Choices[1]) != "" { // yes/no
		f.Kind, f.Choices = kindBoolean, nil
	}
	plain := f.Default
	f.Default = cmp.Or(truth(plain), plain)
	if f.Kind == "" {
		sure := false
		if f.Kind, sure = values.Guess(lexicon, strings.Split(f.Name, "_")); !sure || f.Choices != nil || f.Min+f.Max != "" {
			f.Kind, sure = f.rules.Kind(f.Kind, sure)
		}
		if !sure {
			r.guessed = append(r.guessed, f.Name)
		}
	}
	if f.Kind != kindBoolean {
		f.Default = plain
	}
	rules, others := f.Certain(f.Kind)
	if f.Of() != "" && rules.Need != "" {
		rules.Need, others = "", append(others, rules.Need)
	}
	for _, each := range others {
		r.leave(each+" of "+f.Name, "limits and choices of a field")
	}
	return field{f.Name, f.Kind, rules}
}
