package schema

import (
	"regexp"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// toText writes the values of the kinds that are not text, x, as JSON has them.
var toText = map[dialect]map[string]string{
	sqlite: {
		spec.Integer: "CAST(x AS TEXT)",
		spec.Number:  "CASE WHEN CAST(x AS INTEGER) = x THEN CAST(CAST(x AS INTEGER) AS TEXT) ELSE CAST(x AS TEXT) END",
		spec.Money:   "CASE WHEN x < 0 THEN '-' ELSE '' END || abs(x) / 100 || '.' || substr('0' || abs(x) % 100, -2)",
		spec.Boolean: "CASE x WHEN 1 THEN 'true' WHEN 0 THEN 'false' END",
	},
	postgres: {
		spec.Integer: "x::text", spec.Number: "x::text", spec.Money: "x::text", spec.Boolean: "x::text",
		spec.Date:     "to_char(x, 'YYYY-MM-DD')",
		spec.DateTime: `replace(to_char(x AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '.000Z', 'Z')`,
	},
}

// reading turns a text, x, into a value of a kind. misfit selects the texts that are none.
type reading struct{ value, misfit string }

var fromText = map[dialect]map[string]reading{
	sqlite: {
		spec.Integer:  {"CAST(x AS INTEGER)", "CASE WHEN json_valid(x) THEN json_type(x) = 'real' AND x NOT GLOB '*.0' AND x NOT GLOB '*.00' OR json_type(x) NOT IN ('integer', 'real') OR length(x) > 16 ELSE 1 END"},
		spec.Number:   {"CAST(x AS REAL)", "CASE WHEN json_valid(x) THEN json_type(x) NOT IN ('integer', 'real') ELSE 1 END"},
		spec.Money:    {"CAST(round(CAST(x AS REAL) * 100) AS INTEGER)", "CASE WHEN json_valid(x) THEN json_type(x) NOT IN ('integer', 'real') OR x GLOB '*[eE]*' OR x GLOB '*.???*' OR length(x) > 15 ELSE 1 END"},
		spec.Boolean:  {"x = 'true'", "x NOT IN ('true', 'false')"},
		spec.Date:     {"x", "x IS NOT date(x)"},
		spec.DateTime: {"strftime(CASE WHEN strftime('%f', x) LIKE '%.000' THEN '%Y-%m-%dT%H:%M:%SZ' ELSE '%Y-%m-%dT%H:%M:%fZ' END, x)", "strftime('%s', x) IS NULL OR x NOT GLOB '????-??-??T??:??:??*[Z0-9]' OR substr(x, 1, 10) IS NOT date(substr(x, 1, 10))"},
		spec.UUID:     {"lower(x)", "lower(x) NOT GLOB '" + strings.Repeat("[0-9a-f]", 8) + strings.Repeat("-"+strings.Repeat("[0-9a-f]", 4), 3) + "-" + strings.Repeat("[0-9a-f]", 12) + "'"},
		spec.String:   {"x", "instr(x, char(10)) > 0 OR instr(x, char(13)) > 0"},
		spec.Email:    {"x", email},
		spec.URL:      {"x", url},
	},
	postgres: {
		spec.Integer:  {"x::numeric::bigint", `x !~ '^-?[0-9]{1,15}(\.00?)?$'`},
		spec.Number:   {"x::double precision", `x !~ '^-?[0-9]{1,200}(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?$'`},
		spec.Money:    {"x::numeric(18,2)", `x !~ '^-?[0-9]{1,13}(\.[0-9]{1,2})?$'`},
		spec.Boolean:  {"x::boolean", "x NOT IN ('true', 'false')"},
		spec.Date:     {"x::date", noDay + " OR length(x) <> 10"},
		spec.DateTime: {"x::timestamptz", noDay + ` OR x !~ '^.{10}T([01][0-9]|2[0-3])(:[0-5][0-9]){2}(\.[0-9]+)?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])$'`},
		spec.UUID:     {"lower(x)", "x !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'"},
		spec.String:   {"x", "strpos(x, chr(10)) > 0 OR strpos(x, chr(13)) > 0"},
		spec.Email:    {"x", email},
		spec.URL:      {"x", url},
	},
}

const (
	email = "x NOT LIKE '%_@_%._%' OR x LIKE '%@%@%' OR x LIKE '% %'"
	url   = "x NOT LIKE 'http://_%' AND x NOT LIKE 'https://_%' OR x LIKE '% %'"
	// noDay selects the texts that begin with no day of the calendar; PostgreSQL 15 has
	// no function that tries.
	noDay = "CASE WHEN x !~ '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])' OR x < '0001' THEN true " +
		"ELSE substr(x, 9, 2)::int > extract(day FROM (substr(x, 1, 7) || '-01')::date + interval '1 month - 1 day') END"
)

// text writes a value of a kind as a text.
func (d dialect) text(kind, value string) string {
	if form, ok := toText[d][kind]; ok {
		return fill(form, value)
	}
	return value
}

// convert writes a value of one kind as one of another, and what selects the values
// that would be lost; empty: none are.
func (d dialect) convert(from, to, value string) (converted, misfit string) {
	text := d.text(from, value)
	switch {
	case from == to:
		return value, ""
	case from == spec.Date && to == spec.DateTime:
		text += " || 'T00:00:00Z'"
	case from == spec.DateTime && to == spec.Date:
		text = "replace(" + text + ", 'T00:00:00Z', '')"
	case to == spec.Text || to == ref:
		return text, ""
	}
	how := fromText[d][to]
	return fill(how.value, bracket(text)), fill(how.misfit, bracket(text))
}

var variable = regexp.MustCompile(`\bx\b`)

// fill puts a value in the place of x.
func fill(form, value string) string {
	return variable.ReplaceAllLiteralString(form, value)
}

// bracket keeps an expression together.
func bracket(x string) string {
	if strings.HasPrefix(x, `"`) && !strings.Contains(x, " ") {
		return x
	}
	return "(" + x + ")"
}
