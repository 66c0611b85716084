package sqlite

import (
	"errors"
	"fmt"

	modernc "modernc.org/sqlite"
	"zombiezen.com/go/sqlite"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

// resultCode tells SQLite's result code of an error, with its extension;
// ResultError stands for an error that is none of SQLite's, too.
func resultCode(err error) sqlite.ResultCode {
	if e, ok := errors.AsType[*modernc.Error](err); ok { // in a migration
		return sqlite.ResultCode(e.Code())
	}
	return sqlite.ErrCode(err)
}

// isFull says whether there was no room for a write.
func isFull(err error) bool { return resultCode(err).ToPrimary() == sqlite.ResultFull }

// explain turns an error of SQLite into one that says what it means here.
func explain(err error) error {
	code := resultCode(err)
	switch code {
	case sqlite.ResultConstraintUnique, sqlite.ResultConstraintPrimaryKey:
		return fmt.Errorf("%w: %w", svc.ErrConflict, err)
	case sqlite.ResultConstraintForeignKey:
		return fmt.Errorf("%w: the record's owner does not exist: %w", svc.ErrNotFound, err)
	}
	switch code.ToPrimary() {
	case sqlite.ResultFull:
		return fmt.Errorf("the disk of the database is full and nothing was changed; make room and try again: %w: %w", svc.ErrUnavailable, err)
	case sqlite.ResultBusy, sqlite.ResultIOErr, sqlite.ResultCantOpen:
		return fmt.Errorf("%w: %w", svc.ErrUnavailable, err)
	case sqlite.ResultReadOnly:
		return fmt.Errorf("the database cannot be written; give this user write permission on its file and folder: %w", err)
	case sqlite.ResultCorrupt:
		return fmt.Errorf("the database file is damaged; restore it from a backup: %w", err)
	}
	return err
}

// within says what was being done when an error came up.
func within(doing string, err error) error { return sqlshared.Within(doing, err) }
