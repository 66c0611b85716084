// Package spec holds the notation in which people describe a project to the
// default engine: text that becomes values, and values that become text.
//
//	api in go with sqlite, port 9100, auth token
//	book: title, author, isbn unique, year: integer 1450..2100, price: money
//	loan: -> book, borrower required, due date: date, state one of lent/back
//
// [Parse] reads a text as it was written. [Spec.Complete] fills in what the text
// leaves open. [Spec.String] writes the text again. The round trips from text, from
// values and from constraints lose nothing.
package spec

import (
	"slices"
	"strings"
)

// The values of Kind, Language, Store, Auth and License of a [Spec], and of Need.
const (
	API  = "api"
	Site = "site"

	Go         = "go"
	Python     = "python"
	TypeScript = "typescript"

	Memory   = "memory" // records are lost when the service stops
	File     = "file"   // one JSON file
	SQLite   = "sqlite"
	Postgres = "postgres"

	Token = "token"
	None  = "none"

	Required = "required"
	Optional = "optional"
)

// Kinds of fields.
const (
	String   = "string" // a short text, one line
	Text     = "text"   // a long text
	Integer  = "integer"
	Number   = "number"
	Money    = "money" // exact, with two decimals
	Boolean  = "boolean"
	Date     = "date"     // 2026-01-31
	DateTime = "datetime" // RFC 3339
	Email    = "email"
	URL      = "url"
	UUID     = "uuid"
)

// The values that a spec can have, in the order in which they are offered.
var (
	Languages = []string{Go, Python, TypeScript}
	Stores    = []string{Memory, File, SQLite, Postgres}
	Kinds     = []string{String, Text, Integer, Number, Money, Boolean, Date, DateTime, Email, URL, UUID}
	TextKeys  = []string{"title", "tagline", "phone", "email", "address", "hours", "link"}
	Licenses  = []string{
		"mit", "apache-2.0", "bsd-2-clause", "bsd-3-clause", "isc", "mpl-2.0",
		"gpl-3.0-only", "gpl-3.0-or-later", "agpl-3.0-only", "agpl-3.0-or-later", "unlicense",
	}
)

// Bounds of a project. Those of names and texts count characters.
const (
	MaxBytes       = 32 << 10 // of a text
	MaxRecords     = 12
	MaxFields      = 30
	MaxSections    = 16
	MaxChoices     = 20
	MinPort        = 1024
	MaxPort        = 65535
	MaxNoun        = 40
	MaxField       = 60
	MaxSectionName = 60
	MaxText        = 2000 // of a section
	MaxValue       = 200  // of a fact, a choice, a default and an end of a range
)

// Spec describes a project. Empty fields were left open; Complete fills them in.
type Spec struct {
	Kind     string    // API or Site
	Language string    // of an API: one of Languages
	Store    string    // of an API: one of Stores
	Port     int       // MinPort to MaxPort; 0: open
	Auth     string    // of an API: Token or None
	CORS     bool      // of an API
	License  string    // one of Licenses, or None
	Name     string    // of the project: lower-case letters, digits and hyphens
	Records  []Record  // of an API: at least one
	Sections []Section // of a Site: at least one
	Facts    []Fact    // of a Site: at most one for each of TextKeys, in that order
}

// Record is a kind of thing that an API keeps.
type Record struct {
	Noun   string // as it was written: "blog post"
	Plural string // "blog posts"
	Fields []Field
}

// Field is one value of a record. Either Kind or To is set in a complete spec.
type Field struct {
	Name string // as it was written: "due date"; of a reference: To unless it was named
	Kind string // one of Kinds; empty: open, or a reference
	To   string // the noun of the record that a reference leads to
	// Need is Required, Optional, or empty: the first field of a record and every
	// reference are required then, all others optional.
	Need       string
	Unique     bool
	Min, Max   string // bounds of the length of String and Text, of the value of others
	Choices    []string
	Default    string
	HasDefault bool
}

// Section is a part of a site's page. Its text may be empty.
type Section struct{ Name, Text string }

// Fact is a text that a site shows under one of TextKeys.
type Fact struct{ Key, Value string }

// Rename is a new name for a field of a record, or for a record if Record is empty.
// Record is the noun that the record has after all renames.
type Rename struct{ Record, From, To string }

// Clone copies a spec. The lists of choices are shared; nobody writes to them.
func (s Spec) Clone() Spec {
	s.Records, s.Sections, s.Facts = slices.Clone(s.Records), slices.Clone(s.Sections), slices.Clone(s.Facts)
	for i := range s.Records {
		s.Records[i].Fields = slices.Clone(s.Records[i].Fields)
	}
	return s
}

// ColumnName writes a name as code and databases spell it: "due date" becomes due_date.
func ColumnName(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == ' ' || r == '-' || r == '_' }), "_")
}

// Column is the name of a field in JSON, in code and in a table.
func (f Field) Column() string {
	if f.To != "" {
		return ColumnName(f.Name) + "_id"
	}
	return ColumnName(f.Name)
}

// Required reports whether a record cannot do without its i-th field.
func (r Record) Required(i int) bool {
	f := r.Fields[i]
	return f.Need == Required || f.Need == "" && (i == 0 || f.To != "")
}

// Find returns the index of the record of a noun, or -1.
func (s Spec) Find(noun string) int {
	return slices.IndexFunc(s.Records, func(r Record) bool { return ColumnName(r.Noun) == ColumnName(noun) })
}

// FindSection returns the index of a section, or -1.
func (s Spec) FindSection(name string) int {
	return slices.IndexFunc(s.Sections, func(x Section) bool { return strings.EqualFold(x.Name, name) })
}

// Find returns the index of a field, or of a reference to a noun, or -1.
func (r Record) Find(name, to string) int {
	column := Field{Name: name, To: to}.Column()
	return slices.IndexFunc(r.Fields, func(f Field) bool { return f.Column() == column })
}
