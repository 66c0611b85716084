package schema

import (
	"fmt"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// moves writes two queries whose answers are statements: those that insert the
// records of one database into the other. The constraints of the other stop at a
// record that does not fit, and PostgreSQL's error shows it.
func moves(tables []table) []Migration {
	to := func(from dialect, begin, end string) string {
		out := []string{fmt.Sprintf("SELECT %s;", literal(begin))}
		for _, t := range tables {
			var names, values []string
			for _, c := range append([]column{{name: "_position", kind: spec.Integer}, {name: "id", kind: spec.Text}}, t.columns...) {
				names = append(names, quote(c.name))
				values = append(values, from.exported(c))
			}
			out = append(out, fmt.Sprintf("SELECT 'INSERT INTO %s (%s) VALUES ('\n  || %s || ');'\nFROM %s ORDER BY \"_position\";",
				quote(t.name), strings.Join(names, ", "), strings.Join(values, " || ', '\n  || "), quote(t.name)))
		}
		if from == sqlite {
			for _, t := range tables {
				end = fmt.Sprintf(`SELECT setval(pg_get_serial_sequence('%s', '_position'), (SELECT max("_position") FROM %[1]s));`, quote(t.name)) + " " + end
			}
		}
		return strings.Join(append(out, fmt.Sprintf("SELECT %s;", literal(end))), "\n\n") + "\n"
	}
	return []Migration{
		{"migrations/postgres-to-sqlite.sql", []byte("-- psql -XAtq \"$DATABASE_URL\" -f migrations/postgres-to-sqlite.sql | sqlite3 -bail \"$DATABASE_FILE\"\n\n" +
			to(postgres, "PRAGMA foreign_keys = ON; BEGIN; PRAGMA defer_foreign_keys = ON;", "COMMIT;"))},
		{"migrations/sqlite-to-postgres.sql", []byte("-- sqlite3 -bail \"$DATABASE_FILE\" < migrations/sqlite-to-postgres.sql | psql -Xq -v ON_ERROR_STOP=1 \"$DATABASE_URL\"\n\n" +
			to(sqlite, "BEGIN; SET CONSTRAINTS ALL DEFERRED;", "COMMIT;"))},
	}
}

// exported writes an expression that gives a value as the other database reads it.
func (d dialect) exported(c column) string {
	name := quote(c.name)
	if d == sqlite {
		switch c.kind {
		case spec.Money:
			return "quote(" + name + ") || ' / 100.0'"
		case spec.Boolean:
			return "quote(" + name + ") || ' = 1'"
		}
		return "quote(" + name + ")"
	}
	value := name + "::text"
	switch c.kind {
	case spec.Money:
		value = "(" + name + " * 100)::bigint::text"
	case spec.Boolean:
		value = name + "::int::text"
	case spec.Integer, spec.Number:
	default:
		value = "'''' || replace(" + d.text(c.kind, name) + ", '''', '''''') || ''''"
	}
	return "coalesce(" + value + ", 'NULL')"
}
