package sqlite

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type (
	sessions struct {
		runner
		sqlshared.Sessions
	}
	links struct {
		runner
		sqlshared.Links
	}
	guessLog struct {
		runner
		sqlshared.GuessLog
	}
)

func (s sessions) Insert(ctx context.Context, n svc.Session) error {
	_, err := s.Exec(ctx,
		`INSERT INTO sessions (hash, account_id, browser, network, created_at, seen_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		n.Hash[:], n.AccountID, n.Browser, n.Network, n.CreatedAt.UnixMilli(), n.SeenAt.UnixMilli(), n.ExpiresAt.UnixMilli())
	return within("insert a session", err)
}

func (s sessions) Sweep(ctx context.Context, now, forget time.Time) error {
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(sqlshared.SweepSessions, now.UnixMilli())
		if err == nil {
			_, err = c.exec(sqlshared.SweepLinks, now.UnixMilli())
		}
		if err == nil {
			_, err = c.exec(sqlshared.SweepChallenges, now.UnixMilli())
		}
		if err == nil {
			_, err = c.exec(sqlshared.SweepIdentityAttempts, now.UnixMilli())
		}
		if err == nil {
			_, err = c.exec(sqlshared.SweepGuesses, forget.UnixMilli())
		}
		return within("sweep sessions", err)
	})
}

func (s links) Insert(ctx context.Context, l svc.Link) error {
	var account any
	if l.AccountID != "" {
		account = l.AccountID
	}
	_, err := s.Exec(ctx, `INSERT INTO links (`+sqlshared.LinkColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		l.Hash[:], l.Kind, account, l.Email, l.Plan, l.CreatedAt.UnixMilli(), l.ExpiresAt.UnixMilli(), column.Millis(l.UsedAt))
	return within("insert a link", err)
}

func (s links) Use(ctx context.Context, hash [sha256.Size]byte, at time.Time) error {
	return s.write(ctx, func(c *conn) error {
		n, err := c.exec(`UPDATE links SET used_at = $2 WHERE hash = $1 AND used_at IS NULL`, hash[:], at.UnixMilli())
		if err != nil || n == 1 {
			return within("use a link", err)
		}
		var known int
		if err := c.row(`SELECT 1 FROM links WHERE hash = $1`, []any{hash[:]}, []any{&known}); err != nil {
			return within("use a link", err)
		}
		return within("use a link", svc.ErrConflict)
	})
}

func (s guessLog) Lock(ctx context.Context, bucket string) (g svc.Guesses, err error) {
	// The write lock of the whole file is held: that is lock enough.
	err = s.write(ctx, func(c *conn) error {
		err := c.row(`SELECT bucket, count, last_at FROM guesses WHERE bucket = $1`,
			[]any{bucket}, []any{&g.Bucket, &g.Count, (*column.Stamp)(&g.LastAt)})
		if errors.Is(err, svc.ErrNotFound) {
			g = svc.Guesses{Bucket: bucket}
			return nil
		}
		return within("read guesses", err)
	})
	return g, err
}
