package sqlshared

import (
	"context"
	"fmt"

	svc "github.com/bundle-delivery/svc"
)

// OwnTables are the tables that are not moved with the records: they describe the
// database itself and the processes that use it now.
var OwnTables = []string{"goose_db_version", "schema_terms", "origins", "workers"}

// CheckSchema asks a database in use whether this program, which knows versions
// up to the given one, may go on: a newer one may have changed the schema.
func CheckSchema(ctx context.Context, db DB, knows int64) error {
	var version, oldest int64
	if err := db.Row(ctx, `SELECT max(version), max(oldest) FROM schema_terms`, nil, []any{&version, &oldest}); err != nil {
		return err
	}
	return CheckTerms(version, oldest, knows)
}

// CheckTerms refuses a schema that is newer than this program and wants more
// than it knows, with svc.ErrConflict.
func CheckTerms(has, oldest, knows int64) error {
	if oldest <= knows {
		return nil
	}
	return fmt.Errorf("%w: the schema has version %d, written by a newer program, and this program knows versions up to %d where %d is needed; "+
		"use the newer program that wrote it", svc.ErrConflict, has, knows, oldest)
}
