package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type (
	sessions struct {
		*runner
		sqlshared.Sessions
	}
	links struct {
		*runner
		sqlshared.Links
	}
	guessLog struct {
		*runner
		sqlshared.GuessLog
	}
)

var insertSession = ownedByAccount(
	`INSERT INTO sessions (hash, account_id, browser, network, created_at, seen_at, expires_at)
	 SELECT $2::bytea, id, $3, $4, $5::bigint, $6::bigint, $7::bigint FROM owner`)

func (s sessions) Insert(ctx context.Context, n svc.Session) error {
	return within("insert a session", s.insert(ctx, insertSession,
		n.AccountID, n.Hash[:], n.Browser, n.Network, n.CreatedAt.UnixMilli(), n.SeenAt.UnixMilli(), n.ExpiresAt.UnixMilli()))
}

func (s sessions) Sweep(ctx context.Context, now, forget time.Time) error {
	return within("sweep sessions", s.batch(ctx, func(b *pgx.Batch) {
		b.Queue(sqlshared.SweepSessions, now.UnixMilli())
		b.Queue(sqlshared.SweepLinks, now.UnixMilli())
		b.Queue(sqlshared.SweepChallenges, now.UnixMilli())
		b.Queue(sqlshared.SweepIdentityAttempts, now.UnixMilli())
		b.Queue(sqlshared.SweepGuesses, forget.UnixMilli())
	}))
}

var insertOwnedLink = ownedByAccount(
	`INSERT INTO links (` + sqlshared.LinkColumns + `)
	 SELECT $2::bytea, $3, id, $4, $5, $6::bigint, $7::bigint, $8::bigint FROM owner`)

// insertLink has the shape that insert reads; a link of nobody needs no owner.
const insertLink = `
WITH made AS (
  INSERT INTO links (` + sqlshared.LinkColumns + `)
  SELECT $2::bytea, $3, nullif($1::text, ''), $4, $5, $6::bigint, $7::bigint, $8::bigint ON CONFLICT DO NOTHING RETURNING 1)
SELECT 1::bigint, (SELECT count(*) FROM made)`

func (s links) Insert(ctx context.Context, l svc.Link) error {
	query := insertLink
	if l.AccountID != "" {
		query = insertOwnedLink
	}
	return within("insert a link", s.insert(ctx, query, l.AccountID, l.Hash[:], string(l.Kind), l.Email, string(l.Plan),
		l.CreatedAt.UnixMilli(), l.ExpiresAt.UnixMilli(), column.Millis(l.UsedAt)))
}

// useLink has the shape that insert reads: of a link that is there, one use.
const useLink = `
WITH owner AS (SELECT hash FROM links WHERE hash = $1),
made AS (UPDATE links SET used_at = $2 WHERE hash = $1 AND used_at IS NULL RETURNING 1)
SELECT (SELECT count(*) FROM owner), (SELECT count(*) FROM made)`

func (s links) Use(ctx context.Context, hash [sha256.Size]byte, at time.Time) error {
	return within("use a link", s.insert(ctx, useLink, hash[:], at.UnixMilli()))
}

func (s guessLog) Lock(ctx context.Context, bucket string) (svc.Guesses, error) {
	g := svc.Guesses{Bucket: bucket}
	dest := []any{&g.Count, (*column.Stamp)(&g.LastAt)}
	err := s.Row(ctx, `SELECT count, last_at FROM guesses WHERE bucket = $1 FOR UPDATE`, []any{bucket}, dest)
	if errors.Is(err, svc.ErrNotFound) {
		err = s.Row(ctx,
			`INSERT INTO guesses (bucket, count, last_at) VALUES ($1, 0, 0)
			 ON CONFLICT (bucket) DO UPDATE SET count = guesses.count RETURNING count, last_at`, []any{bucket}, dest)
	}
	if err != nil {
		return svc.Guesses{}, within("read guesses", err)
	}
	if g.Count == 0 { // locked before, never saved
		g.LastAt = time.Time{}
	}
	return g, nil
}
