package template

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// token is a word of a request, something in quotes, or a mark.
type token struct {
	text    string // as it is written
	low     string // in lower case; of a mark, the mark itself
	mark    bool   // one of . , : ( ) and bullet
	quoted  bool
	capital bool // begins with a capital letter although no sentence begins here
}

// bullet begins an item of a list.
const bullet = "•"

var (
	bulletLine = regexp.MustCompile(`^\s*(?:[-*•–+]|\d{1,2}[.)])\s+`)
	pathLike   = regexp.MustCompile(`^[a-zA-Z0-9.-]+\.[a-z]{2,}(?:/[\w.~-]+)+$`)
	quotation  = regexp.MustCompile(`^(?:"[^"]*"|'(?:[^']|'\pL)+')`) // an apostrophe inside a word ends none
	extension  = regexp.MustCompile(`^\.[a-zA-Z]`)                   // "all .py files": what ends a sentence stands behind a word
	mailLike   = regexp.MustCompile(`^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$`)
	// spellings bring what is written in several ways into one.
	spellings = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "’", "'", "‘", "'", "w/o ", "without ", "w/ ", "with ", "W/ ", "with ", "e-mail", "email", "E-mail", "email",
		"all day", "all-day", "plus one", "plus_one", "to-do", "todo", "To-do", "todo", "To-Do", "todo", "to do list", "todo list", "{", "(", "}", ")", "[", "(", "]", ")", " | ", ", ", "|", "/", " / ", ", ", ";", ",", "!", ".", "?", ".", "->", ":", "=>", ":", "→", ":", ">=", " min ", "<=", " max ", "≥", " min ", "≤", " max ", ">", " above ", "<", " below ", "=", ":", "—", ":", "...", ". ", "…", ". ", " – ", ": ", " - ", ": ", " + ", " and ", "`", `"`)
)

// tokensOf takes a request apart. What does not print parts words like a space,
// so that no word that reaches a file holds any of it.
func tokensOf(text string) []token {
	var out []token
	for line := range strings.SplitSeq(strings.Map(plaintext.Printed, text), "\n") {
		rest := bulletLine.ReplaceAllString(line, "")
		if rest != line {
			out = append(out, token{low: bullet, mark: true})
		} else if len(out) > 0 {
			out = append(out, token{low: ".", mark: true})
		}
		out = append(out, tokensOfLine(spellings.Replace(rest))...)
	}
	begins := true
	for i := range out {
		out[i].capital = out[i].capital && !begins
		begins = out[i].mark && strings.Contains(".:"+bullet, out[i].low)
	}
	return out
}

func tokensOfLine(line string) []token {
	var out []token
	for line != "" {
		switch c := line[0]; {
		case c == ' ' || c == '\t':
			line = line[1:]
		case c == '"' || c == '\'':
			text := strings.Trim(quotation.FindString(line), "\"'")
			if text != "" {
				out = append(out, token{text: text, low: strings.ToLower(text), quoted: true})
			}
			line = line[max(1, len(quotation.FindString(line))):]
		case strings.IndexByte(".,:()", c) >= 0 && !extension.MatchString(line):
			out = append(out, token{low: string(c), mark: true})
			line = line[1:]
		default:
			end := strings.IndexAny(line+" ", " \t,:()\"")
			if n := len(out); c == '/' && n > 0 && is("method", out[n-1].low) { // "GET /books"
				out[n-1].low = "endpoints for"
			}
			out = append(out, wordsOf(line[:end])...)
			line = line[end:]
		}
	}
	return out
}

// wordsOf takes a piece of text without spaces apart.
func wordsOf(piece string) []token {
	bare := strings.TrimRight(piece, ".'")
	end := strings.HasSuffix(piece, ".") && !is("title-of-person", strings.ToLower(bare))
	var out []token
	parts := strings.FieldsFunc(bare, func(r rune) bool { return r == '-' || r == '/' })
	_, known := vocabulary[strings.ToLower(bare)]
	switch {
	case known || strings.HasPrefix(bare, "--") || extension.MatchString(bare) || pathLike.MatchString(bare) || isChoice(bare) || mailLike.MatchString(bare) || isProperName(parts):
		out = append(out, token{text: bare, low: strings.ToLower(bare), capital: plaintext.IsCapital(bare)})
	case isCompound(parts):
		out = append(out, token{text: bare, low: strings.ToLower(strings.Join(parts, " "))}) // check-in, on-call
	default:
		for _, w := range parts {
			w = strings.TrimFunc(w, func(r rune) bool {
				return !strings.ContainsRune("&+#", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
			})
			if w != "" {
				out = append(out, token{text: w, low: strings.TrimSuffix(strings.ToLower(w), "'s"), capital: plaintext.IsCapital(w)})
			}
		}
	}
	if n := len(out); n > 0 && strings.HasSuffix(piece, "s'") {
		out[n-1].low = english.Singular(out[n-1].low) // the users' feedback
	}
	if end {
		out = append(out, token{low: ".", mark: true})
	}
	return out
}

// isCompound says whether words with hyphens between, of which one would say nothing alone, are one.
func isCompound(parts []string) bool {
	little := func(w string) bool { return vocabulary[strings.ToLower(w)].Class == isStop || is("inside-word", w) }
	named := func(w string) bool { return !little(w) && vocabulary[strings.ToLower(w)].Class == "" }
	meant := func(w string) bool { return !little(w) && !named(w) }
	return slices.ContainsFunc(parts, little) && slices.ContainsFunc(parts, named) && !slices.ContainsFunc(parts, meant) &&
		vocabulary[strings.ToLower(strings.Join(parts, " "))].Class == ""
}

// isChoice says whether words with slashes between are none that mean something each.
func isChoice(piece string) bool {
	parts := strings.Split(strings.ToLower(piece), "/")
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(w string) bool {
		return w == "" || !unicode.IsLetter(rune(w[0])) || !is("choosable", vocabulary[w].Class) && vocabulary[w].Class != "" && !(vocabulary[w].Class == isHeart && is("also-name", w))
	})
}

// isProperName says whether words with hyphens between are one name.
func isProperName(parts []string) bool {
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(w string) bool { return !plaintext.IsCapital(w) || vocabulary[strings.ToLower(w)].Class != "" })
}

// inEnglish says whether a request may be one. Little words give a language away.
func inEnglish(tokens []token) bool {
	foreign, english, strange := 0, 0, false
	for _, t := range tokens {
		if t.mark || t.quoted || t.capital {
			continue
		}
		switch {
		case is("foreign", t.low):
			foreign++
		case is("english", vocabulary[t.low].Class):
			english++
		case strings.ContainsFunc(t.low, func(r rune) bool { return r >= 0x370 && unicode.IsLetter(r) }):
			return false
		}
		strange = strange || strings.ContainsFunc(t.low, func(r rune) bool { return r > 0x7f && unicode.IsLetter(r) })
	}
	return foreign <= english || foreign < 2 && !strange
}
