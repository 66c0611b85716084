package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
)

// records takes what a part of a derivation says of records, if it does.
func (r *reader) records(n *grammar.Node) bool {
	switch n.Name {
	case "{things", "{one", "{thing", "{collection":
		r.thing(n.From, n.To)
	case "told":
		if n.Note == "routes" {
			r.Leave(r.Written(n.From, n.To), "all operations are there, not only these")
		}
		return false
	case "domain": // for gpu bookings: gpu(name), booking(start)
		switch several := english.IsPlural(r.At(n.To - 1).Low); {
		case n.Note == "none", is("any-record", r.said(n.From, n.To)):
		case several && !r.elsewhere(n.From, n.To):
			r.Refuse(r.Written(n.From, n.To))
		case !several:
			r.Leave(r.Written(n.From, n.To), background)
		}
		return true
	case "things":
		if p := child(n, "{quotedname"); p != nil {
			r.thing(p.From, p.To)
			return true
		}
		return false
	case "relate":
		r.relate(n)
	case "tied":
		of, to := r.current, child(n, "{thing", "{mentioned")
		if name := r.nameOf(to.From, to.To); r.find(name) == nil && (to.Name == "{mentioned" || r.Is("field", name)) { // eggs per day
			r.Refuse(r.Written(n.From, n.To))
			return true
		}
		of.belongs(r.thing(to.From, to.To))
		r.current = of
	case "deed":
		if m, k := r.Phrase(n.From); m.Class == "heart" && n.From+k > n.To { // create table
			r.Hearts = append(r.Hearts, Omission{r.Words(n.From, k), m.Value})
		}
		r.deeds = true
		r.keeps = r.keeps || is("keeping-deed", r.At(n.From).Low)
	case "owner":
		last := n.Parts[len(n.Parts)-1]
		if p := child(n, "{owner"); p != nil {
			r.owner = r.said(p.From, p.To)
		}
		r.Leave(r.Written(n.From, n.To), background)
		if last.Name == "title" {
			r.take(last)
		}
	case "held":
		if p := child(n, "one"); p != nil { // for my bookshelf: title, author
			r.Refuse(r.Written(n.From, n.To))
			return true
		}
		for _, p := range n.Parts {
			r.take(p)
		}
	case "topic":
		known := len(r.Things)
		r.thing(n.From, n.To)
		if len(r.Things) > known {
			r.topic = r.current
		}
	case "holdings":
		r.holdings(n)
	case "field", "typed":
		r.field(n)
	case "qfield": // plants, and when they were watered: what tells them apart?
		if len(r.current.Fields) == 0 {
			r.Refuse("what " + plural(r.current) + " have")
		}
		r.field(n)
	case "amend", "ofall":
		r.amend(n)
	case "whichhas": // many beds with a length, and an owner
		if f := children(n, "field"); len(f) > 1 && r.current != r.subject {
			last, before := f[len(f)-1].From, f[len(f)-2]
			if r.At(last-1).Low == "and" && (len(f) == 2 && r.At(last-2).Low == "," || r.At(before.From-1).Low == "and") {
				r.Refuse(r.Written(last, n.To))
			}
		}
		low := r.At(n.From).Low
		if (low == "with" || low == "plus") && r.current == r.subject && r.Any("one-or-many", n.From-3, n.From-1) { // a dog belongs to an owner with a name: who has it?
			r.Refuse(r.Written(n.From, n.To))
		}
		if to := r.subject.Parents; r.current == r.subject && low == "with" && (len(to) == 0 || len(to[len(to)-1].Fields) == 0) { // containers are on a vessel with a name: which has it?
			r.Refuse(r.Written(n.From, n.To))
		}
		return false
	case "define", "owning", "there", "label", "boxed":
		if n.Name == "define" && len(n.Parts) == 1 && (n.Parts[0].Name == "verbal" || n.Parts[0].Name == "there") {
			r.take(n.Parts[0])
			return true
		}
		r.define(n)
	case "bare":
		for _, p := range children(n, "{things", "{one") {
			if r.unknown(p) && english.IsPlural(r.At(p.To-1).Low) {
				r.Refuse(r.Written(p.From, p.To))
			}
			r.known(p)
		}
		r.take(n.Parts[0])
	case "ownthings":
		for _, p := range n.Parts {
			r.take(p)
		}
		r.own = r.current
	case "ask", "tail":
		for _, p := range n.Parts {
			r.take(p)
		}
		r.asked = (r.asked || child(n, "told") == nil) && slices.ContainsFunc(r.Things, func(t *Thing) bool { return t != r.topic })
	case "fields":
		if p := child(n, "{alltype"); p != nil {
			r.allKind = r.Tables["type"][r.Words(p.From, p.To-p.From)]
		}
		for _, p := range n.Parts {
			r.take(p)
		}
		r.allKind = ""
	case "loose":
		r.loose(n)
	default:
		return false
	}
	return true
}

