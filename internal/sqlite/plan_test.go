package sqlite

import (
	"strings"
	"testing"
)

// The cost of these queries must not grow with the number of rows: each finds
// its rows by an index, in the order in which they are wanted.
func TestQueriesUseIndexes(t *testing.T) {
	tests := []struct {
		name, query string
		index       string
		sorts       bool // of a page at most
	}{
		{"credential and bundle", credentialAndBundle, "PRIMARY KEY", false},
		{"latest of an account", latestOfAccount, "bundles_by_account (account_id=? AND status=?)", false},
		{"latest of a project", latestOfProject, "bundles_by_project (project_id=? AND account_id=? AND status=?)", false},
		{"bundles to expire", dueBundles, "bundles_to_expire (expires_at<?)", false},
		{"listing by state", listOne, "bundles_by_account (account_id=? AND status=? AND (created_at,id)<(?,?))", false},
		{"listing by project and state", listOneProject, "bundles_by_project (project_id=? AND account_id=? AND status=? AND (created_at,id)<(?,?))", false},
		{"listing", listAll, "bundles_by_account (account_id=? AND status=? AND (created_at,id)<(?,?))", true},
		{"listing by project", listAllProject, "bundles_by_project (project_id=? AND account_id=? AND status=? AND (created_at,id)<(?,?))", true},
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
				if strings.HasPrefix(step, "SCAN") && !strings.HasPrefix(step, "SCAN (subquery") && !test.sorts {
					t.Error(step)
				}
				if strings.Contains(step, "TEMP B-TREE") && !test.sorts {
					t.Error(step)
				}
			}
			if text := strings.Join(plan, "\n"); !strings.Contains(text, test.index) {
				t.Errorf("%s is not used:\n%s", test.index, text)
			}
		})
	}
}
