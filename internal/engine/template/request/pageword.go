package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// pageWords reads words that the vocabulary knows, in a request for a page.
func (p *parser) pageWords(i, to int, s state) (out []edge) {
	m, n := p.Phrase(i)
	add := func(next state, cost int, do act) { out = append(out, edge{i + n, cost, next, do}) }
	out = append(out, p.wantEdges(i, s)...)
	out = append(out, p.tellsEdges(i, to, s)...)
	if n == 0 {
		return append(out, p.familyEdges(i, s)...)
	}
	phrase := p.Words(i, n)
	alone := p.ends(i+n) || i+n >= to
	if p.kept(i, n, to, m.Class) {
		return append(out, p.familyEdges(i, s)...)
	}
	switch m.Class {
	case "stop", "join", "to":
		out = append(out, p.pageLittle(i, n, s, m)...)
	case "kind":
		if m.Value == Site {
			add(open, certain+map[bool]int{true: likely}[s == parts], nil)
			break
		}
		add(s, cannotBe, func(b *builder) { b.Hearts = append(b.Hearts, Omission{phrase, "beside a web site"}) })
	case "things":
		if alone || p.begins(i) && i > 0 && phrase == "about" {
			break
		}
		add(about, certain+map[bool]int{true: opens}[s == parts], nil)
		if phrase != "for" && phrase != "about" {
			add(parts, likely, nil)
		}
	case "fields":
		switch {
		case !alone || p.At(i+n).Low == ":" || p.At(i+n).Low == "(":
			add(parts, certain, nil)
		case p.endsPart(p.At(i + n - 1).Low):
			add(parts, little, nil)
		}
	case "adding":
		add(parts, likely, nil)
	case "place":
		out = append(out, p.nowhereEdges(i, n, to, s)...)
	case "named":
		out = append(out, p.calledEdges(i, n)...)
	case "denial":
		out = append(out, p.denied(i, n, s)...)
		out = append(out, p.unwantedEdges(i, n, to, s)...)
	case "port", "module", "page-size":
		out = append(out, p.valued(m.Class, i, n, s)...)
	case "given", "license":
		add(s, opens, func(b *builder) { b.option(m, phrase) })
	case "language", "database", "auth", "cors":
		add(s, cannotBe, func(b *builder) {
			if m.Value != "typescript" {
				b.Hearts = append(b.Hearts, Omission{phrase, "a site has no server of its own"})
			}
		})
	case "heart":
		add(s, cannotBe, func(b *builder) { b.option(m, phrase) })
	case "operation":
		add(s, cannotBe, func(b *builder) { b.Hearts = append(b.Hearts, Omission{phrase, "a command-line tool"}) })
	case "detail":
		out = append(out, p.leftEdges(i, n, to, s, m)...)
	}
	return append(out, p.familyEdges(i, s)...)
}

// kept says whether a word that says nothing elsewhere is a part of a page here, and must not be dropped.
func (p *parser) kept(i, n, to int, class string) bool {
	silent := slices.Contains([]string{"stop", "to", "kind", "things", "fields", "license"}, class)
	if !silent {
		return false
	}
	alone := (p.ends(i+n) || i+n >= to) && n == 1 && p.At(i+n).Low != ":" && p.itemBegins(i)
	polite := p.Is("courtesy", p.At(i).Low) || class == "kind" || class == "fields" || class == "license" && !p.isListed(i)
	return p.partItem(i, to) || p.asksItem(i, to) || alone && !polite || p.acronym(i) && n == 1 && class == "stop"
}

// pageLittle reads a little word.
func (p *parser) pageLittle(i, n int, s state, m glossary.Meaning) (out []edge) {
	light := p.Is("light", p.Words(i, n)) || m.Class == "join" || p.Is("page-skips", p.Words(i, n))
	next, cost := s, little
	switch {
	case m.Class == "join" && s == named:
		return []edge{{i + n, little, named, nil}, {i + n, little, open, nil}, {i + n, opens, parts, nil}}
	case m.Class == "join" && s == open:
		return []edge{{i + n, little, open, nil}, {i + n, opens + little, parts, nil}}
	case m.Class == "join" && s == parts:
		return []edge{{i + n, 0, parts, nil}, {i + n, opens, open, nil}}
	case m.Value == "filler" && s == parts:
		cost = possible
	case m.Value == "filler" && s == about && !p.Is("page-skips", p.Words(i, n)):
		cost = likely
	case s == parts && !light:
		next, cost = open, opens+little
	case s == named && !light:
		next = open
	}
	return []edge{{i + n, cost, next, nil}}
}

