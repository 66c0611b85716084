package migrate

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	svc "github.com/bundle-delivery/svc"
)

const (
	// claimKey is the blob that says whose move is going on. It goes at the end.
	claimKey = "svcd-migration"
	// hands is how many blobs are on their way at a time.
	hands = 4
	// namedAtMost is how many damaged blobs are named.
	namedAtMost = 20
)

// claim makes sure that the target's blobs are this move's: there are none, or
// an earlier try of the same source left its name, and is resumed.
func (m *Move) claim(ctx context.Context) (resumed bool, err error) {
	if m.ToBlobs == nil {
		return false, nil
	}
	switch owner, err := readSmall(ctx, m.ToBlobs, claimKey); {
	case err == nil && owner == m.Origin:
		return true, nil
	case err == nil:
		return false, occupied("archive store", fmt.Errorf("%w: another move to it has begun", svc.ErrConflict))
	case !errors.Is(err, svc.ErrNotFound):
		return false, err
	}
	if err := m.ToBlobs.CheckEmpty(ctx); err != nil {
		return false, occupied("archive store", err)
	}
	w, err := m.ToBlobs.Create(ctx, claimKey)
	if err != nil {
		return false, err
	}
	defer w.Abort()
	if _, err := io.WriteString(w, m.Origin); err != nil {
		return false, err
	}
	return false, w.Commit()
}

// release removes the claim, once the records are there.
func (m *Move) release(ctx context.Context) error {
	if m.ToBlobs == nil {
		return nil
	}
	owner, err := readSmall(ctx, m.ToBlobs, claimKey)
	if errors.Is(err, svc.ErrNotFound) || err == nil && owner != m.Origin {
		return nil
	}
	if err != nil {
		return err
	}
	return m.ToBlobs.Delete(ctx, claimKey)
}

func readSmall(ctx context.Context, from svc.Blobs, key string) (string, error) {
	r, err := from.Open(ctx, key)
	if err != nil {
		return "", err
	}
	defer func() { _ = r.Close() }() // it was only read
	const longest = 1 << 10
	text, err := io.ReadAll(io.LimitReader(r, longest))
	return string(text), err
}

// moveBlobs copies every blob that a record points at and reads it back. It goes
// on after a damaged one, so that all of them can be named.
func (m *Move) moveBlobs(ctx context.Context, sum *BlobSummary) error {
	var mu sync.Mutex
	var damaged []string
	damages := 0
	work, stop := errgroup.WithContext(ctx)
	work.SetLimit(hands)
	var listing error
	for ref, err := range m.From.Blobs(ctx) {
		if err != nil || stop.Err() != nil {
			listing = err
			break
		}
		work.Go(func() error {
			found, err := m.moveBlob(stop, ref)
			mu.Lock()
			defer mu.Unlock()
			if bad, ok := errors.AsType[*damageError](err); ok {
				if damages++; len(damaged) < namedAtMost {
					damaged = append(damaged, bad.Error())
				}
				return nil
			}
			if err != nil {
				return err
			}
			sum.Count, sum.Bytes = sum.Count+1, sum.Bytes+ref.Size
			if found {
				sum.Found++
			}
			m.report(Progress{Stage: StageBlobs, Done: sum.Count})
			return nil
		})
	}
	if err := errors.Join(listing, work.Wait()); err != nil {
		return err
	}
	if damages > 0 {
		return fmt.Errorf("%d archives are damaged where they are now, and nothing was changed; put them back from a backup, "+
			"or remove what points at them (acknowledge the bundle), and begin again:\n  %s", damages, strings.Join(damaged, "\n  "))
	}
	return ctx.Err()
}

// damageError is a blob of the source that is not what its record says.
type damageError struct {
	ref svc.BlobRef
	how string
}

func (e *damageError) Error() string {
	return fmt.Sprintf("%s (%s): %s", e.ref.Owner, e.ref.Key, e.how)
}

// moveBlob makes sure that the target has a blob. It says whether it was there.
func (m *Move) moveBlob(ctx context.Context, ref svc.BlobRef) (found bool, err error) {
	if m.ToBlobs == nil {
		return true, check(ctx, m.FromBlobs, ref)
	}
	err = check(ctx, m.ToBlobs, ref)
	if _, bad := errors.AsType[*damageError](err); !bad {
		return err == nil, err
	}
	if err := m.copyBlob(ctx, ref); err != nil {
		return false, err
	}
	err = check(ctx, m.ToBlobs, ref)
	if bad, ok := errors.AsType[*damageError](err); ok {
		return false, fmt.Errorf("the target does not give back what it was given: %s: %s", bad.ref.Key, bad.how)
	}
	return false, err
}

func (m *Move) copyBlob(ctx context.Context, ref svc.BlobRef) error {
	r, err := m.FromBlobs.Open(ctx, ref.Key)
	if errors.Is(err, svc.ErrNotFound) {
		return &damageError{ref, "it is missing"}
	}
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // it was only read
	w, err := m.ToBlobs.Create(ctx, ref.Key)
	if err != nil {
		return err
	}
	defer w.Abort()
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, hash), r)
	if err != nil {
		return err
	}
	if err := compare(ref, n, hash.Sum(nil)); err != nil {
		return err
	}
	return w.Commit()
}

// check reads a blob and compares it with what its record says.
func check(ctx context.Context, in svc.Blobs, ref svc.BlobRef) error {
	r, err := in.Open(ctx, ref.Key)
	if errors.Is(err, svc.ErrNotFound) {
		return &damageError{ref, "it is missing"}
	}
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // it was only read
	if r.Size() != ref.Size {
		return compare(ref, r.Size(), nil)
	}
	hash := sha256.New()
	n, err := io.Copy(hash, r)
	if err != nil {
		return err
	}
	return compare(ref, n, hash.Sum(nil))
}

func compare(ref svc.BlobRef, size int64, sum []byte) error {
	switch {
	case size != ref.Size:
		return &damageError{ref, fmt.Sprintf("it has %d bytes, not %d", size, ref.Size)}
	case [sha256.Size]byte(sum) != ref.SHA256:
		return &damageError{ref, "its bytes are not those that were stored"}
	}
	return nil
}
