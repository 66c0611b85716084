package former

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
)

// relation reads what belongs to what: an invoice belongs to a customer, a driver has many vehicles.
func (r *reader) relation(i, to int) int {
	all, end := r.nouns(i, to)
	m, k := r.Phrase(end)
	if next, n := r.Phrase(end + 1); len(all) == 1 && r.Is("relative", r.At(end).Low) && next.Class == "relation" { // inspections that belong to a hive
		m, k = next, n+1
	}
	if len(all) > 1 || end >= to || len(all) == 1 && len(all[0].words) == 1 && r.Is("keep-verb", all[0].last()) && r.skip(i) == i { // store for every member
		return i
	}
	if other, ok := r.noun(end + 1); len(all) == 1 && len(all[0].words) == 1 && all[0].many() && r.At(end).Low == "on" && ok && r.find(other.name()) != nil && r.Ends(other.to) { // comments on issues
		m.Class, m.Value, k = "relation", "", 1
	}
	deed := 0
	if len(all) == 1 && m.Class != "relation" {
		if last := len(all[0].words) - 1; last > 0 && r.isThing(strings.Join(all[0].words[:last], "_")) && r.Is("by-what", r.At(end).Low) { // each batch runs on
			all[0].words, all[0].to, end = all[0].words[:last], end-1, end-1
		}
		if deed = r.doneWith(all[0], end, to); deed > 0 {
			m.Class, m.Value, k = "relation", "", deed
		}
	}
	child, last := r.soleThing(), (*Thing)(nil)
	if r.Is("relative", r.At(i-1).Low) && r.nounEnd == i-1 && child == nil { // organs and the stops that belong to each organ
		child, last = r.lastNamed, r.lastNamed
	}
	if len(all) == 1 {
		if m.Class != "relation" || r.fieldWord(all[0].last()) && !all[0].many() && r.find(all[0].name()) == nil {
			return i // temperature for each reading
		}
	} else if m.Class != "relation" || child == nil || !r.begins(i) && !r.Is("relative", r.At(i-1).Low) && !r.Is("someone", r.At(i-1).Low) {
		return i
	}
	others, stop := r.relatives(end+k, to)
	opens := len(all) == 0 && r.At(i).Low == "for" && (i == 0 || r.At(i-1).Low == ".") // For each singer: name, voice
	if len(others) == 0 || opens || child != nil && child == last && r.find(others[0].name()) == nil {
		return i
	}
	if len(all) == 1 {
		child = r.thing(all[0])
	}
	if end := r.Closes(stop); r.At(stop).Low == "(" && end > 0 && end <= to && len(others) == 1 && r.Is("plain-text", r.text(stop+1, end)) { // belongs to a church (just text)
		r.field(child, item{words: others[0].words, kind: values.Text, told: true, from: others[0].from, end: end})
		r.current = child
		return end + 1
	}
	for _, n := range others {
		parent := r.thing(n)
		from, of := child, parent
		shared := m.Value == "many" && r.ofSeveral(from, of, r.Is("may", r.At(end).Low))
		if from != of && (m.Value == "link" || shared || m.Value == "many" && (r.linked(from, of) || r.toldMany(from, of))) { // a dish has many allergens, an allergen is in many dishes
			r.link(from, of)
			r.current = child
			continue
		}
		if m.Value == "many" {
			from, of = parent, child
		}
		if from == of || slices.Contains(of.Parents, from) || deed > 0 && slices.Contains(from.Parents, of) && from.implied != of { // sent by one customer, paid by one customer
			r.Refuse(r.text(i, stop))
			return stop
		}
		if from.implied != nil {
			from.Parents, from.implied = slices.DeleteFunc(from.Parents, func(p *Thing) bool { return p == from.implied }), nil
		}
		if !slices.Contains(from.Parents, of) {
			from.Parents = append(from.Parents, of)
		}
		if m.Value == "many" {
			r.manys = append(r.manys, pair{of, from})
		}
		from.weak, of.weak = false, false
		r.current = child
	}
	if at := r.After(stop, ",", "."); m.Value == "many" && (r.At(at).Low == "with" || r.Length(at, "each-with") > 0) { // each hive has many inspections, with a date
		r.current = r.thing(others[len(others)-1])
		if again := r.outerAgain(at, to); again > 0 {
			r.Refuse(r.text(again, r.EndOf(again)))
		}
		return stop
	}
	if m.Value == "many" && r.At(stop).Low == ":" { // a recipe has many ingredients: material and percentage
		l := r.list(stop+1, to, false)
		if len(l.items) == 0 || len(others) > 1 {
			return stop
		}
		r.current = r.thing(others[0])
		r.open = r.current
		r.fields(l)
		return l.end
	}
	if end := r.Closes(stop); r.At(stop).Low == "(" && end > 0 && end <= to && m.Value == "many" { // has many products (name, price)
		r.current = r.thing(others[len(others)-1])
		r.fields(r.list(stop+1, end, true))
		r.current = child
		if next, ok := r.noun(r.After(end+1, "and", ",")); ok && r.At(next.to).Low == "(" && r.After(end+1, "and", ",") > end+1 { // and employees (name): of the same?
			r.Refuse(r.text(next.from, next.to))
		}
		return end + 1
	} else if parent := r.find(others[0].name()); r.At(stop).Low == "(" && end > 0 && end <= to && len(all) == 1 && r.Is("relative", r.At(all[0].to).Low) && len(others) == 1 && parent != nil && parent.closed && len(child.Fields) == 0 { // laundromats (name), machines that belong to a laundromat (number)
		r.current, child.closed, child.born = child, true, true
		r.fields(r.list(stop+1, end, true))
		return end + 1
	} else if parent != nil && r.At(stop).Low == "(" && end > 0 && end <= to && len(others) == 1 && len(parent.Fields) == 0 && len(child.Fields) > 0 && m.Value == "" { // each claim belongs to an employee (name, email)
		r.current, parent.closed, parent.born = parent, true, true
		r.fields(r.list(stop+1, end, true))
		r.current = child
		return end + 1
	} else if r.At(stop).Low == "(" { // of which of both?
		r.Refuse(r.text(stop, max(stop, end)))
		return max(stop+1, end+1)
	}
	return stop
}

