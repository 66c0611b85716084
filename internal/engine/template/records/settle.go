package records

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// settle settles what only the whole request tells: which things are but the place of others, and which belong together.
func (r *reader) settle() {
	r.ofAll()
	r.ofAlong()
	r.headings()
	r.inPlaces()
	r.madeOf()
	r.dealt()
	r.unmade()
	r.outlive()
	r.ofPlaces()
	r.askers()
	r.places()
	r.ofOthers()
	r.short()
	r.forms()
	r.relate()
	r.insides()
	r.linkUp()
	r.eachOfOne()
	r.claimed()
	r.linkAll()
	for _, t := range r.Things {
		for i := range t.Fields {
			r.refer(&t.Fields[i])
			r.dated(t, &t.Fields[i])
			for k := range t.Fields {
				r.pair(&t.Fields[i], &t.Fields[k])
			}
		}
	}
	r.bare()
	r.ticks()
	r.aside()
	r.wishes()
	r.sound()
	r.law()
	r.nameTheirs()
	r.sideBySide()
	for _, t := range r.Things {
		t.Link = r.onlyJoins(t)
	}
	r.guesses()
}

// dealt says of whom, and of what, the records are that tell what somebody does: members borrow books, and a loan has a date.
func (r *reader) dealt() {
	for _, n := range r.deals {
		var of []*grammar.Node
		root := ""
		for _, p := range n.Parts {
			switch does := r.At(p.From).Low; p.Name {
			case "those":
				of = append(of, p)
			case "{deals":
				root = cmp.Or(r.Tables["deed-of"][does], strings.TrimSuffix(does, "e"))
			case "duration":
				r.background(p)
			}
		}
		k := slices.IndexFunc(r.Things, func(t *Thing) bool {
			_, last := cutLast(t.Name)
			return len(t.Fields)+len(t.Parents) > 0 && strings.HasPrefix(last, root)
		})
		if k < 0 {
			r.Refuse(r.said(n.From, n.To))
			continue
		}
		for _, p := range of {
			one := english.Singular(r.nameOf(p.From, p.To))
			if t := r.Things[k]; !slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Name == one || strings.HasPrefix(f.Name, one+"_") }) {
				r.take(p)
				t.belongs(r.current)
			}
		}
	}
}

// ofAlong gives a list to what was named along where it begins with that: hotels with rooms: room number, floor; but what begins
// with somebody may be of either: loans with borrowers: borrower name, day.
func (r *reader) ofAlong() {
	for _, t := range r.Things {
		if t.along == "" || len(t.Fields) == 0 {
			continue
		}
		left := inPlural(t.along)
		if strings.HasPrefix(t.Fields[0].Name, t.along+"_") && !r.Is("has-phone", t.along) && r.exact(t.along) == nil {
			own := func(f Field) bool { return strings.HasPrefix(f.Name, t.Name+"_") }
			if slices.ContainsFunc(t.Fields, own) { // hotels with rooms: room number, hotel name
				r.Refuse(left)
			}
			left, t.said, t.Name = t.said, left, t.along
		}
		r.Leave(left, settings.Background)
	}
}

// unmade takes back who makes things where only their names are kept with these: drivers offer rides, a ride has a driver name.
func (r *reader) unmade() {
	for _, p := range r.made {
		named := slices.ContainsFunc(p.other.Fields, func(f Field) bool { return strings.HasPrefix(f.Name, p.one.Name+"_") })
		if named && len(p.one.Fields)+len(p.one.Parents) == 0 {
			p.other.Parents = slices.DeleteFunc(p.other.Parents, func(t *Thing) bool { return t == p.one })
			r.Things = slices.DeleteFunc(r.Things, func(t *Thing) bool { return t == p.one })
			r.Leave(inPlural(p.one.Name), settings.Background)
		}
	}
}

