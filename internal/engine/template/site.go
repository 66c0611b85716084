package template

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// These find parts of a page that are named as such, before the word and after.
	reThisSection   = regexp.MustCompile(`\b([a-z]+(?: [a-z]+)?) sections?\b`)
	reSectionFor    = regexp.MustCompile(`\bsections? (?:for|about|called|named|with) ([a-z]+(?: [a-z]+){0,2})`)
	reRemoveSection = regexp.MustCompile(reRemoves.String() + `(?:(?:\s+[a-z]+)?\s+sections?\b)?`)
)

var (
	siteWords  = wordsFrom(`site website webpage homepage page landing portfolio blog`)
	listOpens  = wordsFrom(`with including include includes having has have featuring feature contains contain containing offering showing sections`)
	listCloses = wordsFrom(`. for that which in on to where who so using because when from by`)
	// sectionEnds follow the name of a part without belonging to it.
	sectionEnds = wordsFrom(`page pages section sections form area list part block button info information overview`)
	// siteKinds name the whole page as often as a part of it.
	siteKinds = wordsFrom(`portfolio blog shop`)
	// styleWords say how a page looks and not what it shows.
	styleWords = wordsFrom(`theme themes dark light mode design layout color colors colour colours font fonts style styles styling animation animations
responsive background header footer navigation navbar nav logo hero image images bootstrap look feel content top title text words`)
	// subjectTech are words for programs that a page may well be about.
	subjectTech = wordsFrom(`app apps software platform tool service services program`)
)

// maxSubject bounds the words that say what a page is about.
const maxSubject = 3

// siteText is a prompt for a page, taken apart.
type siteText struct {
	subject string   // what the page is about, such as "coffee shop"
	words   []string // the others
}

// readSite finds what a page is about: "a page for a coffee shop", "a site about
// cats", "a coffee shop website".
func readSite(text string) siteText {
	words := wordsOf(text)
	for i, w := range words {
		if listOpens[w] || w == "." {
			break
		}
		if w == "for" || (w == "about" || w == "of") && i > 0 && siteWords[words[i-1]] {
			from := i + 1
			for from < len(words) && fillerWords[words[from]] {
				from++
			}
			if to := subjectEnd(words, from); to > from {
				return siteText{strings.Join(words[from:to], " "), cutOut(words, i, to)}
			}
		}
	}
	for i, w := range words {
		if !siteWords[w] {
			continue
		}
		from := i
		for from > 0 && i-from < maxSubject && isSubject(words[from-1]) {
			from--
		}
		if from < i && subjectEnd(words, from) > from {
			return siteText{strings.Join(words[from:i], " "), cutOut(words, from, i)}
		}
		break
	}
	return siteText{words: words}
}

func cutOut(words []string, from, to int) []string {
	return slices.Concat(words[:from], []string{"."}, words[to:])
}

func isSubject(w string) bool {
	return len(w) > 1 && !notIdentifier(w) && !fillerWords[w] && !listOpens[w] && (!techWords[w] || subjectTech[w])
}

// subjectEnd gives where the subject that begins at from ends. A word that is
// known as a part of a page, alone, is no subject.
func subjectEnd(words []string, from int) int {
	to := from
	for to < len(words) && to-from < maxSubject && isSubject(words[to]) {
		to++
	}
	if to-from == 1 && knownSections[words[from]] != "" && !siteKinds[words[from]] && !subjectTech[words[from]] {
		return from
	}
	return to
}

// sections lists the parts that the prompt asks for, in its order. Words that
// are known count everywhere, others only where the prompt lists something.
func (t siteText) sections() []string {
	var out, group []string
	listing := false
	flush := func() {
		if s := sectionOf(group, listing); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
		group = nil
	}
	for _, w := range t.words {
		switch {
		case listOpens[w] && knownSections[w] == "":
			flush()
			listing = true
		case listCloses[w]:
			flush()
			listing = false
		case w == "," || w == "and" || w == "or" || w == "plus":
			flush()
		case knownSections[w] != "" || sectionEnds[w]:
			group = append(group, w)
		case fillerWords[w]:
		case techWords[w]:
			flush()
		default:
			group = append(group, w)
		}
	}
	flush()
	return out
}

// sectionOf names the part of a page that a phrase asks for, or none.
func sectionOf(group []string, listed bool) string {
	for _, w := range slices.Backward(group) {
		if s := knownSections[w]; s != "" && (listed || !siteKinds[w]) {
			return s
		}
	}
	group = slices.DeleteFunc(slices.Clone(group), func(w string) bool { return sectionEnds[w] || fillerWords[w] || knownSections[w] != "" })
	if !listed || len(group) == 0 || slices.ContainsFunc(group, func(w string) bool { return styleWords[w] || techWords[w] || len(w) < 2 }) {
		return ""
	}
	s := strings.Join(group[max(0, len(group)-2):], "-")
	if notSectionName(s) {
		return ""
	}
	return s
}

// notSectionName reports whether s is anything but an identifier, or two with a
// hyphen between, that the page does not use for itself.
func notSectionName(s string) bool {
	first, second, two := strings.Cut(s, "-")
	return notIdentifier(first) || two && (notIdentifier(second) || second == "title") || s == "top" || s == "content" || s == "navigation"
}

// sectionsNamed finds the parts that a later request names: those that are
// known, and any that it calls a section.
func sectionsNamed(low string) []string {
	out := sectionsIn(low)
	for _, m := range slices.Concat(reThisSection.FindAllStringSubmatch(low, -1), reSectionFor.FindAllStringSubmatch(low, -1)) {
		if s := sectionOf(strings.Fields(m[1]), true); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// usualSections is what a page shows when the prompt does not say: what people
// look for on the page of such a place.
func usualSections(subject string, portfolio bool) []string {
	for _, kind := range siteKindsKnown {
		if slices.ContainsFunc(strings.Fields(subject), func(w string) bool { return kind.words[w] || kind.words[singular(w)] }) {
			return slices.Clone(kind.sections)
		}
	}
	if portfolio {
		return []string{"portfolio", "about", "contact"}
	}
	return []string{"about", "features", "contact"}
}

// siteKindsKnown is searched in order: a coffee shop serves before it sells.
var siteKindsKnown = []struct {
	words    wordSet
	sections []string
}{
	{wordsFrom(`coffee cafe tea bakery restaurant bar pub bistro pizzeria diner brewery deli patisserie catering pizza burger`), []string{"about", "menu", "hours", "location", "contact"}},
	{wordsFrom(`band singer musician dj choir orchestra rapper songwriter`), []string{"about", "music", "tour-dates", "contact"}},
	{wordsFrom(`conference meetup festival summit hackathon workshop wedding`), []string{"about", "schedule", "speakers", "location", "contact"}},
	{wordsFrom(`photographer artist designer painter illustrator developer architect writer filmmaker freelancer`), []string{"portfolio", "about", "services", "contact"}},
	{wordsFrom(`hotel hostel museum gallery zoo`), []string{"about", "gallery", "pricing", "location", "contact"}},
	{wordsFrom(`gym salon barber studio spa clinic dentist doctor lawyer agency consultant plumber garage school`), []string{"about", "services", "pricing", "team", "contact"}},
	{wordsFrom(`shop store boutique florist bookstore bookshop market farm brand`), []string{"about", "products", "hours", "contact"}},
	{wordsFrom(`app software platform saas startup tool product`), []string{"features", "pricing", "faq", "contact"}},
	{wordsFrom(`charity club community church nonprofit association team`), []string{"about", "events", "news", "contact"}},
}

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
