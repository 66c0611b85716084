package words

import (
	"testing"

	"github.com/bundle-delivery/svc/internal/glossary"
)

func TestFiguresAreFound(t *testing.T) {
	t.Parallel()
	page := Lexicon{
		Vocabulary: map[string]glossary.Meaning{"june": {Class: "detail", Value: "dates"}},
		Tables:     glossary.Tables("[figure]\neuros\n"),
	}
	for text, want := range map[string]bool{"14 june": true, "june": true, "€35 each": true, "0761": true, "tea at 5": false, "euros": false, "euros 5": true} {
		if got := In(text, page).IsFigure(0); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