// ofWhat says whether what is told of a business is not its own, but of something that nobody named: a travel agency: passenger,
// date; lawyers: case, client; nor is it where a place stands for what it holds: a hotel: name, stars.
func (r *reader) ofWhat(t *Thing) bool {
	whole := english.Singular(t.said)
	last := whole[strings.LastIndex(whole, " ")+1:]
	if t.place && r.Is("no-thing", last) && whole != "app" && t.holds == "" || r.Is("keeper", last) && last != whole && len(t.Fields) > 0 && len(r.Things) == 1 || !t.place && r.Is("no-thing", t.said[strings.LastIndex(t.said, " ")+1:]) {
		return true
	}
	if t.holds == "" && r.Is("no-thing-alone", t.said) {
		return true
	}
	if len(r.Things) > 1 || len(t.Fields) == 0 || !r.Is("institution", last) && !r.Is("business", last) && !r.Is("business", whole) {
		return false
	}
	served, own, told := false, false, !r.Is("one-of-several", t.holds)
	for _, f := range t.Fields {
		first, _, _ := strings.Cut(f.Name, "_")
		told = told || r.Is("tells-of", t.holds+" "+first)
		served = served || r.Is("served", first)
		own = own || r.Is("of-places", strings.ReplaceAll(f.Name, "_", " "))
	}
	named := t.field("name") != nil
	switch {
	case r.Is("held-people", t.holds): // my family: chore, who; our gym: name, count
		return !told || !slices.ContainsFunc(t.Fields, func(f Field) bool { return strings.Contains(f.Name, "name") || english.IsPlural(f.Name) }) && t.field("email") == nil
	case t.holds != "":
		return own && named || !told // my restaurant: dish, price
	case t.place:
		return served || !named
	}
	return served && !named
}

// headings takes what stands once above a list for what all is for, where all of the list is told of: Photo studio: clients, shoots.
// Client: name. Whether a list that begins so, and goes on otherwise, is of it, nobody knows, nor whether a quiz is kept.
func (r *reader) headings() {
	for _, t := range r.Things {
		said := strings.Fields(t.said)
		end := t.at + len(said)
		several, told := 0, 0
		for k, f := range t.Fields {
			if o := r.exact(f.Name); english.IsPlural(f.Name) && o != nil && o != t && f.told == "" && several == k {
				several++
				if len(o.Fields) > 0 {
					told++
				}
			}
		}
		last := said[len(said)-1]
		place, many := r.isPlace(last) || r.Is("business", last) || r.Is("gathers", last), english.IsPlural(last)
		heads := r.At(end).Low == ":" && !(many && (several == 1 || several < len(t.Fields))) || r.At(end).Low == "with" && place && r.At(t.at-1).Low == "."
		if several < min(2, len(t.Fields)) || told == 0 || !heads || r.elsewhere(t.at, end) || t.known || r.command {
			continue
		}
		if own := r.Is("own", r.At(t.at-1).Low) || len(said) > 1 || place; several < len(t.Fields) || !own || many {
			r.Refuse("what records of " + t.said)
		}
		t.Fields, t.place = nil, true
	}
}

// inPlaces makes things of what a place has several of, and nothing else is told of: a laundry with garments and customers.
// What is a thing elsewhere may be named as one: a library system having Book, Member and Loan.
func (r *reader) inPlaces() {
	for _, t := range r.Things {
		several := func(f Field) bool {
			return f.told != "" || f.Ref != "" || r.exact(f.Name) == nil && (f.Sure || !english.IsPlural(f.Name) && english.Plural(f.Name) != f.Name)
		}
		_, last := cutLast(t.Name)
		if !t.place || t.holds == "" && !r.isPlace(last) && !r.Is("business", last) && !r.Is("gathers", last) && r.Vocabulary[last].Class != "container" || len(t.Fields) < 2 || r.command || slices.ContainsFunc(t.Fields, several) {
			continue
		}
		for k, f := range t.Fields {
			if english.Singular(f.Name) == f.Name && r.Is("field", f.Name) { // series and issues: of each, or of one?
				other := t.Fields[(k+1)%len(t.Fields)]
				r.Refuse(strings.ReplaceAll(f.Name+" and "+other.Name, "_", " "))
			}
			if one := english.Singular(f.Name); r.exact(one) == nil {
				r.Things = append(r.Things, &Thing{Name: one, said: strings.ReplaceAll(f.Name, "_", " ")})
			}
		}
		t.Fields = nil
	}
}

// madeOf makes things of what others are made of, where nothing else is told of these: invoices with line items.
func (r *reader) madeOf() {
	for _, t := range r.Things {
		if len(t.Fields) != 1 || r.command {
			continue
		}
		f := t.Fields[0]
		if _, last := cutLast(f.Name); r.Is("parts-of", last) && f.told == "" && !f.old && r.exact(english.Singular(f.Name)) == nil {
			r.Things = append(r.Things, &Thing{Name: english.Singular(f.Name), said: strings.ReplaceAll(f.Name, "_", " "), Parents: []*Thing{t}})
			t.Fields = nil
		}
	}
}

