package template

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The kinds of projects.
const (
	kindAPI     = "api"
	kindSite    = "site"
	kindCommand = "command"
)

// The operations of a command.
const (
	opCount      = "count"
	opCSV        = "csv2json"
	opJSON       = "json2csv"
	opSearch     = "search"
	opDuplicates = "duplicates"
	opChecksum   = "checksum"
	opPassword   = "password"
)

// operationWords tell what an operation does.
var operationWords = map[string]string{
	opCount: "counts words and lines in files", opCSV: "converts csv to json", opJSON: "converts json to csv", opSearch: "searches for a text in files",
	opDuplicates: "finds duplicate files", opChecksum: "prints the sha256 of files", opPassword: "generates random passwords",
}

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

	dbAny = "yes" // asks for whatever suits the language
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
	maxFields    = 20
	maxSections  = 10
)

// languagesOf lists what a kind can be written in; the first is what is meant
// when a request does not say.
func languagesOf(kind string) []string {
	switch kind {
	case kindSite:
		return []string{langStatic}
	case kindCommand:
		return []string{langGo, langPython}
	default:
		return []string{langGo, langTypeScript, langPython}
	}
}

// databasesOf lists what an API in a language can keep its data in; the second
// is what "a database" means there.
func databasesOf(language string) []string {
	switch language {
	case langGo, langTypeScript:
		return []string{dbNone, dbPostgres, dbSQLite, dbFile}
	case langPython:
		return []string{dbNone, dbSQLite, dbFile}
	default:
		return []string{dbNone}
	}
}

// valuesOf lists what a setting of a project can be.
func (s spec) valuesOf(key string) []string {
	switch {
	case key == "license":
		return licenses()
	case s.Kind != kindAPI:
		return []string{map[string]string{"cors": switchOff}[key], dbNone}
	case key == "database":
		return databasesOf(s.Language)
	case key == "auth":
		return []string{authNone, authToken}
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
	Database   string
	Auth       string
	CORS       string
	License    string
	// Left is what requests named and the project has not.
	Left []string
	// Former are the databases that the project once had. A pull deletes nothing
	// that was edited, so what was written for them must stay harmless.
	Former []string
}

// resource is one kind of thing that an API serves.
type resource struct {
	Singular string
	Plural   string
	Fields   []field // at least one
}

// The kinds of a field.
const (
	kindString  = "string"
	kindNumber  = "number"
	kindInteger = "integer"
	kindBoolean = "boolean"
	kindStrings = "strings"
	kindDate    = "date"     // 2026-01-31
	kindTime    = "datetime" // RFC 3339
	// kindRef before the singular of a resource is the id of a record of it.
	kindRef = "ref."
)

type field struct{ Name, Kind string }

// Of is the resource that a field refers to, or empty.
func (f field) Of() string {
	of, _ := strings.CutPrefix(f.Kind, kindRef)
	return strings.TrimPrefix(of, f.Kind)
}

// Required is the field that a record cannot do without: its first text. There
// may be none.
func (r resource) Required() string {
	for _, f := range r.Fields {
		if f.Kind == kindString {
			return f.Name
		}
	}
	return ""
}

// decision is one entry of the project's state.
type decision struct{ key, value string }

// stateKeyEngine marks a project as begun by this engine.
const stateKeyEngine = "engine"

const engineName = "template"

// decisions gives the state that keeps the spec, in a fixed order. What a kind
// of project does not have is not in its state.
func (s spec) decisions() []decision {
	all := []decision{
		{stateKeyEngine, engineName},
		{"kind", s.Kind},
		{"language", s.Language},
		{"name", s.Name},
		{"title", s.Title},
		{"module", s.Module},
		{"port", strconv.Itoa(s.Port)},
		{"sections", strings.Join(s.Sections, ",")},
		{"subject", s.Subject},
		{"place", s.Place},
		{"email", s.Email},
		{"operations", strings.Join(s.Operations, ",")},
		{"resources", encodeResources(s.Resources)},
		{"database", s.Database},
		{"auth", s.Auth},
		{"cors", s.CORS},
		{"former_databases", strings.Join(s.Former, ",")},
		{"license", s.License},
		{"left_out", strings.Join(s.Left, "; ")},
	}
	return slices.DeleteFunc(all, func(d decision) bool {
		return d.value == "" || d.key == "port" && s.Kind == kindCommand || s.Kind != kindAPI && (d.key == "database" || d.key == "auth" || d.key == "cors")
	})
}

// listIn splits what decisions joined.
func listIn(text, separator string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, separator)
}

