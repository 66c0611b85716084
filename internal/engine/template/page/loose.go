package page

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

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
	r.loosely = append(r.loosely, c.said())
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
	head := c.At(slices.IndexFunc(c.Tokens, func(t words.Token) bool { return c.Is("page-joins", t.Low) }) - 1).Low        // conference on soil science
	return i > 0 || c.isTrade(last) || c.isTrade(head) || c.ClassAt(i+1) == "join" && c.Is("what-people-are", c.At(i).Low) // stonemason and letter carver
}

// tradeAlone says whether a clause tells what somebody is, and is no section: html page, florist, prices; a page for her, a bakery.
func (c clause) tradeAlone() bool {
	one := c.After(0, "a", "an") == 1 && c.isTrade(c.At(len(c.Tokens)-1).Low)
	return c.trade() && (one || !c.Is("page-skips", c.At(0).Low) && !c.known())
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

// studies says whether a clause behind somebody's name tells what they know of, and is no section: Dr. Lee, marine geology.
func (r *reader) studies(c clause) bool {
	who := c.Is("what-people-are", r.Subject[strings.LastIndex(r.Subject, " ")+1:])
	return r.near && who && c.inField() && c.before == "," && !c.known()
}

// inField says whether a clause tells what somebody works in: crime fiction, marine geology, legal and medical texts.
func (c clause) inField() bool {
	last := c.At(len(c.Tokens) - 1).Low
	field := c.Is("page-field", last) && len(c.Tokens) > 1 || len(c.items()) == 1 && english.HasSuffix(last, "ology", "physics", "nomics", "ematics", "chemistry")
	return field && !c.names() && !c.figures()
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
		if !c.Is("determiner", all[i].At(0).Low) && all[i].Length(0, "page-part-of") < 2 { // a map and list of houses
			return []clause{c}
		}
	}
	return all
}
