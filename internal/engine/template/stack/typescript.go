package stack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bundle-delivery/svc/internal/plaintext"
)

// tsName writes a name as TypeScript writes variables: blogPost.
func tsName(name string) string {
	first, rest, _ := strings.Cut(name, "_")
	if rest == "" {
		return first
	}
	return first + tsType(rest)
}

// tsType writes a name as TypeScript writes types: BlogPost.
func tsType(name string) string {
	var out strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		if word[0] <= '9' { // line_2 is not line2
			out.WriteByte('_')
		}
		out.WriteString(plaintext.Capital(word))
	}
	return out.String()
}

// tsQuote writes a text as JSON and TypeScript do.
func tsQuote(text string) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(text)
	return strings.TrimSpace(out.String()), err
}

// tsField writes a field with its rules.
func tsField(f Field) string {
	out := "record." + tsKind(f)
	if f.Unique {
		out += ".unique()"
	}
	if f.HasDefault {
		out += ".default(" + f.JSON(f.Default) + ")"
	}
	if !f.Required {
		out += ".optional()"
	}
	return out
}

// tsKind writes the call of the function that makes a field.
func tsKind(f Field) string {
	var all []string
	switch {
	case f.To != "":
		return fmt.Sprintf("reference(%q)", f.Target)
	case len(f.Choices) > 0:
		for _, choice := range f.Choices {
			all = append(all, f.JSON(choice))
		}
		return "choice(" + strings.Join(all, ", ") + ")"
	}
	for _, bound := range []struct{ name, value string }{{"min", f.Min}, {"max", f.Max}} {
		switch {
		case bound.value == "":
		case f.IsLong():
			all = append(all, bound.name+": "+bound.value)
		default:
			all = append(all, bound.name+": "+f.JSON(bound.value))
		}
	}
	if len(all) == 0 {
		return f.Kind + "()"
	}
	return f.Kind + "({ " + strings.Join(all, ", ") + " })"
}
