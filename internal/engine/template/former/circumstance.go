package former

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/words"
)

// circumstance reads a clause that says in words of its own what settings say else: that records outlive a restart, where the
// project runs, that any language will do, who needs a token.
func (r *reader) circumstance(i, to int) int {
	for _, rule := range []func(i, to int) int{
		r.lasting, r.runsOn, r.anyLanguage, r.eitherLanguage, r.eitherToken, r.onlyThey, r.guarded, r.possible, r.relatedTables, r.weHave,
	} {
		if end := rule(i, to); end > i {
			return end
		}
	}
	return i
}

// remarkEnd gives the place where a clause ends, before a mark or a word that gives a reason or objects.
func (r *reader) remarkEnd(i, to int) int {
	for i++; i < to && !r.At(i).Mark && !r.Is("parts-clause", r.At(i).Low); i++ {
	}
	return i
}

// asksElse says whether words between two places ask for something else than what a clause was found to be about.
func (r *reader) asksElse(from, to int, allowed ...string) bool {
	for i := from; i < to; {
		m, n := r.Phrase(i)
		said := r.Words(i, max(n, 1))
		if slices.Contains(demanding, m.Class) && !slices.Contains(allowed, m.Class) && !r.Is("machine", said) && !r.Is("little", said) && !r.Is("used-now", said) && !r.Is("restart", said) {
			return true
		}
		i += max(n, 1)
	}
	return false
}

// beforeAnd gives the place of the first "and" between two places, or the second of them.
func (r *reader) beforeAnd(i, end int) int {
	for k := i + 1; k < end; k++ {
		if r.joins(k) {
			return k
		}
	}
	return end
}

// lasting reads that records are to outlive a restart, or need not: it must not be lost when the computer restarts.
func (r *reader) lasting(i, to int) int {
	end := r.beforeAnd(i, r.remarkEnd(i, to))
	if !r.begins(i) && !r.Is("parts-clause", r.At(i).Low) || !r.Any("restart", i, end) || r.asksElse(i, end, "kind", "database", "language") {
		return i
	}
	gone, stays, denied := r.Any("lost", i, end), r.Any("stays", i, end), r.Any("never", i, end)
	switch {
	case gone == stays || stays && !r.Any("outlasts", i, end) && !r.Any("across", i, end) || settings.Is(r.Text, r.skip(i)) && !denied && !stays:
		return i
	case stays == denied && !gone || gone && !denied && r.Any("fine", i, end): // need not survive, may be lost
		r.Leave(r.text(i, end), "records live in memory")
	case gone && !denied: // they are lost now
		return i
	default:
		r.durable = span{i, end}
	}
	return end
}

// lasts puts records into a file that are to outlive a restart where nothing else keeps them.
func (r *reader) lasts() {
	if r.durable.to == 0 {
		return
	}
	memory := slices.ContainsFunc(r.Tokens, func(t words.Token) bool { return r.Is("memory", t.Low) })
	switch {
	case memory && (r.Database == project.None || r.Database == ""):
		r.Refuse(r.text(r.durable.from, r.durable.to))
	case r.Database == "", r.Database == project.None, r.Database == project.AnyDatabase:
		r.Database = project.File
	}
}

// runsOn leaves out on what machine a project is to run, where every project runs: it will run on a raspberry pi.
func (r *reader) runsOn(i, to int) int {
	end := r.beforeAnd(i, r.remarkEnd(i, to))
	at := -1
	for k := i; k+1 < end && at < 0; k++ {
		if on := r.After(k+1, "it", "only", "just", "locally"); r.Is("runs", r.At(k).Low) && r.Is("on-machine", r.At(on).Low) && on < end {
			at = on
		}
	}
	who := r.begins(i) && (r.Is("runner", r.At(i).Low) || r.Is("runs", r.At(i).Low)) || r.At(i).Low == "to" && r.Is("runs", r.At(i+1).Low)
	if at < 0 || !who || r.asksElse(i, end) {
		return i
	}
	for k := at; k < end; k++ {
		if r.Length(k, "machine") > 0 || r.Is("premises", r.At(k).Low) && r.Any("running", i, k) {
			r.Leave(r.text(i, end), settings.Background)
			return end
		}
	}
	return i
}

