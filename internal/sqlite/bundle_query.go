package sqlite

import svc "github.com/bundle-delivery/svc"

// The queries on bundles whose cost must not grow with the number of bundles:
// a test holds their plans against the indexes.
const (
	latestOfAccount = `
SELECT ` + bundleColumns + ` FROM bundles
WHERE account_id = $1 AND status = 'pending_download'
ORDER BY created_at DESC, id DESC LIMIT 1`

	latestOfProject = `
SELECT ` + bundleColumns + ` FROM bundles
WHERE account_id = $1 AND project_id = $2 AND status = 'pending_download'
ORDER BY created_at DESC, id DESC LIMIT 1`

	dueBundles = `
SELECT ` + bundleColumns + ` FROM bundles
WHERE status = 'pending_download' AND expires_at <= $1
ORDER BY expires_at, id LIMIT $2`
)

// The pages of a listing. $1 account, $2 and $3 the place to go on from, $4
// limit, $5 project, $6 state. Pending bundles are named as such, so that SQLite
// can use the indexes that hold them alone; those in another state are picked
// out of the listing of all, of which they are the most.
const (
	pageFrom  = `SELECT ` + bundleColumns + ` FROM bundles WHERE account_id = $1 AND (created_at, id) < ($2, $3)`
	pageOrder = ` ORDER BY created_at DESC, id DESC LIMIT $4`
	inProject = ` AND project_id = $5`
	inState   = ` AND status = $6`
	pending   = ` AND status = 'pending_download'`

	listAll            = pageFrom + pageOrder
	listState          = pageFrom + inState + pageOrder
	listPending        = pageFrom + pending + pageOrder
	listProject        = pageFrom + inProject + pageOrder
	listProjectState   = pageFrom + inProject + inState + pageOrder
	listProjectPending = pageFrom + inProject + pending + pageOrder
)

func listing(q svc.BundleQuery) string {
	ofProject := q.ProjectID != ""
	switch {
	case q.Status == "" && !ofProject:
		return listAll
	case q.Status == "":
		return listProject
	case q.Status == svc.BundlePending && !ofProject:
		return listPending
	case q.Status == svc.BundlePending:
		return listProjectPending
	case !ofProject:
		return listState
	default:
		return listProjectState
	}
}
