package checker_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/tests/torture/checker"
)

// testify lets a checker work on a service for a while.
func testify(t *testing.T, lie string, long time.Duration, expected ...string) []string {
	t.Helper()
	server := newLiar(t, lie)
	w := checker.New(t.Context(), checker.Config{
		Base: server.URL, Client: server.Client(), BundleTTL: time.Hour, Clients: 16, RunsEvery: 100 * time.Millisecond, Seed: 3,
		Tenants: []checker.Tenant{{AccountID: "ada", Key: "ada", ProjectID: "proj", BundleID: "first", MadeAt: time.Now()}},
		Asked: func(uint64) (int, error) {
			if lie == "prices" {
				return 2, nil
			}
			return 1, nil
		},
	})
	w.Phase("the test", expected...)
	working, stop := context.WithTimeout(t.Context(), long)
	defer stop()
	w.Work(working)
	w.Settle(3 * time.Minute)
	return w.Problems()
}

// moment is how long a checker works where that is enough.
const moment = 1500 * time.Millisecond

func TestATruthfulServiceIsNotBlamed(t *testing.T) {
	t.Parallel()
	if problems := testify(t, "", moment); len(problems) > 0 {
		t.Errorf("%q", problems)
	}
}

// TestARunThatWaitedForAWorkerIsNoFault: its first one never heard of it.
func TestARunThatWaitedForAWorkerIsNoFault(t *testing.T) {
	t.Parallel()
	if problems := testify(t, late, moment); len(problems) > 0 {
		t.Errorf("%q", problems)
	}
}

func TestAFailureThatIsExpectedIsNoFault(t *testing.T) {
	t.Parallel()
	for _, problem := range testify(t, "failures", moment, checker.Unavailable) {
		if strings.Contains(problem, "503") {
			t.Error(problem)
		}
	}
}

// Promise: bundle-survives-faults
func TestALieIsNoticed(t *testing.T) {
	t.Parallel()
	for lie, want := range map[string]string{
		"acknowledgements": "is there again",
		"bytes":            "the archive of",
		"deletions":        "is there again",
		"downloads":        "is there again: its archive can be downloaded",
		"endings":          "comes after the terminal one",
		"failures":         "failed with 503 UNAVAILABLE",
		"files":            "-told +bundle",
		"gaps":             "follows on",
		"keys":             "was answered",
		"limits":           "requests of ada were admitted within",
		"losses":           "of what was announced",
		"prices":           "failed with run begun anew",
		"records":          "its record is",
		"refusals":         "is refused with fewer than",
		"surplus":          "of nobody's asking",
		"times":            "was acknowledged at",
	} {
		t.Run(lie, func(t *testing.T) {
			t.Parallel()
			// A busy machine shows a checker less in the same time.
			var problems []string
			for long := moment; long < time.Minute; long *= 4 {
				if problems = testify(t, lie, long); strings.Contains(strings.Join(problems, "\n"), want) {
					return
				}
			}
			t.Errorf("nobody says %q: %q", want, problems)
		})
	}
}
