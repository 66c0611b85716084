package records

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/values"
)

// said is what is told of a field.
type said struct {
	name, other []string // other is of a second field, before this one: first and last name
	kind, ref   string
	rules       values.Rules
	left        []string // what its values are not held to
	plain       []string // kinds of values that are kept as texts
	units       []string
	lone        bool // no more than one of it is there
	asked       bool // with a question mark: paid?
	many        bool
	pointing    bool // to records of which nothing else may be told
	coded       bool // written as in a program: installed_at
}

// field takes a field of what was told of last.
func (r *reader) field(n *grammar.Node) {
	var s said
	first, last := n.Parts[0], n.Parts[len(n.Parts)-1]
	for _, p := range n.Parts {
		if p.Name != "toldhere" {
			r.tell(&s, p)
		}
	}
	for _, p := range n.Parts {
		if p.Name == "before" && len(s.name) > 0 && r.qualifies(p.From) { // old price, new price
			s.name = append([]string{r.At(p.From).Low}, s.name...)
		}
	}
	if behind := r.At(n.To); behind.Low == ":" && behind.Text == "" { // tags: backend, go
		r.Refuse(r.said(n.From, r.NextMark(n.To+1)))
	}
	switch {
	case r.current == nil:
	case first.Name == "belonging":
		return
	case last.Name == "toldhere": // belongs to a show (name, host)
		of := r.current
		r.take(last)
		of.belongs(r.current)
		r.current = of
		return
	case first.Name == "apart":
		r.apart(first)
		return
	case last.Name == "ofboth":
		r.ofBoth(n, s.name)
		return
	}
	if r.current == nil || len(s.name) == 0 {
		r.Refuse("what records of " + r.said(n.From, n.To))
		return
	}
	if r.At(n.From).Low == "the" && s.told() && r.current.field(strings.Join(s.name, "_")) == nil && r.partly(s.name) { // the price must be positive, of fabrics with a price per metre
		r.Refuse(r.said(n.From, n.To))
	}
	if last := len(s.name) - 1; r.each && r.Is("whole-name", english.Singular(s.name[last])) {
		s.name[last] = english.Singular(s.name[last])
	}
	if s.lone && r.find(strings.Join(s.name, "_")) == r.current { // owners (one owner, many pets)
		r.Refuse(r.said(n.From, n.To))
	}
	if r.sharesNoun(n) {
		r.Refuse(r.said(n.From-2, r.EndOf(n.To+1)))
	}
	if s.pointing && r.find(s.ref) == nil {
		r.Things = append(r.Things, &Thing{Name: s.ref, said: inPlural(s.ref), at: n.To - 1})
	}
	s.rules.Need = cmp.Or(s.rules.Need, r.need)
	s.many = s.many || r.oneEach // the rental of dresses, where rentals are kept as well
	if s.other != nil {
		other := s
		other.name = s.other
		r.add(other)
	}
	r.add(s)
}

// likeValue says whether a word is like one of the values of a field.
func (r *reader) likeValue(i int) bool {
	low := r.At(i).Low
	return r.Is("usual-value", low) || r.done(low) || strings.HasSuffix(low, "ing") && len(low) > 5
}

// sharesNoun says whether a field is but a word that shares what stands before or behind with another one: date of birth and
// death, living and total area.
func (r *reader) sharesNoun(n *grammar.Node) bool {
	low, before := r.At(n.From).Low, r.At(n.From-2).Low
	if n.To != n.From+1 {
		return false
	}
	of := r.At(n.From-3).Low == "of" || r.At(n.From-3).Low == "per"
	like := r.Is("twins", before+" "+low) || r.Is("side", before) && r.Is("side", low) || r.Is("time-unit", before) && r.Is("time-unit", low)
	alone := r.Is("field", low) || r.Is("also-field", low) || r.exact(low) != nil
	return r.At(n.From-1).Low == "and" && of && like || r.At(n.To).Low == "and" && r.Is("attributive", low) && !alone && !r.Ends(n.To+2)
}

// alike takes fields of which the same is told behind the last of them.
func (r *reader) alike(n *grammar.Node) {
	var all []said
	for _, p := range n.Parts {
		var s said
		switch r.tell(&s, p); {
		case p.Name == "before", p.Name == "{open":
		case p.Name == "name":
			all = append(all, s)
		case r.current != nil:
			for _, each := range all {
				each.rules, each.kind, each.ref = s.rules, s.kind, s.ref
				r.add(each)
			}
			all = nil
		}
	}
}

