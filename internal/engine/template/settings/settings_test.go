package settings_test

import (
	"fmt"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/request"
)

// Settings are read where they stand, and what is not wanted is not taken.
func TestSettingsAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Go API for books: title, 25 per page":                                  "go    0 25 []",
		"Go API for books: title. A page has max 50 books per page":             "go    0 50 []",
		"Go API for books: title. 25 books on 3 shelves, 40 per page":           "",
		"Python API for books: title. Pagination (default 20, max 100), sqlite": "python sqlite   0 20 [{max 100 all pages have one size}]",
		"Python API for books: title. Pagination, default 20":                   "python    0 20 []",
		"Go API (pagination, default 20) for books: title":                      "go    0 20 []",
		"Go API for books: title. Sqlite (and pagination, default 20), MIT":     "go sqlite  mit 0 20 []",
		"Go API for books: title. Pagination (default 20":                       "",
		"Go API for books: title. auth: none":                                   "go  none  0 0 []",
		"Go API for books: title. auth: no":                                     "go  none  0 0 []",
		"Go API for books: title. auth: required":                               "go  token  0 0 []",
		"Go API for books: title. token: yes, port 9090, MIT":                   "go  token mit 9090 0 []",
		"Go 1.22 API for books: title":                                          "go    0 0 [{go 1.22 the version is the one that the templates were tried with}]",
		"Go API for books: title. Storage: no database":                         "go none   0 0 []",
	} {
		r := request.Read(prompt, lexicon.All)
		got := fmt.Sprint(r.Language, " ", r.Database, " ", r.Auth, " ", r.License, " ", r.Port, " ", r.PageSize, " ", r.Left)
		if len(r.Unknown)+len(r.Hearts) > 0 {
			got = ""
		}
		if got != want {
			t.Errorf("%q: %q, not understood %q, want %q", prompt, got, r.Unknown, want)
		}
	}
}
