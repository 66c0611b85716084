package records

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// noRecord gives what of a thing no record can be, or nothing.
func (r *reader) noRecord(t *Thing) string {
	first, _, _ := strings.Cut(t.Name, "_")
	_, last := cutLast(t.Name)
	kind := len(t.Fields) == 1 && r.Is("type", strings.ReplaceAll(t.Fields[0].Name, "_", " ")) && !(english.IsPlural(t.said) && r.Is("field", t.Fields[0].Name)) && (r.Is("field", last) || r.Is("participle", last))
	alongside := func(f Field) bool { return strings.HasPrefix(f.Name, t.along) || english.Singular(f.Name) == t.along }
	known := func(f Field) bool {
		return !english.IsPlural(f.Name) || f.Sure || f.Kind == values.DateTime || f.told != "" || f.Ref != "" || f.old || r.Is("field", english.Singular(f.Name))
	}
	head, behind := r.At(t.at-2).Low, t.at+len(strings.Fields(t.said))
	same := r.exact(cmp.Or(r.Tables["same-as"][t.Name], "-"))
	switch {
	case first != t.Name && (r.Is("declares-none", first) || r.declared(t, first)): // enum Genre, schema car
		return t.said
	case r.choices(t): // Genre = rock | jazz | pop
		return t.said + ": fields, or choices?"
	case r.At(behind).Low == "only" && r.At(behind+1).Low == ":", r.Is("written-in", t.said) && r.Is("field-noun", english.Singular(r.At(behind).Low)), // local only - name; sheet columns: name
		r.Is("written-in", first) && (r.Is("field-noun", last) || r.Is("written-in", last)) && first != t.Name && r.At(t.at-1).Low != "for":
		return "what records of " + t.said
	case r.class(t.at-1) == "kind" && r.At(t.at-2).Mark && r.At(behind).Low == ":" && r.asksBefore(t.at-1): // service visits: date
		return r.At(t.at-1).Low + " " + t.said
	case len(t.Fields)+len(t.Parents) == 0 && first == t.Name && slices.ContainsFunc(r.Things, func(o *Thing) bool { return o != t && strings.HasSuffix(t.Name, o.Name) && len(o.Fields) > 0 }): // flashcards: decks and cards
		return t.said
	case len(t.Fields) == 0 && len(t.Parents) > 0 && r.Is("gathers", last) && slices.ContainsFunc(r.Things, func(o *Thing) bool { return len(o.Fields) > 0 && !r.related(o, t) }): // keepers' logs. entries: date
		return "what records of " + t.said
	case last == "web": // a little web service
		return t.said
	case r.describes(t): // a kanban style board
		return t.said
	case len(t.Fields) == 1 && r.Is("how-kept", t.Fields[0].Name) && t.Fields[0].told == "": // comments (nested)
		return t.said + " (" + t.Fields[0].Name + ")"
	case same != nil && !(same.listed && t.listed) && !r.related(same, t): // todos, and every task has a priority
		return t.said
	case first != t.Name && slices.ContainsFunc(strings.Split(t.Name, "_")[1:], func(w string) bool { return r.Vocabulary[w].Class == "language" }): // pronounceable passwords python
		return t.said
	case len(t.Fields) > 1 && !r.command && !slices.ContainsFunc(t.Fields, known): // exams with questions and answers: texts, or records of their own?
		return strings.ReplaceAll(t.Fields[0].Name, "_", " ")
	case r.At(behind).Low == "(" && (r.Length(behind+1, "listing") > 0 || len(t.Fields) == 1 && t.field(t.Name) != nil): // players (list of people), customer (customer)
		return r.said(t.at, r.Closes(behind))
	case t.along != "" && !slices.ContainsFunc(t.Fields, alongside) && r.find(t.along) == nil: // hotels with pools: name: of which of both?
		return inPlural(t.along)
	case r.Is("for-all", r.At(t.at-1).Low) && t != r.Things[0] && r.astray(t): // cattle: tag. Each animal has a weight
		return t.said
	case r.Is("idiom", r.At(t.at-1).Low+" "+t.said): // keeping tabs on somebody
		return t.said
	case t != r.Things[0] && r.At(t.at-1).Low == "," && r.kindless(t.at+len(strings.Fields(t.said))) && !english.IsPlural(t.said): // title: string, owner: thing, done: bool
		return t.said + ": " + r.At(t.at+len(strings.Fields(t.said))+1).Low
	case strings.HasSuffix(last, "ed") && r.done(last) && !english.HasSuffix(last, "eed", "bed", "shed", "sled", "ped", "wed"): // tracks played: artist, song
		return t.said
	case t.at > 2 && r.Words(t.at-3, 3) == "the number of": // the number of visitors: date, count
		return "the number of " + t.said
	case r.At(t.at-1).Low == "of" && t.field(head) != nil && !r.Is("field", head): // tug of war teams
		return head + " of " + t.said
	case !english.IsPlural(t.said) && r.At(t.at+1).Low == "of" && english.IsPlural(r.At(t.at+3).Low) && r.At(t.at+4).Low == ":": // bill of lading documents
		return r.Words(t.at, 4)
	case t.Name == "name" && r.At(t.at+1).Low == "of": // the names of streets
		return t.said + " of " + r.At(t.at+2).Low
	case slices.ContainsFunc(r.Things, func(o *Thing) bool {
		return strings.HasPrefix(o.Name, t.Name+"_") && r.Is("field-noun", o.Name[len(t.Name)+1:])
	}): // custom, beside custom fields
		return t.said
	case r.Is("only-form", t.said[strings.LastIndex(t.said, " ")+1:]) && t.Name != first && strings.HasSuffix(t.Name, last): // an invoice entity
		return "what records of " + t.said
	case (r.Is("operations", last) || last == "screen") && slices.Contains([]string{"for", "on", "of"}, r.At(t.at+len(strings.Fields(t.said))).Low): // basic operations for books
		return t.said
	case len(t.Fields) > 0 && !english.IsPlural(t.said) && (r.Is("list-like", last) || r.Is("list-like", strings.Join(r.lastTwo(t), " "))): // a leaderboard: player, points
		return "what records of " + t.said
	case first != t.Name && r.Is("was-done", last): // fish caught
		return t.said
	case len(t.Fields) == 0 && len(t.Parents) > 0 && r.Is("time-unit", t.said): // the hours of employees
		return t.said
	case r.measureOf(t) != "": // the weight of my dogs, where weighings are kept
		return r.measureOf(t)
	case r.ofUsers(t): // for teachers: pupil name, subject, mark
		return "what records of " + t.said
	case len(t.Fields) == 0 && r.Is("never-thing", strings.ReplaceAll(t.Name, "_", " ")): // members' names and emails
		return t.said
	case len(t.Fields) == 1 && t.Fields[0].Name == t.Name && len(r.Things) > 1: // rating - rating must be at least 1
		return t.said
	case kind && len(t.Parents) == 0 && !english.IsPlural(t.said): // height: decimal
		return t.said
	case r.Is("work-noun", last) && !english.IsPlural(t.said): // spam detection
		return t.said
	case len(t.Fields) == 1 && len(t.Parents) == 1 && r.Is("time-unit", t.said) && r.Is("field", t.Fields[0].Name): // minutes (total)
		return t.said + " (" + t.Fields[0].Name + ")"
	case r.Is("pursuit", last) && len(t.Fields) > 0: // for apartment hunting: address, rent
		return "what records of " + t.said
	case t.field(last) != nil && r.Is("trades", r.At(t.at-1).Low): // lending laptops: laptop, pupil
		return t.said
	case slices.ContainsFunc(t.Fields, func(f Field) bool { of, _, ok := strings.Cut(f.Name, "_per_"); return ok && r.exact(of) != nil }): // only one appointment per day
		return t.said
	case t.field("add") != nil && t.field("list") != nil: // todos: add, complete, list
		return "add, list"
	case first != t.Name && r.At(t.at-1).Low == "for" && r.doing(t, first, last): // adopting dogs, cleaning rooms: room, date
		return "what records of " + t.said
	case first != t.Name && (r.Is("deed", first) || r.Is("done-with", first) && t.field(last) != nil) && !r.Is("fixed-name", t.said) && (english.IsPlural(t.said) || r.At(t.at-1).Low == "for"): // booking flights, calculating BMI
		return t.said
	}
	return ""
}

