package request

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// bareRange is a range of hours, or of days.
var bareRange = regexp.MustCompile(`^\d{1,2} ?- ?\d{1,2}$`)

// toSay is why something is left out that the owner of a page may write into it.
const toSay = "yours to say in the text"

var (
	// shapes are what single words of facts are like.
	shapes = map[string]*regexp.Regexp{
		"clock":    regexp.MustCompile(`^\d{1,2}(?:[:.h]\d\d)?(?:am|pm|h)?$`),
		"dayno":    regexp.MustCompile(`^\d{1,2}(?:st|nd|rd|th|\.)?$`),
		"year":     regexp.MustCompile(`^(?:19|20)\d\d$`),
		"house":    regexp.MustCompile(`^\d{1,4}[a-z]?$`),
		"isodate":  regexp.MustCompile(`^(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4})$`),
		"postcode": regexp.MustCompile(`^[a-z]{0,2}\d[\da-z]{1,4}$`),
		"email":    words.MailLike,
	}
	postcode  = regexp.MustCompile(`\d [0-9][a-z]{2}$`) // Ely CB7 4AA
	phoneBit  = regexp.MustCompile(`^\+?[\d()]+$`)
	years     = regexp.MustCompile(`^[12]\d{3} ?- ?[12]\d{3}$`)
	urlLike   = regexp.MustCompile(`^(?:https?:|www\.|@)|\w\.[a-z]{2,}(?:/|$)`)
	subjectOf = regexp.MustCompile(`^[\pL\d][\pL\d&'’-]*$`)
)

// finders find what takes more than a table.
var finders = map[string]func(*reader, int) []grammar.Match{
	"subject": (*reader).subjects, "phone": (*reader).phone, "part": (*reader).parts, "question": (*reader).questions, "clause": (*reader).clause,
}

// span is what words between two places are like: at most so many, at what cost.
type span struct {
	most, cost int
	fits       func(r *reader, i, to int) bool
}

// spans find words that end as they should.
var spans = map[string]span{
	"whose": {3, 0, func(r *reader, i, to int) bool { return r.nameWord(to-1) && is("owner", r.At(i-1).Low) && r.owns(to-1) }},
	"cap":   {1, 0, func(r *reader, i, _ int) bool { return r.capital(i) && !r.isAny(i, "month", "tongue", "day", "datum") }}, // a word of a name
	"days": {1, 0, func(r *reader, i, _ int) bool { // tue/thu
		all := strings.FieldsFunc(r.At(i).Low, func(c rune) bool { return strings.ContainsRune("/+", c) })
		return len(all) > 1 && !slices.ContainsFunc(all, func(w string) bool { return !is("day", w) })
	}},
	"speeches": {1, 0, func(r *reader, i, to int) bool {
		return strings.ContainsAny(r.At(i).Low, " -") && r.all("tongue", i, to)
	}},
	"loneplace": {1, 0, func(r *reader, i, to int) bool { // a town that no table knows, behind a house
		return r.capital(i) && r.Ends(to) && len(r.parts(i)) == 0 && !r.isAny(i, "month", "tongue", "day", "datum", "group")
	}},
	"street-joined": {1, 0, func(r *reader, i, _ int) bool {
		return english.HasSuffix(strings.TrimSuffix(r.At(i).Low, "."), slices.Collect(maps.Keys(tables()["street-end"]))...)
	}},
	"venue": {4, 1, func(r *reader, i, to int) bool {
		return r.nameWord(i) && !isDigit(r.At(i).Low) && !is("place-label", r.At(i).Low) && r.nameWord(to-1) && is("venue", r.At(to-1).Low)
	}},
	"old":      {words.MaxPhrase, 0, func(r *reader, i, to int) bool { return r.oldSection(i, to) != "" }},
	"line":     {6, 0, func(r *reader, i, to int) bool { return to == r.NextMark(i) && project.AsTold(r.told(i, to)) }},
	"compound": {1, 0, func(r *reader, i, _ int) bool { return strings.Contains(r.At(i).Low, " ") }},
	"goods": {3, 0, func(r *reader, i, to int) bool {
		return !r.setsSomething(to-1) && !r.among("function", i, to) && !r.among("verb", i, to)
	}},
	"working": {4, 0, func(r *reader, i, to int) bool { // but a pub quiz is one thing
		return !r.nameWord(i-1) && (is("working-alone", r.said(i, to)) || r.endsIn("working", i, to))
	}},
	"looks": {4, 0, func(r *reader, i, to int) bool {
		trade := r.At(to-1).Low == "design" && !r.At(to-2).Mark && r.class(r.At(to-2).Low) == "" // product design
		return r.endsIn("looks", i, to) && !trade
	}},
	"section": {words.MaxPhrase, 1, func(r *reader, i, to int) bool {
		last := r.At(to - 1).Low
		if before := r.At(i - 1).Low; to > i+1 && r.capital(i) && r.capital(to-1) && (before == "for" || before == ":" && !is("section-label", r.At(i-2).Low)) { // for Noor Haddad
			return false
		}
		return r.sectionLike(i, to) && (!r.Is("never-section", last) || last == "list" && to > i+1) && !is("inside-section", last) && !(r.old != nil && (is("changes-it", r.At(i).Low) || to > i+1 && is("place-in-order", last)))
	}},
	"odd": {2, 0, func(r *reader, i, to int) bool { // breweries, among parts that many pages have
		last := r.At(to - 1).Low
		noun := english.IsPlural(last) || english.HasSuffix(last, "ing", "ion", "ment", "ance", "ence", "ity", "ship", "ure")
		return noun && r.Ends(to) && !r.At(i).Capital && r.sectionLike(i, to) && !r.Is("never-section", last)
	}},
}

