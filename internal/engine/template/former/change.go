package former

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

const doesMore = "more than keeping records"

// changer reads what of a project is to become different. Each rule reads a clause as a whole, or changes nothing.
type changer struct {
	*reader
	command bool
	follow  func(i, to int) int // what is done with names that follow without a verb
	given   []string            // the fields that were given last, which "it" or "them" may mean
	owners  []*Thing            // what they were given to
}

// Change reads how a project with some things is to be changed. They keep their names, and their fields names and kinds.
// Where nothing is stored they may get others.
func Change(x words.Text, things []*Thing, command, fluid bool) *Reading {
	c := &changer{reader: newReader(x), command: command}
	c.fluid = fluid
	c.Things = things
	for _, t := range things {
		t.known = true
		for k := range t.Fields {
			t.Fields[k].old = true
		}
	}
	for _, each := range Sentences(x) {
		c.sentence(each[0], each[1])
	}
	c.relate(command)
	c.pairs()
	c.sound()
	c.guesses()
	return c.Reading
}

func (c *changer) sentence(from, to int) {
	c.follow, c.current, c.clause = nil, nil, from
	to = c.overClosing(from, to)
	acts := slices.ContainsFunc(c.Tokens[from:to], func(t words.Token) bool { return c.Is("begins-clause", t.Low) || c.find(t.Low) != nil })
	if !acts && c.opens(from)+c.Length(from, "adds") == 0 && c.story(from, to) {
		return
	}
	if first := c.After(from, "and", "also", "plus"); first > from && c.After(first, "a", "an") > first && first < to { // and a price
		if end := c.loose(first, to); end > first {
			from = end
		}
	}
	for i := from; i < to; {
		i = min(c.step(i, to), to)
	}
}

// overClosing gives the place before words that end a sentence, and say nothing: as well, any more.
func (c *changer) overClosing(from, to int) int {
	for k := to - 1; k > from; k-- {
		if n := c.Length(k, "closes-change"); n > 0 && (k+n == to || c.At(k+n).Low == "." && k+n+1 == to) {
			return c.overClosing(from, k)
		}
	}
	return to
}

// step reads one clause, or a mark or a word between clauses.
func (c *changer) step(i, to int) int {
	switch t := c.At(i); {
	case t.Low == "(" && c.lines(i+1, max(i+1, c.Closes(i))) != nil:
		for _, line := range c.lines(i+1, c.Closes(i)) {
			c.sentence(line[0], line[1])
		}
		return c.Closes(i) + 1
	case t.Low == "(" || t.Low == "or":
		return c.refuse(i, to)
	case t.Mark || c.class(i) == "join":
		c.clause = i + 1
		return i + 1
	}
	if n := c.opens(i); n > 0 {
		c.clause = i + n
		return i + n
	}
	rules := []func(i, to int) int{c.set}
	if i == c.clause || c.Length(i, "because") > 0 || c.Is("relative", c.At(i).Low) && c.ClassAt(i+1) == "relation" {
		rules = []func(i, to int) int{c.replace, c.rename, c.addChoices, c.removeChoices, c.usually, c.retype, c.add, c.remove, c.retitle, c.require, c.rule, c.belong, c.subject, c.told, c.set}
	}
	if c.follow != nil && i == c.clause {
		rules = append(rules, c.follow)
	}
	for _, rule := range rules {
		if end := rule(i, to); end > i {
			return end
		}
	}
	return c.refuse(i, to)
}

// opens gives the length of words that begin a clause and say nothing.
func (c *changer) opens(i int) int {
	n := c.Length(i, "opens-change")
	if _, k := c.Phrase(i); max(k, c.Length(i, "adds")) > n { // instead of
		return 0
	}
	return n
}

// refuse takes a clause that no rule reads: it is left out where a word of it is known as a detail, else not understood.
func (c *changer) refuse(i, to int) int {
	end := max(i+1, min(c.EndOf(i), to))
	if c.At(i).Low == "(" {
		end = min(max(i+1, c.Closes(i)+1), to)
	}
	why := c.detailWithin(i, end)
	if c.class(i) == "removing" || why == "" || why == doesMore {
		c.Refuse(cmp.Or(c.text(i, end), c.At(i).Low))
	} else {
		c.Leave(c.text(i, end), why)
	}
	return end
}

// whole says whether a clause may end at a place.
func (c *changer) whole(i, to int) bool {
	if low := c.At(i).Low; i < to && (low == "(" || low == ":") {
		return false
	}
	return i >= to || c.Ends(i) || c.Is("polite", c.At(i).Low) || c.opens(i)+c.Length(i, "because") > 0
}

// add reads what a project gets.
func (c *changer) add(i, to int) int {
	m, n := c.Phrase(i)
	if k := c.Length(i, "adds"); m.Class != "adding" || k > n {
		n = k
	}
	at := c.After(i+n, ":")
	if n == 0 || c.find(c.At(i-1).Low) != nil || c.instead(i, to) && !settings.Is(c.Text, at) {
		return i
	}
	for _, rule := range []func(i, to int) int{c.added, c.loose, c.subject, c.set} {
		if end := rule(at, to); end > at {
			c.follow = c.added
			return end
		}
	}
	return i
}

