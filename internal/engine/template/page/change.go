package page

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// Move is what becomes of a section that stays: it has another name, or stands elsewhere.
type Move struct {
	Section string
	Where   string // first, last, before or behind another, or renamed
	Other   string // that other section, or the new name
}

// Change reads a request that changes a page with sections.
func Change(x words.Text, sections []string) *Page {
	r := &reader{Page: &Page{}, changing: true, had: sections}
	x.Tokens = slices.DeleteFunc(slices.Clone(x.Tokens), func(t words.Token) bool { return t.Low == "also" && !t.Quoted })
	for _, sentence := range sentencesOf(withTables(x)) {
		verb := ""
		for _, c := range sentence {
			r.listing, r.whole = true, false
			for _, part := range c.changes() {
				if verb = r.change(part.bare(), verb); verb == "" {
					r.Refuse(part.said())
				}
			}
			if len(c.asides) > 0 && !r.whole {
				r.Refuse(c.said())
			}
		}
	}
	return r.Page
}

// changes cuts a clause where another verb begins.
func (c clause) changes() []clause {
	for i := 1; i < len(c.Tokens); i++ {
		class := c.ClassAt(i)
		verb := class == "adding" || class == "removing" || class == "renaming" || c.Length(i, "page-now") > 1 || c.Is("page-moves", c.At(i).Low) && c.At(i).Low == "move"
		if verb && c.Is("page-and", c.At(i-1).Low) {
			return append([]clause{c.to(i - 1)}, c.from(i).changes()...)
		}
	}
	return []clause{c}
}

// change reads what is to be different, with the verb before it where it has none, and gives its verb; none where it is not
// understood.
func (r *reader) change(c clause, verb string) string {
	c = c.from(c.Length(0, "page-begs")).bare()
	m, n := c.Phrase(0)
	if wants := c.Length(0, "page-wants"); wants > 0 {
		m.Class, n = "adding", wants
	}
	switch m.Class {
	case "adding", "removing", "denial":
		verb = m.Class
	default:
		n = 0
	}
	rest := c.from(n).inPage()
	switch {
	case c.from(max(0, len(c.Tokens)-1)).holds("page-instead"): // of what?
		return ""
	case len(c.Tokens) == 0 || c.Is("page-praise", c.lows()) || r.renamed(c) || r.moved(c) || r.placedNow(c):
		return "nothing"
	case verb == "removing" && r.removes(rest), verb == "denial" && (r.removes(rest) || !r.mentions(rest) && r.denial(c)):
		return verb
	case verb == "removing" || verb == "denial":
		return ""
	case r.newFacts(rest, verb == ""):
		return "adding"
	case r.setting(c):
		return "nothing"
	case verb != "adding" || slices.ContainsFunc(rest.items(), func(each clause) bool { return !r.newFacts(each, false) && !r.gains(each.bare()) }):
		return ""
	}
	return verb
}

// inPage gives a clause without the words for the page itself behind it: to the page.
func (c clause) inPage() clause {
	for k := range c.Tokens {
		if n := c.Length(k, "page-whole"); n > 0 && k+n == len(c.Tokens) {
			return c.to(k)
		}
	}
	return c
}

// newFacts reads facts that are others from now on: change the phone to 021 555 0199.
func (r *reader) newFacts(c clause, bare bool) bool {
	if now := c.Length(0, "page-now"); now > 1 || now > 0 && bare {
		c = c.from(now)
	}
	c.Tokens = slices.DeleteFunc(slices.Clone(c.Tokens), func(t words.Token) bool { return c.Is("page-anew", t.Low) && !t.Quoted })
	f := c.factsFrom(0)
	if r.addressed = false; f.end < len(c.Tokens) || f.email+f.phone+f.hours+f.address+f.when == "" {
		return false
	}
	r.take(f)
	r.addressed = f.address != ""
	return true
}

// section gives the section of the page that a clause names, which may be said shorter: hours, for opening hours.
func (r *reader) section(c clause) string {
	name := c.bare().section()
	if slices.Contains(r.had, name) || slices.Contains(r.Sections, name) {
		return name
	}
	all := slices.DeleteFunc(slices.Clone(r.had), func(s string) bool { return !strings.HasSuffix(s, "-"+name) })
	if name == "" || len(all) != 1 {
		return ""
	}
	return all[0]
}

// mentions says whether a section of the page is named in a clause.
func (r *reader) mentions(c clause) bool {
	return slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return slices.Contains(r.had, plaintext.Slug(t.Low)) })
}

// gains reads a section that the page gets, and where. What is only said of a section that it has is none: the menu in red.
func (r *reader) gains(c clause) bool {
	c = c.from(c.Length(0, "page-new-part"))
	for k := 1; k < len(c.Tokens); k++ {
		if n := c.Length(k, "page-again"); k+n == len(c.Tokens) {
			c = c.to(k)
			break
		}
		if where, n := c.Longest(k, "page-move"); n > 0 {
			other, before := r.section(c.from(k+n)), len(r.Sections)
			if placed := beside(where) == (other != "") && (other != "" || k+n == len(c.Tokens)); placed && r.gains(c.to(k)) && len(r.Sections) == before+1 {
				r.Moves = append(r.Moves, Move{r.Sections[before], where, other})
				return true
			}
			return false
		}
	}
	name := c.name()
	if len(name.Tokens) == 0 {
		return len(c.Tokens) == 0
	}
	if said := len(name.Tokens) > 1 && r.mentions(name); said && !name.exact() || c.ClassAt(0) == "denial" || c.Is("page-no-part", name.At(0).Low) || name.holds("may") {
		return false
	}
	return r.part(c)
}

