package stack

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/text/plaintext"
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
	if f.Choices != nil {
		return f.JSON(f.Choices[n%len(f.Choices)])
	}
	number := strconv.Itoa(n)
	switch f.Kind {
	case spec.Integer, spec.Number, spec.Money, spec.Date, spec.DateTime:
		return f.written(f.amount(n))
	case spec.Boolean:
		return strconv.FormatBool(n%2 == 1)
	case spec.Email:
		return strconv.Quote(f.fit(number, "@example.com"))
	case spec.URL:
		return strconv.Quote(f.fit("https://example.com/"+number, ""))
	case spec.UUID:
		return fmt.Sprintf(`"00000000-0000-4000-8000-%012d"`, n)
	}
	text := plaintext.Capital(strings.ReplaceAll(f.Column, "_", " ")) + " " + number
	if len(text) > f.MaxLength() {
		text = number
	}
	return strconv.Quote(f.fit(text, ""))
}

// JSON writes a value of a spec, such as a default or a choice, as answers have it.
func (f Field) JSON(value string) string {
	if slices.Contains([]string{spec.Integer, spec.Number, spec.Boolean}, f.Kind) {
		return value
	}
	return strconv.Quote(f.Canonical(value))
}

// Canonical writes a value of a spec in the one form that programs and databases have:
// money with two decimals, a time in UTC.
func (f Field) Canonical(value string) string {
	switch f.Kind {
	case spec.Money:
		whole, cents, _ := strings.Cut(value, ".")
		return whole + "." + (cents + "00")[:2]
	case spec.DateTime:
		if at, err := time.Parse(time.RFC3339, value); err == nil {
			return strings.Replace(at.UTC().Format("2006-01-02T15:04:05.000Z"), ".000Z", "Z", 1)
		}
	}
	return value
}

// fit brings a text to the least length of a field.
func (f Field) fit(begin, end string) string {
	least, _ := strconv.Atoi(f.Min)
	return begin + strings.Repeat("x", max(0, least-len(begin)-len(end))) + end
}

// Beyond returns a JSON value that is one, or one day, beyond a bound.
func (f Field) Beyond(bound string, step int64) string {
	n := f.number(bound)
	return f.written(n.Add(n, big.NewRat(step, 1)))
}

// amount is a number, or a day, within the bounds of a field.
func (f Field) amount(n int) *big.Rat {
	least, most, step := f.number(f.Min), f.number(f.Max), big.NewRat(int64(n-1), 1)
	switch {
	case least == nil && most == nil:
		least = f.number(cmp.Or(map[string]string{spec.Date: "2026-01-31", spec.DateTime: "2026-01-31T09:30:00Z"}[f.Kind], "1"))
	case least == nil:
		return step.Sub(most, step)
	}
	if step.Add(least, step); most != nil && step.Cmp(most) > 0 {
		return most
	}
	return step
}

// layouts are how days and times are written.
var layouts = map[string]string{spec.Date: time.DateOnly, spec.DateTime: time.RFC3339Nano}

// day is the milliseconds of a day.
const day = 24 * 60 * 60 * 1000

// number reads an amount, or a day or a time as the days since 1970; nil: there is none.
func (f Field) number(value string) *big.Rat {
	layout, dated := layouts[f.Kind]
	if !dated {
		n, _ := new(big.Rat).SetString(value)
		return n
	}
	at, err := time.Parse(layout, value)
	if err != nil {
		return nil
	}
	return big.NewRat(at.UnixMilli(), day)
}

// written writes what number reads as JSON.
func (f Field) written(n *big.Rat) string {
	if layout, dated := layouts[f.Kind]; dated {
		milliseconds := n.Mul(n, big.NewRat(day, 1)).Num().Int64()
		return f.JSON(time.UnixMilli(milliseconds).UTC().Format(layout))
	}
	if n.IsInt() {
		return f.JSON(n.Num().String())
	}
	return f.JSON(strings.TrimRight(n.FloatString(9), "0"))
}
