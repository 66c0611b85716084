package workdir

import (
	"errors"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir/merge"
)

// makeWay plans a file of the bundle in whose place a folder of the user's stands, or
// above which a file does. That stays, and what the bundle has is put beside it: with
// x in the way, x/in becomes x.svc.new/in. A file goes if the user wants the bundle's
// side.
func (pl *planner) makeWay(t target, way inTheWayError) error {
	u := target{File: bundlezip.File{Path: way.name, DestinationType: bundlezip.Project}, disk: t.disk}
	conflict := merge.Conflict{Reason: "the bundle has a file here, and the folder is yours", Whole: true, Outcome: merge.Kept}
	if !way.folder {
		conflict.Reason = "the bundle has a folder here, and the file is yours"
		if err := errors.Join(pl.folder.checkHomePlaces(u.Path), pl.examine(&u)); err != nil {
			return err
		}
		if pl.policy == merge.Theirs {
			conflict.Outcome = merge.TakenTheirs
			pl.logConflicts(u, conflict)
			if err := pl.delete(u, conflict); err != nil {
				return err
			}
			return pl.file(t.File)
		}
	}
	if !pl.disputed[u.Path] {
		pl.disputed[u.Path] = true
		pl.logConflicts(u, conflict)
		pl.kept(u, conflict)
	}
	if err := pl.load(&t); err != nil {
		return err
	}
	if brought, known := lastBrought(pl.past, pl.manifest.ProjectID, t.was); known {
		pl.brought[t.Path] = brought // a push leaves it alone
	}
	return pl.putBeside(t, way.name)
}
