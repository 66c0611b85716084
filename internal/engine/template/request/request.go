// Package request reads what somebody asks for. It finds the kind of project, and leaves the rest
// to the reader of that kind: records for an API, page for a site, tool for a command.
package request

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/page"
	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/records"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/engine/template/tool"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

// The kinds of projects.
const (
	API     = project.API
	Site    = project.Site
	Command = project.Command
)

// Thing is what records are kept of.
type Thing = records.Thing

// Field is one value of a record.
type Field = records.Field

// Renaming is another name of a thing, or of one of its fields.
type Renaming = records.Renaming

// Move is what becomes of a section that stays.
type Move = page.Move

// Omission is something that a project does not get, and why.
type Omission = settings.Omission

// Request is what a text was understood to ask for; empty means that it does not say.
type Request struct {
	settings.Settings
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

// Project is what a request changes.
type Project struct {
	Kind     string
	Things   []*Thing // with the fields that they have
	Sections []string
	Fluid    bool // no record outlives a restart, so what they are made of may change
}

// Read reads a request for a new project.
func Read(prompt string, l words.Lexicon) *Request {
	r := &Request{Text: textOf(prompt, l)}
	several := r.kind()
	switch {
	case r.Kind == Site:
		r.shows(page.Read(r.Text))
		r.Subject = hyphened(prompt, r.Subject)
		r.Title, r.Place, r.Address = asWritten(prompt, r.Title), asWritten(prompt, r.Place), asWritten(prompt, r.Address)
	case len(r.Operations) > 0:
		t := tool.Read(r.Text)
		r.Settings, r.Operations = t.Settings, t.Operations
	default:
		r.keeps(records.Read(r.Text, r.Kind == Command))
		for _, thing := range r.Things { // lists the folders of a directory: that is no record
			if r.Kind == Command && tool.WorksOn(thing.Name) {
				r.Hearts = append(r.Hearts, Omission{What: thing.Name, Why: "no tool of these does that"})
			}
		}
		r.Hearts = append(append(r.Hearts, r.found()...), r.unkept()...)
	}
	if what := r.elsewhere(); what.What != "" {
		r.Hearts = append(r.Hearts, what)
	}
	if several != "" {
		r.Hearts = append(r.Hearts, Omission{What: several, Why: "one project at a time"})
	}
	return r
}

// found gives what has to be found out of files or of records, where only records can be kept: the most frequent customers,
// customers from a csv.
func (r *Request) found() (out []Omission) {
	r.Things = slices.DeleteFunc(r.Things, func(thing *Thing) bool {
		first, _, several := strings.Cut(thing.Name, "_")
		if !several || len(thing.Fields) > 0 || !r.Text.Is("superlative", first) {
			return false
		}
		out = append(out, Omission{What: strings.ReplaceAll(thing.Name, "_", " "), Why: "records are kept, and nothing is found out of them"})
		return true
	})
	if at := r.inFiles(); at > 0 {
		out = append(out, Omission{What: r.Text.Words(at-1, 1), Why: "no tool of these does that"})
	}
	for _, left := range r.Left {
		first, rest, _ := strings.Cut(left.What, " ")
		from := left.Why == settings.Background && (first == "from" || first == "of")
		if from && r.Kind == Command && tool.WorksOn(rest[strings.LastIndex(rest, " ")+1:]) {
			out = append(out, Omission{What: left.What, Why: "no tool of these does that"})
		}
	}
	return out
}

// inFiles gives the place behind things that are in files already, where nothing is said of keeping any: the comments in a file.
func (r *Request) inFiles() int {
	x := r.Text
	if r.Kind != Command || tool.Keeps(x) {
		return 0
	}
	for i := range x.Tokens {
		thing := func(t *Thing) bool { return i > 0 && english.HasSuffix(t.Name, english.Singular(x.At(i-1).Low)) }
		at := x.After(i+1, "a", "the", "my", "some", "all", "given", "text", "source", "log")
		if slices.Contains([]string{"in", "of", "from", "inside"}, x.At(i).Low) && tool.WorksOn(x.At(at).Low) && slices.ContainsFunc(r.Things, thing) {
			return i
		}
	}
	return 0
}

// hyphen joins what is one word, and no word without it.
var hyphen = regexp.MustCompile(`\b(?:[b-z]|co|drive|walk|pop|check)-[a-z]+\b`)

// hyphened gives words with the hyphens without which they are none: t-shirt, co-op.
func hyphened(prompt, words string) string {
	for _, each := range hyphen.FindAllString(strings.ToLower(prompt), -1) {
		words = strings.TrimSpace(strings.ReplaceAll(" "+words+" ", " "+strings.ReplaceAll(each, "-", " ")+" ", " "+each+" "))
	}
	return words
}

// asWritten gives a name with the periods of its abbreviations: Dr. Lee.
func asWritten(prompt, name string) string {
	all := strings.Fields(name)
	for i, w := range all {
		all[i] = regexp.QuoteMeta(w)
	}
	found := regexp.MustCompile(strings.Join(all, `\.? *`)).FindString(prompt)
	if plain := strings.Join(strings.Fields(strings.ReplaceAll(found, ".", " ")), " "); plain != name {
		return name
	}
	if strings.HasSuffix(found, "e.V") { // Sonnenschein e.V.
		return found + "."
	}
	return found
}

// Change reads a request that changes a project: it is as strict as those that begin one.
func Change(prompt string, l words.Lexicon, old Project) *Request {
	r := &Request{Text: textOf(prompt, l), Kind: old.Kind}
	if r.Kind == Site {
		r.Things = old.Things
		r.shows(page.Change(r.Text, old.Sections))
		return r
	}
	r.keeps(records.Change(r.Text, old.Things, r.Kind == Command, old.Fluid))
	return r
}

func (r *Request) keeps(q *records.Reading) {
	r.Settings, r.Things, r.Removed, r.Already, r.Renamed = q.Settings, q.Things, q.Removed, q.Already, q.Renamed
}

func (r *Request) shows(p *page.Page) {
	r.Settings, r.Sections, r.Removed, r.Subject, r.Place = p.Settings, p.Sections, p.Removed, p.Subject, p.Place
	r.Email, r.Phone, r.Hours, r.Address, r.When = p.Email, p.Phone, p.Hours, p.Address, p.When
	r.Moves, r.Dropped = p.Moves, p.Dropped
}

// elsewhere gives another kind of software with which a request begins, and that only has a page, or is told of as a record:
// a browser extension with an options page.
func (r *Request) elsewhere() Omission {
	x := r.Text
	for i := 0; i < len(x.Tokens); {
		m, n := x.Phrase(i)
		switch {
		case m.Class == "kind" || m.Class == "language" || x.At(i).Mark:
			return Omission{}
		case m.Class == "heart" && n > 1 && x.ClassAt(i+n) != "kind" && x.Is("whole-software", m.Value):
			return Omission{What: x.Words(i, n), Why: m.Value}
		}
		i += max(n, 1)
	}
	return Omission{}
}

// kind finds the kind of what is wanted, on which the meaning of other words depends, and gives the words for several kinds
// where more than one is asked for.
func (r *Request) kind() (several string) {
	seen, served, stored, called, x := map[string]bool{}, false, false, map[string]bool{}, r.Text
	if r.siteFirst() {
		r.Kind = Site
		return ""
	}
	for i := 0; i < len(x.Tokens); {
		m, n := x.Phrase(i)
		switch m.Class {
		case "kind":
			server := x.Words(i, n) == "server" && x.Is("whose", x.At(i-1).Low)                                  // the disk of our server is full
			item := i > 0 && x.At(i-1).Mark && x.At(i+n).Mark && x.At(i+n).Low != "."                            // city, website, phone
			listed := x.Words(i, n) == "site" && (item || x.At(i+n).Low == "(" || x.ClassAt(i+n) == "container") // site (code, city), a site register
			if server || listed || r.remains(i, n) || m.Value == Site && i > 2 && x.Words(i-2, 2) == "of the" {  // half of the page
				break
			}
			seen[m.Value] = seen[m.Value] || !(item && m.Value == Site && seen[API])
			r.Scripted = r.Scripted || strings.Contains(x.Words(i, n), "script")
		case "database", "port", "auth", "page-size":
			called[m.Class] = m.Class != "database" // what only something that is called has
			stored = stored || m.Value == "sqlite" || m.Value == "postgres"
			served = served || m.Class != "database" || stored
		case "container":
			r.App = r.App || english.HasSuffix(x.Words(i, n), "app", "application")
		}
		i += max(n, 1)
	}
	if strong := r.asksFor(); len(strong) > 1 {
		several = english.List(strong)
	}
	r.Operations = tool.Operations(x)
	serves, once := r.serves(), len(r.Operations) > 0 || r.runsOnce()
	switch {
	case seen[Command] && (!seen[API] || !serves || x.Says("typed-in")):
		r.Kind = Command
	case seen[API] && (serves || !seen[Site]), len(seen) == 0 && serves:
		r.Kind = API
	case seen[Site]:
		r.Kind = Site
	case once && !(called["auth"] && called["page-size"]) && !(called["port"] && stored):
		r.Kind = Command
	case served && !r.App:
		r.Kind = API
	}
	if r.Kind != Command {
		r.Operations = nil
	}
	return several
}

// NearestTool gives the operations that words come nearest to.
func NearestTool(x words.Text) []string { return strings.Fields(tool.Nearest(x)) }

// LikelyPage gives what a page would be about, where words list the parts of one and none is for its kind.
func LikelyPage(x words.Text) (subject string, is bool) { return page.Likely(x) }

// serves says whether something is asked for that others call: an endpoint, or anything over HTTP.
func (r *Request) serves() bool {
	for i := range r.Text.Tokens {
		if n := r.Text.Length(i, "serves"); n > 0 && !r.remains(i, n) {
			return true
		}
	}
	return false
}

// remains says whether words at a place are what is left of something: sorts the rest.
func (r *Request) remains(i, n int) bool {
	return r.Text.Words(i, n) == "rest" && r.Text.At(i-1).Low == "the" && r.Text.At(i).Text != "REST"
}

// runsOnce says whether a word for a command is there by itself: a tool, but no tool shed.
func (r *Request) runsOnce() bool {
	x := r.Text
	for i := range x.Tokens {
		if next := x.At(i + 1); x.Is("runs-once", x.At(i).Low) && (next.Mark || next.Low == "" || x.ClassAt(i+1) != "") {
			return true
		}
	}
	return false
}

// asksFor gives the words for kinds of projects that a request asks for, each for itself.
func (r *Request) asksFor() (strong []string) {
	x, told, listed := r.Text, map[string]bool{}, false
	for i := 0; i < len(x.Tokens); {
		m, n := x.Phrase(i)
		if listed = (listed || x.Is("owns", x.At(i).Low)) && x.At(i).Low != "."; listed && m.Value == Site { // visits have a site
			i += max(n, 1)
			continue
		}
		phrase := x.Words(i, n)
		article := x.Is("article", x.At(i-1).Low) || x.At(i-1).Low == "and" && x.ClassAt(i-2) == "kind" || i == 0
		last := phrase[strings.LastIndex(phrase, " ")+1:]
		certain := m.Value == API && (x.Is("serves", phrase) || x.Is("serves", last)) || m.Value == Command && (x.Is("typed-in", phrase) || strings.Contains(phrase, "line"))
		if page := m.Value == Site && article && x.Is("whole-site", phrase) && !x.Is("owns", x.At(i+n).Low); m.Class == "kind" && (certain || page) && !told[m.Value] {
			told[m.Value] = true
			strong = append(strong, phrase)
		}
		i += max(n, 1)
	}
	return strong
}

// siteFirst says whether a request begins with a site for something, whatever that is.
func (r *Request) siteFirst() bool {
	x, first := r.Text, false
	for i := 0; i < len(x.Tokens); {
		m, n := x.Phrase(i)
		switch {
		case m.Class != "kind":
		case !first:
			next := x.At(i + n).Low
			if first = m.Value == Site && (next == "for" || next == "about" || next == "of"); !first {
				return false
			}
		case m.Value != Site && (x.Is("page-beside-kind", x.At(i-1).Low) || x.Is("page-beside-kind", x.At(i-2).Low)):
			return false
		}
		i += max(n, 1)
	}
	return first
}
