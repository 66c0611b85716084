package records

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
)

// law refuses what nobody keeps records of, however it was read: a verb, what only a record holds, and a thing that is told
// of its own fields.
func (r *reader) law() {
	for i := range r.Tokens {
		if part := r.kindInside(i); part != "" {
			r.Refuse(part)
		}
	}
	r.Things = slices.DeleteFunc(r.Things, func(t *Thing) bool { // nor is it offered instead
		if t.known {
			return false
		}
		last := t.Name[strings.LastIndex(t.Name, "_")+1:]
		own := slices.IndexFunc(t.Fields, func(f Field) bool { return strings.HasSuffix(f.Name, "_of_"+english.Plural(t.Name)) })
		switch {
		case own >= 0: // birthdays of the members
			r.Refuse(strings.ReplaceAll(t.Fields[own].Name, "_", " "))
			return false
		case t.field(last) != nil && (r.Is("done-with", r.At(t.at-1).Low) || r.At(t.at-2).Low == "to"): // ordering pizzas: customer, pizza
			r.Refuse(t.said)
			return false
		case r.isDeed(t), len(t.Fields) == 0 && r.Is("never-thing", last): // members' names and emails
			r.Refuse(t.said)
			return true
		}
		return false
	})
}

// isDeed says whether what was read as a thing is what somebody does: kindly build, to plan guard duty, booking flights,
// track my weight.
func (r *reader) isDeed(t *Thing) bool {
	n, ok := r.noun(t.at)
	if !ok || n.to <= t.at {
		return false
	}
	first := r.At(t.at).Low
	infinitive := r.At(t.at-1).Low == "to" && (r.class(t.at-2) == "kind" || r.Is("before-to", r.At(t.at-2).Low))
	verb := !n.many() && !r.At(t.at).Capital && (r.Is("own", r.At(n.to).Low) || r.Is("object", r.At(n.to).Low))
	return r.Is("imperative", t.said) || infinitive || verb || len(n.words) > 1 && r.Is("deed", first)
}

// kindInside gives what stands before a project where a word in it would be one as well: web server log API.
func (r *reader) kindInside(i int) string {
	if r.class(i) != "kind" || !r.nameable(i-1) || !r.nameable(i+1) {
		return ""
	}
	for end := i + 2; end < i+4 && !r.At(end).Mark; end++ {
		if r.class(end) == "kind" {
			return r.text(i-1, end)
		}
	}
	return ""
}
