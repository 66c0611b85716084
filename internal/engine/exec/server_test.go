//go:build unix

package exec

import (
	"io"
	"os"
	"os/exec"
	"testing"
)

// serverProcess runs this test binary as a server that can be killed.
func serverProcess(t *testing.T, how string) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperServer$", "-test.v", "be-the-server", how)
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}