// tell takes what a part of a field says of it.
func (r *reader) tell(s *said, p *grammar.Node) {
	switch p.Name {
	case "name", "doneon", "{fieldname", "{singlefield", "{references", "manytexts", "{mentioned", "{unparted":
		s.name, s.coded = r.fieldName(p.From, p.To), p.To == p.From+1 && strings.Contains(spelled(r.At(p.From)), "_")
		if p.Name == "manytexts" {
			s.name, s.kind, s.many = r.fieldName(p.Parts[1].From, p.To), values.Texts, true
		}
		if last := len(s.name) - 1; len(s.other) == 1 && last > 0 {
			if one := english.Singular(s.name[last]); r.Is("dates", one) || r.Is("whole-name", one) { // start and end dates
				s.name[last] = one
			}
			s.other = append(s.other, s.name[1:]...)
		}
	case "apart":
	case "eitheror": // mint or used
		s.name, s.rules.Choices = r.fieldName(p.From, p.To), values.Choices(r.Text, p.From, p.To)
	case "lone", "{points":
		if r.At(p.From).Low == "at" { // at least one email
			s.left = append(s.left, r.said(p.From, p.To))
		}
		s.lone = s.lone || p.Name == "lone" || r.At(p.From).Low == "one"
		if low := r.At(p.From).Low; r.Is("for-all", low) || low == "both" { // each batch, both ends
			r.Refuse(r.said(p.From, p.To+1))
		}
		s.many = s.many || r.Is("many", r.At(p.From).Low)
	case "{half":
		s.other = []string{r.At(p.From).Low}
	case "{has-phone", "reached":
		s.other = append(s.other, r.fieldName(p.From, p.To)...)
	case "{reaches":
		who := len(s.other) - 1
		for who > 1 && !r.Is("has-phone", strings.Join(s.other[:who], " ")) {
			who--
		}
		s.name = append(slices.Clone(s.other[:who]), r.fieldName(p.From, p.To)...)
	case "question":
		r.question(s, p)
	case "fromto":
		if p.Parts[0].Name == "{span" { // from-to
			s.other, s.name = []string{r.At(p.From).Low}, []string{r.At(p.To - 1).Low}
			return
		}
		if name := p.Parts[0]; name.Name == "{fieldname" { // a salary range from and to
			s.other, s.name = append(r.fieldName(name.From, name.To), "from"), append(r.fieldName(name.From, name.To), "to")
			return
		}
		date := english.Singular(r.At(p.To - 1).Low)
		s.other, s.name = []string{"from", date}, []string{"to", date}
	case "which":
		r.which(s, p)
	case "istrue", "containing", "flagged":
		s.name, s.kind = r.fieldName(p.From, p.To), values.Truth
	case "needflag": // required flag, required yes/no
		s.name, s.kind = r.fieldName(p.From, r.After(p.From+1, "flag")), values.Truth
	case "daytime":
		s.name, s.kind = r.fieldName(p.From, p.To), values.DateTime
	case "{quality", "against":
		s.left = append(s.left, r.said(p.From, p.To))
	case "ofall": // systolic, diastolic (all whole numbers)
		for k := range r.current.Fields {
			r.tell(s, p.Parts[1])
			r.retell(&r.current.Fields[k], said{kind: s.kind})
		}
	case "ornot":
		s.kind = values.Truth
	case "{selfset":
		s.left = append(s.left, r.said(p.From, p.To))
	case "{codes":
		s.kind, s.left = cmp.Or(s.kind, values.Text), append(s.left, strings.ToLower(r.At(p.From).Raw))
	case "{kinds", "{several-kinds", "{behind", "{type-before", "{truths", "{typed", "{free-form", "{type-behind":
		if s.kind != values.Texts {
			s.kind = cmp.Or(r.Tables["type"][r.Words(p.From, p.To-p.From)], values.Text)
		}
		if p.Name == "{behind" && r.manyBehind(p.From) {
			s.kind = r.Tables["type-behind-many"][r.At(p.From).Low]
			if last := r.At(p.From - 1).Low; s.kind == values.Integer && r.Tables["field"][last[strings.LastIndex(last, "_")+1:]] == values.Number { // daily fee number
				s.kind = values.Number
			}
		}
		if p.Name == "{kinds" && r.At(p.From).Low == "time" { // of the day
			s.plain = append(s.plain, "time")
		}
	case "{otherkind":
		s.kind, s.plain = cmp.Or(r.Tables["other-kind"][r.Words(p.From, p.To-p.From)], values.Text), append(s.plain, r.said(p.From, p.To))
	case "{unit":
		s.kind = r.Tables["type"][r.Words(p.From, p.To-p.From)]
		if r.Length(p.From, "in-whole") > 0 && s.kind == values.Number { // what is counted in minutes
			s.kind = values.Integer
		}
		s.units = append(s.units, r.said(p.From, p.To))
	case "{rule", "{plainrule", "{required", "{unique", "{need", "{defaults", "{limits":
		s.asked = s.asked || r.At(p.From).Raw == "?"
		s.rules.Said(r.Text, p.From, &s.kind)
		if unit := p.From + r.Length(p.From, "modal"); r.At(unit).Low == "in" && r.Is("type", r.Words(unit, p.To-unit)) { // length is in cm
			s.units = append(s.units, r.said(unit, p.To))
		}
		r.signs(s, p.From, p.To)
	case "{described":
		r.describe(s, p.From, p.To)
	case "{bad-value":
		s.rules = map[string]values.Rules{"zero": {Min: "0"}, "unique": {Unique: true}, "required": {Need: "required"}}[r.Tables["bad-value"][r.At(p.From).Low]]
	case "{nothing":
		s.rules.Need = "optional"
	case "{assigned":
		s.rules.Default = r.Written(p.From, p.To)
	case "usual":
		s.rules.Choices = values.Choices(r.Text, p.From, p.To)
		if end := p.To + 2; r.At(p.To).Low == "," && r.Ends(end) && r.At(p.To-2).Low == "," && r.likeValue(end-1) { // open, closed, snoozed: is that one of them?
			r.Refuse(r.said(p.From, end))
		}
	case "{choices", "{options", "{either", "{alternatives", "{listed", "{tolast", "{slashed", "onethat", "figures":
		s.rules.Choices = values.Choices(r.Text, r.After(p.From+r.Length(p.From, "modal"), "of"), p.To)
	case "belonging": // to a product and a location
		for _, each := range p.Parts {
			if (each.Name == "{reference" || each.Name == "{other") && r.current != nil {
				one := said{ref: english.Singular(r.nameOf(each.From, each.To))}
				one.name = strings.Split(one.ref, "_")
				r.add(one)
			}
		}
	case "listing", "array", "listof", "many":
		if figure := r.Any("figure-kind", p.From, p.To) || s.kind == values.Number || s.kind == values.Integer; figure && p.Name != "listing" { // prices: number[]
			s.plain = append(s.plain, "numbers")
		}
		s.kind = values.Texts
	case "pointing":
		to := p.Parts[slices.IndexFunc(p.Parts, func(q *grammar.Node) bool { return q.Name == "{several" || q.Name == "{proper" })]
		s.ref, s.pointing = english.Singular(r.nameOf(to.From, to.To)), true
	case "{refers":
		s.ref = strings.TrimSuffix(strings.Join(s.name, "_"), "_id")
	case "{reference", "{other", "{tiedto", "{pointed", "bothof":
		if s.ref = english.Singular(r.nameOf(p.From, p.To)); s.name == nil { // belongs to a colony
			s.name = strings.Split(s.ref, "_")
		}
	default:
		for _, each := range p.Parts {
			r.tell(s, each)
		}
	}
}

