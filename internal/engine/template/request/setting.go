package request

import (
	"slices"
	"strconv"

	"github.com/bundle-delivery/svc/internal/words"
)

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
