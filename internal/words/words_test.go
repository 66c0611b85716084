package words

import (
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/glossary"
)

var lexicon = Lexicon{
	Vocabulary: map[string]glossary.Meaning{
		"and": {Class: "join"}, "or": {Class: "join"}, "the": {Class: "stop"}, "with": {Class: "stop"}, "in": {Class: "stop"}, "python": {Class: "language", Value: "python"},
		"rest api": {Class: "kind", Value: "api"}, "api": {Class: "kind", Value: "api"},
	},
	Tables: glossary.Tables("[misspelt]\npython\n[shortened]\ne.g\n[cut-short]\nest\n[cut-name]\nqty\n[method]\nget\n[foreign]\neine, für\n[english]\nstop\n[fruit red]\napple, big apple\n[inside-word]\nin\n[inside-name]\nin\n"),
}

// What a request is taken apart into: words in lower case, «quotations» and marks.
func TestTextIsTakenApart(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"A Python API: books, e.g. new ones.":    "a python api : books , e.g new ones .",
		"size: 'S' | 'M'; note?, name: string!}": "size : «s/m» , note optional , name : string required )",
		"GET /books and a|b":                     "endpoints for books and a/b",
		"est. days, qty. per box, qty. Use it":   "est days , qty per box , qty . use it",
		"no. of days, done. est. Go":             "number of days , done . est . go",
		"- check-in date\n- the users' \"log\"":  "• check in date • the user «log»",
		"qty >= 5, fragile: bool = false":        "qty min 5 , fragile : bool : false",
		"one – two - three, 1–5":                 "one : two : three , 1 5",
		"2,410 m, 1,2 and 100,200,300":           "2,410 m , 1 , 2 and 100 , 200 , 300",
		"mail me at ann@x.example":               "mail me at ann@x.example",
		"":                                       "",
	} {
		var got []string
		for _, token := range In(text, lexicon).Tokens {
			if token.Quoted {
				token.Low = "«" + token.Low + "»"
			}
			got = append(got, token.Low)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q became %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}

func TestWordsKeepHowTheyAreWritten(t *testing.T) {
	t.Parallel()
	x := In("Grades A-, b+ of Ann", lexicon)
	if x.At(1).Raw != "A-" || x.At(3).Raw != "b+" || x.At(0).Capital || !x.At(5).Capital {
		t.Errorf("%+v", x.Tokens)
	}
}

func TestPhrasesAreFound(t *testing.T) {
	t.Parallel()
	x := In("a pyhton rest api with a big apple and 1-5 plums", lexicon)
	if m, n := x.Phrase(1); m.Value != "python" || n != 1 || x.At(1).Low != "python" {
		t.Errorf("misspelt: %v, %d", m, n)
	}
	if m, n := x.Phrase(2); m.Class != "kind" || n != 2 || x.ClassAt(3) != "kind" {
		t.Errorf("the longest: %v, %d", m, n)
	}
	if value, n := x.Longest(6, "fruit"); value != "red" || n != 2 || x.Length(5, "fruit") != 0 || !x.Says("fruit") || x.Says("foreign") {
		t.Errorf("of a table: %q, %d", value, n)
	}
	if end := x.EndOf(4); x.At(end).Low != "and" || x.Behind(9) != 11 || x.After(4, "with", "a") != 6 {
		t.Errorf("places: %d, %d, %d", end, x.Behind(9), x.After(4, "with", "a"))
	}
	if !x.At(-1).Mark || !x.At(99).Mark {
		t.Error("there is something outside the text")
	}
}

func TestLanguagesAreTold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"the list in the api": true, "eine Seite für mich": false, "eine, für, eine": true, "сайт": false} {
		if got := In(text, lexicon).InEnglish(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestANameEndsWhereItsWordsDo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Blue Door serves lunch":  "Blue Door",
		"House in Rome serves it": "House in Rome",
		"House in town":           "House",
		"blue door with lunch":    "blue door",
		`it "Blue door" serves`:   "Blue door",
	} {
		if got, _ := In(text, lexicon).NameAt(0); got != want {
			t.Errorf("%q is called %q, want %q", text, got, want)
		}
	}
}

func TestABracketIsClosed(t *testing.T) {
	t.Parallel()
	x := In("a (b (c) d) e (f", lexicon)
	for i, want := range map[int]int{1: 7, 3: 5, 9: -1} {
		if got := x.Closes(i); got != want {
			t.Errorf("%d: %d, want %d", i, got, want)
		}
	}
}
