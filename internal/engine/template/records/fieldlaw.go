package records

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
)

// fieldLaw refuses what no field of a thing can be, or may as well be something else.
func (r *reader) fieldLaw(t *Thing) {
	for k, f := range t.Fields {
		all := strings.Split(f.Name, "_")
		said := strings.Join(all, " ")
		switch {
		case r.unparted(all):
			r.Refuse(said + ": commas part fields")
		case !r.goodField(f) || r.again(t, f) || k > 0 && r.shares(t.Fields[k-1].Name, f.Name):
			r.Refuse(said)
		case r.partsOf(f) || f.Choices != nil && r.Is("field-noun", english.Singular(f.Name)) || k > 0 && r.runsOn(t.Fields[k-1], f):
			r.Refuse(said + ": fields, or choices?")
		case r.ruleOrName(t, f):
			r.Refuse(f.Name + ": is that how it is called, or a rule?")
		case r.doneToProject(t.Fields[k:]), // title and text, cached, logged
			t.loosely && r.ofProjectToo(f) || r.Is("of-all", said) && (f.told == "" || f.Kind == values.Truth) && !f.old: // suppliers, minimal, name
			r.Refuse(said + ": a field, or the project?")
		case r.unitOfAll(f):
			r.Refuse(said + ": a field, or the unit of others?")
		case (f.Name == "id" || strings.HasSuffix(f.Name, "_id")) && f.Kind == values.Text && f.Ref == "" && f.Min+f.Max != "": // vlan id 1-4094
			r.Refuse(said + ": a number, or how long it is?")
		case k > 0 && r.behindAnd(f):
			r.Refuse(said + ": a field, or records?")
		case r.standsAlone(t, f):
			r.Refuse(said + ": texts, or records?")
		case r.openList(t, f):
			r.Refuse(said + ": how many, texts or records?")
		}
	}
}

// again says whether what seems to be a field tells more of one that was told of: score ranges, the age of a guest.
func (r *reader) again(t *Thing, f Field) bool {
	begin, verb := cutLast(f.Name)
	of, whole, ok := strings.Cut(f.Name, "_of_")
	several := english.IsPlural(begin) && r.Is("tells-of-values", verb)
	told := t.meant(begin)
	return begin != "" && (several || r.Is("tells-of-value", verb)) && told != nil && told.Name != f.Name || ok && whole == t.Name && t.field(of) != nil
}

// ruleOrName says whether the word for a rule before a field may be a part of its name: required quantity, present quantity.
func (r *reader) ruleOrName(t *Thing, f Field) bool {
	of := func(o Field) bool { return strings.HasSuffix(o.Name, "_"+f.Name) }
	for i := range r.Tokens {
		if r.At(i+1).Low == f.Name && !r.At(i+1).Mark && r.needs(i) != "" && slices.ContainsFunc(t.Fields, of) {
			return true
		}
	}
	return false
}

// partsOf says whether what a field is said to be one of are its parts: dimensions length/width/height, phone home/work.
func (r *reader) partsOf(f Field) bool {
	_, last := cutLast(f.Name)
	part := func(c string) bool { return r.Is("part-name", strings.ToLower(c)) }
	whole := r.Is("made-of", last) || r.Is("reaches", last)
	return f.Choices != nil && (whole || !r.Is("chosen", last) && !r.Is("one-of-few", last) && !slices.ContainsFunc(f.Choices, func(c string) bool { return !part(c) }))
}

// runsOn says whether a field is a value of the one before it: roast light, medium.
func (r *reader) runsOn(before, f Field) bool {
	begin, last := cutLast(before.Name)
	value := func(w string) bool { return r.Is("usual-value", w) && !r.Is("field", w) && !r.Is("also-field", w) }
	return begin != "" && value(last) && value(f.Name) && before.told+f.told == "" && before.Choices == nil && !r.Is("field", strings.ReplaceAll(before.Name, "_", " "))
}

// doneToProject says whether the last fields of a thing may as well tell what is to be done to the project.
func (r *reader) doneToProject(last []Field) bool {
	return !slices.ContainsFunc(last, func(f Field) bool { return !r.Is("done-to-project", f.Name) || f.told != "" || f.old })
}

// ofProjectToo says whether a field in a list of which nothing says that it is one may as well tell how the project is.
func (r *reader) ofProjectToo(f Field) bool {
	said := strings.ReplaceAll(f.Name, "_", " ")
	class := r.Vocabulary[said].Class
	_, last := cutLast(f.Name)
	says := (class == "stop" || class == "given") && !r.Is("field", said) && !r.Is("also-field", said)
	return f.told == "" && !f.old && (says || r.Is("field-or-project", said) || r.Is("ends-setting", last) && last != f.Name)
}

