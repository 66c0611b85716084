package request

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/plaintext"
)

// How much speaks for a name to be that of what a page is about; below nothing, it says where that is.
const (
	calledSo   = 100 // called Kornblume
	quotedSo   = 80
	behindNoun = 70 // my bakery Kornblume
	behindDots = 60 // our hackathon: HackTheFjord
	inBrackets = 50
	byWhom     = 45
	betweenOf  = 40 // a photographer, Mira Solberg
	introduced = 35 // Kornblume is a bakery
	mentioned  = 20
	asTown     = -10
	behindFact = -50 // 14 June, Siena
	behindTown = -90
	behindIn   = -100
)

var ordinal = regexp.MustCompile(`^\d+(?:st|nd|rd|th)$`)

// candidate is a name and what speaks for its being the title.
type candidate struct {
	span
	score int
}

// named finds the names in a request for a page, and says which of them is its title, and which a place.
func (p *parser) named(known map[int]span) {
	var all []candidate
	for i := 0; i < len(p.Tokens); {
		if s, ok := known[i]; ok {
			i = s.end
			continue
		}
		end := p.runAt(i, known)
		if end == 0 {
			i++
			continue
		}
		text, _ := p.NameAt(i)
		if !p.At(i).Quoted {
			text = plaintext.Title(plaintext.Capital(p.Written(i, end)))
		}
		c := candidate{span: span{i, end, otherName, text}}
		c.score = p.scoreOf(&c, all)
		if text != "" {
			all = append(all, c)
		}
		i = end
	}
	p.assign(all, known)
}

// assign gives every name its role.
func (p *parser) assign(all []candidate, known map[int]span) {
	best := -1
	if !slices.ContainsFunc(all, func(c candidate) bool { return c.score > mentioned && c.role != partName }) {
		for i, c := range all { // a dentist in Leeds, Ann Lee
			if low := strings.ToLower(c.text); c.score == behindTown && strings.Contains(c.text, " ") && !p.Is("page-town", low) &&
				!p.Is("page-hall", last(low)) {
				all[i].score = betweenOf
			}
		}
	}
	for i, c := range all {
		if c.role != partName && c.score > mentioned && (best < 0 || c.score > all[best].score) {
			best = i
		}
	}
	placed := slices.ContainsFunc(all, func(c candidate) bool { return c.score <= behindFact && c.role != partName })
	for i, c := range all {
		switch {
		case c.role == partName:
		case i == best || best >= 0 && strings.EqualFold(c.text, all[best].text):
			c.role = titleName
		case c.score == behindTown:
			c.role = regionName
		case c.score < 0:
			c.role = placeName
			if i > 0 && p.placed(known, all[i-1].from) && p.adjoins(all[i-1].end, c.from) {
				c.role = regionName
				if p.At(c.from-1).Low == "near" {
					c.text = "near " + c.text
				}
			}
		case c.score == betweenOf && i > 0 && p.placed(known, all[i-1].from) && all[i-1].end == c.from-1:
			c.role = regionName
		case !placed && (c.score == betweenOf || c.score == inBrackets || c.score == behindDots) && (best < 0 || i > best):
			c.role, placed = placeName, true
		}
		known[c.from] = c.span
	}
}

// adjoins says whether nothing but a mark, or that it is in or near, stands between two places.
func (p *parser) adjoins(end, from int) bool {
	return p.At(end).Low == "," && p.At(end).Mark && from == end+1 || p.Length(end, "page-at") > 0 && end+p.Length(end, "page-at") == from
}

// placed says whether a name is that of a place.
func (p *parser) placed(known map[int]span, i int) bool {
	return known[i].role == placeName || known[i].role == regionName
}

// runAt gives the end of a name that begins at a place, or none.
func (p *parser) runAt(i int, known map[int]span) int {
	t := p.At(i)
	if t.Quoted {
		return i + 1
	}
	if next := p.At(i + 1); ordinal.MatchString(t.Low) && p.capital(i+1) && !p.Is("page-day", next.Low) &&
		!p.Is("page-month", next.Low) { // the 12th Annual Fair
		end, _ := p.runEnd(i, known)
		return end
	}
	if titled := p.Is("title-of-person", t.Low) && (plaintext.IsCapital(p.At(i+1).Text) || p.insideEnd(i+1) > i+1); titled && !t.Mark {
		end, _ := p.runEnd(i, known)
		return end
	}
	if t.Mark || !plaintext.IsCapital(t.Text) || t.Raw == "" && i > 0 || p.Length(i, "narrator") > 0 || p.describes(i) {
		return 0
	}
	if code := len(t.Text) == 2 && strings.ToUpper(t.Text) == t.Text; code && p.At(i-1).Low == "," &&
		plaintext.IsCapital(p.At(i-2).Text) && p.ends(i+1) {
		return i + 1
	}
	end, capitals := p.runEnd(i, known)
	behind := p.namedBefore(i)
	switch {
	case behind:
		return end
	case p.sectioned[i] || p.allKnown(i, end) || capitals == 1 && (p.Is("page-month", t.Low) || p.Is("page-day", t.Low)):
		return 0
	case p.capital(i) && (capitals > 1 || p.class(i) == "" || p.Is("page-at", p.At(i-1).Low)):
		if capitals == 1 && (p.Is("page-no-name", t.Low) || len(t.Text) < 4 && strings.ToUpper(t.Text) == t.Text &&
			p.At(i-1).Low != "," && p.At(i-1).Low != "at") {
			return 0
		}
		return end
	case !p.capital(i) && p.startsName(i, end, capitals):
		return end
	}
	return 0
}

