package page

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// asks reads a clause that names the page that is wanted, with what it tells of it.
func (r *reader) asks(c clause) bool {
	at := c.kind()
	_, n := c.Phrase(max(at, 0))
	if r.page && r.asked && r.Title+r.Subject == "" && c.before == "," && c.Length(0, "page-for") > 0 { // a page, very simple, for our choir
		return at < 0 && r.tail(c, 0, true) == len(c.Tokens) && r.Title+r.Subject != ""
	}
	if at < 0 || r.listing && at > 0 && c.before != "" && (r.page || c.Length(at+n, "page-for") == 0) {
		return false
	}
	if lacks := c.to(at).endsWith("page-lacks"); c.Vocabulary[c.At(at-1).Low].Class == "denial" && at > 0 || lacks > 0 { // I have no website yet
		r.replaced = true
		who := c.Length(0, "page-somebody")
		about := c.After(0, "my", "our") == 1 && (who == 0 || c.belongs(who)) && r.Title+r.Subject == ""
		if about && r.what(c, 1) != lacks { // our bakery has no website
			return false
		}
		return !c.names() && r.leave(c, settings.Background)
	}
	r.portfolio = r.portfolio || c.At(at).Low == "portfolio"
	subject, again := r.Subject, r.page && r.Title != ""
	r.asked, r.page, r.listing = true, true, false
	for i := range c.Tokens {
		if k := c.Length(i, "page-special"); k > 0 {
			r.special = c.Words(i, k)
		}
	}
	if !r.wanted(c.to(at)) || again && r.Subject != subject { // Acorn Nursery; fees, parents' page
		return false
	}
	return r.tail(c, at+n, true) == len(c.Tokens)
}

// wanted reads what stands before the word for a page: who wants it, or what it is for.
func (r *reader) wanted(c clause) bool {
	verb, end := 0, 0
	for i := range c.Tokens {
		if n := c.Length(i, "page-asks"); n > 0 {
			verb, end = i, i+n
		}
	}
	return r.owner(c.to(verb)) && r.owner(c.from(end))
}

// owner reads whom a page is for, among words that say nothing.
func (r *reader) owner(c clause) bool {
	i := 0
	for i < len(c.Tokens) {
		n := max(c.Length(i, "page-skips"), c.Length(i, "page-courtesy"), c.Length(i, "page-makes"))
		switch somebody := c.Length(i, "page-somebody"); {
		case c.Length(i, "page-compound") > 0: // short film festival
			n = 0
		case somebody > n && !c.from(i).belongs(somebody): // my brother and I
			n = somebody
		case n > 0:
		case c.Is("page-mood", c.At(i).Low), i == len(c.Tokens)-1 && c.Is("page-colour", c.At(i).Low): // a calm page, a pink page
			n = 1
			r.Leave(c.At(i).Text, tints)
		case settings.Is(c.Text, i):
			n = r.Take(c.Text, i) - i
		}
		if n == 0 {
			break
		}
		i += n
	}
	if i == len(c.Tokens) {
		return true
	}
	end := r.what(c, i)
	for k := i; k < end; k++ { // how do I, a game, convert this
		low := c.At(k).Low
		if c.Is("determiner", low) || c.Is("asking", low) || c.ClassAt(k) == "heart" && !c.Is("what-people-are", low) { // but a translator
			return false
		}
	}
	return end > i && r.tail(c, end, false) == len(c.Tokens)
}

