package spec

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Constraint is one that a request can have.
type Constraint struct {
	Name   string
	Values string // that it can have, in words
}

// KnownConstraints lists the constraints of a request in the order in which they count.
func KnownConstraints() []Constraint {
	return []Constraint{
		{"spec", "the whole text of a spec"},
		{"kind", "api, site"},
		{"language", strings.Join(Languages, ", ") + ", static"},
		{"store", strings.Join(Stores, ", ")},
		{"database", "the same as store"},
		{"auth", "none, token"},
		{"cors", "off, on"},
		{"port", fmt.Sprintf("a number from %d to %d", MinPort, MaxPort)},
		{"license", None + ", " + strings.Join(Licenses, ", ")},
		{"name", "a name with at least one letter from a to z"},
		{"resources", fmt.Sprintf("up to %d records such as book: title, author; loan: -> book", MaxRecords)},
		{"sections", fmt.Sprintf("up to %d parts of a page with commas between", MaxSections)},
		{"framework", "none"},
	}
}

// FromConstraints reads the spec that constraints describe without a prompt, and
// reports whether they say what to make: by spec, resources or sections.
func FromConstraints(c map[string]string) (s Spec, given bool, err error) {
	s, err = Spec{}.Override(c)
	for name, value := range c {
		given = given || value != "" && slices.Contains([]string{"spec", "resources", "sections"}, strings.ToLower(strings.TrimSpace(name)))
	}
	return s, given, err
}

// Override lays constraints over a spec: they win. Those without a value are left out.
func (s Spec) Override(c map[string]string) (Spec, error) {
	var known []string
	for _, each := range KnownConstraints() {
		known = append(known, each.Name)
	}
	values := map[string]string{}
	for _, raw := range slices.Sorted(maps.Keys(c)) {
		value := strings.TrimSpace(c[raw])
		name, err := choose(strings.TrimSpace(raw), "a constraint", known, map[string]string{"database": "store"})
		if other := values[name]; err == nil && other != "" && value != "" && other != value {
			err = fmt.Errorf("the constraint %s is given twice with different values; give it once", name)
		}
		if err != nil {
			return Spec{}, err
		}
		values[name] = cmp.Or(value, values[name])
	}
	s = s.Clone()
	for _, name := range known {
		if value := values[name]; value != "" {
			if err := s.set(name, value); err != nil {
				return Spec{}, fmt.Errorf("the constraint %s: %w", name, err)
			}
		}
	}
	return s, nil
}

// set takes the value of an option of the first line, or of a constraint.
func (s *Spec) set(key, value string) (err error) {
	switch key {
	case "spec":
		*s, err = Parse(value)
	case "kind":
		s.Kind, err = choose(value, "a kind of project", []string{API, Site}, nil)
	case "language":
		if s.Language, err = choose(value, "a language", Languages, Synonyms[key]); s.Language == "static" {
			s.Kind, s.Language = Site, ""
		}
	case "store":
		s.Store, err = choose(value, "a store", Stores, Synonyms[key])
	case "auth":
		s.Auth, err = choose(value, "a way to authenticate", []string{Token, None}, Synonyms[key])
	case "cors":
		value, err = choose(value, "a value of cors", []string{"on", "off"}, Synonyms[key])
		s.CORS = value == "on"
	case "license":
		s.License, err = choose(value, "a licence", append(slices.Clone(Licenses), None), Synonyms[key])
	case "framework":
		_, err = choose(value, "a framework", []string{None}, Synonyms[key])
	case "port":
		if s.Port, err = strconv.Atoi(value); err != nil || s.Port < MinPort || s.Port > MaxPort {
			return fmt.Errorf("%q is not a port; write a number from %d to %d", shorten(value), MinPort, MaxPort)
		}
	case "name":
		if s.Name = value; slug(value) == "" {
			return fmt.Errorf("%q is not the name of a project; write letters from a to z, digits and hyphens", shorten(value))
		}
	case "resources":
		return s.setResources(value)
	case "sections":
		return s.setSections(value)
	}
	return err
}

