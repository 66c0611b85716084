package sqlshared

import (
	"context"
	"crypto/sha256"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
)

type (
	// Sessions are the steps of [svc.Sessions] but Insert and Sweep.
	Sessions struct{ DB }
	// Links are the steps of [svc.Links] but Insert and Use.
	Links struct{ DB }
	// GuessLog is the step of [svc.GuessLog] but Lock.
	GuessLog struct{ DB }
)

const sessionColumns = `s.hash, s.account_id, s.browser, s.network, s.created_at, s.seen_at, s.expires_at`

func sessionFields(s *svc.Session) []any {
	return []any{
		(*column.Digest)(&s.Hash), &s.AccountID, &s.Browser, &s.Network,
		(*column.Stamp)(&s.CreatedAt), (*column.Stamp)(&s.SeenAt), (*column.Stamp)(&s.ExpiresAt),
	}
}

// Get implements [svc.Sessions].
func (s Sessions) Get(ctx context.Context, hash [sha256.Size]byte) (found svc.Session, a svc.Account, err error) {
	err = s.Row(ctx,
		`SELECT `+sessionColumns+`, a.id, a.email, a.plan, a.password_hash, a.admin, a.created_at, a.pending_bytes
		 FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.hash = $1`,
		[]any{hash[:]}, append(sessionFields(&found), accountFields(&a)...))
	return found, a, Within("get a session", err)
}

// Touch implements [svc.Sessions].
func (s Sessions) Touch(ctx context.Context, hash [sha256.Size]byte, seen, expires time.Time) error {
	return Within("note the use of a session", One(ctx, s,
		`UPDATE sessions SET seen_at = $2, expires_at = $3 WHERE hash = $1`,
		hash[:], seen.UnixMilli(), expires.UnixMilli()))
}

// SessionListing are the sessions of the account $1.
const SessionListing = `SELECT ` + sessionColumns + ` FROM sessions s WHERE s.account_id = $1 ORDER BY s.seen_at DESC, s.hash`

// List implements [svc.Sessions].
func (s Sessions) List(ctx context.Context, accountID string) ([]svc.Session, error) {
	all, err := Rows(ctx, s, SessionListing, []any{accountID}, sessionFields)
	return all, Within("list sessions", err)
}

// Delete implements [svc.Sessions].
func (s Sessions) Delete(ctx context.Context, hash [sha256.Size]byte) error {
	_, err := s.Exec(ctx, `DELETE FROM sessions WHERE hash = $1`, hash[:])
	return Within("delete a session", err)
}

// DeleteOwn implements [svc.Sessions].
func (s Sessions) DeleteOwn(ctx context.Context, accountID string, hash [sha256.Size]byte) error {
	return Within("delete a session", One(ctx, s, `DELETE FROM sessions WHERE account_id = $1 AND hash = $2`, accountID, hash[:]))
}

// DeleteOthers implements [svc.Sessions].
func (s Sessions) DeleteOthers(ctx context.Context, accountID string, spared [sha256.Size]byte) error {
	_, err := s.Exec(ctx, `DELETE FROM sessions WHERE account_id = $1 AND hash <> $2`, accountID, spared[:])
	return Within("delete sessions", err)
}

// Sweeping sessions is four statements: of sessions, links and challenges that are
// over at $1, and of guesses before $1.
const (
	SweepSessions   = `DELETE FROM sessions WHERE expires_at <= $1`
	SweepLinks      = `DELETE FROM links WHERE expires_at <= $1`
	SweepChallenges = `DELETE FROM challenges WHERE expires_at <= $1`
	SweepGuesses    = `DELETE FROM guesses WHERE last_at < $1`
)

// LinkColumns are the columns of a link.
const LinkColumns = `hash, kind, account_id, email, plan, created_at, expires_at, used_at`

const selectLink = `SELECT hash, kind, coalesce(account_id, ''), email, plan, created_at, expires_at, used_at FROM links`

func linkFields(l *svc.Link) []any {
	return []any{
		(*column.Digest)(&l.Hash), &l.Kind, &l.AccountID, &l.Email, &l.Plan,
		(*column.Stamp)(&l.CreatedAt), (*column.Stamp)(&l.ExpiresAt), (*column.Stamp)(&l.UsedAt),
	}
}

// Get implements [svc.Links].
func (s Links) Get(ctx context.Context, hash [sha256.Size]byte) (l svc.Link, err error) {
	err = s.Row(ctx, selectLink+` WHERE hash = $1`, []any{hash[:]}, linkFields(&l))
	return l, Within("get a link", err)
}

// Invitation implements [svc.Links].
func (s Links) Invitation(ctx context.Context, email string, now time.Time) (l svc.Link, err error) {
	err = s.Row(ctx, selectLink+` WHERE email = $1 AND kind = 'invite' AND used_at IS NULL AND expires_at > $2 ORDER BY expires_at DESC`,
		[]any{email, now.UnixMilli()}, linkFields(&l))
	return l, Within("get an invitation", err)
}

// Withdraw implements [svc.Links].
func (s Links) Withdraw(ctx context.Context, kind svc.LinkKind, accountID, email string) error {
	_, err := s.Exec(ctx,
		`DELETE FROM links WHERE kind = $1 AND ($2 = '' OR account_id = $2) AND ($3 = '' OR email = $3)`,
		string(kind), accountID, email)
	return Within("withdraw links", err)
}

// Save implements [svc.GuessLog].
func (s GuessLog) Save(ctx context.Context, g svc.Guesses) error {
	if g.Count == 0 {
		_, err := s.Exec(ctx, `DELETE FROM guesses WHERE bucket = $1`, g.Bucket)
		return Within("forget guesses", err)
	}
	_, err := s.Exec(ctx,
		`INSERT INTO guesses (bucket, count, last_at) VALUES ($1, $2, $3)
		 ON CONFLICT (bucket) DO UPDATE SET count = excluded.count, last_at = excluded.last_at`,
		g.Bucket, g.Count, g.LastAt.UnixMilli())
	return Within("save guesses", err)
}
