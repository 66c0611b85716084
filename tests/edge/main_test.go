// Package edge attacks a server from outside, as a process of its own and behind
// real proxies: what is too long, or needs too many programs, for every change.
package edge

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

// asEngine is the argument that makes this test binary an engine: it writes as many
// megabytes as the prompt says, in tokens of one kibibyte.
const asEngine = "-as-engine"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asEngine {
		if err := engine(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func engine() error {
	var request struct {
		Prompt string `json:"prompt"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		return err
	}
	var megabytes int
	if _, err := fmt.Sscan(request.Prompt, &megabytes); err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	delta := strings.Repeat("0123456789abcde\n", 1<<6)
	for file := range megabytes {
		for range 1 << 10 {
			if _, err := fmt.Fprintf(out, `{"type":"token","file":"f%d.txt","delta":%q}`+"\n", file, delta); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// start runs a server of its own for a test.
func start(t *testing.T, flags ...string) *harness.Server {
	t.Helper()
	dir := t.TempDir()
	program, err := harness.Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	flags = append([]string{"--engine", "exec", "--engine-command", self + " " + asEngine}, flags...)
	d, err := harness.Start(context.WithoutCancel(t.Context()), program, filepath.Join(dir, "data"), flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Stop(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// must gives a value that cannot be had without an error ending the test.
