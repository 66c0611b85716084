// Package datadir is the layout of the folder in which a server keeps everything,
// and the marks in it that tell commands whether they may use what it holds: its
// owner, its lock, a restore that was interrupted, a move to other stores.
package datadir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// lockWait is how long a server tries for the lock of its folder.
const lockWait = 400 * time.Millisecond

// Dir is the folder with everything that the service keeps.
type Dir string

// LockName is the file in the folder that is there before everything else.
const LockName = "svcd.lock"

// Path returns the path of a file in the folder.
func (d Dir) Path(name string) string { return filepath.Join(string(d), name) }

// Database returns the path of the database.
func (d Dir) Database() string { return d.Path("svcd.db") }

// Blobs returns the path of the folder with the archives.
func (d Dir) Blobs() string { return d.Path("blobs") }

// Events returns the path of the folder with the event log.
func (d Dir) Events() string { return d.Path("events") }

// TLS returns the path of the folder with the local authority and its certificates.
func (d Dir) TLS() string { return d.Path("tls") }

// AddressFile returns the path of the file that says where the server listens.
func (d Dir) AddressFile() string { return d.Path("svcd.addr") }

// Scratch gives the folder for what runs need while they run, emptied: what is
// in it belonged to a process that is gone. The lock has to be held.
func (d Dir) Scratch() (string, error) {
	folder, err := filepath.Abs(d.Path("scratch"))
	if err == nil {
		err = os.RemoveAll(folder)
	}
	if err == nil {
		err = os.Mkdir(folder, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("empty the folder of running generations: %w", err)
	}
	return folder, nil
}

// Create makes the folder for its owner alone, unless it is there.
func (d Dir) Create() error {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	return nil
}

// Tighten takes the folder from everybody but its owner: database and keys may
// have been made by a tool that trusts the folder. It reports whether it had to.
func (d Dir) Tighten() (bool, error) {
	info, err := os.Stat(string(d))
	if err != nil {
		return false, fmt.Errorf("data folder: %w", err)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return false, nil
	}
	if err := os.Chmod(string(d), 0o700); err != nil { //nolint:gosec // a folder has to be entered
		return false, fmt.Errorf("data folder: other users may read it, and this cannot be changed: %w", err)
	}
	return true, nil
}

// Lock keeps every other serve out of the folder until it is closed. The lock
// goes with the process, however that ends.
func (d Dir) Lock() (*flock.Flock, error) {
	lock := flock.New(d.Path(LockName), flock.SetPermissions(0o600))
	// A health check may be looking at the lock at this moment.
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	ok, err := lock.TryLockContext(ctx, lockWait/20)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("lock the data folder %s: %w", d, err)
	}
	if !ok {
		return nil, fmt.Errorf("another svcd serves the data folder %s; stop it first, or choose another folder with --data-dir", d)
	}
	return lock, nil
}

// CheckOwner refuses a folder that belongs to another user. What that user's
// server could then not read would be lost to it, so root is refused, too.
func (d Dir) CheckOwner() error {
	info, err := os.Stat(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no data folder %s; name the server's with --data-dir", d)
	}
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder; name the server's data folder with --data-dir", d)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil // a system without owners
	}
	if me := os.Geteuid(); int(stat.Uid) != me {
		return fmt.Errorf("the data folder %s belongs to the user with id %d, and this is user %d; run the command as its owner", d, stat.Uid, me)
	}
	return nil
}

// PublishAddress writes where the service listens, for scripts.
func (d Dir) PublishAddress(address string) error {
	if err := renameio.WriteFile(d.AddressFile(), []byte(address), 0o644); err != nil {
		return fmt.Errorf("write the address in use: %w", err)
	}
	return nil
}

// UnpublishAddress removes what was published: nobody listens there.
func (d Dir) UnpublishAddress() error {
	if err := os.Remove(d.AddressFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the address of an earlier start: %w", err)
	}
	return nil
}

// CheckServed returns an error unless a server has the folder.
func (d Dir) CheckServed() error {
	if _, err := os.Stat(string(d)); err != nil {
		return fmt.Errorf("there is no data folder %s; name the server's with --data-dir", d)
	}
	lock := flock.New(d.Path(LockName), flock.SetPermissions(0o600))
	free, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("look for the server of %s: %w", d, err)
	}
	if !free {
		return nil
	}
	return errors.Join(fmt.Errorf("no server runs on the data folder %s", d), lock.Unlock())
}

// Halfway returns the path of the folder in which a restore unpacks. While it is
// there, everything else in the data folder is worth nothing.
func (d Dir) Halfway() string { return d.Path(".restoring") }

// HalfRestored reports whether a restore of the folder is going on or was
// interrupted.
func (d Dir) HalfRestored() bool {
	_, err := os.Lstat(d.Halfway())
	return err == nil
}

// RefuseHalfRestored returns an error while the folder is not whole.
func (d Dir) RefuseHalfRestored() error {
	if d.HalfRestored() {
		return fmt.Errorf("a restore of the data folder %s is going on or was interrupted; run svcd restore again", d)
	}
	return nil
}

// Sync makes sure that the names in a folder are on the disk.
func Sync(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
