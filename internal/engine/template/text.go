package template

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxName  = 40
	maxTitle = 60
	maxIdent = 24
)

// oneLine makes text printable and short: white space becomes single spaces,
// everything that does not print, or that turns the direction of text, goes.
func oneLine(text string, limit int) string {
	var b strings.Builder
	space := false
	n := 0
	for _, r := range text {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			continue
		}
		if space {
			if n+2 > limit {
				break
			}
			b.WriteByte(' ')
			space = false
			n++
		}
		if n+1 > limit {
			break
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// slug reduces text to a name that modules, packages and containers accept.
func slug(text string) string {
	var b strings.Builder
	hyphen := false
	for _, r := range strings.ToLower(text) {
		letter := r >= 'a' && r <= 'z'
		if !letter && (r < '0' || r > '9') {
			hyphen = b.Len() > 0
			continue
		}
		if b.Len() == 0 && !letter {
			continue
		}
		if hyphen {
			if b.Len()+2 > maxName {
				break
			}
			b.WriteByte('-')
			hyphen = false
		}
		if b.Len()+1 > maxName {
			break
		}
		b.WriteRune(r)
	}
	s := b.String()
	if slices.Contains([]string{"vendor", "internal", "main", "test", "all", "std", "cmd"}, s) {
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
	switch w {
	case "api", "faq", "crm", "cms", "url", "http", "html", "sql", "iot":
		return strings.ToUpper(w)
	}
	r, n := utf8.DecodeRuneInString(w)
	if n == 0 {
		return w
	}
	return string(unicode.ToUpper(r)) + w[n:]
}

// notIdentifier reports whether s is anything but a short word of a to z and
// digits that begins with a letter.
func notIdentifier(s string) bool {
	if s == "" || len(s) > maxIdent || s[0] < 'a' || s[0] > 'z' {
		return true
	}
	return strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// notFieldName reports whether s is anything but up to six identifiers with
// underscores between.
func notFieldName(s string) bool {
	words := strings.Split(s, "_")
	return len(words) > 6 || notIdentifier(words[0]) || slices.ContainsFunc(words[1:], func(w string) bool { return w == "" || notIdentifier("a"+w) })
}

// listOf joins words as people do: a, b and c.
func listOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// markdown escapes text so that a reader of Markdown shows it as it is.
func markdown(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("\\`*_{}[]()#+!|~=$^:", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
