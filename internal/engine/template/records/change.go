package records

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

const storedSo = "what is stored under the old name would be lost"

// changer takes what of a project is to become different.
type changer struct {
	*reader
	owners []*Thing // what was told of last
	given  []string // the fields that they were given last, which "it" or "them" may mean
}

// Change reads how a project with some things is to be changed. They keep their names, and their fields names and kinds.
// Where nothing is stored they may get others.
func Change(x words.Text, things []*Thing, command, fluid bool) *Reading {
	c := &changer{reader: newReader(x, command)}
	c.fluid = fluid
	c.Things = things
	for _, t := range things {
		t.known = true
		for k := range t.Fields {
			t.Fields[k].old = true
		}
	}
	for _, each := range sentences(x) {
		if tree := c.derive("change", each[0], each[1]); tree != nil {
			c.change(tree)
		}
	}
	c.relate()
	c.sound()
	c.guesses()
	return c.Reading
}

// change takes what a derivation says of a project that there is.
func (c *changer) change(n *grammar.Node) {
	switch n.Name {
	case "getting", "getting-too":
		c.get(n)
	case "keeping":
		c.keep(n)
	case "lost":
		c.lose(n)
	case "renaming":
		c.rename(n)
	case "replacing":
		c.replace(n)
	case "holding":
		c.holds(n)
	case "choosing", "unchoosing":
		c.choose(n)
	case "relating":
		c.relateTo(n)
	case "retitling":
		c.retitle(n)
	case "setting":
		c.set(n)
	case "because":
		c.Leave(c.said(n.From, n.To), settings.Background)
	case "detail":
		c.take(n)
	case "more": // and a nickname
		for _, p := range parts(n, "field") {
			if _, many := c.several(p); many { // also cats: of their own?
				c.Refuse(c.said(p.From, p.To))
				return
			}
		}
		c.get(&grammar.Node{Name: "getting", From: n.From, To: n.To, Parts: []*grammar.Node{n}})
	default:
		for _, p := range n.Parts {
			c.change(p)
		}
	}
}

// parts gives the parts of a node that have a name, at any depth outside of themselves.
func parts(n *grammar.Node, names ...string) (out []*grammar.Node) {
	for _, p := range n.Parts {
		if slices.Contains(names, p.Name) {
			out = append(out, p)
			continue
		}
		out = append(out, parts(p, names...)...)
	}
	return out
}

// things gives the things of the project that a node names.
func (c *changer) things(n *grammar.Node) (out []*Thing) {
	for _, p := range parts(n, "{present") {
		out = append(out, c.find(c.nameOf(p.From, p.To)))
	}
	return out
}

// only gives what the project keeps where that is one thing.
func (c *changer) only() []*Thing {
	old := slices.DeleteFunc(slices.Clone(c.Things), func(t *Thing) bool { return !t.known })
	return old[:min(1, len(old))*(2-min(2, len(old)))]
}

// get takes what things of the project get.
func (c *changer) get(n *grammar.Node) {
	all := c.things(n)
	switch {
	case len(all) > 0:
	case slices.ContainsFunc(n.Parts, func(p *grammar.Node) bool { return p.Name == "{has-too" }):
		all = c.owners
	default:
		all = c.only()
		for _, p := range parts(n, "name") {
			if c.ofProject(p) {
				c.Refuse(c.said(p.From, p.To))
				return
			}
		}
	}
	for _, p := range parts(n, "more") {
		c.give(p, all)
	}
	for _, p := range parts(n, "also") {
		c.heldTo(p, c.given...)
	}
}

