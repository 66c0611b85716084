package request_test

import (
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/request"
)

// A port of a database, or of pages that call a project, is not its own.
func TestPortsAreThoseOfTheProject(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]int{
		"Go API for books (title). Port 8080, CORS for localhost:3000.":                8080,
		"Go API for books (title), port 4000, sqlite, cors: http://localhost:3000":     4000,
		"Go API for books (title). Allow CORS from http://localhost:5173.":             0,
		"Go API for books (title). CORS for localhost:3000 and http://localhost:5173.": 0,
		"Go API for books (title). Port 8085. Postgres on port 5432.":                  8085,
		"Go API for books (title). Postgres runs on port 6000":                         0,
		"Go API for books (title). Postgres on localhost:5432":                         0,
		"Go API for books (title) with Postgres on port 8080":                          8080,
		"Go API for books (title), listening on localhost:9000":                        9000,
	} {
		if r := request.Read(prompt, lexicon.All); r.Port != want || len(r.Unknown)+len(r.Hearts) > 0 {
			t.Errorf("%q: port %d, not understood %q %v, want %d", prompt, r.Port, r.Unknown, r.Hearts, want)
		}
	}
	leaves(t, "book(title string)", map[string]request.Omission{
		"Go API for books (title). CORS for https://example.com only.": {What: "cors for example.com", Why: "all origins are allowed, and CORS_ORIGIN narrows that to one"},
		"Go API for books (title). Postgres runs on port 5433":         {What: "postgres on port 5433", Why: "the database has its usual port"},
	})
	refuses(t,
		"Go API for books (title). Port 8080. Port 9090.",
		"Go API for books (title). database: postgres, port: 5432",
		"Go API for books (title). CORS for the pages on localhost:3000.",
	)
}

// What records must be that others refer to is said of their age, where it is a limit.
func TestLimitsOfRecordsAreThoseOfTheirAge(t *testing.T) {
	t.Parallel()
	const trips = "driver(name string, age integer 21) trip(date date, of driver)"
	reads(t, map[string]string{
		"API for drivers (name, age) and trips (date, driver). Drivers must be at least 21.":     trips,
		"API for drivers (name, age) and trips (date, driver). Drivers need to be at least 21.":  trips,
		"API for drivers (name, age) and trips (date, driver). Drivers must be 21 or older.":     trips,
		"API for drivers (name, age). A driver has to be between 21 and 65 years old.":           "driver(name string, age integer 2165)",
		"API for drivers (name, age) and trips (date, driver, fee). The fee must be at least 5.": "driver(name string, age integer) trip(date date, fee number 5, of driver)",
	})
	refuses(t,
		"API for drivers (name) and trips (date, driver). Drivers must be at least 21.",
		"API for users (name, birthday) and rentals (date, user). A user must be at least 18.",
	)
}

// What mostly says nothing of a noun may tell fields from each other.
func TestFieldsKeepWhatTellsThemApart(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"API for cars (plate, new price, old price)":              "car(plate string, new_price number, old_price number)",
		"API for moves (name, current address, new address)":      "move(name string, current_address string, new_address string)",
		"API for parcels (different address, own packaging)":      "parcel(different_address string, own_packaging string)",
		"API for pets. Each pet has its own name and a birthday.": "pet(name string, birthday date)",
		"API for animals. Animals have different names.":          "animal(name string)",
		"API for guests (name, ID number)":                        "guest(name string, id_number string)",
		"API for guests (email). Email may only occur once.":      "guest(email string unique)",
		"API for new books (title)":                               "book(title string)",
	})
	leaves(t, "job(name string)", map[string]request.Omission{
		"API for 3D jobs (name)":              {What: "3d jobs", Why: "names begin with a letter"},
		"API for jobs (name). Search by name": {What: "search by name", Why: "searching in fields"},
		"API for jobs (id (uuid), name)":      {What: "id as uuid", Why: "ids are random texts"},
	})
}

// A rule of a field that none of several records has may be of any of them, and records of records are none.
func TestRulesOfNoToldFieldAreRefused(t *testing.T) {
	t.Parallel()
	refuses(t,
		"API for dogs (name) and cats (name). Weight should be a float.",
		"API for dogs and cats. name should be required",
		"cattle vaccination records, go api. cow: ear_tag. vaccination: cow, vaccine",
	)
	reads(t, map[string]string{
		"API for dogs (name). Weight should be a float.":                           "dog(name string, weight number)",
		"API for dogs (name, weight) and cats (name). Weight should be a float.":   "dog(name string, weight number) cat(name string)",
		"API for medical records (patient, date), cors on":                         "medical_record(patient string, date date)",
		"API for class rooms (seats) and classes (name). A class has a class room": "class_room(seats integer) class(name string, of class_room)",
	})
}
