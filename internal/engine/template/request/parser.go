package request

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// parser gives the ways to read the words of a request, sentence by sentence.
type parser struct {
	words.Text
	outline                 // of a request for a page
	phrases []phrase        // that were looked up
	request *Request        // what the sentences before say
	heads   map[string]bool // what something is said of anywhere: an author: name, country
	seen    map[string]int  // how often a word stands in the request
	within  bool            // a list of fields in brackets is read
	typed   bool            // and the kind stands behind each name
	change  *change         // of a project that there is; nil for a new one
}

// scan finds the names of which something is told.
func (p *parser) scan() {
	for _, t := range p.Tokens {
		p.seen[t.Low]++
	}
	for i, t := range p.Tokens {
		next := p.At(i + 1)
		told := next.Low == "(" || next.Low == ":" || p.Phraseful(i+1, "relation") || p.Is("owns", next.Low)
		if before := p.At(p.backOver(i) - 1).Low; p.Is("behind", before) && before != "for" {
			continue
		}
		upper := plaintext.IsCapital(t.Text) && len(t.Text) > 1
		name := english.Singular(strings.ToLower(t.Low))
		defined := next.Low == "(" && p.seen[english.Plural(name)] > 0 && t.Low != english.Plural(name)
		if t.Mark || !told || p.fieldWord(t.Low) && !upper && !defined || p.class(i) != "" && !p.Is("also-name", t.Low) {
			continue
		}
		if english.IsPlural(t.Low) || upper || p.Phraseful(i+1, "relation") || p.seen[english.Plural(name)] > 0 {
			p.heads[name] = true
		}
		if before := p.At(i - 1); !before.Mark && p.seen[english.Plural(name)] > 0 {
			p.heads[before.Low+"_"+name] = true // order line: qty
		}
	}
}

// starts gives what may be read at the beginning of a sentence, and what that costs.
func (p *parser) starts(i int) map[state]int {
	out := map[state]int{open: 0}
	if p.request.Kind == Site {
		return p.pageStarts(i)
	}
	if p.listsFields(i) && len(p.request.Things) > 0 {
		out[fields] = 6
	}
	return out
}

// listsFields says whether the names of usual fields follow, up to the end of the sentence.
func (p *parser) listsFields(i int) bool {
	if m, _ := p.Phrase(i); m.Class == "stop" && !p.Is("light", p.At(i).Low) && m.Value != "filler" && !p.Is("particle", p.At(i).Low) {
		return false
	}
	sure, parts, last := 0, 0, ""
	for k := i; ; k++ {
		t := p.At(k)
		if t.Low == "(" && t.Mark && p.closes(k) > 0 {
			k = p.closes(k)
			continue
		}
		said := p.Length(k, "rule")+p.Length(k, "modal")+p.Length(k, "type-behind") > 0 || figure(t.Low)
		if last != "" && (said || p.ends(k) || t.Low == ":") {
			parts++
			sure += map[bool]int{true: 2}[p.fieldWord(last) || p.Is("field-ends", last) || p.request.tells(last)] + map[bool]int{true: 1}[p.Is("also-field", last)]
			last = ""
			for said && !p.ends(k) {
				k++
			}
			t = p.At(k)
		} else if !p.ends(k) && !said {
			last = t.Low
		}
		if k >= len(p.Tokens) || t.Mark && t.Low != "," && t.Low != ":" && t.Low != words.Bullet {
			return sure > 1 || sure > 0 && parts > 1
		}
	}
}

// edges gives the ways to read what stands at a place.
func (p *parser) edges(i, to int, s state) (out []edge) {
	if p.change != nil {
		return p.changeEdges(i, to, s)
	}
	if p.request.Kind == Site {
		return p.pageEdges(i, to, s)
	}
	if p.At(i).Mark {
		return p.markEdges(i, to, s)
	}
	if tool := p.toolEdges(i, to, s); tool != nil {
		return tool
	}
	out = append(out, p.wordEdges(i, to, s)...)
	out = append(out, p.storyEdges(i, to)...)
	out = append(out, p.doneTo(i, to, s)...)
	out = append(out, p.titleEdges(i)...)
	switch s {
	case open, placed:
		out = append(out, p.headEdges(i, to, s)...)
		out = append(out, p.freeEdges(i, to)...)
	case things, named:
		out = append(out, p.headEdges(i, to, s)...)
		out = append(out, p.thingEdges(i, to, s)...)
	case fields:
		out = append(out, p.headEdges(i, to, s)...)
		out = append(out, p.fieldEdges(i, to)...)
	case above:
		out = append(out, p.parentEdges(i, to)...)
	}
	if s == named || s == placed {
		out = append(out, p.behindEdges(i, to, s)...)
	}
	return append(out, p.unread(i, s))
}

