package stack

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// pyReserved are the names that no attribute of a record can have: keywords, and what
// the annotations of the attributes mention.
var pyReserved = strings.Fields(`and as assert async await break class continue def del elif else except finally for from global if import in is
	lambda nonlocal not or pass raise return try while with yield bool dt fields float int str`)

// pyName writes the name of a column as Python names an attribute.
func pyName(column string) string {
	if slices.Contains(pyReserved, column) {
		return column + "_"
	}
	return column
}

// pyClass writes the name of a record as Python names a class.
func pyClass(singular string) string {
	name := goName(singular)
	if slices.Contains([]string{"None", "True", "False", "Annotated", "Any", "Decimal", "Model"}, name) {
		name += "_"
	}
	return name
}

// pyKind is a kind of field in Python: its type, and the class that describes it.
type pyKind struct{ value, field string }

var pyKinds = map[string]pyKind{
	spec.String: {"str", "String"}, spec.Text: {"str", "Text"}, spec.Email: {"str", "Email"}, spec.URL: {"str", "URL"}, spec.UUID: {"str", "UUID"},
	spec.Integer: {"int", "Integer"}, spec.Number: {"float", "Number"}, spec.Money: {"Decimal", "Money"}, spec.Boolean: {"bool", "Boolean"},
	spec.Date: {"dt.date", "Date"}, spec.DateTime: {"dt.datetime", "DateTime"}, "": {"str", "Reference"},
}

// pyField writes the annotation of a field: its type and its rules.
func pyField(f Field) string {
	kind := pyKinds[f.Kind]
	var args []string
	if f.To != "" {
		args = append(args, strconv.Quote(f.Target))
	}
	if f.Unique {
		args = append(args, "unique=True")
	}
	if f.HasDefault {
		args = append(args, "default="+pyValue(f.Kind, f.Default))
	}
	if len(f.Choices) > 0 {
		var all []string
		for _, c := range f.Choices {
			all = append(all, pyValue(f.Kind, c))
		}
		args = append(args, "choices=("+strings.Join(all, ", ")+")")
	}
	least, most := "min", "max"
	if f.IsLong() {
		least, most = "min_length", "max_length"
	}
	if f.Min != "" && (!f.IsLong() || strings.Trim(f.Min, "0") != "") {
		args = append(args, least+"="+pyBound(f, f.Min))
	}
	if f.Max != "" {
		args = append(args, most+"="+pyBound(f, f.Max))
	}
	value := kind.value
	if !f.Required {
		value += " | None"
	}
	line := fmt.Sprintf("%s: Annotated[%s, fields.%s(%s)]", pyName(f.Column), value, kind.field, strings.Join(args, ", "))
	if len(line) > 110 { // as black breaks lines
		line = fmt.Sprintf("%s: Annotated[\n        %s,\n        fields.%s(\n            %s,\n        ),\n    ]", pyName(f.Column), value, kind.field, strings.Join(args, ",\n            "))
	}
	return line
}

func pyBound(f Field, bound string) string {
	if f.IsLong() {
		return pyValue(spec.Integer, bound)
	}
	return pyValue(f.Kind, bound)
}

// pyValue writes a value that stands in a spec as an expression of Python.
func pyValue(kind, value string) string {
	switch kind {
	case spec.Boolean:
		return map[string]string{"true": "True", "false": "False"}[value]
	case spec.Integer:
		return value
	case spec.Number:
		if !strings.Contains(value, ".") {
			value += ".0"
		}
		return value
	case spec.Money:
		return "Decimal(" + Field{Field: spec.Field{Kind: kind}}.JSON(value) + ")"
	case spec.Date:
		if at, err := time.Parse(time.DateOnly, value); err == nil {
			return fmt.Sprintf("dt.date(%d, %d, %d)", at.Year(), at.Month(), at.Day())
		}
	case spec.DateTime:
		if at, err := time.Parse(time.RFC3339, value); err == nil {
			at = at.UTC()
			fraction := ""
			if n := at.Nanosecond() / 1e6; n > 0 {
				fraction = fmt.Sprintf("%d, ", n*1000)
			}
			return fmt.Sprintf("dt.datetime(%d, %d, %d, %d, %d, %d, %stzinfo=dt.UTC)", at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), fraction)
		}
	}
	return pyString(value)
}

