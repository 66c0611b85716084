package template

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The languages.
const (
	langGo         = "go"
	langTypeScript = "typescript"
	langPython     = "python"
	langStatic     = "static"
)

// The databases. Which of them a language has is in databasesOf.
const (
	dbNone     = "none"
	dbFile     = "file"
	dbSQLite   = "sqlite"
	dbPostgres = "postgres"
)

const (
	authNone  = "none"
	authToken = "token"

	switchOff = "off"
	switchOn  = "on"

	licenseNone = "none"
)

// Bounds on what a prompt can make a project grow to.
const (
	maxResources = 8
	maxFields    = 10
	maxSections  = 10
)

// languages lists what can be written, in the order in which people are told.
func languages() []string { return []string{langGo, langTypeScript, langPython, langStatic} }

// databasesOf lists what a language can keep its data in; the second is what
// "a database" means there.
func databasesOf(language string) []string {
	switch language {
	case langGo, langTypeScript:
		return []string{dbNone, dbPostgres, dbFile}
	case langPython:
		return []string{dbNone, dbSQLite}
	default:
		return []string{dbNone}
	}
}

func authsOf(language string) []string {
	if language == langStatic {
		return []string{authNone}
	}
	return []string{authNone, authToken}
}

func corsOf(language string) []string {
	if language == langStatic {
		return []string{switchOff}
	}
	return []string{switchOff, switchOn}
}

func licenses() []string { return []string{licenseNone, "mit", "isc"} }

func defaultPort(language string) int {
	switch language {
	case langTypeScript:
		return 3000
	case langPython:
		return 8000
	default:
		return 8080
	}
}

// spec is everything that the files of a project depend on.
type spec struct {
	Language  string
	Name      string // lower-case letters, digits, hyphens
	Title     string // for people; letters, digits, spaces, hyphens, apostrophes
	Summary   string // the first request in one line, free of control characters
	Port      int
	Resources []resource // an API has at least one, a static site none
	Sections  []string   // a static site has at least one, an API none
	Subject   string     // what a static site is about, in up to three words; may be empty
	Database  string
	Auth      string
	CORS      string
	License   string
	// Former are the databases that the project once had. A pull deletes nothing,
	// so what was written for them must stay harmless in folders of that time.
	Former []string
}

// resource is one kind of thing that an API serves.
type resource struct {
	Singular string
	Plural   string
	Fields   []field // the first is required and of kind string
}

// The kinds of a field.
const (
	kindString  = "string"
	kindNumber  = "number"
	kindInteger = "integer"
	kindBoolean = "boolean"
	kindStrings = "strings"
)

type field struct{ Name, Kind string }

// decision is one entry of the project's state.
type decision struct{ key, value string }

// stateKeyEngine marks a project as begun by this engine.
const stateKeyEngine = "engine"

const engineName = "template"

// decisions gives the state that keeps the spec, in a fixed order.
func (s spec) decisions() []decision {
	out := []decision{
		{stateKeyEngine, engineName},
		{"language", s.Language},
		{"name", s.Name},
		{"title", s.Title},
		{"port", strconv.Itoa(s.Port)},
	}
	if s.Summary != "" { // a prompt of unprintable characters leaves none
		out = append(out, decision{"summary", s.Summary})
	}
	if s.Language == langStatic {
		out = append(out, decision{"sections", strings.Join(s.Sections, ",")})
		if s.Subject != "" {
			out = append(out, decision{"subject", s.Subject})
		}
	} else {
		out = append(out,
			decision{"resources", encodeResources(s.Resources)},
			decision{"database", s.Database},
			decision{"auth", s.Auth},
			decision{"cors", s.CORS},
		)
	}
	if len(s.Former) > 0 {
		out = append(out, decision{"former_databases", strings.Join(s.Former, ",")})
	}
	return append(out, decision{"license", s.License})
}

