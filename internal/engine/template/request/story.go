package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
)

const background = "background"

// storyEdges reads a clause that only tells of somebody, or why something is wanted. It is known by its
// form, and asks for nothing.
func (p *parser) storyEdges(i, to int) (out []edge) {
	out = p.fragment(i, to)
	why := p.Length(i, "because")
	if !p.begins(i) && why == 0 {
		return out
	}
	who := max(p.Length(i+why, "narrator"), p.Length(i+why, "told"))
	own := p.Is("own", p.At(i+why).Low)
	if why+who == 0 && !own {
		return out
	}
	mine := why > 0 && (p.Length(i+why, "narrator") > 0 && !p.Is("others", p.At(i+why).Low) || p.Is("because-i", p.Words(i, why)))
	for end := i + why + who + 1; end <= to; end++ {
		if end < to && !p.clauseEnds(end) {
			if p.demands(end, mine) {
				return out
			}
			continue
		}
		if p.demandsWithin(i+why, end, mine) {
			return out
		}
		if (why > 0 || who > 0 || p.verbWithin(i+1, end)) && end > i+1 {
			what := p.text(i, end)
			out = append(out, edge{end, 20 + 2*(end-i), open, func(b *builder) { b.story(what, p.names, i, end) }})
		}
		if end < to && p.At(end).Mark && p.At(end).Low != "," {
			return out
		}
	}
	return out
}

const longestFragment = 8

// fragment reads words without a verb at the beginning of a request that only say who asks: taxi firm, 14 cars.
func (p *parser) fragment(i, to int) (out []edge) {
	if p.request.Kind == "" || i > 0 && (!p.beginsItem(i) || len(p.request.Things) > 0) {
		return nil
	}
	for end := i + 1; end <= min(to, i+longestFragment); end++ {
		m, _ := p.Phrase(end - 1)
		list := m.Class == "fields" || m.Class == "relation" || m.Class == "to" || m.Class == "denial" || p.At(end-1).Low == "("
		if p.demands(end-1, false) || list {
			return out
		}
		stops := end < to && p.At(end).Mark && p.At(end).Low != "(" && p.kindWithin(end, to)
		if (end == to || stops) && !p.tellsNothing(i, end) {
			what := p.text(i, end)
			out = append(out, edge{end, 70, open, func(b *builder) { b.story(what, p.names, i, end) }})
		}
	}
	return out
}

// kindWithin says whether a word for a kind of project stands between two places.
func (p *parser) kindWithin(from, to int) bool {
	for i := from; i < to; i++ {
		if p.Phraseful(i, "kind") {
			return true
		}
	}
	return false
}

// clauseEnds says whether a clause may end at a place.
func (p *parser) clauseEnds(i int) bool {
	if n := p.Length(i, "narrator"); n > 0 && p.Is("wish", p.At(i+n).Low) { // because it got lost I need
		return true
	}
	return p.At(i).Mark || p.class(i) == "join" || p.At(i).Low == "but" || p.At(i).Low == "so"
}

// demandsWithin says whether words ask for something.
func (p *parser) demandsWithin(from, to int, why bool) bool {
	for k := from; k < to; k++ {
		if p.demands(k, why) {
			return true
		}
	}
	return false
}

func (p *parser) demands(i int, why bool) bool {
	m, _ := p.Phrase(i)
	if p.Is("little", p.At(i).Low) {
		return false
	}
	if m.Class == "detail" && m.Value == "dates" {
		return false
	}
	if p.Is("the-project", p.At(i).Low) && (p.At(i-1).Mark || p.class(i-1) == "join") && !p.ends(i+1) || p.Length(i, "demand") > 1 {
		return true
	}
	if w := p.At(i).Low; (w == "let" || w == "rent") && p.At(i+1).Low == "out" {
		return false
	}
	classes := []string{"kind", "language", "database", "auth", "cors", "license", "port", "module", "named", "page-size", "operation", "heart", "detail", "relation"}
	return !why && p.Is("demand", p.At(i).Low) || slices.Contains(classes, m.Class) && !p.Is("also-name", p.At(i).Low)
}

// verbWithin says whether something is told of somebody: a verb of everyday life, or a form of to be.
func (p *parser) verbWithin(from, to int) bool {
	for k := from + 1; k < to; k++ {
		w := p.At(k).Low
		if p.Is("copulas", w) || slices.ContainsFunc(english.Bases(w), func(b string) bool { return p.Is("life", b) }) {
			return true
		}
	}
	return false
}

// behindEdges reads what stands behind the name of a thing and says where, or whose, it is.
func (p *parser) behindEdges(i, to int, s state) (out []edge) {
	context := func(end, cost int) {
		what := p.text(i, end)
		out = append(out, edge{end, cost, s, func(b *builder) { b.leave(what, background) }})
	}
	if p.Is("behind", p.At(i).Low) {
		at := i + 1
		for p.Is("light", p.At(at).Low) || p.Is("own", p.At(at).Low) {
			at++
		}
		for _, n := range p.names(at) {
			whole := strings.Join(n.words, "_")
			switch {
			case n.end > to || !p.closed(n.end):
			case (p.known(whole) || english.IsPlural(whole) && p.seen[whole] > 1) && p.At(i).Low != "for":
				out = append(out, edge{n.end, 8, named, func(b *builder) { b.parent(n.words) }})
			case p.At(i).Low == "for" && s == placed && p.class(i-1) == "kind" && p.Is("own", p.At(i+1).Low) && p.At(n.end).Low != ":" && p.At(n.end).Low != "(":
				context(n.end, 4+n.cost) // a feedback API for my workshops
			case p.At(i).Low == "by" && p.fieldWord(n.words[len(n.words)-1]):
				what := p.text(i, n.end)
				out = append(out, edge{n.end, 12, s, func(b *builder) { b.leave(what, "grouping records") }})
			case at > i+1 || english.IsPlural(n.words[len(n.words)-1]) && p.At(i).Low != "by" && (p.At(i).Low != "for" || s == named):
				context(n.end, 14+n.cost+2*(n.end-i)+map[bool]int{true: 0, false: 12}[at > i+1])
			}
		}
	}
	who := max(p.Length(i, "narrator"), p.Length(i, "own"))
	if p.Is("relative", p.At(i).Low) {
		if who = max(p.Length(i+1, "narrator"), p.Length(i+1, "own")); who > 0 {
			who++
		}
	}
	for end := i + who + 1; who > 0 && end <= to; end++ {
		if (p.At(end).Mark || end == to) && !p.demandsWithin(i, end, false) {
			context(end, 22+2*(end-i))
		}
		if p.At(end).Mark {
			break
		}
	}
	return out
}