// pageTerminal finds what only the rules of pages ask for, and says whether it knows the name.
func (r *reader) pageTerminal(name string, i int) (out []grammar.Match, known bool) {
	if shape := shapes[name]; shape != nil {
		return when(shape.MatchString(r.At(i).Low), i+1), true
	}
	if find := finders[name]; find != nil {
		return find(r, i), true
	}
	if name == "old" && r.At(i).Quoted {
		return when(r.oldSection(i, i+1) != "", i+1), true
	}
	if s, ok := spans[name]; ok {
		for to := i + 1; to <= i+s.most && r.plain(i, to-i); to++ {
			if s.fits(r, i, to) {
				out = append(out, grammar.Match{To: to, Cost: s.cost})
			}
		}
		return out, true
	}
	switch name {
	case "intosection": // coffee for 3.20 to the menu
		for k := i + 1; r.old != nil && !r.sentenceEnds(k); k++ {
			at := r.After(k+1, "the", "our", "my")
			for to := at + 1; is("into", r.At(k).Low) && to <= at+words.MaxPhrase && r.plain(at, to-at); to++ {
				if r.oldSection(at, to) != "" {
					end := r.After(to, "section", "part", "page", "please", "too")
					out = append(out, grammar.Match{To: end})
				}
			}
		}
		return out, true
	case "kind-site":
		return slices.DeleteFunc(r.ofClass(i, "kind", project.Site), func(m grammar.Match) bool { return r.old != nil && r.oldSection(i, m.To) != "" }), true
	case "capname", "capname2", "pname", "person":
		return slices.DeleteFunc(r.capName(i, name), func(m grammar.Match) bool { // rename it to news
			return r.old != nil && name == "pname" && is("part", r.said(i, m.To)) && !r.capital(i)
		}), true
	case "possessor":
		end, caps := r.caps(i)
		for end > i && isDigit(r.At(end-1).Low) { // Anna's 50th birthday
			end--
		}
		return when(caps > 0 && strings.HasSuffix(r.At(end-1).Text, "'s") && !is("plain-whose", r.At(end-1).Low), end), true
	case "newpage": // nothing, where no section is there yet
		return when(r.old == nil, i), true
	case "newsubject", "somebody":
		return slices.DeleteFunc(r.subjects(i), func(m grammar.Match) bool {
			return name == "somebody" && !r.somebody(m.To-1) || len(r.parts(i)) > 0 || r.isAny(i, "web", "plainly") || !r.Ends(m.To) && !is("function", r.At(m.To).Low)
		}), true
	case "rest", "listed", "tail":
		return r.rest(i, name), true
	case "url":
		return when(urlLike.MatchString(r.At(i).Raw), r.Behind(i)), true
	case "calling": // what somebody is, or a house or firm, behind its name
		out = r.subjects(i)
		return slices.DeleteFunc(out, func(m grammar.Match) bool {
			named := r.At(i-2).Capital || r.At(i-2).Quoted
			return !named || !strings.Contains(",(-", r.At(i-1).Low) || !r.somebody(m.To-1)
		}), true
	case "leftable":
		return slices.DeleteFunc(r.ofClass(i, "detail", ""), func(m grammar.Match) bool {
			said := r.Words(i, m.To-i)
			return is("no-detail", r.Vocabulary[said].Value) || is("part", said)
		}), true
	case "said":
		switch {
		case len(r.ofTable(i, tables()["teller"])) == 0 || !r.Ends(i-1) || r.At(i+1).Mark: // admission, hours
			return nil, true
		case r.among("offering", i, r.NextMark(i)): // a list of what somebody has
			return r.rest(i, "rest"), true
		}
		return append(r.clause(i), r.rest(i, "rest")...), true
	case "saying": // whatever a section is told to say
		end := i
		for !r.sentenceEnds(end) {
			end++
		}
		return when(end > i, end), true
	case "background":
		return slices.DeleteFunc(r.clause(i), func(m grammar.Match) bool {
			return slices.ContainsFunc(r.Tokens[i:m.To], func(t words.Token) bool { return t.Capital && t.Text != "I" || isDigit(t.Low) })
		}), true
	}
	return nil, false
}