// familyEdges reads whose something is, which a page need not say: my brother's barber shop.
func (p *parser) familyEdges(i int, s state) (out []edge) {
	if strings.HasSuffix(p.At(i).Text, "-in-law's") {
		out = append(out, edge{i + 1, little, s, nil})
	}
	if n := p.Length(i, "page-family"); n > 0 && strings.HasSuffix(p.At(i+n-1).Text, "'s") {
		out = append(out, edge{i + n, little, s, nil})
	}
	if n := p.Length(i, "page-family"); n > 0 && s == about {
		out = append(out, edge{i + n, opens, s, nil})
	}
	if n := p.Length(i, "page-for"); n > 0 {
		out = append(out, edge{i + n, certain, about, nil})
	}
	if n := p.Length(i, "page-skips"); n > 0 && s == about {
		out = append(out, edge{i + n, little, s, nil})
	}
	return out
}

// wantEdges reads who wants a page, and what they are or have: that is what it is about.
func (p *parser) wantEdges(i int, s state) (out []edge) {
	if n := p.Length(i, "page-empty"); n > 0 {
		out = append(out, edge{i + n, little, s, nil})
	}
	if n := p.Length(i, "page-asks"); n > 0 && (!p.ends(i+n) || p.At(i+n).Low == ":") {
		out = append(out, edge{i + n, opens, open, nil}, edge{i + n, likely, parts, nil})
	}
	if n := p.Length(i, "page-runs"); n > 0 && p.spanEnds(i) && !p.toldOf(i) {
		out = append(out, edge{i + n, opens, about, nil}) // Jo makes jewellery
	}
	for _, who := range []string{
		"she's", "he's", "they're", "we're", "i'm", "it's", "shes", "hes", "im", "it is", "we are", "she is",
		"he is", "they are", "i am",
	} {
		k := len(strings.Fields(who))
		if i+k > len(p.Tokens) || p.At(i).Mark {
			continue
		}
		if said := p.Words(i, k) == who || k == 1 && strings.ToLower(p.At(i).Text) == who; said && (p.begins(i) || s == about) {
			out = append(out, edge{i + k, opens, about, nil})
		}
	}
	if n := p.Length(i+1, "page-runs"); n > 0 && p.At(i).Low == "who" && p.Is("page-family", p.At(i-1).Low) {
		out = append(out, edge{i + 1 + n, opens, about, nil}) // my grandma who sells honey
	}
	if n := p.Length(i, "page-offering"); n > 0 && s == named && !p.ends(i+n) && !p.begins(i) {
		out = append(out, edge{i + n, opens + little, parts, nil}) // a teacher offering lessons
	}
	if !p.begins(i) && !p.Is("page-joins", p.At(i-1).Low) && s != open {
		return out
	}
	if k := p.nounCalled(i); k > i {
		out = append(out, edge{k, opens, named, nil})
	}
	if n := p.offersAt(i); n > 0 && !p.At(i+n).Capital && !p.At(i+n).Mark && !p.Is("determiner", p.At(i+n).Low) {
		out = append(out, edge{i + n, opens, parts, nil})
	}
	if p.toldOf(i) {
		return out
	}
	if n := p.Length(i, "introduces"); n > 0 {
		out = append(out, edge{i + n, opens, about, nil})
	}
	at := i
	for at < i+6 && p.teller(at) > 0 {
		at += p.teller(at)
	}
	if n := p.Length(at, "page-runs"); n > 0 && at > i && p.person(at-1) {
		out = append(out, edge{at + n, opens + little, about, nil})
	}
	return out
}

// offersAt gives the number of words that say that what somebody offers follows.
func (p *parser) offersAt(i int) int {
	switch p.At(i).Low {
	case "i", "we", "she", "he", "they":
		if n := p.Length(i+1, "page-offers"); n > 0 && strings.EqualFold(p.At(i).Text, p.At(i).Low) {
			return 1 + n
		}
	}
	return p.Length(i, "offers")
}

