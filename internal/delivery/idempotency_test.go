package delivery_test

import (
	"bytes"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// Promise: replay-60s, replay-ends
func TestRepackageReplaysTheStoredAnswerForSixtySeconds(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	first, err := repackage(t, w.Delivery, a, p, "k")
	must.Do(t, err)
	if first.Replayed {
		t.Error("the first answer is no replay")
	}
	for range 5 { // more than the limit admits
		w.Clock.Advance(10 * time.Second)
		again, err := repackage(t, w.Delivery, a, p, "k")
		must.Do(t, err)
		if !again.Replayed || !bytes.Equal(again.Answer.Body, first.Answer.Body) || again.Answer.Status != first.Answer.Status {
			t.Errorf("replay %+v of %+v", again, first)
		}
	}
	w.Clock.Advance(10 * time.Second) // sixty in all
	fresh, err := repackage(t, w.Delivery, a, p, "k")
	must.Do(t, err)
	if fresh.Replayed || bytes.Equal(fresh.Answer.Body, first.Answer.Body) {
		t.Errorf("the key should have expired: %+v", fresh)
	}
	if n := bundlesOf(t, w, a); n != 3 {
		t.Errorf("%d bundles, want the first, and two repackaged", n)
	}
}

// Promise: replay-60s
func TestRepackageReplayUsesNoSlotAndIsNotLimited(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	_, err := repackage(t, w.Delivery, a, p, "k")
	must.Do(t, err)
	for range 10 {
		_, err := repackage(t, w.Delivery, a, p, "k")
		must.Do(t, err)
	}
	for range 2 {
		_, err := repackage(t, w.Delivery, a, p, "")
		must.Do(t, err)
	}
	_, err = repackage(t, w.Delivery, a, p, "")
	wantCode(t, err, svc.CodeTooManyRequests)
	again, err := repackage(t, w.Delivery, a, p, "k")
	must.Do(t, err)
	if !again.Replayed || w.Seen.Replays() != 11 {
		t.Errorf("replayed %v, seen %d", again.Replayed, w.Seen.Replays())
	}
}

func TestRepackageStoresConflictAndTooLargeByteForByte(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	big, _ := w.Project(a, deliverytest.ManyFiles(501, 1))
	for _, p := range []svc.Project{w.EmptyProject(a), big} {
		first, err := repackage(t, w.Delivery, a, p, "k")
		must.Do(t, err)
		again, err := repackage(t, w.Delivery, a, p, "k")
		must.Do(t, err)
		if !again.Replayed || !bytes.Equal(first.Answer.Body, again.Answer.Body) {
			t.Errorf("replay %q of %q", again.Answer.Body, first.Answer.Body)
		}
	}
}

// Promise: idempotency-key-form
func TestRepackageKeysAreScopedToAccountAndProject(t *testing.T) {
	w := deliverytest.New(t)
	ada, bob := w.Account("ada@example.com"), w.Account("bob@example.com")
	p1, _ := w.Project(ada, deliverytest.Files(demo))
	p2, _ := w.Project(ada, deliverytest.Files(demo))
	p3, _ := w.Project(bob, deliverytest.Files(demo))
	for _, ask := range []struct {
		a svc.Account
		p svc.Project
	}{{ada, p1}, {ada, p2}, {bob, p3}} {
		done, err := repackage(t, w.Delivery, ask.a, ask.p, "k")
		must.Do(t, err)
		if done.Replayed {
			t.Error("another's answer was replayed")
		}
	}
}

// Promise: replay-not-retryable
func TestRepackageDoesNotStoreNotFoundLimitOrUnavailable(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))

	w.Assembler.Before(func(svc.Assembly) error { return svc.ErrNoAssembler })
	_, err := repackage(t, w.Delivery, a, p, "k")
	e := refusal(t, err, svc.CodeAssemblyUnavailable)
	if e.RetryAfter < time.Second {
		t.Errorf("wait %v", e.RetryAfter)
	}
	w.Assembler.Before(nil)
	done, err := repackage(t, w.Delivery, a, p, "k")
	must.Do(t, err)
	if done.Replayed {
		t.Error("the failure was stored")
	}

	missing := svc.Project{ID: svc.NewProjectID()}
	_, err = repackage(t, w.Delivery, a, missing, "k") // the third slot
	wantCode(t, err, svc.CodeProjectNotFound)
	_, err = repackage(t, w.Delivery, a, p, "other")
	wantCode(t, err, svc.CodeTooManyRequests)
	w.Clock.Advance(time.Minute)
	missing.AccountID, missing.CreatedAt = a.ID, w.Clock.Now()
	must.Do(t, w.Store.Projects().Insert(t.Context(), missing))
	done, err = repackage(t, w.Delivery, a, missing, "k")
	must.Do(t, err)
	if done.Replayed || !bytes.HasPrefix(done.Answer.Body, []byte(svc.CodeProjectEmpty)) {
		t.Errorf("the 404 was stored: %+v", done)
	}
	_, err = repackage(t, w.Delivery, a, p, "other")
	must.Do(t, err)
}

// Promise: replay-simultaneous
func TestRequestsWithTheSameKeyAtTheSameTimeMakeOneBundle(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	services := []*delivery.Service{w.Delivery, w.Service(), w.Service()} // three processes
	var mu sync.Mutex
	bodies, replays := map[string]int{}, 0
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			done, err := repackage(t, services[i%len(services)], a, p, "k")
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			bodies[string(done.Answer.Body)]++
			if done.Replayed {
				replays++
			}
		})
	}
	all.Wait()
	if len(bodies) != 1 || replays != 23 {
		t.Errorf("%d answers, %d replays", len(bodies), replays)
	}
	if n := bundlesOf(t, w, a); n != 2 {
		t.Errorf("%d bundles, want the first and one repackaged", n)
	}
}

func TestWhenTheFirstOfTheSameKeyFailsOneThatWaitsTakesItsPlace(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	services := []*delivery.Service{w.Delivery, w.Service()}
	var failures atomic.Int64
	w.Assembler.Before(func(svc.Assembly) error {
		if failures.Add(1) <= 2 { // both attempts of whoever comes first
			return svc.ErrNoAssembler
		}
		return nil
	})
	var mu sync.Mutex
	outcomes, bodies := map[svc.Code]int{}, map[string]bool{}
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			done, err := repackage(t, services[i%2], a, p, "k")
			mu.Lock()
			defer mu.Unlock()
			outcomes[svc.CodeOf(err)]++
			if err == nil {
				bodies[string(done.Answer.Body)] = true
			}
		})
	}
	all.Wait()
	if outcomes[svc.CodeAssemblyUnavailable] != 1 || outcomes[""] != 11 || len(bodies) != 1 {
		t.Errorf("outcomes %v, %d answers", outcomes, len(bodies))
	}
}

func TestARequestWhoseLeaseRanOutMakesNoSecondBundle(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	other := w.Service()
	var slept atomic.Bool
	w.Assembler.Before(func(svc.Assembly) error {
		if slept.Swap(true) {
			return nil
		}
		w.Clock.Advance(time.Minute) // the first process slept through its lease
		_, err := repackage(t, other, a, p, "k")
		return err
	})
	late, err := repackage(t, w.Delivery, a, p, "k")
	must.Do(t, err)
	if !late.Replayed {
		t.Error("the late request should have the answer of the one that took over")
	}
	if n := bundlesOf(t, w, a); n != 2 {
		t.Errorf("%d bundles", n)
	}
}
