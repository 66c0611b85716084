// Package needs ends tests that cannot or need not be held here: what needs more
// than Go (a program, an engine, a right), and what takes too long for every
// change. Its law: what was not held never looks like what passed. A developer's
// machine skips a test without its program and says so; where CI is true, it
// fails. What is long is named at the end of `make test` and run by
// `make test-long`.
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

// Long ends a test that takes too long for every change, unless SVC_TEST_LONG is
// set, as by `make test-long`. It stands in the test itself, with what is left
// out: a test checks that the table in tests/long has it.
func Long(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("SVC_TEST_LONG") == "" {
		t.Skip("LEFT OUT, for it is long (make test-long): " + what)
	}
}
