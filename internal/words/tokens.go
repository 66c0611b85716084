package words

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// While a text is taken apart, these stand for a slash with spaces around it, an arrow, and a dash between words.
const (
	alternative = "\x1f"
	arrow       = "\x1e"
	dash        = "\x1d"
)

var (
	bulletLine   = regexp.MustCompile(`^\s*(?:[-*•–+]|\d{1,2}[.)])\s+`)
	heading      = regexp.MustCompile(`^#+\s+`)                                                                          // of a document
	quotation    = regexp.MustCompile(`^(?:"[^"]*"|'(?:[^']|'\pL)+')`)                                                   // an apostrophe inside a word ends none
	extension    = regexp.MustCompile(`^\.[a-zA-Z]`)                                                                     // "all .py files": what ends a sentence stands behind a word
	optionalItem = regexp.MustCompile(`^(\w+)\?$`)                                                                       // "- note?"
	phone        = regexp.MustCompile(`^\(\d{2,5}\)[ -]?\d[\d -]{4,}\d\b`)                                               // (912) 555-0144
	slashes      = regexp.MustCompile(`^[\pL\d][\pL\d+-]*(?:/[\pL\d][\pL\d+-]*(?: [\pL\d+-]+){0,2})*/[\pL\d][\pL\d+-]*`) // open/in progress/closed
	thousands    = regexp.MustCompile(`^\d{1,3},\d{3}\b`)                                                                // 2,410 m
	clock        = regexp.MustCompile(`^\d{1,2}(?::\d\d)?(?:-\d{1,2})?(?::\d\d)?`)
	goesOn       = regexp.MustCompile(`^[,;:)]|^ +(?:in stock|on hand|per|of|and|number|no)\b`) // behind a word that is cut short: qty. in stock
	wordBehind   = regexp.MustCompile(`^ +[a-z]`)
	// spellings bring what is written in several ways into one.
	spellings = strings.NewReplacer("(* = required)", "", ", * = required", "", "(*=required)", "", "(* required)", "", "(! = required)", "", "* = required", "", "! = required", "", "“", `"`, "”", `"`, "„", `"`, "’", "'", "‘", "'", "w/o ", "without ", "w/ ", "with ", "W/ ", "with ", "no. of ", "number of ", "No. of ", "number of ", "nr. of ", "number of ", "e-mail", "email", "E-mail", "email",
		"date/time", "date and time", "Date/time", "date and time", "date + time", "date and time", "date & time", "date and time", "all day", "all-day", "plus one", "plus_one", "to-do", "todo", "To-do", "todo", "To-Do", "todo", "to do list", "todo list", "{", "(", "}", ")", "**", "", "[]string", "strings", "list[str]", "strings", "List[str]", "strings", "List<String>", "strings", "List<string>", "strings", "Array<string>", "strings", "[]", " list", " // ", ". ", "[", "(", "]", ")", "' | '", "/", "\" | \"", "/", "'|'", "/", "\"|\"", "/", " | ", " | ", "|", "/", " / ", " "+alternative+" ", "?optional", "?optional", "? (y", " (y", "? (true", " (true", "? (bool", " (bool", "?,", " ?optional,", "?;", " ?optional;", "?)", " ?optional)", "?:", " ?optional:", "?}", " ?optional)", "? }", " ?optional)", "? )", " ?optional)", "*,", " *required,", "*)", " *required)", "*;", " *required;", "!,", " !required,", "!;", " !required;", "!)", " !required)", "! }", " !required)", "! (", " !required (", "!]", " !required)", "*]", " *required)", "! max", " !required max", "! min", " !required min", ")!", ") !required", " -- ", " "+dash+" ", "! unique", " !required unique", "(%)", "(percent)", "($)", "(dollars)", "(€)", "(euros)", "(£)", "(pounds)", "(¥)", "(yen)", "($/", "(dollars per ", "(€/", "(euros per ", "(£/", "(pounds per ", " in $", " in dollars", " in €", " in euros", " in £", " in pounds", " in %", " in percent", "!}", " !required)", "!", ".", "?", ".", "->", arrow, "=>", arrow, "→", arrow, ">=", " min ", "<=", " max ", "≥", " min ", "≤", " max ", ">", " above ", "<", " below ", "—", dash, "...", ". ", "…", ". ", " – ", " "+dash+" ", "–", "-", " - ", " "+dash+" ", " + ", " and ", "`", `"`)
)

