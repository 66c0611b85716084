package request

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// Project is what a request changes.
type Project struct {
	Kind     string
	Things   []*Thing // with the fields that they have
	Sections []string
	Hours    string   // that a page tells
	Does     []string // the operations of a command
	Fluid    bool     // no record outlives a restart, so what they are made of may change
}

// changer takes what of a project is to become different.
type changer struct {
	*reader
	before Project
	owners []*Thing // what was told of last
	given  []spot   // the fields that they were given then, which "it" or "them" may mean
}

// spot is where a field is.
type spot struct {
	of   *Thing
	name string
}

// Change reads a request that changes a project: it is as strict as those that begin one.
func Change(prompt string, l words.Lexicon, old Project) *Request {
	r := &reader{Text: words.In(prompt, l), Request: &Request{Kind: old.Kind, Things: slices.Clone(old.Things)}}
	c := &changer{reader: r, before: old}
	if r.Request.Text = r.Text; is("asks-about", r.At(r.After(0, "and", "so", "but", "oh", "also")).Low) && !slices.ContainsFunc(r.Tokens[:min(5, len(r.Tokens))], func(t words.Token) bool { return is("wishes-so", t.Low) }) {
		r.Refuse(r.said(0, len(r.Tokens))) // is it secure?
	}
	if old.Kind == project.Site {
		r.changePage(old.Sections, old.Hours)
		return r.Request
	}
	had := map[*Thing]int{}
	for _, t := range old.Things {
		t.old, t.All = true, true
		for i, f := range t.Fields {
			if t.Fields[i].old = true; f.Ref != "" && r.exact(f.Ref) != nil {
				t.belongs(r.exact(f.Ref))
			}
		}
		had[t] = len(t.Parents)
	}
	tree, far := rules().Read("change", c, 0, min(len(r.Tokens), longest))
	if tree == nil || len(r.Tokens) > longest {
		r.notUnderstood(far)
		return r.Request
	}
	c.change(tree)
	r.link()
	for _, t := range r.Things {
		if !t.old || len(t.Parents) > had[t] { // what was there before is as it is
			r.Refuse(r.law(t))
		}
		if t.Parents = t.Parents[had[t]:]; r.Kind == project.Command && (!t.old || len(t.Parents) > 0) {
			r.Refuse(plural(t) + ": a command keeps one kind of record")
		}
	}
	return r.Request
}

// Terminal gives where words end that begin at a place and are of a sort: things and fields may be there before.
func (c *changer) Terminal(name string, i int) (out []grammar.Match) {
	all := c.reader.Terminal(name, i)
	there := func(name string) bool { return c.there(name) != nil }
	if operation, ok := strings.CutPrefix(name, "does-"); ok {
		return when(slices.Contains(c.before.Does, operation), i)
	}
	switch name {
	case "thing":
		return append(c.names(i, there), all...)
	case "present":
		return append(c.names(i, there), c.told(i, c.reader.Terminal("thing", i))...)
	case "held":
		return append(c.names(i, func(name string) bool { return len(c.having(c.Things, name)) > 0 }), c.told(i, c.fieldNames(i))...)
	case "described": // fines (amount, paid): records of their own
		return slices.DeleteFunc(all, func(m grammar.Match) bool {
			return english.IsPlural(c.At(i-2).Low) && m.To > i+1 && slices.ContainsFunc(c.Tokens[i:m.To], func(t words.Token) bool { return c.known(t.Low) })
		})
	case "options": // category: food, rent or other
		if told := is("tells-choices", c.At(i-1).Low) || c.At(i-1).Low == ":"; told && len(all) == 0 && !c.At(i).Mark {
			end := values.ChoicesEnd(c.Text, i, true, true)
			return when(end > i && c.At(end-2).Low == "or" && c.choosable(i, end), end)
		}
		return all
	case "owned":
		return c.names(i, there)
	case "does": // in no words
		return when(len(c.before.Does) > 0, i)
	case "mentioned":
		return slices.Concat(all, c.Terminal("present", i), c.Terminal("held", i))
	case "things": // an endpoint for returns
		if low := c.At(i).Low; c.At(i-1).Low == "for" && c.Is("also-name", low) && english.IsPlural(low) {
			all = append(all, grammar.Match{To: i + 1})
		}
	case "value":
		return c.names(i, func(string) bool { return true })
	}
	return slices.DeleteFunc(all, func(m grammar.Match) bool {
		said := c.said(i, m.To)
		return name == "field" && c.noField(i, m.To) || name == "title" && (is("no-name", said) || c.known(said)) || name == "license" && c.Vocabulary[said].Value == project.None
	})
}

