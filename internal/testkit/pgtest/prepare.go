//go:build unix

package pgtest

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

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// New prepares a PostgreSQL in an empty folder, whose only user is svc and needs
// no password. It listens on the address, or without one on a socket in the
// folder. Its durability is that of the operating system: processes are killed
// here, no power is cut.
func New(ctx context.Context, dir, address string) (*harness.Process, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("%w: PostgreSQL (Debian package postgresql)", needs.ErrMissing)
	}
	programs, data := found[len(found)-1], filepath.Join(dir, "data")
	as, err := unprivileged(dir)
	if err != nil {
		return nil, fmt.Errorf("prepare PostgreSQL: %w", err)
	}
	initdb := exec.CommandContext(ctx, filepath.Join(programs, "initdb"), "--no-sync", "--username=svc", "--auth=trust",
		"--encoding=UTF8", "--locale=C.UTF-8", "-D", data)
	initdb.Dir, initdb.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("prepare PostgreSQL: initdb: %w: %s", err, out)
	}
	args := []string{
		"-D", data, "-k", dir, "-c", "listen_addresses=",
		"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=400", "-c", "deadlock_timeout=50ms",
	}
	url := socketURL(dir, "postgres")
	if address != "" {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("prepare PostgreSQL: %w", err)
		}
		args = append(args, "-h", host, "-p", port)
		url = URL(address, "postgres")
	}
	return &harness.Process{
		Name: "postgresql", Address: address, LogFile: filepath.Join(dir, "log"),
		Command: func() *exec.Cmd {
			cmd := exec.Command(filepath.Join(programs, "postgres"), args...)
			cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
			return cmd
		},
		Quit: syscall.SIGINT, Crash: syscall.SIGQUIT, // fast, and at once as after a crash
		Ready: func(ctx context.Context) error { return Exec(ctx, url, "SELECT 1") },
	}, nil
}

// URL is the address of a database of a server that listens on an address.
func URL(address, database string) string {
	return "postgres://svc@" + address + "/" + database + "?sslmode=disable"
}

func socketURL(dir, database string) string { return "postgres://svc@/" + database + "?host=" + dir }

// Exec runs one statement on a database.
func Exec(ctx context.Context, url, statement string) (err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
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
