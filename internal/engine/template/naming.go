package template

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/engine/template/project"

	"github.com/bundle-delivery/svc/internal/english"
)

// isName says whether a word that has a meaning of its own is a name here.
func (r *reader) isName(i int, m meaning) bool {
	low := r.Tokens[i].Low
	next, _ := r.Phrase(i + 1)
	if r.site {
		follows := next.Class
		if r.At(i + 1).Mark {
			follows = isJoin
		}
		return r.isPartOfPage(low, m, follows) || (r.Subject != "" || r.Title != "") && (is("layout", low) || is("section", low)) && is("page", r.At(i+1).Low) || r.slot == inFields && m.Class == isStop && r.Ends(i-1) && r.Ends(i+1) && !is("courtesy", low) || m.Value == "filler" && r.slot == inFields && (low != "new" || r.Ends(i-1)) && (len(r.group) > 0 || next.Class == "" && !r.At(i+1).Mark || is("section", r.At(i+1).Low) || is("layout", r.At(i+1).Low))
	}
	filler := m.Value == "filler" && r.slot != nowhere && r.slot != inIgnored
	one, also := english.Singular(low) == low, is("also-name", low)
	kinds := r.Length(i+1, "type")
	alone := r.At(i+1).Mark || is("ends-name", next.Class) || kinds+r.Length(i+1, "rule")+r.Length(i+1, "modal") > 0 || is("thanks", r.At(i+1).Low)
	first := len(r.group) == 0
	typed := r.Length(i+2, "type")
	word := next.Class == "" && !r.At(i+1).Mark && !strings.ContainsFunc(r.At(i+1).Low, unicode.IsDigit)
	switch {
	case !first && lastOf(r.group) == "is", m.Class == isContainer && !first && (is("place-of", strings.Join(r.group, " ")+" "+low) || is("in-name", low) && !english.IsPlural(lastOf(r.group))), // a reading list, medical records
		filler && first && !one && alone && next.Class != isTo && r.slot == inThings,                                                                                                                                             // people
		filler && !first && (!is("breaks-list", low) || alone || word && r.slot == inThings),                                                                                                                                     // a favourite toy
		(filler || m.Class == isGiven || m.Class == isDetail) && first && r.slot == inFields && is("particle", r.At(i+1).Low) && r.Ends(i+2), filler && first && word && (!is("breaks-list", low) || is("field", r.At(i+1).Low)), // a home address
		r.slot == inFields && first && (is("begins-field", m.Class) || also && m.Class == opensThings) && is("field", r.At(i+1).Low) && !is("adjective", low), // a test score
		r.slot == inFields && (r.At(i+1).Low == ":" || r.At(i+1).Low == "(") && typed > 0,
		r.find(low) != nil && (r.project != nil && r.slot != nowhere || first && (r.Ends(i-1) || is("determiner", r.At(i-1).Low)) && (next.Class == opensFields || r.At(i+1).Low == ":" || r.At(i+1).Low == "(")), // "Properties have an address"
		m.Class == isContainer && first && is("in-name", low) && r.At(i+1).Low == ":" && is("field", r.At(i+2).Low),
		r.ofPlace && r.slot == inFields && m.Class == opensFields && !one && next.Class == isJoin, // a board with columns and cards
		r.slot == inThings && !first && (m.Class == isGiven || m.Class == isDetail || m.Class == opensFields && also || is("place-of", low)),
		r.slot == inFields && (m.Class == isContainer || m.Class == isKind && r.Ends(i-1) && r.Ends(i+1)) && first && one && alone && low != "list", // an organizer
		r.slot == inFields && r.Kind != project.Command && is("given-or-field", low) && r.current != nil && len(r.current.fields) > 0:
		return true
	case !also, m.Class == isPort && strings.ContainsFunc(r.At(r.After(i+1, "to", "is", ":", "number")).Low, unicode.IsDigit), first && r.At(i+1).Low == ":" && !is("place-of", low) && (is("deniable", m.Class) || m.Class == isPort || m.Class == isModule), m.Class == opensThings && (next.Class == opensPlace || next.Class == isDatabase), // "store in SQLite"
		m.Class == isContainer && (first && (r.At(i+1).Low == ":" || r.At(i+1).Quoted) || !first && r.slot == inAdded): // "resource: albums", "add a notes resource"
		return false
	}
	switch r.slot {
	case inThings, inParents, inChildren:
		return !first && !one && alone || is("gathers", r.At(i+1).Low) || first && (!one || alone || next.Class == "" && english.Singular(r.At(i+1).Low) != r.At(i+1).Low)
	case inFields:
		return one && (alone || first && m.Class != isPort && m.Class != opensThings && (next.Class == "" || is("also-name", r.At(i+1).Low))) || alone && (!first || r.Ends(i-1)) && m.Class == isStop
	case inAdded, inRemoved:
		return one && alone
	case nowhere:
		lists := r.At(i+1).Low == ":" && r.At(i+3).Low == "," && is("field", r.At(i+2).Low) // "reports: title, body"
		if !first && !one && lists {                                                        // climbing gym routes: name, grade
			return true
		}
		return first && (!one || r.Ends(i-1) || is("determiner", r.At(i-1).Low)) && (next.Class == opensFields || next.Class == isRelation || r.At(i+1).Low == "(" || lists)
	}
	return false
}

