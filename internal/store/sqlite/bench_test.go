package sqlite

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// The populations that latencies are compared between: with a thousand times as
// many bundles, a step may take half as long again, no more.
var populations = []int{1_000, 1_000_000}

// benchEpoch is when the bundles of a population were made.
var benchEpoch = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// populate fills a new database with n bundles, all pending, of a thousand
// accounts, by SQL alone: the steps would take minutes. The indexes on bundles
// are made again afterwards, which is much faster than filling them row by row.
func populate(b *testing.B, n int) *Store {
	b.Helper()
	path := filepath.Join(b.TempDir(), "svc.db")
	s := openFile(b, path)
	db, err := sql.Open("sqlite", path+"?_pragma=synchronous(OFF)&_pragma=cache_size(-200000)")
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	run := func(query string) {
		b.Helper()
		if _, err := db.ExecContext(b.Context(), query); err != nil {
			b.Fatal(err)
		}
	}
	var drop, create string
	err = db.QueryRowContext(b.Context(), `SELECT group_concat('DROP INDEX ' || name, ';'), group_concat(sql, ';')
		FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'bundles' AND sql IS NOT NULL`).Scan(&drop, &create)
	if err != nil {
		b.Fatal(err)
	}
	const accounts = 1000
	numbers := func(n int) string {
		return fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d) `, n-1)
	}
	run(drop)
	run(numbers(accounts) + fmt.Sprintf(`INSERT INTO accounts
		SELECT printf('acct_%%d', i), printf('%%d@example.com', i), 'developer', '', 0, 0, %d FROM n`, 100*n/accounts))
	run(numbers(accounts) + `INSERT INTO api_keys
		SELECT printf('key%05d', i), printf('acct_%d', i), '', zeroblob(32), 0, NULL, NULL, NULL FROM n`)
	run(numbers(accounts) + `INSERT INTO projects
		SELECT printf('proj_%d', i), printf('acct_%d', i), '', 0, 0, 0, '', 0, 0, 0, zeroblob(32), '{}', '', 0, NULL FROM n`)
	run(numbers(n) + fmt.Sprintf(`INSERT INTO bundles
		SELECT printf('%%08x-0000-7000-8000-%%012x', i, i), printf('acct_%%d', i %% %[1]d), printf('proj_%%d', i %% %[1]d), '',
		       'pending_download', 7, 100, zeroblob(32), printf('bundles/%%08x-0000-7000-8000-%%012x.zip', i, i),
		       %[2]d + i, %[2]d + 86400000 + i, NULL, NULL FROM n`, accounts, benchEpoch.UnixMilli()))
	run(create)
	run(fmt.Sprintf(`INSERT INTO bundle_tally VALUES (0, 'pending_download', %d, %d)`, n, 100*n))
	run(`PRAGMA wal_checkpoint(TRUNCATE)`) // so that no step pays for copying the population
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	return s
}

func bundleName(i int) string { return fmt.Sprintf("%08x-0000-7000-8000-%012x", i, i) }

func perPopulation(b *testing.B, run func(b *testing.B, s *Store, n int)) {
	for _, n := range populations {
		s := populate(b, n) // out here it is done once, whatever the number of rounds
		b.Run(fmt.Sprintf("bundles=%d", n), func(b *testing.B) { run(b, s, n) })
	}
}

func BenchmarkLatest(b *testing.B) {
	perPopulation(b, func(b *testing.B, s *Store, _ int) {
		for i := 0; b.Loop(); i++ {
			if _, err := s.Bundles().Latest(b.Context(), fmt.Sprintf("acct_%d", i%1000), ""); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkAcknowledge acknowledges as the service does: the state turns and
// the blob enters the ledger, in one transaction. A bundle is acknowledged once,
// so those that are used up are put back outside the time.
func BenchmarkAcknowledge(b *testing.B) {
	perPopulation(b, func(b *testing.B, s *Store, n int) {
		const stride = 7919 // prime: neighbours in time are far apart in the index
		batch := n / 2
		for i := 0; b.Loop(); i++ {
			if i == batch {
				b.StopTimer()
				putBack(b, s)
				i = 0
				b.StartTimer()
			}
			k := i * stride % n
			err := s.Tx(b.Context(), func(r svc.Records) error {
				before, err := r.Bundles().Acknowledge(b.Context(), fmt.Sprintf("acct_%d", k%1000), bundleName(k), benchEpoch)
				if err != nil {
					return err
				}
				if before.Status != svc.BundlePending {
					b.Fatalf("bundle %d was acknowledged before", k)
				}
				return r.Ledger().Discard(b.Context(), before.Blob, benchEpoch)
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkExpire runs one clean-up batch of 100 bundles.
func BenchmarkExpire(b *testing.B) {
	perPopulation(b, func(b *testing.B, s *Store, n int) {
		const batch = 100
		for i := 0; b.Loop(); i++ {
			if (i+1)*batch > n/2 {
				b.StopTimer()
				putBack(b, s)
				i = 0
				b.StartTimer()
			}
			err := s.Tx(b.Context(), func(r svc.Records) error {
				before, err := r.Bundles().Expire(b.Context(), benchEpoch.Add(48*time.Hour), batch)
				if err != nil {
					return err
				}
				if len(before) != batch {
					b.Fatalf("%d bundles expired, want %d", len(before), batch)
				}
				for _, gone := range before {
					if err := r.Ledger().Discard(b.Context(), gone.Blob, benchEpoch); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// putBack makes every bundle pending again.
func putBack(b *testing.B, s *Store) {
	b.Helper()
	err := s.write(b.Context(), func(c *conn) error {
		if _, err := c.exec(`UPDATE bundles SET status = 'pending_download', blob = 'bundles/' || id || '.zip',
			downloaded_at = NULL, expired_at = NULL WHERE status <> 'pending_download'`); err != nil {
			return err
		}
		_, err := c.exec(`DELETE FROM blob_ledger`)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCredentialAndBundle is the two questions behind GET /bundles/:id, asked
// by many at once.
func BenchmarkCredentialAndBundle(b *testing.B) {
	perPopulation(b, func(b *testing.B, s *Store, n int) {
		var next atomic.Int64
		prefixes := make([]string, 1000)
		for i := range prefixes {
			prefixes[i] = fmt.Sprintf("key%05d", i)
		}
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				k := int(next.Add(7919)) % n
				cred, err := s.Keys().Credential(b.Context(), prefixes[k%1000])
				if err == nil {
					_, err = s.Bundles().Get(b.Context(), cred.Key.AccountID, bundleName(k))
				}
				if err != nil {
					b.Errorf("bundle %d: %v", k, err)
					return
				}
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "reads/s")
	})
}

// BenchmarkTx admits a request: the smallest write transaction of the service,
// from several goroutines that queue for the writer.
func BenchmarkTx(b *testing.B) {
	s := openNew(b)
	if err := s.Accounts().Insert(b.Context(), svc.Account{ID: "acct_1", Email: "e", Plan: svc.PlanHobby, CreatedAt: benchEpoch}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			err := s.Tx(b.Context(), func(r svc.Records) error {
				w, err := r.Windows().Lock(b.Context(), "acct_1", svc.OpDownload)
				if err != nil {
					return err
				}
				return r.Windows().Save(b.Context(), "acct_1", svc.OpDownload, []time.Time{w.Now})
			})
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
}

// BenchmarkProjectGet reads a project whose memory document is long.
func BenchmarkProjectGet(b *testing.B) {
	s := populate(b, 1000)
	p := svc.Project{ID: "proj_1", AccountID: "acct_1", Revision: 1, Memory: strings.Repeat("m", 16<<10)}
	if err := s.Projects().Advance(b.Context(), p); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Projects().Get(b.Context(), "acct_1", "proj_1"); err != nil {
			b.Fatal(err)
		}
	}
}
