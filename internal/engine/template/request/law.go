package request

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// kindWords say what is guessed of a field.
var kindWords = map[string]string{
	values.Text: "text", values.Number: "number", values.Integer: "whole number", values.Truth: "yes or no",
	values.Day: "date", values.DateTime: "date and time", values.Texts: "list of texts",
}

// link makes references of the fields that are called like other things, and names what was guessed.
func (r *reader) link() {
	if t := r.own; r.topic == nil && t != nil && is("gathers", lastWord(t.Name)) { // a newspaper archive
		r.topic = t
	}
	if t := r.topic; t != nil && t.bare() && len(r.Things) > 1 && !r.isParent(t) { // a blog backend keeps posts
		if t.of != "" { // a library with books and authors
			r.Refuse("what records of " + plural(t))
		}
		r.Leave(spaced(t.Name), background)
		r.drop(t)
	}
	for _, t := range slices.Clone(r.Things) {
		switch {
		case len(r.Things) < 2 || !t.bare() || r.isParent(t):
		case t.Name == "record": // two kinds of records, kilns and firings
			r.Refuse(plural(t))
		case t.stock: // a freezer inventory: freezers and boxes
			r.Leave(r.Written(t.at, r.EndOf(t.at)), background)
			r.drop(t)
		}
	}
	for _, each := range r.theirs { // but for what is told of them otherwise
		switch their, of := each[0], each[1]; {
		case of.reaches(their, nil):
		case their.bare() && !their.several && r.valueOf(their.Name): // kites and their price
			r.drop(their)
			r.current = of
			r.add(Field{Name: their.Name, at: their.at}, "", nil)
		case their.bare() && r.namesValue(plural(their)): // shops and their opening hours
			r.drop(their)
			r.current = of
			r.add(Field{Name: english.Plural(their.Name), at: their.at}, "", nil)
		case r.Is("field", their.Name) && their.bare() || is("people", one(lastWord(plural(their)))): // dogs and their owners: who has whom?
			r.Refuse("their " + plural(their))
		default:
			their.belongs(of)
		}
	}
	r.emptyPlace()
	for _, t := range r.Things {
		keyed := func(f Field) bool { return strings.HasSuffix(f.Name, "_id") }
		t.Link = t.Link || len(t.Fields) > 1 && all(t.Fields, keyed)
		for k := range t.Fields {
			r.refer(t, &t.Fields[k])
		}
	}
	related := map[*Thing]bool{} // by what was told of them, before what their fields tell
	for _, t := range r.Things {
		related[t] = len(t.Parents) > 0
	}
	var guessed []string
	for _, t := range r.Things {
		several := func(f Field) bool {
			return (r.severalOf(f) || f.Name == "series") && !f.told && (t == r.own || r.exact(f.Name) == nil)
		}
		if len(t.Fields) > 1 && all(t.Fields, several) { // a contacts service with companies and people
			r.Refuse("fields of " + plural(t) + ", or records of their own")
		}
		t.Link = t.Link || r.Tables["has"][t.Name] == "" && len(t.Parents) > 1
		t.Fields = slices.DeleteFunc(t.Fields, r.relating(t, related))
		for k, f := range t.Fields {
			begin, last, ok := cutLast(strings.TrimSuffix(f.Name, "_id"))
			of := r.meant(last)
			named := ok && of != nil && f.Kind == values.Text && !strings.Contains(f.Name, "_of_")
			switch {
			case f.old:
			case named && (of != t || is("self", begin)): // a favourite band, but not a long url
				if first, _, _ := strings.Cut(begin, "_"); is("function", first) { // who has the book
					r.Refuse(spaced(f.Name))
				}
				t.Fields[k].Ref, t.Fields[k].Sure = of.Name, true
			case !f.Sure:
				guessed = append(guessed, spaced(f.Name)+" ("+kindWords[f.Kind]+")")
			}
		}
		if len(t.Fields) == 0 && !t.Link && len(r.Things) > 1 && r.Kind != project.Command {
			r.Leave("fields of "+plural(t), "none were told: they get the usual ones")
		}
	}
	for _, t := range r.fresh {
		if !slices.ContainsFunc(r.Things, func(o *Thing) bool { return o.reaches(t, nil) || t.reaches(o, nil) }) {
			r.Refuse(spaced(t.Name))
		}
	}
	for _, t := range r.beside {
		if len(t.Parents) == 0 && all(t.Fields, func(f Field) bool { return f.Ref == "" }) && len(r.theirs) > 0 {
			r.Leave("relations of "+plural(t), "none were told: they are kept side by side")
		}
	}
	if len(guessed) > 0 {
		r.Leave("a kind for "+english.List(guessed), "none was told")
	}
	r.sideBySide()
}

