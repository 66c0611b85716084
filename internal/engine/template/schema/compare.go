package schema

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
)

// Renames returns the names of tables and columns that a change gives to others.
func Renames(c Change) stack.Renames {
	out := stack.Renames{Kinds: map[string]string{}, Fields: map[string]map[string]string{}}
	if c.Old == nil {
		return out
	}
	now, _ := compare(sqlite.tables(*c.Old, nil), sqlite.tables(c.Now, nil), c.Renames) // names may change places without a database
	for _, t := range now {
		if t.Was != "" && t.Was != t.Name {
			out.Kinds[t.Was] = t.Name
		}
		fields := map[string]string{}
		for _, col := range t.Columns {
			if col.Was != nil && col.Was.Name != col.Name {
				fields[col.Was.Name] = col.Name
			}
		}
		if len(fields) > 0 {
			out.Fields[t.Name] = fields
		}
	}
	return out
}

// compare returns the tables of a spec with what they were before, and those that the
// database keeps although the spec no longer has them. The error is that of the first
// table or column that the database cannot have.
func compare(before, now []table, renames []spec.Rename) (all []table, err error) {
	used := map[string]bool{}
	for _, t := range now {
		noun := spec.ColumnName(origin(renames, "", t.noun))
		at := slices.IndexFunc(before, func(o table) bool {
			return noun != "" && spec.ColumnName(o.noun) == noun || o.noun == "" && o.Name == t.Name
		})
		same := slices.IndexFunc(before, func(o table) bool { return o.Name == t.Name })
		if same >= 0 && same != at {
			err = cmp.Or(err, fmt.Errorf("%s: the database has another table %s, also if its record was removed: choose another name, or rename in two steps", t.noun, t.Name))
		}
		if at >= 0 {
			used[before[at].Name] = true
			err = cmp.Or(err, t.compare(before[at], renames))
		}
		all = append(all, t)
	}
	for _, was := range before {
		if !used[was.Name] {
			t := table{Name: was.Name}
			err = cmp.Or(err, t.compare(was, renames))
			all = append(all, t)
		}
	}
	return all, err
}

// origin returns the name that a record, or a field of one, had before the renames;
// empty: it is new.
func origin(renames []spec.Rename, record, name string) string {
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
func (t *table) compare(was table, renames []spec.Rename) (err error) {
	t.Was = was.Name
	used := map[string]bool{}
	for i := range t.Columns {
		c := &t.Columns[i]
		name := spec.Field{Name: origin(renames, t.noun, c.field), To: c.to}.Column()
		at := slices.IndexFunc(was.Columns, func(o column) bool { return o.Name == name })
		if at < 0 {
			err = cmp.Or(err, c.addable(t.noun))
			continue
		}
		old := was.Columns[at]
		used[old.Name] = true
		if old.to != "" && old.to == origin(renames, "", c.to) {
			old.Target = c.Target // also if that has another name now
		}
		c.Was = &old
	}
	for _, old := range was.Columns {
		if slices.ContainsFunc(t.Columns, func(c column) bool {
			return c.Name == old.Name && (c.Was == nil && !used[old.Name] || c.Was != nil && c.Was.Name != old.Name)
		}) {
			err = cmp.Or(err, fmt.Errorf("%s.%s: the database has another column of this name, also if its field was removed: choose another name, or rename in two steps", t.noun, old.Name))
		}
		if !used[old.Name] {
			c := old.dialect.column(t.Name, old.Name, old.Kind)
			if old.Kind == ref {
				c.Kind = spec.Text
			}
			c.Kept, c.Was = true, &old
			t.Columns = append(t.Columns, c)
		}
	}
	return err
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
