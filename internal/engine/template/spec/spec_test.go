package spec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

const library = `api in go with sqlite, port 9100, auth token
book: title, author, isbn unique, year: integer 1450..2100, price: money
loan: -> book, borrower required, due date: date, returned: boolean default false, state one of lent/back
`

func TestATextIsRead(t *testing.T) {
	t.Parallel()
	got, err := spec.Parse(library)
	if err != nil {
		t.Fatal(err)
	}
	want := spec.Spec{
		Kind: spec.API, Language: spec.Go, Store: spec.SQLite, Port: 9100, Auth: spec.Token,
		Records: []spec.Record{
			{Noun: "book", Plural: "books", Fields: []spec.Field{
				{Name: "title", Kind: spec.String},
				{Name: "author", Kind: spec.String},
				{Name: "isbn", Kind: spec.String, Unique: true},
				{Name: "year", Kind: spec.Integer, Min: "1450", Max: "2100"},
				{Name: "price", Kind: spec.Money},
			}},
			{Noun: "loan", Plural: "loans", Fields: []spec.Field{
				{Name: "book", To: "book"},
				{Name: "borrower", Kind: spec.String, Need: spec.Required},
				{Name: "due date", Kind: spec.Date},
				{Name: "returned", Kind: spec.Boolean, Default: "false", HasDefault: true},
				{Name: "state", Kind: spec.String, Choices: []string{"lent", "back"}},
			}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got.String() != library {
		t.Errorf("became\n%s", got.String())
	}
}
