package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/diskfull"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

// Store keeps the records in a database that many processes share. It
// implements [svc.Store].
type Store struct {
	records
	name  string
	pool  *pgxpool.Pool
	clock func() time.Time
	files fs.FS // the migrations
	knows int64 // the version that they lead to

	answerTimeout time.Duration // for each answer
	full          diskfull.Recent
}

var _ svc.Store = (*Store)(nil)

// Option changes how a Store is opened.
type Option func(*Store)

// WithClock makes the Store tell the time by clock instead of the database's.
func WithClock(clock func() time.Time) Option {
	return func(s *Store) { s.clock = clock }
}

// answerTimeout is how long an answer of the database is waited for. All questions
// are small; without a bound, those to a server that has left without a word
// would be waited for as long as the operating system keeps the connection.
const answerTimeout = 15 * time.Second

// connectTimeout bounds how long a server may take to accept a connection,
// unless the address has connect_timeout.
const connectTimeout = 10 * time.Second

// Check says whether an address can be understood, without going there.
func Check(address string) error {
	_, err := parse(address)
	return err
}

// pingAfter is how long a connection lies unused before it is asked whether it is still
// one. Idle workers look more often than that: each of their questions would be two.
const pingAfter = 5 * time.Second

func parse(address string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil { // pgx leaves the password out of it
		return nil, fmt.Errorf("the address of the database is not understood; it looks like postgres://user@host/database?sslmode=verify-full: %w", err)
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.ShouldPing = func(_ context.Context, c pgxpool.ShouldPingParams) bool { return c.IdleDuration > pingAfter }
	return config, nil
}

// Open opens the database at an address such as
// postgres://user:password@host:5432/name?sslmode=verify-full&pool_max_conns=20
// and brings its schema up to date. It refuses a database of another program,
// and one whose schema is newer than this program and does not allow it any
// more.
func Open(ctx context.Context, address string, opts ...Option) (*Store, error) {
	config, err := parse(address)
	if err != nil {
		return nil, err
	}
	s := &Store{
		name: fmt.Sprintf("%s on %s", config.ConnConfig.Database, config.ConnConfig.Host), files: ownMigrations(),
		answerTimeout: answerTimeout,
	}
	for _, o := range opts {
		o(s)
	}
	if err := adaptToPooler(ctx, address, config.ConnConfig, s.answerTimeout); err != nil {
		return nil, fmt.Errorf("open the database %s: %w", s.name, err)
	}
	if s.knows, err = migrate(ctx, config.ConnConfig, s.files, s.answerTimeout); err != nil {
		return nil, fmt.Errorf("open the database %s: %w", s.name, err)
	}
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("open the database %s: %w", s.name, explain(ctx, err))
	}
	s.records = records{&runner{db: s.pool, clock: s.clock, answerTimeout: s.answerTimeout, full: &s.full}}
	if err := s.Ping(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Ping implements [svc.Store]. A newer program may have changed the schema under
// this one: then it says whether this one may go on. A database that had no room for a
// write lately cannot be used.
func (s *Store) Ping(ctx context.Context) error {
	err := sqlshared.CheckSchema(ctx, s, s.knows)
	if err == nil {
		err = s.full.Err()
	}
	return within("ask the database "+s.name, err)
}

// Close waits for the steps and transactions that are running, and closes the
// connections. Steps that come later fail.
func (s *Store) Close() error {
	s.pool.Close()
	return nil
}

// records are the steps, noun by noun, on one runner.
type records struct{ *runner }

func (r records) Accounts() svc.Accounts { return accounts{r.runner, sqlshared.Accounts{DB: r}} }
func (r records) Keys() svc.Keys         { return keys{r.runner, sqlshared.Keys{DB: r}} }
func (r records) Projects() svc.Projects { return projects{r.runner, sqlshared.Projects{DB: r}} }
func (r records) Bundles() svc.Bundles   { return bundles{r.runner, sqlshared.Bundles{DB: r}} }
func (r records) Runs() svc.Runs         { return runs{r.runner, sqlshared.Runs{DB: r}} }
func (r records) Windows() svc.Windows   { return windows(r) }
func (r records) Ledger() svc.BlobLedger { return ledger{r.runner, sqlshared.Ledger{DB: r}} }
func (r records) Jobs() svc.Jobs         { return sqlshared.Jobs{DB: r} }
func (r records) Workers() svc.Workers   { return sqlshared.Workers{DB: r} }
func (r records) Sessions() svc.Sessions { return sessions{r.runner, sqlshared.Sessions{DB: r}} }
func (r records) Links() svc.Links       { return links{r.runner, sqlshared.Links{DB: r}} }
func (r records) GuessLog() svc.GuessLog { return guessLog{r.runner, sqlshared.GuessLog{DB: r}} }

func (r records) Passkeys() svc.Passkeys { return passkeys{r.runner, sqlshared.Passkeys{DB: r}} }
func (r records) Usage() svc.Usage       { return sqlshared.Usage{DB: r, ByDay: usageByDay} }

func (r records) Idempotencies() svc.Idempotencies { return idempotencies(r) }
func (r records) Challenges() svc.Challenges       { return sqlshared.Challenges{DB: r} }
func (r records) CertificateFiles() svc.CertificateFiles {
	return sqlshared.CertificateFiles{DB: r}
}

func (r records) Attestations() svc.Attestations {
	return attestations{r.runner, sqlshared.Attestations{DB: r}}
}

func (r records) Audit() svc.Audit           { return audit{r.runner, sqlshared.Audit{DB: r}} }
func (r records) Identities() svc.Identities { return sqlshared.Identities{DB: r} }
func (r records) IdentityAttempts() svc.IdentityAttempts {
	return sqlshared.IdentityAttempts{DB: r}
}

func (r records) Now(ctx context.Context) (time.Time, error) {
	if r.clock != nil {
		return r.at(0), ctx.Err()
	}
	if r.tx != nil {
		now, err := r.tx.now(ctx)
		return now, within("read the clock", err)
	}
	var ms int64
	if err := r.Row(ctx, `SELECT `+clockMillis, nil, []any{&ms}); err != nil {
		return time.Time{}, within("read the clock", err)
	}
	return r.at(ms), nil
}