// names finds words that together are a name.
func (c *changer) names(i int, is func(string) bool) (out []grammar.Match) {
	for n := 1; n <= words.MaxPhrase && !c.Ends(i+n-1); n++ {
		if is(c.nameOf(i, i+n)) {
			out = append(out, grammar.Match{To: i + n})
		}
	}
	return out
}

// told leaves those of some names that the same request may have told before.
func (c *changer) told(i int, all []grammar.Match) (out []grammar.Match) {
	for _, m := range all {
		if c.elsewhere(i, m.To) {
			out = append(out, grammar.Match{To: m.To, Cost: 2})
		}
	}
	return out
}

// noField says whether words are no name of a field: a nicer name, a price to books, a parent book, a waiting list, the dog's color, status lost,
// an average price.
func (c *changer) noField(from, to int) bool {
	for k := from + 1; k <= to; k++ { // the number of books
		if c.At(k).Low == "of" && is("counted-of", c.At(k-1).Low) && len(c.Terminal("present", c.After(k+1, "the", "all", "my", "our"))) > 0 {
			return true
		}
	}
	if c.known(c.said(from, to)) {
		return false
	}
	if is("averaged", c.At(from).Low) || is("shown", c.At(to-1).Low) || is("of-kind", c.said(from, to)) && c.At(from-1).Low == "," { // a price, number
		return true
	}
	for k := from; k < to; k++ {
		next := c.After(k+1, "the", "a", "an", "our", "each", "every", "all")
		onto := is("onto", c.At(k).Low) && next < to && len(c.Terminal("mentioned", next)) > 0
		if owned := strings.HasSuffix(c.At(k).Text, "'s"); onto || owned || is("wished-for", c.At(k).Low) {
			return true
		}
	}
	if class := c.class(c.said(from, to)); class == "detail" || class == "heart" || to == from+1 {
		return class != "" && !c.Is("also-name", c.said(from, to))
	}
	of := (c.exact(one(c.At(to-1).Low)) != nil || is("collection", c.At(to-1).Low)) && c.At(to-2).Low != "of"
	computed := is("computed", c.At(from).Low) && len(c.having(c.Things, c.nameOf(from+1, to))) > 0
	begins := c.having(c.Things, c.nameOf(from, from+1))
	return of || computed || len(begins) > 0 && begins[0].field().Choices != nil
}

// likelyField says whether what nobody says to add is a field: its name is one of a field or ends like one that tells its
// kind (end date), or it is told what kind it is of, or it is asked for: is it done or not.
func (c *changer) likelyField(p, name *grammar.Node) bool {
	if name == nil {
		return child(p, "question") != nil && c.At(p.To-1).Low == "not"
	}
	if name.To > name.From+1 && is("bare-deed", c.At(name.From).Low) {
		return false
	}
	said := c.said(name.From, name.To)
	kind := c.Tables["field"][lastWord(said)]
	told := child(p, "{type", "{types", "{lonetype", "inwords") != nil || child(p, "rule") != nil && !english.IsPlural(lastWord(said))
	return c.known(said) || kind != "" && kind != values.Truth || told
}

func (c *changer) known(said string) bool { return c.Is("field", said) || c.Is("also-field", said) }

// there gives a thing by its name, or by the end of it where only one has that: parking spots may be called spots.
func (c *changer) there(name string) *Thing {
	name = one(name)
	if t := c.exact(name); t != nil {
		return t
	}
	all := slices.DeleteFunc(slices.Clone(c.Things), func(t *Thing) bool { return !t.endsWith(name) })
	if len(all) != 1 {
		return nil
	}
	return all[0]
}

