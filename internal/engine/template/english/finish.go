package english

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// finish makes the best spec of what was read.
func (r *reader) finish() (out Reading) {
	site := r.spec.Kind == "" && len(r.spec.Records) == 0 && slices.ContainsFunc(r.words, func(w string) bool { return is("site", w) })
	switch {
	case r.old == nil && (r.spec.Kind == spec.Site || site):
		r.finishSite()
	case r.old == nil:
		r.finishAPI()
		fallthrough
	default:
		out.Usual, out.Bare = r.finishRecords()
	}
	if r.old != nil {
		r.additions()
	}
	if _, _, err := r.spec.Complete(); err != nil && r.old == nil {
		r.unsure, r.spec = true, spec.Spec{Kind: spec.API, Language: r.spec.Language, Store: r.spec.Store, Records: []spec.Record{{Noun: "item"}}}
	}
	for _, w := range r.words {
		switch {
		case slices.Contains(out.Understood, w) || slices.Contains(out.NotUnderstood, w) || !strings.ContainsFunc(w, unicode.IsLetter):
		case slices.Contains(r.doubts, w) || slices.Contains(r.doubts, strings.ToLower(w)):
			out.NotUnderstood = append(out.NotUnderstood, w)
		case !is("nothing", w):
			out.Understood = append(out.Understood, w)
		}
	}
	out.Spec, out.Lines, out.Sure = r.spec, strings.Join(r.lines, "\n"), !r.unsure && len(out.Bare) == 0
	return out
}

func (r *reader) finishSite() {
	r.unsure = r.unsure || r.spec.Kind == ""
	for _, key := range []string{"language", "store", "auth", "cors"} { // which a site has not
		if r.set[key] != "" {
			r.doubt(r.set[key])
		}
	}
	r.spec = spec.Spec{Kind: spec.Site, Name: r.spec.Name, Port: r.spec.Port, License: r.spec.License, Sections: r.spec.Sections}
	if r.title != "" {
		r.spec.Facts = []spec.Fact{{Key: "title", Value: r.title}}
	}
	if len(r.spec.Sections) == 0 {
		r.spec.Sections = []spec.Section{{Name: "about"}, {Name: "contact"}}
	}
}

func (r *reader) finishAPI() {
	if app := r.set["app"]; app != "" && r.set["store"]+r.set["auth"]+r.set["port"] == "" { // which may be no API
		r.doubt(app)
	}
	if len(r.spec.Records) == 0 {
		r.guess()
	} else if r.spec.Name == "" {
		r.spec.Name = plaintext.Slug(r.subject)
	}
}

// finishRecords gives records without fields their usual ones, and takes a field
// that is named like a record for a reference to it.
func (r *reader) finishRecords() (usualNouns, bare []string) {
	for i := range r.spec.Records {
		rec := &r.spec.Records[i]
		if len(rec.Fields) == 0 && usual()[rec.Noun] != nil {
			rec.Fields = slices.DeleteFunc(slices.Clone(usual()[rec.Noun]), func(f spec.Field) bool { return f.To != "" && r.spec.Find(f.To) < 0 })
			usualNouns = append(usualNouns, rec.Noun)
		} else if len(rec.Fields) == 0 {
			rec.Fields = []spec.Field{{Name: "name"}}
			bare = append(bare, rec.Noun)
		}
		for k, f := range rec.Fields { // the author of a book, where there are authors
			if to := r.spec.Find(f.Name); to >= 0 && to != i && f.To+f.Kind == "" && f.Choices == nil {
				rec.Fields[k] = spec.Field{Name: r.spec.Records[to].Noun, To: r.spec.Records[to].Noun, Need: f.Need, Unique: f.Unique}
				if _, _, err := r.spec.Complete(); err != nil { // a circle
					rec.Fields[k] = f
				}
			}
		}
	}
	return usualNouns, bare
}

// guess adds records for what the words that are left are likely to mean.
func (r *reader) guess() {
	r.doubt(r.subject)
	r.unsure = true
	for _, w := range append(strings.Fields(r.subject), r.doubts...) {
		noun := nounOf(strings.ToLower(w))
		likely := isPlural(strings.ToLower(w)) && !is("features", w)
		for _, known := range slices.Sorted(maps.Keys(usual())) {
			if strings.HasPrefix(noun, known) { // a bookstore
				noun, likely = known, true
			}
		}
		if theme := lists()["theme"][noun]; theme != "" {
			noun, likely = theme, true
		}
		if likely && plainName.MatchString(noun) && len(r.spec.Records) < 4 {
			r.record(noun)
		}
	}
	if len(r.spec.Records) == 0 {
		r.record(map[bool]string{true: r.noun, false: "item"}[plainName.MatchString(r.noun)])
	}
}