// describes says whether a name is but the first word of what a page is about, or what that is of: the Danube tour, the history of Rome.
func (p *parser) describes(i int) bool {
	single := !plaintext.IsCapital(p.At(i+1).Text) && p.At(i+1).Raw != "" && !p.At(i+1).Quoted
	noun := single && p.capital(i) && p.Vocabulary[p.At(i+1).Low].Class == "" && !p.At(i+1).Mark &&
		!p.Is("only-verb", p.At(i+1).Low) && !p.Is("page-runs", p.At(i+1).Low) && !p.Is("page-town", p.At(i+1).Low) &&
		!p.Is("page-hall", p.At(i+1).Low)
	of := p.At(i-1).Low == "of" && !p.Is("surroundings", p.At(i-2).Low) && p.Vocabulary[p.At(i-2).Low].Class != "kind" &&
		!plaintext.IsCapital(p.At(i-2).Text) && (p.At(i+1).Mark || single) && p.At(i+1).Low != "and" && p.At(i+1).Low != "&"
	return noun && (p.Is("determiner", p.At(i-1).Low) || p.At(i-1).Low == "for") && !p.At(i+1).Mark && !figure(p.At(i+1).Low) || of
}

// runEnd gives the end of words in capitals, and how many there are.
func (p *parser) runEnd(i int, known map[int]span) (end, capitals int) {
	end, capitals = p.Behind(i), 1
	for end < len(p.Tokens) && end < i+8 {
		t, next := p.At(end), p.At(end+1)
		_, fact := known[end]
		_, factNext := known[end+1]
		switch {
		case fact || t.Mark || t.Quoted:
			return end, capitals
		case plaintext.IsCapital(t.Text) && !p.Is("page-month", t.Low):
			end, capitals = p.Behind(end), capitals+1
		case p.Is("inside-name", t.Low) && plaintext.IsCapital(next.Text) && !next.Mark && !factNext && !p.partAt(end+1) &&
			!p.Is("page-no-name", next.Low):
			end++
		case p.Is("page-town", t.Low) && p.Is("page-at", p.At(i-1).Low):
			return end + 1, capitals
		case p.Is("page-hall", t.Low) && (p.ends(end+1) || factNext) && p.class(end) != "kind":
			return end + 1, capitals
		case p.Is("page-inside", t.Low) && p.insideEnd(end) > end:
			end = p.insideEnd(end)
		case figure(t.Low) && len(t.Low) == 5 && p.At(i-1).Low == "," && p.ends(end+1): // Colorado 80301
			return end + 1, capitals
		case figure(t.Low) && len(t.Low) < 5 && (p.ends(end+1) || p.class(end+1) != ""):
			return end + 1, capitals
		default:
			return end, capitals
		}
	}
	return end, capitals
}

// insideEnd gives the place of the capital letter behind little words inside a name: Oberhausen an der Nahe.
func (p *parser) insideEnd(i int) int {
	for k := i; k < i+3; k++ {
		if t := p.At(k); plaintext.IsCapital(t.Text) && !t.Mark && !p.partAt(k) {
			return k
		} else if !p.Is("page-inside", t.Low) && !p.Is("inside-name", t.Low) {
			break
		}
	}
	return i
}

// capital says whether a word has a capital letter though no sentence begins with it.
func (p *parser) capital(i int) bool {
	before := p.At(i - 1)
	return plaintext.IsCapital(p.At(i).Text) && !(before.Mark && strings.Contains(".:•", before.Low))
}

// partAt says whether a well-known part of a page stands at a place.
func (p *parser) partAt(i int) bool {
	n := max(p.Length(i, "layout"), p.Length(i, "section"))
	return n > 0 && (p.ends(i+n) || i+n >= len(p.Tokens))
}

