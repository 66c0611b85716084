// Package grammar derives texts from rules that are written in a table.
//
// A line gives one way to read a rule: its name, an equals sign, and what stands one
// after the other. A word stands for itself, word~ for it and its plural (a noun) or its
// third person (a verb), <name> for another rule, {name} for a terminal that the caller
// finds in the text, and brackets for a choice between bars. Behind each of them ? says
// that it may be missing, * that it may be there several times or not at all, and + that
// it is there at least once. !N at the end of a line says how unlikely the reading is; of
// several readings the likeliest is taken. =word there is a note: what the reading means,
// where its words do not tell.
package grammar

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
)

// Grammar is a table of rules.
type Grammar struct {
	rules []rule
	index map[string]int
}

type rule struct {
	name string
	ways []way
	// by the word that a way begins with, together with those that may begin with something else
	begins map[string][]way
	others []way
}

type way struct {
	parts []part
	cost  int
	note  string
}

type part struct {
	words                []string
	terminal             string
	rule                 int // one of them: -1 where it is none
	optional, repeatedly bool
}

// New reads a table of rules.
func New(text string) *Grammar {
	g := &Grammar{index: map[string]int{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, right, ok := strings.Cut(line, " = ")
		if !ok {
			panic("grammar: no rule: " + line)
		}
		k := g.named(strings.TrimSpace(name))
		r := &reader{g: g, in: tokens(right)}
		ways := r.choice()
		if r.at < len(r.in) {
			panic("grammar: " + line)
		}
		g.rules[k].ways = append(g.rules[k].ways, ways...)
	}
	for _, r := range g.rules {
		if len(r.ways) == 0 {
			panic("grammar: nothing is known of " + r.name)
		}
	}
	for k := range g.rules {
		g.rules[k].sort()
	}
	return g
}

// sort finds which ways may be tried at a word: most choices are between words.
func (r *rule) sort() {
	r.begins = map[string][]way{}
	for _, w := range r.ways {
		for _, word := range w.begin() {
			r.begins[word] = nil
		}
	}
	for _, w := range r.ways {
		first := w.begin()
		for word := range r.begins {
			if first == nil || slices.Contains(first, word) {
				r.begins[word] = append(r.begins[word], w)
			}
		}
		if first == nil {
			r.others = append(r.others, w)
		}
	}
}

// begin gives the words of which a way begins with one in any case, or none.
func (w way) begin() []string {
	if len(w.parts) == 0 || w.parts[0].optional {
		return nil
	}
	return w.parts[0].words
}

func (g *Grammar) named(name string) int {
	if k, ok := g.index[name]; ok {
		return k
	}
	g.rules = append(g.rules, rule{name: name})
	g.index[name] = len(g.rules) - 1
	return len(g.rules) - 1
}

func tokens(text string) []string {
	for _, sign := range []string{"(", ")", "|", "?", "*", "+"} {
		text = strings.ReplaceAll(text, sign, " "+sign+" ")
	}
	return strings.Fields(text)
}

type reader struct {
	g  *Grammar
	in []string
	at int
}

func (r *reader) next() string {
	if r.at < len(r.in) {
		return r.in[r.at]
	}
	return ""
}

func (r *reader) choice() (ways []way) {
	for {
		ways = append(ways, r.sequence())
		if r.next() != "|" {
			return ways
		}
		r.at++
	}
}

func (r *reader) sequence() (w way) {
	for t := r.next(); t != "" && t != "|" && t != ")"; t = r.next() {
		r.at++
		p := part{rule: -1}
		switch {
		case t == "(":
			k := r.g.named(fmt.Sprintf("(%d", len(r.g.rules)))
			ways := r.choice()
			r.g.rules[k].ways = ways
			r.at++
			p.rule = k
		case t[0] == '!':
			w.cost, _ = strconv.Atoi(t[1:])
			continue
		case t[0] == '=' && len(t) > 1:
			w.note = t[1:]
			continue
		case t[0] == '<':
			p.rule = r.g.named(strings.Trim(t, "<>"))
		case t[0] == '{':
			p.terminal = strings.Trim(t, "{}")
		case t[len(t)-1] == '~':
			p.words = []string{t[:len(t)-1], english.Plural(t[:len(t)-1])}
		default:
			p.words = []string{strings.Trim(t, `"`)}
		}
		switch r.next() {
		case "?":
			p.optional = true
			r.at++
		case "*":
			p.optional, p.repeatedly = true, true
			r.at++
		case "+":
			p.repeatedly = true
			r.at++
		}
		w.parts = append(w.parts, p)
	}
	return w
}

// Node is what was read by a rule, or a terminal.
type Node struct {
	Name     string
	From, To int
	Parts    []*Node
	Cost     int
	Note     string
	end      *state // of the way by which it was read
}

// expand gives a node its parts: only those of the likeliest reading are needed.
func (n *Node) expand() *Node {
	for s := n.end; s != nil; s = s.before {
		if s.last == nil {
			continue
		}
		part := s.last.expand()
		if !strings.HasPrefix(part.Name, "(") {
			n.Parts = append(n.Parts, part)
			continue
		}
		for _, inner := range slices.Backward(part.Parts) { // of a choice only what was chosen
			n.Parts = append(n.Parts, inner)
		}
	}
	slices.Reverse(n.Parts)
	n.end = nil
	return n
}

// Match is where a terminal may end.
type Match struct{ To, Cost int }

// Text is what is read.
type Text interface {
	Word(i int) string
	Terminal(name string, i int) []Match
}

type parser struct {
	*Grammar
	Text
	to    int
	read  map[[2]int][]*Node // by a rule and a place
	found map[finding][]Match
	far   int // up to where something was understood
}

type finding struct {
	terminal string
	at       int
}

// Read gives the likeliest way to read all that stands between two places by a rule, or nil and the place up to which
// something was understood.
func (g *Grammar) Read(name string, text Text, from, to int) (*Node, int) {
	p := &parser{g, text, to, map[[2]int][]*Node{}, map[finding][]Match{}, from}
	for _, n := range p.rule(g.index[name], from) {
		if n.To == to {
			return n.expand(), to
		}
	}
	return nil, p.far
}

// rule gives the likeliest way to read a rule at a place for each place where it may end.
func (p *parser) rule(k, at int) []*Node {
	key := [2]int{k, at}
	if known, ok := p.read[key]; ok {
		return known
	}
	p.read[key] = nil // a rule that begins with itself reads nothing
	p.far = max(p.far, at)
	if at >= p.to {
		return nil
	}
	var out []*Node
	ways, ok := p.rules[k].begins[p.Word(at)]
	if !ok {
		ways = p.rules[k].others
	}
	for _, w := range ways {
		for _, s := range p.sequence(w.parts, at) {
			same := slices.IndexFunc(out, func(n *Node) bool { return n.To == s.to })
			if same < 0 {
				out = append(out, &Node{Name: p.rules[k].name, From: at, To: s.to, Cost: s.cost + w.cost, Note: w.note, end: s})
			} else if n := out[same]; s.cost+w.cost < n.Cost {
				n.Cost, n.Note, n.end = s.cost+w.cost, w.note, s
			}
		}
	}
	slices.SortFunc(out, func(a, b *Node) int { return cmp.Compare(a.To, b.To) })
	p.read[key] = out
	return out
}

// terminal gives where a terminal may end that begins at a place.
func (p *parser) terminal(name string, at int) []Match {
	key := finding{name, at}
	known, ok := p.found[key]
	if !ok {
		known = p.Terminal(name, at)
		p.found[key] = known
	}
	return known
}

// state is how far a way was read.
type state struct {
	to, cost int
	last     *Node
	before   *state
}

// sequence gives the likeliest way to read parts one after the other for each place where they may end.
func (p *parser) sequence(parts []part, at int) []*state {
	states := []*state{{to: at}}
	for _, each := range parts {
		var after likeliest
		if each.optional {
			after.add(states...)
		}
		for next := states; len(next) > 0; {
			var found []*state
			for _, s := range next {
				found = append(found, after.add(p.part(each, s)...)...)
			}
			if next = found; !each.repeatedly {
				break
			}
		}
		if states = after; len(states) == 0 {
			return nil
		}
	}
	return states
}

// likeliest is the likeliest of the states that end at each place: there are few.
type likeliest []*state

// add gives those of the states that are likelier than what was known.
func (l *likeliest) add(states ...*state) (better []*state) {
	for _, s := range states {
		k := slices.IndexFunc(*l, func(known *state) bool { return known.to == s.to })
		switch {
		case k < 0:
			*l = append(*l, s)
		case s.cost < (*l)[k].cost:
			(*l)[k] = s
		default:
			continue
		}
		better = append(better, s)
	}
	return better
}

func (p *parser) part(each part, s *state) (out []*state) {
	p.far = max(p.far, s.to)
	switch {
	case s.to >= p.to:
	case each.rule >= 0:
		for _, n := range p.rule(each.rule, s.to) {
			out = append(out, &state{n.To, s.cost + n.Cost, n, s})
		}
	case each.terminal != "":
		for _, m := range p.terminal(each.terminal, s.to) {
			if m.To <= p.to {
				out = append(out, &state{m.To, s.cost + m.Cost, &Node{Name: "{" + each.terminal, From: s.to, To: m.To}, s})
			}
		}
	case slices.Contains(each.words, p.Word(s.to)):
		out = append(out, &state{s.to + 1, s.cost, nil, s})
	}
	return out
}
