package request

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// role is what some words of a request for a page tell.
type role int

const (
	mailFact role = iota
	phoneFact
	hoursFact
	dayFact
	addressFact
	linkFact
	titleName
	placeName
	regionName // where the place before it is
	partName   // of a section
	otherName
)

// span is a part of a request for a page that is known by its form: a fact, or a name.
type span struct {
	from, end int
	role      role
	text      string
}

var (
	clockLike  = regexp.MustCompile(`^\d{1,2}(?:[:.]\d\d)?(?:am|pm|h|uhr)?(?:-\d{1,2}(?:[:.]\d\d)?(?:am|pm|h|uhr)?)?$`)
	surelyTime = regexp.MustCompile(`\d(?:am|pm|h|uhr)\b|\d:\d\d`)
	dateLike   = regexp.MustCompile(`^(?:\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}-\d\d-\d\d)$`)
	dayLike    = regexp.MustCompile(`^(?:\d{1,2}(?:st|nd|rd|th)?\.?(?:-\d{1,2}(?:st|nd|rd|th)?)?|(?:19|20)\d\d)$`)
	houseLike  = regexp.MustCompile(`^\d{1,5}[a-z]?(?:-\d{1,4}[a-z]?)?$`)
	postLike   = regexp.MustCompile(`^\d{4,6}$`)
	linkLike   = regexp.MustCompile(`(?i)^@\w|^https?:|^www\.|^[\w-]+\.(?:com|org|net|de|co|io|eu|uk|example)(?:/|$)`)
)

const (
	longestFact = 14 // words
	leastPhone  = 6  // digits
	mostPhone   = 15
)

// raw gives what a word was cut from, in lower case.
func (p *parser) raw(i int) string { return strings.ToLower(p.At(i).Raw) }

// uncut says whether no part of a written word is cut off at a place.
func (p *parser) uncut(i int) bool { return p.At(i).Mark || p.At(i).Raw != "" || i >= len(p.Tokens) }

// facts finds what a request tells of the owner of a page by its form.
func (p *parser) facts() map[int]span {
	out := map[int]span{}
	for i := 0; i < len(p.Tokens); {
		s := p.factAt(i)
		if s.end <= i {
			i++
			continue
		}
		out[i] = s
		i = s.end
	}
	return out
}

// factAt gives the fact that stands at a place, if one does.
func (p *parser) factAt(i int) span {
	if t := p.At(i); t.Mark || t.Quoted || t.Raw == "" {
		return span{}
	}
	if words.MailLike.MatchString(p.At(i).Low) {
		return span{i, i + 1, mailFact, p.At(i).Low}
	}
	if linkLike.MatchString(p.At(i).Raw) {
		return span{i, p.Behind(i), linkFact, p.At(i).Raw}
	}
	for _, find := range []func(int) span{p.addressAt, p.dayAt, p.phoneAt, p.hoursAt} {
		if s := find(i); s.end > i {
			return s
		}
	}
	return span{}
}

func digits(s string) (n int) {
	for _, c := range s {
		if unicode.IsDigit(c) {
			n++
		}
	}
	return n
}

// phoneAt reads a telephone number.
func (p *parser) phoneAt(i int) (out span) {
	for end := i + 1; end <= i+8 && !p.At(end-1).Mark; end++ {
		text := p.Written(i, min(end, len(p.Tokens)))
		if p.Is("page-not-phone", p.At(i-1).Low) {
			return out
		}
		if n := digits(text); n >= leastPhone && n <= mostPhone && words.PhoneLike.MatchString(text) && p.uncut(end) &&
			!dateLike.MatchString(text) {
			out = span{i, end, phoneFact, text}
		}
	}
	return out
}

