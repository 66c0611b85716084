package template

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxName  = 40
	maxTitle = 60
)

// printed gives a space for what does not print: controls, marks of direction,
// and what stands for a broken character.
func printed(r rune) rune {
	if r != '\n' && (r == utf8.RuneError || !unicode.IsPrint(r)) {
		return ' '
	}
	return r
}

// oneLine makes text printable and short: whatever does not print parts words
// like a space, and there is one space between words.
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

// cleanTitle keeps letters of any script, digits, spaces, hyphens, apostrophes
// and ampersands.
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
	identifier  = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}$`)
	fieldName   = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}(_[a-z0-9]{1,23}){0,5}$`)
	sectionName = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}(-[a-z][a-z0-9]{0,23}){0,3}$`)
)

// notIdentifier reports whether s is anything but a short word of a to z and
// digits that begins with a letter.
func notIdentifier(s string) bool { return !identifier.MatchString(s) }

// notFieldName reports whether s is anything but up to six short words with
// underscores between.
func notFieldName(s string) bool { return !fieldName.MatchString(s) }

// notSectionName reports whether s is anything but up to four identifiers with
// hyphens between, that the page does not use for itself.
func notSectionName(s string) bool {
	return !sectionName.MatchString(s) || hasSuffix(s, "-title") || is("reserved-section", s)
}

// listOf joins words as people do: a, b and c.
func listOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// withArticle puts a or an before a phrase, unless it is a plural.
func withArticle(phrase string) string {
	switch {
	case isPlural(lastOf(strings.Fields(phrase))):
		return phrase
	case strings.ContainsRune("aeiou", rune(phrase[0])):
		return "an " + phrase
	}
	return "a " + phrase
}

var markdownMarks = regexp.MustCompile("[\\\\`*_{}\\[\\]()#+!|~=$^:]")

// markdown escapes text so that a reader of Markdown shows it as it is.
func markdown(text string) string {
	text = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;").Replace(text)
	return markdownMarks.ReplaceAllString(text, `\$0`)
}
