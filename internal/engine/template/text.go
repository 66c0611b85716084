package template

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bundle-delivery/svc/internal/english"
)

const (
	maxName  = 40
	maxTitle = 60
)

// printed gives a space for what does not print: controls, marks of direction, broken characters.
func printed(r rune) rune {
	if r != '\n' && (r == utf8.RuneError || !unicode.IsPrint(r)) {
		return ' '
	}
	return r
}

// oneLine makes text printable and short, with one space between words.
func oneLine(text string, limit int) string {
	runes := []rune(strings.Join(strings.Fields(strings.Map(printed, text)), " "))
	return strings.TrimSpace(string(runes[:min(len(runes), limit)]))
}

var notSlug = regexp.MustCompile(`^[^a-z]+|[^a-z0-9]+`)

// slug reduces text to a name that modules, packages and containers accept.
func slug(text string) string {
	s := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(text), "-"), "-")
	s = strings.TrimRight(s[:min(len(s), maxName)], "-")
	if is("reserved-name", s) {
		return s + "-app"
	}
	return s
}

// cleanTitle keeps letters of any script, digits, spaces, hyphens, apostrophes and ampersands.
func cleanTitle(text string) string {
	kept := strings.Map(func(r rune) rune {
		switch {
		case r == '\'' || r == '-' || r == '&' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return r
		case unicode.IsMark(r):
			return -1
		}
		return ' '
	}, text)
	return strings.Trim(oneLine(kept, maxTitle), " -'&")
}

// titleOf turns a name into words for people: todo-api becomes Todo API.
func titleOf(name string) string {
	words := strings.Split(name, "-")
	for i, w := range words {
		words[i] = titleWord(w)
	}
	return strings.Join(words, " ")
}

func titleWord(w string) string {
	if is("acronym", w) {
		return strings.ToUpper(w)
	}
	_, n := utf8.DecodeRuneInString(w)
	return strings.ToUpper(w[:n]) + w[n:]
}

func startsUpper(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// goName writes words with underscores between as Go exports them.
func goName(name string) string {
	return strings.ReplaceAll(titleOf(strings.ReplaceAll(name, "_", "-")), " ", "")
}

var (
	fieldName   = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}(_[a-z0-9]{1,23}){0,5}$`) // words with underscores between
	camelCase   = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	sectionName = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}(-[a-z][a-z0-9]{0,23}){0,3}$`) // with hyphens
)

func notFieldName(s string) bool { return !fieldName.MatchString(s) }
func notSectionName(s string) bool {
	return !sectionName.MatchString(s) || strings.HasPrefix(s, "name-") || hasSuffix(s, "-title") || is("reserved-section", s)
}

var markdownMarks = regexp.MustCompile("[\\\\`*_{}\\[\\]()#+!|~=$^:]")

// markdown escapes text so that a reader of Markdown shows it as it is.
func markdown(text string) string {
	text = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;").Replace(text)
	return markdownMarks.ReplaceAllString(text, `\$0`)
}

func lastOf(words []string) string { return words[len(words)-1] }

func hasSuffix(w string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(w, e) })
}

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
	if len(words) > 1 {
		kind = cmp.Or(kind, tables["field-begins"][words[0]], tables["field-ends"][last], tables["field"][last])
	}
	if english.IsPlural(last) {
		return cmp.Or(kind, kindStrings)
	}
	return cmp.Or(kind, kindString)
}
