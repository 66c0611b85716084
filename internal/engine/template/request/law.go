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

// link makes references of the fields that are called like other things, and names what was guessed.
func (r *reader) link() {
	if t := r.topic; t != nil && len(t.Fields)+len(t.Parents) == 0 && len(r.Things) > 1 && !slices.ContainsFunc(r.Things, func(o *Thing) bool { return slices.Contains(o.Parents, t) }) {
		if t.of != "" { // a library with books and authors
			r.Refuse("what records of " + plural(t))
		}
		r.Things = slices.DeleteFunc(r.Things, func(o *Thing) bool { return o == t }) // a blog backend keeps posts
	}
	for _, each := range r.theirs { // but for what is told of them otherwise
		switch their, of := each[0], each[1]; {
		case of.reaches(their, nil) || their.reaches(of, nil):
		case r.Is("field", their.Name) || is("people", one(lastWord(plural(their)))): // dogs and their owners: who has whom?
			r.Refuse("their " + plural(their))
		default:
			their.belongs(of)
		}
	}
	if t := r.topic; t != nil && r.Tables["place-of"][strings.ReplaceAll(t.Name, "_", " ")] != "" && len(t.Fields) > 1 && !slices.ContainsFunc(t.Fields, func(f Field) bool { return !english.IsPlural(f.Name) || f.told }) {
		for _, f := range t.Fields { // a warehouse has bins and items
			if r.exact(f.Name) == nil {
				r.Things = append(r.Things, &Thing{Name: one(f.Name), at: f.at, several: true})
			}
		}
		r.Things = slices.DeleteFunc(r.Things, func(o *Thing) bool { return o == t })
	}
	for _, t := range r.Things {
		keyed := func(f Field) bool { return !strings.HasSuffix(f.Name, "_id") }
		t.Link = t.Link || !t.old && len(t.Fields) > 1 && !slices.ContainsFunc(t.Fields, keyed)
		t.Fields = slices.DeleteFunc(t.Fields, r.referring(t))
	}
	related := map[*Thing]bool{} // by what was told of them, before what their fields tell
	for _, t := range r.Things {
		related[t] = len(t.Parents) > 0
	}
	var guessed []string
	for _, t := range r.Things {
		single := func(f Field) bool {
			return !english.IsPlural(f.Name) && f.Name != "series" && !is("plural-only", f.Name) || f.told || t != r.own && r.exact(f.Name) != nil
		}
		if !t.old && len(t.Fields) > 1 && !slices.ContainsFunc(t.Fields, single) { // a contacts service with companies and people
			r.Refuse("fields of " + plural(t) + ", or records of their own")
		}
		t.Link = t.Link && len(t.Fields) > 0 || r.Tables["has"][t.Name] == "" && !t.old && len(t.Fields) == 0 && len(t.Parents) > 1
		t.Fields = slices.DeleteFunc(t.Fields, func(f Field) bool {
			if f.told && f.Kind != values.Text && f.Kind != values.Texts && r.exact(f.Name) != nil && r.exact(f.Name) != t { // a hive has a name, a visit a date
				r.Refuse(f.Name)
			}
			of := r.meant(strings.TrimSuffix(one(f.Name), "_id"))
			if of == nil && english.IsPlural(f.Name) { // quiz questions
				of = r.find(one(f.Name))
			}
			switch {
			case of == nil || of == t || f.old || f.told && f.Kind != values.Text && f.Kind != values.Texts: // a level in cm is no river level
				return false
			case english.IsPlural(f.Name) && f.Name == english.Plural(of.Name) && related[of] && !f.told:
				return true
			case (english.IsPlural(f.Name) || is("plural-only", f.Name)) && (f.Name != of.Name || is("plural-only", f.Name)): // courses have students
				if f.told && f.Kind != values.Texts {
					return false
				}
				if r.At(f.at-1).Low == "by" || !t.several && r.At(t.at-2).Low == "for" { // books by authors, for a scout group with patrols
					r.Refuse(strings.ReplaceAll(f.Name, "_", " ") + " of " + plural(t))
				}
				of.belongs(t)
				r.Leave(strings.ReplaceAll(f.Name, "_", " ")+" of "+plural(t), "each of them belongs to one")
				return true
			}
			t.belongs(of)
			return true
		})
		for k, f := range t.Fields {
			if f.old {
				continue
			}
			if begin, last, ok := cutLast(strings.TrimSuffix(f.Name, "_id")); ok && !f.told && f.Kind == values.Text && !strings.Contains(f.Name, "_of_") && r.meant(last) != nil && (r.meant(last) != t || is("self", begin) || r.usualKind(last) == "") { // a favourite band, but not a long url
				if first, _, _ := strings.Cut(begin, "_"); is("function", first) { // who has the book
					r.Refuse(strings.ReplaceAll(f.Name, "_", " "))
				}
				t.Fields[k].Ref, t.Fields[k].Sure = r.meant(last).Name, true
				continue
			}
			if !f.Sure {
				guessed = append(guessed, strings.ReplaceAll(f.Name, "_", " ")+" ("+map[string]string{values.Text: "text", values.Number: "number", values.Integer: "whole number", values.Truth: "yes or no", values.Day: "date", values.DateTime: "date and time", values.Texts: "list of texts"}[f.Kind]+")")
			}
		}
		if len(t.Fields) == 0 && !t.Link && len(r.Things) > 1 && r.Kind != project.Command {
			r.Leave("fields of "+plural(t), "none were told: they get the usual ones")
		}
	}
	for _, t := range r.fresh {
		if !slices.ContainsFunc(r.Things, func(o *Thing) bool { return o != t && (o.reaches(t, nil) || t.reaches(o, nil)) }) {
			r.Refuse(strings.ReplaceAll(t.Name, "_", " "))
		}
	}
	if len(guessed) > 0 {
		r.Leave("a kind for "+english.List(guessed), "none was told")
	}
	told := slices.ContainsFunc(r.Things, func(t *Thing) bool {
		return t.old || len(t.Parents) > 0 || slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Ref != "" })
	})
	if len(r.Things) > 1 && !told && r.Kind != project.Command {
		var all []string
		for _, t := range r.Things {
			all = append(all, plural(t))
		}
		r.Leave("relations of "+english.List(all), "none were told: they are kept side by side")
	}
}

