package template

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// pageWord reads what words mean of a page alone; it gives the number of words, or none.
func (r *reader) pageWord(i int, m meaning, n int) int {
	t := r.Tokens[i]
	if !r.site {
		return 0
	}
	if k := r.Length(i, "introduces"); k > 0 && r.project == nil && r.Subject == "" && len(r.group) == 0 {
		r.slot = inThings
		return k
	}
	if k := r.Length(i, "offers"); k > 0 && r.Title+r.Subject != "" && !r.At(i+k).Capital {
		r.flush()
		r.slot = inFields
		return k
	}
	if n := r.siteName(i, m); n > 0 {
		return n
	}
	k := max(r.Length(i, "layout"), r.Length(i, "section"))
	listed := k > 0 && (r.Ends(i+k) || r.isFigure(i+k)) || m.Class == "" && r.At(i-1).Low == "." && r.At(i+1).Low == "," && !r.At(i+2).Capital
	if (r.slot == nowhere || r.slot == inThings && r.At(i-1).Mark) && r.Title+r.Subject != "" && listed {
		r.slot = inFields // a list of sections begins, and nothing says so
	}
	what := strings.Join(r.group, " ")
	told := is("fill-in", what) && t.Capital // "our address Main Street"
	switch {
	case k > 1 && (r.slot == inFields || r.slot == inRemoved):
		r.group = append(r.group, strings.Fields(r.Words(i, k))...)
		return k
	case r.slot == inThings && m.Class == isHeart && is("advertised", m.Value):
		r.group = append(r.group, strings.Fields(r.Words(i, n))...)
		return n
	case m.Class != "" || !told && !words.MailLike.MatchString(t.Low):
		return r.figures(i)
	}
	if n := len(r.group); n > 1 && is("inside-section", r.group[n-1]) { // contact us at
		r.group = r.group[:n-1]
	}
	if is("fill-in", what) {
		r.context, r.group = append(r.context, what), nil
	}
	if r.flush(); told {
		name, end := r.NameAt(i)
		for r.isFigure(end) {
			name += " " + r.At(end).Raw
			end++
		}
		if r.slot = inIgnored; what == "address" && r.Address == "" && asTold.MatchString(name) {
			r.Address, r.slot = name, inPlace
			return end - i
		}
		r.leave(what, "yours to fill in")
		return 1
	}
	r.Email = t.Low
	return 1
}

// sectionWord takes a word of the name of a section.
func (r *reader) sectionWord(i int) int {
	if t := r.Tokens[i]; len(r.group) > 0 && t.Capital && !plaintext.IsCapital(r.At(i-1).Text) { // "cv of Leila"
		r.unknown = append(r.unknown, t.Text)
	}
	r.group = append(r.group, strings.Fields(r.Tokens[i].Low)...)
	return 1
}

var figureLike = regexp.MustCompile(`^[+€$£]?\d[\d.,:%€$£]*(?:st|nd|rd|th|am|pm|h)?$`)

