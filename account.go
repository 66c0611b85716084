package svc

import (
	"context"
	"time"
)

// Plan is what an account pays for; it decides the generation cap.
type Plan string

// The plans.
const (
	PlanHobby        Plan = "hobby"
	PlanDeveloper    Plan = "developer"
	PlanArchitectPro Plan = "architect_pro"
)

// Valid says whether p is one of the plans.
func (p Plan) Valid() bool {
	return p == PlanHobby || p == PlanDeveloper || p == PlanArchitectPro
}

// Account owns keys, projects, bundles and runs, and is what limits count for.
type Account struct {
	ID    string // acct_…
	Email string // lower case, unique
	Plan  Plan
	// PasswordHash is an Argon2id string, or empty: such an account is used with keys,
	// and signed in to with a passkey, if it has one.
	PasswordHash string
	Admin        bool
	CreatedAt    time.Time
	// PendingBytes is the size of the archives that wait for this account. The
	// steps that insert, acknowledge and expire bundles keep it.
	PendingBytes int64
}

// Accounts are the steps on accounts.
type Accounts interface {
	// Insert adds an account, for which nothing waits yet. ErrConflict when the
	// e-mail address or the id is taken.
	Insert(ctx context.Context, a Account) error
	// Get returns one account. ErrNotFound.
	Get(ctx context.Context, id string) (Account, error)
	// Lock returns an account, and holds it against every other transaction that
	// locks it until this one ends. Reserved sums the last sizes of the projects of
	// its runs that are queued or running, each run for itself, but for the one with
	// the given id; a project without files counts as empty bytes. ErrNotFound.
	Lock(ctx context.Context, id, exceptRun string, empty int64) (a Account, reserved int64, err error)
	// ByEmail returns one account. ErrNotFound.
	ByEmail(ctx context.Context, email string) (Account, error)
	// List returns accounts by e-mail, those after the given address, at most limit.
	List(ctx context.Context, afterEmail string, limit int) ([]Account, error)
	// Count says how many accounts there are.
	Count(ctx context.Context) (int64, error)
	// SetPlan changes the plan. ErrNotFound.
	SetPlan(ctx context.Context, id string, plan Plan) error
	// SetPassword changes the password hash. ErrNotFound.
	SetPassword(ctx context.Context, id, hash string) error
	// Delete removes an account with its keys, projects, bundles, runs, limits
	// and stored answers, and enters every blob that they pointed at into the
	// ledger as garbage due at the given time. ErrNotFound.
	Delete(ctx context.Context, id string, garbageDue time.Time) error
}
