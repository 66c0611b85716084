// Package mcp lets programs of others use the server for agents, svc mcp: the inspector of
// the protocol's authors, and a coding agent.
package mcp

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
	"github.com/bundle-delivery/svc/tests/npm"
)

// stage is a folder in which svc mcp can be started, and a service with a bundle.
type stage struct {
	modules  string // node_modules
	programs string // where svc and svc-mcp are
	dir      string
	env      []string
	tenant   harness.Tenant
}

func newStage(t *testing.T) stage {
	t.Helper()
	needs.Program(t, "npm", "install the Debian package npm")
	modules, err := npm.Install(t.Context(), "testdata")
	if err != nil {
		t.Fatal(err)
	}
	root, err := toolbox.Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := stage{modules: filepath.Join(modules, "node_modules"), programs: t.TempDir(), dir: t.TempDir()}
	for name, tags := range map[string]string{"svc": "", "svc-mcp": "mcp"} {
		cmd := exec.CommandContext(t.Context(), "go", "build", "-tags", tags, "-o", filepath.Join(s.programs, name), "./cmd/svc")
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v: %s", name, err, out)
		}
	}
	program, err := harness.Build(t.Context(), s.programs)
	if err != nil {
		t.Fatal(err)
	}
	server, err := harness.Start(context.WithoutCancel(t.Context()), program, filepath.Join(t.TempDir(), "data"), "--engine", "template")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	tree := t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "hello.txt"), []byte("delivered\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s.tenant, err = server.Tenant(t.Context(), "agent@example.com", tree); err != nil {
		t.Fatal(err)
	}
	s.env = append(os.Environ(), "PWD="+s.dir, "HOME="+t.TempDir(), // some ask the variable where they are
		"SVC_TOKEN="+s.tenant.Key, "SVC_API_URL="+server.Base,
		"SVC_CA_FILE="+filepath.Join(server.Data, "tls", "ca.pem"), "PATH="+s.programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return s
}

// file reads a file of the folder, or gives "-" if there is none.
func (s stage) file(name string) string {
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		return "-"
	}
	return string(text)
}

// tellsKey says whether a text has the secret of the key in it.
func (s stage) tellsKey(text string) bool {
	return strings.Contains(text, s.tenant.Key[strings.LastIndexByte(s.tenant.Key, '_')+1:])
}
