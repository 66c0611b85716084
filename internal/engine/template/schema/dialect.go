package schema

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// dialect is the SQL of a database.
type dialect string

const (
	sqlite   dialect = spec.SQLite
	postgres dialect = spec.Postgres
)

func quote(name string) string   { return `"` + name + `"` }
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// ident names an index or a constraint. PostgreSQL cuts names at 63 bytes.
func ident(table, rest string) string {
	if len(table)+2+len(rest) > 63 {
		table = fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(table+rest)))
		rest = rest[:min(len(rest), 53)]
	}
	return quote(table + "__" + rest)
}

// types has the SQL types of the kinds that are not text, in SQLite and PostgreSQL.
var types = map[string][2]string{
	spec.Integer:  {"INTEGER", "bigint"},
	spec.Number:   {"REAL", "double precision"},
	spec.Money:    {"INTEGER", "numeric(18,2)"},
	spec.Boolean:  {"INTEGER", "boolean"},
	spec.Date:     {"TEXT", "date"},
	spec.DateTime: {"TEXT", "timestamptz"},
}

func (d dialect) typeOf(kind string) string {
	t, ok := types[kind]
	if !ok {
		t = [2]string{"TEXT", "text"}
	}
	if d == sqlite {
		return t[0]
	}
	return t[1]
}

// value writes a default or a bound of a column.
func (d dialect) value(c column, v string) string {
	switch {
	case c.kind == spec.Integer, c.kind == spec.Number, d == postgres && (c.kind == spec.Money || c.kind == spec.Boolean):
		return v
	case c.kind == spec.Money:
		whole, cents, _ := strings.Cut(v, ".")
		n, _ := strconv.ParseInt(whole+(cents + "00")[:2], 10, 64) // a complete spec has no other
		return strconv.FormatInt(n, 10)
	case c.kind == spec.Boolean:
		return map[string]string{"true": "1", "false": "0"}[v]
	case c.kind == spec.DateTime:
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			v = strings.Replace(at.UTC().Format("2006-01-02T15:04:05.000Z"), ".000Z", "Z", 1)
		}
	}
	return literal(v)
}

// longest returns how many characters a value has at most; 0: it is no text.
func (c column) longest() int { return spec.Field{Kind: c.kind, Max: c.max}.MaxLength() }

// forms are what PostgreSQL sees to by its types.
var forms = map[string]string{spec.Boolean: "x IN (0, 1)", spec.Date: "x IS date(x)", spec.DateTime: "x GLOB '????-??-??T??:??:??*Z'"}

// check writes the rules of a value of a column; empty: it has none.
func (d dialect) check(c column, x string) string {
	var all []string
	bound := "%s %s %s"
	switch most := c.longest(); {
	case c.kept || c.kind == ref:
		return ""
	case c.choices != "":
		return x + " IN (" + c.choices + ")"
	case most > 0: // a text is never empty: that counts as none
		return fmt.Sprintf("length(%s) BETWEEN %s AND %d", x, cmp.Or(strings.TrimLeft(c.min, "0"), "1"), most)
	case d == sqlite && c.kind == spec.DateTime: // whose texts have a fraction or none
		bound = "julianday(%s) %s julianday(%s)"
	}
	if form := forms[c.kind]; d == sqlite && form != "" {
		all = append(all, fill(form, x))
	}
	if c.min != "" {
		all = append(all, fmt.Sprintf(bound, x, ">=", d.value(c, c.min)))
	}
	if c.max != "" {
		all = append(all, fmt.Sprintf(bound, x, "<=", d.value(c, c.max)))
	}
	return strings.Join(all, " AND ")
}

// constraints writes the rules of a column that have names of their own, by what
// their names end with. A reference refuses the deletion of its target. RESTRICT would
// not let a record that refers to itself be deleted in SQLite, and has error codes of
// its own.
func (d dialect) constraints(c column) (names []string, rules map[string]string) {
	rules = map[string]string{}
	if rule := d.check(c, quote(c.name)); rule != "" {
		names, rules["__check"] = append(names, "__check"), "CHECK ("+rule+")"
	}
	if c.kind == ref {
		names, rules["__fkey"] = append(names, "__fkey"), "REFERENCES "+quote(c.target)+` ("id")`
		if d == postgres {
			rules["__fkey"] += " DEFERRABLE"
		}
	}
	return names, rules
}

