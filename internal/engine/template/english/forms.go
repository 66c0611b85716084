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
	cors    = lead + `({off} )?{cors}(?: support)? `
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
	{"an API for books. Books have a title and an author", `^ (?:({each}) )?(.+?)` + having, (*reader).having},
	{"a Go API. Books (title, author), authors (name)", `^ (.+) $`, (*reader).records},
}

// Changes lists the forms of a request for a change.
var Changes = []Form{
	{"use port 9100", port, option("port")},
	{"add a database", store, option("store")},
	{"add authentication", auth, option("auth")},
	{"add CORS", cors, option("cors")},
	{"use the MIT license", license, option("license")},
	{"rename the field title to headline", `^ rename (?:{articles} )?(?:(?:field|record) )?(.+?)(?: (?:of|in|from|on) (.+?))? (?:to|as) ([\w -]+) $`, line("rename", " ")},
	{"make isbn unique", `^ (?:make )?(.+?)(?: (?:of|in|on) (.+?))?(?: (?:should|must) be| is)? ({rules}) $`, line("", " ")},
	{"remove the field isbn from books", `^ {remove} (?:{articles} )?(?:fields? )?(.+?)(?: field)?(?: (?:of|from|in|on) (.+))?() $`, line("remove", "")},
	{"add a section menu", `^ ({add}|{remove}) (?:(?:new|{articles}) )*(?:sections? |pages? )?(?:{named} )?(.+) $`, (*reader).changeSections},
	{"add a field due date to tasks", `^ {add} (?:(?:new|{articles}) )*(?:fields? (?:{named} )?)?(.+?)(?: field)? (?:to|for) (.+) $`, (*reader).addFields},
	{"tasks belong to a project", belongs, (*reader).belonging},
	{"tasks should have a priority", `^ (?:({each}) )?(.+?)` + having, (*reader).having},
	{"add notes with title and text", `^ {add} (?:(?:new|{articles}) )*(?:{api} for )?(.+?)(?:` + having + `| $)`, (*reader).addRecords},
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
		s, err := r.Override(map[string]string{key: value})
		if err != nil || r.options[key] != "" && r.options[key] != value {
			return false
		}
		r.Spec, r.options[key] = s, value
		r.lines = append(r.lines, key+" "+cmp.Or(s.Constraints()[key], "off"))
		return true
	}
}

func (r *reader) named(m []string) bool {
	if m[1] != "" || r.Name != "" || plaintext.Slug(m[2]) == "" {
		return false
	}
	r.Name = plaintext.Slug(m[2])
	r.title = m[2]
	return true
}

// api reads what an API is for, and the records or fields that it has.
func (r *reader) api(m []string) bool {
	r.Kind = spec.API
	if !slices.ContainsFunc(strings.Fields(m[2]), func(w string) bool { return is("api", w) }) {
		r.options["app"] = m[2]
	}
	r.things(r.list(m[1]))
	r.things(r.list(m[3]))
	list := r.list(m[4])
	switch had := len(r.Records); {
	case len(list) == 0:
	case allMany(list):
		if r.things(list); had > 0 { // nobody says how they belong together
			r.doubt(m[4])
		}
	case had == 0 && plainName.MatchString(r.subject):
		r.doubt(r.subject)
		r.fields(r.record(r.subject), list)
	case had == 1:
		r.fields(0, list)
	default:
		r.doubt(m[4])
	}
	return true
}

// records reads a clause that has nothing but records.
func (r *reader) records(m []string) bool {
	list := r.list(m[1])
	if !allMany(list) || len(list) == 0 || len(list) == 1 && list[0].inside == "" || r.Kind == spec.Site {
		return false
	}
	r.things(list)
	return true
}

// having reads the fields of a record, or the sections of a site.
func (r *reader) having(m []string) bool {
	noun, list, at := strings.ToLower(m[2]), r.list(m[3]), r.last
	switch {
	case r.Kind == spec.Site:
		r.sections(list)
		return is("them", noun)
	case is("them", noun):
	case !plainName.MatchString(noun) || is("features", noun) || is("nothing", noun) || r.old != nil && r.recordOf(noun) < 0:
		return false
	default:
		at = r.record(nounOf(noun))
	}
	if at >= 0 && allMany(list) { // one of them, or many?
		r.doubt(m[3])
		for _, one := range list {
			r.refer(r.record(nounOf(one.name)), at)
		}
		return true
	}
	r.fields(at, list)
	return at >= 0
}

