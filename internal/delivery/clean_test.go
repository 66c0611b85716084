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

// Promise: bundle-expires
func TestABundleExpiresWhenTheCleanUpRunsAndNotBefore(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	_, b := w.Project(a, deliverytest.Files(demo))
	w.Clock.Advance(30 * time.Hour)
	d, err := w.Delivery.Download(t.Context(), a.ID, b.ID)
	must.Do(t, err) // its time is over, and the job has not run
	must.Do(t, d.Content.Close())

	done, ran, err := w.Cleaner.CleanUp(t.Context())
	must.Do(t, err)
	if !ran || done.Expired != 1 {
		t.Errorf("ran %v: %+v", ran, done)
	}
	_, err = w.Delivery.Bundle(t.Context(), a.ID, b.ID)
	e := refusal(t, err, svc.CodeBundleExpired)
	if !e.Bundle.ExpiredAt.Equal(w.Clock.Now()) {
		t.Errorf("expired at %v", e.Bundle.ExpiredAt)
	}
	if w.HasBlob(b.Blob) {
		t.Error("the archive is still there")
	}
}

// Promise: bundle-expires
func TestTheCleanUpLeavesWhatIsYoungerThanADayAndWhatIsAcknowledged(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	_, acked := w.Project(a, deliverytest.Files(demo))
	_, err := w.Delivery.Acknowledge(t.Context(), a.ID, acked.ID)
	must.Do(t, err)
	_, young := w.Project(a, deliverytest.Files(demo))
	w.Clock.Advance(24*time.Hour - time.Millisecond)
	_, _, err = w.Cleaner.CleanUp(t.Context())
	must.Do(t, err)
	_, err = w.Delivery.Bundle(t.Context(), a.ID, young.ID)
	must.Do(t, err)
	w.Clock.Advance(time.Hour)
	_, ran, err := w.Cleaner.CleanUp(t.Context())
	must.Do(t, err)
	if !ran {
		t.Fatal("the job was not due")
	}
	_, err = w.Delivery.Bundle(t.Context(), a.ID, young.ID)
	wantCode(t, err, svc.CodeBundleExpired)
	_, err = w.Delivery.Bundle(t.Context(), a.ID, acked.ID)
	wantCode(t, err, svc.CodeBundleDownloaded)
}

// Promise: cleanup-hourly
func TestTheCleanUpIsDueOneIntervalAfterItsStartWhoeverRunsIt(t *testing.T) {
	w := deliverytest.New(t)
	other := *w.Cleaner // another process
	run := func(c *delivery.Cleaner) bool {
		_, ran, err := c.CleanUp(t.Context())
		must.Do(t, err)
		return ran
	}
	if !run(w.Cleaner) {
		t.Fatal("a job that never ran is due")
	}
	if run(&other) {
		t.Error("it ran twice")
	}
	w.Clock.Advance(time.Hour - time.Millisecond)
	if run(&other) {
		t.Error("it ran too early")
	}
	w.Clock.Advance(time.Millisecond)
	if !run(&other) {
		t.Error("it did not run when it was due")
	}
}

func TestTheCleanUpTakesMoreThanOneBatch(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p := w.EmptyProject(a)
	const many = 450
	must.Do(t, w.Store.Tx(t.Context(), func(r svc.Records) error {
		for range many {
			id := svc.NewBundleID(w.Clock.Now())
			if err := r.Bundles().Insert(t.Context(), svc.Bundle{
				ID: id, AccountID: a.ID, ProjectID: p.ID, Status: svc.BundlePending, Size: 1, Blob: "bundles/" + id + ".zip",
				CreatedAt: w.Clock.Now(), ExpiresAt: w.Clock.Now().Add(time.Hour),
			}); err != nil {
				return err
			}
		}
		return nil
	}))
	w.Clock.Advance(2 * time.Hour)
	done, _, err := w.Cleaner.CleanUp(t.Context())
	must.Do(t, err)
	if done.Expired != many || done.Deleted != many {
		t.Errorf("%+v", done)
	}
	account, err := w.Accounts.Get(t.Context(), a.ID)
	must.Do(t, err)
	if account.PendingBytes != 0 {
		t.Errorf("%d bytes are still counted", account.PendingBytes)
	}
}