// referring makes a reference of a field of a thing that is told to be one, and says whether it is the one to what it belongs to.
func (r *reader) referring(t *Thing) func(Field) bool {
	return func(f Field) bool {
		of, name := r.meant(one(f.refers)), strings.TrimSuffix(f.Name, "_id")
		switch said := strings.ReplaceAll(f.Name, "_", " "); {
		case f.refers == "":
			return false
		case of == nil:
			r.Leave(said+" as a reference", "nothing is kept of "+strings.ReplaceAll(english.Plural(one(f.refers)), "_", " ")+": it refers to no record")
			return false
		case of == t || english.IsPlural(name):
			r.Refuse(said + " of " + plural(t))
			return false
		case f.Unique || f.Need == "optional":
			r.Leave("optional or unique "+said, "a rule that its values cannot be held to")
		}
		if name != of.Name {
			k := slices.IndexFunc(t.Fields, func(o Field) bool { return o.Name == f.Name })
			t.Fields[k].Name, t.Fields[k].Ref, t.Fields[k].Sure = name, of.Name, true
			return false
		}
		t.belongs(of)
		return true
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
	said := strings.ReplaceAll(t.Name, "_", " ")
	for _, f := range t.Fields {
		for _, c := range f.Choices { // one of wizard, fighter, level 1 to 20
			if len(strings.Fields(c)) > 2 && strings.ContainsAny(c, "0123456789") || english.HasSuffix(c, " yes", " no") {
				return c
			}
		}
		asks := func(w string) bool { return is("asks", w) }
		if all := strings.Split(f.Name, "_"); asks(all[0]) && slices.ContainsFunc(all[1:], func(w string) bool { return asks(w) || w == "which" }) { // who has which key
			return strings.Join(all, " ")
		}
		if project.NotFieldName(f.Name) || r.Is("reserved-field", project.Squeezed(f.Name)) {
			return strings.ReplaceAll(f.Name, "_", " ")
		}
	}
	_, known := r.Tables["has"][lastWord(said)]
	begin, _, _ := cutLast(t.Name)
	measured := slices.Contains([]string{values.Number, values.Day, values.DateTime}, cmp.Or(r.usualKind(t.Name), r.usualKind(english.Plural(t.Name))))
	switch {
	case t.bare() && measured && (len(r.Things) > 1 && r.Kind == project.Command || is("half", begin)): // my coffee: beans, grams. todos with due dates
		return plural(t)
	case t.reaches(t, nil), slices.ContainsFunc(t.Fields, func(f Field) bool { // hives with a next treatment, treatments with a hive
		first, _, _ := strings.Cut(f.Name, "_")
		return r.Is("soon", first) && f.Ref != "" && !f.old && r.exact(f.Ref).reaches(t, nil)
	}):
		return said + ", which belongs to itself"
	case t.old:
	case r.Kind == project.Command && len(t.Parents) > 0: // hours per project
		return plural(t) + " of " + plural(t.Parents[0])
	case project.NotResource(t.Name), r.class(said) == "heart" && !r.Is("also-name", said) && !r.Is("also-name", english.Plural(said)):
		return said
	case t.bare() && !known && len(r.Things) == 1 && !t.several && t.of == "": // a video call service
		return "what records of " + said
	case r.labels > 1 && t.bare() && !t.Link && !slices.ContainsFunc(r.Things, func(o *Thing) bool { return slices.Contains(o.Parents, t) }): // for boat repairs. Customers: name
		return "what records of " + plural(t)
	case t.bare() && is("owner", r.At(t.at-1).Low) && r.At(t.at-1).Low != "the" && !t.several && len(r.Things) > 1 && (r.Tables["place-of"][lastWord(said)] != "" || is("group", lastWord(said))): // our rowing club has boats
		return "what records of our " + said
	case len(t.Fields) == 0 && is("only-verb", lastWord(said)): // a folder sits in a box, nurse work in one ward
		return said
	case len(t.Fields) > 0 && t.of == "" && is("premises", said) && !english.IsPlural(r.At(t.at).Low) && len(r.Things) == 1 && !is("formal", r.At(t.at-1).Low): // a laundromat: machine number
		return "what is kept in the " + said
	case is("sorts", lastWord(said)) && len(t.Fields) > 0 && !slices.ContainsFunc(t.Fields, func(f Field) bool { return f.told || is("tells-apart", lastWord(strings.ReplaceAll(f.Name, "_", " "))) }): // statuses: open, closed
		return "values of " + plural(t) + ", or fields"
	case t == r.own && t.bare() && is("plural-only", lastWord(said)) && len(r.Things) > 1 && !slices.ContainsFunc(r.Things, func(o *Thing) bool { return slices.Contains(o.Parents, t) }): // a kitchen equipment backend, every machine has a name
		return "what records of " + plural(t)
	case t.bare() && slices.ContainsFunc(r.Things, func(o *Thing) bool {
		return strings.HasPrefix(o.Name, t.Name+"_") && !o.bare() && !slices.Contains(o.Parents, t) && !t.reaches(o, nil)
	}): // seeds, each seed packet has a grower
		return plural(t)
	case t.bare() && r.Tables["type"]["in "+lastWord(plural(t))] != "" && r.usualKind(begin) != "": // episodes, duration minutes
		return said
	case t.bare() && is("value-only", said): // for a gym: names, emails
		return "what records of " + plural(t)
	case is("gathering", lastWord(said)) && !t.several && len(r.Things) == 1: // a leaderboard
		return "what records of " + said
	case t.of == "" && r.Tables["place-of"][said] != "" && r.Tables["place-of"][said] != said && len(t.Fields) > 0 && !english.IsPlural(r.At(t.at).Low) && !is("formal", r.At(t.at-1).Low) && len(r.Things) == 1:
		return "what is kept in the " + said
	case r.Kind == project.Command && (!r.keeps && (!known || r.deeds) || is("worked-on", lastWord(said))):
		return said
	case r.Kind == project.Command && t.bare() && is("of-machine", said): // a tool to manage git branches
		return plural(t)
	case t.of != "" && (t.All || r.bulleted(t)) && slices.ContainsFunc(t.Fields, func(f Field) bool { return !f.Sure }), // shopping list: milk, eggs
		r.bulleted(t) && !slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Sure || f.told }): // my books: - Dune - Emma
		return "what is kept of " + plural(t)
	case r.ofUsers(t):
		return "what records of " + plural(t)
	case r.manyLists(t):
		return "fields of " + plural(t) + ", or records of their own"
	}
	return ""
}

