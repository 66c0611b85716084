package request

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/words"
)

// toldOf writes what was read of a page: title|subject|place|sections, then facts, and what is left out; or that it is refused.
func toldOf(q *Request) string {
	if len(q.Unknown)+len(q.Hearts) > 0 {
		return "NO"
	}
	out := strings.Join([]string{q.Title, q.Subject, q.Place, strings.Join(q.Sections, ",")}, "|")
	for _, fact := range []string{q.Email, q.Phone, q.Hours, q.Address, q.When} {
		if fact != "" {
			out += "; " + fact
		}
	}
	for _, o := range q.Left {
		out += " -" + o.What
	}
	return out
}

func TestPagesAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"page for a gym": "|gym||",
		"website for a cafe called Blue Door in Leeds with a menu, opening hours and contact":                                "Blue Door|cafe|Leeds|menu,opening-hours,contact",
		"I own a small bakery in Galway called Crumb & Co. and need a simple website with what we bake, phone number":        "Crumb & Co|bakery|Galway|what-we-bake,contact -phone number",
		"Page for a dental practice. Title: Harbour Dental. Sections:\n- treatments\n- our dentists\nPhone 020 7946 0311":    "Harbour Dental|dental practice||treatments,dentists; 020 7946 0311",
		"Corner shop website: Patel's Groceries, 88 Station Road, open every day 6am-10pm.":                                  "Patel's Groceries|corner shop||; every day 6am-10pm; 88 Station Road",
		"page for our wedding, 7 June, Villa Rosa near Verona. Sections for the programme and where to stay":                 "|wedding|Villa Rosa near Verona|programme,where-to-stay; 7 June",
		"html page for a fair on saturday 6 july, 11am to 5pm. stalls, parking":                                              "|fair||stalls,parking; 11am to 5pm; saturday 6 july",
		"site for a shop. Address: Langestraat 12, 9000 Gent":                                                                "|shop||; Langestraat 12, 9000 Gent",
		"My dad fixes lawnmowers and needs a web page with prices":                                                           "|lawnmower repair||prices",
		"page for a choir with concerts, a contact form and a map":                                                           "|choir||concerts -a contact form -a map",
		"page for my yoga studio \"Still Water\". I offer morning classes, evening classes. There should be a price section": "Still Water|yoga studio||price -I offer morning classes, evening classes",
		"page for a bakery, menu, no js":                                                 "|bakery||menu -no js",
		"page for a plumber, services: boilers, leaks":                                   "|plumber||services -boilers, leaks",
		"Our chess club needs a site. We meet every Thursday at 19:00 in the town hall.": "|chess club|Town Hall|; every Thursday at 19:00",
		"make a two page website for my bakery with a menu and contact":                  "|bakery||menu,contact -two page",
		"I need a site for my pizzeria Pie in the Sky with menu":                         "Pie in the Sky|pizzeria||menu",
		"site for my pizzeria Blue Door in the Lake District with menu":                  "Blue Door|pizzeria|Lake District|menu",
		"Website for our kindergarten. The about section should say that we are open":    "|kindergarten||about -that we are open",
		"restaurant page, menu with pizza, pasta and fish, contact":                      "|restaurant||menu,contact -with pizza, pasta and fish",
		"a travel blog about Italy, archive, contact":                                    "|travel blog about Italy||archive,contact",
		"page for a ski school, lessons for children and adults, prices":                 "|ski school||lessons,prices -for children and adults",
		"My wife is a florist. She needs a website with her services":                    "|florist||services",
		"website for the volunteer fire brigade of Lindau with our vehicles":             "|volunteer fire brigade of Lindau||vehicles",
		"product page for a CLI called \"logsift\": features, installation":              "logsift|CLI||features,installation",
		"a site for my podcast, about the host, episodes":                                "|podcast||about-the-host,episodes",
		"portfolio page for me. Priya Nair, backend engineer, Toronto. sections about":   "Priya Nair|backend engineer|Toronto|about",
	} {
		if got := toldOf(Read(prompt, lexicon.All)); got != want {
			t.Errorf("%q:\n%s, want\n%s", prompt, got, want)
		}
	}
}

