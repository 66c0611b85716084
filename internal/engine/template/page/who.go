package page

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

// called reads the name behind "called".
func (r *reader) called(c clause, i int) int {
	i = c.After(i, "is")
	if low := c.At(i).Text; low == "after" || low == "for" { // named after Ada Lovelace
		return i
	}
	end := c.titleAt(i)
	if c.At(i).Text == "the" && c.titleAt(i+1) > i+1 { // the Crusty Loaf
		i++
		end = c.titleAt(i)
	}
	if c.At(i).Quoted {
		end = i + 1
	}
	if end <= i+1 && !c.At(i).Quoted && !c.capital(i) { // called the crusty loaf
		for end = i; end < len(c.Tokens) && !c.Ends(end) && c.placed(end) == end && c.Length(end, "page-has") == 0; end++ {
			if c.Length(end, "page-at") > 0 { // ann's attic in ely
				return i
			}
		}
	}
	for k := i + 1; k < end-1 && c.authored(r.Subject); k++ {
		if c.At(k).Low == "by" { // a novel called The Glass River by Ana Kovac
			r.Leave(said(c.to(end).from(k).Text), wording)
			return map[bool]int{true: end, false: i}[r.names(c.Written(i, k))]
		}
	}
	if end == i || !r.names(c.Written(i, end)) {
		return i
	}
	r.asked = true
	return end
}

// authored says whether somebody makes what a page is about, and is named behind its name.
func (c clause) authored(subject string) bool {
	return c.Is("page-authored", subject[strings.LastIndex(subject, " ")+1:])
}

// introduces reads a clause that tells whose the page is: who we are, what it is called, where that is.
func (r *reader) introduces(c clause) bool {
	n := len(c.Tokens)
	if c.wantsOf() > 0 { // I want guests to find free rooms
		return false
	}
	if top := c.from(c.After(0, "a", "the")); top.Length(0, "page-header") > 0 {
		return r.header(top.from(top.Length(0, "page-header")))
	}
	from := c.After(0, "the", "our", "my")
	label, k := c.Longest(from, "page-tells")
	from += k
	at := from + c.Length(from, "page-is")
	if label == "title" && (c.At(at).Quoted || c.nameAt(at) > at) { // name Trattoria Bella Notte
		end := r.called(c, at)
		return end > at && r.tail(c, end, false) == n
	}
	for i := range min(n, 5) {
		m, k := c.Phrase(i)
		if strings.HasSuffix(c.At(i).Text, "name's") { // my name's Lena
			m.Class, k = "named", 1
		}
		before := c.to(min(i, n))
		if c.Is("copula", c.At(i-1).Low) {
			before = c.to(i - 1)
		}
		what := before.ours()
		if m.Class == "named" && !c.to(i).names() && (c.to(i).light() || what != "" && r.Title == "") {
			end := r.called(c, i+k)
			if r.Subject == "" && end > i+k && strings.Contains(what, " ") { // but not my company
				r.Subject = what
			}
			return end > i+k && r.tail(c, end, false) == n
		}
	}
	if end := c.titleAt(0); end > 0 && c.Is("page-after-name", c.At(end).Low) && (end > 1 || c.Vocabulary[c.At(0).Low].Class == "") { // Bar Lumen is a cocktail bar
		r.asked = true
		return r.title(c.Written(0, end)) && r.runs(c, end) == n
	}
	who := max(c.Length(0, "page-somebody"), c.Length(0, "page-our-firm"))
	if c.At(0).Low == "there" { // there's a bake sale
		return false
	}
	if who == 0 {
		return c.Length(0, "page-at") > 0 && r.Title+r.Subject != "" && r.tail(c, 0, false) == n
	}
	if name := c.nameAt(who); name > who && c.holds("page-family") { // my friend Jo makes jewellery
		r.asked = true
		return r.title(c.Written(who, name)) && r.runs(c, name) == n
	}
	before := *r.Page
	if r.runs(c, who) == n {
		r.asked = true
		if r.Subject == before.Subject || !c.isPerson(who) {
			return true
		}
		if r.trade = r.Subject; !r.isAnybody(c) {
			return true
		}
		if c.from(who).holds("page-by") { // an immigrant from Syria
			r.Place = before.Place
		}
		return r.leave(c, settings.Background)
	}
	if c.holds("page-once") { // I've written books set in Cornwall
		return c.located() && !c.holds("page-wish") && r.leave(c, wording)
	}
	for i := range n { // I teach in Cork
		if c.placed(i) > i && !c.to(i).holds("page-wish") && !c.to(i).names() {
			if from := c.After(i+c.Length(i, "page-at"), "the"); c.venue(from) > from { // I work in the city library
				return false
			}
			if c.figures() && c.to(i).holds("page-at") { // we meet at 7pm in the library on Mill Street
				return false
			}
			if r.asked = true; i > 2 {
				r.unnamed = append(r.unnamed, said(c.to(i).Text))
				r.Leave(said(c.to(i).Text), settings.Background)
			}
			return r.tail(c, i, false) == n
		}
	}
	return false
}

