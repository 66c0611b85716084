package delivery_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// encode writes an outcome as a line that tells answers apart: each call of a
// request has its own number, as it would have its own request id.
func encode(b svc.Bundle, err error) (svc.Answer, error) {
	if err != nil {
		return svc.Answer{Status: 400, Body: fmt.Appendf(nil, "%s %d", svc.CodeOf(err), answers.Add(1))}, nil
	}
	return svc.Answer{Status: 200, Body: []byte(b.ID)}, nil
}

var answers atomic.Int64

func repackage(t *testing.T, s *delivery.Service, a svc.Account, p svc.Project, key string) (delivery.Answered, error) {
	t.Helper()
	return s.Repackage(t.Context(), repackageOf(a, p, key))
}

func repackageOf(a svc.Account, p svc.Project, key string) delivery.Repackage {
	return delivery.Repackage{AccountID: a.ID, ProjectID: p.ID, Key: key, Encode: encode}
}

func bundlesOf(t *testing.T, w *deliverytest.World, a svc.Account) int {
	t.Helper()
	all, err := w.Store.Bundles().List(t.Context(), svc.BundleQuery{AccountID: a.ID, Limit: 100})
	must.Do(t, err)
	return len(all)
}

// Promise: bundle-starts-pending, repackage-no-generation
func TestRepackageMakesAWaitingBundleWithTheBytesOfTheProject(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, first := w.Project(a, deliverytest.Files(demo))
	w.Clock.Advance(time.Minute)
	done, err := repackage(t, w.Delivery, a, p, "")
	must.Do(t, err)
	b, err := w.Delivery.Bundle(t.Context(), a.ID, string(done.Answer.Body))
	must.Do(t, err)
	if b.ID == first.ID || b.Status != svc.BundlePending || b.FileCount != len(demo) || b.SHA256 != first.SHA256 ||
		!b.CreatedAt.Equal(w.Clock.Now()) || !b.ExpiresAt.Equal(w.Clock.Now().Add(24*time.Hour)) {
		t.Errorf("got %+v", b)
	}
	one, two := read(t, w, first.Blob), read(t, w, b.Blob)
	if !bytes.Equal(one, two) {
		t.Error("the same project state gave other bytes")
	}
}

func read(t *testing.T, w *deliverytest.World, key string) []byte {
	t.Helper()
	r, err := w.Blobs.Open(t.Context(), key)
	must.Do(t, err)
	content, err := io.ReadAll(r)
	must.Do(t, errors.Join(err, r.Close()))
	return content
}

// Promise: repackage-refreshes
func TestRepackageAfterAcknowledgementAndAfterExpiryMakesAFreshBundle(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, b := w.Project(a, deliverytest.Files(demo))
	_, err := w.Delivery.Acknowledge(t.Context(), a.ID, b.ID)
	must.Do(t, err)
	done, err := repackage(t, w.Delivery, a, p, "")
	must.Do(t, err)
	w.ExpireNow()
	_, err = w.Delivery.Bundle(t.Context(), a.ID, string(done.Answer.Body))
	wantCode(t, err, svc.CodeBundleExpired)
	done, err = repackage(t, w.Delivery, a, p, "")
	must.Do(t, err)
	_, err = w.Delivery.Bundle(t.Context(), a.ID, string(done.Answer.Body))
	must.Do(t, err)
}

func TestRepackageOfAProjectThatIsNotOursIsNotFoundAndUsesASlot(t *testing.T) {
	w := deliverytest.New(t)
	ada, bob := w.Account("ada@example.com"), w.Account("bob@example.com")
	p, _ := w.Project(ada, deliverytest.Files(demo))
	for _, id := range []string{p.ID, svc.NewProjectID(), "no id"} {
		_, err := repackage(t, w.Delivery, bob, svc.Project{ID: id}, "")
		wantCode(t, err, svc.CodeProjectNotFound)
	}
	_, err := repackage(t, w.Delivery, bob, p, "")
	wantCode(t, err, svc.CodeTooManyRequests)
}