// fieldName gives the words of a field's name, without whose it is where the record itself is meant: the dog's name.
func (r *reader) fieldName(from, to int) []string {
	if r.whose(from) && from+1 < to && r.current != nil && r.find(r.At(from).Low) == r.current {
		from++
	}
	if last := r.At(to - 1).Low; to > from+1 && r.Is("field-noun", last) && last != "value" { // a notes field
		to--
	}
	name := r.nameOf(from, to)
	if r.oneEach {
		name = english.Singular(name)
	}
	return strings.Split(name, "_")
}

// whose says whether a word tells whose the next one is.
func (r *reader) whose(i int) bool {
	return strings.HasSuffix(r.At(i).Text, "'s") || strings.HasSuffix(r.At(i).Text, "s'")
}

// loose takes a sentence that is nothing but a list, if what it lists is like fields.
func (r *reader) loose(n *grammar.Node) {
	all, like, many, things, kept, others := 0, 0, 0, 0, false, false
	for _, p := range n.Parts[0].Parts {
		if p.Name != "field" {
			continue
		}
		var s said
		r.tell(&s, p)
		if all++; r.like(s, p.From) {
			like++
		}
		if (english.IsPlural(r.At(p.To-1).Low) || r.Is("for-all", r.At(p.From).Low)) && len(s.name) > 0 && r.exact(english.Singular(strings.Join(s.name, "_"))) != nil {
			things++
		}
		if name := strings.Join(s.name, " "); s.kind == "" && (r.Is("kept-too", name) || r.texts(name)) { // also photos and members
			many, kept = many+1, kept || r.Is("kept-too", name)
		}
		others = others || len(r.Things) > 1 && len(s.name) > 1 && r.exact(s.name[0]) != nil || s.told() && r.partly(s.name) // customer name, order total; goals default to 0
	}
	if n.From == r.begin+1 && r.Is("dates", r.At(n.From).Low) && !r.Is("function", r.At(r.begin).Low) { // create date, make
		r.Refuse(r.said(r.begin, n.From+1))
	}
	if all == 1 && len(r.Things) > 1 && n.From == r.begin && r.Any("obliges", n.From, n.To) { // dogs and cats. weight should be a float
		r.Refuse(r.said(n.From, n.To))
		return
	}
	if things == all && n.From == r.begin && len(r.Things) > 1 { // players belong to a team. matches too
		r.Refuse(r.said(r.begin, r.NextMark(n.To)))
		return
	}
	if kept && many == all && r.Is("also", r.At(r.begin).Low) || len(r.Things) > 1 && r.Any("every-one", r.begin, n.From) { // each has a note
		r.Refuse(r.said(r.begin, n.To))
		return
	}
	sorts := func(t *Thing) bool { // games (board and video). title, players
		return len(t.Fields) > 1 && !slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Sure || f.told != "" || r.Is("field", f.Name) })
	}
	if t := r.current; others || t != nil && sorts(t) || r.Is("own", r.At(n.From).Low) || like < all && t != nil && len(t.Fields) > 0 || 2*like < all {
		r.Refuse(r.said(n.From, n.To))
		return
	}
	r.take(n.Parts[0])
}

