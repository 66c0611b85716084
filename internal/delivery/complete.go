package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// complete assembles what was reserved and commits it. From here on the work
// no longer depends on the caller: if it hangs up, its retry finds the answer.
func (s *Service) complete(ctx context.Context, q Repackage, reserved reservation) (Answered, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*s.limits.AssemblyTimeout+commitTime)
	defer cancel()
	made, project, err := s.assemble(ctx, q, reserved)
	var done Answered
	if err == nil {
		done, err = s.commit(ctx, q, reserved, made, project)
	}
	if err == nil {
		return done, nil
	}
	if kept := svc.CodeOf(err); kept == svc.CodeProjectEmpty || kept == svc.CodeProjectTooLarge {
		return s.release(ctx, q, reserved, err)
	}
	_, releaseErr := s.release(ctx, q, reserved, err)
	s.observeRefusal(svc.OpRepackage, err)
	if releaseErr != nil && !errors.Is(err, errTakenOver) {
		// What the lease and the ledger hold is let go by time.
		err = withCause(err, releaseErr)
	}
	return Answered{}, err
}

// assemble asks for the archive: one retry, and one further look when the
// project has left the pack behind meanwhile. It gives the project as it was with the
// state that the archive holds.
func (s *Service) assemble(ctx context.Context, q Repackage, reserved reservation) (svc.Assembled, svc.Project, error) {
	project, looked, failed := reserved.project, false, false
	for {
		made, err := s.assembler.Assemble(ctx, svc.Assembly{
			Pack: project.Pack, Target: reserved.target, Deadline: deadline(ctx, s.limits.AssemblyTimeout),
		})
		switch {
		case err == nil:
			return made, project, nil
		case errors.Is(err, svc.ErrNotFound) && !looked:
			looked = true
			var readErr error
			if project, readErr = s.project(ctx, s.store, q.AccountID, q.ProjectID); readErr == nil {
				readErr = s.repackable(project)
			}
			if readErr != nil {
				return svc.Assembled{}, svc.Project{}, readErr
			}
		case failed || ctx.Err() != nil:
			return svc.Assembled{}, svc.Project{}, assemblyUnavailable(err)
		default:
			failed = true
		}
	}
}

// deadline is when one attempt is given up, never after the whole work is.
func deadline(ctx context.Context, timeout time.Duration) time.Time {
	at := time.Now().Add(timeout)
	if end, ok := ctx.Deadline(); ok && end.Before(at) {
		return end
	}
	return at
}

// commit is the second transaction: bundle, attestation and kept answer become true together,
// if the key is still held.
func (s *Service) commit(ctx context.Context, q Repackage, reserved reservation, made svc.Assembled, project svc.Project) (Answered, error) {
	var done *Answered
	err := s.store.TxLocked(ctx, func(r svc.Records) error {
		known, err := heldKey(ctx, r, q.id(), reserved.hold)
		if err != nil {
			return err
		}
		if _, err := s.project(ctx, r, q.AccountID, q.ProjectID); err != nil {
			return err
		}
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		if err := s.checkStorage(ctx, r, q.AccountID, made.Size); err != nil {
			return err
		}
		if err := r.Ledger().Fulfil(ctx, reserved.target); err != nil {
			return assemblyUnavailable(fmt.Errorf("claim the archive: %w", err))
		}
		bundle := svc.Bundle{
			ID: reserved.bundleID, AccountID: q.AccountID, ProjectID: q.ProjectID, Status: svc.BundlePending,
			FileCount: project.Pack.Extent.Files, Size: made.Size, SHA256: made.SHA256, Blob: reserved.target,
			CreatedAt: now, ExpiresAt: now.Add(s.limits.BundleTTL),
		}
		if err := r.Bundles().Insert(ctx, bundle); err != nil {
			return fmt.Errorf("insert bundle: %w", err)
		}
		if err := s.attest(ctx, r, bundle, project.StateProvenance()); err != nil {
			return err
		}
		done, err = s.keep(ctx, r, q, known, now, bundle, nil)
		return err
	})
	if err != nil {
		return Answered{}, err
	}
	s.observer.Transition(svc.BundlePending, 1, made.Size)
	return *done, nil
}

// release ends a repackaging without a bundle: the archive is garbage, the key
// is free for whoever waits, or holds the outcome if it is one that is kept, and
// a refusal by a limit gives its slot back.
func (s *Service) release(ctx context.Context, q Repackage, reserved reservation, outcome error) (Answered, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	var done Answered
	err := s.store.TxLocked(ctx, func(r svc.Records) error {
		done = Answered{}
		known, err := heldKey(ctx, r, q.id(), reserved.hold)
		takenOver := errors.Is(err, errTakenOver)
		if err != nil && !takenOver {
			return err
		}
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		// An assembler that was given up may write for a moment longer.
		if err := svc.Abandon(ctx, r.Ledger(), reserved.target, now.Add(s.limits.AssemblyTimeout+lateWrite)); err != nil {
			return fmt.Errorf("discard the archive: %w", err)
		}
		code := svc.CodeOf(outcome)
		if code == svc.CodeStorageLimitReached {
			if err := s.returnSlot(ctx, r, q.AccountID, svc.OpRepackage, reserved.slot); err != nil {
				return err
			}
		}
		if takenOver {
			return nil
		}
		if code == svc.CodeProjectEmpty || code == svc.CodeProjectTooLarge {
			kept, err := s.keep(ctx, r, q, known, now, svc.Bundle{}, outcome)
			if err != nil {
				return err
			}
			done = *kept
			return nil
		}
		return freeKey(ctx, r, known)
	})
	if err != nil {
		return Answered{}, fmt.Errorf("release a repackaging: %w", err)
	}
	return done, nil
}

// withCause adds to an error what else went wrong, for the log.
func withCause(err, also error) error {
	if e, ok := errors.AsType[*svc.Error](err); ok {
		with := *e
		with.Err = errors.Join(e.Err, also)
		return &with
	}
	return errors.Join(err, also)
}
