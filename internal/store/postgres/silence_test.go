//go:build unix

package postgres

import (
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/stdlib"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/faultproxy"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// begun has a transaction ask its first question.
func begun(t *testing.T) func(svc.Records) error {
	t.Helper()
	return func(r svc.Records) error { _, err := r.Now(t.Context()); return err }
}

// A server that leaves without a word is given up, wherever it was being asked;
// once it can be reached again, so can the records.
func TestASilentDatabaseIsGivenUp(t *testing.T) {
	cluster := pgtest.Start(t)
	direct := cluster.Address(cluster.Database(t))
	address, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	way, err := faultproxy.Listen(t.Context(), "unix", filepath.Join(address.Query().Get("host"), ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := way.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := Open(t.Context(), "postgres://svc@"+way.Address()+address.Path+"?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	// Making the schema may take its time; from here on every question is small.
	s.answerTimeout = time.Second
	s.records = records{&runner{db: s.pool, clock: s.clock, answerTimeout: s.answerTimeout}}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	refused := errors.New("as a use case refuses")
	silence := func() { way.Set(faultproxy.Fault{Silent: true}) }
	for name, ask := range map[string]func() error{
		"a step":        func() error { silence(); return s.Accounts().SetPlan(t.Context(), "nobody", svc.PlanHobby) },
		"a row":         func() error { silence(); return s.Ping(t.Context()) },
		"a transaction": func() error { silence(); return s.Tx(t.Context(), begun(t)) },
		"a step of a transaction": func() error {
			return s.Tx(t.Context(), func(r svc.Records) error {
				silence()
				_, err := r.Now(t.Context())
				return err
			})
		},
		"a commit": func() error {
			return s.Tx(t.Context(), func(r svc.Records) error { err := begun(t)(r); silence(); return err })
		},
		"a refusal": func() error {
			if err := s.Tx(t.Context(), func(r svc.Records) error { err := begun(t)(r); silence(); return errors.Join(err, refused) }); !errors.Is(err, refused) {
				return err
			}
			return errSilent // what was to be told was told
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := ask(); !errors.Is(err, errSilent) {
				t.Errorf("it ends with %v, want that the database is silent", err)
			}
			way.Set(faultproxy.Fault{})
			err := s.Ping(t.Context())
			for try := 0; errors.Is(err, errSilent) && try < 20; try++ { // this machine may be slow
				err = s.Ping(t.Context())
			}
			if err != nil {
				t.Errorf("after the silence: %v", err)
			}
		})
	}
}

// The questions at the start are given up as well, before there is a Store.
func TestASilentDatabaseIsGivenUpAtTheStart(t *testing.T) {
	cluster := pgtest.Start(t)
	address, err := url.Parse(cluster.Address(cluster.Database(t)))
	if err != nil {
		t.Fatal(err)
	}
	way, err := faultproxy.Listen(t.Context(), "unix", filepath.Join(address.Query().Get("host"), ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := way.Close(); err != nil {
			t.Error(err)
		}
	})
	const answerTimeout = 300 * time.Millisecond
	for name, ask := range map[string]func(db *sql.DB) error{
		"the version": func(db *sql.DB) error { _, err := schemaVersion(t.Context(), db, answerTimeout); return err },
		"the terms":   func(db *sql.DB) error { _, err := terms(t.Context(), db, 1, answerTimeout); return err },
		"the turn": func(db *sql.DB) error {
			return alone(t.Context(), db, answerTimeout, func() error { return errors.New("it got the turn of a silent database") })
		},
	} {
		t.Run(name, func(t *testing.T) {
			way.Set(faultproxy.Fault{})
			config, err := parse("postgres://svc@" + way.Address() + address.Path + "?sslmode=disable")
			if err != nil {
				t.Fatal(err)
			}
			db := stdlib.OpenDB(*config.ConnConfig)
			t.Cleanup(func() { _ = db.Close() }) // its connection was given up
			if err := db.PingContext(t.Context()); err != nil {
				t.Fatal(err)
			}
			way.Set(faultproxy.Fault{Silent: true})
			if err := ask(db); !errors.Is(err, errSilent) {
				t.Errorf("it ends with %v, want that the database is silent", err)
			}
		})
	}
}