// forgetful is a store that fails to forget answers.
type forgetful struct {
	svc.Store
	failing bool
}

func (s *forgetful) Idempotencies() svc.Idempotencies {
	return forgetfulAnswers{s.Store.Idempotencies(), s.failing}
}

type forgetfulAnswers struct {
	svc.Idempotencies
	failing bool
}

func (s forgetfulAnswers) Sweep(ctx context.Context, now time.Time, limit int) (int, error) {
	if s.failing {
		return 0, errors.New("database trouble")
	}
	return s.Idempotencies.Sweep(ctx, now, limit)
}

func TestACleanUpThatFailsIsDueAgainAtOnce(t *testing.T) {
	w := deliverytest.New(t)
	store := &forgetful{w.Store, true}
	w.Cleaner.Store = store
	done, ran, err := w.Cleaner.CleanUp(t.Context())
	if !ran || err == nil || done.Complete || !done.Job {
		t.Fatalf("the failure was swallowed: ran %v, %+v, %v", ran, done, err)
	}
	store.failing = false
	done, ran, err = w.Cleaner.CleanUp(t.Context())
	must.Do(t, err)
	if !ran || !done.Complete {
		t.Errorf("ran %v: %+v", ran, done)
	}
}

func TestOnlyTheJobIsComplete(t *testing.T) {
	w := deliverytest.New(t)
	done, err := w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if done.Complete {
		t.Error("the sweep counts as the clean-up job")
	}
}

func TestABlobThatCannotBeDeletedHoldsUpNothing(t *testing.T) {
	w := deliverytest.New(t)
	const many = 450
	must.Do(t, w.Store.Tx(t.Context(), func(r svc.Records) error {
		for i := range many {
			if err := r.Ledger().Discard(t.Context(), fmt.Sprintf("bundles/%03d.zip", i), w.Clock.Now()); err != nil {
				return err
			}
		}
		return nil
	}))
	stuck := func(key string) bool { return key < "bundles/250.zip" } // more than a batch
	w.Blobs.BeforeDelete(func(key string) error {
		if stuck(key) {
			return errors.New("disk trouble")
		}
		return nil
	})
	done, ran, err := w.Cleaner.CleanUp(t.Context())
	if err == nil || !ran || done.Complete {
		t.Fatalf("the failure was swallowed: ran %v, %+v, %v", ran, done, err)
	}
	if done.Deleted != many-250 {
		t.Errorf("%d deleted, want %d", done.Deleted, many-250)
	}
	if _, ran, err := w.Cleaner.CleanUp(t.Context()); ran || err != nil {
		t.Errorf("a stuck blob makes the job due at once: ran %v, %v", ran, err)
	}
	w.Blobs.BeforeDelete(nil)
	w.Clock.Advance(10 * time.Minute)
	done, err = w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if done.Deleted != 250 {
		t.Errorf("%d deleted in their next turn, want 250", done.Deleted)
	}
}

func TestTheSweepDeletesWhatWasAnnouncedAndNeverCameToBe(t *testing.T) {
	w := deliverytest.New(t)
	must.Do(t, w.Store.Ledger().Intend(t.Context(), "bundles/lost.zip", w.Clock.Now().Add(time.Minute)))
	blob, err := w.Blobs.Create(t.Context(), "bundles/lost.zip")
	must.Do(t, err)
	_, err = blob.Write([]byte("half a bundle"))
	must.Do(t, errors.Join(err, blob.Commit()))
	_, err = w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if !w.HasBlob("bundles/lost.zip") {
		t.Fatal("it was deleted while its writer may be at work")
	}
	w.Clock.Advance(time.Minute)
	done, err := w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if done.Deleted != 1 || w.HasBlob("bundles/lost.zip") {
		t.Errorf("%+v", done)
	}
}

