package page

import (
	"slices"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/words"
)

// former leaves out what is told of a page that there was or is, and of where this one will be.
func (r *reader) former(c clause) bool {
	for i := range c.Tokens {
		if c.Length(i, "page-serves") > 0 {
			return c.to(i).serving() && c.heart() == "" && !c.names() && !c.known() && r.leave(c, settings.Background)
		}
	}
	own := c.After(0, "my", "our", "the", "their", "her", "his")
	was := own > 0 && c.Is("page-former", c.At(own).Low) && c.kind() == own+1 && c.holds("page-was")
	again := r.past && c.At(0).Low == "it" && c.kind() < 0 // and it got hacked
	r.past, r.replaced = r.past || was, r.replaced || was
	return (was || again) && (!c.names() || c.holds("page-made")) && !c.figures() && !c.quoted() && !c.holds("page-wish") && r.leave(c, settings.Background)
}

// anew gives a clause with a page in place of the one that is wanted instead of another: our old site is ugly, we need a new one.
func (r *reader) anew(c clause) clause {
	for i, t := range c.Tokens {
		wanted := c.Is("page-anew", c.At(i-1).Low) || c.Is("page-asks", c.At(i-1).Low)
		if follows := c.Ends(i+1) || c.Length(i+1, "page-has")+c.Length(i+1, "page-for") > 0; r.replaced && t.Low == "one" && wanted && follows {
			c.Tokens = slices.Clone(c.Tokens)
			c.Tokens[i].Low = "page"
			return c
		}
	}
	return c
}

// serving says whether words before those for where a page will be ask for nothing themselves: so I can, my daughter will,
// plain HTML that I can.
func (c clause) serving() bool {
	for i := 0; i < len(c.Tokens); {
		n := max(c.Length(i, "page-somebody"), c.Length(i, "page-and"), c.Length(i, "may"), c.Length(i, "page-set"), c.Length(i, "page-skips"), c.Length(i, "page-serving"))
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}

// tells notes what somebody has or does, which may be what the page is about.
func (r *reader) tells(c clause) {
	if c.Length(0, "offers") > 0 || c.Length(0, "page-somebody") > 0 {
		r.unnamed = append(r.unnamed, c.said())
	}
}

// wants says whether something is wished in a clause; what somebody makes or builds is not.
func (c clause) wants() bool {
	if who := c.Length(0, "page-somebody"); who > 0 && c.Is("page-deals", c.At(who).Low) {
		c = c.from(who + 1)
	}
	return c.holds("page-wish")
}

// how says whether a clause tells how something is that somebody has, and nothing else: our hall is full of mice.
func (c clause) how() bool {
	end := 1
	for end <= longest && !c.Ends(end) && !c.Is("copula", c.At(end).Low) {
		end++
	}
	is := c.Is("whose", c.At(0).Low) && end > 1 && c.Is("copula", c.At(end).Low) && !c.to(end).names()
	told := c.figures() || c.quoted() || c.kind() >= 0 || c.wants() || c.heart() != "" || c.colon
	return is && !told && c.located() && !slices.ContainsFunc(c.Tokens, c.meant) && !slices.ContainsFunc(c.from(end+1).items(), clause.known)
}

// meant says whether a word means something elsewhere, and joins nothing.
func (c clause) meant(t words.Token) bool {
	return t.Low != "with" && !(clause{Text: words.Text{Tokens: []words.Token{t}, Lexicon: c.Lexicon}}).plainWords()
}

// background leaves out what only tells who asks, and why. Whoever wishes something tells more than that.
func (r *reader) background(c clause) bool {
	does := c.holds("page-does")
	r.tells(c)
	if !r.page && c.how() { // our town is twinned with a town in France
		r.unnamed = append(r.unnamed, c.said())
		return r.leave(c, settings.Background)
	}
	switch {
	case c.names() || c.quoted() || c.kind() >= 0 || c.known():
		return false
	case c.wishing() > 0 && slices.ContainsFunc(c.from(c.wishing()).items(), clause.sectional): // with menu and where to find us when it rains
		return false
	case (r.listing || r.listed) && c.Length(0, "page-pronoun") == 0 && !(does && c.holds("may")): // parents info
		return false
	case c.Length(0, "visitor") > 0 && does && c.holds("may"):
		return r.leave(c, server)
	case c.Length(0, "visitor") > 0 && !c.from(1).lists() && !does && !r.listing:
		return r.leave(c, settings.Background)
	case c.figures() && !c.wants():
		return r.leave(c, figures)
	case !c.opens() && slices.ContainsFunc(c.items(), clause.known), r.listing && c.Length(0, "asking") > 0, !c.opens() && c.Length(0, "page-trait") == 0 || c.wants() || c.heart() != "":
		return false
	}
	if c.Length(0, "offers") > 0 || r.deals { // we do boilers, bathrooms and repairs
		r.label, r.words = "left", ""
		return r.leave(c, wording)
	}
	if r.page {
		return r.leave(c, wording)
	}
	return r.leave(c, settings.Background)
}
