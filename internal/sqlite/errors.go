package sqlite

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/sqlrecords"
)

// primary masks the primary code out of SQLite's extended result codes.
const primary = 0xff

// resultCode tells SQLite's result code of an error, with its extension.
func resultCode(err error) (int, bool) {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code(), true
	}
	return 0, false
}

func isBusy(err error) bool {
	code, ok := resultCode(err)
	return ok && (code&primary == lib.SQLITE_BUSY || code&primary == lib.SQLITE_LOCKED)
}

// isRefusal says whether an error is a constraint's: the statement has changed
// nothing and the transaction around it goes on.
func isRefusal(err error) bool {
	code, ok := resultCode(err)
	return ok && code&primary == lib.SQLITE_CONSTRAINT
}

// explain turns an error of the driver into one that says what it means here.
func explain(err error) error {
	code, ok := resultCode(err)
	if !ok {
		return err
	}
	switch code {
	case lib.SQLITE_CONSTRAINT_UNIQUE, lib.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: %w", svc.ErrConflict, err)
	case lib.SQLITE_CONSTRAINT_FOREIGNKEY:
		return fmt.Errorf("%w: the record's owner does not exist: %w", svc.ErrNotFound, err)
	}
	switch code & primary {
	case lib.SQLITE_FULL:
		return fmt.Errorf("the disk of the database is full and nothing was changed; make room and try again: %w: %w", svc.ErrUnavailable, err)
	case lib.SQLITE_BUSY, lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN:
		return fmt.Errorf("%w: %w", svc.ErrUnavailable, err)
	case lib.SQLITE_READONLY:
		return fmt.Errorf("the database cannot be written; give this user write permission on its file and folder: %w", err)
	case lib.SQLITE_CORRUPT:
		return fmt.Errorf("the database file is damaged; restore it from a backup: %w", err)
	}
	return err
}

// within says what was being done when an error came up.
func within(doing string, err error) error { return sqlrecords.Within(doing, err) }
