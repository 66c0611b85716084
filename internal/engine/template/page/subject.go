package page

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
)

var (
	// participle ends what was done to somebody or something: bottled.
	participle = regexp.MustCompile(`[a-z]{3,}[^e]ed$|^(?:born|bred|grown|made|built|written|taught)$`)
	// addressOf is the name of a page in the net with more behind it, or M/s before that of a firm.
	addressOf = regexp.MustCompile(`[. ](?:com|org|net|co uk|io) .|^M s `)
	stateEnd  = regexp.MustCompile(`-(?:tx|ca|ny|fl|il|wa|ga|nc|oh|pa|mi|az|nj|va|tn|mo|wi|mn|sc|al|la|ky|nv|ut|ks|nm|ne|ct|uk|usa)$`)
)

// lawOfNames refuses what nothing is called: by a word for anything that people have, by what is done with it, or by what was
// done to it before.
func (r *reader) lawOfNames() {
	subject := strings.Fields(strings.ToLower(r.Subject))
	n := len(subject)
	vague := never("page-vague")(strings.ToLower(r.Subject))
	deed := never("page-deed")(strings.ToLower(r.Subject)) && len(r.Left)+len(r.Title) > 0
	within := slices.ContainsFunc(subject, never("page-never-within"))
	done := n > 1 && participle.MatchString(subject[n-1]) && !never("page-part-past")(subject[n-1])
	firm := n > 2 && (subject[0] == "company" || subject[0] == "firm") && strings.HasSuffix(subject[1], "s") && subject[1] != "sports" // our firm audits nonprofits
	if vague && r.Title == "" || deed || within || done || firm {
		r.Refuse(r.Subject)
		r.Subject = ""
	}
	if addressOf.MatchString(r.Title) {
		r.Refuse(r.Title)
	}
	for _, o := range r.Left {
		past := o.Why == wording && r.Place != "" && participle.MatchString(o.What) && !strings.Contains(o.What, " ") // bottled in Rioja
		first, _, _ := strings.Cut(o.What, " ")
		sells := o.Why == wording && r.Title == "" && never("page-shop")(strings.ToLower(r.Subject)) && never("page-sells")(first) // a shop that sells records
		if past || sells {
			r.Refuse(o.What)
		}
	}
}

// lawOfSmall takes where something is from the end of what it is, where both are written in small letters: mikes garage in dayton ohio.
func (r *reader) lawOfSmall() {
	what, where, in := strings.Cut(r.Subject, " in ")
	all := strings.Fields(where)
	if n := len(all); in && n > 0 && n < 4 && (isTown(all[n-1]) || isTown(strings.Join(all[max(0, n-2):], " "))) && r.Place == "" {
		r.Subject = what
		r.place(where)
	}
}

// spent says whether a page is about somebody's time or way, so that places are parts of it: my travels.
func (r *reader) spent() bool {
	return never("page-spent")(r.Subject[strings.LastIndex(r.Subject, " ")+1:])
}

// lawOfTowns takes a section that is a town in small letters for where the page is, and refuses one that may be.
func (r *reader) lawOfTowns() {
	for k, section := range slices.Clone(r.Sections) {
		if r.spent() && !strings.Contains(section, "-") {
			continue
		}
		name := strings.ReplaceAll(section, "-", " ")
		all := strings.Fields(name)
		first, last := 0, 0 // how many words are a town
		for k := 1; k <= len(all); k++ {
			if isTown(strings.Join(all[:k], " ")) && !(k == 1 && never("page-town-too")(all[0])) {
				first = k
			}
			if isTown(strings.Join(all[len(all)-k:], " ")) && !(k == 1 && never("page-town-too")(all[len(all)-1])) {
				last = k
			}
		}
		whole, end := first == len(all) || first > 0 && first+last == len(all), all[len(all)-1]
		named := english.IsPlural(end) || never("page-part")(end) || r.layouts[end] != "" // london tours
		switch {
		case whole && k == 0 && r.Place == "":
			r.Sections = slices.DeleteFunc(r.Sections, func(s string) bool { return s == section })
			r.place(name)
		case whole, stateEnd.MatchString(section), last > 0, first > 0 && !named && len(all) < 4:
			r.Refuse(name)
		}
	}
}
