package records

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
)

// law refuses what nobody keeps records of, however it was read: the verb that asks for the project, what only a record
// holds, and a thing that is told of its own fields.
func (r *reader) law() {
	r.Things = slices.DeleteFunc(r.Things, func(t *Thing) bool { // nor is it offered instead
		if t.known {
			return false
		}
		last := t.Name[strings.LastIndex(t.Name, "_")+1:]
		switch own := slices.IndexFunc(t.Fields, func(f Field) bool { return strings.HasSuffix(f.Name, "_of_"+english.Plural(t.Name)) }); {
		case own >= 0: // birthdays of the members
			r.Refuse(strings.ReplaceAll(t.Fields[own].Name, "_", " "))
			return false
		case r.Is("imperative", t.said), len(t.Fields) == 0 && r.Is("never-thing", last): // kindly build, members' names and emails
			r.Refuse(t.said)
			return true
		}
		return false
	})
}
