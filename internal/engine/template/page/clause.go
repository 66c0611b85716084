package page

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// clause is a part of a sentence between marks, or one that begins with who does something.
type clause struct {
	words.Text
	asides  []aside // what stands in brackets in it
	skipped int     // words that stood before these
	before  string  // the mark before it; none begins a sentence
	slash   bool    // that is a slash
	colon   bool    // a colon stands behind it
}

// aside is what stands in brackets, with the number of words before it.
type aside struct {
	words.Text
	at int
}

// sentencesOf cuts a request into sentences, and these into clauses.
func sentencesOf(x words.Text) [][]clause {
	x.Tokens = tidy(x)
	x.Tokens = spot(x)
	return cut(x)
}

// cut cuts words at their marks. What stands in brackets belongs to the clause before; a list on lines of its own is one with
// commas, or of sentences where its lines tell what each is.
func cut(x words.Text) (out [][]clause) {
	var all []clause
	c := clause{Text: words.Text{Lexicon: x.Lexicon}}
	end := func(mark string) {
		if c.colon = mark == ":"; len(c.Tokens)+len(c.asides) > 0 {
			all = append(all, c.parts()...)
		}
		c = clause{Text: words.Text{Lexicon: x.Lexicon}, before: strings.Trim(mark, ".")}
		if mark == "." && len(all) > 0 {
			out, all = append(out, all), nil
		}
	}
	between := "," // the lines of a list
	for i := 0; i < len(x.Tokens); i++ {
		t, shut := x.Tokens[i], len(x.Tokens)
		if t.Mark && t.Low == "(" && x.Closes(i) > 0 {
			shut = x.Closes(i)
		}
		switch {
		case !t.Mark:
			c.Tokens = append(c.Tokens, t)
		case t.Low == "(" && !marked(x.Tokens[i:shut], words.Bullet):
			c.asides = append(c.asides, aside{words.Text{Tokens: x.Tokens[i+1 : shut], Lexicon: x.Lexicon}, len(c.Tokens)})
			i = shut
		case t.Low == "(":
			between = ","
			if end(":"); marked(x.Tokens[i:shut], ":") {
				between = "."
				end(".")
			}
		case t.Low == ")":
			end(".")
		case t.Low == words.Bullet:
			end(between)
		default:
			end(t.Low)
			c.slash = t.Text == "/"
		}
	}
	end(".")
	return out
}

func marked(tokens []words.Token, mark string) bool {
	return slices.ContainsFunc(tokens, func(t words.Token) bool { return t.Mark && t.Low == mark })
}

// either says whether parts of a page stand with a slash between: map/directions.
func either(x words.Text, t words.Token) bool {
	parts := strings.Split(t.Low, "/")
	return len(parts) == 2 && !t.Quoted && !t.Mark && slices.ContainsFunc(parts, func(w string) bool {
		return x.Is("section", w) || x.Is("layout", w) || x.Is("page-part", w) || x.Is("page-announces", w) || x.Is("page-spelt", w)
	})
}

