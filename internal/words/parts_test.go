package words

import (
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/glossary"
)

var page = Lexicon{
	Vocabulary: map[string]glossary.Meaning{
		"and": {Class: "join"}, "with": {Class: "fields"}, "how": {Class: "heart"}, "next": {Class: "heart"}, "react": {Class: "heart"}, "to": {Class: "to"}, "the": {Class: "stop"},
		"our": {Class: "stop"}, "what": {Class: "stop"}, "on": {Class: "stop"}, "programme": {Class: "stop", Value: "filler"}, "june": {Class: "detail", Value: "dates"}, "count words": {Class: "operation"},
	},
	Tables: glossary.Tables("[determiner]\nthe, our\n[layout about]\nour story\n[asking]\nhow, what\n[in-part]\nto, next, how\n[section]\nprices\n[between-figures]\nto\n[interactive]\nbooking\n[breaks-list]\nwe\n" +
		"[manner]\nrustic\n[teller]\ni, we\n[wish]\nneed\n[it]\nit\n[used-for]\nso i can\n[of-mine]\nof my\n[around]\nfiles\n[tool-means]\noperation\n"),
}

func TestPartsOfListsAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{ // empty: something in it means something else
		"with how to get there, prices": "how to get there", "with our story": "our story", "with the staff and prices": "staff", "with programme": "programme", "with next meeting": "next meeting",
		"with react": "", "with court booking": "", "with 14 june": "", "with we sing": "", "with Ann": "", "with what's on": "whats on",
	} {
		if got, n := In(text, page).Part(1, true); strings.Join(got, " ") != want || (n > 0) != (want != "") {
			t.Errorf("%q: %q, %d words", text, got, n)
		}
	}
}

func TestListsOfPartsAreTold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"kitchens, wide stairs, furniture": true, "team and prices": true, "kitchens, stairs": false, "rustic, warm, quiet": false, "we sing, dance, play": false,
		"one, two, 14 june": false, "the long way round the whole lake, boats, tea": false,
	} {
		if got := In(text, page).ListsParts(0); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestFiguresAreFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"14 june to 17:30 here": 4, "0761 555 0134, tea": 3, "€35 each": 1, "june": 1, "tea at 5": 0} {
		if got := In(text, page).Figures(0); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
	if got := In("dogs welcome, tea", page).Plain(0); got != 2 {
		t.Errorf("%d plain words", got)
	}
}

func TestWhatIsToldBesideAToolIsNoWish(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"i have 40k pictures and they are there twice. go": 9, "so i can check my backups": 6, "of my novel, go": 3, ".log files of today": 2, "files of a folder": 1,
		"i need sums": 0, "i said it sums": 0, "i count words": 0, "sums of files": 0,
	} {
		n, why := In(text, page).Beside(0)
		if n != want || (why != "") != (strings.HasPrefix(text, "so") || strings.HasPrefix(text, ".")) {
			t.Errorf("%q: %d words, %q", text, n, why)
		}
	}
}