// column writes the definition of a column. link: with its reference.
func (d dialect) column(table string, c column, link bool) string {
	out := quote(c.name) + " " + d.typeOf(c.kind)
	if c.required {
		out += " NOT NULL"
	}
	if c.def != "" {
		out += " DEFAULT " + d.value(c, c.def)
	}
	names, rules := d.constraints(c)
	for _, name := range names {
		if name == "__fkey" && !link {
			continue
		}
		if d == postgres { // SQLite changes constraints with the table
			out += " CONSTRAINT " + ident(table, c.name+name)
		}
		out += " " + rules[name]
	}
	return out
}

// addConstraint adds a constraint to a column of PostgreSQL.
func (d dialect) addConstraint(table string, c column, name string) string {
	_, rules := d.constraints(c)
	rule := rules[name]
	if name == "__fkey" {
		rule = "FOREIGN KEY (" + quote(c.name) + ") " + rule
	}
	return fmt.Sprintf("ALTER TABLE %s ADD CONSTRAINT %s %s;", quote(table), ident(table, c.name+name), rule)
}

// index names the index of a column that is unique or a reference, and writes it.
func (d dialect) index(table string, c column) (name, create string) {
	key := quote(c.name)
	switch {
	case c.unique:
		if d == postgres && c.longest() > 600 { // its indexes have no room for long texts
			key = "md5(" + key + ")"
		}
		name = ident(table, c.name)
		return name, fmt.Sprintf("CREATE UNIQUE INDEX %s ON %s (%s);", name, quote(table), key)
	case c.kind == ref:
		name = ident(table, c.name+"__index")
		return name, fmt.Sprintf("CREATE INDEX %s ON %s (%s);", name, quote(table), key)
	}
	return "", ""
}

// indexes writes the indexes of some columns of a table.
func (d dialect) indexes(table string, columns ...column) (out []string) {
	for _, c := range columns {
		if _, create := d.index(table, c); create != "" {
			out = append(out, create)
		}
	}
	return out
}

// createTable writes a table under a name. waiting has the tables to which PostgreSQL
// cannot refer yet.
func (d dialect) createTable(name string, t table, waiting map[string]bool) string {
	lines := []string{`"_position" INTEGER PRIMARY KEY AUTOINCREMENT`, `"id" TEXT NOT NULL UNIQUE`}
	if d == postgres {
		lines = []string{`"_position" bigint GENERATED BY DEFAULT AS IDENTITY UNIQUE`, `"id" text PRIMARY KEY`}
	}
	for _, c := range t.columns {
		lines = append(lines, d.column(t.name, c, d == sqlite || !waiting[c.target]))
	}
	return fmt.Sprintf("CREATE TABLE %s (\n  %s\n);", quote(name), strings.Join(lines, ",\n  "))
}

// createAll writes tables: each follows those that it refers to. PostgreSQL gets the
// references of tables that refer to each other at the end.
func (d dialect) createAll(tables []table) (out []string) {
	var later []string
	waiting := map[string]bool{}
	for _, t := range tables {
		waiting[t.name] = true
	}
	waits := func(t table, c column) bool { return c.kind == ref && c.target != t.name && waiting[c.target] }
	free := func(t table) bool {
		return waiting[t.name] && !slices.ContainsFunc(t.columns, func(c column) bool { return waits(t, c) })
	}
	for range tables {
		i := slices.IndexFunc(tables, free)
		if i < 0 { // a circle
			i = slices.IndexFunc(tables, func(t table) bool { return waiting[t.name] })
		}
		t := tables[i]
		delete(waiting, t.name)
		out = append(append(out, d.createTable(t.name, t, waiting)), d.indexes(t.name, t.columns...)...)
		for _, c := range t.columns {
			if d == postgres && waits(t, c) {
				later = append(later, d.addConstraint(t.name, c, "__fkey"))
			}
		}
	}
	return append(out, later...)
}