// open ends a name and begins a list of fields, or of the things in a place.
func (r *reader) open() {
	if r.flush(); r.site {
		r.slot = inFields
		return
	}
	if r.slot == inIgnored || r.slot == inAdded && len(r.pending) > 0 && english.IsPlural(lastOf(r.pending[0].words)) {
		r.slot = nowhere
	}
	r.resolve()
	r.settle()
	r.list++
	r.slot, r.ofPlace = inFields, r.current != nil && r.current.isPlace
	if r.current == nil {
		r.slot = inThings
	}
}

// settle makes things of the names before something that says they are.
func (r *reader) settle() {
	r.flush()
	if r.slot == nowhere {
		for _, each := range r.pending {
			r.addThing(each.words)
		}
		r.pending = nil
	}
}

// resolve makes things, or a field, of what is added and was not said to what.
func (r *reader) resolve() {
	if r.slot != inAdded {
		return
	}
	r.flush()
	for _, each := range r.pending {
		last := lastOf(each.words)
		plain := !english.IsPlural(strings.Join(each.words, "_")) || tables["field"][last] == kindStrings
		switch {
		case r.find(last) != nil && (len(each.words) == 1 || !r.find(last).known):
			r.addThing(each.words)
		case (plain || each.field) && len(r.project.Resources) == 1:
			r.addField(r.things[0], each.words, each.about)
		case each.field || plain && tables["field"][last] != "":
			r.unknown = append(r.unknown, strings.Join(each.words, " "))
		default:
			r.addThing(each.words)
		}
	}
	r.pending, r.slot = nil, nowhere
}

// expect ends what is read: names of which nothing was told are not understood.
func (r *reader) expect(next slot) {
	r.resolve()
	r.flush()
	for _, each := range r.pending {
		switch {
		case r.project == nil && len(r.things) == 0 && len(each.words) == 1 && (is("has", english.Singular(each.words[0])) || is("place-of", each.words[0])):
			r.addThing(each.words)
		default:
			r.unknown = append(r.unknown, strings.Join(each.words, " "))
		}
	}
	r.pending, r.slot = nil, next
	r.list++
}

