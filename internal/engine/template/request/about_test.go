package request_test

import (
	"slices"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/request"
)

// refuses holds that requests are refused.
func refuses(t *testing.T, requests ...string) {
	t.Helper()
	for _, prompt := range requests {
		if r := request.Read(prompt, lexicon.All); len(r.Unknown)+len(r.Hearts) == 0 {
			t.Errorf("%q: %s, left %v", prompt, told(r), r.Left)
		}
	}
}

// leaves holds that requests are read as wanted, and that something is left out for a reason.
func leaves(t *testing.T, want string, requests map[string]request.Omission) {
	t.Helper()
	for prompt, left := range requests {
		r := request.Read(prompt, lexicon.All)
		if got := told(r); got != want || !slices.Contains(r.Left, left) || len(r.Unknown)+len(r.Hearts) > 0 {
			t.Errorf("%q: %s, left %v, not understood %q %v", prompt, got, r.Left, r.Unknown, r.Hearts)
		}
	}
}

// What stands below a heading of the project is of no record.
func TestHeadingsAreNoRecords(t *testing.T) {
	t.Parallel()
	leaves(t, "ticket(title string, body string)", map[string]request.Omission{
		"Go API for tickets: title, body. Filters: status, priority":         {What: "filters status, priority", Why: "filtering"},
		"Go API for tickets: title, body; sort: title; search: body":         {What: "search body", Why: "full-text search"},
		"Ticket API\nFields: title, body\nFiltering: status\nSorting: title": {What: "sorting title", Why: "sorting"},
		"Go API for tickets: title, body. Indexes: title":                    {What: "indexes title", Why: "indexes of a database"},
		"Go API for tickets: title, body. Methods: GET, POST":                {What: "get, post", Why: "every record gets all operations"},
		"Go API for tickets: title, body. Operations: list, get":             {What: "list, get", Why: "every record gets all operations"},
	})
	reads(t, map[string]string{
		"Go API for tickets: title. Operations: create, read, update, delete": "ticket(title string)",
		"Go API for tickets: title. Response: json":                           "ticket(title string)",
		"Go API for tickets: title. Notes: keep it simple":                    "ticket(title string)",
		"Go API for clients and orders. client: name. order: client, total":   "client(name string) order(total number, of client)",
		"Go API for water filters. filter: brand, price":                      "filter(brand string, price number)",
		"Go API for movies: title. Actors: name, born":                        "movie(title string) actor(name string, born date)",
		"Go API. Milestone: title. Task: title, milestone":                    "milestone(title string) task(title string, of milestone)",
	})
	refuses(t,
		"Go API for tickets: title. Filters: status, sqlite",
		"Go API for tickets: title. Actions: create, close, reopen",
		"Go API for tickets: title. Framework: gin",
		"Go API for tickets: title. Primary key: number",
		"Go API for tickets: title. Actors: customer, agent",
		"Go API for tickets: title; deadline: Friday",
		"Go API for tickets with title, body, Owner: ops team",
		"Go API for tickets: title. Status: open or closed",
		"Go API for tickets: title. Tags: backend, go",
	)
}

// Words about the project in a list are no fields, and what it would do beyond keeping records neither.
func TestWordsAboutTheProjectAreNoFields(t *testing.T) {
	t.Parallel()
	const ofProject = "said of the project, and taken for no field"
	leaves(t, "supplier(name string, contact string)", map[string]request.Omission{
		"Go API for suppliers, production ready, name, contact":             {What: "production ready", Why: ofProject},
		"Go API for suppliers with name, contact, thread safe, open source": {What: "thread safe", Why: ofProject},
		"Go API for suppliers, your choice of database, name and contact":   {What: "your choice of database", Why: ofProject},
		"Go API for suppliers (name, contact), default port":                {What: "default port", Why: ofProject},
		"Go API for suppliers, single user, name and contact":               {What: "single user", Why: "roles and permissions"},
		"Go API for suppliers with string ids, name, contact":               {What: "string ids", Why: "ids are random texts"},
		"Go API for suppliers with name, contact, password reset":           {What: "password reset", Why: "more than keeping records"},
		"Go API for suppliers with name, contact, audit fields":             {What: "audit fields", Why: "fields that nobody named"},
	})
	reads(t, map[string]string{
		"Go API for notes: title, public, body": "note(title string, public boolean, body string)",
		"Go API for ships, port, name":          "ship(port string, name string)",
	})
	refuses(t,
		"Go API for suppliers, private, name, contact",
		"Go API for suppliers, minimal, name, contact",
		"Go API for suppliers, json, name and contact",
		"Go API for suppliers, random port, sqlite",
		"suppliers api, internal only, name, contact",
		"suppliers api - local only - name, contact",
		"Go API for libraries: name, thread safe, license",
		"Go API for events with title, date, rsvp",
		"Go API for trips: price, distance. Amounts in USD",
		"Go API for users, posts, comments (nested)",
	)
}

// What programs write before a name is no part of it, and values are no records.
func TestDeclarationsAreNoNames(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"Go API for record stores: name, city":                            "record_store(name string, city string)",
		"api: document types (name), collection points (name, city)":      "document_type(name string) collection_point(name string, city string)",
		"Go API for first aid kits: location":                             "first_aid_kit(location string)",
		"Go API for data sources (name, url)":                             "data_source(name string, url string)",
		"Go API for tickets: title, priority; priority = low|medium|high": "ticket(title string, priority string low|medium|high)",
	})
	refuses(t,
		"schema Car {brand: string, year: int} rest api",
		"record Customer(String name, int age) rest api",
		"collection cars {brand, year} rest api",
		"api csv header: id,name,qty",
		"rest api, form fields: name, email",
		"enum Genre { rock, jazz }\nSong { title: string, genre: Genre }\nrest api",
		"Genre = rock | jazz | pop; Song = title, genre. REST api",
		"append style audit log REST API with actor, action",
		"kanban style board api: title, done",
		"api-first task service: title, done",
	)
}