// tidy gives the words without brackets inside of brackets and periods behind initials, and with the hyphens between figures
// that were read as colons.
func tidy(x words.Text) (out []words.Token) {
	depth, list := 0, -1
	for i, t := range x.Tokens {
		before, next := x.At(i-1), x.At(i+1)
		if shut := x.Closes(i); t.Mark && t.Low == "(" && shut > 0 && depth == 0 && marked(x.Tokens[i:shut], words.Bullet) {
			list = shut // brackets around lines may hold others
		} else if t.Mark && i != list {
			depth += map[string]int{"(": 1, ")": -1}[t.Low]
		}
		if !t.Capital { // Acme Inc
			t.Low = cmp.Or(x.Tables["page-spelt"][t.Low], t.Low)
		}
		initial := len(before.Text) == 1 && unicode.IsUpper(rune(before.Text[0])) && before.Text != "I"
		switch {
		case t.Text == "#" || t.Text == "##": // before a heading
		case i == list || t.Mark && t.Low == "(" && depth == 0:
			out = append(out, t)
		case t.Mark && t.Low == "(" && depth > 1, t.Mark && t.Low == ")" && depth != 0:
			depth = max(depth, 0)
		case either(x, t) && (before.Mark || x.ClassAt(i-1) == "join" || x.Is("determiner", before.Low) || x.Is("page-has", before.Low)):
			for k, part := range strings.Split(t.Text, "/") {
				if k > 0 {
					out = append(out, words.Token{Text: "and", Low: "and", Raw: "and"})
				}
				low := strings.ToLower(part)
				out = append(out, words.Token{Text: part, Low: cmp.Or(x.Tables["page-spelt"][low], low), Raw: part})
			}
		case t.Mark && t.Low == "." && (before.Low == "est" || before.Low == "no") && digits(next):
		case t.Mark && t.Low == "." && initial && plaintext.IsCapital(next.Text):
		case t.Mark && t.Low == ":" && fact(next) == "email":
		case t.Mark && t.Low == ":" && digits(before) && (digits(next) || x.Is("page-day", next.Low)), t.Mark && t.Low == ":" && x.Is("page-month", before.Low) && digits(x.At(i-2)) && digits(next): // fri 7 - sun 9 nov, 5 May - 7 June
			out = append(out, words.Token{Text: "-", Low: "-", Raw: "-"})
		default:
			out = append(out, t)
		}
	}
	return out
}

// parts cuts a clause where a word joins another to it that begins with somebody, or with a wish.
func (c clause) parts() (out []clause) {
	from := 0
	part := func(end int) {
		p := c.to(end).from(from)
		p.colon, p.asides = c.colon && end == len(c.Tokens), nil
		if from > 0 {
			p.before = "and"
		}
		for _, each := range c.asides {
			if each.at > from && each.at <= end {
				p.asides = append(p.asides, each)
			}
		}
		out = append(out, p)
		from = end + 1
	}
	for i := max(1, c.Length(0, "page-somebody")); i < len(c.Tokens)-1; i++ { // but not inside of my brother and I
		also := c.Length(0, "page-somebody") > 0 && c.Is("page-also", c.At(i+1).Low) && !c.Ends(i+2)
		no := (c.At(i).Low == "and" || c.At(i).Low == "but") && c.ClassAt(i+1) == "denial"
		more := c.At(i+1).Low == "also" && c.from(i+2).known()                                                                    // it's run by volunteers so also how to help
		why := c.At(i).Low == "as" && c.Length(i+1, "page-pronoun") > 0 && c.from(i+1).opens() && !c.Is("page-as", c.At(i-1).Low) // as we have bad internet
		if why || c.Is("page-and", c.At(i).Low) && (also || no || more || c.from(i+1).opens()) {
			part(i)
		}
	}
	part(len(c.Tokens))
	return out
}

// opens says whether a clause begins with somebody who does something, or with a wish.
func (c clause) opens() bool {
	n := max(c.Length(0, "page-somebody"), c.wishing())
	return n > 0 && !c.Ends(n) && !c.belongs(n)
}

// belongs says whether what somebody has follows words for them: my daughter's wedding, but not my daughter's a florist.
func (c clause) belongs(n int) bool {
	next := c.At(n).Low
	is := c.Is("determiner", next) || strings.HasSuffix(next, "ing") && !c.Is("page-occasion", next)
	return n > 1 && c.wishing() < n && possessive(c.At(n-1)) && !is
}

func (c clause) from(i int) clause {
	c.Tokens = c.Tokens[min(i, len(c.Tokens)):]
	c.skipped += i
	return c
}

func (c clause) to(i int) clause {
	c.Tokens = c.Tokens[:i]
	return c
}

