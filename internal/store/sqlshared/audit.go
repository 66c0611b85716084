package sqlshared

import (
	"context"
	"math"
	"strconv"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
)

// Audit are the steps of [svc.Audit] but Prune.
type Audit struct{ DB }

const auditColumns = `id, at, action, account_id, email, actor_kind, actor, address, subject, detail`

func auditFields(e *svc.AuditEntry) []any {
	return []any{
		&e.ID, (*column.Stamp)(&e.At), &e.Action, &e.AccountID, &e.Email,
		&e.Actor.Kind, &e.Actor.Name, &e.Actor.Address, &e.Subject, &e.Detail,
	}
}

// AppendAudit adds AuditValues.
const AppendAudit = `INSERT INTO audit_log (` + auditColumns + `)
VALUES ($1, $2, $3, $4, coalesce((SELECT email FROM accounts WHERE id = $4), ''), $5, $6, $7, $8, $9)`

// AuditValues are the values of an entry, without the address that its account has.
func AuditValues(e svc.AuditEntry) []any {
	return []any{
		e.ID, e.At.UnixMilli(), string(e.Action), e.AccountID,
		string(e.Actor.Kind), e.Actor.Name, e.Actor.Address, e.Subject, e.Detail,
	}
}

// Append implements [svc.Audit].
func (s Audit) Append(ctx context.Context, e svc.AuditEntry) error {
	_, err := s.Exec(ctx, AppendAudit, AuditValues(e)...)
	return Within("add to the audit log", err)
}

// List implements [svc.Audit].
func (s Audit) List(ctx context.Context, q svc.AuditQuery) ([]svc.AuditEntry, error) {
	query, args := AuditListing(q)
	all, err := Rows(ctx, s, query, args, auditFields)
	return all, Within("read the audit log", err)
}

// AuditListing is the query for a page.
func AuditListing(q svc.AuditQuery) (query string, args []any) {
	add := func(value any) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args))
	}
	at, id := Place(q.After)
	follows, order := `<`, ` DESC`
	if q.OldestFirst {
		follows, order = `>`, ``
		if q.After == nil {
			at = math.MinInt64
		}
	}
	query = `SELECT ` + auditColumns + ` FROM audit_log WHERE (at, id) ` + follows + ` (` + add(at) + `, ` + add(id) + `)`
	if q.AccountID != "" {
		query += ` AND account_id = ` + add(q.AccountID)
	}
	if q.Email != "" {
		query += ` AND email = ` + add(q.Email)
	}
	if q.Action != "" {
		query += ` AND action = ` + add(string(q.Action))
	}
	if q.About != "" {
		about := add(q.About)
		query += ` AND (actor = ` + about + ` OR address = ` + about + ` OR subject = ` + about + `)`
	}
	if !q.Since.IsZero() {
		query += ` AND at >= ` + add(q.Since.UnixMilli())
	}
	if !q.Until.IsZero() {
		query += ` AND at < ` + add(q.Until.UnixMilli())
	}
	return query + ` ORDER BY at` + order + `, id` + order + ` LIMIT ` + add(q.Limit), args
}

// Pruning the audit log is two statements: the horizon moves to $1, and what lies
// before it goes, $2 entries at most.
const (
	MoveHorizon = `INSERT INTO audit_horizon (one, at) VALUES (1, $1)
ON CONFLICT (one) DO UPDATE SET at = excluded.at WHERE audit_horizon.at < excluded.at`
	PruneAudit = `DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE at <= $1 ORDER BY at, id LIMIT $2)`
)

// Horizon implements [svc.Audit].
func (s Audit) Horizon(ctx context.Context) (at time.Time, err error) {
	err = s.Row(ctx, `SELECT max(at) FROM audit_horizon`, nil, []any{(*column.Stamp)(&at)})
	return at, Within("read the horizon of the audit log", err)
}

// NoteNetwork implements [svc.Audit].
func (s Audit) NoteNetwork(ctx context.Context, prefix, network string, at time.Time) (networks int, err error) {
	n, err := s.Exec(ctx, `INSERT INTO key_networks (prefix, network, at)
SELECT prefix, CAST($2 AS TEXT), CAST($3 AS BIGINT) FROM api_keys WHERE prefix = $1 ON CONFLICT DO NOTHING`,
		prefix, network, at.UnixMilli())
	if err == nil && n == 1 {
		err = s.Row(ctx, `SELECT count(*) FROM key_networks WHERE prefix = $1`, []any{prefix}, []any{&networks})
	}
	return networks, Within("note the network of a key", err)
}
