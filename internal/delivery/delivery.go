// Package delivery hands out bundles: it decides who may see one, how often it may
// be fetched and when it is gone, and makes a fresh one from a project. It also takes
// changes of a project's files that come from outside.
//
// Invariants. A bundle leaves pending_download by an acknowledgement or by the
// clean-up job, and nothing leads back. What belongs to another account does
// not exist. Checks come in one order: idempotent replay, rate limit,
// ownership, state. A transaction never waits for bytes: repackaging reserves,
// assembles outside, and commits; whatever dies in between leaves only what the
// ledger knows of.
package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Limits are the numbers of the policy.
type Limits struct {
	// Downloads, Repackages and Pushes are admitted in any Window, for each account.
	Downloads, Repackages, Pushes int
	Window                        time.Duration
	// Project is the largest project that can be repackaged, and the most that can
	// be pushed at once.
	Project svc.Extent
	// PendingBytes is how much may wait for one account in all.
	PendingBytes int64
	// BundleTTL is the life of a bundle that nobody acknowledges.
	BundleTTL time.Duration
	// ReplayFor is how long the answer to an idempotent request is kept.
	ReplayFor time.Duration
	// AssemblyTimeout bounds one attempt at assembling; there are two.
	AssemblyTimeout time.Duration
}

// DefaultLimits are the published ones.
func DefaultLimits() Limits {
	return Limits{
		Downloads:       10,
		Repackages:      3,
		Pushes:          10,
		Window:          time.Minute,
		Project:         svc.Extent{Files: 500, Bytes: 25 << 20},
		PendingBytes:    4 << 30,
		BundleTTL:       24 * time.Hour,
		ReplayFor:       time.Minute,
		AssemblyTimeout: 8 * time.Second,
	}
}

// Observer is told what happens, for metrics. Its methods must be quick and may
// be called from many goroutines.
type Observer interface {
	// Limited is a request refused by a rolling limit or the storage cap.
	Limited(op svc.Operation, code svc.Code)
	// Replayed is an answer given again.
	Replayed(op svc.Operation)
	// Transition is a number of bundles that reached a state.
	Transition(to svc.BundleStatus, bundles int)
	// Cleaned is what one round of the clean-up or the sweep did.
	Cleaned(c Cleaned)
}

// Unobserved is an Observer that does not care.
type Unobserved struct{}

// Limited does nothing.
func (Unobserved) Limited(svc.Operation, svc.Code) {}

// Replayed does nothing.
func (Unobserved) Replayed(svc.Operation) {}

// Transition does nothing.
func (Unobserved) Transition(svc.BundleStatus, int) {}

// Cleaned does nothing.
func (Unobserved) Cleaned(Cleaned) {}

// Config is what a Service works with. Observer may be nil.
type Config struct {
	Store     svc.Store
	Blobs     svc.Blobs
	Assembler svc.Assembler
	Attester  svc.Attester // nil: nobody signs
	Limits    Limits
	Observer  Observer
}

// Service are the use cases of bundles and projects.
type Service struct {
	Config
	keyLocks keyLocks
}

// New makes the use cases.
func New(c Config) *Service {
	if c.Observer == nil {
		c.Observer = Unobserved{}
	}
	return &Service{Config: c}
}

// visible judges a bundle that was looked up: nil is CodeBundleNotFound, one
// without an archive CodeBundleDownloaded or CodeBundleExpired.
func visible(b *svc.Bundle) (svc.Bundle, error) {
	if b == nil {
		return svc.Bundle{}, bundleNotFound()
	}
	if b.Status != svc.BundlePending {
		return svc.Bundle{}, gone(*b)
	}
	return *b, nil
}

// Bundle returns a bundle that can be fetched. CodeBundleNotFound,
// CodeBundleDownloaded, CodeBundleExpired.
func (s *Service) Bundle(ctx context.Context, accountID, id string) (svc.Bundle, error) {
	b, err := s.lookUp(ctx, s.Store, accountID, id)
	if err != nil {
		return svc.Bundle{}, err
	}
	return visible(b)
}

// lookUp gives nil for a bundle that is not there, also for what is no id.
func (s *Service) lookUp(ctx context.Context, r svc.Records, accountID, id string) (*svc.Bundle, error) {
	if !svc.ValidBundleID(id) {
		return nil, nil
	}
	b, err := r.Bundles().Get(ctx, accountID, id)
	if errors.Is(err, svc.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read bundle %s: %w", id, err)
	}
	return &b, nil
}

// Latest returns the newest bundle that can be fetched, of one project when
// projectID is not empty. CodeBundleNotFound.
func (s *Service) Latest(ctx context.Context, accountID, projectID string) (svc.Bundle, error) {
	if projectID != "" && !svc.ValidProjectID(projectID) {
		return svc.Bundle{}, noneWaiting()
	}
	b, err := s.Store.Bundles().Latest(ctx, accountID, projectID)
	if errors.Is(err, svc.ErrNotFound) {
		return svc.Bundle{}, noneWaiting()
	}
	if err != nil {
		return svc.Bundle{}, fmt.Errorf("read latest bundle: %w", err)
	}
	return b, nil
}

// Acknowledge records that a bundle arrived and deletes its archive at once.
// Repeated, it returns the first record. CodeBundleNotFound, CodeBundleExpired.
func (s *Service) Acknowledge(ctx context.Context, accountID, id string) (svc.Bundle, error) {
	if !svc.ValidBundleID(id) {
		return svc.Bundle{}, bundleNotFound()
	}
	var before svc.Bundle
	var at time.Time
	err := s.Store.TxLocked(ctx, func(r svc.Records) error {
		var err error
		if at, err = r.Now(ctx); err != nil {
			return err
		}
		if before, err = r.Bundles().Acknowledge(ctx, accountID, id, at); err != nil {
			return err
		}
		if before.Status != svc.BundlePending {
			return nil
		}
		return r.Ledger().Discard(ctx, before.Blob, at)
	})
	switch {
	case errors.Is(err, svc.ErrNotFound):
		return svc.Bundle{}, bundleNotFound()
	case err != nil:
		return svc.Bundle{}, fmt.Errorf("acknowledge bundle %s: %w", id, err)
	case before.Status == svc.BundleExpired:
		return svc.Bundle{}, gone(before)
	case before.Status == svc.BundleDownloaded:
		return before, nil
	}
	s.Observer.Transition(svc.BundleDownloaded, 1)
	// The record is committed, so the caller's leaving must not keep the bytes.
	// Should deleting fail, the ledger still has them and the sweep will.
	deleting, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteTime)
	defer cancel()
	_ = s.Blobs.Delete(deleting, before.Blob)
	after := before
	after.Status, after.DownloadedAt, after.Blob = svc.BundleDownloaded, at, ""
	return after, nil
}