// partly says whether a name is the begin or the end of what fields are called that were told of: those may be meant.
func (r *reader) partly(name []string) bool {
	one := english.Singular(strings.Join(name, "_"))
	return slices.ContainsFunc(r.Things, func(t *Thing) bool {
		return slices.ContainsFunc(t.Fields, func(f Field) bool {
			return strings.HasPrefix(f.Name, one+"_") || strings.HasSuffix(f.Name, "_"+one)
		})
	})
}

// like says whether what is told at a place is like a field: its name is usual, or more than a name is told.
func (r *reader) like(s said, at int) bool {
	if len(s.name) == 0 || s.told() || s.ref != "" || strings.Contains(spelled(r.At(at)), "_") {
		return true
	}
	last, whole := s.name[len(s.name)-1], strings.Join(s.name, " ")
	for _, table := range []string{"field", "also-field", "alone-too", "item-too"} {
		if r.Is(table, last) || r.Is(table, whole) {
			return true
		}
	}
	_, sure := values.Guess(r.Lexicon, s.name)
	return sure || len(s.name) > 1 && (r.Is("field-ends", last) || slices.Contains(s.name, "of") || slices.Contains(s.name, "per")) || r.find(whole) != nil
}

// add gives what was told of last a field.
func (r *reader) add(s said) {
	t, last := r.current, len(s.name)-1
	one := english.Singular(s.name[last])
	if t.each = t.each && one != s.name[last]; t.each && (r.Is("whole-name", one) || r.Is("one-each", one)) && !r.Is("field", s.name[last]) || last > 0 && r.Is("one-each-day", s.name[last]) && s.kind == "" {
		s.name[last] = one
	}
	name := strings.Join(s.name, "_")
	of := " of " + english.Plural(t.Name)
	switch {
	case name == "id":
		return
	case t.field(name) != nil && t.field(name).old && !s.told():
		r.Already = append(r.Already, strings.Join(s.name, " ")+" is there")
		return
	case t.field(name) != nil && t.field(name).old:
		r.hold(t.field(name), s)
		return
	case t.field(name) != nil && s.told() && s.units == nil:
		r.retell(t.field(name), s)
		return
	case t.field(name) != nil && s.lone: // has a driver, each has one driver
		return
	case t.field(name) != nil, project.NotFieldName(name) && !r.Is("reserved-field", project.Squeezed(name)):
		r.Refuse(strings.Join(s.name, " "))
		return
	case r.Is("secret", s.name[len(s.name)-1]) && s.kind != values.Truth && s.name[0] != "is":
		r.Leave(name+of, "keeping passwords needs hashing and sign-in rules, which this engine does not write")
		return
	case r.Is("reserved-field", project.Squeezed(name)):
		r.Leave(name+of, "the name has a meaning of its own in the generated code")
		return
	case len(t.Fields) >= project.MaxFields:
		r.Leave(name+of, "a resource has at most 20 fields")
		return
	}
	t.Fields = append(t.Fields, r.settled(s))
}

