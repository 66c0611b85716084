package postgres

import (
	"context"
	"errors"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type windows struct{ *runner }

// lockWindow locks a window, and makes one to lock where there is none; if another
// made one a moment ago, it waits for it and locks that. The clock is read in the
// outer query: it comes to a row only once that is locked.
const lockWindow = `
WITH held AS MATERIALIZED (SELECT admitted FROM limit_windows WHERE account_id = $1 AND operation = $2 FOR UPDATE),
made AS (
  INSERT INTO limit_windows (account_id, operation, admitted)
  SELECT id, $2, '{}'::bigint[] FROM accounts WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM held)
  ON CONFLICT (account_id, operation) DO UPDATE SET admitted = limit_windows.admitted
  RETURNING admitted)
SELECT admitted, ` + clockMillis + ` FROM (SELECT admitted FROM held UNION ALL SELECT admitted FROM made) AS locked`

func (s windows) Lock(ctx context.Context, accountID string, op svc.Operation) (svc.Window, error) {
	var admitted []int64
	var clock int64
	err := s.Row(ctx, lockWindow, []any{accountID, string(op)}, []any{&admitted, &clock})
	if errors.Is(err, svc.ErrNotFound) { // the account is gone: nobody can save anything
		now, err := records(s).Now(ctx)
		return svc.Window{Now: now}, err
	}
	if err != nil {
		return svc.Window{}, within("lock a limit", err)
	}
	return sqlshared.Window(s.at(clock), admitted), nil
}

func (s windows) Save(ctx context.Context, accountID string, op svc.Operation, admitted []time.Time) error {
	return within("save a limit", s.later(ctx, changed("save a limit"),
		`INSERT INTO limit_windows (account_id, operation, admitted)
		 SELECT id, $2, $3::bigint[] FROM accounts WHERE id = $1
		 ON CONFLICT (account_id, operation) DO UPDATE SET admitted = excluded.admitted`,
		accountID, string(op), sqlshared.Admissions(admitted)))
}
