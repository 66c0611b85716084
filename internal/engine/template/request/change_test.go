package request_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/request"
	"github.com/bundle-delivery/svc/internal/values"
)

// shop is a project with two kinds of records.
func shop() request.Project {
	customers := &request.Thing{Name: "customer", Fields: []request.Field{{Name: "name", Kind: values.Text, Sure: true}, {Name: "city", Kind: values.Text, Sure: true}}}
	orders := &request.Thing{Name: "order", Fields: []request.Field{
		{Name: "total", Kind: values.Number, Sure: true},
		{Name: "customer_id", Kind: "ref.customer", Sure: true, Ref: "customer"},
	}}
	return request.Project{Kind: request.API, Things: []*request.Thing{customers, orders}}
}

// fieldsOf gives the names of the fields of a thing.
func fieldsOf(r *request.Request, thing string) (names []string) {
	for _, t := range r.Things {
		for _, f := range t.Fields {
			if t.Name == thing {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// However fields are asked for, all of them are added, in their order, to what is named, and what was there stays as it was.
func TestEveryWayToAddFieldsAddsThem(t *testing.T) {
	t.Parallel()
	for _, way := range []string{
		"add FIELDS to orders", "add FIELDS to the orders table", "please also add FIELDS to each order", "orders need FIELDS", "each order should have FIELDS",
		"an order also has FIELDS", "give orders FIELDS", "let orders have FIELDS", "orders get FIELDS too",
	} {
		for _, names := range [][]string{{"note"}, {"note", "status"}, {"shipped on", "carrier", "weight"}, {"language"}, {"notes", "project", "data source"}} {
			list := "a " + strings.Join(names[:len(names)-1], ", a ") + " and a " + names[len(names)-1]
			if len(names) == 1 {
				list = "a " + names[0]
			}
			prompt := strings.Replace(way, "FIELDS", list, 1)
			r := request.Change(prompt, lexicon.All, shop())
			want := []string{"total", "customer_id"}
			for _, name := range names {
				want = append(want, strings.ReplaceAll(name, " ", "_"))
			}
			if got := fieldsOf(r, "order"); len(r.Unknown) > 0 || !slices.Equal(got, want) || !slices.Equal(fieldsOf(r, "customer"), []string{"name", "city"}) {
				t.Errorf("%q: %q and %q, not understood %q", prompt, got, fieldsOf(r, "customer"), r.Unknown)
			}
		}
	}
}

// A word that nothing is known of is told, wherever it stands in a request that is understood without it.
func TestAWordThatSaysNothingKnownIsTold(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"add a note to orders", "remove the city from customers", "make the name of customers unique", "use sqlite and require a token", "add reviews with text and stars",
		"orders belong to customers", "rename it to Corner Shop, enable cors", "add a status to orders: open, closed or lost",
	} {
		all := strings.Fields(prompt)
		for k := range len(all) + 1 {
			said := strings.Join(slices.Insert(slices.Clone(all), k, "blorbify"), " ")
			r := request.Change(said, lexicon.All, shop())
			told := strings.Join(slices.Concat(r.Unknown, r.Removed, []string{r.Title}), " ")
			for _, o := range slices.Concat(r.Left, r.Hearts) {
				told += " " + o.What
			}
			for _, each := range r.Things {
				told += " " + each.Name
				for _, f := range each.Fields {
					told += " " + f.Name + " " + strings.Join(f.Choices, " ")
				}
			}
			if !strings.Contains(strings.ToLower(told), "blorbif") {
				t.Errorf("%q: nothing tells of it: %q", said, told)
			}
		}
	}
}

// What a project has keeps its names and kinds, whatever is changed.
func TestAChangeKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"add customer ratings with stars", "customers need an email", "add orders", "the total must be at least 1", "total should be a text", "add a customer to orders",
		"add items that belong to orders", "orders have many customers", "make it dark", "customer: email, phone", "add shops (name), customers belong to shops",
	} {
		r := request.Change(prompt, lexicon.All, shop())
		for i, old := range shop().Things {
			now := r.Things[i]
			if now.Name != old.Name || len(now.Fields) < len(old.Fields) {
				t.Errorf("%q: %s became %s with %q", prompt, old.Name, now.Name, fieldsOf(r, now.Name))
				continue
			}
			for k, f := range old.Fields {
				if now.Fields[k].Name != f.Name || now.Fields[k].Kind != f.Kind {
					t.Errorf("%q: %s became %s of kind %s", prompt, f.Name, now.Fields[k].Name, now.Fields[k].Kind)
				}
			}
		}
	}
}
