package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/bundle-delivery/svc/internal/sleep"
)

const (
	// lockTimeout is how long a write transaction waits for another process
	// to end its own.
	lockTimeout = 10 * time.Second
	// The pauses between two attempts to take the write lock grow from the
	// first to the last: short, because SQLite wakes nobody when it is free.
	firstPause = 500 * time.Microsecond
	lastPause  = 20 * time.Millisecond
)

// Every connection waits a little by itself where SQLite needs a lock in
// passing, for instance to recover after a crash.
var (
	readPragmas  = []string{"busy_timeout = 5000", "foreign_keys = 1", "query_only = 1"}
	writePragmas = []string{"busy_timeout = 20", "foreign_keys = 1", "synchronous = FULL", "journal_size_limit = 67108864", "cache_size = -4096"}
)

// readConnections is how many steps may read at once: a few more than there are
// processors, for those that wait for the disk.
func readConnections() int { return max(4, 2*runtime.GOMAXPROCS(0)) }

// pool lends connections to whoever comes first: the Go runtime serves receivers
// of a channel in the order in which they came.
type pool struct {
	path    string
	pragmas []string
	conns   chan *conn // nil stands for one that is still to be opened
	closed  chan struct{}
	once    sync.Once
}

func newPool(path string, size int, pragmas []string) *pool {
	p := &pool{path: path, pragmas: pragmas, conns: make(chan *conn, size), closed: make(chan struct{})}
	for range size {
		p.conns <- nil
	}
	return p
}

// take waits for a connection.
func (p *pool) take(ctx context.Context) (c *conn, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case c = <-p.conns:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
		return nil, errors.New("the database is closed")
	}
	if c == nil {
		if c, err = dial(p.path, p.pragmas...); err != nil {
			p.conns <- nil
		}
	}
	return c, err
}

// give takes a connection back, unless it cannot be trusted any more.
func (p *pool) give(c *conn) {
	if c.failure != nil {
		_ = c.raw.Close() // the failure has been reported; closing adds nothing to it
		c = nil
	}
	p.conns <- c
}

// lend has a step use a connection.
func (p *pool) lend(ctx context.Context, step func(*conn) error) error {
	c, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer p.give(c)
	return step(c)
}

// close waits until every connection is back, and closes them.
func (p *pool) close() (err error) {
	p.once.Do(func() {
		close(p.closed)
		for range cap(p.conns) {
			if c := <-p.conns; c != nil {
				err = errors.Join(err, c.raw.Close())
			}
		}
	})
	return err
}

// begin takes the write lock. Another process may hold it: then begin asks
// again until it is free, for lockTimeout at most.
func (c *conn) begin(ctx context.Context) error {
	deadline := time.Now().Add(lockTimeout)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		_, err := c.exec("BEGIN IMMEDIATE")
		if resultCode(err).ToPrimary() != sqlite.ResultBusy {
			return err
		}
		c.failure = nil // nothing had begun that could be void
		if time.Now().After(deadline) {
			return fmt.Errorf("another process has held the database's write lock for %v; see whether one hangs, then try again: %w", lockTimeout, err)
		}
		if err := sleep.For(ctx, pause); err != nil {
			return err
		}
	}
}

// rollback ends the transaction if one is open. When it fails, the connection is
// not used again, and closing it rolls back.
func (c *conn) rollback() {
	if c.failure == nil && !c.raw.AutocommitEnabled() {
		_, _ = c.exec("ROLLBACK") // which notes the failure
	}
}
