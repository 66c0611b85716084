package template

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// mark reads a mark and gives the place behind it.
func (r *reader) mark(i int) int {
	switch low := r.Tokens[i].Low; low {
	case ".":
		r.expect(nowhere)
		r.outer, r.about = nil, field{}
		return r.terse(i + 1)
	case ",":
		had := len(r.group) > 0
		r.flush()
		switch {
		case r.slot == inPlace && r.listsSections(i+1):
			r.slot = inFields
		case r.slot == inPlace, r.site && had && r.slot == inThings && (r.At(i+1).Quoted || r.At(i+1).Capital) && vocabulary[r.At(i+1).Low].Class == "" && !is("section", r.At(i+1).Low):
			r.slot = nowhere
		case r.site && (r.slot == inThings && had || r.slot == inIgnored || r.slot == nowhere && r.listsSections(i+1)): // a list goes on where the subject is known
			r.slot = inFields
		case r.slot == nowhere:
			return r.terse(i + 1)
		}
	case words.Bullet:
		r.flush()
		r.resolve()
		if r.slot = inThings; r.site || r.current != nil {
			r.slot = inFields
		}
	case ":", "(":
		if name, end := r.nameAt(i + 1); low == ":" && r.project == nil && is("page-label", strings.Join(r.group, " ")) && name != "" && (r.site || r.slot == nowhere && r.At(end).Low == "." && !is("type", strings.ToLower(name))) {
			what := strings.Join(r.group, " ")
			r.decided(tables["page-label"][what]).set(name)
			r.context, r.group = append(r.context, what), nil
			return end
		}
		if low == "(" && r.site && r.Place == "" && r.At(i+1).Capital { // Northwind Advisory (London)
			if r.flush(); r.Title == "" {
				r.slot = nowhere
			} else {
				r.slot = inPlace
			}
			break
		}
		if n := r.Length(i+1, "layout"); low == "(" && r.site && r.slot != inFields && n == 0 && !is("section", r.At(i+1).Low) && !r.At(i+1).Mark {
			r.unknown = append(r.unknown, r.At(i+1).Text) // of whom or what it is said is not told
		}
		if kind, n := r.Longest(i+1, "type"); kind != "" && (low == ":" && r.slot == inFields && len(r.group) > 0 || r.slot == inAdded) {
			r.about.Kind = kind
			if r.flush(); r.slot == inAdded && len(r.pending) > 0 {
				r.pending[len(r.pending)-1].about.Kind, r.pending[len(r.pending)-1].field = kind, true
			}
			return r.After(i+1+n, ")")
		}
		if end := r.reference(i + 1); end > 0 {
			return end
		}
		if words := r.group; (r.slot == inParents || r.slot == inChildren) && len(words) > 0 && r.Ends(i-len(words)-1) || low == ":" && r.slot == inFields && len(words) > 0 && !r.site && len(r.outer) == 0 && (r.find(lastOf(words)) != nil || r.listed(i)) {
			r.slot, r.group = inThings, nil
			r.addThing(words)
		}
		if r.Tokens[i].Text == "=" && r.slot == inFields && is("type-behind", r.At(i-1).Low) && (len(r.group) > 0 || r.reopen(i)) {
			r.about.Default = r.At(i + 1).Raw
			return r.Behind(i + 1)
		}
		if low == ":" && r.slot == inFields && len(r.group) > 0 && !r.site {
			if n := r.rule(i+1, &r.about); n > 0 {
				return i + 1 + n
			}
			if end := r.choicesEnd(i+1, is("no-title", lastOf(r.group)), !english.IsPlural(lastOf(r.group))); end > 0 {
				r.about.Choices = r.choices(i+1, end)
				return end
			}
			if is("no-title", lastOf(r.group)) { // where the choices end is not told
				r.unknown = append(r.unknown, strings.Join(r.group, " ")+": "+r.At(i+1).Low)
				return i + 1
			}
		}
		if low == "(" && (r.slot == inFields || r.slot == inAdded) && len(r.group) > 0 && !r.site {
			if end := r.remark(i); end > 0 {
				return end
			}
			if r.slot == inFields && len(r.current.fields) > 0 && r.current != r.nested && r.outer == nil { // lines in the midst of an invoice
				r.unknown = append(r.unknown, strings.Join(r.group, " ")+" ("+r.At(i+1).Low)
			}
			if r.slot == inFields {
				r.addThing(r.group) // its fields follow
				r.group, r.nested = nil, r.current
			}
		}
		before := reader{slot: r.slot, ofPlace: r.ofPlace}
		if r.open(); low == "(" {
			r.outer = append(r.outer, before)
		}
	case ")":
		if r.flush(); r.site {
			break
		}
		r.slot = nowhere
		if n := len(r.outer); n > 0 {
			r.slot, r.ofPlace, r.outer = r.outer[n-1].slot, r.outer[n-1].ofPlace, r.outer[:n-1]
		}
	}
	return i + 1
}

