package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// items reads a list of sections. Each is read, or none is.
func (r *reader) items(c clause) bool {
	told := c.Length(0, "page-pronoun") > 0 || c.wishing() > 0 && c.opens()
	if !r.listing && !r.listed || told && !c.known() {
		return false
	}
	if c.colon && c.Length(0, "page-these") == len(c.Tokens) {
		return true
	}
	if from := c.After(0, "the", "our"); r.near && r.dated && c.before == "," && c.venue(from) == len(c.Tokens) { // 5 April, church hall
		return r.alone(c)
	}
	if r.near && r.dated && r.Place == "" && c.before == "," && c.spot() { // 5 May, library: a place or a section?
		if where := c.from(c.After(0, "the", "our", "my", "a")); r.When == "" || c.Is("page-hall-alone", c.lows()) || len(c.Tokens) == 1 && c.isTrade(c.lows()) {
			r.Refuse(c.said())
		} else {
			r.place(plaintext.Spelled(plaintext.Slug(where.said())))
		}
		return true
	}
	if c.Tables["page-tells"][c.At(0).Low] == "place" && len(c.Tokens) > 2 && c.venue(1) == len(c.Tokens) { // place sports hall
		return r.alone(c.from(1))
	}
	if n := c.Length(0, "page-town"); r.placed && n > 0 && c.Length(n, "page-has") > 0 {
		return r.alone(c)
	}
	if n := c.Length(0, "page-left"); n > 0 && n == len(c.Tokens) { // next July
		return r.leave(c, c.Tables["page-left"][c.lows()])
	}
	if !r.ofTrade(c) && c.quality() && !(r.explicit && c.Is("page-weekday", c.At(len(c.Tokens)-1).Low)) || c.notes() {
		return r.leave(c, wording)
	}
	if r.apposition(c) { // "Moss", a shop
		return false
	}
	if r.studies(c) {
		return r.leave(c, wording)
	}
	if !r.listing && r.Title == "" && len(r.quoted) == 1 && c.quoted() && len(c.Tokens) == 1 { // a studio, "Lotus", classes
		return false
	}
	if c.At(0).Low == "who" && c.Is("article", c.At(2).Low) && !r.changing {
		r.Refuse(c.said())
		return true
	}
	if r.asked && r.Title+r.Subject == "" && len(r.Sections) == 0 && !r.listing && c.before == "," && c.tradeAlone() {
		return false
	}
	if c.colon && c.before == "," && r.asked && len(r.Sections) == 0 && !c.known() { // Ada Low, soil scientist: bio, talks
		return false
	}
	if r.topics && c.before == ":" && r.Title == "" && len(c.Tokens) == 1 && c.quoted() { // a conference: "Soil Days", speakers
		return false
	}
	if r.addressed && c.before == "," && c.onlyName() { // the address, 12 Canal Street, Utrecht
		if r.capitals && c.Length(0, "page-town") == 0 { // or a section?
			r.Refuse(c.said())
		}
		return r.capitals && c.Length(0, "page-town") == 0
	}
	if r.elsewhere && c.onlyName() { // a map to 8 Station Road, Hexham
		return r.text(c)
	}
	all, last := c.items(), len(c.Tokens)-1
	if c.before == "," && len(r.next.Tokens) > 0 && len(all) == 2 && c.At(len(all[0].Tokens)).Text == "&" && !c.figures() && len(c.asides) == 0 { // travel & stay, gifts
		all = []clause{c}
	}
	told = c.At(0).Low == "available" || c.Is("page-welcome", c.At(last).Low) && !slices.ContainsFunc(all, clause.known)
	if told && last > 0 && !c.names() { // beginners welcome, available for weddings
		return r.leave(c, wording)
	}
	for k, each := range all {
		if tint := func(c clause) bool { return c.holds("page-colour") }; k > 0 && len(each.Tokens) == 1 && tint(each) && tint(all[k-1]) { // brown and cream
			r.Leave(each.said(), tints)
			continue
		}
		if c.At(each.skipped-c.skipped+len(each.Tokens)).Low == "or" && len(each.Tokens) == 1 && each.holds("manner") { // short or long stays
			r.Refuse(c.said())
		}
		whole := r.whole
		if each = each.bare(); each.quality() && !r.ofTrade(each) && !(r.explicit && c.Is("page-weekday", each.At(len(each.Tokens)-1).Low)) {
			r.Leave(each.said(), wording)
		} else if len(each.Tokens) > 0 && !r.part(each) {
			return false
		}
		if len(c.asides) > 0 && len(each.asides) == 0 { // a map and our address (5 Mill Lane)
			r.whole = whole
		}
	}
	if end := all[len(all)-1].bare(); r.listing && c.colon && len(end.name().Tokens) > 0 { // where we are: Monday the library
		r.telling, r.foreign = 1, false
		return end.known()
	}
	return true
}

