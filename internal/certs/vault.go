package certs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/certmagic"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/sleep"
)

const (
	// lockLease is how long a process may be silent before others take its lock.
	lockLease = 30 * time.Second
	// lockBeat is how often a holder says that it lives.
	lockBeat = lockLease / 3
	// lockPoll is how often a lock is asked for that another has.
	lockPoll = time.Second
	// unlockWait bounds the giving back of a lock when all else is over.
	unlockWait = 5 * time.Second
)

// vault lets the library keep its files in the records, where all processes see
// them. The names and contents are the library's; among them are private keys.
type vault struct {
	files svc.CertificateFiles
	now   func(context.Context) (time.Time, error)
	log   *slog.Logger

	mu   sync.Mutex
	held map[string]heldLock
}

// heldLock is a lock that this process has.
type heldLock struct {
	owner string
	stop  context.CancelFunc
}

var (
	_ certmagic.Storage   = (*vault)(nil)
	_ certmagic.TryLocker = (*vault)(nil)
)

func newVault(files svc.CertificateFiles, now func(context.Context) (time.Time, error), log *slog.Logger) *vault {
	return &vault{files: files, now: now, log: log, held: map[string]heldLock{}}
}

// String names the vault in the library's logs, in place of what it holds.
func (v *vault) String() string { return "records" }

// Store implements [certmagic.Storage].
func (v *vault) Store(ctx context.Context, key string, value []byte) error {
	now, err := v.now(ctx)
	if err != nil {
		return err
	}
	return v.files.Put(ctx, svc.CertificateFile{Name: key, Content: value, ChangedAt: now})
}

// Load implements [certmagic.Storage].
func (v *vault) Load(ctx context.Context, key string) ([]byte, error) {
	f, err := v.files.Get(ctx, key)
	return f.Content, missing(key, err)
}

// Delete implements [certmagic.Storage].
func (v *vault) Delete(ctx context.Context, key string) error { return v.files.Delete(ctx, key) }

// Exists implements [certmagic.Storage].
func (v *vault) Exists(ctx context.Context, key string) bool {
	_, err := v.Stat(ctx, key)
	return err == nil
}

// List implements [certmagic.Storage].
func (v *vault) List(ctx context.Context, folder string, recursive bool) ([]string, error) {
	names, err := v.files.List(ctx, folder)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, missing(folder, svc.ErrNotFound)
	}
	if recursive {
		return names, nil
	}
	var here []string
	for _, name := range names {
		below := strings.TrimPrefix(strings.TrimPrefix(name, folder), "/")
		first, _, _ := strings.Cut(below, "/")
		here = append(here, path.Join(folder, first))
	}
	return slices.Compact(here), nil
}

// Stat implements [certmagic.Storage].
func (v *vault) Stat(ctx context.Context, key string) (certmagic.KeyInfo, error) {
	f, err := v.files.Get(ctx, key)
	if err == nil {
		return certmagic.KeyInfo{Key: key, Modified: f.ChangedAt, Size: int64(len(f.Content)), IsTerminal: true}, nil
	}
	if !errors.Is(err, svc.ErrNotFound) {
		return certmagic.KeyInfo{}, err
	}
	below, err := v.files.List(ctx, key)
	if err != nil {
		return certmagic.KeyInfo{}, err
	}
	if len(below) == 0 {
		return certmagic.KeyInfo{}, missing(key, svc.ErrNotFound)
	}
	return certmagic.KeyInfo{Key: key}, nil
}

// missing says in the library's words that there is no such file.
func missing(key string, err error) error {
	if errors.Is(err, svc.ErrNotFound) {
		return &fs.PathError{Op: "load", Path: key, Err: fs.ErrNotExist}
	}
	return err
}

// Lock implements [certmagic.Locker]. The lock is kept by a goroutine until it is
// given back, and lost when the process is.
func (v *vault) Lock(ctx context.Context, name string) error {
	for {
		taken, err := v.TryLock(ctx, name)
		if err != nil || taken {
			return err
		}
		if err := sleep.For(ctx, lockPoll); err != nil {
			return err
		}
	}
}

// TryLock implements [certmagic.TryLocker].
func (v *vault) TryLock(ctx context.Context, name string) (bool, error) {
	owner := rand.Text()
	now, err := v.now(ctx)
	if err != nil {
		return false, err
	}
	taken, err := v.files.Lock(ctx, name, owner, now, now.Add(lockLease))
	if err != nil || !taken {
		return false, err
	}
	// The lock outlives the request that asked for it: Unlock ends it.
	beat, stop := context.WithCancel(context.WithoutCancel(ctx))
	v.mu.Lock()
	v.held[name] = heldLock{owner: owner, stop: stop}
	v.mu.Unlock()
	go v.keep(beat, name, owner)
	return true, nil
}

// prolong gives a sign of life for a lock, and says whether it is still held. One
// that arrives after Unlock, in spite of all, changes nothing.
func (v *vault) prolong(ctx context.Context, name, owner string) (bool, error) {
	now, err := v.now(ctx)
	if err != nil {
		return false, err
	}
	return v.files.Prolong(ctx, name, owner, now.Add(lockLease))
}

// keep prolongs a lock until it is given back or lost.
func (v *vault) keep(ctx context.Context, name, owner string) {
	beat := time.NewTicker(lockBeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		still, err := v.prolong(ctx, name, owner)
		if err == nil && !still && ctx.Err() == nil {
			v.log.Warn("a lock of certificates was lost to another process; both may ask the authority", "lock", name)
			return
		}
	}
}

// Unlock implements [certmagic.Locker].
func (v *vault) Unlock(ctx context.Context, name string) error {
	v.mu.Lock()
	lock, ok := v.held[name]
	delete(v.held, name)
	v.mu.Unlock()
	if !ok {
		return fmt.Errorf("the lock %s is not held", name)
	}
	lock.stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockWait)
	defer cancel()
	return v.files.Unlock(ctx, name, lock.owner)
}
