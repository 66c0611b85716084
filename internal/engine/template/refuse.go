package template

import (
	"cmp"
	_ "embed" // the texts
	"fmt"
	"slices"
	"strings"
	"text/template"

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

// maxTold bounds how many words or omissions are told one by one.
const maxTold = 12

//go:embed texts.tmpl
var textsText string

// texts are the sentences that the engine says about projects and requests.
var texts = template.Must(template.New("texts").Funcs(functions()).Parse(textsText))

// say writes one of the texts; that they can be written is no question of the
// request, so a defect panics.
func say(name string, about any) string {
	var b strings.Builder
	if err := texts.ExecuteTemplate(&b, name, about); err != nil {
		panic(err)
	}
	return b.String()
}

// leave notes what was asked for and is left out, and why or as what.
func (r *reading) leave(what, why string) {
	what = strings.TrimSuffix(strings.TrimSuffix(what, " by"), " to")
	entry := what
	if what != why {
		entry = fmt.Sprintf("%s (%s)", what, why)
	}
	if !slices.Contains(r.Left, entry) {
		r.Left = append(r.Left, entry)
	}
}

// told joins what is told one by one.
func told(all []string, separator string) string {
	if n := len(all) - maxTold; n > 0 {
		all = append(slices.Clone(all[:maxTold]), fmt.Sprintf("and %d more", n))
	}
	return strings.Join(all, separator)
}

// offers says what the engine can make.
const offers = "The template engine makes HTTP APIs (Go, TypeScript, Python), static web sites (HTML), and command-line tools (Go, Python)."

func unresolvable(format string, args ...any) error {
	return &engine.Error{Code: engine.CodeConstraintUnresolvable, Message: fmt.Sprintf(format, args...)}
}

// refuse says no by name: what was not understood or cannot be had, what can,
// and a request near to this one that works.
func (r *reading) refuse(what string) error {
	return unresolvable("%s %s A request that works: \"%s\"", strings.TrimSpace(what), offers, r.nearest())
}

// verdict is the refusal that a reading deserves, or nil.
func (r *reading) verdict() error {
	if !inEnglish(r.tokens) {
		r.things, r.Subject = nil, ""
		return r.refuse("This engine reads English only.")
	}
	what := ""
	slices.Sort(r.hearts)
	if hearts := slices.Compact(r.hearts); len(hearts) > 0 {
		what = "This engine cannot do: " + told(hearts, "; ") + ". "
	}
	if len(r.unknown) > 0 || r.Kind == "" && what == "" {
		what += r.notUnderstood()
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
	if r.Kind == "" {
		quoted = append(quoted, r.Left...)
	}
	switch {
	case len(quoted) > 0:
		return "Not understood: " + told(quoted, ", ") + "."
	case r.app:
		return "An app can be many things: say API, web site or command-line tool."
	case len(r.things) > 0:
		return "The request does not say what is to be made: an API, a web site or a command-line tool."
	}
	return "The request names nothing to make."
}

// nearest writes the request that is understood of another, in words that are
// understood for certain.
func (r *reading) nearest() string {
	if r.project != nil {
		return say("example", r.project)
	}
	near := r.spec
	near.Resources = make([]resource, 1)
	for _, t := range slices.Backward(r.things) {
		if name := plural(t.singular); vocabulary[name].class == "" && t.singular != name {
			near.Resources[0].Plural = name
		}
	}
	if slices.ContainsFunc(strings.Fields(near.Subject), notIdentifier) {
		near.Subject = ""
	}
	if !slices.Contains(languages[cmp.Or(near.Kind, kindAPI)], near.Language) {
		near.Language = ""
	}
	if known := databases[cmp.Or(near.Language, langGo)]; near.Database != "" && !slices.Contains(known, near.Database) {
		near.Database = dbSQLite
	}
	if near.Database == dbNone {
		near.Database = ""
	}
	return say("nearest", &near)
}