// spot says whether a clause behind a day may tell where that is, in small letters: school gym, grandmas barn.
func (c clause) spot() bool {
	n := len(c.Tokens)
	last := c.At(n - 1).Low
	return n > 0 && n <= longest && c.Tables["page-tells"][c.At(0).Low] == "" && !c.names() && !c.figures() && len(c.items()) == 1 && (c.Is("page-spot", last) || c.Is("page-hall-alone", last) || n > 1 && c.Is("page-hall", last)) && !(n > 1 && c.exact())
}

// notes says whether a clause tells what a page is to say, and nothing else: a note that dogs are welcome.
func (c clause) notes() bool {
	other := func(each clause) bool { return each.known() || c.Is("determiner", each.At(0).Low) }
	return c.Length(0, "page-note") > 0 && !c.names() && !slices.ContainsFunc(c.items()[1:], other)
}

// quality says whether a clause tells only what something is like, or when it is open: family run, closed in summer.
func (c clause) quality() bool {
	if n := len(c.Tokens); n > 0 && c.Length(0, "page-quality") == n || c.tongues() { // rain or shine
		return true
	}
	if n := len(c.Tokens); n > 1 && c.Is("page-weekday", c.At(n-1).Low) && !c.Is("page-feast", c.At(n-2).Low) && !slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return t.Low == "for" }) { // quiz Tuesdays, open day first Saturday
		return !c.names() && !c.known() && len(c.items()) == 1
	}
	if c.Length(0, "page-when-open") > 0 || c.Tables["page-orders"][c.At(0).Low] == "guests" {
		return !c.told() && !c.known() && len(c.items()) == 1
	}
	if c.Is("page-praise", c.At(0).Low) && len(c.Tokens) == 2 && c.Length(1, "page-looks") == 0 { // fair prices, but not friendly colours
		return !c.exact()
	}
	return len(c.Tokens) > 0 && !slices.ContainsFunc(c.items(), func(each clause) bool {
		return each.bare().Length(0, "page-quality") != len(each.bare().Tokens)
	})
}

// tongues says whether a clause names languages between which somebody works: Norwegian-English, German/English.
func (c clause) tongues() bool {
	all := strings.FieldsFunc(strings.ToLower(c.said()), func(r rune) bool { return r == '-' || r == '/' || r == ' ' })
	return len(all) > 1 && strings.ContainsAny(c.said(), "-/") && !slices.ContainsFunc(all, func(w string) bool {
		return !c.Is("page-nation", w) && !c.Is("page-tongue", w) && w != "to" && w != "and"
	})
}

