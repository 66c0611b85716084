package workdir

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// ErrOtherRollback says that a rollback would do something else than what was shown.
var ErrOtherRollback = errors.New("the folder changed since the rollback was shown; nothing was written")

// RollbackPreview is what a rollback would do. Paths in the home folder begin
// with "~/".
type RollbackPreview struct {
	BundleID, ProjectID string
	Restored, Deleted   []string
	// Left are files that stay as they are, and Edited those that were changed after
	// the pull: what they hold now is kept in the trash.
	Left, Edited []string
	// HomeFiles are those of the files above that lie in the home folder.
	HomeFiles []string
	Notes     []string
	// Digest names all of this and what the files hold now.
	Digest string
}

// PreviewRollback says what taking back the last pull, which must be of this bundle,
// would do. It writes nothing. An unfinished pull or rollback must be recovered
// first.
func (f *Folder) PreviewRollback(bundleID string) (RollbackPreview, error) {
	u, err := f.planRollback(bundleID)
	if err != nil {
		return RollbackPreview{}, err
	}
	digest, err := u.digest()
	p := RollbackPreview{
		BundleID: bundleID, ProjectID: u.pull.ProjectID, Restored: u.log.Restored, Deleted: u.log.Deleted, Left: u.log.Preserved,
		Edited: slices.Clone(u.trash), Notes: slices.Clone(u.notes), Digest: digest,
	}
	for _, e := range u.pull.Entries {
		if e.Base == bundlezip.Home && (e.Type == FileWritten || e.Type == ConfigMerged) {
			p.HomeFiles = append(p.HomeFiles, displayName(e.Base, e.Path))
		}
	}
	return p, err
}

// planRollbackAsShown plans the rollback that a digest names; without one, any.
func (f *Folder) planRollbackAsShown(bundleID, digest string) (*rollbackPlan, error) {
	u, err := f.planRollback(bundleID)
	if err != nil || digest == "" {
		return u, err
	}
	if now, err := u.digest(); err != nil || now != digest {
		return nil, cmp.Or(err, ErrOtherRollback)
	}
	return u, nil
}

func (u *rollbackPlan) digest() (string, error) {
	text, err := json.Marshal(struct {
		BundleID, PullID string
		Log              RollbackLog
		Notes, Trash     []string
		Current          map[string]string
		Steps, Home      undoSteps
	}{u.pull.BundleID, u.past.PullID, u.log, u.notes, u.trash, u.current, u.steps, u.home})
	return digestOf(text), err
}
