package template

import (
	"slices"
	"strings"
)

// siteReader reads a request for a page: what it is about, whose it is, where
// that is, and what it shows.
type siteReader struct {
	*reading
	slot  siteSlot
	group []string
}

// siteSlot is what the next word that nobody knows would be part of.
type siteSlot int

const (
	inNothing siteSlot = iota
	inSubject
	inPlace
	inSections
	outOfSections // of what a page loses
	inOmission
)

func (r *siteReader) run() {
	for i := 0; i < len(r.tokens); {
		if r.tokens[i].mark {
			r.mark(r.tokens[i].low)
			i++
			continue
		}
		i += r.word(i)
	}
	r.flush()
}

func (r *siteReader) mark(low string) {
	before := r.subject
	r.flush()
	switch {
	case low == ".":
		r.slot = inNothing
	case low == ":" || low == "(" || low == bullet:
		r.slot = inSections
	case low == "," && r.slot == inSubject && before != "": // a list goes on where the subject is known
		r.slot = inSections
	case low == "," && r.slot == inPlace:
		r.slot = inNothing
	}
}

func (r *siteReader) word(i int) int {
	t := r.tokens[i]
	m, n := r.phrase(i)
	if is(titleOfPerson, t.low) && startsUpper(r.at(i+1).text) {
		t.capital, t.text = true, titleWord(t.low)
		r.tokens[i], m = t, meaning{}
	}
	switch {
	case t.quoted || r.beginsName(i, m):
		name, next := r.nameAt(i)
		if t.quoted || r.slot != inPlace {
			r.flush()
			switch {
			case r.title == "":
				r.title = name
			case r.place == "":
				r.place = name
			case r.at(i-1).low == ",":
				r.place = cleanTitle(r.place + " " + name)
			default:
				r.unknown = append(r.unknown, name)
			}
		} else {
			r.place = name
		}
		return max(1, next-i)
	case mailLike.MatchString(t.low):
		r.email = t.low
		return 1
	case strings.ContainsFunc(t.low, func(c rune) bool { return c >= '0' && c <= '9' }) && m.class == "":
		r.flush()
		r.left.add(t.low, "numbers and dates are yours to fill in")
		return 1
	case m.class == "", n == 1 && r.isName(t.low, m):
		if r.slot == inNothing && len(r.group) == 0 && r.title == "" && startsUpper(t.text) && startsUpper(r.at(i+1).text) {
			if name, next := r.nameAt(i); next > i+1 {
				r.title = name
				return next - i
			}
		}
		r.group = append(r.group, t.low)
		return 1
	}
	return r.known(m, i, n)
}

// beginsName says whether a name of a person, a business or a place begins here.
func (r *siteReader) beginsName(i int, m meaning) bool {
	t := r.tokens[i]
	if next := r.at(i + 1); t.capital && len(t.text) < 4 && strings.ToUpper(t.text) == t.text && !next.mark && !next.quoted && !startsUpper(next.text) && vocabulary[next.low].class == "" {
		return false // a UX designer
	}
	if !t.capital || r.slot == outOfSections || r.slot == inOmission {
		return false
	}
	if r.slot == inSections {
		return r.title == "" && m.class == "" && !is(isSection, t.low) && classes[layoutOf][t.low] == "" && len(r.group) == 0
	}
	if m.class == "" || m.class == isStop && startsUpper(r.at(i+1).text) {
		return true
	}
	return r.slot == inPlace || startsUpper(r.at(i+1).text) && m.class != isKind && m.class != isHeart && m.class != isLanguage && m.class != isGiven
}

