package delivery

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/packaging"
	"github.com/bundle-delivery/svc/internal/sleep"
)

// pushTime is what a push may need once its changes have arrived.
const pushTime = time.Minute

// Push is a request to change files of a project from outside.
type Push struct {
	AccountID, ProjectID string
	// Key is the client's idempotency key, or empty.
	Key string
	// Base is the state that the changes were made on, in lower-case hexadecimal.
	Base string
	// Changes are changed and new files, Deleted the paths of those that go.
	Changes *bundlezip.Changes
	Deleted []string
	// Encode turns an outcome that will be kept (what a push did, or an error) into
	// the answer that is given now and, byte for byte, again. It is called inside
	// the transaction that keeps the answer, perhaps more than once.
	Encode func(svc.Push, error) (svc.Answer, error)
}

func (q Push) id() svc.IdempotencyID {
	return svc.IdempotencyID{AccountID: q.AccountID, Scope: "push/" + q.ProjectID, Key: q.Key}
}

// digests are the same for pushes that ask the same: that of the changes, and that
// of changes and base.
func (q Push) digests() (changes string, request [sha256.Size]byte, err error) {
	files := make([][3]string, 0, len(q.Changes.Files))
	for _, f := range q.Changes.Files {
		files = append(files, [3]string{f.Path, string(f.Mode), f.SHA256})
	}
	text, err := json.Marshal([]any{files, slices.Sorted(slices.Values(q.Deleted))})
	if err != nil {
		return "", request, fmt.Errorf("digest a push: %w", err)
	}
	sum := sha256.Sum256(text)
	changes = fmt.Sprintf("%x", sum)
	return changes, sha256.Sum256([]byte(q.Base + changes)), nil
}

// pushing is a push at work.
type pushing struct {
	Push
	changes string // digest of the changes
	request [sha256.Size]byte
	slot    time.Time
	hold    keyHold
	project svc.Project // as it was when the work was taken up
}

// MayPush refuses a push that its limit refuses, before anybody takes in its changes:
// CodeTooManyRequests. It uses no slot. Whether one with a key that is known is a
// repetition shows by its changes only, so it may come.
func (s *Service) MayPush(ctx context.Context, accountID, projectID, key string) error {
	id := Push{AccountID: accountID, ProjectID: projectID, Key: key}.id()
	err := s.store.Tx(ctx, func(r svc.Records) error {
		if key != "" && svc.ValidProjectID(projectID) {
			known, now, err := r.Idempotencies().Lock(ctx, id)
			if err != nil {
				return fmt.Errorf("lock the idempotency key: %w", err)
			}
			if now.Before(known.Expires) || now.Before(known.Lease) {
				return nil
			}
		}
		w, err := r.Windows().Lock(ctx, accountID, svc.OpPush)
		if err != nil {
			return fmt.Errorf("lock the %s window: %w", svc.OpPush, err)
		}
		if _, wait, ok := admit(w, s.limits.Pushes, s.limits.Window); !ok {
			return tooMany(svc.OpPush, s.limits.Pushes, wait)
		}
		return nil
	})
	s.observeRefusal(svc.OpPush, err)
	return err
}

// Push makes a project's next state from its present one and the changes, if the
// present one is the base of the changes and no run is at work on it. It makes no
// bundle. When the very changes have made the present state already, they count as
// made, so that a push can be repeated whatever became of the answer to the first.
//
// Success, CodeProjectMoved, CodeProjectBusy, CodeProjectEmpty and
// CodeProjectTooLarge come as encoded answers. Errors: CodeInvalidRequest,
// CodeIdempotencyMismatch, CodeTooManyRequests, CodeProjectNotFound.
func (s *Service) Push(ctx context.Context, q Push) (Answered, error) {
	p := &pushing{Push: q}
	var err error
	if p.changes, p.request, err = q.digests(); err != nil {
		return Answered{}, err
	}
	if !svc.ValidProjectID(q.ProjectID) {
		p.Key = "" // what is no id is no part of a key; not to be found is not kept
	}
	if p.Key != "" {
		unlock, err := s.keyLocks.lock(ctx, p.id())
		if err != nil {
			return Answered{}, fmt.Errorf("wait for the same request: %w", err)
		}
		defer unlock()
	}
	for {
		wait, done, err := s.reservePush(ctx, p)
		switch {
		case err != nil:
			s.observeRefusal(svc.OpPush, err)
			return Answered{}, err
		case wait:
			if err := sleep.For(ctx, pollEvery); err != nil {
				return Answered{}, fmt.Errorf("wait for the same request: %w", err)
			}
			continue
		case done != nil:
			if done.Replayed {
				s.observer.Replayed(svc.OpPush)
			}
			return *done, nil
		}
		answered, err := s.completePush(ctx, p)
		if !errors.Is(err, errTakenOver) {
			return answered, err
		}
	}
}

