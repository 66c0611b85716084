//go:build unix

package pgmeter_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/bundle-delivery/svc/internal/testkit/pgmeter"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// Promise: metadata-round-trips
func TestMeterCountsRoundTripsAndNotStatements(t *testing.T) {
	m, err := pgmeter.Start(t.Context(), "unix", pgtest.Start(t).Socket())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	conn, err := pgx.Connect(t.Context(), "postgres://svc@"+m.Address()+"/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	cost := func(work func() error) int64 {
		t.Helper()
		before := m.Trips()
		if err := work(); err != nil {
			t.Fatal(err)
		}
		return m.Trips() - before
	}
	one := func() error { _, err := conn.Exec(t.Context(), "SELECT $1::int", 1); return err }
	if first, later := cost(one), cost(one); first != 2 || later != 1 {
		t.Errorf("a statement costs %d with its preparation and %d later, want 2 and 1", first, later)
	}
	batch := func() error {
		b := &pgx.Batch{}
		for range 5 {
			b.Queue("SELECT $1::int", 1)
		}
		return conn.SendBatch(t.Context(), b).Close()
	}
	if n := cost(batch); n != 1 {
		t.Errorf("five statements sent together cost %d", n)
	}
	transaction := func() error {
		return pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error { _, err := tx.Exec(t.Context(), "SELECT $1::int", 1); return err })
	}
	if n := cost(transaction); n != 3 {
		t.Errorf("a transaction with one statement costs %d", n)
	}
}