// removes reads sections that the page loses, or facts that it tells no more.
func (r *reader) removes(c clause) bool {
	all := []clause{c}
	if r.section(c) == "" {
		all = c.items()
	}
	for _, each := range all {
		each = each.bare()
		fact := c.Tables["page-datum"][each.from(each.Length(0, "page-now")).lows()]
		switch section := r.section(each); {
		case slices.Contains(r.had, section):
			r.Removed = append(r.Removed, section)
		case fact != "":
			r.Dropped = append(r.Dropped, fact)
		default:
			return false
		}
	}
	return true
}

// renamed reads another name of the page, or of a section: rename music to albums, the team section should be called staff.
func (r *reader) renamed(c clause) bool {
	m, n := c.Phrase(0)
	if renames := c.Is("page-renames", c.Words(0, n)); renames || c.Is("page-turns", c.At(0).Low) {
		for k := 2; k < len(c.Tokens); k++ {
			if c.Is("page-into", c.At(k).Low) {
				what, name := c.to(k).from(1), c.from(k+1)
				return (renames || name.known() && r.section(what) != "" || c.Is("page-name", what.lows())) && r.calls(what, name)
			}
		}
	}
	for k := range c.Tokens {
		if called := c.Length(k, "page-called"); called > 0 {
			what, name := c.to(k), c.from(k+called)
			return (c.At(k).Low != "is" || name.names() || name.quoted()) && r.calls(what, name) // but not: the site is called wrong
		}
		if k > 1 && c.Is("page-dubs", c.At(0).Low) && r.section(c.to(k).from(1)) != "" && c.Is("page-part-end", c.At(k-1).Low) { // call the members section people
			return r.calls(c.to(k).from(1), c.from(k))
		}
	}
	if n = max(n, c.Length(0, "page-titled")); m.Class != "renaming" && m.Class != "named" && !c.Is("page-titled", c.Words(0, n)) {
		return false
	}
	name := c.from(c.After(n, "to", "as", "it"))
	if told := c.At(n-1).Low == "is"; told && !name.names() && !name.quoted() { // the name is wrong
		return false
	}
	return !c.Is("no-title-yet", name.lows()) && r.calls(clause{}, name)
}

// calls takes the new name of a section, or of the page where that is named or nothing is.
func (r *reader) calls(what, name clause) bool {
	n := len(name.Tokens)
	if n == 0 || n > 6 {
		return false
	}
	section := ""
	if len(what.Tokens) > 0 {
		section = r.section(what)
	}
	itself := what.Is("page-self-named", what.lows())
	switch {
	case section != "" && itself: // the choir is called Harmony: its page, or a section?
		return false
	case section != "":
		read := &reader{Page: &Page{}, changing: true, listing: true, capitals: true}
		if !read.part(name) || len(read.Sections) != 1 || len(read.Left)+len(read.Hearts)+len(read.Unknown) > 0 || slices.Contains(r.had, read.Sections[0]) {
			return false
		}
		r.Moves = append(r.Moves, Move{section, "renamed", read.Sections[0]})
		return true
	case len(what.Tokens) == 0 || itself:
		return r.title(name.Written(0, n))
	}
	return false
}

// moved reads where a section is to stand: put the prices first, the menu should come before location.
func (r *reader) moved(c clause) bool {
	for k := 1; k < len(c.Tokens); k++ {
		where, n := c.Longest(k, "page-move")
		if n == 0 {
			continue
		}
		from, end := c.Length(0, "page-moves"), k
		for end > from && c.Length(end-1, "page-moves") > 0 || end > from+1 && c.Length(end-2, "page-moves") == 2 {
			end--
		}
		section, other := r.section(c.to(end).from(from)), r.section(c.from(k+n))
		if section == "" || section == other || beside(where) != (other != "") || other == "" && k+n < len(c.Tokens) {
			return false
		}
		r.Moves = append(r.Moves, Move{section, where, other})
		return true
	}
	return false
}

// beside says whether another section has to be named with where one is to stand.
func beside(where string) bool { return where == "before" || where == "behind" }

// placedNow reads where it all is from now on: we moved to Bruges, and the town behind a street.
func (r *reader) placedNow(c clause) bool {
	n, end := c.Length(0, "page-moved"), len(c.Tokens)
	if n > 0 && r.newFacts(c.from(n), false) { // we moved to 12 Canal Street
		return true
	}
	if last := c.At(end - 1); last.Low == "now" && n > 0 {
		end--
	}
	behind := r.addressed && c.before == "," && c.onlyName()
	if n == 0 && !behind || c.Is("page-day", c.At(n).Low) || c.placeAt(n) != end {
		return false
	}
	return r.place(c.Written(n, end))
}
