package english

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// isMany reports whether a name is a plural that is no field as a rule.
func isMany(name string) bool { return nounOf(name) != name && !spec.IsUsual(name) }

func allMany(list []item) bool {
	return !slices.ContainsFunc(list, func(one item) bool { return !isMany(one.name) })
}

// nounOf returns the noun of a plural, and any other name as it is.
func nounOf(name string) string {
	before, last := name[:strings.LastIndexByte(name, ' ')+1], name[strings.LastIndexByte(name, ' ')+1:]
	one := spec.SingularOf(last)
	if len(last) < 4 || is("single", last) || spec.PluralOf(one) != last || !strings.HasSuffix(last, "s") && last != "people" && last != "children" {
		return name
	}
	return before + one
}

// recordOf returns the index of the record that a name means, or -1.
func (r *reader) recordOf(name string) int {
	noun := nounOf(strings.ToLower(name))
	return slices.IndexFunc(r.Records, func(rec spec.Record) bool {
		return strings.EqualFold(rec.Noun, noun) || strings.HasSuffix(strings.ToLower(rec.Noun), " "+noun) || strings.EqualFold(rec.Plural, name)
	})
}

// record returns the index of a record, which it adds if it is not there, or -1.
func (r *reader) record(noun string) int {
	if r.last = r.recordOf(noun); r.last < 0 && len(r.Records) < spec.MaxRecords && r.Kind != spec.Site {
		r.Kind, r.Records = spec.API, append(r.Records, spec.Record{Noun: noun})
		r.last = len(r.Records) - 1
	}
	return r.last
}

// things reads records: plurals, nouns with usual fields, and at most one other
// word, which says what all is for.
func (r *reader) things(list []item) {
	for _, one := range list {
		words := strings.Fields(trim(one.name))
		for len(words) > 0 && is("app", words[len(words)-1]) {
			words = words[:len(words)-1]
		}
		name := strings.Join(words, " ")
		noun := nounOf(name)
		switch known := noun != name || usual[noun] != ""; {
		case name == "":
		case known && !strings.Contains(name, "ing "):
			r.fields(r.record(noun), r.list(one.inside))
		case r.subject == "" && one.inside == "" && !is("site", words[len(words)-1]):
			r.subject = name
		default:
			r.doubt(one.name + " " + one.inside)
		}
	}
}

// refer adds a reference from one record to another.
func (r *reader) refer(from, to int) {
	if noun := r.Records[to].Noun; from != to && r.Records[from].Find(noun, noun) < 0 && len(r.Records[from].Fields) < spec.MaxFields {
		r.Records[from].Fields = append(r.Records[from].Fields, spec.Field{Name: noun, To: noun})
	}
}

// finish fills in what a new project lacks.
func (r *reader) finish() {
	site := slices.ContainsFunc(r.words, func(w string) bool { return is("site", w) })
	if r.Kind == spec.Site || r.Kind == "" && site {
		r.unsure = r.unsure || r.Kind == ""
		for _, key := range []string{"language", "store", "auth", "cors"} { // which a site has not
			r.doubt(r.options[key])
		}
		r.Kind, r.Language, r.Store, r.Auth, r.CORS = spec.Site, "", "", "", false
		if len(r.Sections) == 0 {
			r.Sections = []spec.Section{{Name: "about"}, {Name: "contact"}}
		}
		return
	}
	if app := r.options["app"]; app != "" && r.Store+r.Auth == "" && r.Port == 0 { // which may be no API
		r.doubt(app)
	}
	if len(r.Records) > 0 && r.Name == "" {
		r.Name = plaintext.Slug(r.subject)
	}
	if len(r.Records) == 0 {
		r.guess()
	}
	r.fill(0)
}

// fill gives records without fields their usual ones, and takes a field that is
// named like a record for a reference to it.
func (r *reader) fill(from int) {
	for i := from; i < len(r.Records); i++ {
		rec := &r.Records[i]
		if len(rec.Fields) == 0 && usual[rec.Noun] != "" {
			rec.Fields, _ = spec.ParseFields(usual[rec.Noun])
			rec.Fields = slices.DeleteFunc(rec.Fields, func(f spec.Field) bool { return f.To != "" && r.Find(f.To) < 0 })
			r.usuals = append(r.usuals, rec.Noun)
		} else if len(rec.Fields) == 0 {
			rec.Fields = []spec.Field{{Name: "name"}}
			r.bare = append(r.bare, rec.Noun)
		}
		for k, f := range rec.Fields { // the author of a book, where there are authors
			to := r.Find(f.Name)
			if to >= 0 && to != i && f.Kind == "" && f.Choices == nil && !slices.ContainsFunc(r.Records[to].Fields, func(f spec.Field) bool { return f.To != "" }) {
				rec.Fields[k] = spec.Field{Name: r.Records[to].Noun, To: r.Records[to].Noun, Need: f.Need, Unique: f.Unique}
			}
		}
	}
}

// guess adds records for what the words that are left are likely to mean.
func (r *reader) guess() {
	r.unsure = true
	for _, w := range append(strings.Fields(r.subject), r.doubts...) {
		noun := nounOf(w)
		likely := noun != w && !is("features", w) || usual[noun] != ""
		if theme := meaning("theme", noun); theme != "" {
			noun, likely = theme, true
		}
		if likely && plainName.MatchString(noun) && len(r.Records) < 4 {
			r.record(noun)
		}
	}
	if r.doubt(r.subject); len(r.Records) == 0 && plainName.MatchString(r.subject) {
		r.record(r.subject)
	} else if len(r.Records) == 0 {
		r.record("item")
	}
}