// thing takes something that records are kept of; who calls it by the last word of its name later means the same.
func (r *reader) thing(from, to int) *Thing {
	if of := r.exact(r.nameOf(from, from+1)); of != nil && to > from+1 && strings.HasSuffix(r.At(from).Text, "'") { // customers, and the customers' orders
		t := r.thing(from+1, to)
		r.theirs = append(r.theirs, [2]*Thing{t, of})
		return t
	}
	name := one(r.nameOf(from, to))
	held := tables()["holds"][r.said(from, to)]
	if r.At(to-1).Low != "list" && r.elsewhere(from, to) || is("formal", r.At(from-1).Low) { // playlists, and a playlist has a name
		held = ""
	}
	if held != "" {
		name = held
	} else if begin, last, ok := cutLast(name); ok && is("collection", last) && !english.IsPlural(r.At(to-1).Low) { // my record collection
		_, known := r.Tables["has"][lastWord(strings.ReplaceAll(begin, "_", " "))]
		plural := english.IsPlural(begin)
		switch name = one(begin); {
		case known, plural:
		case is("gathers", last):
			r.Refuse("what records of " + r.said(from, to))
		case last == "inventory" && (is("stocked", lastWord(r.said(from, to-1))) || r.Tables["place-of"][lastWord(r.said(from, to-1))] != ""): // a kitchen inventory
			name = "item"
		case last == "inventory" && strings.Contains(begin, "_"): // a server rack inventory
			name = begin + "_item"
		case is("logbook", last) && r.elsewhere(to-2, to-1): // a deployment log. Deployment: version
		case is("logbook", last): // a fuel log
			name = begin + "_entry"
		}
	}
	if r.current = r.find(name); r.current == nil && is("any-record", name) && len(r.Things) == 1 && !r.elsewhere(from, to) {
		r.current = r.Things[0]
	}
	if t := r.current; t != nil && !t.old && !t.whole && strings.HasSuffix(t.Name, "_"+name) { // blog posts, and posts have a title
		t.Name = name
	}
	if r.current == nil {
		r.current = &Thing{Name: name, at: from, several: english.IsPlural(r.At(to-1).Low) || is("plural-only", r.At(to-1).Low), of: held}
		r.Things = append(r.Things, r.current)
	}
	return r.current
}

func cutLast(name string) (begin, last string, ok bool) {
	k := strings.LastIndex(name, "_")
	return name[:max(k, 0)], name[k+1:], k > 0
}

// find gives a thing by its name; blog posts may be called posts.
func (r *reader) find(name string) (found *Thing) {
	name = one(name)
	for _, t := range r.Things {
		begin, last, _ := cutLast(t.Name)
		if t.Name == name || len(t.Fields) == 0 && begin == name && is("told-in", last) {
			return t
		}
		if t.endsWith(name) {
			found = t
		}
		if found == nil && r.asked && t.compound(name) {
			found = t
		}
	}
	return found
}

// endsWith says whether a thing is called by the end of its name: a blog post, the hive of a project with beehives.
func (t *Thing) endsWith(name string) bool {
	return strings.HasSuffix(t.Name, "_"+name) || t.old && t.compound(name)
}

// compound says whether a thing may be called by the end of its name: beehives, and each hive has a number.
func (t *Thing) compound(name string) bool {
	return len(name) > 3 && len(t.Name) > len(name)+2 && strings.HasSuffix(t.Name, name)
}

