// Package page reads what somebody wants to see on a web page: whose it is, what that is
// and where, the sections, and facts such as opening hours.
//
// A request is cut into sentences, and these into clauses. A clause is read whole: it asks
// for the page, tells whose it is, names sections or tells a fact. Or a word in it tells
// that it is a detail, or that it only says who asks: then it is left out as it is written.
// So is what is told of a page whose name is certain, if it is no wish and names nobody else.
// Every other clause is refused, so that nothing of a request is lost or guessed.
package page

import (
	_ "embed" // the tables
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// Page is what was read; empty means that the request does not say.
type Page struct {
	settings.Settings
	Sections, Removed            []string
	Moves                        []Move
	Dropped                      []string // facts that are told no more, by their keys
	Subject, Place, Email, Phone string
	Hours, Address, When         string
	denied, undescribed          []string
	vague, rows                  []string // what is left out only where the page has a name; and where it has sections
	deed                         string   // what somebody makes or sells, which was read as what the page is about
	trade                        string   // what somebody said that they are
	self                         bool     // but the page is said to be about themselves
	unnamed                      []string // what somebody has or does, which may be what the page is about
	whose                        string   // what a page is about that somebody has: the fire brigade's open day
	occasion                     string   // the same with those who have it, where that is once: grandma's birthday
	portfolio                    bool     // the page is said to be one
	loosely                      []string // short items of a list that may be sections, or what something is like
	exactly                      []string // sections that a list of them names so
	tallied                      []tally  // sections with how many there are of something, before any are said to follow
	met                          string   // when people come together, which was read as when something is open
	special                      string   // a page of no usual kind: coming soon page
	promised                     []settings.Omission
}

// tally is a section that stood behind a number: 4 members.
type tally struct{ section, number, said string }

// Why something is left out.
const (
	figures = "numbers and dates are yours to fill in"
	wording = "yours to say in the text"
	server  = "what visitors do on a page needs a server"
	active  = "interactive parts"
	tints   = "colours and themes"
	several = "a page tells one of them"

	scripted = "a small script opens the menu on narrow screens; the page works without it"
)

var inner = regexp.MustCompile(`\p{Ll}\p{Lu}\p{Ll}?$|\p{Ll}\p{Lu}\b`) // no place is written so: MSc

var choices = regexp.MustCompile(`\pL/\pL`) // English/Welsh

var letters = regexp.MustCompile(`^(?:\pL )+\pL$`) // no page is called U S

var numbered = regexp.MustCompile(`^(\pL[\pL ]*) \d{1,2}$`) // 1. services 2. prices

var tinted = regexp.MustCompile(`^(?:(?:the )?dress code|(?:one|the other|he|she|they)(?: is|'s| are)|(?:our |the )?(?:team|club|school) colou?rs|(?:our |my )\pL+ (?:is|are) (?:black|white|brown|grey|gray)\b)`)

var timeLike = regexp.MustCompile(`\d[:.]\d\d|\d ?[ap]m|\d-\d`)

// maxClause bounds the words of a clause: nobody asks for a page in more.
const maxClause = 80

//go:embed page.txt
var pageText string

//go:embed change.txt
var changeText string

// roleOf is who somebody is in what a page is about.
var roleOf = regexp.MustCompile(`^(?:secretary|chair|chairman|chairwoman|president|treasurer|owner|manager|organiser|organizer|founder|head|leader|director|coach|captain) of (?:a |an |the |our |my )?`)

var pageTables = glossary.Tables(pageText + "\n" + changeText)

// withTables gives a text the tables of pages too.
func withTables(x words.Text) words.Text {
	tables := maps.Clone(x.Tables)
	maps.Copy(tables, pageTables)
	x.Tables = tables
	return x
}

// reader reads one clause after the other.
type reader struct {
	*Page
	layouts   map[string]string // how a section looks, by its name
	quoted    []string          // what stands in quotes
	label     string            // what the words before a colon say of what follows
	words     string            // and these
	mixed     bool              // only some clauses of a sentence may be sections
	set       string            // what was read as a setting in this sentence
	past      bool              // the sentence tells of a page that there was
	listing   bool              // sections follow, as something says
	explicit  bool              // and that these are sections
	capitals  bool              // and may be written as names are
	topics    bool              // the clause stands in a list behind a colon and what the page is for
	listed    bool              // the clause stands among names of sections, though nothing says that they are
	telling   int               // how many clauses are told of a section, and this one more: its prices, its dates
	priced    bool              // and all of these hold figures
	foreign   bool              // of one that may be elsewhere: second shop
	nearby    bool              // a place was told that the page is not in
	elsewhere bool              // the clause before was left out, with a place in it or a colon behind
	next      clause            // the clause behind, if there is one
	unread    bool              // the clause before was a name that told neither
	opening   bool              // more of what is told of its last section follows the clause
	inner     int               // in so many clauses
	near      bool              // the clause before asked for the page, or told whose it is, where or when
	row       bool              // the sentence has several clauses
	page      bool              // a page was asked for
	replaced  bool              // a page was told of that there was, or that there is none
	asked     bool              // the sentence tells of the page, or whose it is: names and days in it are its own
	aside     bool              // what is read stands in brackets
	whole     bool              // the clause was left out with all that is in it
	deals     bool              // the clause and those behind it list what somebody has or does
	placed    bool              // the clause before told a place
	dated     bool              // the sentence told a day or hours, so a name behind may be where that is
	addressed bool              // or an address
	composed  bool              // the name was joined with what that is: Elm Road street party
	certain   bool              // it was said to be the name
	either    bool              // or it may be where that is
	doubtful  bool              // the place stood behind the name, and may be part of it
	behind    int               // so many sections stand behind the clause
	lists     int               // the word of the clause behind which sections follow
	changing  bool              // of a page that there is
	had       []string          // and its sections
}

// Read reads a request for a new page.
func Read(x words.Text) *Page {
	r := &reader{Page: &Page{}, layouts: x.Tables["layout"]}
	for _, t := range x.Tokens {
		if t.Quoted {
			r.quoted = append(r.quoted, t.Text)
		}
	}
	x = spelledOut(withTables(x))
	for _, sentence := range sentencesOf(x) {
		r.sentence(sentence)
	}
	r.severalPages(x)
	r.runTogether(x)
	r.first(x)
	if slices.ContainsFunc(x.Tokens, func(t words.Token) bool { return t.Low == "sections" }) { // exactly these
		r.portfolio = false
	}
	r.finish()
	return r.Page
}

func (r *reader) sentence(all []clause) {
	r.capitals, r.explicit, r.dated, r.elsewhere, r.row = false, false, false, false, len(all) > 1
	r.label, r.listing, r.telling, r.asked, r.placed, r.addressed = "", false, 0, false, false, false
	runs, address, rows := listed(all), "", len(r.rows)
	r.set, r.past, r.near, r.unread, r.inner = "", false, true, false, 0
	for k, c := range all {
		r.listed, r.deals = runs[k], deals(all[k:])
		r.topics = r.asked && c.short() && (c.before == ":" && r.label == "" && r.telling == 0 && c.factsFrom(0).end < len(c.Tokens) || c.before == "," && r.topics)
		if c.before == ":" && r.page && r.asked && len(all)-k > 2 && r.spent() { // our trip to Japan: Tokyo, Kyoto, Osaka
			r.listing, r.capitals = true, true
		}
		if c.before == ":" && r.page && r.asked && all[k-1].holds("page-about") && plainList(all[k:]) { // about my garden: roses, herbs, compost
			r.listing = true
		}
		r.next = clause{Text: words.Text{Lexicon: c.Lexicon}}
		if k+1 < len(all) {
			r.next = all[k+1]
		}
		if c.bare().At(0).Low == "sections" {
			r.amenities()
		}
		r.behind = len(slices.DeleteFunc(slices.Clone(all[k+1:]), func(c clause) bool { return !c.sectional() }))
		before, more := *r.Page, c.bare().goesOn(all[k+1:])
		if more < 0 || more > 0 && more == len(all)-k-1 && (r.explicit || r.label == "parts") { // sections: work with Edison, late years
			r.Refuse(c.said())
		}
		r.opening = more > 0
		r.clause(c)
		if k > 0 && c.before == "," && len(r.Sections) > len(before.Sections) && c.audience() && all[k-1].forWhom() { // cuts for men, women and kids
			r.Refuse(all[k-1].said())
		}
		r.inner = max(r.inner, more)
		r.near = !r.listing && (c.kind() >= 0 || r.owns(before) || r.near && (c.figures() || r.whole && c.before == "," && (c.quality() || c.inField()))) // Marta Nowak, family law, Kraków
		r.unread = c.onlyName() && !r.near
		for _, t := range c.Tokens { // of two the town is that of which?
			if fact(t) == "address" && address != "" && t.Text != address {
				r.Refuse(t.Text)
			} else if fact(t) == "address" {
				address = t.Text
			}
		}
	}
	r.mixed = r.mixed || len(r.rows) > rows && len(r.rows)-rows < len(all) // family law, land disputes
	if r.set != "" && len(r.rows) > rows {                                 // fuse boards, testing, chargers
		r.Refuse(r.set)
	}
}

// amenities leaves out what a house has that was read as sections before these are said to follow: with wifi; sections prices.
func (r *reader) amenities() {
	r.Sections = slices.DeleteFunc(r.Sections, func(section string) bool {
		_, is := pageTables["page-amenity"][section]
		if is {
			r.Leave(section, wording)
		}
		return is
	})
	for _, each := range r.tallied { // 4 members; sections bio, contact
		r.Sections = slices.DeleteFunc(r.Sections, func(section string) bool { return section == each.section })
		r.Left = slices.DeleteFunc(r.Left, func(o settings.Omission) bool { return o.What == each.number })
		r.Leave(each.said, figures)
	}
	r.tallied = nil
}

// owns says whether something was told of whose the page is since a page was read.
func (r *reader) owns(before Page) bool {
	about := func(p *Page) string {
		return strings.Join([]string{p.Title, p.Subject, p.Place, p.When, p.Hours, p.Address, p.Email, p.Phone}, "|")
	}
	return about(r.Page) != about(&before)
}

// onlyFacts says whether there is nothing in a clause but facts.
func (c clause) onlyFacts() bool { return len(c.Tokens) > 0 && c.factsFrom(0).end == len(c.Tokens) }

// clause reads a clause in the first way that reads all of it.
func (r *reader) clause(c clause) {
	said := c
	c = r.anew(r.scriptless(c.bare()))
	place, address := r.Place, r.Address
	if c.before == "" && said.endsWith("page-wished") > 0 && c.kind() < 0 && (c.name().to(min(1, len(c.name().Tokens))).exact() || c.to(min(2, len(c.Tokens))).holds("page-these-parts") || slices.ContainsFunc(c.items(), clause.sectional)) { // but not more customers
		r.listing = true
	}
	r.whole, r.nearby, r.lists = false, false, 0
	if !r.understood(c) {
		r.Refuse(c.said())
		return
	}
	r.dated = r.dated || slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return fact(t) == "when" || fact(t) == "hours" })
	r.placed, r.addressed = r.Place != place, r.Address != address
	r.elsewhere = r.nearby || r.whole && (c.colon || c.untilPlace(0) < len(c.Tokens) || slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return fact(t) == "address" }))
	if r.whole {
		return
	}
	for _, each := range c.asides {
		r.bracket(c, each)
	}
}

