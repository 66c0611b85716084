package records

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
)

// background reads a clause that only tells of somebody, or why something is wanted. It is known by its form, and asks for
// nothing.
func (r *reader) background(i, to int) int {
	if end := r.keepsWhat(i, to); end > i && r.asksTwice(i, end) { // which jobs ran on which printer
		r.deeds = append(r.deeds, deed{span: span{i, end}})
		return end
	}
	for _, end := range []int{r.forWhat(i), r.forWhom(i), r.quits(i, to), r.curious(i, to), r.habit(i, to), r.later(i, to), r.keepsWhat(i, to), r.forApp(i, to), r.replaces(i, to), r.onlyUser(i, to), r.tale(i, to)} {
		if end > i {
			r.Leave(r.text(i, end), settings.Background)
			return end
		}
	}
	if end := max(r.wonders(i, to), r.soThat(i, to)); end > i {
		return end
	}
	if end := r.whereTo(i); end > i {
		n, _ := r.noun(i + 1)
		r.Leave(r.text(i+1, n.to), settings.Background)
		if n, ok := r.noun(end); ok && (r.heads[n.name()] || n.many() && r.At(n.to).Low == ".") { // can log their visits. A visit has
			return max(end, r.things(i, end, to, 1))
		}
		return end
	}
	if end := r.asks(i); end > i {
		r.Leave(r.text(i, end), settings.Background)
		return end + 1
	}
	why := r.Length(i, "because")
	if !r.begins(i) && (why == 0 || r.open != nil) || r.every(i) || r.tellsMore(i, to) { // licence since
		return i
	}
	who := max(r.Length(i+why, "narrator"), r.Length(i+why, "told"))
	own := r.Is("own", r.At(i+why).Low) && !(why == 0 && r.At(i).Low == "their" && r.At(i-1).Low != "." && len(r.Things) > 0) // swimmers, their lap times
	if why+who == 0 && !own {
		return i
	}
	best := i
	for end := i + why + who + 1; end <= to; end++ {
		if end < to && !r.clauseEnds(end) {
			continue
		}
		if r.At(end-1).Low == "so" && r.At(end).Low == ":" { // I have a spreadsheet, so: an API
			break
		}
		mine := why > 0 && (r.Length(i+why, "narrator") > 0 && !r.Is("others", r.At(i+why).Low) || r.Is("because-i", r.Words(i, why)))
		if r.demands(i+why, end, mine) || r.namesFields(i+why, end) {
			break
		}
		if why > 0 || r.Length(i, "told") > 0 || who > 0 && r.tells(i, end) || r.tells(i+1, end) {
			best = end
		}
		if end < to && r.At(end).Mark && r.At(end).Low != "," || best > i && r.asksNext(best) {
			break
		}
	}
	told := why > 0 && (r.projectAt(best+1) || r.forThem(best))
	if best > i && r.At(best).Low == "," && r.fieldWord(r.At(best-1).Low) && r.namesFields(best-1, to) { // our old list had breed, colour and age
		return i
	}
	if next := r.At(best).Low; best > i && (next == "(" || next == ":" && !told) { // we have hives (name, place)
		return i
	}
	if next := r.After(best, ",", "so", "and", "but", "then", "please", "therefore"); best > i && r.asksNext(best) && r.Is("that-one", r.At(next+1).Low) { // I always forget the director, store that too
		return i
	}
	if best > i {
		r.Leave(r.text(i, best), settings.Background)
	}
	return best
}

// forThem says whether the list behind a colon is what the only thing holds that was named, and nothing before the colon is

// what else may hold it: certificates, so we know when they expire: domain, issuer.
func (r *reader) forThem(i int) bool {
	t := r.soleThing()
	return t != nil && len(t.Fields) == 0 && english.IsPlural(t.said) && !english.IsPlural(r.At(i-1).Low) && !r.brackets(i+1) && !r.defines(i+1)
}

