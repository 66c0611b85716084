package change

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// told says in words what is different between two complete specs.
func told(old, now spec.Spec, renames []spec.Rename) (out []string) {
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	before := renamed(old, now, renames)
	for _, r := range renames {
		if r.Record == "" {
			say("renamed the record %s to %s", r.From, r.To)
		} else {
			say("renamed %s.%s to %s", r.Record, r.From, r.To)
		}
	}
	was, is := map[string]string{}, map[string]string{}
	for _, f := range facts(before) {
		was[f.name] = f.value
	}
	for _, f := range facts(now) {
		is[f.name] = f.value
		if value, there := was[f.name]; !there {
			say("added %s", strings.TrimSuffix(f.name+": "+short(f.value), ": "))
		} else if value != f.value {
			say("%s from %s to %s", f.name, cmp.Or(short(value), "nothing"), cmp.Or(short(f.value), "nothing"))
		}
	}
	for _, f := range facts(before) {
		if _, there := is[f.name]; !there {
			say("removed %s", f.name)
		}
	}
	if len(out) == 0 && old.String() != now.String() {
		say("changed the order")
	}
	return out
}

// fact is something about a spec that can be different.
type fact struct{ name, value string }

func facts(s spec.Spec) []fact {
	cors := map[bool]string{true: "on", false: "off"}[s.CORS]
	out := []fact{{"store", s.Store}, {"port", strconv.Itoa(s.Port)}, {"auth", s.Auth}, {"license", s.License}, {"cors", cors}}
	for _, r := range s.Records {
		out = append(out, fact{"record " + r.Noun, "/" + spec.ColumnName(r.Plural)})
		for i, f := range r.Fields {
			name, kind := r.Noun+"."+f.Name, f.Kind
			if f.To != "" {
				kind = "-> " + f.To
			}
			f.Name, f.Kind, f.To = "x", "", ""
			f.Need = map[bool]string{true: spec.Required, false: spec.Optional}[r.Required(i)]
			out = append(out, fact{name, kind + strings.TrimPrefix(f.String(), "x")})
		}
	}
	for _, x := range s.Sections {
		out = append(out, fact{"section " + x.Name, x.Text})
	}
	for _, f := range s.Facts {
		out = append(out, fact{"text " + f.Key, f.Value})
	}
	return out
}

// renamed returns the old spec with the names of the new one.
func renamed(old, now spec.Spec, renames []spec.Rename) spec.Spec {
	s := old.Clone()
	for _, r := range renames {
		if at := s.Find(r.From); r.Record == "" && at >= 0 {
			s.Records[at].Noun = r.To
			if to := now.Find(r.To); to >= 0 {
				s.Records[at].Plural = now.Records[to].Plural
			}
			eachReference(&s, r.From, func(_ *spec.Record, f *spec.Field) { f.To = r.To })
		}
	}
	for _, r := range renames {
		if at := s.Find(r.Record); r.Record != "" && at >= 0 {
			if k, err := field(&s.Records[at], r.From); err == nil {
				s.Records[at].Fields[k].Name = r.To
			}
		}
	}
	return s
}

// eachReference calls a function with each field that leads to a record.
func eachReference(s *spec.Spec, noun string, call func(r *spec.Record, f *spec.Field)) {
	for i := range s.Records {
		for k := range s.Records[i].Fields {
			if f := &s.Records[i].Fields[k]; f.To != "" && same(f.To, noun) {
				call(&s.Records[i], f)
			}
		}
	}
}
