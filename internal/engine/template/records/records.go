// Package records reads what records somebody wants to be kept.
//
// grammar.txt says how people put that into words: each sentence is derived from its
// rules as a whole, and what cannot be derived is not understood. The rest of the
// package finds what the rules leave to it in a text, takes what a derivation says, and
// settles what only all sentences together tell. To teach the engine a way to say
// something is to write a rule; to teach it a word, to write it into a table.
package records

import (
	_ "embed" // the grammar and the tables
	"maps"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

var (
	//go:embed grammar.txt
	grammarText string
	//go:embed changes.txt
	changesText string
	//go:embed words.txt
	wordsText string
	//go:embed change.txt
	changeText string
	//go:embed prose.txt
	proseText string

	rules = grammar.New(grammarText + "\n" + changesText)
	own   = glossary.Tables(wordsText + "\n" + changeText + "\n" + proseText)
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
	All     bool   // that it holds was told, in a list of its own
	Link    bool   // only tells which of its parents belong together
	said    string // as it was named
	holds   string // what is kept in it, where it may be but a place
	known   bool   // a project that is changed has it
	place   bool   // may be but the place of others, or what they are for
	along   string // with what it was named, before what one of both holds
	inside  *Thing // in the list of which it was told
	beside  bool   // or behind that list
	amid    bool   // stood between others in a list
	listed  bool   // was named with others, or with what it holds
	at      int    // where it was named first
	kin     bool   // records that belong to it were told of among its fields
	theirs  int    // how many of its fields were told as theirs: products and their prices
	loosely bool   // nothing says that what stands behind it is of it
	alone   bool   // was named once, with nothing else
	joins   bool   // it was told to join others, or to hold them
	each    bool   // of several things was told what each of them has: kids have names
}

// Field is one value of a record.
type Field struct {
	Name, Kind string
	values.Rules
	Sure bool // its kind was told, or its name tells it
	Ref  string
	told string // its kind, as it was told
	old  bool   // a project that is changed has it
	many bool   // there are several, though its name does not say so: many fish
}

// longestSentence is the number of words and marks above which a sentence is not read: the time for it would be noticed.
const longestSentence = 400

// mostUnlikely is what a derivation may cost beside the words of its names: dearer ones are rather wrong than right.
const mostUnlikely = 12

// reader takes what the sentences of a text say.
type reader struct {
	words.Text
	*Reading
	command   bool            // a command is asked for that keeps records
	current   *Thing          // what was told of last
	child     *Thing          // of what was told to belong together, what belongs to the others
	begin     int             // of the sentence
	named     []*Thing        // what was named since the last sentence began
	last      []*Thing        // and in that before it
	links     []pair          // things of which each may have several of the other
	manys     []pair          // things of which the first has several of the second
	claims    []claim         // what has to do with what
	deeds     []pair          // what was told to belong together by what is done with it
	fluid     bool            // of a project that is changed nothing is stored: names and kinds may change
	each      bool            // what several things have is told: each has one of it
	need      string          // whether the fields of a list are needed
	oneEach   bool            // each thing has one of the fields that are named as several
	every     string          // whether all fields are needed, where that is told of all of them
	ofSame    []pair          // what stands beside what others have, and these
	made      []pair          // who makes things, and these
	deals     []*grammar.Node // who does something with things
	all       *grammar.Node   // what is told of all fields
	asides    []aside         // what was told beside
	ticked    *grammar.Node   // what says that something is done
	durable   *grammar.Node   // what says that records outlive a restart
	terminals map[string]func(*reader, int) []grammar.Match
}

// Read reads which records a new project keeps.
func Read(x words.Text, command bool) *Reading {
	r := newReader(x, command)
	r.joinLines()
	for _, each := range sentences(r.Text) {
		r.sentence(each[0], each[1])
	}
	r.settle()
	return r.Reading
}

func newReader(x words.Text, command bool) *reader {
	tables := maps.Clone(x.Tables)
	maps.Copy(tables, own)
	x.Tables = tables
	return &reader{Text: x, Reading: &Reading{}, command: command, terminals: terminals()}
}

// sentence takes what a sentence says.
func (r *reader) sentence(from, to int) {
	r.begin = from
	if tree := r.derive("sentence", from, to); tree != nil {
		before := r.child
		r.last, r.named = r.named, nil
		if r.take(tree); r.child == before { // is told of but in the next sentence
			r.child = nil
		}
	}
}

// derive gives how what stands between two places is derived from a rule, or names what of it is not understood.
func (r *reader) derive(rule string, from, to int) *grammar.Node {
	if to-from > longestSentence {
		r.Refuse(r.said(from, from+4))
		return nil
	}
	tree, far := rules.Read(rule, r, from, to)
	if tree != nil {
		if worst := doubtful(tree); worst != nil {
			r.Refuse(r.said(worst.From, worst.To))
			return nil
		}
		return tree
	}
	reached := far
	if far = r.plainly(rule, from, to, far); r.impossible(far) > 0 {
		r.Take(r.Text, far)
		return nil
	}
	begin := far
	for far == reached && r.At(far-1).Mark && begin > max(from, far-7) && !(begin < far-1 && r.At(begin-1).Mark) { // with what stands before the comma
		begin--
	}
	last := far
	if reached < far+8 { // and up to where nothing goes on
		last = max(far, reached)
	}
	if words := r.said(begin, max(far+1, min(r.NextMark(last), to))); words != "" && rule == "sentence" {
		r.notUnderstood(far, words)
	} else if rule == "sentence" {
		r.notUnderstood(to, r.said(from, to))
	} else {
		r.Refuse(r.said(from, to))
	}
	return nil
}

// plainly gives up to where a sentence is understood: where all its words have a meaning, but not together, up to where a part ends
// that is likely by itself.
func (r *reader) plainly(rule string, from, to, far int) int {
	begun := rules.Begin(rule, r, from, to)
	if far < to {
		if n := len(begun); n > 0 && begun[n-1].To < far && begun[n-1].To+3 >= far && r.open(begun[n-1].To, false) == 1 && !r.known(begun[n-1].To) { // a word that begins nothing: a Go API blarb for books
			return begun[n-1].To
		}
	}
	for _, n := range slices.Backward(begun) {
		next := r.After(n.To, ",", "and", ":")
		if comma := far == to || r.At(n.To).Low == "," && next <= far; comma && r.Ends(n.To) && doubt(n) < mostUnlikely*2/3 && next < to {
			return next
		}
	}
	return far
}

// notUnderstood refuses words, or says what is to be done where those around a place are names of fields that nothing parts:
// name breed age.
func (r *reader) notUnderstood(at int, said string) {
	from, to := at, at
	parts := func(i int) bool { return r.Ends(i) || r.Is("function", r.At(i).Low) }
	for from > 0 && !parts(from-1) {
		from--
	}
	for ; !parts(to); to++ {
	}
	if r.usual(from, to) < 3 && !(from+2 == to && r.commaless(r.At(from).Low, r.At(from+1).Low)) {
		r.Refuse(said)
		return
	}
	r.Hearts = append(r.Hearts, settings.Omission{What: r.said(from, to), Why: "put commas between the fields"})
}

// usual counts the usual names of fields among words.
func (r *reader) usual(from, to int) (n int) {
	for i := from; i < to; i++ {
		if low := r.At(i).Low; r.Is("field", low) || r.Is("whole-name", low) || r.Is("whole-field", low) {
			n++
		}
	}
	return n
}

// known says whether a word has a meaning, or is a usual name.
func (r *reader) known(i int) bool {
	return r.class(i) != "" || r.Is("field", r.At(i).Low) || r.Is("also-field", r.At(i).Low) || r.elsewhere(i, i+1)
}

// doubtful gives the part of a derivation that makes it too unlikely to be what was meant, or nil.
func doubtful(n *grammar.Node) *grammar.Node {
	if doubt(n) <= mostUnlikely {
		return nil
	}
	return dearest(n)
}

// dearest gives the smallest part of a derivation that is more unlikely than all the rest of it.
func dearest(n *grammar.Node) *grammar.Node {
	for _, p := range n.Parts {
		if 2*doubt(p) > doubt(n) {
			return dearest(p)
		}
	}
	return n
}

// doubt says how unlikely a derivation is: several things with labels, and what leads to the request, as much as the worst of
// them, however many there are.
func doubt(n *grammar.Node) int {
	own, worst, lead, all := n.Cost, 0, 0, 0
	for _, p := range n.Parts {
		d := doubt(p)
		own, worst = own-p.Cost, max(worst, d)
		if p.Name == "lead" {
			lead = max(lead, d)
		} else {
			all += d
		}
	}
	switch n.Name {
	case "{fieldname", "{plural", "{single", "{proper", "{gathered", "{logbook", "{compound", "{nouns", "{thingname": // words cost what they cost
		return n.Cost - (n.To - n.From)
	case "{tale", "{reason":
		return n.Cost - (n.To-n.From-1)/2
	case "labels", "roster":
		return own + worst
	}
	return own + lead + all
}

// sentences gives the parts of a text that periods and lines end, outside of brackets.
func sentences(x words.Text) (out [][2]int) {
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

// joinLines makes one list of fields that stand each in a line of its own: make, model, year.
func (r *reader) joinLines() {
	all := sentences(r.Text)
	joined := map[int]bool{} // where the line before a place goes on
	for k := 1; k < len(all); {
		end, fields := k, 0
		for ; end < len(all) && (r.lineOf(all[end]) || end > k && end+1 < len(all) && all[end][1] == all[end][0]+1 && r.class(all[end][0]) == "stop" && r.lineOf(all[end+1])); end++ { // name, build, start date
			if r.Is("field", r.At(all[end][1]-1).Low) {
				fields++
			}
		}
		if end-k > 2 && 2*fields >= end-k {
			for _, each := range all[k+1 : end] {
				joined[each[0]] = true
			}
		}
		k = max(end, k+1)
	}
	var out []words.Token
	for i, t := range r.Tokens {
		if joined[i] {
			for len(out) > 0 && out[len(out)-1].Mark {
				out = out[:len(out)-1]
			}
			out = append(out, words.Token{Text: ",", Low: ",", Raw: ",", Mark: true})
		}
		out = append(out, t)
	}
	r.Tokens = out
}

// lineOf says whether a line is short and may be the name of a field.
func (r *reader) lineOf(each [2]int) bool {
	from, to := each[0], each[1]
	last := r.At(to - 1).Low
	for i := from; i < to; i++ {
		if t := r.At(i); t.Mark || t.Quoted || i == to-1 && r.class(i) == "kind" {
			return false
		}
	}
	return to-from < 4 && (r.Is("field", last) || r.Is("also-field", last) || r.Is("item-too", last) || r.class(to-1) == "")
}

// said gives words in lower case, with the commas between them.
func (r *reader) said(from, to int) string {
	var out strings.Builder
	for i := from; i < to; i++ {
		switch t := r.At(i); {
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
func (r *Reading) find(name string) (found *Thing) {
	one := english.Singular(name)
	for _, t := range r.Things {
		switch {
		case t.Name == one || t.Name == name:
			return t
		case strings.HasSuffix(t.Name, "_"+one), t.holds == one:
			found = t
		}
	}
	return found
}

// field gives a field of a thing by its name.
func (t *Thing) field(name string) *Field {
	for k := range t.Fields {
		if t.Fields[k].Name == name {
			return &t.Fields[k]
		}
	}
	return nil
}