// flush ends the name that is read.
func (r *reader) flush() {
	words, about := r.group, r.about
	r.group, r.about = nil, field{}
	if len(words) == 0 {
		if about.Unique || about.Need != "" { // "unique together"
			r.unknown = append(r.unknown, cmp.Or(about.Need, "unique"))
		}
		r.about.Kind = about.Kind
		return
	}
	if r.site {
		r.pagePart(words)
		return
	}
	switch r.slot {
	case nowhere, inAdded:
		r.pending = append(r.pending, item{words: words, about: about})
	case inThings, inFields:
		last := lastOf(words)
		if r.slot == inThings && r.current != nil && (!r.current.one || r.current.isPlace && is("has", last)) && r.project == nil && !english.IsPlural(last) && (r.current.isPlace && is("has", last) || fieldOnly(last) || english.Plural(last) != last && (is("field", last) || is("also-field", last)) && r.short) {
			r.slot = inFields // "an API for movies, title and year only"
		}
		if r.slot == inThings || r.current == nil || r.ofPlace && english.IsPlural(last) && (len(r.current.fields) == 0 || !is("field", last)) {
			r.addThing(words)
		} else {
			r.addField(r.current, words, about)
		}
	case inParents, inChildren:
		if one := r.current; one != nil {
			r.addThing(words)
			other := r.current
			if r.slot == inChildren {
				one, other = other, one
			}
			if one == other {
				r.unknown = append(r.unknown, "to "+strings.Join(words, " "))
			}
			one.parents = append(one.parents, other)
			r.current = one
		}
	case inIgnored: // it belongs to what is left out, if that is not only an introduction
		if n := len(r.Left) - 1; n >= 0 {
			r.Left[n] = strings.TrimSuffix(strings.Replace(r.Left[n]+" (", " (", " "+strings.Join(words, " ")+" (", 1), " (")
		}
	case inRemoved:
		r.remove(words)
	case inTarget:
		r.target(words)
	}
}

func (r *reader) remove(words []string) {
	if t := r.find(strings.Join(words, "_")); t != nil {
		r.removed = append(r.removed, t.singular)
		return
	}
	name := strings.Join(words, "_")
	owners := slices.DeleteFunc(slices.Clone(r.things), func(t *thing) bool {
		return !(resource{Fields: t.fields}).Has(name) || r.current != nil && t != r.current
	})
	if len(owners) == 1 {
		r.removed = append(r.removed, name+" of "+owners[0].singular)
		return
	}
	r.unknown = append(r.unknown, strings.Join(words, " "))
}

// addThing adds what words name, or finds it again, and makes it the current one.
func (r *reader) addThing(words []string) {
	if of := slices.Index(words, "of"); of > 0 && is("place-of", lastOf(words)) { // the takings of our shop
		r.context, words = append(r.context, words[of:]...), words[:of]
	}
	if n := len(words) - 1; n > 0 && is("gathers", words[n]) && !isPlace(words[n-1]) { // our server inventory
		r.context, words = append(r.context, words[n]), words[:n]
	}
	name, last, whole := strings.Join(words, " "), lastOf(words), strings.ReplaceAll(strings.Join(words, "_"), " ", "_")
	s := english.Singular(whole)
	place := cmp.Or(tables["place-of"][name], tables["place-of"][last])
	if place == "" || r.find(s) != nil && r.find(s).is(s) || english.IsPlural(last) && place != s {
		place = s
	} else if place != s {
		r.context = append(r.context, words...)
	}
	t := r.find(place)
	if t == nil && (r.slot == inParents || r.slot == inChildren) {
		t = r.find(last) // "belongs to a TV show"
	} else if t != nil && !t.known && !t.is(place) {
		r.leave(strings.ReplaceAll(english.Plural(t.singular), "_", " "), "called "+strings.ReplaceAll(english.Plural(s), "_", " ")+" for short")
		t.singular = s
	}
	// "customers ordering pizzas" is no name, and "encrypted" is none.
	doing := is("adjective", words[0]) || len(words) == 1 && is("only-field", last) || slices.ContainsFunc(words[:len(words)-1], func(w string) bool { return strings.HasSuffix(w, "ing") && !is("noun-in-ing", w) }) ||
		slices.ContainsFunc(words[:len(words)-1], func(w string) bool { return english.IsPlural(w) && !is("plural-first", w) }) && !slices.Contains(words, "of") || english.HasSuffix(last, "ing", "ed", "able", "ible", "ful", "ous") && !is("noun-anyway", last) || is("no-thing", last) || len(words) > 1 && (is("verb", last) || slices.ContainsFunc(words, func(w string) bool { return is("only-verb", w) }))
	switch {
	case t != nil:
		t.isPlace, t.one = t.isPlace && place != s, false
	case doing || len(words) > 4 || project.NotResource(place) || is("type", s) && is("never-field", s) || r.Kind == project.Command && is("no-record", english.Singular(last)):
		r.unknown = append(r.unknown, name)
		return
	default:
		t = &thing{singular: place, said: name, isPlace: place != s, one: s == whole && !is("has", s) && (!english.Irregular(last) || is("place", last)), list: r.list, loose: r.loose && r.slot == inThings && place == s}
		r.things = append(r.things, t)
	}
	r.current = t
}

