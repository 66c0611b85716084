package schema_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/engine/template/schema"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// samples are two values of each kind in SQL, which SQLite and PostgreSQL read alike.
var samples = map[string][2]string{
	spec.String: {"'12'", "'it''s'"}, spec.Text: {"'a\nb'", "'2026-01-31'"}, spec.Integer: {"7", "-12"}, spec.Number: {"1.5", "8"},
	spec.Money: {"1250", "7"}, spec.Boolean: {"1", "0"}, spec.Date: {"'2026-01-31'", "'2024-02-29'"}, spec.DateTime: {"'2026-01-31T09:30:00Z'", "'2026-02-01T00:00:00Z'"},
	spec.Email: {"'a@example.com'", "'b@example.com'"}, spec.URL: {"'https://a.example'", "'https://b.example'"},
	spec.UUID: {"'00000000-0000-4000-8000-000000000001'", "'00000000-0000-4000-8000-000000000002'"},
}

func sample(store string, f spec.Field, i int) string {
	if f.To != "" {
		return literal(i)
	}
	if len(f.Choices) > 0 {
		return "'" + f.Choices[i] + "'"
	}
	v := samples[f.Kind][i]
	if store == spec.Postgres && f.Kind == spec.Boolean {
		return v + " = 1"
	}
	return v
}

// literal is the id of a record in SQL.
func literal(i int) string { return fmt.Sprintf("'r%d'", i) }

// fill inserts two records of each kind, in an order in which references lead somewhere.
func (db *database) fill(t testing.TB, s spec.Spec) {
	t.Helper()
	if db.store == spec.SQLite {
		db.exec(t, "PRAGMA foreign_keys = OFF")
		defer db.exec(t, "PRAGMA foreign_keys = ON")
	}
	statements := []string{}
	for _, r := range s.Records {
		for i := range 2 {
			names, values := []string{`"id"`}, []string{literal(i)}
			for _, f := range r.Fields {
				names, values = append(names, `"`+f.Column()+`"`), append(values, sample(db.store, f, i))
			}
			statements = append(statements, fmt.Sprintf(`INSERT INTO "%s" (%s) VALUES (%s)`, spec.ColumnName(r.Plural), strings.Join(names, ", "), strings.Join(values, ", ")))
		}
	}
	if db.store == spec.Postgres {
		statements = []string{"BEGIN; SET CONSTRAINTS ALL DEFERRED; " + strings.Join(statements, "; ") + "; COMMIT"}
	}
	db.exec(t, statements...)
}

// drawField draws a field that two records can have.
func drawField(t *rapid.T, s spec.Spec, name string) spec.Field {
	f := spec.Field{Name: name, Kind: rapid.SampledFrom(spec.Kinds).Draw(t, "kind")}
	switch rapid.IntRange(0, 7).Draw(t, "rule") {
	case 0:
		f.Unique = f.Kind != spec.Boolean
	case 1:
		f.Need = spec.Required
	case 2:
		f.Kind, f.To, f.Need = "", rapid.SampledFrom(s.Records).Draw(t, "target").Noun, spec.Optional
	case 3:
		f.Kind, f.Choices = spec.String, []string{"12", "b", "c"}
	case 4:
		f.Kind, f.Min, f.Max = spec.Integer, "-12", "1000"
	case 5:
		f.Kind, f.Max = spec.String, "30"
	}
	return f
}

func drawSpec(t *rapid.T, store string) spec.Spec {
	s := spec.Spec{Kind: spec.API, Language: spec.Go, Store: store, Port: 8080, Name: "drawn"}
	for _, noun := range []string{"book", "odd note", "loan"}[:rapid.IntRange(1, 3).Draw(t, "records")] {
		s.Records = append(s.Records, spec.Record{Noun: noun, Plural: noun + "s"})
	}
	for i := range s.Records {
		s.Records[i].Fields = []spec.Field{{Name: "title", Kind: spec.String}}
		for _, name := range []string{"one", "two", "due date"}[:rapid.IntRange(0, 3).Draw(t, "fields")] {
			s.Records[i].Fields = append(s.Records[i].Fields, drawField(t, s, name))
		}
	}
	return s
}

