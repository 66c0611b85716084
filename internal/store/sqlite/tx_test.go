package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zombiezen.com/go/sqlite"

	svc "github.com/bundle-delivery/svc"
)

// fill makes the database as full as a disk would be: SQLite refuses to let it
// grow by more than a few pages.
func fill(t *testing.T, s *Store) {
	t.Helper()
	err := s.write(t.Context(), func(c *conn) error {
		var pages int
		if err := c.row(`PRAGMA page_count`, nil, []any{&pages}); err != nil {
			return err
		}
		return c.row(`PRAGMA max_page_count = `+strconv.Itoa(pages+2), nil, []any{&pages})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func insertAccount(t *testing.T, r svc.Records, id string) error {
	t.Helper()
	return r.Accounts().Insert(t.Context(), svc.Account{ID: id, Email: id, Plan: svc.PlanHobby, CreatedAt: time.Unix(0, 0)})
}

func accountIDs(t *testing.T, s *Store) (ids []string) {
	t.Helper()
	all, err := s.Accounts().List(t.Context(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		ids = append(ids, a.ID)
	}
	return ids
}

// Promise: store-without-room
func TestFullDiskLosesNothing(t *testing.T) {
	s := openNew(t)
	if err := insertAccount(t, s, "acct_before"); err != nil {
		t.Fatal(err)
	}
	large := svc.Project{ID: "proj_large", AccountID: "acct_before", Memory: strings.Repeat("m", 1<<20)}

	t.Run("alone", func(t *testing.T) {
		fill(t, s)
		err := s.Projects().Insert(t.Context(), large)
		if resultCode(err) != sqlite.ResultFull {
			t.Fatalf("error %v, want that the disk is full", err)
		}
		if !strings.Contains(err.Error(), "make room") {
			t.Errorf("error %q does not say what to do", err)
		}
		if err := s.Ping(t.Context()); !errors.Is(err, svc.ErrUnavailable) {
			t.Errorf("it can be used: %v", err)
		}
	})

	t.Run("in a transaction that takes no notice", func(t *testing.T) {
		fill(t, s)
		err := s.Tx(t.Context(), func(r svc.Records) error {
			if err := insertAccount(t, r, "acct_earlier"); err != nil {
				return err
			}
			if err := r.Projects().Insert(t.Context(), large); err == nil {
				t.Error("a full disk takes a megabyte")
			}
			// SQLite may have rolled back: this step must not be committed alone.
			if err := insertAccount(t, r, "acct_later"); err == nil {
				t.Error("a step goes through after the transaction is void")
			}
			return nil
		})
		if resultCode(err) != sqlite.ResultFull {
			t.Errorf("error %v, want that the disk is full", err)
		}
	})

	if got, want := accountIDs(t, s), []string{"acct_before"}; !slices.Equal(got, want) {
		t.Errorf("accounts %v, want %v", got, want)
	}
	// Once there is room, the same request goes through.
	if err := s.Projects().Insert(t.Context(), large); err != nil {
		t.Error(err)
	}
}

func TestStepsAfterTheirTransactionFail(t *testing.T) {
	s := openNew(t)
	var kept svc.Records
	if err := s.Tx(t.Context(), func(r svc.Records) error {
		kept = r
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := insertAccount(t, kept, "acct_late"); err == nil {
		t.Error("a step goes through after its transaction")
	}
	if got := accountIDs(t, s); len(got) != 0 {
		t.Errorf("accounts %v, want none", got)
	}
}

// Another process is played by another store: SQLite locks are the same.
func TestWaitingForAnotherProcessEndsWithTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svc.db")
	s, other := openFile(t, path), openFile(t, path)
	err := other.Tx(t.Context(), func(svc.Records) error {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		err := s.Tx(ctx, func(svc.Records) error {
			t.Error("two transactions hold the write lock")
			return nil
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the context's", err)
		}
		_, err = s.Accounts().Count(t.Context()) // readers do not wait
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if err := insertAccount(t, s, "acct_after"); err != nil {
		t.Error(err)
	}
}

func TestWritersAreServedInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pool{conns: make(chan *conn, 1), closed: make(chan struct{})}
		held := &conn{}
		var order []int
		for i := range 20 {
			go func() {
				c, err := p.take(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, i)
				p.give(c)
			}()
			synctest.Wait() // i stands in the queue now
		}
		p.give(held)
		synctest.Wait()
		if len(order) != 20 || !slices.IsSorted(order) {
			t.Errorf("served in the order %v", order)
		}
	})
}

func TestCloseWaitsForTransactions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svc.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	err = s.Tx(t.Context(), func(r svc.Records) error {
		go func() { closed <- s.Close() }()
		<-s.readers.closed
		return insertAccount(t, r, "acct_last")
	})
	if err := errors.Join(err, <-closed); err != nil {
		t.Fatal(err)
	}
	if got := accountIDs(t, openFile(t, path)); !slices.Equal(got, []string{"acct_last"}) {
		t.Errorf("accounts %v, want the last", got)
	}
}

// Whoever cannot be counted is not admitted.
func TestALimitThatCannotBeReadIsAnError(t *testing.T) {
	s := openNew(t)
	alter(t, s.path, `DROP TABLE limit_windows`)
	_ = s.Tx(t.Context(), func(r svc.Records) error {
		w, err := r.Windows().Lock(t.Context(), "acct", svc.OpDownload)
		if err == nil {
			t.Errorf("it is %+v", w)
		}
		return err
	})
}
