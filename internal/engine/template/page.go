package template

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"

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
	if n := r.Aside(i, true); n > 0 && r.Title+r.Subject != "" && r.project == nil && !slices.ContainsFunc(r.Tokens[i:i+n], func(t words.Token) bool {
		return t.Capital && t.Low != "i" || strings.ContainsAny(t.Low, "@0123456789")
	}) {
		if r.flush(); r.Length(i, "teller")+r.Length(i, "whose") > 0 {
			r.leave(r.Words(i, n), "yours to say in the text")
		}
		return n
	}
	if k := r.Length(i, "beside"); k > 0 && r.slot == inThings && len(r.group) > 0 && len(r.group)+k < project.MaxSubject && r.ClassAt(i+k) == "" && !r.At(i+k).Capital && !r.At(i+k).Mark { // a campsite by a lake
		r.group = append(r.group, strings.Fields(r.Words(i, k+1))...)
		return k + 1
	}
	if n := r.visitors(i); n > 0 {
		return n
	}
	if n := r.siteName(i, m); n > 0 {
		return n
	}
	if r.slot == nowhere && r.At(i-1).Low == "." && r.At(r.EndOf(i)).Low == "," && m.Class != opensFields && m.Value != project.Site && r.Title+r.Subject != "" && r.project == nil && r.ListsParts(i) {
		r.slot = inFields // a list of sections begins, and nothing says so
	}
	if name, n := r.Part(i, r.Title+r.Subject != ""); n > 0 && r.slot == inFields && len(r.group) == 0 {
		r.group = name
		return n
	}
	if n := r.looks(i); n > 0 {
		return n
	}
	k := max(r.Length(i, "layout"), r.Length(i, "section"))
	listed := k > 0 && (r.Ends(i+k) || r.IsFigure(i+k)) || m.Class == "" && r.At(i-1).Low == "." && r.At(i+1).Low == "," && !r.At(i+2).Capital
	if (r.slot == nowhere || r.slot == inThings && r.At(i-1).Mark) && r.Title+r.Subject != "" && listed {
		r.slot = inFields // a list of sections begins, and nothing says so
	}
	what := strings.Join(r.group, " ")
	told := is("fill-in", what) && t.Capital // "our address Main Street"
	switch {
	case k > 1 && (r.slot == inFields || r.slot == inRemoved):
		r.group = append(r.group, strings.Fields(r.Words(i, k))...)
		return k
	case (r.slot == inThings || r.slot == nowhere && r.Title != "" && r.Subject == "") && m.Class == isHeart && is("advertised", m.Value):
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
		for r.IsFigure(end) {
			name += " " + r.At(end).Raw
			end++
		}
		if r.slot = inIgnored; what == "address" && r.Address == "" && project.AsTold(name) {
			r.Address, r.slot = name, inPlace
			return end - i
		}
		r.leave(what, "yours to fill in")
		return 1
	}
	r.Email = t.Low
	return 1
}

// visitors reads what visitors of a page can do, up to the end of the clause: they see what it has, and what else they do it cannot.
func (r *reader) visitors(i int) int {
	who := r.Length(i, "visitor")
	may := r.Length(i+who, "may")
	if who*may == 0 || r.project != nil {
		return 0
	}
	r.flush()
	if n := r.Length(i+who+may, "sees"); n > 0 {
		r.slot = inFields
		return who + may + n
	}
	end := r.NextMark(i)
	r.leave(r.Words(i, end-i), "what visitors do on a page needs a server")
	r.slot = inFields
	return end - i
}

// looks reads a part of a sentence that only says what something is like, or at what place it is.
func (r *reader) looks(i int) int {
	k := max(r.Length(i, "venue"), r.Length(i, "manner"))
	plain := r.Plain(i)
	switch {
	case r.Title+r.Subject == "" || r.project != nil || len(r.group) > 0 || r.slot != nowhere && !r.Ends(i-1) && r.ClassAt(i-1) != opensFields:
		return 0
	case k > 0 && r.Place == "" && r.Ends(i+k) && r.Length(i, "venue") == k:
		r.Place = plaintext.Title(plaintext.Spelled(strings.ReplaceAll(r.Words(i, k), " ", "-")))
	case k > 0 && r.Ends(i+k):
		r.leave(r.Words(i, k), "colours and themes")
	case r.slot == nowhere && plain > 0 && plain < 4 && r.At(i-1).Mark && strings.Contains(".,", r.At(i+plain).Low) && !is("fill-in", r.At(i).Low) && !is("section", r.At(i).Low) && r.Length(i, "layout") == 0: // dogs welcome
		k = plain
		r.leave(r.Words(i, k), "yours to say in the text")
	default:
		return 0
	}
	return k
}

