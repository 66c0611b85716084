package spec

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// String writes the canonical text of a spec, which Parse reads back. A record
// needs a field for that, and a plural that is left open is derived again.
func (s Spec) String() string {
	port := strings.TrimPrefix(strconv.Itoa(s.Port), "0")
	cors := map[bool]string{true: ", cors"}[s.CORS]
	lines := []string{s.Kind + behind(" in ", s.Language) + behind(" with ", s.Store) + behind(", port ", port) +
		behind(", auth ", s.Auth) + behind(", license ", s.License) + behind(", name ", quote(s.Name, oddValue, ruleInside)) + cors}
	for _, r := range s.Records {
		lines = append(lines, r.String())
	}
	for _, x := range s.Sections {
		line := "section " + quote(x.Name, nameEnds)
		if x.Text != "" {
			line += ": " + quote(x.Text, textEnds)
		}
		lines = append(lines, line)
	}
	for _, f := range s.Facts {
		lines = append(lines, "text "+f.Key+": "+quote(f.Value, textEnds))
	}
	return strings.Join(lines, "\n") + "\n"
}

// behind writes a value behind what stands before it, if there is a value.
func behind(before, value string) string {
	if value == "" {
		return ""
	}
	return before + value
}

// String writes the line of a record.
func (r Record) String() string {
	out := quote(r.Noun, ruleInside, kindAtEnd, sitePart)
	if r.Plural != "" && r.Plural != surePlural(r.Noun) {
		out += " (" + quote(r.Plural, ruleInside, kindAtEnd) + ")"
	}
	var fields []string
	for _, f := range r.Fields {
		fields = append(fields, f.String())
	}
	return out + behind(": ", strings.Join(fields, ", "))
}

// String writes a field as it stands behind the noun of its record.
func (f Field) String() string {
	out := quote(f.Name, ruleInside, kindAtEnd)
	switch {
	case f.To != "" && f.Name == f.To:
		out = "-> " + out
	case f.To != "":
		out += " -> " + quote(f.To, ruleInside, kindAtEnd)
	case f.Kind != String || usualKind(f) != "":
		out += behind(": ", f.Kind)
	}
	out += behind(" ", f.Need)
	if f.Unique {
		out += " unique"
	}
	if f.Min+f.Max != "" {
		out += " " + quote(f.Min, oddValue, ruleInside) + ".." + quote(f.Max, oddValue, ruleInside)
	}
	var choices []string
	for _, choice := range f.Choices {
		choices = append(choices, quote(choice, oddValue, ruleInside))
	}
	out += behind(" one of ", strings.Join(choices, "/"))
	if f.HasDefault {
		out += " default " + quote(f.Default, oddValue, ruleInside)
	}
	return out
}

// quote writes a text, in quotes where one of these expressions matches it.
func quote(text string, where ...*regexp.Regexp) string {
	if slices.ContainsFunc(where, func(each *regexp.Regexp) bool { return each.MatchString(text) }) {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	}
	return text
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
