package sqlshared

import (
	"context"
	"crypto/sha256"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
)

type (
	// Passkeys are the steps of [svc.Passkeys] but Insert.
	Passkeys struct{ DB }
	// Challenges are the steps of [svc.Challenges].
	Challenges struct{ DB }
)

var _ svc.Challenges = Challenges{}

const passkeyColumns = `id, account_id, name, host, record, created_at, used_at`

func passkeyFields(p *svc.Passkey) []any {
	return []any{
		&p.ID, &p.AccountID, &p.Name, &p.Host, &p.Record,
		(*column.Stamp)(&p.CreatedAt), (*column.Stamp)(&p.UsedAt),
	}
}

// Get implements [svc.Passkeys].
func (s Passkeys) Get(ctx context.Context, id string) (p svc.Passkey, err error) {
	err = s.Row(ctx, `SELECT `+passkeyColumns+` FROM passkeys WHERE id = $1`, []any{id}, passkeyFields(&p))
	return p, Within("get a passkey", err)
}

// List implements [svc.Passkeys].
func (s Passkeys) List(ctx context.Context, accountID string) ([]svc.Passkey, error) {
	all, err := Rows(ctx, s, `SELECT `+passkeyColumns+` FROM passkeys WHERE account_id = $1 ORDER BY created_at, id`,
		[]any{accountID}, passkeyFields)
	return all, Within("list passkeys", err)
}

// Rename implements [svc.Passkeys].
func (s Passkeys) Rename(ctx context.Context, accountID, id, name string) error {
	return Within("rename a passkey", One(ctx, s, `UPDATE passkeys SET name = $3 WHERE account_id = $1 AND id = $2`, accountID, id, name))
}

// Update implements [svc.Passkeys].
func (s Passkeys) Update(ctx context.Context, id string, record string, usedAt time.Time) error {
	return Within("update a passkey", One(ctx, s, `UPDATE passkeys SET record = $2, used_at = $3 WHERE id = $1`,
		id, record, column.Millis(usedAt)))
}

// Delete implements [svc.Passkeys].
func (s Passkeys) Delete(ctx context.Context, accountID, id string) error {
	return Within("delete a passkey", One(ctx, s, `DELETE FROM passkeys WHERE account_id = $1 AND id = $2`, accountID, id))
}

// Insert implements [svc.Challenges].
func (s Challenges) Insert(ctx context.Context, c svc.Challenge) error {
	n, err := s.Exec(ctx, `INSERT INTO challenges (hash, state, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
		c.Hash[:], c.State, c.ExpiresAt.UnixMilli())
	return Within("insert a challenge", orElse(svc.ErrConflict, n, err))
}

// Get implements [svc.Challenges].
func (s Challenges) Get(ctx context.Context, hash [sha256.Size]byte) (c svc.Challenge, err error) {
	err = s.Row(ctx, `SELECT hash, state, expires_at FROM challenges WHERE hash = $1`,
		[]any{hash[:]}, []any{(*column.Digest)(&c.Hash), &c.State, (*column.Stamp)(&c.ExpiresAt)})
	return c, Within("get a challenge", err)
}

// Delete implements [svc.Challenges].
func (s Challenges) Delete(ctx context.Context, hash [sha256.Size]byte) error {
	return Within("delete a challenge", One(ctx, s, `DELETE FROM challenges WHERE hash = $1`, hash[:]))
}