// siteName reads the name of a person, a business or a place; it gives the number of words.
func (r *reader) siteName(i int, m meaning) int {
	t := r.Tokens[i]
	if is("title-of-person", t.Low) && plaintext.IsCapital(r.At(i+1).Text) {
		t.Capital, t.Text = true, plaintext.Capital(t.Low)
		r.Tokens[i], m = t, meaning{}
	}
	told := r.slot == inFields && r.At(i-1).Low == ":" && !is("never-section", r.At(i-2).Low)
	unknownPair := (m.Class == "" || m.Class == isStop && told && plaintext.IsCapital(r.At(i+2).Text)) && (told || r.slot == nowhere) && len(r.group) == 0 && r.Title == "" && !r.IsFigure(i+1) && plaintext.IsCapital(t.Text) && (plaintext.IsCapital(r.At(i+1).Text) || is("inside-name", r.At(i+1).Low) && plaintext.IsCapital(r.At(i+2).Text))
	if !t.Quoted && !unknownPair && !r.beginsName(i, m) || is("fill-in", strings.Join(r.group, " ")) {
		return 0
	}
	name, next := r.NameAt(i)
	ofPlace := r.slot == inPlace && !t.Quoted
	continued := r.At(i-1).Low == "," && plaintext.IsCapital(r.At(i-2).Text) && r.Place != "" && (r.Title != "" || !strings.Contains(name, " "))
	if !ofPlace {
		r.flush()
	}
	switch {
	case r.behindDay(i) && !strings.Contains(name, "&"):
		r.Place = name
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
		return r.behindDay(i) && r.Ends(i+1) || (r.Title == "" && plaintext.IsCapital(next.Text) || r.Place == "" && r.At(i-1).Low == "," && r.At(i-2).Quoted) && m.Class == "" && !is("section", t.Low) && tables["layout"][t.Low] == "" && len(r.group) == 0
	case m.Class == "" || m.Class == isStop && plaintext.IsCapital(next.Text) || r.slot == inPlace:
		return true
	}
	return plaintext.IsCapital(next.Text) && !slices.Contains([]class{isKind, isHeart, isLanguage, isGiven}, m.Class)
}

// behindDay says whether a name stands behind the day of what a page is about: that is where it is.
func (r *reader) behindDay(i int) bool {
	return r.When != "" && r.Place == "" && r.Subject != "" && r.project == nil && r.At(i-1).Low == "," && r.IsFigure(i-2)
}

// fact takes numbers in a row for the phone number, the hours or the day of what a page is about, if they are one of these.
func (r *reader) fact(i, n int, labelled bool) bool {
	text, digits, has := r.Calendar(i, i+n)
	if len(r.group) > 0 && r.group[0] == "closed" && has["weekday"] && r.Hours != "" {
		text, r.group, digits = strings.Join(r.group, " ")+" "+text, nil, 1
	}
	if begin := i; len(r.group) > 0 && has["weekday"] && !has["month"] && digits > 0 && !is("layout", strings.Join(r.group, " ")) { // we meet on Thursdays at 7pm
		for begin > i-4 && !r.At(begin-1).Mark {
			begin--
		}
		if text = r.Written(begin, i+n); r.slot == nowhere || !is("section", lastOf(r.group)) {
			r.context, r.group = append(r.context, r.group...), nil
		}
		r.flush()
	}
	open := labelled && strings.Contains(lastOf(r.context), "open") || tables["layout"][strings.Join(r.group, " ")] == "hours"
	switch {
	case r.Phone == "" && digits > 5 && words.PhoneLike.MatchString(text):
		for len(r.group) > 0 && is("fill-in", lastOf(r.group)) || len(r.group) > 1 && is("inside-section", lastOf(r.group)) { // reservations by phone
			r.group = r.group[:len(r.group)-1]
		}
		if r.Phone = text; len(r.group) > 0 && is("interactive", lastOf(r.group)) {
			r.group = append(r.group, "by", "phone")
		}
	case digits > 0 && (has["weekday"] && !has["month"] || open) && project.AsTold(text) && (len(r.group) == 0 || open):
		r.Hours = strings.TrimPrefix(r.Hours+", "+text, ", ")
	case digits > 0 && has["month"] && r.When == "" && len(r.group) == 0 && project.AsTold(text):
		r.When = text
	default:
		return false
	}
	return true
}