func (r *reader) understood(c clause) bool {
	if len(c.Tokens) == 0 || len(c.Tokens) > maxClause {
		return len(c.Tokens) == 0
	}
	for _, way := range []func(clause) bool{
		r.labelled, r.besides, r.extension, r.counts, r.enumerates, r.former, r.told, r.denial, r.numbers, r.fact, r.asks, r.wishes, r.introduces, r.items, r.setting, r.headline, r.loose, r.detail, r.background, r.says,
	} {
		before, page := *r, *r.Page
		if way(c) {
			return true
		}
		*r, *before.Page = before, page
	}
	return false
}

// leave leaves a clause out with all that is in it, but no name in brackets that may be the title.
func (r *reader) leave(c clause, why string) bool {
	for _, each := range c.asides {
		if inside := (clause{Text: each.Text, before: ","}); r.Title == "" && inside.names() {
			return false
		}
	}
	if c.before == "," && c.exactFirst() && c.names() && len(r.Sections) > 0 { // commissions, courses in Ludlow, contact
		return false
	}
	if why == wording && r.label == "" && r.telling == 0 && !c.opens() && c.row() {
		return false
	}
	r.Leave(c.said(), why)
	r.whole = true
	return true
}

// denial reads what a page is to be without.
func (r *reader) denial(c clause) bool {
	m, n := c.Phrase(0)
	rest := c.from(n)
	if k := c.endsWith("page-unneeded"); k > 0 { // order form not needed
		m.Class, rest = "denial", c.to(k)
	}
	if why, k := c.Longest(0, "page-looks"); m.Class == "denial" && k == len(c.Tokens) && why != "" { // not too much text
		return r.leave(c, why)
	}
	if m.Class != "denial" || c.names() || c.kind() >= 0 || c.figures() {
		return false
	}
	if len(rest.Tokens) == 0 || rest.Length(0, "page-corrects") > 0 { // a bank? No, a shop; no sorry, for a shop
		return false
	}
	if rest.At(0).Low == "more" || rest.At(0).Low == "other" { // no more than services and contact
		r.Refuse(c.said())
	}
	if rest.known() && !rest.rule() {
		r.denied = append(r.denied, c.said())
		r.undescribed = append(r.undescribed, rest.section())
	}
	if rest.holds("page-script") && !rest.holds("page-libraries") {
		return r.leave(c, scripted)
	}
	if rest.rule() {
		r.Leave(c.said(), wording)
		r.whole = true
		return true
	}
	return r.leave(c, "nothing of it is there")
}

