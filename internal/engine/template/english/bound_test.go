package english_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/english"
)

// The longest prompt costs no more than a long sentence, whatever is in it: what
// stands behind is not looked at.
// Promise: grammar-small
func TestLongRequestsAreReadFast(t *testing.T) {
	english.Read("an API for books") // which compiles the patterns
	old := complete(t, parse(t, "api\ntask: title\n"))
	for _, piece := range []string{"a", "a ", "api ", "with ", "books, ", "and a with ", "(", "sqlite ", "x/y ", "\n- a", "add a to b ", "to to ", "é", "store the data "} {
		prompt := strings.Repeat(piece, 32<<10/len(piece))
		got := english.Read(prompt)
		if got.Sure {
			t.Errorf("%q is read for certain", piece)
		}
		changed := english.Change(prompt, old)
		for _, words := range [][]string{slices.Concat(got.Understood, got.NotUnderstood), slices.Concat(changed.Understood, changed.NotUnderstood)} {
			if n := len(strings.Join(words, "")); n > 1500 {
				t.Errorf("%q: %d bytes were read", piece, n)
			}
		}
	}
}
