package request

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// builder does what the reading of the sentences says, in their order.
type builder struct {
	*Request
	current *Thing
	loose   []item             // fields that were told of before any thing
	stories []string           // plurals of which stories tell
	many    bool               // what follows belongs to the current thing
	grouped int                // the place of the last word that was not understood
	again   func(*Thing, item) // what becomes of a field that a thing has already; nil: nothing
}

// strange takes a word that nobody understands; several in a row are told as one.
func (b *builder) strange(w string, i int) {
	if n := len(b.Unknown) - 1; n >= 0 && b.grouped == i-1 {
		b.Unknown[n] += " " + strings.ToLower(w)
	} else {
		b.Unknown = append(b.Unknown, strings.ToLower(w))
	}
	b.grouped = i
}

// option takes a phrase that means the same in every sentence.
func (b *builder) option(m glossary.Meaning, phrase string) {
	to := b.setting(m.Class)
	switch {
	case m.Class == "given" && len(b.Operations) > 0 && strings.HasSuffix(phrase, " them"): // find duplicates and delete them
		b.Unknown = append(b.Unknown, phrase)
	case m.Class == "given":
		b.Given = append(b.Given, phrase)
	case m.Class == "heart":
		b.Hearts = append(b.Hearts, Omission{phrase, m.Value})
	case to == nil || m.Class == "license" && m.Value == none || m.Value == anyDatabase && *to != "":
	case m.Class == "language" && *to != "" && *to != m.Value:
		b.Hearts = append(b.Hearts, Omission{"two languages", ""})
	case m.Class == "license" && *to != "" && *to != m.Value:
		b.leave(phrase, "a project has one license")
	default:
		*to = m.Value
	}
}

func (b *builder) setting(class string) *string {
	return map[string]*string{"language": &b.Language, "database": &b.Database, "auth": &b.Auth, "cors": &b.CORS, "license": &b.License}[class]
}

// deny takes what is not wanted.
func (b *builder) deny(m glossary.Meaning, phrase string) {
	to := b.setting(m.Class)
	switch {
	case m.Class == "given" && !english.HasSuffix(phrase, "dependencies", "libraries", "packages", "framework", "frameworks"):
		b.leave("no "+phrase, "every project has it")
	case to == nil, m.Class == "language", m.Class == "database" && (*to != "" || m.Value == none):
	case m.Class == "cors":
		*to = "off"
	default:
		*to = none
	}
}

func (b *builder) port(n int) {
	if b.Port = n; n < 1024 || n > 65535 {
		b.Hearts = append(b.Hearts, Omission{fmt.Sprintf("port %d", n), "a port is a number from 1024 to 65535"})
	}
}

// story takes what is only told, and remembers of what.
func (b *builder) story(what string, names func(int) []name, from, to int) {
	b.leave(what, background)
	for i := from; i < to; i++ {
		for _, n := range slices.Backward(names(i)) {
			if last := n.words[len(n.words)-1]; n.end <= to && english.IsPlural(last) {
				b.stories = append(b.stories, strings.Join(n.words, " "))
				break
			}
		}
	}
}

// purpose takes what is done with things, and is no word that every project does.
func (b *builder) purpose(word string) {
	if b.Text.Vocabulary[word].Class == "" {
		b.leave(word, background)
	}
}

// exact gives a thing by its whole name.
func (r *Request) exact(word string) *Thing {
	for _, t := range r.Things {
		if project.Squeezed(t.Name) == project.Squeezed(english.Singular(word)) || t.Name == word {
			return t
		}
	}
	return nil
}

// find gives a thing by its name in the singular or plural; blog posts may be called posts.
func (r *Request) find(word string) *Thing {
	if t := r.exact(word); t != nil {
		return t
	}
	for _, t := range r.Things {
		if !strings.Contains(word, "_") && strings.HasSuffix(t.Name, "_"+english.Singular(word)) {
			return t
		}
	}
	var found []*Thing
	for _, t := range r.Things {
		same := !t.weak && (strings.HasPrefix(t.Name, english.Singular(word)+"_") && len(t.Fields) == 0 || len(word) > 3 && strings.HasSuffix(t.Name, english.Singular(word)))
		if same && !strings.Contains(word, "_") {
			found = append(found, t)
		}
	}
	if len(found) == 1 { // lap times may be called laps, beehives hives
		return found[0]
	}
	return nil
}

