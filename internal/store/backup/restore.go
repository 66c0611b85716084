package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
)

// Restore makes a data folder of a backup, which has to be new or empty; name is
// what the audit log and errors call the backup.
//
// It unpacks the backup in a corner of the data folder and checks it. Only when
// all is well it goes to its places, and the corner goes last. The folder itself
// is not replaced: it may be a mounted volume.
func Restore(ctx context.Context, dir datadir.Dir, r io.Reader, name string, note Note) (sum Summary, err error) {
	_, missing := os.Lstat(string(dir))
	if err := checkVacant(dir); err != nil {
		return sum, err
	}
	if err := dir.Create(); err != nil {
		return sum, err
	}
	if err := dir.CheckOwner(); err != nil {
		return sum, err
	}
	lock, err := dir.Lock()
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	sum, placing, err := unpackAndPlace(ctx, dir, r, name, note)
	if err == nil {
		return sum, nil
	}
	if missing != nil { // then nothing is to be left
		err = errors.Join(err, os.RemoveAll(string(dir)))
	}
	switch {
	case dir.HalfRestored():
		return sum, fmt.Errorf("restore %s: %w; the data folder %s is not whole now and everybody refuses it: "+
			"remove the cause and run svcd restore again", name, err, dir)
	case placing:
		return sum, fmt.Errorf("restore %s: %w", name, err)
	}
	return sum, fmt.Errorf("restore %s; nothing was changed: %w", name, err)
}

// checkVacant refuses a data folder that holds anything, but for what a restore
// left that was interrupted.
func checkVacant(dir datadir.Dir) error {
	entries, err := os.ReadDir(string(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	if dir.HalfRestored() {
		return nil
	}
	for _, e := range entries {
		if !mayStay(e) {
			return fmt.Errorf("the data folder %s is not empty (%s is in it); restore into a new one, or move it away first", dir, e.Name())
		}
	}
	return nil
}

// mayStay reports whether an entry of a data folder says nothing about a service.
func mayStay(e fs.DirEntry) bool { return e.Name() == datadir.LockName || e.Name() == "lost+found" }

// unpackAndPlace fills the data folder, and reports whether it has begun to put
// things in their places. The lock has to be held.
func unpackAndPlace(ctx context.Context, dir datadir.Dir, r io.Reader, name string, note Note) (sum Summary, placing bool, err error) {
	corner := datadir.Dir(dir.Halfway())
	if err := removeHalfRestored(dir); err != nil {
		return sum, false, fmt.Errorf("remove what an interrupted restore left: %w", err)
	}
	if err := os.Mkdir(string(corner), 0o700); err != nil {
		return sum, false, err
	}
	if err := datadir.Sync(string(dir)); err != nil {
		return sum, false, err
	}
	if sum, err = unpack(ctx, corner, r, name, note); err != nil {
		return sum, false, errors.Join(err, os.RemoveAll(string(corner)))
	}
	if err := place(corner, dir); err != nil {
		return sum, true, fmt.Errorf("put the data in its place: %w", err)
	}
	if err := datadir.Sync(string(dir)); err != nil {
		return sum, true, fmt.Errorf("everything is in its place, and may not survive a power cut: %w", err)
	}
	return sum, true, nil
}

// unpack fills a new data folder.
func unpack(ctx context.Context, into datadir.Dir, r io.Reader, name string, note Note) (sum Summary, err error) {
	blobs, err := fsblob.Open(into.Blobs())
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	if sum, err = (&target{dir: string(into), blobs: blobs}).read(ctx, r); err != nil {
		return sum, err
	}
	store, err := sqlite.Open(ctx, into.Database())
	if err != nil {
		return sum, err
	}
	err = store.ForgetSignIns(ctx)
	if err == nil {
		err = note(ctx, store, svc.AuditEntry{
			Action: svc.AuditDataRestored, Subject: name, Detail: "of " + sum.CreatedAt.UTC().Format(time.RFC3339),
		})
	}
	return sum, errors.Join(err, store.Close())
}

// place moves everything from the corner to its place. The corner, whose absence
// says that the folder is whole, goes when all of it is on the disk.
func place(corner, dir datadir.Dir) error {
	entries, err := os.ReadDir(string(corner))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(corner.Path(e.Name()), dir.Path(e.Name())); err != nil {
			return err
		}
	}
	if err := datadir.Sync(string(dir)); err != nil {
		return err
	}
	return os.Remove(string(corner))
}

// removeHalfRestored removes what an interrupted restore left: its corner last, because that
// says what the rest is worth.
func removeHalfRestored(d datadir.Dir) error {
	if !d.HalfRestored() {
		return nil
	}
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if mayStay(e) || d.Path(e.Name()) == d.Halfway() {
			continue
		}
		if err := os.RemoveAll(d.Path(e.Name())); err != nil {
			return err
		}
	}
	return os.RemoveAll(d.Halfway())
}