// startsName says whether a capital letter with which a sentence begins is that of a name.
func (p *parser) startsName(i, end, capitals int) bool {
	next := p.At(end)
	class := p.class(i)
	plain := class == "" && !p.Is("page-no-name", p.At(i).Low) && !p.Is("section", p.At(i).Low) && p.Length(i, "layout") == 0 &&
		!p.Is("page-opens", p.At(i).Low) && p.Length(i, "page-tells") == 0
	switch {
	case capitals > 1:
		if p.Is("page-fact", p.At(i).Low) && p.At(i).Low != "the" {
			return false
		}
		return class == "" || p.Is("also-name", p.At(i).Low) || p.At(i).Low == "the" || p.Vocabulary[p.At(i).Low].Value == "filler" ||
			class == "detail"
	case !plain:
		return false
	case p.Is("page-after-name", next.Low) && !next.Mark:
		be := next.Low == "is" || next.Low == "are" || next.Low == "was"
		return !be || p.Is("determiner", p.At(end+1).Low) || p.Length(end+1, "page-at") > 0
	case i > 0 && p.At(i-1).Low == ":" && next.Mark:
		return !p.partsFollow(i)
	}
	return p.sentenceBegins(i) && (next.Mark && next.Low == "." || end >= len(p.Tokens)) && i > 0
}

func (p *parser) sentenceBegins(i int) bool { return i == 0 || p.At(i-1).Mark && p.At(i-1).Low == "." }

// allKnown says whether all the words of a run mean something else.
func (p *parser) allKnown(from, end int) bool {
	for k := from; k < end; k++ {
		w := p.At(k).Low
		class := p.class(k)
		known := p.Is("section", w) || p.Length(k, "layout") > 0 || p.Is("usual", w) || p.Is("trade", w) || p.Is("page-no-name", w) ||
			p.Is("page-day", w) || p.Is("page-month", w)
		if !known && (class == "" || class == "detail" && end > from+1) {
			return false
		}
		q := from - 1
		if p.At(q).Low == "the" {
			q--
		}
		if p.Is("page-at", p.At(q).Low) && k == from && !p.Is("page-no-name", w) && !p.Is("page-day", w) && p.capital(from) {
			return false
		}
	}
	return true
}

// namedBefore says whether "called" or the like stands before a place.
func (p *parser) namedBefore(i int) bool {
	at := i
	if p.At(at-1).Low == ":" || p.At(at-1).Low == "it" {
		at--
	}
	for n := 1; n < 5 && at-n >= 0; n++ {
		if m, k := p.Phrase(at - n); m.Class == "named" && k == n {
			return true
		}
		value, k := p.Longest(at-n, "page-tells")
		if value == "title" && k == n && (at < i || p.begins(at-n) && p.At(at-n).Low != "event") {
			return true
		}
	}
	return p.At(i-1).Low == "is" && p.At(i-2).Low == "name"
}

// tellsBefore gives what a label before a place says of what follows.
func (p *parser) tellsBefore(i int) string {
	for n := 1; n < 5 && i-1-n >= 0 && p.At(i-1).Low == ":"; n++ {
		if value, k := p.Longest(i-1-n, "page-tells"); k == n {
			return value
		}
	}
	return ""
}

// scoreOf says what speaks for a name to be the title.
func (p *parser) scoreOf(c *candidate, before []candidate) int {
	i := c.from
	q := i - 1
	for q > 0 && q > i-4 && !p.At(q).Mark && p.Is("light", p.At(q).Low) {
		q--
	}
	prev := p.At(q)
	town := p.Is("page-town", strings.ToLower(c.text))
	behind := p.behind(q, before)
	switch {
	case p.namedBefore(i):
		return calledSo
	case p.tellsBefore(i) == "place", p.At(i-1).Low == ":" && strings.HasPrefix(p.At(i-2).Low, "area"):
		return behindIn
	case p.At(i).Quoted && (p.sectioned[i] || p.quotedList(i)), p.At(i-1).Low == "about" && p.begins(i-1) && i > 1, p.listedPart(i) &&
		!p.At(i).Quoted && behind == 0:
		c.role = partName
		return 0
	case p.At(i).Quoted && (prev.Mark || !p.locates(q)):
		return quotedSo
	case !prev.Mark && prev.Low == "from" && p.At(c.end).Low == "to" && plaintext.IsCapital(p.At(c.end+1).Text): // from Passau to Vienna
		return mentioned
	case !prev.Mark && p.locates(q):
		return behindIn
	case behind != 0:
		return behind
	case prev.Low == "by" && !prev.Mark:
		return byWhom
	case !p.capital(i) && p.Is("page-after-name", p.At(c.end).Low):
		return introduced
	case p.sentenceBegins(i) && i > 0 && (p.At(c.end).Low == "." || c.end >= len(p.Tokens)):
		if both := strings.Contains(c.text, " and ") || strings.Contains(c.text, "&"); both && !town {
			return behindDots
		}
		return asTown
	case prev.Low == "for" && len(before) > 0 && before[len(before)-1].end == q:
		return mentioned
	case prev.Mark && prev.Low == "(":
		return inBrackets + map[bool]int{true: asTown - inBrackets}[town]
	case prev.Mark && prev.Low == ":" && p.At(q-2).Mark && q > 2 && !p.Phraseful(q-1, "kind") &&
		p.tellsBefore(i) == "": // secretary: Joan Price
		return mentioned
	case prev.Mark && prev.Low == ":":
		return behindDots
	case prev.Mark || p.class(q) == "join":
		return betweenOf + map[bool]int{true: asTown - betweenOf}[town]
	case p.begins(q) && q > 0 && p.At(q-1).Low == "," && p.class(q) == "" && (p.about < i || !p.isTrade(prev.Low)): // speaker Dana Wolff
		return mentioned
	case prev.Low == "is" || prev.Low == "are" || prev.Low == "with" || p.Is("fill-in", prev.Low) || prev.Low == "to" || prev.Low == "ask":
		return mentioned
	}
	return behindNoun
}