// projectAt says whether the project is named at a place: a small Go API.
func (r *reader) projectAt(i int) bool {
	for at := r.skip(i); at < i+5 && !r.At(at).Mark; at++ {
		if m, _ := r.Phrase(at); m.Class == "kind" {
			return true
		}
	}
	return false
}

// wonders leaves out what somebody wants to know, which records tell to who looks for it: we have to know which pump is due.
func (r *reader) wonders(i, to int) int {
	at := i + r.Length(i, "narrator")
	if n, ok := r.noun(i); at == i && ok && r.Is("determiner", r.At(i).Low) && r.find(n.name()) == nil {
		at = n.to
	}
	k := r.Length(at, "wants-to")
	if !r.begins(i) || at == i || k == 0 || !r.Is("knows", r.At(at+k).Low) || !r.Is("question", r.At(at+k+1).Low) {
		return i
	}
	end := min(r.NextMark(at), to)
	if end < to && r.At(end).Low != "." || r.asksElse(at+k+2, end) || end < at+k+4 {
		return i
	}
	r.Leave(r.text(i, end), "more than keeping records")
	return end
}

// asksNext says whether what follows a clause asks for something: nobody knows their age, so add a birthday.
func (r *reader) asksNext(i int) bool {
	at := r.After(i, ",", "so", "and", "but", "then", "please", "therefore")
	c := r.class(at)
	return at > i && (r.Is("imperative", r.At(at).Low) || r.Is("keep-verb", r.At(at).Low) || c == "adding" || c == "removing")
}

// forWhat gives the place behind what somebody needs something for: for my course I need.
func (r *reader) forWhat(i int) int {
	if r.At(i).Low != "for" || !r.Is("own", r.At(i+1).Low) {
		return i
	}
	for end := i + 3; end < i+6 && !r.At(end-1).Mark; end++ {
		if r.Length(end, "narrator") > 0 {
			return end
		}
	}
	return i
}

// forWhom gives the place behind who is to use the project: for our mobile team.
func (r *reader) forWhom(i int) int {
	if r.At(i).Low != "for" || !r.Is("own", r.At(i+1).Low) && r.At(i+1).Low != "the" {
		return i
	}
	for end := i + 3; end < i+6 && !r.At(end-1).Mark; end++ {
		if k := r.Length(end, "some-day"); r.Is("audience", r.At(end-1).Low) && k > 0 && r.Ends(end+k) { // for the demo tomorrow
			return end + k
		}
		if mark := r.At(end).Low; r.Is("audience", r.At(end-1).Low) && r.Ends(end) && mark != "(" && (mark != ":" || r.defines(end+1) && r.At(end-1).Low != "teams") { // for our devs: products with sku
			return end
		}
	}
	return i
}

// quits gives the place behind what somebody no longer wants to do: we want to stop writing everything on paper.
func (r *reader) quits(i, to int) int {
	at := i + r.Length(i, "narrator")
	at += r.Length(at, "wants-to")
	if !r.begins(i) || !r.Is("quits", r.At(at).Low) || !strings.HasSuffix(r.At(at+1).Low, "ing") {
		return i
	}
	end := r.clauseAt(at, to)
	if r.At(at+1).Low != "using" && r.demands(at+1, end, true) || r.namesFields(at, end) || end < to && (r.At(end).Low == "(" || r.At(end).Low == ":") {
		return i
	}
	return end
}

// curious gives the place behind what somebody wants to know: I wanted to see how a real API looks.
func (r *reader) curious(i, to int) int {
	at := r.After(i+r.Length(i, "narrator"), "just", "only")
	at += r.Length(at, "wants-to")
	k := r.Length(at, "see-how")
	if !r.begins(i) || k == 0 || at == i || r.Is("how-many", r.At(at+k).Low) {
		return i
	}
	end := r.clauseAt(at, to)
	if r.asksElse(at+k, end, "kind") || r.namesFields(at, end) {
		return i
	}
	return end
}

