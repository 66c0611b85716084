package records

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// field gives a thing a field, or holds one that it has to what is told of it later.
func (r *reader) field(t *Thing, it item) {
	if last := len(it.words) - 1; last > 0 && it.kind == "" && english.IsPlural(it.words[last]) && !r.Is("field", it.words[last]) && r.isMeasure(english.Singular(it.words[last])) {
		it.words = append(slices.Clone(it.words[:last]), english.Singular(it.words[last])) // due dates
	}
	name := strings.Join(it.words, "_")
	of := " of " + english.Plural(t.Name)
	switch last := it.words[len(it.words)-1]; {
	case name == "id" && it.told, name == "ids":
		r.Leave(name, "every record has an id of its own")
		return
	case name == "id":
		return
	case it.ref != "" && it.ref != name && r.exact(name) != nil: // each parcel is given to a driver
		r.Refuse(strings.Join(it.words, " "))
		return
	case t.field(name) != nil:
		r.amend(t.field(name), it)
		return
	case r.listOfThings(it): // a setlist of songs
		r.Refuse(strings.Join(it.words, " "))
		return
	case project.NotFieldName(name) && !r.Is("reserved-field", project.Squeezed(name)):
		r.Refuse(strings.Join(it.words, " "))
		return
	case r.Is("secret", last):
		r.Leave(name+of, "keeping passwords needs hashing and sign-in rules, which this engine does not write")
		return
	case r.Is("reserved-field", project.Squeezed(name)):
		r.Leave(name+of, "the name has a meaning of its own in the generated code")
		return
	case len(t.Fields) >= project.MaxFields:
		r.Leave(name+of, "a resource has at most 20 fields")
		return
	}
	r.leaveOf(strings.Join(it.words, " "), it.left)
	if it.counted != "" {
		r.Leave(it.counted, "told apart as "+it.apart)
	}
	f := Field{Name: name, Ref: it.ref, told: it}
	if it.ref == "" {
		r.settle(&f, it)
	}
	t.Fields = append(t.Fields, f)
}

// listOfThings says whether a field would be several of another thing.
func (r *reader) listOfThings(it item) bool {
	k, last := slices.Index(it.words, "of"), it.words[len(it.words)-1]
	return k > 0 && !it.told && english.IsPlural(last) && r.isThing(last) && !r.fieldWord(it.words[k-1])
}

// leaveOf names what is said of the values of a field, and they are not held to.
func (r *reader) leaveOf(name string, said []string) {
	for _, each := range said {
		why := "limits and choices of a field"
		place, last := each[:max(0, strings.Index(each, " "))], each[strings.LastIndex(each, " ")+1:]
		switch {
		case r.Is("way", place) && r.fieldWord(last), r.Is("behind", place) && r.isThing(last): // something of its own
			r.Refuse(name + " " + each)
			continue
		case place == "in":
			why = "a field has no unit"
		case each == "time":
			why = "kept as text"
		}
		r.Leave(each+" of "+name, why)
	}
}

// isMeasure says whether a word names a field that is a number, a day or a time.
func (r *reader) isMeasure(w string) bool {
	kind := r.Tables["field"][w]
	return kind != "" && kind != values.Text && kind != values.Texts && kind != values.Truth
}

// amend holds a field to what is told of it later: bpm is between 40 and 240.
func (r *reader) amend(f *Field, it item) {
	before := f.told
	if f.old {
		r.hold(f, it)
		return
	}
	if !it.told && before.bare() && r.isThing(f.Name) { // each route has one setter, beside setters
		return
	}
	if !it.told { // told twice, for something that was not understood
		r.Refuse(strings.ReplaceAll(f.Name, "_", " "))
		return
	}
	if it.ref+before.ref != "" || it.unit && before.unit || before.told && !it.stated && len(it.left) > 0 { // capacity in kg, capacity in persons
		r.Refuse(strings.ReplaceAll(f.Name, "_", " "))
		return
	}
	old, added := before.rules, it.rules
	before.kind, before.told = cmp.Or(it.kind, before.kind), true
	before.rules = values.Rules{
		Need: cmp.Or(added.Need, old.Need), Unique: added.Unique || old.Unique, Default: cmp.Or(added.Default, old.Default),
		Choices: old.Choices, Min: cmp.Or(added.Min, old.Min), Max: cmp.Or(added.Max, old.Max),
	}
	if added.Choices != nil {
		before.rules.Choices = added.Choices
	}
	r.leaveOf(f.Name, it.left)
	*f = Field{Name: f.Name, told: before}
	r.settle(f, before)
}

