package template

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// isName says whether a word that has a meaning of its own is a name here.
func (r *reader) isName(i int, m meaning) bool {
	low := r.tokens[i].low
	next, _ := r.phrase(i + 1)
	if r.site {
		return r.isPartOfPage(low, m)
	}
	one, also := singular(low) == low, is("also-name", low)
	alone := r.at(i+1).mark || is("ends-name", string(next.class)) || tables["type"][r.at(i+1).low] != ""
	first := len(r.group) == 0
	_, typed := longest(r.reading, i+2, tables["type"])
	switch {
	case r.slot == inFields && r.at(i+1).low == ":" && typed > 0,
		r.project != nil && r.find(low) != nil && r.slot != nowhere,
		r.slot == inThings && !first && (m.class == isGiven || m.class == isDetail),
		r.slot == inFields && r.Kind != kindCommand && (low == "options" || low == "types" || low == "flags"):
		return true
	case !also, m.class == opensThings && (next.class == opensPlace || next.class == isDatabase), // "store in SQLite"
		m.class == isContainer && first && r.at(i+1).low == ":": // "resource: albums"
		return false
	}
	switch r.slot {
	case inThings, inParents, inChildren:
		return first && (!one || alone || next.class == "" && singular(r.at(i+1).low) != r.at(i+1).low)
	case inFields:
		return one && (alone || first && next.class == "" && m.class == isStop) || !first && alone && m.class == isStop
	case inAdded, inRemoved:
		return one && alone
	case nowhere:
		return first && !one && (next.class == opensFields || next.class == isRelation || r.at(i+1).low == "(")
	}
	return false
}

// open ends a name and begins a list of fields, or of the things in a place.
func (r *reader) open() {
	if r.flush(); r.site {
		r.slot = inFields
		return
	}
	if r.slot == inIgnored || r.slot == inAdded && len(r.pending) > 0 && isPlural(lastOf(r.pending[0].words)) {
		r.slot = nowhere
	}
	r.resolve()
	r.settle()
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
		plain := !isPlural(last) || tables["field"][last] == kindStrings
		switch {
		case r.find(last) != nil:
			r.addThing(each.words)
		case (plain || each.field) && len(r.project.Resources) == 1:
			r.addField(r.things[0], each.words, each.kind)
		case each.field || plain && tables["field"][last] != "":
			r.unknown = append(r.unknown, strings.Join(each.words, " "))
		default:
			r.addThing(each.words)
		}
	}
	r.pending, r.slot = nil, nowhere
}

// expect ends what is read, and says what comes next: names of which nothing
// was told are not understood.
func (r *reader) expect(next slot) {
	r.resolve()
	r.flush()
	for _, each := range r.pending {
		r.unknown = append(r.unknown, strings.Join(each.words, " "))
	}
	r.pending, r.slot = nil, next
}

func (r *reader) endSentence() {
	r.expect(nowhere)
	r.outer, r.fieldKind = nil, ""
}

// flush ends the name that is read.
func (r *reader) flush() {
	words, kind := r.group, r.fieldKind
	if len(words) == 0 {
		return
	}
	r.group, r.fieldKind = nil, ""
	if r.site {
		r.pagePart(words)
		return
	}
	switch r.slot {
	case nowhere, inAdded:
		r.pending = append(r.pending, item{words: words, kind: kind})
	case inThings:
		r.addThing(words)
	case inFields:
		if r.current == nil || r.ofPlace && isPlural(lastOf(words)) {
			r.addThing(words)
		} else {
			r.addField(r.current, words, kind)
		}
	case inParents, inChildren:
		if one := r.current; one != nil {
			r.addThing(words)
			other := r.current
			if r.slot == inChildren {
				one, other = other, one
			}
			one.parents = append(one.parents, other.singular)
			r.current = one
		}
	case inRemoved:
		r.remove(words)
	case inTarget:
		r.target(words)
	}
}

