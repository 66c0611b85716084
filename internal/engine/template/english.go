package template

import (
	"cmp"
	"slices"
	"strings"
)

// plural gives the plural of an English noun.
func plural(w string) string {
	if p, ok := tables["plural"][w]; ok {
		return p
	}
	switch {
	case hasSuffix(w, "s", "x", "z", "ch", "sh"):
		return w + "es"
	case strings.HasSuffix(w, "y") && len(w) > 1 && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
		return w[:len(w)-1] + "ies"
	}
	return w + "s"
}

// singular gives the singular of an English noun; a singular stays.
func singular(w string) string {
	if _, ok := tables["plural"][w]; ok {
		return w
	}
	for s, p := range tables["plural"] {
		if p == w {
			return s
		}
	}
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && hasSuffix(w, "sses", "xes", "zes", "ches", "shes"):
		return w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !hasSuffix(w, "ss", "us", "is"):
		return w[:len(w)-1]
	}
	return w
}

func isPlural(w string) bool { return singular(w) != w }

func lastOf(words []string) string { return words[len(words)-1] }

func hasSuffix(w string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(w, e) })
}

// kindOf guesses the kind of a field from its name, whose words are given.
func kindOf(words []string) string {
	if per := slices.Index(words, "per"); per > 0 {
		words = words[:per]
	}
	last := lastOf(words)
	kind := cmp.Or(tables["field"][strings.Join(words, " ")], tables["field"][last])
	if len(words) > 1 {
		kind = cmp.Or(tables["field-begins"][words[0]], tables["field-ends"][last], kind)
	}
	if isPlural(last) {
		return cmp.Or(kind, kindStrings)
	}
	return cmp.Or(kind, kindString)
}
