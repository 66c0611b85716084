package svc

import (
	"context"
	"crypto/sha256"
	"time"
)

// Identity is somebody at an OpenID provider, and the account that it opens.
// Issuer and subject name it; addresses change hands and are told to people only.
type Identity struct {
	Issuer, Subject string
	AccountID       string
	Email           string // as the provider had it when it was last used
	LinkedAt        time.Time
	UsedAt          time.Time // zero: not since it was linked
}

// Assertion is what an OpenID provider vouches for about somebody who has just
// signed in there.
type Assertion struct {
	Issuer, Subject string
	Email           string
	EmailVerified   bool
}

// IdentityAttempt is a sign-in at a provider that a browser has begun.
type IdentityAttempt struct {
	// Hash is of the secret that the browser keeps together with the state that
	// travels by the provider: each alone finds nothing.
	Hash [sha256.Size]byte
	// AccountID is whose identity is to be linked; empty: somebody signs in.
	AccountID string
	Next      string // the page that they wanted
	ExpiresAt time.Time
}

// Identities are the steps on identities.
type Identities interface {
	// Insert links an identity. ErrConflict when it is linked to whichever
	// account, or the account is gone.
	Insert(ctx context.Context, i Identity) error
	// Get returns one identity. ErrNotFound.
	Get(ctx context.Context, issuer, subject string) (Identity, error)
	// List returns the identities of an account, the first one linked first.
	List(ctx context.Context, accountID string) ([]Identity, error)
	// Use notes that an identity was used, and the address that it has now.
	// ErrNotFound.
	Use(ctx context.Context, issuer, subject, email string, at time.Time) error
	// Delete unlinks an identity of the account. ErrNotFound.
	Delete(ctx context.Context, accountID, issuer, subject string) error
}

// IdentityAttempts are the steps on sign-ins at a provider that have begun.
type IdentityAttempts interface {
	// Insert adds an attempt. ErrConflict when the hash is taken.
	Insert(ctx context.Context, a IdentityAttempt) error
	// Get returns an attempt, over or not. ErrNotFound.
	Get(ctx context.Context, hash [sha256.Size]byte) (IdentityAttempt, error)
	// Delete ends an attempt. ErrNotFound.
	Delete(ctx context.Context, hash [sha256.Size]byte) error
}
