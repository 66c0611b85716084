package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type windows struct{ records }

func (s windows) Lock(ctx context.Context, accountID string, op svc.Operation) (w svc.Window, err error) {
	// A write, though it only reads: the write lock is the lock on the window.
	err = s.write(ctx, func(c *conn) error {
		text := "[]"
		err := c.row(`SELECT admitted FROM limit_windows WHERE account_id = $1 AND operation = $2`,
			[]any{accountID, op}, []any{&text})
		if err != nil && !errors.Is(err, svc.ErrNotFound) {
			return within("lock a limit", err)
		}
		var admitted []int64
		if err := json.Unmarshal([]byte(text), &admitted); err != nil {
			return fmt.Errorf("read the admissions of a limit: %w", err)
		}
		w = sqlshared.Window(s.now(), admitted)
		return nil
	})
	return w, err
}

func (s windows) Save(ctx context.Context, accountID string, op svc.Operation, admitted []time.Time) error {
	text, err := listText(sqlshared.Admissions(admitted))
	if err != nil {
		return err
	}
	_, err = s.Exec(ctx,
		`INSERT INTO limit_windows (account_id, operation, admitted) VALUES ($1, $2, $3)
		 ON CONFLICT (account_id, operation) DO UPDATE SET admitted = excluded.admitted`,
		accountID, op, text)
	return within("save a limit", err)
}