// what reads what a page is about: a trade, a name, or both.
func (r *reader) what(c clause, i int) int {
	if len(c.Tokens) == 1 && possessive(c.At(0)) && !c.At(0).Capital { // parents' page
		return i
	}
	kin := 0 // whose it is: our son's first birthday
	for n := 1; n > 0; i += n {
		if c.Is("whose", c.At(i-1).Low) && c.Is("article", c.At(i).Low) || c.Length(i, "page-compound") > 0 { // our a cappella group
			break
		}
		if n = c.Length(i, "page-skips"); plaintext.IsCapital(c.At(i).Text) && c.capital(i+1) && i > 0 { // The Rusty Nails
			break
		}
		if n == 1 && c.Is("page-recurs", c.At(i).Low) && !c.Ends(i+1) { // the annual meeting
			r.Leave(c.At(i).Text, wording)
		}
		if r.celebrates(c, i) {
			return i + 1
		}
		family := c.Length(i, "page-family")
		mine := family > 0 && c.Is("whose", c.At(i-1).Low)
		if about := c.At(i-2).Low == "about"; mine && about && r.Title == "" && (i+family == len(c.Tokens) || c.Length(i+family, "page-has") > 0) { // about my grandfather, a fisherman
			r.title(plaintext.Spelled(strings.ReplaceAll(c.Words(i, family), " ", "-")))
			return i + family
		}
		if is := c.whoIs(i + family); mine && is > 0 { // for my mum who is a florist
			r.Leave(said(c.to(i+family).from(i-1).Text), settings.Background)
			end := r.what(c, is)
			if trade := c.Tables["page-trade"][c.At(is-1).Low]; trade != "" && r.Subject != "" { // who repairs accordions
				r.Subject = english.Singular(r.Subject) + " " + trade
			}
			return end
		}
		if mine && i+family == len(c.Tokens) { // for my mum
			r.Leave(said(c.from(i-1).Text), settings.Background)
			return len(c.Tokens)
		} else if last := c.At(i + family - 1); n == 0 && family > 0 && i+family < len(c.Tokens) && c.owns(i+family) && (c.Is("whose", c.At(i-1).Low) || !possessive(c.At(i)) && c.capital(i+family)) { // but not the parents' association
			if n = family; possessive(last) {
				kin = i
			}
		}
	}
	if c.Is("page-audience", c.At(i).Low) && c.At(i+1).Low != "of" && !(english.IsPlural(c.At(i).Low) && c.isTrade(c.At(i+1).Low)) { // but not a residents association
		r.Leave(c.At(i).Text, settings.Background)
		return i + 1
	}
	family := i // grandma's birthday
	if kin > 0 {
		family = kin
	} else if possessive(c.At(i)) && c.Is("surroundings", c.At(i).Low) && !c.Ends(i+1) { // our village's festival
		i++
	}
	end := c.subjectEnd(i)
	if n := c.Length(i, "page-means"); n > 0 { // running for mayor of Elmstead
		end = i + n
	}
	for k := i + 1; k < end && end-i > project.MaxSubject; k++ {
		if low := c.At(k).Low; (low == "of" || low == "for") && c.At(k+1).Low == "the" && r.title(plaintext.Spelled(strings.ReplaceAll(plain(c.Tokens[i:end]), " ", "-"))) { // the open day of the volunteer fire brigade
			r.Subject = plain(c.Tokens[i:k])
			return end
		}
		if c.stands(k) > k { // a climbing wall in an old grain silo
			end = k
		}
	}
	name := c.nameAt(end)
	switch {
	case end == i && c.At(i).Quoted, end == i && name > i:
		return r.named(c, i)
	case end == i || end-i > project.MaxSubject:
		return i
	}
	own := c.Is("whose", c.At(i-1).Low) && c.Is("page-own-work", c.Words(i, end-i)) || c.At(i-1).Low == "the" && c.Is("page-event", c.Words(i, end-i))
	if r.Subject != "" && own { // a violin teacher, about my lessons
		r.Leave(said(c.to(end).from(i-1).Text), wording)
		return end
	}
	if last := c.At(end - 1).Low; name > end && c.Is("what-people-are", last) && r.Title == "" && c.Is("page-occasion", r.Subject) { // a memorial page for our caretaker Mr. Low
		r.Leave(said(c.to(end).from(i).Text), wording)
		return map[bool]int{true: name, false: i}[r.title(c.Written(end, name))]
	}
	last := c.At(end - 1).Low
	trade := c.Is("what-people-are", last) || english.HasSuffix(last, "ist", "cian")
	sharper := c.Is("page-general", r.Subject) && trade || c.Is("page-vague", r.Subject) && (trade || c.isTrade(last) || c.Is("page-vague", last)) // an author page for a crime novelist, a removals company
	if c.Is("page-day", c.Words(i, end-i)) && family == i || r.Subject != "" && !sharper && r.Subject != plain(c.Tokens[i:end]) {
		return i
	}
	if of := slices.IndexFunc(c.Tokens[i:end], func(t words.Token) bool { return t.Low == "of" }); name > end && of > 0 && of < end-i-1 { // the opening party of bar Nightjar
		return i
	}
	if name > end && c.to(end).from(i).holds("page-where") { // in cosmopolitan Leeds, in old town Tallinn
		return i
	}
	if last := c.At(end - 1).Low; family < i && (!c.isTrade(last) || c.Is("page-occasion", last) || c.Is("surroundings", c.At(family).Low)) {
		r.occasion = said(c.to(end).from(family).Text)
	}
	if trade := c.to(end).from(i).tradesman(name > end || c.At(end).Quoted); trade != "" { // a photographer's portfolio
		if r.Subject = trade; name > end || c.At(end).Quoted {
			return r.named(c, end)
		}
		return end
	}
	if r.Subject = plain(c.Tokens[i:end]); ordinal.MatchString(c.At(end-1).Low) || c.to(end).from(i).owned() {
		r.Subject = ""
		whose := said(c.to(end).from(i).Text)
		if r.vague = append(r.vague, whose); c.to(i).holds("determiner") { // but not ann's attic in ely
			r.whose = whose
		}
		r.Leave(whose, wording)
	}
	if meant := c.Tables["page-means"][r.Subject]; meant != "" {
		r.Subject = meant
	}
	if house := end == i+1 && c.Is("page-inn", r.Subject) && !c.Is("determiner", c.At(i-1).Low) && !c.Is("whose", c.At(i-1).Low); house && name > end && r.Title == "" { // hotel Paris
		at := r.named(c, end)
		r.Title = plaintext.Capital(c.At(i).Text) + " " + r.Title
		return map[bool]int{true: at, false: i}[at > end]
	}
	if c.At(end).Quoted || name > end {
		return r.named(c, end)
	}
	if c.At(end).Low == "of" && c.Is("page-of", c.At(end-1).Low) && c.nameAt(end+1) > end+1 { // the wedding of Anna and Tom
		return r.named(c, end+1)
	}
	if at := c.nameAt(end + 1); c.At(end).Low == "of" && at > end+1 && c.Is("page-civic", c.At(end-1).Low) { // the parish council of Little Wenlock
		return map[bool]int{true: at, false: i}[r.place(c.Written(end+1, at))]
	}
	if whom := c.After(end+1, "my", "our", "his", "her", "their"); c.At(end).Low == "of" && whom > end+1 { // the party of my husband Gary
		if c.Length(whom, "page-family") == 0 { // the history of our village
			r.Subject, end = "", i
		}
		whom = c.subjectEnd(whom)
		if end == i {
			r.whose = said(c.to(whom).from(i).Text)
		}
		r.Leave(said(c.to(whom).from(end).Text), wording)
		if end == i && r.named(c, whom) > whom { // the launch party of our magazine Drift: the page is of which?
			return i
		}
		return max(whom, r.named(c, whom))
	}
	if c.At(end).Low == "the" && c.At(end).Text == "the" && !c.capital(end+1) { // our bakery the crusty loaf
		k := c.subjectEnd(end + 1)
		if r.title(plaintext.Spelled(strings.ReplaceAll(plain(c.Tokens[end:k]), " ", "-"))) {
			return k
		}
	}
	return end
}