func TestRepackageOfAProjectWithoutFilesIsAConflict(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	done, err := repackage(t, w.Delivery, a, w.EmptyProject(a), "")
	must.Do(t, err)
	if !bytes.HasPrefix(done.Answer.Body, []byte(svc.CodeProjectEmpty)) {
		t.Errorf("got %s", done.Answer.Body)
	}
}

// Promise: project-too-large-413
func TestRepackageCapIsExact(t *testing.T) {
	tests := []struct {
		name  string
		files int
		bytes int64
		fits  bool
	}{
		{"exactly 500 files", 500, 10, true},
		{"501 files", 501, 10, false},
		{"exactly 26214400 bytes", 1, 26214400, true},
		{"26214401 bytes", 1, 26214401, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := deliverytest.New(t)
			a := w.Account("ada@example.com")
			p, _ := w.Project(a, deliverytest.ManyFiles(tt.files, tt.bytes))
			var outcome error
			_, err := w.Delivery.Repackage(t.Context(), delivery.Repackage{
				AccountID: a.ID, ProjectID: p.ID,
				Encode: func(b svc.Bundle, err error) (svc.Answer, error) {
					outcome = err
					return encode(b, err)
				},
			})
			must.Do(t, err)
			if tt.fits {
				must.Do(t, outcome)
				return
			}
			e := refusal(t, outcome, svc.CodeProjectTooLarge)
			if *e.Limit != (svc.Extent{Files: 500, Bytes: 26214400}) || *e.Actual != (svc.Extent{Files: tt.files, Bytes: tt.bytes}) {
				t.Errorf("limit %+v, actual %+v", e.Limit, e.Actual)
			}
		})
	}
}

// Promise: limit-repackages
func TestRepackageIsLimitedToThreeInAMinute(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	for range 3 {
		_, err := repackage(t, w.Delivery, a, p, "")
		must.Do(t, err)
		w.Clock.Advance(1500 * time.Millisecond)
	}
	_, err := repackage(t, w.Delivery, a, p, "")
	e := refusal(t, err, svc.CodeTooManyRequests)
	if e.RetryAfter != 56*time.Second { // 60 s after the first, which was 4.5 s ago, in whole seconds
		t.Errorf("wait %v", e.RetryAfter)
	}
	w.Clock.Advance(e.RetryAfter)
	_, err = repackage(t, w.Delivery, a, p, "")
	must.Do(t, err)
}

// Promise: repackage-502
func TestRepackageTriesTheAssemblerTwice(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	calls := 0
	w.Assembler.Before(func(svc.Assembly) error {
		if calls++; calls == 1 {
			return svc.ErrNoAssembler
		}
		return nil
	})
	_, err := repackage(t, w.Delivery, a, p, "")
	must.Do(t, err)
	w.Assembler.Before(func(svc.Assembly) error { return svc.ErrNoAssembler })
	before := w.Assembler.Calls()
	_, err = repackage(t, w.Delivery, a, p, "")
	wantCode(t, err, svc.CodeAssemblyUnavailable)
	if n := w.Assembler.Calls() - before; n != 2 {
		t.Errorf("%d attempts", n)
	}
	if n := bundlesOf(t, w, a); n != 2 {
		t.Errorf("%d bundles", n)
	}
}

func TestRepackageThatFindsItsPackGoneReadsThePointerOnceMore(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	moved := false
	w.Assembler.Before(func(work svc.Assembly) error {
		if moved {
			return nil
		}
		moved = true
		w.Advance(p, deliverytest.Files(map[string]string{"one.txt": "1"}))
		return w.Blobs.Delete(t.Context(), work.Pack.Blob)
	})
	done, err := repackage(t, w.Delivery, a, p, "")
	must.Do(t, err)
	b, err := w.Delivery.Bundle(t.Context(), a.ID, string(done.Answer.Body))
	must.Do(t, err)
	if b.FileCount != 1 {
		t.Errorf("%d files, want the one of the new state", b.FileCount)
	}
}

