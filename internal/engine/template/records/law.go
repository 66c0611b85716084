package records

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
)

// law refuses what nobody keeps records of, however it was read: a verb, what only a record holds, a place for what is in it,
// and a thing for another that stands before it.
func (r *reader) law() {
	for i := range r.Tokens {
		if part := r.kindInside(i); part != "" {
			r.Refuse(part)
		}
		if r.eaten(i) {
			r.Refuse(r.text(i, i+2))
		}
	}
	r.unlisted()
	r.betweenFields()
	r.Things = slices.DeleteFunc(r.Things, func(t *Thing) bool { // nor is it offered instead
		said, gone := r.breaks(t)
		r.Refuse(said)
		return gone
	})
}

// betweenFields refuses what was left out as a detail, and stands between two fields: draws, white wins, moves.
func (r *reader) betweenFields() {
	for _, each := range r.details {
		ends := slices.ContainsFunc(r.items, func(s span) bool { return s.to == each.from-1 && r.At(s.to).Low == "," })
		begins := slices.ContainsFunc(r.items, func(s span) bool { return s.from == each.to+1 && r.At(each.to).Low == "," })
		if ends && begins {
			r.Refuse(r.text(each.from, each.to))
		}
	}
}

// breaks gives what of a thing no record can be, or nothing, and whether it is no thing at all.
func (r *reader) breaks(t *Thing) (said string, gone bool) {
	if t.known {
		return "", false
	}
	last := t.Name[strings.LastIndex(t.Name, "_")+1:]
	n, named := r.noun(t.at)
	own := slices.IndexFunc(t.Fields, func(f Field) bool { return strings.HasSuffix(f.Name, "_of_"+english.Plural(t.Name)) })
	itself := t.field(last) != nil
	switch {
	case own >= 0: // birthdays of the members
		return strings.ReplaceAll(t.Fields[own].Name, "_", " "), false
	case itself && (r.Is("done-with", r.At(t.at-1).Low) || r.At(t.at-2).Low == "to"): // ordering pizzas: customer, pizza
		return t.said, false
	case len(t.Fields) > 0 && r.heartBefore(t) != "": // feedback from visitors: name, message
		return r.heartBefore(t), false
	case named && itself && r.At(n.to+1).Low == ":": // product attributes: product, value
		return r.text(t.at, n.to+1), false
	case r.isOne(t): // for a herb garden: plant, planted on
		return "what records of " + t.said, false
	case r.Is("pursuit", last) && len(t.Fields) > 0: // for apartment hunting: address, rent
		return "what records of " + t.said, false
	case named && len(n.words) > 2 && n.many() && r.Is("indefinite", r.At(t.at).Low): // lets a patient book appointments
		return t.said, true
	case r.manyOf(t): // to manage plans, members and visits
		return t.said, false
	case r.severals(t) != "": // exams with questions and answers
		return r.severals(t), false
	case r.isDeed(t), len(t.Fields) == 0 && r.Is("never-thing", last): // members' names and emails
		return t.said, true
	}
	return "", false
}

// eaten says whether a word that is said of every project is what records are kept of here, or part of its name: a help desk,
// to store tests for students.
func (r *reader) eaten(i int) bool {
	at := func(k int) bool {
		return slices.ContainsFunc(r.Things, func(t *Thing) bool { return t.at == k && !t.known })
	}
	land := !r.Is("field-noun", r.At(i).Low) || r.Any("of-land", 0, len(r.Tokens)) || r.isPlace(english.Singular(r.At(i-2).Low))                              // farms with fields: crop, but pallets with fields: sku
	if with := r.At(i-1).Low == "with" && r.At(i+1).Low == ":"; with && land && r.Is("thing-too", r.At(i).Low) && english.IsPlural(r.At(i-2).Low) && !at(i) { // restaurants with tables: number
		return true
	}
	if r.ClassAt(i) != "given" || at(i) {
		return false
	}
	return r.Is("of-any-project", r.At(i).Low) && at(i+1) || english.IsPlural(r.At(i).Low) && r.Is("keep-verb", r.At(i-1).Low) && r.At(i+1).Low == "for"
}