// short takes a thing for another of which only a longer name was told before: flashcards, and cards with a front and a back.
func (r *reader) short() {
	for _, o := range slices.Clone(r.Things) {
		k := slices.IndexFunc(r.Things, func(t *Thing) bool {
			begin, ok := strings.CutSuffix(t.Name, o.Name)
			return ok && len(begin) > 2 && len(o.Name) > 3 && !strings.HasSuffix(begin, "_") && len(t.Fields)+len(t.Parents) == 0 && !r.isParent(t)
		})
		if k >= 0 && len(o.Fields) > 0 && !o.listed {
			o.holds, o.Name = o.Name, r.Things[k].Name
			r.Things = slices.Delete(r.Things, k, k+1)
		}
		r.shorter(o)
	}
}

// shorter takes what others only belong to for the thing that has a longer name, and of which more is told: beehives, and the
// inspections of a hive.
func (r *reader) shorter(o *Thing) {
	k := slices.IndexFunc(r.Things, func(t *Thing) bool {
		begin, ok := strings.CutSuffix(t.Name, o.Name)
		return ok && len(begin) > 2 && len(o.Name) > 3 && !strings.HasSuffix(begin, "_") && len(t.Fields) > 0
	})
	if k < 0 || len(o.Fields)+len(o.Parents) > 0 || o.listed || o.known {
		return
	}
	whole := r.Things[k]
	for _, t := range r.Things {
		if at := slices.Index(t.Parents, o); at >= 0 {
			t.Parents[at] = whole
		}
	}
	r.Things = slices.DeleteFunc(r.Things, func(t *Thing) bool { return t == o })
}

// ofPlaces gives what was told behind the name of a place to what was named before, and is there: lockers for our gym: number, floor.
func (r *reader) ofPlaces() {
	if len(r.Things) != 2 || len(r.Things[0].Fields)+len(r.Things[0].Parents) > 0 || !r.Things[0].place || !r.Things[1].place {
		return
	}
	kept, place := r.Things[0], r.Things[1]
	before := r.At(place.at - 1).Low
	if place.holds == "" && before != "the" && !r.Is("own", before) {
		return
	}
	_, last := cutLast(kept.Name)
	if unnamed := r.isPlace(last) || r.Is("gathers", last) || r.Is("business", last) || r.Is("no-thing", last); kept.holds == "" && unnamed || kept.holds != "" && place.holds != "" {
		r.Refuse("what records of " + place.said)
		return
	}
	kept.place, kept.Fields, place.Fields = kept.holds != "", place.Fields, nil
}

// askers takes what who asks has one of for the place of what is in it: our club has members. Each member has a name.
func (r *reader) askers() {
	for _, t := range r.Things {
		inIt := func(f Field) bool { o := r.exact(f.Name); return english.IsPlural(f.Name) && o != nil && o != t }
		if !r.only(t) || !slices.ContainsFunc(t.Fields, inIt) {
			continue
		}
		if slices.ContainsFunc(t.Fields, func(f Field) bool { return !inIt(f) }) { // our club has members and a hall
			r.Refuse("what records of " + t.said)
		}
		t.Fields, t.place, t.holds = nil, true, ""
	}
}

// only says whether there is one of something, and it is told what that has.
func (r *reader) only(t *Thing) bool {
	said := strings.Fields(t.said)
	last, has := said[len(said)-1], false
	for i, word := range r.Tokens {
		if word.Mark || english.Singular(word.Low) != english.Singular(last) {
			continue
		}
		before := r.At(i - len(said)).Low
		one := r.Is("own", before) && !r.Is("user-too", last) && !r.Is("served", last) && !r.Is("has-phone", last) || (before == "the" || before == "." || i < t.at || t.place && i < t.at+len(said)) && (r.isPlace(last) || r.Is("business", last))
		if has = has || r.Is("owns", r.At(i+1).Low); english.IsPlural(word.Low) || !one || r.At(i+1).Low == ":" || r.At(i+1).Low == "(" {
			return false
		}
	}
	return has && !t.known && !r.command && len(t.Parents) == 0
}

