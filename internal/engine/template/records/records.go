// Package records reads what records somebody wants to be kept, clause by clause.
//
// A clause is read as a whole or not at all: it defines what a record holds, relates
// records, holds fields to rules, asks for the project, or sets something of it. What is
// none of that is left out in its own words where a word of it is known as a detail, or
// where it only tells who asks; everything else is not understood. Where words can be
// read in two ways that would make different projects, neither is taken.
package records

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// Reading is what was understood.
type Reading struct {
	settings.Settings
	Things  []*Thing
	Removed []string // of a project that is changed: things, and fields as "field of thing"
	Already []string // what is asked for of it, and is so
	Renamed []Renaming
}

// Renaming is another name of a thing, or of one of its fields.
type Renaming struct{ Thing, Field, To string }

// Thing is what records are kept of.
type Thing struct {
	Name    string // in the singular, with underscores
	Fields  []Field
	Parents []*Thing
	Link    bool   // only tells which of its parents belong together
	said    string // as it was named
	holds   string // what such a place usually holds
	weak    bool   // may be but the place of others, or what they are for
	known   bool   // the project has it: it keeps its name
	whole   bool   // all that it holds was told
	closed  bool   // brackets closed the list of what it holds
	born    bool   // was named with a list of what it holds
	at      int    // where it was named first
	alone   bool   // was named alone, as what the project is for
	kept    bool   // was named alone, as what is kept
	listed  bool   // was named with others
	apart   bool   // a comma stands before the list of what it holds
	inside  *Thing // in whose list it was named with one of its own
	implied *Thing // the parent that nothing tells of but how both are named
}

// Field is one value of a record.
type Field struct {
	Name, Kind string
	values.Rules
	Sure bool // its kind was told, or its name tells it
	Ref  string
	told item
	old  bool // a project that is changed has it
}

// Whole says whether all that a thing holds was told, in a list of its own.
func (t *Thing) Whole() bool { return t.whole }

// Read reads which records a new project keeps.
func Read(x words.Text, command bool) *Reading {
	r := newReader(withCommas(x))
	for _, each := range Sentences(r.Text) {
		r.sentence(each[0], each[1])
	}
	r.finish(command)
	r.runTogether()
	return r.Reading
}

type reader struct {
	words.Text
	*Reading
	current    *Thing
	heads      map[string]bool // names of which something is told anywhere, in the singular
	clause     int             // where the clause began that is read
	openBy     string          // the word that opened it
	fluid      bool            // nothing is stored, so kinds and names may change
	open       *Thing          // whose list is read that no bracket closes
	lastNamed  *Thing          // what was named last
	nounEnd    int             // where the last name of a thing ended
	listEnd    int             // where the last list ended
	depth      int             // of the lists that are read
	idle       []span          // words that said nothing
	items      []span          // items of lists that were taken
	details    []span          // what was left out as a detail
	lost       int             // behind the last word that nobody understands
	typed      bool            // the kind stands behind each name of the list that is read
	someTyped  bool            // the kind stands behind a name of it, and behind some elsewhere
	colons     bool            // a colon and its kind stand behind the name before the one that is read
	typedLines bool            // the same, of the lines that are read
	links      []pair          // things of which each may have several of the other
	manys      []pair          // things, and those of which each has many
	deeds      []deed          // what things do with others
	makers     []deed          // who makes things
	durable    span            // what says that records outlive a restart
}

func newReader(x words.Text) *reader {
	x = withTables(x)
	r := &reader{Text: x, Reading: &Reading{}, heads: map[string]bool{}}
	r.nounsToo()
	r.findHeads()
	r.ordinary()
	return r
}

// ordinary takes words that are also names of frameworks for what they are to everybody else, unless one stands where only a
// framework would: with express, a bottle API.
func (r *reader) ordinary() {
	var plain []string
	for i, t := range r.Tokens {
		before, behind := r.class(i-1), r.class(i+1)
		framework := r.Is("built-with", r.At(i-1).Low) || before == "language" || before == "heart" || behind == "kind" || behind == "heart" || behind == "language" || r.Is("framework", r.At(i+1).Low) || t.Capital && r.At(i-1).Low == "in"
		switch at := slices.Index(plain, t.Low); {
		case t.Mark || t.Quoted || !r.Is("framework-too", t.Low):
		case framework && !r.heads[english.Singular(t.Low)]:
			return
		case at < 0:
			plain = append(plain, t.Low)
		}
	}
	r.unlearn(plain)
}

// unlearn takes words for such as nobody knows.
func (r *reader) unlearn(plain []string) {
	if len(plain) == 0 {
		return
	}
	r.Vocabulary, r.Tables = maps.Clone(r.Vocabulary), maps.Clone(r.Tables)
	for _, table := range []string{"crud", "keeps", "idle"} {
		r.Tables[table] = maps.Clone(r.Tables[table])
	}
	for _, w := range plain {
		delete(r.Vocabulary, w)
		for _, table := range []string{"crud", "keeps", "idle"} {
			delete(r.Tables[table], w)
		}
	}
}