// valueOf says whether what is named as the thing of others is rather a value of theirs.
func (r *reader) valueOf(name string) bool {
	return !is("people", lastWord(name)) && r.Tables["has"][name] == "" && r.usualKind(name) != ""
}

// namesValue says whether several words are the name of one value: opening hours.
func (r *reader) namesValue(said string) bool {
	return strings.Contains(said, " ") && r.Is("field", said)
}

// all says whether something is so of each.
func all[T any](each []T, is func(T) bool) bool {
	return !slices.ContainsFunc(each, func(one T) bool { return !is(one) })
}

func (r *reader) drop(t *Thing) {
	r.Things = slices.DeleteFunc(r.Things, func(o *Thing) bool { return o == t })
}

// severalOf says whether a field is called like several of something.
func (r *reader) severalOf(f Field) bool {
	return english.IsPlural(f.Name) || is("plural-only", f.Name)
}

// emptyPlace keeps what is in a place, of which nothing else is told: a warehouse has bins and items.
func (r *reader) emptyPlace() {
	t := r.topic
	things := func(f Field) bool { return english.IsPlural(f.Name) && !f.told }
	if t == nil || r.Tables["place-of"][spaced(t.Name)] == "" || len(t.Fields) < 2 || !all(t.Fields, things) {
		return
	}
	for _, f := range t.Fields {
		if r.exact(f.Name) == nil {
			r.Things = append(r.Things, &Thing{Name: one(f.Name), at: f.at, several: true})
		}
	}
	r.drop(t)
}

// relating makes a relation of a field of a thing that is called like another thing, and says whether it did.
func (r *reader) relating(t *Thing, related map[*Thing]bool) func(Field) bool {
	return func(f Field) bool {
		measured := f.told && f.Kind != values.Text && f.Kind != values.Texts
		if measured && r.exact(f.Name) != nil { // a hive has a name, a visit a date
			r.Refuse(f.Name)
		}
		of := r.meant(strings.TrimSuffix(one(f.Name), "_id"))
		if english.IsPlural(f.Name) { // quiz questions
			of = cmp.Or(of, r.find(f.Name))
		}
		switch {
		case of == nil, of == t, f.old, measured: // a level in cm is no river level
			return false
		case english.IsPlural(f.Name) && f.Name == english.Plural(of.Name) && related[of]: // which was told
		case r.joined(of, t): // perfumes with ingredients, and an ingredient can be in many perfumes
		case r.severalOf(f): // courses have students
			if r.At(f.at-1).Low == "by" || !t.several && r.At(t.at-2).Low == "for" { // books by authors, for a scout group with patrols
				r.Refuse(spaced(f.Name) + " of " + plural(t))
			}
			of.belongs(t)
			r.Leave(spaced(f.Name)+" of "+plural(t), "each of them belongs to one")
		default:
			t.belongs(of)
		}
		return true
	}
}

// sideBySide says that nothing was told of what things have to do with each other.
func (r *reader) sideBySide() {
	var each []string
	for _, t := range r.Things {
		if t.old || len(t.Parents) > 0 || slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Ref != "" }) {
			return
		}
		each = append(each, plural(t))
	}
	if len(each) > 1 && r.Kind != project.Command {
		r.Leave("relations of "+english.List(each), "none were told: they are kept side by side")
	}
}

// refer makes a reference of a field of a thing that is told to be one.
func (r *reader) refer(t *Thing, f *Field) {
	of, name := r.meant(one(f.refers)), strings.TrimSuffix(f.Name, "_id")
	switch {
	case f.refers == "":
	case of == nil:
		what := spaced(english.Plural(one(f.refers)))
		r.Leave(spaced(f.Name)+" as a reference", "nothing is kept of "+what+": it refers to no record")
	case of == t || english.IsPlural(name):
		r.Refuse(spaced(f.Name) + " of " + plural(t))
	default:
		if f.Unique || f.Need == "optional" {
			r.Leave("optional or unique "+spaced(f.Name), "a rule that its values cannot be held to")
		}
		f.Name, f.Ref, f.Sure = name, of.Name, true
	}
}

// meant gives the thing that a field is called like: a room may be a meeting room.
func (r *reader) meant(name string) (found *Thing) {
	for _, t := range r.Things {
		switch {
		case t.Name == name:
			return t
		case strings.HasSuffix(t.Name, "_"+name) || t.compound(name):
			found = t
		}
	}
	return found
}

