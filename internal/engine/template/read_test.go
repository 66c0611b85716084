package template

import (
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
)

// What is said of a field's values is what they are held to, and else told as left out.
func TestRulesOfFieldsAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"python api for tickets, status open/closed, title":                                            "status:string!one of=open|closed,title:string",
		"python api: products with name, quantity >= 0, price can't be negative":                       "name:string,quantity:integer!min=0,price:number!min=0",
		"go api for users with name (required) and email (required, unique), phone optional":           "name:string!required,email:string!required!unique,phone:string!optional",
		"TypeScript REST API for gym members: name is required, email must be unique, age at least 16": "name:string!required,email:string!unique,age:integer!min=16",
		"Go service for invoices:\n- number (string)\n- amount (decimal)\n- due (date, optional)":      "number:string,amount:number,due:date!optional",
		"golang api for members of a gym: name, plan one of basic/plus/premium":                        "name:string,plan:string!one of=basic|plus|premium",
		"Go API for loans with borrower, a loan date and a return date (optional)":                     "borrower:string,loan_date:date,return_date:date!optional",
		"an API for tags with name (string, max 20)":                                                   "name:string!max=20",
		"Go API for birds (species, place, seen at)":                                                   "species:string,place:string,seen_at:datetime",
	} {
		p, err := planOf(nil, prompt, constraints{})
		if err != nil {
			t.Errorf("%q: %v", prompt, err)
			continue
		}
		if got := p.Decided("resources").Text(); !strings.HasSuffix(got, "("+want+")") {
			t.Errorf("%q was read as\n%s, want\n%s", prompt, got, want)
		}
	}
}

// What a request was understood to ask for, in the notation of the state.
func TestRequestsAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"i need a simple go rest api for a todo list, todos have a title, a done flag and a due date please":             "api go todos/todo(title:string,done:boolean,due_date:date)",
		"Go service for invoices:\n- number\n- amount (decimal)\n- paid (bool)\n- issued on (date)\nlisten on port 9090": "api go invoices/invoice(number:string,amount:number,paid:boolean,issued_on:date) 9090",
		"go api, module github.com/acme/stock, items with sku string, quantity integer. MIT license":                     "api go items/item(sku:string,quantity:integer) mit github.com/acme/stock",
		"python api for pets with name, age, stored in PostgreSQL, require a token":                                      "api python pets/pet(name:string,age:integer) postgres token",
		"Go API. Cars: make, daily rate, available. Customers: name. Rentals: car, customer, start date, total.":         "api go cars/car(make:string,daily_rate:number,available:boolean);customers/customer(name:string);rentals/rental(start_date:date,total:number,car_id:ref.car,customer_id:ref.customer)",
		"a small pyhton api for notes":                                                       "api python notes/note(title:string,body:string)",
		"python cli to convert csv to json":                                                  "command python csv2json",
		"cli in python for a reading list with title, pages and finished":                    "command python books/book(title:string,pages:integer,finished:boolean)",
		"a website for my bakery called Crumb & Co in Bristol with opening hours and a menu": "site static Crumb & Co|bakery|Bristol|opening-hours,menu",
		"portfolio site for a designer named Lena Fischer with projects, about and contact":  "site static Lena Fischer|designer||projects,about,contact",
	} {
		p, err := planOf(nil, prompt, constraints{})
		if err != nil {
			t.Errorf("%q: %v", prompt, err)
			continue
		}
		s := p.spec
		parts := []string{s.Kind, s.Language}
		if s.Kind == project.Site {
			parts = append(parts, strings.Join([]string{s.Title, s.Subject, s.Place, strings.Join(s.Sections, ",")}, "|"))
		}
		parts = append(parts, s.Decided("resources").Text(), strings.Join(s.Operations, ","))
		for _, value := range []string{s.Database, s.Auth, s.License, s.Module} {
			if value != "none" {
				parts = append(parts, value)
			}
		}
		if s.Port == 9090 {
			parts = append(parts, "9090")
		}
		if got := strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " "); got != want {
			t.Errorf("%q was read as\n%s, want\n%s", prompt, got, want)
		}
		if _, err := project.Read(stateOf(s)); err != nil {
			t.Errorf("%q: the state cannot be read back: %v", prompt, err)
		}
	}
}