// whoIs gives the place behind words that tell what somebody is or has, or none: who is a florist, but not who is ill.
func (c clause) whoIs(i int) int {
	n := c.Length(i+1, "page-runs")
	if c.At(i).Low == "who" && c.Is("page-trade", c.At(i+1).Low) && !c.Is("determiner", c.At(i+2).Low) {
		return i + 2
	}
	if c.At(i).Low != "who" || n == 0 || !c.Is("determiner", c.At(i+1+n).Low) {
		return 0
	}
	return i + 1 + n
}

// headline reads what a page is about where a request begins with that: charity auction in aid of the hospice. Need a page.
func (r *reader) headline(c clause) bool {
	first := c.before == "" && !r.page && r.Title+r.Subject == "" && len(r.Sections)+len(r.Left) == 0
	if !first || c.opens() || c.holds("page-after-name") || c.holds("page-kind") || c.known() || c.holds("page-wish") || c.heart() != "" {
		return false
	}
	r.asked = true
	end := r.what(c, 0)
	noun := r.Title == "" || c.isTrade(r.Subject[strings.LastIndex(r.Subject, " ")+1:]) // Ann weds Tom
	return end > 0 && noun && !strings.HasSuffix(r.Subject, "ed") && r.tail(c, end, false) == len(c.Tokens)
}

