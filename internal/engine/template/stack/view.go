package stack

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// Project is what templates see: a complete spec, with the names that code needs.
type Project struct {
	spec.Spec
	Title      string // for people
	Module     string // the path of a Go module
	PageSize   int    // of the lists of an API; 0: all records
	Records    []Record
	Migrations []string // names of the files below migrations/, in order
	Kept       []string // tables and columns of the database that the spec no longer has
	Former     bool     // an earlier version kept records as JSON documents, which a data file may still have
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

// ViewOf gives what the templates of a complete spec see.
func ViewOf(s spec.Spec) Project {
	p := Project{Spec: s, Title: plaintext.Spelled(s.Name), Module: "example.com/" + s.Name}
	for _, f := range s.Facts {
		if f.Key == "title" {
			p.Title = f.Value
		}
	}
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
	switch what {
	case "ref":
		return f.To != ""
	case "required":
		return f.Required
	case "unique":
		return f.Unique
	case "default":
		return f.HasDefault
	case "choices":
		return len(f.Choices) > 0
	case "bounds":
		return f.Min+f.Max != ""
	}
	return f.Kind == what
}

// IsText reports whether values of a field are texts in JSON and in code.
func (f Field) IsText() bool {
	switch f.Kind {
	case spec.Integer, spec.Number, spec.Boolean, spec.Money:
		return false
	}
	return true
}

// Uses reports whether some field of a record is one of these, in the words of [Field.Is].
func (r Record) Uses(these ...string) bool {
	for _, f := range r.Fields {
		for _, what := range these {
			if f.Is(what) {
				return true
			}
		}
	}
	return false
}

// Uses reports whether some field of some record is one of these.
func (p Project) Uses(these ...string) bool {
	for _, r := range p.Records {
		if r.Uses(these...) {
			return true
		}
	}
	return false
}

// SQL reports whether records lie in the tables of a database.
func (p Project) SQL() bool { return p.Store == spec.SQLite || p.Store == spec.Postgres }

// Fact gives one of the facts of a site; empty: it was not given.
func (p Project) Fact(key string) string {
	for _, f := range p.Facts {
		if f.Key == key {
			return f.Value
		}
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

// LicenseName returns the SPDX identifier of the licence.
func (p Project) LicenseName() string {
	switch {
	case p.License == spec.None:
		return ""
	case p.License == "unlicense":
		return "Unlicense"
	case p.License == "apache-2.0":
		return "Apache-2.0"
	}
	name := p.License
	for _, suffix := range []string{"-only", "-or-later", "-clause"} {
		if base, ok := strings.CutSuffix(name, suffix); ok {
			if suffix == "-clause" {
				suffix = "-Clause"
			}
			return strings.ToUpper(base) + suffix
		}
	}
	return strings.ToUpper(name)
}

// Part is the name of the files of a record.
func (p Project) Part(r Record) string {
	short := func(r Record) string { return strings.ReplaceAll(r.Singular, "_", "") }
	for _, other := range p.Records {
		if other.Singular != r.Singular && short(other) == short(r) {
			return strings.ReplaceAll(r.Singular, "_", "-") // line-2 beside line2
		}
	}
	return short(r)
}
