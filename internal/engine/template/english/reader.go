package english

import (
	"cmp"
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
	wish    bool              // the subject may be a wish, such as serverless
	title   string            // that it is called
	last    int               // the record of which the request spoke last, or -1
	doubts  []string          // words that are not understood, in lower case
}

// maxBytes bounds the work for a request; what is longer is not read as a whole.
const maxBytes = 1500

var (
	pieces  = regexp.MustCompile(`\n|[,;:.•()!?]|[^\s,;:.•()!?"]{1,60}(?:[.@/][^\s,;:.•()!?"]{1,60})*`)
	clauses = regexp.MustCompile(`(?: :)?(?: \.)+ `)
	marks   = map[string]string{
		";": ".", "!": ".", "?": ".", "\n": ".", "&": "and", "+": "and", "w/": "with",
		"-": ":", "*": ":", "•": ":", "–": ":", "—": ":", "to-do": "todo", "to-dos": "todos",
	}
)

// asides are where a clause begins in the middle of a sentence.
const asides = ` (?:(?:(?:,|:|and|where|which) )+((?:{each} )?(?:(?-i:[a-z])[\w-]* ){1,2}(?:should |must )?{has}|(?:{each} )?(?:[\w-]+ )?{belongs} to|has|have)|(?:,|and|with) ([\w-]+s :)) `

// read reads a request with these forms. What no form uses is doubted.
func read(prompt string, s spec.Spec, forms []Form) *reader {
	r := &reader{Reading: Reading{Spec: s, Sure: len(prompt) <= maxBytes}, options: map[string]string{}, last: -1}
	prompt = strings.ToValidUTF8(prompt[:min(len(prompt), maxBytes)], "")
	r.words = pieces.FindAllString(prompt, -1)
	for i, w := range r.words {
		r.words[i] = cmp.Or(marks[strings.ToLower(w)], w)
	}
	text := strings.Join(r.words, " ")
	options := slices.IndexFunc(forms, func(f Form) bool { return !strings.HasPrefix(f.pattern, lead) })
	for _, form := range forms[:options] {
		text = r.cut(text, form)
	}
	text = compile(asides).ReplaceAllString(" "+text+" . ", " . $1$2 ")
	for _, clause := range clauses.Split(text, -1) {
		for _, form := range forms[options:] {
			clause = r.cut(clause, form)
		}
		r.doubt(clause)
	}
	return r
}

// What may stand behind an option, and what begins a phrase.
const (
	behindOption = `^ *(?:$|(?:[,:.()]|and|{lead}|{for}|{has}|{can}|{api}|{app}) )`
	beginsPhrase = ` (?:[,:(]|and|{for}|{has}) `
)

// cut takes what a form reads out of a clause. An option in the middle of a name is
// part of it: memory cards, a database id. A language may stand before any name: a
// Python book API.
func (r *reader) cut(clause string, form Form) string {
	clause = " " + trim(clause) + " "
	for at := 0; ; {
		m := compile(form.pattern).FindStringSubmatchIndex(clause[at:])
		if m == nil {
			return clause
		}
		start, end := at+m[0], at+m[1]
		phrase := clause[strings.LastIndex(clause[:end], " . ")+1 : end]
		switch groups := compile(form.pattern).FindStringSubmatch(clause[at:]); {
		case strings.HasPrefix(form.pattern, lead) && !compile(behindOption).MatchString(clause[end:]) &&
			(form.pattern != language || compile(beginsPhrase).MatchString(phrase)):
			at = start + 1
		case !form.read(r, groups):
			return clause
		default:
			clause, at = " "+trim(clause[:start]+" "+clause[end:])+" ", 0
		}
	}
}

// trim takes words without meaning off both ends of a clause.
func trim(clause string) string {
	clause = compile(`^(?:{nothing} )+`).ReplaceAllString(strings.Join(strings.Fields(clause), " ")+" ", "")
	return strings.TrimSpace(compile(`(?: {nothing})+ $`).ReplaceAllString(" "+clause, ""))
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
)

