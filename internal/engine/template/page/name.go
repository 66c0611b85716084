package page

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

var (
	postcode = regexp.MustCompile(`^(?:\p{Lu}[\pL'-]* )*[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$`)
	state    = regexp.MustCompile(`^[A-Z]{2}$`)
	acronym  = regexp.MustCompile(`^[A-Z]{2,3}$`)
	year     = regexp.MustCompile(`^(?:19|20)\d\d$`)
	distance = regexp.MustCompile(`^\d{1,3}(?:km?|h|mi|-hour|-day|-mile)$`)
	jubilee  = regexp.MustCompile(`^\d{1,3}$`)
	ordinal  = regexp.MustCompile(`^\d{1,4}(?:st|nd|rd|th)$`)
)

// capital says whether a word is written as names are.
func (c clause) capital(i int) bool {
	t := c.At(i)
	name := !t.Mark && !t.Quoted && plaintext.IsCapital(t.Text) && fact(t) == ""
	begins := i == 0 && c.before == "" && !t.Capital
	if begins && c.Length(0, "page-for") > 0 { // For Korn, a bakery, I need a website
		return false
	}
	if begins && !c.capital(1) && !(c.Is("inside-name", c.At(1).Low) && c.capital(2)) { // as every sentence does
		return false
	}
	if c.At(i-1).Text == "the" && name && i+1 < len(c.Tokens) && c.Is("page-day", t.Low) && c.capital(i+1) { // the Monday Night Runners
		return true
	}
	if name && c.At(i-1).Text == "the" && c.nation(i) && plaintext.IsCapital(c.At(i+1).Text) { // the German Shepherd Club
		return true
	}
	for _, part := range strings.Split(t.Low, "-") { // English-German
		name = name && !c.Is("page-no-name", part)
	}
	return name && !c.ethnic(i) && !c.Is("page-month", t.Low) && !c.Is("page-day", t.Low)
}

// nation says whether a word tells where people or things come from.
func (c clause) nation(i int) bool {
	return c.Is("page-nation", c.At(i).Low) || c.Is("page-origin", c.At(i).Low)
}

// ethnic says whether a word tells only where something comes from: our Ethiopian restaurant, but not the Parish of St Olave.
func (c clause) ethnic(i int) bool {
	next := c.At(i + 1)
	first := i == 0 || !plaintext.IsCapital(c.At(i-1).Text)
	return first && i+1 < len(c.Tokens) && next.Text == next.Low && next.Low != "of" && c.ClassAt(i+1) != "join" && c.foreign(i)
}

// foreign says whether a word tells where people or things come from, as far as its end tells.
func (c clause) foreign(i int) bool {
	ends := func(end string) bool { return strings.HasSuffix(c.At(i).Low, end) }
	return c.Is("page-origin", c.At(i).Low) || slices.ContainsFunc(slices.Collect(maps.Keys(c.Tables["page-ethnic"])), ends)
}

// nameAt gives the place behind a name in capitals.
func (c clause) nameAt(i int) int {
	end := i
	for end < i+2 && (c.Is("title-of-person", c.At(end).Low) || c.Is("page-before-name", c.At(end).Low) || ordinal.MatchString(c.At(end).Low)) && c.capital(end+1) { // dr. Jane, the 12th Annual
		end++
	}
	if !c.capital(end) {
		return i
	}
	for end < len(c.Tokens) {
		inside := 0
		for inside < 3 && (c.Is("inside-name", c.At(end+inside).Low) || c.Is("page-inside", c.At(end+inside).Low)) {
			inside++
		}
		next := c.At(end)
		switch {
		case c.capital(end) || end > i && next.Raw == "" && !next.Mark || end > i && plaintext.IsCapital(next.Text) && next.Text != "I" && !next.Mark && !next.Quoted && fact(next) == "" || year.MatchString(next.Low):
			end++
		case inside > 0 && c.capital(end+inside):
			end += inside
		default:
			return end
		}
	}
	return end
}

// titleAt gives the place behind a name in capitals that may have little words inside: Bread by the Sea.
func (c clause) titleAt(i int) int {
	end := c.nameAt(i)
	for k := i + 2; k < end-1; k++ {
		if c.At(k).Low == "on" && c.At(i).Low != "the" && c.Tables["usual"][c.At(k-1).Low] == "" { // Meg Tulloch on Shetland: is it a name?
			return i
		}
	}
	for end > i {
		n := c.Length(end, "page-within")
		next := c.nameAt(end + n)
		if n == 0 || next == end+n || c.whence(i, end, next) {
			break
		}
		end = next
	}
	return end
}

