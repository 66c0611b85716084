package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/plaintext"
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
	if low := c.At(0).Low; c.Is("whose", low) && !c.exact() || low == "its" && c.from(1).exact() {
		c = c.from(1)
	}
	return c
}

// toldOf gives the number of words behind the name of a section that are only told of it: with prices.
func (c clause) toldOf() int {
	for k := 1; k < len(c.Tokens); k++ {
		if n := c.Length(k, "page-part-told"); n > 0 && k+n == len(c.Tokens) && c.Length(0, "page-part-of") < k { // but not a section with prices
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
	return c.exact() || c.ofSomething() || c.asksFor()
}

// asksFor says whether a section is called by what people ask: where to park, which markets I visit, what can be repaired.
func (c clause) asksFor() bool {
	n := len(c.Tokens)
	which := c.At(0).Low == "which" && c.Length(1, "page-somebody") == 0 && c.from(2).to(max(0, min(2, n-2))).holds("page-chooses")
	needs := c.Is("page-chooses", c.At(1).Low) && c.At(2).Low == "need" // what we need right now
	if n < 2 || n > longest+4 || c.Length(0, "asking") == 0 && !which || c.to(n-1).holds("page-wish") && !needs || c.relates() {
		return false
	}
	if c.Is("page-amount", c.At(1).Low) { // how many beds there are, but not how many beds do you have
		return n > 3 && !c.from(2).holds("page-inverts")
	}
	return !c.Is("page-inverts", c.At(1).Low) || c.At(2).Low == "be" || c.At(0).Low == "who"
}

// ofSomething says whether a section is named with what it is of: rules of the hut, programme of the three days.
func (c clause) ofSomething() bool {
	n := len(c.Tokens)
	kinds := c.Is("page-kinds", c.At(0).Low) // types of ceremonies
	return n > 2 && n <= longest+2 && c.At(1).Low == "of" && (kinds || c.to(1).exact()) && !c.from(2).names() && !c.from(2).quoted() && len(c.from(2).items()) == 1
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

// spans says whether a phrase of a table stands around a place of a clause, and ends it.
func (c clause) spans(i int, table string) bool {
	for k := max(0, i-4); k < i; k++ {
		if n := c.Length(k, table); k+n > i+1 && c.Ends(k+n) {
			return true
		}
	}
	return false
}

// items of a list: what "and" joins is several, unless it is the name of one.
func (c clause) items() (out []clause) {
	if n := len(c.Tokens); c.exact() || c.name().exact() || n > 3 && n <= longest+2 && c.Words(n-2, 2) == "or not" {
		return []clause{c}
	}
	from, tail, shared := 0, c.toldTail(), c.shared()
	for i := range c.Tokens {
		if i > 0 && i == shared || i > tail && c.tells(i) || c.spans(i, "page-looks") || c.spans(i, "page-left") { // nice and big, reachable day and night
			continue
		}
		if i > tail && c.Ends(i) {
			tail = len(c.Tokens)
		}
		one := i > 0 && i+1 < len(c.Tokens) && c.to(i+2).from(i-1).exact() // questions and answers
		if c.Vocabulary[c.At(i).Low].Class == "join" && !c.At(i).Quoted && !one && !c.heads(from, i) {
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
