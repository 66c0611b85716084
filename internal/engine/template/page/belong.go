package page

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// celebrates takes somebody whose occasion a page was said to be for: a birthday page for my mum.
func (r *reader) celebrates(c clause, i int) bool {
	kin := c.At(i)
	occasion := r.Title == "" && c.Is("page-occasion", r.Subject[strings.LastIndex(r.Subject, " ")+1:])
	if !occasion || !c.Is("page-kin", kin.Low) || !c.Is("whose", c.At(i-1).Low) || possessive(kin) || c.nameAt(i+1) > i+1 {
		return false
	}
	r.occasion = kin.Low + "'s " + r.Subject
	return true
}

// owned says whether somebody has what a page is about: a children's author, our village's festival.
func (c clause) owned() bool {
	return slices.ContainsFunc(c.Tokens, func(t words.Token) bool { return possessive(t) && !t.Capital })
}

// tradesman gives what somebody is whose page or portfolio is spoken of, or whose shop has a name: a photographer's portfolio,
// my optician's shop Klarblick.
func (c clause) tradesman(named bool) string {
	n := len(c.Tokens)
	if last := c.At(n - 1).Low; n > 1 && (last == "portfolio" || named && c.Is("institution", last)) {
		n--
	}
	if n == 0 || !possessive(c.At(n-1)) || c.to(n-1).owned() || !c.Is("what-people-are", c.At(n-1).Low) {
		return ""
	}
	return plain(c.Tokens[:n])
}

func possessive(t words.Token) bool {
	return strings.HasSuffix(t.Text, "'s") || strings.HasSuffix(t.Text, "s'")
}

// owns says whether a name or what somebody has follows the word for them: my brother's barbershop, my dads shop, my friend Jo.
func (c clause) owns(i int) bool {
	whose := c.At(i - 1)
	return strings.HasSuffix(strings.TrimSuffix(whose.Text, "'"), "s") && whose.Text != "boss" && !plaintext.IsCapital(whose.Text) || c.capital(i) && !c.Is("what-people-are", whose.Low)
}

// spent gives the place behind where somebody's time or way was, which is called by it: my year in Japan, our trip to Peru.
func (c clause) spent(subject string, i int) int {
	at, end := c.At(i).Low, max(c.placed(i), c.stands(i)) // life in the sea
	if at == "to" || at == "through" || at == "across" {
		end = c.placeAt(i + 1)
	}
	if end < i+2 || at != "in" && c.company(end) || !c.Is("page-spent", subject[strings.LastIndex(subject, " ")+1:]) {
		return i
	}
	return end
}

// company says whether those may follow with whom somebody's time or way was: to Rome with the choir, my life with dogs.
func (c clause) company(i int) bool {
	return c.At(i).Low == "with" && !c.from(i + 1).items()[0].bare().known()
}
