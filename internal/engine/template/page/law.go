package page

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// law refuses what no page is called: a section with a sentence, a number or an address for a name, a subject that is more
// than a noun, and a page without the name that stands in quotes.
func (r *reader) law() {
	for k, section := range r.Sections {
		if k > 0 && never("page-season")(section) && strings.Contains(r.Sections[k-1], "-") && never("page-season")(r.Sections[k-1][strings.LastIndex(r.Sections[k-1], "-")+1:]) { // timetable summer and winter
			r.Refuse(strings.ReplaceAll(r.Sections[k-1], "-", " "))
		}
		if k+1 < len(r.Sections) && never("page-head")(section) && headed(r.Sections[k+1]) { // single, double and family rooms
			r.Refuse(section)
		}
		if r.layouts[strings.ReplaceAll(section, "-", " ")] == "" && !slices.Contains(r.exactly, section) && unnamed(section) {
			r.Refuse(strings.ReplaceAll(section, "-", " "))
		}
	}
	if role := roleOf.FindString(r.Subject); role != "" { // secretary of a running club
		r.Subject = strings.TrimPrefix(r.Subject, role)
	}
	r.lawOfSmall()
	r.lawOfTellings()
	r.lawOfColours()
	r.lawOfNames()
	r.lawOfTowns()
	if r.either && !r.certain && r.Place == "" { // a hair salon, Wigan, services
		r.Refuse(r.Title)
	}
	subject := strings.Fields(r.Subject)
	for _, name := range []string{r.Title, r.Place} {
		if letters.MatchString(name) { // U.S. Post Office, P.O. Box 12
			r.Refuse(name)
		}
	}
	if never("page-kind", "page-colour")(r.Subject) { // nothing is called by its kind, or by how it looks
		r.Refuse(r.Subject)
		r.Subject = ""
	}
	if never("page-anybody")(r.Subject) {
		if r.Title == "" {
			r.Refuse(r.Subject)
		}
		r.Subject = ""
	}
	if n := len(subject); n > 0 && (never("page-no-subject")(subject[0]) || never("page-month")(strings.ToLower(subject[n-1])) || never("page-never-last", "page-joins")(subject[n-1]) || slices.ContainsFunc(subject, never("page-ends", "page-pronoun")) && !compound(r.Subject)) {
		r.Refuse(r.Subject)
		r.Subject = "" // nor is it offered instead
	}
	if times := func(o settings.Omission) bool { return o.Why == several && timeLike.MatchString(o.What) }; slices.ContainsFunc(r.Left, times) && r.Hours != "" { // ballet Mon 17:00, tango Fri 20:00
		r.Leave(r.Hours, figures)
		r.Hours = ""
		for i := range r.Left {
			if times(r.Left[i]) {
				r.Left[i].Why = figures
			}
		}
	}
	other := func(o settings.Omission) bool {
		return o.Why == wording && never("page-weekday")(strings.ToLower(o.What[strings.LastIndex(o.What, " ")+1:]))
	}
	if r.met != "" && r.Hours != "" && slices.ContainsFunc(r.Left, other) { // training tuesday 6pm, matches sunday
		r.Leave(r.met, figures)
		r.Hours = ""
	}
	for _, o := range r.Left {
		if m := numbered.FindStringSubmatch(strings.ToLower(o.What)); m != nil && o.Why == figures && (r.layouts[m[1]] != "" || never("page-part")(m[1])) {
			r.Refuse(o.What)
		}
		if first, _, _ := strings.Cut(strings.ToLower(o.What), " "); r.Title+r.Subject == "" && never("page-pronoun")(first) { // we clean offices
			r.Refuse(o.What)
		}
		part, with := strings.CutPrefix(o.What, "with ")
		asks := o.Why == wording && slices.ContainsFunc(strings.Fields(strings.ToLower(o.What)), never("page-kind"))            // Ticket 12: the campsite wants a web page
		if slices.Contains(r.quoted, o.What) && r.Title == "" || with && never("page-part")(part) && o.Why == wording || asks { // about page for Hope with mission
			r.Refuse(o.What)
		}
	}
}