// standsAlone says whether several of something stand alone behind fields, with a semicolon before them: posts have a title and a
// body; categories.
func (r *reader) standsAlone(t *Thing, f Field) bool {
	if f.Kind != values.Texts || f.told != "" || f.old || len(t.Fields) < 2 {
		return false
	}
	for i := range r.Tokens {
		if r.At(i).Low == f.Name && r.At(i-1).Text == ";" && (r.At(i+1).Text == ";" || r.At(i+1).Low == "." || i == len(r.Tokens)-1) && r.At(i-2).Text != ";" {
			return !slices.ContainsFunc(t.Fields[1:], func(o Field) bool { return o.Name != f.Name && r.behindSemicolon(o.Name) })
		}
	}
	return false
}

// behindSemicolon says whether a name stands behind a semicolon.
func (r *reader) behindSemicolon(name string) bool {
	for i := range r.Tokens {
		if r.At(i-1).Text == ";" && r.At(i).Low == name {
			return true
		}
	}
	return false
}

// behindAnd says whether several of something stand between fields that ended with an and, and other records: players with a rating
// and a club, rounds, games (result).
func (r *reader) behindAnd(f Field) bool {
	if !english.IsPlural(f.Name) || f.told != "" || f.old || f.Ref != "" {
		return false
	}
	for i := range r.Tokens {
		next := func(t *Thing) bool { return t.at == i+2 && r.At(t.at+len(strings.Fields(t.said))).Low == "(" }
		if r.At(i).Low != f.Name || r.At(i-1).Low != "," || !slices.ContainsFunc(r.Things, next) {
			continue
		}
		for k := i - 2; k > 0 && !r.At(k).Mark; k-- {
			if r.At(k).Low == "and" && !r.At(k-1).Mark {
				return true
			}
		}
	}
	return false
}

// unitOfAll says whether a sentence may tell in what others are measured, and name no field: amounts in USD.
func (r *reader) unitOfAll(f Field) bool {
	for i := range r.Tokens {
		if before := r.At(i - 1); r.At(i).Low == f.Name && (before.Low == "." || before.Text == ";") && r.At(i+1).Low == "in" && english.IsPlural(f.Name) && r.Is("field", english.Singular(f.Name)) {
			return true
		}
	}
	return false
}

// openList says whether nobody knows what several of something in a record are: how many there are, texts, or records of their own.
// Some are mostly texts, but records as well where nothing else is told of the thing, or others of the same list are records.
func (r *reader) openList(t *Thing, f Field) bool {
	if f.told != "" && !f.many || f.old || f.Ref != "" || f.Choices != nil {
		return false
	}
	all := strings.Split(f.Name, "_")
	kept := func(o Field) bool {
		begin, last := cutLast(o.Name)
		return r.Is("kept-too", last) && (o.Kind == values.Texts || begin == "") // but: max kids
	}
	plain := func(o Field) bool { return o.Kind != values.Texts && !kept(o) }
	switch {
	case t.loosely && f.Name == t.Fields[0].Name && f.Kind == values.Integer && english.IsPlural(f.Name): // rooms, windows and whether they are cleaned
		return true
	case f.Kind == values.Texts && !r.texts(strings.Join(all, " ")) && !slices.ContainsFunc(all, r.texts): // fins
		return true
	case len(all) > 1 && english.Singular(all[0]) == t.Name && r.Is("parts-of", all[1]): // the order rows of an order
		return true
	case kept(f): // clubs with members and matches, a match has a date; members, and votes from members
		again := 0
		for _, word := range r.Tokens {
			if word.Low == all[len(all)-1] {
				again++
			}
		}
		return again > 1 || t.kin || len(t.Parents) == 0 && !slices.ContainsFunc(t.Fields, plain)
	}
	return false
}

// unparted says whether words are the names of several fields, without commas between them: name breed age.
func (r *reader) unparted(all []string) bool {
	known := 0
	for k, w := range all {
		if r.Is("field", w) {
			known++
		}
		if k > 0 && r.Is("whole-name", all[k-1]) && (r.Is("whole-name", w) && w != "name" || r.Is("name-of-its-own", w)) && !r.Is("one-name", all[k-1]+" "+w) {
			return true
		}
	}
	if slices.Contains(all, "lat") && (slices.Contains(all, "lng") || slices.Contains(all, "lon") || slices.Contains(all, "long")) {
		return true
	}
	amid := len(all) > 3 && slices.ContainsFunc(all[1:len(all)-1], func(w string) bool { return r.Is("field", w) }) // artist album year label
	return len(all) > 2 && (known > 2 || amid) && r.Is("field", all[0]) && !slices.Contains(all, "of")
}

