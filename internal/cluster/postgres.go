//go:build unix

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"syscall"

	"github.com/jackc/pgx/v5"

	"github.com/bundle-delivery/svc/internal/pgtest"
)

// ErrMissing is for what has to be installed or built before.
var ErrMissing = errors.New("an engine is missing")

// newPostgreSQL prepares a PostgreSQL in an empty folder. Its durability is that
// of the operating system: processes are killed here, no power is cut.
func newPostgreSQL(ctx context.Context, dir, logFile, address string) (*Process, error) {
	prepared, err := pgtest.Prepare(ctx, dir)
	if errors.Is(err, pgtest.ErrMissing) {
		return nil, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("prepare PostgreSQL: %w", err)
	}
	return &Process{
		Name: "postgresql", Address: address, LogFile: logFile,
		program: filepath.Join(prepared.Programs, "postgres"), dir: dir, as: prepared.As,
		args: []string{
			"-D", prepared.Data, "-h", host, "-p", port, "-c", "unix_socket_directories=",
			"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=400",
		},
		stop: syscall.SIGINT, kill: syscall.SIGQUIT, // fast, and at once as after a crash
		ready: func(ctx context.Context) error { return ask(ctx, databaseURL(address, "postgres"), "SELECT 1") },
	}, nil
}

func databaseURL(address, name string) string {
	return "postgres://svc@" + address + "/" + name + "?sslmode=disable"
}

// ask runs one statement.
func ask(ctx context.Context, url, statement string) (err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	_, err = conn.Exec(ctx, statement)
	return err
}
