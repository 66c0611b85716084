package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
)

const (
	// assemblyRetryAfter is what a client is told when assembling failed.
	assemblyRetryAfter = 2 * time.Second
	// storageRetryAfter is an estimate: waiting bundles go when they are
	// acknowledged, which nobody can foresee.
	storageRetryAfter = time.Minute
	// lateWrite is how long after its deadline the archive of an assembler that has
	// been given up may still come to be.
	lateWrite = pack.LateWrite
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

// Repackage makes a fresh bundle, or gives the answer again that the same key was given
// less than ReplayFor ago. Requests with the same key at the same time make one bundle.
//
// Success, CodeProjectEmpty and CodeProjectTooLarge come as encoded answers.
// Errors: CodeTooManyRequests, CodeStorageLimitReached, CodeProjectNotFound,
// CodeAssemblyUnavailable.
func (s *Service) Repackage(ctx context.Context, q Repackage) (Answered, error) {
	if !svc.ValidProjectID(q.ProjectID) {
		q.Key = "" // what is no id is no part of a key; not to be found is not kept
	}
	work := request[svc.Bundle]{
		job: &repackaging{Repackage: q, service: s}, Service: s,
		id: svc.IdempotencyID{AccountID: q.AccountID, Scope: "repackage/" + q.ProjectID, Key: q.Key},
		op: svc.OpRepackage, limit: s.Limits.Repackages, time: 2*s.Limits.AssemblyTimeout + commitTime,
		encode: q.Encode, tx: s.Store.TxLocked,
	}
	return work.run(ctx)
}

// repackaging is a [job].
type repackaging struct {
	Repackage
	service   *Service
	bundleID  string
	target    string
	project   svc.Project // with the state that the archive holds
	assembled svc.Assembled
}

func (j *repackaging) claim(ctx context.Context, r svc.Records, now, lease time.Time) (made *svc.Bundle, err error) {
	if j.project, err = j.service.project(ctx, r, j.AccountID, j.ProjectID); err != nil {
		return nil, err
	}
	if err := j.service.repackable(j.project); err != nil {
		return nil, err
	}
	if err := j.service.checkStorage(ctx, r, j.AccountID, j.project.Pack.Size); err != nil {
		return nil, err
	}
	j.bundleID = svc.NewBundleID(now)
	j.target = pack.BundleKey(j.bundleID)
	if err := r.Ledger().Intend(ctx, j.target, lease.Add(lateWrite)); err != nil {
		return nil, fmt.Errorf("announce the archive: %w", err)
	}
	return nil, nil
}

// work asks for the archive: one retry, and one further look when the
// project has left the pack behind meanwhile.
func (j *repackaging) work(ctx context.Context) error {
	project, looked, failed := j.project, false, false
	for {
		made, err := j.service.Assembler.Assemble(ctx, svc.Assembly{
			Pack: project.Pack, Target: j.target, Deadline: deadline(ctx, j.service.Limits.AssemblyTimeout),
		})
		switch {
		case err == nil:
			j.assembled, j.project = made, project
			return nil
		case errors.Is(err, svc.ErrNotFound) && !looked:
			looked = true
			var readErr error
			if project, readErr = j.service.project(ctx, j.service.Store, j.AccountID, j.ProjectID); readErr == nil {
				readErr = j.service.repackable(project)
			}
			if readErr != nil {
				return readErr
			}
		case failed || ctx.Err() != nil:
			return assemblyUnavailable(err)
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

// commit makes bundle and attestation.
func (j *repackaging) commit(ctx context.Context, r svc.Records) (svc.Bundle, error) {
	if _, err := j.service.project(ctx, r, j.AccountID, j.ProjectID); err != nil {
		return svc.Bundle{}, err
	}
	now, err := r.Now(ctx)
	if err != nil {
		return svc.Bundle{}, err
	}
	if err := j.service.checkStorage(ctx, r, j.AccountID, j.assembled.Size); err != nil {
		return svc.Bundle{}, err
	}
	if err := r.Ledger().Fulfil(ctx, j.target); err != nil {
		return svc.Bundle{}, assemblyUnavailable(fmt.Errorf("claim the archive: %w", err))
	}
	bundle := pack.NewBundle(j.bundleID, j.project, j.assembled, now, j.service.Limits.BundleTTL)
	if err := r.Bundles().Insert(ctx, bundle); err != nil {
		return svc.Bundle{}, fmt.Errorf("insert bundle: %w", err)
	}
	return bundle, j.service.attest(ctx, r, bundle, j.project.StateProvenance())
}

func (j *repackaging) committed(svc.Bundle) {
	j.service.Observer.Transition(svc.BundlePending, 1)
}

// release makes the archive garbage.
func (j *repackaging) release(ctx context.Context, r svc.Records, now time.Time, failed error) (made *svc.Bundle, outcome, err error) {
	// An assembler that was given up may write for a moment longer.
	if err := svc.Abandon(ctx, r.Ledger(), j.target, now.Add(j.service.Limits.AssemblyTimeout+lateWrite)); err != nil {
		return nil, nil, fmt.Errorf("discard the archive: %w", err)
	}
	return nil, failed, nil
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
	if limit := s.Limits.Project; p.Pack.Extent.Files > limit.Files || p.Pack.Extent.Bytes > limit.Bytes {
		return projectTooLarge(limit, p.Pack.Extent)
	}
	return nil
}

// checkStorage says whether the account may have more bytes waiting.
func (s *Service) checkStorage(ctx context.Context, r svc.Records, accountID string, more int64) error {
	room, err := pack.Room(ctx, r, accountID, "", s.Limits.PendingBytes)
	if err != nil {
		return err
	}
	if more > room {
		return storageFull(s.Limits.PendingBytes, storageRetryAfter)
	}
	return nil
}
