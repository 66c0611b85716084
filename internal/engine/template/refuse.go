package template

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine"
)

// Why something that a request names is left out of the project.
var (
	whySecret       = "keeping passwords needs hashing and sign-in rules, which this engine does not write"
	whyTaken        = "the name has a meaning of its own in the generated code"
	whyManyFields   = fmt.Sprintf("a resource has at most %d fields", maxFields)
	whyManySections = fmt.Sprintf("a page has at most %d sections", maxSections)
	whyManyThings   = fmt.Sprintf("a project has at most %d resources", maxResources)
	whyOneThing     = "a command keeps one kind of record"
)

// maxLeft bounds how many omissions are told one by one.
const maxLeft = 12

// leftOut gathers what a request names and the project does not get, so that
// nobody has to find out by looking for it.
type leftOut []string

// add notes what was asked for, and why or as what it is left out.
func (l *leftOut) add(what, why string) {
	what = strings.TrimSuffix(strings.TrimSuffix(what, " by"), " to")
	entry := what
	if what != why {
		entry = fmt.Sprintf("%s (%s)", what, why)
	}
	if !slices.Contains(*l, entry) {
		*l = append(*l, entry)
	}
}

// String tells what was left out, or nothing.
func (l leftOut) String() string {
	if len(l) > maxLeft {
		return fmt.Sprintf("%s; and %d more", strings.Join(l[:maxLeft], "; "), len(l)-maxLeft)
	}
	return strings.Join(l, "; ")
}

// offers says what the engine can make.
const offers = "The template engine makes HTTP APIs (Go, TypeScript, Python), static web sites (HTML), and command-line tools (Go, Python)."

func unresolvable(format string, args ...any) error {
	return &engine.Error{Code: engine.CodeConstraintUnresolvable, Message: fmt.Sprintf(format, args...)}
}

// refuse says no by name: what was not understood or cannot be had, what can,
// and a request near to this one that works.
func (r *reading) refuse(what string) error {
	return unresolvable("%s %s A request that works: \"%s\"", what, offers, r.nearest())
}

// verdict is the refusal that a reading deserves, or nil.
func (r *reading) verdict() error {
	slices.Sort(r.hearts)
	if !inEnglish(r.tokens) {
		r.things, r.subject = nil, ""
		return r.refuse("This engine reads English only.")
	}
	what := ""
	if hearts := slices.Compact(r.hearts); len(hearts) > 0 {
		what = "This engine cannot do: " + strings.Join(hearts[:min(len(hearts), maxLeft)], "; ") + "."
	}
	if len(r.unknown) > 0 || r.kind == "" && what == "" {
		what = strings.TrimSpace(what + " " + r.notUnderstood())
	}
	if what == "" {
		return nil
	}
	return r.refuse(what)
}

func (r *reading) notUnderstood() string {
	var quoted []string
	for _, words := range r.unknown {
		quoted = append(quoted, fmt.Sprintf("%q", oneLine(words, 60)))
	}
	if r.kind == "" && len(r.left) > 0 {
		quoted = append(quoted, r.left...)
	}
	if n := len(quoted); n > 0 {
		if n > maxLeft {
			quoted = append(quoted[:maxLeft], "and more")
		}
		return "Not understood: " + strings.Join(quoted, ", ") + "."
	}
	if r.app {
		return "An app can be many things: say API, web site or command-line tool."
	}
	if len(r.things) > 0 {
		return "The request does not say what is to be made: an API, a web site or a command-line tool."
	}
	return "The request names nothing to make."
}

// nearest writes the request that is understood of another, in words that are
// understood for certain.
func (r *reading) nearest() string {
	if r.project != nil {
		return r.project.example()
	}
	language := languageTitles[r.language]
	switch r.kind {
	case kindSite:
		about := "a bakery"
		if r.subject != "" && !slices.ContainsFunc(strings.Fields(r.subject), notIdentifier) {
			about = withArticle(r.subject)
		}
		return "A web site for " + about + " with opening hours and contact"
	case kindCommand:
		if r.language != langPython {
			language = "Go"
		}
		if len(r.operations) > 0 {
			return "A command-line tool in " + language + " that " + classes[doesWhat][r.operations[0]]
		}
		return "A command-line tool in " + language + " to track " + r.firstThing("tasks")
	}
	language = cmp.Or(language, "Go")
	out := "A " + language + " API for " + r.firstThing("books")
	if r.database != "" && r.database != dbNone {
		database := r.database
		if !slices.Contains(databases[cmp.Or(r.language, langGo)], database) {
			database = dbSQLite
		}
		out += " with " + database
	}
	if r.auth == authToken {
		out += " that requires a token"
	}
	return out
}

func (r *reading) firstThing(otherwise string) string {
	for _, t := range r.things {
		if name := plural(t.singular); len(vocabulary[name].class) == 0 {
			return name
		}
	}
	return otherwise
}

// example is a change of a project that works.
func (s spec) example() string {
	switch {
	case s.Kind == kindSite && !slices.Contains(s.Sections, "faq"):
		return "add a faq section"
	case s.Kind == kindAPI && s.Auth == authNone:
		return "add authentication"
	case s.Kind == kindAPI && len(s.Resources) < maxResources && !slices.Contains(s.Plurals(), "reviews"):
		return "add an endpoint for reviews"
	}
	return fmt.Sprintf("rename it to %s Two", s.Title)
}
