package schema

import (
	"fmt"
	"slices"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// compare returns the tables of a spec with what they were before, and those that the
// database keeps although the spec no longer has them.
func compare(before, now []table, renames []spec.Rename) ([]table, error) {
	used := map[string]bool{}
	for i := range now {
		t := &now[i]
		noun := Origin(renames, "", t.noun)
		at := slices.IndexFunc(before, func(o table) bool { return o.noun == noun && noun != "" || o.noun == "" && o.Name == t.Name })
		same := slices.IndexFunc(before, func(o table) bool { return o.Name == t.Name })
		if same >= 0 && same != at {
			return nil, fmt.Errorf("%s: the database has another table %s, also if its record was removed: choose another name, or rename in two steps", t.noun, t.Name)
		}
		if at < 0 {
			continue
		}
		used[before[at].Name] = true
		if err := t.compare(before[at], renames); err != nil {
			return nil, err
		}
	}
	for _, was := range before {
		if !used[was.Name] {
			t := table{Name: was.Name}
			if err := t.compare(was, renames); err != nil {
				return nil, err
			}
			now = append(now, t)
		}
	}
	return now, nil
}

// Origin returns the name that a record, or a field of one, had before the renames;
// empty: it is new.
func Origin(renames []spec.Rename, record, name string) string {
	for _, r := range slices.Backward(renames) {
		switch {
		case r.Record != record:
		case r.To == name:
			name = r.From
		case r.From == name:
			return ""
		}
	}
	return name
}

// compare pairs the columns of a table with those before, and adds those that the
// spec no longer has.
func (t *table) compare(was table, renames []spec.Rename) error {
	t.Was = was.Name
	used := map[string]bool{}
	for i := range t.Columns {
		c := &t.Columns[i]
		field := Origin(renames, t.noun, c.field)
		at := slices.IndexFunc(was.Columns, func(o column) bool { return o.field == field && field != "" || o.field == "" && o.Name == c.Name })
		same := slices.IndexFunc(was.Columns, func(o column) bool { return o.Name == c.Name })
		switch {
		case at < 0:
			if err := c.addable(t.noun); err != nil {
				return err
			}
			continue
		case same >= 0 && same != at:
			return fmt.Errorf("%s.%s: the database has another column of this name, also if its field was removed: choose another name, or rename in two steps", t.noun, c.field)
		}
		old := was.Columns[at]
		used[old.Name] = true
		if old.to != "" && old.to == Origin(renames, "", c.to) {
			old.Target = c.Target // also if that has another name now
		}
		c.Was = &old
	}
	for _, old := range was.Columns {
		if !used[old.Name] {
			c := old.dialect.column(t.Name, old.Name, old.Kind)
			if old.Kind == ref {
				c.Kind = spec.Text
			}
			c.Kept, c.Was = true, &old
			t.Columns = append(t.Columns, c)
		}
	}
	return nil
}

// addable reports why a table that may have rows cannot get a column.
func (c column) addable(noun string) error {
	switch {
	case c.Required && c.Kind == ref:
		return fmt.Errorf("%s.%s: the records that are there have no value for a new required reference: write \"%[2]s -> %s optional\"", noun, c.field, c.to)
	case c.Required && c.Default == "":
		return fmt.Errorf("%s.%s: a new required field needs a default for the records that are there: write \"%[2]s: %s required default VALUE\", or leave out required", noun, c.field, c.Kind)
	case c.Unique && c.Default != "":
		return fmt.Errorf("%s.%s: a new field cannot be unique and have a default, which all records that are there would share: leave out one of them", noun, c.field)
	}
	return nil
}