// unread is the way to read a word of which no rule knows what it says.
func (p *parser) unread(i int, s state) edge {
	w := p.At(i).Text
	return edge{i + 1, never, s, func(b *builder) { b.strange(w, i) }}
}

// markEdges gives what a mark may mean.
func (p *parser) markEdges(i, to int, s state) (out []edge) {
	low := p.At(i).Low
	lists := p.listsFields(i + 1)
	add := func(next state, cost int) { out = append(out, edge{i + 1, cost, next, nil}) }
	switch {
	case low == "(":
		return p.bracketEdges(i, to, s)
	case s == named:
		add(things, map[bool]int{true: 0, false: 3}[low == ","]+map[bool]int{true: 25}[lists && low == ":"])
		if low != ":" {
			add(named, 2)
		}
		add(open, 3)
	case s == placed:
		add(things, 6+map[bool]int{true: 25}[lists])
		add(placed, 1)
		add(open, 2)
	case s == fields || s == parts:
		add(s, map[bool]int{true: 0, false: 1}[low == ","])
		if what := p.mute(i + 1); !p.within && what != "" && s == fields { // what it is
			out = append(out, edge{i + 1, never, open, func(b *builder) { b.Unknown = append(b.Unknown, what) }})
		} else if !p.within {
			add(open, p.leaving(i))
		}
	default:
		add(s, 0)
		add(open, 2)
	}
	switch {
	case low == ":" && (s == named || s == placed):
		add(fields, 0)
	case low == ":" && s == open && !lists:
		add(things, 4)
	}
	if lists && s != fields && s != above {
		add(fields, 5)
	}
	return out
}

// mute gives a part of a list of which every word says nothing elsewhere, and that so may be the name of a field.
func (p *parser) mute(i int) string {
	end := p.EndOf(i)
	for k := i; k < end; k++ {
		if p.class(k) != "stop" || p.Is("courtesy", p.At(k).Low) || p.Is("thanks", p.At(k).Low) {
			return ""
		}
	}
	if _, n := p.Phrase(i); end < i+2 || n == end-i {
		return ""
	}
	return p.text(i, end)
}

// leaving says what it costs that a list ends at a mark, by what follows.
func (p *parser) leaving(i int) int {
	next := p.backless(i + 1)
	m, _ := p.Phrase(next)
	low := p.At(next).Low
	breaks := p.Is("breaks-list", low) || p.Is("courtesy", low) || p.Length(next, "narrator")+p.Length(next, "because")+p.Length(next, "own") > 0
	said := slices.Contains([]string{"detail", "denial", "given", "things", "relation", "page-size"}, m.Class) && !p.Is("also-name", low)
	switch {
	case p.At(i).Low != "," || p.At(i).Text == ";":
		return 3
	case breaks || said || p.required(next) || p.settles(next):
		return 8
	}
	return 40
}

// backless gives the place behind little words.
func (p *parser) backless(i int) int {
	for p.Is("light", p.At(i).Low) || p.class(i) == "join" {
		i++
	}
	return i
}

// bracketEdges reads what stands in brackets behind a thing, or anywhere.
func (p *parser) bracketEdges(i, to int, s state) (out []edge) {
	end := p.closes(i)
	if end < 0 || end >= to+1 || end > to {
		return []edge{{i + 1, 0, s, nil}}
	}
	if end == i+1 {
		return []edge{{end + 1, 0, s, nil}}
	}
	aside := map[state]int{named: 20, placed: 20, things: 20, fields: 10}
	if p.request.Kind == Site {
		aside = nil
	}
	inside := p.inside(i+1, end, open, 3+aside[s])
	out = append(out, edge{end + 1, inside.cost, s, inside.do})
	if s == open && p.unlike(i+1, end) == 0 && p.bulleted(i+1, end) { // beehives in Go, with a list below
		inside := p.inside(i+1, end, fields, usual)
		out = append(out, edge{end + 1, inside.cost, named, inside.do})
	}
	if s == named || s == placed || s == things {
		inside := p.inside(i+1, end, fields, p.unlike(i+1, end))
		out = append(out, edge{end + 1, inside.cost, named, inside.do})
		if what := p.text(i+1, end); p.unlike(i+1, end) > 0 && !p.demandsWithin(i+1, end, false) && p.request.Kind != Site { // vehicles (cars and trucks)
			out = append(out, edge{end + 1, 30, s, func(b *builder) { b.leave(what, background) }})
		}
	}
	return out
}

