package records

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
)

// take takes what a derivation says.
func (r *reader) take(n *grammar.Node) {
	switch n.Name {
	case "{setting":
		r.Take(r.Text, n.From)
	case "called", "named":
		r.call(n)
	case "thing", "entry", "{thingname", "{plural":
		r.thing(n)
	case "subjectname":
		r.thing(n.Parts[0])
		r.current.place = true
	case "owner", "who", "place", "users", "story", "why":
		r.Leave(r.said(n.From, n.To), settings.Background)
	case "detail":
		m, _ := r.Phrase(n.Parts[0].From)
		r.Leave(r.said(n.From, n.To), m.Value)
	case "field":
		r.field(n)
	case "relate":
		r.relation(n)
	case "define":
		r.define(n)
	case "inner", "within":
		r.inner(n)
	case "bare", "opened", "closed":
		r.holding(n)
	default:
		for _, p := range n.Parts {
			r.take(p)
		}
	}
}

// call gives the project its name, or its module.
func (r *reader) call(n *grammar.Node) {
	last := n.Parts[len(n.Parts)-1]
	switch last.Name {
	case "{path":
		r.Module = r.At(last.From).Text
	case "{quoted":
		r.Title = plaintext.Title(r.At(last.From).Text)
	case "{name":
		r.Title, _ = r.NameAt(last.From)
	default:
		r.call(last)
	}
}

// thing takes something that records are kept of; who calls it by the last word of its name later means the same.
func (r *reader) thing(n *grammar.Node) {
	from, to, one := n.From, n.To, false
	if k := len(n.Parts) - 1; n.Name == "thing" {
		from, one = n.Parts[k].From, n.Parts[k].Name == "{single" || n.Parts[k].Name == "{gathered"
	}
	name := english.Singular(r.nameOf(from, to))
	t := r.find(name)
	switch {
	case t == nil:
		t = &Thing{Name: name, said: r.said(from, to), place: one}
		if one {
			t.holds = r.heldIn(from, to)
		}
		r.Things = append(r.Things, t)
	case name == t.holds, strings.HasSuffix(t.Name, "_"+name):
		t.Name, t.place = name, false
	}
	r.current, r.named = t, append(r.named, t)
}

// heldIn gives what is kept in something of which there is one: members in a gym, coins in a coin collection.
func (r *reader) heldIn(from, to int) string {
	place, last, before := r.Tables["place-of"], r.At(to-1).Low, r.At(to-2).Low
	held := place[r.said(from, to)]
	switch {
	case held != "":
		return held
	case to == from+1 || !r.Is("gathers", last):
		return place[last]
	case r.isPlace(before): // a kitchen inventory
		return "item"
	case r.Is("uncounted", before): // a fuel log
		return r.nameOf(from, to-1) + "_entry"
	}
	return english.Singular(r.nameOf(from, to-1))
}

// isPlace says whether things are in it, and it is none of them.
func (r *reader) isPlace(word string) bool {
	return r.Is("room", word) || r.Is("institution", word) || r.Is("place-of", word) && r.Tables["place-of"][word] != word
}

// define takes what a sentence tells of a thing, and what that belongs to.
func (r *reader) define(n *grammar.Node) {
	for k, p := range n.Parts {
		if k > 0 && n.Parts[k-1].Name == "{relation" || p.Name == "{thingname" && k > 0 && slices.ContainsFunc(n.Parts[:k], func(q *grammar.Node) bool { return q.Name == "{relation" }) {
			if p.Name != "{thingname" {
				continue
			}
			child := r.current
			r.take(p)
			child.belongs(r.current)
			r.current = child
			continue
		}
		r.take(p)
	}
}

// holding takes a thing with what it holds; their clues belong to the puzzles before them.
func (r *reader) holding(n *grammar.Node) {
	var those *Thing
	for _, p := range n.Parts {
		if p.Name == "det" && r.Is("theirs", r.At(p.From).Low) && len(r.named) > 0 {
			those = r.named[len(r.named)-1]
		}
		r.take(p)
		if (p.Name == "thing" || p.Name == "entry") && those != nil && those != r.current {
			r.current.belongs(those)
		}
	}
}

// inner takes something that another thing holds, with what it holds itself.
func (r *reader) inner(n *grammar.Node) {
	outer := r.current
	for _, p := range n.Parts {
		r.take(p)
		if p.Name == "{plural" && r.current != outer && outer != nil {
			r.current.belongs(outer)
		}
	}
	r.current = outer
}

