package request

import (
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
)

// partEdges reads a part of a page.
func (p *parser) partEdges(i, to int, s state) (out []edge) {
	if s == about || s != parts && !p.begins(i) || p.At(i).Quoted {
		return nil
	}
	if s == parts && !p.begins(i) && !p.begins(p.backLittle(i)) && !p.opensParts(i) {
		return nil
	}
	end := p.itemEnd(i, to)
	for k := i + 1; k <= end; k++ {
		f, ok := p.spans[k]
		if k < end && !(ok && f.role < titleName) && !p.spannedAfter(k) && !p.locatedAt(k) && p.doer(k) == 0 && !p.forWhom(k) {
			continue
		}
		if p.byPhone(k) {
			continue
		}
		out = append(out, p.partEdge(i, k, to, s)...)
	}
	return out
}

// locatedAt says whether the name of a place follows, and the word that says so.
func (p *parser) locatedAt(i int) bool {
	n := p.Length(i, "page-at")
	f, ok := p.spans[i+n]
	return n > 0 && ok && f.role == placeName
}

// forWhom says whether it is told behind a part what the page is for.
func (p *parser) forWhom(i int) bool {
	f, ok := p.spans[i+1]
	return p.At(i).Low == "for" && ok && f.role == titleName
}

// byPhone says whether it is told behind a word how to reach somebody for it: booking by phone.
func (p *parser) byPhone(i int) bool {
	return p.At(i).Low == "by" && p.Is("interactive", p.At(i-1).Low) && p.spannedAfter(i)
}

// opensParts says whether the word before a place may open a list of parts.
func (p *parser) opensParts(i int) bool {
	for k := i - 1; k >= 0 && k > i-7; k-- {
		m, n := p.Phrase(k)
		opens := m.Class == "fields" || m.Class == "adding" || m.Class == "things" ||
			p.Length(k, "page-asks")+p.offersAt(k)+p.Length(k, "sees")+p.Length(k, "page-offering") > 0
		if n = max(n, p.Length(k, "page-asks"), p.offersAt(k), p.Length(k, "sees"), p.Length(k, "page-offering")); opens &&
			p.backLittle(i) <= k+n {
			return true
		}
	}
	return false
}

// spannedAfter says whether a fact follows behind little words: contact with my mail …
func (p *parser) spannedAfter(i int) bool {
	if p.class(i) != "stop" && p.class(i) != "fields" && !p.Is("page-fact", p.At(i).Low) {
		return false
	}
	for k := i; k < i+5 && !p.At(k).Mark; k++ {
		if f, ok := p.spans[k]; ok {
			return f.role < titleName
		}
		if !p.Is("page-fact", p.At(k).Low) && !p.Is("light", p.At(k).Low) {
			return false
		}
	}
	return false
}

// partEdge gives the way to read some words as a part of a page, or as one that it cannot have.
func (p *parser) partEdge(i, end, to int, s state) []edge {
	all := p.partWords(i, end)
	whole := strings.Join(all, " ")
	known := p.knownPart(all)
	server := p.Is("page-undone", whole) || !known && p.onServer(all)
	cost := p.partCost(i, end, all, known)
	if label := !known && p.labels(i, end) && (p.spanned(end) || p.spannedAfter(end) || p.At(end).Low == ":" && p.spanned(end+1)) && !p.partWord(i); label {
		return nil
	}
	if hanging := p.Is("particle", p.At(end-1).Low) && !p.Is("asking", p.At(end-1).Low) && p.spanned(end); cost >= never || hanging {
		return nil
	}
	if s == parts && !known && !p.isListed(i) && !p.listsParts(p.group[i]) {
		cost += told
	}
	if s != parts {
		switch {
		case p.Is("page-fact", whole) && !known:
			return nil
		case known:
			cost += unlisted
		case !p.evidence(i, to):
			return nil
		default:
			cost += unlisted + certain
		}
	}
	separate := p.Is("page", p.At(end-1).Low) && strings.HasPrefix(p.At(end-1).Low, "page") && end > i+1
	text := p.text(i, end)
	slug := strings.Join(all, "-")
	switch {
	case server && !(p.At(end).Low != "" && p.spanned(end)):
		return []edge{{end, min(cost, omitted), s, func(b *builder) { b.leave(whole, "interactive parts") }}}
	case p.Is("fill-in", whole) && !known:
		return []edge{{end, cost, s, func(b *builder) { b.leave(whole, "yours to fill in") }}}
	}
	return []edge{{end, cost, parts, func(b *builder) {
		if separate {
			b.leave(text, "separate pages: it is a section of the one page")
		}
		b.part(slug)
	}}}
}

// labels says whether all of some words only say which fact follows.
func (p *parser) labels(from, end int) bool {
	for k := from; k < end; k++ {
		if !p.Is("page-fact", p.At(k).Low) && !p.Is("light", p.At(k).Low) {
			return false
		}
	}
	return true
}

