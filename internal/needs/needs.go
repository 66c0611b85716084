// Package needs is for tests that need more than Go: a program, an engine, a
// right. Its law: what is missing never looks like what passed. A developer's
// machine skips such a test and says so; where CI is true, it fails.
package needs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// ErrMissing is for what has to be installed or built before.
var ErrMissing = errors.New("something is missing that has to be installed or built first")

// Check ends a test with an error, as Missing does where the error is ErrMissing.
func Check(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, ErrMissing) {
		Missing(t, "%v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Program finds a program. Without it the test ends here; remedy tells what to
// install.
func Program(t testing.TB, name, remedy string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "%s is missing: %s", name, remedy)
	}
	return path
}

// Missing ends a test that cannot be held here.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	what := fmt.Sprintf(format, args...)
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip("SKIPPED, so nothing is proved: " + what)
}