// whence says whether a name behind another is the place of that: at Mill Farm, or from Ilkley behind more than one word.
func (c clause) whence(i, end, next int) bool {
	from := c.At(end).Low == "from" && c.Length(end, "page-within") == 1
	if from && end-i > 1 && c.Length(next, "page-within") == 0 {
		return true
	}
	return c.Is("page-whence", c.At(end).Low) && c.local(end+c.Length(end, "page-within"), next)
}

// local says whether a name is that of a town, a street or a house for certain.
func (c clause) local(i, end int) bool {
	last := c.At(end - 1).Low
	return c.Length(i, "page-town") > 0 || c.Is("page-ground", c.At(i).Low) || c.Is("page-street", last) || c.Is("page-hall", last)
}

// sure says whether the capitals of a name are more than those at the beginning of a sentence.
func (c clause) sure(i, end int) bool {
	for k := i; k < end; k++ {
		if c.At(k).Capital || k > 0 && c.capital(k) {
			return true
		}
	}
	return c.before == "," || c.before == ":"
}

// names says whether a clause holds a name, which then has to be understood.
func (c clause) names() bool {
	for i := range c.Tokens {
		if t := c.At(i); c.capital(i) && (i > 0 || t.Capital) {
			return true
		}
	}
	return false
}

// placeAt gives the place behind the name of a place: in capitals, or of a town that is known.
func (c clause) placeAt(i int) int {
	if c.At(i).Quoted && c.At(i-1).Low == "in" {
		return i + 1
	}
	start := c.After(i, "the")
	for k := start; k < start+3 && c.Is("page-part-of-place", c.At(k).Low) && !plaintext.IsCapital(c.At(k).Text); k++ {
		if c.capital(k + 1) { // rural Wales, old town Tallinn, the river Dordogne
			start = k + 1
			break
		}
	}
	if c.venue(start) > start {
		end := c.venue(start)
		if at := c.placed(end); c.At(end).Low == "in" && at > end && !c.Is("surroundings", c.At(at-1).Low) { // the old mill in Karlsberg
			return at
		}
		return end
	}
	end := max(c.nameAt(start), start+c.Length(start, "page-town"))
	if end == start {
		return i
	}
	if c.Is("page-land", c.At(end).Low) { // the Mosel valley
		end++
	}
	for c.Is("page-hall", c.At(end).Low) || c.Is("page-hall", c.At(end+1).Low) && !c.Ends(end) && c.Length(end, "page-has") == 0 { // St Anne's parish hall
		end++
	}
	if n := c.Length(end, "page-at"); n > 0 && c.Length(end, "page-lives") == 0 && c.At(end).Low != "from" { // but not Cork living in Paris
		if further := c.placeAt(end + n); further > end+n {
			return further
		}
	}
	return end
}

// venue gives the place behind words for where people meet that are no name: the village hall, the old mill.
func (c clause) venue(i int) int {
	if n := c.Length(i, "venue"); n > 0 || !c.Is("page-hall-of", c.At(i).Low) || !c.Is("page-hall-alone", c.At(i+1).Low) {
		return i + n
	}
	return i + 2
}