// part reads one item of a list of sections.
func (r *reader) part(c clause) bool {
	if k := len(c.Tokens) - c.toldOf(); k < len(c.Tokens) {
		r.Leave(said(c.from(k).Text), c.Tables["page-part-told"][c.from(k).lows()])
		return r.part(c.to(k))
	}
	if k := c.Length(0, "page-apart"); k > 0 { // three pages (home, prices), separate pages for prices and faq
		r.separate()
		return k == len(c.Tokens) || r.part(c.from(k))
	}
	name := c.name()
	n := len(name.Tokens)
	if r.ofTrade(c) {
		return r.add(name.section())
	}
	if part := c.from(c.After(0, "a", "an", "the")); r.tradeWith(name, "page-not-trade") || part.Length(0, "page-undone") == len(part.Tokens) { // members area
		if len(r.Sections)+r.behind == 0 && c.heart() != "" { // and nothing else
			return r.undone(c, false)
		}
		return r.leave(c, active)
	}
	if k := c.counted(); k == 1 && len(c.At(0).Text) > 1 && digits(c.At(0)) { // 50 teams
		return r.leave(c, figures)
	} else if k > 0 { // the two partners
		r.Leave(c.At(k-1).Text, wording)
		r.tallied = append(r.tallied, tally{c.from(k).section(), c.At(k - 1).Text, c.said()})
		return r.part(c.from(k))
	}
	if r.explicit && !r.opening && name.wholly() {
		r.exactly = append(r.exactly, name.section())
		return r.add(name.section())
	}
	titled := len(c.Tokens) > n && c.Is("page-these-parts", c.At(len(c.Tokens)-1).Low)                                          // license section
	if (c.Is("page-ambiguous", name.lows()) && !titled || c.Is("page-bare", c.lows()) || name.said() == "SPA") && !r.changing { // of the project, or of whom the page is about?
		r.Refuse(c.said())
		return true
	}
	if m, k := c.Phrase(0); m.Class == "detail" && k == len(c.Tokens) && !name.exact() && c.Is("page-elsewhere", m.Value) { // backups, access control: of whom?
		r.Refuse(c.said())
		return true
	}
	if n > 3 && name.Words(n-2, 2) == "or not" && name.to(n-2).plainWords() && !name.names() { // dogs allowed or not
		return n <= longest+2 && r.add(name.to(n-2).section())
	}
	if k := name.Length(0, "page-header"); k > 0 && r.header(name.from(k)) {
		return true
	}
	if name.linked() {
		return r.leave(c, "links of your own")
	}
	if k := name.Length(0, "page-footer"); k > 0 && k < n { // a footer with our address
		r.Leave(said(name.to(k-1).Text), "where things stand on a page")
		return r.part(name.from(k))
	}
	if k := name.endsWith("page-looks"); k > 0 { // my phone number nice and big
		r.Leave(said(name.from(k).Text), cmp.Or(c.Tables["page-looks"][name.from(k).lows()], tints))
		return r.part(name.to(k))
	}
	if k := n - 1; k > 0 && name.At(k).Low == "first" && len(r.Sections) == 0 { // gallery first, then about
		return name.to(k).exact() && r.part(name.to(k))
	}
	if k := name.endsWith("page-left"); k > 0 && !(r.explicit && name.known()) { // menu in three languages, rules for next year
		why := c.Tables["page-left"][name.from(k).lows()]
		if c.Is("page-tail", name.At(k-1).Low) && k > 1 {
			k--
		}
		r.Leave(said(name.from(k).Text), why)
		return r.part(name.to(k))
	}
	if n > 3 && name.At(n-1).Low == "only" && name.At(n-3).Low == "by" { // booking by phone only
		r.Leave(said(name.from(n-3).Text), wording)
		return r.part(name.to(n - 1))
	}
	if m, k := name.Phrase(0); k == 1 && n > 1 && m.Value == "maps" && c.Tables["layout"][name.At(1).Low] == "location" && (n == 2 || name.from(1).onlyFacts()) { // map address
		r.Leave(name.At(0).Text, m.Value)
		return r.part(name.from(1))
	}
	ours := r.Title+r.Subject == "" && c.Is("whose", name.At(2).Low) && !english.IsPlural(name.At(n-1).Low)
	known := name.known() && !(name.ofSomething() && (r.opening || ours)) // the address of my food truck
	for i := 1; i < n && !known; i++ {
		owned := name.nameAt(i+1) > i+1 || name.Is("determiner", name.At(i+1).Low) && r.Subject == ""
		if (name.At(i).Low == "for" || name.At(i).Low == "of" && r.Subject == "") && owned && r.Title == "" { // directions for Osteria Lupo in Trieste
			end := r.what(name, i+1)
			return end > i+1 && r.tail(name, end, false) == n && r.part(name.to(i))
		}
		if who := max(name.Length(i, "visitor"), name.Length(i, "page-somebody")); who > 0 && name.Length(i+who, "may") > 0 && !name.names() { // a blog i can edit
			r.Leave(said(name.from(i).Text), server)
			return r.part(name.to(i))
		}
	}
	if k := name.whereabouts(); k > 0 && !known { // location in Yaba
		if r.Place == "" || r.placed {
			return r.add(name.to(k).section()) && r.tail(name, k, false) == n
		}
		r.Leave(said(name.from(k).Text), wording)
		return r.add(name.to(k).section())
	}
	for i := 1; i < n-1 && !known; i++ {
		rest := name.from(i)
		tail := c.Is("page-tail", name.At(i).Low) && (n > longest || len(name.items()) == 1 && rest.holds("page-and"))
		until := name.At(i).Low == "by" && c.Is("page-announces", name.At(i+1).Low) && rest.figures() && !rest.reachable() // RSVP by email until May 1st
		costs := (name.At(i).Low == "of" && n < i+4 || name.At(i).Low == "with" && !rest.told()) && rest.figures()         // entry fee of £4, faq with 10 questions
		if since := name.At(i).Low == "since" && i+2 == n; (since || until || costs) && name.to(i).exact() {               // history since 1932
			return r.add(name.to(i).section()) && r.leave(rest, figures)
		}
		opens := r.opening && (name.At(i).Low == "of" || name.At(i).Low == "for")
		if (tail || opens || name.Length(i, "page-more") > 0) && name.to(i).name().exact() && !rest.figures() && !name.bound(i) { // directions to the Stadthalle, contact with my Instagram
			if !rest.located() {
				r.vague = append(r.vague, c.said())
			}
			if !r.undone(rest, true) {
				r.Leave(rest.said(), wording)
				r.whole = true
			}
			return r.add(name.to(i).section())
		}
	}
	if k := name.qualified(); k > 0 && c.Is("determiner", c.At(0).Low) && c.Length(0, "page-note") == 0 { // the association who takes care of it
		r.Leave(said(name.from(k).Text), wording)
		return r.part(c.to(k + name.skipped - c.skipped))
	}
	m, _ := name.Phrase(0)
	mail := max(n-1, 0)
	contact := n > 2 && fact(name.At(mail)) == "email" && c.Is("page-announces", name.At(mail-1).Low) && name.At(mail-1).Low != "address" // a booking contact a@b.example
	switch {
	case n == 1 && name.At(0).Quoted:
		return r.add(plaintext.Slug(name.At(0).Text))
	case known:
		r.pages(c)
		return r.add(name.section())
	case r.fact(c), c.figures() && r.undone(c, false), r.wayFor(name):
		return true
	case contact:
		r.take(name.factsFrom(mail))
		return r.part(name.to(mail))
	case (c.figures() || c.told()) && r.explicit && !c.counts(): // results in 2025
		r.Refuse(c.said())
		return true
	case c.figures() || c.told():
		return !c.opens() && c.located() && r.text(c)
	case c.At(0).Low == "that":
		return n > 1 && !c.names() && r.leave(c, wording)
	case m.Class == "given" || c.Is("serverless", m.Class) || settings.Is(name.Text, 0):
		return r.setting(c)
	case n > 2 && n <= longest && name.to(1).exact() && name.At(1).Low == "of": // history of the Museum
		return r.add(name.section())
	case r.beside() && n > 1 && n <= longest && name.At(0).Low == "who" && name.relates() && !name.names() && !name.holds("page-wish"): // what we grow, who takes part
		return r.add(name.section())
	case r.listing && n == 3 && name.At(0).Low == "who" && name.Is("page-object", name.At(2).Low): // who built it
		return r.add(name.section())
	case r.undone(c, strings.HasPrefix(c.At(len(c.Tokens)-1).Raw, "@")) || n < len(c.Tokens) && n > 0 && r.undone(name, false): // instagram @taco, a map section
		return true
	case strings.HasPrefix(c.At(len(c.Tokens)-1).Raw, "@"): // insta @taco
		return !c.names() && r.leave(c, wording)
	case name.names() && !r.capitals && !titled && name.At(0).Low != "about":
		return false
	case name.quoted() || n == 0 || n > longest && !(n <= longest+4 && name.shared() > 0 || n <= longest+2 && (name.from(1).holds("page-mine") || c.Is("page-person", name.At(1).Low))) || name.holds("page-must") || name.Length(0, "page-wish") > 0 && name.skipped == c.skipped:
		return false
	case name.undoneOf(): // an interactive map/calendar
		return false
	case n == 1 && len(c.Tokens) == 1 && (c.before != "" || r.next.known()) && c.Is("page-whereabouts", c.At(0).Low): // where, when
		return r.add(name.section())
	case name.strange() || name.At(0).Low == "first" && name.from(1).exact(): // first lessons, then contact
		return false
	}
	r.pages(c)
	return r.add(name.section())
}