// ofProject says whether what is added and not said to what may be no field of its records: a license, categories, user
// management, stars to moons.
func (c *changer) ofProject(n *grammar.Node) bool {
	name := c.said(n.From, n.To)
	last := name[strings.LastIndex(name, " ")+1:]
	if first, is := strings.CutSuffix(name, " "+last); is && c.Is("field-noun", last) { // a genre field
		name, last = first, first[strings.LastIndex(first, " ")+1:]
	}
	field := c.Is("field", name) || c.Is("also-field", name) || c.Is("type", name)
	either := c.Is("also-setting", name) || c.Is("field-or-thing", name) || c.Is("does-more", name) || c.Is("rather-thing", name) && !english.IsPlural(name)
	return either || !field && c.Vocabulary[last].Class+c.Vocabulary[name].Class != "" || c.Any("target", n.From, n.To)
}

// give gives things fields; several of what no record lists are records of their own, which belong to them.
func (c *changer) give(n *grammar.Node, all []*Thing) {
	c.owners, c.given = all, nil
	for _, p := range parts(n, "field", "inner", "within") {
		plural, many := c.several(p)
		switch {
		case many:
			c.take(&grammar.Node{Name: "{plural", From: plural.From, To: plural.To})
			for _, parent := range all {
				c.under(c.current, parent)
			}
			c.owners = []*Thing{c.current}
		case len(all) == 0, c.doubtful(p, all[0]): // of what?
			c.Refuse(c.said(c.skip(p.From), p.To))
		default:
			for _, t := range all {
				c.current = t
				c.take(p)
			}
			if name := parts(p, "{fieldname", "{quoted"); len(name) > 0 {
				c.given = append(c.given, strings.Join(c.fieldName(name[0].From, name[0].To), "_"))
			}
		}
	}
}

// several says whether a field is named like records of their own, of which nothing else is told.
func (c *changer) several(n *grammar.Node) (name *grammar.Node, is bool) {
	all := parts(n, "{fieldname", "before", "rule", "{kinds", "{choices")
	if n.Name != "field" || len(all) != 1 || all[0].Name != "{fieldname" {
		return nil, false
	}
	last := c.At(all[0].To - 1).Low
	return all[0], english.IsPlural(last) && !c.Is("field", last) && (!c.Is("also-field", last) || c.Is("kept-too", last)) && !c.Is("field-noun", c.At(n.To).Low)
}

// doubtful says whether a name may be none of a field: a parent task, which is one of the tasks; another status; a nicer name.
func (c *changer) doubtful(n *grammar.Node, t *Thing) bool {
	first := c.At(c.skip(n.From)).Low
	if c.Any("wished-for", n.From, n.To) || c.Is("field-noun", c.said(c.skip(n.From), n.To)) || c.Is("any-record", c.said(c.skip(n.From), n.To)) || c.Tables["rule"][first] == "default" {
		return true
	}
	name, brackets := parts(n, "{fieldname"), parts(n, "{described")
	if len(name) == 0 {
		return false
	}
	if len(brackets) > 0 && c.likeThing(c.At(brackets[0].From-2).Low, brackets[0].From, brackets[0].To) > 0 { // a publisher (name, city)
		return true
	}
	from, to := name[0].From, name[0].To
	old := t.field(c.At(from).Low)
	another := c.At(from-1).Low == "another" && (old != nil || c.At(to).Low == ":") || old != nil && to > from+1 && len(old.Choices) > 0
	return another || to > from+1 && c.exact(c.At(to-1).Low) != nil
}

// under lets the records of a thing belong to those of another.
func (c *changer) under(t, parent *Thing) {
	if c.command || parent == t {
		c.Refuse(t.Name + " belongs to " + parent.Name)
		return
	}
	t.belongs(parent)
}

