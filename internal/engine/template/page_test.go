package template

import (
	"strings"
	"testing"
)

// What is told of the owner of a page is shown as it was told.
func TestFactsOfPagesAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{ // phone, hours, address, day
		"website for my bakery in Lyon, open tue-sat 7-18, about us, contact":                         "|tue-sat 7-18||",
		"site for a physio in Aarhus. Opening hours Mon-Thu 8-18, Fri 8-14. Phone +45 55 55 01 23.":   "+45 55 55 01 23|Mon-Thu 8-18, Fri 8-14||",
		"website for a bakery, open daily 6:30-17:00, closed on sundays. Call (912) 555-0144":         "(912) 555-0144|daily 6:30-17:00, closed sundays||",
		"make a site for a plumber, we do boilers and repairs, call 555-0142":                         "555-0142|||",
		"one page site for our wedding: Anna & Tomasz, 14 June, with schedule and location":           "|||14 June",
		"A site for Café Zamora. Address 18 Calle del Pez, Madrid. menu, contact":                     "||18 Calle del Pez|",
		"webpage for my bakery Kornblume. open tue-sat 7-13. address Talstr. 12, phone 0761 555 0134": "0761 555 0134|tue-sat 7-13|Talstr 12|",
		"homepage for a club. We meet thursdays 7.30pm in the Methodist Hall":                         "|We meet thursdays 7.30pm||",
		"site for a bookshop. Name: The Last Page. Address: 14 Castle Street, Durham. about, events":  "||14 Castle Street|",
		"html page for a fair on saturday 6 july, 11am to 5pm. stalls, parking":                       "|11am to 5pm||saturday 6 july",
		"website for Nail Bar Luxe. our address is 5 Main Street, Dublin. prices":                     "||5 Main Street|",
		"website for a choir. rehearsals on Monday 7pm. about, join us":                               "|rehearsals on Monday 7pm||",
	} {
		p, err := planOf(nil, prompt, constraints{})
		if got := strings.Join([]string{p.Phone, p.Hours, p.Address, p.When}, "|"); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", prompt, got, err, want)
		}
	}
}

// A page gets no name of what is only mentioned.
func TestChangesOfPagesAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{ // empty: refused
		"add a German version": "", "we moved to Dublin": "", "change the title to Yoga with Mia": "", "Add opening hours: Mon-Fri 8-17": "hours from none to Mon-Fri 8-17",
		`add a section "Our Story"`: "added the section our-story", "add my email mia@yoga.example": "Changed: email from none to mia@yoga.example.",
		"add a testimonials section and our address Main St 5": "added the section testimonials; address from none to Main St 5", "add live music": "added the section live-music",
		"change the title to Golden Crust": "name from crust to golden-crust", "add a gallery, remove the menu": "removed the section menu; added the section gallery",
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
