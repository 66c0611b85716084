package workdir

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/bundle-delivery/svc/internal/bundlezip"
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

// RollbackAsShown takes the last pull back if that does exactly what a preview with
// this digest showed, and else is ErrOtherRollback.
func (f *Folder) RollbackAsShown(bundleID, digest string) (RollbackLog, []string, error) {
	return f.rollback(bundleID, func(u *rollbackPlan) error {
		now, err := u.digest()
		if err == nil && now != digest {
			err = ErrOtherRollback
		}
		return err
	})
}

func (u *rollbackPlan) digest() (string, error) {
	type part struct {
		Step    step
		CopyOf  string
		Content string
	}
	shown := struct {
		BundleID, PullID string
		Log              RollbackLog
		Notes, Trash     []string
		Current          map[string]string
		Copies           [][4]string
		Steps            []step
		Home             []part
	}{u.pull.BundleID, u.past.PullID, u.log, u.notes, u.trash, u.current, nil, u.steps, nil}
	for _, c := range u.copies {
		shown.Copies = append(shown.Copies, [4]string{c.from, c.path, c.before, c.after})
	}
	for _, h := range u.home {
		shown.Home = append(shown.Home, part{h.step, h.copyOf, digestOf(h.content)})
	}
	text, err := json.Marshal(shown)
	return digestOf(text), err
}
