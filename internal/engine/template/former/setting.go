package former

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/glossary"
)

// setting reads what is said of the project whatever its kind, with the little words before it.
func (r *reader) setting(i, to int) int {
	at := i
	for at < to && r.leads(at) && r.tried(at) == at {
		m, n := r.Phrase(at)
		if m.Class != "stop" || n == 0 {
			n = 1
		}
		if r.Is("says-something", r.Words(at, n)) { // where should it go
			return i
		}
		at += n
	}
	m, _ := r.Phrase(at)
	heart := m.Class == "heart" && at == i && !(r.soft(m.Value) && len(r.Things) > 0)
	if !settings.Is(r.Text, at) && !heart && r.ClassAt(at) != "named" || at >= to {
		return i
	}
	if m, n := r.Phrase(at); m.Class == "license" && m.Value == project.None && r.open != nil && r.Is("particle", r.At(at+n).Low) && r.over(at+n+1, to) { // licence since
		return i
	}
	if given := m.Class == "given" && r.Is("given-too", r.At(at).Low) && r.Ends(at+1); given && r.open != nil { // a question and several options
		r.Refuse(r.At(at).Low)
		return at + 1
	}
	end := r.Take(r.Text, at)
	if end == at {
		return i
	}
	if n := r.Length(i, "setting-too"); n == end-i && r.open != nil && r.At(i-1).Text == "" && i-1 == r.listEnd && (end >= to || r.At(end).Low == ".") { // name, average, tests
		if m.Class != "given" {
			r.Refuse(r.text(i, end))
		}
		r.Leave(r.text(i, end), "taken for a part of the project, and for no field")
	}
	if m.Class == "given" && r.Is("file-too", r.Words(at, end-at)) { // a single file is enough
		r.Database = cmp.Or(strings.TrimPrefix(r.Database, project.None), project.File)
	}
	if stop := r.NextMark(end); r.ClassAt(at) == "auth" && r.only(end, stop) { // an api key only for writing
		r.Leave(r.text(at, stop), everyRequest)
		return stop
	}
	if stop := r.NextMark(end); r.class(at) == "database" && r.ClassAt(end) == "named" { // a file called garden.json
		r.Leave(r.text(end, stop), "files have names of their own")
		return stop
	}
	if strings.HasPrefix(r.Words(at, min(3, len(r.Tokens)-at)), "x api key") {
		r.Leave("x-api-key", "a token is sent as Authorization: Bearer")
	}
	if n := r.Length(end, "why"); n > 0 { // Python is what we know
		stop := r.NextMark(end)
		r.Leave(r.text(end, stop), settings.Background)
		return stop
	}
	return end
}

// restricted reads a clause that asks for a token from those who change something: only people with a token may write.
func (r *reader) restricted(i, to int) int {
	end := min(r.NextMark(i), to)
	for k := i; k < end && r.At(i).Low == "only"; k++ {
		if r.ClassAt(k) == "auth" && r.Take(r.Text, k) > k {
			r.Leave(r.text(i, end), everyRequest)
			return end
		}
	}
	return i
}

// turnedAway reads a clause that says what becomes of a request without a token: requests without a token get a 401.
func (r *reader) turnedAway(i, to int) int {
	end := min(r.NextMark(i), to)
	if !r.begins(i) || end < len(r.Tokens) && (r.At(end).Low == "(" || r.At(end).Low == ":") || !r.Any("unauthorized", i, end) {
		return i
	}
	for k := i; k < end; k++ {
		if r.ClassAt(k) == "auth" && r.Take(r.Text, k) > k {
			return end
		}
	}
	return i
}

// everyRequest is why a part of the requests cannot do without a token.
const everyRequest = "a token is asked for by every request"

// only says whether words restrict what stands before them.
func (r *reader) only(from, to int) bool {
	return r.Any("restricts", from, to)
}

// tried gives the place behind a setting without taking it.
func (r *reader) tried(i int) int { return (&settings.Settings{}).Take(r.Text, i) }

// leads says whether a word may stand before a setting and say nothing.
func (r *reader) leads(i int) bool {
	switch r.class(i) {
	case "stop", "place", "things", "to", "container":
		return true
	case "fields":
		return r.At(i).Low == "with" || r.At(i).Low == "have" || r.At(i).Low == "has"
	}
	return false
}

// detail reads what is known and cannot be had, with all that is said of it.
func (r *reader) detail(i, to int) int {
	m, n := r.Phrase(i)
	if m.Class != "detail" || m.Value == "dates" || m.Value == "unique values" {
		return i
	}
	if known := slices.ContainsFunc(r.Things, func(t *Thing) bool { return t.field(strings.ReplaceAll(r.Words(i, n), " ", "_")) != nil }); known && r.Is("predicate", r.At(i+n).Low) { // colour is optional
		return i
	}
	if next := r.At(i + n); next.Low == "(" || next.Low == ":" || r.Is("also-name", r.Words(i, n)) && r.Ends(i+n) && r.current != nil {
		return i
	}
	end := min(settings.Clause(r.Text, i), to)
	r.Leave(r.text(i, end), m.Value)
	r.details = append(r.details, span{i, end})
	for k := i; k < end && m.Value == "roles and permissions"; k++ {
		if r.ClassAt(k) == "auth" { // anyone can read but changing requires a token
			k = max(k, r.Take(r.Text, k)-1)
		}
	}
	return end
}

// detailWithin says why a clause is left out that holds a word that is known as a detail, or nothing.
func (r *reader) detailWithin(from, end int) string {
	why := ""
	for k, n := from, 0; k < end; k += max(n, 1) {
		var m glossary.Meaning
		m, n = r.Phrase(k)
		switch {
		case m.Class == "heart" && !r.soft(m.Value), m.Class == "kind" && m.Value != project.API, m.Class == "language":
			return ""
		case why != "":
		case m.Class == "detail" && m.Value != "dates" && m.Value != "unique values" && !r.Is("also-name", r.Words(k, n)):
			why = m.Value
		case m.Class == "heart" && !r.Is("also-name", r.Words(k, n)):
			why = m.Value
		case r.Is("does-more", r.At(k).Low) && !r.At(k).Mark && !r.At(k).Quoted && !(r.fieldWord(r.At(k).Low) && r.Ends(k-1) && r.Ends(k+1)):
			why = "more than keeping records"
		}
	}
	if len(r.Things) == 0 {
		return ""
	}
	return why
}

// soft says whether what cannot be had can be left out of a project that keeps records.
func (r *reader) soft(why string) bool {
	_, last, found := strings.Cut(why, ", ")
	return r.Is("soft-heart", why) || found && r.Is("soft-heart", last)
}
