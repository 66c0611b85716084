package spec

import (
	"errors"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a text in quotes, or a mark: , : ( ) / -> ..
type token struct {
	text         string
	mark, quoted bool
}

// is reports whether a token is one of these words or marks.
func (t token) is(these ...string) bool {
	for _, each := range these {
		if !t.quoted && strings.EqualFold(t.text, each) {
			return true
		}
	}
	return false
}

// value reports whether a token can stand for a value.
func (t token) value() bool { return t.quoted || t.text != "" && !t.mark }

// end reports whether a token can stand for an end of a range.
func (t token) end() bool {
	return t.quoted || t.value() && strings.ContainsAny(t.text[:1], "+-.0123456789")
}

var (
	mark       = regexp.MustCompile(`^(->|\.\.|[,:()/])`)
	wordEnd    = regexp.MustCompile(`[ "#,:()/]|->|\.\.|$`)
	inQuotes   = regexp.MustCompile(`^"(([^"\\]|\\["\\])*)"`)
	plainValue = regexp.MustCompile(`^[^\s,:()/"#\\;]+$`)
	ruleInside = regexp.MustCompile(`(?i)(^| )(required|optional|unique|default|one of)( |$)|->|\.\.`)
	kindAtEnd  = regexp.MustCompile(`(?i)^(.+) (string|integer|boolean|datetime)$`) // with which few names end
	// lineOrComment allows semicolons in quotes alone.
	lineOrComment = regexp.MustCompile(`#[^\n]*|("([^"\\\n]|\\["\\])*"|[^;#\n])+`)
)

// scan splits a line into tokens. A comment ends it.
func scan(line string) (out []token, err error) {
	for line = trimLeft(line); !blank(line); line = trimLeft(line) {
		t := token{text: mark.FindString(line), quoted: line[0] == '"'}
		t.mark = t.text != ""
		switch {
		case t.mark:
			line = line[len(t.text):]
		case t.quoted:
			t.text, line, err = unquote(line)
		default:
			t.text, line = cutWord(line)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func trimLeft(line string) string { return strings.TrimLeft(line, " ") }

// blank reports whether nothing but a comment is left of a line.
func blank(line string) bool { return line == "" || trimLeft(line) == "" || trimLeft(line)[0] == '#' }

// cutWord splits the first word off a line.
func cutWord(line string) (word, rest string) {
	line = trimLeft(line)
	n := wordEnd.FindStringIndex(line)[0]
	return line[:n], line[n:]
}

// unquote reads the text in quotes with which a line begins.
func unquote(line string) (text, rest string, err error) {
	m := inQuotes.FindStringSubmatch(line)
	if m == nil {
		return "", "", errors.New(`a quote is not closed; in double quotes write \" for a quote and \\ for a backslash`)
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(m[1]), line[len(m[0]):], nil
}

func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// quoteValue writes a value, in quotes where it needs them.
func quoteValue(value string) string {
	if !plainValue.MatchString(value) || ruleInside.MatchString(value) {
		return quote(value)
	}
	return value
}

// quoteName writes a name, in quotes where a rule or a kind would begin in it.
func quoteName(name string) string {
	if ruleInside.MatchString(name) || kindAtEnd.MatchString(name) {
		return quote(name)
	}
	return name
}

// quoteText writes a free text, in quotes where a character of it would end it.
func quoteText(text, ends string) string {
	if text == "" || strings.TrimSpace(text) != text || strings.ContainsAny(text, `#;"`+ends) {
		return quote(text)
	}
	return text
}

// plain writes a text with line ends and ordinary spaces alone.
func plain(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ", "\u00a0", " ").Replace(strings.TrimPrefix(text, "\ufeff"))
}

// Split splits a text into lines, which end at semicolons too, but not in quotes.
// Comments and blank lines are left out.
func Split(text string) (out []string) {
	for _, line := range lineOrComment.FindAllString(plain(text), -1) {
		if !blank(line) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// printable reports whether a text is one line without controls, marks of direction
// and broken characters, without space around it, and has at most so many characters.
func printable(text string, most int) bool {
	bad := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	return !strings.ContainsFunc(text, bad) && strings.TrimSpace(text) == text && utf8.RuneCountInString(text) <= most
}
