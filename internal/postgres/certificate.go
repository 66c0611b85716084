package postgres

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

type certificateFiles struct{ *runner }

func (s certificateFiles) Put(ctx context.Context, f svc.CertificateFile) error {
	_, err := s.exec(ctx,
		`INSERT INTO certificate_files (name, content, changed_at) VALUES ($1, $2, $3)
		 ON CONFLICT (name) DO UPDATE SET content = excluded.content, changed_at = excluded.changed_at`,
		f.Name, f.Content, f.ChangedAt.UnixMilli())
	return within("put a certificate file", err)
}

func (s certificateFiles) Get(ctx context.Context, name string) (f svc.CertificateFile, err error) {
	err = s.row(ctx, `SELECT name, content, changed_at FROM certificate_files WHERE name = $1`,
		[]any{name}, []any{&f.Name, &f.Content, (*column.Stamp)(&f.ChangedAt)})
	return f, within("get a certificate file", err)
}

// The names below a folder lie between the folder with "/" and with "0", the
// character that follows it.

func (s certificateFiles) Delete(ctx context.Context, name string) error {
	_, err := s.exec(ctx,
		`DELETE FROM certificate_files WHERE name = $1 OR name > $1 || '/' AND name < $1 || '0'`, name)
	return within("delete certificate files", err)
}

func (s certificateFiles) List(ctx context.Context, folder string) ([]string, error) {
	names, err := rows(ctx, s.runner,
		`SELECT name FROM certificate_files WHERE $1::text = '' OR name > $1 || '/' AND name < $1 || '0' ORDER BY name`,
		[]any{folder}, func(name *string) []any { return []any{name} })
	return names, within("list certificate files", err)
}

func (s certificateFiles) Lock(ctx context.Context, name, owner string, now, lease time.Time) (bool, error) {
	n, err := s.exec(ctx,
		`INSERT INTO certificate_locks (name, owner, lease_until) VALUES ($1, $2, $4)
		 ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until
		 WHERE certificate_locks.owner = $2 OR certificate_locks.lease_until <= $3`,
		name, owner, now.UnixMilli(), lease.UnixMilli())
	return n == 1, within("lock certificates", err)
}

func (s certificateFiles) Prolong(ctx context.Context, name, owner string, lease time.Time) (bool, error) {
	n, err := s.exec(ctx, `UPDATE certificate_locks SET lease_until = $3 WHERE name = $1 AND owner = $2`,
		name, owner, lease.UnixMilli())
	return n == 1, within("prolong a lock of certificates", err)
}

func (s certificateFiles) Unlock(ctx context.Context, name, owner string) error {
	_, err := s.exec(ctx, `DELETE FROM certificate_locks WHERE name = $1 AND owner = $2`, name, owner)
	return within("unlock certificates", err)
}