// bulleted says whether the items of a list stand between two places in lines of their own.
func (p *parser) bulleted(from, end int) bool {
	return slices.ContainsFunc(p.Tokens[from:end], func(t words.Token) bool { return t.Mark && t.Low == words.Bullet })
}

// unlike says what it costs to take what stands in brackets for fields, if nothing in it is like one.
func (p *parser) unlike(from, end int) int {
	for i := from; i < end; i++ {
		w := p.At(i).Low
		like := p.Is("field", w) && p.Tables["field"][w] != "boolean" || p.Is("also-field", w) || p.Is("type-behind", w) || strings.Contains(w, "_")
		if like || p.Is("field-ends", w) || p.At(i).Low == ":" || p.Length(i, "rule") > 0 || p.known(w) && !p.At(i).Mark {
			return 0
		}
	}
	if p.figures(from, end) > 0 || p.holdsMark(from, end, ",") {
		return 0
	}
	return 40
}

// inside reads what stands in brackets.
func (p *parser) inside(from, to int, s state, cost int) path {
	within, typed := p.within, p.typed
	p.within, p.typed = s == fields, typed || s == fields && p.types(from, to) > 1
	out := p.read(from, to, map[state]int{s: cost})
	p.within, p.typed = within, typed
	return out
}

// kinds counts the kinds in a sentence that stand behind names.
func (p *parser) kinds(from, to int) (n int) {
	for i := from + 1; i < to; i++ {
		if p.Is("type-behind", p.At(i).Low) && !p.At(i-1).Mark && p.class(i-1) != "join" {
			n++
		}
	}
	return n
}

// types counts the items of a list on lines of their own that tell a kind behind a name.
func (p *parser) types(from, to int) (n int) {
	for i := from; i < to; i++ {
		if p.holdsMark(from, to, words.Bullet) && p.Is("type-behind", p.At(i).Low) && !p.At(i-1).Mark {
			n++
		}
	}
	return n
}

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

// figureEdges reads a number: how many records a list gives at once.
func (p *parser) figureEdges(i int, s state) []edge {
	size, err := strconv.Atoi(p.At(i).Low)
	m, n := p.Phrase(i + 1)
	if err != nil || m.Class != "page-size" {
		return nil
	}
	return []edge{{i + 1 + n, 4, s, func(b *builder) { b.PageSize = size }}}
}

// valued reads a word that the value of a setting follows.
func (p *parser) valued(class string, i, n int, s state) []edge {
	at := p.After(i+n, ":", "is", "to", "number", "the", "port", "on", "named", "path", "of")
	text := p.At(at).Text
	number, err := strconv.Atoi(text)
	switch {
	case class == "named":
		title, end := p.NameAt(i + n)
		if title == "" {
			return nil
		}
		return []edge{{end, 6, open, func(b *builder) { b.Title = title }}}
	case class == "module" && words.PathLike.MatchString(text):
		return []edge{{at + 1, 4, s, func(b *builder) { b.Module = text }}}
	case class == "port" && err == nil:
		return []edge{{at + 1, 4, s, func(b *builder) { b.port(number) }}}
	case class == "page-size" && err == nil:
		return []edge{{at + 1, 4, s, func(b *builder) { b.PageSize = number }}}
	}
	return nil
}

// denied reads what is not wanted.
func (p *parser) denied(i, n int, s state) []edge {
	at := i + n
	for p.class(at) == "stop" {
		at++
	}
	m, k := p.Phrase(at)
	if k == 0 || !p.Is("deniable", m.Class) {
		return nil
	}
	phrase := p.Words(at, k)
	next := edge{at + k, usual, s, func(b *builder) { b.deny(m, phrase) }}
	for end := at + k; ; {
		at = p.After(end, ",", "and", "or", "no")
		m, k := p.Phrase(at)
		if at == end || k == 0 || m.Class != "given" && m.Class != "detail" && m.Class != "heart" && m.Class != "auth" || p.At(end).Low == "," && p.At(at-1).Low != "or" {
			return []edge{next}
		}
		before, phrase := next.act, p.Words(at, k)
		end = at + k
		next = edge{end, next.cost + usual, s, func(b *builder) { before(b); b.deny(m, phrase) }}
	}
}

