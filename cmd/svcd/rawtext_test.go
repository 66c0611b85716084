package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/text/printable"
)

// Names of keys, of files and what a model's server says come from others.
// Promise: terminal-safe
func TestNothingOthersWroteIsPrintedRaw(t *testing.T) {
	const hostile = "planted\x1b[2J\u009b31m\x7f\u202e\u2028\nplanted"
	var named, told, skipped bytes.Buffer
	(&engineCheck{out: &told}).tell(errors.New(hostile), "streaming", "")
	err := errors.Join(
		(&operator{out: &named}).print(keyView{Name: hostile}),
		(&importCommand{std: Streams{Err: &skipped}}).reportSkipped([]string{hostile}))
	if err != nil {
		t.Fatal(err)
	}
	_, _, refused := runMain(t, nil, "licenses", "--"+hostile)
	for name, text := range map[string]string{"operator": named.String(), "engine check": told.String(), "import": skipped.String(), "an error": refused} {
		if strings.Count(text, "planted") < 2 || strings.Contains(text, "\nplanted") ||
			strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && printable.Steers(r) }) {
			t.Errorf("%s: %q", name, text)
		}
	}
}
