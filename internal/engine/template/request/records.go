package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// records takes what a part of a derivation says of records, if it does.
func (r *reader) records(n *grammar.Node) bool {
	switch n.Name {
	case "{things", "{one", "{thing", "{collection", "{quotedname":
		r.thing(n.From, n.To)
	case "told":
		if n.Note == "routes" {
			r.Leave(r.Written(n.From, n.To), "all operations are there, not only these")
		}
		return false
	case "domain": // for gpu bookings: gpu(name), booking(start)
		switch {
		case n.Note == "none":
		case !english.IsPlural(r.At(n.To - 1).Low):
			r.Leave(r.Written(n.From, n.To), background)
		case !r.elsewhere(n.From, n.To):
			r.doubt(n)
		}
	case "relate":
		r.relate(n)
	case "tied":
		r.tied(n)
	case "deed":
		r.deeds = true
		r.keeps = r.keeps || is("keeping-deed", r.At(n.From).Low)
	case "owner":
		if p := child(n, "{owner"); p != nil {
			r.owner = r.words(p)
		}
		r.Leave(r.Written(n.From, n.To), background)
		if last := n.Parts[len(n.Parts)-1]; last.Name == "title" {
			r.take(last)
		}
	case "held":
		if child(n, "one") != nil { // for my bookshelf: title, author
			r.doubt(n)
			return true
		}
		return false
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
		if len(r.current.Fields) == 0 && !is("keeping-deed", r.At(n.From-1).Low) {
			r.Refuse("what " + plural(r.current) + " have")
		}
		r.field(n)
	case "amend", "ofall":
		r.amend(n)
	case "whichhas":
		if open := r.ofWhich(n); open != nil {
			r.doubt(open)
		}
		return false
	case "define", "iwant", "owning", "there", "label", "boxed":
		r.define(n)
	case "bare":
		for _, p := range children(n, "{things", "{one") {
			if r.unknown(p) {
				r.doubt(p)
			}
		}
		return false
	case "ownthings":
		r.takeParts(n)
		r.own = r.current
	case "ask", "tail":
		r.takeParts(n)
		r.asked = child(n, "told") == nil && slices.ContainsFunc(r.Things, func(t *Thing) bool { return t != r.topic })
	case "loose":
		r.loose(n)
	default:
		return false
	}
	return true
}

// tied takes what things belong to that were named right before: eggs of a hen, but not eggs per day.
func (r *reader) tied(n *grammar.Node) {
	of, to := r.current, child(n, "{thing", "{mentioned")
	if english.IsPlural(r.At(to.To-1).Low) && !of.several { // the number of songs
		r.doubt(n)
		return
	}
	if t := r.find(r.name(to)); t != nil && t == r.topic && r.At(n.From).Low == "in" { // a library API for books in a library
		r.Leave(r.Written(n.From, n.To), background)
		return
	}
	if name := r.name(to); r.find(name) == nil && (to.Name == "{mentioned" || r.Is("field", name)) {
		r.doubt(n)
		return
	}
	of.belongs(r.thing(to.From, to.To))
	r.current = of
}

// ofWhich gives what is told behind a relation where it is open which of two things has it.
func (r *reader) ofWhich(n *grammar.Node) *grammar.Node {
	f, to := children(n, "field"), r.subject.Parents
	last := len(f) - 1
	switch {
	case r.current != r.subject: // many beds with a length, and an owner
		if last > 0 && (r.At(f[last].From-2).Low == "," || r.At(f[last-1].From-1).Low == "and") {
			return f[last]
		}
	case r.At(n.From).Low != "with":
	case r.Any("one-or-many", n.From-3, n.From-1), len(to) == 0, len(to[len(to)-1].Fields) == 0:
		return n // a dog belongs to an owner with a name, containers are on a vessel with a name
	}
	return nil
}

// thing takes something that records are kept of; who calls it by the last word of its name later means the same.
func (r *reader) thing(from, to int) *Thing {
	if of := r.exact(r.nameOf(from, from+1)); of != nil && to > from+1 && strings.HasSuffix(r.At(from).Text, "'") {
		t := r.thing(from+1, to) // customers, and the customers' orders
		r.theirs = append(r.theirs, [2]*Thing{t, of})
		return t
	}
	name, held := r.recordsIn(from, to)
	if r.current = r.find(name); r.current == nil && is("any-record", name) && len(r.Things) == 1 && !r.elsewhere(from, to) {
		r.current = r.Things[0]
	}
	if t := r.current; t == nil {
		last := r.At(to - 1).Low
		r.current = &Thing{Name: name, at: from, several: english.IsPlural(last) || is("plural-only", last), of: held}
		r.current.stock = strings.HasSuffix(name, "_item") && last == "inventory"
		r.Things = append(r.Things, r.current)
	} else if !t.old && !t.whole && strings.HasSuffix(t.Name, "_"+name) { // blog posts, and posts have a title
		t.Name = name
	}
	return r.current
}