// dayAt reads the day of an event.
func (p *parser) dayAt(i int) (out span) {
	if dateLike.MatchString(p.raw(i)) {
		return span{i, p.Behind(i), dayFact, p.At(i).Raw}
	}
	month, number := false, false
	for k := i; k < i+longestFact; k++ {
		t := p.At(k)
		switch {
		case t.Mark && t.Low == "," && k > i && (p.Is("page-day", p.At(k-1).Low) || p.yearAt(k+1) && !p.yearAt(k-1)):
			continue
		case !t.Mark && p.Is("page-month", t.Low):
			month = true
		case !t.Mark && dayLike.MatchString(p.raw(k)):
			number = true
		case !t.Mark && p.Is("page-day", t.Low), t.Raw == "" && !t.Mark && k > i:
		case !t.Mark && k > i && p.Is("page-beside-month", t.Low):
			continue
		default:
			return out
		}
		if month && number && p.uncut(k+1) {
			out = span{i, k + 1, dayFact, p.writtenWithCommas(i, k+1)}
		}
	}
	return out
}

func (p *parser) writtenWithCommas(from, to int) string {
	var out strings.Builder
	for _, t := range p.Tokens[from:min(to, len(p.Tokens))] {
		switch {
		case t.Mark:
			out.WriteString(t.Low)
		case t.Raw != "":
			out.WriteString(" " + t.Raw)
		}
	}
	return strings.TrimSpace(out.String())
}

// hoursAt reads when something is open, or takes place.
func (p *parser) hoursAt(i int) (out span) {
	day, clock, every := false, false, false
	if first := p.At(i).Low; p.Is("page-beside-day", first) && p.Length(i, "page-day") == 0 && !p.Is("page-begins-day", first) {
		return out
	}
	for k := i; k < i+longestFact; {
		t, n := p.At(k), p.Length(k, "page-day")
		if t.Mark && t.Low == "," && day && !clock && clockLike.MatchString(p.raw(k+1)) && !p.yearAt(k+1) {
			k++
			continue
		}
		switch {
		case t.Mark || t.Quoted || p.Is("page-month", t.Low) && !p.Is("page-beside-day", t.Low):
			return out
		case p.raw(k) == "24/7":
			n, day, clock = 2, true, true
		case n == 0 && p.Is("page-day", p.raw(k)) && t.Raw != "":
			n, day = p.Behind(k)-k, true
		case n > 0:
			day = true
		case t.Raw != "" && clockLike.MatchString(p.raw(k)) && !p.yearAt(k):
			n, clock = p.Behind(k)-k, true
		case p.Is("page-beside-day", t.Low) || t.Raw == "" && k > i:
			n, every = 1, every || t.Low == "every" || t.Low == "each" || t.Low == "closed"
			k += n
			continue
		default:
			return out
		}
		k += n
		text := p.Written(i, min(k, len(p.Tokens)))
		labelled := p.opensBefore(i) > 0
		if p.uncut(k) && (day && (clock || every || labelled) || clock && (labelled && strings.ContainsAny(text, "-o") ||
			len(surelyTime.FindAllString(text, -1)) > 0)) {
			out = span{i, k, hoursFact, strings.ReplaceAll(text, "closed on ", "closed ")}
		}
	}
	return out
}

func (p *parser) yearAt(i int) bool {
	return len(p.raw(i)) == 4 && !strings.ContainsAny(p.raw(i), ":.-hapm")
}

// opensBefore gives the number of words before a place that say that hours follow.
func (p *parser) opensBefore(i int) int {
	for n := 5; n > 0; n-- {
		if at := i - n; at >= 0 && p.Length(at, "page-opens") == n || at >= 0 && p.Length(at, "page-opens") == n-1 &&
			p.At(i-1).Low == ":" && n > 1 {
			return n
		}
	}
	return 0
}