// specOf reads the spec back. The state went through other hands, so each value
// is held to the same rules as one that was read from a prompt.
func specOf(state map[string]string) (spec, error) {
	s := spec{
		Kind: state["kind"], Language: state["language"], Name: state["name"], Title: state["title"], Module: state["module"],
		Sections: listIn(state["sections"], ","), Subject: state["subject"], Place: state["place"], Email: state["email"],
		Operations: listIn(state["operations"], ","), Database: state["database"], Auth: state["auth"], CORS: state["cors"], License: state["license"],
		Left: listIn(state["left_out"], "; "), Former: listIn(state["former_databases"], ","),
	}
	if s.Kind != kindAPI {
		s.Database, s.Auth, s.CORS = dbNone, authNone, switchOff
	}
	var portErr, resourcesErr error
	if s.Kind != kindCommand {
		s.Port, portErr = parsePort(state["port"])
	}
	if state["resources"] != "" {
		s.Resources, resourcesErr = decodeResources(state["resources"])
	}
	for _, check := range []struct {
		key string
		bad bool
	}{
		{"language", !slices.Contains(languagesOf(s.Kind), s.Language)},
		{"name", s.Name == "" || slug(s.Name) != s.Name},
		{"title", s.Title == "" || cleanTitle(s.Title) != s.Title},
		{"module", s.Module != "" && !pathLike.MatchString(s.Module)},
		{"license", !slices.Contains(licenses(), s.License)},
		{"port", portErr != nil},
		{"sections", (s.Kind == kindSite) != (len(s.Sections) > 0) || len(s.Sections) > maxSections || slices.ContainsFunc(s.Sections, notSectionName)},
		{"subject", len(strings.Fields(s.Subject)) > maxSubject || oneLine(s.Subject, maxTitle) != s.Subject || strings.ContainsAny(s.Subject, "<>&\"'`{}\\")},
		{"place", cleanTitle(s.Place) != s.Place},
		{"email", s.Email != "" && !mailLike.MatchString(s.Email)},
		{"operations", slices.ContainsFunc(s.Operations, func(o string) bool { return operationWords[o] == "" })},
		{"resources", resourcesErr != nil || len(s.Resources) == 0 && (s.Kind == kindAPI || s.Kind == kindCommand && len(s.Operations) == 0)},
		{"database", !slices.Contains(s.valuesOf("database"), s.Database)},
		{"auth", !slices.Contains(s.valuesOf("auth"), s.Auth)},
		{"cors", !slices.Contains(s.valuesOf("cors"), s.CORS)},
		{"former_databases", slices.ContainsFunc(s.Former, func(d string) bool { return !slices.Contains(databasesOf(s.Language), d) })},
		{"left_out", oneLine(state["left_out"], maxLeftOut) != state["left_out"]},
	} {
		if check.bad {
			return spec{}, fmt.Errorf("the project's state holds a %s that this engine did not write", check.key)
		}
	}
	return s, nil
}

// maxLeftOut bounds the characters of what is told of omissions.
const maxLeftOut = 2000

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
		if !ok || !ok2 || notIdentifier(plural) || notIdentifier(singular) || is(reservedNoun, singular) {
			return nil, fmt.Errorf("resource %q is not readable", part)
		}
		r := resource{Singular: singular, Plural: plural}
		for f := range strings.SplitSeq(fields, ",") {
			name, kind, _ := strings.Cut(f, ":")
			if notFieldName(name) || is(reservedField, strings.ReplaceAll(name, "_", "")) || !isKindOfField(kind) {
				return nil, fmt.Errorf("field %q is not readable", f)
			}
			if slices.ContainsFunc(r.Fields, func(f field) bool { return f.Name == name }) {
				return nil, fmt.Errorf("field %q is there twice", name)
			}
			r.Fields = append(r.Fields, field{name, kind})
		}
		if len(r.Fields) > maxFields {
			return nil, fmt.Errorf("the fields of %q are not readable", plural)
		}
		before := len(out)
		if out = addResource(out, r); len(out) == before {
			return nil, fmt.Errorf("resource %q is there twice, or one too many", plural)
		}
	}
	return out, nil
}

func isKindOfField(kind string) bool {
	of, isRef := strings.CutPrefix(kind, kindRef)
	return isRef && !notIdentifier(of) || slices.Contains([]string{kindString, kindNumber, kindInteger, kindBoolean, kindStrings, kindDate, kindTime}, kind)
}

func hasField(fields []field, name string) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return f.Name == name })
}

func addResource(resources []resource, r resource) []resource {
	if len(resources) >= maxResources || slices.ContainsFunc(resources, func(o resource) bool {
		return o.Singular == r.Singular || o.Plural == r.Plural
	}) {
		return resources
	}
	return append(resources, r)
}

// clone keeps a changed spec from reaching into the one it was made of.
func (s spec) clone() spec {
	s.Sections = slices.Clone(s.Sections)
	s.Former = slices.Clone(s.Former)
	s.Left = slices.Clone(s.Left)
	s.Operations = slices.Clone(s.Operations)
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
