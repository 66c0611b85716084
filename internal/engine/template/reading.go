package template

import (
	"slices"
	"strconv"
	"strings"
)

// reading is what a request was understood to ask for. Empty means that it does
// not say. Every word of the request has found its place in it: what has none is
// in unknown.
type reading struct {
	tokens  []token
	project *spec // what is continued; nil for a new project

	kind       string
	language   string
	database   string
	auth       string
	cors       string
	license    string
	module     string
	title      string
	port       int
	things     []*thing
	sections   []string
	operations []string
	subject    string // what a site is about
	place      string // where that is
	email      string

	removed  []string  // things, sections, and fields as "field of thing"
	renamed  [2]string // a thing, from and to
	hearts   []string  // what is known, not to be had, and not to be left out either
	left     leftOut
	unknown  []string
	scripted bool // a script was asked for
	app      bool // an app was asked for, whatever that is
	given    []string
}

// thing is a noun that becomes a resource.
type thing struct {
	singular string
	fields   []field
	parents  []string // the things that it belongs to
	isPlace  bool
	known    bool // was there before
}

// read reads a request. Every phrase that the vocabulary knows has its meaning;
// other words are names where the sentence expects one, and unknown elsewhere.
func read(prompt string, project *spec) *reading {
	r := &reading{tokens: tokensOf(prompt), project: project}
	r.lookAhead()
	if project != nil {
		r.kind = project.Kind
		for _, res := range project.Resources {
			r.things = append(r.things, &thing{singular: res.Singular, fields: slices.Clone(res.Fields), known: true})
		}
	}
	if r.kind == kindSite {
		(&siteReader{reading: r}).run()
	} else {
		(&recordReader{reading: r}).run()
	}
	return r
}

// lookAhead finds the kind of what is wanted, on which the meaning of other
// words depends.
func (r *reading) lookAhead() {
	seen := map[string]bool{}
	for i := 0; i < len(r.tokens); {
		m, n := r.phrase(i)
		switch m.class {
		case isKind:
			word := r.words(i, n)
			// A page of a list, or a route, is no kind by itself.
			seen[m.value] = true
			r.scripted = r.scripted || strings.Contains(word, "script")
		case isOperation:
			r.operations = append(r.operations, m.value)
		case isContainer:
			r.app = r.app || hasSuffix(r.words(i, n), "app", "application")
		}
		i += max(n, 1)
	}
	for _, kind := range []string{kindCommand, kindAPI, kindSite} {
		if seen[kind] {
			r.kind = kind
			break
		}
	}
	// A service may be what a site is for, and a script what runs a service.
	if r.kind == kindAPI && seen[kindSite] && !r.says("api", "rest", "backend", "endpoint", "endpoints", "crud", "microservice", "webservice") {
		r.kind = kindSite
	}
	if r.kind == kindCommand && seen[kindAPI] && r.says("api", "rest", "backend", "microservice") && !r.says("cli", "line", "terminal") {
		r.kind = kindAPI
	}
	if r.kind == "" && r.project == nil && (len(r.operations) > 0 || r.says("tool", "program", "utility")) {
		r.kind = kindCommand
	}
	if r.kind != kindCommand {
		r.operations = nil
	}
	slices.Sort(r.operations)
	r.operations = slices.Compact(r.operations)
}

func (r *reading) says(words ...string) bool {
	return slices.ContainsFunc(r.tokens, func(t token) bool { return !t.mark && slices.Contains(words, t.low) })
}

// phrase finds the longest phrase of the vocabulary at a place, and its length.
func (r *reading) phrase(i int) (meaning, int) {
	for n := min(maxPhrase, len(r.tokens)-i); n > 0; n-- {
		if slices.ContainsFunc(r.tokens[i:i+n], func(t token) bool { return t.mark || t.quoted }) {
			continue
		}
		if m, ok := vocabulary[r.words(i, n)]; ok {
			return m, n
		}
	}
	if i < len(r.tokens) && !r.tokens[i].mark && !r.tokens[i].quoted && !r.tokens[i].capital {
		if right := misspelt(r.tokens[i].low); right != r.tokens[i].low {
			r.tokens[i].low = right
			return r.phrase(i)
		}
	}
	return meaning{}, 0
}

func (r *reading) words(i, n int) string {
	var b strings.Builder
	for _, t := range r.tokens[i : i+n] {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.low)
	}
	return b.String()
}