// named reads a name, and what that is, where both are written as one: the Elm Road street party.
func (r *reader) named(c clause, i int) int {
	name := c.titleAt(i)
	if c.At(i).Quoted {
		name = i + 1
	}
	for k := i + 1; k < name; k++ { // a Travel Agency Named Wanderlust With Offers
		if c.Is("page-titled", c.At(k).Low) || c.At(k).Low == "with" && c.to(name).from(k+1).exact() {
			r.Refuse(c.Written(i, name))
		}
	}
	end := c.subjectEnd(name)
	text := plaintext.Capital(c.Written(i, name))
	if acronym.MatchString(text) && end > name && r.Subject == "" && c.Is("what-people-are", c.At(end-1).Low) { // a QA engineer
		r.Subject = text + " " + plain(c.Tokens[name:end])
		return end
	}
	if end > name {
		what, the := plain(c.Tokens[name:end]), false
		if what, the = strings.CutPrefix(what, "the "); the { // Sam the plumber
			text += " the"
		}
		if !c.At(i).Quoted {
			r.composed = true
			text += " " + plaintext.Spelled(strings.ReplaceAll(what, " ", "-"))
		}
		if r.Subject == "" {
			r.Subject = what
		}
	}
	if acronym.MatchString(text) && !c.At(i).Quoted || !r.title(text) { // our school PTA
		return i
	}
	return end
}

// subjectEnd gives the place behind the words from a place on that say what a page is about.
func (c clause) subjectEnd(i int) int {
	end := i
	for end < len(c.Tokens) && c.inSubject(i, end) {
		end++
	}
	return end
}

