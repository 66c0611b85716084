package english

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// Begin lists the forms of a request for a new project, in the order in which they
// are read.
var Begin = []Form{
	{"a todo list API in Go", (*reader).language},
	{"a todo list API with SQLite", (*reader).store},
	{"a todo list API with authentication", (*reader).auth},
	{"a todo list API on port 9100", (*reader).port},
	{"a todo list API with CORS", (*reader).cors},
	{"a todo list API under the MIT license", (*reader).license},
	{"a todo list API called errands", (*reader).named},
	{"a web site for a bakery in Bristol", (*reader).siteFor},
	{"a bakery website with menu and opening hours", (*reader).siteOf},
	{"a bookmarks API", (*reader).nounAPI},
	{"an API for books and authors", (*reader).apiFor},
	{"a CRM API with contacts, companies and deals", (*reader).apiWith},
	{"an API for books (title, author, isbn unique)", (*reader).bracketed},
	{"an API for books. Books have a title and an author", (*reader).having},
	{"a Python API for books with title, author and isbn", (*reader).withFields},
	{"an API for books and loans. A loan belongs to a book", (*reader).belonging},
	{"a backend for my dog salon. Customers have pets", (*reader).purpose},
}

// setting reads one word of a list, with "in", "with" and the like before it.
func (r *reader) setting(list string, set func(meant string, i int) int) {
	for i := range r.words {
		meant, known := lists()[list][r.low(i)]
		if !known || r.words[i].used {
			continue
		}
		end := set(meant, i)
		if end == 0 {
			continue
		}
		from := i
		for from > 0 && (is("in", r.low(from-1)) || slices.Contains([]string{"a", "an", "the"}, r.low(from-1))) {
			from--
		}
		r.use(from, end)
	}
}

// once sets a value that a request names once; a second value leaves its words unread.
func once(to *string, value string) bool {
	if *to != "" && *to != value {
		return false
	}
	*to = value
	return true
}

func (r *reader) language() {
	r.setting("language", func(meant string, i int) int {
		if !once(&r.spec.Language, meant) {
			return 0
		}
		return i + 1
	})
}

func (r *reader) store() {
	r.setting("store", func(meant string, i int) int {
		if (meant == spec.File || meant == spec.Memory) && !is("in", r.low(r.before(i))) || !once(&r.spec.Store, meant) {
			return 0
		}
		return r.behind(i+1, "database", "db", "store")
	})
}

// before returns the place of the word before i, articles aside.
func (r *reader) before(i int) int {
	for i--; slices.Contains([]string{"a", "an", "the"}, r.low(i)); i-- {
	}
	return i
}

// behind returns i, or the place behind one of these words that stands there.
func (r *reader) behind(i int, these ...string) int {
	if slices.Contains(these, r.low(i)) {
		return i + 1
	}
	return i
}

func (r *reader) auth() {
	r.setting("auth", func(_ string, i int) int {
		if r.low(i-1) == "no" {
			r.spec.Auth = spec.None
			r.use(i-1, i)
			return i + 1
		}
		if r.low(i-2) == "api" && r.low(i-1) == "key" {
			r.use(i-2, i)
			r.spec.Auth = spec.Token
			return i + 1
		}
		if before := r.low(i - 1); !is("in", before) && before != "and" && before != "," && before != "a" && before != "token" && before != "add" && before != "require" {
			return 0
		}
		r.spec.Auth = spec.Token
		return r.behind(i+1, "authentication", "auth", "token")
	})
}

func (r *reader) port() {
	for i := range r.words {
		n, err := strconv.Atoi(r.low(i + 1))
		if r.low(i) == "to" || r.low(i) != "port" || err != nil || n < spec.MinPort || n > spec.MaxPort {
			continue
		}
		r.spec.Port = n
		from := i
		if is("in", r.low(i-1)) {
			from--
		}
		r.use(from, i+2)
	}
}

func (r *reader) cors() {
	r.setting("cors", func(_ string, i int) int {
		r.spec.CORS = true
		return i + 1
	})
}

