package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// TestTheNotationOfTheClientIsThatOfTheEngine: the client links no engine, and knows
// what a spec can say from constants of its own.
// Promise: generate-spec
func TestTheNotationOfTheClientIsThatOfTheEngine(t *testing.T) {
	read, err := spec.Parse(notation)
	if err != nil || len(read.Records) != 2 || strings.Count(notation, "\n") != 5 {
		t.Errorf("the help has %q: %+v, %v", notation, read, err)
	}
	bare := func(offers []string) (out []string) {
		for _, offer := range offers {
			value, _, _ := strings.Cut(offer, "\t")
			out = append(out, value)
		}
		return out
	}
	for name, lists := range map[string][2][]string{
		"kinds":       {bare(specKinds), {spec.API, spec.Site}},
		"languages":   {bare(specLanguages), spec.Languages},
		"stores":      {bare(specStores), spec.Stores},
		"field kinds": {fieldKinds, spec.Kinds},
	} {
		if !slices.Equal(lists[0], lists[1]) {
			t.Errorf("%s: the client offers %v, the engine has %v", name, lists[0], lists[1])
		}
	}
	for _, line := range append([]string{notation}, notationHelp...) {
		if at := strings.Index(line, "Kinds: "); at >= 0 {
			kinds, _, _ := strings.Cut(line[at+len("Kinds: "):], "\n")
			if !slices.Equal(strings.Fields(kinds), spec.Kinds) {
				t.Errorf("the kinds in %q are not those of the engine", line)
			}
		}
	}
}