// having gives the fields of some things that a name means: emails, the owner of which records keep the id.
func (c *changer) having(all []*Thing, name string) (out []spot) {
	for _, t := range all {
		if f := cmp.Or(t.field(name), t.field(name+"_id"), t.field(one(name))); f != nil {
			out = append(out, spot{t, f.Name})
		}
	}
	return out
}

func (s spot) field() *Field { return s.of.field(s.name) }

// change takes what a derivation says.
func (c *changer) change(n *grammar.Node) {
	if take, ok := map[string]func(*grammar.Node){
		"gain": c.gain, "giving": c.gain, "another": c.gain, "fieldfirst": c.gain, "keeping": c.keep, "relating": c.relating, "lost": c.lose, "replacing": c.replace, "keptalso": c.keep, "giveto": c.gain, "barely": c.gain, "barewish": c.gain, "because": c.because, "barefields": c.gain, "given": c.take, "operated": c.operated, "maybelost": c.maybeLose, "parted": c.lose, "renaming": c.rename, "called-now": c.rename,
		"holding": c.holding, "isneeded": c.holding, "notneeded": c.holding, "title": c.take, "off": c.off, "configured": c.configure, "leftout": c.take, "tale": c.take, "astale": c.take,
	}[n.Name]; ok {
		take(n)
		return
	}
	for _, p := range n.Parts {
		c.change(p)
	}
}

func (c *changer) refused(n *grammar.Node) { c.Refuse(c.said(n.From, n.To)) }

// knowns gives the things that a part of a request names.
func (c *changer) knowns(n *grammar.Node) (out []*Thing) {
	for _, p := range children(&grammar.Node{Parts: []*grammar.Node{n}}, "known") {
		found := c.owners
		if thing := child(p, "{present"); thing != nil {
			found = []*Thing{c.there(c.nameOf(thing.From, thing.To))}
		} else if p.Note != "owners" {
			found = c.before.Things
		}
		if p.Note == "owners" && len(found) == 0 && is("all-of", c.At(p.From).Low) {
			found = c.before.Things
		}
		if len(found) == 0 || found[0] == nil || p.Note == "only" && len(found) > 1 && !is("all-of", c.At(p.From).Low) || p.Note == "both" && len(found) != 2 {
			c.refused(p)
			return nil
		}
		out = append(out, found...)
	}
	return out
}

// spots gives the fields that a part of a request names: those that were given last, or those that each of the things
// named with them has, or else one only.
func (c *changer) spots(n *grammar.Node) (out []spot) {
	if n.Note == "it" || n.Note == "them" {
		if several := slices.ContainsFunc(c.given, func(s spot) bool { return s.name != c.given[0].name }); len(c.given) == 0 || several != (n.Note == "them") {
			c.refused(n)
		}
		return c.given
	}
	of := c.knowns(n)
	if n.Note == "fields" && len(of) == 0 {
		of = c.before.Things
	}
	for _, t := range of {
		for _, f := range t.Fields {
			if n.Note == "fields" && f.Ref == "" {
				out = append(out, spot{t, f.Name})
			}
		}
	}
	for _, p := range children(n, "{held", "{owned") {
		found := c.having(of, c.nameOf(p.From, p.To))
		if p.Name == "{owned" {
			found = c.having(of, c.there(c.nameOf(p.From, p.To)).Name+"_id")
		}
		if len(of) == 0 {
			found = c.having(c.Things, c.nameOf(p.From, p.To))
		}
		both := c.At(p.From-1).Low == "both" && len(children(n, "{held", "{owned"))+len(of) < 3 // both dates: which?
		if out = append(out, found...); both || len(found) != max(len(of), 1) {
			c.refused(n)
			return nil
		}
	}
	return out
}

