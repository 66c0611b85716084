// Package english reads a few forms of English as specs: a convenience for the
// first minute. What it does not read, a spec says.
//
// A request is split into sentences. Options such as "in Go" are cut out of a sentence,
// and a form reads the rest: a head, and a list behind "with", "has" or a colon. A
// request is read for certain only when nothing is left but words without meaning. The
// forms stay fewer than thirty and their words at most three hundred: a sentence that
// is not read is no reason for another form.
package english

import (
	"cmp"
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// Reading is what was read of a request.
type Reading struct {
	Spec  spec.Spec // of a new project; it completes without an error
	Lines string    // of a change: lines that package change reads, empty if none is named
	// Sure reports that every word was used or means nothing, and that no record is Bare.
	Sure                      bool
	Understood, NotUnderstood []string
	Usual                     []string // nouns of the records that have their usual fields, since none are named
	Bare                      []string // nouns of the records of which no field is known
}

// Read reads a request for a new project.
func Read(prompt string) Reading {
	r := read(prompt, spec.Spec{}, Begin)
	r.finish()
	if _, _, err := r.Spec.Complete(); err != nil {
		r.doubt(strings.Join(r.words, " "))
		r.Sure, r.Spec = false, spec.Spec{Kind: spec.API, Records: []spec.Record{{Noun: "item"}}}
	}
	return r.understood()
}

// Change reads a request for a change of a project.
func Change(prompt string, old spec.Spec) Reading {
	return read(prompt, old.Clone(), Changes).understood()
}

//go:embed words.txt
var wordLists string

//go:embed usual.txt
var usualFields string

// usual has the fields of each noun, and usualNames all names of these fields, each
// with a space before and a comma behind it.
var (
	usual      = parse(usualFields)
	usualNames = " " + strings.Join(slices.Collect(maps.Values(usual)), ", ") + ","
	lists      = parse(wordLists)
)

// parse reads lines of a name, a colon and the rest.
func parse(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if name, rest, found := strings.Cut(strings.TrimSpace(line), ": "); found {
			all[name] = rest
		}
	}
	return all
}

// meaning returns what a word of a list stands for, and nothing for any other word.
func meaning(list, word string) string {
	for entry := range strings.FieldsSeq(lists[list]) {
		if known, meant, _ := strings.Cut(entry, "="); known == strings.ToLower(word) {
			return cmp.Or(meant, known)
		}
	}
	return ""
}

func is(list, word string) bool { return meaning(list, word) != "" }

var (
	listName = regexp.MustCompile(`\{[a-z]+\}`)
	meant    = regexp.MustCompile(`=\S+`)
	compiled sync.Map // regular expressions by pattern
)

// compile returns the regular expression of a pattern, in which {list} stands for any
// word of a list.
func compile(pattern string) *regexp.Regexp {
	known, _ := compiled.Load(pattern)
	if re, found := known.(*regexp.Regexp); found {
		return re
	}
	re := regexp.MustCompile(`(?i)` + listName.ReplaceAllStringFunc(pattern, func(name string) string {
		words := meant.ReplaceAllString(lists[strings.Trim(name, "{}")], "")
		return `(?:` + strings.ReplaceAll(regexp.QuoteMeta(words), " ", "|") + `)`
	}))
	compiled.Store(pattern, re)
	return re
}
