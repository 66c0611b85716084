package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// longest bounds the words of a section's name; questions such as "what to bring with you" have more.
const longest = 4

// name gives a clause without what stands around the name of a section: a section about our team.
func (c clause) name() clause {
	c = c.to(len(c.Tokens) - c.toldOf())
	for n := c.Length(0, "page-part-of"); n > 0 && n <= len(c.Tokens) && (n == len(c.Tokens) || c.At(n).Raw != ""); n = c.Length(0, "page-part-of") {
		self := n == len(c.Tokens) || c.Is("page-person", c.At(n).Low) && n+1 == len(c.Tokens)
		if self && (c.At(n-1).Low == "about" || n == len(c.Tokens)) { // a bit about us, sections about
			n--
		}
		if c = c.from(n); n == 0 {
			break
		}
	}
	for k := len(c.Tokens) - 1; k > 0 && c.Length(0, "asking") == 0; k-- {
		whole := c.Is("page-part-part", c.lows()[strings.LastIndex(c.lows(), " ")+1:]) && !c.to(k).exact() // colouring pages
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
		if t.Low == "optional" { // as a question mark is read: found a hedgehog?
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

// lists says whether a word of a clause is the name of a section.
func (c clause) lists() bool {
	for i := range c.Tokens {
		if c.to(i+1).from(i).exact() && c.At(i).Low != "about" {
			return true
		}
	}
	return false
}

// row says whether the names of two sections stand side by side, where nothing divides them: gigs photos and a mail.
func (c clause) row() bool {
	return slices.ContainsFunc(c.items(), func(each clause) bool {
		count := 0
		for i := range each.Tokens {
			if low := each.At(i).Low; each.to(i+1).from(i).exact() && low != "about" && !c.Is("page-announces", low) {
				count++
			}
		}
		return count > 1
	})
}

// known says whether a clause names a section for certain.
func (c clause) known() bool {
	c = c.name()
	n := len(c.Tokens)
	if n == 0 || c.figures() {
		return false
	}
	asks := n > 1 && n <= longest+2 && c.Length(0, "asking") > 0
	return c.exact() || asks && !c.holds("page-wish") && !c.Is("page-inverts", c.At(1).Low) && !c.relates()
}

// sectional says whether a clause names a section that is hardly what somebody sells.
func (c clause) sectional() bool { return c.bare().known() && !c.Is("page-goods", c.bare().lows()) }

// relates says whether a clause tells of somebody before it, and asks nothing: who gives lessons.
func (c clause) relates() bool {
	being := c.Is("copula", c.At(1).Low)
	switch c.At(0).Low {
	case "who":
		return c.Length(1, "page-somebody")+c.Length(1, "may") == 0 && !being
	case "which":
		return being
	}
	return false
}

// items of a list: what "and" joins is several, unless it is the name of one.
func (c clause) items() (out []clause) {
	if c.exact() || c.name().exact() {
		return []clause{c}
	}
	from := 0
	for i := range c.Tokens {
		one := i > 0 && i+1 < len(c.Tokens) && c.to(i+2).from(i-1).exact() // questions and answers
		if c.Vocabulary[c.At(i).Low].Class == "join" && !c.At(i).Quoted && !one {
			out = append(out, c.to(i).from(from))
			from = i + 1
		}
	}
	return append(out, c.from(from))
}

// listed says which clauses of a sentence stand in a row of short ones, of which one is certainly a section.
func listed(all []clause) []bool {
	out := make([]bool, len(all))
	for from := 0; from < len(all); {
		end, known := from, false
		for end < len(all) && all[end].short() {
			for _, each := range all[end].bare().items() {
				n := each.announced()
				known = known || each.sectional() || n > 0 && !each.to(n).factual() && len(all) > 1
			}
			end++
		}
		if end < len(all) && all[end].bare().onlyName() && all[from].before != ":" { // Liv Aasen, weddings, Oslo
			known = false
		}
		for k := from; k < end; k++ {
			out[k] = known
		}
		from = max(end, from+1)
	}
	return out
}

// deals says whether clauses begin with what somebody has or does, and list more of it, up to an "and" or the end.
func deals(all []clause) bool {
	first := all[0].bare()
	who := first.Length(0, "page-somebody")
	if who == 0 || first.holds("page-wish") || len(first.items()) > 1 {
		return false
	}
	for _, c := range all[1:] {
		if c = c.bare(); c.opens() || c.figures() || c.names() || c.kind() >= 0 {
			return false
		}
		if len(c.items()) > 1 {
			return true
		}
	}
	return len(all) > 1 && first.Length(who, "page-deals") > 0
}

// onlyName says whether a clause is nothing but a name.
func (c clause) onlyName() bool {
	n := len(c.Tokens)
	return n > 0 && c.nameAt(0) == n && c.sure(0, n) && !c.known()
}

// short says whether a clause can be an item of a list of sections.
func (c clause) short() bool {
	if c = c.bare(); len(c.Tokens) > maxClause {
		return false
	}
	name := c.onlyName()
	return c.kind() < 0 && (c.Length(0, "page-pronoun")+c.Length(0, "page-wishes") == 0 || c.known()) && !name && (!c.names() || c.known() || c.At(0).Low == "about") && len(c.Tokens) > 0
}

// items reads a list of sections. Each is read, or none is.
func (r *reader) items(c clause) bool {
	told := c.Length(0, "page-pronoun") > 0 || c.Length(0, "page-wishes") > 0 && c.opens()
	if !r.listing && !r.listed || told && !c.known() {
		return false
	}
	if r.elsewhere && c.onlyName() { // a map to 8 Station Road, Hexham
		return r.text(c)
	}
	all, last := c.items(), len(c.Tokens)-1
	told = c.At(0).Low == "available" || c.Is("page-welcome", c.At(last).Low) && !slices.ContainsFunc(all, clause.known)
	if told && last > 0 && !c.names() { // beginners welcome, available for weddings
		return r.leave(c, wording)
	}
	for _, each := range all {
		if each = each.bare(); len(each.Tokens) > 0 && !r.part(each) {
			return false
		}
	}
	return true
}

// part reads one item of a list of sections.
func (r *reader) part(c clause) bool {
	name := c.name()
	n := len(name.Tokens)
	known := name.known()
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
		if rest := name.from(i); c.Is("page-more", name.At(i).Low) && name.to(i).exact() && !rest.figures() { // directions to the Stadthalle, contact with my Instagram
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
	case r.fact(c), c.figures() && r.undone(c, false):
		return true
	case contact:
		r.take(name.factsFrom(mail))
		return r.part(name.to(mail))
	case c.figures() || c.told():
		return !c.opens() && c.located() && r.text(c)
	case c.At(0).Low == "that":
		return !c.names() && r.leave(c, wording)
	case m.Class == "given" || c.Is("serverless", m.Class) || settings.Is(name.Text, 0):
		return r.setting(c)
	case n > 2 && n <= longest && name.to(1).exact() && name.At(1).Low == "of": // history of the museum
		return r.add(name.section())
	case r.undone(c, strings.HasPrefix(c.At(len(c.Tokens)-1).Raw, "@")): // instagram @taco
		return true
	case name.names() && !r.capitals && name.At(0).Low != "about":
		return false
	case name.quoted() || n == 0 || n > longest || name.holds("page-must") || name.Length(0, "page-wish") > 0 && name.skipped == c.skipped:
		return false
	case name.strange() || name.At(0).Low == "first" && name.from(1).exact(): // first lessons, then contact
		return false
	}
	r.pages(c)
	return r.add(name.section())
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

// pages tells what is left out of a section: what is told of it, and that it is a page of its own.
func (r *reader) pages(c clause) {
	if n := c.toldOf(); n > 0 {
		told := c.from(len(c.Tokens) - n)
		r.Leave(said(told.Text), c.Tables["page-part-told"][told.lows()])
	}
	switch last := c.At(len(c.Tokens) - 1).Low; {
	case last == "pages":
		r.Leave("separate pages", "they are sections of the one page")
	case r.changing && c.holds("page-own"):
		r.Leave("a page of its own", "it is a section of the one page")
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
		case c.At(i).Quoted:
		case m.Class == "heart" && ends && (!name || c.Is("interactive", c.At(i).Low)):
			r.Hearts = append(r.Hearts, settings.Omission{What: c.Words(i, n), Why: m.Value})
			r.whole = true
			return true
		case m.Class == "detail" && n == 1 && !loosely && len(c.Tokens) > 1 && c.from(len(c.Tokens)-1).exact(): // the family history
		case m.Class == "detail" && m.Value != "dates" && (ends || loosely && !name):
			return r.leave(c, m.Value)
		case k+c.Length(i, "manner") > 0 && c.At(i+1).Low != "after":
			return r.leave(c, cmp.Or(looks, "colours and themes"))
		case c.Is("interactive", c.At(i).Low) && i+1 == len(c.Tokens) && !c.from(i).exact(), c.Length(i, "page-undone") > 0 && c.Length(i, "page-undone")+i == len(c.Tokens):
			return r.leave(c, active)
		}
	}
	return false
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

// wishes reads what the page is to have, or to be like.
func (r *reader) wishes(c clause) bool {
	n := c.Length(0, "page-wishes")
	if c.Length(0, "page-likes") >= max(n, 1) { // make it dark
		return r.detail(c)
	}
	if n == 0 || c.kind() >= 0 {
		return false
	}
	rest := c.from(n)
	if len(rest.items()) == 1 && !rest.known() && r.detail(c) {
		return true
	}
	r.listing, r.capitals = true, rest.holds("page") || c.At(0).Low != "include" && c.Is("page-tells", c.At(0).Low)
	return r.items(rest)
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
	if (r.asked || c.quoted()) && r.Subject == "" && !c.role() && c.trade() && !(r.topics && c.Is("whose", c.At(0).Low)) {
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
	return r.asked && !r.listed && !r.topics && len(c.Tokens) <= 3 && c.before == "," && !c.figures() && c.plainWords() && r.leave(c, wording)
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
	if c.Vocabulary[last].Class == "detail" { // and a map
		return false
	}
	located := end < len(c.Tokens) && c.placed(end) == len(c.Tokens) // vet in Kumasi
	if located || c.At(end).Quoted || c.nameAt(end) > end {
		return true
	}
	return i > 0 || c.Tables["usual"][last] != "" || c.Is("what-people-are", last) || strings.HasSuffix(last, "ist")
}

// detail leaves out a clause of which a word tells that no page can have it.
func (r *reader) detail(c clause) bool {
	if c.names() || c.quoted() || c.kind() >= 0 || c.row() && !c.opens() {
		return false
	}
	if slices.ContainsFunc(c.items(), func(each clause) bool { return each.bare().known() }) {
		return false
	}
	return !c.figures() && r.undone(c, true)
}

// bracket reads what stands in brackets: what is told of a section, or whose a page is.
func (r *reader) bracket(c clause, a aside) {
	x := a.Text
	inside := cut(x)
	if (r.listing || r.listed || r.telling > 0) && a.at > r.lists {
		whole := clause{Text: x, before: ","}
		switch {
		case whole.nameAt(0) == len(x.Tokens):
			before := c.to(min(max(a.at-c.skipped, 0), len(c.Tokens)))
			at := max(0, len(before.Tokens)-3)
			self := before.from(at).holds("page-self")
			switch {
			case r.Title != "" && !self: // about the author (Mara Quill)
				r.Leave(said(x), wording)
			case !self || !r.title(said(x)):
				r.Refuse(said(x))
			}
		case len(inside) == 1 && r.allFacts(inside[0]):
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
		for _, each := range sentence {
			r.aside, r.asked = true, true
			r.clause(each)
		}
	}
	r.aside, r.whole, r.listing, r.listed, r.telling, r.label = was.aside, was.whole, was.listing, was.listed, was.telling, was.label
}

// allFacts takes what stands in brackets where all of it is facts.
func (r *reader) allFacts(all []clause) bool {
	for _, c := range all {
		if f := c.factsFrom(0); f.end < len(c.Tokens) || f.when != "" {
			return false
		}
	}
	for _, c := range all {
		r.take(c.factsFrom(0))
	}
	return true
}