// bulleted says whether all that a thing has was told in lines of their own.
func (r *reader) bulleted(t *Thing) bool {
	return len(t.Fields) > 0 && !slices.ContainsFunc(t.Fields, func(f Field) bool { return r.At(f.at-1).Low != words.Bullet })
}

// bare says whether nothing was told of a thing.
func (t *Thing) bare() bool { return len(t.Fields)+len(t.Parents) == 0 }

// ofUsers says whether what is told of people is not theirs, so that they may be those who use the records: for teachers: pupil
// name, mark.
func (r *reader) ofUsers(t *Thing) bool {
	last := lastWord(strings.ReplaceAll(t.Name, "_", " "))
	person := english.HasSuffix(last, "er", "or", "ist", "ian") && !is("no-person", last) || is("people", last)
	theirs := func(f Field) bool {
		if begin, end, ok := cutLast(f.Name); ok && end == "name" && begin != t.Name && !is("part-of-name", begin) {
			return false
		}
		return slices.ContainsFunc(strings.Split(f.Name, "_"), func(w string) bool { return is("of-people", w) })
	}
	return person && r.At(t.at-1).Low == "for" && len(t.Fields) > 0 && len(t.Parents) == 0 && !slices.ContainsFunc(t.Fields, theirs)
}

// manyLists says whether most of what a thing holds are several of something each, which are rather records of their own.
func (r *reader) manyLists(t *Thing) bool {
	lists := 0
	for _, f := range t.Fields {
		if f.Kind == values.Texts && !f.Sure || !f.told && is("records-too", f.Name) || len(t.Fields) == 1 && english.IsPlural(f.Name) && !f.told {
			if lists++; is("records-surely", f.Name) {
				lists++
			}
		}
	}
	return lists > 1 || lists == 1 && len(t.Fields) == 1
}