// relation takes which things belong to which.
func (r *reader) relation(n *grammar.Node) {
	var all []*Thing
	kind, may := "", false
	for _, p := range n.Parts {
		switch p.Name {
		case "{thingname":
			r.take(p)
			all = append(all, r.current)
		case "{relation":
			m, _ := r.phrase(p.From, p.To-p.From)
			kind, may = m.Value, r.Is("may", r.At(p.From).Low)
		}
	}
	for _, o := range all[1:] {
		switch kind {
		case "link":
			r.link(all[0], o)
		case "many":
			r.several(all[0], o, may)
		default:
			all[0].belongs(o)
		}
	}
	r.current = all[0]
}

func (t *Thing) belongs(to *Thing) {
	if !slices.Contains(t.Parents, to) {
		t.Parents = append(t.Parents, to)
	}
}

// field takes a field of what was told of last.
func (r *reader) field(n *grammar.Node) {
	var (
		rule       values.Rules
		name       []string
		told, half string
		units      []string
	)
	for _, p := range n.Parts {
		switch p.Name {
		case "{fieldname", "{quoted":
			name = strings.Split(r.nameOf(p.From, p.To), "_")
		case "{whether":
			name, told = r.asked(p.From+1, p.To), values.Truth
		case "{half":
			half = r.At(p.From).Low
		case "{kinds":
			told = r.Tables["type"][r.Words(p.From, p.To-p.From)]
		case "{described":
			r.describe(&rule, name, p, &told)
		case "{choices":
			rule.Choices = values.Choices(r.Text, p.From, p.To)
		case "listof":
			told = values.Texts
		case "before", "rule":
			q := p.Parts[0]
			switch q.Name {
			case "{rule", "{plainrule":
				rule.Said(r.Text, q.From, &told)
			case "{behind", "{truths":
				told = r.Tables["type"][r.Words(q.From, q.To-q.From)]
			case "{open":
				r.describe(&rule, name, p.Parts[1], &told)
			case "{unit":
				told = r.Tables["type"][r.Words(q.From, q.To-q.From)]
				units = append(units, r.said(q.From, q.To))
			}
		}
	}
	if r.current == nil || len(name) == 0 {
		r.Refuse("what records of " + r.said(n.From, n.To))
		return
	}
	for _, each := range units {
		r.Leave(each+" of "+strings.Join(name, " "), "a field has no unit")
	}
	if half != "" {
		r.add(append([]string{half}, name[1:]...), "", values.Rules{})
	}
	r.add(name, told, rule)
}

// describe takes what stands in brackets behind the name of a field.
func (r *reader) describe(rule *values.Rules, name []string, n *grammar.Node, told *string) {
	if list, _ := rule.Described(r.Text, name, n.From, n.To, told); len(list) > 1 {
		rule.Choices = list
	} else if len(list) == 1 {
		r.Leave(list[0]+" of "+strings.Join(name, " "), "limits and choices of a field")
	}
}

// asked gives the name of a field that says whether something is so.
func (r *reader) asked(from, to int) (name []string) {
	for i := from; i < to; i++ {
		if low := r.At(i).Low; !r.Is("copula", low) && !r.Is("light", low) && r.Length(i, "narrator") == 0 && !r.Is("of-it", low) {
			name = append(name, spelled(r.At(i)))
		}
	}
	return name
}

// add gives what was told of last a field.
func (r *reader) add(words []string, told string, rule values.Rules) {
	t, name := r.current, strings.Join(words, "_")
	of := " of " + english.Plural(t.Name)
	switch {
	case name == "id":
		return
	case t.field(name) != nil, project.NotFieldName(name) && !r.Is("reserved-field", project.Squeezed(name)):
		r.Refuse(strings.Join(words, " "))
		return
	case r.Is("secret", words[len(words)-1]):
		r.Leave(name+of, "keeping passwords needs hashing and sign-in rules, which this engine does not write")
		return
	case r.Is("reserved-field", project.Squeezed(name)):
		r.Leave(name+of, "the name has a meaning of its own in the generated code")
		return
	case len(t.Fields) >= project.MaxFields:
		r.Leave(name+of, "a resource has at most 20 fields")
		return
	}
	if guess, sure := values.Guess(r.Lexicon, words); told == "" && rule.Min+rule.Max != "" && guess == values.Text && sure && rule.Choices == nil {
		told = values.Text // a title of at most 100
	}
	f := Field{Name: name, told: told}
	var others []string
	f.Kind, f.Rules, f.Sure, others = rule.Settled(r.Lexicon, words, told)
	for _, each := range others {
		r.Leave(each+" of "+name, "limits and choices of a field")
	}
	t.Fields = append(t.Fields, f)
}
