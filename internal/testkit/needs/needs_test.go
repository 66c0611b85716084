package needs_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// played makes the test binary hold a test whose program is missing.
const played = "NEEDS_PLAYED"

func TestSomethingIsMissing(t *testing.T) {
	if os.Getenv(played) == "" {
		t.Skip("only played by the other tests")
	}
	needs.Program(t, "no-such-program", "write it")
	t.Fatal("the test went on without its program")
}

func TestWhatIsMissingNeverLooksLikeWhatPassed(t *testing.T) {
	for ci, want := range map[string]string{"true": "--- FAIL", "": "--- SKIP"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run", "^TestSomethingIsMissing$")
		cmd.Env = append(os.Environ(), played+"=1", "CI="+ci)
		out, err := cmd.CombinedOutput()
		if !strings.Contains(string(out), want) || !strings.Contains(string(out), "no-such-program is missing: write it") {
			t.Errorf("with CI=%q: %v\n%s", ci, err, out)
		}
	}
}

func TestAProgramIsFound(t *testing.T) {
	if path := needs.Program(t, "go", "install Go"); path == "" {
		t.Error("no path")
	}
}