// alone takes a name that stands between commas: whose the page is, or then where that is. It is refused where it may be
// either.
func (r *reader) alone(c clause) bool {
	n := len(c.Tokens)
	if from := c.After(0, "the"); c.venue(from) == n {
		return r.place(plaintext.Spelled(plaintext.Slug(c.from(from).said())))
	}
	if c.At(0).Quoted {
		return r.title(c.At(0).Text) && r.tail(c, 1, false) == n
	}
	first := c.After(0, "the")
	end := c.titleAt(first)
	town := first + c.Length(first, "page-town")
	whole := town >= c.nameAt(first) || c.Length(town, "page-town") > 0 || state.MatchString(c.At(town).Text) // Austin TX, but no Cork Singers
	here := town > first && whole && c.placeAt(first) == n
	if k := n - 2; r.Title != "" && k >= first && c.nameAt(first) == n && c.Is("page-state", c.At(n-1).Text) && (k == first || !c.Is("page-degree", c.At(n-1).Low)) { // Baltimore MD, but not Jane Lee MD
		here = true
	}
	if here && r.listing && !r.addressed && !r.placed && r.Place == "" && len(r.Sections) > 0 && len(r.next.Tokens) > 0 && !r.next.figures() && !r.next.isTown() && c.before == "," { // childhood, Vienna, operas
		r.Refuse(c.said())
		return true
	}
	if r.placed && n == 1 && state.MatchString(c.At(0).Text) { // Portland, OR
		return r.place(c.At(0).Text)
	}
	if r.placed && town > first && c.Length(town, "page-has") > 0 { // Taghazout, Morocco with lessons
		return r.place(c.Written(first, town)) && r.tail(c, town, true) == n
	}
	if end == first && !here || !here && !c.sure(first, end) {
		return false
	}
	if !r.mayName(c, here) {
		return false
	}
	if choices.MatchString(c.Written(0, n)) { // PT/EN/ES: no name, and no place
		return r.Title != "" && r.leave(c, wording)
	}
	house := housed(c.Written(first, end))
	if r.composed && house && !here { // whose name is it?
		return false
	}
	certain := r.Title != "" || here || n == 1 // a town, and not whose the page is
	local := here || c.Is("page-street", c.At(end-1).Low) || house && !(r.Title == "" && (c.Is("page-premises", r.Subject) || c.Is("page-premises", r.Subject[strings.LastIndex(r.Subject, " ")+1:]) || strings.HasSuffix(r.Subject, c.At(end-1).Low)))
	hall := housed(r.Place)
	what := english.Singular(c.At(end - 1).Low)
	trade := c.Is("usual", what) || c.Is("what-people-are", what)
	switch {
	case r.addressed && !certain, n == 1 && !here && r.Title != "" && (trade || r.next.headed()): // Lee & Co, Accountants; Lee & Co: Antiques, About
		return false
	case r.elsewhere: // our second shop at High Street 9, Wisbech
		return r.text(c)
	case r.addressed && (postcode.MatchString(c.said()) || r.Place != "" && !r.placed && c.placeAt(first) == n): // CF64 2AB
		r.Address += ", " + c.said()
		return true
	case (r.addressed && !r.placed || r.placed && (hall || here || r.Title != "")) && c.placeAt(first) == n:
		return r.place(c.Written(first, n))
	case r.placed && r.Title == "" && (!c.Is("page-town", strings.ToLower(r.Place)) || end == first+1) && c.to(end).region(first): // Ilkley, Wharfedale
		return false
	case r.Title != "" && c.Is("title-of-person", c.At(0).Low) && c.At(0).Low != "st": // Dr. Hanna Velt, beside the name of a practice
		return r.leave(c, wording)
	case r.Title != "" && n == 1 && (c.Is("page-degree", c.At(0).Low) || acronym.MatchString(c.At(0).Text) && !here): // Ada Low, SRE
		return r.leave(c, wording)
	case r.Title != "" && c.Is("page-affiliation", c.At(first).Low) && c.nameAt(first) == n: // University of Bergen
		return r.leave(c, wording)
	case r.Title == "" && r.dated && !(here && r.Subject != "" && r.Place == ""): // whose it is, or where?
		return false
	case r.Title == "" && end == n && !local:
		r.either = c.either(first, r.Subject)
		return r.title(c.Written(c.nameStart(first), n))
	case r.Title == "" && !local && r.tail(c, end, false) == n:
		return r.title(c.Written(c.nameStart(first), end))
	case here, r.Title != "" && (local || n == 1) && c.placeAt(first) == n, r.Title != "" && end < n && c.placeAt(first) == n && (end > first+1 || c.Tables["usual"][c.At(first).Low] == ""): // but not the Bar in Kiel
		return r.Place == "" && r.place(c.Written(first, n))
	case r.Title != "" && r.dated && end == n: // 14 June 2025, Galle Fort
		return r.leave(c, wording)
	}
	return r.Title != "" && strings.EqualFold(r.Title, plaintext.Title(c.Written(first, n)))
}

