package delivery_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func TestTheCleanerSweepsAtStartAndEveryMinuteAndExpiresWhenDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := deliverytest.New(t)
		a := w.Account("ada@example.com")
		_, b := w.Project(a, deliverytest.Files(demo))
		must.Do(t, w.Store.Ledger().Discard(t.Context(), "packs/left-by-a-crash.zip", w.Clock.Now()))
		garbage := func() int {
			keys, err := w.Store.Ledger().Collect(t.Context(), w.Clock.Now(), w.Clock.Now(), 10)
			must.Do(t, err)
			return len(keys)
		}
		pass := func(d time.Duration) {
			w.Clock.Advance(d)
			time.Sleep(d)
			synctest.Wait()
		}

		ctx, stop := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() {
			w.Cleaner.Run(ctx)
			close(over)
		}()
		synctest.Wait()
		if n := garbage(); n != 0 {
			t.Errorf("%d blobs are left after the sweep at the start", n)
		}
		must.Do(t, w.Store.Ledger().Discard(t.Context(), "packs/more.zip", w.Clock.Now()))
		pass(59 * time.Second)
		if n := garbage(); n != 1 {
			t.Errorf("%d blobs wait for the next sweep, want one", n)
		}
		pass(2 * time.Second)
		if n := garbage(); n != 0 {
			t.Errorf("%d blobs are left after a minute", n)
		}
		pass(23 * time.Hour)
		_, err := w.Delivery.Bundle(t.Context(), a.ID, b.ID)
		must.Do(t, err)
		pass(2 * time.Hour)
		_, err = w.Delivery.Bundle(t.Context(), a.ID, b.ID)
		wantCode(t, err, svc.CodeBundleExpired)
		stop()
		<-over
	})
}

func TestARequestThatIsGivenUpWhileItWaitsForTheSameKeyLeaves(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	entered, release := make(chan struct{}), make(chan struct{})
	w.Assembler.Before(func(svc.Assembly) error {
		close(entered)
		<-release
		return nil
	})
	first := make(chan error, 1)
	go func() {
		_, err := repackage(t, w.Delivery, a, p, "k")
		first <- err
	}()
	<-entered
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := w.Delivery.Repackage(gone, repackageOf(a, p, "k")); err == nil {
		t.Error("a request that left got an answer")
	}
	close(release)
	must.Do(t, <-first)
	if n := bundlesOf(t, w, a); n != 2 {
		t.Errorf("%d bundles", n)
	}
}

func TestACallerWhoLeavesDoesNotUndoTheWork(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	ctx, leave := context.WithCancel(t.Context())
	w.Assembler.Before(func(svc.Assembly) error {
		leave()
		return nil
	})
	_, err := w.Delivery.Repackage(ctx, repackageOf(a, p, "k"))
	must.Do(t, err)
	again, err := repackage(t, w.Delivery, a, p, "k")
	must.Do(t, err)
	if !again.Replayed {
		t.Error("the retry made a second bundle")
	}
}

func TestTheWorkOfAProcessThatDiedIsTakenOverWhenItsLeaseEnds(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	must.Do(t, w.Store.Idempotencies().Save(t.Context(), svc.Idempotency{
		ID:    svc.IdempotencyID{AccountID: a.ID, Scope: "repackage/" + p.ID, Key: "k"},
		Fence: 4, Lease: w.Clock.Now().Add(20 * time.Second),
	}))
	waiting, leave := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer leave()
	if _, err := w.Delivery.Repackage(waiting, repackageOf(a, p, "k")); err == nil {
		t.Error("the work was taken although its lease holds")
	}
	w.Clock.Advance(20 * time.Second)
	done, err := repackage(t, w.Delivery, a, p, "k")
	must.Do(t, err)
	if done.Replayed {
		t.Error("there was nothing to replay")
	}
}

func TestAFailureBehindATakeoverIsAnsweredLikeTheOther(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	kept := svc.Answer{Status: 200, Body: []byte(`{"bundleId":"of the other"}`)}
	w.Assembler.Before(func(svc.Assembly) error {
		must.Do(t, w.Store.Idempotencies().Save(t.Context(), svc.Idempotency{
			ID:    svc.IdempotencyID{AccountID: a.ID, Scope: "repackage/" + p.ID, Key: "k"},
			Fence: 9, Answer: &kept, Expires: w.Clock.Now().Add(time.Minute),
		}))
		return errors.New("the assembler is gone")
	})
	got, err := repackage(t, w.Delivery, a, p, "k")
	must.Do(t, err)
	if !got.Replayed || string(got.Answer.Body) != string(kept.Body) {
		t.Errorf("%+v", got)
	}
}

func TestAProjectThatIsDeletedMeanwhileIsNotFoundAndLeavesNoArchive(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	var target string
	w.Assembler.Before(func(work svc.Assembly) error {
		target = work.Target
		return w.Store.Projects().Delete(t.Context(), a.ID, p.ID, w.Clock.Now().Add(time.Hour))
	})
	_, err := repackage(t, w.Delivery, a, p, "k")
	wantCode(t, err, svc.CodeProjectNotFound)
	if !w.HasBlob(target) {
		t.Fatal("nothing was assembled")
	}
	w.Clock.Advance(time.Hour)
	_, err = w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if w.HasBlob(target) {
		t.Error("the archive is left")
	}
}
