package english

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// Pieces of patterns, and the options that begin a project and change one. Patterns
// of options begin with lead.
const (
	lead     = ` (?:{lead} )*`
	having   = `(?: ,)?(?: (?:also|should|must))*(?: {has}| :)(?: (?:{listed}|:))* (.+) $`
	purpose  = `(?:(?: {can})* {for}(?:(?: ,)?(?: and)? {for})*(?:(?: {articles})* (?:track|list|collection) of| of)? (.+?))?`
	language = lead + `({language})(?: language)? `
	port     = lead + `port (?:(?:to|is|number|:) )*(\d+) `
	store    = lead + `(?:(?:{kept} (?:{lead} )*{keep}|{keep} (?:{articles} )*{kept}|stored|(?:with|and|,) data) (?:{lead} )*)?` +
		`({sql}|(?:with|using|to|add|and|,) (?:{articles} )*(?:database|db)|file storage|json file|in-memory|in memory)(?:(?: for| as)?(?: {articles})* (?:database|db|storage|store))? `
	auth    = lead + `(?:({off})|{join}) (?:{articles} )*(?:(?:api key|bearer|(?:bearer |api )?token) {auth}|{auth}|(?:api key|(?:bearer|api) token)s?) `
	cors    = lead + `({off} )?{cors}(?: (?:support|enabled))? `
	license = lead + `(?:{licensed} (?:(?:it|{lead}) )*({license})|({license}) {licensed}) `
	extras  = lead + `{join} (?:{articles} )*(?:unit |full )?{extras}(?: operations| endpoints)? `
	called  = ` ((?:field|section|record) )?{named} ((?-i:[A-Z][\w'-]*(?: (?:and |of |the )?[A-Z][\w'-]*)*)|[\w-]+) `
)

// Begin lists the forms of a request for a new project, in the order in which they
// are tried.
var Begin = []Form{
	{"a todo list API in Go", language, option("language")},
	{"a todo list API with SQLite", store, option("store")},
	{"a todo list API with authentication", auth, option("auth")},
	{"a todo list API on port 9100", port, option("port")},
	{"a todo list API with CORS", cors, option("cors")},
	{"a todo list API under the MIT license", license, option("license")},
	{"a todo list API with tests and a Dockerfile", extras, func(*reader, []string) bool { return true }},
	{"a todo list API called errands", called, (*reader).named},
	{"a web site for a bakery in Bristol", `^ (?:(.+?) )??((?: ?{site})+)(?: for (.+?))?(?:` + having + `| $)`, (*reader).site},
	{"an API for books and authors", `^ (?:(.+?) )??((?:(?: with)? ?(?:{api}|{app}))+)(?: \( ([^()]+) \) $|` + purpose + `(?:` + having + `| $))`, (*reader).api},
	{"an API for loans. A loan belongs to a book", `^ (?:(?:{each} )*(.+?) )?{belongs} to (.+) $`, (*reader).belonging},
	{"an API for books. Books have a title and an author", `^(?: (?:{each}|{for}|{articles}))*(?: (.+?))??` + having, (*reader).having},
}

// Changes lists the forms of a request for a change.
var Changes = []Form{
	{"use port 9100", port, option("port")},
	{"add a database", store, option("store")},
	{"add authentication", auth, option("auth")},
	{"add CORS", cors, option("cors")},
	{"use the MIT license", license, option("license")},
	{"add a section menu", `^ {add} (?:(?:new|{articles}) )*(?:sections? (?:{named} )?)?(.+?)(?: sections?)? $`, lines("add section $1")},
	{"remove the section menu", `^ {remove} (?:{articles} )?(?:sections? )?(.+?)(?: sections?)? $`, lines("remove section $1")},
	{"rename the field title of books to headline", `^ rename (?:{articles} )?(?:field )?(.+) (?:of|in|from) (.+) (?:to|as) ([\w -]+) $`, lines("rename NOUN2.$1 $3")},
	{"rename notes to memos", `^ rename (.+?) (?:to|as) ([\w -]+) $`, lines("rename NOUN1 NOUN2")},
	{"make the isbn of books unique", `^ (?:make )?(.+) (?:of|in|on) (.+?) ({rules}) $`, lines("NOUN2.$1 $3")},
	{"add a field due date to tasks", `^ {add} (?:(?:new|{articles}) )*(?:fields? (?:{named} )?)?(.+?)(?: field)? to (.+) $`, lines("add NOUN2.$1")},
	{"remove the field isbn from books", `^ {remove} (?:{articles} )?(?:fields? )?(.+?)(?: field)? (?:of|from|in) (.+) $`, lines("remove NOUN2.$1")},
	{"add notes with title and text", `^ {add} (?:(?:new|{articles}) )*(?:{api} for )?(.+?)` + having, lines("add NOUN1: $2")},
	{"remove notes", `^ {remove} (.+) $`, lines("remove NOUN1")},
}

