package request

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// page takes what a part of a derivation says of a page, if it does.
func (r *reader) page(n *grammar.Node) bool {
	text := strings.Trim(r.told(n.From, n.To), ",: ")
	if why, ok := tables()["leave"][n.Note]; ok {
		if why == toSay && r.among("can", n.From, n.To) && r.among("act", n.From, n.To) { // a menu that I can change
			why = tables()["leave"]["working"]
		}
		if n.Note == "contactperson" && r.At(n.From).Capital || n.Name == "psaid" && !r.Ends(n.From-1) && !r.Ends(n.From) { // our consultancy, Contact Energy, a trial lesson is free
			r.Refuse(text)
		}
		r.Leave(text, why)
		return true
	}
	switch n.Note {
	case "removing", "renaming", "moving", "movingit", "swapping", "adding", "ordering":
		r.change(n)
		return true
	case "whole":
		r.section(text)
		return true
	case "noway":
		r.Refuse(text)
		return true
	case "quoted":
		r.section(r.At(child(n, "{quoted").From).Text)
		return true
	case "left":
		p := child(n, "{leftable")
		r.Leave(text, r.Vocabulary[r.Words(p.From, p.To-p.From)].Value)
		return true
	case "aboutus": // a simple website, about me, hobbies
		if r.At(n.From-1).Low == "," {
			r.section(text)
			return true
		}
	case "contact", "address":
		r.section(n.Note)
		for _, p := range children(n, "{reach") {
			r.reached = append(r.reached, r.told(p.From, p.To))
		}
	case "trade":
		r.trade(n)
	case "owned": // Anna's bakery
		what := child(n, "{subject", "{newsubject")
		r.take(what)
		r.Title = plaintext.Title(r.written(child(n, "{possessor", "{capname").From, what.From) + " " + plaintext.Spelled(strings.ReplaceAll(r.Subject, " ", "-")))
		return true
	case "also": // for my shop, a bike shop
		if is("conjunction", r.At(n.From-1).Low) && len(r.Sections) > 0 { // hours and the weather on the hill
			r.Refuse(text)
		}
		if what := child(n, "{subject"); r.Subject != "" && !strings.HasSuffix(r.said(what.From, what.To), " "+r.Subject) {
			r.Leave(text, toSay)
			return true
		}
	case "latefor": // with prices for my firm, but not a site for a firm with prices for a class
		if r.Subject+r.Title != "" {
			r.Leave(text, toSay)
			return true
		}
	case "colon": // are they sections, or names?
		known, others, small := children(n, "{part", "{question"), children(n, "{section"), func(p *grammar.Node) bool { return !r.capital(p.From) }
		mixed := slices.ContainsFunc(others, func(p *grammar.Node) bool { return !small(p) }) && slices.ContainsFunc(append(others, known...), small)
		if len(known) == 0 || child(n, "{quoted") != nil || mixed {
			r.Refuse(text)
		}
	}
	if to := map[string]*string{"{email": &r.Email, "{phone": &r.Phone, "hours": &r.Hours, "dayhours": &r.Hours, "paddress": &r.Address, "date": &r.When}[n.Name]; to != nil {
		if to == &r.Hours && is("each-one", r.At(n.From-1).Low) { // every last Friday
			text = r.At(n.From-1).Low + " " + text
		}
		if to == &r.Hours || to == &r.When {
			text = strings.NewReplacer("&", "and", "+", " and ", "and close at", "to", "and closes at", "to").Replace(text)
		}
		month := slices.ContainsFunc(r.Tokens[max(0, n.From-4):min(len(r.Tokens), n.To+3)], func(t words.Token) bool { return is("month", t.Low) })
		if to == &r.Hours && (bareRange.MatchString(text) && month || is("forfolk", r.At(n.From-1).Low)) { // in november (14-16), kids 8 to 12
			r.Refuse(text)
		}
		k := n.From - 1
		for is("before-time", r.At(k).Low) || r.At(k).Low == "(" {
			k--
		}
		if l := len(r.Sections); l > 0 && (to == &r.Hours || to == &r.When) { // a quiz night every Thursday, but also when we meet: Thursdays
			begin, _, _ := strings.Cut(r.Sections[l-1], "-")
			if strings.HasSuffix("-"+r.Sections[l-1], "-"+r.At(k).Low) && !is("timed", begin) && !is("timed", r.At(k).Low) {
				r.Refuse(text)
			}
		}
		r.fact(to, text)
		return true
	}
	if n.Note == "notthere" {
		r.Leave(strings.TrimPrefix(strings.TrimPrefix(text, "but "), "and "), "the page has none")
		return true
	}
	if n.Name == "phead" && strings.ContainsAny(text, "0123456789") || n.Name == "pkind" && strings.Contains(strings.ToLower(text), " soon ") { // 24h emergency, coming soon page
		r.Leave(text, toSay)
	}
	switch n.Name {
	case "page":
		r.Kind = project.Site
		for _, p := range n.Parts {
			r.take(p)
		}
		r.finishPage()
	case "before":
		for _, p := range n.Parts {
			r.take(p)
		}
		if r.before = r.Subject; r.among("employ", n.From, n.To) {
			r.employer = r.Title
		}
	case "{capname", "{capname2", "{pname", "{quoted":
		name := plaintext.Title(r.written(n.From, n.To))
		r.lone = r.At(n.From-1).Low == "," && n.To == n.From+1 && n.Name != "{quoted"
		if n.Name == "{capname2" && len(r.Sections) > 0 && (is("conjunction", r.At(n.To).Low) || is("conjunction", r.At(n.To+1).Low)) { // the boss, Tim Hall, and the team
			r.Refuse(name)
		}
		if n.Name == "{capname2" && r.At(n.From-1).Low == "and" && r.At(n.From-2).Capital { // for Ann Lowe and Tim Hall
			r.Refuse(name)
		}
		if r.At(n.From-1).Low == "by" && slices.ContainsFunc(strings.Fields(r.Subject), func(w string) bool { return is("authored", w) }) { // a book about the sea by Ann Lowe
			r.Leave(name, tables()["leave"]["contactperson"])
			return true
		}
		if r.Title != "" && !strings.EqualFold(r.Title, name) {
			r.Refuse("two names: " + r.Title + " and " + name)
		}
		r.Title = name
	case "plist": // a menu with pizza, pasta: are they sections?
		if k := len(r.Sections); k > 0 && is("holds-part", r.At(n.From).Low) && strings.HasSuffix(r.Sections[k-1], r.At(n.From-1).Low) {
			r.Refuse(text)
		}
		return false
	case "happening": // my sister turns 40
		for _, p := range children(n, "{capname", "{occasion") {
			r.take(p)
		}
		if child(n, "{capname") == nil || child(n, "{number") != nil {
			r.Leave(text, background)
		}
	case "{occasion":
		if r.Subject = tables()["occasion"][text]; r.Subject == "birthday" && !number.MatchString(r.At(n.To).Low) {
			r.Refuse(text)
		}
	case "{saying":
		r.Leave(text, toSay)
	case "{subject", "{newsubject", "{somebody", "{calling", "blog", "software", "wedding":
		r.about(n)
	case "pplace", "landmark", "house", "wide", "{town", "{line":
		r.placeIt(n)
	case "{part", "{partof", "{structural", "{section", "{question", "{odd":
		from := n.From
		if r.At(from-2).Low == "about" && is("owner", r.At(from-1).Low) && r.Ends(from-3) { // about the author, about our class
			from -= 2
		}
		if r.goesOn(n) || r.namesSome(n) || is("audience", text) && is("tells", r.At(n.From-1).Low) || strings.HasSuffix(text, "'s") {
			r.Refuse(text)
		}
		said := r.told(from, n.To)
		if n.Name == "{part" && r.plain(from, n.To-from) && !strings.Contains(said, "'") { // also where it is misspelt
			said = r.Words(from, n.To-from)
		}
		before := r.Words(max(0, n.From-2), min(2, n.From))
		if r.section(said); n.Name == "{section" {
			r.strange = text
			if is("in-need", before) && len(r.Sections) > 1 || is("in-need", r.Words(max(0, n.From-1), 2)) { // rehearsals, we need new singers
				r.Refuse(before + " " + text)
			}
		}
	default:
		return false
	}
	return true
}

