package template

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/values"
)

// The kinds of a field.
const (
	kindString, kindNumber, kindInteger = values.Text, values.Number, values.Integer
	kindBoolean, kindStrings            = values.Truth, values.Texts
	kindDate, kindTime                  = values.Day, values.DateTime
	// kindRef before the singular of a resource is the id of a record of it.
	kindRef = "ref."
)

// field is one value of a record, and what it is held to.
type field struct {
	Name, Kind string
	rules
}

type rules = values.Rules

// needed says of a field that a record cannot do without it.
const needed = "required"

// maxUnique bounds the letters of a resource and its field together: databases bound the names of indexes.
const maxUnique = 61

var fieldText = regexp.MustCompile(`^([^:!]*):([^!]*)(?:!(required|optional))?(!unique)?(?:!default=([^!]+))?(?:!one of=([^!]+))?(?:!min=([^!]+))?(?:!max=([^!]+))?$`)

// fieldIn reads a field as the state keeps it.
func fieldIn(text string) field {
	m := fieldText.FindStringSubmatch(text)
	if m == nil {
		return field{} // which no resource has
	}
	return field{m[1], m[2], rules{Need: m[3], Unique: m[4] != "", Default: m[5], Choices: listIn(m[6], "|"), Min: m[7], Max: m[8]}}
}

// bad says whether the rules are none that a field of its kind can be held to.
func (f field) bad() bool { return f.Bad(f.Kind) || f.Of() != "" && f.Need != "" }

// Of is the resource that a field refers to, or empty.
func (f field) Of() string {
	of, _ := strings.CutPrefix(f.Kind, kindRef)
	return strings.TrimPrefix(of, f.Kind)
}

// Is says whether a field is of a kind, a reference, or held to a rule.
func (f field) Is(what string) bool {
	limited, number := f.Min+f.Max != "", f.Kind == kindNumber || f.Kind == kindInteger
	// What is nullable has no value that would tell that there is none.
	nullable := (number || f.Kind == kindBoolean) && (f.Need == needed || f.Unique || limited || f.Default != "")
	return f.Kind == what || map[string]bool{
		"ref":      f.Of() != "",
		needed:     f.Need == needed,
		"unique":   f.Unique,
		"default":  f.Default != "",
		"choices":  f.Choices != nil,
		"limits":   limited,
		"length":   limited && f.Kind == kindString,
		"amount":   number && (limited || f.Unique),
		"nullable": nullable,
		"rule":     f.Choices != nil || limited || f.Need == needed && (nullable || f.Kind == kindStrings), // more than not to be empty
	}[what]
}

// Rules says in words what a field is held to.
func (f field) Rules() string { return say("rules", f) }

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

// Value is a good value of the field on a command line; those of a field that is unique differ with n.
func (f field) Value(n int) string { return f.good("a first ", n) }

// Sample is a good value of the field in JSON.
func (f field) Sample(n int) string {
	switch f.Kind {
	case kindStrings:
		return f.In().Sample
	case kindNumber, kindInteger, kindBoolean:
		return f.good("", n)
	}
	return strconv.Quote(f.good("A first ", n))
}

func (f field) good(begin string, n int) string {
	usual := strings.Trim(f.In().Sample, `"`)
	if f.Kind == kindString || f.Kind == kindStrings {
		usual = begin + strings.ReplaceAll(f.Name, "_", " ")
	}
	return f.Good(f.Kind, usual, n)
}
