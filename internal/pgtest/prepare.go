//go:build unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// ErrMissing says that there is no PostgreSQL on this machine.
var ErrMissing = errors.New("PostgreSQL is missing: install the Debian package postgresql")

// Prepared is a PostgreSQL that has yet to be started.
type Prepared struct {
	Programs string              // the folder of its programs
	Data     string              // the folder of its data
	As       *syscall.Credential // the user that it runs as; nil: this one
}

// Prepare makes a cluster in an empty folder, whose only user is svc and needs no
// password.
func Prepare(ctx context.Context, dir string) (Prepared, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		return Prepared{}, ErrMissing
	}
	p := Prepared{Programs: found[len(found)-1], Data: filepath.Join(dir, "data")}
	if p.As, err = unprivileged(dir); err != nil {
		return Prepared{}, fmt.Errorf("prepare PostgreSQL: %w", err)
	}
	initdb := exec.CommandContext(ctx, filepath.Join(p.Programs, "initdb"), "--no-sync", "--username=svc", "--auth=trust",
		"--encoding=UTF8", "--locale=C.UTF-8", "-D", p.Data)
	initdb.Dir, initdb.SysProcAttr = dir, &syscall.SysProcAttr{Credential: p.As}
	if out, err := initdb.CombinedOutput(); err != nil {
		return Prepared{}, fmt.Errorf("prepare PostgreSQL: initdb: %w: %s", err, out)
	}
	return p, nil
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
