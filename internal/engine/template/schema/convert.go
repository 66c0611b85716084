package schema

import (
	"fmt"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// Text writes the values of a column as texts.
func (c column) Text() string {
	if text := c.dialect.sql("text "+c.Kind, quote(c.Name)); text != "" {
		return text
	}
	return quote(c.Name)
}

// convert writes an old value of a column, which has its new name, as a new one, and
// what selects the values that would be lost; empty: none are.
func (c column) convert() (value, misfit string) {
	was, way := *c.Was, " of "+c.Was.Kind
	was.Name = c.Name
	direct := c.dialect.sql("read "+c.Kind+way, quote(c.Name))
	text := was.Text()
	switch {
	case was.Kind == c.Kind:
		return quote(c.Name), ""
	case direct != "":
		return direct, c.dialect.sql("misfit "+c.Kind+way, quote(c.Name))
	case c.Kind == spec.Text || c.Kind == ref:
		return text, ""
	case text != quote(c.Name):
		text = "(" + text + ")"
	}
	if value = c.dialect.sql("read "+c.Kind, text); value == "" {
		value = text
	}
	return value, c.dialect.sql("misfit "+c.Kind, text)
}

// Value writes the new value of a column that the table had.
func (c column) Value() string {
	value, _ := c.convert()
	if c.Required && !c.Was.Required && c.Default != "" {
		value = fmt.Sprintf("coalesce(%s, %s)", value, c.Default)
	}
	return value
}

// stop is a check before a change of a column: Where selects the records that the new
// rules would lose.
type stop struct{ Message, Where string }

// Stops returns the checks before a change of a column.
func (c column) Stops() (out []stop) {
	old, value := quote(c.Name), c.Value()
	if _, misfit := c.convert(); misfit != "" {
		out = append(out, stop{"is not of the kind " + c.Kind, old + " IS NOT NULL AND (" + misfit + ")"})
	}
	if rule := c.Check(value); rule != "" && (c.Kind != c.Was.Kind || c.rule != c.Was.rule) {
		out = append(out, stop{"breaks its rules: " + c.Check(c.Name), "NOT (" + rule + ")"})
	}
	if c.Required && !c.Was.Required && c.Default == "" {
		out = append(out, stop{"is required, but missing", old + " IS NULL"})
	}
	if c.Unique && (!c.Was.Unique || c.Kind != c.Was.Kind) {
		out = append(out, stop{"is unique, but has a value twice", fmt.Sprintf("%s IN (SELECT %[1]s FROM %q GROUP BY 1 HAVING count(*) > 1)", value, c.Table)})
	}
	if c.Target != c.Was.Target && c.Target != "" {
		out = append(out, stop{"does not lead to one of " + c.Target, fmt.Sprintf("%s IS NOT NULL AND %[1]s NOT IN (SELECT \"id\" FROM %q)", value, c.Target)})
	}
	return out
}
