package sqlshared

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
)

// Keys are the steps of [svc.Keys] but Insert and Usable.
type Keys struct{ DB }

const keyColumns = `k.prefix, k.account_id, k.name, k.hash, k.created_at, k.last_used_at, k.expires_at, k.revoked_at, k.report`

// KeyByPrefix finds a key by $1, with the plan of its account.
const KeyByPrefix = `SELECT ` + keyColumns + `, a.plan FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.prefix = $1`

func keyFields(k *svc.Key) []any {
	return []any{
		&k.Prefix, &k.AccountID, &k.Name, (*column.Digest)(&k.Hash),
		(*column.Stamp)(&k.CreatedAt), (*column.Stamp)(&k.LastUsedAt), (*column.Stamp)(&k.ExpiresAt), (*column.Stamp)(&k.RevokedAt),
		&column.Object[svc.KeyReport]{To: &k.Report},
	}
}

// Credential implements [svc.Keys].
func (s Keys) Credential(ctx context.Context, prefix string) (cred svc.Credential, err error) {
	err = s.Row(ctx, KeyByPrefix, []any{prefix}, append(keyFields(&cred.Key), &cred.Plan))
	return cred, Within("get a key", err)
}

// KeyListing are the keys of the account $1.
const KeyListing = `SELECT ` + keyColumns + ` FROM api_keys k WHERE k.account_id = $1 ORDER BY k.created_at DESC, k.prefix DESC`

// List implements [svc.Keys].
func (s Keys) List(ctx context.Context, accountID string) ([]svc.Key, error) {
	all, err := Rows(ctx, s, KeyListing, []any{accountID}, keyFields)
	return all, Within("list keys", err)
}

// Rename implements [svc.Keys].
func (s Keys) Rename(ctx context.Context, accountID, prefix, name string) error {
	return Within("rename a key", One(ctx, s,
		`UPDATE api_keys SET name = $3 WHERE prefix = $1 AND account_id = $2`, prefix, accountID, name))
}

// Revoke implements [svc.Keys].
func (s Keys) Revoke(ctx context.Context, prefix string, at time.Time) error {
	return Within("revoke a key", One(ctx, s,
		`UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2) WHERE prefix = $1`, prefix, at.UnixMilli()))
}

// Report implements [svc.Keys].
func (s Keys) Report(ctx context.Context, prefix string, found svc.KeyReport) error {
	text, err := column.ObjectText(&found)
	if err != nil {
		return err
	}
	return Within("report a key", One(ctx, s,
		`UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2), report = coalesce(report, $3) WHERE prefix = $1`,
		prefix, found.At.UnixMilli(), text))
}

// Touch implements [svc.Keys].
func (s Keys) Touch(ctx context.Context, prefix string, at, since time.Time) error {
	_, err := s.Exec(ctx,
		`UPDATE api_keys SET last_used_at = $2 WHERE prefix = $1 AND (last_used_at IS NULL OR last_used_at < $3)`,
		prefix, at.UnixMilli(), since.UnixMilli())
	return Within("note the use of a key", err)
}
