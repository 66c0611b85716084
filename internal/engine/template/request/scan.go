package request

import (
	"strings"

	"github.com/bundle-delivery/svc/internal/glossary"
)

// outline is what is known of a request for a page before its sentences are read.
type outline struct {
	spans     map[int]span  // facts and names, by where they begin
	closing   map[int]role  // and by where they end
	sectioned []bool        // words that stand in a list that is called one of sections
	explicit  []bool        // words that a word for parts stands before, in one sentence
	sentence  []int         // where the sentence begins that holds a word
	group     []int         // where the list begins that holds a word
	lists     map[int]items // of sentences and lists, by where they begin
	about     int           // behind here it is told what the page is about
}

// items counts the parts of a list.
type items struct {
	all, known, short int
	plain             bool // all of them are short
}

// phrase is what the vocabulary knows of the words at a place.
type phrase struct {
	glossary.Meaning
	length int
	found  bool
}

// Phrase finds the longest phrase of the vocabulary at a place, and remembers it.
func (p *parser) Phrase(i int) (glossary.Meaning, int) {
	if i < 0 || i >= len(p.Tokens) {
		return p.Text.Phrase(i)
	}
	if p.phrases == nil {
		p.phrases = make([]phrase, len(p.Tokens))
	}
	if f := &p.phrases[i]; !f.found {
		f.Meaning, f.length = p.Text.Phrase(i)
		f.found = true
	}
	return p.phrases[i].Meaning, p.phrases[i].length
}

// look finds facts, names and lists in a request for a page.
func (p *parser) look() {
	n := len(p.Tokens) + 1
	p.outline = outline{
		closing: map[int]role{}, lists: map[int]items{}, explicit: make([]bool, n), sentence: make([]int, n),
		group: make([]int, n), about: n,
	}
	p.mark()
	p.sectioned = p.sections()
	p.spans = p.facts()
	for _, s := range p.spans {
		p.closing[s.end] = s.role
	}
	p.named(p.spans)
	for _, s := range p.spans {
		p.closing[s.end] = s.role
	}
}

// mark finds where sentences and lists begin, and what words say so.
func (p *parser) mark() {
	sentence, group, explicit := 0, 0, false
	for i := range p.Tokens {
		t := p.At(i)
		p.sentence[i], p.group[i], p.explicit[i] = sentence, group, explicit
		m, n := p.Phrase(i)
		switch next := p.At(i + n).Low; {
		case t.Mark && t.Low == ".":
			sentence, explicit = i+1, false
		case m.Class == "kind" && m.Value == Site && p.about > i && (next == "for" || next == "about" || next == "of"):
			p.about = i
		}
		if t.Mark && strings.Contains(".:(", t.Low) {
			group = i + 1
		}
		explicit = explicit || !t.Mark && (m.Class == "fields" || p.offersAt(i)+p.Length(i, "page-asks")+p.Length(i, "sees") > 0)
	}
}

// itemsFrom counts the parts of the list that begins at a place, up to the end of the sentence.
func (p *parser) itemsFrom(from int) items {
	if found, ok := p.lists[from]; ok {
		return found
	}
	out, depth := items{plain: true}, 0
	for k := from; k < len(p.Tokens) && !(p.At(k).Mark && p.At(k).Low == ".") && depth >= 0; {
		if p.ends(k) {
			depth += map[string]int{"(": 1, ")": -1}[p.At(k).Low]
			k++
			continue
		}
		end := p.itemEnd(k, len(p.Tokens))
		p.count(&out, k, end, k > from)
		k = end
	}
	p.lists[from] = out
	return out
}

// count adds a part to those of a list.
func (p *parser) count(to *items, k, end int, later bool) {
	to.all++
	told := p.spanned(k) || p.nextSpan(k, min(end-k, longestItem)) > k
	if p.knownPart(p.partWords(k, end)) {
		to.known++
	}
	if short := later && end < k+4 && !told && !p.trait(k, end); short && p.partCost(k, end, p.partWords(k, end), false) < never {
		to.short++
	}
	breaks := p.Is("breaks-list", p.At(k).Low) && !p.Is("asking", p.At(k).Low)
	other := p.Length(k, "manner") > 0 || p.Phraseful(k, "kind") || p.Phraseful(k, "things")
	to.plain = to.plain && !told && end-k <= 4 && !breaks && !other
}

// siteFirst says whether a request begins with a site for something, whatever that is.
func (r *Request) siteFirst() bool {
	x, first := r.Text, false
	for i := 0; i < len(x.Tokens); {
		m, n := x.Phrase(i)
		switch {
		case m.Class != "kind":
		case !first:
			next := x.At(i + n).Low
			if first = m.Value == Site && (next == "for" || next == "about" || next == "of"); !first {
				return false
			}
		case m.Value != Site && (x.Is("page-beside-kind", x.At(i-1).Low) || x.Is("page-beside-kind", x.At(i-2).Low)):
			return false
		}
		i += max(n, 1)
	}
	return first
}