// gain gives fields to things that are named, to what lost one that they stand for, or to the only thing that there is.
// Several of what no record lists are records of their own, which belong to them.
func (c *changer) gain(n *grammar.Node) {
	all, named := c.knowns(n), child(n, "known") != nil
	switch {
	case n.Name == "placed" && !c.onlyType(n): // by a number: another kind?
		all, named = c.owners, true
	case n.Name != "placed" && !named && len(c.before.Things) == 1:
		all = c.before.Things
	}
	c.owners, c.given = all, nil
	for _, p := range children(cmp.Or(child(n, "gained"), n), "field") {
		if name := child(p, "name"); strings.HasPrefix(n.Name, "bare") && !c.likelyField(p, name) {
			c.refused(p)
			continue
		}
		name, several, own := c.several(p)
		said, called := c.said(name.From, name.To), c.nameOf(name.From, name.To)
		counted := several && is("rather-thing", said) && c.Tables["field"][said] == values.Integer // visits: how many, or which?
		near := c.there(called) != nil && (english.IsPlural(c.At(name.To-1).Low) || c.exact(one(called)) == nil)
		switch {
		case len(all) == 0, child(n, "{alltype") != nil, counted, near, strings.HasPrefix(n.Name, "bare") && len(p.Parts) == 1 && child(n, "rule") != nil && len(c.having(all, called)) > 0, is("pictures", said) && (own || c.At(name.To).Low == "of"), c.sent(name), p.Note == "listof" && !named && !c.known(c.said(p.To-1, p.To)), c.At(n.From-1).Low == "keep" && len(c.Removed) > 0, !named && (several && c.Tables["field"][said] != values.Texts || child(p, "question", "type", "types", "inside", "{lonetype") == nil && c.vague(name)) && !(c.before.Kind == project.Command && c.Is("field", said) && !is("of-a-tool", said)):
			c.refused(p)
		case own && c.find(called) == nil:
			t := c.thing(name.From, name.To)
			for _, parent := range all {
				t.belongs(parent)
			}
			c.owners = []*Thing{t}
		default:
			c.receive(p, all)
		}
	}
	if p := child(n, "also"); p != nil {
		c.hold(p, c.spots(&grammar.Node{From: p.From, To: p.To, Note: cmp.Or(p.Note, "it")}))
	}
}

// onlyType says whether what is to stand for something else is a kind of values, or ends with one.
func (c *changer) onlyType(n *grammar.Node) bool {
	all := children(n, "name")
	return len(all) == 0 || c.Tables["type"][c.said(all[len(all)-1].From, n.To)] != ""
}

// replace takes what goes before what comes for it, however that is told.
func (c *changer) replace(n *grammar.Node) {
	for _, p := range children(n, "lost") {
		c.lose(p)
	}
	for _, p := range children(n, "placed") {
		c.gain(p)
	}
}

// because takes what only tells why; what somebody may wish for does not.
func (c *changer) because(n *grammar.Node) {
	for i := n.From; i < n.To; i++ {
		if m, _ := c.Phrase(i); m.Class == "detail" || m.Class == "heart" || m.Class == "given" || is("shown", c.At(i).Low) || is("done-with", c.At(i).Low) {
			c.refused(n)
			return
		}
	}
	c.take(n)
}

// maybeLose takes what the project loses if it has it.
func (c *changer) maybeLose(n *grammar.Node) {
	p := child(n, "{field")
	found := c.having(c.Things, c.nameOf(p.From, p.To))
	if len(found) == 0 {
		c.Already = append(c.Already, "nothing has "+c.said(p.From, p.To))
	}
	for _, s := range found {
		c.Removed = append(c.Removed, s.name+" of "+s.of.Name)
	}
}

// several gives the name of a field, and says whether it is for several of something, of which nothing else is told, and
// whether these are rather records of their own.
func (c *changer) several(p *grammar.Node) (name *grammar.Node, several, own bool) {
	name = cmp.Or(child(p, "name"), p)
	said := c.said(name.From, name.To)
	inner := slices.ContainsFunc(c.Tokens[name.From:name.To], func(t words.Token) bool { return is("inside-field", t.Low) })
	several = name != p && name.To == p.To && !inner && english.IsPlural(c.At(p.To-1).Low)
	return name, several, several && (c.oneOf(name) || !c.Is("field", said) && (!c.Is("also-field", said) || is("rather-thing", said)))
}

