//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// million is a million runs and a million bundles, of five accounts with ten projects
// each. Nearly all are over. Eight projects of each account have a run that runs, and the
// others ten that wait each: a hundred in all.
const million = `
INSERT INTO accounts (id, email, plan, password_hash, admin, created_at, pending_bytes)
  SELECT 'acct_' || a, a || '@example.com', 'developer', '', false, 0, 1000000000 FROM generate_series(0, 4) AS a;
INSERT INTO projects (id, account_id, name, created_at, updated_at, revision, pack_blob, pack_files, pack_bytes, pack_size, pack_sha256, state, memory, memory_revision)
  SELECT 'proj_' || p, 'acct_' || p % 5, '', p, p, 0, '', 0, 0, 0, '', '{}', '', 0 FROM generate_series(0, 49) AS p;
INSERT INTO runs (id, account_id, project_id, prompt, constraints, status, epoch, losses, bundle_id, last_event, untold, created_at, started_at, finished_at)
  SELECT 'gen_' || i, 'acct_' || i % 5, 'proj_' || i % 50, 'x', '{}', (ARRAY['succeeded', 'failed', 'cancelled'])[1 + i / 50 % 3], 1, 0, '', 0, false, i, i, i
  FROM generate_series(0, 999999) AS i;
INSERT INTO runs (id, account_id, project_id, prompt, constraints, status, epoch, lease, losses, bundle_id, last_event, untold, created_at, started_at)
  SELECT 'gen_running_' || p, 'acct_' || p % 5, 'proj_' || p, 'x', '{}', 'running', 1, 9000000000000, 0, '', 0, false, 1000000, 1000000 FROM generate_series(0, 39) AS p;
INSERT INTO runs (id, account_id, project_id, prompt, constraints, status, epoch, losses, bundle_id, last_event, untold, created_at)
  SELECT 'gen_queued_' || i, 'acct_' || i % 5, 'proj_' || 40 + i % 10, 'x', '{}', 'queued', 0, 0, '', 0, false, 1000000 + i FROM generate_series(0, 99) AS i;
INSERT INTO bundles (id, account_id, project_id, generation_id, status, file_count, size, sha256, blob, created_at, expires_at, downloaded_at, expired_at)
  SELECT 'bundle_' || i, 'acct_' || i % 5, 'proj_' || i % 50, '', state, 1, 1, '', CASE state WHEN 'pending_download' THEN 'bundles/' || i ELSE '' END, i, i,
    CASE state WHEN 'downloaded' THEN i END, CASE state WHEN 'expired' THEN i END
  FROM (SELECT i, CASE WHEN i / 50 % 100 = 0 THEN 'pending_download' WHEN i / 50 % 2 = 0 THEN 'downloaded' ELSE 'expired' END AS state
    FROM generate_series(0, 999999) AS i) AS made`

// rowsRead is how many rows and entries of indexes this connection has read lately.
const rowsRead = `SELECT coalesce(sum(pg_stat_get_xact_tuples_returned(oid)), 0)::bigint FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')`

// errUndone ends a transaction that is to leave nothing behind.
var errUndone = errors.New("undone")

