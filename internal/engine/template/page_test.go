package template

import (
	"strings"
	"testing"
)

// What is told of the owner of a page is shown as it was told.
func TestFactsOfPagesAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{ // phone, hours, address, day
		"website for my bakery in Lyon, open tue-sat 7-18, about us, contact":                                    "|tue-sat 7-18||",
		"site for a physio in Aarhus. Opening hours Mon-Thu 8-18, Fri 8-14. Phone +45 55 55 01 23.":              "+45 55 55 01 23|Mon-Thu 8-18, Fri 8-14||",
		"website for a bakery, open daily 6:30-17:00, closed on sundays. Call (912) 555-0144":                    "(912) 555-0144|daily 6:30-17:00, closed on sundays||",
		"make a site for a plumber, we do boilers and repairs, call 555-0142":                                    "555-0142|||",
		"one page site for our wedding: Anna & Tomasz, 14 June, with schedule and location":                      "|||14 June",
		"A site for Café Zamora. Address 18 Calle del Pez, Madrid. menu, contact":                                "||18 Calle del Pez|",
		"webpage for my bakery Kornblume. open tue-sat 7-13. address Talstr. 12, phone 0761 555 0134":            "0761 555 0134|tue-sat 7-13|Talstr. 12|",
		"homepage for a club. We meet thursdays 7.30pm in the Methodist Hall":                                    "|We meet thursdays 7.30pm||",
		"site for a bookshop. Name: The Last Page. Address: 14 Castle Street, Durham. about, events":             "||14 Castle Street|",
		"html page for a fair on saturday 6 july, 11am to 5pm. stalls, parking":                                  "|11am to 5pm||saturday 6 july",
		"website for Nail Bar Luxe. our address is 5 Main Street, Dublin. prices":                                "||5 Main Street|",
		"website for a choir. rehearsals on Monday 7pm. about, join us":                                          "|rehearsals on Monday 7pm||",
		"Web page for \"Green Thumb\", open Mon-Sat 9:00-18:00, Sun 10-14, 5 Rose Lane, York, tel 01904 555 012": "01904 555 012|Mon-Sat 9:00-18:00, Sun 10-14|5 Rose Lane|",
		"site for a workshop. address Langestraat 12, 9000 Gent":                                                 "||Langestraat 12, 9000 Gent|",
		"page for a Block Party on Saturday, June 14 from 3pm to 9pm. parking":                                   "|3pm to 9pm||Saturday, June 14",
		"website for a club, 7 Rue des Horloges, Lyon. open first Sunday of every month":                         "|first Sunday of every month|7 Rue des Horloges|",
		"site for a gym. classes, opening hours mon-fri 6-22, 0800 555 019":                                      "0800 555 019|mon-fri 6-22||",
		"conference site: PyNordic 2026, 11-13 June 2026, Oslo. speakers":                                        "|||11-13 June 2026",
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
		"Restaurant page: name Trattoria Bella Notte, menu section":                                                           "Trattoria Bella Notte|restaurant||menu",
		"Website for the garden association \"Sonnenschein e.V.\" with news, rules":                                           "Sonnenschein e.V.|garden association||news,rules",
		"Site about the history of Rome":                                                                                      "History of Rome|history of Rome||about,contact",
		"small static site: cv of Leila Haddad, structural engineer":                                                          "Leila Haddad|structural engineer||portfolio,about,services,contact",
		"website for my cleaning company SparkleHome, we serve Denver and Boulder, sections: services":                        "SparkleHome|cleaning company|Denver and Boulder|services",
		"single page for a conference: GopherDay, 3 October 2025, Vienna, with speakers, schedule":                            "GopherDay|conference|Vienna|speakers,schedule",
		"website for an electrician with sections \"Services\", \"Emergency call-out\" and \"Get in touch\"":                  "Electrician|electrician||services,emergency-call-out,get-in-touch",
		"Website for a wedding planner in Charleston, South Carolina: services, packages":                                     "Wedding Planner|wedding planner|Charleston, South Carolina|services,packages",
		"A page for our family reunion, at Camp Wakonda near Springfield, with program and what to bring":                     "Family Reunion|family reunion|Camp Wakonda near Springfield|program,what-to-bring",
		"site: tea house \"Jasmin\", Salzburg, Linzergasse 4, open daily 9-19, tea list, tastings":                            "Jasmin|tea house|Salzburg|tea-list,tastings",
		"Our choir needs a website! We're the Moorland Singers from Ilkley. About us, concerts, join us.":                     "Moorland Singers|choir|Ilkley|about-us,concerts,join-us",
		"my friend Jo makes jewellery in Falmouth, please make her a page with gallery, about Jo, materials":                  "Jo|jewellery|Falmouth|gallery,about-jo,materials",
		"Name: Luna Yoga\nCity: Seville\nSections: classes, teachers\nPlease make a website from this":                        "Luna Yoga||Seville|classes,teachers",
		"make a website\n- business: dog kennel\n- name: Waggy Tails\n- location: Truro, Cornwall\n- sections: about, prices": "Waggy Tails|dog kennel|Truro, Cornwall|about,prices",
		"we need a website for our bakery the crusty loaf in leeds. bread, cakes, about us":                                   "The Crusty Loaf|bakery|Leeds|bread,cakes,about-us",
		"site for our village fair: Strawberry Fair, 4 July, village green. stalls, what to bring, join us":                   "Strawberry Fair|village fair|Village Green|stalls,what-to-bring,join-us",
		"Website for \"Café Luna\", in the old town of Bratislava, with menu and events":                                      "Café Luna||Bratislava|menu,events",
		"a site for the 12th Annual Chili Cook-Off. Rules, how to enter":                                                      "12th Annual Chili Cook-Off|||rules,how-to-enter",
		"website for a retired teacher offering german lessons in Cork. about me, prices":                                     "Retired Teacher|retired teacher|Cork|about-me,prices",
		"a static site with a menu and directions for Osteria Lupo in Trieste":                                                "Osteria Lupo||Trieste|menu,directions",
		"landing page for my CLI tool with features, install, docs":                                                           "CLI Tool|CLI tool||features,install,docs",
		"website for a cat sitter in Portland, OR. services & rates":                                                          "Cat Sitter|cat sitter|Portland, OR|services,rates",
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
		"website for restaurant Sakura (sushi, Munich) with menu":                        {"sushi"},
		"website for the Loch Angling Club with rules. Chair is Morag Sutherland":        {"Chair is Morag Sutherland"},
		"a site for my novel with a blog i can edit":                                     {"i can edit"},
		"A website in three languages for a hotel, with a booking calendar":              {"in three languages", "booking calendar"},
		"page for a farm shop. It was founded in 1921. products, contact":                {"It was founded in 1921"},
		"Landing page for my book \"The Salt Road\" by Ida Holm. reviews, where to buy":  {"by Ida Holm"},
		"site for a nonprofit: \"Feed Forward\". Mission, donate button. EIN 12-3456789": {"donate button", "EIN 12-3456789"},
		"website for a history society with walks; secretary: Joan Price":                {"secretary: Joan Price"},
		"page for the Danube bike tour from Passau to Vienna, stages, hotels, luggage":   {"from Passau", "Vienna"},
		"site for a bakery in Leeds with a contact form that sends me a mail, menu":      {"contact form that sends me a mail"},
		"Make me a website with a blog and comments":                                     {"comments"},
		"band site: The Moths, indie rock, Leeds. Next gig 12 June. music":               {"indie rock", "Next gig 12 June"},
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
