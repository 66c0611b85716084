package sqlshared

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
)

// CertificateFiles are the steps of [svc.CertificateFiles].
type CertificateFiles struct{ DB }

var _ svc.CertificateFiles = CertificateFiles{}

// Put implements [svc.CertificateFiles].
func (s CertificateFiles) Put(ctx context.Context, f svc.CertificateFile) error {
	_, err := s.Exec(ctx,
		`INSERT INTO certificate_files (name, content, changed_at) VALUES ($1, $2, $3)
		 ON CONFLICT (name) DO UPDATE SET content = excluded.content, changed_at = excluded.changed_at`,
		f.Name, f.Content, f.ChangedAt.UnixMilli())
	return Within("put a certificate file", err)
}

// Get implements [svc.CertificateFiles].
func (s CertificateFiles) Get(ctx context.Context, name string) (f svc.CertificateFile, err error) {
	err = s.Row(ctx, `SELECT name, content, changed_at FROM certificate_files WHERE name = $1`,
		[]any{name}, []any{&f.Name, &f.Content, (*column.Stamp)(&f.ChangedAt)})
	return f, Within("get a certificate file", err)
}

// The names below a folder lie between the folder with "/" and with "0", the
// character that follows it.

// Delete implements [svc.CertificateFiles].
func (s CertificateFiles) Delete(ctx context.Context, name string) error {
	_, err := s.Exec(ctx,
		`DELETE FROM certificate_files WHERE name = $1 OR name > $1 || '/' AND name < $1 || '0'`, name)
	return Within("delete certificate files", err)
}

// List implements [svc.CertificateFiles].
func (s CertificateFiles) List(ctx context.Context, folder string) ([]string, error) {
	names, err := Rows(ctx, s,
		`SELECT name FROM certificate_files WHERE CAST($1 AS text) = '' OR name > $1 || '/' AND name < $1 || '0' ORDER BY name`,
		[]any{folder}, Itself[string])
	return names, Within("list certificate files", err)
}

// Lock implements [svc.CertificateFiles].
func (s CertificateFiles) Lock(ctx context.Context, name, owner string, now, lease time.Time) (bool, error) {
	n, err := s.Exec(ctx,
		`INSERT INTO certificate_locks (name, owner, lease_until) VALUES ($1, $2, $4)
		 ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until
		 WHERE certificate_locks.owner = $2 OR certificate_locks.lease_until <= $3`,
		name, owner, now.UnixMilli(), lease.UnixMilli())
	return n == 1, Within("lock certificates", err)
}

// Prolong implements [svc.CertificateFiles].
func (s CertificateFiles) Prolong(ctx context.Context, name, owner string, lease time.Time) (bool, error) {
	n, err := s.Exec(ctx, `UPDATE certificate_locks SET lease_until = $3 WHERE name = $1 AND owner = $2`,
		name, owner, lease.UnixMilli())
	return n == 1, Within("prolong a lock of certificates", err)
}

// Unlock implements [svc.CertificateFiles].
func (s CertificateFiles) Unlock(ctx context.Context, name, owner string) error {
	_, err := s.Exec(ctx, `DELETE FROM certificate_locks WHERE name = $1 AND owner = $2`, name, owner)
	return Within("unlock certificates", err)
}
