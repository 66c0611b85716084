package sqlite

import (
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

// The cost of these queries must not grow with the number of rows: each finds
// its rows by an index, in the order in which they are wanted.
// Promise: queries-indexed, audit-indexed
func TestQueriesUseIndexes(t *testing.T) {
	page := func(projectID string, status svc.BundleStatus) string {
		query, _ := sqlshared.BundleListing(svc.BundleQuery{ProjectID: projectID, Status: status})
		return query
	}
	runPage := func(projectID string, status svc.RunStatus) string {
		query, _ := sqlshared.RunListing(svc.RunQuery{ProjectID: projectID, Status: status})
		return query
	}
	auditPage := func(q svc.AuditQuery) string {
		query, _ := sqlshared.AuditListing(q)
		return query
	}
	tests := []struct {
		name, query string
		index       string
	}{
		{"key", sqlshared.KeyByPrefix, "PRIMARY KEY"},
		{"bundle", sqlshared.BundleByID, "PRIMARY KEY"},
		{"latest of an account", sqlshared.LatestOfAccount, "bundles_by_account_state (account_id=? AND status=?)"},
		{"latest of a project", sqlshared.LatestOfProject, "bundles_by_project_state (project_id=? AND account_id=? AND status=?)"},
		{"bundles to expire", sqlshared.DueBundles, "pending_by_expiry (expires_at<?)"},
		{"listing", page("", ""), "bundles_by_account (account_id=? AND (created_at,id)<(?,?))"},
		{"listing by state", page("", svc.BundleExpired), "bundles_by_account_state (account_id=? AND status=? AND (created_at,id)<(?,?))"},
		{"listing of pending", page("", svc.BundlePending), "bundles_by_account_state (account_id=? AND status=? AND (created_at,id)<(?,?))"},
		{"listing by project", page("p", ""), "bundles_by_project (project_id=? AND account_id=? AND (created_at,id)<(?,?))"},
		{"listing by project and state", page("p", svc.BundleExpired), "bundles_by_project_state (project_id=? AND account_id=? AND status=? AND (created_at,id)<(?,?))"},
		{"listing of pending by project", page("p", svc.BundlePending), "bundles_by_project_state (project_id=? AND account_id=? AND status=? AND (created_at,id)<(?,?))"},
		{"runs", runPage("", ""), "runs_by_account (account_id=? AND (created_at,id)<(?,?))"},
		{"runs by state", runPage("", svc.RunSucceeded), "runs_by_account_state (account_id=? AND status=? AND (created_at,id)<(?,?))"},
		{"runs by project", runPage("p", ""), "runs_by_project (project_id=? AND (created_at,id)<(?,?))"},
		{"runs by project and state", runPage("p", svc.RunFailed), "runs_by_project_state (project_id=? AND status=? AND (created_at,id)<(?,?))"},
		{"audit log", auditPage(svc.AuditQuery{}), "audit_log_by_time ((at,id)<(?,?))"},
		{"audit log, the oldest first", auditPage(svc.AuditQuery{OldestFirst: true}), "audit_log_by_time ((at,id)>(?,?))"},
		{"audit log of an account", auditPage(svc.AuditQuery{AccountID: "a"}), "audit_log_by_account (account_id=? AND (at,id)<(?,?))"},
		{"audit log by address", auditPage(svc.AuditQuery{Email: "a"}), "audit_log_by_email (email=? AND (at,id)<(?,?))"},
		{"audit log by action", auditPage(svc.AuditQuery{Action: "a"}), "audit_log_by_action (action=? AND (at,id)<(?,?))"},
		{"runs to tell", untoldRuns, "runs_untold (finished_at<?)"},
	}
	s := openNew(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var plan []string
			err := s.read(t.Context(), func(c *conn) (err error) {
				var id, parent, unused int
				plan, err = rows(c, "EXPLAIN QUERY PLAN "+test.query, make([]any, 6), func(detail *string) []any {
					return []any{&id, &parent, &unused, detail}
				})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range plan {
				if strings.HasPrefix(step, "SEARCH") && !strings.Contains(step, test.index) {
					t.Errorf("%s, want %s", step, test.index)
				}
				if strings.HasPrefix(step, "SCAN") || strings.Contains(step, "TEMP B-TREE") {
					t.Error(step)
				}
			}
			if text := strings.Join(plan, "\n"); !strings.Contains(text, test.index) {
				t.Errorf("%s is not used:\n%s", test.index, text)
			}
		})
	}
}

// Whoever claims a run reads the queue and counts by indexes; the order by those
// counts is made of the queue, which is bounded.
func TestClaimReadsTheQueueOnly(t *testing.T) {
	s := openNew(t)
	var plan []string
	err := s.read(t.Context(), func(c *conn) (err error) {
		var id, parent, unused int
		plan, err = rows(c, "EXPLAIN QUERY PLAN "+nextRuns, []any{0, 0, 1}, func(detail *string) []any {
			return []any{&id, &parent, &unused, detail}
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(plan, "\n")
	for _, step := range []string{
		"SCAN q USING COVERING INDEX runs_queued",
		"runs_running_by_project (project_id=?)", "runs_running_by_account (account_id=?)",
	} {
		if !strings.Contains(text, step) {
			t.Errorf("there is no step %s:\n%s", step, text)
		}
	}
	if n := strings.Count(text, "SCAN q ") + strings.Count(text, "SCAN busy") + strings.Count(text, "SCAN runs"); n != 1 {
		t.Errorf("%d steps read all of something, want one:\n%s", n, text)
	}
}