// places takes away what only says where the things are, and calls a place after what it holds where nothing else is named.
func (r *reader) places() {
	told := func(t *Thing) bool { return len(t.Fields)+len(t.Parents) > 0 || r.isParent(t) }
	others := slices.ContainsFunc(r.Things, func(t *Thing) bool { return !t.place || len(t.Fields) > 0 })
	r.Things = slices.DeleteFunc(r.Things, func(t *Thing) bool {
		switch {
		case t.place && t.amid && !told(t): // exercise, sets, reps; plots, tenants and the waiting list
			r.Refuse(t.said)
		case t.place && others && !told(t):
			_, last := cutLast(t.Name)
			if bare := len(r.Things) == 2 && !slices.ContainsFunc(r.Things, told); bare && t == r.Things[0] && t.holds == "" && r.At(r.Things[1].at-1).Low == "with" && !r.isPlace(last) && !r.Is("business", last) && !r.Is("gathers", last) { // a bookmark service with tags
				r.Refuse(t.said)
			}
			if last == t.Name || r.exact(last) == nil {
				why := settings.Background
				if m := r.Vocabulary[t.said]; (m.Class == "detail" || m.Class == "heart") && !r.isPlace(last) { // a multi tenant API
					why = m.Value
				}
				r.Leave(t.said, why)
			}
			return true
		case r.ofWhat(t), !others && len(r.Things) > 1: // a repair shop: customer, model
			r.Refuse("what records of " + t.said)
		case !t.place, t.amid:
		case t.holds != "":
			if t.holds != t.Name && t.said != t.holds+" list" {
				r.Leave(t.said, "records are called "+inPlural(t.holds))
			}
			t.Name = t.holds
		}
		return false
	})
}

// forms calls things by their own names, and not by how programs hold them: an employee entity, customer details.
func (r *reader) forms() {
	for _, t := range r.Things {
		name := t.Name
		for begin, last := cutLast(name); begin != "" && r.Is("form-of", last); begin, last = cutLast(name) {
			name = begin
		}
		if usual := r.Is("has", name) || r.Is("user-too", name) || r.Is("has-phone", name); name != t.Name && usual && r.exact(name) == nil && !r.command && !t.known {
			r.Leave(t.said, "records are called "+inPlural(name))
			t.Name = name
		}
	}
}

func (r *reader) isParent(t *Thing) bool {
	return slices.ContainsFunc(r.Things, func(o *Thing) bool { return slices.Contains(o.Parents, t) })
}

// relate makes relations of fields that stand for things: a rental has a car.
func (r *reader) relate() {
	if r.command {
		return
	}
	for _, t := range r.Things {
		if len(r.manys) > 0 && r.holdsThings(t) { // installations with customers and sites, and a customer has many sites
			r.Refuse("what records of " + t.said)
		}
		t.Fields = slices.DeleteFunc(t.Fields, func(f Field) bool {
			if f.Ref != "" && f.told == values.Texts && !f.old { // items: Item[]; but players: Person[] may be of several teams
				if english.Singular(f.Name) != f.Ref {
					r.Refuse(strings.ReplaceAll(f.Name+": "+english.Plural(f.Ref), "_", " "))
				}
				f.Ref, f.told = "", ""
			}
			other, who := r.standsFor(t, f), strings.HasPrefix(f.Name, "who_")
			if other == nil || f.old || f.Ref != "" && f.Ref+"_id" != f.Name && f.Ref != f.Name || f.told == values.Text && !strings.HasSuffix(f.Name, "_id") && !who {
				return false
			}
			plural := (f.many || english.IsPlural(f.Name)) && !who
			switch {
			case other == t && r.exact(f.Name) == nil && f.Kind == values.Text && r.Is("field", f.Name): // the notes of coffee tasting notes
				return false
			case other == t && !plural && !slices.ContainsFunc(t.Fields, func(f Field) bool { return f.many }): // but not one owner, many pets
				return false
			case other == t, f.told != "" && !who, f.Choices != nil, !plural && r.onlyValue(f, other):
				r.Refuse(strings.ReplaceAll(f.Name, "_", " "))
			case plural && strings.HasPrefix(t.Name, other.Name+"_"): // pipe restorations: organs, pipes; records of their own, or what all is about?
				r.Refuse("what records of " + t.said)
			case plural && r.leadsTo(other, t, map[*Thing]bool{}): // and belongs to it as was told, maybe by way of others
			case plural && slices.Contains(t.Parents, other): // todos with projects, every todo belongs to a project
			case plural && t.loosely: // the castles, the bookings and who booked
				r.Refuse(strings.ReplaceAll(f.Name, "_", " "))
			case plural && r.inSeveral(t, other):
				r.Refuse(strings.ReplaceAll(f.Name+" of "+english.Plural(t.Name), "_", " ") + ": each in one, or in several?")
			case plural:
				t.kin = true
				if r.several(t, other, false); slices.Contains(other.Parents, t) {
					r.Leave(strings.ReplaceAll(f.Name+" of "+english.Plural(t.Name), "_", " "), "each belongs to one")
				}
			default:
				t.joins = true
				if t.belongs(other); other.alone && len(other.Fields) == 0 && r.exact(strings.TrimSuffix(f.Name, "_id")) == nil { // a post, beside blog posts
					r.Leave(strings.ReplaceAll(f.Name+" of "+english.Plural(t.Name), "_", " "), "one of the "+inPlural(other.Name))
				}
			}
			r.unheld(f)
			return true
		})
		for k, f := range t.Fields { // home team, beside teams
			if other := r.pointsTo(t, f); other != nil {
				t.Fields[k].Name, t.Fields[k].Ref = strings.TrimSuffix(f.Name, "_id"), other.Name
				continue
			}
			at := strings.LastIndex(f.Name, "_")
			if at < 0 || f.old || f.Ref != "" || f.told != "" || f.Default != "" || f.Kind == values.Day || strings.Contains(f.Name, "_of_") || strings.Contains(f.Name, "_per_") || english.IsPlural(f.Name) {
				continue
			}
			other := r.exact(f.Name[at+1:])
			if begin, rest, _ := strings.Cut(f.Name, "_"); other == nil && f.Kind == values.Text && (r.done(f.Name[at+1:]) || r.Is("number-word", rest) || rest == "one" || len(rest) == 1) { // the plant offered, team one, team a
				other = r.exact(begin)
			}
			if other != nil && (other != t || r.Is("same-kind", f.Name[:at])) { // a parent category
				t.Fields[k].Ref, t.Fields[k].Kind = other.Name, values.Text
			}
		}
		for _, f := range t.Fields {
			if f.Ref != "" && !f.old {
				r.unheld(f)
			}
		}
	}
}

