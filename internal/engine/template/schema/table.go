package schema

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
)

// table is a table as a database has it after a change.
type table struct {
	Name    string
	Was     string // its name before the change; empty: it is new
	Columns []column
	noun    string // empty: the spec no longer has it
}

// column is a column as a database has it after a change. Its texts are SQL.
type column struct {
	Table, Name, Type string
	Kind              string // one of spec.Kinds, or ref
	Target            string // of a reference: the other table
	Default           string // empty: none
	Rule              string // for a value, which [theValue] stands for; empty: none
	Required, Unique  bool
	Long              bool    // PostgreSQL's indexes have no room for its texts
	Kept              bool    // the spec no longer has it
	Was               *column // before the change; nil: it is new
	field, to         string  // its name in the spec, and the noun of its target
	dialect           dialect
}

// ref is the kind of a column that refers to another table.
const ref = "ref"

// Changed reports whether a column has other rules than before.
func (c column) Changed() bool {
	if c.Was == nil {
		return false
	}
	was := *c.Was
	was.Table, was.Name, was.field, was.to, c.Was = c.Table, c.Name, c.field, c.to, nil
	return was != c
}

// Touched reports whether a column has other rules, or names, than before.
func (c column) Touched() bool {
	return c.Was != nil && (c.Changed() || c.Was.Table != c.Table || c.Was.Name != c.Name)
}

// Changed reports whether a column that the table had has other rules.
func (t table) Changed() bool { return slices.ContainsFunc(t.Columns, column.Changed) }

// same reports whether a change does nothing to a table.
func (t table) same() bool {
	return t.Was == t.Name && !slices.ContainsFunc(t.Columns, func(c column) bool { return c.Was == nil || c.Touched() })
}

// tables returns the tables of a spec, with what was kept of earlier ones.
func (d dialect) tables(s spec.Spec, kept []string) (out []table) {
	for _, r := range stack.ViewOf(s).Records {
		t := table{Name: r.Plural, noun: r.Noun}
		for _, f := range r.Fields {
			c := d.column(t.Name, f.Column, f.Kind)
			c.field, c.to, c.Target, c.Required, c.Unique = f.Name, f.To, f.Target, f.Required, f.Unique
			c.Long, c.Rule = f.MaxLength() > 600, d.rule(f)
			if f.To != "" {
				c.Kind = ref
			}
			if f.HasDefault {
				c.Default = d.value(f, f.Default)
			}
			t.Columns = append(t.Columns, c)
		}
		out = append(out, t)
	}
	for _, entry := range kept {
		where, kind, _ := strings.Cut(entry, " ")
		name, col, ok := strings.Cut(where, ".")
		if !ok {
			continue
		}
		i := slices.IndexFunc(out, func(t table) bool { return t.Name == name })
		if i < 0 {
			i, out = len(out), append(out, table{Name: name})
		}
		c := d.column(name, col, kind)
		c.Kept = true
		out[i].Columns = append(out[i].Columns, c)
	}
	return out
}

// column returns a column without rules.
func (d dialect) column(table, name, kind string) column {
	return column{dialect: d, Table: table, Name: name, Kind: kind, Type: cmp.Or(d.sql("type "+kind, ""), d.sql("type", ""))}
}

// fromTexts returns tables whose columns were texts without rules.
func fromTexts(tables []table) []table {
	out := slices.Clone(tables)
	for i, t := range out {
		out[i].Was, out[i].Columns = t.Name, slices.Clone(t.Columns)
		for k, c := range t.Columns {
			was := c.dialect.column(c.Table, c.Name, spec.Text)
			out[i].Columns[k].Was = &was
		}
	}
	return out
}

func quote(name string) string   { return `"` + name + `"` }
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// Ident names an index or a constraint of a column. PostgreSQL cuts names at 63 bytes.
func (c column) Ident(end string) string {
	begin, end := c.Table, c.Name+end
	if len(begin)+2+len(end) > 63 {
		begin = fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(begin+end)))
		end = end[:min(len(end), 53)]
	}
	return quote(begin + "__" + end)
}

// Index names the index of a column; empty: it has none.
func (c column) Index() string {
	switch {
	case c.Unique:
		return c.Ident("")
	case c.Target != "":
		return c.Ident("__index")
	}
	return ""
}

// value writes a default, a choice or a bound of a field.
func (d dialect) value(f stack.Field, v string) string {
	switch {
	case f.Kind == spec.Integer, f.Kind == spec.Number, d == postgres && (f.Kind == spec.Money || f.Kind == spec.Boolean):
		return v
	case f.Kind == spec.Money:
		cents, _ := strconv.ParseInt(strings.Replace(f.Canonical(v), ".", "", 1), 10, 64) // a complete spec has no other
		return strconv.FormatInt(cents, 10)
	case f.Kind == spec.Boolean:
		return map[string]string{"true": "1", "false": "0"}[v]
	}
	return literal(f.Canonical(v))
}

// theValue stands for the value in a rule. No text of a spec has it.
const theValue = "\x00"

// rule writes the rule of a field; empty: it has none.
func (d dialect) rule(f stack.Field) string {
	var all []string
	for _, choice := range f.Choices {
		all = append(all, d.value(f, choice))
	}
	if all != nil {
		return theValue + " IN (" + strings.Join(all, ", ") + ")"
	}
	if most := f.MaxLength(); most > 0 { // a text is never empty: that counts as none
		return fmt.Sprintf("length(%s) BETWEEN %s AND %d", theValue, cmp.Or(strings.TrimLeft(f.Min, "0"), "1"), most)
	}
	if form := d.sql("form "+f.Kind, theValue); form != "" {
		all = append(all, form)
	}
	bound := "%s %s %s"
	if d == sqlite && f.Kind == spec.DateTime { // whose texts have a fraction or none
		bound = "julianday(%s) %s julianday(%s)"
	}
	if f.Min != "" {
		all = append(all, fmt.Sprintf(bound, theValue, ">=", d.value(f, f.Min)))
	}
	if f.Max != "" {
		all = append(all, fmt.Sprintf(bound, theValue, "<=", d.value(f, f.Max)))
	}
	return strings.Join(all, " AND ")
}

// Check writes the rule of a column for a value; empty: it has none.
func (c column) Check(value string) string { return strings.ReplaceAll(c.Rule, theValue, value) }

// Constraint writes the rule of a column for its own values.
func (c column) Constraint() string { return c.Check(quote(c.Name)) }
