//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

func open(t *testing.T, address string) *Store {
	t.Helper()
	s, err := Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// addAccount makes an account with a project.
func addAccount(t *testing.T, s *Store) (accountID, projectID string) {
	t.Helper()
	a := svc.Account{ID: svc.NewAccountID(), Plan: svc.PlanHobby, CreatedAt: time.UnixMilli(1)}
	a.Email = a.ID + "@example.com"
	p := svc.Project{ID: svc.NewProjectID(), AccountID: a.ID, CreatedAt: time.UnixMilli(1), UpdatedAt: time.UnixMilli(1)}
	if err := errors.Join(s.Accounts().Insert(t.Context(), a), s.Projects().Insert(t.Context(), p)); err != nil {
		t.Fatal(err)
	}
	return a.ID, p.ID
}

func newRun(accountID, projectID string) svc.Run {
	return svc.Run{ID: svc.NewGenerationID(), AccountID: accountID, ProjectID: projectID, Prompt: "x", CreatedAt: time.UnixMilli(2)}
}

// Promise: store-without-room, queries-indexed, batches-leased, worker-wake
func TestStore(t *testing.T) {
	cluster := pgtest.Start(t)

	t.Run("refuses what it cannot use, and changes nothing there", func(t *testing.T) {
		newer, other := cluster.Database(t), cluster.Database(t)
		open(t, cluster.Address(newer))
		cluster.SQL(t, newer, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9001, true)`)
		cluster.SQL(t, other, `CREATE TABLE songs (title TEXT)`)
		files, err := migrations.ReadDir("migrations")
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			name, address string
			want          []string
		}{
			{"a newer schema", cluster.Address(newer), []string{"9001", fmt.Sprintf("up to %d", len(files)), "newer program"}},
			{"another program's database", cluster.Address(other), []string{"another program", "database of its own"}},
			{"a database that does not exist", cluster.Address("nowhere"), []string{"nowhere", "createdb"}},
			{"a server that does not answer", "postgres://u:hidden@127.0.0.1:1/x", []string{"127.0.0.1"}},
			{"no address", "mysql://u:hidden@h/x", []string{"postgres://user@host/database"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				s, err := Open(t.Context(), test.address)
				if err == nil {
					_ = s.Close()
					t.Fatal("opened")
				}
				for _, want := range test.want {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("error %q does not say %q", err, want)
					}
				}
				if strings.Contains(err.Error(), "hidden") {
					t.Errorf("error %q tells the password", err)
				}
			})
		}
		cluster.SQL(t, other, `DO $$ BEGIN IF (SELECT count(*) FROM pg_tables WHERE schemaname = 'public') <> 1 THEN RAISE 'changed'; END IF; END $$`)
	})

	t.Run("tells the database's time, after the lock", func(t *testing.T) {
		s := open(t, cluster.Address(cluster.Database(t)))
		accountID, _ := addAccount(t, s)
		before, err := s.Now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var unlocked time.Time
		waited := make(chan svc.Window, 1)
		lock := func(then func(svc.Window) error) error {
			return s.Tx(t.Context(), func(r svc.Records) error {
				w, err := r.Windows().Lock(t.Context(), accountID, svc.OpDownload)
				return errors.Join(err, then(w))
			})
		}
		if err := lock(func(svc.Window) error { return nil }); err != nil { // the window is there from now on
			t.Fatal(err)
		}
		if err := lock(func(w svc.Window) error {
			if w.Now.Before(before) || w.Now.Location() != time.UTC {
				t.Errorf("locked at %v, after %v", w.Now, before)
			}
			go func() {
				var got svc.Window
				if err := lock(func(w svc.Window) error { got = w; return nil }); err != nil {
					t.Error(err)
				}
				waited <- got
			}()
			awaitLockWaiter(t, s)
			unlocked, err = s.Now(t.Context())
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if w := <-waited; w.Now.Before(unlocked) {
			t.Errorf("the one who waited has the time %v, and the lock was free only at %v", w.Now, unlocked)
		}
	})

	t.Run("holds a limit that transactions only count", func(t *testing.T) {
		s := open(t, cluster.Address(cluster.Database(t)))
		const hands, depth = 8, 3
		var full atomic.Int32
		var wg sync.WaitGroup
		for range hands {
			accountID, projectID := addAccount(t, s)
			wg.Go(func() {
				errFull := errors.New("full")
				err := s.Tx(t.Context(), func(r svc.Records) error {
					n, err := r.Runs().Waiting(t.Context(), accountID)
					if err != nil {
						return err
					}
					if n.All >= depth {
						return errFull
					}
					return r.Runs().Insert(t.Context(), newRun(accountID, projectID))
				})
				if errors.Is(err, errFull) {
					full.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		n, err := s.Runs().Waiting(t.Context(), "")
		if err != nil || n.All != depth || full.Load() != hands-depth {
			t.Errorf("%d runs wait and %d were refused (%v), want %d and %d", n.All, full.Load(), err, depth, hands-depth)
		}
	})

	t.Run("goes on after the server has crashed and come back", func(t *testing.T) {
		s := open(t, cluster.Address(cluster.Database(t)))
		accountID, _ := addAccount(t, s)
		cluster.Restart(t)
		var err error
		for range 20 { // connections that died with it are found out one by one
			if _, err = s.Accounts().Get(t.Context(), accountID); err == nil {
				break
			}
		}
		if err != nil {
			t.Errorf("the records cannot be asked: %v", err)
		}
	})

	t.Run("says which text cannot be stored", func(t *testing.T) {
		s := open(t, cluster.Address(cluster.Database(t)))
		accountID, projectID := addAccount(t, s)
		r := newRun(accountID, projectID)
		r.Prompt = "a\x00b"
		if err := s.Runs().Insert(t.Context(), r); svc.CodeOf(err) != svc.CodeInvalidRequest {
			t.Errorf("error %v", err)
		}
	})

	t.Run("ends a transaction with the error that voided it, whatever fn says", func(t *testing.T) {
		s := open(t, cluster.Address(cluster.Database(t)))
		accountID, projectID := addAccount(t, s)
		bad := newRun(accountID, projectID)
		bad.Prompt = "\x00"
		var kept *runner
		err := s.Tx(t.Context(), func(r svc.Records) error {
			if in, ok := r.(records); ok {
				kept = in.runner
			}
			_ = r.Runs().Insert(t.Context(), bad)
			return r.Runs().Insert(t.Context(), newRun(accountID, projectID))
		})
		if svc.CodeOf(err) != svc.CodeInvalidRequest {
			t.Errorf("error %v", err)
		}
		if _, err := kept.Exec(t.Context(), `SELECT 1`); err == nil {
			t.Error("a step after the end of its transaction runs")
		}
	})

	t.Run("claims beside another who does, and waits for nobody", func(t *testing.T) {
		s := open(t, cluster.Address(cluster.Database(t)))
		busy, busyProject := addAccount(t, s)
		idle, idleProject := addAccount(t, s)
		first, later, other := newRun(busy, busyProject), newRun(busy, busyProject), newRun(idle, idleProject)
		later.CreatedAt, other.CreatedAt = time.UnixMilli(3), time.UnixMilli(4)
		if err := errors.Join(s.Runs().Insert(t.Context(), first), s.Runs().Insert(t.Context(), later), s.Runs().Insert(t.Context(), other)); err != nil {
			t.Fatal(err)
		}
		if err := s.Tx(t.Context(), func(r svc.Records) error {
			if got, err := r.Runs().Claim(t.Context(), time.UnixMilli(10), time.UnixMilli(20), 1); err != nil || len(got) != 1 || got[0].ID != first.ID {
				t.Errorf("claimed %v first (%v), want %s", got, err, first.ID)
			}
			// The first is held, and its project with it.
			got, err := s.Runs().Claim(t.Context(), time.UnixMilli(11), time.UnixMilli(21), 10)
			if err != nil || len(got) != 1 || got[0].ID != other.ID {
				t.Errorf("beside it %v were claimed (%v), want %s", got, err, other.ID)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	})

	t.Run("claims without reading all that run", func(t *testing.T) {
		s := open(t, cluster.Address(cluster.Database(t)))
		fillRunning(t, s, 3000)
		plan, err := explainPlan(t.Context(), s, fmt.Sprintf(claimNext, 16))
		if err != nil {
			t.Fatal(err)
		}
		for _, index := range []string{"runs_queued on", "runs_one_a_project on", "runs_running_by_account on"} {
			if !strings.Contains(plan, index) {
				t.Errorf("%s is not used:\n%s", index, plan)
			}
		}
		if strings.Contains(plan, "runs_running on") || strings.Contains(plan, "Seq Scan on runs") || strings.Contains(plan, "Hash Join") || strings.Contains(plan, "Merge Join") {
			t.Errorf("all that run are read:\n%s", plan)
		}
	})

	// A plan that is made for each look would be most of what the look costs.
	t.Run("keeps the plans by which idle workers look", func(t *testing.T) {
		s := open(t, cluster.Address(cluster.Database(t))+"&pool_max_conns=1")
		fillRunning(t, s, 3000)
		const looks = 12
		for range looks {
			if lost, err := s.Runs().Retake(t.Context(), time.UnixMilli(-1), time.UnixMilli(10), 16); err != nil || len(lost) > 0 {
				t.Fatalf("%d runs were lost: %v", len(lost), err)
			}
			if queued, err := s.Runs().Claim(t.Context(), time.UnixMilli(1), time.UnixMilli(10), 16); err != nil || len(queued) > 0 {
				t.Fatalf("%d runs were queued: %v", len(queued), err)
			}
		}
		for name, like := range map[string]string{"lost": "%losses + 1%", "queued": "%WITH queue%"} {
			var kept, made int
			if err := s.pool.QueryRow(t.Context(),
				`SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE $1`, like).Scan(&kept, &made); err != nil {
				t.Fatal(err)
			}
			if kept < looks/2 {
				t.Errorf("of %d looks for what is %s %d made a plan of their own", looks, name, made)
			}
		}
	})

	t.Run("shows that there was no room for a write", func(t *testing.T) {
		name := cluster.Database(t)
		s, other := open(t, cluster.Address(name)), open(t, cluster.Address(name))
		cluster.SQL(t, name, `CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
			$$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
			CREATE TRIGGER no_room BEFORE INSERT ON accounts FOR EACH STATEMENT EXECUTE FUNCTION no_room()`)
		insert := func(r svc.Records) error {
			return r.Accounts().Insert(t.Context(), svc.Account{ID: svc.NewAccountID(), Email: "e", Plan: svc.PlanHobby})
		}
		for _, s := range []*Store{s, other} {
			if err := s.Ping(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for how, err := range map[string]error{"alone": insert(s), "in a transaction": other.TxLocked(t.Context(), insert)} {
			if !errors.Is(err, svc.ErrUnavailable) || !strings.Contains(err.Error(), "full") {
				t.Errorf("%s: %v", how, err)
			}
		}
		for _, s := range []*Store{s, other} {
			if err := s.Ping(t.Context()); !errors.Is(err, svc.ErrUnavailable) {
				t.Errorf("it can be used: %v", err)
			}
		}
	})

	t.Run("finds its rows by indexes, in their order", func(t *testing.T) {
		findsItsRowsByIndexes(t, open(t, cluster.Address(cluster.Database(t))))
	})
}

// awaitLockWaiter returns once somebody waits for a lock.
func awaitLockWaiter(t *testing.T, s *Store) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for {
		var waiting int
		if err := s.pool.QueryRow(ctx, `SELECT count(*) FROM pg_locks WHERE NOT granted`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		if waiting > 0 {
			return
		}
	}
}

// TestAQuestionOfAnIdleWorkerIsOneRoundTrip: a connection that lay unused for the time
// between two looks is not asked first whether it is there.
// Promise: worker-wake
func TestAQuestionOfAnIdleWorkerIsOneRoundTrip(t *testing.T) {
	config, err := parse("postgres://svc@localhost/svc")
	if err != nil {
		t.Fatal(err)
	}
	for idle, want := range map[time.Duration]bool{2500 * time.Millisecond: false, time.Minute: true} {
		if got := config.ShouldPing(t.Context(), pgxpool.ShouldPingParams{IdleDuration: idle}); got != want {
			t.Errorf("after %v it is asked: %v", idle, got)
		}
	}
}