// habit gives the place behind what somebody does time and again: the waiters keep losing their notes.
func (r *reader) habit(i, to int) int {
	n, ok := r.noun(i)
	does := slices.ContainsFunc(english.Bases(r.At(n.to+1).Low), func(b string) bool { return r.Is("life", b) })
	if !ok || !r.begins(i) || r.skip(i) == i || !r.Is("habitually", r.At(n.to).Low) || !does || r.find(n.name()) != nil && r.Is("owns", r.At(n.to).Low) && !strings.HasSuffix(r.At(n.to+1).Low, "ing") {
		return i
	}
	end := r.clauseAt(n.to, to)
	if r.demands(n.to, end, false) || r.namesFields(n.to, end) || end < to && (r.At(end).Low == "(" || r.At(end).Low == ":") {
		return i
	}
	return end
}

// keepsWhat gives the place behind what somebody wants to keep, told by a question: I want to save what every child plays.
func (r *reader) keepsWhat(i, to int) int {
	n := r.Length(i, "narrator")
	at := i + n + r.Length(i+n, "wants-to")
	asked := r.At(i).Low == "to" && r.class(i-1) == "kind" // an API to log who was where
	if asked {
		n, at = 1, i+1
	}
	k := max(r.Length(at, "keeps"), r.Length(at, "keep-verb"))
	if m, phrase := r.Phrase(at); m.Class == "things" {
		k = max(k, phrase)
	}
	if n == 0 || r.someTold() || !r.begins(i) && !asked || at == i+n && !asked || k == 0 || !r.Is("question", r.At(at+k).Low) || r.skip(at+k+1) == at+k+1 && !asked && r.At(at+k).Low != "which" {
		return i
	}
	end := r.clauseAt(at+k, to)
	if end < to && r.At(end).Low != "." || r.asksElse(at+k, end) || r.namesFields(at, end) {
		return i
	}
	return end
}

// tellsMore says whether words that would be passed over tell more of the records: we note caller and topic, each dog has a
// chip, we have riders and vets.
func (r *reader) tellsMore(i, to int) bool {
	n, ok := r.noun(i)
	if ok && r.isThing(n.name()) && r.Is("owns", r.At(n.to).Low) {
		return true
	}
	for k := i; k < to; k++ {
		if n := r.Length(k, "notes-down"); n > 0 && r.notes(k+n, to) {
			return true
		}
	}
	if n, ok := r.noun(i + 2); ok && len(r.Things) > 0 && r.Is("others", r.At(i).Low) && n.many() && r.clauseEnds(n.to) && !r.Is("copula", r.At(i+1).Low) && r.Length(r.skip(i+2), "used-now") == 0 { // they attend courses
		return true
	}
	if !r.someTold() {
		return false
	}
	who, have := r.Length(i, "narrator"), r.Length(i, "we-have")
	all, end := r.nouns(i+have, to)
	noted := who > 0 && r.Is("keep-verb", english.Singular(r.At(i+who).Low)) && r.skip(i+who+1) > i+who+1 // we note the food
	if noted || have > 0 && len(all) > 1 && end == to {
		return true
	}
	for k := i; k < to; k++ {
		one, named := r.noun(k)
		low, next := r.At(k).Low, r.At(r.skip(k+1)).Low
		told := (r.Is("enters", low) || r.Is("understands", low)) && r.skip(k+1) > k+1 && r.fieldWord(next) && !r.hasField(next) // they enter the weight
		if told || r.Length(k, "each-with") > 0 || named && r.Is("for-all", low) && r.isThing(one.name()) {                      // each dog has a chip
			return true
		}
	}
	return false
}

// notes says whether the first of several fields stands at a place: caller, topic and minutes.
func (r *reader) notes(i, to int) bool {
	it, ok := r.item(i, to)
	return ok && it.end < to && !english.IsPlural(it.words[len(it.words)-1]) && (r.At(it.end).Low == "," || r.joins(it.end))
}