// option reads an option, which a request names once.
func option(key string) func(*reader, []string) bool {
	return func(r *reader, m []string) bool {
		value := ""
		for word := range strings.FieldsSeq(m[0]) {
			if is("off", word) {
				value = "off"
			}
			value = cmp.Or(value, meaning(key, word))
		}
		value = cmp.Or(value, m[1], spec.Token) // with an API key
		s, err := r.Spec.Override(map[string]string{key: value})
		if err != nil || r.options[key] != "" && r.options[key] != value {
			return false
		}
		r.Spec, r.options[key] = s, value
		r.say(key + " " + cmp.Or(s.Constraints()[key], "off"))
		return true
	}
}

func (r *reader) named(m []string) bool {
	if m[1] != "" || r.title != "" || plaintext.Slug(m[2]) == "" {
		return false
	}
	r.title, r.Spec.Name = m[2], plaintext.Slug(m[2])
	return true
}

// api reads what an API is for, and the records or fields that it has.
func (r *reader) api(m []string) bool {
	r.Spec.Kind = spec.API
	if !slices.ContainsFunc(strings.Fields(m[2]), func(w string) bool { return is("api", w) }) && r.options["store"] == "" {
		r.doubt(m[2]) // which may be no API
	}
	r.things(m[1], false)
	if m[4] != "" {
		r.doubt(r.subject) // which may be a wish, such as serverless
		r.subject = ""
	}
	r.things(m[4], true)
	text, had := cmp.Or(m[3], m[5]), len(r.Spec.Records)
	switch list := r.list(text); {
	case len(list) == 0:
	case !slices.ContainsFunc(list, func(one item) bool { return !isMany(one.name) }):
		r.things(text, true)
		if had > 0 && !slices.ContainsFunc(list, func(one item) bool { return nounOf(one.name) == r.Spec.Records[0].Noun }) {
			r.doubt(text) // nobody says how they belong together
		}
	default:
		if had > 1 || had == 0 && (is("place", r.subject) || !plausible(r.subject)) {
			r.doubt(r.subject + " " + text) // of which?
		}
		at := 0
		if had == 0 {
			at = r.record(r.subject)
		}
		r.fields(at, list, false)
	}
	return true
}

// things reads records: plurals and nouns with usual fields. At most one other name
// says what all is for. It is doubted later unless it is a known place or stands
// behind "for" with an article: before API it may be a wish.
func (r *reader) things(text string, behind bool) {
	for i, one := range r.list(text) {
		name := compile(`(?:(?: |^){app})+$`).ReplaceAllString(trim(one.name), "")
		switch {
		case name == "":
		case isRecord(name) || behind && one.inside != "":
			r.fields(r.record(name), r.list(one.inside), false)
			if !behind && usual[name] == "" && strings.Contains(name, " ") {
				r.doubt(name) // as fast books
			}
		case r.subject == "" && i == 0 && one.inside == "":
			r.subject = name
			r.wish = !is("place", name) && !(behind && is("articles", strings.Fields(text)[0]))
		default:
			r.doubt(one.name + " " + one.inside)
		}
	}
}

// having reads the fields of a record or the sections of a site, and belonging
// "a loan belongs to a book".
func (r *reader) having(m []string) bool {
	noun, list := strings.ToLower(m[1]), r.list(m[2])
	switch {
	case r.Spec.Kind == spec.Site:
		r.sections(list, false)
		return noun == "" || is("them", noun)
	case len(list) > 0 && isMany(list[0].name): // one of them, or many?
		return false
	case noun == "" && len(r.Spec.Records) > 1 && strings.HasPrefix(m[0], " :"): // of which?
		r.doubt(m[2])
	}
	had, at := len(r.Spec.Records), r.subjectOf(noun)
	if len(r.Spec.Records) > had && nounOf(noun) == noun && usual[noun] == "" && !is("each", strings.Fields(m[0])[0]) {
		r.doubt(noun) // which may be a field
	}
	r.fields(at, list, at >= 0 && len(r.Spec.Records[at].Fields) > 0)
	return true
}