// nounCalled gives the place of "is called" behind what is called so, or the place itself.
func (p *parser) nounCalled(i int) int {
	for k := i; k < i+5 && !p.At(k).Mark && !p.spanned(k); k++ {
		if p.Phraseful(k, "named") && k > i && p.begins(i) {
			return k
		}
		if p.plainWord(k) >= never && !p.Is("light", p.At(k).Low) {
			break
		}
	}
	return i
}

// toldOf says whether it is told before a place what a page is about.
func (p *parser) toldOf(i int) bool {
	return p.about < i || p.request.Subject != ""
}

// spanEnds says whether a name ends before a place.
func (p *parser) spanEnds(i int) bool {
	found, ok := p.closing[i]
	return ok && found == titleName
}

// asksItem says whether a part of a page begins at a place that is named like a question: what we need.
func (p *parser) asksItem(i, to int) bool {
	end := p.itemEnd(i, to)
	return p.itemBegins(i) && i > 0 && p.Is("asking", p.At(i).Low) && end > i+1 && p.nextSpan(i, end-i) == i &&
		p.partCost(i, end, p.partWords(i, end), false) < never
}

// person says whether a word is somebody of whom something is told.
func (p *parser) person(i int) bool {
	w := p.At(i).Low
	return slices.Contains([]string{"i", "we", "she", "he", "they", "just", "also", "who"}, w) || p.Is("page-family", w)
}

// itemBegins says whether a part of a list begins at a place, also behind the word that opens the list.
func (p *parser) itemBegins(i int) bool { return p.begins(i) || p.class(i-1) == "fields" }

// partItem says whether what begins at a place is a part of a page that everybody knows.
func (p *parser) partItem(i, to int) bool {
	return p.itemBegins(i) && i > 0 && p.knownPart(p.partWords(i, p.itemEnd(i, to)))
}

// teller gives the number of words that say of whom something is told.
func (p *parser) teller(i int) int {
	w := p.At(i).Low
	switch {
	case p.At(i).Mark:
		return 0
	case slices.Contains([]string{
		"i", "we", "she", "he", "they", "my", "our", "his", "her", "their", "and", "also", "just", "a",
		"the", "who", "which", "that",
	}, w):
		return 1
	}
	return p.Length(i, "page-family")
}

// tellsEdges reads a label, and what follows it.
func (p *parser) tellsEdges(i, to int, s state) (out []edge) {
	what, n := p.Longest(i, "page-tells")
	if what == "title" && p.spanned(i+n) && p.spans[i+n].role == titleName && p.begins(i) {
		return []edge{{i + n, little, named, nil}}
	}
	if at := p.nextSpan(i, 3); at > i && p.begins(i) && p.spans[at].role == otherName && p.remark(i, at) && !p.wishes(i, at) &&
		p.class(at-1) == "" { // speaker Dana Wolff
		f := p.spans[at]
		text := p.text(i, at) + " " + f.text
		out = append(out, edge{f.end, likely, s, func(b *builder) { b.leave(text, yoursToSay) }})
	}
	if p.At(i).Low == "the" && s == named && !p.begins(i) && p.closing[i] != titleName { // our bakery the crusty loaf
		end := i + 1
		for end < to && end < i+5 && p.plainWord(end) < never {
			end++
		}
		if title := asTitle(strings.Fields(p.Words(i, end-i))); end > i+1 && (p.ends(end) || p.Length(end, "page-at") > 0) {
			out = append(out, edge{end, possible, named, p.takes(span{i, end, titleName, title}, "")})
		}
	}
	if label := p.itemEnd(i, to); n == 0 && p.begins(i) && p.At(label).Low == ":" && p.spanned(label+1) &&
		p.spans[label+1].role == otherName && label < i+4 {
		f := p.spans[label+1]
		text := p.text(i, label) + " " + f.text
		return append(out, edge{f.end, likely, open, func(b *builder) { b.leave(text, yoursToSay) }})
	}
	if n == 0 || p.At(i+n).Low != ":" && (what != "parts" || p.At(i+n).Low != "(") || !p.begins(i) && s == parts {
		return out
	}
	end := i + n + 1
	if p.At(i+n).Low == "(" {
		end--
	}
	switch what {
	case "title", "place":
		if p.spanned(end) {
			return []edge{{end, little, named, nil}}
		}
		last := p.itemEnd(end, to)
		var all []string
		for k := end; k < last; k++ {
			all = append(all, p.At(k).Text)
		}
		if text := plaintext.Title(asTitle(all)); text != "" && len(all) < 6 {
			return []edge{{last, certain, named, p.takes(span{end, last, map[string]role{"title": titleName, "place": placeName}[what], text}, "")}}
		}
	case "subject":
		return []edge{{end, little, about, nil}}
	case "parts":
		if p.spanned(end) && p.spans[end].role == placeName {
			return []edge{{end, little, named, nil}}
		}
		return []edge{{end, little, parts, nil}}
	case "left":
		last := end
		for last < to && (!p.At(last).Mark || p.At(last).Low != "." && p.At(last).Low != "•") {
			last++
		}
		text := p.text(i, last)
		if !p.wishes(end, last) {
			return []edge{{last, omitted, open, func(b *builder) { b.leave(text, yoursToSay) }}}
		}
	}
	return nil
}

