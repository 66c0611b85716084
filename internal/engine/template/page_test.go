package template

import (
	"strings"
	"testing"
)

// What is told of the owner of a page is shown as it was told.
func TestFactsOfPagesAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{ // phone, hours, address, day
		"site for a physio in Aarhus. Opening hours Mon-Thu 8-18, Fri 8-14. Phone +45 55 55 01 23.":              "+45 55 55 01 23|Mon-Thu 8-18, Fri 8-14||",
		"website for my bakery in Lyon, open tue-sat 7-18, about us, contact":                                    "|tue-sat 7-18||",
		"website for a bakery, open daily 6:30-17:00, closed on sundays. Call (912) 555-0144":                    "(912) 555-0144|daily 6:30-17:00, closed on sundays||",
		"site for a bookshop. Name: The Last Page. Address: 14 Castle Street, Durham. about, events":             "||14 Castle Street|",
		"html page for a fair on saturday 6 july, 11am to 5pm. stalls, parking":                                  "|11am to 5pm||saturday 6 july",
		"Web page for \"Green Thumb\", open Mon-Sat 9:00-18:00, Sun 10-14, 5 Rose Lane, York, tel 01904 555 012": "01904 555 012|Mon-Sat 9:00-18:00, Sun 10-14|5 Rose Lane|",
		"site for a gym. classes, opening hours mon-fri 6-22, 0800 555 019":                                      "0800 555 019|mon-fri 6-22||",
	} {
		p, err := planOf(nil, prompt, constraints{})
		if got := strings.Join([]string{p.Phone, p.Hours, p.Address, p.When}, "|"); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", prompt, got, err, want)
		}
	}
}

// What a page is called, what it is about, where that is, and its sections.
func TestSitesAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Restaurant page: name Trattoria Bella Notte, menu section":                                          "Trattoria Bella Notte|restaurant||menu",
		"Site about the history of Rome":                                                                     "History of Rome|history of Rome||about,contact",
		"single page for a conference: GopherDay, 3 October 2025, Vienna, with speakers, schedule":           "GopherDay|conference|Vienna|speakers,schedule",
		"website for an electrician with sections \"Services\", \"Emergency call-out\" and \"Get in touch\"": "Electrician|electrician||services,emergency-call-out,get-in-touch",
		"Website for a wedding planner in Charleston, South Carolina: services, packages":                    "Wedding Planner|wedding planner|Charleston, South Carolina|services,packages",
		"A page for our family reunion, at Camp Wakonda near Springfield, with program and what to bring":    "Family Reunion|family reunion|Camp Wakonda near Springfield|program,what-to-bring",
	} {
		p, err := planOf(nil, prompt, constraints{})
		if got := strings.Join([]string{p.Title, p.Subject, p.Place, strings.Join(p.Sections, ",")}, "|"); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", prompt, got, err, want)
		}
	}
}

// What a page does not show is told.
func TestPagesTellWhatTheyLeaveOut(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string][]string{
		"website for restaurant Sakura (sushi, Munich) with menu":                       {"sushi"},
		"site for our cottage near St Ives, sleeps 4, dogs welcome. prices, directions": {"sleeps 4", "dogs welcome"},
		"website for a garage. He drives old cars. services, contact":                   {"He drives old cars"},
		"website for an animal shelter called Paws with a donate button":                {"donate button"},
		"page for a conference in Vienna, speakers, agenda, register now":               {"register now"},
		"Make me a website with a blog and comments":                                    {"comments"},
	} {
		p, err := planOf(nil, prompt, constraints{})
		for _, part := range want {
			if !strings.Contains(strings.Join(p.Left, "; "), part) {
				t.Errorf("%q: %q is not told: %q, %v", prompt, part, p.Left, err)
			}
		}
	}
}

// A page gets no name of what is only mentioned.
func TestChangesOfPagesAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{ // empty: refused
		"add a German version": "", "we moved to Dublin": "place from Cork to Dublin", "change the title to Yoga with Mia": "name from crust to yoga-with-mia", "Add opening hours: Mon-Fri 8-17": "hours from none to Mon-Fri 8-17",
		`add a section "Our Story"`: "added the section our-story", "add my email mia@yoga.example": "Changed: email from none to mia@yoga.example.",
		"add a testimonials section and our address Main St 5": "added the section testimonials; address from none to Main St 5",
		"change the title to Golden Crust":                     "name from crust to golden-crust", "add a gallery, remove the menu": "removed the section menu; added the section gallery",
	} {
		base, err := planOf(nil, "website for a bakery called Crust in Cork", constraints{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := planOf(&base.spec, prompt, constraints{})
		if (want == "") != (err != nil) || !strings.Contains(p.said, want) {
			t.Errorf("%q: %q, %v; want %q", prompt, p.said, err, want)
		}
	}
}
