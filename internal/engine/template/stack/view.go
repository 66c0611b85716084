package stack

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/text/plaintext"
)

// Project is what templates see: a complete spec, with the names that code needs.
type Project struct {
	spec.Spec
	Title      string // for people
	Module     string // the path of a Go module
	PageSize   int    // of the lists of an API; 0: all records
	Records    []Record
	Record     Record   // that a file with PART in its name is about
	Migrations []string // names of the files below migrations/, in order
	Kept       []string // tables and columns of the database that the spec no longer has
	Former     bool     // an earlier version kept records as JSON documents, which a data file may still have
	Renames    []Renames
}

// Renames are the names in data files that a change gave to others: of kinds, and of
// the fields of a kind, by its new name.
type Renames struct {
	Kinds  map[string]string            `json:"kinds"`
	Fields map[string]map[string]string `json:"fields"`
}

// Record is a kind of record as code names it.
type Record struct {
	spec.Record
	Singular string // blog_post
	Plural   string // blog_posts: table, path and JSON
	Fields   []Field
}

// Field is a field as code names it.
type Field struct {
	spec.Field
	Column   string // due_date, book_id
	Required bool
	Target   string // of a reference: the plural of the record that it leads to
}

// ViewOf returns what the templates of a complete spec see.
func ViewOf(s spec.Spec) Project {
	p := Project{Spec: s, Module: "example.com/" + s.Name}
	if devices.MatchString(s.Name) { // of which Go takes no path
		p.Module += "-app"
	}
	p.Title = cmp.Or(p.Fact("title"), plaintext.Spelled(s.Name))
	plurals := map[string]string{}
	for _, r := range s.Records {
		plurals[r.Noun] = spec.ColumnName(r.Plural)
	}
	for _, r := range s.Records {
		out := Record{Record: r, Singular: spec.ColumnName(r.Noun), Plural: spec.ColumnName(r.Plural)}
		for i, f := range r.Fields {
			out.Fields = append(out.Fields, Field{Field: f, Column: f.Column(), Required: r.Required(i), Target: plurals[f.To]})
		}
		p.Records = append(p.Records, out)
	}
	return p
}

// Is reports whether a field is of a kind, a reference ("ref"), or held to a rule:
// "required", "unique", "default", "choices", "bounds".
func (f Field) Is(what string) bool {
	return map[string]bool{
		"ref": f.To != "", "required": f.Required, "unique": f.Unique, "default": f.HasDefault,
		"choices": f.Choices != nil, "bounds": f.Min+f.Max != "", f.Kind: true,
	}[what]
}

// As returns a field that has a value as its default.
func (f Field) As(value string) Field {
	f.Default = value
	return f
}

// Uses reports whether some field of some record is one of these, in the words of [Field.Is].
func (p Project) Uses(these ...string) bool {
	return slices.ContainsFunc(p.Records, func(r Record) bool {
		return slices.ContainsFunc(r.Fields, func(f Field) bool { return slices.ContainsFunc(these, f.Is) })
	})
}

// SQL reports whether the store is a database.
func (p Project) SQL() bool { return p.Store == spec.SQLite || p.Store == spec.Postgres }

// Fact returns a fact of a site; empty: there is none.
func (p Project) Fact(key string) string {
	if at := slices.IndexFunc(p.Facts, func(f spec.Fact) bool { return f.Key == key }); at >= 0 {
		return p.Facts[at].Value
	}
	return ""
}

// DatabasePort is where compose.yaml makes PostgreSQL reachable.
func (p Project) DatabasePort() int {
	if p.Port == 5432 {
		return 5433
	}
	return 5432
}

// Moved reports whether the records were in another database before.
func (p Project) Moved() bool {
	return slices.ContainsFunc(p.Migrations, func(name string) bool { return strings.HasSuffix(name, "-to-"+p.Store+".sql") })
}

// Example returns a kind of record of which one can be created without another.
func (p Project) Example() *Record {
	for i, r := range p.Records {
		if p.Text() != "" && !slices.ContainsFunc(r.Fields, func(f Field) bool { return f.To != "" && f.Required }) {
			return &p.Records[i]
		}
	}
	return nil
}

// Text is the spec for the README; empty if a text in it looks like a line of the README with a port.
func (p Project) Text() string {
	text := strings.TrimSpace(p.String())
	if strings.Contains(text, "BASE_URL=") {
		return ""
	}
	return text
}

// Refers reports whether some record refers to the records of a plural.
func (p Project) Refers(plural string) bool {
	return slices.ContainsFunc(p.Records, func(r Record) bool {
		return slices.ContainsFunc(r.Fields, func(f Field) bool { return f.Target == plural })
	})
}

// licenses are the SPDX identifiers of the licences.
var licenses = map[string]string{
	"mit": "MIT", "apache-2.0": "Apache-2.0", "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause", "isc": "ISC", "mpl-2.0": "MPL-2.0",
	"gpl-3.0-only": "GPL-3.0-only", "gpl-3.0-or-later": "GPL-3.0-or-later", "agpl-3.0-only": "AGPL-3.0-only", "agpl-3.0-or-later": "AGPL-3.0-or-later",
	"unlicense": "Unlicense",
}

// LicenseName returns the SPDX identifier of the licence; empty: there is none.
func (p Project) LicenseName() string { return licenses[p.License] }

// Part names the files of a record. An underscore in it would mean something to Go:
// lab_test.go is a test, and app_linux.go is left out elsewhere.
func (p Project) Part(r Record) string {
	short := strings.ReplaceAll(r.Singular, "_", "")
	same := func(other Record) bool {
		return other.Singular != r.Singular && strings.ReplaceAll(other.Singular, "_", "") == short
	}
	if devices.MatchString(short) || slices.ContainsFunc(p.Records, same) {
		return strings.ReplaceAll(r.Singular, "_", "-") // line-2 beside line2
	}
	return short
}

// parts returns what a template sees for each record, by the name of its files.
func (p Project) parts() map[string]Project {
	out := map[string]Project{}
	for _, r := range p.Records {
		p.Record = r
		out[p.Part(r)] = p
	}
	return out
}

// devices match the names that no file can have on Windows.
var devices = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