// written gives a name as it is written.
func (r *reader) written(from, to int) string {
	if r.At(from).Quoted {
		return r.At(from).Text
	}
	return r.Written(from, to)
}

// fact takes what is told of the owner of a page; of two the second is refused.
func (r *reader) fact(to *string, text string) {
	if to == &r.Hours && *to != "" && strings.HasPrefix(strings.ToLower(text), "closed") { // open 9-5. Closed on Mondays.
		text = *to + ", " + text
		*to = ""
	}
	if *to != "" && *to != text || !project.AsTold(strings.TrimLeft(text, "+(")) && !words.MailLike.MatchString(text) {
		r.Refuse(*to + " and " + text)
	}
	*to = text
}

// about takes what a page is about.
func (r *reader) about(n *grammar.Node) {
	var all []string
	for k := n.From; k < n.To; k++ {
		switch t := r.At(k); {
		case strings.Contains(t.Text, "'"): // parents' evening
			all = append(all, strings.ToLower(strings.Trim(t.Text, "'")))
		case plaintext.IsCapital(t.Text) && (t.Capital || isAcronym(t.Text)) && tables()["full"][t.Low] == "": // Italian restaurant
			all = append(all, t.Text)
		default:
			all = append(all, cmp.Or(tables()["full"][t.Low], t.Low))
		}
	}
	if r.employer != "" && is("owner", r.At(n.From-1).Low) && slices.Contains([]string{"for", "about"}, r.At(n.From-2).Low) { // I work at the Red Lion and need a page for my band
		r.Refuse(r.employer)
	}
	if r.At(n.From-1).Capital && r.At(n.From).Capital && !r.At(n.From-1).Mark { // Little Stars kindergarten
		r.Refuse(r.Written(n.From-1, n.To))
	}
	text := strings.NewReplacer("'", "", "&", " and ").Replace(strings.Join(all, " "))
	if len(strings.Fields(text)) > project.MaxSubject || r.endsOtherwise(n, text) {
		r.Refuse(text)
	}
	switch {
	case r.Subject == "" || strings.HasSuffix(text, " "+r.Subject):
		r.Subject = text
	case r.Subject == r.before && (r.At(n.From-2).Low == "for" || r.At(n.From-3).Low == "for"): // I'm a teacher and want a page for my retreat
		r.Leave(r.before, background)
		r.Leave(r.Place, "a second place: "+toSay)
		r.Subject, r.Place = text, ""
	case n.Name == "{calling":
		r.Leave(text, toSay)
	case r.Subject != text && !strings.HasSuffix(r.Subject, " "+text):
		r.Refuse(text)
	}
}

