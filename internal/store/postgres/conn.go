package postgres

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/sleep"
	"github.com/bundle-delivery/svc/internal/store/column"
	"github.com/bundle-delivery/svc/internal/store/diskfull"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

// querier is what statements are sent to: the pool, or a connection.
type querier interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// runner is where steps run: alone on the pool, or in a transaction. It implements
// [sqlshared.DB], for the steps that are the same in every database.
type runner struct {
	db            querier
	clock         func() time.Time // nil: the database's
	answerTimeout time.Duration    // for each question
	full          *diskfull.Recent
	tx            *transaction // nil: each step is one alone
}

// try runs a step: in a transaction once, alone until no race comes between.
func (r *runner) try(ctx context.Context, step func() error) error {
	if r.tx == nil {
		return noteFull(r.full, retryRaces(ctx, func() error { return explain(ctx, step()) }))
	}
	return r.tx.try(ctx, step)
}

// withTimeout is the context of one question: a database that has gone silent is
// given up, and the connection with it.
func withTimeout(ctx context.Context, answerTimeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, answerTimeout, errSilent)
}

// Exec implements [sqlshared.DB]: it runs a statement and returns how many rows it
// changed.
func (r *runner) Exec(ctx context.Context, query string, args ...any) (n int64, err error) {
	err = r.batch(ctx, func(b *pgx.Batch) {
		b.Queue(query, args...).Exec(func(tag pgconn.CommandTag) error {
			n = tag.RowsAffected()
			return nil
		})
	})
	return n, err
}

// later runs a statement whose outcome nobody waits for: in a transaction it goes
// with the next one, or with the end, and costs no round trip. What refused makes
// of the number of rows that it changed ends the transaction.
func (r *runner) later(ctx context.Context, refused func(n int64) error, query string, args ...any) error {
	if r.tx == nil {
		n, err := r.Exec(ctx, query, args...)
		if err == nil {
			err = refused(n)
		}
		return err
	}
	return r.tx.putOff(ctx, func(b *pgx.Batch) {
		b.Queue(query, args...).Exec(func(tag pgconn.CommandTag) error { return refused(tag.RowsAffected()) })
	})
}

// changed refuses a statement that was to change a row.
func changed(doing string) func(n int64) error {
	return func(n int64) error { return within(doing, sqlshared.Changed(n, nil)) }
}

// Row implements [sqlshared.DB]: it reads the first row of a query into the
// destinations. svc.ErrNotFound when there is none.
func (r *runner) Row(ctx context.Context, query string, args, dest []any) error {
	return r.batch(ctx, func(b *pgx.Batch) {
		b.Queue(query, args...).QueryRow(func(row pgx.Row) error { return row.Scan(dest...) })
	})
}

// Query implements [sqlshared.DB]: it passes the rows of a query to read.
func (r *runner) Query(ctx context.Context, query string, args []any, read func(sqlshared.Cursor) error) error {
	return r.batch(ctx, func(b *pgx.Batch) {
		b.Queue(query, args...).Query(func(found pgx.Rows) error {
			defer found.Close()
			return read(found)
		})
	})
}

// batch sends statements in one round trip; they happen as one. Each sees
// what those before it did, and alone also what others have committed by then.
func (r *runner) batch(ctx context.Context, fill func(*pgx.Batch)) error {
	ctx, cancel := withTimeout(ctx, r.answerTimeout)
	defer cancel()
	return r.try(ctx, func() error {
		b := &pgx.Batch{}
		if r.tx != nil {
			return r.tx.send(ctx, b, fill)
		}
		fill(b)
		return r.db.SendBatch(ctx, b).Close()
	})
}

// insert runs a statement that looks for the owner of a new record and inserts
// it: the query tells how many owners it found and how many rows it made.
func (r *runner) insert(ctx context.Context, query string, args ...any) error {
	var owners, made int64
	if err := r.Row(ctx, query, args, []any{&owners, &made}); err != nil {
		return err
	}
	return inserted(owners, made)
}

// insertLater is insert as a statement whose outcome nobody waits for.
func (r *runner) insertLater(ctx context.Context, doing, query string, args ...any) error {
	if r.tx == nil {
		return within(doing, r.insert(ctx, query, args...))
	}
	return r.tx.putOff(ctx, func(b *pgx.Batch) {
		b.Queue(query, args...).QueryRow(func(row pgx.Row) error {
			var owners, made int64
			err := row.Scan(&owners, &made)
			if err == nil {
				err = inserted(owners, made)
			}
			return within(doing, err)
		})
	})
}

func inserted(owners, made int64) error {
	switch {
	case owners == 0:
		return svc.ErrNotFound
	case made == 0:
		return svc.ErrConflict
	}
	return nil
}

// ownedByAccount makes a statement for insert: the account with id $1 is locked
// against deletion. The INSERT selects from owner.
func ownedByAccount(insert string) string {
	return `WITH owner AS (SELECT id FROM accounts WHERE id = $1 FOR KEY SHARE), made AS (` + insert + ` ON CONFLICT DO NOTHING RETURNING 1)
SELECT (SELECT count(*) FROM owner), (SELECT count(*) FROM made)`
}

const (
	// tries is how often work is done again that raced with other work: each
	// time at least one of those that raced is done.
	tries = 60
	// longestPause bounds the wait between two tries.
	longestPause = 100 * time.Millisecond
)

// retryRaces does work until no race voids it, within bounds.
func retryRaces(ctx context.Context, work func() error) error {
	pause := time.Millisecond
	for try := 1; ; try++ {
		err := work()
		if err == nil || !isRace(err) || try == tries {
			return err
		}
		if sleep.For(ctx, rand.N(pause)) != nil { //nolint:gosec // spreads waits, guards nothing
			return explain(ctx, err)
		}
		pause = min(2*pause, longestPause)
	}
}

// clockMillis is the database's clock, in whole milliseconds.
const clockMillis = `floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

// at is the time of a step: the injected clock's, or what the database's
// clock said in the step.
func (r *runner) at(databaseClock int64) time.Time {
	if r.clock != nil {
		return column.FromMillis(r.clock().UnixMilli())
	}
	return column.FromMillis(databaseClock)
}