// somebody says whether a word is what somebody is, or a house or firm.
func (r *reader) somebody(i int) bool {
	last := r.At(i).Low
	return english.HasSuffix(english.Singular(last), "er", "or", "ist", "ian") || r.isAny(i, "group", "venue") || r.Is("institution", last)
}

// isAny says whether a word is in one of the tables.
func (r *reader) isAny(i int, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return is(name, r.At(i).Low) })
}

func (r *reader) capital(i int) bool {
	t := r.At(i)
	return !t.Quoted && plaintext.IsCapital(t.Text) && t.Text != "I" && !strings.HasPrefix(t.Text, "I'")
}

func isDigit(w string) bool { return unicode.IsDigit(rune(w[0])) }

func isAcronym(w string) bool { return strings.ToUpper(w) == w }

// endsIn says whether words, or the last of them, are in a table.
func (r *reader) endsIn(table string, i, to int) bool {
	for k := i; k < to; k++ {
		if is(table, r.said(k, to)) {
			return k == i || !r.among("function", i, k)
		}
	}
	return false
}

func (r *reader) sentenceEnds(i int) bool {
	t := r.At(i)
	return t.Mark && (t.Low == "." || t.Low == words.Bullet)
}

// owns says whether a word tells whose something is.
func (r *reader) owns(i int) bool {
	return strings.HasSuffix(r.At(i).Text, "'s") && !r.capital(i) && !is("plain-whose", r.At(i).Low)
}

// told gives words as they are written, with their commas and dashes.
func (r *reader) told(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		switch t := r.At(i); {
		case t.Mark && t.Text == "-":
			b.WriteString(" -")
		case t.Mark && t.Low != "." && t.Low != words.Bullet:
			b.WriteString(t.Low)
		case t.Raw != "":
			b.WriteString(" " + t.Raw)
		}
	}
	return strings.TrimSpace(strings.NewReplacer("( ", "(").Replace(b.String()))
}

// all says whether words are in a table, but for those that join them.
func (r *reader) all(table string, from, to int) bool {
	return !slices.ContainsFunc(r.Tokens[from:to], func(t words.Token) bool {
		return !is("inner", t.Low) && slices.ContainsFunc(strings.Fields(strings.ReplaceAll(t.Low, "-", " ")), func(w string) bool { return !is(table, w) }) // German-English
	})
}