// instead says whether a clause is there in place of something that it does not name.
func (c *changer) instead(i, to int) bool {
	return slices.ContainsFunc(c.Tokens[i:to], func(t words.Token) bool { return t.Low == "instead" })
}

// added reads a thing with what it holds, or fields and the things that get them.
func (c *changer) added(i, to int) int {
	first := c.After(c.overDescribed(i), "following", "field", "fields")
	if t, end := c.known(first + 1); c.Is("target", c.At(first).Low) && t != nil { // to books: price, pages
		l := c.items(c.After(end, ":"), to)
		c.give(l, t)
		return l.end * min(1, len(l.items))
	}
	k, all, end := c.aimed("target", i, to)
	if stop := c.newThing(i, k); stop > i {
		if stop != k || all == nil {
			return stop
		}
		c.under(c.current, all...)
		return end
	}
	l := c.items(i, k)
	if all == nil || len(l.items) == 0 || l.end != k {
		return i
	}
	if one := l.items[0]; len(l.items) == 1 && (c.several(one) || one.bare() && c.Is("field-or-thing", one.words[0])) {
		if l, stop := c.contents(end, to); stop > end { // reviews to books with a text
			t := c.make(noun{one.words, one.from, one.end})
			c.under(t, all...)
			c.give(l, t)
			return stop
		}
	}
	if len(l.items) == 1 {
		var ok bool
		if end, ok = c.goesOn(&l.items[0], end, to); !ok {
			return i
		}
	}
	c.give(l, all...)
	return end
}

// under lets the records of a thing belong to those of others.
func (c *changer) under(t *Thing, all ...*Thing) {
	for _, parent := range all {
		if c.command || parent == t {
			c.Refuse(t.Name + " belongs to " + parent.Name)
		} else if !slices.Contains(t.Parents, parent) {
			t.Parents = append(t.Parents, parent)
		}
	}
}

// newThing reads what records are to be kept of from now on, with what they hold or belong to.
func (c *changer) newThing(i, to int) int {
	at := c.overDescribed(i)
	k := c.Length(at, "introduces-thing")
	if k > 0 {
		at = c.overCalls(at + k)
	}
	n, ok := c.noun(at)
	if last := len(n.words) - 1; last > 0 && c.Is("called-so", n.words[last]) { // a notes resource
		n = noun{n.words[:last], n.from, n.to - 1}
		ok = c.goodName(n.words)
	}
	if !ok || n.to > to {
		return i
	}
	end := n.to + c.Length(n.to, "called-so")
	old := c.find(strings.Join(n.words, "_"))
	introduced := k > 0 || end > n.to
	odd := c.Tables["field"][n.last()] == values.Texts && !c.Is("rather-thing", n.last()) && c.At(end).Low == ":" // tags: red, green
	mass := english.Plural(n.last()) == n.last()                                                                  // equipment
	if !introduced && (odd || !n.many() && !mass && old == nil) {
		return i
	}
	if j := c.After(end, "that", "which", "who"); c.ClassAt(j) == "relation" {
		return max(i, c.joined(n, j, to))
	}
	l, stop := c.contents(end, to)
	if stop == end && !(introduced && old == nil && (end == to || c.whole(end, to))) {
		return i
	}
	if several := slices.ContainsFunc(l.items, c.several); several && len(l.items) > 1 { // payments with an amount and invoices: whose?
		return i
	}
	c.give(l, c.make(n))
	return stop
}

// make gives the thing of a name, which may be new. A command keeps one kind of record.
func (c *changer) make(n noun) *Thing {
	if c.command && c.find(strings.Join(n.words, "_")) == nil {
		c.Refuse(strings.Join(n.words, " "))
	}
	t := c.thing(n)
	t.weak = false
	return t
}

// give gives things fields, and lets what is no field belong to them: add comments to books.
func (c *changer) give(l list, all ...*Thing) {
	c.given, c.owners = nil, all
	for _, it := range l.items {
		n := noun{it.words, it.from, it.end}
		if c.doubtful(it, all[0]) {
			c.Refuse(strings.Join(it.words, " "))
		} else if !c.several(it) {
			for _, t := range all {
				c.field(t, it)
			}
			c.given = append(c.given, strings.Join(it.words, "_"))
		} else if !strings.HasPrefix(values.Text, c.Tables["field"][n.name()]) { // prices: a list, or records?
			c.Refuse(strings.Join(n.words, " "))
		} else {
			c.under(c.make(n), all...)
		}
	}
	c.current = all[0]
}

// doubtful says whether a name may be none of a field: a parent task, which is one of the tasks; (another) status lost; a
// nicer name.
func (c *changer) doubtful(it item, t *Thing) bool {
	one := len(it.words) > 1 && it.kind == "" && c.exact(it.words[len(it.words)-1]) != nil
	first := t.field(it.words[0])
	another := first != nil && (c.At(it.from-1).Low == "another" || len(it.words) > 1 && len(first.Choices) > 0)
	return one || another || slices.ContainsFunc(it.words, func(w string) bool { return c.Is("wished-for", w) })
}