func TestRepackageOfACorruptPackMakesNoBundle(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	blob, err := w.Blobs.Create(t.Context(), p.Pack.Blob)
	must.Do(t, err)
	_, err = blob.Write([]byte("rotten"))
	must.Do(t, errors.Join(err, blob.Commit()))
	_, err = repackage(t, w.Delivery, a, p, "")
	wantCode(t, err, svc.CodeAssemblyUnavailable)
	if n := bundlesOf(t, w, a); n != 1 {
		t.Errorf("%d bundles", n)
	}
}

// Promise: storage-cap
func TestStorageCapRefusesAndUsesNoSlot(t *testing.T) {
	w := deliverytest.New(t, func(l *delivery.Limits) { l.PendingBytes = 1000 })
	a := w.Account("ada@example.com")
	p, b := w.Project(a, deliverytest.Files(demo))
	if b.Size*2 <= 1000 {
		t.Fatalf("the bundle has only %d bytes", b.Size)
	}
	for range 5 {
		_, err := repackage(t, w.Delivery, a, p, "")
		e := refusal(t, err, svc.CodeStorageLimitReached)
		if e.RetryAfter < time.Second {
			t.Errorf("wait %v", e.RetryAfter)
		}
	}
	_, err := w.Delivery.Acknowledge(t.Context(), a.ID, b.ID)
	must.Do(t, err)
	_, err = repackage(t, w.Delivery, a, p, "")
	must.Do(t, err)
}

func TestStorageCapIsCheckedAgainAtTheCommitAndGivesTheSlotBack(t *testing.T) {
	w := deliverytest.New(t, func(l *delivery.Limits) { l.PendingBytes = 2400; l.Repackages = 1 })
	a := w.Account("ada@example.com")
	p, b := w.Project(a, deliverytest.Files(demo))
	if b.Size*2 > 2400 || b.Size*3 <= 2400 {
		t.Fatalf("the bundle has %d bytes", b.Size)
	}
	var target string
	w.Assembler.Before(func(work svc.Assembly) error {
		target = work.Target
		w.Project(a, deliverytest.Files(demo)) // another bundle takes the room meanwhile
		return nil
	})
	_, err := repackage(t, w.Delivery, a, p, "")
	wantCode(t, err, svc.CodeStorageLimitReached)
	w.Assembler.Before(nil)
	_, err = w.Delivery.Acknowledge(t.Context(), a.ID, b.ID)
	must.Do(t, err)
	_, err = repackage(t, w.Delivery, a, p, "")
	must.Do(t, err) // with the only slot of this minute
	w.Clock.Advance(time.Hour)
	_, err = w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if w.HasBlob(target) {
		t.Error("the archive that found no room is still there")
	}
}

// Promise: storage-reserved
func TestStorageCapCountsWhatAcceptedRunsMayNeed(t *testing.T) {
	w := deliverytest.New(t, func(l *delivery.Limits) { l.PendingBytes = pack.FirstSize + 2400 })
	a := w.Account("ada@example.com")
	p, b := w.Project(a, deliverytest.Files(demo))
	if b.Size*2 > 2400 || b.Size*3 <= 2400 {
		t.Fatalf("the bundle has %d bytes", b.Size)
	}
	empty := w.EmptyProject(a)
	run := svc.Run{ID: svc.NewGenerationID(), AccountID: a.ID, ProjectID: empty.ID, Prompt: "x", Status: svc.RunQueued, CreatedAt: w.Clock.Now()}
	must.Do(t, w.Store.Runs().Insert(t.Context(), run))
	_, err := repackage(t, w.Delivery, a, p, "")
	must.Do(t, err)
	_, err = repackage(t, w.Delivery, a, p, "")
	wantCode(t, err, svc.CodeStorageLimitReached)
	run.Status, run.FinishedAt = svc.RunCancelled, w.Clock.Now()
	must.Do(t, w.Store.Runs().Finish(t.Context(), svc.RunQueued, run))
	_, err = repackage(t, w.Delivery, a, p, "")
	must.Do(t, err)
}
