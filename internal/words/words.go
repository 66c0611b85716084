// Package words takes a request apart into words, marks and quotations, and finds phrases in it.
package words

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// Token is a word of a request, something in quotes, or a mark.
type Token struct {
	Text    string // as it is written
	Low     string // in lower case; of a mark, the mark itself, or what it means
	Raw     string // what it was cut from, with all its signs; empty for the rest of that
	Mark    bool   // one of . , : ( ) and Bullet
	Quoted  bool
	Capital bool // begins with a capital letter although no sentence begins here
}

const (
	// Bullet begins an item of a list.
	Bullet = "•"
	// MaxPhrase is the number of words of the longest phrase.
	MaxPhrase = 5
)

// What modules and addresses are like.
var (
	PathLike = regexp.MustCompile(`^[a-zA-Z0-9.-]+\.[a-z]{2,}(?:/[\w.~-]+)+$`)
	MailLike = regexp.MustCompile(`^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$`)
)

// Lexicon is what is known of words: what phrases mean wherever they stand, and where the tables are asked.
type Lexicon struct {
	Vocabulary map[string]glossary.Meaning
	Tables     map[string]map[string]string
}

// Is says whether a phrase is in a table.
func (l Lexicon) Is(table, phrase string) bool {
	_, ok := l.Tables[table][phrase]
	return ok
}

func (l Lexicon) class(word string) string { return l.Vocabulary[word].Class }

// Text is a request that was taken apart.
type Text struct {
	Tokens []Token
	Lexicon
}

// In takes a request apart. Some words are meant also misspelt.
func In(request string, l Lexicon) Text {
	x := Text{l.tokensOf(request), l}
	misspelt := slices.Sorted(maps.Keys(l.Tables["misspelt"]))
	for i, t := range x.Tokens {
		if _, n := x.Phrase(i); n == 0 && !t.Mark && !t.Quoted && !t.Capital {
			x.Tokens[i].Low = cmp.Or(l.Tables["apostrophe"][t.Low], english.Meant(t.Low, misspelt))
		}
	}
	return x
}

// At gives the token at a place, or the end of the sentence.
func (x Text) At(i int) Token {
	if i < 0 || i >= len(x.Tokens) {
		return Token{Low: ".", Mark: true}
	}
	return x.Tokens[i]
}

// Words gives n words in lower case.
func (x Text) Words(i, n int) string {
	words := make([]string, n)
	for k := range words {
		words[k] = x.Tokens[i+k].Low
	}
	return strings.Join(words, " ")
}

// Written gives words as they are written, with all their signs.
func (x Text) Written(from, to int) string {
	var words []string
	for _, t := range x.Tokens[from:to] {
		if t.Raw != "" {
			words = append(words, t.Raw)
		}
	}
	return strings.Join(words, " ")
}

// Phrase finds the longest phrase of the vocabulary at a place, and its length.
func (x Text) Phrase(i int) (glossary.Meaning, int) { return longest(x, i, x.Vocabulary) }

// ClassAt gives the class of the phrase at a place.
func (x Text) ClassAt(i int) string {
	m, _ := x.Phrase(i)
	return m.Class
}

// Longest finds the longest phrase of a table at a place, its value and its length.
func (x Text) Longest(i int, table string) (string, int) { return longest(x, i, x.Tables[table]) }

// Length gives the length of the longest phrase of a table at a place.
func (x Text) Length(i int, table string) int {
	_, n := x.Longest(i, table)
	return n
}

func longest[V any](x Text, i int, table map[string]V) (found V, length int) {
	for n := 1; n <= MaxPhrase && !x.At(i+n-1).Mark && !x.At(i+n-1).Quoted; n++ {
		if value, ok := table[x.Words(i, n)]; ok {
			found, length = value, n
		}
	}
	return found, length
}

// fileLike is what files are called, and nothing else.
var fileLike = regexp.MustCompile(`^[\w-]+\.[a-z0-9]{2,4}$`)

