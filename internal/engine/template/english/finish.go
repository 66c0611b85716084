package english

import (
	"slices"
	"strings"

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
	if s.Store+s.Auth == "" && s.Port == 0 {
		r.doubt(r.options["app"]) // which may be no API
	}
	if len(s.Records) == 0 {
		r.guess()
	} else if s.Name == "" {
		s.Name = plaintext.Slug(r.subject)
	}
	for i := range s.Records {
		r.fill(i)
	}
}

// fill gives a record without fields its usual ones, and takes a field that is named
// like a record for a reference to it.
func (r *reader) fill(i int) {
	rec := &r.Spec.Records[i]
	switch {
	case len(rec.Fields) > 0:
	case usual[rec.Noun] != "":
		rec.Fields, _ = spec.ParseFields(usual[rec.Noun])
		rec.Fields = slices.DeleteFunc(rec.Fields, func(f spec.Field) bool { return f.To != "" && r.Spec.Find(f.To) < 0 })
		r.Usual = append(r.Usual, rec.Noun)
	default:
		rec.Fields = []spec.Field{{Name: "name"}}
		r.Bare, r.Sure = append(r.Bare, rec.Noun), false
	}
	for k, f := range rec.Fields { // the author of a book, where there are authors
		to := r.Spec.Find(f.Name)
		if f.Kind == "" && f.Choices == nil && to >= 0 && to != i && !slices.ContainsFunc(r.Spec.Records[to].Fields, func(f spec.Field) bool { return f.To != "" }) {
			rec.Fields[k] = spec.Field{Name: rec.Fields[k].Name, To: r.Spec.Records[to].Noun, Need: f.Need, Unique: f.Unique}
		}
	}
}

// guess adds records for what the words that are left are likely to mean.
func (r *reader) guess() {
	r.doubt(r.subject)
	r.Sure = false
	for _, w := range r.NotUnderstood {
		noun := strings.ToLower(w)
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
