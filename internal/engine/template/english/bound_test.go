package english_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/engine/template/english"
)

// The longest prompt costs no more than a long sentence, whatever is in it.
// Promise: grammar-small
func TestLongRequestsAreReadFast(t *testing.T) {
	english.Read("an API for books") // which compiles the patterns
	old := complete(t, parse(t, "api\ntask: title\n"))
	for _, piece := range []string{"a", "a ", "api ", "with ", "books, ", "and a with ", "(", "sqlite ", "x/y ", "\n- a", "add a to b ", "to to ", "é", "store the data "} {
		prompt := strings.Repeat(piece, 32<<10/len(piece))
		start := time.Now()
		if got := english.Read(prompt); got.Sure {
			t.Errorf("%q is read for certain", piece)
		}
		english.Change(prompt, old)
		if took := time.Since(start); took > 2*time.Second { // some 30 ms; much more is a blow-up
			t.Errorf("%q took %v", piece, took)
		}
	}
}
