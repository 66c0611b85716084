package schema

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// dialect is the SQL of a database.
type dialect string

const (
	sqlite   dialect = spec.SQLite
	postgres dialect = spec.Postgres
)

// kind is what a database makes of a kind of value, x. A kind of text needs no sql and text.
type kind struct {
	sql    string // the type of its columns
	form   string // what SQLite must check; PostgreSQL's types do
	text   string // writes x as JSON has it, without quotes
	read   string // makes one of x, which is a text
	misfit string // selects the texts of which none can be made
}

// kinds are the conversions: a value of one kind becomes one of another by way of a text.
var kinds = map[dialect]map[string]kind{
	sqlite: {
		spec.Integer: {
			sql: "INTEGER", text: "CAST(x AS TEXT)", read: "CAST(x AS INTEGER)",
			misfit: "CASE WHEN json_valid(x) THEN json_type(x) = 'real' AND x NOT GLOB '*.0' AND x NOT GLOB '*.00' OR json_type(x) NOT IN ('integer', 'real') OR CAST(x AS INTEGER) NOT BETWEEN -9007199254740991 AND 9007199254740991 ELSE 1 END",
		},
		spec.Number: {
			sql: "REAL", read: "CAST(x AS REAL)", // what a cast makes of one depends on the version of SQLite
			text:   "CASE WHEN CAST(x AS INTEGER) = x THEN CAST(CAST(x AS INTEGER) AS TEXT) WHEN CAST(printf('%!.15g', x) AS REAL) = x THEN printf('%!.15g', x) ELSE printf('%!.17g', x) END",
			misfit: "CASE WHEN json_valid(x) THEN json_type(x) NOT IN ('integer', 'real') ELSE 1 END",
		},
		spec.Money: { // in cents, without a detour through a float
			sql: "INTEGER", text: "CASE WHEN x < 0 THEN '-' ELSE '' END || abs(x) / 100 || '.' || substr('0' || abs(x) % 100, -2)",
			read:   "CAST(replace(x || CASE WHEN x GLOB '*.??' THEN '' WHEN x GLOB '*.?' THEN '0' ELSE '.00' END, '.', '') AS INTEGER)",
			misfit: "CASE WHEN json_valid(x) THEN json_type(x) NOT IN ('integer', 'real') OR x GLOB '*[eE]*' OR x GLOB '*.???*' OR CAST(x AS INTEGER) NOT BETWEEN -999999999999999 AND 999999999999999 ELSE 1 END",
		},
		spec.Boolean: {sql: "INTEGER", form: "x IN (0, 1)", text: "CASE x WHEN 1 THEN 'true' WHEN 0 THEN 'false' END", read: "x = 'true'", misfit: "x NOT IN ('true', 'false')"},
		spec.Date:    {form: "x IS date(x)", read: "x", misfit: "x IS NOT date(x)"},
		spec.DateTime: {
			form:   "x GLOB '????-??-??T??:??:??*Z'",
			read:   "strftime(CASE WHEN strftime('%f', x) LIKE '%.000' THEN '%Y-%m-%dT%H:%M:%SZ' ELSE '%Y-%m-%dT%H:%M:%fZ' END, x)",
			misfit: "strftime('%s', x) IS NULL OR x NOT GLOB '????-??-??T??:??:??*[Z0-9]' OR substr(x, 1, 10) IS NOT date(substr(x, 1, 10))",
		},
		spec.UUID:   {read: "lower(x)", misfit: "lower(x) NOT GLOB '" + strings.ReplaceAll("hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh", "h", "[0-9a-f]") + "'"},
		spec.String: {read: "x", misfit: "instr(x, char(10)) > 0 OR instr(x, char(13)) > 0"},
		spec.Email:  anEmail,
		spec.URL:    aURL,
	},
	postgres: {
		spec.Integer: {
			sql: "bigint", text: "x::text", read: "x::numeric::bigint",
			misfit: `CASE WHEN x ~ '^-?[0-9]{1,16}(\.00?)?$' THEN abs(x::numeric) > 9007199254740991 ELSE true END`,
		},
		spec.Number:  {sql: "double precision", text: "CASE WHEN x = trunc(x) AND abs(x) < 1e16 THEN x::bigint::text ELSE x::text END", read: "x::double precision", misfit: `x !~ '^-?[0-9]{1,200}(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?$'`},
		spec.Money:   {sql: "numeric(18,2)", text: "x::text", read: "x::numeric(18,2)", misfit: `x !~ '^-?[0-9]{1,15}(\.[0-9]{1,2})?$'`},
		spec.Boolean: {sql: "boolean", text: "x::text", read: "x::boolean", misfit: "x NOT IN ('true', 'false')"},
		spec.Date:    {sql: "date", text: "to_char(x, 'YYYY-MM-DD')", read: "x::date", misfit: noDay + " OR length(x) <> 10"},
		spec.DateTime: {
			sql: "timestamptz", text: `replace(to_char(x AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '.000Z', 'Z')`, read: "x::timestamptz",
			misfit: noDay + ` OR x !~ '^.{10}T([01][0-9]|2[0-3])(:[0-5][0-9]){2}(\.[0-9]+)?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])$'`,
		},
		spec.UUID:   {read: "lower(x)", misfit: "x !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'"},
		spec.String: {read: "x", misfit: "strpos(x, chr(10)) > 0 OR strpos(x, chr(13)) > 0"},
		spec.Email:  anEmail,
		spec.URL:    aURL,
	},
}

