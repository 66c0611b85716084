package page

import (
	"regexp"
	"slices"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/words"
)

var sureTime = regexp.MustCompile(sure + `.*` + sure)

// factual says whether a clause holds only words that announce a fact.
func (c clause) factual() bool {
	for i := 0; i < len(c.Tokens); {
		n := max(c.Length(i, "page-fact"), c.Length(i, "page-opens"))
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}

// facts is what was found in a clause before it is known that all of it was read.
type facts struct {
	email, phone, hours, address, when, place string
	end                                       int
}

// fact reads a clause that tells how to reach somebody, when, or where, and nothing else.
func (r *reader) fact(c clause) bool {
	if c.kind() >= 0 {
		return false
	}
	for _, each := range c.items()[1:] { // opening hours 9-5 and contact a@b.example
		if each.bare().announced() > 0 && (r.listing || r.listed) {
			return false
		}
	}
	if len(c.Tokens) == 1 && fact(c.At(0)) == "span" && c.before == "," && r.near && r.dated && r.When != "" { // 8 June, 11-4
		r.take(facts{hours: c.At(0).Text})
		return true
	}
	lead := 0
	if section := c.announced(); section > 0 && (r.listing || r.listed) { // contact info@crust.example, among sections
		if lead = section; c.to(lead).Length(0, "page-opens") == lead || c.dated() {
			lead = 0
		}
	}
	f := c.factsFrom(lead)
	if n := len(c.Tokens); f.end < n && fact(c.At(0)) == "when" && r.asked && c.stands(1) == n { // 8 November at the boathouse
		r.Leave(said(c.from(1).Text), wording)
		return r.fact(c.to(1))
	}
	if f.end < len(c.Tokens) {
		return r.meeting(c) || r.reached(c)
	}
	if f.email+f.phone+f.hours+f.address+f.when+f.place == "" {
		return (r.listing || r.listed) && c.factual() && !slices.ContainsFunc(c.items(), clause.known) && r.promise(c)
	}
	if r.elsewhere && f.address != "" { // of where they meet
		return r.text(c)
	}
	alone := c.before == "" && c.At(0).Low == "contact" && len(r.Sections) > 0 // Contact: 07700 900456
	if section := c.announced(); section > 0 && (r.listing || r.listed || alone && section == 1) && !c.dated() {
		r.add(c.to(section).section())
	}
	own := r.asked || r.page && c.dated() || fact(c.At(0)) == "when" && c.before == "" && r.page && !r.listing // 5 May 2026, 3pm, Villa Rosa
	if f.when != "" && (!own || lead > 0 || c.holds("page-begins")) {
		return r.leave(c, figures)
	}
	for _, each := range c.items() { // our address 5 Mill Lane and contact
		if each = each.bare(); (r.listing || r.listed) && each.known() && !each.told() {
			r.add(each.section())
		}
	}
	if f.hours != "" && c.Length(0, "page-meets") > 0 {
		r.met = c.said()
	}
	r.take(f)
	for _, each := range c.items() { // address 5 Mill Lane and phone
		if each = each.bare(); !each.told() && !each.known() {
			r.promise(each)
		}
	}
	return true
}

// extension reads whom a number reaches in a house: the one for all is the page's, the others are left out with whom they reach.
func (r *reader) extension(c clause) bool {
	i := c.After(0, "our", "the", "my")
	desk, other := c.Length(i, "page-desk"), c.Length(i, "page-extension")
	if n := i + max(desk, other); n == i || n+1 != len(c.Tokens) || fact(c.At(n)) != "phone" {
		return false
	}
	if desk > other {
		r.take(facts{phone: c.At(len(c.Tokens) - 1).Text})
		return true
	}
	return r.leave(c, figures)
}

// dated says whether a clause begins with a word for the day of what a page is about: date Sept 7.
func (c clause) dated() bool {
	held := c.Length(0, "page-held")
	return c.Tables["page-tells"][c.At(0).Low] == "when" && fact(c.At(1)) == "when" || held > 0 && fact(c.At(held)) == "when"
}

// promise notes that a fact is to be on the page that is told elsewhere, or is left to fill in.
func (r *reader) promise(c clause) bool {
	for i := range c.Tokens {
		if fact := c.Tables["page-announces"][c.At(i).Low]; fact != "" {
			r.promised = append(r.promised, settings.Omission{What: c.said(), Why: fact})
			return true
		}
	}
	return false
}

// announced gives the number of words that name a section before a fact: contact, opening hours.
func (c clause) announced() int {
	for k := min(3, len(c.Tokens)-1); k > 0; k-- {
		n := k
		if max(c.Length(0, "page-fact"), c.Length(0, "page-opens")) > n { // emergency number, shop hours
			return 0
		}
		if c.Is("page-person", c.At(n).Low) && c.to(n+1).bare().known() { // where to find us
			n++
		}
		if c.to(n).bare().known() && c.from(n).startsFact() && c.Tables["page-announces"][c.At(n-1).Low] != "address" {
			return n
		}
	}
	return 0
}

// told says whether a fact stands in a clause.
func (c clause) told() bool {
	return slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return fact(t) != "" })
}