// siteName reads the name of a person, a business or a place; it gives the number of words.
func (r *reader) siteName(i int, m meaning) int {
	t := r.Tokens[i]
	if is("title-of-person", t.Low) && plaintext.IsCapital(r.At(i+1).Text) {
		t.Capital, t.Text = true, plaintext.Capital(t.Low)
		r.Tokens[i], m = t, meaning{}
	}
	told := r.slot == inFields && r.At(i-1).Low == ":" && !is("never-section", r.At(i-2).Low)
	unknownPair := m.Class == "" && (told || r.slot == nowhere) && len(r.group) == 0 && r.Title == "" && !r.isFigure(i+1) && plaintext.IsCapital(t.Text) && (plaintext.IsCapital(r.At(i+1).Text) || is("inside-name", r.At(i+1).Low) && plaintext.IsCapital(r.At(i+2).Text))
	if !t.Quoted && !unknownPair && !r.beginsName(i, m) {
		return 0
	}
	name, next := r.NameAt(i)
	ofPlace := r.slot == inPlace && !t.Quoted
	continued := r.At(i-1).Low == "," && plaintext.IsCapital(r.At(i-2).Text) && r.Place != "" && (r.Title != "" || !strings.Contains(name, " "))
	if !ofPlace {
		r.flush()
	}
	switch {
	case t.Quoted && r.slot == inFields && (r.Title != "" || r.project != nil || is("section", t.Low) || is("layout", t.Low)):
		r.group = strings.Fields(strings.ToLower(name))
	case r.project != nil && !ofPlace: // a new name is told as one
		r.unknown = append(r.unknown, name)
	case continued && (r.Title != "" || r.Subject != ""):
		r.Place = plaintext.Title(r.Place + ", " + name)
	case r.Title == "" && (!ofPlace || r.Place != ""):
		if r.Title = name; told {
			r.slot = nowhere
		}
	case r.Place == "" && (ofPlace || r.At(i-1).Quoted || r.At(i-1).Mark && r.At(i-1).Low != "."):
		r.Place = name
	default:
		r.unknown = append(r.unknown, name)
	}
	return next - i
}

// beginsName says whether a name begins here.
func (r *reader) beginsName(i int, m meaning) bool {
	t, next := r.Tokens[i], r.At(i+1)
	describes := len(t.Text) < 4 && strings.ToUpper(t.Text) == t.Text && !next.Mark && !next.Quoted && !plaintext.IsCapital(next.Text) && vocabulary[next.Low].Class == ""
	switch {
	case !t.Capital || describes || r.slot == inRemoved || r.slot == inIgnored: // it describes what follows: a UX designer
		return false
	case r.slot == inFields:
		return (r.Title == "" && plaintext.IsCapital(next.Text) || r.Place == "" && r.At(i-1).Low == "," && r.At(i-2).Quoted) && m.Class == "" && !is("section", t.Low) && tables["layout"][t.Low] == "" && len(r.group) == 0
	case m.Class == "" || m.Class == isStop && plaintext.IsCapital(next.Text) || r.slot == inPlace:
		return true
	}
	return plaintext.IsCapital(next.Text) && !slices.Contains([]class{isKind, isHeart, isLanguage, isGiven}, m.Class)
}

// fact takes numbers in a row for the phone number, the hours or the day of what a page is about, if they are one of these.
func (r *reader) fact(i, n int, labelled bool) bool {
	text, digits, has := r.Written(i, i+n), 0, map[string]bool{}
	for k := i; k < i+n; k++ {
		has[tables["calendar"][r.At(k).Low]] = true
	}
	for _, c := range text {
		digits += map[bool]int{true: 1}[unicode.IsDigit(c)]
	}
	if len(r.group) > 0 && r.group[0] == "closed" && has["weekday"] && r.Hours != "" {
		text, r.group, digits = strings.Join(r.group, " ")+" "+text, nil, 1
	}
	open := labelled && strings.Contains(lastOf(r.context), "open") || tables["layout"][strings.Join(r.group, " ")] == "hours"
	switch {
	case r.Phone == "" && digits > 5 && phoneLike.MatchString(text):
		for len(r.group) > 0 && is("fill-in", lastOf(r.group)) || len(r.group) > 1 && is("inside-section", lastOf(r.group)) { // reservations by phone
			r.group = r.group[:len(r.group)-1]
		}
		r.Phone = text
	case digits > 0 && (has["weekday"] || open) && asTold.MatchString(text) && (len(r.group) == 0 || open):
		r.Hours = strings.TrimPrefix(r.Hours+", "+text, ", ")
	case digits > 0 && has["month"] && r.When == "" && len(r.group) == 0 && asTold.MatchString(text):
		r.When = text
	default:
		return false
	}
	return true
}