// sent says whether somebody gets what is no value of a record: a welcome mail, a reminder.
func (c *changer) sent(name *grammar.Node) bool {
	before := name.From - 1
	for is("article", c.At(before).Low) {
		before--
	}
	mail := name.To > name.From+1 && is("mail", c.At(name.To-1).Low)
	return is("receiving", c.At(before).Low) && (mail || is("sent", c.At(name.To-1).Low))
}

// oneOf says whether it is told what one of several things is like: steps, and a step has a text.
func (c *changer) oneOf(name *grammar.Node) bool {
	last := c.At(name.To - 1).Low
	for i := range c.Tokens {
		if one := c.At(i).Low; one == english.Singular(last) && one != last && is("one-of", c.At(i-1).Low) {
			return true
		}
	}
	return false
}

// vague says whether a name of which nobody says what has it may be none of a field: a web page, an index on the name.
func (c *changer) vague(n *grammar.Node) bool {
	said := c.said(n.From, n.To)
	onto := slices.ContainsFunc(c.Tokens[n.From+1:max(n.To-1, n.From+1)], func(t words.Token) bool { return is("onto", t.Low) })
	return is("field-or-thing", said) || !c.known(said) && (onto || !is("onto", lastWord(said)) && c.class(said)+c.class(lastWord(said)) != "")
}

// receive gives each of some things a field, or holds the one that it has to what is told of it.
func (c *changer) receive(p *grammar.Node, all []*Thing) {
	for _, t := range all {
		name, had := child(p, "name"), len(t.Fields)
		if name != nil && t.field(c.nameOf(name.From, name.To)) != nil {
			c.hold(p, []spot{{t, c.nameOf(name.From, name.To)}})
			continue
		}
		c.current = t
		c.take(p)
		for _, f := range t.Fields[had:] {
			c.given = append(c.given, spot{t, f.Name})
		}
	}
}

// keep takes what records are kept of from now on, and what they belong to.
func (c *changer) keep(n *grammar.Node) {
	parents, all, empty := c.knowns(n), children(n, "newthing"), false
	if n.Name == "keptalso" && c.unlikely(n) {
		c.refused(n)
		return
	}
	if c.owners, c.given = nil, nil; len(all) < 2 {
		all = []*grammar.Node{n}
	}
	for k, p := range all {
		p, hold := child(p, "{things", "{one", "{quoted"), child(p, "newhold")
		said, called := c.said(p.From, p.To), c.nameOf(p.From, p.To)
		bare := hold == nil || c.Tables["type"][c.said(hold.From, hold.To)] != "" // notes: text
		either := bare && parents == nil && child(n, "introducing") == nil && (c.known(said) && (len(c.before.Things) == 1 || !is("rather-thing", said)) || c.vague(p)) && !c.elsewhere(p.From, p.To)
		mixed := k > 0 && empty != (hold == nil) // payments and invoices with an amount: whose?
		t := c.exact(one(called))
		switch empty = hold == nil; {
		case t != nil && empty && parents == nil:
			c.Already = append(c.Already, plural(t)+" are there")
			continue
		case mixed, t == nil && (either || empty && is("pictures", said) || c.find(called) != nil || is("wished-for", strings.Fields(said)[0]) || is("computed", strings.Fields(said)[0]) || is("value-only", one(called))):
			c.refused(p)
			continue
		case t == nil:
			t = c.thing(p.From, p.To)
		}
		for _, parent := range parents {
			t.belongs(parent)
		}
		if c.owners = append(c.owners, t); empty {
			continue
		}
		for _, f := range children(hold, "field") {
			if _, _, own := c.several(f); own { // values of it, or records of their own?
				c.refused(f)
			}
			c.receive(f, []*Thing{t})
		}
		told := func(f Field) bool { return f.told || f.Sure && f.Kind != values.Truth }
		if (is("choice-thing", said) || is("people", one(called))) && len(t.Fields) > 1 && !slices.ContainsFunc(t.Fields, told) { // levels: low, high
			c.refused(n)
		}
	}
}

