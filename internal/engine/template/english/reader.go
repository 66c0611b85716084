package english

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/text/plaintext"
)

// reader is a reading in the making.
type reader struct {
	Reading
	words   []string          // of the request, with its marks
	options map[string]string // that are named
	subject string            // what the project is for, if that is no record
	wish    string            // the subject while nothing else says that it is none, such as serverless
	last    int               // the record of which the request spoke last, or -1
	doubts  []string          // words that are not understood, in lower case
}

// maxBytes bounds the work for a request; what is longer is not read as a whole.
const maxBytes = 1500

var (
	pieces    = regexp.MustCompile(`\n|[,;:.•()!?]|[^\s,;:.•()!?"]{1,60}(?:[.@/][^\s,;:.•()!?"]{1,60})*`)
	sentences = regexp.MustCompile(`(?: :)?(?: \.)+ `)
	letters   = regexp.MustCompile(`[\pL\pN]`)
	marks     = map[string]string{
		";": ".", "!": ".", "?": ".", "\n": ".", "&": "and", "+": "and", "w/": "with",
		"-": ":", "*": ":", "•": ":", "–": ":", "—": ":",
	}
)

// read reads a request with these forms. What no form uses is doubted.
func read(prompt string, s spec.Spec, forms []Form) *reader {
	r := &reader{Reading: Reading{Spec: s, Sure: len(prompt) <= maxBytes}, options: map[string]string{}, last: -1}
	prompt = strings.ToValidUTF8(prompt[:min(len(prompt), maxBytes)], "")
	r.words = pieces.FindAllString(prompt, -1)
	for i, w := range r.words {
		r.words[i] = cmp.Or(marks[w], meaning("spelled", w), w)
	}
	text := " " + strings.Join(r.words, " ") + " . "
	for _, rule := range rewritten {
		text = compile(rule[0]).ReplaceAllString(text, rule[1])
	}
	for _, sentence := range sentences.Split(text, -1) {
		for _, form := range forms {
			sentence = r.cut(sentence, form)
		}
		r.doubt(sentence)
	}
	return r
}

// cut takes what a form reads out of a sentence.
func (r *reader) cut(sentence string, form Form) string {
	for {
		sentence = " " + trim(sentence) + " "
		m := compile(form.pattern).FindStringSubmatch(sentence)
		if m == nil || sentence == "  " || !form.read(r, m) {
			return sentence
		}
		behind := ""
		if strings.Contains(form.pattern, tail) {
			behind = m[len(m)-1]
		}
		sentence = strings.Replace(sentence, m[0], " "+behind, 1)
	}
}

// trim takes words without meaning off both ends of a text.
func trim(text string) string {
	text = " " + strings.Join(strings.Fields(text), " ") + " "
	return strings.TrimSpace(compile(`^(?: {nothing})+ |(?: {nothing})+ $`).ReplaceAllString(text, " "))
}

// doubt notes words that are not understood: of "in Rust", Rust is not.
func (r *reader) doubt(text string) {
	words := strings.Fields(strings.ToLower(text))
	for len(words) > 1 && is("lead", words[0]) {
		words = words[1:]
	}
	words = slices.DeleteFunc(words, func(w string) bool { return is("nothing", w) })
	r.Sure = r.Sure && len(words) == 0
	r.doubts = append(r.doubts, words...)
}

// understood completes a reading: every word that is not doubted is understood.
func (r *reader) understood() Reading {
	for _, w := range r.words {
		to := &r.Understood
		if slices.Contains(r.doubts, strings.ToLower(w)) {
			to = &r.NotUnderstood
		}
		if letters.MatchString(w) && !is("nothing", w) && !slices.Contains(*to, w) {
			*to = append(*to, w)
		}
	}
	return r.Reading
}

// option reads an option, which a request names once.
func option(key string) func(*reader, []string) bool {
	return func(r *reader, m []string) bool {
		value := ""
		for word := range strings.FieldsSeq(m[0]) {
			value = cmp.Or(value, meaning("without", word), meaning(key, word))
		}
		if len(m) > 2 {
			value = m[1]
		}
		value = cmp.Or(value, spec.Token) // with an API key
		s, err := r.Spec.Override(map[string]string{key: value})
		if err != nil || cmp.Or(r.options[key], value) != value {
			return false
		}
		r.Spec, r.options[key] = s, value
		r.say(key + " " + cmp.Or(s.Constraints()[key], "off"))
		return true
	}
}

func (r *reader) say(line string) { r.Lines = strings.TrimPrefix(r.Lines+"\n"+line, "\n") }