// keep takes what records are kept of from now on, and what they belong to.
func (c *changer) keep(n *grammar.Node) {
	before := len(c.Things)
	parents := c.things(n)
	for _, p := range n.Parts {
		switch p.Name {
		case "made", "{plural", "{records", "held", "holds", "fields":
			c.take(p)
		case "{nouns":
			c.take(&grammar.Node{Name: "{plural", From: p.From, To: p.To})
		}
	}
	made := c.Things[before:]
	if c.owners, c.given = made, nil; len(made) == 0 || c.command || c.unclear(n, made) {
		c.Refuse(c.said(n.From, n.To))
	}
	many, first := true, n.Parts[0].Name == "knowns" || len(parts(n, "{relation")) == 0
	for _, p := range parts(n, "{relation") {
		m, _ := c.Phrase(p.From)
		if many = m.Value == "many"; m.Value == "link" || !many && first && len(parts(n, "field")) > 0 {
			c.Refuse(c.said(n.From, n.To))
		}
	}
	for _, t := range made {
		for _, parent := range parents {
			if many == first {
				c.under(t, parent)
				continue
			}
			c.under(parent, t) // books belong to shelves
			c.owners = parents
		}
	}
}

// unclear says whether nobody knows what is new: payments and invoices with an amount (whose?), payments with an amount and
// invoices, books latest.
func (c *changer) unclear(n *grammar.Node, made []*Thing) bool {
	told, lists := 0, parts(n, "field")
	for _, t := range made {
		first, _, _ := strings.Cut(t.Name, "_")
		if told += min(1, len(t.Fields)); english.IsPlural(first) && c.find(first) != nil || c.Vocabulary[first].Class == "heart" && !c.Is("framework-too", english.Plural(first)) && !c.Is("framework-too", first) {
			return true
		}
		if len(t.Fields)+len(c.things(n)) == 0 && c.Is("field-or-thing", english.Plural(t.Name)) {
			return true
		}
	}
	mixed := func(p *grammar.Node) bool { _, is := c.several(p); return is }
	return told > 0 && told < len(made) || len(lists) > 1 && slices.ContainsFunc(lists, mixed)
}

// old gives the field that a node names, and what has it; or the thing that it names.
func (c *changer) old(n *grammar.Node, of *Thing) (t *Thing, f *Field) {
	name := c.nameOf(n.From, n.To)
	if field, thing, ok := strings.Cut(name, "_of_"); ok && c.find(thing) != nil {
		name, of = field, c.find(thing)
	}
	for _, each := range c.Things {
		if found := each.called(name); found != nil && found.old && (of == nil || of == each) {
			if f != nil {
				return nil, nil // of which of them?
			}
			t, f = each, found
		}
	}
	if f == nil && of == nil {
		t = c.find(name)
	}
	return t, f
}

// called gives the field of a thing that a name means: emails, the owner, the name of the department.
func (t *Thing) called(name string) *Field {
	return cmp.Or(t.field(name), t.field(name+"_id"), t.field(english.Singular(name)), t.field(strings.TrimPrefix(name, t.Name+"_")))
}

// lose takes what the project loses.
func (c *changer) lose(n *grammar.Node) {
	var of *Thing
	if from := c.things(n); len(from) > 0 {
		of = from[0]
	}
	name := parts(n, "{old")[0]
	switch t, f := c.old(name, of); {
	case f != nil && (c.find(c.nameOf(name.From, name.To)) == nil || of != nil):
		c.Removed = append(c.Removed, f.Name+" of "+t.Name)
	case t != nil && f == nil:
		c.Removed = append(c.Removed, t.Name)
	default:
		c.Refuse(c.said(n.From, n.To))
	}
}

// rename takes another name of a thing or a field.
func (c *changer) rename(n *grammar.Node) {
	old, newly := parts(n, "{old")[0], parts(n, "newname")[0]
	t, f := c.old(old, nil)
	if thing := c.exact(c.nameOf(old.From, old.To)); thing != nil && f != nil && f.Ref != "" { // what it belongs to has the name
		t, f = thing, nil
	}
	name := strings.ReplaceAll(c.nameOf(newly.From, newly.To), " ", "_")
	bad := project.NotFieldName(name) || c.find(name) != nil
	switch {
	case t == nil, bad, f != nil && (f.Ref != "" || t.field(name) != nil || c.Is("reserved-field", project.Squeezed(name))):
		c.Refuse(c.said(n.From, n.To))
	case !c.fluid:
		c.Hearts = append(c.Hearts, settings.Omission{What: c.said(n.From, n.To), Why: storedSo})
	case f != nil:
		c.Renamed = append(c.Renamed, Renaming{Thing: t.Name, Field: f.Name, To: name})
	default:
		c.Renamed = append(c.Renamed, Renaming{Thing: t.Name, To: english.Singular(name)})
	}
}