// several says whether a name stands for records of their own, and for no field.
func (c *changer) several(it item) bool {
	last := it.words[len(it.words)-1]
	article := c.At(it.from-1).Low == "a" || c.At(it.from-1).Low == "an"
	named := english.IsPlural(last) && !article && c.Tables["field"][last] == ""
	return it.bare() && !it.called && named && c.goodName(it.words) && !c.deed(it.words)
}

// loose reads what is added and not said to what: things, or fields of the only thing.
func (c *changer) loose(i, to int) int {
	l := c.items(i, to)
	if len(l.items) == 0 || c.sharedList(l.end) {
		return i
	}
	if one := l.items[0]; len(l.items) == 1 && one.bare() && !one.called && c.Is("also-setting", strings.Join(one.words, " ")) { // a license: of the project?
		return i
	}
	var made []*Thing
	mine := list{}
	for _, it := range l.items {
		whole, plain := strings.Join(it.words, "_"), it.bare() && !it.called
		switch rather := plain && c.Is("rather-thing", whole); {
		case plain && c.find(whole) != nil:
			c.Refuse(strings.Join(it.words, " ") + ", which is there")
		case rather && !english.IsPlural(whole), plain && c.Is("field-or-thing", whole), plain && c.Is("does-more", whole) && c.Tables["field"][whole] == "": // a user: a field, or records?
			c.Refuse(strings.Join(it.words, " "))
		case rather || c.several(it):
			made = append(made, c.make(noun{it.words, it.from, it.end}))
			c.given, c.owners = nil, made
		default:
			it.called = true
			mine.items = append(mine.items, it)
		}
	}
	old := slices.DeleteFunc(slices.Clone(c.Things), func(t *Thing) bool { return len(t.Fields) == 0 || !t.Fields[0].old })
	if len(mine.items) > 0 && len(old) == 1 {
		c.give(mine, old[0])
		return l.end
	}
	for _, it := range mine.items { // of which of them?
		c.Refuse(strings.Join(it.words, " "))
	}
	return l.end
}

// sharedList says whether a thing with what it holds follows, which those before it may hold too: payments and invoices with an amount.
func (c *changer) sharedList(i int) bool {
	next, ok := c.noun(c.After(i, ",", "and"))
	alone := ok && next.from > i && c.skip(next.from) == next.from
	return alone && c.ClassAt(next.to) == "fields" && c.find(next.name()) == nil
}

// subject reads what things of the project have from now on: books need a language, customer: email, phone; give books a price.
func (c *changer) subject(i, to int) int {
	if t, at := c.known(i + 1); c.At(i).Low == "give" && t != nil {
		l := c.items(at, to)
		c.give(l, t)
		return l.end * min(1, len(l.items))
	}
	all, at := c.allKnown(i, to, true)
	if n := c.Length(i, "has-too"); n > 0 && len(c.owners) == 1 { // each with a number
		all, at = c.owners, i+n-1
	}
	for c.Length(at, "gets") == 0 && c.Is("between", c.At(at).Low) {
		at++
	}
	l, end := c.contents(at, to)
	if all == nil || end == at || c.At(at).Low == "with" && c.At(at-1).Low != "each" {
		return i
	}
	c.give(l, all...)
	return end
}

// belong reads what belongs to what: books belong to authors, a book has many reviews.
func (c *changer) belong(i, to int) int {
	n, ok := c.noun(i)
	if at := c.After(i, "that", "which", "who", "they", "it"); (at > i || strings.HasPrefix(c.At(i).Low, "belong")) && len(c.owners) == 1 { // loans (due date) which belong to books
		n, ok = noun{words: strings.Split(c.owners[0].Name, "_"), from: i, to: at}, true
	}
	at := n.to
	for c.ClassAt(at) != "relation" && c.Is("between", c.At(at).Low) {
		at++
	}
	if !ok || c.ClassAt(at) != "relation" {
		return i
	}
	return max(i, c.joined(n, at, to))
}

// joined lets the records of a thing belong to those that are named behind a relation, and reads what they hold.
func (c *changer) joined(n noun, at, to int) int {
	m, k := c.Phrase(at)
	stop := at + k
	for stop < to && c.At(stop).Low != "with" && c.At(stop).Low != ":" && c.At(stop).Low != "(" {
		stop++
	}
	child := c.find(strings.Join(n.words, "_"))
	parents, end := c.allKnown(at+k, stop, false)
	if m.Value == "many" { // books have many chapters with a title
		others, last := c.relatives(at+k, stop)
		if len(others) != 1 || child == nil {
			return -1
		}
		parents, n, end = []*Thing{child}, others[0], last
	}
	if parents == nil || end < stop && !c.whole(end, to) {
		return -1
	}
	l, after := c.contents(end, to)
	child = c.make(n)
	c.under(child, parents...)
	c.give(l, child)
	return after
}
