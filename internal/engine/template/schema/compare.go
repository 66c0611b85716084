package schema

import (
	"fmt"
	"slices"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// difference is what a change does to the tables.
type difference struct {
	now    []table
	tables []tablePair // one for each of now
}

// tablePair is a table before and after a change.
type tablePair struct {
	was, now table // was without a name: the table is new
	columns  []columnPair
}

// columnPair is a column before and after a change.
type columnPair struct {
	was, now column // was without a name: the column is new
}

func (p tablePair) isNew() bool  { return p.was.name == "" }
func (p columnPair) isNew() bool { return p.was.name == "" }

// renamed reports whether the indexes of a column need another name.
func (p tablePair) renamed(c columnPair) bool {
	return !c.isNew() && (p.was.name != p.now.name || c.was.name != c.now.name)
}

// changed reports whether a column has other rules than before.
func (p columnPair) changed() bool {
	was := p.was
	was.name, was.field, was.to = p.now.name, p.now.field, p.now.to
	return !p.isNew() && was != p.now
}

// compare finds out what a change does to the tables.
func compare(c Change) (difference, error) {
	var before []table
	if c.Old != nil {
		before = tablesOf(*c.Old, c.Kept)
	}
	d := difference{now: tablesOf(c.Now, nil)}
	at := map[string]string{} // the new name of each table that stays
	taken := map[string]bool{}
	for i, t := range d.now {
		was := find(before, origin(c.Renames, "", t.noun), t.name)
		if was.name != t.name && slices.ContainsFunc(before, func(o table) bool { return o.name == t.name }) {
			return d, fmt.Errorf("%s: the database has another table %s, also if its record was removed: choose another name, or rename in two steps", t.noun, t.name)
		}
		if was.name != "" {
			at[was.name], taken[was.name] = t.name, true
		}
		d.tables = append(d.tables, tablePair{was: was, now: d.now[i]})
	}
	for _, t := range before { // what the spec no longer has
		if taken[t.name] {
			continue
		}
		at[t.name] = t.name
		now := table{name: t.name}
		d.tables, d.now = append(d.tables, tablePair{was: t, now: now}), append(d.now, now)
	}
	for i := range d.tables {
		if err := d.tables[i].compare(c.Renames, at); err != nil {
			return d, err
		}
		d.now[i] = d.tables[i].now
	}
	return d, nil
}

// find returns the table of a record, or one that was kept under a name.
func find(tables []table, noun, name string) table {
	for _, t := range tables {
		if noun != "" && t.noun == noun || t.noun == "" && t.name == name {
			return t
		}
	}
	return table{}
}

// origin returns the name that a record, or a field of one, had before the renames.
func origin(renames []spec.Rename, record, name string) string {
	for _, r := range slices.Backward(renames) {
		if r.Record == record && r.To == name {
			name = r.From
		}
	}
	return name
}

// compare pairs the columns of a table. at has the new names of tables.
func (p *tablePair) compare(renames []spec.Rename, at map[string]string) error {
	used := map[string]bool{}
	for _, now := range p.now.columns {
		field := origin(renames, p.now.noun, now.field)
		var was column
		for _, col := range p.was.columns {
			if !used[col.name] && (!col.kept && col.field == field || col.kept && was.name == "" && col.name == now.name) {
				was = col
			}
		}
		used[was.name] = true
		if moved, ok := at[was.target]; ok {
			was.target = moved
		}
		pair := columnPair{was, now}
		if err := p.check(pair); err != nil {
			return err
		}
		p.columns = append(p.columns, pair)
	}
	for _, was := range p.was.columns {
		if used[was.name] {
			continue
		}
		if moved, ok := at[was.target]; ok {
			was.target = moved
		}
		now := column{name: was.name, kind: was.kind, kept: true}
		if was.kind == ref {
			now.kind = spec.Text
		}
		p.now.columns = append(p.now.columns, now)
		p.columns = append(p.columns, columnPair{was, now})
	}
	return nil
}

// check refuses what no migration can do.
func (p *tablePair) check(c columnPair) error {
	where := p.now.noun + "." + c.now.field
	switch {
	case p.isNew():
		return nil
	case !c.isNew() && c.was.name != c.now.name && slices.ContainsFunc(p.was.columns, func(o column) bool { return o.name == c.now.name }):
		return fmt.Errorf("%s: the database has another column of this name, also if its field was removed: choose another name, or rename in two steps", where)
	case !c.isNew():
		return nil
	case c.now.required && c.now.kind == ref:
		return fmt.Errorf("%s: the records that are there have no value for a new required reference: write \"%s -> %s optional\"", where, c.now.field, c.now.to)
	case c.now.required && c.now.def == "":
		return fmt.Errorf("%s: a new required field needs a default for the records that are there: write \"%s: %s required default VALUE\", or leave out required", where, c.now.field, c.now.kind)
	case c.now.unique && c.now.def != "":
		return fmt.Errorf("%s: a new field cannot be unique and have a default, which all records that are there would share: leave out one of them", where)
	}
	return nil
}

// name names a migration after the tables that it changes.
func (d difference) name() string {
	var changed []table
	for _, p := range d.tables {
		if p.was.name != p.now.name || slices.ContainsFunc(p.columns, func(c columnPair) bool { return c.isNew() || c.changed() || p.renamed(c) }) {
			changed = append(changed, p.now)
		}
	}
	return "change_" + names(changed)
}
