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
	end := len(r.Tokens)
	tree, far := rules().Read("request", r, 0, end)
	if tree == nil || r.sql() {
		r.notUnderstood(far)
		r.likely()
		return r.Request
	}
	r.Kind, r.labels = "", len(children(tree, "label", "boxed"))
	r.take(tree)
	r.settle()
	return r.Request
}

// sql says whether records are defined in SQL, of which more is meant than the rules read.
func (r *reader) sql() bool {
	return strings.Contains(r.said(0, len(r.Tokens)), "create table ")
}

// likelyKind finds what may be asked for, of which a refusal offers the nearest request.
func (r *reader) likelyKind() {
	for i := range r.Tokens {
		if m, n := r.Phrase(i); n > 0 && m.Class == "kind" {
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
		m, n := r.Phrase(i)
		to := map[string]*string{"language": &r.Language, "database": &r.Database, "auth": &r.Auth}[m.Class]
		if to != nil && n > 0 && r.At(i).Low != "node" && m.Value != project.AnyDatabase && r.ClassAt(i-1) != "denial" {
			*to = cmp.Or(*to, m.Value)
		}
		for _, p := range r.Terminal("things", i) {
			behind, _ := r.Phrase(p.To)
			if len(r.Things) == 0 && !is("ruling", one(r.said(i, p.To))) && !r.Is("type-behind", r.At(i).Low) && (r.Ends(p.To) || behind.Class != "") && (behind.Class == "kind" && english.IsPlural(r.At(p.To-1).Low) || r.At(p.To).Low == "(" || r.At(p.To).Low == ":" || is("before-things", r.At(i-1).Low)) && !is("purpose", r.Words(i, p.To-i)) && (r.At(i-1).Low == "for" || !r.Is("field", r.Words(i, p.To-i))) {
				r.Things = []*Thing{{Name: one(r.nameOf(i, p.To)), at: i}}
			}
		}
	}
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
		if r.At(n.To).Low == ":" && n.Name != "story" && n.Name != "whatfor" && n.Name != "owner" && n.Name != "occasion" && n.Name != "place" && child(n, "{purpose") == nil && !is("pretend", r.At(n.To-1).Low) {
			r.Refuse(r.Written(n.From, n.To))
		}
		if n.Name == "place" || n.Name == "aside" || n.Name == "story" || n.Name == "taletail" {
			r.asides = append(r.asides, n)
		}
		if n.Name == "aside" && r.At(n.To).Low == "with" && english.IsPlural(r.At(n.To-1).Low) || r.At(n.From).Low == "from" && (number.MatchString(r.At(n.From+1).Low) || n.Name == "place" && strings.Contains(r.said(n.From, n.To), " to ")) { // for students with marks, grades from 1 to 6, transfers from account to account
			r.Refuse(r.Written(n.From, n.To))
		}
		r.Leave(r.Written(n.From, n.To), background)
		return
	case r.setting(n), r.records(n), r.page(n), r.tool(n):
		return
	}
	for _, p := range n.Parts {
		r.take(p)
	}
}

// child gives the first part of a derivation with a name, wherever it stands.
func child(n *grammar.Node, names ...string) *grammar.Node {
	for _, p := range n.Parts {
		if slices.Contains(names, p.Name) {
			return p
		}
		if found := child(p, names...); found != nil {
			return found
		}
	}
	return nil
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
	if r.Kind == "" && (r.Auth != "" || r.Port > 0 || r.PageSize > 0 || r.Database == project.SQLite || r.Database == project.Postgres || r.Language == project.TypeScript) {
		r.Kind = project.API
	}
	for _, n := range r.asides { // flashcards in decks, where decks are kept
		for i := n.From; i < n.To; i++ {
			t := r.find(r.At(i).Low)
			if tale := n.Name == "story" || n.Name == "taletail"; t != nil && (tale && is("tells-of", r.At(i+1).Low) || !tale && (n.Name == "aside" || english.IsPlural(r.At(i).Low))) && t.at != i { // each book has a title
				r.Refuse(r.Written(n.From, n.To))
			}
		}
	}
	for _, n := range r.asides { // we have books, title, author
		if n.Name == "taletail" && r.At(n.From).Mark && (n.To-n.From < 4 && r.At(n.From+1).Low != "which" || r.Is("field", r.At(n.From+1).Low)) {
			r.Refuse(r.Written(n.From, n.To))
		}
	}
	for _, n := range r.asides { // customers from a csv
		if tale := n.Name == "story" || n.Name == "taletail"; !tale && r.Kind == project.Command && slices.ContainsFunc(r.Tokens[n.From:n.To], func(t words.Token) bool { return is("worked-on", t.Low) }) {
			r.Refuse(r.Written(n.From, n.To))
		}
	}
	r.database()
	r.link()
	for _, each := range r.several { // houses with rooms: how many, texts or records?
		if t := r.exact(each[0]); t != nil && t.field(each[1]) != nil && english.IsPlural(each[1]) && !t.field(each[1]).told {
			r.Refuse(strings.ReplaceAll(each[1], "_", " ") + ": how many, texts or records?")
		}
	}
	if len(r.Operations) == 2 && slices.Contains(r.Operations, "sizes") && slices.ContainsFunc(r.Operations, func(o string) bool { return strings.Contains(o, "2") || o == "column" || o == "table" }) { // csv to json, large files
		r.Refuse("sizes of files beside what is done with them")
	}
	for _, t := range r.Things {
		if what := r.law(t); what != "" {
			r.Refuse(what)
		}
	}
	r.App = r.Kind == "" && cmp.Or(len(r.Things), 0) > 0
}

func one(name string) string { return english.Singular(name) }
