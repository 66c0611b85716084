// Package generation queues runs, works on them with an engine, stores the events
// that they emit, and records how they end. [Service] is for those who ask for
// runs, [Pool] for the processes that work on them.
//
// Invariants. The runs table is the queue, and a run belongs to the worker that
// claimed it last: its epoch fences the outcome in the records and every event in
// the log. A run never depends on a connection, and never on a process: a lease
// that is not renewed is taken over. What a lost worker emitted is void, and the
// next one begins with an event that says so. An outcome becomes true in one
// transaction, together with the number of the event that will announce it; the
// event follows, and whoever finds it missing publishes it. So a run has exactly
// one ending, and nobody hears of it before it is true.
//
// An engine is trusted with nothing: paths, sizes, text and order are checked
// here, and what does not pass ends the run, not the process.
package generation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/engine"
)

// Limits are the numbers of the policy.
type Limits struct {
	// QueueDepth is how many runs may wait in all, QueueShare for one account.
	QueueDepth, QueueShare int
	// HobbyRuns are accepted in a window that the first of them opens.
	HobbyRuns   int
	HobbyWindow time.Duration
	// AccountStreams is how many streams of one account a process has open.
	AccountStreams int
	// ReplayFor is how long the answer to an idempotent request is kept.
	ReplayFor time.Duration
	// PendingBytes is how much may wait for one account in all, what its runs may
	// need included.
	PendingBytes int64
	// Project is the largest state that a run may produce.
	Project svc.Extent
	// Attempts is how often an engine is asked before a run fails validation; a
	// finding that comes back unchanged twice ends it before.
	Attempts int
	// Losses is how often a run that lost its worker is taken up again.
	Losses int
	// RunTime is how long one attempt at a run may take.
	RunTime time.Duration
}

// DefaultLimits are the published ones.
func DefaultLimits() Limits {
	return Limits{
		QueueDepth:     100,
		QueueShare:     20,
		HobbyRuns:      3,
		HobbyWindow:    24 * time.Hour,
		AccountStreams: 100,
		ReplayFor:      time.Minute,
		PendingBytes:   4 << 30,
		Project:        pack.MaxProject(),
		Attempts:       5,
		Losses:         3,
		RunTime:        30 * time.Minute,
	}
}

// Retention is how long the event log has to keep events so that a run can be
// followed until its bundle expires, or for a day when it has none: what was
// said first is as old as the run itself, which may have been taken up anew.
func Retention(l Limits, bundleTTL, cleanUpEvery time.Duration) time.Duration {
	longest := time.Duration(l.Losses+1) * (l.RunTime + leaseTime)
	return max(bundleTTL+2*cleanUpEvery, 24*time.Hour) + longest
}

// Notifier wakes idle workers. Nothing depends on it: workers also look by
// themselves.
type Notifier interface {
	// NotifyQueued says that a run was queued, to one of those who listen.
	NotifyQueued() error
	// OnQueued calls back for a notice, until stop.
	OnQueued(notified func()) (stop func(), err error)
}

// Observer is told what happens, for metrics. Its methods must be quick and may
// be called from many goroutines.
type Observer interface {
	// Accepted is a run that was queued.
	Accepted()
	// Refused is a request for a run that a limit refused.
	Refused(code svc.Code)
	// Replayed is an answer given again.
	Replayed()
	// Started is a run that a worker took; waited is how long it was queued.
	Started(waited time.Duration)
	// Ended is a run that became final in this process.
	Ended(status svc.RunStatus, took time.Duration)
	// EventsStored is a batch of events that the log has stored.
	EventsStored(events int)
}

// Unobserved is an Observer that does not care.
type Unobserved struct{}

// Accepted does nothing.
func (Unobserved) Accepted() {}

// Refused does nothing.
func (Unobserved) Refused(svc.Code) {}

// Replayed does nothing.
func (Unobserved) Replayed() {}

// Started does nothing.
func (Unobserved) Started(time.Duration) {}

// Ended does nothing.
func (Unobserved) Ended(svc.RunStatus, time.Duration) {}

// EventsStored does nothing.
func (Unobserved) EventsStored(int) {}

// Config is what the use cases work with. Notifier, Observer and Log may be nil.
type Config struct {
	Store    svc.Store
	Events   svc.EventLog
	Notifier Notifier
	Limits   Limits
	Observer Observer
	Log      *slog.Logger
	// Readers decide, by the names of their engines, what is refused before it is
	// accepted. Pools need none.
	Readers map[string]engine.Reader
}

// Service are the use cases of runs for those who ask for them.
type Service struct {
	Config
	streams openStreams
}

// New makes the use cases.
func New(c Config) *Service { return &Service{Config: c.withDefaults()} }

func (c Config) withDefaults() Config {
	if c.Observer == nil {
		c.Observer = Unobserved{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Get returns a run. CodeGenerationNotFound.
func (s *Service) Get(ctx context.Context, accountID, id string) (svc.Run, error) {
	if !svc.ValidGenerationID(id) {
		return svc.Run{}, notFound()
	}
	run, err := s.Store.Runs().Get(ctx, accountID, id)
	if errors.Is(err, svc.ErrNotFound) {
		return svc.Run{}, notFound()
	}
	if err != nil {
		return svc.Run{}, fmt.Errorf("read run %s: %w", id, err)
	}
	return run, nil
}

// List returns the runs that a query selects, newest first.
func (s *Service) List(ctx context.Context, q svc.RunQuery) ([]svc.Run, error) {
	runs, err := s.Store.Runs().List(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	return runs, nil
}

func notFound() *svc.Error {
	return &svc.Error{
		Code:    svc.CodeGenerationNotFound,
		Message: "There is no such generation in this account.",
		Hint:    "Start one with POST /generations; its answer names it.",
	}
}
