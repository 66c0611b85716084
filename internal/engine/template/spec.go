package template

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/constraint"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// The kinds of projects, the languages and the databases.
const (
	kindAPI, kindSite, kindCommand                 = "api", "site", "command"
	langGo, langTypeScript, langPython, langStatic = "go", "typescript", "python", "static"
	dbFile, dbSQLite, dbPostgres                   = "file", "sqlite", "postgres"
	dbAny, none                                    = "yes", "none" // asks for whatever suits the language; the database, the authentication and the license of a project without
)

// languages lists what a kind can be written in; the first is the usual.
var languages = map[string][]string{
	kindAPI: {langGo, langTypeScript, langPython}, kindCommand: {langGo, langPython}, kindSite: {langStatic},
}

// databases lists where an API can keep its data; the second is what "a database" means.
var databases = map[string][]string{
	langGo: {none, dbPostgres, dbSQLite, dbFile}, langTypeScript: {none, dbPostgres, dbSQLite, dbFile}, langPython: {none, dbSQLite, dbPostgres, dbFile},
}

// Bounds on what a prompt can make a project grow to.
const (
	maxResources = 8
	maxFields    = 20
	maxSections  = 10
	maxSubject   = 4    // words that say what a page is about
	maxLeftOut   = 2000 // characters of what is told of omissions
	maxPageSize  = 1000
	maxState     = 8000 // bytes of the resources
)

// spec is everything that the files of a project depend on.
type spec struct {
	Kind       string
	Language   string
	Name       string // lower-case letters, digits, hyphens
	Title      string // for people; letters, digits, spaces, hyphens, apostrophes, ampersands
	Module     string // the path of a Go module; empty: made of the name
	Port       int
	Resources  []resource // an API has at least one
	Operations []string   // a command has at least one, or one resource
	Sections   []string   // a site has at least one
	Subject    string     // what a site is about, in a few words; may be empty
	Place      string     // where that is; may be empty
	Email      string     // for a site's contact; may be empty
	Phone      string     // as it was given; may be empty, as all that is told of a site's owner
	Hours      string     // when it is open
	Address    string     // the street, without the place
	When       string     // the day of what a site is about
	Database   string
	Auth       string
	CORS       string
	License    string
	PageSize   int      // of the lists of an API; 0: what the request asks for, or all
	Left       []string // what requests named and the project has not
	Former     []string // databases that the project once had: merging keeps what was configured for them
}

// stateKeyEngine marks a project as begun by this engine.
const stateKeyEngine, engineName = "engine", "template"

// decision is one entry of the project's state.
type decision struct {
	Key string
	to  any  // where the spec keeps it: *string, *int, *[]string or *[]resource
	bad bool // it is nothing that this engine would have decided
}

// Decisions gives the state that keeps the spec, in a fixed order. The state
// goes through other hands, so each value can be held to the rules of those that
// are read from a prompt.
func (s *spec) Decisions() []decision {
	engine, left := engineName, strings.Join(s.Left, "; ")
	return []decision{
		{stateKeyEngine, &engine, false},
		{"kind", &s.Kind, languages[s.Kind] == nil},
		{"language", &s.Language, !slices.Contains(languages[s.Kind], s.Language)},
		{"name", &s.Name, s.Name == "" || slug(s.Name) != s.Name},
		{"title", &s.Title, s.Title == "" || plaintext.Title(s.Title) != s.Title},
		{"module", &s.Module, s.Module != "" && !words.PathLike.MatchString(s.Module)},
		{"port", &s.Port, s.Kind != kindCommand && notPort(s.Port)},
		{"sections", &s.Sections, (s.Kind == kindSite) != (len(s.Sections) > 0) || len(s.Sections) > maxSections || slices.ContainsFunc(s.Sections, notSectionName)},
		{"subject", &s.Subject, len(strings.Fields(s.Subject)) > maxSubject || plaintext.Line(s.Subject, plaintext.MaxTitle) != s.Subject || strings.ContainsAny(s.Subject, "<>&\"'`{}\\")},
		{"place", &s.Place, plaintext.Title(s.Place) != s.Place},
		{"email", &s.Email, s.Email != "" && !words.MailLike.MatchString(s.Email)},
		{"phone", &s.Phone, s.Phone != "" && !words.PhoneLike.MatchString(s.Phone)},
		{"hours", &s.Hours, s.Hours != "" && !asTold.MatchString(s.Hours)},
		{"address", &s.Address, s.Address != "" && !asTold.MatchString(s.Address)},
		{"when", &s.When, s.When != "" && !asTold.MatchString(s.When)},
		{"operations", &s.Operations, slices.ContainsFunc(s.Operations, func(o string) bool { return !is("does", o) })},
		{"resources", &s.Resources, badResources(s.Resources) || len(s.Resources) == 0 && s.Kind != kindSite && len(s.Operations) == 0},
		{"database", &s.Database, !slices.Contains(s.valuesOf("database"), s.Database)},
		{"auth", &s.Auth, !slices.Contains(s.valuesOf("auth"), s.Auth)},
		{"cors", &s.CORS, !slices.Contains(s.valuesOf("cors"), s.CORS)},
		{"former_databases", &s.Former, slices.ContainsFunc(s.Former, func(d string) bool { return !slices.Contains(databases[s.Language], d) })},
		{"page_size", &s.PageSize, s.PageSize < 0 || s.PageSize > maxPageSize || s.PageSize > 0 && s.Kind != kindAPI},
		{"license", &s.License, !slices.Contains(s.valuesOf("license"), s.License)},
		{"left_out", &left, plaintext.Line(left, maxLeftOut) != left},
	}
}