// detailEdges reads what is known and cannot be had, with the words that belong to it.
func (p *parser) detailEdges(i, n, to int, s state, why string) (out []edge) {
	leave := func(from, end, cost int, next state) {
		what := p.text(from, end)
		out = append(out, edge{end, cost, next, func(b *builder) { b.leave(what, why) }})
	}
	extra := p.listed(i, n, s) + map[bool]int{true: 30}[s == things && p.Is("also-name", p.Words(i, n))]
	leave(i, i+n, usual+extra, s)
	cost := usual + 1 + extra
	for end := i + n; end < to && !p.ends(end) && p.goesOn(end); end++ {
		if p.class(end) == "" {
			cost += 5
		}
		leave(i, end+1, cost, s)
	}
	return out
}

// goesOn says whether a word may belong to what is left out before it.
func (p *parser) goesOn(i int) bool {
	return (!p.required(i) || p.Is("also-name", p.At(i).Low)) && p.class(i) != "fields" && p.class(i) != "things"
}

// doneTo reads names before what is known and cannot be had: a photo upload.
func (p *parser) doneTo(i, to int, s state) (out []edge) {
	for _, n := range p.names(i) {
		m, k := p.Phrase(n.end)
		if m.Class != "detail" || m.Value == "dates" || n.end+k > to || p.Is("also-name", p.Words(n.end, k)) && !p.ends(n.end+k) {
			continue
		}
		for _, e := range p.detailEdges(n.end, k, to, s, m.Value) {
			what := p.text(i, e.to)
			out = append(out, edge{e.to, e.cost + 10 + n.cost, s, func(b *builder) { b.leave(what, m.Value) }})
		}
	}
	return out
}

// required says whether what stands at a place has a meaning of its own that a request cannot do without.
func (p *parser) required(i int) bool {
	m, _ := p.Phrase(i)
	return slices.Contains([]string{"kind", "language", "database", "auth", "cors", "license", "port", "module", "named", "page-size", "heart", "operation", "denial"}, m.Class)
}

// headEdges reads a name of which something is told: a thing.
func (p *parser) headEdges(i, to int, s state) (out []edge) {
	if p.At(i).Mark {
		return nil
	}
	for _, n := range p.names(i) {
		at := n.end
		if p.At(at).Low == "," && p.Phraseful(at+1, "relation") {
			at++
		}
		m, _ := p.Phrase(at)
		colon := p.At(at).Low == ":" || p.At(at).Low == "("
		verb := m.Class == "relation" || m.Class == "fields" && !p.At(at).Mark
		known := p.known(strings.Join(n.words, "_"))
		told := known || colon || m.Class == "relation" || english.IsPlural(n.words[len(n.words)-1]) || p.backOver(i) < i || p.beginsSentence(i) && s != fields
		setting := p.required(at+1) && !p.Is("also-name", p.At(at+1).Low)
		label := colon && (len(n.words) == 1 && p.class(i) == "container" || setting && p.At(at).Low == ":")
		if at > to || label || !colon && !verb || !told || colon && s == fields && p.nestedOnly(n, at) || s != things && !known && !p.starts1(i) {
			continue
		}
		cost := p.thingCost(n)
		if end := p.closes(at); p.At(at).Low == "(" && end > 0 && p.fieldList(at+1, end) {
			cost = min(cost, 12)
		}
		if s == fields && !(known && p.beginsItem(i)) {
			cost += 10
		}
		out = append(out, edge{at, cost, p.afterThing(n), p.mention(n, s == things)})
	}
	return out
}

// starts1 says whether a part of a sentence begins at a place, but for little words.
func (p *parser) starts1(i int) bool {
	i = p.backOver(i)
	return p.begins(i) || p.required(i-1) || p.class(i-1) == "fields"
}

// backOver gives the place before little words.
func (p *parser) backOver(i int) int {
	for i > 0 && (p.Is("light", p.At(i-1).Low) || p.Is("own", p.At(i-1).Low)) && !p.At(i-1).Mark {
		i--
	}
	return i
}

// beginsItem says whether a sentence, or an item of a list with bullets, begins at a place.
func (p *parser) beginsItem(i int) bool {
	return i == 0 || p.At(i-1).Low == "." || p.At(i-1).Low == words.Bullet
}

