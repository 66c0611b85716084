package page

import (
	"slices"

	"github.com/bundle-delivery/svc/internal/words"
)

// bracket reads what stands in brackets: what is told of a section, or whose a page is.
func (r *reader) bracket(c clause, a aside) {
	x := a.Text
	inside, whole := cut(x), clause{Text: x, before: ","}
	lead := c.to(min(max(a.at-c.skipped, 0), len(c.Tokens)))
	if lead.endsWithPages() { // three pages (home, prices)
		r.listing, r.capitals = true, true
		for _, each := range slices.Concat(inside...) {
			r.clause(each)
		}
		return
	}
	if (r.listing || r.listed || r.telling > 0) && a.at > r.lists {
		switch {
		case whole.nameAt(0) == len(x.Tokens):
			if self := lead.endsWithSelf(); r.Title != "" && !self { // about the author (Mara Quill)
				r.Leave(said(x), wording)
			} else if !self || !r.title(said(x)) {
				r.Refuse(said(x))
			}
		case len(inside) == 1 && len(inside[0]) > 1 && inside[0][0].onlyName() && r.Title == "" && lead.endsWithSelf(): // who I am (Ada Low, 20 years in the trade)
			rest := slices.IndexFunc(x.Tokens, func(t words.Token) bool { return t.Mark })
			r.title(inside[0][0].said())
			r.Leave(said(words.Text{Tokens: x.Tokens[rest+1:], Lexicon: x.Lexicon}), wording)
		case len(inside) == 1 && r.allFacts(inside[0], lead.holds("page-dates")):
		case whole.figures():
			r.Leave(said(x), figures)
		default:
			r.Leave(said(x), wording)
		}
		return
	}
	told := len(inside) == 1 && len(inside[0]) > 1 && c.kind() < 0 && c.Length(0, "page-somebody") > 0 && !slices.ContainsFunc(inside[0], clause.names)
	if told && !whole.told() || whole.tongues() { // I'm a photographer (portraits, weddings), a translator (German/English)
		r.Leave(said(x), wording)
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

// endsWithPages says whether a clause ends with words for several pages.
func (c clause) endsWithPages() bool {
	n := len(c.Tokens)
	return n > 1 && c.Length(n-2, "page-apart") == 2 || n > 2 && c.Length(n-3, "page-apart") == 3
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
