// Package request reads what somebody asks for: a sentence becomes a lattice of the ways to
// read its words, and the cheapest way that reads every one of them wins. Words without a
// meaning are read by rules that expect a name, and by no others; a word that no rule reads
// is not understood. So nothing of a request is dropped: each word is in the result, is told
// as left out, or is the reason of a refusal.
package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// The kinds of projects, and values of settings that are asked for here.
const (
	API               = project.API
	Site              = project.Site
	Command           = project.Command
	none, anyDatabase = project.None, project.AnyDatabase
)

// Request is what a text was understood to ask for; empty means that it does not say.
type Request struct {
	Text                          words.Text
	Kind, Language, Title, Module string
	Database, Auth, CORS, License string
	Port, PageSize                int
	Things                        []*Thing
	Operations, Sections          []string
	Subject, Place, Email, Phone  string
	Hours, Address, When          string
	Left                          []Omission // what is understood and not to be had, or says nothing of the project
	Hearts                        []Omission // what cannot be had, and not be left out either
	Unknown, Given                []string
	Removed                       []string // of a project: things, sections, and fields as "field of thing"
	Scripted, App                 bool
}

// Omission is something that a project does not get, and why.
type Omission struct{ What, Why string }

// Thing is what records are kept of.
type Thing struct {
	Name    string // in the singular, with underscores
	Fields  []Field
	Parents []*Thing
	weak    bool // may be but a place, or what the things are called together
	alone   bool // was named alone, and not in a list
	context bool // stands where people tell what a project is for
	said    string
	holds   string // what such a place usually holds
	known   bool   // the project has it: it keeps its name
}

// Field is one value of a record.
type Field struct {
	Name, Kind string
	values.Rules
	Sure bool // its kind was told, or its name tells it
	Ref  string
	told item // as it was told
}

// Read reads a request.
func Read(prompt string, l words.Lexicon) *Request {
	lex := withGrammar(l)
	tokens := tokensOf(treeOf(prompt), lex, ".")
	r := &Request{Text: words.Text{Tokens: tokens, Lexicon: lex}}
	r.kind()
	b := &builder{Request: r, grouped: -1}
	p := &parser{Text: r.Text, request: r, heads: map[string]bool{}, seen: map[string]int{}}
	p.scan()
	for _, each := range sentences(r.Text) {
		p.typed = p.kinds(each[0], each[1]) > 1
		p.read(each[0], each[1], p.starts(each[0])).do(b)
	}
	b.finish()
	b.account()
	b.laws()
	return r
}

// kind finds the kind of what is wanted, on which the meaning of other words depends.
func (r *Request) kind() {
	seen, served, x := map[string]bool{}, false, r.Text
	if r.siteFirst() {
		r.Kind = Site
		return
	}
	for i := 0; i < len(x.Tokens); {
		m, n := x.Phrase(i)
		if does, k := r.operation(i); k > 0 {
			r.Operations = append(r.Operations, does)
			i += k
			continue
		}
		switch m.Class {
		case "kind":
			seen[m.Value] = true
			r.Scripted = r.Scripted || strings.Contains(x.Words(i, n), "script")
		case "database", "port":
			served = served || m.Class == "port" || m.Value == "sqlite" || m.Value == "postgres"
		case "operation":
			r.Operations = append(r.Operations, m.Value)
		case "container":
			r.App = r.App || english.HasSuffix(x.Words(i, n), "app", "application")
		}
		i += max(n, 1)
	}
	if strong := r.asksFor(); len(strong) > 1 {
		r.Hearts = append(r.Hearts, Omission{english.List(strong), "one project at a time"})
	}
	serves, once := x.Says("serves"), len(r.Operations) > 0 || x.Says("runs-once")
	switch {
	case seen[Command] && (!seen[API] || !serves || x.Says("typed-in")):
		r.Kind = Command
	case seen[API] && (serves || !seen[Site]), len(seen) == 0 && serves:
		r.Kind = API
	case seen[Site]:
		r.Kind = Site
	case once:
		r.Kind = Command
	case served && !r.App:
		r.Kind = API
	}
	if r.Kind != Command {
		r.Operations = nil
	}
	slices.Sort(r.Operations)
	r.Operations = slices.Compact(r.Operations)
}

// asksFor gives the words for kinds of projects that a request asks for, each for itself.
func (r *Request) asksFor() (strong []string) {
	x, told := r.Text, map[string]bool{}
	for i := 0; i < len(x.Tokens); {
		m, n := x.Phrase(i)
		phrase := x.Words(i, n)
		article := x.Is("article", x.At(i-1).Low) || x.At(i-1).Low == "and" || i == 0
		certain := m.Value == API && x.Is("serves", phrase[strings.LastIndex(phrase, " ")+1:]) || m.Value == Command && (x.Is("typed-in", phrase) || strings.Contains(phrase, "line"))
		if page := m.Value == Site && article && x.Is("whole-site", phrase); m.Class == "kind" && (certain || page) && !told[m.Value] {
			told[m.Value] = true
			strong = append(strong, phrase)
		}
		i += max(n, 1)
	}
	return strong
}

func (r *Request) leave(what, why string) {
	each := Omission{what, why}
	if what != "" && !slices.Contains(r.Left, each) {
		r.Left = append(r.Left, each)
	}
}