// lines makes a line of change for each thing in the list $1. NOUN1 and NOUN2 are
// groups as nouns of records. What a change adds is doubted as in a new project.
func lines(format string) func(*reader, []string) bool {
	return func(r *reader, m []string) bool {
		if strings.Contains(format, "section") != (r.Spec.Kind == spec.Site) {
			return false
		}
		list, group := r.list(m[1]), append(m, "", "")
		if len(list) == 0 {
			return false
		}
		first, second := nounOf(list[0]), nounOf(trim(group[2]))
		at := r.Spec.Find(second)
		switch {
		case format == "add section $1":
			r.sections(list, strings.Contains(m[0], " section "))
		case format == "add NOUN1: $2":
			group[2] = strings.Join(r.list(m[2]), ", ")
			r.fields(r.record(first), r.list(m[2]), false)
		case strings.Contains(format, "NOUN2.") && at < 0:
			r.doubt(m[2])
		case format == "remove NOUN1" && r.Spec.Find(first) < 0: // some notes are not all
			r.doubt(m[1])
		case format == "add NOUN2.$1":
			r.fields(at, list, strings.Contains(m[0], " field "))
			if r.Spec.Find(first) >= 0 {
				r.doubt(m[0]) // a reference, or a text?
			}
		}
		for _, name := range list {
			r.say(strings.NewReplacer("$1", name, "NOUN1", nounOf(name), "$2", group[2], "NOUN2", second, "$3", group[3]).Replace(format))
		}
		return true
	}
}

// api reads what an API is for, before the word and behind it, and what it has.
func (r *reader) api(m []string) bool {
	words, list := m[2], r.list(m[5])
	if r.Spec.Kind == spec.Site {
		return false
	}
	r.Spec.Kind = spec.API
	r.doubt(m[3])
	before, behind := r.things(m[1], false), r.things(m[4], true)
	isAPI := compile(` {api}`).MatchString(words) || r.options["store"] != ""
	switch isApp := compile(` {app}`).MatchString(words) && len(r.Spec.Records) > 0 && usual[r.Spec.Records[0].Noun] != ""; {
	case !isAPI && !isApp:
		r.doubt(words)
	case before > 0 && (behind > 0 || !isAPI):
		r.doubt(m[4]) // todos for people, an app for a phone
	}
	if !isAPI && (len(list) < 2 || !every(list, isField)) {
		r.doubt(m[5]) // something that an app does, or one field more?
	}
	r.has(m[5], before+behind)
	if len(r.Spec.Records) != 1 {
		r.last = -1
	}
	return true
}

// has reads what an API of so many records has: other records, or fields.
func (r *reader) has(text string, records int) {
	list, had := r.list(text), len(r.Spec.Records)
	if every(list, isMany) {
		r.things(text, true)
		if records > 0 && len(r.Spec.Records) == had+len(list) {
			r.doubt(text) // nobody says how they belong together
		}
		return
	}
	if records == 0 && len(list) > 0 {
		r.doubt(r.subject) // what has a fast API?
		r.record(r.subject)
	}
	if records != 1 {
		r.doubt(text) // of which?
	}
	r.fields(r.last, list, false)
}

// things reads records, plurals and nouns with usual fields, and returns how many. At
// most one other name says what all is for. It is doubted unless it is a known place or
// stands behind "for" with an article: before API it may be a wish, such as serverless.
func (r *reader) things(text string, behind bool) (records int) {
	wish := compile(`^(?: {the})*(?: {features})+ `).FindString(text + " ")
	r.doubt(wish)
	for i, name := range r.list(strings.TrimPrefix(text+" ", wish)) {
		name = trim(compile(`(?:(?: |^)(?:{app}|{catalog}))+$`).ReplaceAllString(name, ""))
		last := name[strings.LastIndexByte(name, ' ')+1:]
		switch {
		case name == "":
		case isRecord(name) && behind:
			r.record(name)
			records++
		case isRecord(last) && !behind:
			r.record(last)
			r.doubt(strings.TrimSuffix(name, last)) // fast books
			records++
		default:
			if i > 0 || r.subject != "" {
				r.doubt(name)
			} else if !is("place", name) && !(behind && is("the", strings.Fields(text)[0])) {
				r.wish = name
			}
			r.subject = cmp.Or(r.subject, name)
		}
	}
	return records
}

// nouns reads a sentence of nothing but nouns.
func (r *reader) nouns(m []string) bool {
	had := r.subject
	if r.things(m[1], true); r.subject != had {
		r.doubt(r.subject)
	}
	return r.Spec.Kind != spec.Site
}

