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

// longest bounds the words of a section's name; questions such as "what to bring with you" have more.
const longest = 4

// name gives a clause without what stands around the name of a section: a section about our team.
func (c clause) name() clause {
	c = c.to(len(c.Tokens) - c.toldOf())
	for n := c.Length(0, "page-part-of"); n > 0 && !c.exact() && n <= len(c.Tokens) && (n == len(c.Tokens) || c.At(n).Raw != ""); n = c.Length(0, "page-part-of") {
		self := n == len(c.Tokens) || c.Is("page-person", c.At(n).Low) && n+1 == len(c.Tokens)
		if self && (c.At(n-1).Low == "about" || n == len(c.Tokens)) { // a bit about us, sections about
			n--
		}
		if c = c.from(n); n == 0 {
			break
		}
	}
	for k := len(c.Tokens) - 1; k > 0 && c.Length(0, "asking") == 0; k-- {
		whole := c.Is("page-part-part", c.lows()[strings.LastIndex(c.lows(), " ")+1:]) && !c.to(k).exact() || c.Is("page-whole-part", c.lows()) // colouring pages, allergy info, service area
		if c.Length(k, "page-part-end") == len(c.Tokens)-k && !whole {
			c = c.to(k)
		}
	}
	if c.Is("whose", c.At(0).Low) && !c.exact() {
		c = c.from(1)
	}
	return c
}

// toldOf gives the number of words behind the name of a section that are only told of it: with prices.
func (c clause) toldOf() int {
	for k := 1; k < len(c.Tokens); k++ {
		if n := c.Length(k, "page-part-told"); n > 0 && k+n == len(c.Tokens) {
			return n
		}
	}
	return 0
}

// section gives the name of a section as pages have it.
func (c clause) section() string {
	var all []string
	for _, t := range c.name().Tokens {
		if isSign(t) { // found a hedgehog?
			continue
		}
		low := strings.ReplaceAll(t.Low, "&", "and")
		if possessive(t) { // this month's book
			low = strings.ReplaceAll(strings.ToLower(t.Raw), "'", "")
		}
		all = append(all, cmp.Or(c.Tables["page-full"][strings.ToLower(t.Text)], low))
	}
	return plaintext.Slug(strings.Join(all, " "))
}

func (c clause) lows() string { return c.Words(0, len(c.Tokens)) }

// exact says whether the words are the name of a section that many pages have.
func (c clause) exact() bool {
	if len(c.Tokens) > longest+2 {
		return false
	}
	whole := c.lows()
	for _, table := range []string{"section", "page-part", "layout", "other-part"} {
		if c.Is(table, whole) {
			return true
		}
	}
	return false
}

// known says whether a clause names a section for certain.
func (c clause) known() bool {
	c = c.name()
	n := len(c.Tokens)
	if n == 0 || c.figures() {
		return false
	}
	asks := n > 1 && n <= longest+2 && c.Length(0, "asking") > 0
	return c.exact() || c.ofSomething() || asks && !c.holds("page-wish") && (!c.Is("page-inverts", c.At(1).Low) || c.At(2).Low == "be" || c.At(0).Low == "who") && !c.relates() // what can be repaired
}

// ofSomething says whether a section is named with what it is of: rules of the hut, programme of the three days.
func (c clause) ofSomething() bool {
	n := len(c.Tokens)
	return n > 2 && n <= longest+2 && c.At(1).Low == "of" && c.to(1).exact() && !c.from(2).names() && !c.from(2).quoted() && len(c.from(2).items()) == 1
}

// sectional says whether a clause names a section that is hardly what somebody sells.
func (c clause) sectional() bool { return c.bare().known() && !c.Is("page-goods", c.bare().lows()) }

// relates says whether a clause tells of somebody before it, and asks nothing: who gives lessons.
func (c clause) relates() bool {
	being := c.Is("copula", c.At(1).Low)
	switch c.At(0).Low {
	case "who":
		asks := c.At(1).Low == "to" || c.Is("determiner", c.At(1).Low) && c.Is("copula", c.At(len(c.Tokens)-1).Low) // who to call, who the volunteers are
		return c.Length(1, "page-somebody")+c.Length(1, "may") == 0 && !being && !asks
	case "which":
		return being
	}
	return false
}

