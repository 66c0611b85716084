package delivery_test

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func wantCode(t *testing.T, err error, code svc.Code) {
	t.Helper()
	if svc.CodeOf(err) != code {
		t.Fatalf("got %v, want code %q", err, code)
	}
}

// refusal checks the code and gives the error with its fields.
func refusal(t *testing.T, err error, code svc.Code) *svc.Error {
	t.Helper()
	wantCode(t, err, code)
	e, ok := errors.AsType[*svc.Error](err)
	if !ok {
		t.Fatalf("got %v, want a failure for people", err)
	}
	return e
}

var demo = map[string]string{"README.md": "# demo\n", "src/main.go": "package main\n"}

// Promise: ack-deletes, record-outlives-archive
func TestAcknowledgementDeletesTheArchiveAtOnceAndKeepsTheRecord(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	_, b := w.Project(a, deliverytest.Files(demo))
	w.Clock.Advance(time.Minute)

	acked, err := w.Delivery.Acknowledge(t.Context(), a.ID, b.ID)
	must.Do(t, err)
	if acked.Status != svc.BundleDownloaded || !acked.DownloadedAt.Equal(w.Clock.Now()) {
		t.Errorf("got %s at %v", acked.Status, acked.DownloadedAt)
	}
	if w.HasBlob(b.Blob) {
		t.Error("the archive is still there")
	}
	_, err = w.Delivery.Bundle(t.Context(), a.ID, b.ID)
	gone := refusal(t, err, svc.CodeBundleDownloaded)
	want := b
	want.Status, want.DownloadedAt, want.Blob = svc.BundleDownloaded, w.Clock.Now(), ""
	if diff := cmp.Diff(&want, gone.Bundle); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

// Promise: ack-idempotent
func TestRepeatedAcknowledgementReturnsTheFirstTime(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	_, b := w.Project(a, deliverytest.Files(demo))
	first, err := w.Delivery.Acknowledge(t.Context(), a.ID, b.ID)
	must.Do(t, err)
	w.Clock.Advance(time.Hour)
	again, err := w.Delivery.Acknowledge(t.Context(), a.ID, b.ID)
	must.Do(t, err)
	if !again.DownloadedAt.Equal(first.DownloadedAt) {
		t.Errorf("got %v, want %v", again.DownloadedAt, first.DownloadedAt)
	}
}

// Promise: ack-idempotent
func TestAcknowledgementsAtTheSameTimeMakeOneTransition(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	_, b := w.Project(a, deliverytest.Files(demo))
	times := make([]time.Time, 16)
	var all sync.WaitGroup
	for i := range times {
		all.Go(func() {
			acked, err := w.Delivery.Acknowledge(t.Context(), a.ID, b.ID)
			if err != nil {
				t.Error(err)
			}
			times[i] = acked.DownloadedAt
			w.Clock.Advance(time.Millisecond)
		})
	}
	all.Wait()
	for _, at := range times {
		if !at.Equal(times[0]) {
			t.Fatalf("two times: %v and %v", at, times[0])
		}
	}
	if n := w.Seen.Transitions(svc.BundleDownloaded); n != 1 {
		t.Errorf("%d transitions", n)
	}
}

func TestAcknowledgementSucceedsWhenDeletingFailsAndTheSweepDeletes(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	_, b := w.Project(a, deliverytest.Files(demo))
	w.Blobs.BeforeDelete(func(string) error { return errors.New("disk trouble") })
	_, err := w.Delivery.Acknowledge(t.Context(), a.ID, b.ID)
	must.Do(t, err)
	if !w.HasBlob(b.Blob) {
		t.Fatal("the deletion did not fail as arranged")
	}
	w.Blobs.BeforeDelete(nil)
	_, err = w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if w.HasBlob(b.Blob) {
		t.Error("the sweep left the archive")
	}
}

// Promise: ack-expired-410
func TestAcknowledgementOfAnExpiredBundleIsGoneAndChangesNothing(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	_, b := w.Project(a, deliverytest.Files(demo))
	w.ExpireNow()
	_, err := w.Delivery.Acknowledge(t.Context(), a.ID, b.ID)
	wantCode(t, err, svc.CodeBundleExpired)
	stored, err := w.Store.Bundles().Get(t.Context(), a.ID, b.ID)
	must.Do(t, err)
	if stored.Status != svc.BundleExpired || !stored.DownloadedAt.IsZero() {
		t.Errorf("the record changed: %+v", stored)
	}
}

// Promise: download-keeps-state
func TestDownloadDoesNotChangeTheState(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	_, b := w.Project(a, deliverytest.Files(demo))
	d, err := w.Delivery.Download(t.Context(), a.ID, b.ID)
	must.Do(t, err)
	content, err := io.ReadAll(d.Content)
	must.Do(t, err)
	must.Do(t, d.Content.Close())
	if int64(len(content)) != b.Size {
		t.Errorf("%d bytes, want %d", len(content), b.Size)
	}
	after, err := w.Delivery.Bundle(t.Context(), a.ID, b.ID)
	must.Do(t, err)
	if diff := cmp.Diff(b, after); diff != "" {
		t.Errorf("the bundle changed (-before +after):\n%s", diff)
	}
}

func TestDownloadInFlightWhileTheAcknowledgementArrivesEndsWell(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	_, b := w.Project(a, deliverytest.ManyFiles(1, 1<<20))
	d, err := w.Delivery.Download(t.Context(), a.ID, b.ID)
	must.Do(t, err)
	_, err = w.Delivery.Acknowledge(t.Context(), a.ID, b.ID)
	must.Do(t, err)
	n, err := io.Copy(io.Discard, d.Content)
	must.Do(t, err)
	must.Do(t, d.Content.Close())
	if n != b.Size {
		t.Errorf("%d bytes, want %d", n, b.Size)
	}
}

func TestDownloadThatLosesTheRaceAgainstTheAcknowledgementIsGone(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	_, b := w.Project(a, deliverytest.Files(demo))
	w.Blobs.BeforeOpen(func(string) error {
		_, err := w.Delivery.Acknowledge(t.Context(), a.ID, b.ID)
		return err
	})
	_, err := w.Delivery.Download(t.Context(), a.ID, b.ID)
	wantCode(t, err, svc.CodeBundleDownloaded)
}

func TestDownloadOfALostArchiveIsAnInternalFailure(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	_, b := w.Project(a, deliverytest.Files(demo))
	must.Do(t, w.Blobs.Delete(t.Context(), b.Blob))
	_, err := w.Delivery.Download(t.Context(), a.ID, b.ID)
	wantCode(t, err, svc.CodeInternal)
}

// Promise: limit-slots
func TestDownloadsUseASlotWhateverTheyEndIn(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	_, acked := w.Project(a, deliverytest.Files(demo))
	_, err := w.Delivery.Acknowledge(t.Context(), a.ID, acked.ID)
	must.Do(t, err)
	for i := range w.Limits.Downloads {
		id := acked.ID
		if i%2 == 0 {
			id = svc.NewBundleID(w.Clock.Now())
		}
		if _, err := w.Delivery.Download(t.Context(), a.ID, id); svc.CodeOf(err) == svc.CodeTooManyRequests {
			t.Fatalf("download %d was refused", i+1)
		}
	}
	_, err = w.Delivery.Download(t.Context(), a.ID, acked.ID)
	e := refusal(t, err, svc.CodeTooManyRequests)
	if e.RetryAfter != time.Minute {
		t.Errorf("wait %v, want a minute", e.RetryAfter)
	}
	if n := w.Seen.Refusals(svc.CodeTooManyRequests); n != 1 {
		t.Errorf("the observer saw %d refusals", n)
	}
}

// Promise: limit-downloads
func TestDownloadLimitIsHeldByEachAccountAloneAndAcrossProcesses(t *testing.T) {
	w := deliverytest.New(t)
	ada, bob := w.Account("ada@example.com"), w.Account("bob@example.com")
	_, adas := w.Project(ada, deliverytest.Files(demo))
	_, bobs := w.Project(bob, deliverytest.Files(demo))
	other := w.Service()
	download := func(s *delivery.Service, a svc.Account, b svc.Bundle) error {
		d, err := s.Download(t.Context(), a.ID, b.ID)
		if err == nil {
			must.Do(t, d.Content.Close())
		}
		return err
	}
	for i := range w.Limits.Downloads {
		s := w.Delivery
		if i%2 == 1 {
			s = other
		}
		must.Do(t, download(s, ada, adas))
	}
	wantCode(t, download(w.Delivery, ada, adas), svc.CodeTooManyRequests)
	wantCode(t, download(other, ada, adas), svc.CodeTooManyRequests)
	must.Do(t, download(w.Delivery, bob, bobs))
}

// Promise: limit-slots
func TestRefusedDownloadsUseNoSlot(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	missing := svc.NewBundleID(w.Clock.Now())
	for range w.Limits.Downloads {
		_, err := w.Delivery.Download(t.Context(), a.ID, missing)
		wantCode(t, err, svc.CodeBundleNotFound)
		w.Clock.Advance(time.Second)
	}
	_, err := w.Delivery.Download(t.Context(), a.ID, missing)
	first := refusal(t, err, svc.CodeTooManyRequests)
	w.Clock.Advance(first.RetryAfter - time.Second)
	for range 5 {
		_, err = w.Delivery.Download(t.Context(), a.ID, missing)
		wantCode(t, err, svc.CodeTooManyRequests)
	}
	w.Clock.Advance(time.Second)
	_, err = w.Delivery.Download(t.Context(), a.ID, missing)
	wantCode(t, err, svc.CodeBundleNotFound)
}

// Promise: ack-response, ack-unlimited
func TestAcknowledgementsAreNotLimited(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	_, b := w.Project(a, deliverytest.Files(demo))
	for range 40 {
		_, err := w.Delivery.Acknowledge(t.Context(), a.ID, b.ID)
		must.Do(t, err)
	}
}

func TestABundleOfAnotherAccountIsNotFound(t *testing.T) {
	w := deliverytest.New(t)
	ada, bob := w.Account("ada@example.com"), w.Account("bob@example.com")
	p, b := w.Project(ada, deliverytest.Files(demo))
	for _, id := range []string{b.ID, svc.NewBundleID(w.Clock.Now()), "no-id-at-all", ""} {
		_, err := w.Delivery.Bundle(t.Context(), bob.ID, id)
		wantCode(t, err, svc.CodeBundleNotFound)
		_, err = w.Delivery.Acknowledge(t.Context(), bob.ID, id)
		wantCode(t, err, svc.CodeBundleNotFound)
		_, err = w.Delivery.Download(t.Context(), bob.ID, id)
		wantCode(t, err, svc.CodeBundleNotFound)
	}
	_, err := w.Delivery.Latest(t.Context(), bob.ID, p.ID)
	wantCode(t, err, svc.CodeBundleNotFound)
}

// Promise: latest-bundle
func TestLatestIsTheNewestWaitingBundleByTimeThenById(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p1, b1 := w.Project(a, deliverytest.Files(demo))
	_, b2 := w.Project(a, deliverytest.Files(demo)) // the same millisecond
	newest := max(b1.ID, b2.ID)
	got, err := w.Delivery.Latest(t.Context(), a.ID, "")
	must.Do(t, err)
	if got.ID != newest {
		t.Errorf("got %s, want %s", got.ID, newest)
	}
	w.Clock.Advance(time.Second)
	_, b3 := w.Project(a, deliverytest.Files(demo))
	got, err = w.Delivery.Latest(t.Context(), a.ID, "")
	must.Do(t, err)
	if got.ID != b3.ID {
		t.Errorf("got %s, want %s", got.ID, b3.ID)
	}
	got, err = w.Delivery.Latest(t.Context(), a.ID, p1.ID)
	must.Do(t, err)
	if got.ID != b1.ID {
		t.Errorf("of the project: got %s, want %s", got.ID, b1.ID)
	}
	_, err = w.Delivery.Acknowledge(t.Context(), a.ID, b1.ID)
	must.Do(t, err)
	_, err = w.Delivery.Latest(t.Context(), a.ID, p1.ID)
	wantCode(t, err, svc.CodeBundleNotFound)
}

func TestListingsPageThroughEverythingOnce(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	want := map[string]bool{}
	for i := range 7 {
		_, b := w.Project(a, deliverytest.Files(map[string]string{"n.txt": fmt.Sprint(i)}))
		want[b.ID] = true
		if i%3 == 0 {
			w.Clock.Advance(time.Second)
		}
	}
	got := map[string]bool{}
	q := svc.BundleQuery{AccountID: a.ID, Limit: 2}
	for pages := 0; ; pages++ {
		page, next, err := w.Delivery.List(t.Context(), q)
		must.Do(t, err)
		for _, b := range page {
			if got[b.ID] {
				t.Fatalf("%s is there twice", b.ID)
			}
			got[b.ID] = true
		}
		if next == nil {
			break
		}
		q.After = next
		if pages > 10 {
			t.Fatal("the pages do not end")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bundles (-want +got):\n%s", diff)
	}
}
