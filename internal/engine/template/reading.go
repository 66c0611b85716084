package template

import (
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/request"
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
	already  []string // what is asked for, and is so
	renamed  []request.Renaming
	dropped  []string // facts of a page, by their keys
	moves    []request.Move
	hearts   []string // what is known, not to be had, and not to be left out either
	unknown  []string
	scripted bool // a script was asked for
	app      bool // an app was asked for, whatever that is
	given    []string
}

// thing is a noun that becomes a resource.
type thing struct {
	singular string
	fields   []field
	parents  []*thing // that it belongs to
	known    bool     // was there before
	whole    bool     // all that it holds was told
	link     bool     // only tells which of its parents belong together
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