// NameAt reads a name: quoted, in capitals, or up to a word that the vocabulary knows.
func (x Text) NameAt(i int) (string, int) {
	i = x.After(i, ":", "it")
	if fileLike.MatchString(x.At(i).Raw) {
		return "", i
	}
	if x.At(i).Quoted {
		return plaintext.Title(x.At(i).Text), i + 1
	}
	var words []string
	capital := plaintext.IsCapital(x.At(i).Text)
	for ; !x.At(i).Mark && !x.At(i).Quoted && len(words) < 6; i++ {
		t := x.At(i)
		inside := len(words) > 0 && x.Is("inside-name", t.Low) && plaintext.IsCapital(x.At(i+1).Text)
		if capital && !plaintext.IsCapital(t.Text) && !inside && !unicode.IsDigit(rune(t.Text[0])) || !capital && t.Raw != "" && x.class(t.Low) != "" && len(words) > 0 { // but all of bean-tracker
			break
		}
		words = append(words, t.Text)
	}
	return plaintext.Title(strings.Join(words, " ")), i
}

// Says says whether some word is in a table.
func (x Text) Says(table string) bool {
	return slices.ContainsFunc(x.Tokens, func(t Token) bool { return !t.Mark && x.Is(table, t.Low) })
}

// Ends says whether a part of a list ends at a place.
func (x Text) Ends(i int) bool { return x.At(i).Mark || x.class(x.At(i).Low) == "join" }

// EndOf gives the place where the part of a list ends that holds a place.
func (x Text) EndOf(i int) int {
	for !x.Ends(i) {
		i++
	}
	return i
}

// After gives the first place from i that holds none of the words.
func (x Text) After(i int, words ...string) int {
	for slices.Contains(words, x.At(i).Low) && i < len(x.Tokens) {
		i++
	}
	return i
}

// Behind gives the place behind a word and what else is written in one with it.
func (x Text) Behind(i int) int {
	for i++; i < len(x.Tokens) && x.Tokens[i].Raw == "" && !x.Tokens[i].Mark; i++ {
	}
	return i
}

// InEnglish says whether a request may be one. Little words give a language away, but for those that stand alone in a list
// or before a kind of values, which are names.
func (x Text) InEnglish() bool {
	foreign, english, strange := 0, 0, false
	for i, t := range x.Tokens {
		named := x.At(i-1).Mark && (x.At(i+1).Mark || x.Is("type-behind", x.At(i+1).Low))
		if t.Mark || t.Quoted || t.Capital || named && x.Is("foreign", t.Low) {
			continue
		}
		switch {
		case x.Is("foreign", t.Low):
			foreign++
		case x.Is("english", x.class(t.Low)):
			english++
		case strings.ContainsFunc(t.Low, func(r rune) bool { return r >= 0x370 && unicode.IsLetter(r) }):
			return false
		}
		strange = strange || strings.ContainsFunc(t.Low, func(r rune) bool { return r > 0x7f && unicode.IsLetter(r) })
	}
	return foreign <= english || foreign < 2 && !strange
}

// NextMark gives the place of the next mark.
func (x Text) NextMark(i int) int {
	for !x.At(i).Mark {
		i++
	}
	return i
}

// Any says whether a word of a table stands between two places.
func (x Text) Any(table string, from, to int) bool {
	return slices.ContainsFunc(x.Tokens[from:min(max(from, to), len(x.Tokens))], func(t Token) bool { return !t.Quoted && x.Is(table, t.Low) })
}

// Closes gives the place of the bracket that ends what one at a place begins, or -1.
func (x Text) Closes(i int) int {
	depth := 0
	for k := i; k < len(x.Tokens); k++ {
		switch t := x.Tokens[k]; {
		case !t.Mark:
		case t.Low == "(":
			depth++
		case t.Low == ")":
			if depth--; depth == 0 {
				return k
			}
		}
	}
	return -1
}
