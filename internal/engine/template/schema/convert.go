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

// Misfit selects the old values that would be lost; empty: none are.
func (c column) Misfit() string {
	_, misfit := c.convert()
	return misfit
}
