package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// chosenMode is the parameter of an address by which its user says how
// statements are sent.
const chosenMode = "default_query_exec_mode"

// adaptToPooler has statements sent without preparing them, in as many round trips
// as before, where a pooler hands out connections by transaction: there the next
// statement may go to a server that was never told of the prepared one. An
// address that says how statements are to be sent is obeyed.
func adaptToPooler(ctx context.Context, address string, config *pgx.ConnConfig, answerTimeout time.Duration) error {
	if strings.Contains(address, chosenMode) {
		return nil
	}
	pooled, err := behindPooler(ctx, config, answerTimeout)
	if pooled {
		config.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	return err
}

// behindPooler says whether somebody stands between this program and the server
// who makes up the number by which a connection is cancelled: with the server
// itself it is the number of the process that answers.
func behindPooler(ctx context.Context, config *pgx.ConnConfig, answerTimeout time.Duration) (pooled bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, config) // bounded by the timeout of connecting
	if err != nil {
		return false, explain(ctx, err)
	}
	ctx, cancel := withTimeout(ctx, answerTimeout)
	defer cancel()
	defer func() { _ = conn.Close(ctx) }() // it was asked one thing
	var answers uint32
	if err := conn.QueryRow(ctx, `SELECT pg_backend_pid()`, pgx.QueryExecModeExec).Scan(&answers); err != nil {
		return false, fmt.Errorf("ask who answers: %w", explain(ctx, err))
	}
	return answers != conn.PgConn().PID(), nil
}