// lastTwo gives the last two words by which a thing was called.
func (r *reader) lastTwo(t *Thing) []string {
	said := strings.Fields(t.said)
	return said[max(0, len(said)-2):]
}

// measureOf gives what is asked for of each thing, where other records of it are kept that may tell it, or nothing.
func (r *reader) measureOf(t *Thing) string {
	for _, f := range t.Fields {
		told := "the " + strings.ReplaceAll(f.Name, "_", " ") + " of"
		n := len(strings.Fields(told))
		for i := range max(0, len(r.Tokens)-n) {
			if r.Words(i, n) == told && r.isParent(t) && r.At(t.at-1).Low != "." {
				return told + " " + t.said
			}
		}
	}
	return ""
}

// asksBefore says whether a project was asked for before a place.
func (r *reader) asksBefore(i int) bool {
	for i--; i >= 0 && r.class(i) != "kind"; i-- {
	}
	return i >= 0
}

// ofUsers says whether what is told of people is not theirs, so that they may be those who use the records: for pharmacists:
// medicine name, dosage; for kids: chore, points.
func (r *reader) ofUsers(t *Thing) bool {
	_, last := cutLast(t.Name)
	behind := r.At(t.at + len(strings.Fields(t.said)))
	if !r.Is("user-too", last) && !r.Is("user-too", strings.ReplaceAll(t.Name, "_", " ")) || len(t.Fields) == 0 || len(t.Parents) > 0 || t.known || !r.meantFor(t.at) {
		return false
	}
	person := func(w string) bool {
		return w != last && (r.Is("user-too", w) || r.Is("served", w) || r.Is("has-phone", w))
	}
	theirs := func(f Field) bool {
		begin, end := cutLast(f.Name)
		return r.Is("of-people", strings.ReplaceAll(f.Name, "_", " ")) || begin == last || end != "name" && r.Is("of-people", end) && !person(begin)
	}
	first := t.Fields[0]
	begin, end := cutLast(first.Name)
	another := end == "name" && begin != last && !theirs(first) || person(first.Name)
	return another && t.field("name") == nil || behind.Mark && behind.Low != "(" && !slices.ContainsFunc(t.Fields, theirs)
}

