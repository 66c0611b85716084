package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/bundle-delivery/svc/internal/sleep"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

//go:embed migrations/*.sql
var migrations embed.FS

// lockMigrate is the advisory lock of this program in its database.
const lockMigrate = 0x737663_01

// ownMigrations are those that this program knows.
func ownMigrations() fs.FS {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the folder's name is no valid path: impossible
	}
	return files
}

// migrate brings the schema up to date, where it is not. A newer program may
// have brought it further: that is left as it is, and worked with where its
// terms allow it. It tells up to which version the migrations go.
//
// Questions are given up like all others; the work itself takes the time that it
// takes.
func migrate(ctx context.Context, config *pgx.ConnConfig, files fs.FS, answerTimeout time.Duration) (knows int64, err error) {
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	sources := provider.ListSources()
	knows = sources[len(sources)-1].Version
	has, err := schemaVersion(ctx, db, answerTimeout)
	if err != nil || has == knows {
		return knows, err
	}
	if has > knows {
		oldest, err := terms(ctx, db, has, answerTimeout)
		if err != nil {
			return 0, err
		}
		return knows, sqlshared.CheckTerms(has, oldest, knows)
	}
	return knows, alone(ctx, db, answerTimeout, func() error {
		if _, err := provider.Up(ctx); err != nil {
			return fmt.Errorf("bring the schema from version %d to %d: %w", has, knows, explain(ctx, err))
		}
		return nil
	})
}

// terms tells the version that a program must know to work with a schema. One
// that says nothing about it wants the program that wrote it.
func terms(ctx context.Context, db *sql.DB, has int64, answerTimeout time.Duration) (oldest int64, err error) {
	ctx, cancel := withTimeout(ctx, answerTimeout)
	defer cancel()
	var said bool
	err = db.QueryRowContext(ctx, `SELECT to_regclass('schema_terms') IS NOT NULL`).Scan(&said)
	if err == nil && !said {
		return has, nil
	}
	if err == nil {
		// A newer migration that forgot its row is not believed to be harmless.
		err = db.QueryRowContext(ctx,
			`SELECT CASE WHEN max(version) = $1::bigint THEN max(oldest) ELSE $1::bigint END FROM schema_terms`, has).Scan(&oldest)
	}
	if err != nil {
		return 0, fmt.Errorf("read the terms of the schema: %w", explain(ctx, err))
	}
	return oldest, nil
}

// schemaVersion tells the version of the schema, 0 for an empty database. It
// refuses what is not ours before anything is changed in it.
func schemaVersion(ctx context.Context, db *sql.DB, answerTimeout time.Duration) (version int64, err error) {
	ctx, cancel := withTimeout(ctx, answerTimeout)
	defer cancel()
	var tables, ours int
	if err := db.QueryRowContext(ctx,
		`SELECT count(*), count(*) FILTER (WHERE tablename IN ('goose_db_version', 'limit_windows'))
		 FROM pg_tables WHERE schemaname = current_schema()`).Scan(&tables, &ours); err != nil {
		return 0, fmt.Errorf("look what is in it: %w", explain(ctx, err))
	}
	// A first start that was cut short leaves the table of versions alone.
	if tables > 1 && ours < 2 || tables == 1 && ours == 0 {
		return 0, errors.New("it holds tables of another program; give this service a database of its own")
	}
	if tables == 0 {
		return 0, nil
	}
	if err := db.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version`).Scan(&version); err != nil {
		return 0, fmt.Errorf("read the schema version: %w", explain(ctx, err))
	}
	return version, nil
}

// turnWait is how long a process waits before it asks again whether it is its
// turn to change the schema.
const turnWait = 50 * time.Millisecond

// alone does work while no other process does. The lock belongs to a transaction
// on a connection of its own: a lock of the session, which goose offers, is lost
// behind a pooler that hands out connections by transaction. Whoever has to wait
// gives the connection back meanwhile, for the one at work may need it.
func alone(ctx context.Context, db *sql.DB, answerTimeout time.Duration, work func() error) error {
	for {
		done, err := inTurn(ctx, db, answerTimeout, work)
		if err != nil || done {
			return err
		}
		if err := sleep.For(ctx, turnWait); err != nil {
			return fmt.Errorf("wait for another process that changes the schema: %w", err)
		}
	}
}

func inTurn(ctx context.Context, db *sql.DB, answerTimeout time.Duration, work func() error) (done bool, err error) {
	// The transaction lives as long as its context, so the bound is taken off it
	// when the lock is there.
	holding, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	silence := time.AfterFunc(answerTimeout, func() { giveUp(errSilent) })
	defer silence.Stop()
	guard, err := db.BeginTx(holding, nil)
	if err != nil {
		return false, explain(holding, err)
	}
	defer func() { _ = guard.Rollback() }() // it wrote nothing
	// While the work is done this transaction stands idle, for as long as that
	// takes: a server that ends idle transactions would let the next process in.
	if _, err = guard.ExecContext(holding, `SET LOCAL idle_in_transaction_session_timeout = 0`); err == nil {
		err = guard.QueryRowContext(holding, `SELECT pg_try_advisory_xact_lock($1)`, int64(lockMigrate)).Scan(&done)
	}
	if err != nil || !done {
		return false, explain(holding, err)
	}
	silence.Stop()
	return true, work()
}
