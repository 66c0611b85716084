package english

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// reader is a reading in the making.
type reader struct {
	Reading
	words   []string          // of the request, with its marks
	options map[string]string // that are named
	subject string            // what the project is for, if that is no record
	title   string            // that it is called
	last    int               // the record of which the request spoke last, or -1
	doubts  []string          // words that are not understood, in lower case
}

// maxBytes bounds the work for a request; what is longer is not read as a whole.
const maxBytes = 1500

var (
	bullets = regexp.MustCompile(`:?[ \t]*\r?\n[ \t]*(?:[-*•]|\d+[.)])[ \t]+`)
	both    = regexp.MustCompile(`(?i)\b(first|start|opening) (?:and|/) (last|end|closing) (\w+)`)
	pieces  = regexp.MustCompile(`\n|[,;:.•()!?]|[^\s,;:.•()!?"]{1,60}(?:[.@/][^\s,;:.•()!?"]{1,60})*`)
	marks   = map[string]string{";": ".", "!": ".", "?": ".", "\n": ".", "&": "and", "+": "and", "-": ":", "–": ":", "—": ":", "w/": "with", "to-do": "todo", "to-dos": "todos"}
)

// asides are where a clause begins in the middle of a sentence.
const asides = ` (?:(?:(?:,|:|and|where|which) )+((?:{each} )?(?:(?-i:[a-z])[\w-]* ){1,2}(?:should |must )?{has}|(?:{each} )?(?:[\w-]+ )?{belongs} to)|(?:,|and|with) ([\w-]+s :)) `

// read reads a request with these forms. What no form uses is doubted.
func read(prompt string, s spec.Spec, forms []Form) *reader {
	r := &reader{Reading: Reading{Spec: s, Sure: len(prompt) <= maxBytes}, options: map[string]string{}, last: -1}
	prompt = strings.ToValidUTF8(prompt[:min(len(prompt), maxBytes)], "")
	r.words = pieces.FindAllString(both.ReplaceAllString(bullets.ReplaceAllString(prompt, " • "), "$1 $3 and $2 $3"), -1)
	for i, w := range r.words {
		if other := marks[strings.ToLower(w)]; other != "" {
			r.words[i] = other
		}
	}
	text := compile(asides).ReplaceAllString(" "+strings.Join(r.words, " ")+" ", " . $1$2 ")
	for clause := range strings.SplitSeq(text, " .") {
		for _, form := range forms {
			clause = r.cut(clause, form)
		}
		r.doubt(clause)
	}
	return r
}

// cut takes what a form reads out of a clause.
func (r *reader) cut(clause string, form Form) string {
	for clause = " " + trim(clause) + " "; ; {
		m, rest := form.find(clause)
		if m == nil || !form.read(r, m) {
			return clause
		}
		clause = rest
	}
}

// find returns the groups of the first match, or nil, and the clause without it. An
// option right behind "for" is the beginning of a noun: an API for memory cards.
func (f Form) find(clause string) (groups []string, rest string) {
	re := compile(f.pattern)
	for at := 0; ; {
		m := re.FindStringSubmatchIndex(clause[at:])
		if m == nil {
			return nil, clause
		}
		before := strings.Fields(clause[:at+m[0]])
		if n := len(before); n == 0 || !strings.HasPrefix(f.pattern, lead) || !is("for", before[n-1]) || is("keep", before[n-1]) {
			return re.FindStringSubmatch(clause[at:]), clause[:at+m[0]] + " " + clause[at+m[1]:]
		}
		at += m[0] + 1
	}
}

