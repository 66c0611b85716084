package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/cluster"
)

// A real service rotates its key as fast as it can while a real client pulls what it
// has just made.
// Promise: pull-during-rotation
func TestPullsGoOnWhileKeysAreRotated(t *testing.T) {
	service := cluster.ServiceForTest(t)
	t.Setenv("TMPDIR", t.TempDir())
	files := t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "first.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tenant, err := service.Tenant(t.Context(), "ada@example.com", files)
	if err != nil {
		t.Fatal(err)
	}
	done, rotations := make(chan struct{}), 0
	var rotating sync.WaitGroup
	rotating.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if _, err := service.Admin(t.Context(), "signing-key", "rotate"); err != nil {
				t.Error(err)
				return
			}
			rotations++
		}
	})
	env := map[string]string{
		"SVC_API_URL": service.Base, "SVC_TOKEN": tenant.Key, "HOME": t.TempDir(), "SVC_CA_FILE": filepath.Join(service.Data, "tls", "ca.pem"),
	}
	for n := range 4 {
		if err := os.WriteFile(filepath.Join(files, "a.txt"), []byte(strings.Repeat("x", n+1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := service.Admin(t.Context(), "project", "import", files, "--account", "ada@example.com", "--project", tenant.ProjectID); err != nil {
			t.Fatal(err)
		}
		t.Chdir(t.TempDir())
		var out, errs bytes.Buffer
		code := Main(context.Background(), []string{"pull", "--latest"}, Streams{
			In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(name string) string { return env[name] },
		})
		if code != exitOK {
			t.Fatalf("pull %d: exit %d: %s", n, code, errs.String())
		}
	}
	close(done)
	rotating.Wait()
	t.Logf("%d rotations during 4 pulls", rotations)
	if rotations == 0 {
		t.Error("nothing was rotated")
	}
}
