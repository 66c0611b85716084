package english

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// Pieces of patterns: what stands before an option, what an API is for, and what it has.
const (
	lead    = ` (?:{lead} )*`
	purpose = ` (?:(?:to|that|which|can|for) )*{for}(?: track of| of)? (.+?)`
	apiKind = `^(?:(.+?) )??((?: ?(?:{api}|{app}))+)`
	having  = `(?: (?:also|should|must))*(?: (?:{has}|:|•|\())(?: (?:{listed}|:))* (.+)`
)

// The options, which begin a project and change one.
const (
	port    = lead + `port (?:(?:to|is|number|:) )*(\d+) `
	store   = lead + `(?:(?:{kept} )*(?:(?:should|must|is|are|be) )*{keep} (?:(?:{kept}|all|the) )*)?(?:{lead} )*` +
		`({store}|(?:with|using|in|to|add|and|,|a) (?:database|db)|(?:in )?(?:a |json |local )*(?:file storage|json file)|in-memory|in memory)(?: (?:database|db|storage|store))? `
	auth    = lead + `({off} |basic |jwt |user )?(?:{lead} )*(?:{auth}|(?:api key|bearer token|api token|bearer|token) {auth}|(?:api key|bearer token|api token)s?)(?: {auth})* `
	cors    = lead + `({off} )?{cors}(?: support)? `
	license = lead + `((?:{licensed} (?:(?:it|{lead}) )*)?{license}(?: {licensed})?) `
	belongs = `^(?:(.+?) )?{belongs} to (.+)$`
)

// Begin lists the forms of a request for a new project.
var Begin = []Form{
	{"a todo list API in Go", lead + `({language})(?: language)? `, option("language")},
	{"a todo list API with SQLite", store, option("store")},
	{"a todo list API with authentication", auth, option("auth")},
	{"a todo list API on port 9100", port, option("port")},
	{"a todo list API with CORS", cors, option("cors")},
	{"a todo list API under the MIT license", license, option("license")},
	{"a todo list API called errands", ` ((?:field|section|record) )?{named} ((?-i:[A-Z][\w'-]*(?: (?:and |of |the )?[A-Z][\w'-]*)*)|[\w-]+) `, (*reader).named},
	{"an API for books and authors", apiKind + purpose + `(?: ,)?(?:` + strings.ReplaceAll(having, `|\(`, "") + `)?$`, (*reader).api},
	{"a CRM API with contacts and customers", apiKind + `()(?: ,)?(?:` + having + `)?$`, (*reader).api},
	{"a web site for a bakery in Bristol", `^(?:(.+?) )??((?: ?{site})+)(?: for (.+?))?(?: ,)?(?:` + having + `)?$`, (*reader).site},
	{"an API for loans. A loan belongs to a book", belongs, (*reader).belonging},
	{"an API for books. Books have a title and an author", `^(?:({each}) )?(.+?)` + having + `$`, (*reader).having},
	{"a Go API. Books (title, author), authors (name)", `^(.+)$`, (*reader).records},
}

// option reads the value of an option, which a request names once.
func option(key string) func(*reader, []string) bool {
	return func(r *reader, m []string) bool {
		value := strings.ToLower(strings.TrimSpace(m[1]))
		switch {
		case key == "auth" && !is("off", value) && value != "": // another way to authenticate
			return false
		case key == "auth":
			value = map[bool]string{true: spec.Token, false: spec.None}[value == ""]
		case key == "cors":
			value = map[bool]string{true: "on", false: "off"}[value == ""]
		case key == "license":
			words := strings.Fields(m[1])
			at := slices.IndexFunc(words, func(w string) bool { return is("license", w) })
			if value = strings.ToLower(words[at]); len(words) == 1 && words[at] == value && !strings.Contains(value, "-") {
				return false // a word such as mit, alone
			}
		case key == "store" && strings.Contains(value, "memory"):
			value = spec.Memory
		case key == "store" && strings.Contains(value, "file"):
			value = spec.File
		case key == "store" && !is("store", value):
			value = spec.SQLite
		}
		s, err := r.spec.Override(map[string]string{key: value})
		if had := r.set[key]; err != nil || had != "" && had != value {
			return false
		}
		r.spec, r.set[key] = s, value
		r.lines = append(r.lines, key+" "+value)
		return true
	}
}

func (r *reader) named(m []string) bool {
	name := plaintext.Slug(m[2])
	if m[1] != "" || name == "" || r.spec.Name != "" {
		return false
	}
	r.spec.Name, r.title = name, m[2]
	return true
}

// api reads what an API is for, and the records or fields that it has.
func (r *reader) api(m []string) bool {
	r.spec.Kind = spec.API
	if !slices.ContainsFunc(strings.Fields(m[2]), func(w string) bool { return is("api", w) }) {
		r.set["app"] = m[2]
	}
	r.things(m[1])
	r.things(m[3])
	items := r.list(m[4])
	switch had := len(r.spec.Records); {
	case len(items) == 0:
	case !slices.ContainsFunc(items, func(one item) bool { return !isMany(one.name) }):
		if had > 0 { // nobody says how they belong together
			r.doubt(m[4])
		}
		r.things(m[4])
	case had == 0 && r.subject != "":
		r.doubt(r.noun)
		r.fields(r.record(r.noun), items)
		r.subject = ""
	case had == 1:
		r.fields(0, items)
	default:
		r.doubt(m[4])
	}
	return true
}

