package records

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// describe takes what stands in brackets behind the name of a field.
func (r *reader) describe(s *said, from, to int) {
	if len(s.name) == 0 { // all of several fields are told of
		s.name = []string{""}
		defer func() { s.name = nil }()
	}
	if r.Written(from, to) == "0/1" || r.Written(from, to) == "1/0" {
		s.kind = values.Truth
		return
	}
	if slices.ContainsFunc(r.Tokens[from:to], func(t words.Token) bool { return fraction.MatchString(t.Raw) }) { // 1/4 is no choice between 1 and 4
		s.kind, s.left = cmp.Or(s.kind, values.Text), append(s.left, r.Written(from, to))
		return
	}
	if r.At(from).Low == s.name[len(s.name)-1] && r.Length(from+1, "modal") > 0 { // rating (rating must be at least 1)
		from++
	}
	for i := from + 1; i < to; i++ {
		if what, n := r.Longest(i, "rule"); what == "optional" && i+n == to && (r.Ends(i-1) || r.At(i).Low == "or") { // gold/silver/bronze or empty; but not null
			s.rules.Need, to = what, i
		}
	}
	open := r.At(to-1).Low == "." || r.At(to-1).Low == "etc" // C, D, E...
	for to > from+1 && (r.Ends(to-1) && r.At(to-1).Low != ")" || r.At(to-1).Low == "etc") {
		to--
	}
	if r.reaches(from, to) || open && r.At(from+1).Low == "," { // limits that are no numbers, and choices that go on
		s.kind, s.left = cmp.Or(s.kind, values.Text), append(s.left, r.Written(from, to))
		return
	}
	if kind := r.Tables["other-kind"][r.Words(from, to-from)]; kind != "" && s.kind == "" && !english.IsPlural(s.name[len(s.name)-1]) && r.references(from, true) == nil { // a photo (image)
		s.kind, s.plain = kind, append(s.plain, r.said(from, to))
		return
	}
	if list := r.options(s.name[len(s.name)-1], from, to); list != nil {
		s.rules.Choices = list
		return
	}
	if r.At(to-1).Low == ")" && r.At(to-2).Low == "(" { // string[]
		to, s.kind = to-2, values.Texts
	}
	rules, kind := s.rules, s.kind
	list, vague := rules.Described(r.Text, s.name, from, to, &kind)
	switch {
	case len(list) == 0:
		if s.rules = rules; s.kind == "" || kind != "" && s.units != nil { // in kg (integer)
			s.kind = kind
		}
		for i := from; i < to; i++ { // required, in euros
			if n := r.Length(i, "type"); n > 1 && r.At(i).Low == "in" && i > from {
				s.units = append(s.units, r.said(i, i+n))
			}
		}
		if unit := r.Words(from, to-from); r.Is("type", "in "+unit) && !r.Is("type", unit) { // weight (kg)
			s.units = append(s.units, r.said(from, to))
		}
		r.signs(s, from, to)
	case len(list) > 1 && !vague && kind == s.kind && !english.IsPlural(s.name[len(s.name)-1]) && !reflect.DeepEqual(rules, s.rules) && !r.listsField(from, to): // open, closed; default open
		s.rules = rules
		s.rules.Choices = list
	case r.Is("made-of", s.name[len(s.name)-1]) && len(list) > 1: // an address (street, city)
		s.plain = append(s.plain, r.said(from, to))
	case len(list) == 1 && (kind == s.kind || !vague) && (rules.Unique || rules.Need != ""): // unique, uppercase
		s.kind, s.rules, s.left = cmp.Or(s.kind, kind), rules, append(s.left, list[0])
	default:
		s.left = append(s.left, r.said(from, to))
		if guess, _ := values.Guess(r.Lexicon, s.name); guess == values.Integer && s.kind == "" && english.IsPlural(s.name[len(s.name)-1]) && len(list) > 2 && !values.Decimal.MatchString(list[0]) { // days (mon, tue, wed)
			s.kind = values.Texts
		}
	}
}

// reaches says whether nothing but two limits that are no numbers stands between two places: A1-C2, mon to fri.
func (r *reader) reaches(from, to int) bool {
	if codes.MatchString(r.Written(from, to)) {
		return true
	}
	first, last, hyphen := strings.Cut(strings.ToLower(r.Written(from, to)), "-")
	if hyphen { // but not check-in
		return r.Is("usual-value", first) && r.Is("usual-value", last) && !r.Is("truth", first)
	}
	first, last, ok := strings.Cut(first, " to ")
	return ok && !words.FigureLike.MatchString(last) && !r.Is("digit", last) && !strings.Contains(first+last, " ")
}

// signs tells of signs that values are not held to, but in their number: 6 digits.
func (r *reader) signs(s *said, from, to int) {
	for i := from + 1; i < to; i++ {
		if low := r.At(i).Low; low == "digits" || low == "letters" {
			s.left = append(s.left, low)
		}
	}
}

// options gives what a field may be, where nothing but that stands in brackets behind its name.
func (r *reader) options(last string, from, to int) []string {
	what, n := r.Longest(from, "rule")
	told := what == "choice" // one of: admin, editor
	if told {
		from = r.After(from+n, ":")
	}
	or := told || slices.ContainsFunc(r.Tokens[from:to], func(t words.Token) bool { return t.Low == "or" || strings.Contains(t.Raw, "/") })
	list, fields := values.Choices(r.Text, from, to), 0
	if len(list) < 2 || english.IsPlural(last) || r.Is("made-of", last) { // an address (street, city)
		return nil
	}
	for i := from; i < to; i++ {
		t := r.At(i)
		typed := r.Is("type", t.Low) && (i == from || !or && len(list) < 3)
		if !t.Quoted && (r.Length(i, "rule") > 0 || typed || t.Mark && t.Low != "," || t.Low == "and" || words.FigureLike.MatchString(t.Low)) {
			return nil
		}
		if kind := r.Tables["field"][t.Low]; r.Ends(i+1) && kind != "" && kind != values.Truth && t.Raw != strings.ToUpper(t.Raw) && !or {
			fields++
		}
	}
	if 2*fields >= len(list) || r.Is("no-choice", strings.ToLower(list[0])) {
		return nil
	}
	return list
}

// parted gives what a field may be, where some of it stood without commas: easy medium or hard. Words of which nobody knows
// whether they are one value or several are refused.
func (r *reader) parted(choices []string) (out []string) {
	value := func(w string) bool { return r.Is("usual-value", strings.ToLower(w)) || values.Decimal.MatchString(w) }
	for k, each := range choices {
		all := strings.Fields(each)
		if r.Is("any-other", strings.ToLower(each)) { // open or something else
			r.Refuse(each)
		}
		switch split := !slices.ContainsFunc(all, func(w string) bool { return !value(w) }); {
		case len(all) < 2 || r.Is("usual-value", strings.ToLower(each)):
			out = append(out, each)
		case split:
			out = append(out, all...)
		case len(all) > 2, len(choices) == 2 && k == 0 && !strings.Contains(choices[1], " "): // drama comedy or horror
			r.Refuse(each + ": commas part choices")
		default:
			out = append(out, each)
		}
	}
	return out
}