// onServer says whether the words of a part tell of something that needs a server.
func (p *parser) onServer(all []string) bool {
	last := all[len(all)-1]
	if p.Is("section", last) || p.Is("layout", last) {
		return false
	}
	for _, w := range all {
		if p.Is("interactive", w) || p.Is("page-undone", w) {
			return all[0] != "how" && last != "phone" && last != "email"
		}
	}
	return false
}

// isListed says whether a word before a place opens a list of parts.
func (p *parser) isListed(i int) bool { return p.sectioned[i] || p.explicit[i] }

// partCost says what it costs to take some words for a part of a page, or never.
func (p *parser) partCost(from, end int, all []string, known bool) int {
	begin := from
	for begin < end-1 && p.Is("determiner", p.At(begin).Low) {
		begin++
	}
	first := p.At(begin).Low
	asks := p.Is("asking", first) && end > begin+1
	fixed := p.Length(begin, "fixed-name")
	named, listed := false, p.sectioned[from] && end-from < 6
	for k := begin; k < end; k++ {
		t := p.At(k)
		m, n := p.Phrase(k)
		f, spanned := p.spans[k]
		part := p.Is("section", t.Low) || p.Length(k, "layout") > 0 || p.Is("other-part", t.Low)
		server := p.Is("interactive", t.Low) || p.Is("page-undone", t.Low)
		switch {
		case spanned && f.role != partName && f.role != titleName || figure(t.Low) || t.Quoted:
			return never
		case spanned && f.role == titleName && p.At(k-1).Low != "about":
			return never
		case k < begin+fixed:
			named = true
		case m.Class == "heart" && n > 1 && !p.Is("advertised", m.Value) && !p.Is("asking", t.Low) && !known:
			return never
		case m.Class == "heart" && server && !known:
			return never
		case part || m.Class == "" || server || spanned:
			named = true
		case m.Value == "filler" || p.Is("also-name", t.Low):
			named = named || k > begin || end == begin+1
		case p.Is("asking", t.Low) || p.Is("in-part", t.Low):
		case m.Class == "stop" && (k > begin || known) && !p.Is("courtesy", t.Low), m.Class == "join", m.Class == "to":
		case m.Class == "kind" && (p.endsPart(t.Low) && k == end-1 || m.Value != Site && k > begin):
		case m.Class == "place" && k > begin, m.Class == "things" && k > begin, m.Class == "fields" && k > begin && (asks || n == 1 &&
			p.endsPart(t.Low)):
		case m.Class == "heart" && (p.Is("advertised", m.Value) || p.Is("also-name", t.Low) || known), m.Class == "detail" && (known ||
			k > begin), m.Class == "container", m.Class == "operation" && n < 2, m.Class == "given":
			named = true
		case m.Class == "stop" && end == begin+1 && !p.Is("courtesy", t.Low) && !p.Is("light", t.Low) && len(t.Low) > 3:
			named = true
		case end == begin+1 && (m.Class == "license" || m.Class == "auth" || m.Class == "port" || m.Class == "module"):
			named = true
		case known, asks && m.Class != "heart", listed && m.Class != "heart" && m.Class != "language" && m.Class != "kind":
		default:
			return never
		}
	}
	size := len(all)
	last := all[size-1]
	switch {
	case project.NotSectionName(strings.Join(all, "-")) || !named && !known && !listed && !p.Is("asking", first) ||
		p.Is("never-section", strings.Join(all, " ")):
		return never
	case known:
		return certain
	case end == begin+1 && p.Is("asking", first):
		return likely
	case !asks && !listed && p.Is("page-at", first) && p.class(begin) == "place":
		return never
	case fixed > 0:
		return likely
	case p.Is("breaks-list", first) && end > begin+1 && !asks && !listed && !p.Is("section", first), p.tells(begin, end) && !asks:
		return never
	case asks, p.Is("section", last), p.Is("layout", last), p.Is("layout", all[0]):
		return likely - 2 + max(0, size-4)
	}
	return unknown + 2*max(0, size-2)
}

// tells says whether some words are a sentence: somebody or something is, or does.
func (p *parser) tells(from, end int) bool {
	for k := from; k < end; k++ {
		switch p.At(k).Low {
		case "is", "are", "was", "were", "am", "has", "had", "does", "should", "must", "will", "can", "would", "i'm", "we're", "it's",
			"cannot", "can't", "don't":
			return true
		}
	}
	return p.Length(from, "teller") > 0 && end > from+1 && !p.Is("section", p.At(from).Low)
}

// evidence says whether a part of a page that everybody knows stands beside what is at a place, or several others.
func (p *parser) evidence(i, to int) bool {
	from := p.sentence[i]
	if p.At(p.group[i]-1).Low == "(" {
		from = p.group[i]
	}
	found := p.itemsFrom(from)
	if p.knownPart(p.partWords(i, p.itemEnd(i, to))) {
		found.known--
	}
	return found.known > 0 || found.short > 2
}
