package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/words"
)

// wayFor reads that people are to find a way to write or call, for something: an email address for bookings.
func (r *reader) wayFor(c clause) bool {
	n := c.Length(0, "page-fact")
	if c.At(0).Low == "contact" && n == 1 && c.At(1).Low == "for" && len(c.Tokens) <= longest && c.located() && !c.told() { // contact for bookings
		r.Leave(said(c.from(1).Text), wording)
		return r.add("contact")
	}
	return n > 0 && !c.Is("page-calls", c.At(0).Low) && c.At(n).Low == "for" && len(c.Tokens) <= longest+2 && !c.told() && !c.figures() && !c.names() && c.heart() == "" && r.promise(c)
}

// header reads what is to stand at the top, which is the name of every page.
func (r *reader) header(c clause) bool {
	at := c.Length(0, "page-name")
	end := c.nameAt(at)
	switch {
	case c.Length(0, "page-slogan") == len(c.Tokens) && len(c.Tokens) > 0:
		return r.leave(c, wording)
	case at == 0:
		return r.undone(c, false) // our logo
	case at == len(c.Tokens):
		return true
	}
	return end == len(c.Tokens) && r.names(c.Written(at, end))
}

// pages tells that a section is no page of its own.
func (r *reader) pages(c clause) {
	first, last := c.After(0, "a", "an", "one", "another", "the"), c.At(len(c.Tokens)-1).Low
	switch {
	case r.page && !r.changing && (last == "pages" || last == "page" && len(c.Tokens) > 1 || c.At(first).Low == "page" || c.At(first).Low == "pages"):
		r.separate()
	case r.changing && c.holds("page-own"):
		r.Leave("a page of its own", "it is a section of the one page")
	}
}

// separate tells that pages which were asked for are sections of one.
func (r *reader) separate() {
	if !slices.ContainsFunc(r.Left, func(o settings.Omission) bool { return strings.Contains(o.What+o.Why, "pages") }) {
		r.Leave("separate pages", "they are sections of the one page")
	}
}

// counts reads that there are to be several pages, which stand in brackets behind: 2 pages (services, contact).
func (r *reader) counts(c clause) bool {
	if len(c.asides) == 0 || c.Length(0, "page-apart") != len(c.Tokens) {
		return false
	}
	r.separate()
	return true
}

// severalPages tells the same where a request speaks of pages anywhere: pages are home and prices.
func (r *reader) severalPages(x words.Text) {
	named := strings.ToLower(r.Title + " " + r.Subject + " " + strings.Join(r.Sections, " "))
	for i, t := range x.Tokens {
		if t.Low == "pages" && !t.Quoted && !x.Is("page-sheets", x.At(i-1).Low) && !strings.Contains(named, "pages") {
			r.separate()
		}
	}
}

// undone reads what is known and no page can have: a colour, a map, a form, a login.
func (r *reader) undone(c clause, loosely bool) bool {
	for i := range c.Tokens {
		m, n := c.Phrase(i)
		name := c.ordinary(i, max(n, 1))
		ends := i+n == len(c.Tokens) || c.Is("page-behind", c.At(i+n).Low)
		looks, k := c.Longest(i, "page-looks")
		switch {
		case c.At(i).Quoted || i > 0 && c.Length(i-1, "page-compound") == 2: // garden design
		case m.Class == "heart" && ends && (!name || c.Is("interactive", c.At(i).Low)):
			r.Hearts = append(r.Hearts, settings.Omission{What: c.Words(i, n), Why: m.Value})
			r.whole = true
			return true
		case m.Class == "detail" && n == 1 && k < 2 && (!loosely || i+1 == len(c.Tokens)) && len(c.Tokens) > 1 && c.from(len(c.Tokens)-1).exact() && c.At(i+1).Low != "of": // the family history, but no map of stages
		case m.Class == "detail" && m.Value != "dates" && (ends || loosely && !name):
			return r.leave(c, c.reason(m.Value))
		case k+c.Length(i, "manner") > 0 && c.promises(i): // something clean with his services
		case k+c.Length(i, "manner") > 0 && c.At(i+1).Low != "after" && (loosely || !c.figurative(i+max(k, c.Length(i, "manner")))):
			if who := c.Length(0, "page-somebody"); who > 0 && c.Length(0, "page-being")+c.Length(0, "page-thing")+c.Length(0, "visitor")+c.Length(who, "page-taste") == 0 && !c.wants() { // I design small houses
				looks = wording
			}
			return r.leave(c, cmp.Or(looks, tints))
		case c.Is("interactive", c.At(i).Low) && i+1 == len(c.Tokens) && !c.from(i).exact(), c.Length(i, "page-undone") > 0 && c.Length(i, "page-undone")+i == len(c.Tokens):
			return r.leave(c, active)
		}
	}
	return false
}

