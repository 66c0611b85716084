package english

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// Pieces of patterns, and the options that begin a project and change one.
const (
	lead    = ` (?:{lead} )*`
	apiKind = `^ (?:(.+?) )??((?: ?(?:{api}|{app}))+)`
	purpose = ` (?:(?:to|that|which|can|for) )*{for}(?: track of| of)? (.+?)`
	having  = `(?: ,)?(?: (?:also|should|must))*(?: (?:{has}|:|•))(?: (?:{listed}|:|•))* (.+) $`
	port    = lead + `port (?:(?:to|is|number|:) )*(\d+) `
	store   = lead + `(?:(?:{kept} )*(?:{lead} )*{keep} (?:(?:{kept}|{articles}) )*)?(?:{lead} )*` +
		`({store}|(?:with|using|in|to|add|and|,|a) (?:database|db)|(?:in )?(?:a |json |local )*(?:file storage|json file)|in-memory|in memory)(?: (?:database|db|storage|store))? `
	auth    = ` (?:{lead} )*({off}|{lead}|using) (?:{lead} )*(?:(?:api key|bearer token|api token|bearer|token) {auth}|{auth}|api keys?|bearer tokens?|api tokens?)(?: {auth})* `
	cors    = lead + `({off} )?{cors}(?: (?:support|enabled))? `
	license = lead + `(?:{licensed} (?:(?:it|{lead}) )*({license})|({license}) {licensed}) `
	belongs = `^ (?:(?:{each} )*(.+?) )?{belongs} to (.+) $`
)

// Begin lists the forms of a request for a new project, in the order in which they
// are tried.
var Begin = []Form{
	{"a todo list API in Go", lead + `({language})(?: language)? `, option("language")},
	{"a todo list API with SQLite", store, option("store")},
	{"a todo list API with authentication", auth, option("auth")},
	{"a todo list API on port 9100", port, option("port")},
	{"a todo list API with CORS", cors, option("cors")},
	{"a todo list API under the MIT license", license, option("license")},
	{"a todo list API called errands", ` ((?:field|section|record) )?{named} ((?-i:[A-Z][\w'-]*(?: (?:and |of |the )?[A-Z][\w'-]*)*)|[\w-]+) `, (*reader).named},
	{"an API for books and authors", apiKind + purpose + `(?:` + having + `| $)`, (*reader).api},
	{"a CRM API with contacts and customers", apiKind + `()(?:` + strings.Replace(having, "•", `•|\(`, 1) + `| $)`, (*reader).api},
	{"a web site for a bakery in Bristol", `^ (?:(.+?) )??((?: ?{site})+)(?: for (.+?))?(?:` + having + `| $)`, (*reader).site},
	{"an API for loans. A loan belongs to a book", belongs, (*reader).belonging},
	{"an API for books. Books have a title and an author", `^ (?:{each} )?(.+?)` + having, (*reader).having},
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
		value = cmp.Or(value, m[1])
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
	r.things(r.list(m[1]))
	if m[3] != "" { // what stands before may be a wish, such as serverless
		r.doubt(r.subject)
		r.subject = ""
	}
	r.things(r.list(m[3]))
	list := r.list(m[4])
	switch had := len(r.Spec.Records); {
	case len(list) == 0:
	case allMany(list):
		if r.things(list); had > 0 { // nobody says how they belong together
			r.doubt(m[4])
		}
	case had == 0:
		r.doubt(r.subject + " " + m[4])
		r.fields(r.record(r.subject), list)
	default:
		if r.fields(0, list); had > 1 {
			r.doubt(m[4])
		}
	}
	return true
}

func allMany(list []item) bool {
	return !slices.ContainsFunc(list, func(one item) bool { return !isMany(one.name) })
}

// things reads records: plurals, nouns with usual fields, and at most one other
// word, which says what all is for.
func (r *reader) things(list []item) {
	for _, one := range list {
		words := strings.Fields(trim(one.name))
		for len(words) > 0 && is("app", words[len(words)-1]) {
			words = words[:len(words)-1]
		}
		switch name := strings.Join(words, " "); {
		case name == "":
		case (nounOf(name) != name || usual[name] != "") && !strings.Contains(name, "ing "):
			r.fields(r.record(name), r.list(one.inside))
		case r.subject == "" && one.inside == "" && !is("site", words[len(words)-1]):
			r.subject = name
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
		r.sections(list)
		return is("them", noun)
	case allMany(list): // one of them, or many?
		return false
	}
	r.fields(r.subjectOf(m), list)
	return true
}

func (r *reader) belonging(m []string) bool {
	from, list := r.subjectOf(m), r.list(m[2])
	for i, one := range list {
		r.record(one.name)
		list[i].name = "-> " + nounOf(one.name)
	}
	r.fields(from, list)
	r.last = from
	return true
}

// subjectOf returns the index of the record that a clause is about.
func (r *reader) subjectOf(m []string) int {
	had, noun := len(r.Spec.Records), strings.ToLower(m[1])
	if noun == "" || is("them", noun) {
		return r.last
	}
	at := r.record(noun)
	if len(r.Spec.Records) > had && nounOf(noun) == noun && usual[noun] == "" && !is("each", strings.Fields(m[0])[0]) {
		r.doubt(noun) // which may be a field
	}
	return at
}

// site reads what a site is for, and its sections.
func (r *reader) site(m []string) bool {
	if r.Spec.Kind != "" {
		return false
	}
	subject := cmp.Or(trim(m[3]), trim(m[1]))
	if m[1] != "" && m[3] != "" || strings.Contains(subject, "ing ") {
		r.doubt(m[1] + " " + subject)
	}
	if len(r.list(strings.Replace(subject, " in ", " ", 1))) != 1 {
		subject = ""
	}
	r.Spec.Kind, r.title = spec.Site, cmp.Or(r.title, plaintext.Capital(subject))
	r.Sure = r.Sure && m[3]+m[4] != ""
	r.sections(r.list(m[4]))
	return true
}

var sectionEnd = regexp.MustCompile(` (section|page)s?$`)

func (r *reader) sections(list []item) {
	for _, one := range list {
		name := sectionEnd.ReplaceAllString(one.name, "")
		if one.inside != "" || r.Spec.FindSection(name) >= 0 || len(r.Spec.Sections) == spec.MaxSections {
			r.doubt(one.name + " " + one.inside)
		} else {
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
		if what, _, _ := strings.Cut(strings.ToLower(m[1]), " "); strings.Contains(format, "remove") && (what == "some" || what == "many") {
			r.doubt(m[0]) // which are not all
		}
		for i, group := range m[2:] {
			for _, one := range r.list(group) {
				if isMany(one.name) && strings.Contains(format, ": $2") { // a list is no field
					r.doubt(one.name)
				}
				rest[i] = strings.TrimPrefix(rest[i]+", "+one.name, ", ")
			}
		}
		for _, one := range list {
			if isMany(one.name) && strings.Contains(format, "add NOUN2.") || one.inside != "" {
				r.doubt(one.name + " " + one.inside)
			}
			r.say(strings.NewReplacer("$1", one.name, "NOUN1", nounOf(one.name), "$2", rest[0], "NOUN2", nounOf(rest[0]), "$3", rest[1]).Replace(format))
		}
		return len(list) > 0
	}
}

func (r *reader) say(line string) { r.Lines = strings.TrimPrefix(r.Lines+"\n"+line, "\n") }