// unlikely says whether what nobody says to add is hardly what records are kept of: a title starts with a capital letter.
func (c *changer) unlikely(n *grammar.Node) bool {
	p := child(n, "{things", "{quoted")
	return p.To > p.From+1 || slices.ContainsFunc(children(n, "name"), func(f *grammar.Node) bool {
		return !c.known(c.said(f.From, f.To)) && f.To == f.From+1 && len(children(n, "name")) == 1
	})
}

// relating takes what belongs to what: one of them was told before, and none is called nearly like another.
func (c *changer) relating(n *grammar.Node) {
	count := func() (sum int) {
		for _, t := range c.Things {
			sum += 1 + len(t.Parents)
		}
		return sum
	}
	before, near, known := count(), false, false
	relate, parents := child(n, "relate"), c.knowns(n)
	for _, p := range children(n, "{thing") {
		there := c.there(c.nameOf(p.From, p.To)) != nil
		known, near = known || there, near || !there && (c.find(c.nameOf(p.From, p.To)) != nil || is("pictures", c.said(p.From, p.To)) || relate.Note == "belongs" && child(n, "belongs", "whichhas") == nil && c.Is("field", c.said(p.From, p.To)) && !english.IsPlural(c.At(p.To-1).Low))
	}
	if near || relate != nil && !known || relate == nil && len(c.owners)*len(parents) != 1 {
		c.refused(n)
		return
	}
	if relate != nil {
		c.relate(relate)
		c.owners = []*Thing{c.current}
	} else {
		c.owners[0].belongs(parents[0])
	}
	if count() == before {
		c.Already = append(c.Already, c.said(n.From, n.To)+" is so")
	}
	for _, f := range children(n, "field") {
		c.receive(f, c.owners)
	}
}

// lose takes what the project loses; not what may be a thing, or the field that is called like it.
func (c *changer) lose(n *grammar.Node) {
	things, held := c.knowns(n), children(n, "{held", "{owned")
	for _, t := range things {
		if len(held) == 0 {
			c.Removed = append(c.Removed, t.Name)
		}
	}
	for _, p := range held {
		if p.Name == "{held" && len(things) == 0 && c.there(c.nameOf(p.From, p.To)) != nil {
			c.refused(n)
		}
	}
	for _, s := range c.spots(n) {
		c.Removed = append(c.Removed, s.name+" of "+s.of.Name)
		c.owners = []*Thing{s.of}
	}
}

// rename takes another name of a thing or a field.
func (c *changer) rename(n *grammar.Node) {
	newly := child(n, "newname", "quotedname")
	name, fields, things := c.nameOf(newly.From, newly.To), c.spots(child(n, "renamed")), c.knowns(child(n, "renamed"))
	if len(fields) == 1 && len(things) == 0 && fields[0].field().Ref != "" { // who keeps its id calls it so too
		fields, things = nil, []*Thing{c.exact(fields[0].field().Ref)}
	}
	field := len(fields) == 1 && fields[0].field().Ref == ""
	switch {
	case project.NotFieldName(name), !field && (len(fields) > 0 || len(things) != 1), is("no-name", c.said(newly.From, newly.To)):
		c.refused(n)
	case !c.before.Fluid:
		c.Hearts = append(c.Hearts, Omission{c.said(n.From, n.To), "what is stored under the old name would be lost"})
	case field:
		c.Renamed = append(c.Renamed, Renaming{fields[0].of.Name, fields[0].name, name})
	default:
		c.Renamed = append(c.Renamed, Renaming{things[0].Name, "", one(name)})
	}
}