// asksTwice says whether something is asked of two things that are told of.
func (r *reader) asksTwice(from, to int) bool {
	asked := 0
	for i := from; i < to; i++ {
		for k := i + 1; r.At(i).Low == "which" && k < min(i+5, to) && r.At(k).Low != "which"; k++ {
			if r.isThing(r.At(k).Low) {
				asked++
				break
			}
		}
	}
	return asked > 1
}

// replaces gives the place behind what a project takes the place of: a service to replace the paper form.
func (r *reader) replaces(i, to int) int {
	n, ok := r.noun(i + 2)
	if r.At(i).Low != "to" || r.At(i+1).Low != "replace" || r.skip(i+2) == i+2 {
		return i
	}
	end := i + 3
	for ; end < to && !r.Ends(end) && r.class(end) != "things" && r.class(end) != "fields" && !r.Is("relative", r.At(end).Low) && r.At(end).Low != "where"; end++ {
	}
	if r.asksElse(i+2, end) || end > i+7 || ok && r.isThing(n.name()) || r.At(end).Low == "(" {
		return i
	}
	return end
}

// onlyUser gives the place behind who alone uses a project: the treasurer is the only one who uses it.
func (r *reader) onlyUser(i, to int) int {
	if k := r.Length(i, "only-me"); k > 0 && r.begins(i) && r.open == nil { // one user only, me
		end := i + k
		if r.At(end).Low == "," && r.Is("myself", r.At(end+1).Low) {
			end += 2
		}
		if end <= to && r.At(end).Mark && r.At(end).Low == "." {
			return end
		}
	}
	n, ok := r.noun(i)
	if !ok || !r.begins(i) || r.skip(i) == i || r.Length(n.to, "only-user") == 0 {
		return i
	}
	end := r.clauseAt(n.to, to)
	if r.asksElse(n.to, end) || !r.Any("using", n.to, end) {
		return i
	}
	return end
}

// forApp gives the place behind the app with screens that somebody makes themselves: for prototyping a garage front end.
func (r *reader) forApp(i, to int) int {
	end := min(r.NextMark(i), to)
	if r.At(i).Low != "for" || !r.Is("making", r.At(i+1).Low) || !r.Is("article", r.At(i+2).Low) && !r.Is("own", r.At(i+2).Low) || end > i+8 || r.At(end).Low == "(" || r.At(end).Low == ":" {
		return i
	}
	for k := i + 2; k < end; k++ {
		if m, n := r.Phrase(k); m.Value == "an app with screens" && k+n == end {
			return end
		}
	}
	return i
}

// later gives the place behind what somebody is going to do with the project one day: I will switch to a database later.
func (r *reader) later(i, to int) int {
	n := r.Length(i, "narrator")
	will := r.Is("will", r.At(i+n).Low) || strings.HasSuffix(r.At(i+n-1).Low, "'ll")
	end := min(r.NextMark(i), to)
	if n == 0 || !r.begins(i) || !will || !r.Any("one-day", i, end) || r.At(end).Low == "(" || r.At(end).Low == ":" {
		return i
	}
	return end
}

// clauseAt gives the place where the clause that holds a place ends: a mark, or a word that begins another.
func (r *reader) clauseAt(i, to int) int {
	for i++; i < to && !r.clauseEnds(i); i++ {
	}
	return i
}

// soThat leaves out what is not to happen: so students don't mess with it.
func (r *reader) soThat(i, to int) int {
	n, ok := r.noun(i + 1)
	if r.At(i).Low != "so" || !ok || r.Length(n.to, "denies") == 0 {
		return i
	}
	end, why := min(r.NextMark(i), to), settings.Background
	if r.Any("acts-on", n.to, end) && r.Auth == "" { // so guests can't delete anything
		why = "more than keeping records"
	}
	r.Leave(r.text(i, end), why)
	return end
}