// shares says whether a name is but the end of one that begins as the one before it: temperature inside and outside.
func (r *reader) shares(before, name string) bool {
	first, last := cutLast(before)
	return first != "" && (r.Is("measured", name) && r.Is("measured", last) || r.Is("side", name) && r.Is("side", last))
}

// apposed says whether words are the name of a field and what is told of it behind, which is no rule: birthday unknown possible,
// expires optional date.
func (r *reader) apposed(all []string) bool {
	last := len(all) - 1
	known := func(w string) bool { return r.Is("field", w) || r.Is("also-field", w) }
	for _, w := range all[min(1, last):last] {
		if what := r.Tables["rule"][w]; what == "optional" || what == "required" || what == "unique" || what == "default" {
			return true
		}
	}
	inner := func(w string) bool {
		return r.Is("function", w) || r.Is("particle", w) || r.Is("moment", w) || r.Is("field-ends", w) || r.done(w)
	}
	return last > 1 && known(all[0]) && !known(all[last]) && !known(all[0]+" "+all[1]) && !slices.ContainsFunc(all[1:], inner) && !r.Is("type", "in "+all[last])
}

// asks says whether a question is short enough for a name: what happened, when it went out.
func (r *reader) asks(all []string) bool {
	return len(all) < 3 || len(all) < 5 && all[1] == "often" || len(all) == 3 && (r.Is("many-or-much", all[1]) || r.Is("where-at", all[1]) || r.Is("way-back", all[2]))
}

// goodField says whether a field may have its name.
func (r *reader) goodField(f Field) bool {
	all := strings.Split(f.Name, "_")
	first, last := all[0], all[len(all)-1]
	long := len(all) > 1
	valued := slices.DeleteFunc(slices.Clone(all[1:]), func(w string) bool { return (!r.Is("usual-value", w) || r.Is("truth", w)) && len(w) > 1 })
	switch known := strings.Join(all, " "); {
	case r.Is("stands-for-fields", known) && !f.old:
		return false
	case long && all[1] == "or" && f.Choices != nil: // mint or used
		return true
	case len(valued) > 1, len(valued) > 0 && f.Choices != nil && last == valued[0]: // size S M L, membership gold silver or bronze
		return false
	case r.Is("field", known), r.Is("also-field", known), r.Is("setting-too", known):
		return true
	case long && r.Vocabulary[known].Class == "language", r.apposed(all): // the Go language; number auto increment
		return false
	case slices.ContainsFunc(all, func(w string) bool { return r.Is("never-inside", w) }), r.Is("asks", first) && !r.asks(all), len(all) == 2 && english.IsPlural(first) && (strings.HasSuffix(last, "ing") || r.Is("life", last) && !r.done(last)) && !r.Is("field", last) && f.told == "": // guests staying, glasses sit
		return false
	case len(all) > 2 && slices.Contains(all[1:len(all)-1], "one") && f.Ref != "": // wear one badge
		return false
	case len(all) > 2 && !r.Is("has-or-needs", first) && (r.Is("inner-verb", first) || r.Is("inner-verb-too", first)): // runs on linux
		return false
	case !long && f.told == "" && r.Is("type-before", last), long && slices.Contains(all, "array") && slices.Contains(all, "of"): // title, string; an array of objects
		return false
	case first == "pk", first == "fk", long && first == "primary" && all[1] == "key", long && last == "api", r.Is("number-word", first), last == "of", last == "per":
		return false
	case !long:
		return !r.Is("never-alone", last) && !r.Is("copula", last) && !r.Is("no-name", last) && !r.Is("no-field", last)
	case r.Is("acts", first) && !(len(all) > 2 && r.Is("particle", all[1])), r.Is("only-do", first) && !r.Is("inside-word", all[1]) && !r.Is("field", last):
		return false
	case r.Is("never-field", last) && !r.Is("soon", first), r.Is("no-field", last), r.Is("no-longer", last), r.Is("no-name", last):
		return false
	}
	if f.Kind == values.Texts && f.told == "" && f.Ref == "" && r.exact(english.Singular(last)) != nil { // co-authors, where authors are kept
		return false
	}
	if _, of, ok := strings.Cut(f.Name, "_of_"); ok && f.Kind == values.Text && english.IsPlural(of) && r.exact(of) != nil { // a setlist of songs
		return false
	}
	for _, w := range all[:len(all)-1] { // players name
		if english.IsPlural(w) && !r.Is("plural-first", w) && !english.HasSuffix(w, "ss", "us", "is", "ics") && !slices.Contains(all, "of") && !r.Is("field", english.Singular(w)) && r.Is("field", last) && r.find(w) != nil {
			return false
		}
	}
	return true
}
