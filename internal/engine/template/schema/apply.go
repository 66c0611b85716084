package schema

import (
	"fmt"
	"slices"
	"strings"
)

// apply writes what a change does to the tables of a database.
func (d dialect) apply(diff difference) []string {
	out := d.rename(diff)
	var made []table
	for _, p := range diff.tables {
		if p.isNew() {
			made = append(made, p.now)
		}
	}
	out = append(out, d.createAll(made)...)
	rebuilt := false
	for _, p := range diff.tables {
		if p.isNew() {
			continue
		}
		alter := d.alter(p)
		if d == sqlite && slices.ContainsFunc(p.columns, columnPair.changed) {
			alter, rebuilt = d.rebuild(p), true
		}
		out = append(out, alter...)
	}
	if rebuilt {
		out = append(out, "-- stop: some rows refer to records that are not there; correct them with SQL\n"+
			`SELECT "table" || ' ' || rowid FROM pragma_foreign_key_check LIMIT 10;`)
	}
	return out
}

// rename gives tables and columns their new names. Constraints and indexes that are
// named after the old ones, or have other rules, are dropped; alter writes them again.
func (d dialect) rename(diff difference) []string {
	var drop, tables, columns []string
	for _, p := range diff.tables {
		for _, c := range p.columns {
			if c.isNew() || !p.renamed(c) && !c.changed() {
				continue
			}
			if name, _ := d.index(p.was.name, c.was); name != "" {
				drop = append(drop, "DROP INDEX "+name+";")
			}
			if d == sqlite {
				continue // it changes constraints with the table
			}
			names, _ := d.constraints(c.was)
			for _, name := range names {
				drop = append(drop, fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT %s;", quote(p.was.name), ident(p.was.name, c.was.name+name)))
			}
		}
		if !p.isNew() && p.was.name != p.now.name {
			tables = append(tables, fmt.Sprintf("ALTER TABLE %s RENAME TO %s;", quote(p.was.name), quote(p.now.name)))
		}
		for _, c := range p.columns {
			if !c.isNew() && c.was.name != c.now.name {
				columns = append(columns, fmt.Sprintf("ALTER TABLE %s RENAME COLUMN %s TO %s;", quote(p.now.name), quote(c.was.name), quote(c.now.name)))
			}
		}
	}
	return slices.Concat(drop, tables, columns)
}

// alter changes the columns of a table in place.
func (d dialect) alter(p tablePair) (out []string) {
	name := quote(p.now.name)
	for _, c := range p.columns {
		if c.isNew() {
			out = append(out, fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s;", name, d.column(p.now.name, c.now, true)))
			out = append(out, d.indexes(p.now.name, c.now)...)
			continue
		}
		if c.changed() {
			out = append(out, d.stops(p, name, "", c)...)
			out = append(out, d.change(name, c)...)
		}
		if c.changed() || p.renamed(c) {
			names, _ := d.constraints(c.now)
			for _, name := range names {
				if d == postgres {
					out = append(out, d.addConstraint(p.now.name, c.now, name))
				}
			}
			out = append(out, d.indexes(p.now.name, c.now)...)
		}
	}
	return out
}

// change writes the type, the default and the need of a column of PostgreSQL.
func (d dialect) change(table string, c columnPair) (out []string) {
	col := quote(c.now.name)
	alter := func(format string, args ...any) {
		out = append(out, fmt.Sprintf("ALTER TABLE "+table+" ALTER COLUMN "+col+" "+format+";", args...))
	}
	if c.was.def != "" && (c.was.def != c.now.def || c.was.kind != c.now.kind) {
		alter("DROP DEFAULT")
	}
	value, _ := d.convert(c.was.kind, c.now.kind, col)
	if d.typeOf(c.was.kind) != d.typeOf(c.now.kind) {
		alter("TYPE %s USING %s", d.typeOf(c.now.kind), value)
	} else if value != col {
		out = append(out, fmt.Sprintf("UPDATE %s SET %s = %s;", table, col, value))
	}
	if c.now.def != "" && (c.was.def != c.now.def || c.was.kind != c.now.kind) {
		alter("SET DEFAULT %s", d.value(c.now, c.now.def))
	}
	if c.now.required && !c.was.required {
		if c.now.def != "" {
			out = append(out, fmt.Sprintf("UPDATE %s SET %s = %s WHERE %[2]s IS NULL;", table, col, d.value(c.now, c.now.def)))
		}
		alter("SET NOT NULL")
	} else if c.was.required && !c.now.required {
		alter("DROP NOT NULL")
	}
	return out
}

// rebuild replaces a table of SQLite by one with other rules, as SQLite's
// documentation of ALTER TABLE describes.
func (d dialect) rebuild(p tablePair) []string {
	name, temporary := quote(p.now.name), "_new_"+p.now.name
	out := append(d.stopsOf(p, name, ""),
		d.createTable(temporary, p.now, nil),
		d.copy(p, name, quote(temporary), `"_position"`),
		fmt.Sprintf("DROP TABLE %s;", name),
		fmt.Sprintf("ALTER TABLE %s RENAME TO %s;", quote(temporary), name),
	)
	return append(out, d.indexes(p.now.name, p.now.columns...)...)
}

// copy writes the rows of one table into another.
func (d dialect) copy(p tablePair, from, into string, with ...string) string {
	columns := append(with, `"id"`)
	values := slices.Clone(columns)
	for _, c := range p.columns {
		if !c.isNew() {
			columns = append(columns, quote(c.now.name))
			values = append(values, d.converted(c))
		}
	}
	return fmt.Sprintf("INSERT INTO %s (%s)\nSELECT %s\nFROM %s ORDER BY \"_position\";", into, strings.Join(columns, ", "), strings.Join(values, ",\n  "), from)
}

// converted writes the new value of a column. Its name is already the new one.
func (d dialect) converted(c columnPair) string {
	value, _ := d.convert(c.was.kind, c.now.kind, quote(c.now.name))
	if c.now.required && !c.was.required && c.now.def != "" {
		value = fmt.Sprintf("coalesce(%s, %s)", value, d.value(c.now, c.now.def))
	}
	return value
}

func (d dialect) stopsOf(p tablePair, from, prefix string) (out []string) {
	for _, c := range p.columns {
		if c.changed() {
			out = append(out, d.stops(p, from, prefix, c)...)
		}
	}
	return out
}

// stops writes the checks before a change of a column: they select the records that
// the new rules would lose. The targets of references have a prefix to their names.
func (d dialect) stops(p tablePair, from, prefix string, c columnPair) (out []string) {
	field := c.now.name
	stop := func(message, where string) {
		out = append(out, fmt.Sprintf("-- stop: %s of %s %s\nSELECT \"id\" FROM %s WHERE %s ORDER BY \"_position\" LIMIT 10;", field, p.now.name, message, from, where))
	}
	_, misfit := d.convert(c.was.kind, c.now.kind, quote(field))
	if misfit != "" {
		stop("is not of the kind "+c.now.kind, quote(field)+" IS NOT NULL AND ("+misfit+")")
	}
	value := d.converted(c)
	if rule := d.check(c.now, value); rule != "" && (d.check(c.was, "x") != d.check(c.now, "x") || c.was.kind != c.now.kind) {
		stop("breaks its rules: "+d.check(c.now, field), "NOT ("+rule+")")
	}
	if c.now.required && !c.was.required && c.now.def == "" {
		stop("is required, but missing", quote(field)+" IS NULL")
	}
	if c.now.unique && (!c.was.unique || c.was.kind != c.now.kind) {
		stop("is unique, but has a value twice", fmt.Sprintf("%s IN (SELECT %[1]s FROM %[2]s GROUP BY 1 HAVING count(*) > 1)", value, from))
	}
	if c.now.kind == ref && (c.was.kind != ref || c.was.target != c.now.target) {
		stop("does not lead to one of "+c.now.target, fmt.Sprintf("%s IS NOT NULL AND %[1]s NOT IN (SELECT \"id\" FROM %[2]s)", value, quote(prefix+c.now.target)))
	}
	return out
}