func (r *reader) license() {
	r.setting("license", func(meant string, i int) int {
		alone := r.words[i].raw == strings.ToUpper(r.words[i].raw) || strings.Contains(r.low(i), "-") // MIT, Apache-2.0
		if !alone && !is("licensed", r.low(i+1)) || !once(&r.spec.License, strings.ReplaceAll(meant, "apache", "apache-2.0")) {
			return 0
		}
		if other := spec.Synonyms["license"][meant]; other != "" {
			r.spec.License = other
		}
		return r.behind(i+1, "license", "licence", "licensed")
	})
}

func (r *reader) named() {
	for i := range r.words {
		at := i + 1
		if r.low(at) == `"` {
			at++
		}
		if !is("named", r.low(i)) || !r.free(at) || !plainName.MatchString(r.low(at)) {
			continue
		}
		end := at + 1
		for r.free(end) && r.words[end].raw[0] >= 'A' && r.words[end].raw[0] <= 'Z' && plainName.MatchString(r.low(end)) {
			end++
		}
		var words []string
		for k := at; k < end; k++ {
			words = append(words, r.words[k].raw)
		}
		if r.spec.Name = plaintext.Slug(strings.Join(words, " ")); r.spec.Name != "" {
			r.title = strings.Join(words, " ")
			r.use(i, end)
		}
		return
	}
}

// siteWord returns the place behind a word for a site that stands at i, or 0.
func (r *reader) siteWord(i int) int {
	for i < len(r.words) && (r.low(i) == "web" || r.low(i) == "landing" || r.low(i) == "home" || r.low(i) == "static") {
		i++
	}
	if is("site", r.low(i)) && !r.words[i].used {
		return i + 1
	}
	return 0
}

// siteFor reads "a web site for a bakery in Bristol".
func (r *reader) siteFor() {
	for i := range r.words {
		end := r.siteWord(i)
		if end == 0 || !is("for", r.low(end)) {
			continue
		}
		subject, next := r.subject(r.skip(end + 1))
		if subject == "" {
			continue
		}
		r.site(subject, i, next)
		return
	}
}