// nestedOnly says whether a name in a list of fields is none that a list of its own follows.
func (p *parser) nestedOnly(n name, at int) bool {
	last := n.words[len(n.words)-1]
	known := p.known(strings.Join(n.words, "_"))
	begins := p.At(at-len(n.words)-1).Text == ";" || p.At(at-len(n.words)-1).Low == ":"
	if p.At(at).Low == ":" && (p.reference(at+1) > 0 || p.Length(at+1, "type") > 0) && !((known || english.IsPlural(last)) && begins) {
		return true
	}
	if end := p.closes(at); p.At(at).Low == "(" && (p.Is("made-of", last) || end > 0 && !p.fieldList(at+1, end) && !p.partsOf(at+1, end)) {
		return true
	}
	if from := at - len(n.words); p.At(at).Low == ":" && p.beginsSentence(from) && !p.fieldWord(last) && !p.Is("no-title", last) { // Hall: name, seats
		return false
	}
	upper := plaintext.IsCapital(p.At(at - 1).Text)
	return !upper && !known && !english.IsPlural(last)
}

// afterThing says what state the name of a thing leads to.
func (p *parser) afterThing(n name) state {
	if last := n.words[len(n.words)-1]; !english.IsPlural(last) && !p.known(strings.Join(n.words, "_")) && !p.Is("has", last) {
		return placed
	}
	return named
}

// mention is the act of naming a thing.
func (p *parser) mention(n name, context bool) act {
	return func(b *builder) { b.thing(n.words, context) }
}

// thingEdges reads the name of a thing where one is expected.
func (p *parser) thingEdges(i, to int, s state) (out []edge) {
	if s == named && !p.begins(i) {
		return nil
	}
	for _, n := range p.names(i) {
		last := n.words[len(n.words)-1]
		before := p.At(p.backOver(i) - 1).Low
		listed := i > 0 && p.ends(p.backOver(i)-1) && before != ":" && before != "("
		several := english.IsPlural(last) || p.Is("has", last) || p.known(strings.Join(n.words, "_"))
		if n.end <= to && p.closed(n.end) && (several || !listed) {
			if listed && !english.IsPlural(last) && p.backOver(i) == i {
				n.cost += 20
			}
			if plain := !p.Is("field", last) && p.fieldOnly(english.Singular(last)); plain && (listed || p.class(p.backOver(i)-1) == "fields") {
				n.cost += 25 // with due dates
			}
			cost := p.thingCost(n) + map[bool]int{true: 8}[p.Is("done-with", n.words[0]) && len(n.words) > 1]
			opened := p.class(p.backOver(i)-1) != "fields"
			alone := !listed && p.At(n.end).Low != "," && p.class(n.end) != "join"
			do := p.mention(n, opened)
			out = append(out, edge{n.end, cost, p.afterThing(n), func(b *builder) { do(b); b.umbrella(alone) }})
		}
	}
	return out
}

// closed says whether a name can end at a place.
func (p *parser) closed(i int) bool {
	t := p.At(i)
	if p.ends(i) || t.Quoted {
		return true
	}
	m, n := p.Phrase(i)
	return n > 0 && m.Value != "filler" || p.Is("behind", t.Low) || p.Is("about-them", t.Low) || p.Length(i, "narrator")+p.Length(i, "own") > 0 || p.Is("condition", t.Low) || figure(t.Low)
}

// freeEdges reads names that nothing introduces: things, or what the word for a kind of project says more of.
func (p *parser) freeEdges(i, to int) (out []edge) {
	for _, n := range p.names(i) {
		last := n.words[len(n.words)-1]
		m, _ := p.Phrase(n.end)
		switch {
		case n.end > to || len(n.words) == 1 && p.class(i) == "container" && p.At(n.end).Low == ":":
		case m.Class == "kind" || m.Class == "container":
			do := p.mention(n, p.isPlace(n))
			out = append(out, edge{n.end, p.thingCost(n) + 6, p.afterThing(n), func(b *builder) { do(b); b.compound() }})
		case (p.begins(i) || p.class(i-1) == "kind") && p.closed(n.end) && (english.IsPlural(last) && !p.fieldOnly(last)):
			out = append(out, edge{n.end, p.thingCost(n) + 20, named, p.mention(n, false)})
		case p.closed(n.end) && (p.Is("has", last) || p.Is("place-of", last) || p.Is("gathers", last)):
			out = append(out, edge{n.end, p.thingCost(n) + 25, placed, p.mention(n, true)})
		}
	}
	return out
}

