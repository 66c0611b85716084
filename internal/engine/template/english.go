package template

import (
	"cmp"
	"slices"
	"strings"
)

// plural gives the plural of an English noun.
func plural(w string) string {
	if p, ok := classes["plural"][w]; ok {
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
	if _, ok := classes["plural"][w]; ok {
		return w
	}
	for s, p := range classes["plural"] {
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

func hasSuffix(w string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(w, e) })
}

// kindOf guesses the kind of a field from its name, whose words are given.
func kindOf(words []string) string {
	if per := slices.Index(words, "per"); per > 0 {
		words = words[:per]
	}
	last := words[len(words)-1]
	switch {
	case words[0] == "is" || words[0] == "has":
		return kindBoolean
	case words[0] == "number" && len(words) > 1:
		return kindInteger
	case words[0] == "date":
		return kindDate
	case len(words) > 1 && last == "on":
		return kindDate
	case len(words) == 1 && last == "at":
		return kindString
	}
	plural := map[bool]string{true: kindStrings, false: kindString}[singular(last) != last]
	return cmp.Or(classes["field"][strings.Join(words, " ")], classes["field"][last], plural)
}