// at gives the token at a place, or the end of the sentence.
func (r *reading) at(i int) token {
	if i < 0 || i >= len(r.tokens) {
		return token{low: ".", mark: true}
	}
	return r.tokens[i]
}

// option takes a phrase that means the same in every sentence, and says how many
// words it took; none if it is no such phrase.
func (r *reading) option(m meaning, i, n int, denied bool) int {
	phrase := r.words(i, n)
	switch m.class {
	case isKind:
		return n
	case isLanguage:
		if !denied && r.language != "" && r.language != m.value {
			r.hearts = append(r.hearts, "two languages")
		}
		if !denied {
			r.language = m.value
		}
	case isDatabase:
		r.database = m.value
		if denied {
			r.database = dbNone
		}
	case isAuth:
		r.auth = m.value
		if denied {
			r.auth = authNone
		}
	case isCORS:
		r.cors = m.value
		if denied {
			r.cors = switchOff
		}
	case isLicense:
		if m.value != licenseNone || denied {
			r.license = m.value
		}
	case isGiven:
		if !denied {
			r.given = append(r.given, phrase)
		}
	case isDetail:
		if !denied {
			r.left.add(phrase, m.value)
		}
	case isHeart, isOperation:
		if !denied {
			r.hearts = append(r.hearts, strings.Trim(phrase+" ("+m.value+")", " ()")+")")
		}
	case isPort:
		return r.readPort(i, n)
	case isModule:
		next := i + n
		for r.at(next).low == ":" || r.at(next).low == "is" || r.at(next).low == "named" || r.at(next).low == "path" {
			next++
		}
		if !pathLike.MatchString(r.at(next).text) {
			return 0
		}
		r.module = r.at(next).text
		return next + 1 - i
	case isNamed:
		return r.readName(i, n)
	default:
		return 0
	}
	return n
}

func (r *reading) readPort(i, n int) int {
	next := i + n
	for slices.Contains([]string{":", "is", "to", "number", "the", "port", "on"}, r.at(next).low) {
		next++
	}
	port, err := strconv.Atoi(r.at(next).low)
	if err != nil {
		return 0
	}
	if port < 1024 || port > 65535 {
		r.hearts = append(r.hearts, "port "+r.at(next).low+" (a port is a number from 1024 to 65535)")
		return next + 1 - i
	}
	r.port = port
	return next + 1 - i
}

// readName takes the name of the project that follows a phrase such as "called".
func (r *reading) readName(i, n int) int {
	name, next := r.nameAt(i + n)
	if name == "" {
		return 0
	}
	r.title = name
	return next - i
}

// nameAt reads a name: what is quoted, words that begin with capitals, or the
// words up to one that the vocabulary knows.
func (r *reading) nameAt(i int) (string, int) {
	for r.at(i).low == ":" || r.at(i).low == "it" {
		i++
	}
	if r.at(i).quoted {
		return cleanTitle(r.at(i).text), i + 1
	}
	var words []string
	capital := r.at(i).text != "" && strings.ToUpper(r.at(i).text[:1]) == r.at(i).text[:1]
	for ; !r.at(i).mark && !r.at(i).quoted && len(words) < 6; i++ {
		t := r.at(i)
		_, known := vocabulary[t.low]
		upper := strings.ToUpper(t.text[:1]) == t.text[:1]
		inside := len(words) > 0 && (t.low == "&" || t.low == "and" || t.low == "of" || t.low == "the" || t.low == "de" || t.low == "la") && startsUpper(r.at(i+1).text)
		if capital && !upper && !inside || !capital && known && len(words) > 0 {
			break
		}
		words = append(words, t.text)
	}
	return cleanTitle(strings.Join(words, " ")), i
}

func startsUpper(s string) bool {
	return s != "" && strings.ToUpper(s[:1]) == s[:1] && strings.ToLower(s[:1]) != s[:1]
}

// deny takes what follows a word such as "without", and says how many words that
// are; none if it is nothing that could be denied.
func (r *reading) deny(i int) int {
	from, taken := i, 0
	for {
		for r.at(i).mark && r.at(i).low == "," && taken > 0 {
			i++
		}
		m, n := r.phrase(i)
		for m.class == isStop || m.class == isJoin || m.class == isDenial {
			i += n
			m, n = r.phrase(i)
		}
		switch m.class {
		case isDatabase, isAuth, isCORS, isLicense, isGiven, isDetail, isHeart, isLanguage:
			i += r.option(m, i, n, true)
			taken = i - from
		default:
			return taken
		}
	}
}