// having reads the fields of a record, or the sections of the site. A sentence is about
// each album, books, or the last record; another noun may be a field.
func (r *reader) having(m []string) bool {
	noun, list := strings.ToLower(trim(m[2])), r.list(m[3])
	isLast := noun == "" || is("them", noun)
	if r.Spec.Kind == spec.Site {
		r.sections(list, false)
		return isLast
	}
	isNew := m[1] == "" && !isRecord(noun) && r.Spec.Find(noun) < 0
	switch {
	case isLast:
	case isNew, every(list, isMany), compile(` (?:and|{ends}) `).MatchString(" " + noun + " "): // one of them, or many?
		return false
	default:
		r.record(noun)
	}
	r.fields(r.last, list, r.last >= 0 && len(r.Spec.Records[r.last].Fields) > 0)
	return true
}

var (
	inOther    = regexp.MustCompile(`(?:ish|ese|ian|an|French|Dutch|Greek|Arabic|Colors?)$`) // in French
	sectionEnd = regexp.MustCompile(` (?:section|page)s?$`)
)

// site reads what a site is for, and its sections. A name that stands before the word
// site may be a wish, such as dark.
func (r *reader) site(m []string) bool {
	before, article, behind, place, rest, list := trim(m[1]), m[2], m[3], m[4], m[5], m[6]
	if r.Spec.Kind != "" || compile(` {api} `).MatchString(m[1]+rest+" ") {
		return false
	}
	r.doubt(rest)
	subject := cmp.Or(behind, before)
	wrong := before != "" || article == "" || is("place", behind) && !is("business", behind) // a blog is more than a page
	if behind != "" && wrong || before != "" && !is("business", before) {
		r.doubt(before + " " + behind)
	}
	if inOther.MatchString(place) || is("features", strings.TrimPrefix(place, " in ")) {
		r.doubt(place)
	}
	if slices.Equal(r.list(subject), []string{strings.ToLower(subject)}) {
		r.Spec.Facts = []spec.Fact{{Key: "title", Value: plaintext.Capital(subject + place)}}
	} else {
		r.doubt(subject)
	}
	r.Spec.Kind, r.Sure = spec.Site, r.Sure && subject+list != ""
	r.sections(r.list(list), false)
	return true
}

// sections adds sections to a site. A name that is not usual is certain only if it is
// called a section: a big photo is none.
func (r *reader) sections(list []string, called bool) {
	for _, name := range list {
		name = sectionEnd.ReplaceAllString(name, "")
		if !called && !compile(`^(?:{sections}(?: |$))+$`).MatchString(name) {
			r.doubt(name)
		}
		if r.Spec.FindSection(name) < 0 {
			r.Spec.Sections = append(r.Spec.Sections, spec.Section{Name: name})
		}
	}
}

// finish fills in what a new project lacks.
func (r *reader) finish() {
	s := &r.Spec
	if s.Kind == spec.Site {
		for _, key := range []string{"language", "store", "auth", "cors"} { // which a site has not
			r.doubt(r.options[key])
		}
		s.Language, s.Store, s.Auth, s.CORS = "", "", "", false
		if len(s.Sections) == 0 {
			s.Sections = []spec.Section{{Name: "about"}, {Name: "contact"}}
		}
		if title := r.options["name"]; title != "" {
			s.Facts = []spec.Fact{{Key: "title", Value: title}}
		}
		return
	}
	if s.Find(nounOf(r.wish)) < 0 { // what has become a record is none
		r.doubt(r.wish)
	}
	if len(s.Records) == 0 {
		if r.subject != "blog" { // which has posts for certain
			r.Sure = false
			r.doubt(r.subject)
		}
		r.record(cmp.Or(meaning("place", r.subject), r.subject, "item"))
	}
	s.Name = plaintext.Slug(cmp.Or(s.Name, r.subject))
	for i := range s.Records {
		r.finishRecord(&s.Records[i])
	}
}

// finishRecord gives a record its usual fields if none but references are named. The
// author of a book refers to one where there are authors, and is a text where there
// are none.
func (r *reader) finishRecord(rec *spec.Record) {
	switch isNamed := func(f spec.Field) bool { return f.To == "" }; {
	case slices.ContainsFunc(rec.Fields, isNamed):
	case usual[rec.Noun] != "":
		r.Usual = append(r.Usual, rec.Noun)
		fields, _ := spec.ParseFields(usual[rec.Noun])
		fields = slices.DeleteFunc(fields, func(f spec.Field) bool { return rec.Find(f.Name, f.To) >= 0 })
		rec.Fields = append(fields, rec.Fields...)
	case rec.Fields == nil:
		r.Bare, r.Sure = append(r.Bare, rec.Noun), false
	}
	for i, f := range rec.Fields {
		of := r.Spec.Find(cmp.Or(f.To, f.Name))
		switch {
		case f.To != "" && of < 0:
			rec.Fields[i] = spec.Field{Name: f.Name}
		case f.Kind == "" && of >= 0 && r.Spec.Records[of].Noun != rec.Noun:
			rec.Fields[i].To = r.Spec.Records[of].Noun
		}
	}
}
