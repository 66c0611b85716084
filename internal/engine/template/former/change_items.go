package former

import (
	"cmp"
	"strings"

	"github.com/bundle-delivery/svc/internal/values"
)

// known reads the name of a thing that there is, with the word for what holds its records.
func (c *changer) known(i int) (t *Thing, end int) {
	var all []string
	for at := c.skip(i); !c.At(at).Mark && len(all) < longestName && !c.Is("partly", c.At(i).Low); at++ {
		all = append(all, spelled(c.At(at)))
		if found := c.find(strings.Join(all, "_")); found != nil {
			t, end = found, at+1
		}
	}
	return t, end + c.Length(end, "called-so")
}

// allKnown reads the names of things that there are, with "and" between. Behind those that get something that is told.
func (c *changer) allKnown(i, to int, get bool) (all []*Thing, end int) {
	for at := i; at < to; at = c.After(end, "and", ",", "to", "both", "also") {
		t, next := c.known(at)
		if more := c.whole(next, to) || get && (c.Length(next, "gets") > 0 || c.Is("between", c.At(next).Low)); t == nil || len(all) > 0 && !more {
			break
		}
		all, end = append(all, t), next
		if !c.Ends(end) {
			break
		}
	}
	return all, end
}

// aimed finds to what something is added, or from what it is removed, in the clause that holds a place.
func (c *changer) aimed(table string, i, to int) (at int, all []*Thing, end int) {
	for k := i; k < to; k++ {
		low := c.At(k).Low
		switch class := c.class(k); {
		case low == "(":
			k = max(k, c.Closes(k))
		case low == ":" && c.Length(k+1, "type") == 0, class == "adding" || class == "removing" || class == "renaming", k > i && c.begins(k) && c.Is("begins-clause", low):
			return to, nil, to
		case c.Is(table, low) && !c.At(k).Mark && k > i && c.ClassAt(k-1) != "relation":
			all, end := c.allKnown(k+1, to, false)
			if len(all) > 0 && (c.Ends(end) || c.whole(end, to) || c.ClassAt(end) == "fields" || c.Length(end, "with-values") > 0 || c.relatesRule(end)) {
				return k, all, end
			}
		}
	}
	return to, nil, to
}

// relatesRule says whether a rule follows that goes on about what was named: that is unique.
func (c *changer) relatesRule(i int) bool {
	var rules values.Rules
	var kind string
	return c.Is("relative", c.At(i).Low) && rules.Said(c.Text, i+1, &kind) > 0
}

// items reads fields up to a place, or to where something else begins.
func (c *changer) items(i, to int) (l list) {
	l.end = i
	defer func(before bool) { c.typed = before }(c.typed)
	c.typed = c.types(i, to) > 1
	for called := false; i < to; {
		at := i
		for at < to && c.separates(at) {
			at++
		}
		at, kind, noun := c.calledField(at)
		called = called || noun
		verb := c.Is("begins-clause", c.At(at).Low) && !c.Ends(at+1)
		if at >= to || c.At(i).Low == "or" || verb {
			return l
		}
		got, end := c.one(at, to)
		whole := end >= to || c.whole(end, to)
		if len(got) == 0 || !whole || !c.shared(&l, got, i) {
			return l
		}
		if first := got[0].words; len(first) > 1 && c.Tables["rule"][first[0]] == "default" { // a field, or what the one before it is at first?
			return list{}
		}
		for k := range got {
			got[k].called = got[k].called || called
			got[k].kind, got[k].told = cmp.Or(got[k].kind, kind), got[k].told || kind != ""
		}
		l.items, l.end, i = append(l.items, got...), end, end
		if !c.Ends(end) {
			return l
		}
	}
	return l
}

// calledField gives the place of a name behind words that call it a field, and its kind: a boolean field called sold.
func (c *changer) calledField(i int) (at int, kind string, called bool) {
	first := c.overDescribed(i)
	if at = i; c.At(c.skip(i)).Low == "new" { // a new price
		at = first
	}
	if c.Is("type-behind", c.At(first).Low) && c.Is("field-noun", c.At(first+1).Low) && !c.Ends(first+2) {
		kind, first = c.Tables["type"][c.At(first).Low], first+1
	}
	k := c.Length(first, "field-noun")
	if k == 0 || c.Ends(first+k) && c.At(first+k).Low != ":" {
		return at, "", false
	}
	return c.overCalls(first + k), kind, true
}

// overCalls gives the place behind words between what something is, and its name.
func (c *changer) overCalls(i int) int {
	for c.Length(i, "calls") > 0 || c.At(i).Low == ":" {
		i += max(1, c.Length(i, "calls"))
	}
	return i
}

// elsewhere says whether what stands at a place is known, and is no field.
func (c *changer) elsewhere(i, end, to int) bool {
	noun := c.ClassAt(c.skip(i)) == "" && (end == to || c.At(end).Low == "," && c.Length(end+1, "has-too") > 0) // a note for each book
	return c.endsList(i) && !noun
}

// one reads an item of a list, which may be called a field behind its name: a genre field.
func (c *changer) one(at, to int) (got []item, end int) {
	stop := c.skip(at) + 1
	for stop < to && !c.Ends(stop) && !c.Is("field-noun", c.At(stop).Low) {
		stop++
	}
	if stop >= to || c.Ends(stop) {
		if got, end = c.entry(at, to); c.elsewhere(at, end, to) {
			return nil, at
		}
		return got, end
	}
	if got, end = c.entry(at, stop); len(got) == 0 || end != stop {
		return nil, at
	}
	last := &got[len(got)-1]
	end, ok := c.goesOn(last, stop+1, to)
	if last.called = true; !ok {
		return nil, at
	}
	return got, end
}

// goesOn reads what is said of a field behind other words: a genre field, unique; a price to books, at least 0.
func (c *changer) goesOn(it *item, i, to int) (end int, ok bool) {
	if it.end = i; c.Length(i, "because") > 0 {
		return i, true
	} else if c.relatesRule(i) {
		it.end++
	}
	n := c.Length(i, "with-values")
	ok = n == 0 || c.choices(it, c.After(i+n, ":"), to, true)
	ok = ok && c.tail(it, to)
	return it.end, ok
}

// overDescribed gives the place behind words that say nothing of what is added.
func (c *changer) overDescribed(i int) int {
	for n := c.Length(i, "describes"); n > 0 && !c.Ends(i+n); n = c.Length(i, "describes") {
		i += n
	}
	return i
}

// contents reads what a thing holds behind a colon, in brackets, or behind words such as "with".
func (c *changer) contents(i, to int) (l list, end int) {
	m, k := c.Phrase(i)
	gets := c.Length(i, "gets")
	from, stop := i+max(k, gets), to
	switch low := c.At(i).Low; {
	case low == "(":
		from, stop = i+1, c.Closes(i)
	case low == ":":
		from = i + 1
	case m.Class != "fields" && gets == 0 || c.Is("field-noun", low):
		return l, i
	}
	l = c.items(from, stop)
	switch whole := l.end == stop && stop < to; {
	case len(l.items) == 0 || c.At(i).Low == "(" && !whole:
		return list{}, i
	case c.At(i).Low == "(":
		return l, stop + 1
	}
	return l, l.end
}
