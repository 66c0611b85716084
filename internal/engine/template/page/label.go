package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
)

// labelled reads a word with a colon behind, and what follows the colon.
func (r *reader) labelled(c clause) bool {
	phrase := c.Words(0, len(c.Tokens))
	if other := c.Tables["page-tells"][phrase]; r.label == "left" && c.colon && c.before == "," && r.words != "" && len(c.Tokens) < 4 && (!c.known() || r.next.figures()) && (other == "" || other == "left") && !c.names() { // Haircut: £15, beard: £10
		r.words = c.said()
		return true
	}
	if label := r.label; label != "" && c.before != "" {
		r.label = ""
		if c.before != ":" && (c.kind() >= 0 || c.opens() || c.factsFrom(0).end == len(c.Tokens)) {
			return r.understood(c)
		}
		return r.value(c, label)
	}
	if c.colon && (c.wishing() == len(c.Tokens) || c.Is("page-heads", phrase)) && r.next.kind() >= 0 { // need: website
		return true
	}
	if c.colon && r.next.kind() >= 0 && !r.page && r.headline(c) { // class reunion 1999: page with
		return true
	}
	label := c.Tables["page-tells"][phrase]
	if !c.colon || r.listing && label == "" && !c.known() {
		return false
	}
	switch first := c.before == "" && !r.aside; {
	case strings.HasSuffix(phrase, " name") || strings.HasPrefix(phrase, "name of "):
		label = "title"
	case r.next.onlyName() && c.of(r.Subject): // a bike shop. The shop: Velo Nord
		label = "title"
	case r.behind > 1 && c.Is("page-lists", phrase): // Features: desks, pricing, location
		label = "parts"
	case label != "":
	case c.wishing() == len(c.Tokens):
		label = "parts"
	case first && c.Is("page-announces", phrase): // Contact: Peter, peter@choir.example
		if label = "left"; phrase == "contact" && len(r.Sections) > 0 {
			r.add("contact")
		}
	case r.next.onlyFacts() && c.known() && first && r.behind == 0: // Meetings: Tuesday 10am
		label = "left"
	case c.kind() < 0 && (c.known() || !r.next.onlyFacts() && len(c.Tokens) < 4 && c.from(len(c.Tokens)-1).exact()):
		r.telling, r.foreign = 1, !c.known()
		return r.part(c)
	case first && len(c.Tokens) == 1 && english.IsPlural(phrase) && !r.next.figures() && c.plainWords() && !c.names(): // Subjects: maths
		r.telling, r.foreign = 1, false
		return r.part(c)
	case first && len(c.Tokens) < 4 && c.kind() < 0 && !c.opens() && !c.names() && c.plainWords(): // Distances: 5 km
		label = "left"
	}
	r.label, r.words = label, c.said()
	return label != ""
}

// of says whether a clause is what a page is about, with an article before it.
func (c clause) of(subject string) bool {
	what := c.from(c.After(0, "the", "our", "my")).lows()
	return what != "" && (what == subject || strings.HasSuffix(subject, " "+what))
}

// enumerates reads what a section has, of which more follows: services are wiring, lighting.
func (r *reader) enumerates(c clause) bool {
	for i := 1; i < min(len(c.Tokens)-1, longest); i++ {
		has := c.Is("page-consists", c.At(i).Low)
		if there := c.At(0).Low == "there" && i == 1; has && there && c.before == "" && len(r.next.Tokens) > 0 && !r.next.opens() && !c.figures() { // there are repairs, coffee, rides
			r.telling, r.foreign = 1, false
			return r.leave(c, wording)
		}
		if !has || c.before != "" || c.figures() || len(r.next.Tokens) == 0 || !c.to(i).sectional() {
			continue
		}
		r.Leave(said(c.from(i+1).Text), wording)
		r.telling, r.foreign, r.whole = 1, false, true
		return r.add(c.to(i).bare().section())
	}
	return false
}

// value reads what stands behind a word with a colon.
func (r *reader) value(c clause, label string) bool {
	whole := c.Written(0, len(c.Tokens))
	switch label {
	case "title":
		r.asked = true
		if end := c.titleAt(0); end > 0 && end == len(c.Tokens)-1 && jubilee.MatchString(c.At(end).Low) { // Cafe 21
			return r.names(whole)
		} else if end > 0 {
			return r.names(c.Written(0, end)) && r.tail(c, end, false) == len(c.Tokens)
		}
		return r.names(whole)
	case "place":
		if fact(c.At(0)) != "" {
			return r.fact(c)
		}
		if r.asked = true; c.Length(0, "page-at") > 0 {
			return r.tail(c, 0, false) == len(c.Tokens)
		}
		return r.place(whole)
	case "subject":
		if strings.EqualFold(r.words, "about") && r.Subject != "" { // About: we have been here since 1990
			r.add("about")
		}
		if r.asked = true; r.Subject != "" && !c.names() {
			return r.leave(c, wording)
		}
		return r.what(c, 0) == len(c.Tokens)
	case "parts":
		r.listing, r.capitals, r.explicit = true, true, true
		return r.items(c)
	case "when":
		r.asked = true
		return r.fact(c)
	case "named": // Wedding: Ella & Finn
		if r.Title == "" && (c.onlyName() || c.quoted() && len(c.Tokens) == 1) {
			r.asked, r.Subject = true, cmp.Or(r.Subject, strings.ToLower(r.words))
			return r.title(whole)
		}
	}
	if !c.Is("page-tells", strings.ToLower(r.words)) && (c.nameAt(0) > 1 || c.quoted()) { // whose page it is may be told here
		r.vague = append(r.vague, c.said())
	}
	for _, each := range c.items() {
		low := each.bare().lows()
		if paper := c.Is("page-paper", low[strings.LastIndex(low, " ")+1:]); r.words == "" && (c.Is("section", low) || c.Is("layout", low) || paper) { // we sell bread, prices; we have rules, a committee list
			r.Refuse(c.said())
		}
	}
	r.Leave(strings.TrimPrefix(r.words+": "+c.said(), ": "), wording)
	r.label, r.whole = "left", true
	return true
}

// told reads what is told of a section: its prices, its dates.
func (r *reader) told(c clause) bool {
	if r.inner > 0 {
		r.inner--
		return r.leave(c, wording)
	}
	if r.telling == 0 {
		return false
	}
	priced := r.priced && r.telling > 1
	r.telling++
	r.priced = c.figures() && (priced || r.telling == 2)
	switch {
	case r.telling > 2 && c.before == ":": // whose is it?
		return false
	case c.figures():
		return !r.foreign && r.fact(c) || r.leave(c, figures)
	case c.opens():
		return false
	case priced && c.before == "," && c.sectional(): // prices: single 350, double 500, guided tours
		r.telling = 0
		return false
	case slices.ContainsFunc(c.items(), clause.sectional): // of what stands before, or beside it?
		r.Refuse(c.said())
		return true
	}
	return r.fact(c) || r.leave(c, wording)
}
