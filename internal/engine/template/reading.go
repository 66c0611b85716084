package template

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/definition"
	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/project"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

// reading is what a request was understood to ask for; empty means that it does not say.
type reading struct {
	spec // as far as it was asked for
	words.Text
	project *spec // what is continued; nil for a new project
	things  []*thing

	removed  []string // things, sections, and fields as "field of thing"
	hearts   []string // what is known, not to be had, and not to be left out either
	unknown  []string
	scripted bool // a script was asked for
	app      bool // an app was asked for, whatever that is
	given    []string
	names    []string // words that were read as parts of names, and have to be told somewhere
	context  []string // what only says where, or for whom
	guessed  []string // fields of which neither the request nor their name tells the kind
}

// thing is a noun that becomes a resource.
type thing struct {
	singular string
	said     string // the words that name it first
	fields   []field
	parents  []*thing // that it belongs to
	isPlace  bool     // it is what there is in a place: books in a library
	one      bool     // is named in the singular, once, and may be what other things are in
	list     int      // the list that names it; below 0: before the kind of project, and may describe that
	known    bool     // was there before
	loose    bool     // is only what a command is for, which may be anything
}

// read reads a request. Every phrase that the vocabulary knows has its meaning;
// other words are names where the sentence expects one, and unknown elsewhere.
func read(prompt string, old *spec) *reading {
	r := &reading{Text: words.In(definition.Expand(prompt), lexicon.All), project: old}
	r.lookAhead()
	if old != nil {
		r.Kind = old.Kind
		for _, res := range old.Resources {
			r.things = append(r.things, &thing{singular: res.Singular, fields: slices.Clone(res.Fields), known: true})
		}
	}
	(&reader{reading: r, site: r.Kind == project.Site}).run()
	return r
}

// lookAhead finds the kind of what is wanted, on which the meaning of other words depends.
func (r *reading) lookAhead() {
	seen, served := map[string]bool{}, false // only a service has a database or a port
	for i := 0; i < len(r.Tokens); {
		m, n := r.Phrase(i)
		if operation, k := r.operation(i); k > 0 {
			r.Operations = append(r.Operations, operation)
			i += k
			continue
		}
		switch m.Class {
		case isKind:
			seen[m.Value] = true
			r.scripted = r.scripted || strings.Contains(r.Words(i, n), "script")
		case isDatabase, isPort:
			served = served || m.Class == isPort || m.Value == project.SQLite || m.Value == project.Postgres
		case isOperation:
			r.Operations = append(r.Operations, m.Value)
		case isContainer:
			r.app = r.app || english.HasSuffix(r.Words(i, n), "app", "application")
		}
		i += max(n, 1)
	}
	// A service may be what a site is for, and a script what runs a service.
	serves := r.Says("serves")
	switch {
	case seen[project.Command] && !(seen[project.API] && serves && !r.Says("typed-in")):
		r.Kind = project.Command
	case seen[project.API] && (serves || !seen[project.Site]), len(seen) == 0 && serves:
		r.Kind = project.API
	case seen[project.Site]:
		r.Kind = project.Site
	case r.project == nil && (len(r.Operations) > 0 || r.Says("runs-once")):
		r.Kind = project.Command
	case r.project == nil && served && !r.app:
		r.Kind = project.API
	}
	if r.Kind != project.Command {
		r.Operations = nil
	}
	slices.Sort(r.Operations)
	r.Operations = slices.Compact(r.Operations)
}

// find gives a thing by its name in the singular or plural.
func (r *reading) find(word string) *thing {
	for _, t := range r.things {
		if t.is(word) {
			return t
		}
	}
	for _, t := range r.things { // blog posts may be called posts
		if !strings.Contains(word, "_") && strings.HasSuffix(t.singular, "_"+english.Singular(word)) {
			return t
		}
	}
	return nil
}

func (t *thing) is(word string) bool {
	return t.singular == word || project.Squeezed(english.Plural(t.singular)) == project.Squeezed(word) || project.Squeezed(t.singular) == project.Squeezed(english.Singular(word))
}

// option takes a phrase that means the same in every sentence, and says how many words it took.
func (r *reading) option(m meaning, i, n int, denied bool) int {
	phrase := r.Words(i, n)
	switch m.Class {
	case isLanguage, isDatabase, isAuth, isCORS, isLicense:
		value := m.Value
		switch {
		case denied && (m.Class == isLanguage || m.Class == isDatabase && (r.Database != "" || value == none)), !denied && value == project.AnyDatabase && r.Database != "", value == none && m.Class == isLicense && !denied:
			return n
		case denied && m.Class == isCORS:
			value = "off"
		case denied:
			value = none
		case m.Class == isLanguage && r.Language != "" && r.Language != value:
			r.hearts = append(r.hearts, "two languages")
		case m.Class == isLicense && r.License != "" && r.License != value && r.project == nil:
			r.leave(phrase, "a project has one license")
			return n
		}
		r.Decided(m.Class).Set(value)
	case isGiven, isDetail, isHeart:
		switch {
		case denied && m.Class == isGiven && !english.HasSuffix(phrase, "dependencies", "libraries", "packages", "framework", "frameworks"):
			r.leave("no "+phrase, "every project has it")
		case denied:
		case m.Class == isGiven && strings.HasSuffix(phrase, " them") && len(r.Operations) > 0: // find duplicates and delete them
			r.unknown = append(r.unknown, phrase)
		case m.Class == isGiven:
			r.given = append(r.given, phrase)
		case m.Class == isDetail:
			r.leave(phrase, m.Value)
		default:
			r.cannot(phrase, m.Value)
		}
	case isPort, isModule:
		next := r.After(i+n, ":", "is", "to", "number", "the", "port", "on", "named", "path")
		text := r.At(next).Text
		port, err := strconv.Atoi(text)
		switch {
		case m.Class == isModule && words.PathLike.MatchString(text):
			r.Module = text
		case m.Class == isModule || err != nil:
			return 0
		default:
			if r.Port = port; project.NotPort(port) {
				r.cannot("port "+text, "a port is "+tables["constraint-value"]["port"])
			}
		}
		return next + 1 - i
	case isNamed:
		name, next := r.NameAt(i + n)
		if name == "" {
			return 0
		}
		r.Title = name
		return next - i
	}
	return n
}

// deny takes what follows a word such as "without", and says how many words that are.
func (r *reading) deny(i int) int {
	from, taken := i, 0
	for {
		if taken > 0 {
			i = r.After(i, ",")
		}
		m, n := r.Phrase(i)
		for m.Class == isStop || m.Class == isJoin || m.Class == isDenial {
			i += n
			m, n = r.Phrase(i)
		}
		// "no authentication, SQLite" wants the one and not the other.
		named := m.Class == isDatabase && m.Value != project.AnyDatabase || m.Class == isLanguage || m.Class == isLicense
		if named && taken > 0 || !is("deniable", m.Class) {
			return taken
		}
		i += r.option(m, i, n, true)
		taken = i - from
	}
}