func clone(s spec.Spec) spec.Spec {
	s.Records = slices.Clone(s.Records)
	for i := range s.Records {
		s.Records[i].Fields = slices.Clone(s.Records[i].Fields)
	}
	return s
}

// drawChange changes a spec in one way, and returns the renames.
func drawChange(t *rapid.T, s spec.Spec, n int) (spec.Spec, []spec.Rename) {
	s = clone(s)
	i := rapid.IntRange(0, len(s.Records)-1).Draw(t, "record")
	r := &s.Records[i]
	k := rapid.IntRange(0, len(r.Fields)-1).Draw(t, "field")
	f := &r.Fields[k]
	fresh := fmt.Sprint(rapid.SampledFrom([]string{"extra", "more"}).Draw(t, "name"), n)
	switch what := rapid.IntRange(0, 8).Draw(t, "change"); {
	case what == 0:
		r.Fields = append(r.Fields, drawField(t, s, fresh))
		if f := &r.Fields[len(r.Fields)-1]; f.Need == spec.Required {
			f.Default, f.HasDefault = map[string]string{spec.Integer: "5", spec.Money: "-0.5", spec.Boolean: "true", spec.Number: "0.5", spec.Date: "2026-01-31", spec.DateTime: "2026-01-31T10:00:00+02:00"}[f.Kind], true
			if f.Default == "" {
				f.Need, f.HasDefault = "", false
			}
		}
	case what == 1 && len(r.Fields) > 1:
		r.Fields = slices.Delete(r.Fields, k, k+1)
	case what == 2:
		from := f.Name
		f.Name = fresh
		return s, []spec.Rename{{Record: r.Noun, From: from, To: fresh}}
	case what == 3:
		s.Records = append(s.Records, spec.Record{Noun: fresh, Plural: fresh + "s", Fields: []spec.Field{{Name: "title", Kind: spec.String}, {Name: "of", To: r.Noun}}})
	case what == 4 && len(s.Records) > 1:
		noun := r.Noun
		s.Records = slices.Delete(s.Records, i, i+1)
		for i := range s.Records {
			s.Records[i].Fields = slices.DeleteFunc(s.Records[i].Fields, func(f spec.Field) bool { return f.To == noun })
		}
	case what == 5:
		from := r.Noun
		r.Noun, r.Plural = fresh, fresh+"s"
		for _, r := range s.Records {
			for k := range r.Fields {
				if r.Fields[k].To == from {
					r.Fields[k].To = fresh
				}
			}
		}
		return s, []spec.Rename{{From: from, To: fresh}}
	case what == 6 && f.To == "":
		f.Unique, f.Min, f.Max, f.Choices = false, "", "", nil
		f.Kind = rapid.SampledFrom(spec.Kinds).Draw(t, "other kind")
		f.Default, f.HasDefault = "", false
	case what == 7 && f.To == "" && !f.HasDefault && f.Kind != spec.Boolean:
		f.Unique = true
	default:
		f.Need = rapid.SampledFrom([]string{spec.Required, spec.Optional}).Draw(t, "need")
	}
	return s, nil
}

