package former

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// rule reads what fields are held to: make the name of authors unique, make it required.
func (c *changer) rule(i, to int) int {
	c.current = nil // name is required: of whatever has one alone
	at := c.After(i, "make", "set", "mark", "keep")
	if several, ok := c.Tables["given-before"][c.At(at).Low]; ok {
		return c.ruleGiven(i, c.After(at+1, "as", "both", "are", "all"), to, several != "")
	}
	l := c.list(at, to, false)
	n := slices.IndexFunc(l.items, func(it item) bool { return it.told })
	if n < 0 || n > 0 && (at == i || !c.plainly(l.items[n])) || !c.whole(l.items[n].end, to) {
		return i
	}
	if c.instead(i, to) && c.plainly(l.items[n]) {
		return i
	}
	var owners []*Thing
	for k, it := range l.items[:n+1] { // make the title and the year required
		t, name := c.whose(it.words)
		if t == nil || len(it.left) > 0 || k < n && !it.bare() {
			return i
		}
		owners = append(owners, t)
		l.items[k].rules, l.items[k].told, l.items[k].words = l.items[n].rules, true, strings.Split(name, "_")
	}
	for k, t := range owners {
		c.field(t, l.items[k])
	}
	return l.items[n].end
}

// ruleGiven reads what the fields are held to that were given last: make it required, both required.
func (c *changer) ruleGiven(i, at, to int, several bool) int {
	var it item
	end, ok := c.goesOn(&it, at, to)
	if !ok || !it.told || !c.whole(end, to) || several != (len(c.given) > 1) || len(c.given) == 0 || several && !c.plainly(it) {
		return i
	}
	for _, name := range c.given {
		it.words = strings.Split(name, "_")
		for _, t := range c.owners {
			c.field(t, it)
		}
	}
	return end
}

// plainly says whether no more is said of a field than whether it is needed, or unique.
func (c *changer) plainly(it item) bool {
	return it.told && it.kind+it.ref == "" && reflect.DeepEqual(it.rules, values.Rules{Need: it.rules.Need, Unique: it.rules.Unique})
}

// whose gives the only thing that has a field, which may be named with it: name of authors.
func (c *changer) whose(name []string) (*Thing, string) {
	if k := slices.Index(name, "of"); k > 0 {
		field, t := strings.Join(name[:k], "_"), c.find(strings.Join(name[k+1:], "_"))
		if t != nil && t.field(field) != nil {
			return t, field
		}
	}
	if t, one := c.reader.owner(item{words: name}); t != nil && t.field(one) != nil {
		return t, one
	}
	return c.reader.owner(item{words: name, several: true}) // emails
}

// hold holds a field that there is to what is said of it. Another kind would not fit the records that are stored.
func (r *reader) hold(f *Field, it item) {
	name := strings.ReplaceAll(f.Name, "_", " ")
	old, told := f.Rules, it.rules
	if it.kind == values.Number && f.Kind == values.Integer && r.holdsWord(it, "number", "numeric") { // a whole number is one
		it.kind = f.Kind
	}
	if truth := r.Tables["truth"][strings.ToLower(told.Default)]; f.Kind == values.Truth && truth != "" {
		told.Default = truth
	}
	kind := f.Kind
	if r.fluid && it.kind != "" && it.ref+f.Ref == "" {
		kind = it.kind
	}
	rules := values.Rules{
		Need: cmp.Or(told.Need, old.Need), Unique: told.Unique || old.Unique, Default: cmp.Or(told.Default, old.Default),
		Choices: old.Choices, Min: cmp.Or(told.Min, old.Min), Max: cmp.Or(told.Max, old.Max),
	}
	if told.Choices != nil {
		rules.Choices = told.Choices
	}
	rules, others := rules.Certain(kind)
	others = append(others, it.left...)
	switch {
	case !it.told:
		r.Already = append(r.Already, name+" is there")
		return
	case it.kind != "" && r.holdsWord(it, "in"): // in minutes
		r.Refuse(name + " in a unit")
	case r.Is("no-default", strings.ToLower(told.Default)):
		r.Refuse(name + " by default " + told.Default)
	case it.kind != "" && it.kind != kind || it.ref+f.Ref != "":
		r.Refuse(name + " as " + cmp.Or(it.kind, it.ref, "another"))
	case len(others) > 0:
		r.Refuse(strings.Join(others, ", ") + " of " + name)
	case reflect.DeepEqual(rules, old) && kind == f.Kind:
		r.Already = append(r.Already, name+" is so")
	}
	f.Rules, f.Kind = rules, kind
}

// holdsWord says whether one of some words stands in what is said of a field.
func (r *reader) holdsWord(it item, all ...string) bool {
	return slices.ContainsFunc(r.Tokens[it.from:max(it.from, it.end)], func(t words.Token) bool { return slices.Contains(all, t.Low) })
}