// inCents makes money of a number of SQLite by its value, up to where two cents have two values.
var inCents = kind{
	read:   "CASE WHEN CAST(x AS INTEGER) = x THEN CAST(x AS INTEGER) * 100 ELSE CAST(round(x * 100) AS INTEGER) END",
	misfit: "abs(x) > 999999999999999 OR CAST(x AS INTEGER) <> x AND (abs(x) > 70368744177664 OR round(x * 100) / 100 <> x)",
}

var (
	anEmail = kind{read: "x", misfit: "x NOT LIKE '%_@_%._%' OR x LIKE '%@%@%' OR x LIKE '% %'"}
	aURL    = kind{read: "x", misfit: "x NOT LIKE 'http://_%' AND x NOT LIKE 'https://_%' OR x LIKE '% %'"}
)

// noDay selects the texts that begin with no day of the calendar; PostgreSQL 15 has
// no function that tries.
const noDay = "CASE WHEN x !~ '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])' OR x < '0001' THEN true " +
	"ELSE substr(x, 9, 2)::int > extract(day FROM (substr(x, 1, 7) || '-01')::date + interval '1 month - 1 day') END"

// Text writes the values of a column as texts.
func (c column) Text() string {
	if form := kinds[c.dialect][c.Kind].text; form != "" {
		return fill(form, quote(c.Name))
	}
	return quote(c.Name)
}

// convert writes an old value of a column, which has its new name, as a new one, and
// what selects the values that would be lost; empty: none are.
func (c column) convert() (value, misfit string) {
	was := *c.Was
	was.Name = c.Name
	text := was.Text()
	switch {
	case was.Kind == c.Kind:
		return quote(c.Name), ""
	case was.Kind == spec.Date && c.Kind == spec.DateTime:
		text += " || 'T00:00:00Z'"
	case was.Kind == spec.DateTime && c.Kind == spec.Date:
		text = "replace(" + text + ", 'T00:00:00Z', '')"
	case c.Kind == spec.Text || c.Kind == ref:
		return text, ""
	}
	to := kinds[c.dialect][c.Kind]
	switch {
	case c.dialect == sqlite && was.Kind == spec.Number && c.Kind == spec.Money:
		to, text = inCents, quote(c.Name)
	case text != quote(c.Name):
		text = "(" + text + ")"
	}
	return fill(to.read, text), fill(to.misfit, text)
}

// Value writes the new value of a column that the table had.
func (c column) Value() string {
	value, _ := c.convert()
	if c.Required && !c.Was.Required && c.Default != "" {
		value = fmt.Sprintf("coalesce(%s, %s)", value, c.Default)
	}
	return value
}

// stop is a check before a change of a column: Where selects the records that the new
// rules would lose.
type stop struct{ Message, Where string }

// Stops returns the checks before a change of a column.
func (c column) Stops() (out []stop) {
	old, value := quote(c.Name), c.Value()
	if _, misfit := c.convert(); misfit != "" {
		out = append(out, stop{"is not of the kind " + c.Kind, old + " IS NOT NULL AND (" + misfit + ")"})
	}
	if rule := c.Check(value); rule != "" && (c.Kind != c.Was.Kind || c.Check("x") != c.Was.Check("x")) {
		out = append(out, stop{"breaks its rules: " + c.Check(c.Name), "NOT (" + rule + ")"})
	}
	if c.Required && !c.Was.Required && c.Default == "" {
		out = append(out, stop{"is required, but missing", old + " IS NULL"})
	}
	if c.Unique && (!c.Was.Unique || c.Kind != c.Was.Kind) {
		out = append(out, stop{"is unique, but has a value twice", fmt.Sprintf("%s IN (SELECT %[1]s FROM %q GROUP BY 1 HAVING count(*) > 1)", value, c.Table)})
	}
	if c.Target != c.Was.Target && c.Target != "" {
		out = append(out, stop{"does not lead to one of " + c.Target, fmt.Sprintf("%s IS NOT NULL AND %[1]s NOT IN (SELECT \"id\" FROM %q)", value, c.Target)})
	}
	return out
}

var variable = regexp.MustCompile(`\bx\b`)

// fill puts a value in the place of x.
func fill(form, value string) string {
	return variable.ReplaceAllLiteralString(form, value)
}
