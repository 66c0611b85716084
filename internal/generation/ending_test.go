package generation

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// A worker that was believed to be silent has taken the number of the ending.
func TestEndingWhoseNumberIsTakenIsTold(t *testing.T) {
	for name, lastEvent := range map[string]int64{"one too low": 3, "two too low": 2, "from the start": 1} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(h *house) {
				t := h.t
				h.start("", "x")
				run := h.deadWorker() // which told three events
				run.Status, run.Error, run.LastEvent, run.FinishedAt = svc.RunCancelled, cancelledError(), lastEvent, time.Now()
				must.Do(t, h.Store.Runs().Finish(t.Context(), svc.RunRunning, run))
				defer h.work(twoFiles(0), 1)()
				events := h.watchAll(run.ID, 0)
				done := h.run(run.ID)
				checkStory(t, events, done)
				if len(events) != 4 || done.LastEvent != 4 {
					t.Errorf("%d events are told, and the record says %d", len(events), done.LastEvent)
				}
				if _, err := h.Watch(t.Context(), h.account.ID, run.ID, 4); !errors.Is(err, ErrOver) {
					t.Errorf("after the ending there is %v", err)
				}
			})
		})
	}
}

// A viewer that has seen what the silent worker said, and more than the record
// knows of, has not seen the ending.
// Promise: stream-no-early-204
func TestResumeBeforeTheEndingHasItsNumber(t *testing.T) {
	for name, test := range map[string]struct{ record, after, first int64 }{
		"at the number that is taken": {3, 3, 4},
		"past it":                     {2, 3, 4},
		"between the two":             {1, 2, 3},
		"at the record's number":      {1, 1, 2},
		"past all that was said":      {3, 1000, 1},
		"at the ending to come":       {3, 4, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(h *house) {
				t := h.t
				h.start("", "x")
				run := h.deadWorker() // which told three events
				run.Status, run.Error, run.LastEvent, run.FinishedAt = svc.RunCancelled, cancelledError(), test.record, time.Now()
				must.Do(t, h.Store.Runs().Finish(t.Context(), svc.RunRunning, run))
				w, err := h.Watch(t.Context(), h.account.ID, run.ID, test.after)
				must.Do(t, err)
				defer w.Close()
				defer h.work(twoFiles(0), 1)()
				next := test.first
				for next <= 4 {
					events, err := w.Next(t.Context())
					must.Do(t, err)
					for _, e := range events {
						if e.Seq != next || e.Name.Terminal() != (next == 4) {
							t.Fatalf("event %d is %s where %d is due", e.Seq, e.Name, next)
						}
						next++
					}
				}
				for _, after := range []int64{4, 5, 1000} {
					if _, err := h.Watch(t.Context(), h.account.ID, run.ID, after); !errors.Is(err, ErrOver) {
						t.Errorf("after %d there is %v", after, err)
					}
				}
			})
		})
	}
}

func TestMissingPartOfAnEnding(t *testing.T) {
	cost, ready, token := svc.EventCostSummary, svc.EventBundleReady, svc.EventToken
	for name, test := range map[string]struct {
		log     []svc.EventName
		last    int64 // as the record says
		missing int
	}{
		"all":                    {[]svc.EventName{token}, 3, 2},
		"the second":             {[]svc.EventName{token, cost}, 3, 1},
		"none":                   {[]svc.EventName{token, cost, ready}, 3, 0},
		"told further on":        {[]svc.EventName{token, token, cost, ready}, 3, 0},
		"the first is another":   {[]svc.EventName{token, token}, 3, 2},
		"both are others":        {[]svc.EventName{token, token, token}, 3, 2},
		"the log is far longer":  {[]svc.EventName{token, token, token, token, token}, 3, 2},
		"the log lost the story": {nil, 3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(h *house) {
				t := h.t
				w, err := h.log.Writer(t.Context(), svc.RunClaim{ID: "gen_1", Epoch: 1})
				must.Do(t, err)
				for _, n := range test.log {
					must.Do(t, w.Append(t.Context(), []svc.Event{{Name: n}}))
				}
				ending := []svc.Event{{Name: cost}, {Name: ready}}
				missing, err := missingEvents(t.Context(), h.log, svc.Run{ID: "gen_1", LastEvent: test.last}, w.Last(), ending)
				must.Do(t, err)
				if len(missing) != test.missing || len(missing) > 0 && missing[len(missing)-1].Name != ready {
					t.Errorf("%v are missing, want %d", missing, test.missing)
				}
			})
		})
	}
}

// treacherous is a log that stores what it is given and says that it did not,
// and that answers nobody for a while.
type treacherous struct {
	svc.EventLog
	lies, silent atomic.Bool
}

var errTreason = errors.New("nothing was stored")

func (l *treacherous) Writer(ctx context.Context, c svc.RunClaim) (svc.EventWriter, error) {
	if l.silent.Load() {
		return nil, errTreason
	}
	w, err := l.EventLog.Writer(ctx, c)
	return &treacherousWriter{EventWriter: w, log: l}, err
}

type treacherousWriter struct {
	svc.EventWriter
	log    *treacherous
	behind int64 // by so many events, which it believes were not stored
}

func (w *treacherousWriter) Last() int64 { return w.EventWriter.Last() - w.behind }

func (w *treacherousWriter) Append(ctx context.Context, events []svc.Event) error {
	if err := w.EventWriter.Append(ctx, events); err != nil {
		return err
	}
	if w.log.lies.Load() {
		w.behind = int64(len(events))
		return errTreason
	}
	return nil
}

func TestEndingIsTheLastWordWhateverTheLogSays(t *testing.T) {
	for name, silence := range map[string]time.Duration{"lost answer": 0, "silent log": 30 * time.Second} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(h *house) {
				t := h.t
				log := &treacherous{EventLog: h.log}
				h.config.Events = log
				h.Service = New(h.config)
				run := h.start("", "x")
				defer h.work(engineFunc(func(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
					if h.run(req.GenerationID).Epoch > 1 {
						return emit(engine.File{Path: "a.txt", Content: []byte("x")})
					}
					time.Sleep(time.Second)
					log.lies.Store(true)
					err := emit(engine.Token{File: "a.txt", Delta: "x"})
					time.Sleep(batchTime) // it is being stored
					log.silent.Store(silence > 0)
					log.lies.Store(false)
					time.AfterFunc(silence, func() { log.silent.Store(false) })
					return err
				}), 1)()
				time.Sleep(2 * time.Second)
				if got := h.run(run.ID); silence > 0 && got.Status.Final() {
					t.Errorf("the run is %s with %d events while nobody knows the log's end", got.Status, got.LastEvent)
				}
				events := h.watchAll(run.ID, 0)
				checkStory(t, events, h.run(run.ID))
			})
		})
	}
}
