package former

import (
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
)

// tale gives the place behind a clause that tells of people and what they do beside the project, and asks for nothing.
func (r *reader) tale(i, to int) int {
	if r.tellsMore(i, r.NextMark(i)) {
		return i
	}
	for _, end := range []int{r.asWho(i, to), r.lessons(i, to), r.theyWill(i, to), r.fronted(i, to), r.plugs(i, to), r.wasIn(i), r.soOthers(i, to), r.ofStudies(i), r.doneBy(i, to), r.partOf(i, to), r.soleUser(i)} {
		if end > i {
			return end
		}
	}
	return i
}

// asWho gives the place behind as what, or as part of what, somebody asks: as the operations team we need.
func (r *reader) asWho(i, to int) int {
	if r.At(i).Low != "as" || !r.begins(i) || !r.Is("determiner", r.At(i+1).Low) && (r.At(i+1).Low != "part" || r.At(i+2).Low != "of") {
		return i
	}
	for at := i + 3; at < min(i+14, to); at++ {
		if r.At(at).Low == "with" || r.Is("relative", r.At(at).Low) { // as a vet who needs the weight
			return i
		}
		if t := r.At(at); t.Mark && t.Low != "," || t.Mark && r.Length(at+1, "narrator") == 0 {
			return i
		}
		if k := r.Length(at, "narrator"); k > 0 && r.Is("wish", r.At(at+k).Low) && !r.asksElse(i+1, at) {
			return at
		}
	}
	return i
}

// lessons gives the place behind what somebody wants others to learn: would like my pupils to practise sending requests.
func (r *reader) lessons(i, to int) int {
	at := i + r.Length(i, "narrator")
	k := r.Length(at, "wants")
	n, ok := r.noun(at + k)
	if w := r.Length(at, "wants-to"); at > i && w > 0 && r.begins(i) && r.Is("learns", r.At(at+w).Low) { // I want to practise writing API tests
		if end := r.clauseAt(at+w, to); !r.demands(at+w+1, end, true) {
			return r.untold(i, end, to)
		}
	}
	if k == 0 || !r.begins(i) || !ok || !r.Is("own", r.At(at+k).Low) || r.At(n.to).Low != "to" || !r.Is("learns", r.At(n.to+1).Low) {
		return i
	}
	end := r.clauseAt(n.to, to)
	for k := n.to; k < end; k++ {
		if m, _ := r.Phrase(k); m.Class == "heart" && !r.soft(m.Value) { // to try it in the browser
			return i
		}
	}
	return r.untold(i, end, to)
}

// theyWill gives the place behind who is going to use the project, and how: students will enter data from their phones.
func (r *reader) theyWill(i, to int) int {
	n, ok := r.noun(i)
	if !ok || i > 0 && !(r.At(i-1).Mark && r.At(i-1).Low == ".") || !n.many() || r.isThing(n.name()) || r.At(n.to).Low != "will" || !r.Is("enters", r.At(n.to+1).Low) && !r.Is("using", r.At(n.to+1).Low) {
		return i
	}
	end := r.remarkEnd(n.to, to)
	if r.asksElse(n.to+1, end) || end < to && r.At(end).Low == "," && r.At(end+1).Low != "so" && r.At(end+1).Low != "but" {
		return i
	}
	return r.untold(i, end, to)
}

// fronted gives the place behind what the project stands behind: it will be put behind nginx.
func (r *reader) fronted(i, to int) int {
	first := i
	if r.Is("parts-clause", r.At(i).Low) {
		first++
	}
	if !r.Is("runner", r.At(first).Low) || first == i && !r.begins(i) {
		return i
	}
	for k := first; k < min(first+7, r.remarkEnd(first, to)); k++ {
		at := r.After(k+1, "a", "an", "the", "our", "my")
		if n := r.Length(at, "front-server"); r.At(k).Low == "behind" && n > 0 && !r.asksElse(first, k) && (r.Ends(at+n) || r.Is("parts-clause", r.At(at+n).Low)) {
			return at + n
		}
	}
	return i
}

// plugs gives the place behind who is to call the project: an API our web guy can plug into.
func (r *reader) plugs(i, to int) int {
	end := min(r.NextMark(i), to)
	if !r.Is("own", r.At(i).Low) && r.Length(i, "narrator") == 0 || r.class(i-1) != "kind" || end > i+9 {
		return i
	}
	for k := i + 1; k < end; k++ {
		n := r.Length(k+1, "plugs-into")
		behind := k + 1 + n
		if m, script := r.Phrase(r.skip(behind + 1)); r.At(behind).Low == "from" && (r.Is("caller", r.At(r.skip(behind+1)).Low) || m.Value == project.Command) { // call from a script
			behind = r.skip(behind+1) + max(script, 1)
		}
		behind += r.Length(behind, "would-do")
		if r.At(k).Low == "can" && n > 0 && behind == end && !r.asksElse(i, k) {
			return end
		}
	}
	return i
}

