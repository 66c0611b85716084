package svc

import (
	"context"
	"math"
	"time"
)

// RunStatus is where a run stands.
type RunStatus string

// The states of a run. A worker takes a queued run and makes it running; a
// worker that has to stop hands it back to queued. The other three are final.
const (
	RunQueued    RunStatus = "queued"
	RunRunning   RunStatus = "running"
	RunSucceeded RunStatus = "succeeded"
	RunFailed    RunStatus = "failed"
	RunCancelled RunStatus = "cancelled"
)

// Valid says whether s is one of the states.
func (s RunStatus) Valid() bool {
	return s == RunQueued || s == RunRunning || s.Final()
}

// Final says whether a run in this state is over.
func (s RunStatus) Final() bool {
	return s == RunSucceeded || s == RunFailed || s == RunCancelled
}

// Run is one generation: what was asked, who works on it, and how it ended.
type Run struct {
	ID          string // gen_…
	AccountID   string
	ProjectID   string
	Prompt      string
	Constraints map[string]string
	Status      RunStatus
	// Epoch counts the workers that took the run. It is the fence: the latest
	// alone may write events and the outcome.
	Epoch int64
	// Lease is until when the worker of a running run is taken to be alive.
	Lease time.Time
	// Losses counts the workers that were taken to be dead.
	Losses int
	// CancelRequestedAt is when somebody asked to stop the run; zero: nobody.
	CancelRequestedAt time.Time
	BundleID          string    // of a succeeded run
	Error             *RunError // of a failed or cancelled run
	// Cost is what was used so far, over all workers; nil: nothing, as far as is
	// known. Of a running run it is a little behind.
	Cost *Cost
	// Validation is how what the run made was tried, as far as it got; nil: it was
	// not.
	Validation *Validation
	// LastEvent is the number of the terminal event; 0 until the run is final.
	LastEvent  int64
	CreatedAt  time.Time
	StartedAt  time.Time // when the first worker took it; zero: none yet
	FinishedAt time.Time // zero until the run is final
}

// RunError is why a run made no bundle, in the words of the error event.
type RunError struct {
	Code       string
	Message    string
	Retryable  bool
	Suggestion *Suggestion `json:",omitempty"` // nil: the engine has none
}

// Suggestion is what an engine could read of a request that it refuses. The record
// of a run, the error event and the answer 422 have it in this form.
type Suggestion struct {
	// Spec is a request that the engine can read, to be sent as the prompt; empty:
	// it has none.
	Spec string `json:"spec"`
	// Unchanged reports that Spec is the present one of the project, of which the
	// request changes nothing: it is to be edited, and is refused as it is.
	Unchanged bool `json:"unchanged,omitempty"`
	// Understood and NotUnderstood are parts of the request.
	Understood    []string `json:"understood"`
	NotUnderstood []string `json:"notUnderstood"`
}

// Validation is what was tried before a bundle was made of a run's files.
type Validation struct {
	Level  string            `json:"level"`  // off, syntax, build, test
	Status string            `json:"status"` // passed, failed, failed_before, unchecked
	Checks []ValidationCheck `json:"checks,omitempty"`
}

// ValidationCheck is one thing that was tried.
type ValidationCheck struct {
	Check   string  `json:"check"`
	Status  string  `json:"status"` // passed, failed, failed_before, skipped
	Seconds float64 `json:"seconds,omitempty"`
	Detail  string  `json:"detail,omitempty"`
	Version string  `json:"version,omitempty"`
}

// Cost is what a run used.
type Cost struct {
	Model        string
	InputTokens  int64
	OutputTokens int64
	EstimatedUSD float64
	// Time is how long workers let the engine work.
	Time time.Duration
}

// RoundUSD is an amount as it is told: with at most six decimals, which is a
// millionth of a dollar.
func RoundUSD(amount float64) float64 { return math.Round(amount*1e6) / 1e6 }

// RunClaim names a run as one worker holds it.
type RunClaim struct {
	ID    string
	Epoch int64
}

// QueueLength says how many runs wait.
type QueueLength struct {
	All     int
	Account int // of the account that was asked about
}