// settle gives a field the kind that its name and its rules tell where none was told.
func (r *reader) settle(f *Field, it item) {
	all := it.words
	if last := len(all) - 1; last > 0 && (all[last] == "before" || all[last] == "after") && r.likeWord(all[last-1]) && !r.Is("eaten", all[0]) { // the weight before
		all = all[:last]
	}
	if it.kind == "" && r.length(it.rules, all) {
		it.kind = values.Text // a title of at most 100
	}
	if guess, _ := values.Guess(r.Lexicon, all); it.kind == "" && guess == values.Truth && values.Decimal.MatchString(it.rules.Default) {
		it.kind = values.Number // hours done, 0 by default
	}
	at := r.doneAt(it)
	it.kind = cmp.Or(it.kind, at)
	guess, _ := values.Guess(r.Lexicon, all)
	done := len(all) > 1 && guess == values.Truth && r.done(all[len(all)-1]) && it.kind == ""
	if done && it.the { // the wood used
		it.kind = values.Text
	}
	if it.kind == "" && it.rules.Choices == nil && r.Is("truth", strings.ToLower(it.rules.Default)) && !r.Is("field", all[len(all)-1]) { // single room, default no
		it.kind = values.Truth
	}
	kind, rules, sure, others := it.rules.Settled(r.Lexicon, all, it.kind)
	f.Kind, f.Rules, f.Sure = kind, rules, sure && !done && at == ""
	if it.rules.Choices != nil && it.rules.Default != "" && rules.Default == "" && kind != values.Truth { // which of both is meant?
		r.Refuse("default " + it.rules.Default + " of " + strings.ReplaceAll(f.Name, "_", " "))
	}
	for _, each := range others {
		r.Leave(each+" of "+f.Name, "limits and choices of a field")
	}
}

// doneAt gives the kind of a field that is told by what was done at something, where that is a place or an amount and no time:
// found at, valued at, but neither found_at nor a place, seen at.
func (r *reader) doneAt(it item) string {
	if it.kind != "" || len(it.words) != 2 || it.words[1] != "at" || r.At(it.from+1).Low != "at" {
		return ""
	}
	place := func(t words.Token) bool { return !t.Mark && r.Is("place-word", t.Low) }
	if kind := r.Tables["done-at"][it.words[0]]; kind == values.Number || kind != "" && !slices.ContainsFunc(r.Tokens, place) {
		return kind
	}
	dated := func(when string) bool { return r.follows(it.words[0], when) } // reported at, reported on
	if r.done(it.words[0]) && slices.ContainsFunc([]string{"date", "on", "day", "time", "when"}, dated) {
		return values.Text
	}
	return ""
}

// length says whether bounds are those of how long a text is.
func (r *reader) length(rules values.Rules, all []string) bool {
	guess, sure := values.Guess(r.Lexicon, all)
	low, _ := strconv.Atoi(rules.Min)
	high, err := strconv.Atoi(rules.Max)
	plain := rules.Choices == nil && rules.Default == "" && !slices.Contains(all, "number")
	long := err == nil && (high >= 15 && low != 1 || rules.Min == "" && high > 5) || rules.Max == "" && low > 1
	return guess == values.Text && sure && !r.Is("no-title", all[len(all)-1]) && plain && long
}

// finish settles what only the whole request tells: which things are but the place of others, and which belong together.
func (r *reader) finish(command bool) {
	r.unmade()
	r.otherHearts()
	r.places(command)
	r.relate(command)
	r.insides()
	r.pairs()
	r.linkUp()
	r.bare()
	r.lasts()
	r.conserve()
	r.sound()
	r.law()
	r.guesses()
}