// figures reads dates, hours and numbers in a row: they are the owner's to fill in.
func (r *reader) figures(i int) int {
	n := 0
	for r.site && (r.isFigure(i+n) || n > 0 && is("between-figures", r.At(i+n).Low) && r.isFigure(i+n+1)) {
		n++
	}
	if n > 0 && (r.At(i+n).Low == "per" || r.slot == inFields && r.Ends(i-1) && figureLike.MatchString(r.At(i).Low)) { // 15 euros per walk, 120 members
		n = r.EndOf(i) - i
	}
	if n > 0 {
		if n := len(r.group); n > 1 && is("inside-section", r.group[n-1]) { // classes on Monday
			r.group = r.group[:n-1]
		}
		if what := strings.Join(r.group, " "); is("fill-in", what) {
			r.context, r.group = append(r.context, what), nil
		}
		label := lastOf(append([]string{""}, r.context...))
		if name, end := r.NameAt(i + n); r.At(i+n).Capital && r.Address == "" && (label == "address" || r.At(i-1).Low == "at") && asTold.MatchString(r.Written(i, i+n)+" "+name) { // 5 Main Street
			r.flush()
			r.Address, r.slot = r.Written(i, i+n)+" "+name, inPlace
			return end - i
		}
		if r.fact(i, n, is("fill-in", label)) {
			r.flush()
			return n
		}
		what := r.Words(i, n)
		strange := len(r.group) > 0 && !is("section", lastOf(r.group)) && !is("layout", strings.Join(r.group, " ")) // founded 1987
		if begin := i; r.slot == nowhere || r.slot == inFields && strange {                                         // "small dog $35"
			for begin > i-3 && !r.At(begin-1).Mark && !r.isFigure(begin-1) {
				begin--
			}
			what, r.group, r.context = r.Words(begin, i+n-begin), nil, append(r.context, r.group...)
		}
		r.flush()
		r.leave(what, "numbers and dates are yours to fill in")
	}
	return n
}

func (r *reader) isFigure(i int) bool {
	plain := func(t words.Token) bool {
		return !t.Quoted && (figureLike.MatchString(t.Low) || phoneLike.MatchString(t.Low) || vocabulary[t.Low].Value == "dates")
	}
	return plain(r.At(i)) || is("figure", r.At(i).Low) && (plain(r.At(i-1)) || plain(r.At(i+1)))
}

// isPartOfPage says whether a word with a meaning of its own is a name here.
func (r *reader) isPartOfPage(low string, m meaning, next class) bool {
	if is("section-end", low) && len(r.group) > 0 && r.slot != inThings || m.Value == "colours and themes" {
		return false
	}
	switch r.slot {
	case inFields, inRemoved:
		return !is("never-section", low) && (is("section", low) || tables["layout"][low] != "" || is("also-name", low) && m.Class != isStop && m.Class != isDetail && (m.Class != isHeart || (next == "" || next == isJoin) && !is("interactive", low)) && m.Class != opensFields) && m.Class != isAuth
	case inThings:
		return is("usual", low) || is("trade", low) || is("begins-trade", low) && next == "" || is("also-name", low) && !slices.Contains([]class{isKind, opensFields, opensThings}, m.Class)
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
	case r.slot == inPlace && r.Subject != "" && (is("discipline", last) || strings.HasSuffix(last, "ology")) && len(strings.Fields(r.Subject+" "+name)) <= maxSubject: // a student in marine biology
		r.Subject = name + " " + r.Subject
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

// listsSections says whether parts of a page follow, one of which is well known.
func (r *reader) listsSections(i int) bool {
	known := false
	for k := i; r.At(k).Low == "," || !r.At(k).Mark; k++ {
		n := r.Length(k, "layout")
		known = known || r.Ends(k-1) && (n > 0 && r.Ends(k+n) || is("section", r.At(k).Low) && r.Ends(k+1))
	}
	return known && r.Subject+r.Title != "" && r.project == nil && !r.At(i).Capital
}