// meantFor says whether what stands at a place is what a project is for.
func (r *reader) meantFor(at int) bool {
	for at--; r.Is("determiner", r.At(at).Low) || r.Is("own", r.At(at).Low); at-- {
	}
	return r.At(at).Low == "for"
}

// kindless says whether one word stands behind a colon, in a list where all others are kinds.
func (r *reader) kindless(colon int) bool {
	end := r.At(colon + 2)
	return r.At(colon).Low == ":" && !r.At(colon+1).Mark && end.Mark && !strings.Contains(":(", end.Low) && r.kinds()
}

// declared says whether the name of a thing begins with a word before which programs write what they hold: schema Car {brand}.
func (r *reader) declared(t *Thing, first string) bool {
	upper, next := plaintext.IsCapital(r.At(t.at).Text), plaintext.IsCapital(r.At(t.at+1).Text)
	return r.Is("declares-too", first) && r.At(t.at+len(strings.Fields(t.said))).Low == "(" && !upper && (next || r.At(t.at-1).Low == ".")
}

// choices says whether what is told of a thing are values that strokes part, and no names of fields.
func (r *reader) choices(t *Thing) bool {
	at := t.at + len(strings.Fields(t.said))
	next := r.At(r.NextMark(at + 1))
	return r.At(at).Low == ":" && len(t.Fields) > 1 && (next.Text == "/" || next.Text == "|") && !slices.ContainsFunc(t.Fields, func(f Field) bool {
		return f.told != "" || f.Ref != "" || r.Is("field", f.Name) || r.Is("also-field", f.Name)
	})
}

// describes says whether a word in the name of a thing says how the project is made, or what it is like: append style audits.
func (r *reader) describes(t *Thing) bool {
	all := strings.Split(t.Name, "_")
	last, end := len(all)-1, t.at+len(strings.Fields(t.said))
	goesOn := r.class(end) == "kind" || r.Is("gathers", r.At(end).Low)
	for k, w := range all {
		if r.Is("describes", w) && (k > 0 && k < last || k == last && k > 0 && goesOn || k == 0 && last > 0 && r.class(t.at-1) == "kind") {
			return true
		}
	}
	return false
}

