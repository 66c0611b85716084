package stack

import (
	"regexp"
	"strings"

	"github.com/bundle-delivery/svc/internal/text/plaintext"
)

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