// isName says whether a word with a meaning of its own is a name here.
func (r *siteReader) isName(low string, m meaning) bool {
	if is(sectionEnd, low) && len(r.group) > 0 && r.slot != inSubject {
		return false
	}
	switch r.slot {
	case inSections, outOfSections:
		return !is(sectionEnd, low) && low != "parts" && low != "fields" && m.value != "colours and themes" && (is(isSection, low) || classes[layoutOf][low] != "" || is(alsoName, low) && m.class != isStop) && m.class != isAuth && !(low == "page" || low == "pages" || low == "form" || low == "map" || low == "logo" || low == "cart")
	case inSubject:
		return classes[usualOf][low] != "" || (is(alsoName, low) || low == "company" || low == "team" || low == "business" || low == "startup") && m.value != "colours and themes" && m.class != isKind && m.class != opensFields && m.class != opensThings
	case inNothing:
		return classes[usualOf][low] != "" && low != "portfolio"
	}
	return false
}

func (r *siteReader) known(m meaning, i, n int) int {
	low := r.words(i, n)
	switch m.class {
	case isStop:
		if len(r.group) > 0 && r.slot == inSubject {
			r.flush()
			r.slot = inNothing
		}
	case isJoin:
		if r.slot == inSubject && low == "&" {
			return n
		}
		r.flush()
	case isKind:
		r.ofKind(low)
	case isContainer:
		if r.slot == inSubject {
			r.group = append(r.group, strings.Fields(low)...)
		}
	case opensThings:
		r.flush()
		if r.project == nil || r.slot != inSections {
			r.slot = inSubject
		}
	case opensFields:
		if is(sectionEnd, low) && len(r.group) > 0 {
			r.flush()
			return n
		}
		r.flush()
		r.slot = inSections
	case opensPlace:
		r.flush()
		r.slot = inPlace
	case isDenial:
		r.flush()
		taken := r.deny(i + n)
		if taken == 0 {
			r.unknown = append(r.unknown, low)
		}
		return n + taken
	case isAdding:
		r.flush()
		r.slot = inSections
	case isRemoving:
		r.flush()
		r.slot = outOfSections
	case isRenaming:
		next := i + n
		for r.at(next).low == "to" || r.at(next).low == "as" {
			next++
		}
		if name, end := r.nameAt(next); name != "" {
			r.title = name
			return end - i
		}
	case isTo:
		r.flush()
		r.slot = inNothing
	case isDatabase, isAuth, isCORS, isLanguage:
		// What a page has no place for is not left out silently.
		r.flush()
		if m.class != isLanguage || m.value != langTypeScript {
			r.hearts = append(r.hearts, low+" (a site has no server of its own)")
		}
	default:
		r.flush()
		taken := r.option(m, i, n, r.slot == outOfSections)
		if taken == 0 {
			r.group = append(r.group, r.tokens[i].low)
			return 1
		}
		if next := r.at(i + taken).low; m.class == isDetail && (next == "for" || next == "to" || next == "of" || next == "with") {
			r.slot = inOmission
		}
		return taken
	}
	return n
}

// ofKind reads a word for a page: the words before it say what it is about, or
// which part of a page is wanted.
func (r *siteReader) ofKind(low string) {
	page := low == "page" || low == "pages"
	switch {
	case r.slot == inSubject && len(r.group) > 0 && strings.HasPrefix(low, "service"):
		r.group = append(r.group, low)
		return
	case r.slot == inSections && len(r.group) > 0:
		if page {
			r.left.add(strings.Join(r.group, " ")+" "+low, "separate pages: it is a section of the one page")
		}
		r.flush()
	case len(r.group) > 0:
		r.slot = inSubject
		r.flush()
		r.slot = inNothing
	}
	if strings.HasPrefix(low, "portfolio") && r.subject == "" && r.project == nil {
		r.sections = usualFor("portfolio")
	}
}

// flush ends the words that are read.
func (r *siteReader) flush() {
	words := r.group
	r.group = nil
	if len(words) == 0 {
		return
	}
	name := strings.Join(words, " ")
	switch r.slot {
	case inSubject:
		if r.subject == "" && len(words) <= maxSubject && r.project == nil {
			r.subject = name
			return
		}
	case inPlace:
		if r.place == "" && len(words) <= maxSubject {
			r.place = cleanTitle(titleOf(strings.Join(words, "-")))
			return
		}
	case inSections:
		s := strings.Join(words, "-")
		if !notSectionName(s) {
			if !slices.Contains(r.sections, s) {
				r.sections = append(r.sections, s)
			}
			return
		}
	case outOfSections:
		s := strings.Join(words, "-")
		if r.project != nil && slices.Contains(r.project.Sections, s) {
			r.removed = append(r.removed, s)
			return
		}
	case inOmission:
		return
	}
	// A trade behind a name: "for John Doe, web developer".
	if r.slot == inNothing && r.subject == "" && r.title != "" && len(words) <= maxSubject {
		r.subject = name
		return
	}
	r.unknown = append(r.unknown, name)
}

