package request_test

import (
	"slices"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/request"
)

// What sentences tell of records is theirs.
func TestSentencesAreRead(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"Go API. Lifts have a code. Every lift has many repairs, with date and result (pass or fail).":                                               "lift(code string) repair(date date, result string pass|fail, of lift)",
		"Go API for drivers. Drivers have a name. Each driver has many vehicles, each with plate and seats.":                                         "driver(name string) vehicle(plate string, seats integer, of driver)",
		"Go API. A recipe has a name. A recipe has many steps: text and duration.":                                                                   "recipe(name string) step(text string, duration number, of recipe)",
		"Go API. A club has a city. A club has many members. With name and email.":                                                                   "club(city string) member(name string, email string, of club)",
		"Go API. A pallet has a code, and sits in a warehouse.":                                                                                      "pallet(code string, of warehouse) warehouse()",
		"Go API for pallets with a code, and each pallet sits in one warehouse.":                                                                     "pallet(code string, of warehouse) warehouse()",
		"Go API for sessions. A session has a date. Patients should be their own records with name and phone.":                                       "session(date date) patient(name string, phone string)",
		"For my databases class I have to hand in a backend with at least two related tables. I picked a zoo: animals (name), visits (animal, date)": "animal(name string) visit(date date, of animal)",
	})
}

// What is said of the project in sentences is what settings say else.
func TestCircumstancesAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Go API for pets (name). Should survive a restart but I dont want a database server.": "go file ",
		"Python API for pets (name). The data must still be there after a reboot.":            "python file ",
		"Go API for pets (name). It doesn't have to survive a restart.":                       "go  ",
		"Go API for pets (name). SQLite so that nothing is lost when the computer restarts":   "go sqlite ",
		"API for pets (name). It will run on a raspberry pi in the shed so sqlite would do":   " sqlite ",
		"API for pets (name). Python or Go, I don't mind which.":                              "go  ",
		"API for pets (name). The language does not matter to me.":                            "  ",
		"API for pets (name). Not sure which language is best, you choose.":                   "  ",
		"Go API for pets (name). JWT or whatever token you have.":                             "go  token",
		"Go API for pets (name). Whoever changes something should need a token.":              "go  token",
		"Go API for pets (name). Pets should be deletable only with a token.":                 "go  token",
		"Go API for pets (name), in memory for now, I will switch to Postgres later.":         "go none ",
		"Go API for pets (name), the teacher wants SQLite.":                                   "go sqlite ",
		"Go API for pets (name). It must be possible to create, read, change and delete.":     "go  ",
	} {
		r := request.Read(prompt, lexicon.All)
		if got := r.Language + " " + r.Database + " " + r.Auth; got != want || len(r.Unknown)+len(r.Hearts) > 0 {
			t.Errorf("%q: %q, want %q, not understood %q %v", prompt, got, want, r.Unknown, r.Hearts)
		}
	}
}

// What somebody did so far, or is rid of, is named as background.
func TestBackgroundIsNamed(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"We run a dairy and want to stop using the whiteboard. Go API for pets (name)":       "want to stop using the whiteboard",
		"We had it in Excel until now and it got messy. Go API for pets (name)":              "we had it in excel until now and it got messy",
		"We have 14 vans and nobody knows when which was washed. Go API for pets (name)":     "nobody knows when which was washed",
		"I'm learning Go and wanted to see how a real API looks. Go API for pets (name)":     "wanted to see how a real api looks",
		"The route setters keep losing their spreadsheet. Go API for pets (name)":            "the route setters keep losing their spreadsheet",
		"I have a spreadsheet open right now with all of them, so: a Go API for pets (name)": "i have a spreadsheet open right now with all of them",
		"Python API for pets (name). my nephew knows python":                                 "my nephew knows python",
		"Go API for pets (name), memory is enough for the demo tomorrow":                     "for the demo tomorrow",
	} {
		r := request.Read(prompt, lexicon.All)
		named := slices.Contains(r.Left, request.Omission{What: want, Why: "background"})
		if !named || len(r.Unknown)+len(r.Hearts) > 0 {
			t.Errorf("%q: left %v, not understood %q %v", prompt, r.Left, r.Unknown, r.Hearts)
		}
	}
}

// Sentences that mean something else are not taken for those.
func TestWishesAreNoBackground(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"Go API for pets (name), in memory. The data must survive a reboot.",
		"We want to stop people from deleting entries. Go API for pets (name)",
		"I want to see how many pets are left. Go API for pets (name)",
		"Go API for pets (name) that keeps the data in Excel.",
		"Go API for pets (name). It runs on Android.",
		"Go API for pets (name). jwt",
		"I want to stop writing name, price and date on paper. Go API for pets",
		"Go API for pets (name). Nobody should need a token.",
	} {
		if r := request.Read(prompt, lexicon.All); len(r.Unknown)+len(r.Hearts) == 0 {
			t.Errorf("%q: %s, left %v", prompt, told(r), r.Left)
		}
	}
}
