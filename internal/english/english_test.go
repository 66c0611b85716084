package english_test

import (
	"testing"

	"github.com/bundle-delivery/svc/internal/english"
)

func TestNounsAreInflected(t *testing.T) {
	t.Parallel()
	for one, many := range map[string]string{
		"book": "books", "box": "boxes", "city": "cities", "day": "days", "bus": "buses", "person": "people", "sheep": "sheep", "status": "statuses",
		"fireman": "firemen", "alumnus": "alumni", "kpi": "kpis", "cv": "cvs", "curriculum": "curricula", "parking_spot": "parking_spots", "sales_person": "sales_people", "point_of_interest": "points_of_interest",
	} {
		if got := english.Plural(one); got != many {
			t.Errorf("the plural of %s: %s, want %s", one, got, many)
		}
		if got := english.Singular(many); got != one {
			t.Errorf("the singular of %s: %s, want %s", many, got, one)
		}
		if english.Singular(one) != one || english.IsPlural(many) != (one != many) {
			t.Errorf("%s and %s are not told apart", one, many)
		}
	}
}

func TestWordsAreJoinedAsPeopleDo(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"": english.List(nil), "a": english.List([]string{"a"}), "a, b and c": english.List([]string{"a", "b", "c"}),
		"an old mill": english.WithArticle("old mill"), "a bakery": english.WithArticle("bakery"), "used cars": english.WithArticle("used cars"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestASlipIsOneLetter(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"pyhton", "pythn", "pytthon", "pythan"} {
		if !english.OneSlip(word, "python") {
			t.Errorf("%s is python with one slip", word)
		}
	}
	if english.Meant("pythn", []string{"perl", "python"}) != "python" || english.Meant("books", []string{"book"}) != "books" {
		t.Error("what was meant is not found, or was not meant")
	}
	for _, word := range []string{"pyhtno", "perl", "pythagoras"} {
		if english.OneSlip(word, "python") {
			t.Errorf("%s is not python", word)
		}
	}
}
