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

// acmeStorage is where the ACME library keeps its files: in the records, where all
// processes see them. The names and contents are the library's; among them are private keys.
type acmeStorage struct {
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
	_ certmagic.Storage   = (*acmeStorage)(nil)
	_ certmagic.TryLocker = (*acmeStorage)(nil)
)

func newACMEStorage(files svc.CertificateFiles, now func(context.Context) (time.Time, error), log *slog.Logger) *acmeStorage {
	return &acmeStorage{files: files, now: now, log: log, held: map[string]heldLock{}}
}

// String names the storage in the library's logs, in place of what it holds.
func (s *acmeStorage) String() string { return "records" }

// Store implements [certmagic.Storage].
func (s *acmeStorage) Store(ctx context.Context, key string, value []byte) error {
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	return s.files.Put(ctx, svc.CertificateFile{Name: key, Content: value, ChangedAt: now})
}

// Load implements [certmagic.Storage].
func (s *acmeStorage) Load(ctx context.Context, key string) ([]byte, error) {
	f, err := s.files.Get(ctx, key)
	return f.Content, missing(key, err)
}

// Delete implements [certmagic.Storage].
func (s *acmeStorage) Delete(ctx context.Context, key string) error { return s.files.Delete(ctx, key) }

// Exists implements [certmagic.Storage].
func (s *acmeStorage) Exists(ctx context.Context, key string) bool {
	_, err := s.Stat(ctx, key)
	return err == nil
}

// List implements [certmagic.Storage].
func (s *acmeStorage) List(ctx context.Context, folder string, recursive bool) ([]string, error) {
	names, err := s.files.List(ctx, folder)
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
func (s *acmeStorage) Stat(ctx context.Context, key string) (certmagic.KeyInfo, error) {
	f, err := s.files.Get(ctx, key)
	if err == nil {
		return certmagic.KeyInfo{Key: key, Modified: f.ChangedAt, Size: int64(len(f.Content)), IsTerminal: true}, nil
	}
	if !errors.Is(err, svc.ErrNotFound) {
		return certmagic.KeyInfo{}, err
	}
	below, err := s.files.List(ctx, key)
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
func (s *acmeStorage) Lock(ctx context.Context, name string) error {
	for {
		taken, err := s.TryLock(ctx, name)
		if err != nil || taken {
			return err
		}
		if err := sleep.For(ctx, lockPoll); err != nil {
			return err
		}
	}
}

// TryLock implements [certmagic.TryLocker].
func (s *acmeStorage) TryLock(ctx context.Context, name string) (bool, error) {
	owner := rand.Text()
	now, err := s.now(ctx)
	if err != nil {
		return false, err
	}
	taken, err := s.files.Lock(ctx, name, owner, now, now.Add(lockLease))
	if err != nil || !taken {
		return false, err
	}
	// The lock outlives the request that asked for it: Unlock ends it.
	beat, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.mu.Lock()
	s.held[name] = heldLock{owner: owner, stop: stop}
	s.mu.Unlock()
	go s.keep(beat, name, owner)
	return true, nil
}

// prolong gives a sign of life for a lock, and says whether it is still held. One
// that arrives after Unlock, in spite of all, changes nothing.
func (s *acmeStorage) prolong(ctx context.Context, name, owner string) (bool, error) {
	now, err := s.now(ctx)
	if err != nil {
		return false, err
	}
	return s.files.Prolong(ctx, name, owner, now.Add(lockLease))
}

// keep prolongs a lock until it is given back or lost.
func (s *acmeStorage) keep(ctx context.Context, name, owner string) {
	beat := time.NewTicker(lockBeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		still, err := s.prolong(ctx, name, owner)
		if err == nil && !still && ctx.Err() == nil {
			s.log.Warn("a lock of certificates was lost to another process; both may ask the authority", "lock", name)
			return
		}
	}
}

// Unlock implements [certmagic.Locker].
func (s *acmeStorage) Unlock(ctx context.Context, name string) error {
	s.mu.Lock()
	lock, ok := s.held[name]
	delete(s.held, name)
	s.mu.Unlock()
	if !ok {
		return fmt.Errorf("the lock %s is not held", name)
	}
	lock.stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockWait)
	defer cancel()
	return s.files.Unlock(ctx, name, lock.owner)
}
