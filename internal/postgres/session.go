package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

type (
	sessions struct{ *runner }
	links    struct{ *runner }
	guessLog struct{ *runner }
)

const sessionColumns = `s.hash, s.account_id, s.browser, s.created_at, s.seen_at, s.expires_at`

func sessionFields(s *svc.Session) []any {
	return []any{
		(*column.Digest)(&s.Hash), &s.AccountID, &s.Browser,
		(*column.Stamp)(&s.CreatedAt), (*column.Stamp)(&s.SeenAt), (*column.Stamp)(&s.ExpiresAt),
	}
}

var insertSession = ownedByAccount(
	`INSERT INTO sessions (hash, account_id, browser, created_at, seen_at, expires_at)
	 SELECT $2::bytea, id, $3, $4::bigint, $5::bigint, $6::bigint FROM owner`)

func (s sessions) Insert(ctx context.Context, n svc.Session) error {
	return within("insert a session", s.insert(ctx, insertSession,
		n.AccountID, n.Hash[:], n.Browser, n.CreatedAt.UnixMilli(), n.SeenAt.UnixMilli(), n.ExpiresAt.UnixMilli()))
}

func (s sessions) Get(ctx context.Context, hash [sha256.Size]byte) (found svc.Session, a svc.Account, err error) {
	err = s.row(ctx,
		`SELECT `+sessionColumns+`, a.id, a.email, a.plan, a.password_hash, a.admin, a.created_at, a.pending_bytes
		 FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.hash = $1`,
		[]any{hash[:]}, append(sessionFields(&found), accountFields(&a)...))
	return found, a, within("get a session", err)
}

func (s sessions) Touch(ctx context.Context, hash [sha256.Size]byte, seen, expires time.Time) error {
	return within("note the use of a session", s.one(ctx,
		`UPDATE sessions SET seen_at = $2, expires_at = $3 WHERE hash = $1`,
		hash[:], seen.UnixMilli(), expires.UnixMilli()))
}

func (s sessions) List(ctx context.Context, accountID string) ([]svc.Session, error) {
	all, err := rows(ctx, s.runner,
		`SELECT `+sessionColumns+` FROM sessions s WHERE s.account_id = $1 ORDER BY s.seen_at DESC, s.hash`,
		[]any{accountID}, sessionFields)
	return all, within("list sessions", err)
}

func (s sessions) Delete(ctx context.Context, hash [sha256.Size]byte) error {
	_, err := s.exec(ctx, `DELETE FROM sessions WHERE hash = $1`, hash[:])
	return within("delete a session", err)
}

func (s sessions) DeleteOthers(ctx context.Context, accountID string, spared [sha256.Size]byte) error {
	_, err := s.exec(ctx, `DELETE FROM sessions WHERE account_id = $1 AND hash <> $2`, accountID, spared[:])
	return within("delete sessions", err)
}

func (s sessions) Sweep(ctx context.Context, now, forget time.Time) error {
	return within("sweep sessions", s.together(ctx, func(b *pgx.Batch) {
		b.Queue(`DELETE FROM sessions WHERE expires_at <= $1`, now.UnixMilli())
		b.Queue(`DELETE FROM links WHERE expires_at <= $1`, now.UnixMilli())
		b.Queue(`DELETE FROM guesses WHERE last_at < $1`, forget.UnixMilli())
	}))
}

func linkFields(l *svc.Link) []any {
	return []any{
		(*column.Digest)(&l.Hash), &l.Kind, &l.AccountID, &l.Email, &l.Plan,
		(*column.Stamp)(&l.CreatedAt), (*column.Stamp)(&l.ExpiresAt), (*column.Stamp)(&l.UsedAt),
	}
}

const linkColumns = `hash, kind, account_id, email, plan, created_at, expires_at, used_at`

var insertOwnedLink = ownedByAccount(
	`INSERT INTO links (` + linkColumns + `)
	 SELECT $2::bytea, $3, id, $4, $5, $6::bigint, $7::bigint, $8::bigint FROM owner`)

// insertLink has the shape that insert reads; a link of nobody needs no owner.
const insertLink = `
WITH made AS (
  INSERT INTO links (` + linkColumns + `)
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

func (s links) Get(ctx context.Context, hash [sha256.Size]byte) (l svc.Link, err error) {
	err = s.row(ctx,
		`SELECT hash, kind, coalesce(account_id, ''), email, plan, created_at, expires_at, used_at FROM links WHERE hash = $1`,
		[]any{hash[:]}, linkFields(&l))
	return l, within("get a link", err)
}

// useLink has the shape that insert reads: of a link that is there, one use.
const useLink = `
WITH owner AS (SELECT hash FROM links WHERE hash = $1),
made AS (UPDATE links SET used_at = $2 WHERE hash = $1 AND used_at IS NULL RETURNING 1)
SELECT (SELECT count(*) FROM owner), (SELECT count(*) FROM made)`

func (s links) Use(ctx context.Context, hash [sha256.Size]byte, at time.Time) error {
	return within("use a link", s.insert(ctx, useLink, hash[:], at.UnixMilli()))
}

func (s links) Withdraw(ctx context.Context, kind svc.LinkKind, accountID, email string) error {
	_, err := s.exec(ctx,
		`DELETE FROM links WHERE kind = $1 AND ($2 = '' OR account_id = $2) AND ($3 = '' OR email = $3)`,
		string(kind), accountID, email)
	return within("withdraw links", err)
}

func (s guessLog) Lock(ctx context.Context, bucket string) (svc.Guesses, error) {
	g := svc.Guesses{Bucket: bucket}
	dest := []any{&g.Count, (*column.Stamp)(&g.LastAt)}
	err := s.row(ctx, `SELECT count, last_at FROM guesses WHERE bucket = $1 FOR UPDATE`, []any{bucket}, dest)
	if errors.Is(err, svc.ErrNotFound) {
		err = s.row(ctx,
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

func (s guessLog) Save(ctx context.Context, g svc.Guesses) error {
	if g.Count == 0 {
		_, err := s.exec(ctx, `DELETE FROM guesses WHERE bucket = $1`, g.Bucket)
		return within("forget guesses", err)
	}
	_, err := s.exec(ctx,
		`INSERT INTO guesses (bucket, count, last_at) VALUES ($1, $2, $3)
		 ON CONFLICT (bucket) DO UPDATE SET count = excluded.count, last_at = excluded.last_at`,
		g.Bucket, g.Count, g.LastAt.UnixMilli())
	return within("save guesses", err)
}
