package template

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// slug reduces text to the name of a project.
func slug(text string) string {
	s := plaintext.Slug(text)
	return s + tables["reserved-name"][s]
}

// goName writes words with underscores between as Go exports them.
func goName(name string) string {
	return strings.ReplaceAll(plaintext.Spelled(strings.ReplaceAll(name, "_", "-")), " ", "")
}

var (
	fieldName   = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}(_[a-z0-9]{1,23}){0,5}$`) // words with underscores between
	camelCase   = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	sectionName = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}(-[a-z][a-z0-9]{0,23}){0,3}$`) // with hyphens
)

func notFieldName(s string) bool { return !fieldName.MatchString(s) }
func notSectionName(s string) bool {
	return !sectionName.MatchString(s) || strings.HasPrefix(s, "name-") || english.HasSuffix(s, "-title") || is("reserved-section", s)
}

func lastOf(words []string) string { return words[len(words)-1] }

// fieldOnly says whether a word names a field and hardly ever a thing.
func fieldOnly(w string) bool {
	kind := tables["field"][w]
	return kind != "" && (kind != kindString && kind != kindStrings || is("only-field", w))
}

// kindOf guesses the kind of a field from its name, whose words are given.
func kindOf(words []string) string {
	if of := slices.Index(words, "of"); of > 0 && words[of-1] == "number" {
		return kindInteger
	}
	for _, word := range []string{"per", "of"} { // the price per night, the date of birth
		if k := slices.Index(words, word); k > 0 {
			words = words[:k]
		}
	}
	last := lastOf(words)
	if len(words) > 1 && is("bound", words[0]) {
		return strings.Replace(strings.Replace(kindOf(words[1:]), kindStrings, kindInteger, 1), kindString, kindInteger, 1)
	}
	kind := tables["field"][strings.Join(words, " ")]
	if kind == "" && len(words) == 1 && english.HasSuffix(last, "ed", "able", "ible") && !is("noun-anyway", last) && !is("dated", last) {
		kind = kindBoolean // neutered, refundable
	}
	if len(words) > 1 {
		kind = cmp.Or(kind, tables["field-begins"][words[0]], tables["field-ends"][last], tables["field"][last])
	}
	switch {
	case kind == "" && len(words) > 1 && strings.HasSuffix(last, "ed"): // the amount claimed
		return kindOf(words[:len(words)-1])
	case kind == kindBoolean && words[0] == "last": // last seen
		return kindString
	case kind == kindBoolean && len(words) > 1 && tables["field"][words[0]] == kindInteger: // copies available
		return kindInteger
	}
	if english.IsPlural(last) {
		return cmp.Or(kind, kindStrings)
	}
	return cmp.Or(kind, kindString)
}
