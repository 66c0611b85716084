package request

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/values"
)

// shop is a project with two kinds of records.
func shop(fluid bool) Project {
	customer := &Thing{Name: "customer", Fields: []Field{{Name: "name", Kind: values.Text, Sure: true}, {Name: "city", Kind: values.Text, Sure: true}}}
	order := &Thing{Name: "order", Fields: []Field{
		{Name: "total", Kind: values.Number, Sure: true},
		{Name: "status", Kind: values.Text, Rules: values.Rules{Choices: []string{"open", "paid"}}, Sure: true},
		{Name: "customer_id", Kind: "ref.customer", Sure: true, Ref: "customer"},
	}}
	return Project{Kind: project.API, Things: []*Thing{customer, order}, Fluid: fluid}
}

// pets is a project with one kind of record, which are stored.
func pets() Project {
	pet := &Thing{Name: "house_pet", Fields: []Field{{Name: "name", Kind: values.Text, Sure: true}, {Name: "weight", Kind: values.Number, Sure: true}}}
	return Project{Kind: project.API, Things: []*Thing{pet}}
}

// outcome tells what a request makes different, or what of it is refused.
func outcome(prompt string, old, same Project) string {
	r := Change(prompt, lexicon.All, old)
	if len(r.Unknown)+len(r.Hearts) > 0 {
		return "NO"
	}
	var all []string
	for k, t := range r.Things {
		for i, f := range t.Fields {
			if added := k >= len(same.Things) || i >= len(same.Things[k].Fields); added || written(f) != written(same.Things[k].Fields[i]) {
				all = append(all, map[bool]string{true: "+"}[added]+t.Name+"."+written(f))
			}
		}
		if k >= len(same.Things) && len(t.Fields) == 0 {
			all = append(all, "+"+t.Name)
		}
		for _, p := range t.Parents {
			all = append(all, t.Name+">"+p.Name)
		}
	}
	for _, name := range r.Removed {
		all = append(all, "-"+name)
	}
	for _, each := range r.Renamed {
		all = append(all, each.Thing+"."+each.Field+"="+each.To)
	}
	for _, each := range r.Already {
		all = append(all, "already "+each)
	}
	for _, each := range r.Left {
		if !strings.HasPrefix(each.What, "a kind for") && !strings.HasPrefix(each.What, "fields of") {
			all = append(all, "without "+each.What)
		}
	}
	for _, s := range []string{r.Title, r.Module, r.Database, r.Auth, r.CORS, r.License} {
		if s != "" {
			all = append(all, s)
		}
	}
	if r.Port+r.PageSize > 0 {
		all = append(all, fmt.Sprint(r.Port+r.PageSize))
	}
	return strings.Join(all, "; ")
}

// written gives a field with its kind and its rules.
func written(f Field) string {
	out := f.Name
	for _, each := range []string{map[bool]string{true: f.Kind}[f.Kind != values.Text], f.Need, map[bool]string{true: "unique"}[f.Unique], strings.Join(f.Choices, "/"), f.Min + ".." + f.Max, f.Default} {
		if each = strings.TrimPrefix(each, ".."); each != "" {
			out += " " + each
		}
	}
	return out
}

func TestChangesAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"add a note to orders": "+order.note",
		"add an optional note and a required unique number to orders":     "+order.note optional; +order.number required unique",
		"add a carrier (string, unique) to orders":                        "+order.carrier unique",
		"add a rating to orders. It should be between 1 and 5.":           "+order.rating number 1..5",
		"add email and phone to customers and make them required":         "+customer.email required; +customer.phone required",
		"add a kind to orders: gift, sample or sale, default sale":        "+order.kind gift/sample/sale sale",
		"add a description to the orders, at most 500 characters":         "+order.description 500",
		"add the following fields to orders:\n- note\n- weight (number)":  "+order.note; +order.weight number",
		"add to orders: note, weight":                                     "+order.note; +order.weight number",
		"add a note to customers and orders":                              "+customer.note; +order.note",
		"add a note to customers and a weight to orders":                  "+customer.note; +order.weight number",
		"customers need a birthday and the orders need a note":            "+customer.birthday date; +order.note",
		"give each order a rating from 1 to 5":                            "+order.rating number 1..5",
		"we also need the birthday of each customer":                      "+customer.birthday date",
		"add whether it is shipped to orders":                             "+order.shipped boolean",
		"orders: note, weight":                                            "+order.note; +order.weight number",
		"customers have a name and an email":                              "+customer.email; already name is there, and so",
		"add a city to customers":                                         "already city is there, and so",
		"add items to orders":                                             "+order.items strings",
		"add tags to orders":                                              "+order.tags strings",
		"add reviews with text and stars":                                 "+review.text; +review.stars integer",
		"add reviews to orders with text and stars":                       "+review.text; +review.stars integer; review>order",
		"add reviews (text, stars) that belong to orders":                 "+review.text; +review.stars integer; review>order",
		"add products (name, price) and link orders to products":          "order>product; +product.name; +product.price number",
		"add products with name and price. Orders belong to products.":    "order>product; +product.name; +product.price number",
		"add a shop resource with name; each customer belongs to a shop":  "customer>shop; +shop.name",
		"I need shops too. A shop has a name. A shop has many customers.": "customer>shop; +shop.name",
		"orders have many items":                                          "+item; item>order",
		"orders and coupons are many to many":                             "+coupon; +order_coupon; order_coupon>order; order_coupon>coupon; without several coupons for each of several orders",
		"add an endpoint for reviews":                                     "+review",
		"add an endpoint for returns":                                     "+return",
		"add orders":                                                      "already orders are there",
		"orders belong to customers":                                      "already orders belong to customers is so",
		"remove the city":                                                 "-city of customer",
		"remove name and city from customers":                             "-name of customer; -city of customer",
		"remove city from customers and total from orders":                "-city of customer; -total of order",
		"we no longer need the total":                                     "-total of order",
		"remove orders":                                                   "-order",
		"remove the customer from orders":                                 "-customer_id of order",
		"replace the city with street and zip code":                       "+customer.street; +customer.zip_code; -city of customer",
		"rename city to town":                                             "customer.city=town",
		"rename customers to clients":                                     "customer.=client",
		"the city should be called town":                                  "customer.city=town",
		"rename the project to Corner Shop":                               "Corner Shop",
		"call it Corner Shop":                                             "Corner Shop",
		"make the name unique and required":                               "customer.name required unique",
		"name and city are required":                                      "customer.name required; customer.city required",
		"require a name":                                                  "customer.name required",
		"city is optional":                                                "customer.city optional",
		"customer names can be at most 80 characters long":                "customer.name 80",
		"limit the city to 80 characters":                                 "customer.city 80",
		"the total must be at least 0":                                    "order.total number 0..",
		"the default city is Lima":                                        "customer.city Lima",
		"status is open by default":                                       "order.status open/paid open",
		"the total should be an integer":                                  "order.total integer",
		"make the city a list of texts":                                   "customer.city strings",
		"status can be open, paid or lost":                                "order.status open/paid/lost",
		"add lost to status":                                              "order.status open/paid/lost",
		"add open to status":                                              "already status is there, and so",
		"status can also be lost":                                         "order.status open/paid/lost",
		"use sqlite":                                                      "sqlite",
		"use postgres instead of memory":                                  "postgres",
		"switch to a file":                                                "file",
		"require a token and use port 9000":                               "token; 9000",
		"remove the token":                                                "none",
		"disable cors":                                                    "off",
		"remove the license":                                              "none",
		"change the license to MIT":                                       "mit",
		"set the page size to 50":                                         "50",
		"module example.com/shop":                                         "example.com/shop",
		"add a note to orders, use sqlite and remove the city":            "+order.note; -city of customer; sqlite",
		"1. add a note to orders\n2. rename city to town":                 "+order.note; customer.city=town",
		"Hi! Great work. Could you add a note to orders, please? Thanks":  "+order.note",
		"since we sell abroad now, add a country to customers":            "+customer.country; without we sell abroad now",
		"add a note to orders and filtering by status":                    "+order.note; without filtering by status",
		"add dark mode":                                                   "without add dark mode",
		"I forgot: orders need a note":                                    "+order.note",
		"oh and a note for each order please":                             "+order.note",
		"add a note to both":                                              "+customer.note; +order.note",
		"give customers a country and orders a currency":                  "+customer.country; +order.currency",
		"add a weight to orders, whole number":                            "+order.weight integer",
		"add phone and country to customers, both optional":               "+customer.phone optional; +customer.country optional",
		"and coupons with code and value":                                 "+coupon.code; +coupon.value number",
		"we need a second table: coupons (code, value)":                   "+coupon.code; +coupon.value number",
		"add lines to orders. A line has a text and a price.":             "+line.text; +line.price number; line>order",
		"instead of city I want the country":                              "+customer.country; -city of customer",
		"use country instead of city":                                     "+customer.country; -city of customer",
		"remove the city and add a country instead":                       "+customer.country; -city of customer",
		"call the city town instead":                                      "customer.city=town",
		"orders no longer belong to customers":                            "-customer_id of order",
		"remove the vat number if there is one":                           "already nothing has vat number",
		"make all fields of customers required":                           "customer.name required; customer.city required",
		"name is no longer required":                                      "customer.name optional",
		"two customers must not have the same name":                       "customer.name unique",
		"the total is a whole number, not text":                           "order.total integer",
		"status is one of open, paid or lost":                             "order.status open/paid/lost",
		"put a price on each order":                                       "+order.price number",
		"put a token on it":                                               "token",
		"take the token off":                                              "none",
		"use postgres instead":                                            "postgres",
		"run it on 4000 instead":                                          "4000",
		"lists should come 50 at a time":                                  "50",
		"add a note to orders, our customers ask for it":                  "+order.note; without our customers ask for it",
		"add a note to orders, deploy it to aws":                          "+order.note; without deploy it to aws",
	} {
		if got := outcome(prompt, shop(true), shop(true)); got != want {
			t.Errorf("%q: %s", prompt, got)
		}
	}
}

