//go:build unix

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// ErrMissing is for what has to be installed or built before.
var ErrMissing = errors.New("an engine is missing")

// newPostgreSQL prepares a PostgreSQL in an empty folder. Its durability is that
// of the operating system: processes are killed here, no power is cut.
func newPostgreSQL(ctx context.Context, dir, logFile, address string) (*Process, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("%w: PostgreSQL; install the Debian package postgresql", ErrMissing)
	}
	programs := found[len(found)-1]
	as, err := unprivileged(dir)
	if err != nil {
		return nil, fmt.Errorf("prepare PostgreSQL: %w", err)
	}
	data := filepath.Join(dir, "data")
	initdb := exec.CommandContext(ctx, filepath.Join(programs, "initdb"), "--no-sync", "--username=svc", "--auth=trust", //nolint:gosec // the installed one
		"--encoding=UTF8", "--locale=C.UTF-8", "-D", data)
	initdb.Dir, initdb.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("prepare PostgreSQL: initdb: %w: %s", err, out)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("prepare PostgreSQL: %w", err)
	}
	return &Process{
		Name: "postgresql", Address: address, LogFile: logFile,
		program: filepath.Join(programs, "postgres"), dir: dir, as: as,
		args: []string{
			"-D", data, "-h", host, "-p", port, "-c", "unix_socket_directories=",
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

// unprivileged gives the folder to the user that PostgreSQL runs as: it refuses
// root.
func unprivileged(dir string) (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil //nolint:nilnil // no credential is this user's own
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(nobody.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(nobody.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}