// ofSeveral says whether things that another has many of have many of it as well: a book can have several authors, but not: a
// publisher has many authors.
func (r *reader) ofSeveral(one, many *Thing, may bool) bool {
	return (r.Is("of-several", many.Name) || may && r.Is("of-several-too", many.Name)) && !r.isPlace(one.Name) && !r.Is("above", one.Name)
}

// outerAgain gives the place of what may be of the thing outside of a list again, or none: many pupils, each with a name and an
// age, and a teacher.
func (r *reader) outerAgain(i, to int) int {
	commas, ands, depth := 0, 0, 0
	for k := i; k < to && !(r.At(k).Mark && r.At(k).Low == "."); k++ {
		switch t := r.At(k); {
		case t.Mark && t.Low == "(":
			depth++
		case t.Mark && t.Low == ")":
			depth--
		case depth > 0:
		case t.Mark && t.Low == "," && r.joins(k+1) && (ands > 0 || commas == 0) && !r.endsList(k+2):
			return k + 2
		case t.Mark && t.Low == ",":
			commas++
		case r.joins(k) && ands > 0 && commas == 0 && r.Is("indefinite", r.At(k+1).Low): // many rooms with a number and a price and a manager
			return k + 1
		case r.joins(k):
			ands++
		}
	}
	return 0
}

// toldMany says whether it was told before that the second of two things has many of the first.
func (r *reader) toldMany(many, has *Thing) bool {
	return slices.Contains(r.manys, pair{has, many}) && slices.Contains(many.Parents, has)
}

// relatives reads the names of what something belongs to.
func (r *reader) relatives(i, to int) (all []noun, end int) {
	for end = i; i < to; {
		if at := r.After(i, "to"); r.Is("many", r.At(at).Low) && !r.At(at).Mark && !english.HasSuffix(r.Words(max(0, i-2), min(2, i)), "many", "several") { // a doctor works in several clinics
			return nil, i
		}
		n, ok := r.noun(r.After(i, "to", "many", "several", "multiple"))
		if !ok || n.to > to {
			return all, end
		}
		if r.fieldWord(n.last()) && !n.many() && !r.isThing(strings.Join(n.words, "_")) { // links a student name to a course
			return nil, i
		}
		us := r.joins(n.to) && r.Is("ourselves", r.At(n.to+1).Low) // between an author and us
		if us {
			r.Leave(r.text(n.to, n.to+2), settings.Background)
			n.to += 2
		}
		all, end = append(all, n), n.to
		next := r.After(n.to, "and", ",", "to")
		if next == n.to && len(all) == 1 && !n.many() { // connect a student with a course, but not: has several exercises with a question
			next = r.After(n.to, "with")
		}
		if other, ok := r.noun(n.to + 1); next == n.to && slices.Contains([]string{"for", "by", "to"}, r.At(n.to).Low) && r.skip(n.to+1) > n.to+1 && ok && (us || r.isThing(other.name())) && other.name() != n.name() { // is made by one member for one tool
			next = n.to + 1
		}
		if next == n.to || r.At(n.to).Text == ";" || r.skip(next) == next && r.At(next-1).Low != "to" {
			return all, end
		}
		following, ok := r.noun(r.After(next, "to"))
		if class := r.ClassAt(following.to); !ok || r.Is("owns", r.At(following.to).Low) || class == "relation" || class == "fields" && r.At(following.to).Low != "with" {
			return all, end
		}
		if r.fieldWord(following.last()) && r.find(following.name()) == nil { // has many coins and a name
			return all, end
		}
		i = next
	}
	return all, end
}