// law gives what of a thing cannot be, or nothing.
func (r *reader) law(t *Thing) string {
	said, last, before := spaced(t.Name), lastWord(t.Name), r.At(t.at-1).Low
	_, known := r.Tables["has"][last]
	held := r.Tables["place-of"][said]
	alone, place := len(r.Things) == 1, is("premises", said) || held != "" && held != said
	untold := func(f Field) bool { return !f.told && !is("tells-apart", lastWord(f.Name)) }
	switch {
	case r.unheard(t) != "":
		return r.unheard(t)
	case t.bare() && !alone && r.Kind == project.Command && r.measures(t.Name): // my coffee: beans, grams
		return plural(t)
	case t.reaches(t, nil), slices.ContainsFunc(t.Fields, r.comesAround(t)):
		return said + ", which belongs to itself"
	case r.Kind == project.Command && len(t.Parents) > 0: // hours per project
		return plural(t) + " of " + plural(t.Parents[0])
	case project.NotResource(t.Name), r.class(said) == "heart" && !r.Is("also-name", said) && !r.Is("also-name", plural(t)):
		return said
	case t.bare() && (r.onlyNamed(t, known) || alone && !known && r.isTime(last)), r.ofUsers(t), alone && !t.several && is("gathering", last): // a leaderboard
		return "what records of " + plural(t)
	case is("gathers", last) && !t.old && strings.Contains(t.Name, "_"): // a newspaper archive
		return "what records of " + said
	case len(t.Fields) == 0 && is("only-verb", last): // a folder sits in a box, nurse work in one ward
		return said
	case alone && t.of == "" && len(t.Fields) > 0 && place && !is("formal", before) && !english.IsPlural(r.At(t.at).Low):
		return "what is kept in the " + said // a laundromat: machine number
	case is("sorts", last) && len(t.Fields) > 0 && all(t.Fields, untold): // statuses: open, closed
		return "values of " + plural(t) + ", or fields"
	case r.Kind == project.Command && (!r.keeps && (!known || r.deeds) || is("worked-on", last)):
		return said
	case r.Kind == project.Command && t.bare() && is("of-machine", said): // a tool to manage git branches
		return plural(t)
	case r.onlyItems(t):
		return "what is kept of " + plural(t)
	case r.manyLists(t):
		return "fields of " + plural(t) + ", or records of their own"
	}
	return ""
}

// unheard gives what no field is called, or what of several values tells of another field: one of wizard, fighter, level 1 to 20.
func (r *reader) unheard(t *Thing) string {
	for _, f := range t.Fields {
		for _, c := range f.Choices {
			if len(strings.Fields(c)) > 2 && strings.ContainsAny(c, "0123456789") || english.HasSuffix(c, " yes", " no") {
				return c
			}
		}
		name := strings.Split(f.Name, "_")
		asks := func(w string) bool { return is("asks", w) || w == "which" }
		if is("asks", name[0]) && slices.ContainsFunc(name[1:], asks) { // who has which key
			return spaced(f.Name)
		}
		if project.NotFieldName(f.Name) || r.Is("reserved-field", project.Squeezed(f.Name)) {
			return spaced(f.Name)
		}
	}
	return ""
}

// measures says whether a name is rather that of a value than of records.
func (r *reader) measures(name string) bool {
	return r.aloneKind(name) == values.Number || r.isTime(name)
}

// isTime says whether a name is rather that of a day or a time than of records: watering dates.
func (r *reader) isTime(name string) bool {
	kind := r.aloneKind(name)
	return kind == values.Day || kind == values.DateTime
}

func (r *reader) aloneKind(name string) string {
	return cmp.Or(r.usualKind(name), r.usualKind(english.Plural(name)))
}

// comesAround says whether a field refers to what belongs to the thing that has it: hives with a next treatment, treatments with a hive.
func (r *reader) comesAround(t *Thing) func(Field) bool {
	return func(f Field) bool {
		first, _, _ := strings.Cut(f.Name, "_")
		return r.Is("soon", first) && f.Ref != "" && !f.old && r.exact(f.Ref).reaches(t, nil)
	}
}