// define takes what each of some things holds: of those that are named, or else of the only ones of which that may be told.
func (r *reader) define(n *grammar.Node) {
	var all []*Thing
	r.sentence = n.From
	if f := children(n, "field"); n.Name == "owning" && len(f) > 1 && f[0].Note == "manyof" && child(f[1], "name") != nil && child(f[1], "fielddet") == nil { // a recipe has many ingredients, quantity and unit
		r.Refuse("what has these: " + r.said(f[1].From, n.To))
	}
	for _, p := range n.Parts {
		switch {
		case p.Name == "{thing":
			if name := r.nameOf(p.From, p.To); n.Note == "both" && r.exact(name) == nil && r.Is("field", name) { // name and age and animals with a name
				r.Refuse(r.Written(p.From, p.To))
			}
			r.known(p)
			all = append(all, r.thing(p.From, p.To))
		case (p.Name == "fields" || p.Name == "row") && len(all) == 0:
			r.loose(p)
		case p.Name == "owns" && is("keeping-deed", lastWord(r.said(p.From, p.To))) && r.At(p.To).Low == "its": // a choir can keep its music
			r.Refuse(r.Written(n.From, n.To))
		case n.Name == "label" && len(all) > 0 && (is("valued", all[0].Name) || is("ruling", all[0].Name) || r.At(n.From-1).Text == ";" && len(children(n, "field")) == 1 && r.At(child(n, "field").From-1).Low == ":" && !r.elsewhere(all[0].at, all[0].at+1) || len(children(n, "field")) > 1 && r.allPlural(n)): // name: string; category: Category
			r.Refuse(r.Written(n.From, n.To))
		case p.Name == "fields" || p.Name == "row":
			if told := children(p, "field"); len(told) > 1 && told[0].Note == "manyof" && child(told[1], "name") != nil && child(told[1], "fielddet") == nil { // a recipe has many ingredients, quantity, unit
				r.Refuse(r.Written(told[1].From, n.To))
			}
			for _, t := range all {
				r.current = t
				r.take(p)
				if len(children(n, "row")) < 2 {
					r.oneList(p, t)
				}
				t.All = t.All || (n.Name == "label" || n.Name == "boxed")
			}
		default:
			r.take(p)
		}
	}
}

// holdings takes things with what they hold. What stands behind "with" may be of all of them.
func (r *reader) holdings(n *grammar.Node) {
	if n.Note == "fieldsof" {
		if p := child(n, "name"); p != nil && r.said(p.From, p.To) == "minutes" { // the minutes of our meetings
			r.Refuse(r.Written(n.From, n.To))
		}
		r.take(n.Parts[len(n.Parts)-1])
		r.take(n.Parts[0])
		return
	}
	if n.Note == "theirfields" { // our members' names
		p := child(n, "{possessed")
		t := r.thing(p.From, p.To)
		for _, f := range children(n, "field") {
			if name := child(f, "name"); name != nil && strings.HasSuffix(r.At(p.From).Text, "s'") && r.Is("field", one(r.said(name.From, name.To))) && name.To == f.To {
				r.add(Field{Name: one(r.nameOf(name.From, name.To)), at: f.From}, "", nil)
				continue
			}
			r.take(f)
		}
		r.current = t
		return
	}
	before, their := "", (*Thing)(nil)
	for _, p := range n.Parts {
		if p.Name == "andthen" {
			if p.Note == "their" && r.At(p.To-1).Low != "the" {
				their = r.current
			}
			continue
		}
		r.Refuse(r.doubtful(n, p, before))
		before = p.Name
		r.take(p)
		if hold := child(p, "hold"); p.Name == "opened" && hold != nil && hold.Note == "" && len(children(p, "field")) == 1 && len(r.current.Fields) > 0 {
			r.several = append(r.several, [2]string{r.current.Name, r.current.Fields[len(r.current.Fields)-1].Name})
		}
		if their != nil && r.current != their {
			r.theirs = append(r.theirs, [2]*Thing{r.current, their})
			their = nil
		}
	}
}

// doubtful gives what of one of several things cannot be meant as it stands, or nothing.
func (r *reader) doubtful(n, p *grammar.Node, before string) string {
	hold, place, det, things := child(p, "hold"), child(p, "one"), child(p, "det"), child(p, "{things")
	oneOf := det != nil && is("for-one", r.said(det.From, det.To))
	listed := hold != nil && hold.Note == "list"
	switch {
	case oneOf && things != nil && (child(p, "collect") == nil || len(n.Parts) > 1) && english.IsPlural(r.At(things.To-1).Low): // a player plays
		return r.Written(p.From, p.To)
	case place != nil && p.Name == "plain" && det == nil && (len(n.Parts) > 1 || place.To == place.From+1 || !r.measured(place)) && !plaintext.IsCapital(r.At(place.From).Text) && !(len(n.Parts) == 1 && r.At(place.From-1).Low == ":" && is("formal", r.At(place.From-2).Low)): // title, author, but: resource: pump
		return r.Written(p.From, p.To)
	case place != nil && r.asked && r.unknown(place):
		return r.Written(place.From, place.To)
	case child(p, "tied") != nil && (before == "plain" || p.Name == "closed") && (child(p, "{mentioned") == nil || r.At(p.From).Low != "the"): // dogs and cats that belong to a shelter
		return r.Written(p.From, p.To)
	case p.Name == "opened" && before == "plain" && (hold == nil || hold.Note != "own") && (things == nil || r.exact(r.nameOf(things.From, things.To)) == nil), p.Name == "opened" && hold == nil && is("measure", one(lastWord(r.said(p.From, child(p, "fields").From)))): // dogs and cats with a name
		return "what has these: " + r.said(child(p, "fields").From, p.To)
	case hold != nil && r.At(hold.From).Low == "by" && r.usualKind(r.At(hold.From+1).Low) == "", p.Name == "closed" && before == "andopened" && r.At(p.From-1).Low == "and" && !r.At(p.From-2).Mark, before != "" && p.Name == "plain" && (det != nil && place != nil && is("each-one", r.said(det.From, det.To)) || child(p, "place") != nil && (r.At(child(p, "place").From).Low == "they" || is("verb-too", r.At(p.From).Low))): // hats by Anna; orders with a customer and items (name); parcels, every change is logged; keepers and the animals they feed
		return r.Written(p.From, p.To)
	case listed && place != nil && r.At(n.From-1).Low == "for" && tables()["holds"][r.said(place.From, place.To)] == "": // for my cheese counter: cheese
		return "what is kept in " + r.said(p.From, hold.From)
	}
	return ""
}