// hold holds fields to what a part of a request says of them. Another kind would not fit the records that are stored.
func (c *changer) hold(n *grammar.Node, all []spot) {
	for _, s := range all {
		f, told := s.field(), Field{Name: s.name}
		kind, others := c.heldTo(&told, n)
		if kind == "" || kind == values.Number && f.Kind == values.Integer { // a whole number is one
			kind = f.Kind
		}
		if !f.Sure && !f.old && kind == values.Text && told.Min+told.Max != "" && !c.tellsKind(n) { // at most 600: no text
			kind = values.Number
		}
		if p := child(n, "{value"); p != nil {
			told.Default = c.Written(p.From, p.To)
		}
		switch n.Note {
		case "required", "optional":
			told.Need = n.Note
		case "unique":
			told.Unique = true
		case "most":
			told.Max = c.At(child(n, "{number").From).Low
		case "choice":
			if told.Choices = slices.Clone(f.Choices); !slices.Contains(f.Choices, told.Default) {
				told.Choices = append(told.Choices, told.Default)
			}
			told.Default = ""
		}
		if truth := c.Tables["truth"][strings.ToLower(told.Default)]; kind == values.Truth && truth != "" {
			told.Default = truth
		}
		rules := values.Rules{
			Need: cmp.Or(told.Need, f.Need), Unique: told.Unique || f.Unique, Default: cmp.Or(told.Default, f.Default),
			Min: cmp.Or(told.Min, f.Min), Max: cmp.Or(told.Max, f.Max), Choices: told.Choices,
		}
		if rules.Choices == nil {
			rules.Choices = f.Choices
		}
		rules, rest := rules.Certain(kind)
		same := reflect.DeepEqual(rules, f.Rules) && kind == f.Kind
		name := strings.ReplaceAll(f.Name, "_", " ")
		switch {
		case n.Note == "choice" && f.Choices == nil, is("no-value", strings.ToLower(told.Default)), len(others)+len(rest) > 0:
			c.Refuse(name + ": " + c.said(n.From, n.To))
		case kind != f.Kind && (f.old && !c.before.Fluid || kind == values.Text && told.Min+told.Max != ""), f.Ref != "" && !same:
			c.Refuse(strings.TrimSuffix(name, " id") + " as " + strings.ReplaceAll(kind, ".", " "))
		case same && !f.old:
		case same:
			c.Already = append(c.Already, name+" is there, and so")
		}
		f.Rules, f.Kind = rules, kind
	}
}

func (c *changer) holding(n *grammar.Node) { c.hold(n, c.spots(n)) }

// tellsKind says whether a rule tells what kind of values it is of.
func (c *changer) tellsKind(n *grammar.Node) bool {
	kind, _ := c.heldTo(&Field{}, n)
	return kind != ""
}

// configure takes a setting; lists come in pages anyway.
func (c *changer) configure(n *grammar.Node) {
	if c.take(n); child(n, "paged") != nil && c.PageSize == 0 {
		c.Given = append(c.Given, c.said(n.From, n.To))
	}
}

// operated takes what a tool is to do besides: another operation, or what it does anyway, with an option or without.
func (c *changer) operated(n *grammar.Node) {
	left, news := len(c.Left), false
	c.take(n)
	for _, o := range c.Operations {
		news = news || !slices.Contains(c.before.Does, o)
	}
	if news {
		return
	}
	if strings.Contains(c.said(n.From, n.To), "default") { // an option is there, and stays one
		c.refused(n)
		return
	}
	told := c.Left[left:]
	c.Left = slices.Clone(c.Left[:left])
	for _, o := range told {
		if strings.HasPrefix(o.Why, "with ") || strings.HasPrefix(o.Why, "without ") {
			c.Already = append(c.Already, o.What+" ("+o.Why+")")
		} else {
			c.Left = append(c.Left, o)
		}
	}
	if len(told) == 0 {
		c.Already = append(c.Already, c.said(n.From, n.To))
	}
}

// off takes a setting that is not wanted any more.
func (c *changer) off(n *grammar.Node) {
	p := child(n, "notwanted")
	m := c.Vocabulary[c.Words(p.From, p.To-p.From)]
	to := map[string]*string{"auth": &c.Auth, "cors": &c.CORS, "database": &c.Database, "license": &c.License}[cmp.Or(m.Class, "license")]
	if *to != "" || m.Class == "database" && m.Value != project.AnyDatabase { // no sqlite: what else?
		c.refused(n)
	}
	*to = cmp.Or(map[string]string{"cors": "off"}[m.Class], project.None)
}

// NearestTool gives the operations that words come nearest to.
func NearestTool(x words.Text) []string { return strings.Fields(nearestTool(x)) }