// wasIn gives the place behind where records were so far, and are no longer to be: instead of in a text file.
func (r *reader) wasIn(i int) int {
	k := r.Length(i, "instead-of")
	at := r.skip(r.After(i+k, "in", "on", "with", "using", "keeping", "it", "them", "having"))
	n := r.Length(at, "used-now")
	if k == 0 || n == 0 || !r.Ends(at+n) || r.At(at+n).Low == "(" || r.At(at+n).Low == ":" {
		return i
	}
	return at + n
}

// soOthers gives the place behind what others are to learn of a project: so the next person understands how to run it.
func (r *reader) soOthers(i, to int) int {
	k := r.Length(i+1, "others-who")
	if at := i + 1 + k; r.At(i).Low != "so" || k == 0 || !r.Is("understands", r.At(at).Low) && !(r.At(at).Low == "can" && r.Is("understands", r.At(at+1).Low)) {
		return i
	}
	return min(r.NextMark(i), to)
}

// ofStudies gives the place behind the studies that somebody needs the project for: for our distributed systems course.
func (r *reader) ofStudies(i int) int {
	if _, ok := r.noun(i + 1); r.At(i).Low != "for" || !r.Is("own", r.At(i+1).Low) || ok {
		return i
	}
	for end := i + 4; end < i+7 && !r.At(end-1).Mark; end++ {
		if mark := r.At(end).Low; r.Is("studies", r.At(end-1).Low) && r.Ends(end) && mark != "(" && mark != ":" {
			return end
		}
	}
	return i
}

// doneBy gives the place behind what people do with records, where what is needed for it follows: sightings can be verified
// by us, so there needs to be a flag.
func (r *reader) doneBy(i, to int) int {
	n, ok := r.noun(i)
	t := r.find(n.name())
	if !ok || t == nil || !r.begins(i) || r.At(n.to).Low != "can" || r.At(n.to+1).Low != "be" || !r.done(r.At(n.to+2).Low) || r.At(n.to+3).Low != "by" {
		return i
	}
	end := r.remarkEnd(n.to+3, to)
	if so := r.After(end, ","); r.At(so).Low != "so" || r.Length(so+1, "there-must-be") == 0 || r.asksElse(n.to+3, end) {
		return i
	}
	r.current = t
	return end
}

// partOf gives the place behind what somebody makes of which this is a part, where records are told of elsewhere: I'm writing
// the backend of a citizen science project.
func (r *reader) partOf(i, to int) int {
	at := i + r.Length(i, "narrator")
	if at == i || i > 0 && !(r.At(i-1).Mark && r.At(i-1).Low == ".") || !r.Is("making", r.At(at).Low) || r.At(at+1).Low != "the" || len(r.heads) == 0 {
		return i
	}
	m, n := r.Phrase(at + 2)
	for k := at + 2 + n; k < to; k++ {
		if c := r.ClassAt(k); r.At(k).Mark || c == "fields" || c == "language" || c == "database" {
			return i
		}
	}
	if m.Class != "kind" || r.At(at+2+n).Low != "of" {
		return i
	}
	return to
}

// soleUser gives the place behind how many use a project, where it is one: one user only.
func (r *reader) soleUser(i int) int {
	if k := r.Length(i, "sole-user"); k > 0 && r.begins(i) && r.Ends(i+k) && r.At(i+k).Low != "(" && r.At(i+k).Low != ":" {
		return i + k
	}
	return i
}

// untold gives the place where a clause ends, or its beginning where a list of fields stands in or behind it.
func (r *reader) untold(i, end, to int) int {
	if r.namesFields(i, to) || end < to && (r.At(end).Low == "(" || r.At(end).Low == ":") {
		return i
	}
	return end
}

// flagged reads one more field of the thing that the sentence is about: there needs to be a verified flag.
func (r *reader) flagged(i, to int) int {
	at := r.After(i, "so", "and", "but")
	k := r.Length(at, "there-must-be")
	t := r.soleThing()
	if k == 0 || t == nil || len(t.Fields) == 0 || len(r.Things) > 1 && !r.speaksOf(t, i) {
		return i
	}
	it, ok := r.item(at+k, to)
	if !ok || it.end < to && !r.Ends(it.end) || !r.Any("flag-word", at+k, it.end) || r.Is("flag-word", it.words[0]) || t.field(strings.Join(it.words, "_")) != nil {
		return i
	}
	r.current = t
	r.field(t, it)
	r.items = append(r.items, span{it.from, it.end})
	return it.end
}