// oneList refuses that all that is told of a thing in a sentence is several of something, which may be texts or records.
func (r *reader) oneList(n *grammar.Node, t *Thing) {
	all := children(n, "field")
	if k := len(t.Fields) - 1; len(all) == 1 && k >= 0 && english.IsPlural(t.Fields[k].Name) && !t.Fields[k].told && r.find(t.Fields[k].Name) == nil && !r.elsewhere(t.Fields[k].at, t.Fields[k].at+1) {
		r.Refuse(r.Written(n.From, n.To))
	}
}

// measured says whether what is kept is a measure, which has no plural: the snow depth.
func (r *reader) measured(n *grammar.Node) bool {
	kind := r.usualKind(r.At(n.To - 1).Low)
	return (kind == values.Number || kind == values.Integer) && !r.Is("field", r.said(n.From, n.To))
}

// known refuses what was not asked for before others were: rules: name is required. What is told of one of them may be new.
func (r *reader) known(n *grammar.Node) {
	name, det := one(r.nameOf(n.From, n.To)), r.At(n.From-1).Low
	switch {
	case !r.unknown(n):
	case len(r.Things) == 1 && r.Things[0].bare() && r.Things[0].of != "" && is("any-kept", r.Things[0].Name): // an inventory, and each medicine has a name
		r.Things[0].Name, r.Things[0].of, r.Things[0].several = name, "", true
	case len(r.Things) == 1 && r.Things[0].bare() && is("for-one", det) && (is("told-of", name) || strings.HasSuffix(r.Things[0].Name, "_entry")): // a beehive log, and each hive has a name
		t := r.Things[0]
		begin := strings.TrimSuffix(t.Name, "_entry")
		if t.Name, t.several, t.whole = begin+"_"+name, true, true; strings.HasSuffix(begin, name) {
			t.Name = begin
		}
	case is("for-one", det) && !english.IsPlural(r.At(n.To-1).Low) && (r.usualKind(name) == "" || is("folkword", name) || is("people", name)) && !is("any-kept", name),
		english.IsPlural(r.At(n.To-1).Low) && (r.Tables["field"][name] == "" || is("folkword", name) || is("people", name)) && !is("heading", name) && !is("any-kept", name):
		r.fresh = append(r.fresh, r.thing(n.From, n.To))
	default:
		r.Refuse(r.Written(n.From, n.To))
	}
}

// titled says whether what is told is rather a field and its kind: title: text.
func (r *reader) titled(n *grammar.Node) bool {
	kind := n.To + 1
	return r.At(n.To).Low == ":" && r.Is("field", r.said(n.From, n.To)) && r.Length(kind, "type") > 0 && r.At(kind+r.Length(kind, "type")).Mark && r.At(kind+r.Length(kind, "type")).Low != ","
}

// unknown says whether something is told of that nobody asked for, where other things were asked for.
func (r *reader) unknown(n *grammar.Node) bool {
	name := one(r.nameOf(n.From, n.To))
	has := func(field string) bool {
		return slices.ContainsFunc(r.Things, func(t *Thing) bool { return t.field(field) != nil })
	}
	switch {
	case is("any-record", name) && len(r.Things) == 1 && !r.elsewhere(n.From, n.To):
		return false
	case r.labels > 1 && !is("heading", name) && !has(name) && !r.titled(n): // all things are told one by one
		return false
	}
	return r.asked && !has(english.Plural(name)) && r.find(name) == nil
}

