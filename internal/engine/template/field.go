package template

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The kinds of a field.
const (
	kindString, kindNumber, kindInteger = "string", "number", "integer"
	kindBoolean, kindStrings            = "boolean", "strings"
	kindDate, kindTime                  = "date", "datetime" // 2026-01-31, RFC 3339
	// kindRef before the singular of a resource is the id of a record of it.
	kindRef = "ref."
)

// field is one value of a record, and what it is held to.
type field struct {
	Name, Kind string
	rules
}

// rules are what the values of a field are held to. A text that is empty counts as none.
type rules struct {
	Need     string   // "required", "optional", or empty: the request does not say
	Unique   bool     // no two records have the same value
	Default  string   // of a record that comes without a value, as on a command line
	Choices  []string // a text is one of these
	Min, Max string   // of a number; of a text, how many characters it has
}

// needed says of a field that a record cannot do without it.
const needed = "required"

const (
	maxChoices = 12
	maxUnique  = 61 // letters of a resource and its field together: databases bound the names of indexes
)

var (
	fieldText = regexp.MustCompile(`^([^:!]*):([^!]*)(?:!(required|optional))?(!unique)?(?:!default=([^!]+))?(?:!one of=([^!]+))?(?:!min=([^!]+))?(?:!max=([^!]+))?$`)
	plainText = regexp.MustCompile(`^[\pL\d+][\pL\d+._/#-]{0,23}(?: [\pL\d+._/#-]{1,24}){0,4}$`)
	decimal   = regexp.MustCompile(`^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,6})?$`)
	whole     = regexp.MustCompile(`^-?(?:0|[1-9]\d{0,14})$`)
	// values and limits are how a value and its limits are written, by the kind of field.
	values = map[string]*regexp.Regexp{kindString: plainText, kindNumber: decimal, kindInteger: whole, kindBoolean: regexp.MustCompile(`^(?:true|false)$`)}
	limits = map[string]*regexp.Regexp{kindString: regexp.MustCompile(`^(?:[2-9]|[1-9]\d{1,3})$`), kindNumber: decimal, kindInteger: whole}
)

// fieldIn reads a field as the state keeps it.
func fieldIn(text string) field {
	m := fieldText.FindStringSubmatch(text)
	if m == nil {
		return field{} // which no resource has
	}
	return field{m[1], m[2], rules{m[3], m[4] != "", m[5], listIn(m[6], "|"), m[7], m[8]}}
}

// bad says whether the rules are none that a field of its kind can be held to.
func (f field) bad() bool {
	low, high := f.limits()
	bare := field{Kind: f.Kind, rules: rules{Min: f.Min, Max: f.Max}}
	for _, limit := range []string{f.Min, f.Max} {
		if form := limits[f.Kind]; limit != "" && (form == nil || !form.MatchString(limit)) || low > high {
			return true
		}
	}
	switch {
	case f.Default != "" && !f.takes(f.Default), f.Of() != "" && f.Need != "":
		return true
	case f.Choices != nil && (f.Kind != kindString || len(f.Choices) < 2 || len(f.Choices) > maxChoices || slices.ContainsFunc(f.Choices, func(c string) bool { return !bare.takes(c) })):
		return true
	case !f.Unique:
		return false
	case f.Kind == kindString: // there are enough of them
		return f.Default != "" || f.Choices != nil || high < 4
	}
	return !slices.Contains([]string{kindNumber, kindInteger, kindDate, kindTime}, f.Kind) || f.Default != "" || high-low < 4
}

// limits are between what a number is, or the length of a text.
func (f field) limits() (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if f.Min != "" {
		low, _ = strconv.ParseFloat(f.Min, 64)
	}
	if f.Max != "" {
		high, _ = strconv.ParseFloat(f.Max, 64)
	}
	return low, high
}

// takes says whether a value, as on a command line, keeps to the rules.
func (f field) takes(value string) bool {
	low, high := f.limits()
	size, _ := strconv.ParseFloat(value, 64)
	if f.Kind == kindString {
		size = float64(utf8.RuneCountInString(value))
	}
	form := values[f.Kind]
	return form != nil && form.MatchString(value) && low <= size && size <= high && (f.Choices == nil || slices.Contains(f.Choices, value))
}

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
func (f field) Value(n int) string { return f.good("a", n) }

// Sample is a good value of the field in JSON.
func (f field) Sample(n int) string {
	if f.Kind == kindStrings {
		return f.In().Sample
	}
	value := f.good("A", n)
	if f.Kind == kindNumber || f.Kind == kindInteger || f.Kind == kindBoolean {
		return value
	}
	return strconv.Quote(value)
}

func (f field) good(article string, n int) string {
	low, high := f.limits()
	sample := strings.Trim(f.In().Sample, `"`)
	switch {
	case f.Choices != nil:
		return f.Choices[0]
	case !f.Unique:
		n = 1
	case f.Kind != kindString: // room for those that differ
		high -= 4
	}
	switch f.Kind {
	case kindNumber, kindInteger:
		usual, _ := strconv.ParseFloat(sample, 64)
		return strconv.FormatFloat(max(low, min(high, usual))+float64(n-1), 'f', -1, 64)
	case kindDate, kindTime:
		return strings.Replace(sample, "31", strconv.Itoa(32-n), 1)
	case kindString, kindStrings:
		text := article + " first " + strings.ReplaceAll(f.Name, "_", " ")
		if n > 1 {
			text += fmt.Sprintf(" %d", n)
		}
		if over := len(text) - int(min(high, 1e4)); over > 0 {
			text = strings.ReplaceAll(text[over:], " ", "x")
		}
		return strings.Repeat("x", max(0, int(max(low, 0))-len(text))) + text
	}
	return sample
}