// isPlace says whether a name may be that of where things are, or of what they are called together.
func (p *parser) isPlace(n name) bool {
	last := n.words[len(n.words)-1]
	for _, table := range []string{"place-of", "institution", "gathers", "collective", "usual", "place", "has", "surroundings"} {
		if p.Is(table, last) {
			return true
		}
	}
	return len(n.words) > 1
}

// fieldEdges reads a field where one is expected, or things that belong to the one that is told of.
func (p *parser) fieldEdges(i, to int) (out []edge) {
	if len(p.request.Things) > 1 && p.request.exact(p.At(i).Low) != nil && !p.headed(i) && p.fieldWord(p.At(i+1).Low) && !p.At(i+1).Mark && p.bare(p.At(i).Low) {
		name := []string{p.At(i).Low} // customer name, order total
		out = append(out, edge{i + 1, 0, fields, func(b *builder) { b.thing(name, false) }})
	}
	if p.Is("field", p.At(i).Low) && p.Is("field", p.At(i+1).Low) && !p.At(i+1).Mark { // title author and year
		it := item{words: []string{p.At(i).Low}, end: i + 1}
		out = append(out, edge{i + 1, usual + 14, fields, func(b *builder) { b.field(it) }})
	}
	out = append(out, p.bothEdges(i, to)...)
	if one, other, ok := p.paired(i, to); ok {
		out = append(out, edge{other.end, other.cost, fields, func(b *builder) { b.field(one); b.field(other) }})
	}
	if m, n := p.Phrase(i); (m.Class == "given" || m.Class == "detail" && m.Value != "dates") && p.class(i+n) == "" && p.ends(i+n+1) && !p.fieldWord(p.At(i+n).Low) {
		what := p.text(i, i+n+1) // validation rules
		out = append(out, edge{i + n + 1, 12, fields, func(b *builder) { b.leave(what, "in a way of its own") }})
	}
	for _, it := range p.items(i, to) {
		if it.cost < never {
			out = append(out, edge{it.end, it.cost, fields, func(b *builder) { b.field(it) }})
		}
	}
	return append(out, p.nestedEdges(i, to)...)
}

// headed says whether the list that is read is that of the thing itself: tracks: track number.
func (p *parser) headed(i int) bool {
	for k := i - 1; k > 0 && p.At(k).Low != "."; k-- {
		if p.At(k).Low == ":" && english.Singular(p.At(k-1).Low) == english.Singular(p.At(i).Low) {
			return true
		}
	}
	return false
}

// bothEdges reads two fields of which the same is said: name and phone required.
func (p *parser) bothEdges(i, to int) (out []edge) {
	if p.At(i-1).Low == "," && p.At(i-1).Text != ";" {
		return nil
	}
	for _, n := range p.fieldNames(i) {
		if p.At(n.end).Low != "and" || n.end >= to {
			continue
		}
		for _, it := range p.items(n.end+1, to) {
			first := item{words: n.words, told: true}
			first.rules.Need, first.rules.Unique = it.rules.Need, it.rules.Unique
			if it.cost < never && first.rules.Need != "" {
				cost := it.cost + n.cost + p.itemCost(first) - 1
				out = append(out, edge{it.end, cost, fields, func(b *builder) { b.field(first); b.field(it) }})
			}
		}
	}
	return out
}

// bare says whether nothing is told of a thing yet.
func (p *parser) bare(word string) bool {
	t := p.request.find(word)
	return t != nil && len(t.Fields) == 0
}

// nestedEdges reads things with their fields in brackets that belong to the thing that is told of.
func (p *parser) nestedEdges(i, to int) (out []edge) {
	for _, n := range p.names(i) {
		end := p.closes(n.end)
		if p.At(n.end).Low != "(" || end < 0 || end > to || !english.IsPlural(n.words[len(n.words)-1]) {
			continue
		}
		inside := p.inside(n.end+1, end, fields, 0)
		cost := p.thingCost(n)
		if p.fieldList(n.end+1, end) {
			cost = min(cost, 12)
		}
		out = append(out, edge{end + 1, cost + inside.cost + 4, fields, func(b *builder) { b.nested(n.words, inside) }})
	}
	return out
}

// parentEdges reads what a thing belongs to.
func (p *parser) parentEdges(i, to int) (out []edge) {
	for _, n := range p.names(i) {
		if n.end <= to && p.closed(n.end) {
			out = append(out, edge{n.end, min(p.thingCost(n), 14), named, func(b *builder) { b.parent(n.words) }})
		}
	}
	return out
}