// rule says whether there is none of something where visitors come, and not on the page: no pets, no entrance fee.
func (c clause) rule() bool {
	page := c.known() || !c.plainWords() || c.holds("page-itself") || c.holds("page-looks") || c.holds("page-undone") || c.holds("page-unwanted") || c.holds("page-libraries") || c.holds("page-brand")
	return c.Is("page-rule", c.lows()) || !page
}

// scriptless leaves out that nothing is to run in browsers, before or behind what else a clause tells.
func (r *reader) scriptless(c clause) clause {
	for i := range c.Tokens {
		why, n := c.Longest(i, "page-scriptless")
		if n == 0 || i > 0 && i+n < len(c.Tokens) {
			continue
		}
		r.Leave(said(c.to(i+n).from(i).Text), why)
		if i == 0 {
			return r.scriptless(c.from(n).bare())
		}
		return c.to(i).bare()
	}
	return c
}

// setting reads what is said of every kind of project: a license, a port.
func (r *reader) setting(c clause) bool {
	tried, i := r.Settings, 0
	for found := false; ; found = true {
		for c.Is("page-set", c.At(i).Low) {
			i++
		}
		end := i
		if settings.Is(c.Text, i) {
			end = tried.Take(c.Text, i)
		}
		if end == i && (!found || i < len(c.Tokens)) {
			return false
		}
		if i = end; i >= len(c.Tokens) {
			r.Settings, r.set = tried, c.said()
			return true
		}
	}
}

