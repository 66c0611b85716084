package request

import "strings"

// tellEdges reads what only tells: of looks, of what visitors do, of somebody's life, or of the owner.
func (p *parser) tellEdges(i, to int, s state) (out []edge) {
	out = append(out, p.visitorEdges(i, to)...)
	out = append(out, p.pageStories(i, to, s)...)
	if !p.begins(i) && !p.begins(p.backLittle(i)) && !p.Phraseful(i-1, "fields") {
		return out
	}
	end := p.itemEnd(i, to)
	leave := func(end, cost int, why string) {
		what := p.text(i, end)
		out = append(out, edge{end, cost, s, func(b *builder) { b.leave(what, why) }})
	}
	if n := p.Length(i, "manner"); n > 0 && (p.ends(i+n) || i+n >= to) {
		leave(i+n, likely, ofLooks)
	}
	if end > i && p.looksAt(i, end) && !p.wishes(i, end) {
		leave(end, omitted, ofLooks)
	}
	if n := p.Length(i, "page-does"); n > 0 && end > i+n && p.nextSpan(i, end-i) == i {
		leave(end, possible+2, needsServer)
	}
	if p.figuresIn(i, end) && p.nextSpan(i, end-i) == i && !p.spanned(i) && !p.wishes(i, end) {
		leave(end, numbers, yoursToFill)
	}
	if n := p.Length(i, "venue"); n > 0 && (p.ends(i+n) || i+n >= to) {
		f := span{i, i + n, placeName, asTitle(strings.Fields(p.Words(i, n)))}
		out = append(out, edge{i + n, certain, named, p.takes(f, "")})
	}
	for k := i; k < end; k++ {
		if f := p.spans[p.nextSpan(k, 3)]; p.Length(k, "page-at") > 0 && k > i && f.role == placeName && p.plainItem(i, k) {
			leave(k, remarked, yoursToSay)
		}
	}
	if s == parts && !p.trait(i, end) || end == i || end > i+6 {
		return out
	}
	if p.remark(i, end) && !p.wishes(i, end) && p.plainItem(i, end) {
		leave(end, map[bool]int{true: likely - 1, false: remarked}[p.trait(i, end)], yoursToSay)
	}
	return out
}

// looksAt says whether an item says how a page is to look.
func (p *parser) looksAt(i, end int) bool {
	last := end - 1
	for last > i && (p.class(last) == "stop" || p.Phraseful(last-2, "stop") && p.class(last) == "") {
		last--
	}
	return p.Is("page-looks", p.At(last).Low) && last > i && p.nextSpan(i, end-i) == i
}

// trait says whether an item only says something of what a page is about.
func (p *parser) trait(i, end int) bool {
	if end <= i+1 {
		return false
	}
	return p.Is("page-trait", p.At(i).Low) || p.Is("page-trait", p.At(end-1).Low)
}

// plainItem says whether an item holds a word that means nothing, and none that asks for anything.
func (p *parser) plainItem(i, end int) bool {
	plain := false
	for k := i; k < end; k++ {
		m, _ := p.Phrase(k)
		if f, ok := p.spans[k]; ok && f.role != otherName {
			return false
		}
		plain = plain || m.Class == "" || m.Value == "filler"
		if m.Class == "kind" || m.Class == "fields" || m.Class == "named" || m.Class == "language" || m.Class == "denial" || m.Class == "adding" {
			return false
		}
	}
	return plain
}

// figuresIn says whether a number stands in an item.
func (p *parser) figuresIn(i, end int) bool {
	for k := i; k < end; k++ {
		if figure(strings.TrimLeft(p.At(k).Low, "€$£+")) || p.IsFigure(k) {
			return true
		}
	}
	return false
}

// doer gives the number of words that say that somebody can do what follows.
func (p *parser) doer(i int) int {
	who := p.Length(i, "visitor")
	if w := p.At(i).Low; w == "i" || w == "we" {
		who = 1
	}
	if may := p.Length(i+who, "may"); who*may > 0 {
		return who + may
	}
	return 0
}

// visitorEdges reads what visitors of a page can do: they see what it has, and what else they do it cannot.
func (p *parser) visitorEdges(i, to int) []edge {
	doer := p.doer(i)
	if doer == 0 {
		return nil
	}
	who, may := 0, doer
	if n := p.Length(i+who+may, "sees"); n > 0 {
		return []edge{{i + who + may + n, opens, parts, nil}}
	}
	end := min(p.NextMark(i), to, i+longestItem)
	what := p.text(i, end)
	return []edge{{end, omitted, open, func(b *builder) { b.leave(what, needsServer) }}}
}

// pageStories reads a clause that only tells of somebody, or why a page is wanted.
func (p *parser) pageStories(i, to int, s state) (out []edge) {
	why := max(p.Length(i, "because"), p.Length(i, "cause"))
	relative := (p.Is("relative", p.At(i).Low) || p.At(i).Low == "where") && (!p.begins(i) || p.At(i).Low == "which")
	cost := told
	if n := p.Length(i, "page-participle"); (n > 0 || strings.HasSuffix(p.At(i).Low, "ing") && p.class(i) == "") && !p.begins(i) &&
		s == named {
		relative, cost = true, possible
	}
	if p.Is("asking", p.At(i).Low) && !relative {
		return nil
	}
	at := i + why
	who := max(p.Length(at, "teller"), p.Length(at, "narrator"), p.Length(at, "whose"), p.Length(at, "told"))
	thing := p.At(at).Low == "the" || p.At(at).Low == "this" || p.At(at).Low == "there"
	third := (p.sentenceBegins(i) || thing && p.begins(i)) && p.tells(i+1, p.itemEnd(i, to))
	if why+who == 0 && !relative && !third || !p.begins(i) && why == 0 && !relative {
		return nil
	}
	for end := at + max(who, 1) + 1; end <= to && end < i+longestItem; end++ {
		if end < to && !p.At(end).Mark && p.class(end) != "join" && !(cost < told && p.locatedAt(end)) {
			continue
		}
		if p.asksWithin(at, end, why > 0 || relative) || !p.remark(at, end) {
			return out
		}
		if why > 0 || third || p.verbOf(at, end, who > 0 || relative) {
			what := p.text(i, end)
			out = append(out, edge{end, cost + (end-i)/2, open, func(b *builder) { b.leave(what, background) }})
		}
		if p.At(end).Mark || p.offersAt(i) > 0 {
			return out
		}
	}
	return out
}

// asksWithin says whether words ask for something.
func (p *parser) asksWithin(from, end int, why bool) bool {
	for k := from; k < end; k++ {
		m, _ := p.Phrase(k)
		w := p.At(k).Low
		if p.Is("wish", w) && w != "has" && w != "have" && w != "can" && w != "only" && !why || p.Is("page-must", w) ||
			m.Class == "kind" && m.Value == Site || m.Class == "language" || m.Class == "named" && !why || m.Class == "fields" &&
			w != "has" && w != "have" && w != "with" {
			return true
		}
	}
	return false
}

// verbOf says whether something is told within some words.
func (p *parser) verbOf(from, end int, sure bool) bool {
	return p.verbWithin(from-1, end) || sure && end > from+2 || p.tells(from, end)
}

// tellsNothing says whether there are only little words between two places.
func (p *parser) tellsNothing(from, to int) bool {
	for k := from; k < to; k++ {
		if m, _ := p.Phrase(k); m.Class != "stop" || m.Value == "filler" {
			return false
		}
	}
	return true
}
