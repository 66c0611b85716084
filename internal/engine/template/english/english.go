// Package english reads a few forms of English as specs: a convenience for the
// first minute. What it does not read, a spec says.
//
// A request is cut into clauses. A form either reads a whole clause, or is a phrase
// such as "in Python" that is cut out wherever it stands. A request is read for
// certain only when nothing is left but words that mean nothing; the words that are
// left are returned with the best spec that could be made.
//
// The forms stay fewer than thirty and their words at most three hundred. A
// sentence that is not read is no reason for another form.
package english

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// Reading is what was read of a request.
type Reading struct {
	Spec  spec.Spec // of a new project; it completes without an error
	Lines string    // of a change: lines that package change reads; empty if none is named
	// Sure reports that every word was used or means nothing.
	Sure                      bool
	Understood, NotUnderstood []string
	Usual                     []string // nouns of the records that have their usual fields, since none were named
	Bare                      []string // nouns of the records of which no field is known; then Sure is false
}

// Form is one of the forms, with a sentence that shows it.
type Form struct {
	Example string
	// pattern is a regular expression in which {list} is any word of a list. One that
	// begins with ^ reads a whole clause, any other a phrase.
	pattern string
	// read uses what the groups of the pattern matched, or returns false to leave the words.
	read func(r *reader, groups []string) bool
}

// Read reads a request for a new project.
func Read(prompt string) Reading {
	r := newReader(prompt, nil)
	r.run(Begin)
	return r.finish()
}

// Change reads a request for a change of a project.
func Change(prompt string, old spec.Spec) Reading {
	r := newReader(prompt, &old)
	r.run(Changes)
	return r.finish()
}

//go:embed words.txt
var wordLists string

//go:embed usual.txt
var usualFields string

// lines splits a list of words or fields at the colon behind its name.
func lines(text string, read func(name, rest string)) {
	for line := range strings.Lines(text) {
		if name, rest, found := strings.Cut(strings.TrimSpace(line), ": "); found && !strings.HasPrefix(line, "#") {
			read(name, rest)
		}
	}
}

// lists maps a list to its words, and each word to what it stands for.
var lists = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{"known": {}}
	lines(wordLists, func(name, words string) {
		all[name] = map[string]string{}
		for entry := range strings.FieldsSeq(words) {
			word, meant, other := strings.Cut(entry, "=")
			if !other {
				meant = word
			}
			all[name][word], all["known"][word] = meant, meant
		}
	})
	return all
})

// usual maps a noun to its usual fields.
var usual = sync.OnceValue(func() map[string][]spec.Field {
	all := map[string][]spec.Field{}
	lines(usualFields, func(noun, fields string) { all[noun], _ = spec.ParseFields(fields) })
	return all
})

func is(list, word string) bool { _, found := lists()[list][strings.ToLower(word)]; return found }

var listName = regexp.MustCompile(`\{([a-z]+)\}`)

// compile makes the regular expression of a pattern.
func compile(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + listName.ReplaceAllStringFunc(pattern, func(name string) string {
		var words []string
		for word := range lists()[strings.Trim(name, "{}")] {
			words = append(words, regexp.QuoteMeta(word))
		}
		slices.Sort(words)
		return `(?:` + strings.Join(words, "|") + `)`
	}))
}

// compiled has the regular expressions of all patterns.
var compiled = sync.OnceValue(func() map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for _, form := range slices.Concat(Begin, Changes) {
		all[form.pattern] = compile(form.pattern)
	}
	return all
})