// nounsToo takes words that tell what a project does, and are names of things as well, for those where one stands where no verb
// would: to manage shows, actors and seats; shows and episodes.
func (r *reader) nounsToo() {
	var plain []string
	for i, t := range r.Tokens {
		if t.Mark || !r.Is("verb-too", t.Low) {
			continue
		}
		switch r.nounOrVerb(i) {
		case "noun":
			plain = append(plain, t.Low)
			if one := english.Singular(t.Low); r.Is("owns", r.At(slices.IndexFunc(r.Tokens, func(o words.Token) bool { return o.Low == one })+1).Low) { // a show has
				plain = append(plain, one)
			}
		case "verb":
			return
		}
	}
	r.unlearn(plain)
}

// nounOrVerb says what a word in -s is by what stands around it, or nothing: manage shows, with views and clicks, that shows.
func (r *reader) nounOrVerb(i int) string {
	does := func(k int) bool {
		return r.class(k) == "things" && r.At(k).Low != "for" || r.Length(k, "crud")+r.Length(k, "keeps") > 0
	}
	before, ended := r.At(i-1), r.Ends(i+1) || i+1 >= len(r.Tokens) || r.Is("owns", r.At(i+1).Low)
	listed := r.Ends(i-1) && !does(i-2) && !does(i+2)
	switch {
	case r.Is("relative", before.Low) || r.class(i-1) == "kind" && !r.At(i+1).Mark || r.Is("object", before.Low):
		return "verb"
	case ended && (i == 0 || listed || does(i-1) && !strings.HasSuffix(before.Low, "s") || before.Low == "for" || before.Low == "with" || r.Is("determiner", before.Low)):
		return "noun"
	}
	return ""
}

// span is what stands from one place to another.
type span struct{ from, to int }

// Sentences gives the parts of a text that periods and lines end, outside of brackets.
func Sentences(x words.Text) (out [][2]int) {
	from, depth := 0, 0
	for i, t := range x.Tokens {
		switch {
		case !t.Mark:
		case t.Low == "(":
			depth++
		case t.Low == ")":
			depth = max(0, depth-1)
		case t.Low == "." && depth == 0:
			if i > from {
				out = append(out, [2]int{from, i})
			}
			from = i + 1
		}
	}
	if len(x.Tokens) > from {
		out = append(out, [2]int{from, len(x.Tokens)})
	}
	return out
}

// sentence reads the clauses between two places.
func (r *reader) sentence(from, to int) {
	r.clause, r.open = from, nil
	begin := r.holdsOf(from, to)
	if begin == from && r.story(from, to) {
		return
	}
	for i := begin; i < to; {
		next := r.read(i, to)
		if next == i {
			next = r.strange(i, to)
		}
		i = next
	}
}

// read reads what begins at a place, and gives the place behind it: the same where no rule knows it.
func (r *reader) read(i, to int) int {
	t := r.At(i)
	switch {
	case t.Mark && t.Low == "(":
		return r.aside(i, to)
	case t.Mark && (t.Text == "|" || t.Low == ":" && r.At(i-1).Low == ")" && r.brackets(i+1)): // survey (title) -> question (text)
		r.Refuse(strings.TrimSpace(r.At(i-1).Low + " " + cmp.Or(t.Text, t.Low) + " " + r.At(i+1).Low))
		return i + 1
	case t.Mark:
		r.clause = i + 1
		return i + 1
	case t.Quoted && r.class(i-1) == "kind" && r.Title == "" && r.At(i+1).Low != "(" && (r.At(i+1).Low != ":" || r.brackets(i+2)): // a service "clinic-queue"
		if words.PathLike.MatchString(t.Text) { // a service `example.com/mooring`
			r.Module = t.Text
		} else {
			r.Title = plaintext.Title(t.Text)
		}
		with := i + 1
		if r.class(with) == "place" && r.class(with+1) == "language" { // "crochet patterns" in Python with fields
			with += 2
		}
		if fields := r.At(with).Low == "with" && r.Is("field-noun", r.At(with+1).Low); fields && len(r.Things) == 0 && english.IsPlural(t.Low) { // a service "Pallets" with fields: sku
			n, _ := r.noun(i)
			r.thing(n)
		}
		if next := r.After(i+1, ".", ","); next > i+1 && r.Is("takes-back", r.At(next).Low) { // "kennels"... actually rather for horses
			if r.At(next).Low != "rather" && r.At(next+1).Low != "rather" {
				r.Refuse(t.Low + " " + r.text(next, next+2))
			}
			r.Title, r.Module = "", ""
			r.Leave(t.Low, "taken back")
		}
		return i + 1
	case t.Quoted && r.At(i-1).Low == "something": // about something "from everyday life"
		r.Leave(strings.ToLower(t.Text), settings.Background)
		return i + 1
	case r.class(i) == "join" && t.Low != "or":
		r.clause = i + 1
		return i + 1
	}
	for _, rule := range []func(i, to int) int{
		r.holdsOf, r.imperative, r.entities, r.label, r.turnedAway, r.circumstance, r.background, r.everyField, r.linksBoth, r.inWhich, r.onePer, r.flagged, r.handsIn, r.contains, r.areKept, r.doers, r.whoDid, r.makes, r.doesThat, r.canMany, r.moves, r.forEach, r.relation, r.logOf, r.definition, r.detail, r.amendment,
		r.restricted, r.mayDo, r.anyoneCan, r.subject, r.compound, r.opened, r.listed, r.usualThing, r.setting,
	} {
		if end := rule(i, to); end > i {
			return min(end, to)
		}
	}
	end := min(r.nothing(i), to)
	if end > i {
		r.idle = append(r.idle, span{i, end})
	}
	return end
}