// lawOfTellings refuses a page that is told of by what it tells, and to whom, where that gives it no name: a page that tells
// people about my book, a page explaining how to get to our wedding, a page for tourists.
func (r *reader) lawOfTellings() {
	for _, section := range r.Sections {
		if about, is := strings.CutPrefix(section, "about-"); is && r.Title+r.Subject == "" && slices.ContainsFunc([]string{"my-", "our-"}, func(w string) bool { return strings.HasPrefix(about, w) }) {
			r.Refuse(strings.ReplaceAll(section, "-", " "))
		}
	}
	for _, o := range r.Left {
		whom := o.Why == settings.Background && r.Title+r.Subject == "" && english.IsPlural(o.What) && never("page-audience")(o.What)
		if whom || strings.HasPrefix(r.Subject, "how to ") && strings.HasPrefix(o.What, "to ") {
			r.Refuse(o.What)
			r.Subject = ""
		}
	}
}

// lawOfColours tells that what is worn, or what somebody is like, has no colours of the page: our dress code is blue.
func (r *reader) lawOfColours() {
	club := slices.Contains([]string{"club", "team", "school"}, r.Subject[strings.LastIndex(r.Subject, " ")+1:])
	worn := func(o settings.Omission) bool {
		said := strings.ToLower(o.What)
		return tinted.MatchString(said) || club && strings.HasPrefix(said, "our colo")
	}
	if slices.ContainsFunc(r.Left, worn) { // and no colours of the page
		for i := range r.Left {
			if r.Left[i].Why == tints {
				r.Left[i].Why = wording
			}
		}
	}
}

// headed says whether a section begins with one of several words that are told of it: double and family rooms.
func headed(section string) bool {
	first, rest, and := strings.Cut(section, "-and-")
	return and && never("page-head")(first) && strings.Contains(rest, "-")
}

// never gives whether a word stands in one of several tables.
func never(tables ...string) func(string) bool {
	return func(w string) bool {
		return slices.ContainsFunc(tables, func(t string) bool { _, is := pageTables[t][w]; return is })
	}
}

// unnamed says whether words are no name of a section: they tell of something, or are a number or a row of days.
func unnamed(section string) bool {
	all := strings.Split(section, "-")
	if never("page-part")(strings.Join(all, " ")) {
		return false
	}
	first, rest, last := all[0], all[1:], all[len(all)-1]
	asks := never("page-question")(first) && first != "which"
	free := asks || slices.ContainsFunc(rest, never("page-mine")) || first == "which" && slices.ContainsFunc(rest, never("page-chooses"))     // what to bring with you, areas I travel to
	row := len(rest) > 0 && never("page-kinds")(first) && !free && !never("page-goes-on")(last) && !never("page-joins", "page-more")(rest[0]) // categories minerals, fossils
	dates := !slices.ContainsFunc(all, func(w string) bool { return !never("page-month", "page-day", "page-span")(w) })                       // in July and August, March to October
	invites := english.HasSuffix(section, "-with-us", "-with-me", "-welcome") || strings.HasPrefix(section, "welcome")
	tells := slices.Contains(rest, "that") && !never("page-question")(first) || !free && !invites && slices.ContainsFunc(all, never("page-never-inside"))
	sold, ends := strings.CutSuffix(section, "-for-sale") // a house with garden for sale
	begun := never("page-never-first")(first) && !(first == "which" && free)
	cut := never("page-never-last")(last) && !free
	return row || dates || tells || begun || cut || ends && !english.IsPlural(sold) || strings.ContainsAny(section, "@0123456789")
}

// compound says whether a subject holds words that are one and end none: open day.
func compound(subject string) bool {
	for words := range pageTables["page-compound"] {
		if strings.Contains(" "+subject+" ", " "+words+" ") {
			return true
		}
	}
	return false
}

