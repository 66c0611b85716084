package svc

import (
	"context"
	"time"
)

// Store keeps the records. Called on the Store itself, each step is atomic and
// durable alone; in Tx, several are so together.
type Store interface {
	Records
	// Tx runs fn in one transaction that sees and is seen as if it ran alone,
	// and commits it unless fn returns an error, which Tx then returns. After an
	// error that a step names (ErrNotFound, ErrConflict) fn may go on; steps whose
	// comment says that they may be put off are carried out with the one that
	// follows, and what they refuse then ends the transaction. fn may
	// be run again when the database asks for it, so it changes nothing but
	// through its Records and the variables it sets anew each time. Inside fn
	// no other step of the Store may be called.
	Tx(ctx context.Context, fn func(Records) error) error
	// TxLocked is Tx for work that decides by nothing but what its steps lock: a
	// window, an idempotent request, an account, and the records that a step
	// changes. Beside that each step sees what others have committed by then, so
	// that the work of strangers never voids it.
	TxLocked(ctx context.Context, fn func(Records) error) error
	// Ping says whether the database can be used. ErrConflict when a newer program
	// has changed it so that this one cannot go on.
	Ping(ctx context.Context) error
	Close() error
}

// Records are the steps, noun by noun.
type Records interface {
	Accounts() Accounts
	Keys() Keys
	Projects() Projects
	Bundles() Bundles
	Runs() Runs
	Windows() Windows
	Idempotencies() Idempotencies
	Ledger() BlobLedger
	Jobs() Jobs
	Workers() Workers
	Sessions() Sessions
	Links() Links
	GuessLog() GuessLog
	Passkeys() Passkeys
	Challenges() Challenges
	Usage() Usage
	CertificateFiles() CertificateFiles
	Attestations() Attestations
	Audit() Audit
	Identities() Identities
	IdentityAttempts() IdentityAttempts
	// Now is the time by the clock that all processes share, in whole
	// milliseconds and UTC, as every time that the records keep.
	Now(ctx context.Context) (time.Time, error)
}

// Jobs are the steps on work that is due now and then, done by one process at
// a time wherever it is.
type Jobs interface {
	// Claim takes a job that is due at the given time and that nobody holds,
	// until the lease ends. A job never seen is due. It says whether the job
	// was taken.
	Claim(ctx context.Context, name string, now, lease time.Time) (bool, error)
	// Finish gives a job back and sets when it is due again.
	Finish(ctx context.Context, name string, due time.Time) error
}

// Worker is a process that works on runs. Lease is until when it is taken to be alive.
type Worker struct {
	ID     string
	Engine string // that it plays, such as template or exec
	Lease  time.Time
}

// Workers are the steps on the processes that work on runs, idle ones included.
type Workers interface {
	// Renew records a worker, or the engine and lease that it has from now on.
	Renew(ctx context.Context, w Worker) error
	// Remove deletes a worker. One that is not there is no error.
	Remove(ctx context.Context, id string) error
	// Prune deletes the workers whose leases ended at the given time or earlier.
	Prune(ctx context.Context, ended time.Time) error
	// Engines returns the engines of the workers whose leases end after the given
	// time, sorted, each once.
	Engines(ctx context.Context, now time.Time) ([]string, error)
}