// addressAt reads a street with the number of a house, and the town that is written with its postal code behind.
func (p *parser) addressAt(i int) (out span) {
	if out := p.unitAt(i); out.end > i {
		return out
	}
	labelled := p.labelled(i, "address", "street", "at", "where", "location", "visit")
	end := 0
	if at := p.Behind(i); houseLike.MatchString(p.raw(i)) && (plaintext.IsCapital(p.At(at).Text) ||
		p.Is("page-street-first", p.At(at).Low) && plaintext.IsCapital(p.At(at+1).Text)) {
		end = p.streetFrom(at, labelled)
	} else if plaintext.IsCapital(p.At(i).Text) || p.isStreet(p.At(i).Low) {
		end = p.houseBehind(i, labelled)
	}
	if end == 0 {
		return out
	}
	out = span{i, end, addressFact, p.Written(i, end)}
	if at := end + 1; p.At(end).Low == "," && p.At(end).Mark && postLike.MatchString(p.raw(at)) && plaintext.IsCapital(p.At(at+1).Text) {
		_, end := p.NameAt(at + 1)
		out.text, out.end = out.text+", "+p.Written(at, end), end
	}
	return out
}

// unitAt reads the number of a unit, and the street behind it.
func (p *parser) unitAt(i int) (out span) {
	if !p.Is("page-unit", p.At(i).Low) || !houseLike.MatchString(p.raw(i+1)) {
		return out
	}
	end := p.Behind(i + 1)
	if p.At(end).Low != "," || !p.At(end).Mark {
		return out
	}
	at := end + 1
	if houseLike.MatchString(p.raw(at)) {
		at = p.Behind(at)
	}
	street := p.streetFrom(at, false)
	if street == 0 || !plaintext.IsCapital(p.At(at).Text) {
		return out
	}
	return span{i, street, addressFact, p.writtenWithCommas(i, street)}
}

// streetFrom gives the end of the name of a street, behind the number of a house, or none.
func (p *parser) streetFrom(i int, labelled bool) int {
	sure := labelled || p.Is("page-street-first", p.At(i).Low)
	for k := i; k < i+6; k++ {
		t := p.At(k)
		capital := plaintext.IsCapital(t.Text)
		first := k == i && p.Is("page-street-first", t.Low)
		if t.Mark || !capital && !first && !p.Is("inside-name", t.Low) && !strings.Contains("des du da do les", t.Low) &&
			!p.Is("page-street", t.Low) {
			if sure && k > i {
				return k
			}
			return 0
		}
		if p.Is("page-street", t.Low) && k > i || p.isStreet(t.Low) {
			if next := p.At(k + 1); !plaintext.IsCapital(next.Text) || !p.Is("page-street", next.Low) {
				return k + 1
			}
		}
	}
	return 0
}

// houseBehind gives the place behind the number of a house that follows the name of a street, or none.
func (p *parser) houseBehind(i int, labelled bool) int {
	sure := labelled || p.Is("page-street-first", p.At(i).Low) && p.At(i).Capital
	for k := i; k < i+5; k++ {
		t := p.At(k)
		if k > i && houseLike.MatchString(p.raw(k)) && (sure || p.isStreet(p.At(k-1).Low) || p.Is("page-street", p.At(k-1).Low) && k > i+1) {
			return p.Behind(k)
		}
		if t.Mark || t.Quoted || !plaintext.IsCapital(t.Text) && !p.Is("inside-name", t.Low) && !p.isStreet(t.Low) {
			return 0
		}
	}
	return 0
}

// isStreet says whether a word is the name of a street that is written as one.
func (p *parser) isStreet(w string) bool {
	for end := range p.Tables["page-street-end"] {
		if strings.HasSuffix(w, end) && len(w) > len(end)+2 {
			return true
		}
	}
	return false
}

// labelled says whether one of some words stands before a place, but for little ones.
func (p *parser) labelled(i int, labels ...string) bool {
	for k := i - 1; k > i-4 && k >= 0; k-- {
		t := p.At(k)
		for _, each := range labels {
			if t.Low == each && !t.Mark {
				return true
			}
		}
		if !(t.Mark && (t.Low == ":" || t.Low == "(")) && !p.Is("light", t.Low) && t.Low != "is" && t.Low != "us" && t.Low != "are" &&
			t.Low != "we" {
			return false
		}
	}
	return false
}