// unheld tells of the rules of a field that stands for another record, which is held to none.
func (r *reader) unheld(f Field) {
	for _, rule := range []string{strings.TrimPrefix(f.Need, "optional"), map[bool]string{true: "unique"}[f.Unique], strings.TrimSuffix("default "+f.Default, "default ")} {
		if rule != "" {
			r.Leave(rule+" of "+strings.ReplaceAll(f.Name, "_", " "), "what a record belongs to")
		}
	}
}

// pointsTo gives the thing that a field points to which ends as ids do: a parent_comment_id, a parent_id, the manager_id of an
// employee. Where there is none, it says so.
func (r *reader) pointsTo(t *Thing, f Field) *Thing {
	name, ok := strings.CutSuffix(f.Name, "_id")
	if !ok || f.old || f.Ref != "" || f.told != "" || strings.HasSuffix("_"+t.Name, "_"+name) || r.Is("plain-id", name) || !r.hasWord(f.Name) {
		return nil
	}
	_, last := cutLast(name)
	if other := r.exact(last); other != nil && other.Name != name {
		return other
	}
	if r.Is("same-kind", name) || r.Is("superior", name) && r.somebody(t.Name) || r.Is("superior", name) && r.Is("staffed", t.Name) {
		return t
	}
	r.Leave(f.Name+" as a relation", "no records of "+inPlural(name)+" were told: text")
	return nil
}

// hasWord says whether a name was written as one word.
func (r *reader) hasWord(name string) bool {
	return slices.ContainsFunc(r.Tokens, func(t words.Token) bool { return spelled(t) == name })
}

// onlyValue says whether a field is a value, and what seems to be a thing only its plural, of which a sentence tells: products with
// a price. Prices have a currency.
func (r *reader) onlyValue(f Field, other *Thing) bool {
	value := f.Sure && f.Kind != values.Text && f.Kind != values.Texts || r.Is("never-thing", strings.ReplaceAll(f.Name, "_", " "))
	before := r.At(other.at - 1).Low
	return value && !other.known && !r.At(other.at+len(strings.Fields(other.said))).Mark && (before == "." || r.Is("determiner", before) && r.At(other.at-2).Low == ".")
}

// holdsThings says whether nothing is told of a thing but that it has several of others.
func (r *reader) holdsThings(t *Thing) bool {
	for _, f := range t.Fields {
		if !english.IsPlural(f.Name) || r.exact(f.Name) == nil {
			return false
		}
	}
	return len(t.Fields) > 1
}

// refer settles which thing a field stands for, and what is told of all fields.
func (r *reader) refer(f *Field) {
	if f.Ref == "" {
		f.Need = cmp.Or(f.Need, r.every)
	} else if other := r.find(f.Ref); other != nil && (r.exact(strings.TrimSuffix(f.Name, "_id")) == nil || r.exact(strings.TrimSuffix(f.Name, "_id")) == other) { // but not: shops -> rooms -> beds
		f.Ref = other.Name
	} else if strings.HasSuffix(f.Name, "_id") { // as it was written
		r.Refuse(f.Name)
	} else {
		r.Refuse(strings.ReplaceAll(f.Ref, "_", " "))
	}
}

