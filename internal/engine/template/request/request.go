// Package request reads what somebody asks for.
//
// A request is derived as a whole from the rules of its tables, and the likeliest
// derivation is taken. What cannot be derived is refused, from the word at which that
// ended: a word that no rule expects is never skipped. To teach the engine a way to say
// something is to write a rule; to teach it a word, to write it into a table.
package request

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// Request is what a text was understood to ask for; empty means that it does not say.
type Request struct {
	settings
	Text                         words.Text
	Kind                         string
	Things                       []*Thing
	Operations, Sections         []string
	Subject, Place, Email, Phone string
	Hours, Address, When         string
	Removed                      []string // of a project: things, sections, and fields as "field of thing"
	Already                      []string // what is asked for of a project, and is so
	Renamed                      []Renaming
	Dropped                      []string // facts of a page, by their keys
	Moves                        []Move
	Scripted, App                bool
}

// Thing is what records are kept of.
type Thing struct {
	Name    string // in the singular, with underscores
	Fields  []Field
	Parents []*Thing
	All     bool   // that it holds was told, in a list of its own
	Link    bool   // only tells which of its parents belong together
	old     bool   // the project that is changed has it
	at      int    // where it was named first
	several bool   // it was named in the plural
	of      string // what is kept in it, where it is called by its place: a reading list
	whole   bool   // its name is told by all of its words
	stock   bool   // it is called items, which nobody says: a freezer inventory
}

// Field is one value of a record.
type Field struct {
	Name, Kind string
	values.Rules
	Sure   bool // its kind was told, or its name tells it
	Ref    string
	told   bool   // its kind was told
	refers string // what it is told to refer to
	old    bool   // the project that is changed has it
	at     int
	early  bool // its rules were told before it was
}

// Renaming is another name of a thing, or of one of its fields.
type Renaming struct{ Thing, Field, To string }

// Move is what becomes of a section that stays.
type Move struct{ Section, Where, Other string }

// longest is the number of words and marks above which a request is not read: the time for it would be noticed.
const longest = 400

// Read reads a request for a new project.
func Read(prompt string, l words.Lexicon) *Request {
	r := &reader{Text: words.In(prompt, l), Request: &Request{}}
	r.Request.Text = r.Text
	r.likelyKind()
	if len(r.Tokens) > longest {
		r.Refuse(r.Words(0, 8) + " and more: tell it in fewer words")
		return r.Request
	}
	tree, far := rules().Read("request", r, 0, len(r.Tokens))
	if tree == nil || strings.Contains(r.said(0, len(r.Tokens)), "create table ") { // in SQL more is meant than the rules read
		r.notUnderstood(far)
		r.likely()
		return r.Request
	}
	r.Kind, r.labels = "", len(children(tree, "label", "boxed"))
	r.take(tree)
	r.settle()
	return r.Request
}

// likelyKind finds what may be asked for, of which a refusal offers the nearest request.
func (r *reader) likelyKind() {
	for i := range r.Tokens {
		if m, _ := r.Phrase(i); m.Class == "kind" {
			r.Kind = m.Value
			return
		}
	}
}

// inWords is why explanations are refused; parts of a page may begin like one: how to join.
const inWords = "an answer in words"

// likely finds what else may be asked for where the whole is not understood, for the request that is offered.
func (r *reader) likely() {
	for i := range r.Tokens {
		m, _ := r.Phrase(i)
		to := map[string]*string{"language": &r.Language, "database": &r.Database, "auth": &r.Auth}[m.Class]
		if to != nil && r.At(i).Low != "node" && m.Value != project.AnyDatabase && r.ClassAt(i-1) != "denial" {
			*to = cmp.Or(*to, m.Value)
		}
		for _, p := range r.Terminal("things", i) {
			if len(r.Things) == 0 && r.likelyThings(i, p.To) {
				r.Things = []*Thing{{Name: one(r.nameOf(i, p.To)), at: i}}
			}
		}
	}
}

