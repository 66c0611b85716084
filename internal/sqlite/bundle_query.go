package sqlite

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

// A page of bundles in one state, and one of bundles in all states, which is the
// pages of the three states put together. $1 account, $2 and $3 the place to go
// on from, $4 limit, $5 project, $6 state.
const (
	pageFrom = `SELECT ` + bundleColumns + ` FROM bundles WHERE account_id = $1 AND (created_at, id) < ($2, $3) AND `
	pageEnd  = ` ORDER BY created_at DESC, id DESC LIMIT $4`
	ofProj   = `project_id = $5 AND `

	listOne        = pageFrom + `status = $6` + pageEnd
	listOneProject = pageFrom + ofProj + `status = $6` + pageEnd
	listAll        = `SELECT * FROM (` + pageFrom + `status = 'pending_download'` + pageEnd + `)
		UNION ALL SELECT * FROM (` + pageFrom + `status = 'downloaded'` + pageEnd + `)
		UNION ALL SELECT * FROM (` + pageFrom + `status = 'expired'` + pageEnd + `)` + pageEnd
	listAllProject = `SELECT * FROM (` + pageFrom + ofProj + `status = 'pending_download'` + pageEnd + `)
		UNION ALL SELECT * FROM (` + pageFrom + ofProj + `status = 'downloaded'` + pageEnd + `)
		UNION ALL SELECT * FROM (` + pageFrom + ofProj + `status = 'expired'` + pageEnd + `)` + pageEnd
)

func listing(ofProject, ofStatus bool) string {
	switch {
	case ofProject && ofStatus:
		return listOneProject
	case ofProject:
		return listAllProject
	case ofStatus:
		return listOne
	default:
		return listAll
	}
}