func stateOf(s spec) map[string]string {
	state := map[string]string{}
	for _, d := range s.Decisions() {
		state[d.Key] = d.Text()
	}
	return state
}

func TestDetailsAreLeftOutByName(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string][]string{
		"python api for notes without tests":                                            {"no tests"},
		"API for cars: make, model, timestamps":                                         {"timestamps (tell them as fields: created_at, updated_at)"},
		"Go API for labels and songs. Songs: title, year":                               {"fields of labels (none were told: they get the usual ones)"},
		"an API for cats, dogs, birds, cows, pigs, goats, hens, ducks and owls":         {"/owls"},
		"go api for cats with name, age and rate limiting":                              {"rate limiting"},
		"go api for notes with title and text, exported as csv":                         {"exported as csv (import and export)"},
		"python script that counts the lines of all .py files":                          {".py files"},
		"website for our club, 120 members, founded 1987":                               {"120 members", "founded 1987"},
		"a website for my flower shop Petal Row with a contact form and an online shop": {"contact form", "online shop"},
		"website for Kim's Nail Salon: services & prices, book an appointment":          {"book an appointment"},
	} {
		p, err := planOf(nil, prompt, constraints{})
		if err != nil {
			t.Errorf("%q: %v", prompt, err)
			continue
		}
		for _, part := range want {
			if !strings.Contains(stateOf(p.spec)["left_out"], part) {
				t.Errorf("%q: %q is not told: %q", prompt, part, p.spec.Left)
			}
		}
	}
}

func TestChangesAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{ // empty: refused
		"add a price to books":                         "added the field price to books",
		"add reviews with text and stars":              "added the resource reviews",
		"please also store the publisher and the year": "added the field publisher to books; added the field year to books",
		"add users with name, books belong to users":   "added the field user_id to books",
		"use port 9000 and add the MIT license":        "port from 8080 to 9000; license from none to mit",
		"rename it to Book Shelf":                      "name from book-api to book-shelf",
		"remove the author":                            "removed the field author of book",
		"use sqlite instead of memory and add a token": "database from none to sqlite; auth from none to token",
		"add status (open/closed) to books":            "added the field status to books",
		"change title to name":                         "",
		"make it dark":                                 "",
		"add a graphql endpoint":                       "",
		"remove the title and the author":              "",
		"":                                             "",
		"use python":                                   "",
	} {
		base, err := planOf(nil, "A Go API for books with title and author", constraints{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := planOf(&base.spec, prompt, constraints{})
		if (want == "") != (err != nil) || !strings.Contains(p.said, want) {
			t.Errorf("%q: %q, %v; want %q", prompt, p.said, err, want)
		}
	}
}

func TestConstraints(t *testing.T) {
	t.Parallel()
	for _, raw := range []map[string]string{
		{"theme": "dark"},
		{"language": "cobol"},
		{"port": "80"},
		{"resources": "1x"},
		{"database": "oracle"},
		{"name": "!!"},
		{"framework": "gin"},
		{"language": "static", "resources": "books"},
		{"auth": "none", "AUTH": "token"},
		{"sections": "<b>"},
	} {
		if _, err := readConstraints(raw); err == nil {
			t.Errorf("%v was accepted", raw)
		}
	}
	if p, err := planOf(nil, "a website for a bakery", constraints{"language": project.Go}); err == nil {
		t.Errorf("a site in Go: %+v", p.spec)
	}
	c, err := readConstraints(map[string]string{"Language": "ts", "database": "PostgreSQL", "auth": "bearer", "name": "Fleet Desk", "port": "9000", "resources": "cars, drivers"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := planOf(nil, "an API", c)
	if s := p.spec; err != nil || s.Language != project.TypeScript || s.Database != project.Postgres || s.Auth != "token" || s.Name != "fleet-desk" || s.Port != 9000 || len(s.Resources) != 2 {
		t.Errorf("%+v, %v", p.spec, err)
	}
}
