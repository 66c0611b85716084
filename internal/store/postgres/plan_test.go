//go:build unix

package postgres

import (
	"context"
	"fmt"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

// plan is how a query is to be answered.
type plan struct {
	name, query string
	indexes     []string
	sorts       bool // what it answers with, which is never much
}

func by(name, query string, indexes ...string) plan {
	return plan{name: name, query: query, indexes: indexes}
}

// plans are those of the listings and of what is done for a request or every now and
// then: what they cost must not grow with the number of rows.
func plans() []plan {
	bundles := func(q svc.BundleQuery) string { query, _ := sqlshared.BundleListing(q); return query }
	runs := func(q svc.RunQuery) string { query, _ := sqlshared.RunListing(q); return query }
	audit := func(q svc.AuditQuery) string { query, _ := sqlshared.AuditListing(q); return query }
	return []plan{
		by("key", sqlshared.KeyByPrefix, "api_keys_pkey"),
		by("latest of an account", sqlshared.LatestOfAccount, "_by_account"),
		by("latest of a project", sqlshared.LatestOfProject, "_by_project"),
		by("bundles to expire", sqlshared.DueBundles, "pending_by_expiry"),
		by("bundles", bundles(svc.BundleQuery{}), "bundles_by_account"),
		by("bundles of a project", bundles(svc.BundleQuery{ProjectID: "p"}), "bundles_by_project"),
		by("bundles that wait", bundles(svc.BundleQuery{Status: svc.BundlePending}), "_by_account"),
		by("bundles by state", bundles(svc.BundleQuery{Status: svc.BundleDownloaded}), "bundles_by_account_state"),
		by("bundles of a project by state", bundles(svc.BundleQuery{ProjectID: "p", Status: svc.BundleExpired}), "bundles_by_project_state"),
		by("bundles to prune", goneBundles, "gone_bundles_by_time"),
		by("runs", runs(svc.RunQuery{}), "runs_by_account"),
		by("runs of a project", runs(svc.RunQuery{ProjectID: "p"}), "runs_by_project"),
		by("runs by state", runs(svc.RunQuery{Status: svc.RunSucceeded}), "runs_by_account_state"),
		by("runs of a project by state", runs(svc.RunQuery{ProjectID: "p", Status: svc.RunFailed}), "runs_by_project_state"),
		by("runs that lost their worker", fmt.Sprintf(retakeLost, 16), "runs_running", "runs_pkey"),
		by("runs to tell", unpublishedEnds, "runs_untold"),
		by("runs to prune", pruneRuns, "runs_by_end", "runs_pkey"),
		by("projects", sqlshared.ProjectListing, "projects_by_account"),
		by("keys", sqlshared.KeyListing, "api_keys_by_account"),
		{name: "sessions", query: sqlshared.SessionListing, indexes: []string{"sessions_by_account"}, sorts: true},
		by("sessions that are over", sqlshared.SweepSessions, "sessions_to_sweep"),
		by("links that are over", sqlshared.SweepLinks, "links_to_sweep"),
		by("challenges that are over", sqlshared.SweepChallenges, "challenges_to_sweep"),
		by("sign-ins at a provider that are over", sqlshared.SweepIdentityAttempts, "identity_attempts_to_sweep"),
		by("guesses that are old", sqlshared.SweepGuesses, "guesses_to_sweep"),
		by("intents that were not kept", sqlshared.BreakIntents, "blob_ledger_due"),
		by("garbage that is due", sqlshared.DueGarbage, "blob_ledger_due"),
		by("garbage that is gone", forgetGarbage, "blob_ledger_pkey"),
		by("idempotent request", lockIdempotency, "idempotencies_pkey"),
		by("idempotent requests that are over", sweepIdempotencies, "idempotencies_to_sweep", "idempotencies_pkey"),
		by("limit", lockWindow, "limit_windows_pkey"),
		{name: "usage", query: usageByDay, indexes: []string{"runs_by_account", "bundles_by_download"}, sorts: true},
		by("audit log", audit(svc.AuditQuery{}), "audit_log_by_time"),
		by("audit log of an account", audit(svc.AuditQuery{AccountID: "a"}), "audit_log_by_account"),
		by("audit log by address", audit(svc.AuditQuery{Email: "a"}), "audit_log_by_email"),
		by("audit log by action", audit(svc.AuditQuery{Action: "a"}), "audit_log_by_action"),
	}
}

func findsItsRowsByIndexes(t *testing.T, s *Store) {
	for _, test := range plans() {
		t.Run(test.name, func(t *testing.T) {
			found, err := explainPlan(t.Context(), s, test.query)
			if err != nil {
				t.Fatal(err)
			}
			for _, index := range test.indexes {
				if !strings.Contains(found, index) {
					t.Errorf("%s is not used:\n%s", index, found)
				}
			}
			if strings.Contains(found, "Seq Scan") || strings.Contains(found, "Sort") && !test.sorts {
				t.Errorf("more is read than is answered with:\n%s", found)
			}
			if strings.Count(found, "Scan using ") > strings.Count(found, "Index Cond: ") {
				t.Errorf("an index is read whole:\n%s", found)
			}
		})
	}
}

// explainPlan asks for a plan that may not read tables whole: these are empty,
// and reading nothing is cheap in any way.
func explainPlan(ctx context.Context, s *Store, query string) (string, error) {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return "", err
	}
	defer func() { // it wrote nothing; a prepared statement would outlive it
		_, _ = tx.Exec(ctx, `DEALLOCATE asked`)
		_ = tx.Rollback(ctx)
	}()
	if _, err := tx.Exec(ctx, `SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off; SET LOCAL plan_cache_mode = force_generic_plan`); err != nil {
		return "", err
	}
	if _, err := tx.Exec(ctx, `PREPARE asked AS `+query); err != nil {
		return "", err
	}
	var args []string
	for n := 1; strings.Contains(query, fmt.Sprint("$", n)); n++ {
		args = append(args, "NULL")
	}
	lines, err := tx.Query(ctx, `EXPLAIN EXECUTE asked (`+strings.Join(args, ", ")+`)`)
	if err != nil {
		return "", err
	}
	defer lines.Close()
	steps, err := sqlshared.Collect(lines, sqlshared.Itself[string])
	return strings.Join(steps, "\n"), err
}
