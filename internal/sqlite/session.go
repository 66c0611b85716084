package sqlite

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

type (
	sessions struct{ runner }
	links    struct{ runner }
	guessLog struct{ runner }
)

const sessionColumns = `s.hash, s.account_id, s.browser, s.created_at, s.seen_at, s.expires_at`

func sessionFields(s *svc.Session) []any {
	return []any{
		(*column.Digest)(&s.Hash), &s.AccountID, &s.Browser,
		(*column.Stamp)(&s.CreatedAt), (*column.Stamp)(&s.SeenAt), (*column.Stamp)(&s.ExpiresAt),
	}
}

func (s sessions) Insert(ctx context.Context, n svc.Session) error {
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(
			`INSERT INTO sessions (hash, account_id, browser, created_at, seen_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
			n.Hash[:], n.AccountID, n.Browser, n.CreatedAt.UnixMilli(), n.SeenAt.UnixMilli(), n.ExpiresAt.UnixMilli())
		return within("insert a session", err)
	})
}

func (s sessions) Get(ctx context.Context, hash [sha256.Size]byte) (found svc.Session, a svc.Account, err error) {
	err = s.read(ctx, func(c *conn) error {
		return within("get a session", c.row(
			`SELECT `+sessionColumns+`, a.id, a.email, a.plan, a.password_hash, a.admin, a.created_at, a.pending_bytes
			 FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.hash = $1`,
			[]any{hash[:]}, append(sessionFields(&found), accountFields(&a)...)))
	})
	return found, a, err
}

func (s sessions) Touch(ctx context.Context, hash [sha256.Size]byte, seen, expires time.Time) error {
	return s.write(ctx, func(c *conn) error {
		return within("note the use of a session", c.one(
			`UPDATE sessions SET seen_at = $2, expires_at = $3 WHERE hash = $1`,
			hash[:], seen.UnixMilli(), expires.UnixMilli()))
	})
}

func (s sessions) List(ctx context.Context, accountID string) (all []svc.Session, err error) {
	err = s.read(ctx, func(c *conn) error {
		all, err = rows(c,
			`SELECT `+sessionColumns+` FROM sessions s WHERE s.account_id = $1 ORDER BY s.seen_at DESC, s.hash`,
			[]any{accountID}, sessionFields)
		return within("list sessions", err)
	})
	return all, err
}

func (s sessions) Delete(ctx context.Context, hash [sha256.Size]byte) error {
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(`DELETE FROM sessions WHERE hash = $1`, hash[:])
		return within("delete a session", err)
	})
}

func (s sessions) DeleteOthers(ctx context.Context, accountID string, spared [sha256.Size]byte) error {
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(`DELETE FROM sessions WHERE account_id = $1 AND hash <> $2`, accountID, spared[:])
		return within("delete sessions", err)
	})
}

func (s sessions) Sweep(ctx context.Context, now, forget time.Time) error {
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(`DELETE FROM sessions WHERE expires_at <= $1`, now.UnixMilli())
		if err == nil {
			_, err = c.exec(`DELETE FROM links WHERE expires_at <= $1`, now.UnixMilli())
		}
		if err == nil {
			_, err = c.exec(`DELETE FROM guesses WHERE last_at < $1`, forget.UnixMilli())
		}
		return within("sweep sessions", err)
	})
}

func linkFields(l *svc.Link) []any {
	return []any{
		(*column.Digest)(&l.Hash), &l.Kind, &l.AccountID, &l.Email, &l.Plan,
		(*column.Stamp)(&l.CreatedAt), (*column.Stamp)(&l.ExpiresAt), (*column.Stamp)(&l.UsedAt),
	}
}

func (s links) Insert(ctx context.Context, l svc.Link) error {
	var account any
	if l.AccountID != "" {
		account = l.AccountID
	}
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(
			`INSERT INTO links (hash, kind, account_id, email, plan, created_at, expires_at, used_at)
			 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			l.Hash[:], l.Kind, account, l.Email, l.Plan, l.CreatedAt.UnixMilli(), l.ExpiresAt.UnixMilli(), column.Millis(l.UsedAt))
		return within("insert a link", err)
	})
}

func (s links) Get(ctx context.Context, hash [sha256.Size]byte) (l svc.Link, err error) {
	err = s.read(ctx, func(c *conn) error {
		return within("get a link", c.row(
			`SELECT hash, kind, coalesce(account_id, ''), email, plan, created_at, expires_at, used_at FROM links WHERE hash = $1`,
			[]any{hash[:]}, linkFields(&l)))
	})
	return l, err
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

func (s links) Withdraw(ctx context.Context, kind svc.LinkKind, accountID, email string) error {
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(
			`DELETE FROM links WHERE kind = $1 AND ($2 = '' OR account_id = $2) AND ($3 = '' OR email = $3)`,
			kind, accountID, email)
		return within("withdraw links", err)
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

func (s guessLog) Save(ctx context.Context, g svc.Guesses) error {
	return s.write(ctx, func(c *conn) error {
		if g.Count == 0 {
			_, err := c.exec(`DELETE FROM guesses WHERE bucket = $1`, g.Bucket)
			return within("forget guesses", err)
		}
		_, err := c.exec(
			`INSERT INTO guesses (bucket, count, last_at) VALUES ($1, $2, $3)
			 ON CONFLICT (bucket) DO UPDATE SET count = excluded.count, last_at = excluded.last_at`,
			g.Bucket, g.Count, g.LastAt.UnixMilli())
		return within("save guesses", err)
	})
}
