package request

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

const (
	// optionsOf ends the names of the tables of what is told of one operation.
	optionsOf = "-option"
	// longestTold is how many words a phrase has at most, with those that only say which.
	longestTold = 10
)

// What words are like that a tool is told: an amount (10, 100MB), a numbered name (img_001.jpg).
var (
	amount   = regexp.MustCompile(`^(\d+([kmgt]i?b)?|two|three|four|five|six|seven|eight|nine|ten|twenty|fifty|hundred)$`)
	numbered = regexp.MustCompile(`^[a-z_]*0\d+(\.[a-z0-9]+)?$`)
)

// phrasebooks are the tables of what tools do and are told, with every phrase as pattern writes it.
var phrasebooks = func() map[string]map[string]string {
	books := map[string]map[string]string{}
	for table, rows := range lexicon.Tables {
		if table != "operation" && !strings.HasSuffix(table, optionsOf) || table == "tool-option" {
			continue
		}
		books[table] = map[string]string{}
		for row, value := range rows {
			pattern, before := "", ""
			for word := range strings.FieldsSeq(row) {
				pattern += patternOf(table, before, word)
				before = word
			}
			books[table][pattern] = value
		}
	}
	return books
}()

// patternOf writes a word of what is told of a tool as the phrasebooks have it: without the endings of the plural, a
// number as n, a numbered name as 001, the ending of files as .x, and nothing for a word that only says which.
func patternOf(book, before, word string) string {
	switch {
	case before == "version":
		return " " + word
	case numbered.MatchString(word):
		return " 001"
	case before != "" && (lexicon.Is("which", word) || book == "operation" && amount.MatchString(word)):
		return ""
	case amount.MatchString(word):
		return " n"
	case strings.HasPrefix(word, "."):
		return " .x"
	case english.HasSuffix(word, "zes", "ses"): // sizes
		return " " + strings.TrimSuffix(word, "s")
	}
	return " " + english.Singular(word)
}

// phrased finds the longest phrase of a phrasebook at a place, its value and its length. Words that only say which may
// stand between its own: "rename (all my) files".
func phrased(x words.Text, i int, book string) (value string, length int) {
	word := func(n int) string {
		if t := x.At(i + n - 1); !t.Quoted {
			return t.Low
		}
		return `"`
	}
	for _, first := range english.Bases(word(1)) {
		pattern := patternOf(book, "", first)
		for n := 1; n <= longestTold && !x.At(i+n-1).Mark; n++ {
			more := ""
			if n > 1 {
				more = patternOf(book, word(n-1), word(n))
			}
			if found, ok := phrasebooks[book][pattern+more]; ok && n > length && (n == 1 || more != "") {
				value, length = found, n
			}
			pattern += more
		}
	}
	return value, length
}

// operation finds what a tool does at a place, unless that is only told of an operation that was named before.
func (r *Request) operation(i int) (operation string, n int) {
	operation, n = phrased(r.Text, i, "operation")
	if _, known := r.Text.Phrase(i); known > n {
		return "", 0
	}
	if _, k := r.toolOption(i); k >= n && !slices.Contains(r.Operations, operation) {
		return "", 0
	}
	return operation, n
}

// toolOption finds what is told of an operation at a place: the option that does it, or what becomes of it.
func (r *Request) toolOption(i int) (option string, n int) {
	if len(r.Operations) == 0 {
		return "", 0
	}
	for _, operation := range slices.Concat(r.Operations, []string{"any"}) {
		if value, k := phrased(r.Text, i, operation+optionsOf); k > n {
			option, n = value, k
		}
	}
	return option, n
}