func (r *reader) belonging(m []string) bool {
	from, list := r.subjectOf(m[1]), r.list(m[2])
	for i, one := range list {
		r.record(one.name)
		list[i].name = "-> " + nounOf(one.name)
	}
	r.fields(from, list, true)
	r.last = from
	return true
}

// subjectOf returns the index of the record that a clause is about.
func (r *reader) subjectOf(noun string) int {
	if noun == "" || is("them", noun) {
		return r.last
	}
	return r.record(strings.ToLower(noun))
}

var (
	inPlace    = regexp.MustCompile(` in [A-Z][a-z]+$`)
	sectionEnd = regexp.MustCompile(` (?:section|page)s?$`)
	inOther    = regexp.MustCompile(`(?:ish|ese|ian|an|French|Dutch|Greek|Arabic|Colors?)$`) // in French
)

// site reads what a site is for, and its sections. A name that stands before the word
// site may be a wish, such as dark.
func (r *reader) site(m []string) bool {
	if r.Spec.Kind != "" || compile(` {api} `).MatchString(" "+m[1]+" ") {
		return false
	}
	subject := cmp.Or(trim(m[3]), trim(m[1]))
	in := inPlace.FindString(subject)
	if m[3] == "" && !is("place", subject) || m[3] != "" && (m[1] != "" || !is("articles", strings.Fields(m[3])[0])) ||
		inOther.MatchString(in) || is("features", strings.TrimPrefix(in, " in ")) {
		r.doubt(m[1] + " " + subject)
	}
	if len(r.list(strings.TrimSuffix(subject, in))) != 1 {
		subject = ""
	}
	r.Spec.Kind, r.title = spec.Site, cmp.Or(r.title, plaintext.Capital(subject))
	r.Sure = r.Sure && m[3]+m[4] != ""
	r.sections(r.list(m[4]), false)
	return true
}

// sections adds sections to a site. A name that is not usual is certain only if it is
// called a section: a big photo is none.
func (r *reader) sections(list []item, called bool) {
	for _, one := range list {
		name := sectionEnd.ReplaceAllString(one.name, "")
		unusual := slices.ContainsFunc(strings.Fields(name), func(w string) bool { return !is("sections", w) })
		if unusual && !called || one.inside != "" {
			r.doubt(one.name + " " + one.inside)
		}
		if r.Spec.FindSection(name) < 0 && len(r.Spec.Sections) < spec.MaxSections {
			r.Spec.Sections = append(r.Spec.Sections, spec.Section{Name: name})
		}
	}
}

// lines makes a line of change of each thing in the list that is the first group of
// a pattern, and of the other groups. NOUN1 and NOUN2 are groups as nouns of records.
func lines(format string) func(*reader, []string) bool {
	return func(r *reader, m []string) bool {
		if strings.Contains(format, "section") != (r.Spec.Kind == spec.Site) {
			return false
		}
		list, rest := r.list(m[1]), [2]string{}
		if len(list) == 0 {
			return false
		}
		for i, group := range m[2:] {
			for _, one := range r.list(group) {
				rest[i] = strings.TrimPrefix(rest[i]+", "+one.name, ", ")
			}
		}
		r.doubtLines(format, m, list)
		for _, one := range list {
			r.doubt(one.inside)
			r.say(strings.NewReplacer("$1", one.name, "NOUN1", nounOf(one.name), "$2", rest[0], "NOUN2", nounOf(rest[0]), "$3", rest[1]).Replace(format))
		}
		return true
	}
}

// doubtLines doubts what a change adds as it would be in a new project, and what of it
// has no line.
func (r *reader) doubtLines(format string, m []string, list []item) {
	switch {
	case strings.HasPrefix(format, "add section"):
		r.sections(list, strings.Contains(m[0], " section "))
	case strings.HasPrefix(format, "add NOUN1"):
		r.fields(r.record(list[0].name), r.list(m[2]), false)
	case strings.HasPrefix(format, "add NOUN2"):
		r.fields(r.record(m[2]), list, strings.Contains(m[0], " field "))
		if r.Spec.Find(list[0].name) >= 0 {
			r.doubt(m[0]) // a reference, or a text?
		}
	case strings.HasPrefix(format, "remove NOUN1") && r.Spec.Find(nounOf(m[1])) < 0: // some notes are not all
		r.doubt(m[0])
	}
}

func (r *reader) say(line string) { r.Lines = strings.TrimPrefix(r.Lines+"\n"+line, "\n") }