// places takes away what only says where the things are, and calls a place after what it holds where nothing else is named.
func (r *reader) places(command bool) {
	held := func(t *Thing) bool { // a firing has a kiln
		return slices.ContainsFunc(r.Things, func(o *Thing) bool { return o != t && o.field(t.Name) != nil && english.IsPlural(t.said) })
	}
	told := func(t *Thing) bool { return len(t.Fields)+len(t.Parents) > 0 || r.isParent(t) || held(t) }
	strong := slices.ContainsFunc(r.Things, func(t *Thing) bool { return !t.weak || t.born })
	r.Things = slices.DeleteFunc(r.Things, func(t *Thing) bool {
		switch {
		case t.alone && !told(t) && slices.ContainsFunc(r.Things, func(o *Thing) bool { return o.born }): // an API for coin collectors. coin: country
			if r.heart(t) || t.listed { // anglers, lakes and catches: species
				r.Refuse(t.said)
			} else {
				r.Leave(t.said, settings.Background)
			}
			return true
		case (t.alone || t.kept) && !told(t) && r.valueOf(t): // storing tournament results. games with players, result
			r.Leave(t.said, settings.Background)
			return true
		case r.ofWhat(t):
			r.Refuse("what records of " + t.said)
			return false
		case !t.weak || t.born && (t.holds == "" || len(r.Things) > 1):
			return false
		case strong && !told(t):
			r.Leave(t.said, settings.Background)
			return true
		case t.holds != "" && (r.At(t.at).Quoted || r.At(t.at+1).Quoted): // resource "playlist"
		case t.holds != "":
			if last := t.said[strings.LastIndex(t.said, " ")+1:]; len(t.Fields) > 0 && t.field("name") == nil && (r.Is("institution", last) || r.Is("business", last)) { // our wine club: wine, score
				r.Refuse("what records of " + t.said)
			}
			if t.holds != t.Name && !(lastWord(t.said) == "list" && strings.HasPrefix(t.Name, t.holds+"_")) { // a todo list is todos
				r.Leave(t.said, "records are called "+strings.ReplaceAll(english.Plural(t.holds), "_", " "))
			}
			t.Name = t.holds
		case r.Is("institution", t.Name[strings.LastIndex(t.Name, "_")+1:]) && !t.born && len(t.Fields) > 0:
			r.Leave(t.said, "records are called entries")
			t.Name = "entry"
		case (r.Is("institution", t.Name[strings.LastIndex(t.Name, "_")+1:]) || strings.HasSuffix(t.Name, "ing") && !(strings.HasSuffix(t.Name, "_booking") && len(t.Fields) > 0)) && !t.born:
			r.Refuse("what records of " + t.said)
		}
		return false
	})
	if command {
		r.Things = slices.DeleteFunc(r.Things, func(t *Thing) bool {
			last := t.Name[strings.LastIndex(t.Name, "_")+1:]
			none := r.Is("no-record", last) || len(t.Fields) == 0 && !r.Is("has", last)
			if none {
				r.Refuse(english.Plural(strings.ReplaceAll(t.Name, "_", " ")))
			}
			return none
		})
	}
}

// valueOf says whether a thing is but a field of others that are told of, by the last word of its name.
func (r *reader) valueOf(t *Thing) bool {
	last := t.Name[strings.LastIndex(t.Name, "_")+1:]
	return last != t.Name && (r.isMeasure(last) || r.Is("outcome", last)) && slices.ContainsFunc(r.Things, func(o *Thing) bool { return o != t && o.born && o.field(last) != nil })
}

func (r *reader) isParent(t *Thing) bool {
	return slices.ContainsFunc(r.Things, func(o *Thing) bool { return slices.Contains(o.Parents, t) })
}

