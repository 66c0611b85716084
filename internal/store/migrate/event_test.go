package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/migrate"
	"github.com/bundle-delivery/svc/internal/testkit/memlog"
)

// runsOnly is a dump that has runs and nothing else.
type runsOnly []svc.RunClaim

func (runsOnly) Tables(context.Context) ([]svc.Table, error) { return nil, nil }

func (runsOnly) Rows(context.Context, svc.Table) iter.Seq2[[]any, error] {
	return func(func([]any, error) bool) {}
}

func (runsOnly) Blobs(context.Context) iter.Seq2[svc.BlobRef, error] {
	return func(func(svc.BlobRef, error) bool) {}
}

func (r runsOnly) Runs(context.Context, time.Time) iter.Seq2[svc.RunClaim, error] {
	return func(yield func(svc.RunClaim, error) bool) {
		for _, run := range r {
			if !yield(run, nil) {
				return
			}
		}
	}
}

func (runsOnly) Close() error { return nil }

// nowhere is a database that takes everything, because nothing comes.
type nowhere struct{}

func (nowhere) Loaded(context.Context, string) (bool, error)                { return false, nil }
func (nowhere) CheckEmpty(context.Context) error                            { return nil }
func (nowhere) Tables(context.Context) ([]svc.Table, error)                 { return nil, nil }
func (nowhere) Rows(context.Context, svc.Table) (_ iter.Seq2[[]any, error]) { return nil }
func (nowhere) Put(context.Context, svc.Table, iter.Seq2[[]any, error]) error {
	return errors.New("nothing was to come")
}

func (n nowhere) Load(_ context.Context, _ string, fill func(svc.Loader) error) error { return fill(n) }

// tell writes events of a run, the last of which is the given one.
func tell(t *testing.T, log svc.EventLog, run svc.RunClaim, last int, word string) {
	t.Helper()
	w, err := log.Writer(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	for n := w.Last() + 1; n <= int64(last); n++ {
		data := fmt.Sprintf(`{"v":1,"delta":"%s %d %s"}`, word, n, strings.Repeat("x", 100_000))
		if err := w.Append(t.Context(), []svc.Event{{Name: svc.EventToken, Data: []byte(data)}}); err != nil {
			t.Fatal(err)
		}
	}
}

// beheaded is a log that has forgotten how a run began.
type beheaded struct {
	*memlog.Log
	run string
}

func (b beheaded) Read(ctx context.Context, runID string, after int64) ([]svc.Event, error) {
	if runID == b.run {
		after = max(after, 2)
	}
	return b.Log.Read(ctx, runID, after)
}

func moveEvents(t *testing.T, from, to svc.EventLog, runs ...svc.RunClaim) (migrate.EventSummary, error) {
	t.Helper()
	nothing := func() error { return nil }
	m := migrate.Move{From: runsOnly(runs), FromEvents: from, ToEvents: to, To: nowhere{}, Seal: nothing, Unseal: nothing}
	sum, err := m.Run(t.Context())
	return sum.Events, err
}

// halfListed is a dump that cannot say what blobs it has.
type halfListed struct{ runsOnly }

var errHalf = errors.New("the list of blobs breaks off")

func (halfListed) Blobs(context.Context) iter.Seq2[svc.BlobRef, error] {
	return func(yield func(svc.BlobRef, error) bool) { yield(svc.BlobRef{}, errHalf) }
}

// What cannot be listed is not taken for nothing, and the source stays in use.
func TestAListThatBreaksOffEndsTheMove(t *testing.T) {
	m := migrate.Move{From: halfListed{}, To: nowhere{}, Seal: func() error {
		t.Error("the source is sealed")
		return nil
	}}
	if sum, err := m.Run(t.Context()); !errors.Is(err, errHalf) {
		t.Errorf("moved %+v, %v", sum, err)
	}
}

// Promise: move-events
func TestEventsKeepTheirNumbers(t *testing.T) {
	whole, half, silent, old := svc.RunClaim{ID: "gen_whole", Epoch: 3}, svc.RunClaim{ID: "gen_half", Epoch: 1},
		svc.RunClaim{ID: "gen_silent"}, svc.RunClaim{ID: "gen_old", Epoch: 1}
	from, to := memlog.New(), memlog.New()
	tell(t, from, whole, 9, "said")
	tell(t, from, half, 6, "said")
	tell(t, from, old, 5, "said")
	tell(t, to, half, 4, "said") // an earlier try came so far
	got, err := moveEvents(t, beheaded{from, old.ID}, to, whole, half, silent, old)
	if want := (migrate.EventSummary{Runs: 2, Events: 15, Partial: 1}); err != nil || got != want {
		t.Errorf("moved %+v (%v), want %+v", got, err, want)
	}
	for run, want := range map[string]int{whole.ID: 9, half.ID: 6, old.ID: 0} {
		events, err := to.Read(t.Context(), run, 0)
		if err != nil || len(events) != want {
			t.Errorf("%s has %d events (%v), want %d", run, len(events), err, want)
		}
	}
	// The worker that takes the run up in its new place goes on after it.
	tell(t, to, svc.RunClaim{ID: half.ID, Epoch: 2}, 7, "next")
}

// Promise: move-events
func TestEventsOfSomebodyElseAreFoundOut(t *testing.T) {
	run := svc.RunClaim{ID: "gen_1", Epoch: 1}
	from, to := memlog.New(), memlog.New()
	tell(t, from, run, 3, "said")
	tell(t, to, run, 2, "another")
	if _, err := moveEvents(t, from, to, run); err == nil || !strings.Contains(err.Error(), "event 1") {
		t.Errorf("error %v", err)
	}
}
