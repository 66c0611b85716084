package template

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"

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
		case !r.Ends(i-1) && r.Ends(i-2) && r.ClassAt(i-1) == isStop && !is("determiner", r.At(i-1).Low): // "uses at least 1": what says little elsewhere is a name here
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
	end := r.EndOf(i + n)
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

// remark reads what stands in brackets behind a field: its kind and its rules. What is neither is left
// out. It gives the place behind, or none: a list behind a plural is that of the fields of a thing.
func (r *reader) remark(i int) int {
	end := i + 1
	for end < len(r.Tokens) && r.Tokens[end].Low != ")" {
		end++
	}
	last, about := lastOf(r.group), r.about
	list, vague := about.Described(r.Text, r.group, i+1, end, &about.Kind)
	fields := values.ListsFields(r.Text, i+1, end, last) && !is("no-title", last)
	if english.IsPlural(last) || plaintext.IsCapital(r.At(i-1).Text) && !is("field", last) {
		fields = fields || r.ofPlace || !is("field", last) || r.At(i-len(r.group)-1).Low == words.Bullet
	}
	switch {
	case len(list) == 0:
	case fields && (english.IsPlural(last) || !is("field", last)) && strings.Contains(r.Words(i+1, end-i-1), ","):
		return 0
	case len(list) == 1 || fields || vague || slices.ContainsFunc(list, func(c string) bool { return len(strings.Fields(c)) > 3 }):
		r.limit(r.Words(i+1, end-i-1))
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
	kind, rules, sure, others := f.Settled(lexicon.All, strings.Split(f.Name, "_"), f.Kind)
	if !sure {
		r.guessed = append(r.guessed, f.Name)
	}
	if f.Choices != nil && rules.Default != f.Default { // which of both is meant?
		r.unknown = append(r.unknown, "default "+f.Default+" of "+strings.ReplaceAll(f.Name, "_", " "))
	}
	if f.Kind = kind; f.Of() != "" && rules.Need != "" {
		rules.Need, others = "", append(others, rules.Need)
	}
	for _, each := range others {
		r.leave(each+" of "+f.Name, "limits and choices of a field")
	}
	return field{Name: f.Name, Kind: f.Kind, Rules: rules}
}
