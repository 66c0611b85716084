package svc

import (
	"context"
	"crypto/sha256"
	"time"
)

// Passkey is a public key with which the owner of an account signs in: a device or
// a password manager holds the private half and asks who is there.
type Passkey struct {
	ID        string // that the device gave it, as base64url without padding
	AccountID string
	Name      string
	// Host is the name that it works for: browsers offer it at no other.
	Host string
	// Record is the whole credential as the library that checks it writes it, in
	// JSON: the public key, counter, flags, transports, the model of the device and
	// what it said of itself when the passkey was made.
	Record    string
	CreatedAt time.Time
	UsedAt    time.Time // zero: never
}

// Challenge is a question that was put to a browser and that it answers once. The
// browser holds a token, the records its hash.
type Challenge struct {
	Hash      [sha256.Size]byte
	State     string // what the answer is held against, in JSON
	ExpiresAt time.Time
}

// Passkeys are the steps on passkeys.
type Passkeys interface {
	// Insert adds a passkey that was never used. ErrConflict when the id is taken,
	// ErrNotFound when the account is gone.
	Insert(ctx context.Context, p Passkey) error
	// Get returns one passkey, whoever owns it. ErrNotFound.
	Get(ctx context.Context, id string) (Passkey, error)
	// List returns the passkeys of an account, oldest first.
	List(ctx context.Context, accountID string) ([]Passkey, error)
	// Rename gives a passkey of the account another name. ErrNotFound.
	Rename(ctx context.Context, accountID, id, name string) error
	// Update replaces the record of a passkey and when it was used. ErrNotFound.
	Update(ctx context.Context, id string, record string, usedAt time.Time) error
	// Delete removes a passkey of the account. ErrNotFound.
	Delete(ctx context.Context, accountID, id string) error
}

// Challenges are the steps on challenges; [Sessions.Sweep] removes those that are
// over.
type Challenges interface {
	// Insert adds a challenge. ErrConflict when the hash is taken.
	Insert(ctx context.Context, c Challenge) error
	// Get returns a challenge, expired or not. ErrNotFound.
	Get(ctx context.Context, hash [sha256.Size]byte) (Challenge, error)
	// Delete removes a challenge. ErrNotFound: of those who try, one succeeds.
	Delete(ctx context.Context, hash [sha256.Size]byte) error
}