// replace takes a field that others are there for from now on.
func (c *changer) replace(n *grammar.Node) {
	t, f := c.old(parts(n, "{old")[0], nil)
	kind := parts(n, "more")[0]
	if f == nil || c.Length(kind.To-1, "type") > 0 { // by a number: another kind, or a field called so?
		c.Refuse(c.said(n.From, n.To))
		return
	}
	c.Removed = append(c.Removed, f.Name+" of "+t.Name)
	c.give(kind, []*Thing{t})
	for _, p := range parts(n, "also") {
		c.heldTo(p, c.given...)
	}
}

// holds takes what fields that there are, or that were given last, are held to.
func (c *changer) holds(n *grammar.Node) {
	names := parts(n, "{old")
	for _, p := range names {
		t, f := c.old(p, nil)
		if f == nil {
			c.Refuse(c.said(p.From, p.To))
			continue
		}
		c.owners = []*Thing{t}
		c.heldTo(n, f.Name)
	}
	if given := parts(n, "{given-before"); len(given) > 0 {
		several := c.Tables["given-before"][c.At(given[0].From).Low] != ""
		if len(c.given) == 0 || several != (len(c.given) > 1) {
			c.Refuse(c.said(n.From, n.To))
			return
		}
		c.heldTo(n, c.given...)
	}
}

// heldTo holds fields of what was told of last to what a node says of them.
func (c *changer) heldTo(n *grammar.Node, fields ...string) {
	var s said
	for _, p := range n.Parts {
		if p.Name == "{value" {
			s.rules.Default = c.Written(p.From, p.To)
		} else if p.Name != "olds" && p.Name != "{old" {
			c.tell(&s, p)
		}
	}
	if c.At(n.From).Low == "require" {
		s.rules.Need = "required"
	}
	for _, t := range c.owners {
		for _, name := range fields {
			if f := t.field(name); f != nil {
				s.name = strings.Split(name, "_")
				c.reader.hold(f, s)
			}
		}
	}
}

// hold holds a field to what is said of it. Another kind would not fit the records that are stored.
func (r *reader) hold(f *Field, s said) {
	name, kind := strings.ReplaceAll(f.Name, "_", " "), f.Kind
	if s.kind == values.Number && f.Kind == values.Integer { // a whole number is one
		s.kind = kind
	}
	if s.kind != "" && s.ref+f.Ref == "" && (r.fluid || !f.old) {
		kind = s.kind
	}
	if truth := r.Tables["truth"][strings.ToLower(s.rules.Default)]; kind == values.Truth && truth != "" {
		s.rules.Default = truth
	}
	added := both(s.rules, f.Rules)
	rules, others := added.Certain(kind)
	switch {
	case len(s.units) > 0:
		r.Refuse(name + " in a unit")
	case r.Is("no-default", strings.ToLower(s.rules.Default)):
		r.Refuse(name + " by default " + s.rules.Default)
	case s.kind != "" && (s.kind != kind || kind != f.Kind && kind == values.Text && s.rules.Min+s.rules.Max != "") || s.ref+f.Ref != "":
		r.Refuse(name + " as " + cmp.Or(s.kind, s.ref, "another"))
	case len(others)+len(s.left) > 0:
		r.Refuse(strings.Join(append(others, s.left...), ", ") + " of " + name)
	case reflect.DeepEqual(rules, f.Rules) && kind == f.Kind:
		r.Already = append(r.Already, name+" is so")
	}
	f.Rules, f.Kind = rules, kind
}

