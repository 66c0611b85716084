// Package project describes what the template engine makes: a [Spec] is the few
// decisions on which every file of a project depends.
//
// The spec is kept as the project's state, which goes through other hands: what is
// read back is held to the rules of what is read from a prompt.
package project

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/wording"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// The kinds of projects.
const (
	API     = "api"
	Site    = "site"
	Command = "command"
)

// What projects are written in.
const (
	Go         = "go"
	TypeScript = "typescript"
	Python     = "python"
	Static     = "static"
)

// Where an API keeps its records.
const (
	File        = "file"
	SQLite      = "sqlite"
	Postgres    = "postgres"
	AnyDatabase = "yes" // whatever suits the language
)

// None is the database, the authentication and the license of a project without.
const None = "none"

// Languages lists what a kind can be written in; the first is the usual.
var Languages = map[string][]string{
	API: {Go, TypeScript, Python}, Command: {Go, Python}, Site: {Static},
}

// Databases lists where an API can keep its data; the second is what "a database" means.
var Databases = map[string][]string{
	Go: {None, Postgres, SQLite, File}, TypeScript: {None, Postgres, SQLite, File}, Python: {None, SQLite, Postgres, File},
}

// Bounds on what a prompt can make a project grow to.
const (
	MaxResources = 8
	MaxFields    = 20
	MaxSections  = 10
	MaxSubject   = 6    // words that say what a page is about
	MaxLeftOut   = 2000 // characters of what is told of omissions
	maxPageSize  = 1000
	MaxState     = 8000 // bytes of the resources
)

// Spec is everything that the files of a project depend on.
type Spec struct {
	Kind       string
	Language   string
	Name       string // lower-case letters, digits, hyphens
	Title      string // for people; letters, digits, spaces, hyphens, apostrophes, ampersands, periods of abbreviations
	Module     string // the path of a Go module; empty: made of the name
	Port       int
	Resources  []Resource // an API has at least one
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

// StateKey marks a project as begun by this Engine.
const (
	StateKey = "engine"
	Engine   = "template"
)

// notPlace says whether no request would name a place so: Truro, Cornwall.
func notPlace(place string) bool {
	return len(place) > plaintext.MaxTitle || slices.ContainsFunc(strings.Split(place, ", "), func(name string) bool { return plaintext.Title(name) != name })
}

// Decision is one entry of the project's state.
type Decision struct {
	Key string
	to  any  // where the spec keeps it: *string, *int, *[]string or *[]Resource
	bad bool // it is nothing that this engine would have decided
}

// Decisions gives the state that keeps the spec, in a fixed order. The state
// goes through other hands, so each value can be held to the rules of those that
// are read from a prompt.
func (s *Spec) Decisions() []Decision {
	engine, left := Engine, strings.Join(s.Left, "; ")
	return []Decision{
		{StateKey, &engine, false},
		{"kind", &s.Kind, Languages[s.Kind] == nil},
		{"language", &s.Language, !slices.Contains(Languages[s.Kind], s.Language)},
		{"name", &s.Name, s.Name == "" || Slug(s.Name) != s.Name},
		{"title", &s.Title, s.Title == "" || plaintext.Title(s.Title) != s.Title},
		{"module", &s.Module, s.Module != "" && !words.PathLike.MatchString(s.Module)},
		{"port", &s.Port, s.Kind != Command && NotPort(s.Port)},
		{"sections", &s.Sections, (s.Kind == Site) != (len(s.Sections) > 0) || len(s.Sections) > MaxSections || slices.ContainsFunc(s.Sections, NotSectionName)},
		{"subject", &s.Subject, len(strings.Fields(s.Subject)) > MaxSubject || plaintext.Line(s.Subject, plaintext.MaxTitle) != s.Subject || strings.ContainsAny(s.Subject, "<>&\"'`{}\\")},
		{"place", &s.Place, notPlace(s.Place)},
		{"email", &s.Email, s.Email != "" && !words.MailLike.MatchString(s.Email)},
		{"phone", &s.Phone, s.Phone != "" && !words.PhoneLike.MatchString(s.Phone)},
		{"hours", &s.Hours, s.Hours != "" && !AsTold(s.Hours)},
		{"address", &s.Address, s.Address != "" && !AsTold(s.Address)},
		{"when", &s.When, s.When != "" && !AsTold(s.When)},
		{"operations", &s.Operations, slices.ContainsFunc(s.Operations, func(o string) bool { return !lexicon.Is("does", o) })},
		{"resources", &s.Resources, BadResources(s.Resources) || len(s.Resources) == 0 && s.Kind != Site && len(s.Operations) == 0},
		{"database", &s.Database, !slices.Contains(s.ValuesOf("database"), s.Database)},
		{"auth", &s.Auth, !slices.Contains(s.ValuesOf("auth"), s.Auth)},
		{"cors", &s.CORS, !slices.Contains(s.ValuesOf("cors"), s.CORS)},
		{"former_databases", &s.Former, slices.ContainsFunc(s.Former, func(d string) bool { return !slices.Contains(Databases[s.Language], d) })},
		{"page_size", &s.PageSize, s.PageSize < 0 || s.PageSize > maxPageSize || s.PageSize > 0 && s.Kind != API},
		{"license", &s.License, !slices.Contains(s.ValuesOf("license"), s.License)},
		{"left_out", &left, plaintext.Line(left, MaxLeftOut) != left},
	}
}

// ValuesOf lists what a choice can be; what a kind does not have is empty, and not in its state.
func (s *Spec) ValuesOf(key string) []string {
	switch {
	case s.Kind != API && key != "license":
		return []string{""}
	case key == "database":
		return Databases[s.Language]
	}
	return strings.Split(lexicon.Tables["constraint-value"][key], ", ")
}

// Text gives a Decision as the state keeps it: empty if there is none.
func (d Decision) Text() string {
	switch to := d.to.(type) {
	case *int:
		return strings.TrimPrefix(strconv.Itoa(*to), "0")
	case *[]string:
		return strings.Join(*to, ",")
	case *[]Resource:
		return wording.Say("resources", *to)
	case *string:
		return *to
	}
	return ""
}

// Set takes a Decision from the text that the state keeps.
func (d Decision) Set(text string) {
	switch to := d.to.(type) {
	case *int:
		*to, _ = strconv.Atoi(text) // what is no number is no port either
	case *[]string:
		*to = listIn(text, ",")
	case *[]Resource:
		for _, part := range listIn(text, ";") {
			names, fields, _ := strings.Cut(strings.TrimSuffix(part, ")"), "(")
			plural, singular, _ := strings.Cut(names, "/")
			r := Resource{Singular: singular, Plural: plural}
			for f := range strings.SplitSeq(fields, ",") {
				r.Fields = append(r.Fields, FieldIn(f))
			}
			*to = append(*to, r)
		}
	case *string:
		*to = text
	}
}

// Decided gives one of the decisions.
func (s *Spec) Decided(key string) Decision {
	all := s.Decisions()
	return all[slices.IndexFunc(all, func(d Decision) bool { return d.Key == key })]
}

// Read reads the spec back.
func Read(state map[string]string) (Spec, error) {
	s := Spec{Left: listIn(state["left_out"], "; ")}
	for _, d := range s.Decisions() {
		d.Set(state[d.Key])
	}
	for _, d := range s.Decisions() {
		if d.bad || d.Text() != state[d.Key] {
			return Spec{}, fmt.Errorf("the project's state holds a %s that this engine did not write", d.Key)
		}
	}
	return s, nil
}

// Clone keeps a changed spec from reaching into the one it was made of.
func (s Spec) Clone() Spec {
	out := Spec{Left: slices.Clone(s.Left)}
	for i, d := range out.Decisions() {
		d.Set(s.Decisions()[i].Text())
	}
	return out
}

func listIn(text, separator string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, separator)
}

// NotPort says whether a project cannot listen there.
func NotPort(n int) bool { return n < 1024 || n > 65535 }

// InWords describes the spec in one phrase.
func (s Spec) InWords() string { return wording.Say("describe", &s) }

// Plurals are the names of the resources.
func (s Spec) Plurals() (out []string) {
	for _, r := range s.Resources {
		out = append(out, r.Plural)
	}
	return out
}

// Find gives the place of a resource.
func (s *Spec) Find(singular string) int {
	return slices.IndexFunc(s.Resources, func(r Resource) bool { return r.Singular == singular })
}

// DatabasePort is where the database of compose.yaml is reachable.
func (s Spec) DatabasePort() int {
	if s.Port == 5432 {
		return 5433
	}
	return 5432
}