// among says whether a word of a table stands between two places.
func (r *reader) among(table string, from, to int) bool {
	return slices.ContainsFunc(r.Tokens[from:min(to, len(r.Tokens))], func(t words.Token) bool { return is(table, t.Low) })
}

// subjects finds what a page may be about.
func (r *reader) subjects(i int) (out []grammar.Match) {
	if is("gerund", r.At(i).Low) && !is("group", r.At(i+1).Low) || is("family", r.At(i).Low) && is("owner", r.At(i-1).Low) && r.At(i-2).Low == "for" {
		return nil
	}
	for _, m := range r.ofTable(i, tables()["partof"]) {
		if r.joins(m.To) && r.At(m.To).Low != "the" || r.At(m.To).Low == "," && r.ofTable(m.To+1, tables()["partof"]) != nil {
			return nil // the prices and opening hours of a shop
		}
	}
	cost := 0
	for at := i; at < i+project.MaxSubject; at++ {
		joins := at > i && r.joins(at)
		switch {
		case joins:
			continue
		case !r.subjectWord(i, at):
			return out
		case at > i && r.capital(at) && r.isAny(at-1, "joins") && !is("conjunction", r.At(at-1).Low):
			cost = 3 // the history of Rome
		}
		inName := cost == 3 && r.capital(at) && r.capital(at+1)                                                               // of Lincoln Middle School
		low, group := r.At(at).Low, at > i && is("group", r.At(at).Low) && !is("no-subject", r.At(at-1).Low) || r.job(i, at)  // but a booking service works
		shown := is("noun-too", r.At(at+1).Low) && !r.At(at+2).Capital && (r.At(at+2).Mark || is("function", r.At(at+2).Low)) // a flower show
		whole := group || !is("no-subject", low) && !r.special(at) || is("product", low) && (is("owner", r.At(at-1).Low) || r.At(at+1).Quoted || r.class(r.At(at+1).Low) == "named")
		river := is("landform", low) && r.capital(at+1) // on the river Wye
		if whole && !shown && !river && !inName && low != "open" && r.Vocabulary[low].Value != "colours and themes" && (!isDigit(low) || at > i && !r.At(at+1).Capital) && r.Behind(at) <= at+1 {
			out = append(out, grammar.Match{To: at + 1, Cost: cost})
		}
	}
	return out
}

// job says whether a word ends what somebody is: a translator, but not a translator page.
func (r *reader) job(i, at int) bool {
	return r.class(r.At(at+1).Low) != "kind" && (is("job", r.At(at).Low) || at > i && is("job", r.said(at-1, at+1)))
}

// joins says whether a word stands between two of what a page is about.
func (r *reader) joins(at int) bool {
	low, before, next := r.At(at).Low, r.At(at-1).Low, at+1
	switch {
	case is("owner", low) && before == "of":
		return true
	case is("role", before) && low != "in": // the secretary of a club
		return false
	case low == "the":
		return is("joins", before)
	case low == "in": // a student in physics
		return is("group", before) && r.nameWord(next) && !is("venue", r.At(next).Low) && !r.capital(next) && !is("town", r.At(next).Low)
	case low == "to":
		return r.capital(next)
	}
	return is("joins", low)
}

// special says whether words mean something that no page can be: a game, a backend.
func (r *reader) special(at int) bool {
	m, n := r.Phrase(at)
	return m.Class == "heart" && !(n == 1 && r.Is("also-name", r.At(at).Low)) || m.Class == "kind"
}