// behind says what it means that a name stands behind another or a fact.
func (p *parser) behind(q int, before []candidate) int {
	if !p.At(q).Mark || p.At(q).Low != "," {
		return 0
	}
	placed := func(c candidate) bool { return c.score <= behindFact }
	switch found, ok := p.closing[q]; {
	case ok && (found == dayFact || found == addressFact), ok && found == hoursFact && !slices.ContainsFunc(before, placed):
		return behindFact
	case len(before) > 0:
		if c := before[len(before)-1]; c.end == q && c.score < 0 && c.role != partName {
			return behindTown
		}
	}
	return 0
}

// locates says whether a word before a name says that it is a place.
func (p *parser) locates(q int) bool {
	for n := 1; n < 6 && q-n+1 >= 0; n++ {
		if p.Length(q-n+1, "page-at") >= n && p.At(q).Low != "by" && (p.At(q).Low != "on" || !p.At(q-1).Mark) {
			return true
		}
	}
	return p.At(q).Low == "on" && p.At(q+1).Low == "the"
}

// quotedList says whether several things in quotes stand in a row.
func (p *parser) quotedList(i int) bool {
	next := p.After(i+1, ",", "and", "&", "or")
	last := i - 1
	for last > 0 && p.ends(last) {
		last--
	}
	listed := next > i+1 && p.At(next).Quoted || last < i-1 && p.At(last).Quoted
	return listed || p.Is("section", p.At(i).Low) || p.Is("layout", p.At(i).Low)
}

// listedPart says whether a name stands in a list of parts of a page: behind others of them.
func (p *parser) listedPart(i int) bool {
	if before := p.At(i - 1); before.Mark && before.Low != "," || !p.begins(i) || i < 2 {
		return false
	}
	from := i - 2
	for from > 0 && from > i-longestItem && !p.ends(from) {
		from--
	}
	with := p.Phraseful(from, "fields") || p.Phraseful(from+1, "fields")
	with = with || p.opened(from)
	item := from
	if p.ends(from) {
		item++
	}
	return with && !plaintext.IsCapital(p.At(item).Text) && !p.At(item).Quoted || p.partAt(item)
}

// opened says whether a word before a place, in its sentence, opens a list.
func (p *parser) opened(i int) bool {
	for k := i; k > i-3*longestItem && k > 0 && !p.sentenceBegins(k); k-- {
		if p.Phraseful(k, "fields") {
			return true
		}
	}
	return false
}

// partsFollow says whether a label says that a list of parts follows.
func (p *parser) partsFollow(i int) bool { return p.tellsBefore(i) == "parts" }

// sections says of every word whether it stands in a list that is called one of sections.
func (p *parser) sections() []bool {
	out := make([]bool, len(p.Tokens)+1)
	for i := range p.Tokens {
		m, n := p.Phrase(i)
		told, k := p.Longest(i, "page-tells")
		label := told == "parts" && (p.At(i+k).Low == ":" || p.At(i+k).Low == "(")
		word := m.Class == "fields" && strings.Contains(p.Words(i, n), "section") && !p.ends(i+n) || label
		if areas := strings.HasPrefix(p.At(i).Low, "area") && plaintext.IsCapital(p.At(i+k+1).Text); !word || out[i] || areas {
			continue
		}
		depth := 0
		for j := i + max(n, k); j < len(p.Tokens); j++ {
			t := p.At(j)
			if t.Mark && t.Low == "(" {
				depth++
			}
			if t.Mark && t.Low == ")" {
				depth--
			}
			if t.Mark && (t.Low == "." && depth <= 0 || depth < 0) {
				break
			}
			out[j] = true
		}
	}
	return out
}