// belonging reads "a loan belongs to a book and a borrower".
func (r *reader) belonging(m []string) bool {
	from := r.last
	if m[1] != "" && !is("them", m[1]) {
		from = r.recordOf(m[1])
	}
	for _, one := range r.list(m[2]) {
		if to := r.record(nounOf(one.name)); from >= 0 && to >= 0 {
			r.refer(from, to)
		}
	}
	r.last = from
	return from >= 0
}

// site reads what a site is for, and its sections.
func (r *reader) site(m []string) bool {
	what, subject := trim(m[1]), cmp.Or(trim(m[3]), trim(m[1]))
	if r.Kind != "" {
		return false
	}
	r.Kind = spec.Site
	words := strings.Fields(subject)
	bad := func(w string) bool { return is("features", w) || is("ends", w) && w != "in" || is("app", w) || is("api", w) }
	if len(words) > 5 || slices.ContainsFunc(words, bad) || len(words) > 1 && strings.HasSuffix(words[0], "ing") {
		r.doubt(subject)
		subject = ""
	}
	if m[3] == "" && m[4] == "" || m[3] != "" && what != "" {
		r.doubt(what)
		r.unsure = true
	}
	if title := cmp.Or(r.title, plaintext.Capital(subject)); title != "" {
		r.Facts = []spec.Fact{{Key: "title", Value: title}}
	}
	r.sections(r.list(m[4]))
	return true
}

func (r *reader) sections(list []item) {
	for _, one := range list {
		name := sectionEnd.ReplaceAllString(one.name, "")
		if one.inside != "" || len(r.Sections) == spec.MaxSections {
			r.doubt(one.name + " " + one.inside)
		} else if r.FindSection(name) < 0 {
			r.Sections = append(r.Sections, spec.Section{Name: name})
		}
	}
}

var sectionEnd = regexp.MustCompile(` (section|page)s?$`)

// line reads a line of change about a record, or about a field of the record that is
// named, or else of the only one that has it.
func line(verb, between string) func(*reader, []string) bool {
	return func(r *reader, m []string) bool {
		name, of, path := strings.ToLower(m[1]), r.recordOf(m[2]), ""
		if at := r.recordOf(name); at >= 0 && m[2] == "" && verb != "" {
			path = r.old.Records[at].Noun
			m[3] = nounOf(m[3])
		}
		for i, rec := range r.old.Records {
			if rec.Find(name, "") < 0 && rec.Find(name, name) < 0 || m[2] != "" && i != of {
				continue
			}
			if path != "" {
				return false
			}
			path = rec.Noun + "." + name
		}
		r.lines = append(r.lines, strings.TrimSpace(verb+" "+path+between+strings.ToLower(m[3])))
		return path != ""
	}
}

// changeSections adds or removes sections of a site.
func (r *reader) changeSections(m []string) bool {
	if r.Kind != spec.Site {
		return false
	}
	if is("add", m[1]) {
		r.sections(r.list(m[2]))
		return true
	}
	for _, one := range r.list(m[2]) {
		r.lines = append(r.lines, "remove section "+sectionEnd.ReplaceAllString(one.name, ""))
	}
	return true
}

func (r *reader) addFields(m []string) bool {
	at := r.recordOf(m[2])
	if at < 0 {
		return false
	}
	r.fields(at, r.list(m[1]))
	return true
}

// addRecords reads the records of an addition as those of a new project.
func (r *reader) addRecords(m []string) bool {
	had := len(r.Records)
	r.things(r.list(m[1]))
	r.doubt(r.subject)
	if fields := r.list(m[2]); len(r.Records) == had+1 {
		r.fields(had, fields)
	} else {
		r.doubt(m[2])
	}
	return len(r.Records) > had
}

// addLines writes the lines that add what the changed spec has and the old one has not.
func (r *reader) addLines() {
	r.fill(len(r.old.Records))
	for i, rec := range r.Records {
		if i >= len(r.old.Records) {
			r.lines = append(r.lines, "add "+rec.String())
			continue
		}
		for _, f := range rec.Fields[len(r.old.Records[i].Fields):] {
			r.lines = append(r.lines, "add "+rec.Noun+"."+f.String())
		}
	}
	for _, x := range r.Sections[len(r.old.Sections):] {
		r.lines = append(r.lines, "add section "+x.Name)
	}
}
