package spec

import "slices"

// Sound returns what is sound of a spec that may have mistakes, complete. A field whose
// rules do not fit loses them; what is wrong otherwise is left out: options, fields,
// records, sections and texts.
func (s Spec) Sound() Spec {
	if len(s.Sections) == 0 && len(s.Records) > 0 { // they say more than a kind
		s.Kind = API
	}
	s, _ = s.filled()
	if s.Kind == Site {
		s.Language, s.Store, s.Auth, s.CORS, s.Records = "", "", "", false, nil
		s.soundSite()
		return s
	}
	s.Sections, s.Facts = nil, nil
	for range MaxRecords + 1 { // a record that is left out takes the references to it along
		if _, err := s.check(Field.checkNew); err == nil {
			break
		}
		s.soundRecords()
		s, _ = s.filled()
	}
	return s
}

func (s *Spec) soundSite() {
	sections, facts := s.Sections[:min(len(s.Sections), MaxSections)], s.Facts
	s.Sections, s.Facts = nil, nil
	for _, x := range sections {
		if s.Sections = append(s.Sections, x); s.checkSection(len(s.Sections)-1) != nil {
			s.Sections = s.Sections[:len(s.Sections)-1]
		}
	}
	for _, f := range facts {
		if s.Facts = append(s.Facts, f); s.checkFact(len(s.Facts)-1) != nil {
			s.Facts = s.Facts[:len(s.Facts)-1]
		}
	}
	if len(s.Sections) == 0 {
		s.Sections = []Section{{Name: "about"}, {Name: "contact"}}
	}
}

func (s *Spec) soundRecords() {
	s.Records = s.Records[:min(len(s.Records), MaxRecords)]
	for i := range s.Records {
		r := &s.Records[i]
		fields := r.Fields
		r.Fields = nil
		for _, f := range fields {
			s.addSound(r, f)
		}
	}
	for i := len(s.Records) - 1; i >= 0; i-- {
		r := &s.Records[i]
		wrong := func() bool { return s.checkRecord(i, Field.checkNew) != nil }
		if wrong() {
			r.Plural = PluralOf(r.Noun)
		}
		for k := range r.Fields {
			if r.Fields[k].To != "" && s.needs(r.Noun, r.Noun, map[string]bool{}) {
				r.Fields[k].Need = Optional
			}
		}
		if wrong() {
			s.Records = slices.Delete(s.Records, i, i+1)
		}
	}
	if len(s.Records) == 0 {
		s.Records = []Record{{Noun: "item"}}
	}
}

// addSound adds a field to a record: as it is, without a range, without all of its
// rules, or not at all.
func (s *Spec) addSound(r *Record, f Field) {
	open, bare := f, Field{Name: f.Name, Kind: f.Kind, To: f.To, Need: f.Need}
	open.Min, open.Max = "", ""
	for _, f := range []Field{f, open, bare} {
		with := Record{r.Noun, r.Plural, append(r.Fields, f)}
		if len(r.Fields) < MaxFields && s.checkField(with, len(r.Fields), Field.checkNew) == nil {
			*r = with
			return
		}
	}
}