// Where one thing is kept, it need not be named, or not with its whole name.
func TestTheOnlyThingIsMeant(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"add a color and a birthday": "+house_pet.color; +house_pet.birthday date", "pets need a color": "+house_pet.color", "every record needs a color": "+house_pet.color",
		"new field: color": "+house_pet.color", "and a color": "+house_pet.color", "add color, remove weight": "+house_pet.color; -weight of house_pet",
		"add owners (name), each pet belongs to an owner": "house_pet>owner; +owner.name", "add vet visits to pets with date and cost": "+vet_visit.date date; +vet_visit.cost number; vet_visit>house_pet",
		"color and birthday": "+house_pet.color; +house_pet.birthday date", "adoption date": "+house_pet.adoption_date date", "weight too, at least 0": "house_pet.weight number 0..",
		"status: new, chipped": "+house_pet.status new/chipped", "mood should be one of calm, wild, shy": "+house_pet.mood calm/wild/shy", "add a coat with the options long, short, none": "+house_pet.coat long/short/none", "drop weight, nobody fills it in": "-weight of house_pet; without nobody fills it in",
		"we often don't know what they weigh, so don't insist on the weight": "house_pet.weight number optional; without we often don't know what they weigh", "name has to be there, weight doesn't": "house_pet.name required; house_pet.weight number optional", "two pets must never have the same name": "house_pet.name unique", "sort pets into groups. a group has a name": "house_pet>group; +group.name",
		"throw the weight out": "-weight of house_pet", "pets don't need a weight": "-weight of house_pet", "add owners (name). each pet is in a box": "house_pet>box; +owner.name; +box", "priority 1 to 5, 3 if nothing is given": "+house_pet.priority integer 1..5 3", "vet date and start date": "+house_pet.vet_date date; +house_pet.start_date date", "is it vaccinated or not": "+house_pet.vaccinated boolean",
		"requests must be unique": "NO", "undo that": "NO", "group pets by owner": "NO", "and is it secure": "NO", "weight, decimals allowed": "already weight is there, and so", "track where each pet is with gps": "NO", "fix the bugs": "NO", "make it dark": "NO",
		"copy weight": "NO", "rename it to price": "NO", "swap name and weight": "NO", "add levels: low, high": "NO", "add two dates: start and end": "NO", "add total hours": "NO", "add a phone (or email)": "NO", "add width and height between 1 and 9": "NO",
		"add a name": "already name is there, and so", "add categories": "NO", "add photos": "NO", "add a license": "NO", "add notes: text": "NO", "add a total weight": "NO", "also a bit faster": "NO",
	} {
		if got := outcome(prompt, pets(), pets()); got != want {
			t.Errorf("%q: %s", prompt, got)
		}
	}
}

