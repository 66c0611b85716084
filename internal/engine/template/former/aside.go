package former

import (
	"slices"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// aside reads what stands in brackets behind nothing that it could define.
func (r *reader) aside(i, to int) int {
	end := r.Closes(i)
	if end < 0 || end > to {
		return i + 1
	}
	began := r.clause
	if r.byTheWay(i+1, end) {
		r.Leave(r.text(i+1, end), settings.Background)
		return end + 1
	}
	if r.open != nil && !settings.Is(r.Text, i+1) { // behind an item that was not understood
		r.Refuse(r.text(i, end))
		return end + 1
	}
	if r.Length(i+1, "unreal") > 0 { // (not real patients)
		r.Leave(r.text(i+1, end), settings.Background)
		return end + 1
	}
	if lines := r.lines(i+1, end); len(lines) > 0 {
		l, others := r.fieldLines(lines)
		if t := r.soleThing(); t != nil && len(l.items) > 0 && len(l.unknown) == 0 && l.things == nil && !r.nested(i+1, end) && 2*r.like(l) >= len(l.items) {
			r.current = t
			r.fields(l)
			for _, each := range others {
				r.sentence(each[0], each[1])
			}
			return end + 1
		}
		r.eachLine(i+1, end)
		return end + 1
	}
	if l := r.list(i+1, end, true); l.things != nil && (r.soleThing() == nil || r.soleThing().weak) {
		r.enumerate(l.things)
		return end + 1
	}
	if l := r.list(i+1, end, true); len(l.items) > 1 && 2*r.like(l) >= len(l.items) && r.nounEnd != i && !r.Is("before-fields", r.class(i-1)) { // of what?
		r.Refuse(r.text(i, end))
		return end + 1
	}
	r.sentence(i+1, end)
	r.clause = began
	return end + 1
}

// byTheWay says whether brackets only hold how many there are of something, or what is not meant: (3 employees).
func (r *reader) byTheWay(from, to int) bool {
	t := r.At(from)
	counted := words.FigureLike.MatchString(t.Raw) && to == from+2 && english.IsPlural(r.At(from+1).Low) && r.class(from+1) == ""
	like := r.Is("anybody", t.Low) && english.HasSuffix(r.text(from, to), " and so on", " and such", " and the like", " etc") // (people borrow drills and so on)
	return !r.asksElse(from, to) && (counted || like || t.Low == "not" && to <= from+4 && r.Is("real", r.At(from+1).Low)) && len(r.items) == 0
}

// label reads a word before a colon that only says what kind of thing follows.
func (r *reader) label(i, to int) int {
	n := max(r.Length(i, "heading"), r.Length(i, "label"))
	at := i + n
	if one, ok := r.noun(at + 1); n > 0 && ok && r.Is("names-thing", r.Words(i, n)) && r.Is("type", one.last()) { // table: text
		return i
	}
	defined := !r.Is("label", r.Words(i, n)) && r.typedOf(r.list(at+1, to, false)) > 0 // task: title string
	switch {
	case n == 0 || !r.begins(i) || r.tried(i) > i || defined || n == 1 && r.another(i):
		return i
	case r.At(at).Low == "(" && plaintext.IsCapital(r.At(i).Text) && r.lines(at+1, max(at+1, r.Closes(at))) == nil: // Project (name, budget)
		return i
	case r.At(at).Low == ":":
		one, ok := r.noun(at + 1)
		if l := r.list(at+1, to, false); r.Is("names-thing", r.Words(i, n)) && len(l.items) > 1 && 2*r.holds(l) >= len(l.items) && r.class(i) == "container" { // table: number, seats
			return i
		}
		if ok && r.Is("names-thing", r.Words(i, n)) && r.At(one.to).Low == "(" { // record: runner (name)
			r.clause = at + 1
			return at + 1
		}
		if ok && r.class(i) == "kind" && r.At(one.to).Low == "." && i == 0 { // API: ski rental. items (size)
			r.thing(one).alone = true
			return one.to
		}
		if ok && r.Is("names-thing", r.Words(i, n)) && r.Ends(one.to) && (r.At(one.to).Low != "," || r.ClassAt(one.to+1) == "fields") && !r.Is("type", one.last()) { // entity: Comet, with fields
			r.thing(one).weak = false
			return one.to
		}
		r.clause = at + 1
		return at + 1
	case r.At(at).Low == "(":
		return r.aside(at, to)
	}
	return i
}

// imperative passes over a verb that asks for what follows, at the beginning of a sentence.
func (r *reader) imperative(i, _ int) int {
	if before := r.At(i - 1); r.Is("imperative", r.At(i).Low) && (i == 0 || before.Mark && before.Low == "." || r.Is("polite", before.Low) && r.class(i+1) == "kind") && !r.Ends(i+1) {
		return i + 1
	}
	n, ok := r.noun(i + 1)
	if r.At(i).Low == "have" && r.At(i-1).Low == "," && ok && n.many() && (r.At(n.to).Low == "with" || r.At(n.to).Low == "(") && r.itShould(i) { // it should be in Go, have departures with
		return i + 1
	}
	if starts := i == 0 || r.At(i-1).Mark && r.At(i-1).Low == "."; starts && r.Is("keep-verb", r.At(i).Low) && ok && n.many() && r.At(n.to).Low == "with" && !r.Is("logged", n.words[0]) { // log contacts with a name
		return i + 1
	}
	return i
}

// itShould says whether the sentence that holds a place begins with what the project is to be.
func (r *reader) itShould(i int) bool {
	for i > 0 && !(r.At(i-1).Mark && r.At(i-1).Low == ".") {
		i--
	}
	return r.Is("others-of", r.At(i).Low) && r.Length(i+1, "obliges") > 0
}

// nothing passes over words that ask for the project and say no more.
func (r *reader) nothing(i int) int {
	m, n := r.Phrase(i)
	if alone := r.begins(i) && r.Ends(i+n); alone && r.inList(i) && !r.Is("polite", r.At(i).Low) && !r.Is("thanks", r.At(i).Low) && m.Class != "join" {
		return i
	}
	if next := r.At(i + 1).Low; r.At(i).Low == "so" && (next == "is" || next == "are" || next == "does") { // and so is the name
		return i
	}
	if r.Is("says-something", r.Words(i, n)) || r.At(i).Low == "or" || r.Is("points-back", r.At(i).Low) && len(r.Things) > 0 { // clubs whose members
		return i
	}
	if low := r.At(i).Low; i == r.clause && r.current != nil && (r.At(i-1).Low == ":" || r.At(i-1).Low == ",") && (r.Is("item-too", low) || r.Is("field", low)) && !r.Ends(i+n) && n == 1 {
		return i // make/model: what is it?
	}
	if r.At(i).Low == "necessary" && r.Ends(i+1) && (r.At(i-2).Low == "no" || r.At(i-3).Low == "no") { // no login necessary
		return i + 1
	}
	switch m.Class {
	case "join":
		r.clause = i + n
		return i + n
	case "kind", "stop", "container", "place", "to", "adding":
		if listed := len(r.Things) > 0 && r.At(i+n).Low == ","; m.Class == "kind" && m.Value == project.Site && listed { // build site, build year
			return i
		}
		return i + n
	case "things", "fields":
		if r.Is("idle", r.Words(i, n)) {
			return i + n
		}
	}
	if n := r.Length(i, "farewell"); n > 0 {
		end := r.NextMark(i)
		if name := r.NextMark(end + 1); r.At(end).Low == "," && plaintext.IsCapital(r.At(end+1).Text) && name <= end+3 { // kind regards, Gerald
			return name
		}
		return end
	}
	return i
}

// inList says whether a comma before a place parts it from what a record holds.
func (r *reader) inList(i int) bool {
	begin := i
	for begin > 0 && !(r.At(begin-1).Mark && r.At(begin-1).Low == ".") {
		begin--
	}
	told := slices.ContainsFunc(r.items, func(s span) bool { return s.from >= begin })
	return i > 0 && told && r.current != nil && len(r.current.Fields) > 0 && r.At(i-1).Low == ","
}

// fieldLines reads lines as one list of fields, but for those that set something of the project.
func (r *reader) fieldLines(lines [][2]int) (l list, others [][2]int) {
	defer func(before bool) { r.typedLines = before }(r.typedLines)
	r.typedLines = r.types(lines[0][0], lines[len(lines)-1][1]) > 1
	for _, line := range lines {
		if at := r.skip(line[0]); settings.Is(r.Text, at) && r.endsList(at) {
			others = append(others, line)
			continue
		}
		one := r.list(line[0], line[1], true)
		if len(one.items) > 1 && one.items[0].colon { // log: bed, note: a field, or a thing?
			one.unknown = append(one.unknown, r.text(line[0], line[1]))
		}
		l.items, l.parents = append(l.items, one.items...), append(l.parents, one.parents...)
		l.unknown, l.end = append(l.unknown, one.unknown...), one.end
	}
	l.things = r.onlyThings(l)
	return l, others
}