// recordsIn gives the name of what is kept in something, or is it, and whether that is known of such a place: a todo list.
func (r *reader) recordsIn(from, to int) (name, held string) {
	name = one(r.nameOf(from, to))
	alone := r.At(to-1).Low == "list" || !r.elsewhere(from, to) // but: playlists, and a playlist has a name
	if held = tables()["holds"][r.said(from, to)]; held != "" && alone && !is("formal", r.At(from-1).Low) {
		return held, held
	}
	begin, last, ok := cutLast(name)
	if !ok || !is("collection", last) || english.IsPlural(r.At(to-1).Low) { // but: my record collection
		return name, ""
	}
	place := lastWord(begin)
	_, known := r.Tables["has"][place]
	switch inside := last == "inventory"; {
	case known, english.IsPlural(begin):
	case is("gathers", last):
		return name, ""
	case inside && is("stocked", place): // a kitchen inventory
		return "item", ""
	case inside && strings.Contains(begin, "_"): // a server rack inventory
		return begin + "_item", ""
	case is("logbook", last) && !r.elsewhere(to-2, to-1): // a fuel log, but: a deployment log. Deployment: version
		return begin + "_entry", ""
	}
	return one(begin), ""
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
		if t.Name == name || begin == name && is("told-in", last) {
			return t
		}
		if t.endsWith(name) || r.asked && t.compound(name) {
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
	return len(name) > 3 && strings.HasSuffix(t.Name, name)
}

// define takes what each of some things holds: of those that are named, or else of the only ones of which that may be told.
func (r *reader) define(n *grammar.Node) {
	fields := children(n, "field")
	if len(fields) > 1 && fields[0].Note == "manyof" && child(fields[1], "name") != nil && child(fields[1], "fielddet") == nil {
		r.Refuse("what has these: " + r.said(fields[1].From, n.To)) // a recipe has many ingredients, quantity and unit
	}
	var all []*Thing
	for _, p := range n.Parts {
		switch listed := p.Name == "fields" || p.Name == "row"; {
		case p.Name == "{thing":
			r.known(p)
			all = append(all, r.thing(p.From, p.To))
		case p.Name == "owns" && is("keeping-deed", lastWord(r.words(p))) && r.At(p.To).Low == "its": // a choir can keep its music
			r.doubt(n)
		case !listed:
			r.take(p)
		case n.Note == "everyone" && len(r.Things) > 1: // projects and tasks. Each has a name
			r.everyone(n, p)
		case len(all) == 0:
			r.loose(p)
		case n.Name == "label" && (is("valued", all[0].Name) || is("ruling", all[0].Name) || len(fields) > 1 && r.allPlural(n) ||
			len(fields) == 1 && r.At(n.From-1).Text == ";" && !r.elsewhere(all[0].at, all[0].at+1)): // name: string; category: Category
			r.doubt(n)
		default:
			for _, t := range all {
				r.current = t
				r.take(p)
				if len(children(n, "row")) < 2 {
					r.oneList(p, t)
				}
				t.All = t.All || n.Name == "label" || n.Name == "boxed"
			}
		}
	}
}

// everyone takes what each of several things has of which nothing else is told yet.
func (r *reader) everyone(n, listed *grammar.Node) {
	told := func(t *Thing) bool { return len(t.Fields) > 0 }
	if slices.ContainsFunc(r.Things, told) || r.At(n.From).Low == "both" && len(r.Things) != 2 {
		r.doubt(n)
		return
	}
	for _, t := range r.Things {
		r.current = t
		r.take(listed)
	}
}

// holdings takes things with what they hold. What stands behind "with" may be of all of them.
func (r *reader) holdings(n *grammar.Node) {
	switch n.Note {
	case "fieldsof":
		if p := child(n, "name"); p != nil && r.words(p) == "minutes" { // the minutes of our meetings
			r.doubt(n)
		}
		r.take(n.Parts[len(n.Parts)-1])
		r.take(n.Parts[0])
		return
	case "theirfields": // our members' names
		p := child(n, "{possessed")
		t := r.thing(p.From, p.To)
		for _, f := range children(n, "field") {
			if name := child(f, "name"); name != nil && r.Is("field", one(r.words(name))) {
				r.add(Field{Name: one(r.name(name)), at: f.From}, "", nil)
			} else {
				r.take(f)
			}
		}
		r.current = t
		return
	}
	before, their, base := "", false, (*Thing)(nil)
	var alone []*Thing // of which nothing is told yet
	valued := false    // values are told as theirs
	told := 0
	for _, p := range n.Parts {
		if p.Name == "andthen" {
			their = p.Note == "their"
			if their && !valued && base == nil {
				base = r.current
			}
			continue
		}
		r.Refuse(r.doubtful(n, p, before))
		before = p.Name
		r.take(p)
		hold := child(p, "hold")
		if p.Name == "plain" {
			alone = append(alone, r.current)
			switch name := spaced(r.current.Name); {
			case their:
				valued = !r.current.several && r.valueOf(name) || r.namesValue(plural(r.current))
			case valued && (r.valueOf(name) || r.valueOf(plural(r.current)) || r.namesValue(plural(r.current))): // shops and their address and opening hours
				r.Refuse("what has these: " + r.words(p))
			}
		}
		if hold != nil && (hold.Note == "each" || hold.Note == "both") { // cups and plates, each with a price
			r.eachOf(alone, n, p)
		}
		if k := len(r.current.Fields); p.Name == "opened" && hold != nil && hold.Note == "" && len(children(p, "field")) == 1 && k > 0 {
			r.several = append(r.several, [2]string{r.current.Name, r.current.Fields[k-1].Name})
		}
		switch {
		case their:
			r.theirs = append(r.theirs, [2]*Thing{r.current, base})
			if told > 1 && !valued { // museums, castles and their rooms; vineyards, their parcels, and their harvests
				r.Leave(plural(r.current)+" of "+plural(base), "each of them belongs to one")
			}
		case base != nil:
			r.beside = append(r.beside, r.current)
		}
		told, their = told+1, false
	}
}

// eachOf gives what each of some things has to those that stand before the last of them too.
func (r *reader) eachOf(things []*Thing, n, last *grammar.Node) {
	hold, behind := child(last, "hold"), r.current
	theirs := slices.ContainsFunc(n.Parts, func(p *grammar.Node) bool { return p.Note == "their" })
	if hold.Note == "both" && len(things) != 1 || theirs {
		r.doubt(hold)
	}
	for _, t := range things {
		r.current = t
		r.take(child(hold, "fields"))
	}
	r.current = behind
}

// doubtful gives what of one of several things cannot be meant as it stands, or nothing.
func (r *reader) doubtful(n, p *grammar.Node, before string) string {
	hold, place, det, things := child(p, "hold"), child(p, "one"), child(p, "det"), child(p, "{things")
	switch {
	case things != nil && det != nil && is("for-one", r.words(det)) && english.IsPlural(r.At(things.To-1).Low) &&
		(child(p, "collect") == nil || len(n.Parts) > 1): // a player plays, but: a list of servers
		return r.Written(p.From, p.To)
	case place != nil && p.Name == "plain" && det == nil && !plaintext.IsCapital(r.At(place.From).Text) && !(r.At(p.From-1).Low == "their" && r.valueOf(r.name(place))) &&
		(len(n.Parts) > 1 || !is("formal", r.At(place.From-2).Low)) && !is("formal", one(r.At(n.From-2).Low)): // title, author, but: resource: pump
		return r.Written(p.From, p.To)
	case p.Note == "eachone" && all(children(p, "name"), func(n *grammar.Node) bool { return r.usualKind(r.name(n)) == "" }):
		return r.Written(p.From, p.To) // every customer, order, invoice
	case place != nil && det != nil && p.Name == "plain" && is("article", r.words(det)) && child(p, "place") != nil && besides(n, p):
		return r.Written(p.From, p.To) // customers, a webhook from Shopify
	case place != nil && r.unknown(place):
		return r.Written(place.From, place.To)
	case child(p, "tied") != nil && (before == "plain" || p.Name == "closed") && r.At(p.From).Low != "the" && !r.tiedToLast(p):
		return r.Written(p.From, p.To) // dogs and cats that belong to a shelter
	case p.Name == "opened" && r.ofBoth(p, hold, things, before):
		return "what has these: " + r.said(child(p, "fields").From, p.To)
	case hold != nil && r.At(hold.From).Low == "by" && r.usualKind(r.At(hold.From+1).Low) == "": // hats by Anna
		return r.Written(p.From, p.To)
	case p.Name == "closed" && before == "andopened" && r.At(p.From-1).Low == "and" && !r.At(p.From-2).Mark:
		return r.Written(p.From, p.To) // orders with a customer and items (name)
	case p.Name == "plain" && before != "" && r.noRecords(p, det, place):
		return r.Written(p.From, p.To)
	case p.Name == "opened" && hold == nil && things != nil && len(n.Parts) == 1 && !r.elsewhere(things.From, things.To) && len(r.Things) > 0:
		return r.Written(p.From, p.To) // hearing aids. We need patient initials, number
	case hold == nil:
	case hold.Note == "theirs" && r.sharedWith(child(hold, "field")): // dogs and their owners
		return r.Written(hold.From, p.To)
	case hold.Note == "ruled" && !all(children(hold, "field"), func(f *grammar.Node) bool { return child(f, "rule", "type", "{type", "{types") != nil }):
		return r.Written(hold.From, p.To) // books whose author
	case hold.Note == "list" && place != nil && r.At(n.From-1).Low == "for" && tables()["holds"][r.words(place)] == "":
		return "what is kept in " + r.said(p.From, hold.From) // for my cheese counter: cheese
	}
	return ""
}

// ofBoth says whether what is told of one thing may be of the one before too: dogs and cats with a name.
func (r *reader) ofBoth(p, hold, things *grammar.Node, before string) bool {
	told := things != nil && r.exact(r.name(things)) != nil || r.tiedToLast(p)
	own := hold != nil && (hold.Note == "own" || hold.Note == "each" || hold.Note == "both")
	return before == "plain" && !own && !told ||
		hold == nil && is("measure", one(lastWord(r.said(p.From, child(p, "fields").From))))
}

// tiedToLast says whether things belong to those that were named right before: boxes, and items in a box.
func (r *reader) tiedToLast(p *grammar.Node) bool {
	tied := child(p, "tied")
	return tied != nil && r.current != nil && r.find(r.name(child(tied, "{thing", "{mentioned"))) == r.current
}

// besides says whether what is named once stands beside several of something.
func besides(n, p *grammar.Node) bool {
	return slices.ContainsFunc(n.Parts, func(o *grammar.Node) bool { return o != p && child(o, "{things") != nil })
}

// sharedWith says whether what is told as theirs may be records of their own, or somebody.
func (r *reader) sharedWith(f *grammar.Node) bool {
	name := child(f, "name")
	if name == nil {
		return true
	}
	said := r.words(name)
	return english.IsPlural(said) || is("people", lastWord(said)) || r.usualKind(said) == ""
}

// noRecords says whether what stands beside things is rather told of them: parcels, every change is logged; keepers and the animals
// they feed.
func (r *reader) noRecords(p, det, place *grammar.Node) bool {
	behind := child(p, "place")
	return det != nil && place != nil && is("each-one", r.words(det)) ||
		behind != nil && (r.At(behind.From).Low == "they" || is("verb-too", r.At(p.From).Low))
}

// oneList refuses that all that is told of a thing in a sentence is several of something, which may be texts or records.
func (r *reader) oneList(n *grammar.Node, t *Thing) {
	if len(children(n, "field")) != 1 || len(t.Fields) == 0 {
		return
	}
	if f := t.Fields[len(t.Fields)-1]; english.IsPlural(f.Name) && !f.told && !r.elsewhere(f.at, f.at+1) {
		r.doubt(n)
	}
}

// known refuses what was not asked for before others were: rules: name is required. What is told of one of them may be new.
func (r *reader) known(n *grammar.Node) {
	if !r.unknown(n) {
		return
	}
	name := one(r.name(n))
	several, each := english.IsPlural(r.At(n.To-1).Low), is("for-one", r.At(n.From-1).Low)
	person := is("folkword", name) || is("people", name)
	if len(r.Things) == 1 && r.Things[0].bare() {
		t := r.Things[0]
		begin, log := strings.CutSuffix(t.Name, "_entry")
		switch {
		case t.of != "" && is("any-kept", t.Name): // an inventory, and each medicine has a name
			t.Name, t.of, t.several = name, "", true
			return
		case each && (log || is("told-of", name)): // a beehive log, and each hive has a name
			if t.Name, t.several, t.whole = begin, true, true; !strings.HasSuffix(begin, name) {
				t.Name += "_" + name
			}
			return
		}
	}
	kind := r.usualKind(name)
	if several {
		kind = r.Tables["field"][name]
	}
	if (several || each) && (kind == "" || person) && !is("any-kept", name) {
		r.fresh = append(r.fresh, r.thing(n.From, n.To))
	} else {
		r.doubt(n)
	}
}

// unknown says whether something is told of that nobody asked for, where other things were asked for.
func (r *reader) unknown(n *grammar.Node) bool {
	name := one(r.name(n))
	has := func(field string) bool {
		return slices.ContainsFunc(r.Things, func(t *Thing) bool { return t.field(field) != nil })
	}
	kind := r.Length(n.To+1, "type")
	titled := kind > 0 && r.At(n.To+1+kind).Low != "," && r.Is("field", r.words(n)) // title: text
	switch {
	case is("any-record", name) && len(r.Things) == 1 && !r.elsewhere(n.From, n.To):
		return false
	case r.labels > 1 && !has(name) && !titled: // all things are told one by one
		return false
	}
	return r.asked && !has(english.Plural(name)) && r.find(name) == nil
}

// loose takes fields of which nobody says what has them.
func (r *reader) loose(n *grammar.Node) {
	open := slices.DeleteFunc(slices.Clone(r.Things), func(t *Thing) bool { return len(t.Fields) > 0 })
	alone, held := len(r.Things) == 1, tables()["holds"][r.owner]
	switch {
	case n.Name == "loose" && is("setting-name", r.words(n)): // licence
		r.doubt(n)
		return
	case n.Name != "loose" && (len(r.Things) == 0 || alone && r.Things[0].of != "") && r.allPlural(n):
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
	case slices.Contains(open, r.subject): // a rehearsal is for a play. It has a date
		r.current = r.subject
	case alone && (n.Name != "loose" || all(children(n, "field"), func(f *grammar.Node) bool { return child(f, "type", "{type", "{types") != nil })):
		r.current = r.Things[0] // lamps. name: text. watts: integer
	default:
		r.Refuse("what has these: " + r.words(n))
		return
	}
	r.takeParts(n)
}

// allPlural says whether only plurals are told, which are rather records of their own than values: it has books and members.
func (r *reader) allPlural(n *grammar.Node) bool {
	return all(children(n, "field"), func(f *grammar.Node) bool {
		name := child(f, "name")
		return name != nil && name.To == f.To && english.IsPlural(r.At(f.To-1).Low)
	})
}

// relations say by the notes of the grammar which of the things that are told belongs to which.
var relations = map[string][][2]int{
	"belongs":    {{0, 1}},
	"twobelong":  {{0, 1}, {2, 3}},
	"bothbelong": {{0, 2}, {1, 2}},
	"link":       {{0, 1}, {0, 2}},
	"arrow":      {{0, 1}},
	"many":       {{1, 0}},
	"twomany":    {{1, 0}, {3, 2}},
}

// relate takes what belongs to what.
func (r *reader) relate(n *grammar.Node) {
	var all []*Thing
	told := children(n, "{thing", "{shared", "{shared-one")
	for k, p := range told {
		if k == 0 && len(told) == 2 && r.unknown(p) && r.unknown(told[1]) && !r.Is("field", r.name(p)) { // todos, and done items go to the bottom
			r.doubt(n)
		}
		if last := r.At(p.To - 1).Low; k == 0 && is("for-one", r.At(p.From-1).Low) && child(n, "belongs") == nil && one(last) != last {
			r.doubt(n) // each batch runs on one machine
		}
		if n.Note != "belongs" || k == 0 {
			r.known(p)
		}
		all = append(all, r.thing(p.From, p.To))
	}
	switch {
	case all[0] == all[1], n.Note == "arrow" && english.IsPlural(r.At(n.To-1).Low): // decks -> cards
		r.doubt(n)
		return
	case n.Note == "many2many", n.Note == "twomany" && all[0] == all[3]: // books have many authors, authors many books
		r.join(all[0], all[1])
	case n.Note == "many" && r.joined(all[0], all[1]):
	default:
		for _, pair := range relations[n.Note] {
			all[pair[0]].belongs(all[pair[1]])
		}
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
	a.Parents = slices.DeleteFunc(a.Parents, func(p *Thing) bool { return p == b }) // a course has many students, a student takes many courses
	r.Things = append(r.Things, &Thing{Name: a.Name + "_" + b.Name, Parents: []*Thing{a, b}, Link: true})
	r.Leave("several "+plural(b)+" for each of several "+plural(a), "records of "+a.Name+" "+plural(b)+" say which belong together")
}

func plural(t *Thing) string { return spaced(english.Plural(t.Name)) }
