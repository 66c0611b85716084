// Package english reads a few forms of English as specs: a convenience for the
// first minute. What it does not read, a spec says.
//
// A form is a short piece of a sentence, such as "in Python" or "for books and
// authors". Every form marks the words that it used. A request is read for certain
// only when every word was used by a form or means nothing; the words that are left
// are returned with the best spec that could be made.
//
// The forms stay fewer than thirty and their words fewer than three hundred. A
// sentence that is not read is no reason for another form.
package english

import (
	_ "embed"
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
}

// Form is one of the forms, with a sentence that shows it.
type Form struct {
	Example string
	read    func(*reader)
}

// Read reads a request for a new project.
func Read(prompt string) Reading {
	r := newReader(prompt)
	for _, form := range Begin {
		form.read(r)
	}
	out := r.reading()
	out.Sure = out.Sure && (len(r.spec.Records) > 0 || len(r.spec.Sections) > 0)
	if !out.Sure {
		r.fallBack()
	}
	out.Usual = r.usualFields()
	out.Spec = r.spec
	if _, _, err := out.Spec.Complete(); err != nil {
		out.Sure, out.Spec = false, spec.Spec{Kind: spec.API, Language: r.spec.Language, Store: r.spec.Store, Records: []spec.Record{{Noun: "item"}}}
	}
	return out
}

// Change reads a request for a change of a project.
func Change(prompt string, old spec.Spec) Reading {
	r := newReader(prompt)
	r.old = &old
	for _, form := range Changes {
		form.read(r)
	}
	out := r.reading()
	out.Lines = strings.Join(r.lines, "\n")
	return out
}

//go:embed words.txt
var wordLists string

//go:embed usual.txt
var usualFields string

// lists maps a list to its words, and each word to what it stands for.
var lists = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for line := range strings.Lines(wordLists) {
		name, words, found := strings.Cut(line, ":")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		all[name] = map[string]string{}
		for entry := range strings.FieldsSeq(words) {
			word, meant, other := strings.Cut(entry, "=")
			if !other {
				meant = word
			}
			all[name][word] = meant
		}
	}
	return all
})

// usual maps a noun to its usual fields.
var usual = sync.OnceValue(func() map[string][]spec.Field {
	all := map[string][]spec.Field{}
	for line := range strings.Lines(usualFields) {
		noun, names, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		for name := range strings.SplitSeq(names, ", ") {
			all[noun] = append(all[noun], spec.Field{Name: name})
		}
	}
	return all
})

func is(list, word string) bool { _, found := lists()[list][word]; return found }

// isPlural reports whether a word is the plural of another.
func isPlural(word string) bool {
	one := spec.SingularOf(word)
	return len(word) > 3 && len(one) > 1 && !is("single", word) && (strings.HasSuffix(word, "s") || word == "people" || word == "children") && one != word && spec.PluralOf(one) == word && !is("site", one) && !is("api", one)
}

// fallBack makes the best spec of a request of which too little was read.
func (r *reader) fallBack() {
	if r.spec.Kind == spec.Site {
		r.likelySections()
	} else {
		r.spec.Kind = spec.API
		r.likelyRecords()
		for _, read := range []func(*reader){(*reader).bracketed, (*reader).having, (*reader).withFields, (*reader).belonging} {
			read(r)
		}
		r.likelyFields()
	}
}

// usualFields gives records without fields their usual ones, and returns their nouns.
func (r *reader) usualFields() (nouns []string) {
	for i := range r.spec.Records {
		if rec := &r.spec.Records[i]; len(rec.Fields) == 0 && usual()[rec.Noun] != nil {
			rec.Fields = slices.Clone(usual()[rec.Noun])
			nouns = append(nouns, rec.Noun)
		}
	}
	return nouns
}

// likelySections takes the lists that are left for the sections of a site.
func (r *reader) likelySections() {
	usual := slices.Equal(r.spec.Sections, usualSections)
	for i := range r.words {
		list, _ := r.items(i)
		if len(list) < 2 || i > 0 && !r.words[i-1].mark && !is("in", r.low(i-1)) {
			continue
		}
		if usual {
			r.spec.Sections, usual = nil, false
		}
		r.addSections(list)
	}
}

// likelyRecords adds records for the plurals and usual nouns that are left, and for
// what "each" and "has" stand beside.
func (r *reader) likelyRecords() {
	enough := len(r.spec.Records) > 0
	for i, w := range r.words {
		noun := spec.SingularOf(w.low)
		if len(noun) < 2 || w.used || w.mark || is("features", w.low) || is("ends", w.low) || is("nothing", w.low) || !plainName.MatchString(w.low) || len(r.spec.Records) >= 4 || r.spec.Find(noun) >= 0 {
			continue
		}
		told := is("each", r.low(i-1)) || is("has", r.low(i+1)) || is("belongs", r.low(i+1))
		if told || !enough && (isPlural(w.low) || usual()[noun] != nil) {
			r.spec.Records = append(r.spec.Records, spec.Record{Noun: noun})
		}
	}
	if len(r.spec.Records) == 0 {
		r.spec.Records = []spec.Record{{Noun: r.likelyNoun()}}
	}
}

// likelyNoun returns the word behind "for" or before "API", else one that says nothing.
func (r *reader) likelyNoun() string {
	for i, w := range r.words {
		before, behind := r.low(r.before(i)), r.low(i+1)
		if !w.used && plainName.MatchString(w.low) && !is("nothing", w.low) && !is("ends", w.low) && !is("api", w.low) && len(w.low) > 2 && (is("for", before) || is("api", behind)) {
			return w.low
		}
	}
	return "item"
}

// likelyFields adds the words that are left and name fields as a rule to the record
// that was named before them.
func (r *reader) likelyFields() {
	of := 0
	for i, w := range r.words {
		if k := r.nounAt(i); k >= 0 {
			of = k
		}
		if list, _ := r.items(i); len(list) > 2 && (i == 0 || r.words[i-1].mark) {
			r.addFields(of, slices.DeleteFunc(list, func(one item) bool { return r.spec.Find(spec.SingularOf(one.name)) >= 0 }))
		}
		if !r.words[i].used && !w.mark && (is("likely", w.low) || spec.IsUsual(w.low)) {
			r.addFields(of, []item{{name: w.low, from: i, to: i + 1}})
		}
	}
}
