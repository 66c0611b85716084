package spec

import (
	"strconv"
	"strings"
)

// String writes the canonical text of a spec, which Parse reads back. A record
// needs a field for that, and a plural that is left open is derived again.
func (s Spec) String() string {
	out := s.Kind
	option := func(before, value string) {
		if value != "" {
			out += before + value
		}
	}
	option(" in ", s.Language)
	option(" with ", s.Store)
	if s.Port != 0 {
		option(", port ", strconv.Itoa(s.Port))
	}
	option(", auth ", s.Auth)
	option(", license ", s.License)
	if s.Name != "" {
		option(", name ", quoteValue(s.Name))
	}
	if s.CORS {
		out += ", cors"
	}
	for _, r := range s.Records {
		out += "\n" + r.String()
	}
	for _, line := range s.siteLines() {
		out += "\n" + line
	}
	return out + "\n"
}

// siteLines writes the sections and texts of a site.
func (s Spec) siteLines() (out []string) {
	for _, x := range s.Sections {
		line := "section " + quoteText(x.Name, ":")
		if x.Text != "" {
			line += ": " + quoteText(x.Text, "")
		}
		out = append(out, line)
	}
	for _, f := range s.Facts {
		out = append(out, "text "+f.Key+": "+quoteText(f.Value, ""))
	}
	return out
}

// String writes the line of a record.
func (r Record) String() string {
	out := quoteName(r.Noun)
	if first, _ := cutWord(strings.ToLower(r.Noun)); first == "section" || first == "text" {
		out = quote(r.Noun)
	}
	if r.Plural != "" && r.Plural != surePlural(r.Noun) {
		out += " (" + quoteName(r.Plural) + ")"
	}
	for i, f := range r.Fields {
		out += map[bool]string{true: ": ", false: ", "}[i == 0] + f.String()
	}
	return out
}

// String writes a field as it stands behind the noun of its record.
func (f Field) String() string {
	out := quoteName(f.Name)
	switch {
	case f.To != "" && f.Name == f.To:
		out = "-> " + out
	case f.To != "":
		out += " -> " + quoteName(f.To)
	case f.Kind != "" && (f.Kind != String || usualKind(f) != ""):
		out += ": " + f.Kind
	}
	if f.Need != "" {
		out += " " + f.Need
	}
	if f.Unique {
		out += " unique"
	}
	ends := [2]string{f.Min, f.Max}
	for i, end := range ends {
		if end != "" {
			ends[i] = quoteValue(end)
		}
	}
	if f.Min+f.Max != "" {
		out += " " + ends[0] + ".." + ends[1]
	}
	for i, choice := range f.Choices {
		out += map[bool]string{true: " one of ", false: "/"}[i == 0] + quoteValue(choice)
	}
	if f.HasDefault {
		out += " default " + quoteValue(f.Default)
	}
	return out
}
