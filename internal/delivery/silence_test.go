package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// silent is a store that answers no wish to delete.
type silent struct {
	svc.Blobs
	asked []string
}

func (s *silent) Delete(ctx context.Context, key string) error {
	s.asked = append(s.asked, key)
	<-ctx.Done()
	return ctx.Err()
}

// Promise: ack-waits-for-no-store
func TestAnAcknowledgementDoesNotWaitForASilentStore(t *testing.T) {
	t.Parallel()
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	_, b := w.Project(a, deliverytest.Files(demo))
	s := delivery.New(delivery.Config{Store: w.Store, Blobs: &silent{Blobs: w.Blobs}, Limits: delivery.DefaultLimits()})
	done, err := s.Acknowledge(t.Context(), a.ID, b.ID) // which hangs, or does not
	must.Do(t, err)
	if done.Status != svc.BundleDownloaded {
		t.Errorf("the bundle is %s", done.Status)
	}
	_, err = w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if w.HasBlob(b.Blob) {
		t.Error("the archive is left when the store answers again")
	}
}

func TestASilentStoreIsLeftAloneUntilTheNextRound(t *testing.T) {
	t.Parallel()
	w := deliverytest.New(t)
	const many = 20
	must.Do(t, w.Store.Tx(t.Context(), func(r svc.Records) error {
		for i := range many {
			if err := r.Ledger().Discard(t.Context(), fmt.Sprintf("bundles/%03d.zip", i), w.Clock.Now()); err != nil {
				return err
			}
		}
		return nil
	}))
	blobs := &silent{Blobs: w.Blobs}
	cleaner := &delivery.Cleaner{Store: w.Store, Blobs: blobs, Interval: w.Cleaner.Interval}
	if _, err := cleaner.Sweep(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the sweep ends with %v, want that nothing was answered in time", err)
	}
	if len(blobs.asked) != 1 {
		t.Errorf("%d blobs were tried, want 1", len(blobs.asked))
	}
	w.Clock.Advance(time.Minute)
	done, err := w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if done.Deleted != many-1 {
		t.Errorf("%d deleted in the next round, want all but the one that has a later turn", done.Deleted)
	}
}