// pair gives two fields that belong together the kind that both have: start and end, valid from and valid to.
func (r *reader) pair(one, other *Field) {
	open := func(f *Field) bool { return f.Ref == "" && f.told == "" && f.Choices == nil }
	guessed := func(f *Field) bool { return open(f) && (!f.Sure || f.Kind == values.Truth) } // opened, closed
	begin, end := cutLast(one.Name)
	switch {
	case one.Name == "value" && guessed(one) && r.Is("names-value", other.Name): // key, value
		one.Kind = values.Text
	case guessed(one) && guessed(other) && r.Is("moments", one.Name+" "+other.Name):
		one.Kind, other.Kind, one.Sure, other.Sure = values.DateTime, values.DateTime, false, false
	case end == "at" && open(one) && (other.Name == begin+"_date" || other.Name == begin+"_on"): // found at, found date: where it was
		one.Kind, one.Sure = values.Text, false
	case begin != "" && open(one) && open(other) && other.Name == begin+"_"+r.Tables["twins-behind"][end]: // pitch before, pitch after
		one.Kind, _ = values.Guess(r.Lexicon, strings.Split(begin, "_"))
		one.Sure = false
	case open(one) && !one.Sure && one.Kind == values.Text && other.Kind != values.Truth && other.Kind != values.Texts && r.opposed(one.Name, other.Name):
		one.Kind = other.Kind
	}
}

// dated settles whether what was done is true or false, or when it was: a book is published one day, and where somebody claimed
// it, or it was on a day, that it was is true or false.
func (r *reader) dated(t *Thing, f *Field) {
	_, last := cutLast(t.Name)
	more := func(o Field) bool {
		begin, end := cutLast(o.Name)
		return begin == f.Name && (r.Is("particle", end) || r.Is("dates", end))
	}
	switch {
	case f.told != "" || f.Ref != "" || f.old || f.Choices != nil || f.Default != "":
	case r.Is("or-dated", f.Name) && f.Kind == values.Truth && r.Is("printed", last) && t.field("body") == nil:
		f.Kind, f.Sure = values.Text, false
	case r.Is("dated", f.Name) && f.Kind == values.Text && slices.ContainsFunc(t.Fields, more):
		f.Kind = values.Truth
	}
}

// cutLast parts the last word of a name from those before it.
func cutLast(name string) (begin, last string) {
	k := strings.LastIndex(name, "_")
	return name[:max(k, 0)], name[k+1:]
}

// opposed says whether two names differ in one word, and both words are the two ends of something: valid from, valid to. A
// name may do without the word that says that it is a day: start date, end.
func (r *reader) opposed(one, other string) bool {
	a, b := strings.Split(one, "_"), strings.Split(other, "_")
	if len(a) == 1 && len(b) == 2 && r.Is("dates", b[1]) {
		return r.Is("moments", b[0]+" "+a[0])
	}
	differ := 0
	for k := range a {
		if len(a) != len(b) || a[k] != b[k] && !r.Is("twins", a[k]+" "+b[k]) && !r.Is("twins", b[k]+" "+a[k]) {
			return false
		}
		if a[k] != b[k] {
			differ++
		}
	}
	return differ == 1
}

// insides says that things which were told inside of the list of another are of it, where they are what others have: orders:
// number, date, items: product, price. Whether others are of it, nobody knows.
func (r *reader) insides() {
	for _, t := range r.Things {
		switch {
		case t.inside == nil && len(t.Parents) == 0 && r.partOf(t) != nil:
			t.belongs(r.partOf(t))
		case t.inside == nil || len(t.Parents) > 0 || r.related(t, t.inside):
		case r.Is("inner", t.Name[strings.LastIndex(t.Name, "_")+1:]) && len(r.Things) == 2:
			t.belongs(t.inside)
			r.Leave(inPlural(t.Name)+" of "+inPlural(t.inside.Name), "each belongs to one")
		case !t.beside:
			r.Refuse(t.said)
		}
	}
}

// partOf gives the thing of which another is a part, as its name tells: the lines of an order in order lines.
func (r *reader) partOf(t *Thing) *Thing {
	for _, name := range []string{t.Name, strings.ReplaceAll(english.Singular(t.said), " ", "_")} { // invoice lines, and a line has a price
		whole, part := cutLast(name)
		if o := r.exact(whole); o != nil && o != t && !r.command && r.Is("parts-of", english.Plural(part)) {
			return o
		}
	}
	return nil
}