// inSubject says whether a word can be one of those that say what a page is about.
func (c clause) inSubject(from, i int) bool {
	t, class := c.At(i), c.ClassAt(i)
	of := i > from && c.At(i-1).Low == "of"
	switch {
	case i > from && year.MatchString(t.Low) && (of || !c.to(i).from(from).holds("page-joins")): // class reunion 1999, the class of 2025, but not founded in 1908
		return true
	case i == from && jubilee.MatchString(t.Low) && c.Is("page-years", c.At(i+1).Low): // our 25 year class reunion
		return true
	case t.Mark || t.Quoted || digits(t) && !ordinal.MatchString(t.Low) && (!distance.MatchString(t.Low) || c.capital(i+1)) || strings.ContainsAny(t.Low, "@/."), !of && c.nameAt(i) > i:
		return false
	case (t.Low == "every" || t.Low == "each") && c.Is("page-day", c.At(i+1).Low):
		return false
	case class == "heart" && t.Low == "in": // in French
		return false
	case c.stands(i) > i && (c.Length(i, "page-inside-of") > 1 || c.At(i+1).Low == "the" && c.Length(i, "page-joins") == 1): // next to the station, in the park
		return false
	case class == "named" || class == "fields" && t.Low != "section" && !c.shown(from, i) || class == "denial":
		return false
	case (t.Low == "by" || t.Low == "at") && c.Length(i, "page-joins") == 0, c.Length(i, "page-ends") > 0 && c.Length(i, "page-compound") == 0 && (i == from || c.Length(i-1, "page-compound") < 2) || c.Length(i, "page-empty") > 1 || c.Length(i, "page-left") > 0 || c.placed(i) > i:
		return false
	case i > from && !c.Ends(i+1) && (c.isTrade(c.At(i-1).Low) || c.Is("page-vague", c.At(i-1).Low)) && c.Is("page-doing", t.Low) && !c.isTrade(c.At(i+1).Low) && !c.Is("page-vague", c.At(i+1).Low): // a studio teaching salsa
		return false
	case class == "join":
		return i > from && c.couples(i)
	case c.Length(i, "page-joins") > 0 || class == "place":
		n := max(c.Length(i, "page-joins"), 1)
		called := c.Is("page-civil", c.At(i-1).Low) && i == from+1 // the city of Bath
		return i > from && !c.Ends(i+n) && !c.Is("whose", c.At(i+n).Low) && (c.nameAt(i+n) == i+n || t.Low == "of" && c.nameAt(i+n) == i+n+1 && !called) && !c.At(i+n).Quoted && fact(c.At(i+n)) == ""
	}
	if t.Low == "the" && i > from {
		return c.Length(i-1, "page-joins") > 1
	}
	return !c.Is("page-after-name", t.Low)
}

// shown says whether a word that asks for something elsewhere is what a page is about: a flower show, a show cave.
func (c clause) shown(from, i int) bool {
	if c.Length(i, "page-compound") > 0 {
		return true
	}
	more := !c.Ends(i+1) && c.Length(i+1, "page-has")+c.Length(i+1, "page-at")+c.Length(i+1, "page-ends") == 0 && fact(c.At(i+1)) == ""
	return c.At(i).Low == "show" && i > from && !more && !c.isTrade(c.At(i-1).Low)
}

// couples says whether "and" joins two words for one trade: a cafe and bakery.
func (c clause) couples(i int) bool {
	if i > 0 && c.Length(i-1, "page-coupled") == 3 {
		return true
	}
	rest := c.from(i + 1)
	ends := func(k int) bool {
		return c.Ends(k) || c.At(k).Quoted || c.capital(k) || c.ClassAt(k) == "named" || c.placed(k) > k || c.Length(k, "page-has") > 0
	}
	if last := c.At(i + 2).Low; ends(i+3) && !c.Ends(i+2) && c.ClassAt(i+2) == "" && !english.IsPlural(last) && (c.isTrade(last) || !rest.from(1).to(1).known()) { // a bike and ski shop
		return c.ClassAt(i+1) == "" && !c.capital(i+1) && !rest.to(min(2, len(rest.Tokens))).known()
	}
	return ends(i+2) && !rest.to(min(1, len(rest.Tokens))).known() && c.ClassAt(i+1) == "" && !c.capital(i+1) && !c.At(i+1).Mark
}

// placed gives the place behind words that tell where something is.
func (c clause) placed(i int) int {
	n := c.Length(i, "page-at")
	if n == 0 {
		return i
	}
	if c.topic(i, i+n) || c.dishes(i, i+n) { // a course in Public Speaking, a bar serving Belgian Beers
		return i
	}
	if end := c.placeAt(i + n); end > i+n && !(c.At(i+n-1).Low == "from" && c.At(end).Low == "to") { // from Passau to Vienna
		return end
	}
	if k := c.After(i+n, "our", "my", "the", "a", "this"); k > i+n && c.Is("surroundings", c.At(k).Low) && c.Ends(k+1) {
		return k + 1
	}
	return i
}