// startsFact says whether a fact follows, or little words before one.
func (c clause) startsFact() bool {
	return c.told() && c.factsFrom(0).end == len(c.Tokens) && !c.Is("copula", c.At(0).Low)
}

// factsFrom reads facts, and the words that announce them, as far as there is nothing else.
func (c clause) factsFrom(i int) (f facts) {
	open := false
	for ; i < len(c.Tokens); i++ {
		t := c.At(i)
		to := map[string]*string{"email": &f.email, "phone": &f.phone, "hours": &f.hours, "span": &f.hours, "address": &f.address, "when": &f.when}[fact(t)]
		at, n := c.Length(i, "page-at"), max(c.Length(i, "page-fact"), c.Length(i, "page-opens"), c.Length(i, "page-held"))
		open = open || c.Length(i, "page-opens") > 0
		switch {
		case fact(t) == "span" && !open && f.when == "" && !sureTime.MatchString(t.Text), to != nil && *to != "":
			f.end = i
			return f
		case to != nil:
			*to = t.Text
			if end := c.placeAt(i + 1); to == &f.address && end > i+1 && !c.to(end).from(i+1).exact() {
				f.place, i = c.Written(i+1, end), end-1
			}
		case at > 0 && !c.Is("page-near", c.Words(i, at)) && f.hours+f.when+f.address != "" && c.placeAt(i+at) > i+at:
			f.place = c.Written(i+at, c.placeAt(i+at))
			i = c.placeAt(i+at) - 1
		case n > 0:
			i += n - 1
		default:
			f.end = i
			return f
		}
	}
	f.end = i
	return f
}

// take takes facts; of two the first is told.
func (r *reader) take(f facts) {
	for _, each := range []struct {
		to    *string
		value string
	}{{&r.Email, f.email}, {&r.Phone, f.phone}, {&r.Hours, f.hours}, {&r.Address, f.address}, {&r.When, f.when}} {
		told := each.to == &r.Email || each.to == &r.Phone || project.AsTold(each.value)
		switch {
		case each.value == "":
		case told && (*each.to == "" || r.changing):
			*each.to = each.value
		case *each.to != each.value:
			r.Leave(each.value, several)
		}
	}
	if f.place != "" {
		r.placed = r.placed && f.hours == "" // where people meet is no part of the town
		r.place(f.place)
	}
}

// meeting reads when something happens regularly: rehearsals on Monday 7pm. It is left out where more is said than that.
func (r *reader) meeting(c clause) bool {
	from := slices.IndexFunc(c.Tokens, func(t words.Token) bool { return fact(t) == "hours" })
	if from < 0 || from > 6 {
		return false
	}
	lead, rest, f := c.to(from), c.from(from+1), facts{hours: said(c.to(from + 1).Text)}
	if lead.figures() || lead.names() || lead.holds("page-wish") && lead.wishing() == 0 {
		return false
	}
	if (r.listing || r.listed) && lead.known() {
		return len(rest.Tokens) == 0 && r.add(lead.section()) && r.leave(c, figures)
	}
	n, meets := rest.Length(0, "page-at"), lead.Length(0, "page-meets")
	for meets > 0 && meets < from && lead.Length(meets, "page-fact") > 0 {
		meets += lead.Length(meets, "page-fact")
	}
	switch known := meets == from && !r.elsewhere; {
	case known && len(rest.Tokens) == 0:
		r.met = c.said()
	case known && n > 0 && rest.placeAt(n) == len(rest.Tokens) && !c.Is("page-near", rest.Words(0, n)):
		f.place = rest.Written(n, len(rest.Tokens))
	case r.listing || r.listed:
		return false
	default:
		return r.leave(c, figures)
	}
	r.take(f)
	return true
}

// reached reads how to reach somebody from a clause that says more, which is left out: contact Janet on 01632 960233.
func (r *reader) reached(c clause) bool {
	if all := c.items(); len(all) > 1 && !all[0].told() && (r.listing || r.listed) { // tips and a phone number 021 555 0148
		return false
	}
	announced := c.Is("page-announces", c.At(0).Low) || c.Length(0, "visitor") > 0
	var f facts
	for i, t := range c.Tokens {
		to, before := map[string]*string{"email": &f.email, "phone": &f.phone}[fact(t)], c.At(i-1).Low
		switch {
		case to == nil:
			continue
		case *to != "": // which of both?
			return false
		}
		*to = t.Text
		announced = announced || c.Tables["page-announces"][before] == fact(t) && !c.Is("page-calls", before) // quotes by phone
		announced = announced || before == "to" && c.Tables["page-announces"][c.At(i-2).Low] == fact(t)       // sign up by email to a@b.example
	}
	if f.email+f.phone == "" || !announced || c.holds("page-wish") {
		return false
	}
	r.take(f)
	for k := min(longest, len(c.Tokens)); k > 0 && (r.listing || r.listed); k-- {
		next := c.Is("page-more", c.At(k).Low) || c.Is("page-fact", c.At(k).Low) || fact(c.At(k)) != ""
		if part := c.to(k); next && part.known() { // a contact section with our mail
			r.add(part.section())
			break
		}
	}
	return r.leave(c, wording)
}