// endsOtherwise says whether what a page is about goes on behind it, or is none.
func (r *reader) endsOtherwise(n *grammar.Node, text string) bool {
	last, before, behind := lastWord(text), r.At(n.From-1).Low, r.At(n.To).Low
	switch {
	case text == "work", strings.Contains(text, " open for "), is("function", last), is("unfinished", last): // a campsite near Lake Bled
		return true
	case behind == "by" && is("trait", last), r.At(n.From-2).Low == "and" && is("family", text): // a bakery run by, me and my husband
		return true
	}
	several := before == "about" && behind == "," && r.At(n.To+2).Low == "and" && english.IsPlural(last)
	return several && !is("structural", r.At(n.To+1).Low) // about cats, dogs and birds
}

// noPlace says whether a place is rather one of several, or tells of something else.
func (r *reader) noPlace(n *grammar.Node) bool {
	before, second := r.At(n.From-1).Low, r.At(n.From-2).Low
	by := func(t words.Token) bool { return t.Low == "by" }
	switch {
	case slices.ContainsFunc(r.Tokens[n.From:n.To-1], by): // in Leeds by Tim Hall
		return true
	case (before == "on" || second == "on") && is("treats", lastWord(r.Subject)): // a project on Mars
		return true
	case r.Place != "":
		return is("resides", second) // from Japan living in Ely
	}
	return before == "," && is("town", second) // shops in Leeds, York and Hull
}

