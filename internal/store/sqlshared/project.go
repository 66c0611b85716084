package sqlshared

import (
	"context"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
)

// Projects are the steps of [svc.Projects] but Insert, Advance and Delete.
type Projects struct{ DB }

const (
	// ProjectColumns are the columns of a project.
	ProjectColumns = withoutMemory + `, memory, memory_revision, push, provenance`
	// listedColumns are those of a project in a list, which leaves out what may be
	// large.
	listedColumns = withoutMemory + `, '' AS memory, memory_revision, CAST(NULL AS TEXT) AS push, CAST(NULL AS TEXT) AS provenance`
	withoutMemory = `id, account_id, name, created_at, updated_at, revision,
	pack_blob, pack_files, pack_bytes, pack_size, pack_sha256, state`
)

func projectFields(p *svc.Project) []any {
	return []any{
		&p.ID, &p.AccountID, &p.Name, (*column.Stamp)(&p.CreatedAt), (*column.Stamp)(&p.UpdatedAt), &p.Revision,
		&p.Pack.Blob, &p.Pack.Extent.Files, &p.Pack.Extent.Bytes, &p.Pack.Size, (*column.Digest)(&p.Pack.SHA256),
		(*column.Map)(&p.State), &p.Memory, &p.MemoryRevision, &column.Object[svc.Push]{To: &p.Push},
		&column.Object[svc.Provenance]{To: &p.Provenance},
	}
}

// ProjectState are the values of what changes with a project: pack, state, memory,
// push and provenance, as ProjectColumns has them.
func ProjectState(p svc.Project) ([]any, error) {
	state, err := column.MapText(p.State)
	if err != nil {
		return nil, err
	}
	push, err := column.ObjectText(p.Push)
	if err != nil {
		return nil, err
	}
	provenance, err := column.ObjectText(p.Provenance)
	if err != nil {
		return nil, err
	}
	return []any{
		p.Pack.Blob, p.Pack.Extent.Files, p.Pack.Extent.Bytes, p.Pack.Size, p.Pack.SHA256[:],
		state, p.Memory, p.MemoryRevision, push, provenance,
	}, nil
}

// Get implements [svc.Projects].
func (s Projects) Get(ctx context.Context, accountID, id string) (p svc.Project, err error) {
	err = s.Row(ctx, `SELECT `+ProjectColumns+` FROM projects WHERE id = $1 AND account_id = $2`,
		[]any{id, accountID}, projectFields(&p))
	return p, Within("get a project", err)
}

// Rename implements [svc.Projects].
func (s Projects) Rename(ctx context.Context, accountID, id, name string) error {
	return Within("rename a project", One(ctx, s,
		`UPDATE projects SET name = $3 WHERE id = $1 AND account_id = $2`, id, accountID, name))
}

// ProjectListing is a page of the projects of the account $1, at most $4 after the
// place $2 and $3.
const ProjectListing = `SELECT ` + listedColumns + ` FROM projects
WHERE account_id = $1 AND (created_at, id) < ($2, $3)
ORDER BY created_at DESC, id DESC LIMIT $4`

// List implements [svc.Projects].
func (s Projects) List(ctx context.Context, accountID string, after *svc.Cursor, limit int) ([]svc.Project, error) {
	createdAt, id := Place(after)
	all, err := Rows(ctx, s, ProjectListing, []any{accountID, createdAt, id, limit}, projectFields)
	return all, Within("list projects", err)
}