// settled gives a field as all that is told of it settles it.
func (r *reader) settled(s said) Field {
	name := strings.Join(s.name, " ")
	for _, each := range s.units {
		r.Leave(each+" of "+name, "a field has no unit")
	}
	s.rules.Choices = r.parted(s.rules.Choices)
	if s.asked && s.kind == "" && s.ref == "" {
		r.answer(&s)
	}
	if guess, sure := values.Guess(r.Lexicon, s.name); s.kind == "" && s.rules.Min+s.rules.Max != "" && guess == values.Text && sure && s.rules.Choices == nil && !r.Is("no-title", s.name[len(s.name)-1]) {
		s.kind = values.Text // a title of at most 100
	}
	if s.kind == "" && len(s.name) == 2 && s.name[1] == "at" && r.Is("done-at", s.name[0]) { // valued at: how much
		s.kind = values.Number
	}
	if s.name[0] == "how" && s.kind == values.Text && s.rules.Min+s.rules.Max != "" { // how strong it is, from 1 to 5
		s.kind, _ = s.rules.Kind("", false)
	}
	if s.kind == "" && name == "ts" {
		s.kind = values.DateTime
	}
	f := Field{Name: strings.Join(s.name, "_"), told: s.kind, Ref: s.ref, many: s.many}
	var others []string
	f.Kind, f.Rules, f.Sure, others = s.rules.Settled(r.Lexicon, s.name, s.kind)
	if s.rules.Choices != nil && s.rules.Default != "" && f.Default == "" && f.Kind != values.Truth { // which of both is meant?
		r.Refuse("default " + s.rules.Default + " of " + name)
	}
	if last := len(s.name) - 1; s.coded && f.told == "" && !f.Sure && r.Is("when-or-where", s.name[last]) && r.done(s.name[last-1]) && s.name[last-1] != "based" && f.Choices == nil {
		f.Kind = r.Tables["field-ends"][s.name[last]]
	}
	if f.told == "" && r.Is("need-word", s.name[len(s.name)-1]) { // a visa required
		f.Sure = false
	}
	for _, each := range append(s.left, others...) {
		why := "limits and choices of a field"
		if one := english.Singular(each); r.Is("has-phone", one) { // a guide (volunteer)
			why = "no records of " + english.Plural(one) + " were told"
		}
		r.Leave(each+" of "+name, why)
	}
	for _, each := range s.plain {
		if f.Choices != nil { // an enum with its values
			break
		}
		r.Leave(each+" of "+name, map[bool]string{true: "kept as a list of texts", false: "kept as text"}[f.Kind == values.Texts])
	}
	return f
}

// answer takes a question mark behind a name of which no kind is told: it asks for yes or no where the name does, or another one
// that is asked likewise; else it says that the field may be left out.
func (r *reader) answer(s *said) {
	kind, sure := values.Guess(r.Lexicon, s.name)
	for i := range r.Tokens {
		if other, _ := values.Guess(r.Lexicon, []string{r.At(i).Low}); !sure && r.At(i+1).Raw == "?" && other == values.Truth {
			kind = other
		}
	}
	if kind == values.Truth {
		s.kind, s.rules.Need = kind, ""
	}
}