// isPerson says whether a clause tells what somebody is, and not what they have or do: I'm a nurse, my dad is a teacher.
func (c clause) isPerson(who int) bool {
	return !c.Is("page-thing", c.Words(0, who)) && (c.Is("page-being", c.Words(0, who)) || c.Is("copula", c.At(who).Low) || c.At(who+1).Low == "as") // I work as a nurse
}

// isAnybody says whether many are what somebody is, so that no page is about it: a mom of three. What they do is told elsewhere.
func (r *reader) isAnybody(c clause) bool {
	noun, _, _ := strings.Cut(strings.ToLower(r.Subject), " of ")
	if !never("page-nobody", "page-anybody")(noun[strings.LastIndex(noun, " ")+1:]) || r.Title != "" {
		return false
	}
	r.Subject, r.unnamed = "", append(r.unnamed, c.said())
	return true
}

// besides refuses what somebody does who is something else: of a nurse who breeds dogs, what is the page about?
func (r *reader) besides(c clause) bool {
	who := c.Length(0, "page-somebody")
	if who == 0 || r.page || r.trade == "" || r.trade != r.Subject || r.Title != "" || c.Length(0, "visitor") > 0 || c.wishing() > 0 || c.kind() >= 0 {
		return false
	}
	trade, does := strings.Fields(strings.ToLower(r.trade)), c.from(who)
	is := func(tables ...string) bool { return slices.ContainsFunc(trade, never(tables...)) }
	has, made := does.Length(0, "page-founds"), does.Length(0, "page-makes-of")
	own := does.from(max(has, made, 1))
	own = own.from(own.After(0, "a", "an", "the", "my", "our", "own", "small", "little"))
	same := slices.ContainsFunc(trade, func(w string) bool { return len(w) > 3 && does.holdsStem(w) }) // I'm a trainer and I train seniors
	switch {
	case is("page-retired"):
	case same || own.Length(0, "page-own-work") > 0 || own.Length(0, "page-own-place") > 0 && !is("page-employed"):
		return false
	case is("page-employed") && does.Length(0, "page-beside") == 0, has > 0, made > 0 && !is("page-maker"):
	default:
		return false
	}
	r.Refuse(c.said())
	return true
}

// holdsStem says whether a word of a clause begins as another does: teacher, teaching.
func (c clause) holdsStem(w string) bool {
	return slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return strings.HasPrefix(t.Low, w[:4]) })
}

// ours gives what somebody says is theirs before its name: our running group is called.
func (c clause) ours() string {
	n := len(c.Tokens)
	if n < 2 || n > longest || !c.Is("whose", c.At(0).Low) {
		return ""
	}
	for i := 1; i < n; i++ {
		if low := c.At(i).Low; c.Is("page-skips", low) || c.Is("page-other", low) || c.Is("page-grounds", low) || c.ClassAt(i) == "kind" || c.Ends(i) || c.Length(i, "page-at") > 0 || possessive(c.At(i)) {
			return ""
		}
	}
	if last := c.At(n - 1).Low; c.Tables["usual"][last] != "" || c.Is("institution", last) || c.Is("page-body", last) {
		return plain(c.Tokens[1:n])
	}
	return ""
}

