package setting

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Value is a setting's value of any type: a pflag.Value that reads text with
// parse and shows its default with show.
type Value[T any] struct {
	to    *T
	kind  string
	parse func(string) (T, error)
	show  func(T) string
}

// New is a value of some kind, kept in a place.
func New[T any](to *T, kind string, parse func(string) (T, error), show func(T) string) *Value[T] {
	return &Value[T]{to: to, kind: kind, parse: parse, show: show}
}

// Set reads a text.
func (v *Value[T]) Set(text string) error {
	parsed, err := v.parse(text)
	if err != nil {
		return err
	}
	*v.to = parsed
	return nil
}

// String shows what is set.
func (v *Value[T]) String() string {
	if v.to == nil {
		return "" // pflag asks an empty value whether it is a default
	}
	return v.show(*v.to)
}

// Type names the kind of value, for help.
func (v *Value[T]) Type() string { return v.kind }

// Text holds any text.
func Text(to *string, kind string) *Value[string] {
	return New(to, kind, func(s string) (string, error) { return s, nil }, func(s string) string { return s })
}

// switchKind is the type of a flag that needs no value.
const switchKind = "bool"

// Switch is on or off; naming its flag is enough to turn it on.
func Switch(to *bool) *Value[bool] {
	return New(to, switchKind, func(text string) (bool, error) {
		on, err := strconv.ParseBool(text)
		if err != nil {
			return false, fmt.Errorf("%q is neither true nor false", text)
		}
		return on, nil
	}, strconv.FormatBool)
}

// Duration holds times from a shortest one on.
func Duration(to *time.Duration, shortest time.Duration) *Value[time.Duration] {
	return New(to, "duration", func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("%q is no duration such as 90s, 15m or 24h", text)
		}
		if d < shortest {
			return 0, fmt.Errorf("%s is shorter than %s", text, shortest)
		}
		return d, nil
	}, shortDuration)
}

// shortDuration writes 24h0m0s as 24h.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Count holds whole numbers from low to high.
func Count(to *int, low, high int) *Value[int] {
	return New(to, "number", func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < low || n > high {
			return 0, fmt.Errorf("%q is no whole number from %d to %d", text, low, high)
		}
		return n, nil
	}, strconv.Itoa)
}

// sizeUnits are the units of sizes, each with its bytes. Longer ones come first.
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10},
	{"MiB", 1 << 20},
	{"GiB", 1 << 30},
	{"TiB", 1 << 40},
	{"kB", 1e3},
	{"KB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"B", 1},
}

// Size holds numbers of bytes.
func Size(to *int64) *Value[int64] {
	return New(to, "size", parseSize, showSize)
}

func parseSize(text string) (int64, error) {
	number, unit := strings.TrimSpace(text), int64(1)
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is no size such as 500MB, 4GiB or a number of bytes", text)
	}
	return n * unit, nil
}

func showSize(n int64) string {
	for _, u := range []int{3, 2, 1, 0} {
		if unit := sizeUnits[u]; n >= unit.bytes && n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// Choice holds one of several words.
func Choice(to *string, kind string, choices ...string) *Value[string] {
	return New(to, kind, func(text string) (string, error) {
		if !slices.Contains(choices, text) {
			return "", fmt.Errorf("%q is none of %s", text, strings.Join(choices, ", "))
		}
		return text, nil
	}, func(s string) string { return s })
}

// Choices holds some of several words, each once.
func Choices(to *[]string, kind string, choices ...string) *Value[[]string] {
	return New(to, kind, func(text string) ([]string, error) {
		var chosen []string
		for part := range strings.SplitSeq(text, ",") {
			part = strings.TrimSpace(part)
			if !slices.Contains(choices, part) {
				return nil, fmt.Errorf("%q is none of %s", part, strings.Join(choices, ", "))
			}
			if slices.Contains(chosen, part) {
				return nil, fmt.Errorf("%q is named twice", part)
			}
			chosen = append(chosen, part)
		}
		if len(chosen) == 0 {
			return nil, errors.New("nothing is chosen")
		}
		return chosen, nil
	}, func(all []string) string { return strings.Join(all, ",") })
}
