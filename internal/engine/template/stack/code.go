package stack

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// code is what the languages have for a kind of field. A format makes an expression of
// a value in JSON; an empty one uses it unchanged.
type code struct {
	GoType   string
	GoReader string // reads a value from JSON
	goFormat string
	PyType   string
	PyField  string // the class that describes a field
	pyFormat string
}

var codes = map[string]code{
	"":            {"string", "Line", "", "str", "Reference", ""}, // a reference
	spec.String:   {"string", "Line", "", "str", "String", ""},
	spec.Text:     {"string", "Text", "", "str", "Text", ""},
	spec.Email:    {"string", "Email", "", "str", "Email", ""},
	spec.URL:      {"string", "URL", "", "str", "URL", ""},
	spec.UUID:     {"string", "UUID", "", "str", "UUID", ""},
	spec.Integer:  {"int64", "Integer", "int64(%s)", "int", "Integer", ""},
	spec.Number:   {"float64", "Number", "float64(%s)", "float", "Number", ""},
	spec.Boolean:  {"bool", "Boolean", "", "bool", "Boolean", ""},
	spec.Money:    {"record.Money", "ReadMoney", "record.Must(record.ParseMoney(%s))", "Decimal", "Money", "Decimal(%s)"},
	spec.Date:     {"record.Date", "ReadDate", "record.Date(%s)", "dt.date", "Date", "dt.date.fromisoformat(%s)"},
	spec.DateTime: {"record.Time", "ReadTime", "", "dt.datetime", "DateTime", "dt.datetime.fromisoformat(%s)"},
}

// Code returns what the languages have for a field.
func (f Field) Code() code { return codes[f.Kind] }

// GoValue writes a value of a spec as an expression of Go.
func (f Field) GoValue(value string) string {
	return fmt.Sprintf(cmp.Or(f.Code().goFormat, "%s"), f.JSON(value))
}

// PyValue writes a value of a spec as an expression of Python. The escapes
// of a valid text in JSON, which has no \x, mean the same there.
func (f Field) PyValue(value string) string {
	if f.Kind == spec.Boolean {
		return plaintext.Capital(value)
	}
	return fmt.Sprintf(cmp.Or(f.Code().pyFormat, "%s"), f.JSON(value))
}

// PyRules lists the rules of a field as arguments of its class.
func (f Field) PyRules() (out []string) {
	if f.To != "" {
		out = append(out, strconv.Quote(f.Target))
	}
	if f.Unique {
		out = append(out, "unique=True")
	}
	if f.HasDefault {
		out = append(out, "default="+f.PyValue(f.Default))
	}
	if f.Choices != nil {
		var all []string
		for _, choice := range f.Choices {
			all = append(all, f.PyValue(choice))
		}
		out = append(out, "choices=("+strings.Join(all, ", ")+")")
	}
	for i, bound := range []string{f.Min, f.Max} {
		switch name := []string{"min", "max"}[i]; {
		case bound == "":
		case f.IsLong():
			out = append(out, name+"_length="+bound)
		default:
			out = append(out, name+"="+f.PyValue(bound))
		}
	}
	return out
}

// typeName writes a name as Go exports it, and as Python and TypeScript name types.
func typeName(name string) string {
	var out strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		if word[0] <= '9' { // line_2 is not line2
			out.WriteByte('_')
		}
		out.WriteString(plaintext.Capital(word))
	}
	return out.String()
}

// tsName writes a name as TypeScript writes variables: blogPost.
func tsName(name string) string {
	first, rest, more := strings.Cut(name, "_")
	if !more {
		return first
	}
	return first + typeName(rest)
}

// pyReserved are the names that no attribute of a record can have, keywords and what
// the annotations of the attributes mention, and those that no class of one can have.
var pyReserved = strings.Fields(`and as assert async await break class continue def del elif else except finally for from global if import in is
	lambda nonlocal not or pass raise return try while with yield bool dt fields float int str
	None True False Annotated Any Decimal Model`)

// goReserved match the names of stores, or of types of records, that the program has itself.
var goReserved = regexp.MustCompile(`^(Ping|Close|Describe.+)$`)

// apart writes names so that none is a reserved one.
func apart(isReserved func(string) bool) func(string) string {
	return func(name string) string {
		if isReserved(name) {
			return name + "_"
		}
		return name
	}
}
