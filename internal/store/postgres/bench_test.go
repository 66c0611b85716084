//go:build unix

package postgres

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// manyRuns is how many run at a time in the model of docs/scale.md.
const manyRuns = 100_000

// fillRunning adds runs that run, ten for each account and one for each project.
func fillRunning(t testing.TB, s *Store, n int) {
	t.Helper()
	for _, query := range []string{
		`INSERT INTO accounts (id, email, plan, password_hash, admin, created_at, pending_bytes)
		 SELECT 'acct_' || i, i || '@example.com', 'hobby', '', false, 1, 0 FROM generate_series(0, ($1::int - 1) / 10) AS i`,
		`INSERT INTO projects (id, account_id, name, created_at, updated_at, revision, pack_blob, pack_files, pack_bytes, pack_size, pack_sha256, state, memory, memory_revision)
		 SELECT 'proj_' || i, 'acct_' || i / 10, '', 1, 1, 0, '', 0, 0, 0, '', '{}', '', 0 FROM generate_series(0, $1::int - 1) AS i`,
		`INSERT INTO runs (id, account_id, project_id, prompt, constraints, status, epoch, lease, losses, bundle_id, last_event, untold, created_at, started_at)
		 SELECT 'gen_' || i, 'acct_' || i / 10, 'proj_' || i, repeat('make a program ', 10), '{}', 'running', 1, i, 0, '', 0, false, i, i
		 FROM generate_series(0, $1::int - 1) AS i`,
	} {
		if _, err := s.pool.Exec(t.Context(), query, n); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.pool.Exec(t.Context(), `VACUUM ANALYZE`, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
}

// crowd is a database in which many runs run. One store has one connection, of
// which the processor time at the server is known; the other is for what is not
// measured.
func crowd(b *testing.B) (measured, other *Store, spent func() time.Duration) {
	b.Helper()
	cluster := pgtest.Start(b)
	address := cluster.Address(cluster.Database(b))
	stores := make([]*Store, 2)
	for i := range stores {
		s, err := Open(b.Context(), address+"&pool_max_conns=1")
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = s.Close() })
		stores[i] = s
	}
	fillRunning(b, stores[1], manyRuns)
	var pid int
	if err := stores[0].pool.QueryRow(b.Context(), `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
		b.Fatal(err)
	}
	return stores[0], stores[1], func() time.Duration {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		if err != nil {
			b.Skip("the processor time of the server is read from /proc: ", err)
		}
		var ns int64
		if _, err := fmt.Sscan(strings.Fields(string(text))[0], &ns); err != nil {
			b.Fatal(err)
		}
		return time.Duration(ns)
	}
}

// BenchmarkClaimAmong100000 claims from an empty queue and from one as deep as it may get
// by default, a run alone or as many as are taken at a time.
func BenchmarkClaimAmong100000(b *testing.B) {
	for _, test := range []struct{ depth, batch int }{{1, 1}, {100, 1}, {100, 16}} {
		depth, batch := test.depth, test.batch
		b.Run(fmt.Sprintf("queue=%d/batch=%d", depth, batch), func(b *testing.B) {
			s, other, spent := crowd(b)
			queue := func(i int) {
				project := svc.Project{ID: svc.NewProjectID(), AccountID: fmt.Sprintf("acct_%d", i%(manyRuns/10)), CreatedAt: time.UnixMilli(1), UpdatedAt: time.UnixMilli(1)}
				if err := other.Projects().Insert(b.Context(), project); err != nil {
					b.Fatal(err)
				}
				if err := other.Runs().Insert(b.Context(), newRun(project.AccountID, project.ID)); err != nil {
					b.Fatal(err)
				}
			}
			for i := range depth - batch {
				queue(i)
			}
			before, n := spent(), 0
			for b.Loop() {
				for i := range batch {
					queue(depth + n*batch + i)
				}
				n++
				if claimed, err := s.Runs().Claim(b.Context(), time.UnixMilli(10), time.UnixMilli(20), batch); err != nil || len(claimed) != batch {
					b.Fatalf("%d runs were claimed: %v", len(claimed), err)
				}
			}
			b.ReportMetric(float64((spent()-before).Microseconds())/float64(n), "server-µs/claim")
		})
	}
}

// BenchmarkRenewAmong100000 renews the leases of a process with 500 workers.
func BenchmarkRenewAmong100000(b *testing.B) {
	const workers = 500
	s, other, spent := crowd(b)
	written := func() (bytes int64) {
		if err := other.pool.QueryRow(b.Context(), `SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint`).Scan(&bytes); err != nil {
			b.Fatal(err)
		}
		return bytes
	}
	before, log, n := spent(), written(), 0
	for b.Loop() {
		claims := make([]svc.RunClaim, workers)
		for i := range claims {
			claims[i] = svc.RunClaim{ID: fmt.Sprintf("gen_%d", (n*workers+i)%manyRuns), Epoch: 1}
		}
		n++
		held, err := s.Runs().Renew(b.Context(), claims, time.UnixMilli(int64(1_000_000+n)))
		if err != nil || len(held) != workers {
			b.Fatalf("%d leases were renewed: %v", len(held), err)
		}
	}
	b.ReportMetric(float64((spent()-before).Microseconds())/float64(n*workers), "server-µs/run")
	b.ReportMetric(float64(written()-log)/float64(n*workers), "log-B/run")
}

// BenchmarkSpendAmong100000 notes what the runs of such a process have used.
func BenchmarkSpendAmong100000(b *testing.B) {
	const workers = 500
	s, _, spent := crowd(b)
	before, n := spent(), 0
	for b.Loop() {
		costs := make(map[svc.RunClaim]svc.Cost, workers)
		for i := range workers {
			costs[svc.RunClaim{ID: fmt.Sprintf("gen_%d", (n*workers+i)%manyRuns), Epoch: 1}] = svc.Cost{Model: "m", OutputTokens: int64(n)}
		}
		n++
		if err := s.Runs().SpendAll(b.Context(), costs); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((spent()-before).Microseconds())/float64(n*workers), "server-µs/run")
}

// BenchmarkRetakeAmong100000 looks for a lost run where there is none.
func BenchmarkRetakeAmong100000(b *testing.B) {
	s, _, spent := crowd(b)
	before, n := spent(), 0
	for b.Loop() {
		n++
		if lost, err := s.Runs().Retake(b.Context(), time.UnixMilli(-1), time.UnixMilli(10), 16); err != nil || len(lost) > 0 {
			b.Fatalf("%d runs were lost: %v", len(lost), err)
		}
	}
	b.ReportMetric(float64((spent()-before).Microseconds())/float64(n), "server-µs/look")
}
