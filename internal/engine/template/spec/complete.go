package spec

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/plaintext"
)

// Guess is something that Complete filled in.
type Guess struct {
	What  string // "language", "store", "port", "name", "book.price", "book's plural", "book's fields"
	Value string
	Why   string // "no language is named"
}

// usualPorts are where projects listen.
var usualPorts = map[string]string{Go: "8080", Python: "8000", TypeScript: "3000", "": "8080"}

// Clone copies a spec with everything in it.
func (s Spec) Clone() Spec {
	s.Records, s.Sections, s.Facts = slices.Clone(s.Records), slices.Clone(s.Sections), slices.Clone(s.Facts)
	for i := range s.Records {
		fields := slices.Clone(s.Records[i].Fields)
		for k := range fields {
			fields[k].Choices = slices.Clone(fields[k].Choices)
		}
		s.Records[i].Fields = fields
	}
	return s
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

// Complete fills in what a spec leaves open, returns what it guessed, and checks
// the result. A complete spec is returned as it is, without guesses.
func (s Spec) Complete() (Spec, []Guess, error) {
	s = s.Clone()
	var all []Guess
	guess := func(to *string, what, value, why string) {
		if *to == "" && value != "" {
			*to = value
			all = append(all, Guess{what, value, why})
		}
	}
	if s.Kind == "" {
		s.Kind = API
		if len(s.Records) == 0 && len(s.Sections)+len(s.Facts) > 0 {
			s.Kind = Site
		}
	}
	if s.Kind == API {
		guess(&s.Language, "language", Go, "no language is named")
		guess(&s.Store, "store", Memory, "no store is named; records are lost when the service stops")
		if s.Auth == "" {
			s.Auth = None
		}
	}
	if s.License == "" {
		s.License = None
	}
	if s.Port == 0 {
		var port string
		guess(&port, "port", usualPorts[s.Language], "no port is named")
		s.Port, _ = strconv.Atoi(port)
	}
	for i := range s.Records {
		s.completeRecord(&s.Records[i], guess)
	}
	s.completeName(guess)
	if err := s.check(); err != nil {
		return Spec{}, nil, err
	}
	slices.SortStableFunc(s.Facts, func(a, b Fact) int { return slices.Index(TextKeys, a.Key) - slices.Index(TextKeys, b.Key) })
	return s, all, nil
}

func (s *Spec) completeRecord(r *Record, guess func(to *string, what, value, why string)) {
	if r.Plural == "" {
		r.Plural = surePlural(r.Noun)
	}
	if validName(r.Noun, MaxNoun) {
		guess(&r.Plural, r.Noun+"'s plural", PluralOf(r.Noun), "derived from the noun")
	}
	if len(r.Fields) == 0 {
		r.Fields = []Field{{Kind: String}}
		guess(&r.Fields[0].Name, r.Noun+"'s fields", "name", "no field is named")
	}
	for i := range r.Fields {
		f := &r.Fields[i]
		of := s.Find(f.To)
		switch {
		case f.To != "" && of >= 0: // as its record writes it
			if f.Name == f.To {
				f.Name = s.Records[of].Noun
			}
			f.To = s.Records[of].Noun
		case f.To == "":
			guess(&f.Kind, r.Noun+"."+f.Name, usualKind(*f), "its name tells its kind")
			if f.Kind == "" {
				f.Kind = String
			}
		}
	}
}

func (s *Spec) completeName(guess func(to *string, what, value, why string)) {
	if given := s.Name; slug(given) != given {
		s.Name = ""
		guess(&s.Name, "name", slug(given), "a name has lower-case letters, digits and hyphens")
	}
	for _, f := range s.Facts {
		if f.Key == "title" {
			guess(&s.Name, "name", slug(f.Value), "from the title")
		}
	}
	if s.Kind == Site {
		guess(&s.Name, "name", Site, "no name is given")
	} else if len(s.Records) > 0 {
		guess(&s.Name, "name", slug(s.Records[0].Noun+"-"+API), "from the first record")
	}
}

// slug reduces a text to the name of a project. The names of folders that
// toolchains keep to themselves get an end.
func slug(text string) string {
	name := plaintext.Slug(text)
	if slices.Contains([]string{"vendor", "internal", "main", "test", "all", "std", "cmd"}, name) {
		name += "-app"
	}
	return name
}