// topic says whether a name behind "in" is what somebody learns or knows, and no place.
func (c clause) topic(i, name int) bool {
	end := c.nameAt(name)
	studies := c.Tables["page-studies"][c.At(i-1).Low]
	return studies != "" && i > 0 && c.Length(name, "page-town") == 0 && (studies == "always" || end > name+1)
}

// dishes says whether a name behind "serving" is what people eat or drink, and no place.
func (c clause) dishes(i, name int) bool {
	serves := strings.HasPrefix(c.At(name-1).Low, "serv")
	return serves && c.Length(name, "page-town") == 0 && (c.foreign(name) || strings.Contains(c.Tables["usual"][c.At(i-1).Low], "menu"))
}

// stands gives the place behind words that tell in or on what something is, which has no name: in our neighbourhood centre.
func (c clause) stands(i int) int {
	of := i + c.Length(i, "page-inside-of")
	if of == i || !c.Is("determiner", c.At(of).Low) {
		return i
	}
	end := of + 1
	for !c.Ends(end) && !c.capital(end) && fact(c.At(end)) == "" && !c.At(end).Quoted && (c.ClassAt(end) == "" || c.ordinary(end, 1)) && c.Length(end, "page-ends")+c.Length(end, "page-at")+c.Length(end, "page-joins") == 0 {
		end++
	}
	if end == of+1 || end-of > longest+1 {
		return i
	}
	return end
}

