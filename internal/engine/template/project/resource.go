package project

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/wording"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
)

// Resource is one kind of thing that a project keeps records of.
type Resource struct {
	Singular string
	Plural   string
	Fields   []Field // at least one
}

// Required are the fields that a request cannot leave out: those that say so, or else the first text.
func (r Resource) Required() (names []string) {
	first, said := []string(nil), false
	for _, f := range r.Fields {
		said = said || f.Need == Needed
		switch {
		case f.Default != "":
		case f.Need == Needed:
			names = append(names, f.Name)
		case first == nil && f.Need == "" && f.Kind == values.Text:
			first = []string{f.Name}
		}
	}
	if !said {
		return first
	}
	return names
}

// Uses says whether some field is one of these: of a kind, a reference, held to a rule.
func (r Resource) Uses(these ...string) bool {
	return slices.ContainsFunc(r.Fields, func(f Field) bool { return slices.ContainsFunc(these, f.Is) })
}

// Has says whether there is a field of this name.
func (r Resource) Has(name string) bool {
	return slices.ContainsFunc(r.Fields, func(f Field) bool { return f.Name == name })
}

// BadResources says whether these are none that this engine would have made of a prompt.
func BadResources(all []Resource) bool {
	names := map[string]bool{}
	for _, r := range all {
		if names[Squeezed(r.Singular)] || names[Squeezed(r.Plural)] || NotFieldName(r.Plural) || NotResource(r.Singular) || len(r.Fields) > MaxFields {
			return true
		}
		names[Squeezed(r.Singular)], names[Squeezed(r.Plural)] = true, true
		fields := map[string]bool{}
		for _, f := range r.Fields {
			if fields[f.Name] || NotFieldName(f.Name) || lexicon.Is("reserved-field", Squeezed(f.Name)) || notKindOfField(f.Kind) || f.bad() || f.Unique && len(r.Plural)+len(f.Name) > MaxUnique {
				return true
			}
			fields[f.Name] = true
		}
	}
	return len(all) > MaxResources
}

// NotResource says whether a word cannot name a resource.
func NotResource(singular string) bool {
	return len(singular) < 2 || len(singular) > plaintext.MaxName || NotFieldName(singular) || NotFieldName(english.Plural(singular)) || lexicon.Is("reserved-noun", singular)
}

// Squeezed is a name without what parts its words, as files have it: load_test.go would be a test.
func Squeezed(name string) string { return squeeze.Replace(name) }

// squeeze is made once: a reading compares names very often.
var squeeze = strings.NewReplacer("_", "", " ", "")

func notKindOfField(kind string) bool {
	return (!lexicon.Is("kind", kind) || kind == Ref) && NotFieldName(Field{Kind: kind}.Of())
}

// Sample is a good record in JSON, for examples and tests; what is unique differs with n.
func (r Resource) Sample(n int) string {
	return wording.Say("sample", map[string]any{"Fields": r.Fields, "n": n})
}
