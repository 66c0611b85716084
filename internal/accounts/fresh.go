package accounts

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// A session may be weeks old, and its browser unattended. What lets somebody in later
// (a passkey, an identity, a first password) is added by one who has just signed in:
// else whoever sits there once could come back for good.

// FreshFor is how long somebody who has signed in may add a way to sign in.
const FreshFor = 15 * time.Minute

// ErrNotFresh says that somebody has to sign in again first.
var ErrNotFresh = errors.New("a way to sign in is added within 15 minutes of signing in")

// Fresh says whether whoever has a session may add a way to sign in.
func (s *Service) Fresh(session svc.Session) bool {
	return s.now().Sub(session.CreatedAt) < FreshFor
}

// live is a session as it is now, inside a transaction. ErrNoSession where it has ended
// since it was looked at.
func live(ctx context.Context, r svc.Records, hash [sha256.Size]byte, now time.Time) (svc.Session, error) {
	session, _, err := r.Sessions().Get(ctx, hash)
	if errors.Is(err, svc.ErrNotFound) || err == nil && !now.Before(session.ExpiresAt) {
		return svc.Session{}, ErrNoSession
	}
	return session, err
}