// standsFor gives the thing that a field stands for: cars, a car_id, or the order lines of an order.
func (r *reader) standsFor(t *Thing, f Field) *Thing {
	if part, ok := strings.CutPrefix(f.Name, t.Name+"_"); ok && english.IsPlural(part) && f.told == "" {
		if other := r.exact(part); other != nil {
			return other
		}
	}
	if does, ok := strings.CutPrefix(f.Name, "who_"); ok { // who holds it, and holders
		return r.exact(strings.TrimSuffix(does, "s") + "er")
	}
	name := strings.TrimSuffix(f.Name, "_id")
	if whole := r.oneOf(name); whole != nil && f.told == "" {
		return whole
	}
	if other := r.find(name); other != nil && (r.exact(name) != nil || other.holds == name || len(other.Fields) > 0 || !other.alone || !r.Is("field", name) && !r.Is("chosen", name)) { // but not the result of a game for chess tournament results
		return other
	}
	return nil
}

// exact gives a thing by its whole name.
func (r *Reading) exact(name string) *Thing {
	for _, t := range r.Things {
		if t.Name == name || t.Name == english.Singular(name) {
			return t
		}
	}
	return nil
}

// ticks tells that nothing says whether something is done, where that is to be told.
func (r *reader) ticks() {
	done := func(t *Thing) bool {
		return len(t.Fields) == 0 || slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Kind == values.Truth || f.Name == "status" })
	}
	if r.ticked != nil && !slices.ContainsFunc(r.Things, done) {
		r.Leave(r.said(r.ticked.From, r.ticked.To), "no field was told that says whether it is done")
	}
}

// bare tells of things of which no field is told, where others have some.
func (r *reader) bare() {
	told := slices.ContainsFunc(r.Things, func(t *Thing) bool { return len(t.Fields) > 0 })
	r.Things = slices.DeleteFunc(r.Things, func(t *Thing) bool { // chess results, and games with a result
		_, last := cutLast(t.Name)
		besides := t.alone && last != t.Name && len(t.Fields)+len(t.Parents) == 0 && !r.isParent(t) && slices.ContainsFunc(r.Things, func(o *Thing) bool { return o.field(last) != nil })
		if besides = told && (besides || r.overall(t)); besides {
			r.Leave(t.said, settings.Background)
		}
		return besides
	})
	for _, t := range r.Things {
		if told && t.alone && len(t.Fields)+len(t.Parents) == 0 && !r.isParent(t) { // boat repairs, and then customers and boats: may be between them
			r.Refuse("what records of " + t.said)
		}
		if len(t.Fields) > 0 || r.onlyJoins(t) || !told && len(t.Parents) < 2 {
			continue
		}
		why := "none were told: they get the usual ones"
		if t.joins {
			why = "only what they belong to was told: they get the usual ones"
		}
		r.Leave("fields of "+inPlural(t.Name), why)
	}
}

// nameTheirs gives things a name by which they are told apart where only something that they have is told: products and their prices;
// dishes, prices and whether they are vegetarian.
func (r *reader) nameTheirs() {
	for _, t := range r.Things {
		_, last := cutLast(t.Name)
		name, _, _ := strings.Cut(cmp.Or(r.Tables["has"][last], r.Tables["has-too"][last], "name"), ":")
		behind := t.at + len(strings.Fields(t.said))
		text := slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Kind == values.Text })
		listed := t.loosely && !text && r.At(behind).Low == "," && english.IsPlural(r.At(behind+1).Low)
		if !listed && (t.theirs == 0 || len(t.Fields) > t.theirs) || t.known || r.Is("nameless", last) || t.field(name) != nil || name != "name" && name != "title" {
			continue
		}
		t.Fields = slices.Insert(t.Fields, 0, Field{Name: name, Kind: values.Text, Sure: true})
		r.Leave("only what was told of "+inPlural(t.Name), "they have a "+name+" too, by which they are told apart")
	}
}

// somebody says whether a word means a person, as far as it tells.
func (r *reader) somebody(one string) bool {
	return r.Is("has-phone", one) || english.HasSuffix(one, "er", "or", "ist", "ian", "person") && !r.Is("of-one-each", one)
}

// onlyJoins says whether a thing only tells which others belong together, and has no name of its own: loans (book, member); but
// somebody has one, and so has what merely belongs to others.
func (r *reader) onlyJoins(t *Thing) bool {
	_, last := cutLast(t.Name)
	deed := t.joins || r.Is("of-one-each", last) && !r.Is("has", last) && !r.Is("has-too", last)
	return t.Link || len(t.Fields) == 0 && len(t.Parents) > 1 && deed && !r.somebody(last) && !r.command
}