// items of a list: what "and" joins is several, unless it is the name of one.
func (c clause) items() (out []clause) {
	if n := len(c.Tokens); c.exact() || c.name().exact() || n > 3 && n <= longest+2 && c.Words(n-2, 2) == "or not" {
		return []clause{c}
	}
	from, tail := 0, c.toldTail()
	for i := range c.Tokens {
		if i > tail && c.tells(i) || i > 0 && c.Length(i-1, "page-looks") == 3 { // nice and big
			continue
		}
		if i > tail && c.Ends(i) {
			tail = len(c.Tokens)
		}
		one := i > 0 && i+1 < len(c.Tokens) && c.to(i+2).from(i-1).exact() // questions and answers
		if c.Vocabulary[c.At(i).Low].Class == "join" && !c.At(i).Quoted && !one {
			out = append(out, c.to(i).from(from))
			from = i + 1
		}
	}
	out = append(out, c.from(from))
	for k := range out {
		from, end := out[k].skipped, out[k].skipped+len(out[k].Tokens)
		out[k].asides = slices.DeleteFunc(slices.Clone(c.asides), func(a aside) bool { return a.at <= from || a.at > end })
	}
	return out
}

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
	if n := c.Length(0, "page-town"); r.placed && n > 0 && c.Length(n, "page-has") > 0 {
		return r.alone(c)
	}
	if c.quality() {
		return r.leave(c, wording)
	}
	if r.apposition(c) { // "Moss", a shop
		return false
	}
	if !r.listing && r.Title == "" && len(r.quoted) == 1 && c.quoted() && len(c.Tokens) == 1 { // a studio, "Lotus", classes
		return false
	}
	if (c.Is("page-ambiguous", c.name().lows()) || c.At(0).Low == "who" && c.Is("article", c.At(2).Low)) && !r.changing { // tests, of whom?
		r.Refuse(c.said())
		return true
	}
	if r.asked && r.Title+r.Subject == "" && len(r.Sections) == 0 && !r.listing && c.before == "," && !c.Is("page-skips", c.At(0).Low) && !c.known() && c.trade() { // html page, florist, prices
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
	for _, each := range all {
		whole := r.whole
		if each = each.bare(); len(each.Tokens) > 0 && !r.part(each) {
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

// quality says whether a clause tells only what something is like, or when it is open: family run, closed in summer.
func (c clause) quality() bool {
	if c.Length(0, "page-when-open") > 0 || c.Tables["page-orders"][c.At(0).Low] == "guests" {
		return !c.told() && !c.known() && len(c.items()) == 1
	}
	return len(c.Tokens) > 0 && !slices.ContainsFunc(c.items(), func(each clause) bool {
		return each.bare().Length(0, "page-quality") != len(each.bare().Tokens)
	})
}

// part reads one item of a list of sections.
func (r *reader) part(c clause) bool {
	name := c.name()
	n := len(name.Tokens)
	if n > 3 && name.Words(n-2, 2) == "or not" && name.to(n-2).plainWords() && !name.names() { // dogs allowed or not
		return n <= longest+2 && r.add(name.to(n-2).section())
	}
	if k := name.Length(0, "page-header"); k > 0 && r.header(name.from(k)) {
		return true
	}
	if k := name.endsWith("page-looks"); k > 0 { // my phone number nice and big
		r.Leave(said(name.from(k).Text), cmp.Or(c.Tables["page-looks"][name.from(k).lows()], "colours and themes"))
		return r.part(name.to(k))
	}
	if k := name.endsWith("page-left"); k > 0 { // menu in three languages
		r.Leave(said(name.from(k).Text), c.Tables["page-left"][name.from(k).lows()])
		return r.part(name.to(k))
	}
	if n > 3 && name.At(n-1).Low == "only" && name.At(n-3).Low == "by" { // booking by phone only
		r.Leave(said(name.from(n-3).Text), wording)
		return r.part(name.to(n - 1))
	}
	if m, k := name.Phrase(0); k == 1 && n == 2 && m.Value == "maps" && c.Tables["layout"][name.At(1).Low] == "location" { // map address
		r.Leave(name.At(0).Text, m.Value)
		return r.part(name.from(1))
	}
	known := name.known() && !(r.opening && name.ofSomething())
	for i := 1; i < n && !known; i++ {
		owned := name.nameAt(i+1) > i+1 || name.Is("determiner", name.At(i+1).Low) && r.Subject == ""
		if name.At(i).Low == "for" && owned && r.Title == "" { // directions for Osteria Lupo in Trieste
			end := r.what(name, i+1)
			return end > i+1 && r.tail(name, end, false) == n && r.part(name.to(i))
		}
		if who := max(name.Length(i, "visitor"), name.Length(i, "page-somebody")); who > 0 && name.Length(i+who, "may") > 0 && !name.names() { // a blog i can edit
			r.Leave(said(name.from(i).Text), server)
			return r.part(name.to(i))
		}
	}
	for i := 1; i < n-1 && !known; i++ {
		rest := name.from(i)
		tail := c.Is("page-tail", name.At(i).Low) && (n > longest || len(name.items()) == 1 && rest.holds("page-and"))
		until := name.At(i).Low == "by" && c.Is("page-announces", name.At(i+1).Low) && rest.figures() && !rest.reachable() // RSVP by email until May 1st
		costs := name.At(i).Low == "of" && n < i+4 && rest.figures()                                                       // entry fee of £4
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
	case r.undone(c, strings.HasPrefix(c.At(len(c.Tokens)-1).Raw, "@")): // instagram @taco
		return true
	case strings.HasPrefix(c.At(len(c.Tokens)-1).Raw, "@"): // insta @taco
		return !c.names() && r.leave(c, wording)
	case name.names() && !r.capitals && name.At(0).Low != "about":
		return false
	case name.quoted() || n == 0 || n > longest || name.holds("page-must") || name.Length(0, "page-wish") > 0 && name.skipped == c.skipped:
		return false
	case name.undoneOf(): // an interactive map/calendar
		return false
	case name.strange() || name.At(0).Low == "first" && name.from(1).exact(): // first lessons, then contact
		return false
	}
	r.pages(c)
	return r.add(name.section())
}

// endsWith gives the place behind the name of a section where a phrase of a table stands, or none.
func (c clause) endsWith(table string) int {
	for k := 1; k < len(c.Tokens); k++ {
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

// loose reads a clause that nothing announces: a name, a place, a section, what somebody is, or a detail.
func (r *reader) loose(c clause) bool {
	if c.colon && c.before == ":" && !c.names() && !c.quoted() && !c.known() && r.leave(c, wording) || r.alone(c) {
		r.asked = true
		return true
	}
	if r.addressed && len(c.Tokens) == 2 && c.Length(0, "page-unit") == 1 && digits(c.At(1)) { // Suite 4
		r.Address += ", " + c.said()
		return true
	}
	if r.asked && c.At(0).Low == "who" && c.relates() && !c.names() && !c.holds("page-wish") && c.heart() == "" { // who does weddings
		return r.leave(c, wording)
	}
	if end := c.subjectEnd(0); !r.asked && r.page && r.Title != "" && end > 0 && c.Is("what-people-are", c.At(end-1).Low) { // Product manager in Cork
		r.asked = true
	}
	if c.opens() || c.names() && !r.asked && !c.role() {
		return false
	}
	if n := c.Length(0, "page-profile"); n > 0 {
		end := r.what(c, n)
		return end > n && r.tail(c, end, false) == len(c.Tokens)
	}
	if own := c.After(0, "our", "my"); own > 0 && r.Title != "" && c.Is("copula", c.At(c.subjectEnd(own)).Low) { // our concert is on 21 June
		return false
	}
	last := c.At(len(c.Tokens) - 1).Low
	before := c.colon && c.before == "," && r.next.known() && r.Title != "" && len(r.Sections) == 0 && len(c.Tokens) < 4 && !c.known() && c.Vocabulary[last].Class == "" && !english.IsPlural(last) && c.At(0).Low != "the" // soil whisperer: bio, talks
	if (r.asked && r.near || c.quoted()) && r.Subject == "" && !c.role() && (c.trade() || before) && !(r.topics && c.Is("whose", c.At(0).Low)) {
		end := r.what(c, 0)
		return end > 0 && r.tail(c, end, false) == len(c.Tokens)
	}
	if k := c.untilPlace(0); r.asked && !r.listing && k > 0 && k < len(c.Tokens) && c.placed(k) == len(c.Tokens) && !c.to(k).names() && !c.figures() { // Italian courses in Dublin
		if r.Place != "" { // formerly in Essex
			return !c.holds("page-wish") && r.leave(c, wording)
		}
		r.Leave(said(c.to(k).Text), wording)
		return !c.to(k).holds("page-wish") && !c.to(k).known() && r.tail(c, k, false) == len(c.Tokens)
	}
	switch {
	case c.role():
		return r.leave(c, wording)
	case c.names() || c.quoted() || c.holds("page-wish") || r.topics:
		return false
	case c.exactFirst() || c.Length(0, "page-trait") > 0 || c.Is("page-trait", c.At(len(c.Tokens)-1).Low) || r.aside && len(c.Tokens) <= longest: // parking by the church
		return c.heart() == "" && r.leave(c, wording)
	}
	return r.asked && !r.listed && !r.topics && !c.known() && len(c.Tokens) <= 3 && c.before == "," && !c.figures() && c.plainWords() && r.leave(c, wording)
}

// role says whether a clause tells the name of somebody with what they do: author Nora Flynn, chair is Morag Sutherland.
func (c clause) role() bool {
	i := c.After(0, "the", "our", "my")
	n := c.Length(i, "page-role")
	from := c.After(i+n, "is", "are")
	return n > 0 && c.nameAt(from) > from && c.nameAt(from) == len(c.Tokens)
}

// exactFirst says whether where or how something is follows the name of a section.
func (c clause) exactFirst() bool {
	return len(c.Tokens) > 2 && c.to(1).exact() && c.Length(1, "page-at") > 0 && !c.figures()
}

// plainWords says whether no word of a clause means anything else.
func (c clause) plainWords() bool {
	return !slices.ContainsFunc(c.Tokens, func(t words.Token) bool {
		m := c.Vocabulary[t.Low]
		return m.Class != "" && m.Class != "join" && m.Class != "stop" && !t.Capital && !c.Is("page-plain", t.Low)
	})
}

// trade says whether a clause tells what somebody or something is: a cocktail bar in Porto, web developer.
func (c clause) trade() bool {
	i := 0
	for c.Is("article", c.At(i).Low) || c.Is("page-skips", c.At(i).Low) {
		i++
	}
	end := c.subjectEnd(i)
	if end == i || c.At(i).Low == "the" || c.exactFirst() { // parking on Church Field
		return false
	}
	last := c.At(end - 1).Low
	if class := c.Vocabulary[last].Class; class == "detail" || class == "stop" { // and a map, the following
		return false
	}
	located := end < len(c.Tokens) && c.placed(end) == len(c.Tokens) // vet in Kumasi
	if located || c.At(end).Quoted || c.nameAt(end) > end {
		return true
	}
	return i > 0 || c.isTrade(last)
}

// isTrade says whether a word is what somebody or something is.
func (c clause) isTrade(w string) bool {
	return c.Tables["usual"][w] != "" || c.Is("what-people-are", w) || c.Is("page-premises", w) || c.Is("page-body", w) || c.Is("institution", w) || english.HasSuffix(w, "ist", "rian", "cian")
}

// apposition says whether a clause behind the name of a page tells what that is, and is no section: Sarah Lee, yoga teacher, classes.
func (r *reader) apposition(c clause) bool {
	if r.listing || !r.asked || !r.near || r.Title == "" || r.Subject != "" || c.before != "," || c.names() {
		return false
	}
	last, article := c.At(len(c.Tokens)-1).Low, c.After(0, "a", "an") == 1
	if c.known() {
		return article && c.isTrade(last)
	}
	if r.tellsWhat(c) && c.isTrade(last) && len(c.Tokens) > 1 { // Green Farm, farm shop: is it what that is, or a section?
		r.Refuse(c.said())
	}
	if r.tellsWhat(c) {
		return false
	}
	several := strings.ContainsAny(r.Title, "&") && english.IsPlural(last)
	return article || c.isTrade(last) && !english.IsPlural(last) || several && c.isTrade(english.Singular(last))
}

// detail leaves out a clause of which a word tells that no page can have it.
func (r *reader) detail(c clause) bool {
	if c.names() || c.quoted() || c.kind() >= 0 || c.row() && !c.opens() {
		return false
	}
	if slices.ContainsFunc(c.items(), func(each clause) bool { return each.bare().known() }) {
		return false
	}
	if c.figures() {
		return false
	}
	for _, each := range c.apart() {
		if !r.undone(each, true) {
			return false
		}
	}
	return true
}

// apart gives what "and" joins for certain: words behind it that begin with an article share none with those before.
func (c clause) apart() []clause {
	all := c.items()
	for i := len(all) - 1; i > 0; i-- {
		if !c.Is("determiner", all[i].At(0).Low) {
			return []clause{c}
		}
	}
	return all
}

// bracket reads what stands in brackets: what is told of a section, or whose a page is.
func (r *reader) bracket(c clause, a aside) {
	x := a.Text
	inside := cut(x)
	if (r.listing || r.listed || r.telling > 0) && a.at > r.lists {
		whole := clause{Text: x, before: ","}
		switch {
		case whole.nameAt(0) == len(x.Tokens):
			self := c.to(min(max(a.at-c.skipped, 0), len(c.Tokens))).endsWithSelf()
			switch {
			case r.Title != "" && !self: // about the author (Mara Quill)
				r.Leave(said(x), wording)
			case !self || !r.title(said(x)):
				r.Refuse(said(x))
			}
		case len(inside) == 1 && len(inside[0]) > 1 && inside[0][0].onlyName() && r.Title == "" && c.to(min(max(a.at-c.skipped, 0), len(c.Tokens))).endsWithSelf(): // who I am (Ada Low, 20 years in the trade)
			rest := slices.IndexFunc(x.Tokens, func(t words.Token) bool { return t.Mark })
			r.title(inside[0][0].said())
			r.Leave(said(words.Text{Tokens: x.Tokens[rest+1:], Lexicon: x.Lexicon}), wording)
		case len(inside) == 1 && r.allFacts(inside[0], c.to(min(max(a.at-c.skipped, 0), len(c.Tokens))).holds("page-dates")):
		case whole.figures():
			r.Leave(said(x), figures)
		default:
			r.Leave(said(x), wording)
		}
		return
	}
	was := *r
	r.placed, r.listing, r.listed, r.telling, r.label = false, false, false, 0, ""
	for _, sentence := range inside {
		runs := listed(sentence)
		for k, each := range sentence {
			r.aside, r.asked, r.listed = true, true, runs[k] && len(sentence) > 1
			r.clause(each)
		}
	}
	r.aside, r.whole, r.listing, r.listed, r.telling, r.label = was.aside, was.whole, was.listing, was.listed, was.telling, was.label
}

// endsWithSelf says whether a clause ends with words for somebody of whom a page tells: who I am.
func (c clause) endsWithSelf() bool { return c.from(max(0, len(c.Tokens)-3)).holds("page-self") }

// local says whether a place may follow facts: a town behind a street, or where something is behind the day of it.
func (f facts) local(dated bool) bool { return f.address != "" || f.when != "" && dated }

// allFacts takes what stands in brackets where all of it is facts, with the day of what the page is about if it is dated.
func (r *reader) allFacts(all []clause, dated bool) bool {
	town, told := -1, false
	for k, c := range all {
		f := c.factsFrom(0)
		told = told || c.told()
		if k > 0 && k == len(all)-1 && all[k-1].factsFrom(0).local(dated) && c.placeAt(0) == len(c.Tokens) { // 14 Harbour Row, Whitby
			town = k
		} else if f.end < len(c.Tokens) || f.when != "" && !dated {
			return false
		}
	}
	if !told { // by email only
		return false
	}
	for k, c := range all {
		if k == town {
			return r.place(c.Written(0, len(c.Tokens)))
		}
		r.take(c.factsFrom(0))
	}
	return true
}