// things reads records: plurals, nouns with usual fields, and at most one other
// word, which says what all is for.
func (r *reader) things(text string) {
	for _, one := range r.list(text) {
		words := strings.Fields(trim(one.name))
		for len(words) > 0 && is("app", words[len(words)-1]) {
			words = words[:len(words)-1]
		}
		name := strings.Join(words, " ")
		switch known := isPlural(name) || usual()[name] != nil; {
		case name == "":
		case strings.Contains(words[0], "ing") && len(words) > 1, is("site", words[len(words)-1]), r.subject != "" && !known:
			r.doubt(name)
		case known || one.inside != "":
			if !known {
				r.doubt(name)
			}
			r.fields(r.record(nounOf(name)), r.list(one.inside))
		default:
			r.subject, r.noun = trim(one.name), name
		}
	}
}

// records reads a clause that has nothing but records.
func (r *reader) records(m []string) bool {
	list := r.list(m[1])
	if r.spec.Kind == spec.Site || len(list) == 0 || slices.ContainsFunc(list, func(one item) bool { return !isPlural(one.name) || one.inside == "" && len(list) == 1 }) {
		return false
	}
	r.things(m[1])
	return true
}

// having reads the fields of a record, or the sections of a site.
func (r *reader) having(m []string) bool {
	noun, list := strings.ToLower(trim(m[2])), r.list(m[3])
	at := find(r.spec, noun)
	switch {
	case r.spec.Kind == spec.Site:
		r.sections(list)
		return is("them", noun)
	case is("them", noun) || noun == "":
		at = r.last
	case !plainName.MatchString(noun) || is("app", noun) || is("features", noun):
		return false
	case at < 0 && r.old != nil:
		return false
	default:
		if at < 0 && !isPlural(noun) && m[1] == "" && usual()[noun] == nil && !strings.Contains(m[0], noun+" :") {
			r.doubt(noun)
		}
		at = r.record(nounOf(noun))
	}
	if len(list) > 0 && !slices.ContainsFunc(list, func(one item) bool { return !isMany(one.name) }) && at >= 0 {
		r.doubt(m[3]) // one of them, or many?
		for _, one := range list {
			r.refer(r.record(nounOf(one.name)), at)
		}
		return true
	}
	r.last = at
	r.fields(at, list)
	return at >= 0
}

// belonging reads "a loan belongs to a book and a borrower".
func (r *reader) belonging(m []string) bool {
	from := r.last
	if words := strings.Fields(strings.ToLower(m[1])); len(words) > 0 && !is("them", m[1]) {
		for len(words) > 1 && is("each", words[0]) {
			words = words[1:]
		}
		from = find(r.spec, strings.Join(words, " "))
	}
	for _, one := range r.list(m[2]) {
		if from < 0 {
			return false
		}
		r.refer(from, r.record(nounOf(one.name)))
	}
	r.last = from
	return from >= 0
}

// refer adds a reference from one record to another.
func (r *reader) refer(from, to int) {
	if from < 0 || to < 0 {
		return
	}
	noun := r.spec.Records[to].Noun
	if rec := &r.spec.Records[from]; rec.Find(noun, noun) < 0 && len(rec.Fields) < spec.MaxFields {
		rec.Fields = append(rec.Fields, spec.Field{Name: noun, To: noun})
	}
}

// site reads what a site is for, and its sections.
func (r *reader) site(m []string) bool {
	what, purpose := trim(m[1]), trim(m[3])
	if r.spec.Kind != "" {
		return false
	}
	r.spec.Kind = spec.Site
	subject := cmp.Or(purpose, what)
	words := strings.Fields(subject)
	for i, w := range words {
		if is("features", w) || is("ends", w) && w != "in" || is("app", w) || i > 5 || i == 1 && strings.HasSuffix(words[0], "ing") || !plainName.MatchString(strings.ToLower(w)) {
			r.doubt(subject)
			words = nil
			break
		}
	}
	if purpose != "" {
		r.doubt(what)
	}
	r.unsure = r.unsure || purpose == "" && m[4] == "" || purpose != "" && what != ""
	r.title = cmp.Or(r.title, plaintext.Capital(strings.Join(words, " ")))
	r.sections(r.list(m[4]))
	return true
}

func (r *reader) sections(list []item) {
	for _, one := range list {
		name := one.name
		for _, suffix := range []string{"section", "sections", "page", "pages"} {
			name = strings.TrimSuffix(name, " "+suffix)
		}
		if one.inside+one.rule != "" || len(r.spec.Sections) == spec.MaxSections {
			r.doubt(one.name + " " + one.inside + " " + one.rule)
		} else if r.spec.FindSection(name) < 0 {
			r.spec.Sections = append(r.spec.Sections, spec.Section{Name: name})
		}
	}
}