// ofWhose calls a page that has no other name by what it is about, where somebody has that: Children's Choir.
func (r *reader) ofWhose() {
	all := strings.Fields(r.whose)
	if r.Title+r.Subject != "" || len(all) < 2 || strings.HasSuffix(all[len(all)-1], "s'") || ordinal.MatchString(all[len(all)-1]) || english.HasSuffix(r.whose, "'s") {
		return
	}
	whose := strings.ReplaceAll(r.whose, " of my ", " of the ")
	if r.title(plaintext.Spelled(strings.ReplaceAll(whose, " ", "-"))) {
		r.Left = slices.DeleteFunc(r.Left, func(o settings.Omission) bool { return strings.Contains(r.whose, o.What) && o.Why == wording })
	}
}

// finish settles what could not be until all was read.
func (r *reader) finish() {
	for _, o := range r.Left { // a contact form not needed, just phone and email
		if _, instead, found := strings.Cut(o.What, " just "); found && o.Why != wording && o.Why != figures {
			r.Refuse(instead)
		}
	}
	r.law()
	r.ofWhose()
	if r.special != "" && len(r.Sections) == 0 { // the usual ones are of another page
		r.Refuse(r.special)
	} else if r.special != "" {
		r.Leave(r.special, wording)
	}
	kin, _, _ := strings.Cut(strings.ToLower(r.occasion), " ")
	kin, _, _ = strings.Cut(kin, "'")
	_, called := pageTables["page-kin"][kin]
	if r.occasion != "" && (r.Title != "" || !called || !r.title(plaintext.Spelled(strings.ReplaceAll(r.occasion, " ", "-")))) {
		r.Leave(r.occasion, wording)
	}
	shows := func(section string) bool {
		return slices.ContainsFunc(strings.Split(section, "-"), func(w string) bool { _, is := pageTables["page-shows"][w]; return is })
	}
	if r.portfolio && len(r.Sections) > 0 && !slices.ContainsFunc(r.Sections, shows) {
		r.Sections = slices.Insert(r.Sections, 0, "portfolio")
	}
	for k, section := range r.undescribed { // usual sections would have what is not wanted
		if len(r.Sections) == 0 || slices.Contains(r.Sections, section) {
			r.Refuse(r.denied[k])
		}
	}
	if r.Title != "" {
		r.vague = r.rows
	}
	if one := func(said string) bool { return !english.IsPlural(strings.ToLower(said)) }; r.Title != "" && len(r.Sections) == 0 && len(r.rows) > 1 && !r.mixed && !slices.ContainsFunc(r.rows, one) { // alterations, curtains, wedding gowns
		for _, said := range r.rows {
			r.add(plaintext.Slug(said))
		}
		r.Left = slices.DeleteFunc(r.Left, func(o settings.Omission) bool { return slices.Contains(r.rows, o.What) })
	}
	switch {
	case r.Title+r.Subject == "":
		r.vague = append(r.vague, r.unnamed...)
	case r.Title == "" && r.self && r.Subject == r.deed: // I write novels and want a page about myself
		r.Refuse(r.Subject)
	}
	for _, what := range r.vague {
		if r.Title == "" || len(r.Sections) == 0 { // or are these some?
			r.Refuse(what)
		}
	}
	if len(r.Sections) == 0 && (len(r.loosely) > 1 || len(r.loosely) == 1 && english.IsPlural(r.loosely[0])) { // chapters, order
		r.Refuse(r.loosely[0])
	}
	told := map[string]string{"email": r.Email, "phone": r.Phone, "hours": r.Hours, "address": r.Address}
	for _, fact := range r.promised {
		if told[fact.Why] != "" {
			continue
		}
		r.Leave(fact.What, figures)
		contact := func(section string) bool {
			return r.layouts[strings.ReplaceAll(section, "-", " ")] == "contact" || strings.Contains(section, "contact")
		}
		if len(r.Sections) > 0 && (fact.Why == "phone" || fact.Why == "email") && !slices.ContainsFunc(r.Sections, contact) { // where it will stand
			r.add("contact")
		}
	}
	if k := slices.IndexFunc(r.Left, func(o settings.Omission) bool { return o.Why == wording || o.Why == figures }); r.Title+r.Subject == "" && k >= 0 { // is that what it is about?
		r.Refuse(r.Left[k].What)
	}
	if strings.EqualFold(r.Title, r.Place) && r.Title != "" { // which of both is it?
		r.Refuse(r.Title)
	}
}