// wholly says whether an item of a list of sections is one as it stands, with what is told behind its first words: lunch on
// weekdays, traveling with kids.
func (c clause) wholly() bool {
	n := len(c.Tokens)
	if n < 3 || n > longest || c.figures() || c.quoted() || c.known() || c.opens() || c.holds("page-must") || c.Is("determiner", c.At(0).Low) || len(c.items()) > 1 {
		return false
	}
	for i := 1; i < n-1; i++ {
		rest := c.from(i + 1)
		if c.Is("page-tail", c.At(i).Low) || c.At(i).Low == "with" || c.At(i).Low == "at" {
			return rest.plainWords() && !rest.known() && !rest.holds("page-looks") && !rest.holds("page-undone") && !rest.holds("page-brand") && rest.heart() == "" && (c.to(i).plainWords() || c.to(i).exact()) && c.toldOf() == 0
		}
	}
	return false
}

// counted gives the place behind a number of things, or none: the two partners, three rooms, but not three bedrooms, which may
// tell how large something is.
func (c clause) counted() int {
	k, n := c.After(0, "the", "my", "our"), len(c.Tokens)
	number := c.Is("page-number", c.At(k).Low) || jubilee.MatchString(c.At(k).Low)
	if k == 0 && !(number && c.from(1).sectional()) || !number && !c.Is("page-count", c.At(k).Low) || n < k+2 || n > k+3 || !english.IsPlural(c.At(n-1).Low) || c.names() || c.told() {
		return 0
	}
	return k + 1
}

