package template

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// reading is what a request was understood to ask for; empty means that it does not say.
type reading struct {
	spec    // as far as it was asked for
	tokens  []token
	project *spec // what is continued; nil for a new project
	things  []*thing

	removed  []string // things, sections, and fields as "field of thing"
	hearts   []string // what is known, not to be had, and not to be left out either
	unknown  []string
	scripted bool // a script was asked for
	app      bool // an app was asked for, whatever that is
	given    []string
	names    []string // words that were read as parts of names, and have to be told somewhere
	context  []string // what only says where, or for whom
	guessed  []string // fields of which neither the request nor their name tells the kind
}

// thing is a noun that becomes a resource.
type thing struct {
	singular string
	fields   []field
	parents  []*thing // that it belongs to
	isPlace  bool     // it is what there is in a place: books in a library
	one      bool     // is named in the singular, once, and may be what other things are in
	list     int      // the list that names it; below 0: before the kind of project, and may describe that
	known    bool     // was there before
	loose    bool     // is only what a command is for, which may be anything
}

// read reads a request. Every phrase that the vocabulary knows has its meaning;
// other words are names where the sentence expects one, and unknown elsewhere.
func read(prompt string, project *spec) *reading {
	r := &reading{tokens: tokensOf(prompt), project: project}
	r.lookAhead()
	if project != nil {
		r.Kind = project.Kind
		for _, res := range project.Resources {
			r.things = append(r.things, &thing{singular: res.Singular, fields: slices.Clone(res.Fields), known: true})
		}
	}
	(&reader{reading: r, site: r.Kind == kindSite}).run()
	return r
}

// lookAhead finds the kind of what is wanted, on which the meaning of other words depends.
func (r *reading) lookAhead() {
	seen := map[string]bool{}
	for i := 0; i < len(r.tokens); {
		m, n := r.phrase(i)
		switch m.Class {
		case isKind:
			seen[m.Value] = true
			r.scripted = r.scripted || strings.Contains(r.words(i, n), "script")
		case isOperation:
			r.Operations = append(r.Operations, m.Value)
		case isContainer:
			r.app = r.app || english.HasSuffix(r.words(i, n), "app", "application")
		}
		i += max(n, 1)
	}
	// A service may be what a site is for, and a script what runs a service.
	serves := r.says("serves")
	switch {
	case seen[kindCommand] && !(seen[kindAPI] && serves && !r.says("typed-in")):
		r.Kind = kindCommand
	case seen[kindAPI] && (serves || !seen[kindSite]), len(seen) == 0 && serves:
		r.Kind = kindAPI
	case seen[kindSite]:
		r.Kind = kindSite
	case r.project == nil && (len(r.Operations) > 0 || r.says("runs-once")):
		r.Kind = kindCommand
	}
	if r.Kind != kindCommand {
		r.Operations = nil
	}
	slices.Sort(r.Operations)
	r.Operations = slices.Compact(r.Operations)
}

// says says whether some word of the request is in a table.
func (r *reading) says(table class) bool {
	return slices.ContainsFunc(r.tokens, func(t token) bool { return !t.mark && is(table, t.low) })
}

// phrase finds the longest phrase of the vocabulary at a place, and its length.
func (r *reading) phrase(i int) (meaning, int) {
	m, n := longest(r, i, vocabulary)
	if t := r.at(i); n == 0 && !t.mark && !t.quoted && !t.capital {
		if right := english.Meant(t.low, slices.Sorted(maps.Keys(tables["misspelt"]))); right != t.low {
			r.tokens[i].low = right
			return r.phrase(i)
		}
	}
	return m, n
}

func (r *reading) longestName(i int, table class) int {
	_, n := longest(r, i, tables[table])
	return n
}

func (r *reading) classAt(i int) class {
	m, _ := r.phrase(i)
	return m.Class
}

// longest finds the longest phrase of a table at a place, and its length.
func longest[V any](r *reading, i int, table map[string]V) (found V, length int) {
	for n := 1; n <= maxPhrase && !r.at(i+n-1).mark && !r.at(i+n-1).quoted; n++ {
		if value, ok := table[r.words(i, n)]; ok {
			found, length = value, n
		}
	}
	return found, length
}

func (r *reading) words(i, n int) string {
	words := make([]string, n)
	for k := range words {
		words[k] = r.tokens[i+k].low
	}
	return strings.Join(words, " ")
}

// at gives the token at a place, or the end of the sentence.
func (r *reading) at(i int) token {
	if i < 0 || i >= len(r.tokens) {
		return token{low: ".", mark: true}
	}
	return r.tokens[i]
}

// ends says whether a part of a list ends at a place.
func (r *reading) ends(i int) bool { return r.at(i).mark || vocabulary[r.at(i).low].Class == isJoin }

// endOf gives the place where the part of a list ends that holds a place.
func (r *reading) endOf(i int) int {
	for !r.ends(i) {
		i++
	}
	return i
}

// after gives the first place from i that holds none of the words.
func (r *reading) after(i int, words ...string) int {
	for slices.Contains(words, r.at(i).low) && i < len(r.tokens) {
		i++
	}
	return i
}

// find gives a thing by its name in the singular or plural.
func (r *reading) find(word string) *thing {
	for _, t := range r.things {
		if t.is(word) {
			return t
		}
	}
	for _, t := range r.things { // blog posts may be called posts
		if !strings.Contains(word, "_") && strings.HasSuffix(t.singular, "_"+english.Singular(word)) {
			return t
		}
	}
	return nil
}

func (t *thing) is(word string) bool {
	return t.singular == word || squeezed(english.Plural(t.singular)) == squeezed(word) || squeezed(t.singular) == squeezed(english.Singular(word))
}