// thing names what records are kept of, or where they are, and makes it the current one.
func (b *builder) thing(all []string, context bool) {
	if n := len(all) - 1; n > 0 && b.Text.Is("one-of-them", all[n]) && b.says("this "+strings.Join(all, " ")) { // this aircraft record
		all = all[:n]
	}
	whole := strings.Join(all, "_")
	if t := b.find(whole); t != nil {
		if one := english.Singular(whole); project.Squeezed(t.Name) != project.Squeezed(one) && !t.known {
			if t.weak && t.context { // dogs of a dog shelter
				b.leave(t.said, background)
			} else {
				b.leave(strings.ReplaceAll(english.Plural(t.Name), "_", " "), "called "+strings.ReplaceAll(english.Plural(one), "_", " ")+" for short")
			}
			t.Name, t.holds = one, ""
		}
		t.weak = t.weak && !english.IsPlural(all[len(all)-1])
		b.attach(t)
		return
	}
	t := &Thing{Name: english.Singular(whole), said: strings.Join(all, " "), context: context}
	last := all[len(all)-1]
	many := english.IsPlural(last)
	place := b.Text.Tables["place-of"]
	t.weak = !many && !b.Text.Is("has", last)
	switch held := place[t.said]; {
	case held != "":
		t.holds, t.weak = held, !many
	case !many && len(all) > 1 && place[last] != "" && isPlace(b.Text, all[len(all)-2]): // a kitchen inventory
		t.holds, t.weak = place[last], true
	case !many && len(all) > 1 && b.Text.Is("gathers", last):
		t.holds, t.weak = english.Singular(strings.Join(all[:len(all)-1], "_")), true
	case !many && place[last] != "":
		t.holds, t.weak = place[last], true
	case !many && b.Text.Is("institution", last):
		t.holds, t.context = "entry", true
	}
	b.Things = append(b.Things, t)
	b.attach(t)
}

// compound notes that a thing stands before the word for the project: a bug tracker API.
func (b *builder) compound() {
	if t := b.current; t != nil && len(t.Fields)+len(t.Parents) == 0 {
		t.weak = true
	}
}

// umbrella notes that a thing was named alone, and may be but what others are about.
func (b *builder) umbrella(alone bool) {
	if t := b.current; t != nil && len(t.Fields)+len(t.Parents) == 0 {
		t.alone = alone
	}
}

// says says whether words stand in the request in a row.
func (b *builder) says(phrase string) bool {
	return strings.Contains(" "+b.Text.Words(0, len(b.Text.Tokens))+" ", " "+phrase+" ")
}

// attach makes a thing the current one, or one that belongs to the current one.
func (b *builder) attach(t *Thing) {
	if b.many && b.current != nil && b.current != t {
		t.Parents = append(t.Parents, b.current)
	}
	b.many = false
	b.current = t
	for _, it := range b.loose {
		b.field(it)
	}
	b.loose = nil
}

func (b *builder) reversed() { b.many = true }

// parent names what the current thing belongs to.
func (b *builder) parent(all []string) {
	child, many := b.current, b.many
	b.many = false
	if len(b.loose) > 0 { // temperature and time for each reading
		b.thing(all, false)
		return
	}
	b.thing(all, true)
	other := b.current
	switch {
	case child == nil || child == other:
		if child == other && child != nil {
			b.Unknown = append(b.Unknown, "to "+strings.Join(all, " "))
		}
	case many:
		if !slices.Contains(other.Parents, child) {
			other.Parents = append(other.Parents, child)
		}
	case !slices.Contains(child.Parents, other):
		child.Parents = append(child.Parents, other)
		b.current = child
	default:
		b.current = child
	}
}

// nested names things that belong to the current one, with their fields.
func (b *builder) nested(all []string, inside path) {
	owner := b.current
	b.thing(all, false)
	child := b.current
	inside.do(b)
	if place := owner != nil && owner.weak && len(owner.Fields) == 0; owner != nil && owner != child && !place && !slices.Contains(child.Parents, owner) {
		child.Parents = append(child.Parents, owner)
	}
	if owner != nil {
		b.current = owner
	}
}

