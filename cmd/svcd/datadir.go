package main

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

// dataDir is the folder with everything that the service keeps.
type dataDir string

func (d dataDir) path(name string) string { return filepath.Join(string(d), name) }

func (d dataDir) database() string { return d.path("svcd.db") }
func (d dataDir) blobs() string    { return d.path("blobs") }
func (d dataDir) events() string   { return d.path("events") }
func (d dataDir) tls() string      { return d.path("tls") }
func (d dataDir) address() string  { return d.path("svcd.addr") }

// scratch gives the folder for what runs need while they run, emptied: what is
// in it belonged to a process that is gone. The lock has to be held.
func (d dataDir) scratch() (string, error) {
	folder, err := filepath.Abs(d.path("scratch"))
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

// create makes the folder for its owner alone, unless it is there.
func (d dataDir) create() error {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	return nil
}

// tighten takes the folder from everybody but its owner: database and keys may
// have been made by a tool that trusts the folder. It says whether it had to.
func (d dataDir) tighten() (bool, error) {
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

// lock keeps every other serve out of the folder until it is closed. The lock
// goes with the process, however that ends.
func (d dataDir) lock() (*flock.Flock, error) {
	lock := flock.New(d.path(lockName), flock.SetPermissions(0o600))
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

// checkOwner refuses a folder that belongs to another user. What that user's
// server could then not read would be lost to it, so root is refused, too.
func (d dataDir) checkOwner() error {
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

// publishAddress writes where the service listens, for scripts.
func (d dataDir) publishAddress(address string) error {
	if err := renameio.WriteFile(d.address(), []byte(address), 0o644); err != nil {
		return fmt.Errorf("write the address in use: %w", err)
	}
	return nil
}

// unpublishAddress removes what was published: nobody listens there.
func (d dataDir) unpublishAddress() error {
	if err := os.Remove(d.address()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the address of an earlier start: %w", err)
	}
	return nil
}