// valuesOf lists what a choice can be; what a kind does not have is empty, and not in its state.
func (s *spec) valuesOf(key string) []string {
	switch {
	case s.Kind != kindAPI && key != "license":
		return []string{""}
	case key == "database":
		return databases[s.Language]
	}
	return strings.Split(tables["constraint-value"][key], ", ")
}

// Text gives a decision as the state keeps it: empty if there is none.
func (d decision) Text() string {
	switch to := d.to.(type) {
	case *int:
		return strings.TrimPrefix(strconv.Itoa(*to), "0")
	case *[]string:
		return strings.Join(*to, ",")
	case *[]resource:
		return say("resources", *to)
	case *string:
		return *to
	}
	return ""
}

// set takes a decision from the text that the state keeps.
func (d decision) set(text string) {
	switch to := d.to.(type) {
	case *int:
		*to, _ = strconv.Atoi(text) // what is no number is no port either
	case *[]string:
		*to = listIn(text, ",")
	case *[]resource:
		for _, part := range listIn(text, ";") {
			names, fields, _ := strings.Cut(strings.TrimSuffix(part, ")"), "(")
			plural, singular, _ := strings.Cut(names, "/")
			r := resource{Singular: singular, Plural: plural}
			for f := range strings.SplitSeq(fields, ",") {
				r.Fields = append(r.Fields, fieldIn(f))
			}
			*to = append(*to, r)
		}
	case *string:
		*to = text
	}
}

// decided gives one of the decisions.
func (s *spec) decided(key string) decision {
	all := s.Decisions()
	return all[slices.IndexFunc(all, func(d decision) bool { return d.Key == key })]
}

// specOf reads the spec back.
func specOf(state map[string]string) (spec, error) {
	s := spec{Left: listIn(state["left_out"], "; ")}
	for _, d := range s.Decisions() {
		d.set(state[d.Key])
	}
	for _, d := range s.Decisions() {
		if d.bad || d.Text() != state[d.Key] {
			return spec{}, fmt.Errorf("the project's state holds a %s that this engine did not write", d.Key)
		}
	}
	return s, nil
}

// clone keeps a changed spec from reaching into the one it was made of.
func (s spec) clone() spec {
	out := spec{Left: slices.Clone(s.Left)}
	for i, d := range out.Decisions() {
		d.set(s.Decisions()[i].Text())
	}
	return out
}

func listIn(text, separator string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, separator)
}

func notPort(n int) bool { return n < 1024 || n > 65535 }

// constraints are the request's, cleaned and with their synonyms resolved.
type constraints map[string]string

func readConstraints(raw map[string]string) (constraints, error) {
	c, err := constraint.Read(raw, tables["constraint-value"], tables["constraint"], badConstraint)
	if err != nil {
		return nil, unresolvable("%v.", err)
	}
	if c["language"] == langStatic && c["resources"] != "" {
		return nil, unresolvable("a static site has no resources; it has sections.")
	}
	return c, nil
}

func badConstraint(key, value string) bool {
	list := constraint.List(value)
	switch key {
	case "name":
		return slug(plaintext.Title(value)) == ""
	case "port":
		n, err := strconv.Atoi(value)
		return err != nil || notPort(n)
	case "resources":
		return len(list) > maxResources || slices.ContainsFunc(list, func(each string) bool { return notResource(english.Singular(each)) })
	case "sections":
		return len(list) > maxSections || slices.ContainsFunc(list, notSectionName)
	}
	return value != "" && !slices.Contains(strings.Split(tables["constraint-value"][key], ", "), value)
}