// field gives the current thing a field.
func (b *builder) field(it item) {
	if b.current == nil {
		b.loose = append(b.loose, it)
		return
	}
	t := b.current
	name := strings.Join(it.words, "_")
	last := it.words[len(it.words)-1]
	of := " of " + english.Plural(t.Name)
	x := b.Text
	switch {
	case name == "ids" || name == "id" && it.kind == "" && it.told:
		b.leave(strings.Join(it.words, " "), "every record has an id of its own")
		return
	case name == "id":
		return
	case b.again != nil && slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Name == name }):
		b.again(t, it)
		return
	case b.again == nil && b.known(t, name, it) != "":
		b.amend(t, b.known(t, name, it), it)
		return
	case !plainName.MatchString(name):
		b.Unknown = append(b.Unknown, strings.Join(it.words, " "))
		return
	case x.Is("secret", last):
		b.leave(name+of, "keeping passwords needs hashing and sign-in rules, which this engine does not write")
		return
	case x.Is("reserved-field", project.Squeezed(name)):
		b.leave(name+of, "the name has a meaning of its own in the generated code")
		return
	case len(t.Fields) >= 20:
		b.leave(name+of, "a resource has at most 20 fields")
		return
	}
	for _, each := range it.left {
		b.leave(each+" of "+strings.Join(it.words, " "), "limits and choices of a field")
	}
	f := Field{Name: name, Ref: it.ref, told: it}
	if it.ref == "" {
		b.settle(&f, it)
	}
	t.Fields = append(t.Fields, f)
}

// need says of all fields of a thing whether records can do without them.
func (b *builder) need(what string) {
	if b.current == nil {
		return
	}
	for k := range b.current.Fields {
		b.current.Fields[k].Need = what
	}
}

// known gives the name of a field of which more is told: emails are unique, the serial number is unique.
func (b *builder) known(t *Thing, name string, it item) string {
	for _, f := range t.Fields {
		one := it.told && (english.Singular(name) == f.Name || name == f.Name+"_number")
		if f.Name == name || one {
			return f.Name
		}
	}
	return ""
}

// tells says whether some thing has a field.
func (r *Request) tells(name string) bool {
	return slices.ContainsFunc(r.Things, func(t *Thing) bool {
		return slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Name == name || f.Name == english.Singular(name) })
	})
}

// amend holds a field to what is told of it later: bpm is between 40 and 240.
func (b *builder) amend(t *Thing, name string, it item) {
	k := slices.IndexFunc(t.Fields, func(f Field) bool { return f.Name == name })
	before := t.Fields[k].told
	if !it.told || it.ref != "" || before.ref != "" {
		return
	}
	old, added := before.rules, it.rules
	before.kind = cmp.Or(it.kind, before.kind)
	before.rules = values.Rules{
		Need: cmp.Or(added.Need, old.Need, t.Fields[k].Need), Unique: added.Unique || old.Unique, Default: cmp.Or(added.Default, old.Default),
		Choices: old.Choices, Min: cmp.Or(added.Min, old.Min), Max: cmp.Or(added.Max, old.Max),
	}
	if added.Choices != nil {
		before.rules.Choices = added.Choices
	}
	for _, each := range it.left {
		b.leave(each+" of "+name, "limits and choices of a field")
	}
	t.Fields[k] = Field{Name: name, told: before}
	b.settle(&t.Fields[k], before)
}

// settle gives a field the kind that its name and its rules tell where none was told.
func (b *builder) settle(f *Field, it item) {
	all := it.words
	if last := english.Singular(all[len(all)-1]); it.kind == "" && !b.Text.Is("field", all[len(all)-1]) && fieldOnly(b.Text, last) && last != "content" {
		all = append(slices.Clone(all[:len(all)-1]), last)
		f.Name = strings.Join(all, "_")
	}
	if it.kind == "" && b.length(it.rules, all) {
		it.kind = values.Text // a title of at most 100
	}
	if guess, _ := values.Guess(b.Text.Lexicon, all); it.kind == "" && guess == values.Truth && values.Decimal.MatchString(it.rules.Default) {
		it.kind = values.Number // hours done, 0 by default
	}
	kind, rules, sure, others := it.rules.Settled(b.Text.Lexicon, all, it.kind)
	f.Kind, f.Rules, f.Sure = kind, rules, sure
	if it.rules.Choices != nil && it.rules.Default != "" && rules.Default == "" { // which of both is meant?
		b.Unknown = append(b.Unknown, "default "+it.rules.Default+" of "+strings.ReplaceAll(f.Name, "_", " "))
	}
	for _, each := range others {
		b.leave(each+" of "+f.Name, "limits and choices of a field")
	}
}

// length says whether bounds are those of how long a text is.
func (b *builder) length(r values.Rules, all []string) bool {
	guess, sure := values.Guess(b.Text.Lexicon, all)
	low, _ := strconv.Atoi(r.Min)
	high, err := strconv.Atoi(r.Max)
	return guess == values.Text && err == nil && r.Choices == nil && r.Default == "" && high >= 15 && (sure || high < 1000) && low != 1 && !slices.Contains(all, "number")
}

func fieldOnly(x words.Text, w string) bool { return (&parser{Text: x}).fieldOnly(w) }