// specOf reads the spec back. The state went through other hands, so each value
// is held to the same rules as one that was read from a prompt.
func specOf(state map[string]string) (spec, error) {
	s := spec{
		Language: state["language"],
		Name:     state["name"],
		Title:    state["title"],
		Summary:  state["summary"],
		Database: state["database"],
		Auth:     state["auth"],
		CORS:     state["cors"],
		License:  state["license"],
	}
	bad := func(key string) (spec, error) {
		return spec{}, fmt.Errorf("the project's state holds a %s that this engine did not write", key)
	}
	var err error
	switch {
	case !slices.Contains(languages(), s.Language):
		return bad("language")
	case s.Name == "" || slug(s.Name) != s.Name:
		return bad("name")
	case s.Title == "" || cleanTitle(s.Title) != s.Title:
		return bad("title")
	case oneLine(s.Summary, maxSummary) != s.Summary:
		return bad("summary")
	case !slices.Contains(licenses(), s.License):
		return bad("license")
	}
	if s.Port, err = parsePort(state["port"]); err != nil {
		return bad("port")
	}
	if s.Language == langStatic {
		s.Database, s.Auth, s.CORS = dbNone, authNone, switchOff
		s.Sections = strings.Split(state["sections"], ",")
		if len(s.Sections) > maxSections || slices.ContainsFunc(s.Sections, notSectionName) {
			return bad("sections")
		}
		s.Subject = state["subject"]
		words := strings.Fields(s.Subject)
		if len(words) > maxSubject || strings.Join(words, " ") != s.Subject || slices.ContainsFunc(words, notIdentifier) {
			return bad("subject")
		}
		return s, nil
	}
	switch {
	case !slices.Contains(databasesOf(s.Language), s.Database):
		return bad("database")
	case !slices.Contains(authsOf(s.Language), s.Auth):
		return bad("auth")
	case !slices.Contains(corsOf(s.Language), s.CORS):
		return bad("cors")
	}
	if s.Resources, err = decodeResources(state["resources"]); err != nil {
		return bad("resources")
	}
	if former := state["former_databases"]; former != "" {
		s.Former = strings.Split(former, ",")
	}
	if slices.ContainsFunc(s.Former, func(d string) bool { return !slices.Contains(databasesOf(s.Language), d) }) {
		return bad("former_databases")
	}
	return s, nil
}

// encodeResources writes resources as todos/todo(title:string,tags:strings);…
func encodeResources(resources []resource) string {
	var parts []string
	for _, r := range resources {
		var fields []string
		for _, f := range r.Fields {
			fields = append(fields, f.Name+":"+f.Kind)
		}
		parts = append(parts, r.Plural+"/"+r.Singular+"("+strings.Join(fields, ",")+")")
	}
	return strings.Join(parts, ";")
}

func decodeResources(text string) ([]resource, error) {
	var out []resource
	for part := range strings.SplitSeq(text, ";") {
		names, fields, ok := strings.Cut(strings.TrimSuffix(part, ")"), "(")
		plural, singular, ok2 := strings.Cut(names, "/")
		if !ok || !ok2 || notIdentifier(plural) || notIdentifier(singular) || unusableNoun(singular) {
			return nil, fmt.Errorf("resource %q is not readable", part)
		}
		r := resource{Singular: singular, Plural: plural}
		for f := range strings.SplitSeq(fields, ",") {
			name, kind, _ := strings.Cut(f, ":")
			if notFieldName(name) || unusableField(name) || !slices.Contains(fieldKinds(), kind) {
				return nil, fmt.Errorf("field %q is not readable", f)
			}
			if slices.ContainsFunc(r.Fields, func(f field) bool { return f.Name == name }) {
				return nil, fmt.Errorf("field %q is there twice", name)
			}
			r.Fields = append(r.Fields, field{name, kind})
		}
		if len(r.Fields) > maxFields || r.Fields[0].Kind != kindString {
			return nil, fmt.Errorf("the fields of %q are not readable", plural)
		}
		before := len(out)
		if out = addResource(out, r); len(out) == before {
			return nil, fmt.Errorf("resource %q is there twice, or one too many", plural)
		}
	}
	return out, nil
}

func fieldKinds() []string {
	return []string{kindString, kindNumber, kindInteger, kindBoolean, kindStrings}
}

// clone keeps a changed spec from reaching into the one it was made of.
func (s spec) clone() spec {
	s.Sections = slices.Clone(s.Sections)
	s.Former = slices.Clone(s.Former)
	s.Resources = slices.Clone(s.Resources)
	for i := range s.Resources {
		s.Resources[i].Fields = slices.Clone(s.Resources[i].Fields)
	}
	return s
}

// setDatabase changes the database and remembers the one that was there.
func (s *spec) setDatabase(database string) {
	if s.Database != dbNone && !slices.Contains(s.Former, s.Database) {
		s.Former = append(s.Former, s.Database)
	}
	s.Database = database
}

func parsePort(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1024 || n > 65535 {
		return 0, fmt.Errorf("%q is not a port from 1024 to 65535", oneLine(text, 40))
	}
	return n, nil
}