// figures reads dates, hours and numbers in a row: they are the owner's to fill in.
func (r *reader) figures(i int) int {
	n := r.Figures(i)
	if n > 0 && (r.At(i+n).Low == "per" || r.slot == inFields && !r.At(i+n).Capital && r.Ends(i-1) && words.FigureLike.MatchString(r.At(i).Low)) { // 15 euros per walk, 120 members
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
		if name, end := r.NameAt(i + n); r.At(i+n).Capital && r.Address == "" && (label == "address" || r.At(i-1).Low == "at") && project.AsTold(r.Written(i, i+n)+" "+name) { // 5 Main Street
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
			for begin > i-3 && !r.At(begin-1).Mark && !r.IsFigure(begin-1) {
				begin--
			}
			what, r.group, r.context = r.Words(begin, i+n-begin), nil, append(r.context, r.group...)
		}
		r.flush()
		r.leave(what, "numbers and dates are yours to fill in")
	}
	return n
}

// place reads where something is: a name may follow, or what has none is left out.
func (r *reader) place(i, n int) int {
	end := i + n + 1 + min(3, r.Plain(i+n+1))
	if r.slot = inPlace; !is("determiner", r.At(i+n).Low) || end == i+n+1 {
		return n
	}
	if k := r.Length(i+n+1, "venue"); k > 0 && r.Place == "" {
		r.Place, end = plaintext.Title(plaintext.Spelled(strings.ReplaceAll(r.Words(i+n+1, k), " ", "-"))), i+n+1+k
	} else if !is("surroundings", r.At(end-1).Low) {
		r.leave(r.Words(i, end-i), "a place is told by its name")
	}
	r.slot = nowhere
	return end - i
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
	name, section, short, last := strings.Join(words, " "), strings.Join(words, "-"), len(words) <= project.MaxSubject, lastOf(words)
	trade := !is("section", last) && !is("layout", last) && (is("usual", last) || english.HasSuffix(last, "er", "or", "ist", "ian"))
	switch {
	case r.slot == inIgnored:
	case r.slot == nowhere && is("fill-in", name):
		r.leave(name, "yours to fill in")
	case r.slot == inThings && r.Subject == "" && short && r.project == nil,
		r.slot == nowhere && r.Subject == "" && short && r.Title != "": // a trade behind a name: "for John Doe, web developer"
		r.Subject = name
	case r.slot == inPlace && r.Subject != "" && (is("discipline", last) || strings.HasSuffix(last, "ology")) && len(strings.Fields(r.Subject+" "+name)) <= project.MaxSubject: // a student in marine biology
		r.Subject = name + " " + r.Subject
	case r.slot == inPlace && r.Place == "" && short:
		r.Place = plaintext.Title(plaintext.Spelled(section))
	case r.slot == inFields && is("interactive", last):
		r.leave(name, "interactive parts")
	case r.slot == inFields && r.Subject == "" && r.Title != "" && r.project == nil && len(r.Sections) == 0 && trade: // "Maria Lopez - illustrator"
		r.Subject = name
	case (r.slot == inFields || r.slot == inAdded) && !project.NotSectionName(section):
		if !slices.Contains(r.Sections, section) {
			r.Sections = append(r.Sections, section)
		}
	case r.slot == inRemoved && r.project != nil && slices.Contains(r.project.Sections, section):
		r.removed = append(r.removed, section)
	default:
		r.unknown = append(r.unknown, name)
	}
}
