package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// newTitle reads a new name of the project. Things and fields keep theirs, and their records with them.
func (p *parser) newTitle(i, n int) []edge {
	at := p.After(i+n, "to", "as", ":")
	title, end := p.NameAt(at)
	for end < at+maxTitle && !p.ends(end) && p.inTitle(end) { // shelf api, Yoga with Mia
		end++
		title = plaintext.Title(p.Written(at, end))
	}
	page := p.request.Kind == Site || !strings.Contains(p.Words(i, n), "title")
	if said := at > i+n || n > 1; !said || !page || title == "" {
		return nil
	}
	if !p.ends(end) {
		return nil
	}
	return []edge{{end, 4, open, func(b *builder) { b.Title = title }}}
}

// inTitle says whether a word with a meaning of its own is part of the name of a project.
func (p *parser) inTitle(i int) bool {
	return p.Is("in-title", p.class(i)) || plaintext.IsCapital(p.At(i).Text) || plaintext.IsCapital(p.At(i+1).Text)
}

// overLight gives the place behind little words.
func (p *parser) overLight(i int) int {
	for p.Is("light", p.At(i).Low) && !p.At(i).Mark {
		i++
	}
	return i
}

// overCalls gives the place behind words such as "called".
func (p *parser) overCalls(i int) int {
	for p.Is("calls", p.At(i).Low) && !p.At(i).Mark {
		i++
	}
	return i
}

// thingAt gives the ways to read the name of a thing that the project has, with what it may be called besides.
func (p *parser) thingAt(i int) (out []name) {
	for _, n := range p.names(p.overLight(i)) {
		if t := p.request.find(strings.Join(n.words, "_")); t == nil {
			continue
		}
		if m, k := p.Phrase(n.end); m.Class == "container" || p.Is("holds", p.Words(n.end, k)) {
			n.end += k
		}
		out = append(out, n)
	}
	return out
}

// subjectOf reads a thing of which something is said: books belong to users, each book has an isbn, a chapter belongs to a book.
func (p *parser) subjectOf(i, to int) (out []edge) {
	if before := p.backOver(i); !p.begins(before) && p.class(before-1) != "stop" {
		return nil
	}
	for _, n := range p.thingAt(i) {
		switch {
		case n.end >= to:
		case p.saysMore(n.end):
			out = append(out, edge{n.end, 4, named, p.speakOf(n)})
		case p.At(p.backOver(i)-1).Low == "give": // give books a price
			out = append(out, edge{n.end, 4, fields, p.speakOf(n)})
		}
	}
	for _, n := range p.names(i) {
		noun := p.class(n.end-1) == "" && p.request.find(strings.Join(n.words, "_")) == nil
		if n.end < to && noun && p.Is("belongs", p.At(n.end).Low) {
			out = append(out, edge{n.end, 6 + p.thingCost(n), named, p.speakOf(n)})
		}
	}
	return out
}

// saysMore says whether something is said of the thing that was named before a place.
func (p *parser) saysMore(i int) bool {
	for p.Is("passed-over", p.class(i)) && !p.Is("gets", p.At(i).Low) {
		i++
	}
	m, _ := p.Phrase(i)
	return m.Class == "fields" || m.Class == "relation" || p.Is("gets", p.At(i).Low)
}

func (p *parser) speakOf(n name) act {
	return func(b *builder) {
		p.change.heard(b)
		b.thing(n.words, false)
		p.change.spoken, p.change.size = b.current, len(b.current.Fields)+len(b.current.Parents)
	}
}

// wholeEdges reads to what something is added, or from what it is removed, behind a little word.
func (p *parser) wholeEdges(i, to int, s state) (out []edge) {
	if !slices.Contains([]state{adding, removing, fields}, s) || !p.Is("target", p.At(i).Low) {
		return nil
	}
	c := p.change
	for _, n := range p.candidates(i+1, to) {
		out = append(out, edge{n.end, n.cost, targeted, func(b *builder) {
			if t := c.thing(b, n.words); t != nil {
				c.whose(b, t)
			}
		}})
	}
	return out
}

// candidates gives the names that things may have which something is added to, or which others belong to.
func (p *parser) candidates(i, to int) (out []name) {
	known := p.thingAt(i)
	for _, n := range append(known, p.names(p.overLight(i))...) {
		n.cost = map[bool]int{true: 3, false: 14}[p.request.find(strings.Join(n.words, "_")) != nil]
		if n.end == to || n.end < to && (p.ends(n.end) || p.Is("behind-thing", p.class(n.end))) {
			out = append(out, n)
		}
	}
	return out
}

// ownerEdges reads what a thing belongs to: one that the project has, or gets.
func (p *parser) ownerEdges(i, to int) (out []edge) {
	c := p.change
	for _, n := range p.candidates(i, to) {
		out = append(out, edge{n.end, n.cost, named, func(b *builder) {
			if b.many || c.thing(b, n.words) != nil {
				b.parent(n.words)
			}
		}})
	}
	return out
}