// tail reads what stands behind a page or what it is about, phrase by phrase, and gives the place where it understands no
// more. Sections follow "with" only where the page is what has them.
func (r *reader) tail(c clause, i int, page bool) int {
	for i < len(c.Tokens) {
		m, n := c.Phrase(i)
		end := i
		switch t := c.At(i); {
		case c.Length(i, "page-empty")+c.Length(i, "page-courtesy") > 0 && !c.hers(i+1):
			end = i + max(c.Length(i, "page-empty"), c.Length(i, "page-courtesy"))
		case m.Class == "kind" && m.Value == project.Site && page:
			end = i + n
		case m.Class == "named":
			end = r.called(c, i+n)
		case page && c.Length(i, "page-for") > 0 && !(t.Low == "explaining" && r.Subject != ""):
			about := r.Title + r.Subject
			if self := c.from(i); t.Low == "about" && len(self.Tokens) == 2 && self.exact() && r.next.before == "," && slices.ContainsFunc(r.next.bare().items(), clause.known) { // a page about me, my lessons, prices
				r.listing = true
				return len(c.Tokens) * map[bool]int{true: 1}[r.add(self.section())]
			}
			end = r.what(c, i+c.Length(i, "page-for"))
			if c.At(i+1).Low == "sell" && english.IsPlural(r.Subject) { // a site to sell tickets is a shop
				return i
			}
			r.self = r.self || t.Low == "about" && c.Is("page-self", c.At(i+1).Low)
			page = r.Title+r.Subject == about && c.Is("page-audience", c.At(end-1).Low) && c.At(end).Low == "about" // for parents about our fair
			if end == i+c.Length(i, "page-for") {
				end = i
			}
		case c.Length(i, "page-has") > 0 && r.asked && c.ofPage(i) && !c.exhibits(i):
			if (c.Is("page-spent", r.Subject) || c.Is("page-alongside", r.Subject[strings.LastIndex(r.Subject, " ")+1:])) && r.Title == "" && c.company(i) {
				return i
			}
			r.listing, r.lists = true, c.skipped+i
			from := i + c.Length(i, "page-has")
			r.explicit = strings.Contains(c.Words(i, from-i), "sections")
			if t.Low == "where" && !c.from(from).shows() {
				return i
			}
			if c.At(from-1).Low == "about" && c.Is("page-person", c.At(from).Low) { // telling parents about me
				from--
			}
			if c.Is("page-tells-whom", c.At(from-1).Low) {
				from = c.whom(from)
			}
			if !r.items(c.from(from)) {
				return i
			}
			return len(c.Tokens)
		case c.spent(r.Subject, i) > i && r.Title == "":
			end = c.spent(r.Subject, i)
			r.title(plaintext.Spelled(strings.ReplaceAll(r.Subject, " ", "-")) + " " + c.Written(i, end))
		case c.deadline(i) > i && r.asked && c.kind() >= 0 && c.kind() < i:
			end = c.deadline(i)
			r.Leave(said(c.to(end).from(i).Text), settings.Background)
		case c.placed(i) > i:
			from := i + c.Length(i, "page-at")
			if r.doubtful || c.placed(i) == from+1 && c.capital(from) && c.Is("page-no-town", c.At(from).Low) { // Stitch in Time, Alice in Funderland, a nursery in Sale
				return i
			}
			r.doubtful = (t.Low == "in" || t.Low == "from") && r.behindTitle(c, i)
			if r.doubtful && (r.Place != "" || c.idiom(from, c.placed(i))) { // in Norwich called Stitch in Time
				return i
			}
			goods := t.Low == "from" && c.Is("page-goods-of", r.Subject[:strings.IndexByte(r.Subject+" ", ' ')])
			if end = c.placed(i); goods || c.Is("page-near", c.Words(i, from-i)) { // an importer of tea from Assam
				r.nearby = true
				r.Leave(said(c.to(end).from(i).Text), wording)
			} else if c.placeAt(from) == end && !r.whereIs(c, i, from, end) {
				end = i
			}
		case fact(c.At(c.After(i, "on", "from", "at", "in", "the"))) != "":
			end = c.After(i, "on", "from", "at", "in", "the") + 1
			f := c.to(end).factsFrom(end - 1)
			if f.end < end && r.When != "" { // 3pm to 9pm, behind a day
				f.hours = c.At(end - 1).Text
			} else if f.end < end {
				return i
			}
			r.take(f)
		case c.Length(i, "page-opens") > 0 && fact(c.At(i+c.Length(i, "page-opens"))) == "hours": // that is open Mon-Fri 9-17
			end = i + c.Length(i, "page-opens") + 1
			r.take(facts{hours: c.At(end - 1).Text})
		case settings.Is(c.Text, i) && c.Length(i, "page-told") == 0: // in memory of somebody
			end = r.Take(c.Text, i)
		case c.Length(i, "page-left") > 0:
			end = i + c.Length(i, "page-left")
			r.Leave(said(c.to(end).from(i).Text), c.Tables["page-left"][c.Words(i, end-i)])
		case t.Quoted || c.nameAt(i) > i:
			end = r.named(c, i)
		case c.Length(i, "page-told") > 0 && !page && (t.Low != "and" || c.kind() < 0 && !c.from(i).lists()) && !c.from(i).holds("page-wish") && !c.from(i).aboutNames() && c.from(i).heart() == "":
			end = c.untilPlace(i)
			for k := i + 1; k < end && c.kind() >= 0 && c.kind() < i; k++ {
				if has := c.Length(k, "page-has"); has > 0 && c.from(k + has).items()[0].bare().known() { // led by Jane Hill with concerts
					end = k
				}
			}
			if end > i+1 {
				r.Leave(said(c.to(end).from(i).Text), wording)
			}
		case !page && c.stands(i) > i:
			end = c.stands(i)
			r.Leave(said(c.to(end).from(i).Text), wording)
		case m.Class == "detail" && !c.from(i).names() && !c.from(i).quoted():
			end = len(c.Tokens)
			r.Leave(said(c.from(i).Text), m.Value)
		case m.Class == "heart":
			r.Hearts = append(r.Hearts, settings.Omission{What: c.Words(i, n), Why: m.Value})
			end = i + n
		}
		if end == i {
			return i
		}
		i = end
	}
	return i
}