func TestChangesAreRefused(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"add a publisher", "add a price to movies", "add a price to some orders", "don't add a price to orders", "add a publisher (name, city) to orders", "add a publisher to orders instead",
		"add payments and invoices with amount", "add payments with amount, and invoices", "add a related order to orders", "add a nicer name to customers", "add another status to orders",
		"add status lost", "add an average total to orders", "add an index on name", "add a web page", "add statistics", "add tags", "add a license", "add a script to seed the database", "add customers who can order",
		"orders get the following", "movies need a price", "customers belong to orders", "orders can have several customers", "books belong to shelves", "add visits to customers",
		"the city is empty by default", "total must be above 0.5.1", "name should not be unique", "city as a boolean, maybe", "status must be open or a number",
		"remove the customer", "remove the city and the customer", "remove the movies", "remove everything", "remove all fields except name", "remove sqlite", "remove the price", "move the city from customers to orders",
		"rename total to", "rename price to cost", "rename the customer of orders to buyer", "call it something else", "the project name is wrong", "change the name to Shop",
		"change the database to not sqlite", "use port 80", "send an email when an order is added", "make it faster", "write more tests", "switch the database", "add loans with due date that belong to orders with text", "add a name and a note to orders, unique", "let customers cancel orders", "make it required", "it must be unique",
		"customers should get a welcome mail", "add a chart to orders", "add the number of orders", "orders should get a detail page", "add pictures of the customers",
		"name starts with a capital letter", "add a price to orders, it is computed from the total", "make total better", "is it secure?", "why is there a token?", "add a due date to orders and make both dates required", "remove the city but keep his name", "add a price to orders, number", "add to orders which customer paid the order",
	} {
		if got := outcome(prompt, shop(true), shop(true)); got != "NO" {
			t.Errorf("%q: %s", prompt, got)
		}
	}
}

// What is stored keeps its names and kinds.
func TestStoredFieldsKeepTheirNamesAndKinds(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{"rename city to town", "rename orders to purchases", "change total to integer", "the city should be a date", "make status a boolean"} {
		if got := outcome(prompt, shop(false), shop(false)); got != "NO" {
			t.Errorf("%q: %s", prompt, got)
		}
	}
}

// However fields are asked for, all of them are added, in their order, to what is named.
func TestEveryWayToAddFieldsAddsThem(t *testing.T) {
	t.Parallel()
	for _, way := range []string{
		"add FIELDS to orders", "add FIELDS to the orders table", "please also add FIELDS to each order", "orders need FIELDS", "each order should have FIELDS",
		"an order also has FIELDS", "give orders FIELDS", "let orders have FIELDS", "orders get FIELDS too",
	} {
		for _, names := range [][]string{{"note"}, {"note", "state"}, {"shipped on", "carrier", "weight"}, {"language"}, {"notes", "project"}} {
			list := "a " + strings.Join(names, " and a ")
			prompt := strings.Replace(way, "FIELDS", strings.Replace(list, " and a ", ", a ", len(names)-2), 1)
			r := Change(prompt, lexicon.All, shop(false))
			var got []string
			for _, f := range r.Things[1].Fields[3:] {
				got = append(got, strings.ReplaceAll(f.Name, "_", " "))
			}
			if len(r.Unknown)+len(r.Hearts) > 0 || !slices.Equal(got, names) || len(r.Things[0].Fields) > 2 || len(r.Things) > 2 {
				t.Errorf("%q: %q, not understood %q", prompt, got, r.Unknown)
			}
		}
	}
}

// A word that nothing is known of is refused or told, wherever it stands in a request that is understood without it.
func TestAWordOfAChangeThatSaysNothingKnownIsNotSkipped(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"add a note to orders", "remove the city from customers", "make the name of customers unique", "use sqlite and require a token", "add reviews with text and stars",
		"orders belong to customers", "rename it to Corner Shop, enable cors", "add a state to orders: open, closed or lost",
	} {
		all := strings.Fields(prompt)
		for k := range len(all) + 1 {
			said := strings.Join(slices.Insert(slices.Clone(all), k, "blorbify"), " ")
			r := Change(said, lexicon.All, shop(true))
			told := fmt.Sprint(r.Unknown, r.Removed, r.Title, r.Left, r.Hearts)
			for _, each := range r.Things {
				told += fmt.Sprint(each.Name, each.Fields)
			}
			if len(r.Unknown)+len(r.Hearts) == 0 && !strings.Contains(strings.ToLower(told), "blorbif") {
				t.Errorf("%q: nothing tells of it: %s", said, told)
			}
		}
	}
}