func TestTheSweepForgetsAnswersThatCannotBeReplayed(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	_, err := repackage(t, w.Delivery, a, p, "k")
	must.Do(t, err)
	done, err := w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if done.Idempotencies != 0 {
		t.Fatalf("a live answer was forgotten: %+v", done)
	}
	w.Clock.Advance(time.Minute)
	done, err = w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if done.Idempotencies != 0 {
		t.Fatalf("an answer is forgotten while work for it may be late: %+v", done)
	}
	w.Clock.Advance(10 * time.Minute)
	done, err = w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if done.Idempotencies != 1 {
		t.Errorf("%+v", done)
	}
}

// TestTheCleanUpPrunesWhatIsKeptNoLonger: records go when their time is over, and none
// goes where no time is set.
// Promise: records-kept
func TestTheCleanUpPrunesWhatIsKeptNoLonger(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, b := w.Project(a, deliverytest.Files(demo))
	_, err := w.Delivery.Acknowledge(t.Context(), a.ID, b.ID)
	must.Do(t, err)
	run := svc.Run{ID: svc.NewGenerationID(), AccountID: a.ID, ProjectID: p.ID, Prompt: "x", Status: svc.RunQueued, CreatedAt: w.Clock.Now()}
	must.Do(t, w.Store.Runs().Insert(t.Context(), run))
	run.Status, run.FinishedAt = svc.RunCancelled, w.Clock.Now()
	must.Do(t, w.Store.Runs().Finish(t.Context(), svc.RunQueued, run))
	must.Do(t, w.Store.Runs().MarkEndPublished(t.Context(), run.ID))
	for _, test := range []struct {
		keep time.Duration
		code svc.Code
		gone int
	}{
		{0, svc.CodeBundleDownloaded, 0},
		{100 * time.Hour, svc.CodeBundleDownloaded, 0},
		{72 * time.Hour, svc.CodeBundleNotFound, 1},
	} {
		w.Clock.Advance(30 * time.Hour)
		w.Cleaner.BundleRetention, w.Cleaner.RunRetention = test.keep, test.keep
		done, ran, err := w.Cleaner.CleanUp(t.Context())
		must.Do(t, err)
		if !ran || done.PrunedBundles != test.gone || done.PrunedRuns != test.gone || !done.Complete {
			t.Errorf("kept for %v: %+v", test.keep, done)
		}
		if _, err = w.Store.Runs().Get(t.Context(), a.ID, run.ID); errors.Is(err, svc.ErrNotFound) != (test.gone > 0) {
			t.Errorf("kept for %v: the run is found: %v", test.keep, err)
		}
		_, err = w.Delivery.Bundle(t.Context(), a.ID, b.ID)
		wantCode(t, err, test.code)
	}
}

// Promise: audit-append-only
func TestEntriesOfTheAuditLogGoWhenTheirTimeIsOver(t *testing.T) {
	w := deliverytest.New(t)
	w.Account("ada@example.com")
	w.Clock.Advance(48 * time.Hour)
	w.Account("bob@example.com")
	w.Clock.Advance(48 * time.Hour)
	for _, test := range []struct {
		keep       time.Duration
		gone, left int
	}{{0, 0, 2}, {200 * time.Hour, 0, 2}, {72 * time.Hour, 1, 1}} {
		w.Clock.Advance(time.Hour)
		w.Cleaner.AuditRetention = test.keep
		done, ran, err := w.Cleaner.CleanUp(t.Context())
		must.Do(t, err)
		left, err := w.Accounts.Audit.List(t.Context(), svc.AuditQuery{Limit: 10})
		must.Do(t, err)
		if !ran || done.PrunedAudit != test.gone || !done.Complete || len(left) != test.left || left[0].Subject != "bob@example.com" {
			t.Errorf("kept for %v: %+v, and left %+v", test.keep, done, left)
		}
	}
}
