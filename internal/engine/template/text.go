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

// kindOf finds the kind of a field from its name, whose words are given, and says whether the words tell it.
func kindOf(words []string) (kind string, sure bool) {
	if of := slices.Index(words, "of"); of > 0 && words[of-1] == "number" {
		return kindInteger, true
	}
	for _, word := range []string{"per", "of"} { // the price per night, the date of birth
		if k := slices.Index(words, word); k > 0 {
			words = words[:k]
		}
	}
	last, name := lastOf(words), strings.Join(words, " ")
	if len(words) > 1 && is("bound", words[0]) {
		kind, sure = kindOf(words[1:])
		return strings.Replace(strings.Replace(kind, kindStrings, kindInteger, 1), kindString, kindInteger, 1), sure
	}
	if kind = cmp.Or(tables["field"][name], tables["also-field"][name]); kind == "" && len(words) > 1 {
		kind, name = cmp.Or(tables["field-begins"][words[0]], tables["field-ends"][last], tables["field"][last], tables["also-field"][last]), last
	}
	sure = kind != "" && !is("ambiguous", name)
	switch {
	case kind == "" && len(words) == 1 && english.HasSuffix(last, "ed", "able", "ible") && !is("noun-anyway", last) && !is("dated", last):
		return kindBoolean, false // neutered, refundable
	case kind == "" && len(words) > 1 && strings.HasSuffix(last, "ed"): // the amount claimed
		kind, sure = kindOf(words[:len(words)-1])
		return kind, sure && kind == kindNumber
	case kind == kindBoolean && words[0] == "last": // last seen
		return kindString, false
	case kind == kindBoolean && len(words) > 1 && tables["field"][words[0]] == kindInteger: // copies available
		return kindInteger, true
	case english.IsPlural(last):
		return cmp.Or(kind, kindStrings), sure
	}
	return cmp.Or(kind, kindString), sure
}