// goesOn says whether a section is rather one more of what was left out before it: photos of mugs, bowls and vases.
func (r *reader) goesOn(n *grammar.Node) bool {
	if n.Name != "{section" || len(r.Left) == 0 || !strings.Contains(",and", r.At(n.From-1).Low) {
		return false
	}
	left := strings.ToLower(r.Left[len(r.Left)-1].What)
	first, _, _ := strings.Cut(left, " ")
	return is("lists", first) && strings.HasSuffix(left, " "+r.At(n.From-2).Low)
}

// namesSome says whether a section is rather a name: a cafe, The Gallery; the chairman, Peter Holm.
func (r *reader) namesSome(n *grammar.Node) bool {
	first, before, second := r.At(n.From), r.At(n.From-1), r.At(n.From-2)
	if before.Text == "The" && second.Low == "," && r.capital(n.From) && r.Title == "" && len(r.Sections) == 0 {
		return true
	}
	big := func(t words.Token) bool { return plaintext.IsCapital(t.Text) }
	whole := n.To > n.From+1 && all(r.Tokens[n.From:n.To], big) && !big(second)
	return n.Name == "{section" && (whole || first.Capital && before.Capital && !is("function", before.Low))
}

// noSection says whether words are rather a wish than the name of a section.
func noSection(all []string) bool {
	first, last, said := all[0], all[len(all)-1], strings.Join(all, " ")
	switch several := len(all) > 1; {
	case is("inside-section", first), strings.HasSuffix(last, "ly") && !is("ly", last), several && is("does", first):
		return true
	case several && is("by-the-minute", first+"ly") && is("measured", last): // the current wave height
		return true
	case several && is("works-of", first) && is("preposition", all[1]): // a counter of visitors
		return true
	case several && is("audience", first) && !is("part", said) && slices.ContainsFunc(all, func(w string) bool { return is("works", w) }):
		return true
	}
	return slices.ContainsFunc(all, func(w string) bool {
		return is("no-section-word", w) || is("asks", first) && is("by-the-minute", w) // how busy it is now
	})
}

// placeIt takes where something is. A house is called so; a town behind it is told with it.
func (r *reader) placeIt(n *grammar.Node) {
	if r.At(n.To-1).Text == "nice" && r.At(n.To).Low == "and" { // in Bath, nice and simple
		r.Refuse("nice")
	}
	if r.noPlace(n) {
		r.Refuse(r.told(n.From-1, n.To))
	}
	if to := n.From + 1; n.To <= to+1 && !plaintext.IsCapital(r.At(n.To-1).Text) && r.At(n.From).Low == "the" || n.To == to && !plaintext.IsCapital(r.At(n.From).Text) && !is("town", r.At(n.From).Low) { // at the market
		r.Leave(r.written(n.From, n.To), toSay)
		return
	}
	var all []string
	for part := range strings.SplitSeq(strings.TrimPrefix(r.told(n.From, n.To), "the "), ", ") {
		w := plaintext.Title(part)
		if w == strings.ToLower(w) { // church hall
			w = plaintext.Spelled(strings.ReplaceAll(w, " ", "-"))
		}
		all = append(all, w)
	}
	switch place := strings.Join(all, ", "); {
	case r.Place == "" || r.Place == place || strings.HasSuffix(place, ", "+r.Place):
		r.Place = place
	case r.Address != "":
		r.Refuse(r.Place + " and " + place)
	case is("town", strings.ToLower(place)) && (!is("town", strings.ToLower(r.Place)) || r.At(n.From-1).Low == "," || is("town", r.At(n.From-1).Low)): // Old Gym, Utrecht
		r.Place += ", " + place
	default: // where something happens that is told besides
		r.Leave(place, "a second place: "+toSay)
	}
}