// maxSubject bounds the words that say what a page is about.
const maxSubject = 4

// notSectionName reports whether s is anything but up to four identifiers with
// hyphens between, that the page does not use for itself.
func notSectionName(s string) bool {
	words := strings.Split(s, "-")
	return len(words) > 4 || slices.ContainsFunc(words, notIdentifier) || hasSuffix(s, "-title") || s == "top" || s == "content" || s == "navigation"
}

// usualFor is what a page shows when the request does not say. A coffee shop
// serves before it sells.
func usualFor(subject string) []string {
	usual := "about,services,contact"
	for _, w := range strings.Fields(subject) {
		if found := classes[usualOf][singular(w)]; found != "" && singular(w) != "shop" && singular(w) != "store" || found != "" && usual == "about,services,contact" {
			usual = found
		}
	}
	return strings.Split(usual, ",")
}

// layout is the form that a section has.
func layout(section string) string { return classes[layoutOf][strings.ReplaceAll(section, "-", " ")] }

// card is one of the things that a section of a page shows.
type card struct{ Title, Text string }

// cardsOf gives a section its first content, to be replaced by people.
func cardsOf(section, subject string) []card {
	about := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(strings.Fields(subject), w) })
	}
	switch section {
	case "menu":
		switch {
		case about("coffee", "cafe", "tea"):
			return []card{{"Espresso", "Short and strong."}, {"Cappuccino", "With a crown of foam."}, {"Cake of the day", "Ask what came out of the oven."}}
		case about("bakery", "patisserie"):
			return []card{{"Sourdough bread", "With a long rest and a dark crust."}, {"Croissant", "Butter and patience."}, {"Cake of the day", "Ask what came out of the oven."}}
		}
		return []card{{"To begin", "A soup or a salad of the season."}, {"Main course", "What the house is known for."}, {"Dessert", "Something sweet to end with."}}
	case "products":
		return []card{{"The favorite", "What most people come for."}, {"New in", "What has just arrived."}, {"A gift", "Small, and always right."}}
	case "merch":
		return []card{{"T-shirt", "In all sizes."}, {"Poster", "Printed on heavy paper."}, {"Record", "On vinyl, with the lyrics."}}
	case "music":
		return []card{{"The album", "The latest songs, from first to last."}, {"The single", "The one to begin with."}, {"Live", "A recording from the stage."}}
	case "tour-dates", "events", "schedule":
		return []card{{"Next", "The day, the hour and the place."}, {"After that", "The day, the hour and the place."}, {"Later", "To be announced."}}
	case "services":
		return []card{{"A first talk", "What is needed, and what it takes."}, {"The work", "Done with care and on time."}, {"Afterwards", "Help when something comes up."}}
	}
	return []card{
		{"First", "What is worth knowing about the first of them."},
		{"Second", "What is worth knowing about the second."},
		{"Third", "What is worth knowing about the third."},
	}
}

// withArticle puts a or an before a phrase, unless it is a plural.
func withArticle(phrase string) string {
	words := strings.Fields(phrase)
	switch last := words[len(words)-1]; {
	case singular(last) != last:
		return phrase
	case strings.ContainsRune("aeiou", rune(phrase[0])):
		return "an " + phrase
	}
	return "a " + phrase
}

// sectionWords writes the sections as people read them.
func (s spec) sectionWords() []string {
	var out []string
	for _, section := range s.Sections {
		out = append(out, strings.ReplaceAll(section, "-", " "))
	}
	return out
}
