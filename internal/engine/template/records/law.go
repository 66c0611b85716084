package records

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
)

// span is a range of numbers.
var span = regexp.MustCompile(`^\d+(-|–)\d+$`)

// law refuses what nobody keeps records of, however it was read, and names that are none.
func (r *reader) law() {
	for _, o := range r.Left {
		all := strings.Fields(o.What)
		known := func(w string) bool { // a mother and a father (both persons), where persons are kept
			return english.IsPlural(w) && r.exact(w) != nil && !strings.HasSuffix(o.What, " of "+w) || r.Is("points-at", w) || w == "table"
		}
		fields := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return !r.Is("type", strings.Trim(w, ",")) }) // term (source: string, domain: string)
		if o.Why == "limits and choices of a field" && (len(r.Things) > 0 && slices.ContainsFunc(all, known) || len(fields) > 1) {
			r.Refuse(o.What)
		}
	}
	for _, t := range r.Things { // cattle vaccination records. cow: ear_tag. vaccination: cow, vaccine
		if strings.HasSuffix(t.Name, "_record") && len(r.Things) > 2 && len(t.Fields)+len(t.Parents) == 0 && !r.isParent(t) {
			r.Refuse("what records of " + t.said)
		}
	}
	for i := range r.Tokens { // authors -> books: which belong to which?
		if r.At(i).Text == "->" && english.IsPlural(r.At(i-1).Low) && english.IsPlural(r.At(i+1).Low) && r.Length(i+1, "type") == 0 {
			r.Refuse(r.Words(i-1, 1) + " -> " + r.Words(i+1, 1))
		}
	}
	if len(r.Things) > 1 && !slices.ContainsFunc(r.Things, func(t *Thing) bool { return !r.onlyField(t) }) { // for ingredients and steps
		r.Refuse("what records of " + r.Things[0].said)
	}
	r.Refuse(r.doneOnThem())
	r.Refuse(r.uniqueTogether())
	r.Refuse(r.severalRanges())
	r.Refuse(r.qualityToo())
	r.Refuse(r.fieldsOrRecords())
	r.Refuse(r.examples())
	for i := range r.Tokens { // title, body, ts
		last := func(t *Thing) bool { return len(t.Fields) > 1 && t.field(r.At(i-2).Low) != nil }
		if r.At(i).Low == "ts" && (r.At(i-1).Low == "," || r.At(i-1).Low == "and") && r.Ends(i+1) && !r.stamp(i) && slices.ContainsFunc(r.Things, last) {
			r.Refuse("ts: a field, or TypeScript?")
		}
	}
	for _, t := range slices.Clone(r.Things) {
		if t.Link && len(t.Fields) == 0 {
			continue
		}
		r.Refuse(r.ofTwo(t))
		none := cmp.Or(r.noRecord(t), r.clause(t), r.mistaken(t))
		if r.Refuse(none); none != "" { // nor is it offered instead
			r.Things = slices.DeleteFunc(r.Things, func(other *Thing) bool { return other == t })
		}
		r.fieldLaw(t)
	}
}

// doneOnThem gives what says that records are of others that were told before them, where nothing relates both: cars and the repairs
// done on them.
func (r *reader) doneOnThem() string {
	for i := range r.Tokens {
		n := r.Length(i, "of-those")
		before := slices.DeleteFunc(slices.Clone(r.Things), func(t *Thing) bool { return t.at > i })
		if of := len(before) - 1; n > 0 && of > 0 && r.At(before[of].at-1).Low != "." && !r.related(before[of-1], before[of]) {
			return before[of].said + " " + r.Words(i, n)
		}
	}
	return ""
}

// uniqueTogether gives what says that fields are unique together, which no rule of one of them says: row plus seat must be unique.
func (r *reader) uniqueTogether() string {
	together := -1
	for i, t := range r.Tokens {
		switch {
		case t.Mark:
			together = -1
		case r.Is("together", t.Low) && !r.At(i-1).Mark:
			together = i
		case t.Low == "unique" && together >= 0:
			return r.said(together, i+1)
		}
	}
	return ""
}

// severalRanges gives a bracket that holds several ranges of numbers, which may be choices: age group (0-5, 6-10).
func (r *reader) severalRanges() string {
	ranges, open := 0, -1
	for i := range r.Tokens {
		switch low := r.At(i).Low; {
		case low == "(":
			ranges, open = 0, i
		case open >= 0 && low == ")":
			if ranges > 1 {
				return r.said(open-1, i)
			}
			open = -1
		case span.MatchString(r.At(i).Raw) && r.At(i-1).Mark:
			ranges++
		}
	}
	return ""
}

// qualityToo gives the last item of a list of fields if it may as well tell how the project is to be: name, address, accessible.
func (r *reader) qualityToo() string {
	for i := range r.Tokens {
		n := r.Length(i, "quality-too")
		before := r.At(i - 2).Low
		field := func(t *Thing) bool {
			return len(t.Fields) > 1 && slices.ContainsFunc(t.Fields, func(f Field) bool { return english.HasSuffix(f.Name, before) })
		}
		listed := r.At(i-1).Low == "," || r.At(i-1).Low == "and"
		said := strings.ReplaceAll(r.Words(i, max(n, 1)), " ", "_")
		kept := slices.ContainsFunc(r.Things, func(t *Thing) bool { return t.field(said) != nil })
		if n > 0 && r.Ends(i+n) && listed && !kept && slices.ContainsFunc(r.Things, field) {
			return r.Words(i, n) + ": a field, or the project?"
		}
	}
	return ""
}

// fieldsOrRecords gives a label that may be that of the fields of what was asked for, or of records: a landlord. Properties: address,
// rent. Tenants: name.
func (r *reader) fieldsOrRecords() string {
	at, labels := -1, 0
	for i := range r.Tokens {
		switch low := r.At(i).Low; {
		case r.At(i-1).Low != "." || r.At(i+1).Low != ":":
		case low == "properties" || low == "fields":
			if at >= 0 { // one label behind each name
				return ""
			}
			at = i
		case r.exact(low) != nil:
			labels++
		}
	}
	if at < 0 || len(r.Things) == 0 || r.exact(r.At(at).Low) != nil {
		return ""
	}
	asked, one := r.Things[0], english.Singular(r.At(at).Low)
	meant := slices.ContainsFunc(r.Things, func(t *Thing) bool { return t.field(one) != nil })
	if meant || labels > 0 && !english.IsPlural(asked.said) && r.At(asked.at-1).Low != ":" {
		return r.At(at).Low + ": fields, or records?"
	}
	return ""
}

// examples gives two examples of a field where the second one was taken for the next field: contact info such as email and phone.
func (r *reader) examples() string {
	for i := range r.Tokens {
		n := r.Length(i, "as-example")
		second := r.At(i + n + 2).Low
		if n > 0 && r.At(i+n+1).Low == "and" && slices.ContainsFunc(r.Things, func(t *Thing) bool { return t.field(second) != nil }) {
			return r.Words(i, n+3)
		}
	}
	return ""
}

// onlyField says whether nothing is told of something that mostly is a list of texts in a record.
func (r *reader) onlyField(t *Thing) bool {
	many := inPlural(t.Name)
	return len(t.Fields)+len(t.Parents) == 0 && r.texts(many) && !r.Is("kept-too", many) && !r.isParent(t)
}

// texts says whether a name is that of a usual list of texts.
func (r *reader) texts(name string) bool {
	return cmp.Or(r.Tables["field"][name], r.Tables["also-field"][name]) == values.Texts
}
