package request_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/request"
)

// told writes the things of a request with their fields, kinds and rules.
func told(r *request.Request) string {
	var out []string
	for _, t := range r.Things {
		var fields []string
		for _, f := range t.Fields {
			fields = append(fields, strings.TrimSpace(fmt.Sprint(f.Name, " ", f.Kind, f.Ref, " ", f.Need, f.Min, f.Max, f.Default, strings.Join(f.Choices, "|"))))
		}
		for _, parent := range t.Parents {
			fields = append(fields, "of "+parent.Name)
		}
		out = append(out, t.Name+"("+strings.Join(fields, ", ")+")")
	}
	return strings.Join(out, " ")
}

// The cheapest way that reads every word wins, whatever the order in which things are told.
func TestTheCheapestReadingWins(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Go API for rooms: name, seats":                                                "room(name string, seats integer)",
		"Go API for songs with title and bpm; bpm between 40 and 240":                  "song(title string, bpm number 40240)",
		"Go API for members: name, email. Emails are required.":                        "member(name string, email string required)",
		"Go API; authors: name; books: title, author":                                  "author(name string) book(title string, of author)",
		"I keep bees. Python API for hives: name, how many frames, whether it is sold": "hive(name string, frames integer, sold boolean)",
		"Go API for loans with borrower, a loan date and a return date (optional)":     "loan(borrower string, loan_date date, return_date date optional)",
		"Go API. A hive has a name. An inspection belongs to a hive and has a date":    "hive(name string) inspection(date date, of hive)",
		"Go API for users: role (one of: admin, editor, viewer), name":                 "user(role string admin|editor|viewer, name string)",
		"Go API for cars (plate, status free, rented or lost)":                         "car(plate string, status string free|rented|lost)",
		"API in Go: Owners (name) have dogs (name, breed)":                             "owner(name string) dog(name string, breed string, of owner)",
		"Go API to store plants. first and last name, all required":                    "plant(first_name string required, last_name string required)",
		"I want to store temperature and time for each reading. Go API":                "reading(temperature number, time string)",
		"Go API\n\nbatch\n  bean   text   required\n  grams  int\n  roasted_on  date":  "batch(bean string required, grams integer, roasted_on date)",
	} {
		r := request.Read(prompt, lexicon.All)
		if got := told(r); got != want || len(r.Unknown)+len(r.Hearts) > 0 {
			t.Errorf("%q: %s, not understood %q, want\n%s", prompt, got, r.Unknown, want)
		}
	}
}

// What only tells of somebody is named as such; what a project would have to do never is.
func TestStoriesAreNoWishes(t *testing.T) {
	t.Parallel()
	for prompt, story := range map[string]bool{
		"Taxi firm, 14 cars. Go API for trips: date": true, "I'm a nurse and keep losing my notes. Go API for notes": true,
		"Go API for songs our choir knows: title": true, "Go API for books, because my boss lost them": true,
		"Go API for books that blorbify": false, "Go API for songs, users can like songs": false, "Go API for books, make it sparkle": false,
		"Go API for vans: I give it addresses and it works out the shortest round": false, "Go API for songs because people must be able to rate them": false,
	} {
		r := request.Read(prompt, lexicon.All)
		named := slices.ContainsFunc(r.Left, func(o request.Omission) bool { return o.Why == "background" })
		if story && (!named || len(r.Unknown) > 0) || !story && len(r.Unknown) == 0 {
			t.Errorf("%q: left %v, not understood %q", prompt, r.Left, r.Unknown)
		}
	}
}

// A word that nobody knows is told somewhere, or refused.
func TestNoWordIsDropped(t *testing.T) {
	t.Parallel()
	frames := []string{"Go API for books%s", "Go API for books: title%s, author", "a Go API%s for books with title", "Go API for books. %s", "Python API for books (title, %s, year)", "Go API for books with title and %s"}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`(bl|zw|kr|fn)[aou]{1,2}(rb|xt|mp)[aeio]?`).Draw(t, "word")
		prompt := fmt.Sprintf(rapid.SampledFrom(frames).Draw(t, "frame"), " "+word)
		r := request.Read(prompt, lexicon.All)
		all := fmt.Sprint(r.Unknown, r.Hearts, r.Left, told(r), r.Title, r.Subject)
		if !strings.Contains(all, word) {
			t.Fatalf("%q: %q is told nowhere: %s", prompt, word, all)
		}
	})
}

// What stands in quotes on a page is its name, or a part of it among others.
func TestPagesTakeNamesInQuotes(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		`page for a band named "Red Fox" with tour and "Our Story"`:        "Red Fox: tour our-story",
		`"Sunny" website for a bakery in York with a "Menu"`:               "Sunny: menu",
		`website "Alpha Club" for a chess club, called "Rook House". news`: "Rook House: news",
	} {
		r := request.Read(prompt, lexicon.All)
		if got := r.Title + ": " + strings.Join(r.Sections, " "); got != want {
			t.Errorf("%s: %q, want %q", prompt, got, want)
		}
	}
}
