// Package constraint reads the constraints of a request: those that are known, cleaned
// and with their synonyms resolved.
package constraint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// Read reads constraints. The values say in words what each that is known can be, the
// synonyms have "key value" for what else is meant by a value, and bad says whether a
// value cannot be met. A name is taken as it is written, all else in lower case.
func Read(raw, values, synonyms map[string]string, bad func(key, value string) bool) (map[string]string, error) {
	out := map[string]string{}
	for _, rawKey := range slices.Sorted(maps.Keys(raw)) {
		key := strings.ToLower(strings.TrimSpace(rawKey))
		if values[key] == "" {
			return nil, fmt.Errorf("the constraint %q is not known; these are: %s", plaintext.Line(rawKey, 60), english.List(slices.Sorted(maps.Keys(values))))
		}
		value := plaintext.Line(raw[rawKey], 400)
		if key != "name" {
			value = strings.ToLower(value)
		}
		value = cmp.Or(synonyms[key+" "+value], value)
		if other, twice := out[key]; twice && other != value {
			return nil, fmt.Errorf("the constraint %q is given twice with different values; give it once", key)
		}
		if out[key] = value; bad(key, value) {
			return nil, fmt.Errorf("%s %q cannot be met; %s can be: %s", key, plaintext.Line(value, 60), key, values[key])
		}
	}
	return out, nil
}

// List gives the parts of a value with commas between, each once and with hyphens between its words.
func List(value string) (out []string) {
	for part := range strings.SplitSeq(value, ",") {
		if part = strings.ReplaceAll(strings.TrimSpace(part), " ", "-"); value != "" && !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}
