//go:build unix

package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// poolerPort is the port in the name of the pooler's socket, which lies beside
// the server's.
const poolerPort = "6432"

const poolerSettings = `[databases]
* = host=%[1]s
[pgbouncer]
pool_mode = transaction
default_pool_size = 4
max_client_conn = 500
server_idle_timeout = 1
listen_addr =
listen_port = %[2]s
unix_socket_dir = %[1]s
auth_type = trust
auth_file = %[1]s/users
logfile = %[1]s/pooler.log
`

// Pooler starts a pgbouncer before the cluster that hands out connections by
// transaction, and gives the part of addresses that leads through it. Without
// pgbouncer the test is skipped, or with CI=true fails.
func (c *Cluster) Pooler(t testing.TB) (setting string) {
	t.Helper()
	program, err := exec.LookPath("/usr/sbin/pgbouncer") // it is not in everybody's path
	if err != nil {
		program = needs.Program(t, "pgbouncer", "install the Debian package pgbouncer")
	}
	ini := filepath.Join(c.dir, "pooler.ini")
	for path, text := range map[string]string{
		ini:                           fmt.Sprintf(poolerSettings, c.dir, poolerPort),
		filepath.Join(c.dir, "users"): `"svc" ""` + "\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	as, err := unprivileged(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	pooler := &harness.Process{
		Name: "pgbouncer", LogFile: filepath.Join(c.dir, "pooler.out"),
		Command: func() *exec.Cmd {
			cmd := exec.Command(program, "--quiet", ini)
			cmd.Dir, cmd.SysProcAttr = c.dir, &syscall.SysProcAttr{Credential: as}
			return cmd
		},
		Ready: harness.Listening("unix", filepath.Join(c.dir, ".s.PGSQL."+poolerPort)),
	}
	pooler.ForTest(t)
	return "&port=" + poolerPort
}
