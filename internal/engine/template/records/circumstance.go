package records

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/words"
)

// endsList tells of what ends a list of fields, and may be one of them as well: name, average, tests.
func (r *reader) endsList(n *grammar.Node) {
	if r.Is("ticks-off", r.said(n.From, n.To)) {
		r.ticked = n
	}
	said := r.said(n.From, n.To)
	if !r.Is("setting-too", said) && (r.ClassAt(n.From) != "given" || !english.IsPlural(said)) || r.At(n.From-1).Low != "," && r.At(n.From-1).Low != words.Bullet || r.At(n.From-1).Text == ";" || r.current == nil || len(r.current.Fields) == 0 || n.To < len(r.Tokens) && r.At(n.To).Low != "." && r.At(n.To).Low != ")" && !(r.At(n.To).Low == "," && settings.Is(r.Text, n.To+1)) {
		return
	}
	other := r.ClassAt(n.From-2) == "given" || r.At(n.From-2).Low == "api" // license, docs, tests
	if last := r.current.Fields[len(r.current.Fields)-1].Name; !strings.HasSuffix(last, spelled(r.At(n.From-2))) && !other {
		return
	}
	if r.ClassAt(n.From) != "given" {
		r.Refuse(said)
	}
	r.Leave(said, "taken for a part of the project, and for no field")
}

// endsFields refuses a word that is left out behind a list of fields, and may be one of them as well: room, guest, checkout.
func (r *reader) endsFields(n *grammar.Node) {
	before := r.At(n.From - 1)
	if n.To != n.From+1 || before.Text == ";" || before.Low != "," && before.Low != "and" || r.current == nil || len(r.current.Fields) == 0 || r.Is("feature-alone", r.At(n.From).Low) || r.exact(r.At(n.From).Low) != nil {
		return
	}
	if last := r.current.Fields[len(r.current.Fields)-1].Name; strings.HasSuffix(last, spelled(r.At(n.From-2))) {
		r.Refuse(r.said(n.From, n.To))
	}
}

// guard takes who needs a token; a token is asked for by every request, whoever makes it.
func (r *reader) guard(n *grammar.Node) {
	r.Auth = "token"
	if r.Any("changes", n.From, n.To) || r.At(n.From).Low == "only" {
		r.Leave(r.said(n.From, n.To), "a token is asked for by every request")
	}
}

// lasts takes whether records are to outlive a restart.
func (r *reader) lasts(n *grammar.Node) {
	stays, denied := r.Any("stays", n.From, n.To), r.Any("never", n.From, n.To)
	switch {
	case stays != denied:
		r.durable = n
	case stays || r.Any("fine", n.From, n.To): // need not survive, may be lost
		r.Leave(r.said(n.From, n.To), "records live in memory")
	default: // they are lost now
		r.Refuse(r.said(n.From, n.To))
	}
}

// outlive puts records into a file that are to outlive a restart where nothing else keeps them.
func (r *reader) outlive() {
	memory := r.Any("memory", 0, len(r.Tokens))
	switch {
	case r.durable == nil:
	case memory && (r.Database == project.None || r.Database == ""):
		r.Refuse(r.said(r.durable.From, r.durable.To))
	case r.Database == "", r.Database == project.None, r.Database == project.AnyDatabase:
		r.Database = project.File
	}
}

// either takes one of several languages or tokens that are all right: Go if it is among them, else the first.
func (r *reader) either(n *grammar.Node) {
	said := r.said(n.From, n.To)
	var all []string
	for i := n.From; i < n.To; i++ {
		one := r.Vocabulary[r.At(i).Low]
		switch m, k := r.Phrase(i); {
		case one.Class == "language": // the go of a go module as well
			all = slices.Compact(append(all, one.Value))
		case m.Class == "heart": // fastapi or just python
			r.Leave(r.said(i, i+k), m.Value)
		}
	}
	if len(all) == 0 {
		r.Auth = "token"
		if strings.Contains(said, "jwt") || strings.Contains(said, "basic") {
			r.Leave(said, "a token is sent as Authorization: Bearer")
		}
		return
	}
	if r.At(n.From).Low == "language" && r.At(n.From-1).Low == "," && len(all) > 1 && r.current != nil && len(r.current.Fields) > 0 { // title, language go or python
		r.Refuse(said + ": a field, or the project?")
	}
	chosen := all[0]
	if slices.Contains(all, project.Go) {
		chosen = project.Go
	}
	if r.Language != "" && r.Language != chosen {
		r.Hearts = append(r.Hearts, settings.Omission{What: "two languages"})
	}
	if r.Language = chosen; len(all) > 1 {
		r.Leave(said, "a project has one language: "+chosen)
	}
}

