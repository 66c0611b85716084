package stack_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
)

// measured reads a value, or a bound, of a kind that has an order.
func measured(t *rapid.T, kind, value string) *big.Rat {
	layout := map[string]string{spec.Date: time.DateOnly, spec.DateTime: time.RFC3339}[kind]
	if layout == "" {
		n, ok := new(big.Rat).SetString(value)
		if !ok {
			t.Fatalf("%q is no %s", value, kind)
		}
		return n
	}
	at, err := time.Parse(layout, value)
	if err != nil {
		t.Fatal(err)
	}
	return big.NewRat(at.UnixMilli(), 1)
}

// drawBound draws a bound of a kind that has an order, which has values beside it.
func drawBound(t *rapid.T, kind, name string) string {
	far := rapid.SampledFrom([]int64{3, 1000, 999_999_999_999_990}).Draw(t, "far")
	whole := rapid.Int64Range(-far, far).Draw(t, name)
	end := func(most int) string {
		digits := strings.TrimRight(fmt.Sprintf("%0*d", most, rapid.IntRange(0, map[int]int{2: 99, 9: 999_999_999}[most]).Draw(t, "decimals")), "0")
		return strings.TrimSuffix("."+digits, ".")
	}
	text := fmt.Sprint(whole)
	day := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(whole%700_000))
	switch kind {
	case spec.Money:
		text += end(2)
	case spec.Number:
		if text += end(9); far > 1000 {
			text = fmt.Sprint(whole) // where code has no decimals
		}
	case spec.Date:
		text = day.Format(time.DateOnly)
	case spec.DateTime:
		at := day.Add(time.Duration(rapid.IntRange(0, 86_399_999).Draw(t, "time")) * time.Millisecond)
		text = at.In(time.FixedZone("", rapid.IntRange(-14, 14).Draw(t, "zone")*3600)).Format(time.RFC3339Nano)
	}
	return text
}

// drawBounded draws a field of a spec that has room for its samples.
func drawBounded(t *rapid.T) stack.Field {
	f := spec.Field{Name: "some value", Kind: rapid.SampledFrom(spec.Kinds).Draw(t, "kind")}
	if f.Kind != spec.Boolean && f.Kind != spec.UUID {
		for name, bound := range map[string]*string{"min": &f.Min, "max": &f.Max} {
			if !rapid.Bool().Draw(t, name) {
				continue
			}
			if *bound = drawBound(t, f.Kind, name); f.IsLong() {
				*bound = fmt.Sprint(rapid.IntRange(1, 254).Draw(t, name+" length"))
			}
		}
	}
	f.Unique = f.Kind != spec.Boolean && rapid.Bool().Draw(t, "unique")
	s, _, err := spec.Spec{Kind: spec.API, Records: []spec.Record{{Noun: "thing", Plural: "things", Fields: []spec.Field{f}}}}.Complete()
	room := spec.Field{Kind: f.Kind, Max: f.Max}.MaxLength()
	if err != nil || (f.Kind == spec.Email || f.Kind == spec.URL) && room < len("https://example.com/10") {
		t.Skip("no spec")
	}
	if f.Unique && f.Min != "" && f.Max != "" && !f.IsLong() {
		wide := big.NewRat(4, 1)
		if f.Kind == spec.DateTime || f.Kind == spec.Date {
			wide = big.NewRat(4*86_400_000, 1)
		}
		if least := measured(t, f.Kind, f.Min); wide.Add(wide, least).Cmp(measured(t, f.Kind, f.Max)) > 0 {
			t.Skip("no room for samples")
		}
	}
	return stack.ViewOf(s).Records[0].Fields[0]
}

// Samples are within the bounds of their fields, those of a unique one differ, and what
// is beyond a bound is refused.
func TestSamplesAreWithinTheirBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := drawBounded(t)
		within := func(sample string) bool {
			var value any
			decoder := json.NewDecoder(strings.NewReader(sample))
			decoder.UseNumber()
			if err := decoder.Decode(&value); err != nil {
				t.Fatalf("%s: %v", sample, err)
			}
			text := fmt.Sprint(value)
			switch {
			case f.IsLong():
				length := utf8.RuneCountInString(text)
				return length <= f.MaxLength() && (f.Min == "" || big.NewRat(int64(length), 1).Cmp(measured(t, spec.Integer, f.Min)) >= 0)
			case f.Kind == spec.Boolean || f.Kind == spec.UUID:
				return true
			}
			n := measured(t, f.Kind, text)
			return (f.Min == "" || n.Cmp(measured(t, f.Kind, f.Min)) >= 0) && (f.Max == "" || n.Cmp(measured(t, f.Kind, f.Max)) <= 0)
		}
		seen := map[string]bool{}
		for n := 1; n <= 4; n++ {
			sample := f.Sample(n)
			if !within(sample) {
				t.Fatalf("sample %d of %s is %s", n, f.Field, sample)
			}
			if f.Unique && seen[sample] {
				t.Fatalf("sample %d of %s is there twice: %s", n, f.Field, sample)
			}
			seen[sample] = true
		}
		if f.IsLong() {
			return
		}
		for step, bound := range map[int64]string{-1: f.Min, 1: f.Max} {
			if bound == "" {
				continue
			}
			if at := f.JSON(bound); !within(at) {
				t.Fatalf("the bound %s of %s is written as %s", bound, f.Field, at)
			}
			if beyond := f.Beyond(bound, step); within(beyond) {
				t.Fatalf("%s is not beyond a bound of %s", beyond, f.Field)
			}
		}
	})
}
