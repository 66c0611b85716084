package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// fromDocuments writes the first migration of a project that kept one table of JSON
// documents. It takes the values out of the documents as texts, which it then turns
// into what the columns hold, as after a change of their kinds. The tables are created
// where there are none, for a database that is new.
func (d dialect) fromDocuments(tables []table) []string {
	out := []string{
		"CREATE TABLE IF NOT EXISTS documents (position INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL);",
	}
	if d == postgres {
		out[0] = "CREATE TABLE IF NOT EXISTS documents (position bigint GENERATED ALWAYS AS IDENTITY, collection text NOT NULL, id text NOT NULL, body jsonb NOT NULL);"
	}
	var claimed, stops, load, drop []string
	for _, t := range tables {
		claimed = append(claimed, literal(t.name))
		p := tablePair{was: table{name: t.name}, now: t}
		values := []string{`position AS "_position"`, `id AS "id"`}
		for _, c := range t.columns {
			values = append(values, d.textOf(c.name)+" AS "+quote(c.name))
			p.columns = append(p.columns, columnPair{column{name: c.name, kind: spec.Text, kept: true}, c})
		}
		staged := quote("_" + t.name)
		out = append(out, fmt.Sprintf("CREATE TABLE %s AS\nSELECT %s\nFROM documents WHERE collection = %s;", staged, strings.Join(values, ",\n  "), literal(t.name)))
		stops = append(stops, d.stopsOf(p, staged, "_")...)
		load = append(load, d.copy(p, staged, quote(t.name)))
		drop = append(drop, fmt.Sprintf("DROP TABLE %s;", staged))
	}
	out = append(out,
		fmt.Sprintf("CREATE TABLE %s AS\nSELECT position, collection, id, body FROM documents WHERE collection NOT IN (%s);", quote(Removed), strings.Join(claimed, ", ")),
		"DROP TABLE IF EXISTS refs;",
		"DROP TABLE documents;",
	)
	out = slices.Concat(out, stops, d.createAll(tables))
	if d == postgres { // where records may refer to each other
		load = slices.Concat([]string{"SET CONSTRAINTS ALL DEFERRED;"}, load, []string{"SET CONSTRAINTS ALL IMMEDIATE;"})
	}
	return slices.Concat(out, load, drop)
}

// textOf writes a value of a document as a text: a list as its entries, one a line.
func (d dialect) textOf(name string) string {
	at, key := literal("$."+quote(name)), literal(name)
	if d == sqlite {
		return fmt.Sprintf("CASE json_type(body, %[1]s) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'\n"+
			"    WHEN 'array' THEN (SELECT nullif(group_concat(value, char(10)), '') FROM json_each(body, %[1]s))\n"+
			"    ELSE nullif(CAST(json_extract(body, %[1]s) AS TEXT), '') END", at)
	}
	return fmt.Sprintf("CASE jsonb_typeof(body::jsonb->%[1]s)\n"+
		"    WHEN 'array' THEN (SELECT nullif(string_agg(entry, chr(10)), '') FROM jsonb_array_elements_text(body::jsonb->%[1]s) AS entry)\n"+
		"    ELSE nullif(body::jsonb->>%[1]s, '') END", key)
}