// brackets says whether a noun with a list in brackets follows.
func (r *reader) brackets(i int) bool {
	n, ok := r.noun(i)
	return ok && r.At(n.to).Low == "("
}

// strange takes a clause that no rule reads: it is left out where a word of it is known as a detail, else not understood.
func (r *reader) strange(i, to int) int {
	end := min(settings.Clause(r.Text, i), to)
	taken := slices.ContainsFunc(r.items, func(s span) bool { return s.from >= r.clause && s.from < end })
	if r.sideBySideOnly(r.clause, end) && !taken { // name email plan start date
		r.forget()
		r.Refuse(r.text(r.clause, end))
		return end
	}
	if why := r.detailWithin(r.clause, end); why != "" && !taken {
		r.forget()
		r.Leave(r.text(r.clause, end), why)
		r.details = append(r.details, span{r.clause, end})
		return end
	}
	if !taken && r.obliges(r.clause, to) { // the end date has to be after the start date
		r.forget()
		if r.class(to-1) != "given" { // readings must be paged
			r.Leave(r.text(r.clause, to), "rules between records")
		}
		return to
	}
	m, n := r.Phrase(i)
	if m.Class == "heart" {
		return r.Take(r.Text, i)
	}
	n = max(n, 1)
	if r.At(i).Low == "or" { // which of both?
		r.Refuse(r.text(i-1, min(r.EndOf(i+1), to)))
		return min(r.EndOf(i+1), to)
	}
	if k := len(r.Unknown) - 1; k >= 0 && i == r.lost && r.text(i, i+n) != "" {
		r.Unknown[k] += " " + r.text(i, i+n)
	} else {
		r.Refuse(r.text(i, i+n))
	}
	r.lost = i + n
	return i + n
}

// obliges says whether a whole sentence holds what was told before to something.
func (r *reader) obliges(from, to int) bool {
	n, ok := r.noun(from)
	if before := r.At(from - 1); !ok || !before.Mark || before.Low != "." || r.Length(n.to, "obliges") == 0 {
		return false
	}
	for i := n.to; i < to; i++ {
		if c := r.ClassAt(i); c == "fields" || c == "relation" || r.At(i).Mark && r.At(i).Low != "," {
			return false
		}
	}
	owner, _ := r.owner(item{words: n.words, several: n.many()})
	return (owner != nil || r.find(n.name()) != nil) && !r.demands(n.to+r.Length(n.to, "obliges"), to, true)
}

// forget takes back what the clause named that is left out.
func (r *reader) forget() {
	r.Things = slices.DeleteFunc(r.Things, func(t *Thing) bool { return t.at >= r.clause && len(t.Fields)+len(t.Parents) == 0 })
	r.Left = slices.DeleteFunc(r.Left, func(o settings.Omission) bool {
		return strings.Contains(r.text(r.clause, r.NextMark(r.clause)), o.What)
	})
	if r.current != nil && !slices.Contains(r.Things, r.current) {
		r.current = nil
	}
}

// class gives what the vocabulary says of one word.
func (r *reader) class(i int) string {
	if t := r.At(i); t.Mark || t.Quoted {
		return ""
	}
	return r.Vocabulary[r.At(i).Low].Class
}

// begins says whether a clause or a part of a list begins at a place.
func (r *reader) begins(i int) bool { return i == 0 || r.Ends(i-1) }

// text gives words in lower case, with the marks between them that part lists.
func (r *reader) text(from, to int) string {
	var out strings.Builder
	for i := from; i < to; i++ {
		t := r.At(i)
		switch {
		case t.Mark && t.Low == ",":
			out.WriteString(",")
		case t.Mark:
		case out.Len() > 0:
			out.WriteString(" " + t.Low)
		default:
			out.WriteString(t.Low)
		}
	}
	return strings.Trim(out.String(), " ,")
}

// find gives a thing by its name in the singular or plural; blog posts may be called posts.
func (r *Reading) find(name string) *Thing {
	one := english.Singular(name)
	for _, t := range r.Things {
		if t.Name == one || t.Name == name {
			return t
		}
	}
	var found []*Thing
	for _, t := range r.Things {
		short := !t.weak && strings.HasSuffix(t.Name, "_"+one) || !t.weak && len(one) > 3 && strings.HasSuffix(t.Name, one) // beehives may be called hives
		if !strings.Contains(name, "_") && short {
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

// field gives a field of a thing by its name.
func (t *Thing) field(name string) *Field {
	if k := slices.IndexFunc(t.Fields, func(f Field) bool { return f.Name == name }); k >= 0 {
		return &t.Fields[k]
	}
	return nil
}