// isPlace says whether things are in it, and it is none of them.
func isPlace(w string) bool { return is("institution", w) || is("room", w) || is("place-of", w) }

// addField gives a thing a field.
func (r *reader) addField(t *thing, words []string, about field) {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		rule := tables["rule"][w]
		if about.Unique = about.Unique || rule == "unique"; rule == project.Needed || rule == "optional" {
			about.Need = rule
		}
		return is("adjective", w)
	})
	if n := len(words); n > 1 && (is("type-behind", words[n-1]) || words[n-1] == "text" && (is("field", words[n-2]) || is("also-field", words[n-2])) || n > 2 && words[n-1] == kindDate && slices.Contains([]string{"until", "on", "from"}, words[n-2]) || is("type", words[n-1]) && strings.Contains(words[n-2], "_")) {
		about.Kind, words = tables["type"][words[n-1]], words[:n-1]
	} else if n > 1 && is("type-behind", words[0]) {
		about.Kind, words = tables["type"][words[0]], words[1:]
	}
	if len(words) == 0 {
		return
	}
	if len(words) > 1 && is("splits", words[0]) && !slices.ContainsFunc(words, func(w string) bool { return !is("field", w) }) {
		for _, w := range words[:len(words)-1] { // "with name phone and email"
			r.addField(t, []string{w}, field{})
		}
		r.addField(t, words[len(words)-1:], about)
		return
	}
	if last := english.Singular(lastOf(words)); about.Kind == "" && !is("field", lastOf(words)) && fieldOnly(last) {
		words[len(words)-1] = last // todos with due dates have one each
	}
	name := strings.ReplaceAll(strings.Join(words, "_"), " ", "_")
	switch {
	case name == "id" || (resource{Fields: t.fields}).Has(name):
		r.context = append(r.context, name)
	case is("secret", lastWord(lastOf(words))):
		r.leave(name+" of "+english.Plural(t.singular), "keeping passwords needs hashing and sign-in rules, which this engine does not write")
	case is("reserved-field", project.Squeezed(name)):
		r.leave(name+" of "+english.Plural(t.singular), "the name has a meaning of its own in the generated code")
	case project.NotFieldName(name) || len(words) > 5 || len(name) == 1 && about.Kind == "" && !strings.Contains("xyz", name) || len(words) > 1 && is("acts", words[0]) || is("never-field", lastOf(words)) || about.Kind == "" && about.Choices == nil && about.Min+about.Max+about.Default == "" && strings.HasSuffix(name, "ing") && !is("noun-in-ing", lastOf(words)) && !is("noun-anyway", lastOf(words)) && !is("field", lastOf(words)):
		r.unknown = append(r.unknown, strings.Join(words, " "))
	case len(t.fields) >= project.MaxFields:
		r.leave(name+" of "+english.Plural(t.singular), fmt.Sprintf("a resource has at most %d fields", project.MaxFields))
	default:
		if about.Name = name; about.Of() != "" {
			about.Name += "_id"
		}
		t.fields = append(t.fields, r.withKind(about))
	}
}

