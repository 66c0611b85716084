package spec

import (
	"strconv"
	"strings"
)

// ColumnName writes a name as code and databases spell it: "due date" becomes due_date.
func ColumnName(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == ' ' || r == '-' || r == '_' }), "_")
}

// Column is the name of a field in JSON, in code and in a table.
func (f Field) Column() string {
	if f.To != "" {
		return ColumnName(f.Name) + "_id"
	}
	return ColumnName(f.Name)
}

// Required reports whether a record cannot do without its i-th field.
func (r Record) Required(i int) bool {
	f := r.Fields[i]
	switch f.Need {
	case Required:
		return true
	case Optional:
		return false
	}
	return i == 0 || f.To != ""
}

// MaxLength returns how many characters a value has at most; 0: its kind is no text.
func (f Field) MaxLength() int {
	if most, err := strconv.Atoi(f.Max); err == nil && f.IsLong() {
		return most
	}
	return map[string]int{String: 200, Text: MaxLong, Email: 254, URL: 2000, UUID: 36}[f.Kind]
}