// calledEdges reads a name behind "called".
func (p *parser) calledEdges(i, n int) []edge {
	at := p.After(i+n, ":", "it", "is")
	if p.spanned(at) {
		return []edge{{at, little, named, nil}}
	}
	title, end := p.NameAt(at)
	if title == "" {
		return nil
	}
	return []edge{{end, opens + little, named, p.takes(span{at, end, titleName, asTitle(strings.Fields(title))}, "")}}
}

// nowhereEdges reads where something is that has no name, or one without capital letters.
func (p *parser) nowhereEdges(i, n, to int, s state) (out []edge) {
	at := i + n
	det := p.Is("determiner", p.At(at).Low)
	if k := p.Length(at, "page-town"); k > 0 && !p.spanned(at) {
		f := span{at, at + k, placeName, asTitle(strings.Fields(p.Words(at, k)))}
		if region := p.Length(at+k, "page-town"); region > 0 {
			f.end, f.text = at+k+region, asTitle(strings.Fields(p.Words(at, k+region)))
		}
		return []edge{{f.end, certain, map[bool]state{true: parts, false: named}[s == parts], p.takes(f, p.Words(i, n))}}
	}
	if p.Is("page-number", p.At(at).Low) || figure(p.At(at).Low) {
		if end := at + 1; strings.HasPrefix(p.At(end).Low, "language") {
			what := p.text(i, end+1)
			return []edge{{end + 1, likely, s, func(b *builder) { b.leave(what, "more than one language") }}}
		}
	}
	if det {
		at++
	}
	if k := p.Length(at, "venue"); k > 0 {
		f := span{at, at + k, placeName, asTitle(strings.Fields(p.Words(at, k)))}
		return []edge{{f.end, certain, named, p.takes(f, p.Words(i, n))}}
	}
	end := at
	for end < to && end < at+4 && p.plainWord(end) < never {
		end++
	}
	if end == at || !det && !p.At(at).Mark && p.At(i).Low != "in" && p.At(i).Low != "near" && p.At(i).Low != "from" {
		return nil
	}
	if p.Is("surroundings", p.At(end-1).Low) && end == at+1 {
		return []edge{{end, certain, named, nil}}
	}
	what := p.text(i, end)
	return []edge{{end, possible, named, func(b *builder) { b.leave(what, "a place is told by its name") }}}
}

// unwantedEdges reads what is not wanted and would not be there.
func (p *parser) unwantedEdges(i, n, to int, s state) []edge {
	end := p.itemEnd(i+n, to)
	if end == i+n || end > i+n+5 || p.wishes(i+n, end) {
		return nil
	}
	what := p.text(i, end)
	return []edge{{end, possible + end - i, s, func(b *builder) { b.leave(what, "nothing of it is there") }}}
}

// leftEdges reads what is known and a page cannot have, with the words that belong to it.
func (p *parser) leftEdges(i, n, to int, s state, m glossary.Meaning) (out []edge) {
	why := m.Value
	if why == "dates" {
		why = yoursToFill
	}
	leave := func(end, cost int) {
		what := p.text(i, end)
		out = append(out, edge{end, cost, s, func(b *builder) { b.leave(what, why) }})
	}
	first := usual
	if p.begins(i) && p.partWord(i) {
		first += possible
	}
	leave(i+n, first)
	for end := i + n; end < to && !p.ends(end) && !p.spanned(end) && end < i+n+9; end++ {
		if p.wishes(end, end+1) && !p.Is("relative", p.At(i+n).Low) || p.Phraseful(end, "things") && !p.toldOf(i) {
			break
		}
		leave(end+1, first+little+(end-i-n))
	}
	return out
}
