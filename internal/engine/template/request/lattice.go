package request

import "slices"

// state is what a name would be the name of.
type state int

const (
	open   state = iota // nothing, unless what follows tells
	placed              // where things may be, or what they are called together, has just been named
	things              // what records are kept of
	named               // a thing has just been named
	fields              // what a record holds
	above               // what a thing belongs to
	parts               // of a page: its sections
	about               // of a page: what it is about
	where               // of a page: where that is
	states
)

// What readings of words cost; the cheapest reading of a sentence wins.
const (
	free    = 0
	usual   = 10   // a word that the vocabulary knows
	strange = 40   // a name that nothing tells of
	never   = 1000 // a word that no rule reads: the request is refused
)

// act is what a part of a sentence does to the request.
type act func(*builder)

// edge is one way to read the words from a place on.
type edge struct {
	to, cost int
	next     state
	act      act
}

// path is the cheapest reading of a part of a request.
type path struct {
	cost int
	end  state
	acts []act
}

type cell struct {
	cost  int
	from  int
	state state
	act   act
	seen  bool
}

// read finds the cheapest way to read all the words between two places.
func (p *parser) read(from, to int, starts map[state]int) path {
	table := make([][states]cell, to-from+1)
	for s, cost := range starts {
		table[0][s] = cell{seen: true, from: -1, cost: cost}
	}
	for i := from; i < to; i++ {
		for s := range states {
			c := table[i-from][s]
			if !c.seen {
				continue
			}
			for _, e := range p.edges(i, to, s) {
				if e.to > to || e.to <= i {
					continue
				}
				p.relax(&table[e.to-from][e.next], c.cost+e.cost, i, s, e.act)
			}
		}
	}
	return trace(table, from)
}

// relax takes a way to a cell if it is cheaper than the one before.
func (p *parser) relax(c *cell, cost, from int, s state, do act) {
	if !c.seen || cost < c.cost {
		*c = cell{cost: cost, from: from, state: s, act: do, seen: true}
	}
}

func trace(table [][states]cell, from int) (out path) {
	last, found := len(table)-1, false
	for s := range states {
		if c := table[last][s]; c.seen && (!found || c.cost < out.cost) {
			out.cost, out.end, found = c.cost, s, true
		}
	}
	for at, s := last, out.end; at >= 0; {
		c := table[at][s]
		if c.act != nil {
			out.acts = append(out.acts, c.act)
		}
		if c.from < 0 {
			break
		}
		at, s = c.from-from, c.state
	}
	slices.Reverse(out.acts)
	return out
}

// do gives one act that does what a path does.
func (w path) do(b *builder) {
	for _, each := range w.acts {
		each(b)
	}
}