// aside is what was told beside of a thing, as it is said to be left out.
type aside struct {
	*grammar.Node
	of   *Thing
	said string
}

// background leaves out who asks, and what for; where that asks for more than a project does, it says so.
func (r *reader) background(n *grammar.Node) {
	from, why := n.From, settings.Background
	switch {
	case n.Name == "place" && r.Any("database-word", from, n.To): // save in a database called fishery
		r.Refuse(r.said(from, n.To))
	case n.Name == "place" && r.terminals["told-amount"](r, from+1) != nil: // a title on a date
		r.Refuse(r.said(from, n.To))
	case n.Name == "owner", n.Name == "occasion":
		from = r.After(from, "a", "an", "the", "my", "our", "his", "her", "their")
	case n.Name == "who" && (r.At(from).Low == "sorted" || r.At(from).Low == "ordered" && r.Is("field", r.At(n.To-1).Low)): // songs sorted by title
		r.Leave(r.said(from, n.To), "sorting")
		return
	case n.Name == "why" && r.At(from).Low == "so":
		why = cmp.Or(r.beyond(from, n.To), why)
	}
	r.Leave(r.said(from, n.To), why)
	r.asides = append(r.asides, aside{n, r.current, r.said(from, n.To)})
}

// aside looks at what was left out as background where it names what is kept: what things are of or by, and who does something with
// them, must be told elsewhere as well, and a heading that is told below is no background. Nobody knows what belongs together in
// songs in playlists.
func (r *reader) aside() {
	for _, p := range r.ofSame {
		if slices.Contains(r.Things, p.one) && !r.related(p.one, p.other) {
			r.Refuse(p.one.said)
		}
	}
	for _, a := range r.asides {
		last := r.At(a.To - 1).Low
		other, of := r.find(last), a.of
		if a.Name == "users" {
			of = r.next(a.To)
		}
		each := r.Is("for-all", r.At(a.From+1).Low)
		switch told := slices.Contains(r.Things, of); {
		case r.untold(a):
			r.Refuse(a.said)
		case (a.Name == "detail" || a.Name == "heart") && a.To == a.From+1 && other != nil: // members and payments
			r.unlist(a.said)
		case a.Name == "owner" && r.At(a.To).Low == "with" && (r.ofItself(r.next(a.To)) || r.gathered(a.To)): // feedback with sentiments: text, sentiment
			r.Refuse(a.said)
		case !r.Is("names-things", a.Name) && !(a.Name == "why" && r.At(a.From+1).Low == "is"):
		case other == nil:
			if a.Name == "topic" && !r.heads(last, r.At(a.To).Low == "with") || a.Name == "who" && told && len(r.Things) > 1 && r.anybody(a) {
				r.Refuse(a.said)
			}
		case a.Name == "why", (r.Is("where-at", r.At(a.From).Low) || a.Name == "runs" || each) && r.exact(last) != nil,
			(a.Name == "who" || a.Name == "users") && told && of != other && !r.related(of, other):
			r.Refuse(a.said)
		case a.Name != "users":
			r.unlist(a.said)
		}
	}
}

// ofOthers takes what things are of that is named but behind them, as several: comments on posts, grades of students in courses. Where
// a field tells it, or nothing is of just one of them, it is but said: complaints from tenants, with a tenant name. Of the rest nobody
// knows whether records are kept.
func (r *reader) ofOthers() {
	var taken []*grammar.Node
	told := len(r.Things)
	for _, a := range r.asides {
		from := a.From
		if !r.Is("tells-of-what", r.At(from).Low) && r.done(r.At(from).Low) {
			from++
		}
		name := english.Singular(r.nameOf(from+1, a.To))
		bare, other := r.bareOnes(a, from), r.exact(name)
		switch {
		case r.command || !bare && !r.Is("sorts-by", r.At(a.From).Low) || !slices.Contains(r.Things, a.of) || other == nil && r.find(name) != nil || r.tells(a.of, from, name):
		case other != nil && (r.related(a.of, other) || !r.Is("of-one-each", english.Singular(r.At(a.From-1).Low))):
		case r.Is("sorts-by", r.At(a.From).Low) && r.At(from).Low == "by" && a.To == from+2 && !bare: // grouped by album
			r.current = a.of
			r.add(said{name: []string{name}})
			r.unlist(a.said)
		case bare && r.ofOneEach(a.of, from, name) && (other != nil && told < 3 || told == 1): // but not pieces, and loans to singers
			if other == nil {
				other = &Thing{Name: name, said: r.said(from+1, a.To), at: from + 1}
				r.Things = append(r.Things, other)
			}
			r.unlist(a.said)
			taken = append(taken, a.Node)
			a.of.belongs(other)
		default:
			r.Refuse(a.said)
		}
	}
	r.asides = slices.DeleteFunc(r.asides, func(a aside) bool { return slices.Contains(taken, a.Node) })
}