// trim takes words without meaning off both ends of a clause.
func trim(clause string) string {
	words := strings.Fields(clause)
	for len(words) > 0 && is("nothing", words[0]) {
		words = words[1:]
	}
	for len(words) > 0 && is("nothing", words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

// doubt notes words that are not understood.
func (r *reader) doubt(text string) {
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if !is("nothing", word) {
			r.Sure, r.doubts = false, append(r.doubts, word)
		}
	}
}

// understood completes a reading: every word that is not doubted is understood.
func (r *reader) understood() Reading {
	for _, w := range r.words {
		to := &r.Understood
		if slices.Contains(r.doubts, strings.ToLower(w)) {
			to = &r.NotUnderstood
		}
		if !is("nothing", w) && strings.ContainsFunc(w, unicode.IsLetter) && !slices.Contains(*to, w) {
			*to = append(*to, w)
		}
	}
	return r.Reading
}

// item is one thing of a list, with what stands in parentheses or a colon behind it.
type item struct{ name, inside string }

var (
	listed    = regexp.MustCompile(`([^,:()]+)(?:: ([^,:()]+)|\(([^()]*)\))?`)
	plainName = regexp.MustCompile(`^[a-z][a-z0-9]*([ _-][a-z0-9]+){0,2}$`)
	numbers   = regexp.MustCompile(`[0-9]-[0-9]`)
)

// list reads a list such as "title, an author and isbn (unique)". What is no name of
// at most three words is doubted.
func (r *reader) list(text string) (out []item) {
	text = strings.NewReplacer(" and ", " , ", " • ", " , ").Replace(" " + text + " ")
	for _, m := range listed.FindAllStringSubmatch(text, -1) {
		words := strings.Fields(strings.ToLower(m[1]))
		for len(words) > 0 && is("articles", words[0]) {
			words = words[1:]
		}
		name := strings.Join(words, " ")
		switch bad := func(w string) bool {
			return is("ends", w) || is("features", w) || is("language", w) || is("auth", w) || is("typed", w)
		}; {
		case name == "" || is("extras", name):
		case name == "field" || numbers.MatchString(name) || !plainName.MatchString(name) || slices.ContainsFunc(words, bad):
			r.doubt(m[0])
		default:
			out = append(out, item{name, strings.TrimSpace(m[2] + m[3])})
		}
	}
	return out
}

var (
	ruleFirst = regexp.MustCompile(`^(unique|required|optional) (.+)$`)
	noCommas  = regexp.MustCompile(`^(.+ )?(name|title) .`)
)

// fields adds fields to a record. What may mean more than a text is doubted: a
// plural, what stands in parentheses, and words without commas, such as name email.
func (r *reader) fields(at int, list []item) {
	for _, one := range list {
		name, kind := ruleFirst.ReplaceAllString(one.name, "$2 $1"), meaning("kinds", one.inside)
		if is("rules", one.inside) {
			name += " " + one.inside
		} else if kind == "" {
			r.doubt(one.inside)
		}
		if isMany(one.name) || noCommas.MatchString(one.name) || len(list) == 1 && strings.Contains(strings.TrimPrefix(one.name, "-> "), " ") {
			r.doubt(one.name)
		}
		fields, err := spec.ParseFields(name)
		if err != nil || at < 0 || len(r.Spec.Records[at].Fields) == spec.MaxFields {
			r.doubt(name)
		} else if rec := &r.Spec.Records[at]; rec.Find(fields[0].Name, fields[0].To) < 0 {
			fields[0].Kind = kind
			rec.Fields = append(rec.Fields, fields[0])
		}
	}
}

// isMany reports whether a name is a plural that is no field as a rule.
func isMany(name string) bool { return nounOf(name) != name && !spec.IsUsual(name) }

// nounOf returns the noun of a plural, and any other name as it is.
func nounOf(name string) string {
	at := strings.LastIndexByte(name, ' ') + 1
	last, one := name[at:], spec.SingularOf(name[at:])
	if len(last) < 4 || is("single", last) || spec.PluralOf(one) != last || !strings.HasSuffix(last, "s") && last != "people" && last != "children" {
		return name
	}
	return name[:at] + one
}

// record returns the index of the record that a name means, which it adds if it is
// not there, or -1.
func (r *reader) record(name string) int {
	noun, s := nounOf(name), &r.Spec
	r.last = slices.IndexFunc(s.Records, func(rec spec.Record) bool { return rec.Noun == noun || strings.HasSuffix(rec.Noun, " "+noun) })
	if r.last < 0 && len(s.Records) < spec.MaxRecords && s.Kind != spec.Site && plainName.MatchString(noun) {
		s.Kind, s.Records = spec.API, append(s.Records, spec.Record{Noun: noun})
		r.last = len(s.Records) - 1
	}
	return r.last
}
