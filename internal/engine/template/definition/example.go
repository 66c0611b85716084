package definition

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// readExample reads the fields of an example in JSON, or of the first of several.
func readExample(text string) (fields []field, length int, ok bool) {
	within, length, ok := inside(text)
	if !ok {
		return nil, 0, false
	}
	if text[0] == '[' {
		for i, each := range split(within, ",") {
			others, _, ok := readExample(each)
			if !ok || i > 0 && !sameFields(fields, others) {
				return nil, 0, false
			}
			fields = others
		}
		return fields, length, len(fields) > 0
	}
	decoder := json.NewDecoder(strings.NewReader(text[:length]))
	decoder.UseNumber()
	if _, err := decoder.Token(); err != nil {
		return nil, 0, false
	}
	for decoder.More() {
		token, err := decoder.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, 0, false
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, 0, false
		}
		kind := kindOf(value)
		if kind == "" {
			return nil, 0, false
		}
		fields = append(fields, field{snake(name), []string{kind}})
	}
	_, err := decoder.Token()
	return fields, length, err == nil && len(fields) > 0
}

// kindOf says what a field holds of which this is an example; empty if that cannot be told.
func kindOf(value any) string {
	switch v := value.(type) {
	case bool:
		return "boolean"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case string:
		if _, err := time.Parse(time.DateOnly, v); err == nil {
			return "date"
		}
		if _, err := time.Parse(time.RFC3339, v); err == nil {
			return "datetime"
		}
		for _, types := range []map[string]string{sqlTypes, goTypes, tsTypes, pythonTypes} { // "sugar": "int"
			if kind := types[v]; kind != "" {
				return kind
			}
		}
		return "string"
	case []any:
		for _, each := range v {
			if _, ok := each.(string); !ok {
				return ""
			}
		}
		return "list of strings"
	}
	return ""
}

func sameFields(a, b []field) bool {
	return slices.EqualFunc(a, b, func(x, y field) bool { return x.name == y.name && x.said[0] == y.said[0] })
}
