package sqlshared

import (
	"context"
	"crypto/sha256"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
)

type (
	// Identities are the steps of [svc.Identities].
	Identities struct{ DB }
	// IdentityAttempts are the steps of [svc.IdentityAttempts].
	IdentityAttempts struct{ DB }
)

var (
	_ svc.Identities       = Identities{}
	_ svc.IdentityAttempts = IdentityAttempts{}
)

const identityColumns = `issuer, subject, account_id, email, linked_at, used_at`

func identityFields(i *svc.Identity) []any {
	return []any{&i.Issuer, &i.Subject, &i.AccountID, &i.Email, (*column.Stamp)(&i.LinkedAt), (*column.Stamp)(&i.UsedAt)}
}

// Insert implements [svc.Identities].
func (s Identities) Insert(ctx context.Context, i svc.Identity) error {
	n, err := s.Exec(ctx, `INSERT INTO identities (`+identityColumns+`)
		 SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), id, CAST($4 AS TEXT), CAST($5 AS BIGINT), CAST($6 AS BIGINT) FROM accounts WHERE id = $3
		 ON CONFLICT DO NOTHING`,
		i.Issuer, i.Subject, i.AccountID, i.Email, i.LinkedAt.UnixMilli(), column.Millis(i.UsedAt))
	return Within("link an identity", orElse(svc.ErrConflict, n, err))
}

// Get implements [svc.Identities].
func (s Identities) Get(ctx context.Context, issuer, subject string) (i svc.Identity, err error) {
	err = s.Row(ctx, `SELECT `+identityColumns+` FROM identities WHERE issuer = $1 AND subject = $2`,
		[]any{issuer, subject}, identityFields(&i))
	return i, Within("get an identity", err)
}

// List implements [svc.Identities].
func (s Identities) List(ctx context.Context, accountID string) ([]svc.Identity, error) {
	all, err := Rows(ctx, s,
		`SELECT `+identityColumns+` FROM identities WHERE account_id = $1 ORDER BY linked_at, issuer, subject`,
		[]any{accountID}, identityFields)
	return all, Within("list identities", err)
}

// Use implements [svc.Identities].
func (s Identities) Use(ctx context.Context, issuer, subject, email string, at time.Time) error {
	return Within("note the use of an identity", One(ctx, s,
		`UPDATE identities SET email = $3, used_at = $4 WHERE issuer = $1 AND subject = $2`, issuer, subject, email, at.UnixMilli()))
}

// Delete implements [svc.Identities].
func (s Identities) Delete(ctx context.Context, accountID, issuer, subject string) error {
	return Within("unlink an identity", One(ctx, s,
		`DELETE FROM identities WHERE account_id = $1 AND issuer = $2 AND subject = $3`, accountID, issuer, subject))
}

const attemptColumns = `hash, account_id, next, expires_at`

// Insert implements [svc.IdentityAttempts].
func (s IdentityAttempts) Insert(ctx context.Context, a svc.IdentityAttempt) error {
	n, err := s.Exec(ctx, `INSERT INTO identity_attempts (`+attemptColumns+`) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		a.Hash[:], a.AccountID, a.Next, a.ExpiresAt.UnixMilli())
	return Within("insert a sign-in at a provider", orElse(svc.ErrConflict, n, err))
}

// Get implements [svc.IdentityAttempts].
func (s IdentityAttempts) Get(ctx context.Context, hash [sha256.Size]byte) (a svc.IdentityAttempt, err error) {
	err = s.Row(ctx, `SELECT `+attemptColumns+` FROM identity_attempts WHERE hash = $1`, []any{hash[:]},
		[]any{(*column.Digest)(&a.Hash), &a.AccountID, &a.Next, (*column.Stamp)(&a.ExpiresAt)})
	return a, Within("get a sign-in at a provider", err)
}

// Delete implements [svc.IdentityAttempts].
func (s IdentityAttempts) Delete(ctx context.Context, hash [sha256.Size]byte) error {
	return Within("end a sign-in at a provider", One(ctx, s, `DELETE FROM identity_attempts WHERE hash = $1`, hash[:]))
}

// SweepIdentityAttempts removes those that are over at $1.
const SweepIdentityAttempts = `DELETE FROM identity_attempts WHERE expires_at <= $1`