// astray says whether nothing tells what something of which each is told has to do with what was asked for.
func (r *reader) astray(t *Thing) bool {
	asked := r.Things[0]
	related := slices.ContainsFunc(r.Things, func(o *Thing) bool { return o != t && r.related(o, t) })
	return !related && !t.Link && !t.known && !r.Is("for-all", r.At(asked.at-1).Low) && len(asked.Fields) > 0 && r.At(asked.at+len(strings.Fields(asked.said))).Low == ":" && !r.elsewhere(t.at, t.at+len(strings.Fields(t.said)))
}

// doing says whether the name of a thing begins or ends with what is done.
func (r *reader) doing(t *Thing, first, last string) bool {
	does := func(w string) bool {
		return strings.HasSuffix(w, "ing") && !r.Is("doing-noun", w) && !r.Is("gathers", w)
	}
	if strings.Contains(t.Name, "_of_") || r.Is("fixed-name", t.said) { // bills of lading
		return false
	}
	return does(first) || strings.HasSuffix(first, "ing") && t.field(last) != nil || does(last) && !english.IsPlural(t.said)
}

// ofTwo gives the place that things are in where a semicolon parts what is told of both, or nothing: rooms in buildings: room number,
// floor; building name.
func (r *reader) ofTwo(t *Thing) string {
	begins := func(name string) bool {
		return slices.ContainsFunc(t.Fields, func(f Field) bool { return strings.HasPrefix(f.Name, name+"_") })
	}
	for _, o := range r.Left {
		place := english.Singular(o.What[strings.LastIndex(o.What, " ")+1:])
		if o.Why == settings.Background && begins(place) && slices.ContainsFunc(r.Tokens, func(w words.Token) bool { return w.Text == ";" }) {
			return o.What
		}
	}
	return ""
}

// mistaken gives the first of the fields of a thing if they are none, but values, or what belongs to it, or nothing.
func (r *reader) mistaken(t *Thing) string {
	all := func(is func(f Field) bool) bool {
		return !slices.ContainsFunc(t.Fields, func(f Field) bool { return !is(f) || f.told != "" || f.Ref != "" || f.old })
	}
	value := func(f Field) bool {
		return (r.Is("usual-value", f.Name) || r.Is("of-size", f.Name)) && (!r.Is("field", f.Name) || len(f.Name) == 1)
	}
	several := func(f Field) bool { return english.Plural(f.Name) == f.Name }
	// sizes (small, medium); series and issues, where an issue has a number
	if len(t.Fields) > 1 && all(value) || len(t.Fields) > 0 && t.kin && all(several) {
		return strings.ReplaceAll(t.Fields[0].Name, "_", " ")
	}
	return ""
}

// clause gives the name of a thing if it is none, but tells what somebody or something does, or nothing: each sit costs points, a
// guest arrives.
func (r *reader) clause(t *Thing) string {
	all, said, before := strings.Split(t.Name, "_"), strings.Fields(t.said), r.At(t.at-1).Low
	last, noun := len(all)-1, said[len(said)-1]
	several := english.IsPlural(noun) && strings.HasPrefix(t.said, all[0]) && !slices.Contains(all, "of")
	verb := func(w string) bool {
		return r.Is("never-inside", w) || r.Is("inner-verb", w) || several && r.Is("inner-verb-too", w) && r.Is("any-one", before)
	}
	another := func(o *Thing) bool { return strings.HasSuffix(t.Name, "_"+o.Name) && !t.Link && r.exact(all[0]) == nil }
	switch {
	case len(said) > 2 && english.IsPlural(said[1]) && r.exact(said[0]) != nil && r.exact(said[0]) != t: // a gallery shows paintings
	case len(said) > 2 && r.Is("any-one", before) && english.IsPlural(said[1]) && english.IsPlural(noun) && !r.isPlace(said[0]): // a member logs visits
	case r.At(t.at+1).Low == "with" && t != r.Things[0] && (before == "," && r.Is("goes-with", t.said) || r.done(t.said) || r.Is("may", before) || r.Is("before-verb", before)): // lenses: brand, works with my camera; must work with curl
	case last == 0:
		return ""
	case slices.ContainsFunc(r.Things, another): // electric cars, where cars are kept
	case english.IsPlural(all[last-1]) && !english.IsPlural(noun) && !r.Is("inner-verb-too", english.Plural(noun)) && len(r.verbs("life", t.at+last)) > 0: // classes meet
	case several && r.Is("for-all", before), slices.ContainsFunc(all[:last], verb), r.Is("never-noun", all[last]):
	default:
		return ""
	}
	return t.said
}