// light says whether the words before a name announce it: her business, the name.
func (c clause) light() bool {
	for i := range c.Tokens {
		low := c.At(i).Low
		little := c.Is("page-skips", low) || c.Is("page-somebody", low) || c.Is("page-tells", low)
		if noun := len(c.Tokens) == 1 || i == 1 && c.Is("determiner", c.At(0).Low); !little && (!noun || c.Is("page-grounds", low)) { // the van
			return false
		}
	}
	return true
}

// tellsWhat says whether the name of the page says what that is: Hotel Sonne, Bowling Club.
func (r *reader) tellsWhat(c clause) bool {
	return r.Subject == "" && slices.ContainsFunc(strings.Fields(strings.ToLower(r.Title)), func(w string) bool {
		return c.Is("page-premises", w) || c.Is("page-body", w) || c.Is("institution", w) || c.Tables["usual"][w] != ""
	})
}

// runs reads a verb that tells what somebody is or has, and that; nothing is taken unless all of it is read.
func (r *reader) runs(c clause, i int) int {
	verb := c.Length(i, "page-runs")
	if c.Length(i, "page-means") > verb { // running for mayor
		verb = 0
	}
	if r.deals && c.Is("page-deals", c.Words(i, verb)) { // we sell eggs, honey and apples
		return 0
	}
	being := c.Is("page-being", c.Words(0, i)) || i > 0 && strings.HasSuffix(c.At(i-1).Text, "'s")                                                // she's
	doing := c.Length(i+verb, "page-means") == 0 && strings.HasSuffix(c.At(i+verb).Low, "ing") && (verb == 0 || c.Is("copula", c.Words(i, verb))) // we're putting on a play
	if does := c.Words(0, i); doing || c.kind() >= i || verb == 0 && !being || c.Is("visitor", does) || i+verb == len(c.Tokens) {
		return 0
	}
	if c.Is("page-helpers", c.At(i+verb).Low) && i+verb+1 == len(c.Tokens) { // we are volunteers
		return 0
	}
	if c.Is("page-houses", c.Words(i, verb)) && r.page && r.tellsWhat(c) { // Hotel Sonne. We have a restaurant
		return 0
	}
	if being && verb == 0 && c.At(i).Low == "for" { // it's for my cleaning business
		verb = 1
	}
	before := *r.Page
	object := c.After(i+verb, "a", "an", "the", "my", "our")
	if made := c.Is("page-deals", c.Words(i, verb)) && !c.Is("page-keeps", c.Words(i, verb)); c.Is("page-count", c.At(i+verb).Low) || made && c.nameAt(object) > object { // I have three kids, we do German-English
		return 0
	}
	end := r.what(c, i+verb)
	if end > i+verb {
		end = r.tail(c, end, false)
	}
	if end < len(c.Tokens) {
		*r.Page = before
	}
	if teacher := c.Tables["page-teaches"][c.Words(0, i+verb)]; teacher != "" && r.Subject != before.Subject { // I teach physics
		if said, online := strings.CutSuffix(r.Subject, " online"); online { // I teach Spanish online
			r.Subject = said
			r.Leave("online", wording)
		}
		if r.Subject += " " + teacher; c.holds("page-how") || len(strings.Fields(r.Subject)) > project.MaxSubject { // children to swim
			*r.Page = before
			return 0
		}
	} else if work := c.Tables["page-trade"][c.Words(i, verb)]; work != "" && r.Subject != before.Subject { // I fix computers, but not I rent a flat
		if !english.IsPlural(r.Subject) || object > i+verb || c.At(object).Text != c.At(object).Low { // nor iPhones
			*r.Page = before
			return 0
		}
		r.Subject = english.Singular(r.Subject) + " " + work
	} else if r.Subject != before.Subject && c.Is("page-deals", c.Words(i, verb)) {
		r.deed = r.Subject
	}
	if r.When != before.When && c.to(i+verb).holds("page-begins") { // a shop that opens on a day is there on others
		r.Leave(r.When, figures)
		r.When = before.When
	}
	return end
}