// reservePush is the first transaction: it ends the request, says that another is
// at work on the same key, or takes up the work.
func (s *Service) reservePush(ctx context.Context, p *pushing) (wait bool, done *Answered, err error) {
	held := p.slot
	var refused error
	err = s.store.Tx(ctx, func(r svc.Records) error {
		wait, done, refused, p.slot = false, nil, nil, held
		known, err := lockKey(ctx, r, p.id(), p.request)
		if err != nil || known.running || known.replay != nil {
			wait, done = known.running, known.replay
			return err
		}
		if held.IsZero() {
			if p.slot, err = s.takeSlot(ctx, r, p.AccountID, svc.OpPush, s.limits.Pushes); err != nil {
				return err
			}
		}
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		if p.project, err = s.project(ctx, r, p.AccountID, p.ProjectID); err != nil {
			if svc.CodeOf(err) == svc.CodeProjectNotFound {
				refused = err // uses its slot and is not kept
				return nil
			}
			return err
		}
		made, outcome, err := p.judge(ctx, r, s.limits)
		if err != nil {
			return err
		}
		if made != nil || outcome != nil {
			done, err = s.keepPush(ctx, r, p, known.Idempotency, now, made, outcome)
			return err
		}
		p.hold, err = holdKey(ctx, r, known.Idempotency, now.Add(pushTime))
		return err
	})
	if err == nil {
		err = refused
	}
	return wait, done, err
}

// judge looks at the project in a transaction: the push may have been made already,
// or cannot be made; neither means that it can.
func (p *pushing) judge(ctx context.Context, r svc.Records, limits Limits) (made *svc.Push, outcome, err error) {
	limit, actual := limits.Project, svc.Extent{Files: len(p.Changes.Files), Bytes: p.Changes.Bytes}
	if actual.Files > limit.Files || actual.Bytes > limit.Bytes || p.Changes.TooLarge() {
		return nil, pushTooLarge(limit, actual), nil
	}
	last := p.project.LastPush()
	if last != nil && last.Base == p.Base && last.Changes == p.changes {
		return last, nil, nil
	}
	run, active, err := packaging.ActiveRun(ctx, r, p.AccountID, p.ProjectID)
	if err != nil {
		return nil, nil, err
	}
	if active {
		return nil, projectBusy(run), nil
	}
	switch state := p.project.Pack.State(); state {
	case p.Base:
		return nil, nil, nil
	case "":
		return nil, projectEmpty(), nil
	default:
		waiting, err := r.Bundles().Latest(ctx, p.AccountID, p.ProjectID)
		if err != nil && !errors.Is(err, svc.ErrNotFound) {
			return nil, nil, fmt.Errorf("look for a bundle of project %s: %w", p.ProjectID, err)
		}
		if err != nil || waiting.SHA256 != p.project.Pack.SHA256 {
			waiting = svc.Bundle{}
		}
		return nil, projectMoved(p.ProjectID, state, waiting.ID), nil
	}
}

// keepPush encodes an outcome and stores it under the key, if there is one.
func (s *Service) keepPush(ctx context.Context, r svc.Records, p *pushing, known svc.Idempotency, now time.Time, made *svc.Push, outcome error) (*Answered, error) {
	if made == nil {
		made = &svc.Push{}
	}
	answer, err := p.Encode(*made, outcome)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return s.keepAnswer(ctx, r, known, now, answer)
}
