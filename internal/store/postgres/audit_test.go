//go:build unix

package postgres

import (
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// Whoever asks the database itself cannot change the log either, by mistake.
// Promise: audit-append-only
func TestTheAuditLogIsOnlyAddedTo(t *testing.T) {
	cluster := pgtest.Start(t)
	s := open(t, cluster.Address(cluster.Database(t)))
	for i := range 3 {
		e := svc.AuditEntry{ID: string(rune('a' + i)), At: time.UnixMilli(int64(10 * (i + 1))), Action: svc.AuditSignedIn}
		if err := s.Audit().Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Audit().Prune(t.Context(), time.UnixMilli(20), 1); n != 1 || err != nil {
		t.Fatalf("%d pruned, %v", n, err)
	}
	for _, query := range []string{
		`UPDATE audit_log SET detail = 'x'`, `UPDATE audit_log SET at = 1 WHERE id = 'c'`,
		`DELETE FROM audit_log`, `DELETE FROM audit_log WHERE id = 'c'`, `TRUNCATE audit_log`,
		`INSERT INTO audit_log SELECT * FROM audit_log ON CONFLICT (id) DO UPDATE SET actor = 'eve'`,
		`UPDATE audit_horizon SET at = 19`, `DELETE FROM audit_horizon`, `TRUNCATE audit_horizon`,
	} {
		if _, err := s.pool.Exec(t.Context(), query); err == nil {
			t.Errorf("%s is possible", query)
		}
	}
	left, err := s.Audit().List(t.Context(), svc.AuditQuery{Limit: 10})
	if err != nil || len(left) != 2 || left[0].ID != "c" || left[0].Actor.Name != "" {
		t.Errorf("%+v, %v", left, err)
	}
	if _, err := s.pool.Exec(t.Context(), `DELETE FROM audit_log WHERE id = 'b'`); err != nil {
		t.Errorf("what is before the horizon cannot go: %v", err)
	}
}
