package template

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

var figureLike = regexp.MustCompile(`^[+€$£]?\d[\d.,%€$£]*(?:st|nd|rd|th|am|pm|h)?$`)

// siteName reads the name of a person, a business or a place; it gives the number of words.
func (r *reader) siteName(i int, m meaning) int {
	t := r.tokens[i]
	if is("title-of-person", t.low) && plaintext.IsCapital(r.at(i+1).text) {
		t.capital, t.text = true, plaintext.Capital(t.low)
		r.tokens[i], m = t, meaning{}
	}
	told := r.slot == inFields && r.at(i-1).low == ":" && !is("never-section", r.at(i-2).low)
	unknownPair := m.Class == "" && (told || r.slot == nowhere) && len(r.group) == 0 && r.Title == "" && !r.isFigure(i+1) && plaintext.IsCapital(t.text) && (plaintext.IsCapital(r.at(i+1).text) || is("inside-name", r.at(i+1).low) && plaintext.IsCapital(r.at(i+2).text))
	if !t.quoted && !unknownPair && !r.beginsName(i, m) {
		return 0
	}
	name, next := r.nameAt(i)
	ofPlace := r.slot == inPlace && !t.quoted
	continued := r.at(i-1).low == "," && plaintext.IsCapital(r.at(i-2).text) && r.Place != "" && (r.Title != "" || !strings.Contains(name, " "))
	if !ofPlace {
		r.flush()
	}
	switch {
	case t.quoted && r.slot == inFields && (r.Title != "" || r.project != nil || is("section", t.low) || is("layout", t.low)):
		r.group = strings.Fields(strings.ToLower(name))
	case r.project != nil && !ofPlace: // a new name is told as one
		r.unknown = append(r.unknown, name)
	case continued && (r.Title != "" || r.Subject != ""):
		r.Place = plaintext.Title(r.Place + ", " + name)
	case r.Title == "" && (!ofPlace || r.Place != ""):
		if r.Title = name; told {
			r.slot = nowhere
		}
	case r.Place == "":
		r.Place = name
	default:
		r.unknown = append(r.unknown, name)
	}
	return next - i
}

// beginsName says whether a name begins here.
func (r *reader) beginsName(i int, m meaning) bool {
	t, next := r.tokens[i], r.at(i+1)
	describes := len(t.text) < 4 && strings.ToUpper(t.text) == t.text && !next.mark && !next.quoted && !plaintext.IsCapital(next.text) && vocabulary[next.low].Class == ""
	switch {
	case !t.capital || describes || r.slot == inRemoved || r.slot == inIgnored: // it describes what follows: a UX designer
		return false
	case r.slot == inFields:
		return (r.Title == "" && (r.at(i-1).mark || plaintext.IsCapital(next.text)) || r.Place == "" && r.at(i-1).low == "," && r.at(i-2).quoted) && m.Class == "" && !is("section", t.low) && tables["layout"][t.low] == "" && len(r.group) == 0
	case m.Class == "" || m.Class == isStop && plaintext.IsCapital(next.text) || r.slot == inPlace:
		return true
	}
	return plaintext.IsCapital(next.text) && !slices.Contains([]class{isKind, isHeart, isLanguage, isGiven}, m.Class)
}

// figures reads dates, hours and numbers in a row: they are the owner's to fill in.
func (r *reader) figures(i int) int {
	n := 0
	for r.site && (r.isFigure(i+n) || n > 0 && is("between-figures", r.at(i+n).low) && r.isFigure(i+n+1)) {
		n++
	}
	if n > 0 {
		if what := strings.Join(r.group, " "); is("fill-in", what) {
			r.context, r.group = append(r.context, what), nil
		}
		what := r.words(i, n)
		if begin := i; r.slot == nowhere { // "small dog $35"
			for !r.at(begin-1).mark && !r.isFigure(begin-1) {
				begin--
			}
			what, r.group, r.context = r.words(begin, i+n-begin), nil, append(r.context, r.group...)
		}
		r.flush()
		r.leave(what, "numbers and dates are yours to fill in")
	}
	return n
}

func (r *reader) isFigure(i int) bool {
	plain := func(t token) bool {
		return !t.quoted && (figureLike.MatchString(t.low) || vocabulary[t.low].Value == "dates")
	}
	return plain(r.at(i)) || is("figure", r.at(i).low) && (plain(r.at(i-1)) || plain(r.at(i+1)))
}

// isPartOfPage says whether a word with a meaning of its own is a name here.
func (r *reader) isPartOfPage(low string, m meaning) bool {
	if is("section-end", low) && len(r.group) > 0 && r.slot != inThings || m.Value == "colours and themes" {
		return false
	}
	switch r.slot {
	case inFields, inRemoved:
		return !is("never-section", low) && (is("section", low) || tables["layout"][low] != "" || is("also-name", low) && m.Class != isStop && m.Class != isHeart && m.Class != opensFields) && m.Class != isAuth
	case inThings:
		return is("usual", low) || is("trade", low) || is("also-name", low) && !slices.Contains([]class{isKind, opensFields, opensThings}, m.Class)
	case nowhere:
		return is("usual", low) && low != "portfolio"
	}
	return false
}

// page reads a word for a page: the words before it say what about, or which part of one.
func (r *reader) page(low string) {
	switch {
	case r.slot == inFields && len(r.group) > 0:
		if low == "page" || low == "pages" {
			r.leave(strings.Join(r.group, " ")+" "+low, "separate pages: it is a section of the one page")
		}
		r.flush()
	case len(r.group) > 0:
		if r.slot = inThings; r.Subject != "" {
			r.slot = inFields
			r.leave(strings.Join(r.group, " ")+" "+low, "separate pages: it is a section of the one page")
		}
		r.flush()
		r.slot = nowhere
	}
}

// pagePart takes the words for what a page is about, where that is, or one of its sections.
func (r *reader) pagePart(words []string) {
	if last := len(words) - 1; words[last] == "pages" {
		r.leave("pages", "separate pages: there are sections of one page")
		if words = words[:last]; last == 0 {
			return
		}
	}
	name, section, short, last := strings.Join(words, " "), strings.Join(words, "-"), len(words) <= maxSubject, lastOf(words)
	trade := !is("section", last) && !is("layout", last) && (is("usual", last) || english.HasSuffix(last, "er", "or", "ist", "ian"))
	switch {
	case r.slot == inIgnored:
	case r.slot == nowhere && is("fill-in", name):
		r.leave(name, "yours to fill in")
	case r.slot == inThings && r.Subject == "" && short && r.project == nil,
		r.slot == nowhere && r.Subject == "" && short && r.Title != "": // a trade behind a name: "for John Doe, web developer"
		r.Subject = name
	case r.slot == inPlace && r.Place == "" && short:
		r.Place = plaintext.Title(plaintext.Spelled(section))
	case r.slot == inFields && is("interactive", last):
		r.leave(name, "interactive parts")
	case r.slot == inFields && r.Subject == "" && r.Title != "" && r.project == nil && len(r.Sections) == 0 && trade: // "Maria Lopez - illustrator"
		r.Subject = name
	case (r.slot == inFields || r.slot == inAdded) && !notSectionName(section):
		if !slices.Contains(r.Sections, section) {
			r.Sections = append(r.Sections, section)
		}
	case r.slot == inRemoved && r.project != nil && slices.Contains(r.project.Sections, section):
		r.removed = append(r.removed, section)
	default:
		r.unknown = append(r.unknown, name)
	}
}
