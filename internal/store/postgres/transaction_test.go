package postgres

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	svc "github.com/bundle-delivery/svc"
)

func TestATransactionIsVoidAfterAFailureAndNotAfterARefusal(t *testing.T) {
	t.Parallel()
	steps := 0
	try := func(tx *transaction, outcome error) error {
		return tx.try(t.Context(), func() error {
			steps++
			return outcome
		})
	}
	tx := &transaction{}
	for _, refusal := range []error{svc.ErrNotFound, svc.ErrConflict, nil} {
		if err := try(tx, refusal); !errors.Is(err, refusal) || tx.failure != nil {
			t.Errorf("%v became %v, %v", refusal, err, tx.failure)
		}
	}
	race := &pgconn.PgError{Code: stateSerialization}
	for range 2 { // whatever was made of the first answer
		if err := try(tx, race); !isRace(err) || !isRace(tx.failure) {
			t.Errorf("%v, %v", err, tx.failure)
		}
	}
	if steps != 4 {
		t.Errorf("%d steps were taken, want 4", steps)
	}
}

func TestAFailedTransactionHasNoTime(t *testing.T) {
	t.Parallel()
	failure := errors.New("the database is gone")
	for _, begun := range []bool{false, true} {
		tx := &transaction{begun: begun, failure: failure}
		if now, err := tx.now(t.Context()); !errors.Is(err, failure) {
			t.Errorf("begun %v: %v, %v", begun, now, err)
		}
	}
}