// both gives rules with those before them that they say nothing of.
func both(said, before values.Rules) values.Rules {
	out := values.Rules{
		Need: cmp.Or(said.Need, before.Need), Unique: said.Unique || before.Unique, Default: cmp.Or(said.Default, before.Default),
		Min: cmp.Or(said.Min, before.Min), Max: cmp.Or(said.Max, before.Max), Choices: said.Choices,
	}
	if out.Choices == nil {
		out.Choices = before.Choices
	}
	return out
}

// choose takes what a field may be beside what it could, or may be no more.
func (c *changer) choose(n *grammar.Node) {
	_, f := c.old(parts(n, "{chosen")[0], nil)
	value := parts(n, "{value")[0]
	list := values.Choices(c.Text, value.From, value.To)
	if f == nil || len(f.Choices) == 0 {
		c.Refuse(c.said(n.From, n.To))
		return
	}
	all := slices.DeleteFunc(slices.Clone(f.Choices), func(v string) bool { return slices.Contains(list, v) })
	gone := n.Name == "unchoosing"
	if gone && (len(all) != len(f.Choices)-len(list) || len(all) < 2 || slices.Contains(list, f.Default)) {
		c.Refuse(c.said(n.From, n.To))
		return
	}
	if !gone {
		all = append(all, list...)
	}
	c.reader.hold(f, said{rules: values.Rules{Choices: all}})
}

// relateTo takes what things that there are belong to from now on.
func (c *changer) relateTo(n *grammar.Node) {
	var all []*Thing
	for _, p := range parts(n, "{thingname", "{present") {
		if t := c.find(c.nameOf(p.From, p.To)); t != nil {
			all = append(all, t)
		}
	}
	if len(parts(n, "knowns")) > 0 { // they belong to books
		all = append(slices.Clone(c.owners), all...)
	}
	m, _ := c.Phrase(parts(n, "{relation")[0].From)
	if len(all) < 2 || m.Value == "link" {
		c.Refuse(c.said(n.From, n.To))
		return
	}
	for _, o := range all[1:] {
		if m.Value == "many" {
			c.under(o, all[0])
		} else {
			c.under(all[0], o)
		}
	}
	c.current = all[0]
	for _, p := range parts(n, "held") {
		c.take(p)
	}
}

// retitle takes a new name of the project.
func (c *changer) retitle(n *grammar.Node) {
	name := parts(n, "{title")[0]
	title := plaintext.Title(c.Written(name.From, name.To))
	if c.Is("no-title-yet", strings.ToLower(title)) || c.At(name.From-1).Low == "rename" || c.At(name.From-1).Low == "is" && !c.At(name.From).Quoted && !plaintext.IsCapital(c.At(name.From).Text) {
		c.Refuse(title)
		return
	}
	c.Title = title
}

// skip gives the place behind words that only point at what follows.
func (c *changer) skip(i int) int {
	for c.Is("determiner", c.At(i).Low) || c.Is("describes", c.At(i).Low) {
		i++
	}
	return i
}

// set takes what is said of the project whatever it keeps; what is removed is not wanted.
func (c *changer) set(n *grammar.Node) {
	before := c.Settings
	for _, p := range parts(n, "{setting", "{wanted") {
		if slices.ContainsFunc(n.Parts, func(q *grammar.Node) bool { return q.Name == "{removing" }) {
			no := append([]words.Token{{Text: "no", Low: "no", Raw: "no"}}, c.Tokens[p.From:p.To]...)
			c.Take(words.Text{Tokens: no, Lexicon: c.Lexicon}, 0)
			continue
		}
		c.Take(c.Text, p.From)
	}
	if reflect.DeepEqual(before, c.Settings) { // a license: which?
		c.Refuse(c.said(n.From, n.To))
	}
}
