package delivery

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/packaging"
	"github.com/bundle-delivery/svc/internal/sleep"
)

const (
	// assemblyRetryAfter is what a client is told when assembling failed.
	assemblyRetryAfter = 2 * time.Second
	// storageRetryAfter is an estimate: waiting bundles go when they are
	// acknowledged, which nobody can foresee.
	storageRetryAfter = time.Minute
	// commitTime is what a repackaging may need beside its assemblies.
	commitTime = 4 * time.Second
	// lateWrite is how long after its deadline the archive of an assembler that has
	// been given up may still come to be.
	lateWrite = packaging.LateWrite
	// pollEvery is how often a request asks whether another process is done with
	// the same work.
	pollEvery = 50 * time.Millisecond
)

// Repackage is a request to make a fresh bundle from a project as it stands.
type Repackage struct {
	AccountID, ProjectID string
	// Key is the client's idempotency key, or empty.
	Key string
	// Encode turns an outcome that will be kept (a bundle, or an error) into the
	// answer that is given now and, byte for byte, again. It is called inside
	// the transaction that keeps the answer, perhaps more than once.
	Encode func(svc.Bundle, error) (svc.Answer, error)
}

// id names the work for the records; a key is scoped to account and project.
func (q Repackage) id() svc.IdempotencyID {
	return svc.IdempotencyID{AccountID: q.AccountID, Scope: "repackage/" + q.ProjectID, Key: q.Key}
}

// reservation is what the first transaction of a repackaging settles.
type reservation struct {
	// wait says that another request is at work on the same key.
	wait bool
	// answer is set when there is nothing left to do.
	answer *Answered
	// refused is an outcome that uses a slot and is not kept.
	refused error

	hold     keyHold
	slot     time.Time
	bundleID string
	target   string
	project  svc.Project // whose pack is assembled
}

// Repackage makes a fresh bundle, or gives the answer again that the same key
// was given less than ReplayFor ago. Requests with the same key at the same time
// make one bundle: the others wait and replay, and if the first ends without an
// answer that is kept, one of them takes its place.
//
// Success, CodeProjectEmpty and CodeProjectTooLarge come as encoded answers.
// Errors: CodeTooManyRequests, CodeStorageLimitReached, CodeProjectNotFound,
// CodeAssemblyUnavailable.
func (s *Service) Repackage(ctx context.Context, q Repackage) (Answered, error) {
	if !svc.ValidProjectID(q.ProjectID) {
		q.Key = "" // what is no id is no part of a key; not to be found is not kept
	}
	if q.Key != "" {
		unlock, err := s.keyLocks.lock(ctx, q.id())
		if err != nil {
			return Answered{}, fmt.Errorf("wait for the same request: %w", err)
		}
		defer unlock()
	}
	var slot time.Time
	for {
		reserved, err := s.reserve(ctx, q, slot)
		switch {
		case err != nil:
			s.observeRefusal(svc.OpRepackage, err)
			return Answered{}, err
		case reserved.wait:
			if err := sleep.For(ctx, pollEvery); err != nil {
				return Answered{}, fmt.Errorf("wait for the same request: %w", err)
			}
			continue
		case reserved.refused != nil:
			return Answered{}, reserved.refused
		case reserved.answer != nil:
			if reserved.answer.Replayed {
				s.observer.Replayed(svc.OpRepackage)
			}
			return *reserved.answer, nil
		}
		done, err := s.complete(ctx, q, reserved)
		if !errors.Is(err, errTakenOver) {
			return done, err
		}
		// The lease ran out and another request took the work: its answer
		// counts. The slot that this one has used, it has used.
		slot = reserved.slot
	}
}

// reserve is the first transaction. held is the slot that the request has
// already, if any.
func (s *Service) reserve(ctx context.Context, q Repackage, held time.Time) (reservation, error) {
	var out reservation
	err := s.store.TxLocked(ctx, func(r svc.Records) error {
		out = reservation{slot: held}
		known, err := lockKey(ctx, r, q.id(), [sha256.Size]byte{})
		if err != nil || known.running || known.replay != nil {
			out.wait, out.answer = known.running, known.replay
			return err
		}
		if held.IsZero() {
			if out.slot, err = s.takeSlot(ctx, r, q.AccountID, svc.OpRepackage, s.limits.Repackages); err != nil {
				return err
			}
		}
		return s.claim(ctx, r, q, known.Idempotency, &out)
	})
	return out, err
}

// claim looks at the project and either ends the request or takes up the work.
func (s *Service) claim(ctx context.Context, r svc.Records, q Repackage, known svc.Idempotency, out *reservation) error {
	now, err := r.Now(ctx)
	if err != nil {
		return err
	}
	project, err := s.project(ctx, r, q.AccountID, q.ProjectID)
	if err == nil {
		err = s.repackable(project)
	}
	switch svc.CodeOf(err) {
	case "":
	case svc.CodeProjectNotFound:
		out.refused = err
		return nil
	case svc.CodeProjectEmpty, svc.CodeProjectTooLarge:
		answer, err := s.keep(ctx, r, q, known, now, svc.Bundle{}, err)
		out.answer = answer
		return err
	default:
		return err
	}
	if err := s.checkStorage(ctx, r, q.AccountID, project.Pack.Size); err != nil {
		return err // rolls the slot back with everything else
	}
	lease := now.Add(2*s.limits.AssemblyTimeout + commitTime)
	out.project = project
	out.bundleID = svc.NewBundleID(now)
	out.target = packaging.BundleKey(out.bundleID)
	if err := r.Ledger().Intend(ctx, out.target, lease.Add(lateWrite)); err != nil {
		return fmt.Errorf("announce the archive: %w", err)
	}
	out.hold, err = holdKey(ctx, r, known, lease)
	return err
}

// keep encodes an outcome and stores it under the key, if there is one.
func (s *Service) keep(ctx context.Context, r svc.Records, q Repackage, known svc.Idempotency, now time.Time, b svc.Bundle, outcome error) (*Answered, error) {
	answer, err := q.Encode(b, outcome)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return s.keepAnswer(ctx, r, known, now, answer)
}

func (s *Service) project(ctx context.Context, r svc.Records, accountID, id string) (svc.Project, error) {
	if !svc.ValidProjectID(id) {
		return svc.Project{}, projectNotFound()
	}
	p, err := r.Projects().Get(ctx, accountID, id)
	if errors.Is(err, svc.ErrNotFound) {
		return svc.Project{}, projectNotFound()
	}
	if err != nil {
		return svc.Project{}, fmt.Errorf("read project %s: %w", id, err)
	}
	return p, nil
}

// repackable says whether a project has files, and not too many.
func (s *Service) repackable(p svc.Project) error {
	if p.Pack.Blob == "" || p.Pack.Extent.Files == 0 {
		return projectEmpty()
	}
	if limit := s.limits.Project; p.Pack.Extent.Files > limit.Files || p.Pack.Extent.Bytes > limit.Bytes {
		return projectTooLarge(limit, p.Pack.Extent)
	}
	return nil
}

// checkStorage says whether the account may have more bytes waiting.
func (s *Service) checkStorage(ctx context.Context, r svc.Records, accountID string, more int64) error {
	room, err := packaging.Room(ctx, r, accountID, "", s.limits.PendingBytes)
	if err != nil {
		return err
	}
	if more > room {
		return storageFull(s.limits.PendingBytes, storageRetryAfter)
	}
	return nil
}