// likelyThings says whether a name is likely that of what is to be kept.
func (r *reader) likelyThings(from, to int) bool {
	said, before, behind, kind := r.said(from, to), r.At(from-1).Low, r.At(to).Low, r.ClassAt(to)
	switch {
	case kind == "" && !r.Ends(to), is("purpose", said), before != "for" && r.Is("field", said):
		return false
	}
	return behind == "(" || behind == ":" || is("before-things", before) || kind == "kind"
}

// notUnderstood names what of a request cannot be had, or is not understood from a place on.
func (r *reader) notUnderstood(far int) {
	for i := 0; i < len(r.Tokens); {
		m, n := r.Phrase(i)
		unit := n == 1 && r.At(i-1).Low == "in" && r.Is("type", "in "+r.At(i).Low)
		if m.Class == "heart" && !unit && !(m.Value == inWords && r.Kind == project.Site) && !(n == 1 && r.Is("also-name", r.At(i).Low)) {
			r.Hearts = append(r.Hearts, Omission{r.Words(i, n), m.Value})
		}
		i += max(n, 1)
	}
	from := min(far, max(len(r.Tokens)-1, 0))
	for from > 0 && r.At(from).Mark {
		from--
	}
	for r.At(from).Mark && from < len(r.Tokens)-1 {
		from++
	}
	switch {
	case r.Kind == "": // nothing says what is wanted
		from = 0
	case len(r.Things) == 0 && from > 0 && !r.At(from-1).Mark && r.class(r.At(from-1).Low) == "": // tenants rent apartments
		from--
	}
	end := r.NextMark(from)
	if end = min(end, len(r.Tokens)); len(r.Hearts) == 0 {
		r.Refuse(cmp.Or(r.Written(from, end), r.said(from, end)))
	}
}

// take takes what a derivation says.
func (r *reader) take(n *grammar.Node) {
	switch {
	case n.Note == background:
		r.aside(n)
	case r.setting(n), r.records(n), r.page(n), r.tool(n):
	default:
		r.takeParts(n)
	}
}

// aside leaves out what only tells who asks, and what for.
func (r *reader) aside(n *grammar.Node) {
	heads := r.At(n.To).Low == ":" && child(n, "{purpose") == nil && !is("pretend", r.At(n.To-1).Low)
	switch n.Name {
	case "place", "aside", "story", "taletail":
		r.asides = append(r.asides, n)
		heads = heads && n.Name != "place" && n.Name != "story"
	case "owner", "occasion", "whatfor":
		heads = false
	}
	from := r.At(n.From).Low == "from" // grades from 1 to 6, transfers from account to account
	span := from && (number.MatchString(r.At(n.From+1).Low) || n.Name == "place" && strings.Contains(r.words(n), " to "))
	with := n.Name == "aside" && r.At(n.To).Low == "with" && english.IsPlural(r.At(n.To-1).Low) // for students with marks
	ofOthers := n.Name == "place" && r.among("platform", n.From, n.To)
	if heads || span || with || ofOthers { // orders from Shopify
		r.doubt(n)
	}
	r.Leave(r.Written(n.From, n.To), background)
}

// children gives all parts of a derivation with a name, wherever they stand.
func children(n *grammar.Node, names ...string) (out []*grammar.Node) {
	for _, p := range n.Parts {
		if slices.Contains(names, p.Name) {
			out = append(out, p)
		} else {
			out = append(out, children(p, names...)...)
		}
	}
	return out
}

// child gives the first of them, if any.
func child(n *grammar.Node, names ...string) *grammar.Node {
	if all := children(n, names...); len(all) > 0 {
		return all[0]
	}
	return nil
}

// takeParts takes what the parts of a derivation say.
func (r *reader) takeParts(n *grammar.Node) {
	for _, p := range n.Parts {
		r.take(p)
	}
}

// doubt refuses what a derivation was read from.
func (r *reader) doubt(n *grammar.Node) { r.Refuse(r.Written(n.From, n.To)) }