// overall says whether something is but what all is about, as what is told of belongs together without it: podcasts: shows, and
// episodes of a show; but boat repairs may be records beside boats and their owners, and so may invoices.
func (r *reader) overall(t *Thing) bool {
	others := slices.DeleteFunc(slices.Clone(r.Things), func(o *Thing) bool { return o == t })
	apart := func(o *Thing) bool {
		return len(o.Fields)+len(o.Parents) == 0 || !slices.ContainsFunc(others, func(p *Thing) bool { return p != o && r.related(p, o) })
	}
	begin, last := cutLast(t.Name)
	next := r.At(t.at + 1).Low
	of := begin == "" && next != ":" && next != "of" && !r.isPlace(last) || english.IsPlural(t.said) && slices.ContainsFunc(strings.Split(begin, "_"), func(w string) bool { return r.exact(w) != nil && !r.Is("has-phone", w) })
	return t.alone && len(t.Fields)+len(t.Parents) == 0 && !r.isParent(t) && !of && len(others) > 1 && !slices.ContainsFunc(others, apart)
}

// doubled takes letters once that are easily typed once or twice: refils and refills are the same.
var doubled = strings.NewReplacer("cc", "c", "ff", "f", "gg", "g", "ll", "l", "mm", "m", "nn", "n", "pp", "p", "rr", "r", "ss", "s", "tt", "t")

// sound refuses names that nothing can have, and the same twice.
func (r *reader) sound() {
	seen := map[string]bool{}
	for _, t := range r.Things {
		if said := strings.ReplaceAll(t.Name, "_", " "); (r.Is("never-thing", said) || r.Is("never-thing", t.said)) && (len(t.Fields) == 0 || !english.IsPlural(t.said)) { // members' names and emails
			r.Refuse("what records of " + said)
		}
		if name := doubled.Replace(project.Squeezed(t.Name)); project.NotResource(t.Name) || seen[name] {
			r.Refuse(strings.ReplaceAll(t.Name, "_", " "))
		} else {
			seen[name] = true
		}
		fields := map[string]bool{}
		for _, f := range t.Fields {
			if one := english.Singular(f.Name); !f.old && (fields[one] || one != f.Name && one != t.Name && strings.HasSuffix(t.Name, one) && !strings.HasSuffix(t.Name, "_"+one)) { // the cards of flashcards
				r.Refuse(strings.ReplaceAll(f.Name, "_", " "))
			} else {
				fields[one] = true
			}
		}
		if len(t.Parents) > 0 && r.leadsTo(t, t, map[*Thing]bool{}) {
			r.Refuse(t.Name + " belongs to " + t.Name)
		}
	}
}

// leadsTo says whether a thing belongs to another by way of others.
func (r *reader) leadsTo(from, to *Thing, seen map[*Thing]bool) bool {
	all := slices.Clone(from.Parents)
	for _, f := range from.Fields {
		if o := r.exact(f.Ref); f.old && o != nil && o != from {
			all = append(all, o)
		}
	}
	for _, parent := range all {
		if parent == to {
			return true
		}
		if !seen[parent] {
			seen[parent] = true
			if r.leadsTo(parent, to, seen) {
				return true
			}
		}
	}
	return false
}

// guesses tells of the fields of which neither the request nor their name tells the kind.
func (r *reader) guesses() {
	called := map[string]string{values.Text: "text", values.Number: "number", values.Integer: "whole number", values.Truth: "true or false", values.Texts: "list of texts", values.Day: "date", values.DateTime: "date and time"}
	guessed, order := map[string][]string{}, []string(nil)
	for _, t := range r.Things {
		r.quotes(t)
		for _, f := range t.Fields {
			if f.Sure || f.Ref != "" {
				continue
			}
			if guessed[f.Kind] == nil {
				order = append(order, f.Kind)
			}
			guessed[f.Kind] = append(guessed[f.Kind], f.Name)
		}
	}
	for _, kind := range order {
		r.Leave("a kind for "+english.List(slices.Compact(guessed[kind])), "none was told: "+called[kind])
	}
}

// quotes takes the prices that something had when trading began and ended for numbers: open, high, low, close.
func (r *reader) quotes(t *Thing) {
	if t.field("open") == nil || t.field("close") == nil {
		return
	}
	for k := range t.Fields {
		if f := &t.Fields[k]; r.Is("quote", f.Name) && f.told == "" && f.Choices == nil && !f.old {
			f.Kind, f.Sure = values.Number, false
		}
	}
}
