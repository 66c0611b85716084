// Package values holds the values of a record's fields to rules, and gives values
// that keep to them. Values are texts, as they are typed on a command line.
package values

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The kinds of values that rules know; of others a value can be needed, and no more.
const (
	Text     = "string"
	Number   = "number"
	Integer  = "integer"
	Truth    = "boolean"
	Texts    = "strings"
	Day      = "date"     // 2026-01-31
	DateTime = "datetime" // RFC 3339
)

// Rules are what the values of a field are held to. A text that is empty counts as none.
type Rules struct {
	Need     string   // "required", "optional", or empty: nobody says
	Unique   bool     // no two records have the same value
	Default  string   // of a record that comes without a value
	Choices  []string // a text is one of these
	Min, Max string   // of a number; of a text, how many characters it has
}

const (
	maxChoices = 12
	several    = 4 // as many values as can be unique at least
)

// Decimal is how a number is written.
var Decimal = regexp.MustCompile(`^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,6})?$`)

var (
	plain  = regexp.MustCompile(`^[\pL\d+][\pL\d+._/#-]{0,23}(?: [\pL\d+._/#-]{1,24}){0,4}$`)
	whole  = regexp.MustCompile(`^-?(?:0|[1-9]\d{0,14})$`)
	truth  = regexp.MustCompile(`^(?:true|false)$`)
	length = regexp.MustCompile(`^(?:[2-9]|[1-9]\d{1,3})$`)

	// forms and limits are how a value and its limits are written, by kind.
	forms  = map[string]*regexp.Regexp{Text: plain, Number: Decimal, Integer: whole, Truth: truth}
	limits = map[string]*regexp.Regexp{Text: length, Number: Decimal, Integer: whole}
)

// Bad says whether values of a kind cannot be held to the rules.
func (r Rules) Bad(kind string) bool {
	low, high := r.limits()
	for _, limit := range []string{r.Min, r.Max} {
		if form := limits[kind]; limit != "" && (form == nil || !form.MatchString(limit)) || low > high {
			return true
		}
	}
	bounds := Rules{Min: r.Min, Max: r.Max}
	switch {
	case r.Default != "" && !r.Takes(kind, r.Default):
		return true
	case r.Choices != nil && (kind != Text || len(r.Choices) < 2 || len(r.Choices) > maxChoices):
		return true
	case slices.ContainsFunc(r.Choices, func(c string) bool { return !bounds.Takes(kind, c) }):
		return true
	case !r.Unique:
		return false
	case kind == Text:
		return r.Default != "" || r.Choices != nil || high < several
	}
	return !slices.Contains([]string{Number, Integer, Day, DateTime}, kind) || r.Default != "" || high-low < several
}

// limits are between what a number is, or the length of a text.
func (r Rules) limits() (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if r.Min != "" {
		low, _ = strconv.ParseFloat(r.Min, 64)
	}
	if r.Max != "" {
		high, _ = strconv.ParseFloat(r.Max, 64)
	}
	return low, high
}

// Takes says whether a value that the rules can speak of keeps to them.
func (r Rules) Takes(kind, value string) bool {
	low, high := r.limits()
	size, _ := strconv.ParseFloat(value, 64)
	if kind == Text {
		size = float64(utf8.RuneCountInString(value))
	}
	form := forms[kind]
	return form != nil && form.MatchString(value) && low <= size && size <= high && (r.Choices == nil || slices.Contains(r.Choices, value))
}

// Good is a value that keeps to the rules, made of one that is usual; those that
// have to be unique differ with n, which is 1 to 4.
func (r Rules) Good(kind, usual string, n int) string {
	low, high := r.limits()
	switch {
	case r.Choices != nil:
		return r.Choices[0]
	case !r.Unique:
		n = 1
	case kind != Text: // room for those that differ
		high -= several
	}
	switch kind {
	case Number, Integer:
		size, _ := strconv.ParseFloat(usual, 64)
		return strconv.FormatFloat(max(low, min(high, size))+float64(n-1), 'f', -1, 64)
	case Day, DateTime: // of the last days of a month
		return strings.Replace(usual, "31", strconv.Itoa(32-n), 1)
	case Text:
		if n > 1 {
			usual += fmt.Sprintf(" %d", n)
		}
		if over := float64(len(usual)) - high; over > 0 {
			usual = strings.ReplaceAll(usual[int(over):], " ", "x")
		}
		return strings.Repeat("x", max(0, int(max(low, 0))-len(usual))) + usual
	}
	return usual
}
