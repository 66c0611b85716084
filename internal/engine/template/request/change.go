package request

import (
	_ "embed" // the tables
	"maps"
	"strings"

	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

//go:embed change.txt
var changeText string

var changeTables = glossary.Tables(changeText)

// Project is what a request changes.
type Project struct {
	Kind     string
	Things   []*Thing // with the fields that they have
	Sections []string
}

// maxTitle bounds the words of a name of a project.
const maxTitle = 6

// What a name would be the name of, in a request that changes a project; the states are those of other requests.
const (
	adding   = things // what a project gets
	removing = placed // what it loses
	targeted = where  // it was just said to what something is added
)

// change is what was read of a request that changes a project, and is not done yet.
type change struct {
	old       Project
	had       map[*Thing]int // how many fields things had
	added     []addition
	dropped   []string // names of which it is not known yet of what they are
	done      []string // what is removed
	fields    bool     // what is added next is called a field
	given     *Thing   // what got the last field, and its name
	givenName string
	spoken    *Thing // of which something is said, and how many fields and parents it had
	size      int
	held      bool         // a field of it was held to something
	last      values.Rules // what was last said of a field
}

// addition is something that a project gets, of which it is not known yet whose it is.
type addition struct {
	item
	field bool // it is called a field
}

// Change reads a request that changes a project: it is as strict as those that begin one.
func Change(prompt string, l words.Lexicon, old Project) *Request {
	lex := withGrammar(l)
	maps.Copy(lex.Tables, changeTables)
	r := &Request{Text: words.Text{Tokens: tokensOf(treeOf(prompt), lex, "."), Lexicon: lex}, Kind: old.Kind, Things: old.Things}
	b := &builder{Request: r, grouped: -1}
	c := &change{old: old, had: map[*Thing]int{}}
	for _, t := range old.Things {
		c.had[t], t.known = len(t.Fields), true
	}
	b.again = func(t *Thing, it item) { c.more(b, t, it) }
	p := &parser{Text: r.Text, request: r, heads: map[string]bool{}, change: c}
	for _, each := range sentences(r.Text) {
		p.read(each[0], each[1], map[state]int{open: 0}).do(b)
		c.settle(b)
	}
	r.Removed = c.done
	c.relate(b)
	b.tellGuesses()
	return r
}

// changeEdges gives the ways to read what stands at a place of a request that changes a project.
func (p *parser) changeEdges(i, to int, s state) (out []edge) {
	if p.request.Kind == Site {
		return p.pageChanges(i, to, s)
	}
	if p.At(i).Mark {
		return p.changeMarks(i, to, s)
	}
	out = append(p.changeWords(i, to, s), p.amendEdges(i, s)...)
	switch s {
	case open:
		out = append(out, p.subjectOf(i, to)...)
		out = append(out, p.ruleEdges(i, to)...)
	case adding:
		out = append(out, p.addedEdges(i, to)...)
		out = append(out, p.newThings(i, to)...)
	case removing:
		out = append(out, p.droppedEdges(i, to)...)
	case fields:
		out = append(out, p.fieldEdges(i, to)...)
		out = append(out, p.cutFields(i, to)...)
		out = append(out, p.subjectOf(i, to)...)
	case above:
		out = append(out, p.ownerEdges(i, to)...)
	}
	return append(out, p.unread(i, s))
}

// changeMarks gives what a mark may mean in a request that changes a project.
func (p *parser) changeMarks(i, to int, s state) []edge {
	switch low := p.At(i).Low; {
	case low == "(":
		return p.changeBrackets(i, to, s)
	case low == ":" && s == named:
		return []edge{{i + 1, 1, fields, nil}}
	case low == ":" && s == targeted:
		return append(p.amended(i, to), p.unreadMark(i, s))
	case low == ":" && s == adding && p.class(i-1) != "adding":
		return []edge{p.unreadMark(i, s)}
	case s == named || s == targeted:
		return []edge{{i + 1, 1, open, nil}, {i + 1, 2, adding, nil}}
	case s == open:
		return []edge{{i + 1, 1, open, nil}}
	}
	return []edge{{i + 1, 1, s, nil}, {i + 1, 4, open, nil}}
}

// changeBrackets reads what stands in brackets: the fields of a thing, what follows a verb, or what is said of a field.
func (p *parser) changeBrackets(i, to int, s state) (out []edge) {
	end := p.closes(i)
	if end < 0 || end >= to {
		return []edge{p.unreadMark(i, s)}
	}
	inside := map[state]state{named: fields, adding: adding}[s]
	if verb := p.class(i-1) == "adding"; s == named || s == adding && verb {
		read := p.read(i+1, end, map[state]int{inside: 0})
		out = append(out, edge{end + 1, read.cost, s, read.do})
	}
	var it item
	list, _ := it.rules.Described(p.Text, []string{"it"}, i+1, end, &it.kind)
	if field := s == adding && p.Is("field-noun", p.At(i-1).Low); field && len(list) == 0 {
		out = append(out, edge{end + 1, 2, adding, func(b *builder) { p.change.amend(b, it) }})
	}
	return append(out, p.unreadMark(i, s))
}

// unreadMark is the way to read a mark that says nothing where it stands.
func (p *parser) unreadMark(i int, s state) edge {
	what := strings.TrimSpace(p.At(i-1).Low + " " + p.At(i).Low + " " + p.At(i+1).Low)
	return edge{i + 1, never, s, func(b *builder) { b.Unknown = append(b.Unknown, what) }}
}

// changeWords reads what means the same wherever it stands, and the verbs that say what is to be changed.
func (p *parser) changeWords(i, to int, s state) (out []edge) {
	if p.At(i).Quoted {
		return nil
	}
	m, n := p.Phrase(i)
	if n == 0 {
		return p.figureEdges(i, s)
	}
	phrase := p.Words(i, n)
	add := func(next state, cost int, do act) { out = append(out, edge{i + n, cost, next, do}) }
	if s == above && m.Class != "stop" {
		return nil
	}
	switch m.Class {
	case "stop", "join":
		out = append(out, p.changeLittle(i, n, s, m.Class)...)
	case "adding":
		add(adding, 5, nil)
	case "removing":
		add(removing, 5, nil)
	case "things":
		if next, ok := map[state]state{open: adding, adding: adding, removing: removing}[s]; ok && phrase != "for" {
			add(next, 6, nil)
		}
	case "kind", "to":
		if s == open || s == named {
			add(s, 4, nil)
		}
	case "place":
		if p.required(p.overLight(i + n)) { // keep it in SQLite
			add(open, 2, nil)
		}
	case "renaming", "named":
		out = append(out, p.newTitle(i, n)...)
	case "fields":
		out = append(out, p.changeFields(i, n, s)...)
	case "relation":
		if s == named {
			add(above, 3, map[bool]act{true: (*builder).reversed}[m.Value == "many"])
		}
	case "container":
		if after := s == named || s == targeted; after || s == adding && p.Is("holds", phrase) {
			out = append(out, edge{p.overCalls(i + n), 4, s, nil})
		}
	case "denial":
		out = append(out, p.denied(i, n, s)...)
	case "port", "module", "page-size":
		out = append(out, p.valued(m.Class, i, n, s)...)
	case "detail":
		if !p.Is("rule", phrase) {
			out = append(out, p.detailEdges(i, n, to, s, m.Value)...)
		}
	case "heart":
		add(s, usual, func(b *builder) { b.Hearts = append(b.Hearts, Omission{phrase, m.Value}) })
	case "language", "database", "auth", "cors", "license", "given":
		add(s, usual, p.setting(m, phrase, s == removing))
	}
	return append(out, p.wholeEdges(i, to, s)...)
}

// changeLittle reads a word that says little. In lists it would be a name, and what is done with "them" is not understood.
func (p *parser) changeLittle(i, n int, s state, class string) []edge {
	low := p.Words(i, n)
	after, lists := s == named || s == targeted, s == adding || s == fields
	switch {
	case class == "join" && after:
		return []edge{{i + n, 1, adding, nil}, {i + n, 1, open, nil}, {i + n, 2, named, nil}}
	case class == "join" && s != open:
		return []edge{{i + n, 1, s, nil}, {i + n, 3, open, nil}}
	case s == named && p.Is("gets", low):
		return []edge{{i + n, 2, fields, nil}}
	case s == open && (p.Is("creates", low) || p.Is("gets", low)):
		return []edge{{i + n, 3, adding, nil}, {i + n, 1, open, nil}}
	case p.Is("alters", low) && p.class(i+n) == "", p.Is("object", low) && s != removing, lists && p.Is("particle", low):
		return nil
	case s == adding && !p.passable(low, i+n):
		return nil
	}
	return []edge{{i + n, 1 + p.nameCost(i, n, s), s, nil}}
}

// passable says whether a word before a place says nothing where something is added.
func (p *parser) passable(low string, end int) bool {
	return p.Is("light", low) || p.Is("courtesy", low) || p.ends(end) || p.Vocabulary[low].Value == "filler"
}

// nameCost says what it costs to pass over a word that may be a name, or a part of one: in a list, or where it stands alone.
func (p *parser) nameCost(i, n int, s state) int {
	low := p.At(i + n - 1).Low
	ends := p.ends(i+n) || p.At(i+n).Low == "(" || p.cuts(i+n)
	filler := p.Vocabulary[low].Value == "filler" && !p.Is("describes", low)
	lists := s == adding || s == fields
	switch nameable := filler || p.fieldWord(low) || p.Is("also-name", low); {
	case lists && filler, ends && nameable && lists, ends && nameable && p.begins(p.backOver(i)):
		return strange + usual
	}
	return 0
}

// setting is the act of asking for something that every project can have, or of giving it up.
func (p *parser) setting(m glossary.Meaning, phrase string, denied bool) act {
	if denied {
		return func(b *builder) { b.deny(m, phrase) }
	}
	return func(b *builder) { b.option(m, phrase) }
}

// changeFields reads a word such as "with": the fields of a thing follow, or something is called a field.
func (p *parser) changeFields(i, n int, s state) (out []edge) {
	noun := p.Is("field-noun", p.At(i+n-1).Low)
	switch {
	case noun && (s == adding || s == removing):
		end := p.After(i+n, "for", "called", "named", ":")
		out = append(out, edge{end, 1, s, p.change.called(s, end > i+n)})
	case s == named || s == targeted:
		out = append(out, edge{i + n, 2, fields, nil})
	case s == open && i > 0 && p.Is("narrator", p.At(i-1).Low): // can we have a phone
		out = append(out, edge{i + n, 3, adding, nil})
	case s == fields:
		out = append(out, edge{i + n, 3, fields, nil})
	case s == open && p.required(p.overLight(i+n)): // secure it with a token
		out = append(out, edge{i + n, 3, open, nil})
	}
	return out
}