// anyLanguage passes over a clause that says that any language will do.
func (r *reader) anyLanguage(i, to int) int {
	end := min(r.NextMark(i), to)
	if !r.begins(i) || !r.Any("languages", i, end) || !r.Any("no-matter", i, end) {
		return i
	}
	for k := i; k < end; k++ {
		if c, low := r.class(k), r.At(k).Low; c != "stop" && c != "denial" && c != "to" && c != "things" && !r.Is("no-matter", low) && !r.Is("languages", low) && !r.Is("never", low) && r.Length(k, "narrator") == 0 {
			return i
		}
	}
	return end
}

// eitherLanguage takes one of several languages that are all right: Go if it is among them, else the first.
func (r *reader) eitherLanguage(i, to int) int {
	var all []string
	end := i
	for at := i; at < to; {
		m, n := r.Phrase(at)
		if m.Class != "language" {
			break
		}
		all, end = append(all, m.Value), at+n
		if at = r.After(end, ",", "or"); r.At(at-1).Low != "or" && len(all) > 1 || at == end {
			break
		}
		if r.Length(at, "whatever") > 0 {
			break
		}
	}
	if m, n := r.Phrase(i); m.Value == "a framework" && r.At(i+n).Low == "or" { // FastAPI or just Python
		at := r.After(i+n+1, "just", "plain", "simply", "only")
		if other, k := r.Phrase(at); other.Class == "language" && r.Ends(at+k) && r.At(at+k).Low != "or" && (r.Language == "" || r.Language == other.Value) {
			r.Language = other.Value
			r.Leave(r.Words(i, n), m.Value)
			return at + k
		}
	}
	if free := r.Length(end+1, "whatever"); len(all) == 1 && r.At(end).Low == "or" && free > 0 && (r.Language == "" || r.Language == all[0]) { // Python or whatever you like
		r.Language = all[0]
		return end + 1 + free
	}
	if len(all) < 2 || r.At(i).Mark || !slices.ContainsFunc(r.Tokens[i:end], func(t words.Token) bool { return t.Low == "or" }) {
		return i
	}
	chosen := all[0]
	if slices.Contains(all, project.Go) {
		chosen = project.Go
	}
	if r.Language != "" && r.Language != chosen {
		return i
	}
	r.Language = chosen
	r.Leave(r.text(i, end), "a project has one language: "+chosen)
	return end
}

// eitherToken takes a token where it is as good as what else was named: JWT or whatever token you have.
func (r *reader) eitherToken(i, to int) int {
	m, n := r.Phrase(i)
	if m.Class != "auth" && !(m.Class == "heart" && r.Is("like-token", r.Words(i, n))) || r.At(i+n).Low != "or" {
		return i
	}
	at := r.After(i+n+1, "whatever", "any", "some", "a", "an", "simple", "plain", "other", "kind", "of", "just")
	other, k := r.Phrase(at)
	token := m.Class == "auth" || other.Class == "auth"
	if second := other.Class == "auth" || other.Class == "heart" && r.Is("like-token", r.Words(at, k)); !second || !token || at >= to {
		return i
	}
	end := at + k
	for end < to && (r.Is("easier", r.At(end).Low) || r.class(end) == "stop") {
		end++
	}
	r.Auth = "token"
	if m.Class == "heart" || other.Class == "heart" {
		r.Leave(r.text(i, end), "a token is sent as Authorization: Bearer")
	}
	return end
}