// says leaves out what is told in words that nothing is known of: text for the page, once it is certain whose that is. No
// wish is, nor what stands among sections, nor a name that might be the page's.
func (r *reader) says(c clause) bool {
	first := c.Length(0, "page-does") + c.Length(0, "visitor") + c.Length(0, "page-somebody")
	switch {
	case r.listing || r.listed || r.topics || r.next.headed() || c.quoted() && !r.certain || c.colon || c.kind() >= 0 || c.heart() != "", c.holds("page-does") && first > 0: // members vote
		return false
	case r.asked && r.Title == "", r.doubtful && c.untilPlace(0) < len(c.Tokens): // a dog-free, cat-free guest house; Alice in Funderland, in Sale
		return false
	case c.holds("page-wish") || c.holds("page-must") || c.holds("page-itself") || c.wishing() > 0:
		return false
	case !c.located() && !r.certain || !c.plainWords() || slices.ContainsFunc(c.items(), clause.sectional), c.to(1).exact() && c.At(1).Low == "for": // courses for kids
		return false
	}
	if r.row && !r.asked && len(c.Tokens) <= longest && !c.figures() && !c.names() {
		r.rows = append(r.rows, c.said())
	}
	if c.before == "," && c.known() { // a bakery Korn, bread, cakes
		r.loosely = append(r.loosely, c.said())
	}
	return r.text(c)
}