// TestReadsOnlyWhatItAnswersWithAmongAMillion counts the rows and the entries of indexes
// that are read for a listing or a step, among a million runs and bundles that it is not
// about. The planner is free to choose, and does so anew until it has seen five.
// Promise: queries-indexed
func TestReadsOnlyWhatItAnswersWithAmongAMillion(t *testing.T) {
	needs.Long(t, "what is read among a million runs and bundles")
	cluster := pgtest.Start(t)
	name := cluster.Database(t)
	s := open(t, cluster.Address(name)+"&pool_max_conns=1")
	cluster.SQL(t, name, million)
	cluster.SQL(t, name, `VACUUM ANALYZE`)
	const page, batch, queued, account, project = 20, 100, 100, "acct_1", "proj_41"
	last := time.UnixMilli(1_000_000)
	for what, test := range map[string]struct {
		ask  func(context.Context, svc.Records) (answered int, err error)
		want int // answers
		each int // rows and entries that may be read for an answer
	}{
		"a page of bundles":                        {bundlePage(svc.BundleQuery{AccountID: account, Limit: page}), page, 2},
		"a page of bundles that wait":              {bundlePage(svc.BundleQuery{AccountID: account, Status: svc.BundlePending, Limit: page}), page, 2},
		"a page of bundles that expired":           {bundlePage(svc.BundleQuery{AccountID: account, Status: svc.BundleExpired, Limit: page}), page, 2},
		"a page of a project's bundles":            {bundlePage(svc.BundleQuery{AccountID: account, ProjectID: project, Limit: page}), page, 2},
		"a page of a project's downloaded bundles": {bundlePage(svc.BundleQuery{AccountID: account, ProjectID: project, Status: svc.BundleDownloaded, Limit: page}), page, 2},
		"a page of runs":                           {runPage(svc.RunQuery{AccountID: account, Limit: page}), page, 2},
		"a page of failed runs":                    {runPage(svc.RunQuery{AccountID: account, Status: svc.RunFailed, Limit: page}), page, 2},
		"a page of a project's runs":               {runPage(svc.RunQuery{AccountID: account, ProjectID: project, Limit: page}), page, 2},
		"a page of a project's cancelled runs":     {runPage(svc.RunQuery{AccountID: account, ProjectID: project, Status: svc.RunCancelled, Limit: page}), page, 2},
		"the latest bundle": {func(ctx context.Context, r svc.Records) (int, error) {
			_, err := r.Bundles().Latest(ctx, account, "")
			return 1, err
		}, 1, 4},
		"the latest bundle of a project": {func(ctx context.Context, r svc.Records) (int, error) {
			_, err := r.Bundles().Latest(ctx, account, project)
			return 1, err
		}, 1, 4},
		"an acknowledgement": {func(ctx context.Context, r svc.Records) (int, error) {
			_, err := r.Bundles().Acknowledge(ctx, "acct_0", "bundle_0", last)
			return 1, err
		}, 1, 20},
		"bundles that expire": {func(ctx context.Context, r svc.Records) (int, error) {
			all, err := r.Bundles().Expire(ctx, last, batch)
			return len(all), err
		}, batch, 10},
		"records of bundles that are over": {func(ctx context.Context, r svc.Records) (int, error) {
			return r.Bundles().Prune(ctx, last, batch)
		}, batch, 10},
		"records of runs that are over": {func(ctx context.Context, r svc.Records) (int, error) {
			return r.Runs().Prune(ctx, last, batch)
		}, batch, 10},
		"how many wait": {func(ctx context.Context, r svc.Records) (int, error) {
			length, err := r.Runs().Waiting(ctx, account)
			return length.All, err
		}, queued, 4},
		"the next runs": {func(ctx context.Context, r svc.Records) (int, error) { // one of each project
			all, err := r.Runs().Claim(ctx, last, last, 16)
			return len(all), err
		}, 10, 10 * queued / 10},
		"runs that lost their worker": {func(ctx context.Context, r svc.Records) (int, error) {
			all, err := r.Runs().Retake(ctx, time.UnixMilli(9_000_000_000_001), last, 16)
			return len(all), err
		}, 16, 10},
		"ends that nobody told": {func(ctx context.Context, r svc.Records) (int, error) {
			all, err := r.Runs().UnpublishedEnds(ctx, last, batch)
			return len(all), err
		}, 0, 0},
	} {
		t.Run(what, func(t *testing.T) {
			// The planner looks at the ends of indexes.
			const planning = 10
			most := int64(test.want*test.each + planning)
			for range 8 {
				// What was undone stays in the indexes, and would be counted here.
				cluster.SQL(t, name, `VACUUM (INDEX_CLEANUP ON) runs, bundles`)
				answered, read, err := readFor(t, s, test.ask)
				if err != nil || answered != test.want {
					t.Fatalf("%d answers, want %d: %v", answered, test.want, err)
				}
				if t.Logf("%d were read for %d answers", read, answered); read > most {
					t.Errorf("%d were read for %d answers, want at most %d", read, answered, most)
				}
			}
		})
	}
}

// readFor asks in a transaction that is undone, and tells how much was read for it.
func readFor(t *testing.T, s *Store, ask func(context.Context, svc.Records) (int, error)) (answered int, read int64, err error) {
	t.Helper()
	var before, after int64
	err = s.Tx(t.Context(), func(r svc.Records) error {
		own, ok := r.(records)
		if !ok {
			return fmt.Errorf("the records are %T", r)
		}
		if err := own.Row(t.Context(), rowsRead, nil, []any{&before}); err != nil {
			return err
		}
		if answered, err = ask(t.Context(), r); err != nil {
			return err
		}
		if err := own.Row(t.Context(), rowsRead, nil, []any{&after}); err != nil {
			return err
		}
		return errUndone
	})
	if errors.Is(err, errUndone) {
		err = nil
	}
	return answered, after - before, err
}

func bundlePage(q svc.BundleQuery) func(context.Context, svc.Records) (int, error) {
	return func(ctx context.Context, r svc.Records) (int, error) {
		all, err := r.Bundles().List(ctx, q)
		return len(all), err
	}
}

func runPage(q svc.RunQuery) func(context.Context, svc.Records) (int, error) {
	return func(ctx context.Context, r svc.Records) (int, error) {
		all, err := r.Runs().List(ctx, q)
		return len(all), err
	}
}