// addedEdges reads something that is added, up to where that may end: a price to books, a genre field.
func (p *parser) addedEdges(i, to int) (out []edge) {
	c := p.change
	if p.introduced(i) {
		return nil
	}
	for end := i + 1; end <= to; end++ {
		if end < to && !p.ends(end) && !p.cuts(end) {
			continue
		}
		for _, it := range p.items(i, end) {
			if it.end == end && it.cost < never && p.addable(it) {
				out = append(out, edge{end, it.cost, adding, func(*builder) { c.added = append(c.added, addition{it, c.fields}) }})
			}
		}
	}
	return out
}

// cutFields reads a field behind which only a polite word stands: a language too.
func (p *parser) cutFields(i, to int) (out []edge) {
	for end := i + 1; end < to; end++ {
		if !p.Is("polite", p.At(end).Low) {
			continue
		}
		for _, it := range p.items(i, end) {
			if it.end == end && it.cost < never {
				out = append(out, edge{end, it.cost, fields, func(b *builder) { b.field(it) }})
			}
		}
	}
	return out
}

// cuts says whether what is added may end before a place although no mark stands there.
func (p *parser) cuts(i int) bool {
	low := p.At(i).Low
	return p.Is("target", low) || p.Is("field-noun", low) || p.Is("polite", low)
}

// addable says whether a field may be added by its name: what is done with something is none, nor what holds something.
func (p *parser) addable(it item) bool {
	last := it.words[len(it.words)-1]
	for k, w := range it.words {
		if p.Is("only-verb", w) || p.Is("acts", w) || p.Is("particle", w) && k < len(it.words)-1 {
			return false
		}
	}
	switch {
	case p.Is("never-added", last) || p.Is("reserved-noun", english.Singular(last)) || len(it.left) > 0,
		p.Vocabulary[last].Class == "container" && !p.fieldWord(last),
		it.rules.Choices != nil && english.IsPlural(last) && !p.fieldWord(last): // loans: borrower, due date
		return false
	}
	return true
}

// newThings reads the name of something of which the project is to keep records: its fields follow, or it is called so.
func (p *parser) newThings(i, to int) (out []edge) {
	for _, n := range p.names(i) {
		m, k := p.Phrase(n.end)
		called := (m.Class == "container" || m.Class == "kind") && p.Is("holds", p.Words(n.end, k))
		if n.end > to || !called && !p.isThing(n, i) {
			continue
		}
		if called {
			n.end += k
		}
		out = append(out, edge{n.end, p.thingCost(n), named, func(b *builder) { b.thing(n.words, false) }})
	}
	return out
}

// isThing says whether what stands around a name tells that it is one of a thing.
func (p *parser) isThing(n name, from int) bool {
	if p.related(n.end) && p.Is("belongs", p.At(p.After(n.end, "that", "which", "who")).Low) {
		return true
	}
	low := p.At(n.end).Low
	lists := low == "(" || low == ":" || p.Phraseful(n.end, "fields") && !p.Is("field-noun", low)
	return english.IsPlural(n.words[len(n.words)-1]) && (lists || p.introduced(from))
}

// related says whether it is told to what the things belong that were named before a place.
func (p *parser) related(i int) bool {
	if p.Is("relative", p.At(i).Low) {
		i++
	}
	return p.Phraseful(i, "relation")
}

// introduced says whether what stands before a place says that records are kept of what follows: an endpoint for, a table.
func (p *parser) introduced(i int) bool {
	i = p.backOver(i)
	if p.introduces(i) {
		return true
	}
	for i > 0 && p.Is("calls", p.At(i-1).Low) {
		i--
	}
	return p.introduces(i)
}

// introduces says whether such a phrase ends before a place.
func (p *parser) introduces(i int) bool {
	for n := 1; n <= words.MaxPhrase && i >= n; n++ {
		phrase := p.Words(i-n, n)
		listed := p.Vocabulary[phrase].Class == "things" && english.HasSuffix(phrase, " for", " of")
		if listed || p.Vocabulary[phrase].Class == "container" && p.Is("holds", phrase) {
			return true
		}
	}
	return false
}

// droppedEdges reads something that is removed: a thing of the project, or a field.
func (p *parser) droppedEdges(i, to int) (out []edge) {
	c := p.change
	before := p.backOver(i)
	if first := p.begins(before) || p.class(before-1) == "removing"; !first && !p.introduced(i) && !p.callsSo(before-1) {
		return nil
	}
	for _, n := range p.thingAt(i) {
		if n.end <= to && p.closed(n.end) {
			whole := strings.Join(n.words, "_")
			out = append(out, edge{n.end, 4, removing, func(b *builder) { c.done = append(c.done, b.find(whole).Name) }})
		}
	}
	for _, n := range p.fieldNames(p.overLight(i)) {
		whole := strings.Join(n.words, "_")
		if n.end <= to && len(c.owners(whole)) > 0 {
			out = append(out, edge{n.end, 2, removing, func(*builder) { c.dropped = append(c.dropped, whole) }})
		}
	}
	return out
}

// callsSo says whether a word calls what follows a field or a thing: the field title.
func (p *parser) callsSo(i int) bool {
	low := p.At(i).Low
	return p.Is("field-noun", low) || p.Is("holds", low)
}