// tokensOf takes a request apart. What does not print parts words like a space,
// so that no word that reaches a file holds any of it.
func (l Lexicon) tokensOf(text string) []Token {
	var out []Token
	label, before := -1, 0 // how far to the right "fields:" stands: lines that are farther are its items; and the line before
	lines := strings.Split(strings.Map(plaintext.Printed, text), "\n")
	for k, line := range lines {
		line = heading.ReplaceAllString(line, "")
		rest, indent := bulletLine.ReplaceAllString(line, ""), indentOf(line)
		if label >= indent {
			label = -1
		}
		listed, words := rest != line, strings.Fields(strings.ToLower(line))
		next := append(lines, "")[k+1]
		deeper := indentOf(next) > indent && len(words) > 0
		head := listed && deeper && bulletLine.MatchString(next) // of items that stand farther to the right
		switch {
		case (listed || label >= 0) && !head && !(listed && before > indent):
			rest = optionalItem.ReplaceAllString(strings.TrimSpace(rest), "$1 optional")
			out = append(out, Token{Low: Bullet, Mark: true})
		case len(out) > 0:
			out = append(out, Token{Low: ".", Mark: true})
		}
		if before = 0; listed {
			before = indent
		}
		if last := append([]string{""}, words...)[len(words)]; label < 0 && !listed && (l.Is("field-noun", strings.TrimSuffix(last, ":")) && strings.HasSuffix(last, ":") || deeper && (len(words) < 3 || strings.HasSuffix(last, ":"))) {
			label = indent
		}
		out = append(out, l.tokensOfLine(spellings.Replace(rest))...)
		if head && out[len(out)-1].Low != ":" {
			out = append(out, Token{Low: ":", Mark: true})
		}
	}
	begins := true
	for i := range out {
		out[i].Capital = out[i].Capital && !begins
		begins = out[i].Mark && strings.Contains(".:"+Bullet, out[i].Low)
	}
	return out
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

func (l Lexicon) tokensOfLine(line string) []Token {
	var out []Token
	listed := false // a comma without a space stands before: 100,200,300
	for line != "" {
		switch c := line[0]; {
		case phone.MatchString(line):
			text := phone.FindString(line)
			out = append(out, Token{Text: text, Low: text, Raw: text})
			line = line[len(text):]
		case c == ' ' || c == '\t':
			line, listed = line[1:], false
		case c == '"' || c == '\'':
			text := strings.Trim(quotation.FindString(line), "\"'")
			if text != "" {
				out = append(out, Token{Text: text, Low: strings.ToLower(text), Raw: text, Quoted: true})
			}
			line = line[max(1, len(quotation.FindString(line))):]
		case strings.IndexByte(".,:()", c) >= 0 && !extension.MatchString(line):
			out = append(out, Token{Low: string(c), Mark: true})
			line, listed = line[1:], c == ','
		case c == alternative[0]:
			out = append(out, Token{Text: "/", Low: ",", Mark: true})
			line = line[1:]
		case c == arrow[0] || c == dash[0]:
			out = append(out, Token{Text: map[bool]string{true: "->", false: "-"}[c == arrow[0]], Low: ":", Mark: true})
			line = line[1:]
		case strings.IndexByte(";|=", c) >= 0:
			out = append(out, Token{Text: string(c), Low: map[bool]string{true: ":", false: ","}[c == '='], Mark: true})
			line = line[1:]
		case l.isSpacedChoice(slashes.FindString(line)):
			text := slashes.FindString(line)
			out = append(out, Token{Text: text, Low: strings.ToLower(text), Raw: text})
			line = line[len(text):]
		default:
			end := len(clock.FindString(line))
			if n := len(thousands.FindString(line)); n > 0 && strings.IndexByte(",.", (line + " ")[n]) < 0 && !listed {
				end = n
			}
			end += strings.IndexAny(line[end:]+" ", " \t,:()\";|="+arrow+dash)
			if n := len(out); c == '/' && n > 0 && l.Is("method", out[n-1].Low) { // "GET /books"
				out[n-1].Low = "endpoints for"
			}
			piece := line[:end]
			switch whole := strings.TrimSuffix(piece, "."); {
			case l.Is("cut-short", strings.ToLower(whole)) && wordBehind.MatchString(line[end:]), l.Is("cut-name", strings.ToLower(whole)) && goesOn.MatchString(line[end:]): // est. minutes
				piece = whole
			}
			out = append(out, l.wordsOf(piece)...)
			line = line[end:]
		}
	}
	return out
}

// wordsOf takes a piece of text without spaces apart.
func (l Lexicon) wordsOf(piece string) []Token {
	bare := strings.TrimRight(piece, ".'")
	end := strings.HasSuffix(piece, ".") && !l.Is("title-of-person", strings.ToLower(bare)) && !l.Is("shortened", strings.ToLower(bare)) && !strings.HasSuffix(strings.ToLower(bare), "str") // Talstr. 12
	var out []Token
	parts := strings.FieldsFunc(bare, func(r rune) bool { return r == '-' || r == '/' })
	_, known := l.Vocabulary[strings.ToLower(bare)]
	switch {
	case known || strings.HasPrefix(bare, "--") || extension.MatchString(bare) || PathLike.MatchString(bare) || l.isChoice(bare) || MailLike.MatchString(bare) || l.isProperName(parts):
		out = append(out, Token{Text: bare, Low: strings.ToLower(bare), Capital: plaintext.IsCapital(bare)})
	case l.isCompound(parts):
		out = append(out, Token{Text: bare, Low: strings.ToLower(strings.Join(parts, " "))}) // check-in, on-call
	default:
		for _, w := range parts {
			w = strings.TrimFunc(w, func(r rune) bool {
				return !strings.ContainsRune("&+#", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
			})
			if w != "" {
				out = append(out, Token{Text: w, Low: strings.TrimSuffix(strings.ToLower(w), "'s"), Capital: plaintext.IsCapital(w)})
			}
		}
	}
	if len(out) > 0 {
		out[0].Raw = bare
	}
	if sign := strings.TrimSuffix(strings.TrimSuffix(bare, "required"), "optional"); len(sign) == 1 && sign != bare && strings.Contains("!*?", sign) {
		out[0].Raw = sign // which was written
	}
	if n := len(out); n > 0 && strings.HasSuffix(piece, "s'") {
		out[n-1].Low, out[n-1].Text = english.Singular(out[n-1].Low), out[n-1].Text+"'" // the users' feedback
	}
	if n := strings.IndexByte(bare, '*'); n > 0 && n == len(bare)-1 && len(out) > 0 { // name* (unique)
		out = append(out, Token{Text: "required", Low: "required", Raw: "*"})
	}
	if end {
		out = append(out, Token{Low: ".", Mark: true})
	}
	return out
}

// isCompound says whether words with hyphens between, of which one would say nothing alone, are one.
func (l Lexicon) isCompound(parts []string) bool {
	little := func(w string) bool { return l.class(strings.ToLower(w)) == "stop" || l.Is("inside-word", w) }
	named := func(w string) bool { return !little(w) && l.class(strings.ToLower(w)) == "" }
	meant := func(w string) bool { return !little(w) && !named(w) }
	return slices.ContainsFunc(parts, little) && slices.ContainsFunc(parts, named) && !slices.ContainsFunc(parts, meant) &&
		l.class(strings.ToLower(strings.Join(parts, " "))) == ""
}

// isChoice says whether words with slashes between are none that mean something each.
func (l Lexicon) isChoice(piece string) bool {
	parts := strings.Split(strings.ToLower(piece), "/")
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(w string) bool {
		return w == "" || !unicode.IsLetter(rune(w[0])) || !l.Is("choosable", l.class(w)) && l.class(w) != "" && !(l.class(w) == "heart" && l.Is("also-name", w))
	})
}

// isSpacedChoice says whether choices with slashes between hold some of several words: "open/in progress/closed". What is
// said of two things in a row is none: "vegan y/n spicy y/n".
func (l Lexicon) isSpacedChoice(piece string) bool {
	parts := strings.Split(strings.ToLower(piece), "/")
	return strings.Contains(piece, " ") && len(parts) > 2 && !slices.ContainsFunc(parts, func(part string) bool {
		all := strings.Fields(part)
		return l.Is("truth", all[0]) && (len(all) != 2 || l.Is("truth", parts[0])) || slices.ContainsFunc(all, func(w string) bool { return l.class(w) == "join" || l.Is("type-behind", w) })
	})
}

// isProperName says whether words with hyphens between are one name.
func (l Lexicon) isProperName(parts []string) bool {
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(w string) bool { return !plaintext.IsCapital(w) || l.class(strings.ToLower(w)) != "" })
}
