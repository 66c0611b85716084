package svc

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"
)

// Session is one browser that is signed in to the console. The browser holds a
// random token, the records its hash: whoever reads them cannot sign in.
type Session struct {
	Hash      [sha256.Size]byte // of the token
	AccountID string
	Browser   string // what the browser calls itself, for its owner to recognise
	Network   string // the address that it signed in from, "" where that is not known
	CreatedAt time.Time
	SeenAt    time.Time
	// ExpiresAt moves on while the session is used.
	ExpiresAt time.Time
}

// LinkKind is what a one-time link is for.
type LinkKind string

// The kinds of links.
const (
	// LinkSetUp makes the first account, which is an administrator's.
	LinkSetUp LinkKind = "set_up"
	// LinkInvite makes the account of somebody who was invited.
	LinkInvite LinkKind = "invite"
	// LinkReset gives an account a new password.
	LinkReset LinkKind = "reset"
)

// Link is an address that works once. As with sessions, the records hold only
// the hash of its token.
type Link struct {
	Hash      [sha256.Size]byte
	Kind      LinkKind
	AccountID string // of LinkReset: whose password
	Email     string // of LinkInvite: the address that the account will have
	Plan      Plan   // of LinkInvite
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    time.Time // zero: not yet
}

// Usable says whether the link opens anything at the given time.
func (l Link) Usable(now time.Time) bool { return l.UsedAt.IsZero() && now.Before(l.ExpiresAt) }

// tokenBytes is how much chance is in a token.
const tokenBytes = 32

// NewToken makes the secret of a session or a link, and what is kept of it.
func NewToken() (token string, hash [sha256.Size]byte) {
	var secret [tokenBytes]byte
	_, _ = rand.Read(secret[:]) // never fails: the runtime ends the program instead
	token = base64.RawURLEncoding.EncodeToString(secret[:])
	return token, HashToken(token)
}

// HashToken is what is kept of a token.
func HashToken(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }

// Guesses is the memory of sign-ins that failed, for one who tries.
type Guesses struct {
	// Bucket names who tries, and perhaps for whom.
	Bucket string
	Count  int
	LastAt time.Time
}

// Sessions are the steps on sessions.
type Sessions interface {
	// Insert adds a session. ErrConflict when the hash is taken, ErrNotFound
	// when the account is gone.
	Insert(ctx context.Context, s Session) error
	// Get returns the session with its account, expired or not. ErrNotFound.
	Get(ctx context.Context, hash [sha256.Size]byte) (Session, Account, error)
	// Touch notes that a session was seen, and until when it now lasts.
	// ErrNotFound.
	Touch(ctx context.Context, hash [sha256.Size]byte, seen, expires time.Time) error
	// List returns the sessions of an account, the last seen first.
	List(ctx context.Context, accountID string) ([]Session, error)
	// Delete ends a session; one that is not there is no error.
	Delete(ctx context.Context, hash [sha256.Size]byte) error
	// DeleteOwn ends a session of the account. ErrNotFound.
	DeleteOwn(ctx context.Context, accountID string, hash [sha256.Size]byte) error
	// DeleteOthers ends the sessions of an account but the one given; the zero
	// hash spares none.
	DeleteOthers(ctx context.Context, accountID string, spared [sha256.Size]byte) error
	// Sweep removes what is over at the given time: sessions, links, challenges and
	// sign-ins at a provider that have expired, and guesses whose last one was
	// before the time forget.
	Sweep(ctx context.Context, now, forget time.Time) error
}

// Links are the steps on one-time links.
type Links interface {
	// Insert adds a link. ErrConflict when the hash is taken, ErrNotFound when
	// it names an account that is gone.
	Insert(ctx context.Context, l Link) error
	// Get returns a link, used or expired or not. ErrNotFound.
	Get(ctx context.Context, hash [sha256.Size]byte) (Link, error)
	// Invitation returns the invitation for an address that is usable at the given
	// time. ErrNotFound.
	Invitation(ctx context.Context, email string, now time.Time) (Link, error)
	// Use notes that a link was used. ErrConflict when it was before,
	// ErrNotFound when there is none.
	Use(ctx context.Context, hash [sha256.Size]byte, at time.Time) error
	// Withdraw removes the links of a kind: those of an account where accountID
	// is not empty, those for an address where email is not empty.
	Withdraw(ctx context.Context, kind LinkKind, accountID, email string) error
}

// GuessLog are the steps on guesses. They are used inside a transaction.
type GuessLog interface {
	// Lock returns what is known of a bucket and holds it against every other
	// transaction until this one ends. One that was never saved has no count.
	Lock(ctx context.Context, bucket string) (Guesses, error)
	// Save replaces what is known; a count of zero forgets the bucket.
	Save(ctx context.Context, g Guesses) error
}