// bareOnes says whether a clause behind the name of a thing is nothing but what it is of, as several: on posts; but not in my
// albums, nor for two weeks.
func (r *reader) bareOnes(a aside, from int) bool {
	if a.Name != "who" && a.Name != "place" || a.of == nil || !r.Is("tells-of-what", r.At(from).Low) || r.Is("time-unit", english.Singular(r.At(a.To-1).Low)) {
		return false
	}
	_, last := cutLast(a.of.Name)
	behind := english.Singular(r.At(a.From-1).Low) == last || slices.ContainsFunc(r.asides, func(b aside) bool { return b.of == a.of && b.To == a.From })
	return behind && slices.ContainsFunc(r.names("plural", from+1, 4), func(m grammar.Match) bool { return m.To == a.To })
}

// tells says whether a thing has a field that tells of what it is, or is for somebody, or somewhere.
func (r *reader) tells(t *Thing, from int, name string) bool {
	_, last := cutLast(name)
	_, what := cutLast(t.Name)
	prep := r.At(from).Low
	people := r.Is("has-phone", last) || english.HasSuffix(last, "er", "or", "ist", "ian")
	if r.Is("anybody-else", last) || r.Is("one-idea", what+" "+prep+" "+last) || prep == "of" && r.Is("holder", what) { // books by women, minutes of meetings, boxes of books
		return true
	}
	if wide := strings.Contains(name, "_") && !r.Is("of-one-each", what); wide { // letters to record labels
		return true
	}
	if prep == "for" && (r.Is("keeper", last) || people && t.field("title") != nil || !r.Is("of-one-each", what) && !r.Is("has-phone", last)) { // invoices for freelancers, tests for students, food for dogs
		return true
	}
	return slices.ContainsFunc(t.Fields, func(f Field) bool {
		_, end := cutLast(f.Name)
		return strings.HasPrefix(f.Name, last) || strings.HasPrefix(f.Name, name) || r.Is("where-at", prep) && r.Is("stands-at", end) || people && (r.Is("above", f.Name) || r.Is("has-phone", f.Name)) && r.Is("by-whom", prep)
	})
}

// ofOneEach says whether each thing is of one of what stands behind it, and what is told is its own: pets of customers, rooms in
// hotels; but not reviews of films: title, rating.
func (r *reader) ofOneEach(t *Thing, from int, name string) bool {
	_, last := cutLast(name)
	_, what := cutLast(t.Name)
	holds := r.Is("holder", last) || r.isPlace(last)
	named := t.field("name") != nil || t.field("title") != nil
	switch prep := r.At(from).Low; {
	case r.Is("of-several", last), r.Is("shares-its", last) && r.Is("shared-by", what), r.Is("nameless", what) && named, named && r.Is("field", what), prep == "between" || prep == "against":
		return false
	case r.Is("of-one-each", what):
		return true
	case prep == "of":
		return holds || r.Is("has-phone", last)
	default:
		return holds && r.Is("where-at", prep)
	}
}

// untold says whether a clause tells of two things of which nothing else tells how they belong together: and it's given to a
// translator by a client.
func (r *reader) untold(a aside) bool {
	if a.Name == "owner" || a.Name == "topic" || a.Name == "repeated" {
		return false
	}
	var before *Thing
	for i, at := a.From, 0; i < a.To; i++ {
		t := r.exact(r.At(i).Low)
		if r.Is("stands-for", r.At(i).Low) && a.Name != "story" && slices.Contains(r.Things, a.of) {
			t = a.of
		}
		if t == nil {
			continue
		}
		if before != nil && at < i-1 && t != before && !r.related(before, t) {
			return true
		}
		before, at = t, i
	}
	return false
}

// heads says whether what is kept may be told below the name of several others that are not: for shops, for hairdressers;
// but hotels with rooms are kept.
func (r *reader) heads(last string, having bool) bool {
	one := english.Singular(last)
	part := func(t *Thing) bool { return len(t.Name) > 3 && strings.HasSuffix(one, t.Name) } // flashcards: cards
	if r.Is("of-one-each", one) || r.Is("has", one) {                                        // orders: customer (name), items (product)
		return false
	}
	place := r.isPlace(one) || r.Is("business", one) || r.Is("keeper", one) || english.HasSuffix(last, "ers", "ors", "ists", "ians", "ics")
	return place && !having || slices.ContainsFunc(r.Things, part)
}

