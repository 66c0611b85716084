package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/diskfull"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

// Store keeps the records in one file. It implements [svc.Store].
type Store struct {
	records
	path    string
	clock   func() time.Time
	files   fs.FS // the migrations
	knows   int64 // the version that they lead to
	readers *pool
	writers *pool
	full    diskfull.Recent
}

var _ svc.Store = (*Store)(nil)

// Option changes how a Store is opened.
type Option func(*Store)

// WithClock makes the Store tell the time by clock instead of time.Now.
func WithClock(clock func() time.Time) Option {
	return func(s *Store) { s.clock = clock }
}

// Open opens the database file, makes it when there is none, and brings its
// schema up to date. It refuses a file that is no SQLite database, one of
// another program, and one whose schema is newer than this program and does not
// allow it any more.
func Open(ctx context.Context, path string, opts ...Option) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	s := &Store{path: path, clock: time.Now, files: ownMigrations()}
	for _, o := range opts {
		o(s)
	}
	if s.knows, err = migrate(ctx, path, s.files); err != nil {
		return nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	s.records = records{s}
	s.readers = newPool(path, readConnections(), readPragmas)
	s.writers = newPool(path, 1, writePragmas)
	if err := s.Ping(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Tx implements [svc.Store]. It runs fn once: the write lock is held before fn
// begins, so there is nothing that a second run would do better.
func (s *Store) Tx(ctx context.Context, fn func(svc.Records) error) error {
	return s.write(ctx, func(c *conn) error {
		t := &tx{conn: c, clock: s.clock}
		defer func() { t.over = true }()
		return fn(records{t})
	})
}

// TxLocked implements [svc.Store]: here every transaction has the write lock.
func (s *Store) TxLocked(ctx context.Context, fn func(svc.Records) error) error { return s.Tx(ctx, fn) }

// Ping implements [svc.Store]. A newer program may have changed the schema under
// this one: then it says whether this one may go on. A file that had no room for a write
// lately cannot be used.
func (s *Store) Ping(ctx context.Context) error {
	err := sqlshared.CheckSchema(ctx, s, s.knows)
	if err == nil {
		err = s.full.Err()
	}
	return within("ask the database "+s.path, err)
}

// Close waits for the steps and transactions that are running, and closes the
// database. Steps that come later fail.
func (s *Store) Close() error {
	return errors.Join(s.readers.close(), s.writers.close())
}

func (s *Store) read(ctx context.Context, step func(*conn) error) error {
	return s.readers.lend(ctx, step)
}

func (s *Store) write(ctx context.Context, step func(*conn) error) error {
	err := s.writers.lend(ctx, func(c *conn) error {
		if err := c.begin(ctx); err != nil {
			return err
		}
		defer c.rollback() // of what is not committed, also when step panics
		if err := step(c); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := c.exec("COMMIT")
		return err
	})
	if isFull(err) {
		s.full.Note()
	}
	return err
}

func (s *Store) now() time.Time { return wholeMillis(s.clock()) }

// runner is where a step runs: alone on the Store, or in a transaction.
type runner interface {
	// read runs a step that changes nothing.
	read(ctx context.Context, step func(*conn) error) error
	// write runs a step with the write lock held.
	write(ctx context.Context, step func(*conn) error) error
	// now reads the clock.
	now() time.Time
}

// tx is the runner of the steps in one transaction.
type tx struct {
	conn  *conn
	clock func() time.Time
	over  bool
}

func (t *tx) read(ctx context.Context, step func(*conn) error) error { return t.write(ctx, step) }

func (t *tx) write(ctx context.Context, step func(*conn) error) error {
	if t.over {
		return errors.New("a step was called after its transaction had ended")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return step(t.conn)
}

func (t *tx) now() time.Time { return wholeMillis(t.clock()) }

// records are the steps, noun by noun, on one runner. They implement [sqlshared.DB],
// for the steps that are the same in every database.
type records struct{ runner }

func (r records) Accounts() svc.Accounts { return accounts{r.runner, sqlshared.Accounts{DB: r}} }
func (r records) Keys() svc.Keys         { return keys{sqlshared.Keys{DB: r}} }
func (r records) Projects() svc.Projects { return projects{r.runner, sqlshared.Projects{DB: r}} }
func (r records) Bundles() svc.Bundles   { return bundles{r.runner, sqlshared.Bundles{DB: r}} }
func (r records) Runs() svc.Runs         { return runs{r.runner, sqlshared.Runs{DB: r}} }
func (r records) Windows() svc.Windows   { return windows{r} }
func (r records) Ledger() svc.BlobLedger { return ledger{r.runner, sqlshared.Ledger{DB: r}} }
func (r records) Jobs() svc.Jobs         { return sqlshared.Jobs{DB: r} }
func (r records) Workers() svc.Workers   { return sqlshared.Workers{DB: r} }
func (r records) Sessions() svc.Sessions { return sessions{r.runner, sqlshared.Sessions{DB: r}} }
func (r records) Links() svc.Links       { return links{r.runner, sqlshared.Links{DB: r}} }
func (r records) GuessLog() svc.GuessLog { return guessLog{r.runner, sqlshared.GuessLog{DB: r}} }
func (r records) Passkeys() svc.Passkeys { return passkeys{sqlshared.Passkeys{DB: r}} }
func (r records) Usage() svc.Usage       { return sqlshared.Usage{DB: r, ByDay: usageByDay} }

func (r records) Idempotencies() svc.Idempotencies { return idempotencies{r} }
func (r records) Challenges() svc.Challenges       { return sqlshared.Challenges{DB: r} }
func (r records) CertificateFiles() svc.CertificateFiles {
	return sqlshared.CertificateFiles{DB: r}
}
func (r records) Attestations() svc.Attestations { return sqlshared.Attestations{DB: r} }
func (r records) Audit() svc.Audit               { return audit{r.runner, sqlshared.Audit{DB: r}} }

func (r records) Identities() svc.Identities { return sqlshared.Identities{DB: r} }
func (r records) IdentityAttempts() svc.IdentityAttempts {
	return sqlshared.IdentityAttempts{DB: r}
}

func (r records) Now(ctx context.Context) (time.Time, error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	return r.now(), nil
}

// Row implements [sqlshared.DB].
func (r records) Row(ctx context.Context, query string, args, dest []any) error {
	return r.read(ctx, func(c *conn) error { return c.row(query, args, dest) })
}

// Query implements [sqlshared.DB].
func (r records) Query(ctx context.Context, query string, args []any, read func(sqlshared.Cursor) error) error {
	return r.read(ctx, func(c *conn) error { return c.query(query, args, read) })
}

// Exec implements [sqlshared.DB].
func (r records) Exec(ctx context.Context, query string, args ...any) (n int64, err error) {
	err = r.write(ctx, func(c *conn) error {
		n, err = c.exec(query, args...)
		return err
	})
	return n, err
}

// wholeMillis is the time as the records keep it.
func wholeMillis(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }
