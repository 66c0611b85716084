package english

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// reader is a spec in the making.
type reader struct {
	spec.Spec
	old     *spec.Spec // nil: a new project
	words   []string   // of the request, with its marks
	lines   []string   // of a change
	options map[string]string
	subject string // what the project is for, if that is no record
	last    int    // the record of which the request spoke last
	title   string // that the project is called
	doubts  []string
	usuals  []string // nouns of records with usual fields
	bare    []string // nouns of records without known fields
	unsure  bool
}

// maxBytes bounds the work for a request; what is longer is not read as a whole.
const maxBytes = 3000

var (
	bullets = regexp.MustCompile(`:?[ \t]*\r?\n[ \t]*(?:[-*•]|\d+[.)])[ \t]+`)
	both    = regexp.MustCompile(`(?i)\b(first|start|opening) (?:and|/) (last|end|closing) (\w+)`)
	pieces  = regexp.MustCompile(`\n|[,;:.•()!?]|[^\s,;:.•()!?"]{1,60}(?:[.@/][^\s,;:.•()!?"]{1,60})*`)
	marks   = map[string]string{";": ".", "!": ".", "?": ".", "\n": ".", "&": "and", "+": "and", "-": ":", "–": ":", "—": ":", "w/": "with", "plus": "and"}
)

// asides are where a clause begins in the middle of a sentence.
const asides = ` (?:(?:,|:|and|where|which) )+((?:{each} )?(?:[\w-]+ ){1,2}(?:should |must )?{has}|(?:{each} )?(?:[\w-]+ )?{belongs} to) `

// run reads the clauses of a request.
func (r *reader) run(prompt string, forms []Form) {
	r.unsure = len(prompt) > maxBytes
	prompt = strings.ToValidUTF8(prompt[:min(len(prompt), maxBytes)], "")
	r.words = pieces.FindAllString(both.ReplaceAllString(bullets.ReplaceAllString(prompt, " • "), "$1 $3 and $2 $3"), -1)
	for i, w := range r.words {
		if other := marks[strings.ToLower(w)]; other != "" {
			r.words[i] = other
		}
	}
	text := compile(asides).ReplaceAllString(" "+strings.Join(r.words, " ")+" ", " . $1 ")
	for clause := range strings.SplitSeq(text, " .") {
		for _, form := range forms {
			clause = r.cut(clause, form)
		}
		r.doubt(clause)
	}
}

// cut takes what a form reads out of a clause.
func (r *reader) cut(clause string, form Form) string {
	re := compile(form.pattern)
	for clause = " " + trim(clause) + " "; ; {
		m := re.FindStringSubmatch(clause)
		if m == nil || !form.read(r, m) {
			return clause
		}
		clause = strings.Replace(clause, m[0], " ", 1)
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
	for word := range strings.FieldsSeq(text) {
		if !is("nothing", word) {
			r.unsure = true
			r.doubts = append(r.doubts, strings.ToLower(word))
		}
	}
}

// reading returns what was read, and which words were used.
func (r *reader) reading() Reading {
	out := Reading{Spec: r.Spec, Lines: strings.Join(r.lines, "\n")}
	for _, w := range r.words {
		switch {
		case !strings.ContainsFunc(w, unicode.IsLetter) && len(w) < 2:
		case slices.Contains(r.doubts, strings.ToLower(w)):
			out.NotUnderstood = append(out.NotUnderstood, w)
		case !is("nothing", w):
			out.Understood = append(out.Understood, w)
		}
	}
	out.Usual, out.Bare = r.usuals, r.bare
	out.Sure = !r.unsure && len(out.Bare) == 0
	return out
}

// item is one thing of a list, with what stands in parentheses or a colon behind it.
type item struct{ name, inside string }

var (
	listed    = regexp.MustCompile(`([^,:()]+)(?:: ([^,:()]+)|\(([^()]*)\))?`)
	slashed   = regexp.MustCompile(`([\w-]+) ([\w-]+(?:/[\w-]+)+)`)
	plainName = regexp.MustCompile(`^[a-z][a-z0-9]*([ _-][a-z0-9]+){0,2}$`)
)

// list reads a list such as "title, an author and isbn (unique)". What is no name of
// at most three words is doubted.
func (r *reader) list(text string) (out []item) {
	text = slashed.ReplaceAllString(strings.NewReplacer(" and ", " , ", " • ", " , ").Replace(" "+text+" "), "$1 ( $2 )")
	for _, m := range listed.FindAllStringSubmatch(text, -1) {
		words := strings.Fields(strings.ToLower(m[1]))
		for len(words) > 0 && is("articles", words[0]) {
			words = words[1:]
		}
		name := strings.Join(words, " ")
		switch bad := func(w string) bool { return is("ends", w) || is("features", w) || is("language", w) || is("auth", w) }; {
		case name == "" || is("extras", name):
		case !plainName.MatchString(name) || slices.ContainsFunc(words, bad):
			r.doubt(m[0])
		default:
			out = append(out, item{name, strings.TrimSpace(m[2] + m[3])})
		}
	}
	return out
}

var (
	ruleFirst = regexp.MustCompile(`^(unique|required|optional) (.+)$`)
	between   = regexp.MustCompile(` ?(?:,|/| or ) ?(?:or )?`)
)

// fields adds fields to a record.
func (r *reader) fields(at int, list []item) {
	for _, one := range list {
		name, rules, kind, choices := one.name, "", "", []string(nil)
		if m := ruleFirst.FindStringSubmatch(name); m != nil {
			name, rules = m[2], " "+m[1]
		}
		last := name[strings.LastIndexByte(name, ' ')+1:]
		if name != last && is("typed", last) { // age int
			name, kind = strings.TrimSuffix(name, " "+last), ": "+meaning("typed", last)
		}
		for _, part := range between.Split(one.inside, -1) {
			switch {
			case part == "":
			case is("rules", part):
				rules += " " + part
			case is("typed", part) || is("kinds", part):
				kind = ": " + meaning("typed", part) + meaning("kinds", part)
			default:
				choices = append(choices, part)
			}
		}
		parsed, err := spec.ParseFields(name + kind + rules)
		if err != nil || at < 0 || len(choices) == 1 {
			r.doubt(one.name + " " + one.inside)
			continue
		}
		if isMany(name) || choices != nil && (kind != "" || !is("choice", last)) { // a list, or an address (street, city)
			r.doubt(one.name + " " + one.inside)
		}
		if parsed[0].Choices = choices; r.Records[at].Find(parsed[0].Name, "") < 0 && len(r.Records[at].Fields) < spec.MaxFields {
			r.Records[at].Fields = append(r.Records[at].Fields, parsed[0])
		}
	}
}