// setResources reads records with semicolons or line ends between: lines of a
// spec, or nouns with commas between, each with or without fields in parentheses.
// A noun alone stands for the record of that noun, if there is one.
func (s *Spec) setResources(value string) error {
	read := Spec{}
	for _, line := range Split(value) {
		p, err := parserOf(line)
		for more := true; more && err == nil; more = p.take(",") {
			err = read.readResource(p)
		}
		if err == nil && !p.done() {
			err = p.unexpected("a comma")
		}
		if err != nil {
			return err
		}
	}
	for i, r := range read.Records {
		if at := s.Find(r.Noun); at >= 0 && r.Fields == nil {
			read.Records[i] = s.Records[at]
		}
	}
	s.Records, s.Kind = read.Records, cmp.Or(s.Kind, API)
	return nil
}

// readResource reads a record; its fields may be missing, and its plural may stand
// before it: books/book(title).
func (s *Spec) readResource(p *parser) error {
	start := p.at
	first, err := p.name("the noun of a record")
	plural := ""
	if p.take("/") {
		start, plural = p.at, first
		first, err = p.name("the noun of a record")
	}
	if err == nil && p.peek(0).is("(", ":") {
		p.at = start
		err = s.readRecord(p)
	} else {
		r := Record{Noun: first, Plural: plural}
		if plural == "" {
			r.Noun = SingularOf(first)
			r.Plural = surePlural(r.Noun)
		}
		s.Records = append(s.Records, r)
		err = cmp.Or(err, s.checkSizes(), when(!validName(r.Noun, MaxNoun), "%w", badName("a record", first, MaxNoun)))
	}
	last := &s.Records[len(s.Records)-1]
	last.Plural = cmp.Or(plural, last.Plural)
	return err
}

// setSections reads lines of a site with semicolons or line ends between, or names
// of sections with commas between. A name alone stands for the section of that
// name, if there is one; texts replace those of the same key.
func (s *Spec) setSections(value string) error {
	read := Spec{}
	for _, line := range Split(value) {
		var err error
		if word, rest := cutWord(strings.ToLower(line)); (word == "section" || word == "text") && strings.HasPrefix(rest, " ") {
			err = read.readSite(word, line[len(word):])
		} else {
			for name := range strings.SplitSeq(line, ",") {
				read.Sections = append(read.Sections, Section{Name: strings.TrimSpace(name)})
			}
		}
		if err = cmp.Or(err, read.checkSizes()); err != nil {
			return err
		}
	}
	for i, x := range read.Sections {
		if at := s.FindSection(x.Name); at >= 0 && x.Text == "" {
			read.Sections[i] = s.Sections[at]
		}
	}
	for _, f := range read.Facts {
		s.Facts = append(slices.DeleteFunc(s.Facts, func(old Fact) bool { return old.Key == f.Key }), f)
	}
	if s.Kind = cmp.Or(s.Kind, Site); len(read.Sections) > 0 {
		s.Sections = read.Sections
	}
	return nil
}

// Constraints returns the constraints that describe a spec; FromConstraints reads them back.
func (s Spec) Constraints() map[string]string {
	var records []string
	for _, r := range s.Records {
		if line := r.String(); len(r.Fields) > 0 {
			records = append(records, line)
		} else {
			records = append(records, quoteName(r.Plural)+"/"+quoteName(r.Noun))
		}
	}
	out := map[string]string{
		"kind": s.Kind, "language": s.Language, "store": s.Store, "auth": s.Auth, "license": s.License, "name": s.Name,
		"port": strings.TrimPrefix(strconv.Itoa(s.Port), "0"), "cors": map[bool]string{true: "on"}[s.CORS],
		"resources": strings.Join(records, "; "), "sections": strings.Join(s.siteLines(), "; "),
	}
	maps.DeleteFunc(out, func(_, value string) bool { return value == "" })
	return out
}