func TestPagesAreRefused(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"make a website", "react website for my bakery", "page for a bakery with menu, in French", "website for a hair salon, Tring, services",
		"a web page that converts miles to kilometres", "web page with the current weather in Leeds", "website where people can upload photos",
		"site for a bakery with menu. make it sparkle", "page for a bakery with a login", "page for Blue Door. Wine, cider, perry",
		"page for a bakery, menu with bread, rolls, cakes, contact", "website for a booking service", "put my shop online",
		"website for a cafe called Blue Door. Title: Red Door", "site for a plumber. services: heating, reviews", "page for a gym. No prices please",
	} {
		if q := Read(prompt, lexicon.All); toldOf(q) != "NO" && q.Title+q.Subject+strings.Join(q.Sections, "") != "" {
			t.Errorf("%q: %s", prompt, toldOf(q))
		}
	}
}

func TestChangesOfPagesAreRead(t *testing.T) {
	t.Parallel()
	for _, each := range []struct{ prompt, want string }{
		{"add a gallery and a team section, remove the menu", "|||gallery,team [menu] [] []"},
		{"add our address 5 Main Street and change the phone to 021 555 0199", "|||; 021 555 0199; 5 Main Street [] [] []"},
		{"rename it to Golden Crust", "Golden Crust||| [] [] []"},
		{"remove the phone number", "||| [] [phone] []"},
		{"we moved to Dublin", "||Dublin| [] [] []"},
		{"nice, but could you add a faq?", "|||faq [] [] []"},
		{"our new phone number is 021 555 0199", "|||; 021 555 0199 [] [] []"},
		{"the bakery is called Brot", "Brot||| [] [] []"},
		{"rename menu to cakes", "||| [] [] [{menu renamed cakes}]"},
		{"move the contact section to the top", "||| [] [] [{contact first }]"},
		{"add prices before contact", "|||prices [] [] [{prices before contact}]"},
		{"put location after menu", "||| [] [] [{location behind menu}]"},
		{"the email should be a@b.example", "|||; a@b.example [] [] []"},
		{`add a section "Our Story"`, "|||our-story [] [] []"},
		{"Add opening hours: Mon-Fri 8-17", "|||; Mon-Fri 8-17 [] [] []"},
		{"change the title to Yoga with Mia", "Yoga with Mia||| [] [] []"},
		{"remove the map", "NO"},
		{"make the header bigger", "NO"},
		{"we moved to a bigger shop", "NO"},
		{"the name is wrong", "NO"},
		{"it needs to be faster", "NO"},
		{"rename the footer to bottom", "NO"},
		{"change contact to a form", "NO"},
		{"add a blog instead", "NO"},
		{"add a page for each baker", "NO"},
		{"the bakery is called ugly", "NO"},
		{"turn it into a shop", "NO"},
		{"add events after", "NO"},
		{"I need a section where people can book", "NO"},
		{"add a blog, no menu on mobile", "NO"},
		{"we moved to Friday", "NO"},
		{"our baker is Peter", "NO"},
		{"call our bread Crusty", "NO"},
		{"the bakery is called Crusty", "Crusty||| [] [] []"},
		{"also for a cafe", "NO"},
		{"add a gallery as slider", "NO"},
		{"add fax 0341 55667", "NO"},
		{"add more content", "NO"},
		{"add about us at the start", "|||about-us [] [] [{about-us first }]"},
		{"add about us first and a faq last", "NO"},
		{"add a section per class", "NO"},
		{"also open on Sundays", "NO"},
		{"rename it to news", "NO"},
		{`add "Our Story" as a section`, "|||our-story [] [] []"},
	} {
		r := &reader{Text: words.In(each.prompt, lexicon.All), Request: &Request{}}
		r.Request.Text = r.Text
		got := "NO"
		if r.changePage([]string{"menu", "location", "contact"}, "") {
			got = fmt.Sprint(toldOf(r.Request), " ", r.Removed, " ", r.Dropped, " ", r.Moves)
		}
		if got != each.want {
			t.Errorf("%q: %s, want %s", each.prompt, got, each.want)
		}
	}
}