// text leaves a clause out as text of a page that has a name.
func (r *reader) text(c clause) bool {
	if !c.figures() || c.names() {
		r.vague = append(r.vague, c.said())
	}
	return r.leave(c, map[bool]string{true: figures, false: wording}[c.figures()])
}

// located says whether every name in a clause is that of a place.
func (c clause) located() bool {
	where := false
	for i := 0; i < len(c.Tokens); i++ {
		n := c.Length(i, "page-at")
		if where = where || n > 0; where && c.At(i).Low == "of" { // in the back room of the Anchor
			n = 1
		}
		if n > 0 {
			i = max(i, c.placeAt(i+n)-1)
		} else if c.capital(i) && (i > 0 || c.At(i).Capital) && c.Length(i, "page-town") == 0 {
			return false
		}
	}
	return true
}

// title takes the name of the page; a second one is refused.
func (r *reader) title(name string) bool {
	name = plaintext.Title(name)
	if name == "" || r.Title != "" && !strings.EqualFold(name, r.Title) {
		return false
	}
	r.Title = name
	return true
}

// names takes a name that is said to be the page's: it may be longer than what the page was for.
func (r *reader) names(name string) bool {
	if strings.HasPrefix(plaintext.Title(name), r.Title+" ") {
		r.Title = ""
	}
	r.certain = r.title(name)
	return r.certain
}

// place takes where that is. Of two places that do not stand side by side the first is told.
func (r *reader) place(name string) bool {
	if choices.MatchString(name) { // a school in English/Welsh
		return false
	}
	if name = plaintext.Title(name); name == strings.ToLower(name) {
		name = plaintext.Spelled(strings.ReplaceAll(name, " ", "-"))
	}
	street := isStreet(name)
	if at := strings.LastIndex(name, " in "); at > 0 && isStreet(name[:at]) && r.Address == "" { // Beach Road in Ely
		r.Address, name, street = name[:at], name[at+len(" in "):], false
	}
	switch {
	case name == "" || inner.MatchString(name):
		return false
	case strings.ContainsAny(name, "0123456789"): // A9 north of Perth
		r.Leave(name, wording)
	case r.placed && r.Address == "" && built(r.Place) && street: // Elm Hall, Bath Road
		r.Address, r.Place = r.Place+", "+name, ""
	case r.Address == "" && street:
		r.Address = name
	case r.Place == "" || r.Place == name:
		r.Place = name
	case r.placed && r.Address == "" && built(r.Place): // Villa Rosa, Lake Como
		r.Address, r.Place = r.Place, name
	case r.placed && len(r.Place+name) < plaintext.MaxTitle-1 && (isTown(name) || state.MatchString(name)): // Portland, Oregon
		r.Place += ", " + name
	case r.placed:
		r.Leave(name, wording)
	default:
		r.Leave(name, several)
		return !r.doubtful // Stitch in Time, in Ely
	}
	return true
}

func isTown(name string) bool {
	_, is := pageTables["page-town"][strings.ToLower(name)]
	return is
}

// isStreet says whether a name is that of a street.
func isStreet(name string) bool {
	_, is := pageTables["page-sure-street"][strings.ToLower(name[strings.LastIndex(name, " ")+1:])]
	return is
}
