package page_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/page"
	"github.com/bundle-delivery/svc/internal/words"
)

func read(prompt string) *page.Page { return page.Read(words.In(prompt, lexicon.All)) }

// told writes what was read: title|subject|place|sections, then facts, then what is left out, or what is refused.
func told(p *page.Page) string {
	if len(p.Unknown)+len(p.Hearts) > 0 {
		return "NO " + fmt.Sprint(p.Unknown, p.Hearts)
	}
	out := strings.Join([]string{p.Title, p.Subject, p.Place, strings.Join(p.Sections, ",")}, "|")
	for _, fact := range []string{p.Email, p.Phone, p.Hours, p.Address, p.When} {
		if fact != "" {
			out += "; " + fact
		}
	}
	for _, each := range p.Left {
		out += " -" + each.What
	}
	return out
}

func TestPagesAreRead(t *testing.T) {
	t.Parallel()
	for _, each := range []struct{ prompt, want string }{
		// A name is the title, and a place or a street never is.
		{"dog grooming salon site, Happy Paws, 12 Mill Road Cambridge, tel 01223 555 014, mon-fri 8.30-5", "Happy Paws|dog grooming salon|Cambridge|; 01223 555 014; mon-fri 8.30-5; 12 Mill Road"},
		{"Website for a plumber. Name: R. Okafor Plumbing. Services, reviews", "R Okafor Plumbing|plumber||services,reviews"},
		{"We are the Harrowgate Chess Club and we would like a simple one page site. Sections: About us, Juniors", "Harrowgate Chess Club|||about-us,juniors"},
		{"static website for an accountant in Dublin, O'Reilly & Partners, services, team", "O'Reilly & Partners|accountant|Dublin|services,team"},
		{"Carpenter site. Finch Joinery. Kitchens, stairs, contact", "Finch Joinery|carpenter||kitchens,stairs,contact"},
		{"make a page for the Elm Road street party. What to bring, music", "Elm Road Street Party|street party||what-to-bring,music"},
		{"I run a bookshop in Lewes (The Inky Owl) and need a website with events", "The Inky Owl|bookshop|Lewes|events"},
		{"I need a web page. It should say who I am (Helena Marsh) and what I teach", "Helena Marsh|||who-i-am,what-i-teach"},
		{"my friend Jo makes jewellery in Falmouth, please make her a page with gallery", "Jo|jewellery|Falmouth|gallery"},
		{"site for a podcast called \"Second Helpings\" hosted by Mina and Jo. episodes", "Second Helpings|podcast||episodes -hosted by Mina and Jo"},
		// It is told whole, with the little words in it.
		{"website for a band called Live at Five. music", "Live at Five|band||music"},
		{"website for my blog Notes from Nowhere. posts, about", "Notes from Nowhere|blog||posts,about"},
		{"website for a choir. We're the Moorland Singers from Ilkley. concerts", "Moorland Singers|choir|Ilkley|concerts"},
		{"website for Letters Home from Nowhere, a shop in Hull. about", "NO"},
		{"website for a cafe called Bread by the Sea with menu", "Bread by the Sea|cafe||menu"},
		{"website for a salon called Hair at Home in Luton. team", "Hair at Home|salon|Luton|team"},
		{"page for an accountant, Numbers by Nadia, Vienna. services", "Numbers by Nadia|accountant|Vienna|services"},
		{"website for a cleaner. Title: Spotless by Sue. services", "Spotless by Sue|cleaner||services"},
		{"website for my daughter Mia's piano recital in Cork. programme", "Mia's Piano Recital|piano recital|Cork|programme"},
		{"website for a dog breeder in Kent, formerly in Essex. puppies, about", "|dog breeder|Kent|puppies,about -formerly in Essex"},
		{"website for a law office of Jane Porter. contact", "Jane Porter|law office||contact"},
		{"page for the wedding of Anna and Tom in Cork. schedule", "Anna and Tom|wedding|Cork|schedule"},
		{"website for the Danube Tour from Passau to Vienna. stages", "Danube Tour from Passau to Vienna|||stages"},
		{"website for coach Sam Otieno. about", "Sam Otieno|coach||about"},
		// Neither is it guessed where it ends, or which of two places is meant.
		{"website for Alice in Funderland, a nursery in Sale. fees", "NO [a nursery in Sale] []"},
		{"website for my shop Made in Margate, in Margate. prints", "NO [in Margate] []"},
		{"website for the fan club of Elton John. concerts", "NO"},
		{"website for the town hall of Maple Court. contact", "NO"},
		{"website for a cafe called Pie in the Sky. menu", "NO"},
		{"website for a school, which are fun, about", "NO"},
		{"website for a clinic with two locations: 5 Oak St, Salem and 9 Elm St, Albany", "NO"},
		// Neither is a name left out that may be the title.
		{"page for our school reunion, St Columba's College. programme", "NO [St Columba's College] []"},
		{"page for my birthday party. 21 March, 6pm, Gasthaus Krone. schedule", "NO [Gasthaus Krone] []"},
		{"Our society (Dark Sky Friends) meets on the last Friday of each month. We want a site with gallery", "NO"},
		{"website for a baker in Ilkley, Wharfedale. menu", "NO [Wharfedale] []"},
		{"website \"Alpha Club\" for a chess club, called \"Rook House\". news", "NO [called Rook House] []"},
		{"website for a cafe. Contact Janet, Mill Cottage. menu", "NO"},
		// What is told of a section is no section.
		{"Website for our wedding: Ines & Tobias, Villa Corsini near Lucca. Sections for the schedule (ceremony 15:00, dinner 18:30, party until late), where to stay", "Ines & Tobias|wedding|Villa Corsini near Lucca|schedule,where-to-stay -ceremony 15:00, dinner 18:30, party until late"},
		{"Website for Bar Lumen. Menu with prices: Negroni 9, House Spritz 7", "Bar Lumen|||menu -with prices -Negroni 9 -House Spritz 7"},
		{"website for a mechanic. services: oil change, brakes. about, contact", "|mechanic||services,about,contact -oil change -brakes"},
		{"site for a plumber. services: heating, bathrooms", "|plumber||services -heating -bathrooms"},
		{"site for a plumber. services: heating, reviews", "NO [reviews] []"}, // is it one beside them?
		{"photography portfolio for Liv Aasen, weddings and portraits, Oslo. galleries, about", "Liv Aasen|photography|Oslo|galleries,about -weddings and portraits"},
		{"site for a plumber, we do boilers, bathrooms and repairs", "|plumber|| -we do boilers -bathrooms and repairs"},
		{"site for my hobby. He sells bowls and pens at markets. Gallery, about him", "|hobby||gallery,about-him -He sells bowls and pens at markets"},
		{"website for a truck, Toro, with the menu and where we are each day: Monday library square, Friday market", "NO"},
		{"website for a truck called Toro with the menu and where we are: Monday library square, Friday night market", "Toro|truck||menu,where-we-are -Monday library square -Friday night market"},
		{"website for Flow Right. services, areas: Leith, Portobello", "Flow Right|||services,areas -Leith -Portobello"},
		{"website for a gym with classes: spinning, prices", "NO [prices] []"},
		{"website for Moss Cafe. I want three things: menu, contact", "Moss Cafe|||menu,contact"},
		{"website for a moss cafe. It needs shiny stuff: menu, contact", "NO"},
		{"website for a walker in Bath. Sections: prices, contact (phone only!), rsvp (by email only)", "|walker|Bath|prices,contact,rsvp -phone only! -by email only"},
		// A name in a list is neither that of the page nor where that is.
		{"website for a driving school. Categories A, B, C. price list", "NO"},
		{"website for a hostel. Rooms Blue, Green, Red. Contact", "NO"},
		{"website for the garage Turbo: repairs, tyres, MOT, location", "NO [MOT] []"},
		{"page for a tutor: Maths, Physics, Chemistry, fees", "NO"},
		{"page for travel agency Sunway: Italy, Greece, last minute, contact", "Sunway|travel agency||last-minute,contact -Italy -Greece"},
		{"page for a surf school: lessons, rental, prices, Ericeira", "NO [Ericeira] []"},
		{"page for a roofer; slate, flat roofs; Leeds and Bradford; call 01204 555 010", "NO [Leeds and Bradford] []"},
		{"page for men's choir, concerts, conductor Jan Bos, contact", "NO"},
		{"page for the cat cafe Whiskers; rules, our cats: Luna, Tofu; menu", "NO"},
		{"page for the Coast Run, 4 May, start: Dover, finish: Deal, with route, registration", "Coast Run|||route,registration; 4 May -start -Dover -finish -Deal"},
		{"page for a yoga studio, classes, prices, Hamburg", "|yoga studio|Hamburg|classes,prices"},
		{"page for a bike shop. The shop: Velo Nord. contact", "Velo Nord|bike shop||contact"},
		{"page for Hotel Sonne. We have a restaurant. Rooms, prices", "Hotel Sonne|||rooms,prices -We have a restaurant"},
		{"page for the opening party of bar Nightjar, Friday 13 June", "NO"},
		{"page for the gallery Lumen supported by the city with exhibitions", "Lumen|gallery||exhibitions -supported by the city"},
		{"page for a novel called The Glass River by Ana Kovac. extracts, contact", "The Glass River|novel||extracts,contact -by Ana Kovac"},
		{"page for a bingo evening, 5 April, church hall, bar, raffle", "|bingo evening|Church Hall|bar,raffle; 5 April"},
		{"page for my guesthouse on the island of Naxos with rooms", "|guesthouse|Naxos|rooms"},
		{"Website for my surf school in Agadir, morocco with lessons, prices", "|surf school|Agadir, Morocco|lessons,prices"},
		{"page for my guesthouse in Kotor, Montenegro with rooms, prices", "|guesthouse|Kotor, Montenegro|rooms,prices"},
		{"page for a bakery in Ghent, Sunflower with a menu and contact", "NO"},
		// What is told before the page is wanted is what that is about.
		{"I am a violin teacher in Porto and I would like a page about my lessons: who I am, prices", "|violin teacher|Porto|who-i-am,prices -my lessons"},
		{"I am a plumber and want a page about my bees: honey, prices", "NO"},
		{"I'm a QA engineer looking for work. I'd like a page with about me. Name is Priya Raman", "Priya Raman|QA engineer||about-me -looking for work"},
		{"Our parents celebrate their golden wedding and we want a page for the party with programme", "|golden wedding||programme -the party"},
		{"Need a page for a charity 10k run. Date Sept 7, route, registration fee 15 euro, sponsors", "|charity 10k run||route,sponsors; Sept 7 -registration fee 15 euro"},
		// What something is like, or when, is no section, and neither is what a section has or what is not wanted.
		{"page for a hotel, family run, pet friendly, rooms, closed in summer, prices", "|hotel||rooms,prices -family run -pet friendly -closed in summer"},
		{"page for a studio, russian and english language, prices, photos", "|studio||prices,photos -russian and english language"},
		{"page for a guide, languages italian, english and german, tours", "NO [languages italian] []"},
		{"page for a restaurant: about, menu with starters, mains and desserts, reservations", "|restaurant||about,menu,reservations -with starters -mains and desserts"},
		{"page for a pizzeria: menu with pizza, pasta, drinks; hours; contact", "NO"},
		{"page for a pizzeria with a menu of pizzas, pasta and salads, plus reservations", "|pizzeria||menu,reservations -of pizzas -pasta and salads"},
		{"page for Bo Lind. Services are wiring, lighting, fuses. about", "Bo Lind|||services,about -wiring -lighting -fuses"},
		{"page for Bo Lind. Services are wiring, lighting, reviews. about", "NO [reviews] []"},
		{"page for a school: horses, camps in July and August, prices", "NO"},
		{"page for a baker, gallery, blog not necessary, contact", "|baker||gallery,contact -blog not necessary"},
		{"page for Sam Ortega, featuring case studies, about", "Sam Ortega|||case-studies,about"},
		{"page for a wedding with our story, travel & stay, rooms & prices, gifts", "|wedding||our-story,travel-and-stay,rooms-and-prices,gifts"},
		{"page for the choir Vocalis led by Jane Hill with concerts, join us", "Vocalis|choir||concerts,join-us -led by Jane Hill"},
		{"With sections menu, wine and contact, a web page for my restaurant Olivo in Rovinj", "Olivo|restaurant|Rovinj|menu,wine,contact"},
		{"page for a bakery \"Korn\" (bread, cakes, opening hours, contact)", "Korn|bakery||bread,cakes,opening-hours,contact"},
		{"a coming soon page for a bookshop named Inkwell", "NO [coming soon page] []"},
		{"a 404 page for my bakery site", "NO [404 page] []"},
		// Each of two that "and" joins is read by itself.
		{"website for a barber in Antwerp, opening hours tue-sat 9 to 18, prices list and a map of where we are", "|barber|Antwerp|opening-hours,prices-list; tue-sat 9 to 18 -a map of where we are"},
		{"website for a barber in Antwerp, soft chairs and a map of where we are", "NO [soft chairs and a map of where we are] []"},
		{"website for a plumber with services and phone number in the header", "|plumber||services,contact -in the header -phone number"},
		// Every section that is asked for is there.
		{"site for a lab: people, publications, news", "|lab||people,publications,news"},
		{"We'd like a website for a school with pages about our staff, the daily routine and how to apply", "|school||staff,daily-routine,how-to-apply"},
		{"website for a vineyard with our wines, the family history and packages", "|vineyard||wines,family-history,packages"},
		{"a website for a garden society with our programme and a page about the annual show", "|garden society||programme,annual-show"},
		{"I'd like a page for a choir. There should be a part about us, a part about joining", "|choir||about-us,joining"},
		{"site for a home with rooms, visiting hours daily 10-18 and contact office@home.example", "|home||rooms,visiting-hours,contact; office@home.example; daily 10-18"},
		{"landing page with dark theme for a bakery", "|bakery|| -dark theme"},
		{"site for a bakery with a menu and a login", "NO [] [{login sign-in by users}]"},
		{"site for a bakery with menu. make it sparkle", "NO [make it sparkle] []"},
		{"site for a voice coach. No prices please", "NO [No prices] []"}, // which such a page usually has
		{"website for a gym with classes, trainers and prices", "|gym||classes,trainers,prices"},
		{"website for a cafe. Menu and prices (tea 2, coffee 3), about", "|cafe||menu,prices,about -tea 2, coffee 3"},
		{"website for a tutor with subjects with prices and reviews", "|tutor||subjects,reviews -with prices"},
		{"site for my shop, Oak & Co, in York with about, fabrics", "Oak & Co|shop|York|about,fabrics"},
		{"site for a guest house, Oak Nova, in Leeds with rooms, directions", "Oak Nova|guest house|Leeds|rooms,directions"},
		{"site for a cafe. What's included, where we'll be, what we don't do", "|cafe||what-is-included,where-we-will-be,what-we-do-not-do"},
		// Words about sections are no part of their names.
		{"homepage for Erik Lund. Sections about, projects, contact", "Erik Lund|||about,projects,contact"},
		{"website for a printer having pages about, services", "|printer||about,services"},
		{"website with the headings about, services for a printer", "|printer||about,services"},
		{"website for a gym called Iron Temple, including pages for classes, trainers", "Iron Temple|gym||classes,trainers"},
		{"website for a cafe. Tabs: menu, about", "|cafe||menu,about"},
		{"website for a school; the tabs are about, staff", "|school||about,staff"},
		{"website for a school, menu items courses, boats", "|school||courses,boats"},
		{"website for a vet; only services and contact, nothing else", "|vet||services,contact"},
		{"website for a bakery with a section for cakes, another for bread and at least an about", "|bakery||cakes,bread,about"},
		{"website for a bakery that shows our breads and tells our story", "NO [tells our story] []"},
		{"website for a food truck. Menu, instagram @taco", "|food truck||menu -instagram @taco"},
		{"website for my mother, who gives French lessons in Bonn. About her, contact", "||Bonn|about-her,contact -who gives French lessons"},
		// What is told of a page that has a name is left out as it is written, whatever it is.
		{"page for \"Lakes for Lungs\" on 5 May, start 9:00 at Windermere pier, with the route", "Lakes for Lungs|||route; 5 May -start 9:00 at Windermere pier"},
		{"website for the school Allegro. Piano, violin. Teachers, fees", "Allegro|school||teachers,fees -Piano -violin"},
		{"website for Fen Striders. Bring your own cup. Distances: 5 km. About", "Fen Striders|||about -Bring your own cup -Distances: 5 km"},
		{"website for Harbour Club. We meet 7 to 10pm in the back room of the Anchor pub. news", "Harbour Club|||news -We meet 7 to 10pm in the back room of the Anchor pub"},
		{"website for Fell Band, our concert is 21 June at 19:30 in St Olaf's Church. music", "Fell Band|||music -our concert is 21 June at 19:30 in St Olaf's Church"},
		{"website for a choir. Bring your own cup. concerts", "NO [Bring your own cup] []"},
		{"website for Anna. Her bakery is Crust & Crumb. menu", "NO [Her bakery is Crust & Crumb] []"},
		{"website for Anna Berg. She trades as Silver Tide. gallery", "NO [She trades as Silver Tide] []"},
		{"website for Blue Door. Send me a text when someone books. menu", "NO"},
		{"website for Blue Door. Members vote on songs. menu", "Blue Door|||menu -Members vote on songs"},
		{"page for my dog-free, cat-free guest house. It's called Salt. rooms", "NO [cat-free guest house] []"},
		{"website for the Kiel School. Courses for kids. Prices", "NO [Courses for kids] []"},
		// Somebody beside the name of the page is told in the text.
		{"website for a practice: \"Physio am Park\", Dr. Hanna Velt, 2 Park Road, Bristol. services", "Physio am Park|practice|Bristol|services; 2 Park Road -Dr Hanna Velt"},
		{"website for a yoga studio called Still Point. Teacher: Maeve. classes", "Still Point|yoga studio||classes -Teacher: Maeve"},
		{"website for the novel \"Tide\". Books, about the author (Mara Quill)", "Tide|novel||books,about-the-author -Mara Quill"},
		{"website for Fen Choir. Contact: Peter, peter@fen.example. news", "Fen Choir|||news; peter@fen.example -Contact: Peter"},
		{"website for Fen Choir. Questions to Sinead on 021 555 0148. news", "Fen Choir|||news; 021 555 0148 -Questions to Sinead on 021 555 0148"},
		{"website for Fen Choir. Quotes by phone 021 555 0148. news", "Fen Choir|||news; 021 555 0148 -Quotes by phone 021 555 0148"},
		{"website for a florist. Contact: Rosie Posie, 5 Mill Lane, Ely", "NO [Rosie Posie] []"},
		// A list of what somebody sells holds no sections.
		{"site for Elm Farm. We sell eggs, honey and apples. contact", "Elm Farm|||contact -We sell eggs -honey and apples"},
		{"site for Elm Farm. He fixes clocks, watches and barometers. contact", "Elm Farm|||contact -He fixes clocks -watches and barometers"},
		{"site for Tuba Tom. lessons, also available for bands and weddings, beginners welcome", "Tuba Tom|||lessons -available for bands and weddings -beginners welcome"},
		{"site for Kirk Fete: cake stall, parking on Church Field", "NO [cake stall] []"},
		// The town behind a street is its own, and a name there may be the page's.
		{"site for Fen Choir. We meet Mondays 19:30 in the Old Schoolhouse, Mill Lane 4, Hatherleigh. news", "Fen Choir||Old Schoolhouse|news; We meet Mondays 19:30; Mill Lane 4, Hatherleigh"},
		{"site for Oak Vets, 5 Station Road, Tring HP23 5QX. team", "Oak Vets|||team; 5 Station Road, Tring HP23 5QX"},
		{"barber site, 22 King Street, Fade Factory. prices", "NO [Fade Factory] []"},
		{"site for our choir, the Tallinn Harbour Singers. concerts", "Tallinn Harbour Singers|choir||concerts"},
		{"site for Sol, the Bar in Kiel. menu", "NO [the Bar in Kiel] []"},
		{"I have a shop in Norwich called Stitch in Time. Website with prices", "NO"},
		{"site for a guesthouse, Pine Lodge, in Aviemore. rooms", "Pine Lodge|guesthouse|Aviemore|rooms"},
		{"Website with prices. Wedding: Ella & Finn", "Ella & Finn|wedding||prices"},
		{"The brand is Fell & Foam. I'd like a page with our story", "Fell & Foam|||our-story"},
		{"page for my wedding: Priya & Tom, 14 June, Galle Fort. schedule", "Priya & Tom|wedding||schedule; 14 June -Galle Fort"},
		{"page for our reunion. Date: 4 May 2026. programme", "|reunion||programme; 4 May 2026"},
		{"site for a photographer called Niamh Doyle. I'm based in Galway and work all over Ireland. what couples say", "Niamh Doyle|photographer|Galway|what-couples-say -work all over Ireland"},
		// Nothing is told of the page that is told of something else.
		{"site for Blue Door, Mill Lane 4. Second branch at High Street 9, Wisbech. menu", "Blue Door|||menu; Mill Lane 4 -Second branch at High Street 9 -Wisbech"},
		{"site for Blue Door. Second shop: Green Door, Mill Lane 4. menu", "Blue Door|||second-shop,menu -Green Door -Mill Lane 4"},
		{"site for Blue Door. Contact Ann 01353 555 011 or Bob 01353 555 012. menu", "NO"},
		{"site for Blue Door. Suppliers call 01353 555 099. menu", "Blue Door|||menu -Suppliers call 01353 555 099"},
		{"site for Blue Door. VAT number 123 4567 89. menu", "Blue Door|||menu -VAT number 123 4567 89"},
		{"site for Lee & Co, Accountants, Leeds. services", "NO [Accountants] []"},
		{"site for Lee & Co: Antiques, About, Contact", "NO [Antiques] []"},
		{"site for our book club, The Page Turners. join us", "The Page Turners|book club||join-us"},
		{"site for ann's attic in ely. gallery", "NO"},
		{"site for a shop called ann's attic in ely. gallery", "NO"},
		{"site for Blue Door. All in French. menu", "NO"},
		{"site for Blue Door. The texts are Polish. menu", "NO [The texts are Polish] []"},
		{"site for Blue Door. New songs every Monday. menu", "Blue Door|||menu -New songs every Monday"},
		{"site for Blue Door. Wine, cider, perry", "NO [Wine cider perry] []"}, // are these sections?
		{"site for our primary school PTA. Friends of Oakwood School. events", "NO"},
		{"site for Wing It in Antwerp, shows every Saturday 20:30 at Café De Muze. cast", "Wing It||Antwerp|cast -shows every Saturday 20:30 at Café De Muze"},
		{"site for an after school club: Sunny Side Club. staff", "Sunny Side Club|after school club||staff"},
		{"site for Fen Choir, we meet Mondays at 7pm in the library on Mill Street. news", "Fen Choir|||news -we meet Mondays at 7pm in the library on Mill Street"},
		{"site for The Page Turners. This month: Middlemarch. join us", "The Page Turners|||join-us -This month -Middlemarch"},
		{"site for our book club. This month: Middlemarch. join us", "NO [Middlemarch] []"},
		{"site for the Tuesday Painters in Stroud. gallery", "Tuesday Painters||Stroud|gallery"},
		{"site for Fen Roofing. Free quotes: 01204 555 019. reviews", "Fen Roofing|||reviews -Free quotes: 01204 555 019"},
		{"site for Fen Repairs. shelves, leaks, doors. reviews", "Fen Repairs|||reviews -shelves -leaks -doors"},
		{"site for Fen Bakery. Bread, cakes, coffee", "NO [Bread cakes coffee] []"},
		// Sections keep their names, and what is told of them is left out.
		{"site for Signe Holt: studio, courses, shop hours Thu-Sat 11-16, Ebeltoft", "Signe Holt||Ebeltoft|studio,courses; Thu-Sat 11-16"},
		{"site for Wagtail. puppy class, one-to-one training, questions and answers", "Wagtail|||puppy-class,one-to-one-training,questions-and-answers"},
		{"site for Rampenlicht with tickets, directions to the Stadthalle and contact with my Instagram", "Rampenlicht|||tickets,directions,contact -to the Stadthalle -with my Instagram"},
		{"site for Acorn Nursery. Fees, parents' page", "NO [parents page] []"},
		{"site for Piano Paul. First lessons, then contact", "NO [First lessons] []"},
		{"site for Hill Plumbing. Emergency number 0114 555 0132, services", "Hill Plumbing|||services; 0114 555 0132"},
		{"site for Tide Yoga, classes Monday and Wednesday evening, prices", "Tide Yoga|||classes,prices; Monday and Wednesday evening"},
		{"site for Cantabile, Sunday afternoon concerts, contact", "Cantabile|||sunday-afternoon-concerts,contact"},
		{"page for Priya and Tom, 14 June. Guests should be able to RSVP and we get a mail", "Priya and Tom|||; 14 June -Guests should be able to RSVP -we get a mail"},
		{"I want a calm page for Tide Yoga. No shop, just the number 091 555 214. prices", "Tide Yoga|||prices; 091 555 214 -calm -No shop"},
		// A subject is a noun and nothing else; what is told with it is left out.
		{"site for \"Nino\", an Italian restaurant at 14 Harbour Street, Galway. menu", "Nino|Italian restaurant|Galway|menu; 14 Harbour Street"},
		{"site for the ukulele orchestra I run, the Plucky Strummers. photos", "Plucky Strummers|ukulele orchestra||photos -I run"},
		{"site for the birthday party of my husband Gary. photos", "Gary|birthday party||photos -of my husband"},
		{"I'm applying for jobs as a nurse. A page for Grace Adeyemi. languages", "Grace Adeyemi|||languages -I'm applying for jobs as a nurse"},
		{"site for the Drama Club. We're putting on \"Hamlet\" from 12 to 15 May. photos", "NO"},
		{"site for my tailoring business, Stitch in Time. prices", "NO [Stitch in Time] []"},
		{"A site for Nanny's Meadow: our goats, cheese, visits by appointment", "NO"},
		{"site for Fig & Thyme, opening 1 March in Porto. menu", "Fig & Thyme|||menu -opening 1 March in Porto"},
		{"site for a seamstress, Agnes Moreau. Alterations, curtains, wedding gowns", "Agnes Moreau|seamstress||alterations,curtains,wedding-gowns"},
		{"site for a theatre. The name is Curtain Call. Our next play is \"Our Town\". cast", "Curtain Call|theatre||cast -Our next play is Our Town"},
		{"I'm a glass artist living in Bergen. A page for Idun Berg. works", "Idun Berg|glass artist|Bergen|works"},
		{"site for our local history society. lectures, archive", "|local history society||lectures,archive"},
		{"site for my dad's 60th: Big Jim's Bash. food, directions", "Big Jim's Bash|||food,directions -60th"},
		{"I want a website for our 10 year class reunion, Lakeview High. photos", "NO"},
		{"site for a bank adviser? No: financial adviser, Grant Wells. fees", "NO"},
		{"site for Wren Hollis. Commissions, courses in Ludlow, contact", "NO [courses in Ludlow] []"},
		// A name is whole, and no house is a place where it may be the name.
		{"page for the Riverside Jazz Weekend, 5 to 7 September, Riverside Park, Salem. lineup", "Riverside Jazz Weekend||Salem|lineup; Riverside Park; 5 to 7 September"},
		{"site for our Ethiopian restaurant, Habesha House, in Minneapolis. menu", "Habesha House|Ethiopian restaurant|Minneapolis|menu"},
		{"site with stalls. The village is called Little Wittering", "NO [The village is called Little Wittering] []"},
		{"site for a locksmith. Company name Keyhole Surgery. prices", "Keyhole Surgery|locksmith||prices"},
		{"site for a teacher. Title should be Slow Breath. prices", "Slow Breath|||prices"},
		{"site for my wedding, names are Aoife and Declan. gift list", "Aoife and Declan|wedding||gift-list"},
		{"site for Oak & Ember. Title it \"Oak & Ember Steaks\". menu", "Oak & Ember Steaks|||menu"},
		{"site for an orienteering club, OK Silva. results", "NO [OK Silva] []"},
		{"site for a wedding DJ, DJ Marco. reviews", "DJ Marco|wedding DJ||reviews"},
		// Sections are the words of the list, and nothing that is told of them.
		{"site for a bar. Sections: wine list, small plates", "|bar||wine-list,small-plates"},
		{"site for Priya Nair. Needs to have projects, skills", "Priya Nair|||projects,skills"},
		{"site for Casa Azul. Please add amenities and a booking contact casa@mail.example", "Casa Azul|||amenities,booking-contact; casa@mail.example"},
		{"I'm an illustrator, Mia Torres, and I need a portfolio. Show my work", "Mia Torres|illustrator||work"},
		{"I'm the secretary of a running club, Eastbank Harriers. We would like one web page: who we are, training times", "Eastbank Harriers|running club||who-we-are,training-times"},
		{"Page for Restaurant Rosa, Oaxaca: phone 951 555 0199, menu, and a map", "Restaurant Rosa||Oaxaca|menu; 951 555 0199 -a map"},
		{"site for Dr. Ann Low. Put an online appointment calendar on it. prices", "Dr Ann Low|||prices -Put an online appointment calendar"},
		{"site for Gary. photos. Dress code: 80s", "Gary|||photos -Dress code: 80s"},
		{"site for a dance couple, Vik & Lena: titles, private lessons", "NO [titles private lessons] []"},
		{"site for Pike & Sons. We need: practice areas, fees", "Pike & Sons|||practice-areas,fees"},
		{"site for our history society. It should list lectures, publications", "|history society||lectures,publications"},
		{"site for Lena Ko based in Cork, who does weddings and portraits. prices", "Lena Ko||Cork|prices -who does weddings and portraits"},
		{"site for Wax Lane. Products, stockists, an email for wholesale: a@b.example", "Wax Lane|||products,stockists -an email for wholesale a@b.example"},
		{"site for our a cappella group \"Sixpence\". prices", "Sixpence|a cappella group||prices"},
		{"site for a children's author named Fern Hall. this month's book, news", "Fern Hall|||this-months-book,news -children's author"},
		{"site for Ron Maddox in Hull. rewires, fuse boards, testing, chargers", "Ron Maddox||Hull|rewires,fuse-boards,testing,chargers"},
		{"site for our band \"Suds\", gigs photos and a contact mail a@b.example", "NO"},
		{"site for Thistle Quilters. Meetings: every second Tuesday, 10am-1pm. exhibitions", "Thistle Quilters|||exhibitions -Meetings: every second Tuesday, 10am-1pm"},
		{"page for a plasterer called Smooth Operator, gallery reviews contact", "NO [gallery reviews contact] []"},
		{"site for Heidi Baumann, MSc. fees", "Heidi Baumann|||fees -MSc"},
		{"I'm Bernard Klee. I want a site with prices, tuning tips and a phone number: 0651 555 0120", "Bernard Klee|||prices,tuning-tips; 0651 555 0120"},
		{"site for a vet practice in Tralee, Kingdom Vets. team", "Kingdom Vets|vet practice|Tralee|team"},
		{"site for Hedgehog Hospital. Found a hedgehog?, adopt, donate", "Hedgehog Hospital|||found-a-hedgehog,adopt,donate"},
		{"site for Ama Boateng. Family law, land disputes, contracts", "NO"},
		{"site for Summit Roofing. Services include new roofs, repairs. reviews", "NO"},
		{"site for a trainer called Meg Tulloch on Shetland. contact", "NO"},
		{"site for a puppet theatre. Shows, for schools", "|puppet theatre||shows,for-schools"},
		{"site for a club called the Men's Shed. projects", "Men's Shed|club||projects"},
		{"site for Captain Carrot. Books, colouring pages", "NO [colouring pages] []"},
		{"site for an ostrich farm with guided tours, farm shop and petting zoo near Mainz. Name Hof Keil", "NO"},
		{"site for a mountain guide from Zermatt, Urs Imboden. tours", "Urs Imboden|mountain guide|Zermatt|tours"},
		{"site for a baker in Hexham, Tyne Valley. tours", "NO [Tyne Valley] []"},
		{"site for Helen Sharpe. services, who I work with", "Helen Sharpe|||services,who-i-work-with"},
		// Facts hold no words around them.
		{"site for a tea house. Name is Still Water. Say that we are closed on Tuesdays. menu", "Still Water|tea house||menu -Say that we are closed on Tuesdays"},
		{"site for Cork Dork. Open Wed-Sun from 4pm till late. menu", "Cork Dork|||menu; Wed-Sun from 4pm till late"},
		{"site for Ironside Forge, near Ludlow. gallery", "Ironside Forge|||gallery -near Ludlow"},
		{"site for Wild Stems in Portland, Oregon. gallery", "Wild Stems||Portland, Oregon|gallery"},
		{"site for Oak Vets, 900 Elm Street, Suite 4, Denver. team", "Oak Vets||Denver|team; 900 Elm Street, Suite 4"},
		{"site for Pen Club. We meet Mondays 19:00 in Elm Hall, Bath Road, Thornbury. news", "Pen Club||Thornbury|news; We meet Mondays 19:00; Elm Hall, Bath Road"},
		{"site for a wine tasting on 28 March 2026 at 7pm. directions", "|wine tasting||directions; 28 March 2026 at 7pm"},
		{"site for Barrel, on Beach Road in Jeffreys Bay. lessons", "Barrel||Jeffreys Bay|lessons; Beach Road"},
		{"site for Thorn & Thistle, A9 north of Perth. events", "Thorn & Thistle|||events -A9 north of Perth"},
		{"site for Ana's Empanadas, a food truck in San Antonio, Texas. menu", "Ana's Empanadas|food truck|San Antonio, Texas|menu"},
		// What is no wish for a page of that kind is refused.
		{"How do I make a website?", "NO"},
		{"convert this PDF into a web page", "NO"},
		{"URL shortener website", "NO"},
		{"Website for a bakery in French", "NO [] [{in french a page in another language than English}]"},
		{"I need a website, what do you recommend?", "NO [what do you recommend] []"},
		{"A page for my gym. A page that tracks my workouts", "NO"},
		// Facts stand as they were written, and only where they are certain.
		{"website for my salon. Opening hours mon to fri 8.30 - 17.00", "|salon||; mon to fri 8.30 - 17.00"},
		{"website for a club. We meet Saturdays 9am at the boathouse. routes", "|club||routes -We meet Saturdays 9am at the boathouse"},
		{"website for a choir. we have a summer concert on 14 June. about", "|choir||about -we have a summer concert on 14 June"},
		{"page for a festival on 3 May, program from 11am to 10pm, food stands, map of the area", "|festival||program,food-stands; 11am to 10pm; 3 May -map of the area"},
		{"website for Bar Lumen in Porto. Address Rua do Almada 112", "Bar Lumen||Porto|; Rua do Almada 112"},
		{"landing page with a faq and address Unit 3, Forge Road for a climbing wall", "|climbing wall||faq; Unit 3, Forge Road"},
		{"site for a gym, Forge Road. faq", "NO [Forge Road] []"},
		{"website for a cafe. Contact Janet on 01632 960233", "|cafe||; 01632 960233 -Contact Janet on 01632 960233"},
		{"website for a cafe. People should be able to send me a WhatsApp. menu", "|cafe||menu -People should be able to send me a WhatsApp"},
		{"website for a cafe with menu, and our phone number", "|cafe||menu,contact -our phone number"},
		// What a village or a school has is what a page is about, and where it stands is told.
		{"page for our village's plum festival on 14 September. stalls", "|village plum festival||stalls; 14 September"},
		{"page for a village fire brigade's open day. programme", "Village Fire Brigade's Open Day|||programme"},
		{"page for our village's open air museum. history", "|village open air museum||history"},
		{"We're having our village's 750th anniversary from 12 to 14 June. A page with the programme of the three days and who to call", "|village 750th anniversary||programme-of-the-three-days,who-to-call; 12 to 14 June"},
		{"page for the annual repair café in our neighbourhood centre. prices", "|repair café||prices -in our neighbourhood centre"},
		{"We're opening a climbing wall in an old grain silo and need something online before Friday. A page with what it is", "|climbing wall||what-it-is -in an old grain silo -need something online before Friday"},
		{"I own a small bed and breakfast and need a page with rooms", "|bed and breakfast||rooms"},
		{"page for our choir. There's a bake sale, fiddle music and parking at the school. concerts", "|choir||concerts -There's a bake sale -fiddle music and parking at the school"},
		{"page for a guide in northern Norway. tours", "|guide|northern Norway|tours"},
		{"page for a baker in cosmopolitan Leeds. menu", "NO"},
		{"page for a hostel in old town Tallinn. prices", "|hostel|old town Tallinn|prices"},
		{"We rent out canoes on the river Dordogne. A page with prices", "|canoes|river Dordogne|prices"},
		{"page for the parents' association of our school. minutes", "Parents Association Of Our School|||minutes"},
		{"page for parents about our science fair with programme", "|science fair||programme"},
		{"page for a kindergarten with a day with us, insta @otter, fees", "|kindergarten||day-with-us,fees -insta @otter"},
		{"page for a theatre in the park. shows", "|theatre||shows -in the park"},
		{"I teach guitar and piano in Ghent and want a page with prices", "|guitar and piano teacher|Ghent|prices"},
		{"I make toys in my garage in Skövde and want a page with prices", "|toys|Skövde|prices -in my garage"},
		{"page for Nora Flynn. I work in the city library. bio", "Nora Flynn|||bio -I work in the city library"},
		{"our running group is called Lakeside Loopers. A page with routes", "Lakeside Loopers|running group||routes"},
		{"My company is called Fold & Co, we make lamps. A page with prices", "Fold & Co|lamps||prices"},
		{"our second shop is called Blue Door. A page with prices", "NO [our second shop is called Blue Door] []"},
		{"page for our translation office. We do German-English. prices", "NO [We do German-English] []"},
		{"page for a festival with lineup, map of stages", "|festival||lineup -map of stages"},
		{"page for a school in English/Welsh. news", "NO"},
		{"page for a hotel with an interactive map/calendar and rooms", "NO"},
		{"page for new residents of our building: parking, noise hours", "Residents Of Our Building|||parking,noise-hours"},
		{"page for a cafe with menu in three languages, prices", "|cafe||menu,prices -in three languages"},
		{"page for a doctor. Patients should see free appointments. prices", "|doctor||prices -Patients should see free appointments"},
		{"page for a shop. Customers should find products by size. prices", "NO [Customers should find products by size] []"},
		{"page for our wedding. Sections: our story, RSVP by email until May 1st", "|wedding||our-story,rsvp -by email until May 1st"},
		{"page for a cottage with prices, bookings by email keeper@skerry.example", "|cottage||prices; keeper@skerry.example -bookings by email keeper@skerry.example"},
		{"I fix iPhones in Leeds. A page with prices", "NO [I fix iPhones] []"},
		{"page for a garden with what we grow, who takes part, recipes", "|garden||what-we-grow,who-takes-part,recipes"},
		{"page about the history of our mill, with photos", "History Of Our Mill|||photos"},
		{"we have 2 flats in Zadar. page with prices", "NO [we have 2 flats] []"},
		{"page for an inn next to the station. rooms", "|inn||rooms -next to the station"},
		// Whoever teaches is a teacher, and no page about somebody is called by what they make.
		{"I teach physics and would like a page about myself: short bio", "|physics teacher||short-bio"},
		{"I write novels and want a page about myself with a bio", "NO [novels] []"},
		{"I have three kids. I need a page with prices", "NO [I have three kids] []"},
		{"I teach children to swim and need a page with prices", "NO [I teach children to swim] []"},
		// Letters with a slash between are neither a name nor a place, and parts of a page are two.
		{"page for Ines Carvalho, translator, PT/EN/ES. services", "Ines Carvalho|translator||services -PT/EN/ES"},
		{"page for a choir. AB/CD. concerts", "NO [AB/CD] []"},
		{"page for a cafe with a menu and a map/adresse (14 Harbour Row, Whitby)", "|cafe|Whitby|menu,address; 14 Harbour Row -a map"},
		// Those whom a page tells something are no part of it.
		{"page for a cellist that tells parents about me, my lessons", "|cellist||about-me,lessons"},
		{"page for a kennel that tells owners what's included", "|kennel||what-is-included"},
		{"page for a museum that tells stories about the sea", "|museum||stories-about-the-sea"},
		{"page for a museum. Visitors should find the history and parking", "|museum||history,parking"},
		// Sections are told in other words than names, and what is told of them is left out.
		{"page for a museum. We need a part with the history, prices", "|museum||history,prices"},
		{"page for a hut. It needs sections for beds and prices, food", "|hut||beds,prices,food"},
		{"page for a hut with prices per night in summer and winter, house rules", "|hut||prices,house-rules -per night in summer and winter"},
		{"page for a hut with food and a few FAQs about dogs and water", "|hut||food,faqs -about dogs and water"},
		{"page for a notary with documents to bring, directions to town", "|notary||documents-to-bring,directions -to town"},
		{"page for a cafe with history since 1932, prices on request, allergy info", "|cafe||history,prices,allergy-info -since 1932 -on request"},
		{"page for a gym. Members should find other members. prices", "NO [Members should find other members] []"},
		{"page for a lake: parking, rules, dogs allowed or not", "|lake||parking,rules,dogs-allowed"},
		{"page for a tuner with services, area I travel to", "|tuner||services,area-i-travel-to"},
		{"page for a park. It should say the rules, who built it, who the volunteers are, what can be repaired", "|park||rules,who-built-it,who-the-volunteers-are,what-can-be-repaired"},
		{"page for a dock with a gallery, tips for walking there with a pushchair", "|dock||gallery,tips -for walking there with a pushchair"},
		{"page for a guesthouse with a welcome text, prices", "|guesthouse||welcome-text,prices"},
		{"page for a dyer. Needs: header with the name, commissions process in four steps, gallery", "|dyer||commissions-process,gallery -in four steps"},
		{"page for a photographer. Hero with my name Ilse Varga, gallery", "Ilse Varga|photographer||gallery"},
		{"page for a bakery: header with my face, menu", "NO [header with my face] []"},
		{"page for a hut:\n- Name: Refuge Blanc\n- Altitude 2,410 m\n- how to reach us (3 h from the car park)\n- rules of the hut", "Refuge Blanc|hut||how-to-reach-us,rules-of-the-hut -Altitude 2,410 m -3 h from the car park"},
		{"page for \"Moss\", a shop. About section, gallery, address 12 Canal Street, Ghent", "Moss|shop|Ghent|about,gallery; 12 Canal Street"},
		{"page for a conference: \"Soil Days 2026\", speakers", "Soil Days 2026|conference||speakers"},
		// A part of which nothing is told is named.
		{"page for a shop with prices, adresse Sleepstraat 88 and phone", "|shop||prices,contact; Sleepstraat 88 -phone"},
		{"page for a harpist with a bio and an email address for bookings", "|harpist||bio,contact -email address for bookings"},
		{"page for a mason with photos and my phone number nice and big", "|mason||photos,contact -nice and big -phone number"},
		// When and where an event is.
		{"page for our wedding. Ines & Tobias, 14 June 2025, 3 pm at the old mill in Karlsberg. our story", "Ines & Tobias|wedding|old mill in Karlsberg|our-story; 14 June 2025, 3 pm"},
		{"page for a wedding. Bride and groom are Tomasz and Adaeze, 6 June 2026, Old Mill, Ludlow. gifts", "Tomasz and Adaeze|wedding|Ludlow|gifts; Old Mill; 6 June 2026"},
		{"page for a wedding. The couple: Mia and Jon. 5 May 2027 at Villa Lago, Stresa. gifts", "Mia and Jon|wedding|Stresa|gifts; Villa Lago; 5 May 2027"},
		{"page for our science fair. When and where (Friday 21 March, 4pm, sports hall), schedule", "|science fair|Sports Hall|when-and-where,schedule; Friday 21 March, 4pm"},
		// What is told of other pages, and of where this one will be, is background.
		{"page for a lake with parking. My last site was wordpress and it got hacked so I want plain html", "|lake||parking -My last site was wordpress -it got hacked"},
		{"page for a lake with parking. My last site had a shop and I want that too", "NO [I want that] []"},
		{"page for a lake with parking. My daughter will put it on the internet for me", "|lake||parking -My daughter will put it on the internet for me"},
		{"page for a lake with parking. It has to be cheap to host, should print nicely", "|lake||parking -It has to be cheap to host -should print nicely"},
		{"page for a lake with parking. Responsive pls and no javascript if it can be avoided", "|lake||parking -no javascript"},
		{"page for a lake with parking. It's run by volunteers so also a bit on how to help", "|lake||parking,how-to-help -It's run by volunteers"},
		{"I need a website for my bakery by next Friday with menu", "|bakery||menu -by next Friday"},
		// What somebody is stands before a colon, and what nobody would call a page is refused.
		{"HTML/CSS only personal academic homepage for Dr. Adaeze Nwosu, soil microbiologist: bio, teaching", "Dr Adaeze Nwosu|soil microbiologist||bio,teaching -HTML/CSS only"},
		{"website for Anna Berg, soil whisperer: gallery, contact", "Anna Berg|soil whisperer||gallery,contact"},
		{"Only personal page for Lisa May. about, contact", "NO [only] []"},
		{"html page, florist, wedding flowers, opening hours", "|florist||wedding-flowers,opening-hours"},
		{"page for a photographer's portfolio. Name is Ines Kovač, she does interiors. bio, gallery", "Ines Kovač|photographer||bio,gallery -she does interiors"},
		{"portfolio page for a sound engineer called Marta Oye, sections: about, credits", "Marta Oye|sound engineer||about,credits"},
		{"site for a cafe called Bo with menu and an about us paragraph", "Bo|cafe||menu,about-us"},
		{"portfolio page for a restaurant architect with contact", "|restaurant architect||portfolio,contact"},
		{"page for my grandma's 90th birthday party with the program", "Grandma's 90th Birthday Party|90th birthday party||program"},
		{"page for my friend's birthday party with the program", "|birthday party||program -friend's birthday party"},
		{"page for my brother's barbershop with prices", "|barbershop||prices"},
		// Wishes are none of the text, and what is told of a section stands behind it.
		{"page for my taco truck, with menu and where we are each day of the week", "|taco truck||menu,where-we-are -each day of the week"},
		{"page for my bakery, with menu and where to find us when it rains and the market is closed", "NO"},
		{"page for a barbershop. Prices, where to find us and a phone number 0113 496 0142", "|barbershop||prices,where-to-find-us; 0113 496 0142"},
		{"page for a salon, prices + faq + phone nr 0113 496 0221", "|salon||prices,faq; 0113 496 0221"},
		{"page for a charity, about, charity nr 0113496022, contact", "|charity||about,contact -charity nr 0113496022"},
		{"page for a salon. Prices and a contact section with address and phone", "|salon||prices,contact -with address -phone"},
		{"page for a practice with services, map address, appointments by phone only as we have bad internet", "|practice||services,address,appointments-by-phone -map -by phone only -we have bad internet"},
		{"page for a fair with the entry fee of 5 euros, rules", "|fair||entry-fee,rules -of 5 euros"},
		{"page for a cafe with menu, warm meals, warm colours", "|cafe||menu,warm-meals -warm colours"},
		{"page for a choir. We need the programme and a short text about the choir", "|choir||programme,choir"},
		{"page for a hairdresser. Services, service area", "|hairdresser||services,service-area"},
		{"page for a shop. It should have prices and the address, 12 Canal Street, Utrecht", "|shop|Utrecht|prices,address; 12 Canal Street"},
		{"page for a shop. Sections: Prices, Address 12 Canal Street, Cheeses", "NO [Cheeses] []"},
		{"page for a guide. It should give my phone number and list my tours", "|guide||tours,contact -my phone number"},
		{"page for a tuner. It should say who I am (Halvard Nygaard, 20 years experience), my prices", "Halvard Nygaard|tuner||who-i-am,prices -20 years experience"},
		{"page for a wedding with the schedule and an email address for RSVPs", "|wedding||schedule,contact -email address for RSVPs"},
		// Who asks, why, and how it is to be, says nothing of what a page is about.
		{"My brother and I are opening a bike cafe called Spoke & Crumb in Ghent this spring and we need something online before the sign goes up. One page is fine: prices", "Spoke & Crumb|bike cafe|Ghent|prices -this spring -we need something online before the sign goes up"},
		{"My brother and I need a page for our band. music", "|band||music"},
		{"page for a hotel with rooms. We need something online before people can book", "NO"},
		{"I look after a museum of clocks and need a page with prices. We are volunteers, so it must be something I can upload by FTP and forget about", "|museum of clocks||prices -We are volunteers -it must be something I can upload by FTP and forget about"},
		{"I'm a retired professor and would like a modest personal page with talks, nothing flashy", "|retired professor||talks"},
		{"page announcing our chess tournament with rules. Should work well on phones too", "|chess tournament||rules -Should work well on phones"},
		{"page for a vineyard in the Mosel valley with wines", "|vineyard|Mosel valley|wines"},
		{"page for a podcast about Nordic folklore called Troll Talk, with episodes", "Troll Talk|podcast about Nordic folklore||episodes"},
		// Every page has a small script.
		{"page for a hut with rooms. No JS. One HTML + one CSS file", "|hut||rooms -No JS -One HTML -one CSS file"},
	} {
		if got := told(read(each.prompt)); got != each.want && !(each.want == "NO" && strings.HasPrefix(got, "NO ")) {
			t.Errorf("%q:\n%q, want\n%q", each.prompt, got, each.want)
		}
	}
}

