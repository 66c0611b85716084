package spec

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	pluralize "github.com/gertd/go-pluralize"

	"github.com/bundle-delivery/svc/internal/text/plaintext"
)

// Guess is something that Complete filled in.
type Guess struct {
	What  string // "language", "store", "port", "name", "book.price", "book's plural", "book's fields"
	Value string
	Why   string // "no language is named"
}

// usualPorts are where projects listen.
var usualPorts = map[string]int{Python: 8000, TypeScript: 3000}

// Complete fills in what a spec leaves open, returns what it guessed, and checks
// the result. A complete spec is returned as it is, without guesses.
func (s Spec) Complete() (Spec, []Guess, error) {
	s, all := s.filled()
	if _, err := s.check(Field.checkNew); err != nil {
		return Spec{}, nil, err
	}
	return s, all, nil
}

// filled returns a spec in which nothing is open, and what it guessed.
func (s Spec) filled() (_ Spec, all []Guess) {
	s = s.Clone()
	guess := func(to *string, what, value, why string) {
		if *to == "" && value != "" {
			*to = value
			all = append(all, Guess{what, value, why})
		}
	}
	if s.Kind = cmp.Or(s.Kind, API); s.Kind == API {
		guess(&s.Language, "language", Go, "no language is named")
		guess(&s.Store, "store", Memory, "no store is named; records are lost when the service stops")
		s.Auth = cmp.Or(s.Auth, None)
	}
	s.License = cmp.Or(s.License, None)
	if s.Port == 0 {
		s.Port = cmp.Or(usualPorts[s.Language], 8080)
		all = append(all, Guess{"port", strconv.Itoa(s.Port), "no port is named"})
	}
	for i := range s.Records {
		s.completeRecord(&s.Records[i], guess)
	}
	if given := s.Name; slug(given) != given {
		s.Name = ""
		guess(&s.Name, "name", slug(given), "a name has lower-case letters, digits and hyphens")
	}
	for _, f := range s.Facts {
		if f.Key == "title" {
			guess(&s.Name, "name", slug(f.Value), "from the title")
		}
	}
	for _, r := range s.Records {
		guess(&s.Name, "name", slug(r.Noun+"-"+API), "from the first record")
	}
	guess(&s.Name, "name", s.Kind, "no name is given")
	slices.SortStableFunc(s.Facts, func(a, b Fact) int { return slices.Index(TextKeys, a.Key) - slices.Index(TextKeys, b.Key) })
	return s, all
}

func (s *Spec) completeRecord(r *Record, guess func(to *string, what, value, why string)) {
	r.Plural = cmp.Or(r.Plural, surePlural(r.Noun))
	guess(&r.Plural, r.Noun+"'s plural", PluralOf(r.Noun), "derived from the noun")
	if len(r.Fields) == 0 {
		r.Fields = []Field{{Kind: String}}
		guess(&r.Fields[0].Name, r.Noun+"'s fields", "name", "no field is named")
	}
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.To == "" {
			guess(&f.Kind, r.Noun+"."+f.Name, usualKind(*f), "its name tells its kind")
			f.Kind = cmp.Or(f.Kind, String)
		} else if of := s.Find(f.To); of >= 0 { // as its record writes it
			if f.Name == f.To {
				f.Name = s.Records[of].Noun
			}
			f.To = s.Records[of].Noun
		}
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

// usualKind returns the kind that the name of a field tells, or nothing, which
// stands for String.
func usualKind(f Field) string {
	column := ColumnName(f.Name)
	first, _, more := strings.Cut(column, "_")
	last := column[strings.LastIndexByte(column, '_')+1:]
	kind := synonyms["usual ="+column]
	if more {
		kind = cmp.Or(kind, synonyms["usual "+first+"_"], synonyms["usual _"+last])
	}
	kind = cmp.Or(kind, synonyms["usual "+last])
	if f.Choices != nil && (kind != Integer || slices.ContainsFunc(f.Choices, func(c string) bool { return !kinds[Integer].pattern.MatchString(c) })) {
		return ""
	}
	return kind
}

// IsUsual reports whether the name of a field tells its kind.
func IsUsual(name string) bool { return usualKind(Field{Name: name}) != "" }

// plurals is made at its first use: it compiles a hundred expressions.
var plurals = sync.OnceValue(pluralize.NewClient)

// PluralOf derives the plural of a noun.
func PluralOf(noun string) string { return plurals().Plural(noun[:min(len(noun), 2*MaxNoun)]) }

// SingularOf derives the noun of a plural.
func SingularOf(noun string) string { return plurals().Singular(noun[:min(len(noun), 2*MaxNoun)]) }

// surePlural returns the plural of a noun if it leads back to the noun, else nothing.
func surePlural(noun string) string {
	if plural := PluralOf(noun); SingularOf(plural) == noun {
		return plural
	}
	return ""
}