// override lays the constraints over what the prompt says: they outrank it.
func (c constraints) override(r *reading) {
	for _, key := range []string{"language", "database", "auth", "cors", "license", "port"} {
		if c[key] != "" {
			r.decided(key).set(c[key])
		}
	}
	if c["name"] != "" {
		r.Title = plaintext.Title(c["name"])
	}
	switch {
	case r.Kind != "":
	case c["language"] == langStatic || c["sections"] != "":
		r.Kind = kindSite
	case c["resources"] != "":
		r.Kind = kindAPI
	}
	if named := constraint.List(c["sections"]); len(named) > 0 {
		r.Sections = named
	}
	if named := constraint.List(c["resources"]); len(named) > 0 {
		r.things = slices.DeleteFunc(r.things, func(t *thing) bool { return !t.known })
		for _, name := range named {
			if r.find(name) == nil {
				r.things = append(r.things, &thing{singular: english.Singular(name)})
			}
		}
	}
}

// resource is one kind of thing that a project keeps records of.
type resource struct {
	Singular string
	Plural   string
	Fields   []field // at least one
}

// Required are the fields that a request cannot leave out: those that say so, or else the first text.
func (r resource) Required() (names []string) {
	first, said := []string(nil), false
	for _, f := range r.Fields {
		said = said || f.Need == needed
		switch {
		case f.Default != "":
		case f.Need == needed:
			names = append(names, f.Name)
		case first == nil && f.Need == "" && f.Kind == kindString:
			first = []string{f.Name}
		}
	}
	if !said {
		return first
	}
	return names
}

// Uses says whether some field is one of these: of a kind, a reference, held to a rule.
func (r resource) Uses(these ...string) bool {
	return slices.ContainsFunc(r.Fields, func(f field) bool { return slices.ContainsFunc(these, f.Is) })
}

func (r resource) has(name string) bool {
	return slices.ContainsFunc(r.Fields, func(f field) bool { return f.Name == name })
}

func badResources(all []resource) bool {
	names := map[string]bool{}
	for _, r := range all {
		if names[squeezed(r.Singular)] || names[squeezed(r.Plural)] || notFieldName(r.Plural) || notResource(r.Singular) || len(r.Fields) > maxFields {
			return true
		}
		names[squeezed(r.Singular)], names[squeezed(r.Plural)] = true, true
		fields := map[string]bool{}
		for _, f := range r.Fields {
			if fields[f.Name] || notFieldName(f.Name) || is("reserved-field", squeezed(f.Name)) || notKindOfField(f.Kind) || f.bad() || f.Unique && len(r.Plural)+len(f.Name) > maxUnique {
				return true
			}
			fields[f.Name] = true
		}
	}
	return len(all) > maxResources
}

func notResource(singular string) bool {
	return len(singular) < 2 || len(singular) > plaintext.MaxName || notFieldName(singular) || notFieldName(english.Plural(singular)) || is("reserved-noun", singular)
}

// squeezed is a name without what parts its words, as files have it: load_test.go would be a test.
func squeezed(name string) string { return strings.NewReplacer("_", "", " ", "").Replace(name) }

func notKindOfField(kind string) bool {
	return (!is("kind", kind) || kind == kindRef) && notFieldName(field{Kind: kind}.Of())
}

// Sample is a good record in JSON, for examples and tests; what is unique differs with n.
func (r resource) Sample(n int) string {
	return say("sample", map[string]any{"Fields": r.Fields, "n": n})
}

// slug reduces text to the name of a project.
func slug(text string) string {
	s := plaintext.Slug(text)
	return s + tables["reserved-name"][s]
}

// goName writes words with underscores between as Go exports them.
func goName(name string) string {
	return strings.ReplaceAll(plaintext.Spelled(strings.ReplaceAll(name, "_", "-")), " ", "")
}

var (
	fieldName   = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}(_[a-z0-9]{1,23}){0,5}$`) // words with underscores between
	camelCase   = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	asTold      = regexp.MustCompile(`^[\pL\d](?:[\pL\d ,.:;/()'–-]{0,118}[\pL\d.)])?$`) // on a page
	sectionName = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}(-[a-z][a-z0-9]{0,23}){0,3}$`) // with hyphens
)

func notFieldName(s string) bool { return !fieldName.MatchString(s) }
func notSectionName(s string) bool {
	return !sectionName.MatchString(s) || strings.HasPrefix(s, "name-") || english.HasSuffix(s, "-title") || is("reserved-section", s)
}

func lastOf(words []string) string { return words[len(words)-1] }

// fieldOnly says whether a word names a field and hardly ever a thing.
func fieldOnly(w string) bool {
	kind := tables["field"][w]
	return kind != "" && (kind != kindString && kind != kindStrings || is("only-field", w))
}
