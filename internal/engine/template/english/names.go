package english

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

var (
	plainName = regexp.MustCompile(`^(?:-> )?[a-z][a-z0-9]*(?:[ _-][a-z0-9]+){0,2}(?:: [a-z]+)?$`)
	ruleFirst = regexp.MustCompile(`^(unique|required|optional) (.+)$`)
	twoWords  = regexp.MustCompile(`^\w*(?:[^s]|ss)[ -]\w+$`)                       // but not: sends email
	wishes    = regexp.MustCompile(`(?:ing|ation|less|[^e]ed)$|[0-9]|^[^aeiouy]+$`) // logging, validation, serverless, encrypted, i18n, csv
)

// list reads a list such as "title, an author and isbn unique". What is no name of
// at most three words is doubted.
func (r *reader) list(text string) (out []string) {
	for part := range strings.SplitSeq(strings.ReplaceAll(" "+text+" ", " and ", " , "), ",") {
		name := " " + strings.Join(strings.Fields(strings.ToLower(part)), " ") + " "
		rest := compile(` {ends} .*`).FindString(name)
		r.doubt(rest)
		name = compile(`^(?: {the})+ `).ReplaceAllString(strings.TrimSuffix(name, rest), " ")
		name = compile(` : ?`).ReplaceAllString(strings.TrimSpace(name), ": ")
		switch {
		case name == "" || name == "id" || is("tests", name): // which every project has
		case name == "field" || !plainName.MatchString(name) || compile(` (?:{language}|{auth}|{features}) `).MatchString(" "+name+" "):
			r.doubt(name)
		default:
			out = append(out, ruleFirst.ReplaceAllString(name, "$2 $1"))
		}
	}
	return out
}

// fields adds fields to a record. A list without a usual name is certain only if its
// names are called fields: docker and swagger are none.
func (r *reader) fields(at int, list []string, called bool) {
	fields, err := spec.ParseFields(strings.Join(list, ", "))
	if err != nil || at < 0 {
		r.doubt(strings.Join(list, " "))
		return
	}
	called = called || slices.ContainsFunc(fields, func(f spec.Field) bool { return f.To != "" || isField(f.Name) })
	for _, f := range fields {
		if f.To != "" {
			f.To = nounOf(f.To)
			f.Name = f.To
			r.record(f.To)
		} else if !called || !plausible(f.Name) {
			r.doubt(f.Name)
		}
		if rec := &r.Spec.Records[at]; rec.Find(f.Name, f.To) < 0 {
			rec.Fields = append(rec.Fields, f)
		}
	}
	r.last = at
}

// isField reports whether a name is usual for a field; its last word decides.
func isField(name string) bool {
	last := name[strings.LastIndexAny(name, " -")+1:]
	return is("fields", last) || spec.IsUsual(name) || strings.Contains(usualNames, " "+last+",")
}

// plausible reports whether a name is one of a field for certain: a usual one, or a
// word that means nothing else. A title isbn lacks a comma.
func plausible(name string) bool {
	first, _, more := strings.Cut(strings.ReplaceAll(name, "-", " "), " ")
	if name == "" || isMany(name) || is("unclear", name) || is("features", first) {
		return false
	}
	if more {
		return isField(name) && twoWords.MatchString(name) && first != "name" && first != "title"
	}
	return isField(name) || !wishes.MatchString(name)
}

// isMany reports whether a name is a plural that is no field as a rule.
func isMany(name string) bool { return nounOf(name) != name && !spec.IsUsual(name) }

// isRecord reports whether a name is one of records: a plural, or a noun with usual
// fields.
func isRecord(name string) bool {
	return usual[name] != "" || nounOf(name) != name && !strings.Contains(name, "ing ")
}

// every reports whether all names of a list are so, and there are any.
func every(list []string, so func(string) bool) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(name string) bool { return !so(name) })
}

// nounOf returns the noun of a plural, and any other name as it is.
func nounOf(name string) string {
	at := strings.LastIndexByte(name, ' ') + 1
	last, one := name[at:], spec.SingularOf(name[at:])
	if strings.HasPrefix(name, "->") || len(last) < 4 || is("single", last) || spec.PluralOf(one) != last || !strings.HasSuffix(last, "s") && last != "people" && last != "children" {
		return name
	}
	return name[:at] + one
}

// record returns the index of the record that a name means, which it adds if it is
// not there, or -1.
func (r *reader) record(name string) int {
	noun, s := nounOf(name), &r.Spec
	r.last = slices.IndexFunc(s.Records, func(rec spec.Record) bool { return rec.Noun == noun || strings.HasSuffix(rec.Noun, " "+noun) })
	if r.last < 0 && s.Kind != spec.Site && plainName.MatchString(noun) {
		s.Kind, s.Records = spec.API, append(s.Records, spec.Record{Noun: noun})
		r.last = len(s.Records) - 1
	}
	return r.last
}