// subjectWord says whether a word may be part of what a page is about, which begins at i.
func (r *reader) subjectWord(i, at int) bool {
	t, low, first, before := r.At(at), r.At(at).Low, at == i, r.At(at-1).Low
	doing := strings.HasSuffix(low, "ing") && !is("group", r.At(at+1).Low)
	ofGroup := !first && is("group", low) || r.isAny(at+1, "group") || r.isAny(at+2, "group") // a minecraft community, a Go meetup
	switch {
	case t.Capital && strings.HasSuffix(t.Text, "'s"), t.Mark, t.Quoted, !subjectOf.MatchString(low), r.namesHere(i, at), r.owns(at) && !is("article", r.At(i-1).Low):
		return false
	case r.isAny(at, "function", "polite", "month", "day"), is("trade", low) && !is("noun-too", low), r.Is("title-of-person", strings.TrimSuffix(low, ".")):
		return false
	case is("no-subject-class", r.class(low)), r.special(at):
		return (ofGroup || r.job(i, at)) && r.Vocabulary[low].Value != project.Site
	case first && is("counted", low) && r.isAny(at+1, "people", "partof"): // the six members of a team
		return false
	case first:
		return !is("no-first", low) && !(is("audience", low) && r.joins(at+1)) && (!number.MatchString(low) || is("measure", r.At(at+1).Low))
	case isDigit(low):
		return shapes["year"].MatchString(low)
	case is("pair", r.said(at-2, at+1)):
		return true
	case (is("conjunction", before) || before == "the" && is("conjunction", r.At(at-2).Low)) && len(r.parts(at)) > 0: // a club and its members
		return false
	case is("verb", low) && !is("noun-too", low):
		return strings.HasSuffix(low, "ing") && !doing // a dog walking service
	}
	return !(doing && (r.Is("institution", before) || is("group", before))) && (!is("trait", low) || is("trait-too", low)) // a school teaching
}

// namesHere says whether a name begins at a word in capitals. An Italian restaurant and the friends of Oak Primary are none.
func (r *reader) namesHere(i, at int) bool {
	first := at
	for first > i && r.capital(first-1) {
		first--
	}
	if !r.capital(at) || first > i && r.isAny(first-1, "joins") && !is("conjunction", r.At(first-1).Low) {
		return false
	}
	t, next := r.At(at), r.At(at+1)
	alone := at > i || t.Capital && (next.Mark || is("town", t.Low))
	return r.capital(at+1) && !next.Mark || alone && !isAcronym(t.Text) && !is("tongue", t.Low)
}

// caps gives where words in capitals end that begin at a place, and how many they are.
func (r *reader) caps(i int) (end, caps int) {
	end = i
	for k := i; k < i+7; k++ {
		t, low, goesOn := r.At(k), strings.TrimSuffix(r.At(k).Low, "."), r.capital(k+1)
		numbered := number.MatchString(r.At(k + 1).Low)
		month := is("month", low) && (k == i || numbered || shapes["dayno"].MatchString(r.At(k-1).Low))
		day := len(r.ofTable(k, tables()["day"])) > 0 && (k == i || !r.capital(k) || numbered)
		the := k // behind "in the"
		for is("inner-place", r.At(the).Low) || r.At(the).Low == "the" {
			the++
		}
		switch {
		case t.Mark, t.Quoted, month, day:
			return end, caps
		case r.capital(k):
			end, caps = k+1, caps+1
		case isDigit(t.Text) && (k > i || r.At(k+1).Capital):
			end = k + 1
		case k == i && r.Is("title-of-person", t.Low) && goesOn: // dr. Maria Santos
		case k > i && is("inner", t.Low) && (goesOn || r.At(k+1).Low == "the"):
		case k > i && the > k && r.capital(the) && is("name-goes-on", r.At(the).Low): // Pie in the Sky, but not Blue Door in the Lake District
		default:
			return end, caps
		}
	}
	return end, caps
}