// loose takes fields of which nobody says what has them.
func (r *reader) loose(n *grammar.Node) {
	open := slices.DeleteFunc(slices.Clone(r.Things), func(t *Thing) bool { return len(t.Fields) > 0 })
	held := tables()["holds"][r.owner]
	switch {
	case n.Name != "loose" && r.allPlural(n) && (len(r.Things) == 0 || len(r.Things) == 1 && r.Things[0].of != ""):
		r.Things = nil
		for _, p := range children(n, "name") {
			r.thing(p.From, p.To)
		}
		return
	case len(r.Things) == 0 && held != "":
		r.current = &Thing{Name: held, at: n.From}
		r.Things = append(r.Things, r.current)
	case len(open) == 1:
		r.current = open[0]
	case r.subject != nil && r.At(r.sentence).Low == "it" && slices.Contains(open, r.subject): // a rehearsal is for a play. It has a date
		r.current = r.subject
	case len(r.Things) == 1 && n.Name != "loose":
		r.current = r.Things[0]
	default:
		r.Refuse("what has these: " + r.said(n.From, n.To))
		return
	}
	for _, p := range n.Parts {
		r.take(p)
	}
}

// allPlural says whether only plurals are told, which are rather records of their own than values: it has books and members.
func (r *reader) allPlural(n *grammar.Node) bool {
	return !slices.ContainsFunc(children(n, "field"), func(f *grammar.Node) bool {
		name := child(f, "name")
		return name == nil || !english.IsPlural(r.At(f.To-1).Low) || name.To != f.To
	})
}

// relate takes what belongs to what.
func (r *reader) relate(n *grammar.Node) {
	var all []*Thing
	told := children(n, "{thing", "{shared", "{shared-one")
	for k, p := range told {
		if k == 0 && len(told) == 2 && r.unknown(p) && r.unknown(told[1]) && !r.Is("field", r.nameOf(p.From, p.To)) { // todos, and done items go to the bottom
			r.Refuse(r.Written(n.From, n.To))
		}
		if k == 0 && (len(told) == 1 || r.unknown(told[1])) || n.Note != "belongs" && n.Note != "bothbelong" && n.Note != "twobelong" || r.Is("field", r.nameOf(p.From, p.To)) {
			r.known(p)
		}
		all = append(all, r.thing(p.From, p.To))
	}
	if len(all) < 2 || all[0] == all[1] {
		r.Refuse(r.Written(n.From, n.To))
		return
	}
	switch n.Note {
	case "belongs":
		all[0].belongs(all[1])
	case "twobelong":
		all[0].belongs(all[1])
		all[2].belongs(all[3])
	case "twomany":
		if len(all) > 3 && all[0] == all[3] && all[1] == all[2] { // books have many authors, authors many books
			r.join(all[0], all[1])
			break
		}
		all[1].belongs(all[0])
		all[3].belongs(all[2])
	case "many":
		if !r.joined(all[0], all[1]) {
			all[1].belongs(all[0])
		}
	case "bothbelong":
		all[0].belongs(all[2])
		all[1].belongs(all[2])
	case "link":
		all[0].belongs(all[1])
		all[0].belongs(all[2])
	case "many2many":
		r.join(all[0], all[1])
	}
	r.subject, r.current = all[0], all[0]
	if n.Note == "many" {
		r.current = all[1]
	}
}

func (t *Thing) belongs(to *Thing) {
	if !slices.Contains(t.Parents, to) {
		t.Parents = append(t.Parents, to)
	}
}

// joined says whether a record tells which of two things belong together.
func (r *reader) joined(a, b *Thing) bool {
	return slices.ContainsFunc(r.Things, func(t *Thing) bool { return slices.Contains(t.Parents, a) && slices.Contains(t.Parents, b) })
}

// exact gives a thing by its whole name.
func (r *reader) exact(name string) *Thing {
	for _, t := range r.Things {
		if t.Name == one(name) {
			return t
		}
	}
	return nil
}

// join makes a record that tells which of two things belong together.
func (r *reader) join(a, b *Thing) {
	if r.joined(a, b) {
		return
	}
	r.Things = append(r.Things, &Thing{Name: a.Name + "_" + b.Name, Parents: []*Thing{a, b}, Link: true})
	r.Leave("several "+plural(b)+" for each of several "+plural(a), "records of "+a.Name+" "+plural(b)+" say which belong together")
}

func plural(t *Thing) string { return strings.ReplaceAll(english.Plural(t.Name), "_", " ") }