// promises says whether what stands behind "with" from a place on is a section.
func (c clause) promises(i int) bool {
	for k := i; k < len(c.Tokens); k++ {
		if c.At(k).Low == "with" {
			return c.from(k + 1).sectional()
		}
	}
	return false
}

// reason gives why something is left out that only services do, and that somebody may tell of their work: filter coffee.
func (c clause) reason(why string) string {
	who := c.Length(0, "page-somebody")
	tells := who > 0 && c.Length(0, "visitor") == 0 && !c.Is("page-thing", c.Words(0, who)) && !c.wants()
	if deed := c.Length(who, "page-deals")+c.Length(who, "page-makes-of")+c.Length(who, "page-founds") > 0; tells && (deed || c.Is("page-services", why)) { // I fix vintage bikes
		return wording
	}
	return why
}

// figurative says whether a word for how a page is to look only tells of what follows it: warm meals, a short text.
func (c clause) figurative(end int) bool {
	return !c.Ends(end) && !c.from(end).holds("page-looks") && !c.from(end).holds("manner") && c.ClassAt(end) != "detail"
}

// wishes reads what the page is to have, or to be like.
func (r *reader) wishes(c clause) bool {
	n := c.wishing()
	if c.Length(0, "page-likes") >= max(n, 1) { // make it dark
		return r.detail(c)
	}
	if n == 0 || c.kind() >= 0 {
		return false
	}
	for k := c.from(n).Length(0, "page-wishes"); k > 0 && n+k < len(c.Tokens); k = c.from(n).Length(0, "page-wishes") { // it needs sections for
		n += k
	}
	rest := c.from(n)
	if k := rest.Length(0, "page-something"); k > 0 && (rest.deadline(k) == len(rest.Tokens) || rest.from(k).untilThen()) { // need something online before Friday
		return r.leave(c, settings.Background)
	}
	if len(rest.items()) == 1 && !rest.known() && (r.setting(rest) || r.detail(c)) {
		return true
	}
	r.explicit = strings.Contains(c.Words(0, n), "sections")
	r.listing, r.capitals = true, rest.holds("page") || c.At(0).Low != "include" && c.Is("page-tells", c.At(0).Low)
	return r.items(rest)
}

// deadline gives the place behind words that tell until when a page is wanted: by next Friday.
func (c clause) deadline(i int) int {
	n := c.Length(i, "page-deadline")
	if n == 0 {
		return i
	}
	at := c.After(i+n, "the", "next", "this", "end", "of")
	day := c.At(at)
	if fact(day) == "when" || !day.Mark && (c.Is("page-day", day.Low) || c.Is("page-month", day.Low) || c.Is("page-until", day.Low)) {
		return at + 1
	}
	return i
}

// untilThen says whether a clause tells before what something is wanted, and nothing else: before the sign goes up.
func (c clause) untilThen() bool {
	n := c.Length(0, "page-deadline")
	return n > 0 && len(c.Tokens) > n && len(c.Tokens) <= n+longest+2 && len(c.items()) == 1 && c.plainWords() && c.heart() == "" && !c.names() && !c.quoted() && !c.figures() && !c.holds("page-wish") && !c.holds("page-does") && !c.from(n).known()
}

// wishing gives the number of words that say that what follows is wanted: I need, visitors should find.
func (c clause) wishing() int {
	if n := c.wantsOf(); n > 0 {
		sees := c.Length(n, "page-sees")
		return map[bool]int{true: n + sees}[sees > 0 && c.from(n+sees).shows()]
	}
	who := c.Length(0, "page-reader")
	must := c.Length(who, "page-shall")
	sees := c.Length(who+must, "page-sees")
	if n := who + must + sees; who > 0 && must > 0 && sees > 0 && c.from(n).shows() {
		return n
	}
	return c.Length(0, "page-wishes")
}

// wantsOf gives the place behind words for whom somebody wants to do something: I want visitors to.
func (c clause) wantsOf() int {
	k := c.Length(0, "page-wants")
	who := c.Length(k, "page-reader")
	if k == 0 || who == 0 || c.At(k+who).Low != "to" {
		return 0
	}
	return k + who + 1
}

// shows says whether what people are to see is on every page, and not what is theirs or what they do: the results, but not their
// orders, products by size, photos and order tickets.
func (c clause) shows() bool {
	by := slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return t.Low == "by" })
	does := func(each clause) bool { return each.Length(0, "page-does") > 0 && !each.known() }
	return len(c.Tokens) > 0 && !c.Ends(0) && !c.Is("page-live", c.At(0).Low) && !by && !slices.ContainsFunc(c.items()[1:], does)
}
