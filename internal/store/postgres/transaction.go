package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
)

// How transactions begin.
const (
	beginSerializable  = "begin isolation level serializable"
	beginReadCommitted = "begin isolation level read committed"
)

// transaction is one on a connection of its own. It begins with its first
// statement, in the same round trip, and ends with those that were put off.
type transaction struct {
	conn          querier
	isolation     string
	answerTimeout time.Duration
	begun         bool
	// started is the database's clock when the transaction began, and startedHere
	// this process's: what has passed since then it need not be asked.
	started     int64
	startedHere time.Time
	late        []func(*pgx.Batch) // statements that were put off
	// failure is the first error of the database, or the refusal of a statement
	// that was put off. It has ended the transaction, whatever is made of it.
	failure error
	over    bool
}

// check says why no further step can be taken.
func (t *transaction) check(ctx context.Context) error {
	if t.over {
		return errors.New("a step was called after its transaction had ended")
	}
	if t.failure != nil {
		return t.failure
	}
	return ctx.Err()
}

func (t *transaction) try(ctx context.Context, step func() error) error {
	if err := t.check(ctx); err != nil {
		return err
	}
	err := explain(ctx, step())
	if t.failure != nil {
		return t.failure
	}
	if err != nil && !errors.Is(err, svc.ErrNotFound) && !errors.Is(err, svc.ErrConflict) || stateOf(err) != "" {
		t.failure = err
	}
	return err
}

// putOff keeps a statement for the next round trip.
func (t *transaction) putOff(ctx context.Context, queue func(*pgx.Batch)) error {
	if err := t.check(ctx); err != nil {
		return err
	}
	t.late = append(t.late, queue)
	return nil
}

// send sends what begins the transaction, what was put off, and what fill adds.
func (t *transaction) send(ctx context.Context, b *pgx.Batch, fill func(*pgx.Batch)) error {
	if !t.begun {
		t.begun = true
		b.Queue(t.isolation)
		b.Queue(`SELECT ` + clockMillis).QueryRow(func(row pgx.Row) error {
			t.startedHere = time.Now()
			return row.Scan(&t.started)
		})
	}
	for _, queue := range t.late {
		queue(b)
	}
	// A refusal of these is nobody's who asks now.
	for _, q := range b.QueuedQueries {
		if check := q.Fn; check != nil {
			q.Fn = func(br pgx.BatchResults) error {
				err := check(br)
				if err != nil && t.failure == nil {
					t.failure = explain(ctx, err)
				}
				return err
			}
		}
	}
	t.late = nil
	fill(b)
	return t.conn.SendBatch(ctx, b).Close()
}

// now is the database's clock.
func (t *transaction) now(ctx context.Context) (time.Time, error) {
	if !t.begun {
		ctx, cancel := withTimeout(ctx, t.answerTimeout)
		defer cancel()
		err := t.try(ctx, func() error { return t.send(ctx, &pgx.Batch{}, func(*pgx.Batch) {}) })
		if err != nil {
			return time.Time{}, err
		}
	}
	if err := t.check(ctx); err != nil {
		return time.Time{}, err
	}
	return column.FromMillis(t.started + time.Since(t.startedHere).Milliseconds()), nil
}

// commit ends the transaction, with what was put off.
func (t *transaction) commit(ctx context.Context) error {
	if !t.begun && len(t.late) == 0 {
		return nil // it asked for nothing
	}
	ctx, cancel := withTimeout(ctx, t.answerTimeout)
	defer cancel()
	var ended string
	err := t.try(ctx, func() error {
		return t.send(ctx, &pgx.Batch{}, func(b *pgx.Batch) {
			b.Queue("commit").Exec(func(tag pgconn.CommandTag) error {
				ended = tag.String()
				return nil
			})
		})
	})
	if err == nil && ended != "COMMIT" {
		err = fmt.Errorf("the database ended the transaction with %q", ended)
	}
	if err == nil {
		t.begun = false // there is nothing to roll back
	}
	return err
}

// Tx implements [svc.Store]. It runs fn again, within bounds, when the database
// finds that other transactions came between.
func (s *Store) Tx(ctx context.Context, fn func(svc.Records) error) error {
	return noteFull(&s.full, retryRaces(ctx, func() error { return s.once(ctx, beginSerializable, fn) }))
}

// TxLocked implements [svc.Store]. Only a deadlock makes it run fn again.
func (s *Store) TxLocked(ctx context.Context, fn func(svc.Records) error) error {
	return noteFull(&s.full, retryRaces(ctx, func() error { return s.once(ctx, beginReadCommitted, fn) }))
}

func (s *Store) once(ctx context.Context, isolation string, fn func(svc.Records) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	conn, err := s.acquire(ctx)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	t := &transaction{conn: conn, isolation: isolation, answerTimeout: s.answerTimeout}
	// Of what is not committed, also when fn panics; the context may be over.
	defer func() {
		t.over = true
		if t.begun && !conn.Conn().IsClosed() {
			ctx, cancel := withTimeout(context.WithoutCancel(ctx), s.answerTimeout)
			defer cancel()
			_, _ = conn.Exec(ctx, "rollback") // a connection that is still in it is closed
		}
		conn.Release()
	}()
	err = fn(records{&runner{clock: s.clock, answerTimeout: s.answerTimeout, tx: t}})
	if t.failure != nil && (err == nil || isRace(t.failure)) {
		return t.failure // whatever fn made of it, the transaction is void
	}
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := t.commit(ctx); err != nil {
		return fmt.Errorf("commit a transaction: %w", err)
	}
	return nil
}

func (s *Store) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	ctx, cancel := withTimeout(ctx, s.answerTimeout)
	defer cancel()
	conn, err := s.pool.Acquire(ctx)
	return conn, explain(ctx, err)
}
