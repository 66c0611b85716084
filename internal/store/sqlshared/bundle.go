package sqlshared

import (
	"context"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
)

// Bundles are the steps of [svc.Bundles] that only read.
type Bundles struct{ DB }

// BundleColumns are the columns of BundleFields.
const BundleColumns = `id, account_id, project_id, generation_id, status, file_count, size, sha256,
	blob, created_at, expires_at, downloaded_at, expired_at`

// NewBundleColumns are the values of BundleColumns for a bundle that begins to wait,
// with the parameters of NewBundleArgs, from a row of its project; TypedNewBundleColumns
// are the same for PostgreSQL, which has to be told the types of what is no text.
const (
	NewBundleColumns      = `$1, account_id, id, $4, 'pending_download', $5, $6, $7, $8, $9, $10, NULL, NULL`
	TypedNewBundleColumns = `$1, account_id, id, $4, 'pending_download', $5::bigint, $6::bigint, $7::bytea, $8, $9::bigint, $10::bigint, NULL, NULL`
)

// NewBundleArgs are the parameters of NewBundleColumns: $2 and $3 name the project.
func NewBundleArgs(b svc.Bundle) []any {
	return []any{
		b.ID, b.AccountID, b.ProjectID, b.GenerationID, b.FileCount, b.Size, b.SHA256[:], b.Blob, b.CreatedAt.UnixMilli(), b.ExpiresAt.UnixMilli(),
	}
}

// BundleFields are where the columns of a bundle go.
func BundleFields(b *svc.Bundle) []any {
	return []any{
		&b.ID, &b.AccountID, &b.ProjectID, &b.GenerationID, &b.Status, &b.FileCount, &b.Size, (*column.Digest)(&b.SHA256),
		&b.Blob, (*column.Stamp)(&b.CreatedAt), (*column.Stamp)(&b.ExpiresAt), (*column.Stamp)(&b.DownloadedAt), (*column.Stamp)(&b.ExpiredAt),
	}
}

// The queries on bundles whose cost must not grow with the number of bundles:
// tests of the adapters hold their plans against the indexes.
const (
	// BundleByID finds the bundle $1 of the account $2.
	BundleByID = `SELECT ` + BundleColumns + ` FROM bundles WHERE id = $1 AND account_id = $2`

	LatestOfAccount = `
SELECT ` + BundleColumns + ` FROM bundles
WHERE account_id = $1 AND status = 'pending_download'
ORDER BY created_at DESC, id DESC LIMIT 1`

	LatestOfProject = `
SELECT ` + BundleColumns + ` FROM bundles
WHERE account_id = $1 AND project_id = $2 AND status = 'pending_download'
ORDER BY created_at DESC, id DESC LIMIT 1`

	// DueBundles are those whose time has come at $1, at most $2.
	DueBundles = `
SELECT ` + BundleColumns + ` FROM bundles
WHERE status = 'pending_download' AND expires_at <= $1
ORDER BY expires_at, id LIMIT $2`
)

// Get implements [svc.Bundles].
func (s Bundles) Get(ctx context.Context, accountID, id string) (b svc.Bundle, err error) {
	err = s.Row(ctx, BundleByID, []any{id, accountID}, BundleFields(&b))
	return b, Within("get a bundle", err)
}

// Latest implements [svc.Bundles].
func (s Bundles) Latest(ctx context.Context, accountID, projectID string) (b svc.Bundle, err error) {
	query, args := LatestOfAccount, []any{accountID}
	if projectID != "" {
		query, args = LatestOfProject, []any{accountID, projectID}
	}
	err = s.Row(ctx, query, args, BundleFields(&b))
	return b, Within("get the latest bundle", err)
}

// List implements [svc.Bundles].
func (s Bundles) List(ctx context.Context, q svc.BundleQuery) ([]svc.Bundle, error) {
	query, args := BundleListing(q)
	all, err := Rows(ctx, s, query, args, BundleFields)
	return all, Within("list bundles", err)
}

// BundleListing is the query for a page. The state stands in its text, so that the
// database can use the indexes that hold pending bundles alone.
func BundleListing(q svc.BundleQuery) (query string, args []any) {
	createdAt, id := Place(q.After)
	args = []any{q.AccountID, createdAt, id, q.Limit}
	where := stateIs(string(q.Status), q.Status.Valid())
	if q.ProjectID != "" {
		args = append(args, q.ProjectID)
		where += ` AND project_id = $5`
	}
	return `SELECT ` + BundleColumns + ` FROM bundles WHERE account_id = $1 AND (created_at, id) < ($2, $3)` +
		where + ` ORDER BY created_at DESC, id DESC LIMIT $4`, args
}

// stateIs is the condition that a record is in a state; none where none is asked for,
// and nothing is in a state that there is not.
func stateIs(state string, valid bool) string {
	switch {
	case state == "":
		return ""
	case !valid:
		return ` AND false`
	}
	return ` AND status = '` + state + `'`
}

// Tally implements [svc.Bundles].
func (s Bundles) Tally(ctx context.Context) ([]svc.BundleTally, error) {
	kept, err := Rows(ctx, s,
		`SELECT status, CAST(sum(count) AS bigint), CAST(sum(bytes) AS bigint) FROM bundle_tally GROUP BY status`, nil, TallyFields)
	if err != nil {
		return nil, Within("count bundles", err)
	}
	all := []svc.BundleTally{{Status: svc.BundlePending}, {Status: svc.BundleDownloaded}, {Status: svc.BundleExpired}}
	for _, k := range kept {
		for i := range all {
			if all[i].Status == k.Status {
				all[i] = k
			}
		}
	}
	return all, nil
}

// TallyFields are state, count and bytes.
func TallyFields(t *svc.BundleTally) []any { return []any{&t.Status, &t.Count, &t.Bytes} }
