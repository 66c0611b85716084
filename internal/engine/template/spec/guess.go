package spec

import (
	"slices"
	"strings"
	"sync"

	pluralize "github.com/gertd/go-pluralize"
)

// usualKinds has the names of fields that tell their kind, alone or as the last
// word. Stored specs leave out the kind of a string whose name is not listed:
// another name would change projects that exist.
var usualKinds = of(
	"price cost fee amount total subtotal salary budget balance deposit rent", Money,
	"count quantity qty pages year age stock capacity seats votes points", Integer,
	"rating weight height width length latitude longitude temperature distance percentage score", Number,
	"done completed active archived published paid available enabled public featured", Boolean,
	"date birthday due dob", Date, "datetime timestamp", DateTime, "email mail", Email, "url website homepage link", URL, "uuid guid", UUID,
	"description notes note body content comment bio summary message text instructions ingredients", Text,
)

// usualKind returns the kind that the name of a field tells, or nothing, which
// stands for String.
func usualKind(f Field) string {
	column := ColumnName(f.Name)
	kind := usualKinds[column[strings.LastIndexByte(column, '_')+1:]]
	switch before, _, _ := strings.Cut(column, "_"); {
	case before != column && slices.Contains([]string{"is", "has", "can"}, before):
		kind = Boolean
	case strings.HasSuffix(column, "_at"):
		kind = DateTime
	case strings.HasSuffix(column, "_mail") && !strings.HasSuffix(column, "e_mail"):
		kind = ""
	}
	if f.Choices != nil && (kind != Integer || slices.ContainsFunc(f.Choices, func(c string) bool { return forms[Integer].check(c) != nil })) {
		return ""
	}
	return kind
}

// plurals is made at its first use: it compiles a hundred expressions.
var plurals = sync.OnceValue(pluralize.NewClient)

// PluralOf derives the plural of a noun.
func PluralOf(noun string) string { return plurals().Plural(noun[:min(len(noun), 2*MaxNoun)]) }

// SingularOf derives the noun of a plural.
func SingularOf(plural string) string {
	return plurals().Singular(plural[:min(len(plural), 2*MaxNoun)])
}

// surePlural returns the plural of a noun if it leads back to the noun, else nothing.
func surePlural(noun string) string {
	if !validName(noun, MaxNoun) { // whose plural nobody asks for
		return ""
	}
	if plural := PluralOf(noun); SingularOf(plural) == noun {
		return plural
	}
	return ""
}

// IsUsual reports whether the name of a field tells its kind.
func IsUsual(name string) bool { return usualKind(Field{Name: name}) != "" }