// section takes the name of a section.
func (r *reader) section(said string) {
	all := strings.Fields(strings.ToLower(said))
	for i, w := range all {
		all[i] = cmp.Or(tables()["full"][w], w)
	}
	if len(all) == 0 {
		r.Refuse(said)
		return
	}
	said = strings.Join(all, " ")
	name := plaintext.Slug(said)
	last := all[len(all)-1]
	switch {
	case len(all) > 2 && is("picture", all[0]) && is("preposition", all[1]): // photos of last season
		r.Leave(said, tables()["leave"]["picture"])
		return
	case len(all) == 2 && is("structural", all[0]) && is("alone", last): // services contact
		r.Refuse(said)
	case is("serving", said), is("serving", last) && !is("asks", all[0]):
		r.Leave(said+" as a service", "the section is text: what visitors do works only with a server or a script")
	}
	if name == "" || project.NotSectionName(name) || noSection(all) {
		r.Refuse(said)
	} else if !slices.Contains(r.Sections, name) {
		if len(r.Sections) >= project.MaxSections {
			r.Leave(said, fmt.Sprintf("a page has at most %d sections", project.MaxSections))
			return
		}
		r.Sections = append(r.Sections, name)
	}
}

// trade takes what somebody does by trade: who repairs lawnmowers has a page about lawnmower repair.
func (r *reader) trade(n *grammar.Node) {
	verb := child(n, "{trade")
	goods := slices.DeleteFunc(children(n, "{goods"), func(p *grammar.Node) bool { return p.From < verb.To })[0]
	what, value := r.said(goods.From, goods.To), tables()["trade"][r.Words(verb.From, verb.To-verb.From)]
	switch {
	case r.Subject != "":
		r.Leave(r.told(n.From, n.To), toSay)
	case value == "repair" || value == "rental" || value == "cleaning":
		r.Subject = one(what) + " " + value
	default:
		r.Subject = strings.TrimSpace(what + " " + value)
	}
}

// finishPage refuses what only the whole tells to be doubtful.
func (r *reader) finishPage() {
	for _, how := range r.reached {
		if mail := strings.Contains(how, "mail"); mail && r.Email == "" || !mail && r.Phone == "" {
			r.Leave(how, "none is told: yours to fill in")
		} else if strings.ContainsAny(how, "0123456789") { // a 24h number
			r.Leave(how, toSay)
		}
	}
	if r.old != nil {
		return
	}
	if all := strings.Fields(r.Subject); len(all) > 0 && (is("describing", all[len(all)-1]) || r.Title == "" && is("office", all[len(all)-1])) { // a car club for old Volvos, the secretary of a club
		r.Refuse(r.Subject)
	}
	if r.lone && r.Subject != "" && r.Place == "" { // a museum, Tewkesbury
		r.Refuse(r.Title + ", which may be a name or a place")
	}
	named := r.Title + r.Subject
	works := func(o Omission) bool {
		return o.Why == "an online shop" || o.Why == tables()["leave"]["working"] && !strings.HasSuffix(o.What, "button")
	}
	for i, o := range r.Left { // which may hold the name of the page, or a place
		if o.Why == background && slices.ContainsFunc(strings.Fields(o.What), func(w string) bool { return isDigit(w) || is("day", strings.ToLower(strings.Trim(w, ","))) }) {
			r.Left[i].Why = toSay // open on Mondays
		}
		_, behind, _ := strings.Cut(o.What, " ") // the first word may begin a sentence
		name := slices.ContainsFunc(strings.Fields(behind), func(w string) bool {
			w = strings.Trim(w, ",.()")
			return plaintext.IsCapital(w) && !isAcronym(w) && !strings.HasPrefix(w, "I'") && !strings.Contains(r.Title+r.Place, w) && !is("town", strings.ToLower(w)) && !is("day", strings.ToLower(w)) && !is("month", strings.ToLower(w)) && !is("tongue", strings.ToLower(w))
		})
		forWhom := strings.Contains(o.What, " for ") && (named == "" || r.Title == "" && name) // a call to action for my app Foocus
		if forWhom || o.Why == background && (named == "" || name) || o.Why == toSay && r.Title == "" && name {
			r.Refuse(o.What)
		}
		if len(r.Sections) == 0 && works(o) && !slices.ContainsFunc(r.Left, func(o Omission) bool { return o.Why != background && !works(o) }) { // the only thing asked for
			r.Refuse(o.What)
		}
		if o.Why == toSay && named == "" {
			r.Refuse("what the page is for")
		}
	}
	if named == "" && len(r.Sections) > 0 {
		r.Leave("a title", "none was told")
	}
	if what := cmp.Or(r.strange, "what the page is for"); named == "" && (r.strange != "" || len(r.Sections) == 0) {
		r.Refuse(what)
	}
}
