package template

import (
	"cmp"
	_ "embed" // the texts
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// maxTold bounds how many words or omissions are told one by one.
const maxTold = 12

//go:embed texts.tmpl
var textsText string

// texts are the sentences that the engine says about projects and requests.
var texts = template.Must(template.New("texts").Funcs(functions()).Parse(textsText))

// say writes one of the texts; no request can make that fail, so a defect panics.
func say(name string, about any) string {
	var b strings.Builder
	if err := texts.ExecuteTemplate(&b, name, about); err != nil {
		panic(err)
	}
	return b.String()
}

// leave notes what was asked for and is left out, and why or as what.
func (r *reading) leave(what, why string) {
	if what = strings.TrimSuffix(strings.TrimSuffix(what, " by"), " to"); what != why {
		what += " (" + why + ")"
	}
	if !slices.Contains(r.Left, what) {
		r.Left = append(r.Left, what)
	}
}

// cannot notes what is the heart of the request and not to be had, and why.
func (r *reading) cannot(what, why string) { r.hearts = append(r.hearts, what+" ("+why+")") }

// told joins what is told one by one.
func told(all []string, separator string) string {
	if n := len(all) - maxTold; n > 0 {
		all = append(slices.Clone(all[:maxTold]), fmt.Sprintf("and %d more", n))
	}
	return strings.Join(all, separator)
}

func unresolvable(format string, args ...any) error {
	return &engine.Error{Code: engine.CodeConstraintUnresolvable, Message: fmt.Sprintf(format, args...)}
}

// refuse says no by name: what is wrong, what can be had, and a request near to this one.
func (r *reading) refuse(what string) error {
	return unresolvable("%s", engine.Suggest(say("refusal", map[string]string{"what": strings.TrimSpace(what)}), r.nearest()))
}

// verdict is the refusal that a reading deserves, or nil.
func (r *reading) verdict() error {
	if !inEnglish(r.tokens) {
		r.things, r.Subject = nil, ""
		return r.refuse("This engine reads English only.")
	}
	slices.Sort(r.hearts)
	hearts := slices.Compact(r.hearts)
	if len(hearts) == 0 && len(r.unknown) == 0 && r.Kind != "" {
		return nil
	}
	var unknown []string
	for _, words := range r.unknown {
		unknown = append(unknown, strconv.Quote(plaintext.Line(words, 60)))
	}
	if r.Kind == "" && (len(unknown) > 0 || len(hearts) == 0) {
		unknown = append(unknown, r.Left...)
	}
	return r.refuse(say("verdict", map[string]any{"hearts": hearts, "unknown": unknown, "app": r.app, "things": r.things}))
}

// nearest writes what is understood of a request, in words that are understood for certain.
func (r *reading) nearest() string {
	if r.project != nil {
		return say("example", r.project)
	}
	near := r.spec
	near.Resources = make([]resource, 1)
	for _, t := range slices.Backward(r.things) {
		if name := english.Plural(t.singular); vocabulary[name].Class == "" && t.singular != name {
			near.Resources[0].Plural = name
		}
	}
	if slices.ContainsFunc(strings.Fields(near.Subject), notFieldName) {
		near.Subject = ""
	}
	if !slices.Contains(languages[cmp.Or(near.Kind, kindAPI)], near.Language) {
		near.Language = ""
	}
	if known := databases[cmp.Or(near.Language, langGo)]; near.Database != "" && !slices.Contains(known, near.Database) {
		near.Database = dbSQLite
	}
	return say("nearest", &near)
}

// class says what a phrase of the vocabulary means; the value of its meaning says which one.
type (
	class   = string
	meaning = glossary.Meaning
)

const (
	isStop                           class = "stop"      // says nothing
	isKind                           class = "kind"      // what is to be made
	isLanguage                       class = "language"  // what it is written in
	isDatabase                       class = "database"  // where records are kept
	isAuth                           class = "auth"      // who may use it
	isCORS                           class = "cors"      // what browsers may do
	isLicense                        class = "license"   // under which license
	isGiven                          class = "given"     // every project has it, or its kind
	isDetail                         class = "detail"    // known, and left out: the value says what
	isHeart                          class = "heart"     // known, and nothing without it: refused
	isPort                           class = "port"      // a number follows
	isModule                         class = "module"    // a module path follows
	isNamed                          class = "named"     // a name follows
	opensThings                      class = "things"    // names of things follow
	opensFields                      class = "fields"    // fields of a thing, or parts of a page, follow
	opensPlace                       class = "place"     // a place follows
	isRelation                       class = "relation"  // the thing to which another belongs follows
	isJoin                           class = "join"      // joins two of a list
	isDenial                         class = "denial"    // what follows is not wanted
	isContainer                      class = "container" // holds the things before it
	isOperation                      class = "operation" // what a command does
	isAdding, isRemoving, isRenaming class = "adding", "removing", "renaming"
	isTo                             class = "to" // the end of a change: add price to books
)

var (
	//go:embed vocabulary.txt
	vocabularyText string
	//go:embed tables.txt
	tablesText string
)

// vocabulary is every phrase that has a meaning wherever it stands; the tables are
// asked where they matter: by name, what a phrase means there.
var vocabulary, tables = maps.Collect(glossary.Phrases(vocabularyText)), glossary.Tables(tablesText)

// is says whether a phrase is in a table.
func is(table class, phrase string) bool { _, ok := tables[table][phrase]; return ok }