// anybody says whether a clause tells of whom or what each of several things is, of which nothing is kept: loans to singers.
func (r *reader) anybody(a aside) bool {
	one := english.Singular(r.At(a.To - 1).Low)
	held := func(f Field) bool { return strings.HasPrefix(f.Name, one) }
	return a.To == a.From+2 && one != r.At(a.To-1).Low && !r.Is("where-at", r.At(a.From).Low) && !slices.ContainsFunc(a.of.Fields, held)
}

// unlist takes back that something is left out, as it is kept.
func (r *reader) unlist(said string) {
	r.Left = slices.DeleteFunc(r.Left, func(o settings.Omission) bool { return o.What == said })
}

// ofItself says whether a thing has a field that is called as the thing is, so that the list may be of something else.
func (r *reader) ofItself(t *Thing) bool { return t != nil && t.field(t.Name) != nil }

// gathered says whether a collection ends at a place of which only parts are kept: a recipe collection with steps.
func (r *reader) gathered(to int) bool {
	what, part := r.At(to-2).Low, r.next(to)
	return part != nil && r.Is("inner", part.Name) && r.Is("gathers", r.At(to-1).Low) && r.open(to-2, false) > 0 && !r.isPlace(what) && !r.Is("business", what) && r.find(what) == nil
}

// next gives the thing that is named next behind a place.
func (r *reader) next(at int) (found *Thing) {
	for _, t := range r.Things {
		if t.at >= at && (found == nil || t.at < found.at) {
			found = t
		}
	}
	return found
}

// related says whether it was told how two things belong together, maybe by way of others.
func (r *reader) related(one, other *Thing) bool {
	refers := func(t *Thing, to *Thing) bool {
		return r.leadsTo(t, to, map[*Thing]bool{}) || slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Ref == to.Name })
	}
	return refers(one, other) || refers(other, one) || slices.ContainsFunc(r.Things, func(t *Thing) bool { return refers(t, one) && refers(t, other) })
}

// beyond says why a clause is left out that holds a word for more than a project does, or nothing.
func (r *reader) beyond(from, to int) (why string) {
	if r.unparted(strings.Fields(r.said(from, to))) { // email status change date
		return ""
	}
	for k, n := from, 0; k < to; k += max(n, 1) {
		var m glossary.Meaning
		m, n = r.Phrase(k)
		named := r.Is("also-name", r.Words(k, n))
		switch {
		case m.Class == "heart" && !r.soft(m.Value) && !named, m.Class == "kind" && m.Value != project.API, m.Class == "language":
			return ""
		case why != "" || named:
		case m.Class == "detail" && m.Value != "dates" && m.Value != "unique values", m.Class == "heart":
			why = m.Value
		case r.Is("does-more", r.At(k).Low) && !r.At(k).Mark:
			why = "more than keeping records"
		}
	}
	return why
}

// tellsMore says whether a clause that is left out tells what records hold, or what they are of: loans should have a due date.
func (r *reader) tellsMore(from, to int) bool {
	first := r.After(from, "and", "also", "plus", "a", "the", "list")
	if first = r.After(first, "of"); r.At(from).Low != r.At(first).Low && english.IsPlural(r.At(first+1).Low) { // and a list of club officers with role
		first++
	}
	things := english.IsPlural(r.At(first).Low) && r.class(first) == "" // orders from customers with a total
	for i := from; i < to; i++ {
		low, next := r.At(i).Low, r.At(i+1).Low
		if things && low == "with" && r.Is("field", r.At(r.After(i+1, "a", "an", "the")).Low) {
			return true
		}
		if r.Is("for-all", low) && next == "with" || i > from && low != "own" && r.Is("owns", low) && next != "to" || r.ClassAt(i) == "relation" || i > from+1 && r.Is("indefinite", r.At(i-1).Low) && r.find(low) != nil {
			return true
		}
	}
	return r.At(to).Low == ":" && r.At(to-2).Low == "with" && to-2 > from // a queue with jobs: file, status
}

// soft says whether what cannot be had can be left out of a project that keeps records.
func (r *reader) soft(why string) bool {
	_, last, _ := strings.Cut(why, ", ")
	return r.Is("soft-heart", why) || r.Is("soft-heart", last)
}

// leaveOut leaves a clause out of a project that keeps records.
func (r *reader) leaveOut(n *grammar.Node, why string) {
	if len(r.Things) > 0 {
		r.leave(n, why)
	} else {
		r.notUnderstood(n.To-1, r.said(n.From, n.To))
	}
}

// leave leaves a clause out, as long as it tells of nothing that is kept.
func (r *reader) leave(n *grammar.Node, why string) {
	if r.tellsMore(n.From, n.To) {
		r.Refuse(r.said(n.From, n.To))
	}
	r.Leave(r.said(n.From, n.To), why)
	r.asides = append(r.asides, aside{n, r.current, r.said(n.From, n.To)})
}
