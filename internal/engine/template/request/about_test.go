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