// untangle mends what only the whole request tells: which plurals are things and no fields,
// which things are but the place of others, and which names were told of later.
func (r *reader) untangle() {
	for _, t := range slices.Clone(r.things) {
		several := (len(t.fields) > 1 || len(t.fields) == 1 && !t.isPlace && r.Kind == project.API) && !t.known && !slices.ContainsFunc(t.fields, func(f field) bool {
			return f.Kind != kindStrings || tables["field"][f.Name] != "" || strings.Contains(f.Name, "_") && len(t.fields) > 1
		})
		for _, f := range t.fields {
			if several && !project.NotResource(english.Singular(f.Name)) {
				if r.addThing(strings.Split(f.Name, "_")); r.current == t && len(t.fields) == 1 { // folders can contain folders
					r.unknown = append(r.unknown, f.Name)
				}
				if t.list = max(t.list, 0); len(t.fields) == 1 && r.current != t {
					r.current.parents = append(r.current.parents, t)
				}
			}
		}
		t.fields = slices.DeleteFunc(t.fields, func(f field) bool { return several || r.relates(t, f) })
	}
	r.things = slices.DeleteFunc(r.things, func(t *thing) bool {
		if t.loose && len(t.fields) == 0 && !is("has", t.singular) { // a command for git statistics keeps none
			r.unknown = append(r.unknown, english.Plural(t.singular))
		}
		drop := len(t.fields)+len(t.parents) == 0 && !t.known && slices.ContainsFunc(r.things, func(o *thing) bool {
			return o != t && !o.known && !o.isPlace && (t.isPlace || t.one && (!o.one || len(o.fields) > 0) || o.one && len(o.fields) > 0 && strings.HasSuffix(t.singular, o.singular))
		}) && !slices.ContainsFunc(r.things, func(o *thing) bool { return slices.Contains(o.parents, t) })
		if o := slices.IndexFunc(r.things, func(o *thing) bool {
			return o != t && o.one && len(o.fields) > 0 && strings.HasSuffix(t.singular, o.singular)
		}); drop && o >= 0 {
			r.leave(english.Plural(t.singular), "called "+english.Plural(r.things[o].singular)+" for short")
			return true
		}
		// What others are in is told before them; another singular may be anything.
		if first := slices.IndexFunc(r.things, func(o *thing) bool { return (!o.one || len(o.fields) > 0) && !o.isPlace }); drop && !t.isPlace && (t.list < 0 || first >= 0 && (first < slices.Index(r.things, t) || r.things[first].list == t.list)) {
			r.unknown = append(r.unknown, t.singular)
		} else if drop {
			r.context = append(r.context, t.singular)
		}
		return drop
	})
}

// relates notes the relation of a field that stands for a thing: a post with a user and comments.
func (r *reader) relates(t *thing, f field) bool {
	other, many := r.find(f.Name), f.Kind == kindStrings || f.Kind == kindInteger && english.IsPlural(f.Name)
	if owner, ok := strings.CutSuffix(f.Name, "_id"); ok && f.Of() == "" && !f.Unique { // user_id, beside users
		other, f.Kind = r.find(owner), kindString
	}
	switch {
	case other == t && many && !t.known: // task management with users and tasks
		r.unknown = append(r.unknown, f.Name)
		return true
	case other != nil && !t.known && slices.Contains(other.parents, t) && f.Kind == kindString: // both would belong to each other
		r.unknown = append(r.unknown, strings.ReplaceAll(f.Name, "_", " ")+" belongs to "+t.singular)
		return true
	case other == nil || other == t || t.known || r.Kind == project.Command || len(other.parents) > 0 && f.Kind != kindString || slices.Contains(other.parents, t):
		return other != nil && other != t && !other.known && many
	case many && !other.known:
		other.parents = append(other.parents, t)
	case f.Kind == kindString && !english.IsPlural(f.Name):
		t.parents = append(t.parents, other)
	default:
		return false
	}
	return true
}

func lastOf[T any](all []T) T { return all[len(all)-1] }

// fieldOnly says whether a word names a field and hardly ever a thing.
func fieldOnly(w string) bool {
	kind := tables["field"][w]
	return kind != "" && (kind != kindString && kind != kindStrings || is("only-field", w))
}