// onlyNamed says whether a thing of which nothing is told may be no record.
func (r *reader) onlyNamed(t *Thing, known bool) bool {
	begin, last, _ := cutLast(t.Name)
	before := r.At(t.at - 1).Low
	longer := func(o *Thing) bool {
		within := strings.HasPrefix(o.Name, t.Name+"_") || strings.HasSuffix(t.Name, o.Name)
		return o != t && within && !o.bare() && !slices.Contains(o.Parents, t) && !t.reaches(o, nil)
	}
	place := r.Tables["place-of"][last] != "" || is("group", last)
	switch {
	case is("value-only", spaced(t.Name)), is("of-services", last), is("platform", strings.Split(t.Name, "_")[0]):
		return true // for a gym: names, emails; a webhook
	case slices.ContainsFunc(r.Things, longer): // seeds, each seed packet has a grower; flashcards, a card has a front
		return true
	case r.Tables["type"]["in "+english.Plural(last)] != "" && r.usualKind(begin) != "": // episodes, duration minutes
		return true
	case len(r.Things) == 1:
		return !known && !t.several && t.of == "" // a video call service
	case place && !t.several && before != "the" && is("owner", before): // our rowing club has boats
		return true
	case r.isParent(t):
		return false
	case r.labels > 1: // for boat repairs. Customers: name
		return true
	}
	return t == r.own && is("plural-only", last) // a kitchen equipment backend, every machine has a name
}

// onlyItems says whether what is told as all that a thing has is rather kept in it.
func (r *reader) onlyItems(t *Thing) bool {
	bulleted := len(t.Fields) > 0 && all(t.Fields, func(f Field) bool { return r.At(f.at-1).Low == words.Bullet })
	sure := func(f Field) bool { return f.Sure }
	return t.of != "" && (t.All || bulleted) && !all(t.Fields, sure) || // shopping list: milk, eggs
		bulleted && !slices.ContainsFunc(t.Fields, sure) // my books: - Dune - Emma
}

// isParent says whether something belongs to a thing.
func (r *reader) isParent(t *Thing) bool {
	return slices.ContainsFunc(r.Things, func(o *Thing) bool { return slices.Contains(o.Parents, t) })
}

// bare says whether nothing was told of a thing.
func (t *Thing) bare() bool { return len(t.Fields)+len(t.Parents) == 0 }

// ofUsers says whether what is told of people is not theirs, so that they may be those who use the records: for teachers: pupil
// name, mark.
func (r *reader) ofUsers(t *Thing) bool {
	last := lastWord(t.Name)
	person := english.HasSuffix(last, "er", "or", "ist", "ian") && !is("no-person", last)
	theirs := func(f Field) bool {
		if begin, end, ok := cutLast(f.Name); ok && end == "name" && begin != t.Name && !is("part-of-name", begin) {
			return false
		}
		return slices.ContainsFunc(strings.Split(f.Name, "_"), func(w string) bool { return is("of-people", w) })
	}
	return person && r.At(t.at-1).Low == "for" && len(t.Fields) > 0 && !slices.ContainsFunc(t.Fields, theirs)
}

// manyLists says whether most of what a thing holds are several of something each, which are rather records of their own.
func (r *reader) manyLists(t *Thing) bool {
	only, lists := len(t.Fields) == 1, 0
	for _, f := range t.Fields {
		if f.Kind == values.Texts && !f.Sure || !f.told && (is("records-too", f.Name) || only && english.IsPlural(f.Name)) {
			if lists++; is("records-surely", f.Name) {
				lists++
			}
		}
	}
	return lists > 1 || lists == 1 && only
}

// wished says whether what stands among fields is rather wished of the whole project, or told of it: saved locally, total per month.
func (r *reader) wished(name []string) bool {
	said, first, last := strings.Join(name, " "), name[0], name[len(name)-1]
	kind, typed := r.Tables["type"][said]
	typed = typed && !r.Is("field", said) && kind != values.DateTime
	switch {
	case is("wish", said), is("wish-end", last):
		return true
	case len(name) == 1:
		return typed && r.Is("type-behind", said)
	case typed && kind != values.Day, slices.ContainsFunc(name, func(w string) bool { return is("no-field-word", w) }):
		return true
	case is("wish-begin", first) && !is("behind-field", last):
		return true
	case slices.Contains(name, "per") && (is("sums", first) || r.current.field(english.Plural(last)) != nil):
		return true
	case is("drawn", first) && name[1] == "of":
		return true
	}
	ly := func(w string) bool { return strings.HasSuffix(w, "ly") && !is("ly", w) }
	return slices.ContainsFunc(name, ly) || last == "first" && strings.HasSuffix(name[len(name)-2], "est")
}

// reaches says whether something belongs to another, by however many others.
func (t *Thing) reaches(to *Thing, seen []*Thing) bool {
	return slices.ContainsFunc(t.Parents, func(p *Thing) bool {
		return p == to || !slices.Contains(seen, p) && p.reaches(to, append(seen, p))
	})
}