var subjectWord = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,23}$`)

// siteOf reads "a bakery website".
func (r *reader) siteOf() {
	for i := range r.words {
		end := r.siteWord(i)
		if r.spec.Kind != "" || end == 0 {
			continue
		}
		from := i
		var words []string
		for from > 0 && len(words) < 3 && r.free(from-1) && !is("nothing", r.low(from-1)) && !is("ends", r.low(from-1)) && subjectWord.MatchString(r.low(from-1)) {
			from--
			words = append([]string{r.low(from)}, words...)
		}
		r.site(strings.Join(words, " "), from, end)
		return
	}
}

// subject reads what a site is for: at most three words, and the place where it is.
func (r *reader) subject(i int) (text string, end int) {
	var words []string
	for end = i; r.free(end) && len(words) < 4 && !is("ends", r.low(end)) && !is("in", r.low(end)) && !is("features", r.low(end)); end++ {
		words = append(words, r.words[end].raw)
	}
	if len(words) == 0 || len(words) > 3 || len(words) > 1 && strings.HasSuffix(words[0], "ing") {
		return "", i
	}
	if at := end + 1; r.low(end) == "in" && r.free(at) && r.words[at].raw != r.low(at) {
		words = append(words, "in")
		for end = at; r.free(end) && r.words[end].raw != r.low(end); end++ {
			words = append(words, r.words[end].raw)
		}
	}
	return strings.Join(words, " "), end
}

// site notes that a site is wanted, and reads the sections behind it.
func (r *reader) site(subject string, from, end int) {
	r.spec.Kind, r.spec.Language = spec.Site, ""
	if title := cmp.Or(r.title, plaintext.Capital(subject)); title != "" {
		r.spec.Facts = []spec.Fact{{Key: "title", Value: title}}
	}
	r.use(from, end)
	if r.low(end) == "," && r.low(end+1) == "with" {
		end++
	}
	if r.low(end) == "with" || r.low(end) == ":" {
		if r.low(end+1) == "sections" {
			r.use(end, end+2)
			end++
		}
		list, _ := r.items(r.skip(end + 1))
		r.addSections(list)
		if len(list) > 0 {
			r.use(end, end+1)
		}
	}
	if len(r.spec.Sections) == 0 {
		r.spec.Sections = slices.Clone(usualSections)
	}
}

// usualSections are those of a site of which no section is named.
var usualSections = []spec.Section{{Name: "about"}, {Name: "contact"}}

// addSections adds a list of sections to a site.
func (r *reader) addSections(list []item) {
	for _, one := range list {
		name := strings.TrimSuffix(strings.TrimSuffix(one.name, " section"), " page")
		if one.rule == "" && len(r.spec.Sections) < spec.MaxSections && !slices.ContainsFunc(r.spec.Sections, func(s spec.Section) bool { return s.Name == name }) {
			r.spec.Sections = append(r.spec.Sections, spec.Section{Name: name})
			r.use(one.from, one.to)
		}
	}
}

// nounAPI reads "a todo list API" and "a bookmarks API": a plural, or a noun with
// usual fields.
func (r *reader) nounAPI() {
	for i := range r.words {
		tracker := is("tracker", r.low(i)) && !is("api", r.low(i+1))
		if r.spec.Kind == spec.Site || !is("api", r.low(i)) && !tracker || r.words[i].used {
			continue
		}
		end, at := i+1, i-1
		if is("api", r.low(end)) {
			end++
		}
		for at >= 0 && !r.words[at].mark && (r.words[at].used || is("holder", r.low(at)) || is("nothing", r.low(at)) && r.low(at) != "a" && r.low(at) != "an") {
			at--
		}
		if !r.free(at) {
			continue
		}
		noun := spec.SingularOf(r.low(at))
		if usual()[noun] == nil && !isPlural(r.low(at)) {
			continue
		}
		r.record(noun)
		for k := at; k < end; k++ {
			if !is("nothing", r.low(k)) {
				r.use(k, k+1)
			}
		}
	}
}

// apiFor reads "an API for books and authors".
func (r *reader) apiFor() {
	for i := range r.words {
		if r.spec.Kind == spec.Site || !is("api", r.low(i)) && !is("holder", r.low(i)) {
			continue
		}
		at := i + 1
		for at < len(r.words) && r.words[at].used && !is("for", r.low(at)) || r.low(at) == "to" || is("api", r.low(at)) {
			at++
		}
		if !is("for", r.low(at)) || r.words[at].used {
			continue
		}
		list, end := r.nouns(at + 1)
		if one := r.skip(at + 1); list == nil && usual()[r.low(one)] != nil && is("holder", r.low(one+1)) { // for a todo list
			list, end = []string{r.low(one)}, one+2
		}
		for _, noun := range list {
			r.record(noun)
		}
		if len(list) > 0 {
			r.use(i, end)
			return
		}
	}
}

// apiWith reads "a CRM API with contacts, companies and deals": the records are told
// behind, and the word before names the project.
func (r *reader) apiWith() {
	for i := range r.words {
		at := i + 1
		for at < len(r.words) && r.words[at].used {
			at++
		}
		if len(r.spec.Records) > 0 || r.spec.Kind == spec.Site || !is("api", r.low(i)) || r.low(at) != "with" && r.low(at) != ":" {
			continue
		}
		list, end := r.nouns(at + 1)
		if len(list) < 2 {
			continue
		}
		for _, noun := range list {
			r.record(noun)
		}
		if r.free(i-1) && !is("nothing", r.low(i-1)) && plainName.MatchString(r.low(i-1)) && r.spec.Name == "" {
			r.spec.Name = plaintext.Slug(r.low(i-1) + "-" + spec.API)
			r.use(i-1, i)
		}
		r.use(i, end)
		return
	}
}

// nounAt returns the index of the record that a word names, or -1.
func (r *reader) nounAt(i int) int {
	if i < 0 || r.low(i) == "" {
		return -1
	}
	for k, rec := range r.spec.Records {
		words := strings.Fields(rec.Noun)
		if last := words[len(words)-1]; r.low(i) == last || r.low(i) == spec.PluralOf(last) {
			return k
		}
	}
	return -1
}

// bracketed reads "books (title, author)" and, on a line, "books: title, author".
func (r *reader) bracketed() {
	for i := range r.words {
		of := r.nounAt(i - 1)
		if noun, _ := r.plural(i - 1); of < 0 && noun != "" && r.spec.Kind != spec.Site && (r.low(i) == "(" || r.low(i) == ":") {
			of = r.record(noun)
		}
		listed := r.low(i) == "(" || r.low(i) == ":" || r.low(i) == "\n" && r.low(i+1) == "-"
		if of < 0 || !listed {
			continue
		}
		list, _ := r.items(i + 1)
		r.addFields(of, list)
		r.use(i-1, i)
	}
}

// having reads "books have a title" and "each book has a title".
func (r *reader) having() {
	for i := range r.words {
		if !is("has", r.low(i)) {
			continue
		}
		of := r.nounAt(i - 1)
		one, _ := r.plural(i - 1)
		if many, _ := r.plural(r.behind(i+1, "many")); of < 0 && one != "" && many != "" && r.spec.Kind != spec.Site {
			of = r.record(one)
			r.record(many)
		}
		if of < 0 {
			continue
		}
		from := i - 1
		if is("each", r.low(from-1)) {
			from--
		}
		if many := r.nounAt(r.behind(i+1, "many")); many >= 0 && many != of && isPlural(r.low(r.behind(i+1, "many"))) { // shelters have many animals
			r.refer(many, of)
			r.use(from, r.behind(i+1, "many")+1)
			continue
		}
		list, _ := r.items(i + 1)
		if r.addFields(of, list); len(list) > 0 {
			r.use(from, i+1)
		}
	}
}

// withFields reads "with title, author and isbn" behind the only record.
func (r *reader) withFields() {
	for i := range r.words {
		if len(r.spec.Records) != 1 || r.low(i) != "with" || r.words[i].used {
			continue
		}
		list, _ := r.items(i + 1)
		if r.addFields(0, list); len(list) > 0 {
			r.use(i, i+1)
		}
	}
}

// belonging reads "a loan belongs to a book and a borrower".
func (r *reader) belonging() {
	for i := range r.words {
		if !is("belongs", r.low(i)) || r.low(i+1) != "to" {
			continue
		}
		from := r.nounAt(i - 1)
		for at := r.skip(i + 2); from >= 0; at = r.skip(at + 1) {
			to := r.nounAt(at)
			if to < 0 || to == from {
				break
			}
			r.refer(from, to)
			r.use(i-1, at+1)
			if r.low(at+1) == "and" || r.low(at+1) == "," {
				at++
			}
		}
		if from >= 0 && is("each", r.low(i-2)) && r.words[i].used {
			r.use(i-2, i)
		}
	}
}

// refer adds a reference from one record to another.
func (r *reader) refer(from, to int) {
	noun := r.spec.Records[to].Noun
	if rec := &r.spec.Records[from]; !slices.ContainsFunc(rec.Fields, func(f spec.Field) bool { return f.To == noun }) {
		rec.Fields = append(rec.Fields, spec.Field{Name: noun, To: noun})
	}
}

// purpose reads "for my dog salon" where the records are told elsewhere.
func (r *reader) purpose() {
	for i := range r.words {
		at := r.skip(i + 1)
		if len(r.spec.Records) == 0 || r.spec.Kind == spec.Site || r.words[i].used || r.low(i) != "for" || at == i+1 {
			continue
		}
		subject, end := r.subject(at)
		if subject == "" || end < len(r.words) && !r.words[end].mark && !r.words[end].used {
			continue
		}
		if r.spec.Name == "" {
			r.spec.Name = plaintext.Slug(subject)
		}
		from := i
		for from > 0 && !r.words[from-1].mark && (is("api", r.low(from-1)) || is("nothing", r.low(from-1))) {
			from--
		}
		r.use(from, end)
	}
}
