package request

import (
	"regexp"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// What readings of the words of a request for a page cost: facts and names are known by their form, and
// are hardly ever anything else; what is only told is the last resort before a refusal.
const (
	little    = 1  // says nothing
	certain   = 2  // a fact, a name, a part that everybody knows
	opens     = 3  // opens a list, or says what follows
	likely    = 6  // a part with an ending that everybody knows
	unknown   = 7  // a part that nobody knows
	possible  = 12 // something without a name
	omitted   = 8  // something that a page cannot do, by its name
	numbers   = 14 // figures that nobody can place
	told      = 20 // a clause that only tells
	remarked  = 26 // a few words that say something of the owner
	cannotBe  = 30 // what refuses the request
	unlisted  = 8  // more for a part that no list is told of
	unrelated = 16 // more for an unknown part in such a list
)

// longestItem is the number of words that a part of a list may have.
const longestItem = 30

var plainLike = regexp.MustCompile(`^[\pL\d][\pL\d&' .-]*$`)

const (
	yoursToSay  = "yours to say in the text"
	yoursToFill = "numbers and dates are yours to fill in"
	needsServer = "what visitors do on a page needs a server"
	ofLooks     = "colours and themes"
)

// pageStarts gives what may be read at the beginning of a sentence for a page.
func (p *parser) pageStarts(i int) map[state]int {
	if p.spans == nil {
		p.look()
	}
	out := map[state]int{open: 0}
	if p.listsParts(i) {
		out[parts] = opens
	}
	return out
}

// pageEdges gives the ways to read what stands at a place in a request for a page.
func (p *parser) pageEdges(i, to int, s state) (out []edge) {
	if p.At(i).Mark {
		return p.pageMarks(i, to, s)
	}
	out = append(out, p.spanEdges(i, s)...)
	if p.spanned(i) && p.spans[i].role >= titleName {
		out = append(out, p.partEdges(i, to, s)...)
		out = append(out, p.pageStories(i, to, s)...)
		return append(out, p.unread(i, s))
	}
	if p.At(i).Quoted {
		return append(out, p.unread(i, s))
	}
	out = append(out, p.labelEdges(i, to, s)...)
	out = append(out, p.pageWords(i, to, s)...)
	out = append(out, p.subjectEdges(i, to, s)...)
	out = append(out, p.partEdges(i, to, s)...)
	out = append(out, p.tellEdges(i, to, s)...)
	return append(out, p.unread(i, s))
}

// pageMarks gives what a mark may mean in a request for a page.
func (p *parser) pageMarks(i, to int, s state) (out []edge) {
	t := p.At(i)
	if t.Low == "(" {
		return p.pageBrackets(i, to, s)
	}
	costs := map[state]int{open: little, named: little, parts: opens, s: 0}
	switch {
	case s == parts && t.Low == ",":
		costs[open], costs[named] = opens, opens
	case s == about:
		costs[parts] = possible
	case t.Low == ":":
		costs[parts] = little
	}
	for next, cost := range costs {
		out = append(out, edge{i + 1, cost, next, nil})
	}
	return out
}

// pageBrackets reads what stands in brackets: facts, names, a list of parts, or a remark.
func (p *parser) pageBrackets(i, to int, s state) (out []edge) {
	end := p.closes(i)
	if end < 0 || end > to || end == i+1 {
		return []edge{{i + 1, 0, s, nil}}
	}
	starts := map[state]int{open: little, named: little, parts: possible}
	if p.sectioned[i+1] && !p.sectioned[i] || s == parts && !p.ends(i-1) && p.Phraseful(i-1, "fields") || p.sectioned[i] &&
		p.Is("page-tells", p.At(i-1).Low) {
		starts = map[state]int{parts: 0}
	}
	inside := p.read(i+1, end, starts)
	out = append(out, edge{end + 1, inside.cost, s, inside.do})
	if what := p.Written(i+1, end); p.remark(i+1, end) {
		cost := remarked
		for k := i + 1; k < end; k++ {
			if p.spanned(k) && p.spans[k].role != otherName {
				cost += told
			}
		}
		out = append(out, edge{end + 1, cost, s, func(b *builder) { b.leave(what, yoursToSay) }})
	}
	return out
}

// remark says whether some words ask for nothing, and tell no fact.
func (p *parser) remark(from, end int) bool {
	for k := from; k < end; k++ {
		m, _ := p.Phrase(k)
		s, known := p.spans[k]
		if known && s.role != placeName && s.role != otherName && s.role != regionName || m.Class == "heart" &&
			!p.Is("also-name", p.At(k).Low) && !p.Is("advertised", m.Value) || m.Class == "kind" && m.Value == Site {
			return false
		}
	}
	return true
}

// spanEdges reads facts and names, with what stands before them and says that they are a place.
func (p *parser) spanEdges(i int, s state) (out []edge) {
	next := named
	if s == parts {
		next = parts
	}
	if f, ok := p.spans[i]; ok {
		out = append(out, edge{f.end, certain, next, p.takes(f, "")})
	}
	n := p.Length(i, "page-at")
	for k := n; k > 0; k-- {
		at := i + k
		for at < i+k+3 && p.Is("light", p.At(at).Low) && !p.At(at).Mark && !p.spanned(at) {
			at++
		}
		f, ok := p.spans[at]
		if prep := p.Words(i, k); ok && p.Is("page-at", prep) && (f.role == placeName || f.role == regionName || f.role == addressFact ||
			f.role == dayFact || f.role == hoursFact || f.role == otherName) {
			out = append(out, edge{f.end, certain, next, p.takes(f, prep)})
		}
	}
	return append(out, p.hoursEdges(i, s)...)
}

// hoursEdges reads what takes place at some hours: we meet on Thursdays at 7pm.
func (p *parser) hoursEdges(i int, s state) []edge {
	at := p.nextSpan(i, 6)
	for k := i; k < i+5 && at == i && !p.At(k).Mark; k++ {
		if p.At(k+1).Low == ":" && p.spanned(k+2) {
			at = k + 2 // service times: Sundays 9am
		}
	}
	if !p.begins(i) || p.opensBefore(at) > 0 || p.Length(i, "page-tells") > 0 {
		return nil
	}
	f := p.spans[at]
	if at <= i || f.role != hoursFact || p.wishes(i, at) || p.class(i) == "named" {
		return nil
	}
	f.text = p.Written(i, f.end)
	return []edge{{f.end, likely + 2*(at-i), s, p.takes(f, "")}}
}

// nextSpan gives the place of the next fact or name within some words of one clause, or the place itself.
func (p *parser) nextSpan(i, most int) int {
	for k := i; k <= i+most && !p.At(k).Mark; k++ {
		if _, ok := p.spans[k]; ok {
			return k
		}
	}
	return i
}

// takes is the act of a fact or a name.
func (p *parser) takes(f span, prep string) act {
	adjacent := f.from > 0 && !p.At(f.from-1).Mark
	return func(b *builder) { b.fact(f, prep, adjacent) }
}

// labelEdges reads the words that stand before a fact and say which it is.
func (p *parser) labelEdges(i, to int, s state) (out []edge) {
	known := true
	for k := i; k < to && k < i+7; k++ {
		t := p.At(k)
		f, ok := p.spans[k]
		if ok && k > i && f.role < titleName && !(p.begins(i) && p.partWord(i) && (s == parts || p.isListed(i))) {
			cost := opens + (k-i)/2
			if known {
				return []edge{{k, cost, s, nil}}
			}
			if what := p.text(i, f.end); f.role == dayFact && p.begins(i) && !p.wishes(i, k) && k < i+4 { // next gig 12 June
				return []edge{{f.end, cost + omitted, s, func(b *builder) { b.leave(what, yoursToSay) }}}
			}
			if what := p.text(i, k); (f.role == phoneFact || f.role == mailFact) && p.begins(i) && !p.wishes(i, k) {
				return []edge{{k, cost + omitted, s, func(b *builder) { b.leave(what, yoursToSay) }}}
			}
			return nil
		}
		if ok && f.role == otherName && k > i && f.end > k {
			known = false
			k = f.end - 1
			continue
		}
		if ok || t.Quoted || t.Mark && (t.Low != ":" || !p.spanned(k+1)) {
			return nil
		}
		known = known && (t.Mark || p.Is("page-fact", t.Low) || p.Is("light", t.Low))
	}
	return nil
}

// partWord says whether a word is a part of many pages.
func (p *parser) partWord(i int) bool {
	w := p.At(i).Low
	return p.Is("section", w) || p.Is("layout", w) || p.Is("interactive", w)
}

func (p *parser) spanned(i int) bool { _, ok := p.spans[i]; return ok }

// wishes says whether some words ask for what no page can do, or for a page.
func (p *parser) wishes(from, end int) bool {
	for k := from; k < end; k++ {
		m, _ := p.Phrase(k)
		if m.Class == "kind" && m.Value == Site || m.Class == "fields" && k > from || m.Class == "language" || m.Class == "heart" &&
			!p.Is("also-name", p.At(k).Low) && !p.Is("advertised", m.Value) && p.class(k) == "heart" && !p.Is("asking", p.At(k).Low) &&
			!p.Is("in-part", p.At(k).Low) {
			return true
		}
	}
	return false
}

// itemEnd gives the place where the part of a list ends that begins at a place.
func (p *parser) itemEnd(i, to int) int {
	most := i + longestItem
	i += p.Length(i, "fixed-name")
	for i < to && i < most && !p.ends(i) {
		i++
	}
	return i
}

// listsParts says whether a sentence is a list of parts: one of them is well known, or all are short.
func (p *parser) listsParts(i int) bool {
	found := p.itemsFrom(i)
	return found.known > 0 && (found.all > 1 || found.plain) || found.plain && found.all > 2
}

// knownPart says whether everybody knows such a part of a page.
func (p *parser) knownPart(all []string) bool {
	whole := strings.Join(all, " ")
	return len(all) > 0 && (p.Is("layout", whole) || p.Is("section", whole) || p.Is("other-part", whole) || p.Is("page-part", whole))
}

// partWords gives the words of a part of a page, without those that say nothing.
func (p *parser) partWords(from, end int) (out []string) {
	for k := from; k < end; k++ {
		out = append(out, strings.Split(plaintext.Slug(p.At(k).Text), "-")...)
	}
	if len(out) > 2 && out[0] == "text" && out[1] == "about" {
		out = out[1:]
	}
	for len(out) > 1 && (out[0] == "a" || out[0] == "an" || out[0] == "the" || out[0] == "our" || out[0] == "my" ||
		out[0] == "some" || out[0] == "your") && !p.Is("layout", strings.Join(out, " ")) {
		out = out[1:]
	}
	for n := len(out); n > 1 && !p.Is("asking", out[0]) && !p.Is("layout", strings.Join(out, " ")) &&
		!p.Is("section", strings.Join(out, " ")) && p.endsPart(out[n-1]); n = len(out) {
		out = out[:n-1]
	}
	return out
}

func (p *parser) endsPart(w string) bool {
	return p.Is("page", w) || w == "info" || w == "information" || w == "block" || w == "part"
}

// plainWord says whether a word may be part of what a page is about.
func (p *parser) plainWord(i int) int {
	t := p.At(i)
	m := p.Vocabulary[t.Low]
	_, known := p.spans[i]
	switch {
	case !plainLike.MatchString(t.Low):
		return never
	case p.acronym(i) && !known:
		return free
	case m.Class == "kind" && m.Value == Site:
		return never
	case (p.Is("page-number", t.Low) || p.Is("also-plain", t.Low)) && p.plainNext(i):
		return little
	case p.Length(i, "page-participle")+p.Length(i, "page-asks") > 0, t.Low == "shes" || t.Low == "hes" || t.Low == "its":
		return never
	case known || t.Mark || t.Quoted || p.Length(i, "page-opens") > 0 && p.opensBefore(p.nextSpan(i, 4)) > 0:
		return never
	case p.Is("usual", t.Low) || p.Is("trade", t.Low):
		return free
	case m.Class == "":
		if p.Is("page-trait", t.Low) && p.ends(i+1) || p.Is("only-verb", t.Low) {
			return never
		}
		return free
	case figure(t.Low):
		return never
	case p.Is("also-name", t.Low), m.Class == "heart" && p.Is("advertised", m.Value), m.Class == "heart" && strings.HasSuffix(t.Low, "er"):
		return little
	case m.Value == "filler", p.Is("begins-trade", t.Low), m.Class == "container", p.Is("section", t.Low), m.Value == "dates",
		m.Value == ofLooks:
		return certain
	case m.Class == "kind" && m.Value != Site, m.Class == "detail" && (p.plainNext(i) || i > 0 && !p.At(i-1).Mark && p.class(i-1) == ""):
		return opens
	}
	return never
}

func (p *parser) plainNext(i int) bool {
	t := p.At(i + 1)
	return !t.Mark && p.Vocabulary[t.Low].Class == "" && !p.spanned(i+1)
}

// acronym says whether a word is written in capital letters alone: an IT consultant.
func (p *parser) acronym(i int) bool {
	t := p.At(i).Text
	return len(t) > 1 && len(t) < 5 && p.capital(i) && strings.ToUpper(t) == t && strings.ToLower(t) != t
}

// subjectEdges reads what a page is about.
func (p *parser) subjectEdges(i, to int, s state) (out []edge) {
	first := p.At(i)
	verb := strings.HasSuffix(first.Low, "ing") && !p.Is("noun-in-ing", first.Low) && !p.Is("noun-anyway", first.Low) &&
		p.class(i+1) == "stop" && !p.At(i+1).Mark && p.Vocabulary[p.At(i+1).Low].Value != "filler"
	if verb || strings.HasSuffix(first.Text, "-in-law's") || p.Is("page-skips", first.Low) && !p.Is("usual", first.Low) &&
		!p.acronym(i) || p.Is("page-family", first.Low) && strings.HasSuffix(first.Text, "'s") {
		return nil
	}
	var all []string
	cost := 0
	for k := i; k < to && len(all) < 7; k++ {
		c := p.plainWord(k)
		if join := p.Length(k, "page-joins"); c >= never && join > 0 && k > i && k+join < to && p.plainWord(k+join) < never &&
			!p.Is("page-skips", p.At(k+join).Low) && p.joins(i, k, k+join, s) {
			for _, w := range strings.Fields(p.Words(k, join)) {
				all = append(all, strings.ReplaceAll(w, "&", "and"))
			}
			k += join
			c, cost = p.plainWord(k), cost+2*join
		}
		if numbered := figure(p.At(k).Low) && len(p.At(k).Low) > 2 && !p.ends(k+1) && k == i; numbered && !p.spanned(k) { // the 70th birthday
			c = little
		}
		if c >= never {
			break
		}
		cost += c
		word := p.At(k).Low
		if p.capital(k) && (p.class(k) == "" || p.acronym(k)) {
			word = strings.TrimSuffix(p.At(k).Text, "'s")
		}
		all = append(all, word)
		if e, ok := p.subjectEdge(i, k+1, s, all, cost); ok {
			out = append(out, e)
		}
	}
	return out
}

// joins says whether a little word between two others joins them to one that a page is about.
func (p *parser) joins(from, at, next int, s state) bool {
	w := p.At(at).Low
	switch {
	case w == "and" || w == "&":
		return s == about && !p.partAt(next) && !p.begins(from)
	case w == "in":
		end := next
		for p.plainWord(end) < never {
			end++
		}
		last := p.At(end - 1).Low
		return p.Is("discipline", last) || strings.HasSuffix(last, "ology")
	case w == "about" || w == "with" || w == "to":
		return false
	}
	return true
}

// subjectEdge gives the way to read some words as what a page is about, if they may be.
func (p *parser) subjectEdge(i, end int, s state, all []string, cost int) (edge, bool) {
	last := all[len(all)-1]
	m, _ := p.Phrase(end)
	more := p.plainWord(end) < never && !p.spanned(end)
	site := m.Class == "kind" && m.Value == Site
	words := append([]string(nil), all...)
	e := edge{end, certain + cost + max(0, len(all)-4), named, func(b *builder) { b.subject(words) }}
	switch {
	case len(all) > 6 || more && !site:
		return e, false
	case s == named && p.spanEnds(i):
		e.cost += little
		return e, true
	case p.spans[end].role == titleName && p.spanned(end) && p.begins(p.backPerson(i)):
		e.cost += little
		return e, true
	case s == parts:
		return e, false
	case s == about || site && s == open:
		return e, true
	case s == named && p.begins(p.backLittle(i)) && (p.isTrade(last) || p.At(i-1).Low == "a" || p.At(i-1).Low == "an") &&
		!p.knownPart(p.partWords(i, end)):
		e.cost += omitted
		return e, true
	case s == open && p.sentenceBegins(p.backPerson(i)) && p.asksLater(end):
		e.cost += opens
		return e, true
	}
	return e, false
}

// backPerson gives the place before little words, and before whose something is.
func (p *parser) backPerson(i int) int {
	i = p.backLittle(i)
	if i > 0 && p.Is("page-family", p.At(i-1).Low) {
		i = p.backLittle(i - 1)
	}
	return i
}

// backLittle gives the place before a few little words.
func (p *parser) backLittle(i int) int {
	for k := 0; k < 5 && i > 0 && !p.At(i-1).Mark && (p.Is("light", p.At(i-1).Low) || p.Is("own", p.At(i-1).Low)); k++ {
		i--
	}
	return i
}

// asksLater says whether what a sentence began to tell of wants something.
func (p *parser) asksLater(i int) bool {
	for k := i; k < i+3*longestItem && k < len(p.Tokens) && !(p.At(k).Mark && p.At(k).Low == "."); k++ {
		if p.Length(k, "page-asks") > 0 {
			return true
		}
	}
	return false
}

// isTrade says whether a word tells what somebody does, or what something is.
func (p *parser) isTrade(w string) bool {
	if english.IsPlural(w) {
		return false
	}
	return p.Is("usual", w) || p.Is("institution", w) || len(w) > 4 && english.HasSuffix(w, "er", "or", "ist", "ian", "smith", "wright")
}

// asTitle writes words with capital letters.
func asTitle(all []string) string {
	return plaintext.Title(plaintext.Spelled(strings.ReplaceAll(strings.Join(all, "-"), " ", "-")))
}
