package request

import (
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// headEdges reads a name of which something is told: a thing.
func (p *parser) headEdges(i, to int, s state) (out []edge) {
	if p.At(i).Mark {
		return nil
	}
	for _, n := range p.names(i) {
		at := n.end
		if p.At(at).Low == "," && p.Phraseful(at+1, "relation") {
			at++
		}
		m, _ := p.Phrase(at)
		colon := p.At(at).Low == ":" || p.At(at).Low == "("
		verb := m.Class == "relation" || m.Class == "fields" && !p.At(at).Mark
		known := p.known(strings.Join(n.words, "_"))
		told := known || colon || m.Class == "relation" || english.IsPlural(n.words[len(n.words)-1]) || p.backOver(i) < i || p.beginsSentence(i) && s != fields
		setting := p.required(at+1) && !p.Is("also-name", p.At(at+1).Low)
		label := colon && (len(n.words) == 1 && p.class(i) == "container" || setting && p.At(at).Low == ":")
		if at > to || label || !colon && !verb || !told || colon && s == fields && p.nestedOnly(n, at) || s != things && !known && !p.starts1(i) {
			continue
		}
		cost := p.thingCost(n)
		if end := p.closes(at); p.At(at).Low == "(" && end > 0 && p.fieldList(at+1, end) {
			cost = min(cost, 12)
		}
		if s == fields && !(known && p.beginsItem(i)) {
			cost += 10
		}
		out = append(out, edge{at, cost, p.afterThing(n), p.mention(n, s == things)})
	}
	return out
}

// starts1 says whether a part of a sentence begins at a place, but for little words.
func (p *parser) starts1(i int) bool {
	i = p.backOver(i)
	return p.begins(i) || p.required(i-1) || p.class(i-1) == "fields"
}

// backOver gives the place before little words.
func (p *parser) backOver(i int) int {
	for i > 0 && (p.Is("light", p.At(i-1).Low) || p.Is("own", p.At(i-1).Low)) && !p.At(i-1).Mark {
		i--
	}
	return i
}

// beginsItem says whether a sentence, or an item of a list with bullets, begins at a place.
func (p *parser) beginsItem(i int) bool {
	return i == 0 || p.At(i-1).Low == "." || p.At(i-1).Low == words.Bullet
}

// nestedOnly says whether a name in a list of fields is none that a list of its own follows.
func (p *parser) nestedOnly(n name, at int) bool {
	last := n.words[len(n.words)-1]
	known := p.known(strings.Join(n.words, "_"))
	begins := p.At(at-len(n.words)-1).Text == ";" || p.At(at-len(n.words)-1).Low == ":"
	if p.At(at).Low == ":" && (p.reference(at+1) > 0 || p.Length(at+1, "type") > 0) && !((known || english.IsPlural(last)) && begins) {
		return true
	}
	if end := p.closes(at); p.At(at).Low == "(" && (p.Is("made-of", last) || end > 0 && !p.fieldList(at+1, end) && !p.partsOf(at+1, end)) {
		return true
	}
	if from := at - len(n.words); p.At(at).Low == ":" && p.beginsSentence(from) && !p.fieldWord(last) && !p.Is("no-title", last) { // Hall: name, seats
		return false
	}
	upper := plaintext.IsCapital(p.At(at - 1).Text)
	return !upper && !known && !english.IsPlural(last)
}

// afterThing says what state the name of a thing leads to.
func (p *parser) afterThing(n name) state {
	if last := n.words[len(n.words)-1]; !english.IsPlural(last) && !p.known(strings.Join(n.words, "_")) && !p.Is("has", last) {
		return placed
	}
	return named
}

// mention is the act of naming a thing.
func (p *parser) mention(n name, context bool) act {
	return func(b *builder) { b.thing(n.words, context) }
}

// thingEdges reads the name of a thing where one is expected.
func (p *parser) thingEdges(i, to int, s state) (out []edge) {
	if s == named && !p.begins(i) {
		return nil
	}
	for _, n := range p.names(i) {
		last := n.words[len(n.words)-1]
		before := p.At(p.backOver(i) - 1).Low
		listed := i > 0 && p.ends(p.backOver(i)-1) && before != ":" && before != "("
		several := english.IsPlural(last) || p.Is("has", last) || p.known(strings.Join(n.words, "_"))
		if n.end <= to && p.closed(n.end) && (several || !listed) {
			if listed && !english.IsPlural(last) && p.backOver(i) == i {
				n.cost += 20
			}
			if plain := !p.Is("field", last) && p.fieldOnly(english.Singular(last)); plain && (listed || p.class(p.backOver(i)-1) == "fields") {
				n.cost += 25 // with due dates
			}
			cost := p.thingCost(n) + map[bool]int{true: 8}[p.Is("done-with", n.words[0]) && len(n.words) > 1]
			opened := p.class(p.backOver(i)-1) != "fields"
			alone := !listed && p.At(n.end).Low != "," && p.class(n.end) != "join"
			do := p.mention(n, opened)
			out = append(out, edge{n.end, cost, p.afterThing(n), func(b *builder) { do(b); b.umbrella(alone) }})
		}
	}
	return out
}

// closed says whether a name can end at a place.
func (p *parser) closed(i int) bool {
	t := p.At(i)
	if p.ends(i) || t.Quoted {
		return true
	}
	m, n := p.Phrase(i)
	return n > 0 && m.Value != "filler" || p.Is("behind", t.Low) || p.Is("about-them", t.Low) || p.Length(i, "narrator")+p.Length(i, "own") > 0 || p.Is("condition", t.Low) || figure(t.Low)
}

// freeEdges reads names that nothing introduces: things, or what the word for a kind of project says more of.
func (p *parser) freeEdges(i, to int) (out []edge) {
	for _, n := range p.names(i) {
		last := n.words[len(n.words)-1]
		m, _ := p.Phrase(n.end)
		switch {
		case n.end > to || len(n.words) == 1 && p.class(i) == "container" && p.At(n.end).Low == ":":
		case m.Class == "kind" || m.Class == "container":
			do := p.mention(n, p.isPlace(n))
			out = append(out, edge{n.end, p.thingCost(n) + 6, p.afterThing(n), func(b *builder) { do(b); b.compound() }})
		case (p.begins(i) || p.class(i-1) == "kind") && p.closed(n.end) && (english.IsPlural(last) && !p.fieldOnly(last)):
			out = append(out, edge{n.end, p.thingCost(n) + 20, named, p.mention(n, false)})
		case p.closed(n.end) && (p.Is("has", last) || p.Is("place-of", last) || p.Is("gathers", last)):
			out = append(out, edge{n.end, p.thingCost(n) + 25, placed, p.mention(n, true)})
		}
	}
	return out
}

// isPlace says whether a name may be that of where things are, or of what they are called together.
func (p *parser) isPlace(n name) bool {
	last := n.words[len(n.words)-1]
	for _, table := range []string{"place-of", "institution", "gathers", "collective", "usual", "place", "has", "surroundings"} {
		if p.Is(table, last) {
			return true
		}
	}
	return len(n.words) > 1
}

// fieldEdges reads a field where one is expected, or things that belong to the one that is told of.
func (p *parser) fieldEdges(i, to int) (out []edge) {
	if len(p.request.Things) > 1 && p.request.exact(p.At(i).Low) != nil && !p.headed(i) && p.fieldWord(p.At(i+1).Low) && !p.At(i+1).Mark && p.bare(p.At(i).Low) {
		name := []string{p.At(i).Low} // customer name, order total
		out = append(out, edge{i + 1, 0, fields, func(b *builder) { b.thing(name, false) }})
	}
	if p.Is("field", p.At(i).Low) && p.Is("field", p.At(i+1).Low) && !p.At(i+1).Mark { // title author and year
		it := item{words: []string{p.At(i).Low}, end: i + 1}
		out = append(out, edge{i + 1, usual + 14, fields, func(b *builder) { b.field(it) }})
	}
	out = append(out, p.bothEdges(i, to)...)
	if one, other, ok := p.paired(i, to); ok {
		out = append(out, edge{other.end, other.cost, fields, func(b *builder) { b.field(one); b.field(other) }})
	}
	if m, n := p.Phrase(i); (m.Class == "given" || m.Class == "detail" && m.Value != "dates") && p.class(i+n) == "" && p.ends(i+n+1) && !p.fieldWord(p.At(i+n).Low) {
		what := p.text(i, i+n+1) // validation rules
		out = append(out, edge{i + n + 1, 12, fields, func(b *builder) { b.leave(what, "in a way of its own") }})
	}
	for _, it := range p.items(i, to) {
		if it.cost < never {
			out = append(out, edge{it.end, it.cost, fields, func(b *builder) { b.field(it) }})
		}
	}
	return append(out, p.nestedEdges(i, to)...)
}

// headed says whether the list that is read is that of the thing itself: tracks: track number.
func (p *parser) headed(i int) bool {
	for k := i - 1; k > 0 && p.At(k).Low != "."; k-- {
		if p.At(k).Low == ":" && english.Singular(p.At(k-1).Low) == english.Singular(p.At(i).Low) {
			return true
		}
	}
	return false
}

// bothEdges reads two fields of which the same is said: name and phone required.
func (p *parser) bothEdges(i, to int) (out []edge) {
	if p.At(i-1).Low == "," && p.At(i-1).Text != ";" {
		return nil
	}
	for _, n := range p.fieldNames(i) {
		if p.At(n.end).Low != "and" || n.end >= to {
			continue
		}
		for _, it := range p.items(n.end+1, to) {
			first := item{words: n.words, told: true}
			first.rules.Need, first.rules.Unique = it.rules.Need, it.rules.Unique
			alone := p.At(it.end-1).Low == ")" // a return date (optional)
			if it.cost < never && first.rules.Need != "" && !alone {
				cost := it.cost + n.cost + p.itemCost(first) - 1
				out = append(out, edge{it.end, cost, fields, func(b *builder) { b.field(first); b.field(it) }})
			}
		}
	}
	return out
}

// bare says whether nothing is told of a thing yet.
func (p *parser) bare(word string) bool {
	t := p.request.find(word)
	return t != nil && len(t.Fields) == 0
}

// nestedEdges reads things with their fields in brackets that belong to the thing that is told of.
func (p *parser) nestedEdges(i, to int) (out []edge) {
	for _, n := range p.names(i) {
		end := p.closes(n.end)
		if p.At(n.end).Low != "(" || end < 0 || end > to || !english.IsPlural(n.words[len(n.words)-1]) {
			continue
		}
		inside := p.inside(n.end+1, end, fields, 0)
		cost := p.thingCost(n)
		if p.fieldList(n.end+1, end) {
			cost = min(cost, 12)
		}
		out = append(out, edge{end + 1, cost + inside.cost + 4, fields, func(b *builder) { b.nested(n.words, inside) }})
	}
	return out
}

// parentEdges reads what a thing belongs to.
func (p *parser) parentEdges(i, to int) (out []edge) {
	for _, n := range p.names(i) {
		if n.end <= to && p.closed(n.end) {
			out = append(out, edge{n.end, min(p.thingCost(n), 14), named, func(b *builder) { b.parent(n.words) }})
		}
	}
	return out
}
