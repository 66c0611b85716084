package request

import (
	"slices"
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
			if sure > 1 || sure > 0 && parts > 1 { // more would change nothing, and a request may be long
				return true
			}
			last = ""
			for said && !p.ends(k) {
				k++
			}
			t = p.At(k)
		} else if !p.ends(k) && !said {
			last = t.Low
		}
		if k >= len(p.Tokens) || t.Mark && t.Low != "," && t.Low != ":" && t.Low != words.Bullet {
			return false
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
