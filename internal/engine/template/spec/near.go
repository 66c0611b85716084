package spec

import (
	"fmt"
	"slices"
	"strings"
)

// Synonyms are values as people write them, by the option that has them.
var Synonyms = map[string]map[string]string{
	"language":  of("golang", Go, "ts node nodejs node.js", TypeScript, "py python3", Python, "html static-site", "static", "static", "static"),
	"store":     of("postgresql", Postgres, "sqlite3 yes true on any", SQLite, "none in-memory false off no", Memory),
	"auth":      of("bearer api-key yes true on", Token, "false off no", None),
	"cors":      of("yes true", "on", "no false none", "off"),
	"framework": of("standard-library stdlib net/http", None),
	"license": of("apache apache2 apache-2", "apache-2.0", "bsd bsd-3", "bsd-3-clause", "bsd-2", "bsd-2-clause", "mpl mpl2", "mpl-2.0",
		"gpl gpl-3 gpl-3.0 gplv3", "gpl-3.0-only", "agpl agpl-3 agpl-3.0 agplv3", "agpl-3.0-only"),
}

// of makes a table of words and what each of them means, by turns.
func of(pairs ...string) map[string]string {
	out := map[string]string{}
	for pair := range slices.Chunk(pairs, 2) {
		for word := range strings.FieldsSeq(pair[0]) {
			out[word] = pair[1]
		}
	}
	return out
}

// choose returns which of these a word is, or what it is a synonym of.
func choose(word, what string, these []string, synonyms map[string]string) (string, error) {
	low := strings.ReplaceAll(strings.ToLower(word), " ", "-")
	if meant := synonyms[low]; meant != "" {
		return meant, nil
	}
	if slices.Contains(these, low) {
		return low, nil
	}
	return "", Unknown(word, what, these)
}

// Unknown is the error of a word that is none of these.
func Unknown(word, what string, these []string) error {
	best, least := "", min(3, len(word)/2+1)
	for _, each := range these {
		if d := distance(strings.ToLower(shorten(word)), strings.ToLower(shorten(each))); d < least {
			best, least = fmt.Sprintf(" (did you mean %s?)", each), d
		}
	}
	return fmt.Errorf("%q is not %s; write one of %s%s", shorten(word), what, strings.Join(these, ", "), best)
}

// distance counts the bytes to add, to remove and to change between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for k := range len(b) {
			if a[i] != b[k] {
				before++
			}
			before, row[k+1] = row[k+1], min(before, row[k]+1, row[k+1]+1)
		}
	}
	return row[len(b)]
}

// shorten cuts a text for an error.
func shorten(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}