// whereIs takes the place behind words for where that is, and tells what these say of it: in the south of France. Where somebody
// lives now is told rather than where they come from.
func (r *reader) whereIs(c clause, i, from, end int) bool {
	said, name := c.Words(i, from-i), c.Written(c.After(from, "the"), end)
	if the := c.After(from, "the") - 1; c.At(the).Text == "The" && c.At(i).Text == c.At(i).Low { // at The Swan
		name = "The " + name
	}
	land := c.At(from - 2).Low
	switch {
	case strings.HasSuffix(said, " of") && land == "isle" && c.capital(from):
		name = plaintext.Capital(land) + " of " + name
	case strings.HasSuffix(said, " of") && from-i > 2 && (from-i > 4 || !c.Is("page-civil", land)):
		r.Leave(c.Written(i, end), wording)
	case c.Length(i, "page-lives") > 0 && r.Place != "" && !r.placed:
		r.Leave(r.Place, several)
		r.Place = ""
	}
	return r.place(name)
}

// exhibits says whether a house shows what follows, and not the page: a gallery showing young artists.
func (c clause) exhibits(i int) bool {
	return c.At(i).Low == "showing" && c.Is("page-exhibits", c.At(i-1).Low) && !c.from(i + 1).items()[0].bare().known()
}

// hers says whether what somebody has follows a word for them: for her hair salon, but not for her with prices.
func (c clause) hers(i int) bool {
	next := c.Length(i+1, "page-has") + c.Length(i+1, "page-at") + c.Length(i+1, "page-for") + c.Length(i+1, "page-ends") + c.Length(i+1, "page-courtesy")
	return c.At(i).Low == "her" && !c.Ends(i+1) && c.ClassAt(i+1) == "" && next == 0
}

// whom gives the place behind those whom a page tells something: parents about me, owners what is included.
func (c clause) whom(i int) int {
	if who := c.Length(i, "visitor"); who > 0 && !c.Ends(i+who) {
		return i + who
	}
	if english.IsPlural(c.At(i).Low) && c.Length(i+1, "asking") > 0 {
		return i + 1
	}
	return i
}

// ofPage says whether what a place of a clause begins is told of the page: behind the word for it, or behind where it is.
func (c clause) ofPage(i int) bool {
	kind := c.kind()
	if kind >= 0 {
		return kind < i
	}
	first := c.from(i + c.Length(i, "page-has")).items()[0]
	where := c.Length(0, "page-at") > 0 && c.placed(0) == i || c.Length(0, "page-town") == i || c.nameAt(0) == i
	return where && first.bare().known()
}

// behindTitle says whether the name of the page ends before a place of a clause.
func (r *reader) behindTitle(c clause, i int) bool {
	return i > 0 && c.capital(i-1) && strings.HasSuffix(r.Title, c.At(i-1).Text)
}

// idiom says whether one word behind "in the" may be no place at all: Pie in the Sky, but not in the Cotswolds.
func (c clause) idiom(i, end int) bool {
	return c.At(i-1).Low == "the" && end == i+1 && !c.local(i, end) && !strings.HasSuffix(c.At(i).Low, "s")
}

// aboutNames says whether a name stands in a clause that no place is.
func (c clause) aboutNames() bool {
	return c.to(c.untilPlace(0)).names() && !c.Is("page-by", c.At(1).Low) && !c.Is("page-by", c.At(0).Low)
}

// untilPlace gives the place where it is told where something is, or the end.
func (c clause) untilPlace(i int) int {
	for ; i < len(c.Tokens); i++ {
		if c.placed(i) > i {
			return i
		}
	}
	return len(c.Tokens)
}
