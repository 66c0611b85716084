package project

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/wording"
	"github.com/bundle-delivery/svc/internal/values"
)

// Ref before the singular of a resource is the kind of a field that holds the id of a record of it.
const Ref = "ref."

// Field is one value of a record, and what it is held to.
type Field struct {
	Name, Kind string
	values.Rules
}

// Needed says of a field that a record cannot do without it.
const Needed = "required"

// MaxUnique bounds the letters of a resource and its field together: databases bound the names of indexes.
const MaxUnique = 61

var fieldText = regexp.MustCompile(`^([^:!]*):([^!]*)(?:!(required|optional))?(!unique)?(?:!default=([^!]+))?(?:!one of=([^!]+))?(?:!min=([^!]+))?(?:!max=([^!]+))?$`)

// FieldIn reads a field as the state keeps it.
func FieldIn(text string) Field {
	m := fieldText.FindStringSubmatch(text)
	if m == nil {
		return Field{} // which no resource has
	}
	return Field{m[1], m[2], values.Rules{Need: m[3], Unique: m[4] != "", Default: m[5], Choices: listIn(m[6], "|"), Min: m[7], Max: m[8]}}
}

// bad says whether the rules are none that a field of its kind can be held to.
func (f Field) bad() bool { return f.Bad(f.Kind) || f.Of() != "" && f.Need != "" }

// Of is the resource that a field refers to, or empty.
func (f Field) Of() string {
	of, _ := strings.CutPrefix(f.Kind, Ref)
	return strings.TrimPrefix(of, f.Kind)
}

// Is says whether a field is of a kind, a reference, or held to a rule.
func (f Field) Is(what string) bool {
	limited, number := f.Min+f.Max != "", f.Kind == values.Number || f.Kind == values.Integer
	// What is nullable has no value that would tell that there is none.
	nullable := (number || f.Kind == values.Truth) && (f.Need == Needed || f.Unique || limited || f.Default != "")
	return f.Kind == what || map[string]bool{
		"ref":      f.Of() != "",
		Needed:     f.Need == Needed,
		"unique":   f.Unique,
		"default":  f.Default != "",
		"choices":  f.Choices != nil,
		"limits":   limited,
		"length":   limited && f.Kind == values.Text,
		"amount":   number && (limited || f.Unique),
		"nullable": nullable,
		"rule":     f.Choices != nil || limited || f.Need == Needed && (nullable || f.Kind == values.Texts), // more than not to be empty
	}[what]
}

// Held says in words what a field is held to.
func (f Field) Held() string { return wording.Say("rules", f) }

// kindWords is how a kind of field is written, and a good value of it in JSON.
type kindWords struct{ Go, TypeScript, Python, Words, Sample string }

// In says how the kind of a field is written.
func (f Field) In() kindWords {
	kind := f.Kind
	if f.Of() != "" {
		kind = Ref
	}
	w := append(strings.Split(lexicon.Tables["kind"][kind], "|"), make([]string, 5)...)
	return kindWords{w[0], w[1], w[2], w[3], w[4]}
}

// Value is a good value of the field on a command line; those of a field that is unique differ with n.
func (f Field) Value(n int) string { return f.good("a first ", n) }

// Sample is a good value of the field in JSON.
func (f Field) Sample(n int) string {
	switch f.Kind {
	case values.Texts:
		return f.In().Sample
	case values.Number, values.Integer, values.Truth:
		return f.good("", n)
	}
	return strconv.Quote(f.good("A first ", n))
}

func (f Field) good(begin string, n int) string {
	usual := strings.Trim(f.In().Sample, `"`)
	if f.Kind == values.Text || f.Kind == values.Texts {
		usual = begin + strings.ReplaceAll(f.Name, "_", " ")
	}
	return f.Good(f.Kind, usual, n)
}
