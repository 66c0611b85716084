package request

import (
	"regexp"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// wordEdges reads what means the same in every sentence, and little words.
func (p *parser) wordEdges(i, to int, s state) (out []edge) {
	m, n := p.Phrase(i)
	if p.At(i).Quoted {
		return p.quotedEdges(i, s)
	}
	if n == 0 {
		out = p.figureEdges(i, s)
	}
	phrase := p.Words(i, n)
	extra := p.listed(i, n, s)
	if verb := p.Phraseful(i+1, "fields") || p.Phraseful(i+1, "relation"); n == 1 && verb && p.known(p.At(i).Low) {
		extra += 40
	}
	add := func(next state, cost int, do act) {
		if do != nil || extra < 60 {
			out = append(out, edge{i + n, cost + extra, next, do})
		}
	}
	switch m.Class {
	case "stop", "join":
		if phrase == "or" && (s == fields || p.class(i-1) == "stop" && p.class(i+1) == "stop") { // which of both?
			both := p.At(i-1).Low + " or " + p.At(i+1).Low
			add(fields, never, func(b *builder) { b.Unknown = append(b.Unknown, both) })
			break
		}
		if p.Is("works-out", phrase) {
			break
		}
		next, cost := p.little(i, n, s, m.Class)
		add(next, cost, nil)
	case "to":
		if s == things && p.class(i-1) == "join" { // to a student and to a course
			add(above, 2, nil)
			extra += 10
		}
		add(s, 2, nil)
	case "place":
		add(open, map[bool]int{true: 8, false: 2}[s == fields], nil)
	case "things":
		add(things, 5, nil)
		if p.listsFields(i+n) && p.forEach(i+n, to) { // store a, b and c for each x
			add(fields, 2, nil)
		}
	case "fields":
		out = append(out, p.openFields(i, n, s)...)
	case "relation":
		if p.At(i + n).Mark {
			break
		}
		if p.begins(i) && !strings.HasPrefix(phrase, "belong") {
			extra += 40
		}
		add(above, 5, map[bool]act{true: (*builder).reversed}[m.Value == "many"])
	case "kind":
		next := map[state]state{things: open, fields: open}[s]
		if s == placed || s == named {
			next = s
		}
		if s == things && p.Is("also-name", phrase) && english.IsPlural(phrase) {
			extra += 20
		}
		add(next, 4, nil)
	case "container":
		next := s
		if p.At(i+n).Low == ":" || p.At(i+n).Quoted || s == open {
			next = things
		}
		if s == things && p.Is("also-name", phrase) && p.wordCost(i+n, false) < never {
			extra += 15
		}
		add(next, 6, nil)
		add(s, 6, nil)
	case "adding":
		add(fields, 12, nil)
		add(things, 12, nil)
	case "denial":
		out = append(out, p.denied(i, n, s)...)
	case "port", "module", "named", "page-size":
		out = append(out, p.valued(m.Class, i, n, s)...)
	case "detail":
		if m.Value != "unique values" && (p.request.Kind != Command || m.Value != "full-text search") {
			out = append(out, p.detailEdges(i, n, to, s, m.Value)...)
		}
	case "operation":
		add(s, usual, func(b *builder) { b.Hearts = append(b.Hearts, Omission{phrase, "a command-line tool"}) })
	case "language", "database", "auth", "cors", "license", "given", "heart":
		next := s
		if s == things || s == above {
			next = open
		}
		end := p.confirmed(i + n)
		if s == fields && p.begins(i) && n == 1 && (p.beginsField(i) || p.among(i)) {
			extra += 40
		}
		if m.Class == "heart" && (n == 1 && p.Is("also-name", phrase) || m.Value == "a game" && p.wordCost(i+n, false) < never) {
			extra += 40
		}
		out = append(out, edge{end, usual + extra, next, func(b *builder) { b.option(m, phrase) }})
		if k := p.After(i+n, ":", "is"); p.Length(k, "nothing") > 0 || p.At(k).Low == "no" && k > i+n && p.ends(k+1) {
			out = append(out, edge{k + max(1, p.Length(k, "nothing")), usual - 6, next, func(b *builder) { b.deny(m, phrase) }})
		}
	}
	if p.Is("collective", english.Singular(p.At(i).Low)) && p.At(i+1).Low == "of" && s != fields {
		out = append(out, edge{i + 2, 3, things, nil})
	}
	if next := p.At(i + 1); p.Is("declares", p.At(i).Low) && plaintext.IsCapital(next.Text) && (p.At(i+2).Low == "(" || p.At(i+2).Low == ":") {
		out = append(out, edge{i + 1, 2, things, nil})
	}
	if end := p.allRuled(i, to); end > 0 {
		what, _ := p.Longest(end-1, "rule")
		out = append(out, edge{end, 2, open, func(b *builder) { b.need(what) }})
	}
	if end := p.orWhatever(i+n, to); m.Class == "heart" && end > 0 {
		what := p.text(i, end)
		out = append(out, edge{end, 6, open, func(b *builder) { b.leave(what, m.Value) }})
	}
	if end := p.forWhat(i); end > 0 {
		what := p.text(i, end)
		out = append(out, edge{end, 6, open, func(b *builder) { b.leave(what, background) }})
	}
	if t := p.At(i); p.Is("method", t.Low) && t.Text == strings.ToUpper(t.Text) { // POST and GET
		out = append(out, edge{i + 1, 1, things, nil})
	}
	if k := p.Length(i, "keeps"); k > 0 && p.Length(i-1, "narrator") == 0 && p.wordCost(p.backless(i+k), false) < never {
		out = append(out, edge{i + k, 6, things, nil})
	}
	if k := p.Length(i, "we-have"); k > 0 {
		out = append(out, edge{i + k, 10, things, nil})
	}
	out = append(out, p.possible(i, to)...)
	if p.verbAt(i) && p.wordCost(p.backless(i+1), false) < never {
		what := p.At(i).Low
		out = append(out, edge{i + 1, 6, things, func(b *builder) { b.purpose(what) }})
	}
	if k := p.asked(i); k > 0 { // our library wants an API
		out = append(out, edge{k, 3, open, nil})
	}
	if k := p.Length(i, "farewell"); k > 0 {
		out = append(out, edge{min(to, p.NextMark(i)), 4, s, nil})
	}
	if k := p.Length(i, "heading"); k > 0 && (p.At(i+k).Low == "(" || p.At(i+k).Low == ":") && p.beginsSentence(i) {
		out = append(out, edge{i + k, 4, open, nil})
	}
	if s == things && p.Is("done-with", p.At(i).Low) && !p.At(i+1).Mark {
		what := p.At(i).Low // for lending tools
		out = append(out, edge{i + 1, 4, things, func(b *builder) { b.purpose(what) }})
	}
	if s == named && p.Is("about-them", p.At(i).Low) && !p.begins(i) {
		out = append(out, edge{i + 1, 3, named, nil})
	}
	if (s == placed || s == named) && n > 1 && m.Class == "things" && p.class(i) == "container" {
		out = append(out, edge{i + 1, 6, s, nil})
	}
	if first := p.class(i); n > 1 && (first == "to" || first == "stop") && s != fields { // to keep track of
		out = append(out, edge{i + 1, 2, s, nil})
	} else if n > 1 && first == "things" && s != fields { // for keeping track of
		out = append(out, edge{i + 1, 5, things, nil})
	}
	if end := p.crudRun(i); end > i {
		out = append(out, edge{end, 3, things, nil})
	}
	if k := p.Length(i, "crud"); k > 0 && s != fields && (i > 0 || s == things) && (m.Class != "removing" || !p.beginsSentence(i)) {
		out = append(out, edge{i + k, 8 + extra, things, nil})
	}
	return out
}

// allRuled gives the place behind what is said of all fields: all fields are required.
func (p *parser) allRuled(i, to int) int {
	if p.At(i).Low != "all" || !p.begins(i) {
		return 0
	}
	at := p.After(i+1, "of", "them", "these", "the", "are", "is", "fields", "columns", "values", "attributes", "must", "be")
	what, n := p.Longest(at, "rule")
	if n == 0 || at+n > to || !p.ends(at+n) || what != "required" && what != "optional" {
		return 0
	}
	return at + n
}

// possible reads what the values of a field may be, told apart from it: possible statuses: open, closed.
func (p *parser) possible(i, to int) (out []edge) {
	at := i + 2
	word := english.Singular(p.At(i + 1).Low)
	if !p.Is("possible", p.At(i).Low) || p.At(at).Low != ":" && p.At(at).Low != "are" {
		return nil
	}
	var found []item
	p.chosen(item{words: []string{word}, from: i + 1}, at+1, true, to, &found)
	for _, it := range found {
		if it.end == to || p.At(it.end).Low == "." {
			out = append(out, edge{it.end, usual, fields, func(b *builder) { b.field(it) }})
		}
	}
	return out
}

// orWhatever gives the place behind words that leave something open: or whatever you use.
func (p *parser) orWhatever(i, to int) int {
	if p.At(i).Low != "or" || !p.Is("anything", p.At(i+1).Low) && p.Length(i, "stop-or") == 0 {
		return 0
	}
	return min(to, p.NextMark(i))
}

// forWhat gives the place behind what somebody needs something for: for my course I need.
func (p *parser) forWhat(i int) int {
	if p.At(i).Low != "for" || !p.begins(i) || !p.Is("own", p.At(i+1).Low) {
		return 0
	}
	for end := i + 3; end < i+6 && !p.At(end-1).Mark; end++ {
		if p.Length(end, "narrator") > 0 {
			return end
		}
	}
	return 0
}

// asked gives the place behind somebody who asks for what follows.
func (p *parser) asked(i int) int {
	for k := i + 1; k < i+4 && p.Is("own", p.At(i).Low) && p.begins(i) && !p.At(k).Mark; k++ {
		if n := max(p.Length(k, "asks"), p.Length(k, "needs-it")); n > 0 && k > i+1 {
			return k + n
		}
	}
	return 0
}

// forEach says whether what each of is told of follows in a sentence.
func (p *parser) forEach(i, to int) bool {
	for ; i < to; i++ {
		if p.At(i).Low == "for" && (p.At(i+1).Low == "each" || p.At(i+1).Low == "every") {
			return true
		}
	}
	return false
}

// crudRun gives the place behind several words for what is done with records: create, read, update and delete.
func (p *parser) crudRun(i int) int {
	end, verbs := i, 0
	for at := i; p.Length(at, "crud") > 0; verbs++ {
		end = at + p.Length(at, "crud")
		at = p.After(end, ",", "and", "or", "&")
	}
	if verbs < 2 {
		return i
	}
	return end
}

func (p *parser) beginsSentence(i int) bool {
	return i == 0 || p.At(i-1).Mark && (p.At(i-1).Low != "," || p.At(i-1).Text == ";")
}

// confirmed gives the place behind "yes" and what else only affirms a setting.
func (p *parser) confirmed(i int) int {
	if end := p.After(i+1, "yes", "true", "on", "required", "enabled", "needed"); p.At(i).Low == ":" && end > i+1 {
		return end
	}
	return i
}

// listed says what it costs to take a word in a list for nothing, where it might be the name of a field.
func (p *parser) listed(i, n int, s state) int {
	w := p.At(i + n - 1).Low
	begins := p.begins(i) || p.class(i-1) == "fields" || s == fields && p.begins(p.backOver(i))
	alone := begins && (p.ends(i+n) || p.At(i+n).Low == "(")
	little := (p.Is("courtesy", w) || p.Is("light", w)) && !p.Is("field", w) || p.class(i) == "join"
	setting := p.At(i+n).Low != "(" && !p.fieldWord(w) && !p.Is("also-name", w) && !p.Is("also-field", w) && p.required(i)
	setting = setting || n > 1 && p.Phraseful(i, "license")
	nameable := p.Is("also-field", w) || p.fieldWord(w) || p.Is("also-name", w) || p.Vocabulary[w].Value == "filler"
	switch {
	case s == fields && alone && n > 1 && p.class(i) == "stop" && !p.Is("courtesy", w) && !p.Is("courtesy", p.At(i).Low):
		return 60
	case little || setting || n > 1 && (!p.Is("also-name", w) || p.Phraseful(i, "detail") || s != fields), p.At(i+n).Low == ":" && p.required(i+n+1):
		return 0
	case s == fields && begins && (alone || !p.Is("breaks-list", p.At(i).Low)) && !p.settles(i+n):
		return 60
	case alone && (nameable || p.class(i) != "kind" && p.class(i) != ""):
		return 40
	case p.Is("field", w) && p.class(i) == "stop":
		return 15
	}
	return 0
}

// settles says whether what follows in this part of a list names a setting: store it in SQLite.
func (p *parser) settles(i int) bool {
	for ; !p.ends(i); i++ {
		if p.required(i) && !p.Is("also-name", p.At(i).Low) {
			return true
		}
	}
	return false
}

// little says what follows a little word, and what it costs to read no more in it.
func (p *parser) little(i, n int, s state, class string) (state, int) {
	light := p.Is("light", p.Words(i, n)) || class == "join"
	filler := p.Vocabulary[p.Words(i, n)].Value == "filler"
	switch {
	case class == "join" && s == named:
		return things, 0
	case filler && s != open && s != placed, s == things && p.Is("also-name", p.At(i).Low) && !light:
		return s, 24
	case light || s == open || s == above:
		return s, 1
	case s == fields:
		return open, 5
	case s == named && p.Is("relative", p.At(i).Low):
		return named, 1
	}
	return open, 3
}

// openFields says what may follow a word such as "with".
func (p *parser) openFields(i, n int, s state) (out []edge) {
	cost := map[state][2]int{open: {6, 8}, placed: {10, 4}, named: {2, 40}, things: {5, 12}, fields: {3, 40}, above: {6, 20}}[s]
	to := i + n
	setting := p.required(to) || p.Phraseful(to, "given")
	if setting || p.Phraseful(to, "detail") { // with SQLite
		out = append(out, edge{to, 4, open, nil})
	}
	if setting && !p.Is("also-name", p.At(to).Low) && p.Length(to, "also-field") == 0 {
		return out
	}
	if p.Is("shows", p.At(i).Low) && p.begins(i) {
		return nil
	}
	extra := p.listed(i, n, s)
	out = append(out, edge{to, cost[0] + extra, fields, nil})
	if w := p.At(i).Low; s != open && !p.Is("shows", w) || w == "with" || w == "including" || w == "for" || p.Is("field-noun", w) {
		out = append(out, edge{to, cost[1] + extra, things, nil})
	}
	return out
}

var slug = regexp.MustCompile(`^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$`)

// titleEdges reads the name of a project with which a request begins: museo-api: an API for …
func (p *parser) titleEdges(i int) []edge {
	raw := p.At(i).Raw
	if i > 0 || !slug.MatchString(raw) || p.At(p.Behind(i)).Low != ":" {
		return nil
	}
	return []edge{{p.Behind(i) + 1, 2, open, func(b *builder) { b.Title = plaintext.Title(raw) }}}
}

// quotedEdges reads what stands in quotes: a thing, or else the project's name.
func (p *parser) quotedEdges(i int, s state) []edge {
	text := p.At(i).Text
	cost := 20
	if s == fields || s == things {
		cost += 60
	}
	return []edge{{i + 1, cost, open, func(b *builder) { b.Title = plaintext.Title(text) }}}
}
