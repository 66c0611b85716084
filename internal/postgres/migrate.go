package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// The advisory locks of this program in its database.
const (
	lockMigrate = 0x737663_01
	lockClaim   = 0x737663_02
)

// migrate brings the schema up to date. One process does so at a time: it holds
// a lock that belongs to a transaction, on a connection of its own. A lock of
// the session, which goose offers, is lost behind a pooler that hands out
// connections by transaction.
func migrate(ctx context.Context, config *pgx.ConnConfig) (err error) {
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	guard, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = guard.Rollback() }() // it wrote nothing
	if _, err := guard.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(lockMigrate)); err != nil {
		return fmt.Errorf("wait for another process that opens it: %w", err)
	}
	if err := recognise(ctx, guard); err != nil {
		return err
	}
	return upgrade(ctx, db)
}

// recognise refuses what is not ours before anything is changed in it.
func recognise(ctx context.Context, tx *sql.Tx) error {
	var tables, ours int
	if err := tx.QueryRowContext(ctx,
		`SELECT count(*), count(*) FILTER (WHERE tablename IN ('goose_db_version', 'limit_windows'))
		 FROM pg_tables WHERE schemaname = current_schema()`).Scan(&tables, &ours); err != nil {
		return fmt.Errorf("look what is in it: %w", err)
	}
	// A first start that was cut short leaves the table of versions alone.
	if tables > 1 && ours < 2 || tables == 1 && ours == 0 {
		return errors.New("it holds tables of another program; give this service a database of its own")
	}
	return nil
}

// upgrade runs the migrations that the database has not had.
func upgrade(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	has, knows, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	if has > knows {
		return fmt.Errorf("the schema has version %d and this program knows versions up to %d; use the newer program that wrote it", has, knows)
	}
	if has == knows {
		return nil
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("bring the schema from version %d to %d: %w", has, knows, err)
	}
	return nil
}
