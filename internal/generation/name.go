package generation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameLength is how many characters of a prompt a project is called by at most.
const nameLength = 40

var (
	// opening are the words with which people ask, before they say for what.
	opening = strings.Fields(`please can could would you i we want need like to let us lets make build create
		write generate develop implement set up me give hi hello hey just a an the simple small new`)
	// details are the words from which on a prompt says how.
	details = strings.Fields("with using that which where including written backed so because, but when")
)

// nameFrom makes a short name of a prompt: what is asked for, without the asking and
// the details. Whoever wants another renames the project.
func nameFrom(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	all := strings.Fields(line)
	words := all
	for len(words) > 1 && slices.Contains(opening, strings.ToLower(strings.Trim(words[0], ",.!"))) {
		words = words[1:]
	}
	for i, word := range words {
		if i > 0 && slices.Contains(details, strings.ToLower(word)) {
			words = words[:i]
			break
		}
		if end := strings.TrimRight(word, ".,;:!?)"); end != word && (i > 0 || len(words) == 1) {
			words = append(slices.Clone(words[:i]), end)
			break
		}
	}
	name := strings.Join(words, " ")
	if strings.TrimFunc(name, unicode.IsPunct) == "" {
		name = strings.Join(all, " ")
	}
	first, size := utf8.DecodeRuneInString(name)
	name = string(unicode.ToUpper(first)) + name[size:]
	if utf8.RuneCountInString(name) <= nameLength {
		return name
	}
	cut := string([]rune(name)[:nameLength])
	if i := strings.LastIndexByte(cut, ' '); i > nameLength/2 {
		cut = cut[:i]
	}
	return cut + "…"
}
