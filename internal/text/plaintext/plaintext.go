// Package plaintext makes of text that nobody vouches for what may stand in a
// file: a line, a title, a name for programs, and Markdown that shows it as it is.
package plaintext

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName is the length of the longest name.
const MaxName = 40

// Line makes text printable and short, with one space between words.
func Line(text string, limit int) string {
	runes := []rune(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || unprintable(r) }), " "))
	return strings.TrimSpace(string(runes[:min(len(runes), limit)]))
}

// IsLine reports whether text is one printable line of at most limit characters,
// without space around it.
func IsLine(text string, limit int) bool {
	return !strings.ContainsFunc(text, unprintable) && strings.TrimSpace(text) == text && utf8.RuneCountInString(text) <= limit
}

// unprintable reports whether a character is a control, a mark of direction or broken.
func unprintable(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }

// letters writes in those from a to z what looks or sounds like them.
var letters = strings.NewReplacer("'", "", "’", "", "ä", "ae", "æ", "ae", "ö", "oe", "ø", "oe", "œ", "oe", "ü", "ue", "ß", "ss",
	"á", "a", "à", "a", "â", "a", "ã", "a", "å", "a", "ā", "a", "ą", "a", "ă", "a", "ç", "c", "ć", "c", "č", "c", "ď", "d", "đ", "d", "ð", "d",
	"é", "e", "è", "e", "ê", "e", "ë", "e", "ě", "e", "ę", "e", "ē", "e", "ğ", "g", "í", "i", "ì", "i", "î", "i", "ï", "i", "ı", "i", "ī", "i",
	"ł", "l", "ñ", "n", "ń", "n", "ň", "n", "ó", "o", "ò", "o", "ô", "o", "õ", "o", "ő", "o", "ō", "o", "ř", "r", "š", "s", "ś", "s", "ş", "s", "ș", "s",
	"ť", "t", "ț", "t", "þ", "th", "ú", "u", "ù", "u", "û", "u", "ů", "u", "ű", "u", "ū", "u", "ý", "y", "ÿ", "y", "ž", "z", "ź", "z", "ż", "z")

var notSlug = regexp.MustCompile(`^[^a-z]+|[^a-z0-9]+`)

// Slug reduces text to a name that modules, packages and containers accept.
func Slug(text string) string {
	s := strings.Trim(notSlug.ReplaceAllString(letters.Replace(strings.ToLower(text)), "-"), "-")
	return strings.TrimRight(s[:min(len(s), MaxName)], "-")
}

// Spelled turns a slug into words for people, as titles are written: todo-api becomes Todo API, house-to-rent House to Rent.
func Spelled(slug string) string {
	words := strings.Split(slug, "-")
	for i, w := range words {
		if i == 0 || i == len(words)-1 || !slices.Contains(little, w) {
			words[i] = Capital(w)
		}
	}
	return strings.Join(words, " ")
}

// little words are written small inside of titles.
var little = strings.Fields("a an and at by for from in of on or the to with")

var acronyms = strings.Fields("ssl gps tv usb cpu gpu dns vat ux csv api id faq crm cms url http html sql iot isbn sku uri ip json uid uuid cv dj rsvp b&b bbq")

// Capital writes a word with a capital letter, and an acronym in capitals.
func Capital(w string) string {
	if slices.Contains(acronyms, w) {
		return strings.ToUpper(w)
	}
	_, n := utf8.DecodeRuneInString(w)
	return strings.ToUpper(w[:n]) + w[n:]
}

var markdownMarks = regexp.MustCompile("[\\\\`*_{}\\[\\]()#+!|~=$^:]")

// Markdown escapes text so that a reader of Markdown shows it as it is.
func Markdown(text string) string {
	text = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;").Replace(text)
	return markdownMarks.ReplaceAllString(text, `\$0`)
}
