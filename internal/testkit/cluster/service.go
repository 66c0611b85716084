package cluster

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

// Variable is set by `make test-long`: end-to-end tests then use a cluster
// instead of one process with everything embedded.
const Variable = "SVC_TEST_CLUSTER"

// Wanted says whether end-to-end tests should use a cluster.
func Wanted() bool { return os.Getenv(Variable) != "" }

// ServiceForTest starts the service that end-to-end tests run against, with these
// flags. It ends with the test, which need not know what it has got.
func ServiceForTest(t testing.TB, flags ...string) *harness.Service {
	t.Helper()
	dir := t.TempDir()
	program, err := harness.Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := forTest(t, program, flags); ok {
		return s
	}
	// The test's own context is done before its cleanup runs.
	daemon, err := harness.Start(context.WithoutCancel(t.Context()), program, filepath.Join(dir, "data"), flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := daemon.Stop(); err != nil {
			t.Error(err)
		}
	})
	return &daemon.Service
}
