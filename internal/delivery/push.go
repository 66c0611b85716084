package delivery

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
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

// MayPush refuses a push that its limit refuses, before anybody takes in its changes:
// CodeTooManyRequests. It uses no slot. Whether one with a key that is known is a
// repetition shows by its changes only, so it may come.
func (s *Service) MayPush(ctx context.Context, accountID, projectID, key string) error {
	id := Push{AccountID: accountID, ProjectID: projectID, Key: key}.id()
	err := s.Store.Tx(ctx, func(r svc.Records) error {
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
		if _, wait, ok := admit(w, s.Limits.Pushes, s.Limits.Window); !ok {
			return tooMany(svc.OpPush, s.Limits.Pushes, wait)
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
	changes, digest, err := q.digests()
	if err != nil {
		return Answered{}, err
	}
	if !svc.ValidProjectID(q.ProjectID) {
		q.Key = "" // what is no id is no part of a key; not to be found is not kept
	}
	work := request[svc.Push]{
		job: &pushing{Push: q, service: s, changes: changes}, Service: s, id: q.id(), digest: digest,
		op: svc.OpPush, limit: s.Limits.Pushes, time: pushTime, encode: q.Encode, tx: s.Store.Tx,
	}
	return work.run(ctx)
}