// whereTo gives the place behind who keeps records: where landlords can save apartments.
func (r *reader) whereTo(i int) int {
	n, ok := r.noun(i + 1)
	m, verb := r.Phrase(n.to + 1)
	if m.Class != "things" {
		verb = max(r.Length(n.to+1, "keeps"), r.Length(n.to+1, "keep-verb"), r.Length(n.to+1, "enters"))
	}
	if may := r.At(n.to).Low == "can" || r.At(n.to).Low == "may"; r.At(i).Low != "where" || !ok || !may || verb == 0 || r.ClassAt(i) == "things" {
		return i
	}
	return n.to + 1 + verb
}

// asks gives the place behind who asks for the project: a dental clinic needs an API.
func (r *reader) asks(i int) int {
	n, ok := r.noun(i)
	if end := r.Closes(n.to); ok && r.At(n.to).Low == "(" && end > 0 && r.byTheWay(n.to+1, end) { // our salon (3 employees) would like
		n.to = end + 1
	}
	k := r.Length(n.to, "wants")
	if !ok || k == 0 || !r.begins(i) || !r.Is("determiner", r.At(i).Low) && !(i == 0 && r.isPlace(n.last())) { // museum needs an API
		return i
	}
	at := r.skip(n.to + k)
	if that := r.Length(n.to+k, "that-it-has"); that > 0 && settings.Is(r.Text, r.skip(n.to+k+that)) { // the teacher wants that it has a readme
		return n.to + k + that - 1
	}
	if m, _ := r.Phrase(n.to + k); (m.Class == "things" || m.Class == "to") && r.At(n.to+k).Low == "a" { // my church needs a way to keep track of rentals
		return n.to + k - 1
	}
	if m, _ := r.Phrase(at + 1); r.At(at).Low == "to" && m.Class == "things" || r.At(at).Low == "to" && r.Length(at+1, "keeps") > 0 { // our theatre wants to keep plays
		return n.to + k - 1
	}
	for at < n.to+k+4 && (r.class(at) == "stop" || r.class(at) == "language") { // a small Go API
		at++
	}
	m, _ := r.Phrase(at)
	told := r.find(n.name()) != nil || r.heads[english.Singular(n.last())]
	if m.Class == "kind" && m.Value == project.API || !told && (m.Class == "database" || m.Class == "language") { // the teacher wants SQLite
		return n.to + k - 1
	}
	return i
}

// mayDo passes over who is to do with records what everybody can: volunteers should be able to add and list them.
func (r *reader) mayDo(i, to int) int {
	n, ok := r.noun(i)
	k := r.Length(n.to, "may-do")
	if !ok || k == 0 || !r.begins(i) {
		return i
	}
	end, verbs := n.to+k, 0
	for at := end; r.Length(at, "crud") > 0; verbs++ {
		end = at + r.Length(at, "crud")
		at = r.After(end, ",", "and", "or", "&")
	}
	if end = r.After(end, "them", "it", "these", "those", "records", "entries", "over", "via", "http", "online"); verbs < 2 || end < to && !r.At(end).Mark {
		return i
	}
	return end
}

// anyoneCan leaves out what people are to do beyond keeping records: people can register for an event.
func (r *reader) anyoneCan(i, to int) int {
	k, end := r.Length(i, "anyone-can"), min(r.NextMark(i), to)
	if k == 0 || !r.begins(i) || len(r.Things) == 0 {
		return i
	}
	if m, _ := r.Phrase(i + k); m.Class == "things" || r.Length(i+k, "keeps")+r.Length(i+k, "crud") > 0 {
		return i
	}
	for at := i + k; at < end; at++ {
		if c := r.ClassAt(at); c == "fields" || c == "heart" {
			return i
		}
	}
	r.Leave(r.text(i, end), "more than keeping records")
	return end
}