// unlisted refuses fields that are none: a view of the records, one value of a field, and the only one of which but a rule
// is told. That records are ticked off is told where no field is for it.
func (r *reader) unlisted() {
	ticked := false
	for _, t := range r.Things {
		ticked = ticked || len(t.Fields) == 0
		for _, f := range t.Fields {
			said := strings.Join(f.told.words, " ")
			ticked = ticked || f.Kind == values.Truth || len(f.Choices) > 0 || f.Name == "status"
			view := r.Is("view", said) || slices.ContainsFunc(strings.Split(said, " per "), func(w string) bool { return w != said && r.Is("figure-per", w) })
			for _, of := range []string{"overdue", "upcoming"} {
				view = view || said == of+" "+strings.ReplaceAll(english.Plural(t.Name), "_", " ")
			}
			alone := len(t.Fields) == 1 && f.told.stated && f.told.kind == "" && f.Name != "name" && !t.known
			if !f.old && !f.told.called && (view && f.told.bare() || alone) {
				r.Refuse(said)
			}
		}
	}
	for i := range r.Tokens {
		if n := r.Length(i, "ticks"); n > 0 && !ticked {
			r.Leave(r.text(i, i+n), "no field is named for it")
		}
	}
}

// isDeed says whether what was read as a thing is what somebody does: kindly build, booking flights, track my weight.
func (r *reader) isDeed(t *Thing) bool {
	n, ok := r.noun(t.at)
	if !ok || n.to <= t.at {
		return false
	}
	first := r.At(t.at).Low
	verb := !n.many() && !r.At(t.at).Capital && (r.Is("own", r.At(n.to).Low) || r.Is("object", r.At(n.to).Low))
	they := r.At(t.at-1).Low == "to" && english.IsPlural(r.At(t.at-2).Low) // users to submit photos
	return r.Is("imperative", t.said) || verb || len(n.words) > 1 && (they || r.Is("deed", first))
}

// kindInside gives what stands before a project where a word in it would be one as well: web server log API.
func (r *reader) kindInside(i int) string {
	if r.class(i) != "kind" || !r.nameable(i-1) || !r.nameable(i+1) {
		return ""
	}
	for end := i + 2; end < i+4 && !r.At(end).Mark; end++ {
		if r.class(end) == "kind" {
			return r.text(i-1, end)
		}
	}
	return ""
}

// heartBefore gives what stands before a thing whose list follows, and is what that list is of: a fuel log of my car: date,
// litres.
func (r *reader) heartBefore(t *Thing) string {
	at := t.at
	for r.nameable(at-1) || r.class(at-1) == "kind" { // website visitors
		at--
	}
	at = r.skipBack(at) - 1
	n, ok := r.noun(t.at)
	if !ok || !r.Is("of-whom", r.At(at).Low) || !r.At(n.to).Mark || r.At(n.to).Low == "," || r.At(n.to).Low == "." && r.heads[english.Singular(n.last())] {
		return ""
	}
	end := at
	if r.class(at-1) == "container" || r.Is("log-of", r.At(at-1).Low) || r.Is("gathers", r.At(at-1).Low) {
		at--
	}
	if !r.nameable(at-1) || r.class(at-1) != "" || r.Is("determiner", r.At(at-1).Low) {
		return ""
	}
	return r.text(at-1, end)
}

// manyOf says whether a thing was read that has several of others, each named like it, and nothing else.
func (r *reader) manyOf(t *Thing) bool {
	n, ok := r.noun(t.at)
	other := func(f Field) bool {
		return f.old || f.told.told || !english.IsPlural(f.Name) || f.Kind != values.Texts && f.Kind != values.Integer
	}
	return ok && len(t.Fields) > 1 && n.many() && r.At(n.to).Low == "," && !slices.ContainsFunc(t.Fields, other)
}

// severals gives two fields with "and" between them of which each record would have several, where nothing tells that they are
// but texts.
func (r *reader) severals(t *Thing) string {
	several := func(f Field) bool { return f.Kind == values.Texts && !f.Sure && !f.old && f.Ref == "" }
	for k, f := range t.Fields {
		if k > 0 && several(f) && several(t.Fields[k-1]) && r.joins(t.Fields[k-1].told.end) {
			return r.text(t.Fields[k-1].told.from, f.told.end)
		}
	}
	return ""
}

// isOne says whether a list would be of one thing that somebody has, and more likely is of what is in it: a bookshelf: title,
// author.
func (r *reader) isOne(t *Thing) bool {
	n, ok := r.noun(t.at)
	renamed := !strings.HasSuffix(strings.ReplaceAll(t.said, " ", "_"), t.Name)
	if !ok || n.many() || renamed || len(t.Fields) == 0 || r.At(n.to).Low != ":" || english.Plural(t.Name) == t.Name {
		return false
	}
	return r.Is("indefinite", r.At(t.at).Low) && r.At(t.at-1).Low == "for" || r.Is("own", r.At(t.at).Low)
}
