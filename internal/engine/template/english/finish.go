package english

import (
	"cmp"
	"slices"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// finish fills in what a new project lacks.
func (r *reader) finish() {
	s := &r.Spec
	if s.Kind == spec.Site || s.Kind == "" && slices.ContainsFunc(r.words, func(w string) bool { return is("site", w) }) {
		r.Sure = r.Sure && s.Kind != ""
		for _, key := range []string{"language", "store", "auth", "cors"} { // which a site has not
			r.doubt(r.options[key])
		}
		s.Kind, s.Language, s.Store, s.Auth, s.CORS = spec.Site, "", "", "", false
		if len(s.Sections) == 0 {
			s.Sections = []spec.Section{{Name: "about"}, {Name: "contact"}}
		}
		if r.title != "" {
			s.Facts = []spec.Fact{{Key: "title", Value: r.title}}
		}
		return
	}
	if len(s.Records) == 0 {
		r.guess()
	} else if s.Name == "" {
		s.Name = plaintext.Slug(r.subject)
	}
	for i := range s.Records {
		rec := &s.Records[i]
		if len(rec.Fields) > 0 {
			continue
		}
		if rec.Fields, _ = spec.ParseFields(cmp.Or(usual[rec.Noun], "name")); usual[rec.Noun] != "" {
			r.Usual = append(r.Usual, rec.Noun)
		} else {
			r.Bare, r.Sure = append(r.Bare, rec.Noun), false
		}
		for k, f := range rec.Fields { // the author of a book refers to one where there are authors
			if f.To != "" && s.Find(f.To) < 0 {
				rec.Fields[k] = spec.Field{Name: f.Name}
			}
		}
	}
}

// guess adds records for what the words that are left are likely to mean.
func (r *reader) guess() {
	r.doubt(r.subject)
	r.Sure = false
	for _, noun := range r.doubts {
		if theme := meaning("theme", nounOf(noun)); theme != "" {
			noun = theme
		}
		if (nounOf(noun) != noun && !is("features", noun) || usual[noun] != "") && len(r.Spec.Records) < 4 {
			r.record(noun)
		}
	}
	if len(r.Spec.Records) == 0 && r.record(r.subject) < 0 {
		r.record("item")
	}
}
