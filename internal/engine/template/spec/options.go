package spec

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Constraint is one that a request can have. Most stand in the first line too.
type Constraint struct {
	Name   string
	Values string // that it can have, in words
	what   string // it is, for errors
	choice []string
}

// constraints are in the order in which they count.
var constraints = []Constraint{
	{Name: "spec", Values: "the whole text of a spec"},
	choice("kind", "how a spec begins", API, Site),
	choice("language", "a language", Languages...),
	choice("store", "a store", Stores...),
	{Name: "database", Values: "the same as store"},
	{Name: "port", Values: fmt.Sprintf("a number from %d to %d", MinPort, MaxPort)},
	choice("auth", "a way to authenticate", Token, None),
	choice("license", "a licence", append(slices.Clone(Licenses), None)...),
	{Name: "name", Values: "a name with at least one letter from a to z"},
	choice("cors", "a value of cors", "on", "off"),
	{Name: "resources", Values: fmt.Sprintf("up to %d records such as book: title, author; loan: -> book", MaxRecords)},
	{Name: "sections", Values: fmt.Sprintf("up to %d parts of a page such as section menu: Bread; text phone: 12345", MaxSections)},
}

func choice(name, what string, values ...string) Constraint {
	return Constraint{name, strings.Join(values, ", "), what, values}
}

// KnownConstraints lists the constraints of a request in the order in which they count.
func KnownConstraints() []Constraint { return slices.Clone(constraints) }

//go:embed words.txt
var words string

// synonyms are values as people write them, behind the constraint that has them and a
// space; kinds of a "field" that there are, for one that there is not; and "usual" kinds that
// names tell: by their last word, their first with _ behind it, or all of it behind =.
// Stored specs leave out the kind of a string whose name is not listed: another word
// would change projects that exist.
var synonyms = func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(words) {
		meaning, all, _ := strings.Cut(line, ": ")
		list, meaning, _ := strings.Cut(meaning, " ")
		for word := range strings.FieldsSeq(all) {
			out[list+" "+word] = meaning
		}
	}
	return out
}()

// choose returns which of these a word is, or what it is a synonym of in a list.
func choose(word, what string, these []string, list string) (string, error) {
	low := strings.ReplaceAll(strings.ToLower(word), " ", "-")
	meaning := cmp.Or(synonyms[list+" "+low], low)
	if slices.Contains(these, meaning) {
		return meaning, nil
	}
	return "", cmp.Or(when(meaning != low, "%.60q is not %s; write %s", word, what, meaning), oneOf(word, what, these...))
}

// Override lays constraints over a spec: they win. Those without a value are left out.
// With an error it returns the spec with the constraints that have none.
func (s Spec) Override(c map[string]string) (_ Spec, err error) {
	var known []string
	for _, each := range constraints {
		known = append(known, each.Name)
	}
	values := map[string]string{}
	for _, raw := range slices.Sorted(maps.Keys(c)) {
		name, wrong := choose(strings.TrimSpace(raw), "a constraint", known, "constraint")
		if value := strings.TrimSpace(c[raw]); wrong == nil && value != "" {
			wrong = when(cmp.Or(values[name], value) != value, "the constraint %s is given twice with different values; give it once", name)
			values[name] = value
		}
		err = cmp.Or(err, wrong)
	}
	s = s.Clone()
	for _, name := range known {
		if values[name] != "" {
			if wrong := s.set(name, values[name]); wrong != nil {
				err = cmp.Or(err, fmt.Errorf("the constraint %s: %w", name, wrong))
			}
		}
	}
	return s, err
}

// set takes the value of an option of the first line, or of a constraint. Of a wrong one
// it takes what is sound.
func (s *Spec) set(name, value string) (err error) {
	c := constraints[slices.IndexFunc(constraints, func(c Constraint) bool { return c.Name == name })]
	if c.choice != nil {
		if value, err = choose(value, c.what, c.choice, name); err != nil {
			return err
		}
	}
	text := map[string]*string{"kind": &s.Kind, "language": &s.Language, "store": &s.Store, "auth": &s.Auth, "license": &s.License, "name": &s.Name}
	if text[name] != nil {
		*text[name] = value
	}
	switch name {
	case "spec":
		*s, err = Parse(value)
	case "cors":
		s.CORS = value == "on"
	case "port":
		port, wrong := strconv.Atoi(value)
		if wrong != nil || port < MinPort || port > MaxPort {
			return fmt.Errorf("%.60q is not a port; write a number from %d to %d", value, MinPort, MaxPort)
		}
		s.Port = port
	case "name":
		err = when(slug(value) == "", "%.60q is not the name of a project; write letters from a to z, digits and hyphens", value)
	case "resources":
		err = s.setParts(API, value)
	case "sections":
		err = s.setParts(Site, value)
	}
	return err
}

// setParts puts the records or sections of lines in place of those that there are.
// Texts replace those of the same key.
func (s *Spec) setParts(kind, value string) (err error) {
	read := Spec{Kind: kind}
	for _, line := range Split(value) {
		if err = cmp.Or(err, read.ReadLine(line)); read.checkSizes() != nil {
			break
		}
	}
	if s.Kind = cmp.Or(s.Kind, kind); kind == API && (err == nil || len(read.Records) > 0) {
		s.Records = read.Records
	} else if len(read.Sections) > 0 {
		s.Sections = read.Sections
	}
	for _, f := range read.Facts {
		s.SetFact(f)
	}
	return err
}

// SetFact puts a text of a site in place of the one of the same key.
func (s *Spec) SetFact(f Fact) {
	s.Facts = append(slices.DeleteFunc(s.Facts, func(old Fact) bool { return old.Key == f.Key }), f)
}
