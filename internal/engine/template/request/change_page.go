package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/plaintext"
)

// longestPart bounds the words of a part that a page gets.
const longestPart = 7

// pageChanges gives the ways to read what stands at a place of a request that changes a page.
func (p *parser) pageChanges(i, to int, s state) (out []edge) {
	if p.At(i).Mark {
		return p.pageChangeMarks(i, s)
	}
	out = append(out, p.pageChangeWords(i, to, s)...)
	if s == open || s == parts {
		out = append(out, p.newFacts(i, to, s)...)
	}
	switch s {
	case parts:
		out = append(out, p.newParts(i, to)...)
	case removing:
		out = append(out, p.droppedParts(i, to)...)
	}
	return append(out, p.unread(i, s))
}

// pageChangeMarks gives what a mark may mean in a request that changes a page.
func (p *parser) pageChangeMarks(i int, s state) []edge {
	switch low := p.At(i).Low; {
	case low == "(" || low == ")":
		return []edge{p.unreadMark(i, s)}
	case s == open:
		return []edge{{i + 1, 1, open, nil}}
	}
	return []edge{{i + 1, 1, s, nil}, {i + 1, 3, open, nil}}
}

// pageChangeWords reads what means the same wherever it stands, and the verbs that say what is to be changed.
func (p *parser) pageChangeWords(i, to int, s state) (out []edge) {
	m, n := p.Phrase(i)
	phrase := p.Words(i, n)
	add := func(next state, cost int, do act) { out = append(out, edge{i + n, cost, next, do}) }
	if n == 0 || p.At(i).Quoted {
		return nil
	}
	switch m.Class {
	case "stop", "join":
		out = append(out, p.pageChangeLittle(i, n, s, m.Class)...)
	case "adding":
		add(parts, 4, nil)
	case "removing":
		add(removing, 4, nil)
	case "renaming", "named":
		out = append(out, p.newTitle(i, n)...)
	case "kind":
		switch {
		case m.Value != Site:
		case s == parts && p.class(i-1) != "to" && p.class(p.backOver(i)-1) != "to": // a page about our bread
			add(s, 3, func(b *builder) { b.leave("a "+phrase+" of its own", "it is a section of the one page") })
		default:
			add(s, 3, nil)
		}
	case "fields":
		if p.Is("page", p.At(i).Low) { // sections for
			add(s, 1, nil)
		}
	case "things":
		if p.Is("page", p.At(i-1).Low) { // a section for
			add(s, 1, nil)
		}
	case "page-size": // to the page
		add(s, 2, nil)
	case "to", "place":
		if k := p.overLight(i + n); p.Phraseful(k, "kind") { // to the page
			out = append(out, edge{k, 2, s, nil})
		}
	case "denial":
		out = append(out, p.denied(i, n, s)...)
	case "port", "module":
		out = append(out, p.valued(m.Class, i, n, s)...)
	case "license", "given":
		add(s, usual, p.setting(m, phrase, s == removing))
	case "language", "database", "auth", "cors":
		add(s, usual, func(b *builder) { b.Hearts = append(b.Hearts, Omission{phrase, "a site has no server of its own"}) })
	case "heart":
		cost := usual + map[bool]int{true: strange}[p.Is("also-name", phrase)]
		add(s, cost, func(b *builder) { b.Hearts = append(b.Hearts, Omission{phrase, m.Value}) })
	case "detail":
		if m.Value != "dates" {
			out = append(out, p.detailEdges(i, n, to, s, m.Value)...)
		}
	}
	if p.Is("page", p.At(i).Low) && s != open && m.Class != "kind" { // a gallery section
		out = append(out, edge{i + 1, 1, s, nil})
	}
	return out
}

// pageChangeLittle reads a word that says little: where parts are expected it would be one.
func (p *parser) pageChangeLittle(i, n int, s state, class string) []edge {
	low := p.Words(i, n)
	light := p.Is("light", low) || p.Is("courtesy", low)
	switch {
	case class == "join" && s != open:
		return []edge{{i + n, 1, s, nil}, {i + n, 3, open, nil}}
	case s == open && p.Vocabulary[low].Value != "filler" || light:
		return []edge{{i + n, 1, s, nil}}
	case s == open:
		return []edge{{i + n, 4, s, nil}}
	}
	return nil
}

