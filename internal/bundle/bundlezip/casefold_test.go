package bundlezip

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// isCherokee finds the letters in which the library errs: it takes small ones for
// capitals and capitals for small ones, so that the two never meet.
func isCherokee(r rune) bool { return unicode.Is(unicode.Cherokee, r) }

func TestEveryCharacterFoldsAsUnicodeSays(t *testing.T) {
	if unicode.Version != cases.UnicodeVersion {
		t.Fatalf("the standard library knows Unicode %s and the one it is held against %s: take versions that agree", unicode.Version, cases.UnicodeVersion)
	}
	fold := cases.Fold()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		text := norm.NFD.String(string(r))
		want := fold.String(text)
		if isCherokee(r) {
			want = string(unicode.ToUpper(r))
		}
		if got := foldCase(text); got != want {
			t.Errorf("%U %q folds to %+q, want %+q", r, r, got, want)
		}
	}
}

// Neighbours have no influence.
func TestTextsFoldAsUnicodeSays(t *testing.T) {
	fold := cases.Fold()
	rapid.Check(t, func(t *rapid.T) {
		text := norm.NFD.String(rapid.String().Draw(t, "text"))
		if strings.ContainsFunc(text, isCherokee) {
			t.Skip()
		}
		if got, want := foldCase(text), fold.String(text); got != want {
			t.Fatalf("%+q folds to %+q, want %+q", text, got, want)
		}
	})
}