// owners gives the fields that a name may mean: that of what the sentence tells of, unless it tells of others that have one
// too; else all of that name, else those whose name ends with it.
func (r *reader) owners(name string) (all []*Field) {
	too := func(t *Thing) bool { return t != r.current && t.meant(name) != nil }
	if f := r.current.meant(name); f != nil && slices.Contains(r.named, r.current) && !slices.ContainsFunc(r.named, too) {
		return []*Field{f}
	}
	for _, t := range r.Things {
		if f := cmp.Or(t.meant(name), t.meant(strings.TrimPrefix(name, t.Name+"_"))); f != nil {
			all = append(all, f)
		}
	}
	if all != nil {
		return all
	}
	one := "_" + english.Singular(name)
	for _, t := range r.Things {
		for k, f := range t.Fields {
			if strings.HasSuffix(f.Name, one) || strings.HasSuffix(f.Name, "_"+name) {
				all = append(all, &t.Fields[k])
			}
		}
	}
	return all
}

// meant gives the field of a thing that a name in the singular or plural means.
func (t *Thing) meant(name string) *Field {
	if t == nil {
		return nil
	}
	return cmp.Or(t.field(name), t.field(english.Singular(name)))
}

// qualifies says whether a word that mostly says nothing of a noun is a part of the name of a field: new address, and own packaging
// in a list, but not its own name.
func (r *reader) qualifies(i int) bool {
	return r.Is("qualifies", r.At(i).Low) || r.Is("qualifies-in-list", r.At(i).Low) && r.Ends(i-1)
}

// amend takes what fields are held to that were told of before: email must be unique.
func (r *reader) amend(n *grammar.Node) {
	var s said
	var all []*Field
	var of []*Thing
	for _, p := range n.Parts {
		if p.Name == "badly" {
			r.amend(p)
		} else if p.Name != "{knownfield" && p.Name != "{fieldname" && p.Name != "{aged" {
			r.tell(&s, p)
		} else if t := r.exact(r.nameOf(p.From, p.To)); t != nil {
			of = append(of, t)
		} else if found := r.owners(r.nameOf(p.From, p.To)); len(found) == 1 {
			all = append(all, found[0])
		} else {
			r.Refuse(r.said(p.From, p.To))
		}
	}
	for _, t := range of {
		if f := r.limited(t, s); f != nil {
			all = append(all, f)
		} else {
			r.Refuse(r.said(n.From, n.To))
		}
	}
	for _, f := range all {
		r.retell(f, s)
	}
}

// limited gives the field that is meant where a rule is told of records that others refer to: their age where it is a limit, and
// else the reference, if there is one only.
func (r *reader) limited(t *Thing, s said) *Field {
	if s.rules.Min+s.rules.Max != "" {
		return t.field("age")
	}
	if found := r.owners(t.Name); len(found) == 1 {
		return found[0]
	}
	return nil
}

// ofAll takes what is told of all fields: whether they are needed, or their kind.
func (r *reader) ofAll() {
	n := r.all
	switch {
	case n == nil:
		return
	case n.Name == "{plainrule":
		r.every = r.needs(n.From)
		return
	}
	var s said
	r.tell(&s, n)
	s.kind = cmp.Or(r.Tables["type"][english.Singular(r.said(n.From, n.To))], s.kind) // all strings: each is one
	for _, t := range r.Things {
		for k := range t.Fields {
			if f := &t.Fields[k]; f.told == "" && f.Choices == nil {
				r.retell(f, s)
			}
		}
	}
}

// told says whether more than a name is told of a field.
func (s said) told() bool {
	return s.kind != "" || !reflect.DeepEqual(s.rules, values.Rules{})
}

// retell takes what else is told of a field.
func (r *reader) retell(f *Field, s said) {
	s.name, s.kind, s.ref = strings.Split(f.Name, "_"), cmp.Or(s.kind, f.told), f.Ref
	s.rules = both(s.rules, f.Rules)
	if f.Kind == values.Texts { // one of the tags may be
		s.kind = f.Kind
	}
	*f = r.settled(s)
}