// list reads a list such as "title, an author and isbn (unique)". What is no name of
// at most three words is doubted, and so is whose something is.
func (r *reader) list(text string) (out []item) {
	for _, m := range listed.FindAllStringSubmatch(strings.ReplaceAll(" "+text+" ", " and ", " , "), -1) {
		whole := strings.Join(strings.Fields(strings.ToLower(m[1])), " ") + " "
		name := strings.TrimSpace(compile(`^(?:{articles} )+`).ReplaceAllString(whole, ""))
		if strings.HasPrefix(whole, "their ") || strings.HasPrefix(whole, "its ") {
			r.doubt(whole)
		}
		switch {
		case name == "" || name == "id" || is("extras", name): // which every project has
		case name == "field" || !plainName.MatchString(name) || compile(` (?:{ends}|{language}|{auth}|{features}) `).MatchString(" "+name+" "):
			r.doubt(m[0])
		default:
			out = append(out, item{name, strings.TrimSpace(m[2] + m[3])})
		}
	}
	return out
}

// fields adds fields to a record. A list without a usual name is certain only if its
// names are called fields: docker and swagger are none.
func (r *reader) fields(at int, list []item, called bool) {
	called = called || slices.ContainsFunc(list, func(one item) bool { return isField(one.name) })
	for _, one := range list {
		name, kind := ruleFirst.ReplaceAllString(one.name, "$2 $1"), cmp.Or(meaning("kinds", one.inside), one.inside)
		switch {
		case is("rules", kind):
			name += " " + kind
		case slices.Contains(spec.Kinds, kind):
			name += ": " + kind
		default:
			r.doubt(kind)
		}
		fields, err := spec.ParseFields(name)
		if err != nil || at < 0 || len(r.Spec.Records[at].Fields) == spec.MaxFields {
			r.doubt(one.name)
			continue
		}
		f := fields[0]
		if !called || f.To == "" && !plausible(f.Name) {
			r.doubt(one.name)
		}
		if rec := &r.Spec.Records[at]; rec.Find(f.Name, f.To) < 0 {
			rec.Fields = append(rec.Fields, f)
		}
	}
}

var (
	ruleFirst = regexp.MustCompile(`^(unique|required|optional) (.+)$`)
	twoWords  = regexp.MustCompile(`^\w*(?:[^s]|ss)[ -]\w+$`)                       // but not: sends email
	wishes    = regexp.MustCompile(`(?:ing|ation|less|[^e]ed)$|[0-9]|^[^aeiouy]+$`) // logging, validation, serverless, encrypted, i18n, csv
)

// isField reports whether a name is usual for a field, which its last word tells.
func isField(name string) bool {
	last := name[strings.LastIndexAny(name, " -")+1:]
	return is("fields", last) || spec.IsUsual(name) || strings.Contains(usualNames, " "+last+",")
}

// plausible reports whether a name is one of a field for certain: a usual one, or a
// word that means nothing else. A title isbn lacks a comma.
func plausible(name string) bool {
	first, _, more := strings.Cut(strings.ReplaceAll(name, "-", " "), " ")
	if name == "" || isMany(name) || is("unclear", name) || is("features", first) {
		return false
	}
	if more {
		return isField(name) && twoWords.MatchString(name) && first != "name" && first != "title"
	}
	return isField(name) || !wishes.MatchString(name)
}

// isMany reports whether a name is a plural that is no field as a rule.
func isMany(name string) bool { return nounOf(name) != name && !spec.IsUsual(name) }

// isRecord reports whether a name is one of records: a plural, or a noun with usual
// fields.
func isRecord(name string) bool {
	return usual[name] != "" || nounOf(name) != name && !strings.Contains(name, "ing ")
}

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
	if r.last < 0 && len(s.Records) < spec.MaxRecords && s.Kind != spec.Site && plainName.MatchString(noun) && !compile(` {ends} `).MatchString(" "+noun+" ") {
		s.Kind, s.Records = spec.API, append(s.Records, spec.Record{Noun: noun})
		r.last = len(s.Records) - 1
	}
	return r.last
}