// either says whether a name behind what a page is for may as well be where that is: a hair salon, Wigan.
func (c clause) either(first int, subject string) bool {
	whole, last := c.Written(0, len(c.Tokens)), english.Singular(c.At(len(c.Tokens)-1).Low)
	named := strings.ContainsAny(whole, "&'0123456789") || inner.MatchString(whole) || whole == strings.ToUpper(whole) || c.isTrade(last)
	lands := c.region(0) || c.Is("page-land-name", c.At(0).Low) || c.Is("page-land-name", last)
	return c.before != "" && subject != "" && !named && first == 0 && lands
}

// mayName says whether a name between commas can be that of the page, or of where that is: it stands beside what is told of
// whose the page is, and in no row of names (Maths, Physics), behind no word for several (Rooms Blue), and is no section.
func (r *reader) mayName(c clause, town bool) bool {
	if r.groundless(c) {
		return false
	}
	first, alone := c.At(0), len(c.Tokens) == 1 && r.next.onlyName() && len(r.next.Tokens) == 1
	several := c.before == "" && !first.Capital && english.IsPlural(first.Low) && (r.next.onlyName() || c.At(1).Capital && len(c.At(1).Text) == 1)
	item := c.before == ":" && len(c.Tokens) == 1 && !town && len(r.next.Tokens) > 0 && !r.next.onlyFacts() && !r.next.isTown() // a vet: Dogs, cats
	row := r.unread || item || alone && (c.before == ":" || !r.next.isTown())
	return r.aside || r.elsewhere || (r.near || town) && !several && !row && (town || !c.known())
}

// groundless says whether words that are written as a name tell something else: Contact Leila, BMW and Audi, University of Graz.
func (r *reader) groundless(c clause) bool {
	first, and := c.At(0), len(c.Tokens) == 3 && c.At(1).Text == "and"
	orders := c.before == "" && !first.Capital && (c.Is("page-announces", first.Low) || c.Is("page-orders", first.Low) || c.Is("page-does", first.Low))
	pair := and && r.Subject != "" && !c.Is("page-occasion", r.Subject[strings.LastIndex(r.Subject, " ")+1:]) && !c.Is("page-pair", r.Subject[strings.LastIndex(r.Subject, " ")+1:])
	return orders || pair || r.Title == "" && r.Subject != "" && c.holds("page-affiliation")
}

// isTown says whether a clause is the name of a town or country that is known.
func (c clause) isTown() bool { return c.Length(0, "page-town") == len(c.Tokens) }

// headed says whether a clause is the name of a section that is written as names are.
func (c clause) headed() bool { return c.known() && plaintext.IsCapital(c.At(0).Text) }

// region says whether a name behind that of a town may be where the town is: Tyne Valley, but not Wax & Wane.
func (c clause) region(first int) bool {
	named := first > 0 && plaintext.IsCapital(c.At(0).Text) || strings.ContainsAny(c.Written(0, len(c.Tokens)), "&'")
	from, last := c.At(first).Low, c.At(len(c.Tokens)-1).Low
	lands := len(c.Tokens) == 1 || c.holds("page-town") || c.Is("page-ground", from) || c.Is("page-lands", from) || c.Is("page-lands", last)
	return c.before != ":" && !named && lands
}

// housed says whether a name is like that of a house or ground.
func housed(name string) bool { return ended(name, "page-hall", "page-ground") }

// built says whether a name is that of a house for certain, and of no town: Villa Rosa, but not San Antonio.
func built(name string) bool {
	return ended(name, "page-house", "page-house") || strings.HasSuffix(name, "'s")
}

// ended says whether a name ends or begins with a word of the tables.
func ended(name, last, first string) bool {
	all := strings.Fields(strings.ToLower(name) + " -")
	_, ends := pageTables[last][all[max(0, len(all)-2)]]
	_, begins := pageTables[first][all[0]]
	return ends || begins
}

// nameStart gives the place of the article that is written as part of a name.
func (c clause) nameStart(i int) int {
	if i > 0 && plaintext.IsCapital(c.At(i-1).Text) {
		return i - 1
	}
	return i
}

// plain gives words for people, those in capitals as they are written.
func plain(tokens []words.Token) string {
	var out []string
	for _, t := range tokens {
		if t.Capital {
			out = append(out, strings.TrimSuffix(t.Text, "'s"))
		} else {
			out = append(out, t.Low)
		}
	}
	return strings.Join(out, " ")
}