func (r *reader) remove(words []string) {
	if t := r.find(lastOf(words)); t != nil && (len(words) == 1 || t.singular == words[0]) {
		r.removed = append(r.removed, t.singular)
		return
	}
	name := strings.Join(words, "_")
	for _, t := range r.things {
		if (resource{Fields: t.fields}).has(name) {
			r.removed = append(r.removed, name+" of "+t.singular)
			return
		}
	}
	r.unknown = append(r.unknown, strings.Join(words, " "))
}

// addThing adds what words name, or finds it again, and makes it the current one.
func (r *reader) addThing(words []string) {
	name := strings.Join(words, " ")
	if of := slices.Index(words, "of"); of > 0 {
		words = words[:of]
	}
	last := lastOf(words)
	s := singular(last)
	place := cmp.Or(tables["place-of"][name], tables["place-of"][last])
	if place == "" || s != last && place != s {
		place = s
	}
	t := r.find(place)
	doing := len(words) > 1 && strings.HasSuffix(words[0], "ing") && !is("noun-in-ing", words[0])
	switch {
	case t != nil:
		t.isPlace = t.isPlace && place != s
	case doing || len(words) > 4 || slices.ContainsFunc(words, notFieldName) || notResource(place) || r.Kind == kindCommand && is("no-record", place):
		r.unknown = append(r.unknown, name)
		return
	default:
		t = &thing{singular: place, isPlace: place != s}
		r.things = append(r.things, t)
	}
	r.current = t
}

// addField gives a thing a field.
func (r *reader) addField(t *thing, words []string, kind string) {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return is("adjective", w) })
	if n := len(words); n > 1 && (is("type-behind", words[n-1]) || is("type", words[n-1]) && strings.Contains(words[n-2], "_")) {
		kind, words = tables["type"][words[n-1]], words[:n-1]
	} else if n > 1 && is("type-behind", words[0]) {
		kind, words = tables["type"][words[0]], words[1:]
	}
	if len(words) == 0 {
		return
	}
	name := strings.ReplaceAll(strings.Join(words, "_"), " ", "_")
	switch {
	case name == "id" || (resource{Fields: t.fields}).has(name):
	case is("secret", lastOf(words)):
		r.leave(name+" of "+plural(t.singular), "keeping passwords needs hashing and sign-in rules, which this engine does not write")
	case is("reserved-field", strings.ReplaceAll(name, "_", "")):
		r.leave(name+" of "+plural(t.singular), "the name has a meaning of its own in the generated code")
	case notFieldName(name) || len(words) > 4:
		r.unknown = append(r.unknown, strings.Join(words, " "))
	case len(t.fields) >= maxFields:
		r.leave(name+" of "+plural(t.singular), fmt.Sprintf("a resource has at most %d fields", maxFields))
	default:
		if kind == "" {
			kind = kindOf(strings.Split(name, "_"))
		}
		t.fields = append(t.fields, field{name, kind})
	}
}

// untangle mends what only the whole request tells: several plurals that nothing
// has as a rule are things and no fields, and so are those that are things
// anyway; a place is none where the things in it are named; and a name that
// stood alone may have been told of later.
func (r *reader) untangle() {
	for _, t := range slices.Clone(r.things) {
		several := len(t.fields) > 1 && !t.known && !slices.ContainsFunc(t.fields, func(f field) bool {
			return f.Kind != kindStrings || tables["field"][f.Name] != "" || strings.Contains(f.Name, "_")
		})
		for _, f := range t.fields {
			if several && !notResource(singular(f.Name)) {
				r.addThing([]string{f.Name})
			}
		}
		t.fields = slices.DeleteFunc(t.fields, func(f field) bool {
			other := r.find(f.Name)
			return several || f.Kind == kindStrings && other != nil && !other.known && other != t
		})
	}
	r.things = slices.DeleteFunc(r.things, func(t *thing) bool {
		return t.isPlace && len(t.fields) == 0 && slices.ContainsFunc(r.things, func(o *thing) bool { return !o.isPlace && !o.known })
	})
	r.unknown = slices.DeleteFunc(r.unknown, func(name string) bool { return r.find(name) != nil && !r.find(name).known })
}
