package request_test

import (
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/request"
)

// Names are made of what people write, and are names.
func TestNamesAreMadeOfWhatIsWritten(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"Go API for tasks: title, est. minutes, done":                                                   "task(title string, est_minutes integer, done boolean)",
		"Go API for parts: sku, no. of pieces, max. weight, qty. in stock, price incl. tax":             "part(sku string, number_of_pieces integer, max_weight number, qty_in_stock integer, price_incl_tax number)",
		"Go API for goods (sku, qty., avg. price). Use sqlite.":                                         "good(sku string, qty integer, avg_price number)",
		"Go API for goods: name, qty. Use sqlite.":                                                      "good(name string, qty integer)",
		"JSON API for trains in Go. number, origin":                                                     "train(number string, origin string)",
		"Go API for tracking my houseplants, when i last watered them and how much light they need":     "houseplant(last_watered datetime, light_needed number)",
		"Go API for hives. Hives have a number, how much honey they gave and how many frames they hold": "hive(number string, honey number, frames integer)",
		"Go API for tools: brand, what it cost us, how much I paid for it, how much it weighs":          "tool(brand string, cost number, price_paid number, weight number)",
		"Go API for books: what it's called, the price I paid, the shop they ran":                       "book(name string, price_paid number, shop string)",
		"Go API for bookings with name, date, optional comments":                                        "booking(name string, date date, comments strings optional)",
		"Go API for lost and found: place, date":                                                        "lost_and_found_item(place string, date date)",
		"Go API for my model railway rolling stock: type, scale":                                        "vehicle(type string, scale string)",
		"Go API for animals (tag, breed) and vaccination records of cattle (date, vaccine)":             "animal(tag string, breed string) vaccination_record(date date, vaccine string)",
		"Go API for works of art: title, artist":                                                        "work_of_art(title string, artist string)",
		"Go API around cycling routes: name, km":                                                        "cycling_route(name string, km number)",
		"Daily log: weight, mood. Go API":                                                               "daily_entry(weight number, mood string)",
		"Go API for iPhone repairs: model, price":                                                       "iphone_repair(model string, price number)",
		"Go API for PCs: name, user":                                                                    "pc(name string, user string)",
		"Go API. Book fields: title, author. Loan fields: book, date.":                                  "book(title string, author string) loan(date date, of book)",
		"Go API for members: name. New members have a trial end date.":                                  "member(name string, trial_end_date date optional)",
		"Go API for songs: title. Some songs have lyrics. My songs have a key.":                         "song(title string, lyrics string optional, key string)",
		"Go API for costumes: size, needs repair":                                                       "costume(size string, needs_repair boolean)",
		"Go API for employees leave: days, reason":                                                      "employees_leave(days integer, reason string)",
		"Go API for birthdays of employees: employee, team":                                             "birthday(employee string, team string)",
		"Go API for a couple of boats: name, length":                                                    "boat(name string, length number)",
		"Go API for recipes: name, the time it takes, the date it was made":                             "recipe(name string, duration number, date_made date)",
		"Go API for horses: passport no. and owner":                                                     "horse(passport_no string, owner string)",
		"Go API for teams: name, plays at, founded at":                                                  "team(name string, plays_at string, founded_at datetime)",
		"Go API for football fields: name, city":                                                        "football_field(name string, city string)",
		"Go API for energy drinks rankings: brand, score":                                               "energy_drinks_ranking(brand string, score number)",
		"Go API: a gallery shows paintings by artists. Artist: name. Painting: title, artist":           "painting(title string, of artist) artist(name string)",
	})
}

// Clauses are no names.
func TestClausesAreNoNames(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"Go backend for families and sits, each sit costs points",
		"Go API for parking: each car parks in one spot, each spot costs money per hour",
		"When a guest arrives we note: name, room. Go API",
		"Readings come in over HTTP and are stored in sqlite: sensor, value. Go API",
		"HTTP service in Go, receives readings (sensor, value, time) and keeps them in sqlite",
		"Simple rest api, locksmith jobs, customer phone, lock type, price",
		"Go API for matching volunteers: volunteer, skill",
		"Go API for hotel rooms, guests staying in them pay by night",
		"Go API for gigs: venue, what we got paid for it, how many came",
		"Go API for dogs: name, when they need walking again",
		"Go API for volunteers: name, days they're free",
		"Go API for tickets; support staff answer tickets",
		"Go API for photos, each photo shows people",
		"Go API for my kids' school: classes meet in rooms",
		"Go API for lenses: brand, works with my camera, bought used",
		"Go API for apps: name, version, runs on linux, needs root",
		"Go API for cables: length, both ends",
		"Go API for houses: address, garden big enough",
		"Go API for pupils: name, class. Pupils with glasses sit in front.",
		"Go API for cars: plate, model. Electric cars have a plug type.",
		"Go API for tasks: title, done. Done tasks have a date.",
		"Go API for books (title, isbn), rare books (title, value)",
		"Go API for bands: name. Bands play for free.",
		"Go API for keeping tabs on who borrowed my books: borrower, book",
		"Go API for the names of streets: name, district",
		"Go API for the number of visitors: date, count",
		"Go API for state-of-the-art labs: name, city",
	} {
		if r := request.Read(prompt, lexicon.All); len(r.Unknown)+len(r.Hearts) == 0 {
			t.Errorf("%q: %s, left %v", prompt, told(r), r.Left)
		}
	}
}