// guarded reads who needs a token, and what for: whoever changes something should need a token.
func (r *reader) guarded(i, to int) int {
	end, token := r.remarkEnd(i, to), -1
	if !r.begins(i) {
		return i
	}
	part, first := false, i
	if n, ok := r.noun(i); ok && n.many() && !r.isThing(n.name()) && r.Is("asks", r.At(n.to).Low) { // judges need a token to write
		first = n.to
	}
	for k := first; k < end; {
		m, n := r.Phrase(k)
		low := r.At(k).Low
		thing := r.find(low) != nil
		switch {
		case m.Class == "auth" && r.Is("token-word", r.At(k+n-1).Low) && token < 0:
			token = k
		case r.Is("acts-on", low):
			part = part || r.Is("changes", low)
		case n > 0 && (m.Class == "stop" || m.Class == "to" || m.Class == "fields" && low == "with" || m.Class == "auth" && r.Is("asks", low)), r.Is("anybody", low), r.Is("none-at-all", low), r.Is("without", low) && k > i, thing && r.obligedAt(k+1):
		default:
			return i
		}
		k += max(n, 1)
	}
	nobody := r.Any("none-at-all", i, end) // nobody should get in without a token
	if token < 0 || !r.Any("asks", i, end) && !r.Any("only", i, end) || nobody != r.Any("never", i, end) || nobody && !r.Any("without", i, token) {
		return i
	}
	r.Auth = "token"
	if part {
		r.Leave(r.text(i, end), everyRequest)
	}
	return end
}

// onlyThey reads who alone may use a project, and the token by which they are known: only our clerks may use it, they will have a token.
func (r *reader) onlyThey(i, to int) int {
	end := min(r.NextMark(i), to)
	stop := min(r.NextMark(end+1), to)
	if r.At(i).Low != "only" || !r.begins(i) || r.At(end).Low != "," || !r.Any("using", i, end) || !r.Is("others", r.At(end+1).Low) || r.asksElse(i, end) || r.Any("never", i, stop) || r.class(stop-1) != "auth" || !r.Is("token-word", r.At(stop-1).Low) {
		return i
	}
	r.Auth = "token"
	r.Leave(r.text(i, stop), everyRequest)
	return stop
}

// obligedAt says whether what something is held to follows at a place.
func (r *reader) obligedAt(i int) bool {
	return r.Length(i, "obliges") > 0 || r.Is("predicate", r.At(i).Low)
}

// possible passes over what every project can do with records: it must be possible to create, read, change and delete.
func (r *reader) possible(i, to int) int {
	k := r.Length(i, "possible-to")
	if k == 0 || !r.begins(i) {
		return i
	}
	end, verbs := i+k, 0
	for at := end; r.Length(at, "crud") > 0; verbs++ {
		end = at + r.Length(at, "crud")
		at = r.After(end, ",", "and", "or", "&")
	}
	if m, _ := r.Phrase(i + k); verbs == 0 && m.Class == "detail" { // to filter visits by dog
		return i + k
	}
	if end = r.After(end, "them", "it", "these", "those", "records", "entries", "all", "of", "everything", "over", "via", "http", "with", "json"); verbs < 2 || r.At(i).Low == "just" && verbs < 4 || end < to && !r.At(end).Mark {
		return i
	}
	return end
}

// relatedTables leaves out how many tables somebody has to hand in: with at least three related tables.
func (r *reader) relatedTables(i, to int) int {
	at := r.After(i, "with", "at", "least", "minimum", "of")
	n := r.After(at+1, "related", "linked", "connected", "different")
	if !r.Is("number-word", r.At(at).Low) || !r.Is("tables", r.At(n).Low) || n == at+1 && r.At(at-1).Low != "least" || n >= to || !r.Ends(n+1) || r.At(n+1).Low == ":" || r.At(n+1).Low == "(" {
		return i
	}
	r.Leave(strings.TrimPrefix(r.text(i, n+1), "with "), settings.Background)
	return n + 1
}

// weHave reads the things that somebody has, and of which more is told later: we have swimmers, coaches and times.
func (r *reader) weHave(i, to int) int {
	k := r.Length(i, "we-have")
	all, end := r.nouns(i+k, to)
	if k == 0 || !r.begins(i) || len(all) < 2 || r.toldLater(all) < 2 || end < to && !r.Ends(end) || r.At(end).Low == "(" || r.At(end).Low == ":" {
		return i
	}
	r.enumerate(all)
	return end
}
