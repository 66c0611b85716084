package page

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// spelledOut gives a request the little words and commas that busy people leave out: landing page yoga studio; rooms rates
// breakfast directions.
func spelledOut(x words.Text) words.Text {
	c := clause{Text: x}
	var out []words.Token
	for i := 0; i < len(x.Tokens); {
		if c.shopAt(i) {
			out = append(out, words.Token{Text: "for", Low: "for", Raw: "for"})
		}
		ends := c.sideBySide(i)
		if ends == nil {
			out, i = append(out, x.Tokens[i]), i+1
			continue
		}
		for k, end := range ends {
			if out = append(out, x.Tokens[i:end]...); k < len(ends)-1 {
				out = append(out, words.Token{Low: ",", Mark: true})
			}
			i = end
		}
	}
	x.Tokens = out
	return x
}

// shopAt says whether what somebody or something is stands at a place, right behind the word for the page.
func (c clause) shopAt(i int) bool {
	first := 0
	for first < i && c.ClassAt(first) != "kind" {
		first++
	}
	m, n := c.Phrase(first)
	if m.Class != "kind" || m.Value != project.Site || first+n != i || c.At(i).Mark || c.Is("page-of-web", c.At(i).Low) {
		return false
	}
	end := i
	for end < i+4 && !c.At(end).Mark && !c.At(end).Quoted && !c.At(end).Capital && c.ClassAt(end) == "" && c.Length(end, "page-at")+c.Length(end, "page-joins") == 0 {
		end++
	}
	ended := c.At(end).Mark && (c.At(end).Low == "," || c.At(end).Low == ":") || c.At(end).Low == "with" || c.At(end).Quoted
	return end > i && ended && c.isTrade(c.At(end-1).Low) && !c.to(end).from(i).exact()
}

// sideBySide gives where each of at least three names of sections ends that stand side by side from a place on, up to the next
// mark; or nothing where two of them may be one.
func (c clause) sideBySide(i int) (ends []int) {
	if before := c.At(i - 1); i < 2 || c.to(i-1).from(i-2).exact() || !(before.Mark && (before.Low == "," || before.Low == ":") || before.Low == "with") {
		return nil
	}
	last := ""
	for !c.At(i).Mark {
		n := 0
		for k := 1; k <= longest && !c.At(i+k-1).Mark && !c.At(i+k-1).Quoted; k++ {
			if c.to(min(i+k, len(c.Tokens))).from(i).exact() {
				n = k
			}
		}
		joined := last != "" && !english.IsPlural(last) && !c.Is("page-alone", last) && c.Is("page-goes-on", c.At(i).Low) // membership fees
		if n == 0 || joined || n > 1 && c.to(i+1).from(i).exact() && c.to(i+n).from(i+1).exact() {
			return nil
		}
		i += n
		ends, last = append(ends, i), c.At(i-1).Low
	}
	if len(ends) < 3 || c.At(i).Low != "." { // live music lineup, food stalls
		return nil
	}
	return ends
}

// first takes what a list right behind the word for the page begins with for what that is about, and refuses what may be that or
// a section: static site: yoga studio, classes.
func (r *reader) first(x words.Text) {
	i := 0
	for i < len(x.Tokens) && x.ClassAt(i) != "kind" {
		i++
	}
	_, n := x.Phrase(i)
	if behind := x.At(i + n); r.Title+r.Subject+r.Place != "" || len(r.Sections) == 0 || behind.Low != "," && behind.Low != ":" {
		return
	}
	from := i + n + 1
	c := clause{Text: x}.to(x.EndOf(from)).from(from)
	switch last := c.At(len(c.Tokens) - 1).Low; {
	case len(c.Tokens) == 0 || !strings.HasSuffix(plaintext.Slug(c.said()), r.Sections[0]) || c.name().exact() || r.layouts[c.said()] != "":
	case c.isTrade(last):
		r.Subject, r.Sections = c.said(), r.Sections[1:]
	case !c.known():
		r.Refuse(c.said())
	}
}

// runTogether refuses sections that nothing parts, whether they were taken for one, for what the page is about, or for nothing: a
// food truck menu locations contact.
func (r *reader) runTogether(x words.Text) {
	refuse := func(said string) {
		r.Hearts = append(r.Hearts, settings.Omission{What: said, Why: "put commas between the sections"})
	}
	section := func(all ...string) bool {
		c := clause{Text: words.Text{Lexicon: x.Lexicon}}
		for _, w := range all {
			c.Tokens = append(c.Tokens, words.Token{Text: w, Low: w, Raw: w})
		}
		return c.exact()
	}
	row := func(said string, from int) bool { // two sections side by side
		all := strings.Fields(said)
		for k := from; k+1 < len(all); k++ {
			if section(all[k]) && section(all[k+1]) {
				return true
			}
		}
		return false
	}
	if len(r.Sections) == 1 {
		if said := strings.ReplaceAll(r.Sections[0], "-", " "); strings.Count(said, " ") > 1 && r.layouts[said] == "" && row(said, 0) && row(said, 1) {
			refuse(said)
		}
	}
	if all := strings.Fields(r.Subject); row(r.Subject, 1) && !(clause{Text: x}).isTrade(all[len(all)-1]) || len(all) > 2 && section(all[len(all)-2:]...) && english.IsPlural(all[len(all)-1]) { // photo gallery opening hours
		refuse(r.Subject)
		r.Subject = ""
	}
	r.Unknown = slices.DeleteFunc(r.Unknown, func(said string) bool {
		if strings.Count(said, " ") < 2 || !row(said, 0) || slices.ContainsFunc(strings.Fields(said), func(w string) bool { return x.Vocabulary[w].Class == "kind" }) {
			return false
		}
		refuse(said)
		return true
	})
}
