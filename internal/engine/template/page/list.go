package page

import (
	"slices"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

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

// toldTail gives the place behind which "and" may join what is only told of the section before: prices per night in summer
// and winter, a few FAQs about dogs and water.
func (c clause) toldTail() int {
	for i := 1; i < len(c.Tokens)-1; i++ {
		if c.Is("page-tail", c.At(i).Low) && c.to(i).name().lastExact() {
			return i
		}
	}
	return len(c.Tokens)
}

// shared gives the place of "and" behind which a section goes on with more of those that it is for, or of: guided tours for
// schools and groups, photos of kitchens and bathrooms.
func (c clause) shared() int {
	for i := 1; i < len(c.Tokens)-3; i++ {
		k, of := c.EndOf(i+1), c.At(i).Low == "of"
		whom := func(w string) bool { return c.Is("page-whom", w) || of && english.IsPlural(w) && !c.Is("layout", w) }
		if (of || c.At(i).Low == "for") && k < len(c.Tokens)-1 && k < i+4 && c.EndOf(k+1) < k+4 && whom(c.At(k-1).Low) && whom(c.At(c.EndOf(k+1)-1).Low) {
			return k
		}
	}
	return 0
}

// audience says whether a clause only tells for whom something is: women and kids.
func (c clause) audience() bool {
	return !slices.ContainsFunc(c.items(), func(each clause) bool { return !c.Is("page-whom", each.bare().lows()) })
}

// forWhom says whether a clause ends with for whom something is.
func (c clause) forWhom() bool {
	n := len(c.Tokens)
	return n > 2 && c.At(n-2).Low == "for" && c.Is("page-whom", c.At(n-1).Low)
}

// heads says whether "and" at a place joins words that are both told of what follows them: summer and winter prices.
func (c clause) heads(from, i int) bool {
	k := c.EndOf(i + 1)
	if i+1 < k && !c.Is("page-head", c.At(i+1).Low) && c.to(k).from(i+1).exact() { // lunch and opening hours
		return false
	}
	return i == from+1 && c.At(i).Low != "or" && k > i+2 && k <= i+4 && (c.Is("page-head", c.At(from).Low) || possessive(c.At(from)) && possessive(c.At(i+1)))
}

// tells says whether what "and" joins at a place is one or two words that name no section.
func (c clause) tells(i int) bool {
	end := c.EndOf(i + 1)
	each := c.to(min(end, len(c.Tokens))).from(i + 1)
	n := len(each.Tokens)
	named := n > 1 && (each.from(n-1).exact() || c.Is("page-announces", each.At(n-1).Low) || c.Tables["page-tells"][each.At(n-1).Low] == "when") // rain date, enquiries email
	return n > 0 && n < 3 && !named && !each.known() && !each.opens() && !c.Is("determiner", each.At(0).Low)
}

// lastExact says whether the words behind the last "and" are the name of a section.
func (c clause) lastExact() bool {
	all := c.Tokens
	for i := len(all) - 1; i > 0; i-- {
		if c.Vocabulary[all[i].Low].Class == "join" {
			return c.from(i + 1).name().exact()
		}
	}
	return c.exact()
}

// listed says which clauses of a sentence stand in a row of short ones, of which one is certainly a section.
func listed(all []clause) []bool {
	out := make([]bool, len(all))
	for from := 0; from < len(all); {
		end, known, number, goods := from, false, false, false
		for end < len(all) && all[end].short() {
			for _, each := range all[end].bare().items() {
				n := each.announced()
				number, goods = number || each.Length(0, "page-fact") > 1, goods || each.bare().known()
				known = known || number && goods && len(all) > 2 || each.sectional() || n > 0 && !each.to(n).factual() && len(all) > 1
			}
			end++
		}
		sections := end-from > 1 && !slices.ContainsFunc(all[from:end], func(c clause) bool { return !c.sectional() })
		street := end > from && all[end-1].factsFrom(0).address != "" || end < len(all) && sections && all[end].bare().isTown()      // and its town
		if end < len(all) && all[end].bare().onlyName() && all[from].before != ":" && !street && !(end > from && all[end-1].colon) { // Liv Aasen, weddings, Oslo
			known = false
		}
		for k := from; k < end; k++ {
			out[k] = known
		}
		from = max(end, from+1)
	}
	return out
}

// plainList says whether at least three clauses are nothing but one or two words each that mean nothing else.
func plainList(all []clause) bool {
	return len(all) > 2 && !slices.ContainsFunc(all, func(c clause) bool {
		c = c.bare()
		return !c.short() || len(c.Tokens) > 2 || !c.plainWords() || c.figures() || c.names() || c.quoted() || c.quality() || c.colon
	})
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

// maxInner bounds the clauses of a list inside of a list: nobody writes a longer one.
const maxInner = 12

// goesOn gives how many clauses go on with what is told of the last section of the one before, up to an "and" or the end: menu
// with starters, mains and desserts. It gives none with a section among them, and less than none where that is not certain.
func (c clause) goesOn(behind []clause) int {
	at := c.opensList()
	if at == 0 {
		return 0
	}
	if n := slices.IndexFunc(behind, func(each clause) bool { return !each.slash }); n > 0 { // starters / mains / desserts, hours
		return n
	}
	sure := c.Length(at, "page-gives") > 0
	for k, each := range behind {
		if k == maxInner {
			return -1
		}
		each = each.bare()
		all := each.items()
		if each.opens() || each.kind() >= 0 || each.figures() || each.names() || slices.ContainsFunc(all, clause.sectional) {
			return map[bool]int{true: -1}[sure && k > 0]
		}
		if len(all) > 1 && !sure && k+1 == len(behind) { // prices for kids, sauna and pool
			return -1
		}
		if len(all) > 1 {
			return k + 1
		}
	}
	return map[bool]int{true: len(behind)}[sure]
}

// opensList gives the place behind the last section of a clause where the first of what it has follows, or none.
func (c clause) opensList() int {
	n := len(c.Tokens)
	listing := c.kind() < 0
	for i := max(0, c.kind()); i < n-1; i++ {
		section := i > 0 && c.to(i).from(i-1).exact()
		if c.Is("page-person", c.At(i+1).Low) { // volunteer with us
			return 0
		}
		if of := c.At(i).Low == "of" && english.IsPlural(c.At(i+1).Low) || c.At(i).Low == "for"; listing && section && c.toldOf() == 0 && i >= n-longest && (of || c.Length(i, "page-gives") > 0) {
			return i
		}
		listing = listing || c.Length(i, "page-has") > 0
	}
	return 0
}

// onlyName says whether a clause is nothing but a name.
func (c clause) onlyName() bool {
	n := len(c.Tokens)
	return n > 0 && c.nameAt(0) == n && c.sure(0, n) && !c.known()
}

// Likely says whether a request that names no kind lists parts of a page, and gives what that would be about.
func Likely(x words.Text) (subject string, is bool) {
	known, all := 0, sentencesOf(withTables(x))
	if len(all) == 0 {
		return "", false
	}
	first := all[0][0].bare()
	for _, c := range all[0] {
		if c.bare().sectional() {
			known++
		}
	}
	from := 0
	for first.Is("page-skips", first.At(from).Low) {
		from++
	}
	return plain(first.Tokens[from:first.subjectEnd(from)]), known > 1 && !first.known()
}

// short says whether a clause can be an item of a list of sections.
func (c clause) short() bool {
	if c = c.bare(); len(c.Tokens) > maxClause {
		return false
	}
	named := c.onlyName() || c.names() && c.At(0).Low != "about" && c.whereabouts() == 0
	told := c.Length(0, "page-pronoun")+c.wishing() > 0
	return len(c.Tokens) > 0 && c.kind() < 0 && (c.known() || !told && !named)
}
