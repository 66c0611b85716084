package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the same engine as a driver of database/sql, for goose
	"zombiezen.com/go/sqlite"

	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

//go:embed migrations/*.sql
var migrations embed.FS

// ownMigrations are those that this program knows.
func ownMigrations() fs.FS {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the folder's name is no valid path: impossible
	}
	return files
}

// migrate makes the file if need be and brings its schema up to date. One
// process does so at a time: goose takes no lock on SQLite, and turning on the
// write-ahead log fails when two do it at once. It tells up to which version the
// migrations go.
func migrate(ctx context.Context, path string, files fs.FS) (knows int64, err error) {
	lock := flock.New(path+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return 0, fmt.Errorf("wait for another process that opens it: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()

	if err := create(path); err != nil {
		return 0, err
	}
	q := url.Values{
		"_pragma": {"busy_timeout(10000)", "foreign_keys(1)", "synchronous(FULL)"}, "_txlock": {"immediate"}, "_dqs": {"0"}, "_error_rc": {"1"},
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := recognise(ctx, db); err != nil {
		return 0, err
	}
	return upgrade(ctx, db, files)
}

// create makes an empty file that nobody else may read, where there is none.
// SQLite gives its other files the same permissions.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil // not opened by us: closing it would release SQLite's locks
	}
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// recognise refuses what is not ours before anything is changed in it, and
// turns on the write-ahead log, which stays on.
func recognise(ctx context.Context, db *sql.DB) error {
	var tables, ours int
	err := db.QueryRowContext(ctx,
		`SELECT count(*), count(*) FILTER (WHERE name = 'goose_db_version') FROM sqlite_schema`).Scan(&tables, &ours)
	if resultCode(err).ToPrimary() == sqlite.ResultNotADB {
		return fmt.Errorf("the file is no SQLite database; move it away, or choose another data folder: %w", err)
	}
	if err != nil {
		return explain(err)
	}
	if tables > 0 && ours == 0 {
		return errors.New("the file is a database of another program; move it away, or choose another data folder")
	}
	var mode string
	if err := db.QueryRowContext(ctx, `PRAGMA journal_mode = WAL`).Scan(&mode); err != nil {
		return fmt.Errorf("turn on the write-ahead log: %w", explain(err))
	}
	if mode != "wal" {
		return fmt.Errorf("the write-ahead log cannot be used here (the journal stays %q); put the data folder on a local disk", mode)
	}
	return nil
}

// upgrade runs the migrations that the database has not had. A newer program may
// have brought the schema further: that is left as it is, and worked with where
// its terms allow it.
func upgrade(ctx context.Context, db *sql.DB, files fs.FS) (knows int64, err error) {
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	has, knows, err := provider.GetVersions(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the schema version: %w", explain(err))
	}
	if has > knows {
		oldest, err := terms(ctx, db, has)
		if err != nil {
			return 0, err
		}
		return knows, sqlshared.CheckTerms(has, oldest, knows)
	}
	if _, err := provider.Up(ctx); err != nil {
		return 0, fmt.Errorf("bring the schema from version %d to %d: %w", has, knows, explain(err))
	}
	return knows, nil
}

// terms tells the version that a program must know to work with a schema. One
// that says nothing about it wants the program that wrote it.
func terms(ctx context.Context, db *sql.DB, has int64) (oldest int64, err error) {
	var said int
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema WHERE name = 'schema_terms'`).Scan(&said)
	if err == nil && said == 0 {
		return has, nil
	}
	if err == nil {
		// A newer migration that forgot its row is not believed to be harmless.
		err = db.QueryRowContext(ctx,
			`SELECT CASE WHEN max(version) = $1 THEN max(oldest) ELSE $1 END FROM schema_terms`, has).Scan(&oldest)
	}
	if err != nil {
		return 0, fmt.Errorf("read the terms of the schema: %w", explain(err))
	}
	return oldest, nil
}