// remove reads what a project loses: things, fields, or what it was set to.
func (c *changer) remove(i, to int) int {
	m, n := c.Phrase(i)
	if k := c.Length(i, "removes"); m.Class == "removing" || k > 0 {
		if n = max(n, k); m.Class != "removing" {
			n = k
		}
		if end := c.removed(i+n, to); end > i+n {
			c.follow = c.removed
			return end
		}
	}
	return i
}

// removed reads the names of what is removed, and from what.
func (c *changer) removed(i, to int) int {
	no := words.Text{Tokens: append([]words.Token{{Text: "no", Low: "no", Raw: "no"}}, c.Tokens[i:to]...), Lexicon: c.Lexicon}
	k, from, end := c.aimed("lost-from", i, to)
	var t *Thing
	if len(from) > 1 {
		return i
	} else if len(from) == 1 {
		t = from[0]
	}
	if t == nil && settings.Is(no, 0) && c.lost(i, min(c.EndOf(i), to), nil) == "" {
		return i + c.Take(no, 0) - 1
	}
	var all []string
	for at := i; at < k; {
		stop := min(c.EndOf(at), k)
		what := c.lost(at, stop, t)
		if what == "" && t == nil && len(all) > 0 { // the next clause
			break
		}
		if all = append(all, what); what == "" {
			return i
		}
		if t == nil {
			end = stop
		}
		if at = stop; at < k && c.separates(at) {
			at++
		}
	}
	c.Removed = append(c.Removed, all...)
	return end
}

// lost gives what some words name of the project: a thing, or a field of one. What may be either is neither.
func (c *changer) lost(i, to int, t *Thing) string {
	i = c.skip(i)
	i += c.Length(i, "field-noun") + c.Length(i, "introduces-thing")
	var all []string
	for i += c.Length(i, "calls"); i < to && !c.Is("polite", c.At(i).Low); i++ {
		if called := c.Length(i, "field-noun") + c.Length(i, "called-so") + c.Length(i, "lost-noun"); called == 0 || i+called < to {
			all = append(all, spelled(c.At(i)))
		}
	}
	name := strings.Join(all, "_")
	thing := c.find(name)
	var owners []string
	for _, o := range c.Things {
		for _, f := range o.Fields {
			if f.old && (f.Name == name || f.Name == name+"_id" && f.Ref != "") && (t == nil || t == o) {
				owners = append(owners, f.Name+" of "+o.Name)
			}
		}
	}
	switch {
	case len(owners) == 1 && (thing == nil || t != nil):
		return owners[0]
	case len(owners) == 0 && thing != nil && t == nil:
		return thing.Name
	}
	return ""
}

// retitle reads a new name of the project. Things and fields keep theirs, and their records with them.
func (c *changer) retitle(i, to int) int {
	m, n := c.Phrase(i)
	n = max(n, c.Length(i, "retitles"))
	at := c.After(i+n, "to", "as", ":")
	if named := c.Is("retitles", c.Words(i, n)); m.Class != "renaming" && !named || at == i+1 || strings.Contains(c.Words(i, n), "title to") {
		return i
	}
	title, end := c.NameAt(at)
	for end < to && !c.Ends(end) && (c.Is("in-title", c.class(end)) || plaintext.IsCapital(c.At(end).Text)) { // shelf api
		end++
		title = plaintext.Title(c.Written(at, end))
	}
	if c.find("project") != nil && strings.HasSuffix(c.Words(i, n), "the project to") && !plaintext.IsCapital(c.At(at).Text) { // what of both?
		return i
	}
	certain := c.At(at).Quoted || c.At(at-1).Low != "is" || plaintext.IsCapital(c.At(at).Text) // but not: the project name is wrong
	if title == "" || !c.whole(end, to) || !certain || c.Is("no-title-yet", strings.ToLower(title)) {
		return i
	}
	c.Title = title
	return end
}

// set reads what is said of the project whatever it keeps, with the words before it that say no more.
func (c *changer) set(i, to int) int {
	at := i
	for at < to && !settings.Is(c.Text, at) && !c.Is("condition", c.At(at).Low) && (c.leads(at) || c.Is("sets", c.At(at).Low)) {
		at++
	}
	if at >= to || !settings.Is(c.Text, at) && c.ClassAt(at) != "heart" {
		return i
	}
	end := c.tried(at)
	end += c.Length(end, "behind-setting")
	instead := c.Length(at, "in-place-of") > 0
	if c.ClassAt(at) == "denial" && (at != c.clause && !instead || !c.whole(end, to)) { // not change the database to sqlite
		return i
	}
	c.Take(c.Text, at)
	return max(i, end)
}

// told reads a clause that only tells of somebody, or why something is wanted.
func (c *changer) told(i, to int) int {
	end := min(c.EndOf(i), to)
	for k := i; k < end; k++ {
		if c.find(c.At(k).Low) != nil && c.Length(i, "because") == 0 || c.Is("begins-clause", c.At(k).Low) {
			return i
		}
	}
	return c.background(i, end)
}
