//go:build unix

package postgres

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

func TestPoolerIsFoundOut(t *testing.T) {
	cluster := pgtest.Start(t)
	direct := cluster.Address(cluster.Database(t))
	pooled := direct + cluster.Pooler(t)
	for _, test := range []struct {
		name, address string
		want          pgx.QueryExecMode
	}{
		{"the server itself", direct, pgx.QueryExecModeCacheStatement},
		{"a pooler", pooled, pgx.QueryExecModeExec},
		{"a pooler that keeps prepared statements, as the address says", pooled + "&default_query_exec_mode=cache_statement", pgx.QueryExecModeCacheStatement},
		{"a mode of one's own", direct + "&default_query_exec_mode=cache_describe", pgx.QueryExecModeCacheDescribe},
	} {
		t.Run(test.name, func(t *testing.T) {
			config, err := parse(test.address)
			if err != nil {
				t.Fatal(err)
			}
			if err := adaptToPooler(t.Context(), test.address, config.ConnConfig, answerTimeout); err != nil {
				t.Fatal(err)
			}
			if got := config.ConnConfig.DefaultQueryExecMode; got != test.want {
				t.Errorf("statements are sent by %v, want %v", got, test.want)
			}
		})
	}

	// Whoever insists on prepared statements behind a pooler that cannot keep
	// them hears what to do: the second connection finds the first one's.
	t.Run("the advice", func(t *testing.T) {
		for range 20 {
			s, err := Open(t.Context(), pooled+"&default_query_exec_mode=cache_statement")
			if err == nil {
				err = s.Close()
			}
			if err == nil {
				continue
			}
			if !strings.Contains(err.Error(), "default_query_exec_mode=exec") || strings.Count(err.Error(), "pooler before") != 1 {
				t.Errorf("error %q does not say once what to do", err)
			}
			return
		}
		t.Error("prepared statements were never mixed up")
	})
}

func TestMixedUpStatementsAreExplained(t *testing.T) {
	for _, code := range []string{"26000", "42P05"} {
		err := explain(t.Context(), &pgconn.PgError{Code: code})
		if !strings.Contains(err.Error(), "default_query_exec_mode=exec") {
			t.Errorf("%s is explained as %q", code, err)
		}
	}
}

// A server may end transactions that stand idle; the one that guards a change of
// the schema stands idle while the change is made.
func TestTurnOutlivesAnImpatientServer(t *testing.T) {
	cluster := pgtest.Start(t)
	name := cluster.Database(t)
	cluster.SQL(t, name, `ALTER DATABASE "`+name+`" SET idle_in_transaction_session_timeout = '20ms'`)
	config, err := parse(cluster.Address(name))
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*config.ConnConfig)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if err := alone(ctx, db, answerTimeout, func() error {
		if _, err := db.ExecContext(ctx, `SELECT pg_sleep(0.3)`); err != nil {
			return err
		}
		free := false
		if err := db.QueryRowContext(ctx, `SELECT pg_try_advisory_xact_lock($1)`, int64(lockMigrate)).Scan(&free); err != nil {
			return err
		}
		if free {
			t.Error("another process could have begun to change the schema")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
