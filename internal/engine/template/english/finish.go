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
		r.finishSite()
		return
	}
	if r.wish && s.Find(r.subject) < 0 {
		r.doubt(r.subject)
	}
	switch {
	case len(s.Records) > 0:
	case r.subject == "blog": // which has posts for certain
		r.record("post")
	default:
		r.guess()
	}
	s.Name = cmp.Or(s.Name, plaintext.Slug(r.subject))
	for i := range s.Records {
		r.finishRecord(&s.Records[i])
	}
}

func (r *reader) finishSite() {
	s := &r.Spec
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
}

// finishRecord gives a record its usual fields if none but references are named. The
// author of a book refers to one where there are authors, and is a text where there
// are none.
func (r *reader) finishRecord(rec *spec.Record) {
	if named := func(f spec.Field) bool { return f.To == "" }; !slices.ContainsFunc(rec.Fields, named) && (usual[rec.Noun] != "" || rec.Fields == nil) {
		fields, _ := spec.ParseFields(cmp.Or(usual[rec.Noun], "name"))
		if usual[rec.Noun] != "" {
			r.Usual = append(r.Usual, rec.Noun)
		} else {
			r.Bare, r.Sure = append(r.Bare, rec.Noun), false
		}
		references := rec.Fields
		fields = slices.DeleteFunc(fields, func(f spec.Field) bool { return rec.Find(f.Name, f.To) >= 0 })
		rec.Fields = append(fields, references...)
	}
	for i, f := range rec.Fields {
		of := r.Spec.Find(cmp.Or(f.To, f.Name))
		switch {
		case f.To != "" && of < 0:
			rec.Fields[i] = spec.Field{Name: f.Name}
		case f.To == "" && f.Kind == "" && of >= 0 && r.Spec.Records[of].Noun != rec.Noun:
			rec.Fields[i].To = r.Spec.Records[of].Noun
		}
	}
}

// guess adds records for what the words that are left are likely to mean.
func (r *reader) guess() {
	r.doubt(r.subject)
	r.Sure = false
	for _, noun := range r.doubts {
		noun = cmp.Or(meaning("theme", nounOf(noun)), noun)
		if (nounOf(noun) != noun && !is("features", noun) || usual[noun] != "") && len(r.Spec.Records) < 4 {
			r.record(noun)
		}
	}
	if len(r.Spec.Records) == 0 && r.record(r.subject) < 0 {
		r.record("item")
	}
}