// bare gives a clause without the courtesies around it.
func (c clause) bare() clause {
	for n := 1; n > 0 && len(c.Tokens) > 0 && c.Length(0, "page-special") == 0; { // a thank you page
		n = max(c.Length(0, "page-courtesy"), c.Length(0, "page-and"))
		if c.before == "," && n == 1 && c.At(0).Capital && (c.capital(1) || digits(c.At(1))) { // an orienteering club, OK Silva; Basic 8€, Plus 14€
			break
		}
		c = c.from(n)
	}
	for k := min(words.MaxPhrase, len(c.Tokens)); k > 0 && c.Length(0, "page-quality") < len(c.Tokens); k-- { // but pets ok
		at := len(c.Tokens) - k
		if c.Length(at, "page-courtesy") == k || c.Length(at, "page-farewell") == k {
			return c.to(at).bare()
		}
	}
	return c
}

// said gives a clause as it is written.
func (c clause) said() string {
	out := said(c.Text)
	for _, each := range c.asides {
		out += " (" + said(each.Text) + ")"
	}
	return strings.TrimSpace(out)
}

func said(x words.Text) string {
	var out strings.Builder
	for _, t := range x.Tokens {
		switch {
		case t.Mark:
			out.WriteString(strings.ReplaceAll(t.Low, words.Bullet, ","))
		case isSign(t):
			out.WriteString(t.Raw)
		case t.Raw != "":
			out.WriteString(" " + t.Raw)
		}
	}
	return strings.TrimSpace(out.String())
}

// isSign says whether a word was read from a sign behind the one before: (phone only!).
func isSign(t words.Token) bool { return len(t.Raw) == 1 && strings.Contains("!?*", t.Raw) }

// kind gives the place of the word for a site, or none.
func (c clause) kind() int {
	for i := range c.Tokens {
		m, n := c.Phrase(i)
		if m.Class == "kind" && m.Value == "site" && !c.At(i).Quoted && !c.listable(i, n) {
			return i
		}
	}
	return -1
}

// listable says whether a word for a site is one for a section here: a page about us, contact pages.
func (c clause) listable(i, n int) bool {
	phrase, from := c.Words(i, n), i
	for from > 0 && !c.Ends(from-1) {
		from--
	}
	if phrase == "page" && from < i && c.to(i).from(from).bare().known() { // about page and timetable page
		return true
	}
	if n == 1 && (c.At(i).Capital && (c.capital(i-1) || c.capital(i+1)) || i > 0 && c.Is("page-ground-site", c.At(i-1).Low)) { // The Page Turners, a camp site
		return true
	}
	if phrase == "portfolio" || phrase == "cv" {
		return c.before != "" && !c.opens() || len(c.Tokens) == 1 && !c.colon
	}
	return false
}

// holds says whether a phrase of a table stands anywhere in a clause.
func (c clause) holds(table string) bool {
	for i := range c.Tokens {
		if c.Length(i, table) > 0 {
			return true
		}
	}
	return false
}

func (c clause) quoted() bool {
	return slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return t.Quoted })
}

// figures says whether a clause tells a number.
func (c clause) figures() bool {
	return slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return digits(t) && !c.Is("page-no-figure", t.Low) })
}

func digits(t words.Token) bool {
	return !t.Quoted && (strings.ContainsFunc(t.Text, unicode.IsDigit) || fact(t) != "") && fact(t) != "email"
}

// heart gives what a clause asks for that no page can have, if it does.
func (c clause) heart() string {
	for i := range c.Tokens {
		if m, n := c.Phrase(i); m.Class == "heart" && !c.At(i).Capital && !c.ordinary(i, n) {
			return c.Words(i, n)
		}
	}
	return ""
}

// ordinary says whether a phrase that means something elsewhere is only a word in what people tell: every Monday.
func (c clause) ordinary(i, n int) bool {
	return c.Is("also-name", c.Words(i, n)) || c.Is("page-channel", c.At(i).Low) || c.Is("page-plain", c.Words(i, n)) || n > 1 && c.Is("page-day", c.At(i+n-1).Low)
}
