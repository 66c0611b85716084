package stack

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// goWords are the words that Go writes in capitals, of those that names have.
var goWords = map[string]string{"id": "ID", "url": "URL", "uuid": "UUID", "api": "API", "html": "HTML", "isbn": "ISBN", "ip": "IP"}

// goName writes a name of code as Go exports it.
func goName(name string) string {
	var out strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		if upper, ok := goWords[word]; ok {
			word = upper
		}
		if word[0] <= '9' { // line_2 is not line2
			out.WriteByte('_')
		}
		out.WriteString(plaintext.Capital(word))
	}
	return out.String()
}

// goTypes are the types of the kinds that are not string.
var goTypes = map[string]string{
	spec.Integer: "int64", spec.Number: "float64", spec.Boolean: "bool",
	spec.Money: "record.Money", spec.Date: "record.Date", spec.DateTime: "record.Time",
}

// goType writes the type of a field: a pointer where it may have no value.
func goType(f Field) string {
	t, ok := goTypes[f.Kind]
	if !ok {
		t = "string"
	}
	if !f.Required {
		t = "*" + t
	}
	return t
}

// goReaders are the functions that read a kind from JSON.
var goReaders = map[string]string{
	spec.String: "Line", spec.Text: "Text", spec.Integer: "Integer", spec.Number: "Number", spec.Boolean: "Boolean", spec.Money: "ReadMoney",
	spec.Date: "ReadDate", spec.DateTime: "ReadTime", spec.Email: "Email", spec.URL: "URL", spec.UUID: "UUID", "": "Line",
}

// goField writes the rules of a field.
func goField(f Field) string {
	need := "Optional"
	if f.Required {
		need = "Required"
	}
	out := fmt.Sprintf("record.%s(%q, &v.%s, record.%s", need, f.Column, goName(f.Column), goReaders[f.Kind])
	for _, c := range f.Choices {
		if f.Kind != spec.Integer {
			c = strconv.Quote(c)
		} else if strings.HasSuffix(out, goReaders[f.Kind]) {
			c = "int64(" + c + ")" // one names the type of all
		}
		if strings.HasSuffix(out, goReaders[f.Kind]) {
			c = "record.OneOf(" + c
		}
		out += ", " + c
	}
	switch {
	case len(f.Choices) > 0:
		out += ")"
	case f.IsLong():
		if f.Min != "" && f.Min != "0" {
			out += ", record.MinLength(" + f.Min + ")"
		}
		out += ", record.MaxLength(" + strconv.Itoa(f.MaxLength()) + ")"
	default:
		if f.Min != "" {
			out += ", " + goBound(f.Kind, "Min", "NotBefore", f.Min)
		}
		if f.Max != "" {
			out += ", " + goBound(f.Kind, "Max", "NotAfter", f.Max)
		}
	}
	out += ")"
	if f.To != "" {
		out += fmt.Sprintf(".RefersTo(%q)", f.Target)
	}
	if f.Unique {
		out += ".Unique()"
	}
	if f.HasDefault {
		usual := f.JSON(f.Default)
		if quoted := "`" + usual + "`"; !strings.Contains(usual, "`") {
			usual = quoted
		} else {
			usual = strconv.Quote(usual)
		}
		out += ".Default(" + usual + ")"
	}
	return out
}

// goBound writes the rule of a bound. Those of times have a name of their own.
func goBound(kind, rule, ofTimes, bound string) string {
	switch kind {
	case spec.DateTime:
		return fmt.Sprintf("record.%s(%q)", ofTimes, bound)
	case spec.Date:
		return fmt.Sprintf("record.%s(record.Date(%q))", rule, bound)
	case spec.Money:
		return fmt.Sprintf("record.%s(record.Must(record.ParseMoney(%q)))", rule, bound)
	}
	return fmt.Sprintf("record.%s(%s(%s))", rule, goTypes[kind], bound)
}