// A word that nothing is known of is told, wherever it stands.
func TestAWordThatSaysNothingKnownIsTold(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"website for a bakery called Crust in Cork with a menu and opening hours",
		"I run a hair salon in Leeds and need a website. We're open Tue-Sat 9-6. Phone 0113 496 0021",
		"site: Willow Yoga, Galway. classes, prices, contact: yoga@example.com. dark colours please",
		"my band needs a page with music. our address is 5 Mill Lane. people can reach me at a@b.example",
	} {
		all := strings.Fields(prompt)
		for k := range len(all) + 1 {
			said := strings.Join(slices.Insert(slices.Clone(all), k, "blorbify"), " ")
			if p := read(said); !strings.Contains(strings.ToLower(fmt.Sprint(*p)), "blorbify") {
				t.Errorf("%q: nothing tells of it: %s", said, told(p))
			}
		}
	}
}

func TestChangesAreRead(t *testing.T) {
	t.Parallel()
	for _, each := range []struct{ prompt, added, removed, want string }{
		{"add a gallery and a team section, remove the menu", "gallery team", "menu", "|||gallery,team"},
		{"add our address 5 Main Street and change the phone to 021 555 0199", "", "", "|||; 021 555 0199; 5 Main Street"},
		{"rename it to Golden Crust", "", "", "Golden Crust|||"},
		{"remove the map", "", "", "NO [remove the map] []"},
		{"make the header bigger", "", "", "NO [make the header bigger] []"},
		{"we moved to Dublin", "", "", "||Dublin|"},
		{"we moved to a bigger shop", "", "", "NO [we moved to a bigger shop] []"},
		{"we moved to Friday", "", "", "NO [we moved to Friday] []"},
		{"it needs to be faster", "", "", "NO [it needs to be faster] []"},
		{"the name is wrong", "", "", "NO [the name is wrong] []"},
		{"rename the footer to bottom", "", "", "NO [rename the footer to bottom] []"},
		{"rename menu to contact", "", "", "NO [rename menu to contact] []"},
		{"change contact to a form", "", "", "NO [change contact to a form] []"},
		{"add events after", "", "", "NO [add events after] []"},
		{"add a blog, no menu on mobile", "blog", "", "NO [no menu on mobile] []"},
	} {
		p := page.Change(words.In(each.prompt, lexicon.All), []string{"menu", "location", "contact"})
		if got := told(p); got != each.want || strings.Join(p.Sections, " ") != each.added || strings.Join(p.Removed, " ") != each.removed {
			t.Errorf("%q: %q without %q, want %q", each.prompt, got, p.Removed, each.want)
		}
	}
}