// capName finds a name in capitals; where it was announced, it may be in quotes or small too.
func (r *reader) capName(i int, name string) []grammar.Match {
	first := r.At(i)
	if first.Quoted {
		return when(name == "pname", i+1)
	}
	if first.Mark || r.isAny(i, "teller", "asks", "datum", "article") {
		return nil
	}
	end, caps := r.caps(i)
	if caps == 0 { // small, up to a mark
		end = r.NextMark(i)
		small := !r.among("function", i, end) && !slices.ContainsFunc(r.Tokens[i:end], func(t words.Token) bool { return plaintext.IsCapital(t.Text) })
		return when(name == "pname" && small && end-i <= 4 && !r.loadedIn(i, end), end)
	}
	said := r.said(i, end)
	odd := !isAcronym(first.Text) && strings.ContainsFunc(first.Text[1:], func(c rune) bool { return unicode.IsUpper(c) || unicode.IsDigit(c) }) // FitBuddy
	switch {
	case is("room-of", first.Low) && len(r.At(i+1).Text) < 3 && end == i+2, r.all("tongue", i, end), r.Vocabulary[said].Class == "heart" && r.ClassAt(end) == "kind": // Django site
		return nil
	case postcode.MatchString(said), is("town", said), is("part", said), r.Tables["layout"][said] != "", is("function", said), r.Vocabulary[said].Class == "kind":
		return nil
	case name == "capname": // a word that begins a sentence is hardly a name
		return when(caps > 1 || first.Capital || odd || r.At(end).Low == "website" && !is("group", said), end)
	case name == "capname2": // what only follows: places and parts may be written in capitals too
		named := slices.ContainsFunc(r.Tokens[i:end], func(t words.Token) bool { return plaintext.IsCapital(t.Text) && !is("town", t.Low) })
		parts := slices.ContainsFunc(strings.Fields(said), func(w string) bool { return is("part", w) && !is("house", w) })
		return when((caps > 1 || odd || end > i+1) && named && !parts, end)
	}
	return when(true, end)
}

// phone finds a telephone number.
func (r *reader) phone(i int) []grammar.Match {
	end, digits := i, 0
	for ; end < len(r.Tokens) && !r.At(end).Mark && (phoneBit.MatchString(r.At(end).Low) || words.PhoneLike.MatchString(r.At(end).Low)); end++ {
		digits += len(strings.TrimLeft(r.At(end).Low, "+("))
	}
	return when(digits >= 6 && words.PhoneLike.MatchString(r.Written(i, end)) && !years.MatchString(r.Written(i, end)), end)
}

// parts finds what many pages have, also with more words before it.
func (r *reader) parts(i int) (out []grammar.Match) {
	for n := 1; n <= words.MaxPhrase && r.plain(i, n); n++ {
		said, last := r.said(i, i+n), r.At(i+n-1).Low
		if begin, end, both := strings.Cut(said, " and "); both && is("part", begin) && is("part", end) { // about and contact are two
			continue
		}
		switch {
		case is("part", said), r.Tables["layout"][said] != "":
			out = append(out, grammar.Match{To: i + n})
		case n > 1 && n < 5 && is("part", last) && r.sectionLike(i, i+n):
			out = append(out, grammar.Match{To: i + n, Cost: 1})
		}
	}
	return out
}

// sectionLike says whether words may be the name of a section.
func (r *reader) sectionLike(from, to int) bool {
	m, n := r.Phrase(from)
	said := r.said(from, to)
	if r.endsIn("working", from, to) || is("working-alone", said) || is("town", said) || r.endsIn("looks", from, to) || r.class(r.At(to-1).Low) == "detail" && len(r.parts(to-1)) == 0 || m.Class == "detail" && from+n >= to && !is("part", said) {
		return false
	}
	before := from - 2
	for before >= 0 && !r.At(before).Mark {
		before--
	}
	if to == from+1 && r.At(from-1).Low == "with" && r.capital(from) { // our wedding with Priya
		return false
	}
	named := to > from+1 && r.At(from-1).Low == "," && r.At(before).Low != "," && r.At(before).Low != ":" && !r.capital(from-2) // a business, Clear Steps Tuition, Belfast, prices
	for k := from; k < to; k++ {
		if named = named && r.capital(k); !r.sectionWord(k, from, to) {
			return false
		}
	}
	return !named
}

