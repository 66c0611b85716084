package sqlite

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"

	"zombiezen.com/go/sqlite"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

// pagesAtOnce is how much of the database is copied between two looks at the
// context.
const pagesAtOnce = 1024

// Blobs tells every blob that a record points at, sorted by key.
func (s *Store) Blobs(ctx context.Context) iter.Seq2[svc.BlobRef, error] {
	return func(yield func(svc.BlobRef, error) bool) {
		err := s.read(ctx, func(c *conn) error {
			blobRefs(ctx, c)(yield)
			return nil
		})
		if err != nil { // no connection could be had
			yield(svc.BlobRef{}, err)
		}
	}
}

// CopyTo writes the records as they are at one moment to a new file. Others read
// and write meanwhile, but for that moment, in which pin is told the blobs that
// records point at: all of them are there then, because a blob is deleted only
// after the transaction that stopped pointing at it.
func (s *Store) CopyTo(ctx context.Context, path string, pin func(iter.Seq2[svc.BlobRef, error]) error) error {
	if err := create(path); err != nil {
		return within("make the copy of the database", err)
	}
	reader, err := s.readers.take(ctx)
	if err != nil {
		return err
	}
	defer s.readers.give(reader)
	err = s.write(ctx, func(c *conn) error {
		if err := pin(blobRefs(ctx, c)); err != nil {
			return err
		}
		// A read transaction begins with its first read, and sees no later commit.
		if _, err := reader.exec(`BEGIN`); err != nil {
			return err
		}
		var tables int64
		return reader.row(`SELECT count(*) FROM sqlite_schema`, nil, []any{&tables})
	})
	defer reader.rollback()
	if err != nil {
		return within("begin to copy the database", err)
	}
	if err := copyPages(ctx, reader, path); err != nil {
		return within("copy the database", explain(err))
	}
	return syncFile(path)
}

func copyPages(ctx context.Context, from *conn, path string) error {
	to, err := dial(path, "synchronous = OFF")
	if err != nil {
		return err
	}
	b, err := sqlite.NewBackup(to.raw, "", from.raw, "")
	if err != nil {
		return errors.Join(err, to.raw.Close())
	}
	for more := true; more && err == nil; {
		if more, err = b.Step(pagesAtOnce); err == nil {
			err = ctx.Err()
		}
	}
	return errors.Join(err, b.Close(), to.raw.Close())
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Check reads the whole database and says whether it is sound.
func (s *Store) Check(ctx context.Context) error {
	return s.read(ctx, func(c *conn) error {
		found, err := rows(c, `PRAGMA integrity_check(3)`, nil, sqlshared.Itself[string])
		if err != nil {
			return within("check the database", err)
		}
		if found[0] != "ok" {
			return fmt.Errorf("the database is damaged: %s", found[0])
		}
		orphans, err := rows(c, `SELECT "table" FROM pragma_foreign_key_check LIMIT 1`, nil, sqlshared.Itself[string])
		if err != nil {
			return within("check the database", err)
		}
		if len(orphans) > 0 {
			return fmt.Errorf("the database is damaged: a row of %s has lost its owner", orphans[0])
		}
		return nil
	})
}

// ForgetSignIns ends every session and voids every link of the console, and what
// was begun at a provider. Those of
// a restored database may have been ended or used after it was copied.
func (s *Store) ForgetSignIns(ctx context.Context) error {
	return within("forget sign-ins", s.empty(ctx, "sessions", "links", "challenges", "identity_attempts"))
}

func (s *Store) empty(ctx context.Context, tables ...string) error {
	return s.write(ctx, func(c *conn) error {
		for _, table := range tables {
			if _, err := c.exec(`DELETE FROM ` + table); err != nil {
				return within("empty "+table, err)
			}
		}
		return nil
	})
}

// RemoveCertificates takes the files of ACME certificates, which hold private
// keys, out of a database file that nobody else has open. The file is written
// anew: SQLite leaves what was deleted lying between the rows, and certificates
// that were replaced long ago with it.
func RemoveCertificates(ctx context.Context, path string) error {
	s, err := Open(ctx, path)
	if err != nil {
		return err
	}
	aside := path + ".new"
	err = s.empty(ctx, "certificate_files", "certificate_locks")
	if err == nil {
		err = create(aside)
	}
	if err == nil {
		err = s.writers.lend(ctx, func(c *conn) error {
			_, err := c.exec(`VACUUM INTO $1`, aside)
			return err
		})
	}
	if err := errors.Join(err, s.Close()); err != nil {
		return within("remove certificates", err)
	}
	return within("remove certificates", os.Rename(aside, path))
}
