package svc

import (
	"context"
	"time"
)

// Operation names what a limit counts.
type Operation string

// The operations that are counted.
const (
	OpDownload   Operation = "download"
	OpRepackage  Operation = "repackage"
	OpPush       Operation = "push"
	OpGeneration Operation = "generation"
)

// Window is the memory of a limit: when requests of an account were admitted,
// oldest first, as far back as the limit looks.
type Window struct {
	Admitted []time.Time
	// Now is the time at which the window was locked, by the clock that all
	// processes share, and never before the last admission.
	Now time.Time
}

// Windows are the steps on limits. They are used inside a transaction.
type Windows interface {
	// Lock returns the window of an account and holds it against every other
	// transaction until this one ends. One that was never saved is empty. The
	// clock is read after the lock is held.
	Lock(ctx context.Context, accountID string, op Operation) (Window, error)
	// Save replaces the admissions of a window. It may be put off. ErrNotFound when
	// the account is gone.
	Save(ctx context.Context, accountID string, op Operation, admitted []time.Time) error
}