// counts says whether a clause begins with a number: 60 desks.
func (c clause) counts() bool { return digits(c.At(0)) }

// linked says whether a clause asks for a link to somewhere, and names no section: a map link, links to GitHub.
func (c clause) linked() bool {
	n := len(c.Tokens)
	_, known := c.Phrase(0) // instagram link
	to := c.At(1).Low == "to" && n > 2 && (c.At(0).Low == "link" || c.At(0).Low == "links" && (plaintext.IsCapital(c.At(2).Text) || c.Is("page-linked", c.At(2).Low)))
	brands := n
	if n == 0 {
		return false
	}
	for brands > 0 && c.Is("page-brand", c.At(n-brands).Low) { // spotify, soundcloud links
		brands--
	}
	on := n > 2 && (c.At(n-2).Low == "on" || c.At(n-2).Low == "via") && c.Is("page-brand", c.At(n-1).Low) // listen on spotify
	return to || on || c.Length(0, "page-brand") == n || brands == 0 || brands == 1 && n > 1 && c.At(n-1).Low == "links" || n > 1 && c.At(n-1).Low == "link" && max(known, c.Length(0, "page-fact")) < n && !c.told()
}

// numbers leaves out how many there are of something: three days, two bathrooms.
func (r *reader) numbers(c clause) bool {
	n := len(c.Tokens)
	number := c.Is("page-number", c.At(0).Low) || digits(c.At(0))
	if number && n > 1 && n < 4 && c.Is("page-measured", c.At(n-1).Low) { // 48 hours, 12 people
		return r.leave(c, figures)
	}
	many := n > 1 && n < 4 && c.Is("page-number", c.At(0).Low) && english.IsPlural(c.At(n-1).Low)
	return many && !c.colon && c.plainWords() && !c.names() && !(c.from(1).sectional() && (r.listing || r.listed)) && r.Title+r.Subject != "" && r.leave(c, figures)
}

// whereabouts gives the place behind the name of a section that tells where something is, where a place follows: location in Yaba.
func (c clause) whereabouts() int {
	for k := 1; k < min(len(c.Tokens)-1, longest); k++ {
		in := c.At(k).Low == "in" || c.At(k).Low == "at"
		if in && c.Tables["layout"][c.to(k).name().lows()] == "location" && c.placed(k) == len(c.Tokens) {
			return k
		}
	}
	return 0
}