// pyString writes a text as a literal of Python, in the quotes that it has fewer of.
// The escapes of Go, of which a valid text needs no \x above 7f, mean the same in Python.
func pyString(text string) string {
	quoted := strconv.Quote(text)
	if strings.Contains(text, `"`) && !strings.Contains(text, "'") {
		return "'" + strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`) + "'"
	}
	return quoted
}

// pyCase is a value of a field in a test, and what a record has of it, both as
// expressions of Python.
type pyCase struct{ Sent, Kept string }

// pyRefused stands for what a refused value is kept as.
const pyRefused = "REFUSED"

// pyCases returns values that a field accepts and refuses by its rules.
func pyCases(f Field) []pyCase {
	none := "None"
	switch {
	case f.HasDefault:
		none = pyJSON(f, f.Default)
	case f.Required:
		none = pyRefused
	}
	out := []pyCase{{"None", none}}
	for _, c := range f.Choices {
		out = append(out, pyCase{pyJSON(f, c), pyJSON(f, c)})
	}
	switch {
	case len(f.Choices) > 0:
		return append(out, pyCase{`"?"`, pyRefused})
	case f.Kind == spec.String || f.Kind == spec.Text:
		long := func(n int) string { return fmt.Sprintf(`"x" * %d`, n) }
		out = append(out, pyCase{long(f.MaxLength()), long(f.MaxLength())}, pyCase{long(f.MaxLength() + 1), pyRefused})
		if n, err := strconv.Atoi(f.Min); err == nil && n > 1 {
			out = append(out, pyCase{long(n), long(n)}, pyCase{long(n - 1), pyRefused})
		}
		return out
	case f.IsLong():
		return out
	}
	for i, bound := range []string{f.Min, f.Max} {
		if bound != "" {
			out = append(out, pyCase{pyJSON(f, bound), pyJSON(f, bound)}, pyCase{pyJSON(f, beyond(f.Kind, bound, 2*i-1)), pyRefused})
		}
	}
	return out
}

// pyJSON writes a value that stands in a spec as JSON has it, as an expression of Python.
func pyJSON(f Field, value string) string {
	switch f.Kind {
	case spec.Money, spec.Date, spec.DateTime:
		return f.JSON(value)
	}
	return pyValue(f.Kind, value)
}

// beyond returns a value a little below or above another.
func beyond(kind, bound string, step int) string {
	switch kind {
	case spec.Date, spec.DateTime:
		layout := map[string]string{spec.Date: time.DateOnly, spec.DateTime: time.RFC3339}[kind]
		if at, err := time.Parse(layout, bound); err == nil {
			return at.AddDate(0, 0, step).Format(layout)
		}
	case spec.Money:
		whole, cents, _ := strings.Cut(bound, ".")
		if n, err := strconv.Atoi(whole + (cents + "00")[:2]); err == nil {
			sign := ""
			if n += step; n < 0 {
				sign, n = "-", -n
			}
			return fmt.Sprintf("%s%d.%02d", sign, n/100, n%100)
		}
	}
	n, _ := strconv.ParseFloat(bound, 64)
	return strconv.FormatFloat(n+float64(step), 'f', -1, 64)
}

// sampleCount returns how many samples of each record a test can need: unique
// references need targets of their own.
func sampleCount(p Project) int {
	n := 1
	for _, r := range p.Records {
		for _, f := range r.Fields {
			if f.To != "" && f.Unique {
				n++
			}
		}
	}
	return 4 * n
}