// terse begins the list of the fields of a thing that was told of before, where nothing but the fields says so:
// "tickets. subject, body", "customer name and email, order total". It gives the place where the list begins.
func (r *reader) terse(i int) int {
	if before := r.ClassAt(i - 2); r.site || r.project != nil || len(r.group)+len(r.pending) > 0 || before == isAdding || before == isRemoving {
		return i
	}
	t, first := r.find(r.At(i).Low), i
	if t != nil && len(t.fields) == 0 && (is("field", r.At(i+1).Low) || r.Ends(i+2) && is("also-field", r.At(i+1).Low)) {
		first++
	} else if t = nil; len(r.things) == 1 && len(r.things[0].fields) == 0 {
		t = r.things[0]
	}
	known, several := 0, false
	for k := first; r.At(k).Low == "," || r.At(k).Low == "(" || !r.At(k).Mark; k++ {
		for deep := r.At(k).Low == "("; deep && r.At(k).Low != ")" && k < len(r.Tokens); k++ {
		}
		w := r.At(k).Low
		if several = several || r.Ends(k); !several && vocabulary[w].Class != "" && !is("also-name", w) {
			return i
		}
		if r.Ends(k+1) && (is("field", w) || is("field", english.Singular(w)) || is("field", r.At(k-2).Low)) {
			known += 2
		} else if r.Ends(k+1) && is("also-field", w) {
			known++
		}
	}
	if t == nil || known < 2 || !several && first == i {
		return i
	}
	r.current, r.slot, r.short = t, inFields, first > i
	return first
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

// reference reads what a field refers to, behind a mark: "course: reference to Course", "commander (an astronaut)".
func (r *reader) reference(i int) int {
	m, n := r.Phrase(i)
	if m.Class != isRelation {
		n = 0
	}
	k := r.After(i+n, "a", "an", "one", "the", "to")
	t := r.find(r.At(k).Low)
	if r.site || r.slot != inFields || len(r.group) == 0 || t == nil || !r.Ends(k+1) || n == 0 && k == i && !plaintext.IsCapital(r.At(k).Text) {
		return 0
	}
	if r.about.Kind = kindRef + t.singular; t.is(lastOf(r.group)) {
		r.about.Kind = kindString // which it becomes by its name
	}
	r.flush()
	if k++; r.At(i-1).Low == "(" {
		k = r.After(k, ")")
	}
	return k
}

// listed says whether the name before a place is that of an item of a list, and several parts of it follow.
func (r *reader) listed(i int) bool {
	begins := r.At(i-len(r.group)-1).Low == words.Bullet && !is("field", lastOf(r.group)) || len(r.current.fields) == 0 && english.IsPlural(lastOf(r.group)) // an office with items: colour, place
	for k := i + 1; begins && !strings.Contains("."+words.Bullet, r.At(k).Low); k++ {
		if r.At(k).Low == "," {
			return true
		}
	}
	return false
}

// change reads the verbs that change a project; of a new one, what people do with its records.
func (r *reader) change(m meaning, i, n int) int {
	next, _ := r.Phrase(i + n)
	alone := r.At(i+n).Mark || next.Class == isJoin || next.Class == isContainer && r.slot == inFields
	r.flush()
	switch {
	case m.Class == isTo && r.slot == inAdded && len(r.pending) > 0:
		r.slot = inTarget
	case m.Class == isTo && (r.slot == inIgnored || r.slot == inParents):
	case m.Class == isTo:
		r.slot = nowhere
	case m.Class == isRenaming:
		return r.rename(i, n)
	case m.Class == isAdding && r.site:
		r.slot = inFields
	case m.Class == isRemoving && r.site:
		r.slot = inRemoved
	case r.project == nil && alone:
		r.given, r.slot = append(r.given, r.Words(i, n)), nowhere
	case r.project == nil && m.Class == isRemoving && r.Kind == kindCommand && (len(r.Operations) > 0 || is("no-record", english.Singular(r.At(r.After(i+n, "the", "a", "all", "my")).Low))):
		r.cannot(r.Words(i, n), "work on media and data")
	case r.project == nil && m.Class == isRemoving && r.current != nil && r.find(r.At(r.After(i+n, "the", "a", "all", "my")).Low) == nil: // a field that was just told
		r.unknown = append(r.unknown, r.Words(i, n)+" "+r.At(r.After(i+n, "the", "a", "all", "my")).Low)
	case r.project == nil:
		r.slot = inThings
	case m.Class == isAdding:
		r.expect(inAdded)
	default:
		r.expect(inRemoved)
		r.current = nil
		for k := i + n; !r.At(k).Mark || r.At(k).Low == ","; k++ { // "remove the price from books"
			if r.At(k).Low == "from" {
				r.current = r.find(r.At(r.After(k+1, "the", "my", "our", "each", "all")).Low)
			}
		}
	}
	return n
}

// rename reads a new name for the project; things keep theirs, and their records with it.
func (r *reader) rename(i, n int) int {
	name, end := r.nameAt(r.After(i+n, "to", "as", ":"))
	if behind := r.At(end); name == "" || !r.site && strings.Contains(r.Words(i, n), "title") || r.project == nil || !behind.Mark && vocabulary[behind.Low].Class != isJoin {
		r.unknown = append(r.unknown, r.Words(i, n))
		return n
	}
	r.Title = name
	return end - i
}

// target reads the name behind "to": that of what something is added to.
func (r *reader) target(words []string) {
	t := r.find(lastOf(words))
	if t == nil {
		r.unknown = append(r.unknown, "to "+strings.Join(words, " "))
	}
	for _, each := range r.pending {
		last := lastOf(each.words)
		switch {
		case t == nil:
		case !each.field && each.about.Kind == "" && english.IsPlural(last) && tables["field"][last] == "":
			r.addThing(each.words)
			r.current.parents = append(r.current.parents, t)
		default:
			r.addField(t, each.words, each.about)
		}
	}
	r.pending, r.slot = nil, nowhere
	if t != nil {
		r.current = t
	}
}

// named reads what follows "called": the name of the project, of a thing or of a field.
func (r *reader) named(m meaning, i, n int) int {
	before := r.At(i - 1).Low
	r.flush()
	switch {
	case is("field-noun", before) && !r.site:
	case vocabulary[before].Class == isContainer && !strings.HasSuffix(before, "app") && !r.site, english.HasSuffix(before, "endpoint", "endpoints"):
		r.slot = inThings
	default:
		return max(n, r.option(m, i, n, false))
	}
	return n
}

var figureLike = regexp.MustCompile(`^[+€$£]?\d[\d.,%€$£]*(?:st|nd|rd|th|am|pm|h)?$`)

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
	name, next := r.nameAt(i)
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
		return !t.Quoted && (figureLike.MatchString(t.Low) || vocabulary[t.Low].Value == "dates")
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
		return !is("never-section", low) && (is("section", low) || tables["layout"][low] != "" || is("also-name", low) && m.Class != isStop && (m.Class != isHeart || (next == "" || next == isJoin) && !is("interactive", low)) && m.Class != opensFields) && m.Class != isAuth
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