// newFacts reads what is told of the owner of a page: a phone number, hours, an address, behind what that is called.
func (p *parser) newFacts(i, to int, s state) []edge {
	label := max(p.Length(i, "fill-in"), p.Length(i, "page-opens"))
	at := p.After(i+label, ":", "is", "to", "are", "at", "now")
	f := p.factAt(at)
	if label == 0 && s != parts || f.end <= at || f.end > to {
		return nil
	}
	return []edge{{f.end, certain, s, func(b *builder) { b.fact(f, "", false) }}}
}

// newParts reads the name of a part that a page gets.
func (p *parser) newParts(i, to int) (out []edge) {
	if t := p.At(i); t.Quoted {
		return []edge{{i + 1, likely, parts, func(b *builder) { b.part(plaintext.Slug(t.Text)) }}}
	}
	if first := p.overLight(i); p.Phraseful(first, "kind") || p.Is("page", p.At(first).Low) {
		return nil
	}
	for end := i + 1; end <= to && end < i+longestPart && p.inPart(i, end-1); end++ {
		all := p.partWords(i, end)
		if !p.closesPart(end, to) || !p.isPart(all) {
			continue
		}
		whole, slug, known := strings.Join(all, " "), strings.Join(all, "-"), p.knownPart(all)
		if !known && (p.onServer(all) || p.Is("page-undone", whole)) {
			out = append(out, edge{end, omitted, parts, func(b *builder) { b.leave(whole, "interactive parts") }})
			continue
		}
		cost := map[bool]int{true: certain, false: possible}[known] + p.strangers(i, end)
		out = append(out, edge{end, cost, parts, func(b *builder) { b.part(slug) }})
	}
	return out
}

// strangers says what it costs that words of a part mean something else elsewhere.
func (p *parser) strangers(from, end int) (cost int) {
	for k := from; k < end; k++ {
		if c := p.class(k); c != "" && c != "stop" {
			cost += opens
		}
	}
	return cost
}

// toPage says whether it is said at a place that something is for the page.
func (p *parser) toPage(i int) bool {
	return p.Phraseful(i, "page-size") || p.Phraseful(i, "to") && p.Phraseful(p.overLight(i+1), "kind")
}

// inPart says whether a word can be one of those that name a part.
func (p *parser) inPart(from, i int) bool {
	t, c := p.At(i), p.class(i)
	switch {
	case t.Mark || t.Quoted || t.Capital, p.IsFigure(i) || p.toPage(i), strings.ContainsAny(t.Low, "@/.0123456789"):
		return false
	case c == "" || c == "stop", p.partWord(i) || p.Is("also-name", t.Low):
		return true
	}
	return i > from && p.Is("within-part", c)
}

// closesPart says whether the name of a new part can end at a place.
func (p *parser) closesPart(i, to int) bool {
	if i == to || p.ends(i) || p.toPage(i) {
		return true
	}
	return p.Is("page", p.At(i).Low) || p.Phraseful(i, "to") || p.Is("courtesy", p.At(i).Low)
}

// isPart says whether words name a new part, and say no more of one that the page has: the menu first.
func (p *parser) isPart(all []string) bool {
	first, end := all[0], all[len(all)-1]
	if p.Is("light", first) && len(all) == 1 || p.Is("never-section", end) || p.Is("inside-section", end) {
		return false
	}
	return len(all) == 1 || p.Is("light", all[1]) || !slices.Contains(p.change.old.Sections, first)
}

// droppedParts reads the name of a part that a page loses.
func (p *parser) droppedParts(i, to int) (out []edge) {
	c := p.change
	for end := i + 1; end <= to && !p.At(end-1).Mark; end++ {
		if section := strings.ReplaceAll(p.text(i, end), " ", "-"); slices.Contains(c.old.Sections, section) {
			out = append(out, edge{end, 2, removing, func(*builder) { c.done = append(c.done, section) }})
		}
	}
	return out
}
