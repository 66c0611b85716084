package template

import (
	"strings"
	"testing"
)

// What a project has after a request that changes it, in the notation of the state; or what the refusal names.
func TestChangesAreDoneAsTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	const authors = "authors/author(name:string,country:string)"
	const books = "books/book(title:string,year:integer,author_id:ref.author)"
	for prompt, want := range map[string]string{
		"add an email to authors":                                      "authors/author(name:string,country:string,email:string);" + books,
		"add a publisher to books and a birthday to authors":           "authors/author(name:string,country:string,birthday:date);books/book(title:string,year:integer,author_id:ref.author,publisher:string)",
		"add a status to books: available, lent or lost, default lent": authors + ";books/book(title:string,year:integer,author_id:ref.author,status:string!default=lent!one of=available|lent|lost)",
		"add status (new, old) to books and make it required":          authors + ";books/book(title:string,year:integer,author_id:ref.author,status:string!required!one of=new|old)",
		"Add a description to the books, at most 500 characters.":      authors + ";books/book(title:string,year:integer,author_id:ref.author,description:string!max=500)",
		"add isbn to the books table, unique":                          authors + ";books/book(title:string,year:integer,author_id:ref.author,isbn:string!unique)",
		"the authors need a nationality and the books need a language": "authors/author(name:string,country:string,nationality:string);books/book(title:string,year:integer,author_id:ref.author,language:string)",
		"give each book a rating from 1 to 5":                          authors + ";books/book(title:string,year:integer,author_id:ref.author,rating:number!min=1!max=5)",
		"make the name of authors unique":                              "authors/author(name:string!unique,country:string);" + books,
		"the year of a book is at least 1450":                          authors + ";books/book(title:string,year:integer!min=1450,author_id:ref.author)",
		"name and country are required":                                "authors/author(name:string!required,country:string!required);" + books,
		"add loans: borrower, due date. a loan belongs to a book":      authors + ";" + books + ";loans/loan(borrower:string,due_date:date,book_id:ref.book)",
		"add members (name, email unique) and loans (member, book)":    authors + ";" + books + ";members/member(name:string,email:string!unique);loans/loan(name:string,member_id:ref.member,book_id:ref.book)",
		"add chapters that belong to books with title and number":      authors + ";" + books + ";chapters/chapter(title:string,number:string,book_id:ref.book)",
		"books have many reviews":                                      authors + ";" + books + ";reviews/review(text:string,rating:number,book_id:ref.book)",
		"create a new resource called members with name":               authors + ";" + books + ";members/member(name:string)",
		"add a table members: name, phone":                             authors + ";" + books + ";members/member(name:string,phone:string)",
		"I also need members with name and email":                      authors + ";" + books + ";members/member(name:string,email:string)",
		"remove the year from books, add genres to books":              authors + ";books/book(title:string,author_id:ref.author,genres:strings)",
		"add a note to authors and books":                              "authors/author(name:string,country:string,note:string);books/book(title:string,year:integer,author_id:ref.author,note:string)",
		"add a note to authors and books need a price":                 "authors/author(name:string,country:string,note:string);books/book(title:string,year:integer,author_id:ref.author,price:number)",
		"add email and phone to authors and make them required":        "authors/author(name:string,country:string,email:string!required,phone:string!required);" + books,
		"make the title and the year required":                         authors + ";books/book(title:string!required,year:integer!required,author_id:ref.author)",
		"title should not be required, the year cannot be above 2100":  authors + ";books/book(title:string!optional,year:integer!max=2100,author_id:ref.author)",
		"add reviews to books with text and stars":                     authors + ";" + books + ";reviews/review(text:string,stars:integer,book_id:ref.book)",
		"add loans (due date). They belong to books":                   authors + ";" + books + ";loans/loan(due_date:date,book_id:ref.book)",
		"Since we lend books now, add loans with due date":             authors + ";" + books + ";loans/loan(due_date:date)",
		"remove country from authors and year from books":              "authors/author(name:string);books/book(title:string,author_id:ref.author)",
		"remove the author from books":                                 authors + ";books/book(title:string,year:integer)",
		"add to books: price, isbn unique":                             authors + ";books/book(title:string,year:integer,author_id:ref.author,price:number,isbn:string!unique)",
		"1. add a price to books\n2. remove the country":               "authors/author(name:string);books/book(title:string,year:integer,author_id:ref.author,price:number)",
		"authors have a name and an email":                             "authors/author(name:string,country:string,email:string);" + books,
		"rename country to nation":                                     "authors/author(name:string,nation:string);" + books,
		"rename authors to writers":                                    "writers/writer(name:string,country:string);books/book(title:string,year:integer,writer_id:ref.writer)",
		"the country should be called nation":                          "authors/author(name:string,nation:string);" + books,
		"replace country with city and zip code":                       "authors/author(name:string,city:string,zip_code:string);" + books,
		"year should be a text":                                        authors + ";books/book(title:string,year:string,author_id:ref.author)",
		"change the year to text":                                      authors + ";books/book(title:string,year:string,author_id:ref.author)",
		"year should be a number between 1450 and 2100":                authors + ";books/book(title:string,year:integer!min=1450!max=2100,author_id:ref.author)",
		"the default country is Peru":                                  "authors/author(name:string,country:string!default=Peru);" + books,
		"country is Peru by default":                                   "authors/author(name:string,country:string!default=Peru);" + books,
		"require a title":                                              authors + ";books/book(title:string!required,year:integer,author_id:ref.author)",
		"the title is required as well":                                authors + ";books/book(title:string!required,year:integer,author_id:ref.author)",
		"we don't need the country anymore":                            "authors/author(name:string);" + books,
		// Refused, and why.
		"the project name is wrong":                         "NO wrong",
		"call it something else":                            "NO something else",
		"add a publisher to books instead":                  "NO instead",
		"make the title required instead":                   "NO instead",
		"books have a related book":                         `NO "book"`,
		"country is empty by default":                       "NO empty",
		"replace country by a number":                       "NO number",
		"the year is in days":                               "NO year",
		"rename title to year":                              "NO title",
		"remove country and rename country to nation":       "NO told twice",
		"rename country to nation. add a nation to authors": "NO told twice",
		"no more than 5 books":                              "NO books",
		"add payments and invoices with amount":             "NO payments",
		"add payments with amount, and invoices":            "NO invoices",
		"add a price to some books":                         `NO "books"`,
		"don't add a price to books":                        "NO add a price to books",
		"title should not be unique":                        "NO not be unique",
		"change the database to not sqlite":                 "NO not sqlite",
		"move the country from authors to books":            "NO country from authors to books",
		"add a price to movies":                             "NO movies",
		"add a publisher":                                   "NO a publisher",
		"add a publisher (name, city) to books":             `NO "name"`,
		"authors belong to books":                           "NO belongs to",
		"books can have several authors":                    "NO belongs to",
		"year must be above 1450.5":                         "NO year",
		"add a title to books":                              "NO Already so: title is there",
		"add an index on title":                             "NO title",
		"add GET /books/latest":                             "NO latest",
		"add borrowers who can borrow books":                `NO "books"`,
		"send an email when a book is added":                "NO send",
		"remove the name from books":                        "NO books",
		"add genre with values fiction or poetry":           "NO genre",
		"add a script to seed the database":                 "NO database",
		"make it faster":                                    "NO faster",
		"write more tests":                                  "NO tests",
		"thanks, looks great":                               "NO no change",
	} {
		base, err := planOf(nil, "ts api with authors (name, country) and books (title, year int), books belong to authors", constraints{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := planOf(&base.spec, prompt, constraints{})
		word, refused := strings.CutPrefix(want, "NO ")
		switch {
		case refused != (err != nil):
			t.Errorf("%q: %v, %s", prompt, err, p.Decided("resources").Text())
		case refused && !strings.Contains(err.Error(), word):
			t.Errorf("%q: %v, want %q", prompt, err, word)
		case !refused && p.Decided("resources").Text() != want:
			t.Errorf("%q makes\n%s, want\n%s", prompt, p.Decided("resources").Text(), want)
		}
	}
}

// Of what is stored no name and no kind is changed; choices are added to those that there are.
func TestChangesOfWhatIsStored(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"rename weight to mass":                 "NO stored",
		"rename dogs to hounds":                 "NO stored",
		"change weight to integer":              "NO weight as integer",
		"add lost to status":                    "dogs/dog(name:string,weight:number,status:string!one of=here|away|lost)",
		"status can also be lost":               "dogs/dog(name:string,weight:number,status:string!one of=here|away|lost)",
		"remove here from the status":           "NO here",
		"and a nickname":                        "dogs/dog(name:string,weight:number,status:string!one of=here|away,nickname:string)",
		"names must be unique":                  "dogs/dog(name:string!unique,weight:number,status:string!one of=here|away)",
		"also a bit faster":                     "NO faster",
		"add a nicer name":                      `NO "name"`,
		"add another status lost":               `NO "lost"`,
		"add another name and a nickname":       "NO name",
		"add status lost":                       `NO "lost"`,
		"add visits to dogs with date and cost": "dogs/dog(name:string,weight:number,status:string!one of=here|away);visits/visit(date:date,cost:number,dog_id:ref.dog)",
		"add a license":                         "NO license",
		"add a website":                         "NO website",
		"dogs also have categories":             "dogs/dog(name:string,weight:number,status:string!one of=here|away,categories:strings)",
		"add categories":                        "NO categories",
	} {
		base, err := planOf(nil, "go api for dogs: name, weight, status (here or away), sqlite", constraints{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := planOf(&base.spec, prompt, constraints{})
		word, refused := strings.CutPrefix(want, "NO ")
		if got := p.Decided("resources").Text(); refused != (err != nil) || !refused && got != want || refused && !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v, %s", prompt, err, got)
		}
	}
}

// A page gets and loses what it is told to, and nothing that it cannot be.
func TestChangesOfPagesAreDoneAsTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"add a gallery and a team section":                       "added the section gallery; added the section team.",
		"add sections for prices and events":                     "added the section prices; added the section events.",
		"add a gallery to the page":                              "added the section gallery.",
		"add testimonials, remove opening hours":                 "removed the section opening-hours; added the section testimonials.",
		"our opening hours are Tue-Sat 7-18":                     "hours from none to Tue-Sat 7-18.",
		"change the phone to 021 555 0199":                       "phone from none to 021 555 0199.",
		"the email is ada@crust.example":                         "email from mia@crust.example to ada@crust.example.",
		"add our address 5 Main Street":                          "address from none to 5 Main Street.",
		"remove menu and location":                               "removed the section menu; removed the section location.",
		"add a page about our bread":                             "added the section bread. Left out: a page of its own",
		"call it Golden Crust":                                   "name from crust to golden-crust.",
		"put the menu first":                                     "moved the section menu.",
		"contact should come before location":                    "moved the section contact.",
		"add news after the menu":                                "added the section news; moved the section news.",
		"add a menu again":                                       "NO already so",
		"rename menu to bread":                                   "renamed the section menu to bread.",
		"the menu section should be called food":                 "renamed the section menu to food.",
		"change contact to get in touch":                         "renamed the section contact to get-in-touch.",
		"rename the site to Golden Crust":                        "name from crust to golden-crust.",
		"it's called Golden Crust":                               "name from crust to golden-crust.",
		"add a faq, but no testimonials":                         "added the section faq. Left out: no testimonials",
		"no contact":                                             "removed the section contact; email from mia@crust.example to none.",
		"remove the email":                                       "email from mia@crust.example to none.",
		"i also want a blog":                                     "added the section blog.",
		"we moved to Dublin":                                     "place from Cork to Dublin.",
		"the address is 5 Main Street, Dublin":                   "place from Cork to Dublin; address from none to 5 Main Street.",
		"I forgot: we need a section about our team":             "added the section about-our-team.",
		"a gallery would be nice":                                "added the section gallery.",
		"take the menu out":                                      "removed the section menu.",
		"call the menu section \"Our bread\"":                    "renamed the section menu to our-bread.",
		"instead of the menu show our bread":                     "renamed the section menu to bread.",
		"swap menu and contact":                                  "moved the section menu; moved the section contact.",
		"add a gallery and put it before contact":                "added the section gallery; moved the section gallery.",
		"we moved to 5 Main Street":                              "address from none to 5 Main Street.",
		"the bakery is called Golden Crust now":                  "name from crust to golden-crust.",
		"change the port to 9000":                                "port from 8080 to 9000.",
		"add the MIT license":                                    "license from none to mit.",
		"add a faq and change the price of rye bread to 4 euros": "added the section faq. Left out: change the price of rye bread to 4 euros (yours to say in the text)",
		"add rye bread for 4.50 to the menu":                     "NO yours to say",
		"add a photo of our shop":                                "NO pictures of your own",
		"add a second phone number 021 555 0199":                 "NO second",
		"add a booking calendar":                                 "NO calendar",
		"add a database":                                         "NO database",
		"translate it into German":                               "NO translate",
		"make the header bigger":                                 "NO bigger",
		"use warmer colours":                                     "NO warmer",
		"remove the map":                                         "NO map",
	} {
		base, err := planOf(nil, "website for a bakery called Crust in Cork, mia@crust.example", constraints{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := planOf(&base.spec, prompt, constraints{})
		word, refused := strings.CutPrefix(want, "NO ")
		switch {
		case refused != (err != nil):
			t.Errorf("%q: %v, %s", prompt, err, p.said)
		case refused && !strings.Contains(strings.ToLower(err.Error()), word):
			t.Errorf("%q: %v, want %q", prompt, err, word)
		case !refused && !strings.Contains(p.said, want):
			t.Errorf("%q: %s, want %q", prompt, p.said, want)
		}
	}
}

// A page that tells an address does not move without it.
func TestAPageMovesWithItsAddress(t *testing.T) {
	t.Parallel()
	base, err := planOf(nil, "website for a bakery called Crust, 5 Main Street, Cork", constraints{})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := planOf(&base.spec, "we moved to Dublin", constraints{}); err == nil || !strings.Contains(err.Error(), "5 Main Street") {
		t.Errorf("%v, %s", err, p.said)
	}
	if p, err := planOf(&base.spec, "our new address is 12 Canal Street, Dublin", constraints{}); err != nil || p.Place != "Dublin" || p.Address != "12 Canal Street" {
		t.Errorf("%v, %s", err, p.said)
	}
}

// What is told of one day changes no hours of the others.
func TestHoursAreChangedAsAWhole(t *testing.T) {
	t.Parallel()
	base, err := planOf(nil, "website for a bakery called Crust in Cork, open Tue-Sun 8-18", constraints{})
	if err != nil {
		t.Fatal(err)
	}
	for prompt, want := range map[string]string{"closed on mondays": "", "on sundays 9 to 14": "", "also open on mondays from 9 to 12": "", "opening hours: daily 9 to 18": "daily 9 to 18", "now open Mon-Sat 8-18": "Mon-Sat 8-18"} {
		if p, err := planOf(&base.spec, prompt, constraints{}); (err != nil) != (want == "") || err == nil && p.Hours != want {
			t.Errorf("%s: %v, %s", prompt, err, p.Hours)
		}
	}
}

// A tool gets another operation; of what it does anyway it is told how.
func TestToolsDoMore(t *testing.T) {
	t.Parallel()
	base, err := planOf(nil, "go command line tool that counts words in text files", constraints{})
	if err != nil {
		t.Fatal(err)
	}
	for prompt, want := range map[string]string{
		"can it also find duplicate files?": "it finds duplicate files too", "rename it to wc2 and use port 9000": "port 9000 (a command listens on none)", "also convert csv to json": "it converts csv to json too",
		"it should count lines too": "NO Already so", "show the 10 most frequent words": "NO with --top N", "show the 20 most frequent words by default": "NO default", "read pdfs": "NO pdfs", "add a gui": "NO gui", "keep my tasks": "NO tasks",
	} {
		p, err := planOf(&base.spec, prompt, constraints{})
		if word, refused := strings.CutPrefix(want, "NO "); refused != (err != nil) || refused && !strings.Contains(err.Error(), word) || !refused && !strings.Contains(p.said, want) {
			t.Errorf("%s: %v, %s", prompt, err, p.said)
		}
	}
}

// What is called shorter in a later request keeps its name.
func TestChangesKeepNames(t *testing.T) {
	t.Parallel()
	base, err := planOf(nil, "go api for parking spots: number, level int", constraints{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := planOf(&base.spec, "spots need a price", constraints{})
	if got := p.Decided("resources").Text(); err != nil || got != "parking_spots/parking_spot(number:string,level:integer,price:number)" {
		t.Errorf("%s, %v", got, err)
	}
}
