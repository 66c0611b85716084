package storetest

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// firstWithTerms is the number of the migration that brought the terms.
const firstWithTerms = 5

var (
	migrationName = regexp.MustCompile(`^(\d{4})_[a-z_]+\.sql$`)
	termsRow      = regexp.MustCompile(`(?i)^INSERT INTO schema_terms \(version, oldest\) VALUES \((\d+), (\d+)\)$`)
	block         = regexp.MustCompile(`(?s)-- \+goose StatementBegin(.*?)-- \+goose StatementEnd`)
	comment       = regexp.MustCompile(`(?m)--.*$`)
	spaces        = regexp.MustCompile(`\s+`)
	// What a program that knows nothing of it does not notice.
	adds      = regexp.MustCompile(`(?i)^(CREATE TABLE|CREATE INDEX|CREATE FUNCTION|ALTER TABLE \S+ ADD (COLUMN )?)`)
	newTable  = regexp.MustCompile(`(?i)^CREATE TABLE (\S+)`)
	trigger   = regexp.MustCompile(`(?i)^CREATE TRIGGER \S+ BEFORE [A-Z ]+ ON (\S+)`)
	newColumn = regexp.MustCompile(`(?i)^ALTER TABLE \S+ ADD`)
	demands   = regexp.MustCompile(`(?i)\bNOT NULL\b|\bUNIQUE\b|\bCHECK\b|\bREFERENCES\b`)
	hasValue  = regexp.MustCompile(`(?i)\bDEFAULT\b`)
	// What may be asked of a new column if it has a value by itself.
	onlyNotNull = regexp.MustCompile(`(?i)\bNOT NULL\b`)
)

// Migrations tests the rule by which a schema changes, on the migrations of an
// adapter: they are numbered without a gap, each says what a program has to
// know, and one that says "nothing new" only adds.
func Migrations(t *testing.T, files fs.FS) {
	t.Helper()
	entries := must.Get(fs.ReadDir(files, "."))(t)
	for i, e := range entries {
		text := must.Get(fs.ReadFile(files, e.Name()))(t)
		if err := CheckMigration(i+1, e.Name(), string(text)); err != nil {
			t.Error(err)
		}
	}
}

// CheckMigration holds one migration against the rule.
func CheckMigration(number int, name, text string) error {
	parts := migrationName.FindStringSubmatch(name)
	if parts == nil || parts[1] != fmt.Sprintf("%04d", number) {
		return fmt.Errorf("%s should be called %04d_name.sql", name, number)
	}
	if number <= firstWithTerms {
		return nil // before the rule, or the migration that brought it
	}
	var others []string
	oldest := 0
	for _, statement := range statements(text) {
		row := termsRow.FindStringSubmatch(statement)
		switch {
		case statement == "":
		case row == nil:
			others = append(others, statement)
		case oldest != 0 || row[1] != strconv.Itoa(number):
			return fmt.Errorf("%s: its row in schema_terms is its own, and one", name)
		default:
			oldest, _ = strconv.Atoi(row[2]) // digits, by the pattern
		}
	}
	switch {
	case oldest < firstWithTerms || oldest > number:
		return fmt.Errorf("%s says in no row of schema_terms which version (%d to %d) a program must know", name, firstWithTerms, number)
	case oldest == number:
		return nil // it asks for programs that know it: anything may change
	}
	var made []string
	for _, statement := range others {
		if table := newTable.FindStringSubmatch(statement); table != nil {
			made = append(made, table[1])
		}
		// A trigger may guard a table that nobody knows yet.
		if guarded := trigger.FindStringSubmatch(statement); guarded != nil && slices.Contains(made, guarded[1]) {
			continue
		}
		if err := checkAddition(statement); err != nil {
			return fmt.Errorf("%s lets programs of version %d go on, but %w", name, oldest, err)
		}
	}
	return nil
}

// statements takes a migration apart. One that holds semicolons itself stands between
// marks.
func statements(text string) (all []string) {
	plain := func(text string) string {
		return strings.TrimSpace(spaces.ReplaceAllString(comment.ReplaceAllString(text, ""), " "))
	}
	var blocks []string
	text = block.ReplaceAllStringFunc(text, func(found string) string {
		blocks = append(blocks, plain(block.FindStringSubmatch(found)[1]))
		return ""
	})
	for statement := range strings.SplitSeq(comment.ReplaceAllString(text, ""), ";") {
		all = append(all, plain(statement))
	}
	return append(all, blocks...)
}

// checkAddition refuses a statement that a program could notice which knows
// nothing of it.
func checkAddition(statement string) error {
	if !adds.MatchString(statement) {
		return fmt.Errorf("this does more than add: %s", statement)
	}
	if !newColumn.MatchString(statement) {
		return nil
	}
	asked := statement
	if hasValue.MatchString(statement) {
		asked = onlyNotNull.ReplaceAllString(statement, "")
	}
	if demands.MatchString(asked) {
		return fmt.Errorf("this asks for a value that it does not give: %s", statement)
	}
	return nil
}

// Versions are three programs of which each is newer than the one before, on
// one database: the first is this one, the second has added to the schema, and
// the third has taken away what only the first one uses.
type Versions struct{ Own, Expanded, Contracted OpenStore }

// Later gives the migrations of the second and the third program, for those of
// this one. They are SQL that every database of ours understands.
func Later(t *testing.T, own fs.FS) (expanded, contracted fs.FS) {
	t.Helper()
	entries := must.Get(fs.ReadDir(own, "."))(t)
	next := len(entries) + 1
	first := addMigration(t, own, fmt.Sprintf("%04d_notes.sql", next), fmt.Sprintf(`-- +goose Up
ALTER TABLE bundles ADD COLUMN note TEXT;
ALTER TABLE accounts ADD COLUMN region TEXT NOT NULL DEFAULT 'here';
CREATE TABLE notes (id TEXT NOT NULL PRIMARY KEY);
CREATE INDEX bundles_by_note ON bundles (note);
INSERT INTO schema_terms (version, oldest) VALUES (%d, %d);
`, next, next-1))
	Migrations(t, first)
	second := addMigration(t, first, fmt.Sprintf("%04d_no_guesses.sql", next+1), fmt.Sprintf(`-- +goose Up
DROP TABLE guesses;
INSERT INTO schema_terms (version, oldest) VALUES (%d, %d);
`, next+1, next))
	return first, second
}

func addMigration(t *testing.T, to fs.FS, name, text string) fs.FS {
	t.Helper()
	all := fstest.MapFS{name: {Data: []byte(text)}}
	entries := must.Get(fs.ReadDir(to, "."))(t)
	for _, e := range entries {
		content := must.Get(fs.ReadFile(to, e.Name()))(t)
		all[e.Name()] = &fstest.MapFile{Data: content}
	}
	return all
}
