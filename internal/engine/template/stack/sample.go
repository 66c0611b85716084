package stack

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// Sample returns a JSON object that a record of this kind accepts, without its
// references. Values of unique fields differ with n, which counts from 1.
func (r Record) Sample(n int) string {
	var all []string
	for _, f := range r.Fields {
		if f.To == "" {
			all = append(all, strconv.Quote(f.Column)+": "+f.Sample(n))
		}
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// Sample returns a JSON value that a field accepts.
func (f Field) Sample(n int) string {
	if len(f.Choices) > 0 {
		return f.JSON(f.Choices[n%len(f.Choices)])
	}
	switch f.Kind {
	case spec.Integer:
		return strconv.FormatInt(int64(f.amount(n)), 10)
	case spec.Number:
		return strconv.FormatFloat(f.amount(n), 'f', -1, 64)
	case spec.Money:
		return strconv.Quote(strconv.FormatFloat(f.amount(n), 'f', 2, 64))
	case spec.Boolean:
		return strconv.FormatBool(n%2 == 1)
	case spec.Date:
		return strconv.Quote(f.day(n, time.DateOnly, "2026-01-31"))
	case spec.DateTime:
		return strconv.Quote(f.day(n, time.RFC3339, "2026-01-31T09:30:00Z"))
	case spec.Email:
		return strconv.Quote(f.fit(strconv.Itoa(n), "@example.com"))
	case spec.URL:
		return strconv.Quote(f.fit("https://example.com/"+strconv.Itoa(n), ""))
	case spec.UUID:
		return fmt.Sprintf(`"00000000-0000-4000-8000-%012d"`, n)
	}
	text := plaintext.Capital(strings.ReplaceAll(f.Column, "_", " ")) + " " + strconv.Itoa(n)
	if most, err := strconv.Atoi(f.Max); err == nil && len(text) > most {
		text = strconv.Itoa(n)
	}
	return strconv.Quote(f.fit(text, ""))
}

// JSON writes a value that stands in a spec, a default or a choice, as it is in answers.
func (f Field) JSON(value string) string {
	switch f.Kind {
	case spec.Integer, spec.Number, spec.Boolean:
		return value
	case spec.Money:
		whole, cents, _ := strings.Cut(value, ".")
		value = whole + "." + (cents + "00")[:2]
	case spec.DateTime:
		if at, err := time.Parse(time.RFC3339, value); err == nil {
			value = strings.Replace(at.UTC().Format("2006-01-02T15:04:05.000Z"), ".000Z", "Z", 1)
		}
	}
	return strconv.Quote(value)
}

// fit brings a text to the least length of a field.
func (f Field) fit(begin, end string) string {
	least, _ := strconv.Atoi(f.Min)
	return begin + strings.Repeat("x", max(0, least-len(begin)-len(end))) + end
}

// amount is a number within the bounds of a field.
func (f Field) amount(n int) float64 {
	least, noMin := strconv.ParseFloat(f.Min, 64)
	most, noMax := strconv.ParseFloat(f.Max, 64)
	v := float64(n)
	switch {
	case noMin == nil:
		v = least + float64(n-1)
	case noMax == nil:
		v = most - float64(n-1)
	}
	if noMax == nil && v > most {
		return most
	}
	return v
}

// day is a day or a time within the bounds of a field.
func (f Field) day(n int, layout, usual string) string {
	first := usual
	if f.Min != "" {
		first = f.Min
	} else if f.Max != "" && f.Max < first {
		first, n = f.Max, 2-n
	}
	at, err := time.Parse(layout, first)
	if err != nil {
		return first
	}
	day := at.UTC().AddDate(0, 0, n-1).Format(layout)
	if f.Max != "" && day > f.Max {
		return f.Max
	}
	return day
}
