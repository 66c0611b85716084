package storetest

import "testing"

// Promise: migration-claims
func TestMigrationsHaveToSayWhatTheyAskOfPrograms(t *testing.T) {
	const sixth = "INSERT INTO schema_terms (version, oldest) VALUES (6, 5);"
	for _, test := range []struct {
		name, file, text string
		good             bool
	}{
		{"adding", "0006_more.sql", "CREATE TABLE a (b TEXT NOT NULL); CREATE INDEX i ON a (b);\nALTER TABLE accounts ADD COLUMN x TEXT;\n" + sixth, true},
		{"a column with a value", "0006_more.sql", "ALTER TABLE accounts ADD COLUMN x TEXT NOT NULL DEFAULT '';\n" + sixth, true},
		{"words in a comment", "0006_more.sql", "-- DROP TABLE accounts; gone?\n" + sixth, true},
		{"a guard on a new table", "0006_more.sql", "-- +goose StatementBegin\nCREATE TRIGGER t BEFORE UPDATE ON a\nBEGIN\n SELECT 1;\nEND;\n-- +goose StatementEnd\nCREATE TABLE a (b TEXT);\n" + sixth, true},
		{"a guard on what is there", "0006_less.sql", "-- +goose StatementBegin\nCREATE TRIGGER t BEFORE UPDATE ON accounts\nBEGIN\n SELECT 1;\nEND;\n-- +goose StatementEnd\nCREATE TABLE a (b TEXT);\n" + sixth, false},
		{"taking away, said", "0006_less.sql", "DROP TABLE guesses; INSERT INTO schema_terms (version, oldest) VALUES (6, 6);", true},
		{"nothing said", "0006_more.sql", "CREATE TABLE a (b TEXT);", false},
		{"said for another", "0006_more.sql", "INSERT INTO schema_terms (version, oldest) VALUES (7, 5);", false},
		{"said twice", "0006_more.sql", sixth + sixth, false},
		{"a version that is to come", "0006_more.sql", "INSERT INTO schema_terms (version, oldest) VALUES (6, 7);", false},
		{"a version before the rule", "0006_more.sql", "INSERT INTO schema_terms (version, oldest) VALUES (6, 4);", false},
		{"a gap", "0007_more.sql", "INSERT INTO schema_terms (version, oldest) VALUES (7, 5);", false},
		{"taking away, unsaid", "0006_less.sql", "DROP TABLE guesses;\n" + sixth, false},
		{"a column taken away", "0006_less.sql", "ALTER TABLE accounts DROP COLUMN plan;\n" + sixth, false},
		{"a new name", "0006_less.sql", "ALTER TABLE accounts RENAME TO users;\n" + sixth, false},
		{"a column that must be filled", "0006_less.sql", "ALTER TABLE accounts ADD COLUMN x TEXT NOT NULL;\n" + sixth, false},
		{"a constraint on what is there", "0006_less.sql", "CREATE UNIQUE INDEX i ON accounts (plan);\n" + sixth, false},
		{"other rows", "0006_less.sql", "UPDATE accounts SET plan = 'x';\n" + sixth, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := CheckMigration(6, test.file, test.text); (err == nil) != test.good {
				t.Errorf("error %v", err)
			}
		})
	}
}