// words gives what a derivation was read from in lower case, name as a name, and kindOf as a kind of values.
func (r *reader) words(n *grammar.Node) string { return r.said(n.From, n.To) }
func (r *reader) name(n *grammar.Node) string  { return r.nameOf(n.From, n.To) }
func (r *reader) kindOf(n *grammar.Node) string {
	return r.Tables["type"][r.Words(n.From, n.To-n.From)]
}

// said gives words in lower case.
func (r *reader) said(from, to int) string {
	var all []string
	for i := from; i < to; i++ {
		if t := r.At(i); !t.Mark {
			all = append(all, strings.TrimSuffix(t.Low, "'"))
		}
	}
	return strings.Join(all, " ")
}

// nameOf gives words as a name.
func (r *reader) nameOf(from, to int) string {
	name := r.said(from, to)
	if text := r.At(from).Text; to == from+1 && len(text) > 4 && camel.MatchString(text) { // moveInDate
		name = strings.ToLower(camel.ReplaceAllString(text, "${1}_$2"))
	}
	return strings.NewReplacer(" ", "_", "-", "_", "/", "_", "'", "", "&", "and").Replace(name)
}

var camel = regexp.MustCompile(`([\p{Ll}\d])(\p{Lu})`)

// settle says what only the whole of a request tells.
func (r *reader) settle() {
	if r.Kind == "" && (r.Auth != "" || r.Port+r.PageSize > 0 || r.Language == project.TypeScript ||
		r.Database == project.SQLite || r.Database == project.Postgres) {
		r.Kind = project.API
	}
	for _, n := range r.asides {
		if r.tellsMore(n) {
			r.doubt(n)
		}
	}
	r.database()
	r.link()
	for _, each := range r.several { // houses with rooms
		if t := r.exact(each[0]); t != nil && english.IsPlural(each[1]) && t.field(each[1]) != nil && !t.field(each[1]).told {
			r.Refuse(spaced(each[1]) + ": how many, texts or records?")
		}
	}
	convert := func(o string) bool { return strings.Contains(o, "2") || o == "column" || o == "table" }
	if does := r.Operations; len(does) == 2 && slices.Contains(does, "sizes") && slices.ContainsFunc(does, convert) {
		r.Refuse("sizes of files beside what is done with them") // csv to json, large files
	}
	all := len(r.Tokens)
	if slices.Contains(r.Operations, "duplicates") && r.among("of-rows", 0, all) && !r.among("of-files", 0, all) { // a csv, finds duplicates
		r.Refuse("duplicates of files, or of rows")
	}
	for _, t := range r.Things {
		r.Refuse(r.law(t))
	}
	r.App = r.Kind == "" && len(r.Things) > 0
}

// tellsMore says whether what would be left out tells of what is kept.
func (r *reader) tellsMore(n *grammar.Node) bool {
	tale := n.Name == "story" || n.Name == "taletail"
	for i := n.From; i < n.To; i++ {
		tells := n.Name == "aside" || !tale && english.IsPlural(r.At(i).Low) || is("tells-of", r.At(i+1).Low)
		tells = tells || n.Name == "place" && i == n.To-1 && r.exact(r.At(i).Low) != nil // for sale, where a sale is kept
		if t := r.find(r.At(i).Low); tells && t != nil && t.at != i {                    // flashcards in decks, where decks are kept; each book has a title
			return true
		}
	}
	if !tale && r.Kind == project.Command && r.among("worked-on", n.From, n.To) { // customers from a csv
		return true
	}
	for i := n.From; tale && r.Language == "" && i < n.To; i++ { // I'm learning Rust
		if r.Vocabulary[r.At(i).Low].Value == "a language" {
			return true
		}
	}
	first := r.At(n.From + 1).Low // we have books, title, author
	return n.Name == "taletail" && r.At(n.From).Mark && (n.To-n.From < 4 && first != "which" || r.Is("field", first))
}

func one(name string) string { return english.Singular(name) }

// spaced gives a name in words.
func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// lastWord gives the last word of what is said, or of a name.
func lastWord(said string) string { return said[strings.LastIndexAny(said, "_ ")+1:] }