// qualified gives the place where it is told what something does that has an article, or none: the association who takes
// care of it, but not the form that sends mails.
func (c clause) qualified() int {
	for k := 1; k < min(len(c.Tokens)-1, longest); k++ {
		if low := c.At(k).Low; low != "who" && low != "that" && low != "which" {
			continue
		}
		rest, does := c.from(k+1), c.from(k).holds("page-does") || c.from(k).holds("may")
		asked := does || rest.holds("page-wish") || rest.holds("page-itself") || rest.heart() != "" || !rest.plainWords()
		if asked || c.names() || c.quoted() || c.figures() || len(rest.Tokens) < 2 || len(rest.items()) > 1 || c.to(k).holds("page-undone") {
			return 0
		}
		return k
	}
	return 0
}

// ofTrade says whether a section is called by what the trade is in, so that its words mean nothing else: the buttons of a
// button shop.
func (r *reader) ofTrade(c clause) bool {
	n := len(c.Tokens)
	if r.tradeWith(c, "page-of-trade") {
		return true
	}
	trade := strings.Fields(r.Subject)
	if n == 0 || n > 2 || len(trade) < 2 || c.names() || c.figures() || c.At(0).Low == "a" || c.Is("page-undone", c.lows()) || c.Is("page-brand", c.lows()) {
		return false
	}
	last := english.Singular(c.At(n - 1).Low)
	return slices.ContainsFunc(trade[:len(trade)-1], func(w string) bool { return english.Singular(w) == last })
}

// tradeWith says whether a word for what the page is about stands in a table with the words of a clause: pub quiz.
func (r *reader) tradeWith(c clause, table string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(r.Subject)), func(w string) bool { return c.Is(table, w+" "+c.lows()) })
}

// endsWith gives the place behind the name of a section where a phrase of a table stands, or none.
func (c clause) endsWith(table string) int {
	for k := 1; k < len(c.Tokens) && c.Length(0, table) < len(c.Tokens); k++ {
		if n := c.Length(k, table); n > 1 && k+n == len(c.Tokens) {
			return k
		}
	}
	return 0
}

// reachable says whether a clause tells how to reach somebody.
func (c clause) reachable() bool {
	return slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return fact(t) == "email" || fact(t) == "phone" })
}

// beside says whether the section before is a question.
func (r *reader) beside() bool {
	if len(r.Sections) == 0 {
		return false
	}
	first, _, several := strings.Cut(r.Sections[len(r.Sections)-1], "-")
	_, asks := pageTables["page-question"][first]
	return several && asks
}

// undoneOf says whether something that no page can have stands with a slash beside another word.
func (c clause) undoneOf() bool {
	return slices.ContainsFunc(c.Tokens, func(t words.Token) bool {
		return strings.Contains(t.Low, "/") && slices.ContainsFunc(strings.Split(t.Low, "/"), func(w string) bool {
			return c.Vocabulary[w].Class == "detail" || c.Vocabulary[w].Class == "heart" || c.Is("interactive", w)
		})
	})
}

// bound says whether a verb stands behind the name of a section, which is part of it: documents to bring.
func (c clause) bound(i int) bool {
	return c.At(i).Low == "to" && i+2 == len(c.Tokens) && !c.Is("layout", c.to(i).lows())
}

// strange says whether words cannot be the name of a section.
func (c clause) strange() bool {
	n := len(c.Tokens)
	last := c.At(n - 1).Low
	if n > 1 && c.Is("page-person", last) { // join us
		return false
	}
	if c.Is("copula", c.At(0).Low) || c.relates() {
		return true
	}
	if slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return strings.Contains(t.Text, ".") }) { // www.korn.example
		return true
	}
	if n == 1 && len(last) > 5 && english.HasSuffix(last, "ful", "ous", "less", "ish", "ly") && last != "family" { // what something is like
		return true
	}
	if n == 1 && len(last) > 4 && strings.HasSuffix(last, "ed") && !strings.HasSuffix(last, "eed") { // retired
		return true
	}
	if c.Is("page-skips", last) || n == 1 && c.Is("never-section", last) || c.Is("inside-section", last) {
		return true
	}
	return n == 1 && c.Vocabulary[last].Class == "stop" && c.Vocabulary[last].Value != "filler" && c.At(0).Low != "about"
}

// add gives the page a section.
func (r *reader) add(section string) bool {
	if project.NotSectionName(section) {
		return false
	}
	if !slices.Contains(r.Sections, section) {
		r.Sections = append(r.Sections, section)
	}
	return true
}