// relate makes relations of fields that stand for things: a rental has a car.
func (r *reader) relate(command bool) {
	if command {
		return
	}
	for _, t := range r.Things {
		t.Fields = slices.DeleteFunc(t.Fields, func(f Field) bool {
			other := cmp.Or(r.find(strings.TrimSuffix(f.Name, "_id")), r.ownPart(t, f))
			if other != nil && other.Name != f.Name && r.likeWord(f.Name) && len(other.Fields) == 0 { // the result of a game, in an API for tournament results
				other = nil
			}
			does, who := strings.CutPrefix(f.Name, "who_")
			if who && other == nil { // who holds it, beside holders
				other = r.exact(english.Singular(does) + "er")
			}
			if f.told.refers && other == nil {
				if other = r.endsLike(strings.TrimSuffix(f.Name, "_id")); other == nil {
					r.Refuse(strings.ReplaceAll(f.Name, "_", " "))
				}
			}
			plural := english.IsPlural(f.Name) && !who
			switch {
			case f.old:
				return false
			case f.Ref != "" && r.exact(f.Ref) == nil:
				r.Refuse(f.Ref)
			case f.Ref != "" && (f.Name == f.Ref || f.Name == f.Ref+"_id"):
				other = r.exact(f.Ref)
			case f.Ref != "" || other == nil || other == t && !plural:
				return false
			}
			switch {
			case other == nil:
				return false
			case f.told.kind == values.Text && !strings.HasSuffix(f.Name, "_id") && !who: // customer: string
				return false
			case r.measured(f.told.kind), len(f.told.left) > 0, f.told.rules.Choices != nil: // a visit a date, a result (won, lost)
				r.Refuse(strings.ReplaceAll(f.Name, "_", " "))
			case other == t, plural && !f.Sure && f.Kind == values.Texts && slices.Contains(t.Parents, other):
				r.Refuse(strings.ReplaceAll(f.Name, "_", " "))
			case plural && t.alone && (r.isPlace(t.Name[strings.LastIndex(t.Name, "_")+1:]) || strings.HasSuffix(t.said, "ing")): // for a plant nursery with plants, for gardening: plants
				r.Refuse(t.said)
			case plural:
				if !slices.Contains(other.Parents, t) {
					other.Parents = append(other.Parents, t)
					r.Leave(strings.ReplaceAll(f.Name+" of several "+english.Plural(t.Name), "_", " "), "each belongs to one")
				}
			case !slices.Contains(t.Parents, other):
				t.Parents = append(t.Parents, other)
			}
			if f.told.rules.Need == "required" {
				r.Leave("required of "+strings.ReplaceAll(f.Name, "_", " "), "what a record belongs to")
			}
			if !other.born && len(other.Fields) == 0 && f.Ref == "" && !who && !plural && r.exact(strings.TrimSuffix(f.Name, "_id")) == nil { // a post, beside blog posts
				r.Leave(strings.ReplaceAll(f.Name+" of "+english.Plural(t.Name), "_", " "), "one of the "+strings.ReplaceAll(english.Plural(other.Name), "_", " "))
			}
			return true
		})
		for k, f := range t.Fields { // home team, beside teams
			at := strings.LastIndex(f.Name, "_")
			if other := r.exact(f.Name[at+1:]); at > 0 && !strings.Contains(f.Name, "_of_") && !strings.Contains(f.Name, "_per_") && f.Ref == "" && !f.old && (!f.told.told || f.told.plain()) && other != nil && other != t && !english.IsPlural(f.Name) && r.Tables["also-field"][strings.ReplaceAll(f.Name, "_", " ")] == "" {
				below, soon := slices.Contains(other.Parents, t) || other.field(t.Name) != nil, r.Is("soon", f.Name[:at])
				if soon && f.Kind == values.Day { // last inspection, beside inspections
					continue
				}
				if below { // departments with a head employee, employees with a department
					r.Refuse(strings.ReplaceAll(f.Name, "_", " "))
				}
				t.Fields[k].Ref, t.Fields[k].Kind = other.Name, values.Text
				if f.Need == "required" {
					r.Leave("required of "+strings.ReplaceAll(f.Name, "_", " "), "what a record belongs to")
				}
			}
		}
	}
}

// insides says that things which were told inside of the list of another are of it, where they are what others have: orders:
// number, date, items: product, price. Whether others are of it, nobody knows.
func (r *reader) insides() {
	for _, t := range r.Things {
		at := max(0, strings.LastIndex(t.Name, "_"))
		called := func(f Field) bool { return strings.HasPrefix(f.Name, t.Name[:at]+"_") }
		if of := r.exact(t.Name[:at]); of != nil && of != t && len(t.Parents) == 0 && !t.known && r.Is("inner", t.Name[at+1:]) && !slices.ContainsFunc(t.Fields, called) { // order lines of orders
			t.Parents = []*Thing{of}
		}
		if t.inside == nil || len(t.Parents) > 0 || r.isParent(t) || slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Ref != "" }) {
			continue
		}
		switch {
		case r.Is("inner", t.Name[strings.LastIndex(t.Name, "_")+1:]) && len(r.Things) == 2:
			t.Parents = []*Thing{t.inside}
			r.Leave(strings.ReplaceAll(english.Plural(t.Name)+" of several "+english.Plural(t.inside.Name), "_", " "), "each belongs to one")
		case r.At(t.at+len(strings.Fields(t.said))).Low == ":":
			r.Refuse(t.said)
		}
	}
}

// ownPart gives the things that a field stands for by a name that begins with what holds them: order lines of an order.
func (r *reader) ownPart(t *Thing, f Field) *Thing {
	if part, ok := strings.CutPrefix(f.Name, t.Name+"_"); ok && english.IsPlural(part) && f.told.bare() {
		return r.exact(part)
	}
	return nil
}

// endsLike gives the only thing whose name ends with a word: the irrigation valve, of a valve.
func (r *reader) endsLike(word string) (found *Thing) {
	for _, t := range r.Things {
		if strings.HasSuffix(t.Name, "_"+word) && found != nil {
			return nil
		} else if strings.HasSuffix(t.Name, "_"+word) {
			found = t
		}
	}
	return found
}

