package template

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// resource is one kind of thing that a project keeps records of.
type resource struct {
	Singular string
	Plural   string
	Fields   []field // at least one
}

// The kinds of a field.
const (
	kindString  = "string"
	kindNumber  = "number"
	kindInteger = "integer"
	kindBoolean = "boolean"
	kindStrings = "strings"
	kindDate    = "date"     // 2026-01-31
	kindTime    = "datetime" // RFC 3339
	// kindRef before the singular of a resource is the id of a record of it.
	kindRef = "ref."
)

type field struct{ Name, Kind string }

// Of is the resource that a field refers to, or empty.
func (f field) Of() string {
	of, _ := strings.CutPrefix(f.Kind, kindRef)
	return strings.TrimPrefix(of, f.Kind)
}

// Required is the field that a record cannot do without: its first text, if there is one.
func (r resource) Required() string {
	for _, f := range r.Fields {
		if f.Kind == kindString {
			return f.Name
		}
	}
	return ""
}

// Uses says whether some field is of one of the kinds; ref stands for all references.
func (r resource) Uses(kinds ...string) bool {
	return slices.ContainsFunc(r.Fields, func(f field) bool {
		return slices.Contains(kinds, f.Kind) || f.Of() != "" && slices.Contains(kinds, "ref")
	})
}

func (r resource) has(name string) bool {
	return slices.ContainsFunc(r.Fields, func(f field) bool { return f.Name == name })
}

func badResources(all []resource) bool {
	names := map[string]bool{}
	for _, r := range all {
		if names[squeezed(r.Singular)] || names[squeezed(r.Plural)] || notFieldName(r.Plural) || notResource(r.Singular) || len(r.Fields) > maxFields {
			return true
		}
		names[squeezed(r.Singular)], names[squeezed(r.Plural)] = true, true
		fields := map[string]bool{}
		for _, f := range r.Fields {
			if fields[f.Name] || notFieldName(f.Name) || is("reserved-field", squeezed(f.Name)) || notKindOfField(f.Kind) {
				return true
			}
			fields[f.Name] = true
		}
	}
	return len(all) > maxResources
}

func notResource(singular string) bool {
	return len(singular) < 2 || len(singular) > plaintext.MaxName || notFieldName(singular) || notFieldName(english.Plural(singular)) || is("reserved-noun", singular)
}

// squeezed is a name without what parts its words, as files have it: load_test.go would be a test.
func squeezed(name string) string { return strings.NewReplacer("_", "", " ", "").Replace(name) }

func notKindOfField(kind string) bool {
	return (!is("kind", kind) || kind == kindRef) && notFieldName(field{Kind: kind}.Of())
}

// kindWords is how a kind of field is written, and a good value of it in JSON.
type kindWords struct{ Go, TypeScript, Python, Words, Sample string }

// In says how the kind of a field is written.
func (f field) In() kindWords {
	kind := f.Kind
	if f.Of() != "" {
		kind = kindRef
	}
	w := append(strings.Split(tables["kind"][kind], "|"), make([]string, 5)...)
	return kindWords{w[0], w[1], w[2], w[3], w[4]}
}

// Value is a good value of the field on a command line.
func (f field) Value() string {
	if f.Kind == kindString || f.Kind == kindStrings {
		return "a first " + strings.ReplaceAll(f.Name, "_", " ")
	}
	return strings.Trim(f.In().Sample, `"`)
}

// Sample is a good record in JSON, for examples and tests.
func (r resource) Sample() string { return say("sample", r) }
