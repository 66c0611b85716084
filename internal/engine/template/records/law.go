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

// law refuses what nobody keeps records of, however it was read, and names that are none.
func (r *reader) law() {
	for _, o := range r.Left { // a mother and a father (both persons), where persons are kept
		if o.Why == "limits and choices of a field" && len(r.Things) > 0 && slices.ContainsFunc(strings.Fields(o.What), func(w string) bool {
			return english.IsPlural(w) && r.exact(w) != nil && !strings.HasSuffix(o.What, " of "+w) || r.Is("points-at", w) || w == "table"
		}) {
			r.Refuse(o.What)
		}
	}
	for _, o := range r.Left { // term (source: string, domain: string)
		kinds := slices.DeleteFunc(strings.Fields(o.What), func(w string) bool { return !r.Is("type", strings.Trim(w, ",")) })
		if o.Why == "limits and choices of a field" && len(kinds) > 1 {
			r.Refuse(o.What)
		}
	}
	for _, t := range r.Things { // cattle vaccination records. cow: ear_tag. vaccination: cow, vaccine
		if strings.HasSuffix(t.Name, "_record") && len(r.Things) > 2 && len(t.Fields)+len(t.Parents) == 0 && !r.isParent(t) {
			r.Refuse("what records of " + t.said)
		}
	}
	for i := range r.Tokens { // authors -> books: which belong to which?
		if r.At(i).Text == "->" && english.IsPlural(r.At(i-1).Low) && english.IsPlural(r.At(i+1).Low) && r.Length(i+1, "type") == 0 {
			r.Refuse(r.Words(i-1, 1) + " -> " + r.Words(i+1, 1))
		}
	}
	if len(r.Things) > 1 && !slices.ContainsFunc(r.Things, func(t *Thing) bool { return !r.onlyField(t) }) { // for ingredients and steps
		r.Refuse("what records of " + r.Things[0].said)
	}
	r.Refuse(r.doneOnThem())
	r.Refuse(r.fieldsOrRecords())
	r.Refuse(r.examples())
	for i := range r.Tokens { // title, body, ts
		last := func(t *Thing) bool { return len(t.Fields) > 1 && t.field(r.At(i-2).Low) != nil }
		if r.At(i).Low == "ts" && (r.At(i-1).Low == "," || r.At(i-1).Low == "and") && r.Ends(i+1) && !r.stamp(i) && slices.ContainsFunc(r.Things, last) {
			r.Refuse("ts: a field, or TypeScript?")
		}
	}
	for _, t := range slices.Clone(r.Things) {
		if t.Link && len(t.Fields) == 0 {
			continue
		}
		r.Refuse(r.ofTwo(t))
		none := cmp.Or(r.noRecord(t), r.clause(t), r.mistaken(t))
		if r.Refuse(none); none != "" { // nor is it offered instead
			r.Things = slices.DeleteFunc(r.Things, func(other *Thing) bool { return other == t })
		}
		for k, f := range t.Fields {
			if all := strings.Split(f.Name, "_"); r.unparted(all) {
				r.Refuse(strings.Join(all, " ") + ": commas part fields")
			} else if !r.goodField(f) || r.again(t, f) || k > 0 && r.shares(t.Fields[k-1].Name, f.Name) {
				r.Refuse(strings.Join(all, " "))
			} else if r.partsOf(f) || f.Choices != nil && r.Is("field-noun", english.Singular(f.Name)) || k > 0 && r.runsOn(t.Fields[k-1], f) {
				r.Refuse(strings.Join(all, " ") + ": fields, or choices?")
			} else if r.ruleOrName(t, f) {
				r.Refuse(f.Name + ": is that how it is called, or a rule?")
			} else if r.doneToProject(t.Fields[k:]) { // title and text, cached, logged
				r.Refuse(strings.Join(all, " ") + ": a field, or the project?")
			} else if t.loosely && r.ofProjectToo(f) || r.Is("of-all", strings.Join(all, " ")) && (f.told == "" || f.Kind == values.Truth) && !f.old { // suppliers, minimal, name
				r.Refuse(strings.Join(all, " ") + ": a field, or the project?")
			} else if r.unitOfAll(f) {
				r.Refuse(strings.Join(all, " ") + ": a field, or the unit of others?")
			} else if r.standsAlone(t, f) {
				r.Refuse(strings.Join(all, " ") + ": texts, or records?")
			} else if r.openList(t, f) {
				r.Refuse(strings.Join(all, " ") + ": how many, texts or records?")
			}
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

// doneOnThem gives what says that records are of others that were told before them, where nothing relates both: cars and the repairs
// done on them.
func (r *reader) doneOnThem() string {
	for i := range r.Tokens {
		n := r.Length(i, "of-those")
		before := slices.DeleteFunc(slices.Clone(r.Things), func(t *Thing) bool { return t.at > i })
		if of := len(before) - 1; n > 0 && of > 0 && r.At(before[of].at-1).Low != "." && !r.related(before[of-1], before[of]) {
			return before[of].said + " " + r.Words(i, n)
		}
	}
	return ""
}

// fieldsOrRecords gives a label that may be that of the fields of what was asked for, or of records: a landlord. Properties: address,
// rent. Tenants: name.
func (r *reader) fieldsOrRecords() string {
	at, labels := -1, 0
	for i := range r.Tokens {
		switch low := r.At(i).Low; {
		case r.At(i-1).Low != "." || r.At(i+1).Low != ":":
		case low == "properties" || low == "fields":
			if at >= 0 { // one label behind each name
				return ""
			}
			at = i
		case r.exact(low) != nil:
			labels++
		}
	}
	if at < 0 || len(r.Things) == 0 || r.exact(r.At(at).Low) != nil {
		return ""
	}
	asked, one := r.Things[0], english.Singular(r.At(at).Low)
	meant := slices.ContainsFunc(r.Things, func(t *Thing) bool { return t.field(one) != nil })
	if meant || labels > 0 && !english.IsPlural(asked.said) && r.At(asked.at-1).Low != ":" {
		return r.At(at).Low + ": fields, or records?"
	}
	return ""
}

// examples gives two examples of a field where the second one was taken for the next field: contact info such as email and phone.
func (r *reader) examples() string {
	for i := range r.Tokens {
		n := r.Length(i, "as-example")
		second := r.At(i + n + 2).Low
		if n > 0 && r.At(i+n+1).Low == "and" && slices.ContainsFunc(r.Things, func(t *Thing) bool { return t.field(second) != nil }) {
			return r.Words(i, n+3)
		}
	}
	return ""
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

// unitOfAll says whether a sentence may tell in what others are measured, and name no field: amounts in USD.
func (r *reader) unitOfAll(f Field) bool {
	for i := range r.Tokens {
		if before := r.At(i - 1); r.At(i).Low == f.Name && (before.Low == "." || before.Text == ";") && r.At(i+1).Low == "in" && english.IsPlural(f.Name) && r.Is("field", english.Singular(f.Name)) {
			return true
		}
	}
	return false
}

// onlyField says whether nothing is told of something that mostly is a list of texts in a record.
func (r *reader) onlyField(t *Thing) bool {
	many := strings.ReplaceAll(english.Plural(t.Name), "_", " ")
	return len(t.Fields)+len(t.Parents) == 0 && r.texts(many) && !r.Is("kept-too", many) && !r.isParent(t)
}

// texts says whether a name is that of a usual list of texts.
func (r *reader) texts(name string) bool {
	return cmp.Or(r.Tables["field"][name], r.Tables["also-field"][name]) == values.Texts
}

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
		return strings.ReplaceAll(english.Plural(t.along), "_", " ")
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