// sectionWord says whether a word may be in the name of a section.
func (r *reader) sectionWord(k, from, to int) bool {
	t, low, alone := r.At(k), r.At(k).Low, to-from == 1
	half := t.Capital && !alone && !isAcronym(t.Text) && !r.capital(to-1) // Derby area
	switch {
	case k > from && t.Capital && !isAcronym(t.Text) && !r.capital(k-1) && !is("function", r.At(k-1).Low): // author Jean Moss
		return false
	case t.Mark, t.Quoted, !subjectOf.MatchString(low), is("trait", low), isDigit(low), r.owns(k), alone && strings.HasSuffix(t.Text, "'s"), half:
		return false
	case is("section-word", low) && !alone, is("part", low) && low != "about", k > from && k+1 < to && (low == "a" || low == "the") && !is("noun-too", r.At(k-1).Low):
		return true
	case r.isAny(k, "function", "day", "month", "guarded"), is("verb", low) && !is("noun-too", low), is("adjective", low) && k == to-1, is("works", low) && alone, is("counted", low) && alone, (low == "name" || is("at-side", low)) && !alone:
		return false
	}
	return r.class(low) == "" || is("section-class", r.class(low)) || r.Is("also-name", low)
}

// questions finds a section that asks or tells something: who we are, how to join.
func (r *reader) questions(i int) (out []grammar.Match) {
	asks, next, cost := r.At(i).Low, r.At(i+1).Low, 0
	if !is("asks", asks) || asks == "who" && (is("who-does", next) || strings.HasSuffix(next, "s")) || asks == "what" && next == "do" || is("counted", next) {
		return nil
	}
	for to := i + 1; to <= i+7 && r.plain(i, to-i) && !words.MailLike.MatchString(r.At(to-1).Text) && len(r.phone(to-1)) == 0; to++ {
		last := r.At(to - 1).Low
		if asks == "where" && last == "can" {
			return nil // where people can book
		}
		if r.class(last) == "join" {
			cost += 3
		}
		switch whole := to > i+1 && !is("preposition", last); {
		case whole && r.Ends(to), last == "for" && r.At(to).Mark:
			out = append(out, grammar.Match{To: to, Cost: cost})
		case whole && is("function", r.At(to).Low):
			out = append(out, grammar.Match{To: to, Cost: cost + 1})
		}
	}
	return out
}

// loadedIn says whether words ask for something, so that they are no mere text.
func (r *reader) loadedIn(from, to int) bool {
	for k := from; k < to; k++ {
		t := r.At(k)
		if r.loaded(k) && !is("light", t.Low) || is("works", t.Low) || words.MailLike.MatchString(t.Text) || len(r.phone(k)) > 0 || urlLike.MatchString(t.Raw) {
			return true
		}
	}
	return false
}

// clause finds words up to a mark that ask for nothing.
func (r *reader) clause(i int) (out []grammar.Match) {
	for n := 1; n <= 20 && !r.At(i+n-1).Mark; n++ {
		if at := i + n; r.loadedIn(at-1, at) {
			break
		} else if r.At(at).Mark || r.class(r.At(at).Low) == "join" {
			out = append(out, grammar.Match{To: at, Cost: len(out)})
		}
	}
	return out
}

// partAt says whether a part of a page stands at a place, and one that is nothing somebody has or does.
func (r *reader) partAt(i int) (part, structural bool) {
	for _, m := range r.parts(i) {
		said := r.said(i, m.To)
		part = part || r.Ends(m.To)
		structural = structural || r.Ends(m.To) && (is("structural", said) || r.Tables["layout"][said] != "")
	}
	return part, structural
}

// rest finds words up to the end of a sentence or a bracket that ask for nothing and name no part of a page. What a part
// holds ends before the next part, of what may be either nothing is found; and what tells more of a part ends at a mark.
func (r *reader) rest(i int, name string) []grammar.Match {
	held, tail := name == "listed", name == "tail"
	for end, depth := i, 0; ; end++ {
		t := r.At(end)
		switch {
		case r.sentenceEnds(end), t.Mark && (t.Low == ")" && depth == 0 || tail || held && t.Low != ","):
			return when(end > i, end)
		case t.Mark:
			depth += map[string]int{"(": 1, ")": -1}[t.Low]
		case r.loadedIn(end, end+1):
			return nil
		case end > i && r.Ends(end-1):
			part, structural := r.partAt(end)
			switch {
			case structural && held, tail && (part || is("function", t.Low)):
				return when(true, end-1)
			case structural, part && held:
				return nil
			}
		}
	}
}
