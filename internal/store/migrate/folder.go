package migrate

import (
	"context"
	"errors"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
)

// Folder is a data folder that nobody serves and whose content is moved. Nobody
// can write to its records until it is closed.
type Folder struct {
	dir   datadir.Dir
	note  datadir.MoveNote
	goal  datadir.Goal
	store *sqlite.Store
	dump  svc.Dump
	blobs *fsblob.Store
}

// OpenFolder opens a data folder, unless its content was moved elsewhere before.
// audit writes an entry into the audit log of a store.
func OpenFolder(ctx context.Context, dir datadir.Dir, goal datadir.Goal, audit func(context.Context, svc.Store, svc.AuditEntry) error) (f *Folder, err error) {
	f = &Folder{dir: dir, goal: goal}
	if f.note, err = dir.ReadMove(); err != nil {
		return nil, err
	}
	if err := dir.CheckGoal(f.note, goal); err != nil {
		return nil, err
	}
	if f.store, err = sqlite.Open(ctx, dir.Database()); err != nil {
		return nil, err
	}
	if f.note.State == "" { // later tries are the same move
		err = audit(ctx, f.store, svc.AuditEntry{Action: svc.AuditDataExported, Subject: "everything", Detail: "move to " + goal.Records})
	}
	if err == nil {
		f.dump, err = f.store.Dump(ctx)
	}
	if err == nil {
		f.blobs, err = fsblob.Open(dir.Blobs())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Move moves everything in the folder, which remembers how far the move is. m
// says where to, and which events.
func (f *Folder) Move(ctx context.Context, m Move) (Summary, error) {
	if f.note.State == "" {
		if err := f.remember(datadir.Begun); err != nil {
			return Summary{}, err
		}
	}
	m.Origin, m.From, m.FromBlobs, m.Sealed = f.note.ID, f.dump, f.blobs, f.note.State == datadir.Sealed
	m.Seal = func() error { return f.remember(datadir.Sealed) }
	m.Unseal = func() error { return f.remember(datadir.Begun) }
	sum, err := m.Run(ctx)
	if err != nil {
		return sum, err
	}
	return sum, f.remember(datadir.Done)
}

// remember notes in the folder how far its move is.
func (f *Folder) remember(state string) error {
	if f.note.State == datadir.Done {
		return nil
	}
	f.note.State, f.note.Goal, f.note.At = state, f.goal, time.Now().UTC()
	return f.dir.WriteMove(f.note)
}

// Close closes what was opened, the last first.
func (f *Folder) Close() error {
	var errs []error
	if f.blobs != nil {
		errs = append(errs, f.blobs.Close())
	}
	if f.dump != nil {
		errs = append(errs, f.dump.Close())
	}
	return errors.Join(append(errs, f.store.Close())...)
}