// A database that was changed step by step has the tables of one that is new, and
// what was removed; its records survive, or the change stops and names them.
func TestMigrationsLeadWhereTheSpecIs(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, store string, open func() *database) {
		changed, atOnce := open(), open()
		rapid.Check(t, func(rt *rapid.T) {
			changed.reset(t)
			atOnce.reset(t)
			now := drawSpec(rt, store)
			files, kept := migrations(t, schema.Change{Now: now})
			if err := changed.migrate(files); err != nil {
				rt.Fatal(err)
			}
			changed.fill(t, now)
			for n := range rapid.IntRange(1, 4).Draw(rt, "changes") {
				next, renames := drawChange(rt, now, n)
				var have []string
				for _, f := range files {
					have = append(have, f.Path)
				}
				more, left, err := schema.Migrations(schema.Change{Old: &now, Now: next, Renames: renames, Have: have, Kept: kept})
				if err != nil {
					if !strings.Contains(err.Error(), "in two steps") {
						rt.Fatal(err)
					}
					return
				}
				before, shape := changed.count(t, now), changed.shape(t)
				err = changed.migrate(more)
				var stop stopped
				if errors.As(err, &stop) {
					if len(stop.ids) == 0 || !cmp.Equal(shape, changed.shape(t)) || !maps.Equal(before, changed.count(t, now)) {
						rt.Fatalf("a stop changed the database: %v", err)
					}
					return
				}
				if err != nil {
					rt.Fatalf("%v\nfrom\n%s\nto\n%s", err, now, next)
				}
				files, kept, now = append(files, more...), left, next
			}
			made, _ := migrations(t, schema.Change{Now: now})
			if err := atOnce.migrate(made); err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(atOnce.shape(t), without(changed.shape(t), kept, now)); diff != "" {
				var all []string
				for _, f := range files {
					all = append(all, f.Path+"\n"+string(f.Content))
				}
				rt.Fatalf("(-new +changed)\n%s\nkept %v\n%s", diff, kept, strings.Join(all, "\n"))
			}
			for name, n := range changed.count(t, now) {
				if n != 2 && n != 0 { // a table that was added has none
					rt.Fatalf("%s has %d records", name, n)
				}
			}
		})
	})
}

// without leaves out the lines of what was kept: columns, and tables that a spec lacks.
func without(lines, kept []string, s spec.Spec) []string {
	return slices.DeleteFunc(lines, func(line string) bool {
		return slices.ContainsFunc(kept, func(entry string) bool {
			where, _, _ := strings.Cut(entry, " ")
			table, column, _ := strings.Cut(where, ".")
			removed := !slices.ContainsFunc(s.Records, func(r spec.Record) bool { return spec.ColumnName(r.Plural) == table })
			return strings.HasPrefix(line, table+`: "`+column+`" `) || strings.HasPrefix(line, "column|"+table+"|"+column+"|") ||
				removed && (strings.HasPrefix(line, table+": ") || strings.HasPrefix(line, "column|"+table+"|") || strings.Contains(line, " public."+table+" "))
		})
	})
}

func (db *database) reset(t testing.TB) {
	t.Helper()
	db.applied = map[string]bool{}
	if db.store == spec.Postgres {
		db.exec(t, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
		return
	}
	db.exec(t, "PRAGMA foreign_keys = OFF")
	for _, name := range db.rows(t, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`) {
		db.exec(t, `DROP TABLE "`+name+`"`)
	}
}

// count counts the records of each table.
func (db *database) count(t testing.TB, s spec.Spec) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, r := range s.Records {
		name := spec.ColumnName(r.Plural)
		out[name] = len(db.rows(t, `SELECT "id" FROM "`+name+`"`))
	}
	return out
}

// A field and a reference of the same name are two columns.
func TestAFieldAndAReferenceOfOneName(t *testing.T) {
	t.Parallel()
	of := func(fields ...spec.Field) spec.Spec {
		return spec.Spec{Kind: spec.API, Store: spec.SQLite, Records: []spec.Record{{Noun: "author", Plural: "authors", Fields: append([]spec.Field{{Name: "name", Kind: spec.String}}, fields...)}}}
	}
	text, reference := spec.Field{Name: "author", Kind: spec.String}, spec.Field{Name: "author", To: "author", Need: spec.Optional}
	first, both, last := of(text), of(text, reference), of(reference)
	files, _ := migrations(t, schema.Change{Now: first})
	have := []string{files[0].Path}
	files, _ = migrations(t, schema.Change{Old: &first, Now: both, Have: have})
	if len(files) != 1 || !strings.Contains(string(files[0].Content), `ADD COLUMN "author_id"`) {
		t.Errorf("a reference beside a text: %s", files)
	}
	if files, _ = migrations(t, schema.Change{Old: &both, Now: both, Have: have}); len(files) != 0 {
		t.Errorf("nothing changes, and yet: %s", files)
	}
	if _, kept := migrations(t, schema.Change{Old: &first, Now: last, Have: have}); !slices.Equal(kept, []string{"authors.author string"}) {
		t.Errorf("a reference in place of a text: %v is kept", kept)
	}
}