// measured says whether a kind is one that refers to nothing.
func (r *reader) measured(kind string) bool {
	return kind == values.Day || kind == values.DateTime || kind == values.Truth || kind == values.Number
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

// conserve refuses what stands among the items of a list and said nothing: made on, what for.
func (r *reader) conserve() {
	for _, each := range r.idle {
		from, to := each.from, each.to
		for from > 0 && !r.Ends(from-1) {
			from--
		}
		to = max(to, r.EndOf(to))
		insists := to > from+3 && r.Any("for-all", from, to) && r.At(from-1).Low != "," // every change is to be kept
		if said := r.text(from, to); from == each.from && r.allIdle(from, to) && (insists || r.besideItem(from, to)) && !r.courteous(from, to) {
			r.Refuse(said)
		}
	}
}

// allIdle says whether no word between two places said anything.
func (r *reader) allIdle(from, to int) bool {
	for i := from; i < to; i++ {
		if !slices.ContainsFunc(r.idle, func(s span) bool { return s.from <= i && i < s.to }) {
			return false
		}
	}
	return true
}

// besideItem says whether an item of a list ends before a place, or begins behind another, with only a comma or "and" between.
func (r *reader) besideItem(from, to int) bool {
	separator := func(i int) bool { return r.At(i).Low == "," || r.At(i).Low == "and" || r.At(i).Low == words.Bullet }
	return slices.ContainsFunc(r.items, func(s span) bool {
		return s.to < from && s.to >= from-2 && separator(from-1) && r.At(s.to).Low != ")" || s.from > to && s.from <= to+3 && separator(to) && r.At(to).Text != ";"
	})
}

// courteous says whether words are there for politeness, or name the kind of project.
func (r *reader) courteous(from, to int) bool {
	for i := from; i < to; {
		m, n := r.Phrase(i)
		if m.Class == "place" || n < 2 && !r.Is("thanks", r.At(i).Low) && m.Class != "kind" {
			return false
		}
		i += max(n, 1)
	}
	return true
}

// plain says whether nothing is told of a field but whether records can do without it.
func (it item) plain() bool {
	return it.kind == "" && it.rules.Choices == nil && it.rules.Min+it.rules.Max+it.rules.Default == "" && !it.rules.Unique
}

// bare tells of things of which no field is told, where others have some.
func (r *reader) bare() {
	if !slices.ContainsFunc(r.Things, func(t *Thing) bool { return len(t.Fields) > 0 }) {
		return
	}
	for _, t := range r.Things {
		if len(t.Fields) > 0 || t.Link {
			continue
		}
		of := slices.Index([]string{r.At(t.at - 1).Low, r.At(t.at + 1).Low}, "of")
		sorts := of >= 0 && r.Is("sorts", r.At(t.at+2*of-2).Low) && !r.isParent(t) // two kinds of users. customers (name), drivers (plate)
		if sorts || t.kept && len(t.Parents) == 0 && !r.isParent(t) {              // I log my beers. brews with name, style
			r.Refuse(t.said)
		} else {
			r.Leave("fields of "+strings.ReplaceAll(english.Plural(t.Name), "_", " "), "none were told: they get the usual ones")
		}
	}
}

// sound refuses names that nothing can have, and the same twice.
func (r *reader) sound() {
	seen := map[string]bool{}
	for _, t := range r.Things {
		if name := project.Squeezed(t.Name); project.NotResource(t.Name) || seen[name] || len(t.Fields) == 0 && len(r.Things) > 1 && r.Is("any-record", t.Name) {
			r.Refuse(strings.ReplaceAll(t.Name, "_", " "))
		} else {
			seen[name] = true
		}
		fields := map[string]bool{}
		for _, f := range t.Fields {
			if one := english.Singular(f.Name); fields[one] && !f.old {
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
		if parent == to || !seen[parent] && r.leadsTo(parent, to, with(seen, parent)) {
			return true
		}
	}
	return false
}

func with(seen map[*Thing]bool, t *Thing) map[*Thing]bool {
	seen[t] = true
	return seen
}

// guesses tells of the fields of which neither the request nor their name tells the kind.
func (r *reader) guesses() {
	called := map[string]string{values.Text: "text", values.Number: "number", values.Integer: "whole number", values.Truth: "true or false", values.Texts: "list of texts", values.Day: "date", values.DateTime: "date and time"}
	guessed, order := map[string][]string{}, []string(nil)
	for _, t := range r.Things {
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