// speaksOf says whether the sentence that holds a place begins with a thing.
func (r *reader) speaksOf(t *Thing, i int) bool {
	for i > 0 && !(r.At(i-1).Mark && r.At(i-1).Low == ".") {
		i--
	}
	n, ok := r.noun(i)
	return ok && r.find(n.name()) == t
}

// handsIn passes over what those before do with the things that follow, whose list names them: observers (name) send in
// sightings (observer, time).
func (r *reader) handsIn(i, _ int) int {
	k := r.Length(i, "hands-in")
	n, ok := r.noun(i + k)
	if k == 0 || r.At(i-1).Low != ")" || r.current == nil || !ok || !n.many() || r.At(n.to).Low != "(" {
		return i
	}
	for at := n.to + 1; at < r.Closes(n.to); at++ {
		if english.Singular(r.At(at).Low) == r.current.Name && r.Ends(at-1) && r.Ends(at+1) {
			return i + k
		}
	}
	return i
}

// contains reads things that hold others of which more is told: rooms contain props.
func (r *reader) contains(i, to int) int {
	n, ok := r.noun(i)
	other, also := r.noun(n.to + 1)
	if !ok || !also || !r.begins(i) || !r.Is("contains", r.At(n.to).Low) || !n.many() || !other.many() || !r.isThing(other.name()) || r.find(other.name()) != nil && r.find(other.name()) == r.find(n.name()) || other.name() == n.name() {
		return i
	}
	if end := r.At(other.to); other.to < to && end.Text != ";" && !((end.Low == "," || r.joins(other.to)) && r.defines(other.to+1)) {
		return i
	}
	r.children(r.thing(n), []noun{other})
	if !strings.HasPrefix(r.At(n.to).Low, "ha") { // playlists contain songs
		r.Leave(r.text(i, other.to), "each is of one "+strings.ReplaceAll(r.thing(n).Name, "_", " "))
	}
	return other.to
}

// doneWith gives the length of words that say what is done with each thing by one of another, or where: every delivery is done
// by one courier, each batch runs on one machine.
func (r *reader) doneWith(n noun, i, to int) int {
	at := i + 1
	passive := r.Is("asks-if", r.At(i).Low) && r.done(r.At(i+1).Low)
	if passive || r.At(i).Low == "takes" && r.At(i+1).Low == "place" {
		at++
	}
	if verb := r.At(i); verb.Mark || !passive && (!strings.HasSuffix(verb.Low, "s") || r.Is("owns", verb.Low) || r.Is("asks-if", verb.Low)) {
		return 0
	}
	one := r.After(at+1, "exactly", "only", "just")
	other, ok := r.noun(one)
	counted := r.At(one).Low == "one" || passive && r.Is("indefinite", r.At(one).Low)
	anyone := r.Is("any-one", r.At(n.from).Low) || passive && n.many() && r.skip(n.from) == n.from && r.Is("where-at", r.At(at).Low) // cars are parked on a spot
	goesOn := r.joins(other.to) && r.Is("owns", r.At(other.to+1).Low)
	if !anyone || !goesOn && !r.isThing(n.name()) || !r.Is("by-what", r.At(at).Low) || !counted || !ok || other.many() || !r.isThing(other.name()) || other.to > to || other.to < to && !r.Ends(other.to) {
		return 0
	}
	next := r.At(other.to + 1).Low
	if mark := r.At(other.to).Low; mark == "(" || mark == ":" || r.joins(other.to) && !r.Is("owns", next) && !r.Is("determiner", next) { // starts on one day and ends on another
		return 0
	}
	return at + 1 - i
}

// whichOf reads things that somebody has, told by a question: which fabrics I have in my sewing room.
func (r *reader) whichOf(i, to int) int {
	n, ok := r.noun(i + 1)
	who, end := r.Length(n.to, "narrator"), min(r.NextMark(i), to)
	if r.At(i).Low != "which" || !ok || !n.many() || who == 0 || r.Is("others", r.At(n.to).Low) || !r.Is("owns", r.At(n.to+who).Low) || r.At(n.to+who+1).Low == "to" || r.asksElse(n.to, end) || end < to && r.At(end).Low != "." && r.At(end).Low != ":" {
		return i
	}
	r.thing(n)
	r.Leave(r.text(n.to, end), settings.Background)
	return end
}