// wished says whether what stands among fields is rather wished of the whole project, or told of it: saved locally, total per month.
func (r *reader) wished(name []string) bool {
	said, last := strings.Join(name, " "), name[len(name)-1]
	kind, typed := r.Tables["type"][said]
	switch {
	case is("wish", said), is("wish-end", last):
		return true
	case len(name) == 1:
		return typed && r.Is("type-behind", said) && !r.Is("field", said) && kind != values.DateTime
	case slices.ContainsFunc(name, func(w string) bool { return is("no-field-word", w) }), typed && !r.Is("field", said) && kind != values.DateTime && kind != values.Day:
		return true
	case is("wish-begin", name[0]) && !is("behind-field", last), slices.Contains(name, "per") && (is("sums", name[0]) || r.current.field(english.Plural(last)) != nil), is("drawn", name[0]) && name[1] == "of":
		return true
	}
	return slices.ContainsFunc(name, func(w string) bool { return strings.HasSuffix(w, "ly") && !is("ly", w) }) || last == "first" && strings.HasSuffix(name[len(name)-2], "est")
}

// reaches says whether something belongs to another, by however many others.
func (t *Thing) reaches(to *Thing, seen []*Thing) bool {
	return slices.ContainsFunc(t.Parents, func(p *Thing) bool {
		return p == to || !slices.Contains(seen, p) && p.reaches(to, append(seen, p))
	})
}