// RunQuery selects runs of one account, newest first.
type RunQuery struct {
	AccountID string
	ProjectID string    // empty: of all projects
	Status    RunStatus // empty: in all states
	After     *Cursor   // nil: from the newest
	Limit     int
}

// Runs are the steps on runs. Their table is the queue.
type Runs interface {
	// Insert adds a run in RunQueued. It may be put off. ErrNotFound when account
	// or project are gone.
	Insert(ctx context.Context, r Run) error
	// Get returns a run of the account. ErrNotFound.
	Get(ctx context.Context, accountID, id string) (Run, error)
	// List returns the runs that the query selects.
	List(ctx context.Context, q RunQuery) ([]Run, error)
	// Waiting says how many runs are queued.
	Waiting(ctx context.Context, accountID string) (QueueLength, error)
	// Position says how many queued runs were created no later than a queued
	// run, itself included; 0 when the run does not wait.
	Position(ctx context.Context, id string) (int, error)
	// StartedSince counts the runs whose first worker took them at or after the
	// given time, the latest up to limit, and says when the first of those was
	// taken: the rate at which the queue drains.
	StartedSince(ctx context.Context, since time.Time, limit int) (n int, first time.Time, err error)
	// Claim takes up to limit of the queued runs that could start, those that one
	// after the other would be next: of the account with the fewest running the
	// oldest. A run whose project has a running one, or an older one in the queue,
	// cannot start. The runs returned, in any order, are running, their epochs are one
	// higher and the lease is their own; its first claim sets a run's StartedAt to
	// now. What somebody else is claiming at this moment is passed over.
	Claim(ctx context.Context, now, lease time.Time, limit int) ([]Run, error)
	// Retake takes up to limit running runs whose leases ended before now, the
	// longest overdue: epoch and losses are one higher. What somebody else is
	// taking is passed over.
	Retake(ctx context.Context, now, lease time.Time, limit int) ([]Run, error)
	// Renew extends the leases of those runs that are running under these
	// claims, and returns them; a claim that is missing was lost.
	Renew(ctx context.Context, claims []RunClaim, lease time.Time) ([]RunClaim, error)
	// CancelRequested returns those of the ids whose runs somebody asked to stop.
	CancelRequested(ctx context.Context, ids []string) ([]string, error)
	// Spend notes what a running run has used so far, if the claim still holds.
	// ErrConflict when it does not.
	Spend(ctx context.Context, c RunClaim, cost Cost) error
	// SpendAll notes the same of any number of runs in one step, and passes over
	// claims that no longer hold.
	SpendAll(ctx context.Context, costs map[RunClaim]Cost) error
	// Release hands a running run back to the queue. ErrConflict when the claim
	// no longer holds.
	Release(ctx context.Context, c RunClaim) error
	// RequestCancel notes that a run of the account is to stop, unless it is
	// final or was asked to before, and returns it as it is then. ErrNotFound.
	RequestCancel(ctx context.Context, accountID, id string, at time.Time) (Run, error)
	// Finish makes a run final: status, bundle, error, cost, validation, last event
	// and FinishedAt are taken from r, if the run still has r's epoch and is in the
	// state given as from, RunRunning or RunQueued. ErrConflict when it is not:
	// the outcome is void. Its end counts as unpublished until
	// MarkEndPublished.
	Finish(ctx context.Context, from RunStatus, r Run) error
	// Renumber moves the terminal event of a final run whose end is unpublished to
	// a higher number: the log turned out to be longer than the run's worker knew.
	// A lower number, or an end that was published, changes nothing.
	Renumber(ctx context.Context, id string, last int64) error
	// MarkEndPublished notes that the event log holds the terminal event of a final run.
	MarkEndPublished(ctx context.Context, id string) error
	// Prune removes up to limit final runs that finished at the given time or
	// earlier and whose end was published, the oldest first, and says how many.
	Prune(ctx context.Context, finishedBy time.Time, limit int) (int, error)
	// UnpublishedEnds returns up to limit final runs that finished no later than
	// the given time and whose end nobody marked as published, the oldest first.
	UnpublishedEnds(ctx context.Context, finished time.Time, limit int) ([]Run, error)
}