// option takes a phrase that means the same in every sentence, and says how many words it took.
func (r *reading) option(m meaning, i, n int, denied bool) int {
	phrase := r.words(i, n)
	switch m.Class {
	case isLanguage, isDatabase, isAuth, isCORS, isLicense:
		value := m.Value
		switch {
		case denied && (m.Class == isLanguage || m.Class == isDatabase && (r.Database != "" || value == none)), !denied && value == dbAny && r.Database != "", value == none && m.Class == isLicense && !denied:
			return n
		case denied && m.Class == isCORS:
			value = "off"
		case denied:
			value = none
		case m.Class == isLanguage && r.Language != "" && r.Language != value:
			r.hearts = append(r.hearts, "two languages")
		case m.Class == isLicense && r.License != "" && r.License != value && r.project == nil:
			r.leave(phrase, "a project has one license")
			return n
		}
		r.decided(m.Class).set(value)
	case isGiven, isDetail, isHeart:
		switch {
		case denied && m.Class == isGiven && !english.HasSuffix(phrase, "dependencies", "libraries", "packages", "framework", "frameworks"):
			r.leave("no "+phrase, "every project has it")
		case denied:
		case m.Class == isGiven:
			r.given = append(r.given, phrase)
		case m.Class == isDetail:
			r.leave(phrase, m.Value)
		default:
			r.cannot(phrase, m.Value)
		}
	case isPort, isModule:
		next := r.after(i+n, ":", "is", "to", "number", "the", "port", "on", "named", "path")
		text := r.at(next).text
		port, err := strconv.Atoi(text)
		switch {
		case m.Class == isModule && pathLike.MatchString(text):
			r.Module = text
		case m.Class == isModule || err != nil:
			return 0
		default:
			if r.Port = port; notPort(port) {
				r.cannot("port "+text, "a port is "+tables["constraint-value"]["port"])
			}
		}
		return next + 1 - i
	case isNamed:
		name, next := r.nameAt(i + n)
		if name == "" {
			return 0
		}
		r.Title = name
		return next - i
	}
	return n
}

// nameAt reads a name: quoted, in capitals, or up to a word that the vocabulary knows.
func (r *reading) nameAt(i int) (string, int) {
	i = r.after(i, ":", "it")
	if r.at(i).quoted {
		return plaintext.Title(r.at(i).text), i + 1
	}
	var words []string
	capital := plaintext.IsCapital(r.at(i).text)
	for ; !r.at(i).mark && !r.at(i).quoted && len(words) < 6; i++ {
		t := r.at(i)
		inside := len(words) > 0 && is("inside-name", t.low) && plaintext.IsCapital(r.at(i+1).text)
		if capital && !plaintext.IsCapital(t.text) && !inside && !unicode.IsDigit(rune(t.text[0])) || !capital && vocabulary[t.low].Class != "" && len(words) > 0 {
			break
		}
		words = append(words, t.text)
	}
	return plaintext.Title(strings.Join(words, " ")), i
}

// deny takes what follows a word such as "without", and says how many words that are.
func (r *reading) deny(i int) int {
	from, taken := i, 0
	for {
		if taken > 0 {
			i = r.after(i, ",")
		}
		m, n := r.phrase(i)
		for m.Class == isStop || m.Class == isJoin || m.Class == isDenial {
			i += n
			m, n = r.phrase(i)
		}
		// "no authentication, SQLite" wants the one and not the other.
		named := m.Class == isDatabase && m.Value != dbAny || m.Class == isLanguage || m.Class == isLicense
		if named && taken > 0 || !is("deniable", m.Class) {
			return taken
		}
		i += r.option(m, i, n, true)
		taken = i - from
	}
}

// token is a word of a request, something in quotes, or a mark.
type token struct {
	text    string // as it is written
	low     string // in lower case; of a mark, the mark itself, or what it means
	raw     string // what it was cut from, with all its signs; empty for the rest of that
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
		"all day", "all-day", "plus one", "plus_one", "to-do", "todo", "To-do", "todo", "To-Do", "todo", "to do list", "todo list", "{", "(", "}", ")", "[", "(", "]", ")", "' | '", "/", "\" | \"", "/", "'|'", "/", "\"|\"", "/", " | ", " | ", "|", "/", " / ", ", ", "?,", " optional,", "?;", " optional;", "?)", " optional)", "?:", " optional:", "?}", " optional)", "!,", " required,", "!}", " required)", "!", ".", "?", ".", "->", ":", "=>", ":", "→", ":", ">=", " min ", "<=", " max ", "≥", " min ", "≤", " max ", ">", " above ", "<", " below ", "—", ":", "...", ". ", "…", ". ", " – ", ": ", "–", "-", " - ", ": ", " + ", " and ", "`", `"`)
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
				out = append(out, token{text: text, low: strings.ToLower(text), raw: text, quoted: true})
			}
			line = line[max(1, len(quotation.FindString(line))):]
		case strings.IndexByte(".,:()", c) >= 0 && !extension.MatchString(line):
			out = append(out, token{low: string(c), mark: true})
			line = line[1:]
		case strings.IndexByte(";|=", c) >= 0:
			out = append(out, token{text: string(c), low: map[bool]string{true: ":", false: ","}[c == '='], mark: true})
			line = line[1:]
		default:
			end := strings.IndexAny(line+" ", " \t,:()\";|=")
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
	end := strings.HasSuffix(piece, ".") && !is("title-of-person", strings.ToLower(bare)) && !is("shortened", strings.ToLower(bare))
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
	if len(out) > 0 {
		out[0].raw = bare
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
