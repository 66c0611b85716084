// Package english inflects English nouns and joins words as people do.
//
// A name is a noun, or several words with underscores between, of which one has the
// number: point_of_interest becomes points_of_interest.
package english

import (
	_ "embed" // the irregular nouns
	"slices"
	"strings"
)

//go:embed irregular.txt
var irregularText string

// plurals and singulars hold the nouns that no rule inflects, and those that have one form.
var plurals, singulars = func() (map[string]string, map[string]string) {
	plurals, singulars := map[string]string{}, map[string]string{}
	for line := range strings.Lines(irregularText) {
		one, many, _ := strings.Cut(strings.TrimSpace(line), " ")
		plurals[one], singulars[many] = many, one
	}
	return plurals, singulars
}()

// Plural gives the plural of a name in the singular.
func Plural(name string) string { return inflected(name, pluralOf) }

// Singular gives the singular of a name; a singular stays.
func Singular(name string) string { return inflected(name, singularOf) }

// IsPlural says whether a name is one.
func IsPlural(name string) bool { return Singular(name) != name }

// inflected changes the word of a name that has a number: the one before "of", or else the last.
func inflected(name string, change func(string) string) string {
	of := strings.Index(name+"_of_", "_of_")
	last := strings.LastIndex(name[:of], "_") + 1
	return name[:last] + change(name[last:of]) + name[of:]
}

func pluralOf(w string) string {
	switch {
	case plurals[w] != "":
		return plurals[w]
	case HasSuffix(w, "s", "x", "z", "ch", "sh"):
		return w + "es"
	case strings.HasSuffix(w, "y") && len(w) > 1 && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
		return w[:len(w)-1] + "ies"
	}
	return w + "s"
}

func singularOf(w string) string {
	switch {
	case plurals[w] != "":
		return w
	case singulars[w] != "":
		return singulars[w]
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 6 && strings.HasSuffix(w, "oes"): // volcanoes, but shoes
		return w[:len(w)-2]
	case len(w) > 4 && HasSuffix(w, "sses", "xes", "tzes", "zzes", "ches", "shes"):
		return w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !HasSuffix(w, "ss", "us", "is"):
		return w[:len(w)-1]
	}
	return w
}

// HasSuffix says whether a word has one of the endings.
func HasSuffix(w string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(w, e) })
}

// List joins words: a, b and c.
func List(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// WithArticle puts a or an before a phrase, unless it is a plural.
func WithArticle(phrase string) string {
	switch last := phrase[strings.LastIndex(phrase, " ")+1:]; {
	case IsPlural(last):
		return phrase
	case strings.ContainsRune("aeiou", rune(phrase[0])):
		return "an " + phrase
	}
	return "a " + phrase
}

// Meant gives the first of the words that another was meant to be: all but a short
// one may be misspelt. What is none of them stays.
func Meant(w string, words []string) string {
	for _, right := range words {
		if w == right || w == right+"s" {
			return w
		}
		if len(w) > 4 && OneSlip(w, right) {
			return right
		}
	}
	return w
}

// OneSlip says whether a letter more, less or other, or two that changed places,
// make one word of the other.
func OneSlip(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) < 2 && len(b) < 2 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}
