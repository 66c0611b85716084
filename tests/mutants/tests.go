package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// patience is what the tests of a mutant may take beyond three times what they
// take without it: a mutant that hangs is caught.
const patience = 20 * time.Second

// test is a test of a package; its name may be that of a subtest.
type test struct{ pkg, name string }

// parseTest reads what String makes: the package of the module itself is ".".
func parseTest(text string) test {
	pkg, name, _ := strings.Cut(text, " ")
	return test{pkg: strings.TrimPrefix(pkg, "."), name: name}
}

func (t test) String() string {
	if t.pkg == "" {
		return ". " + t.name
	}
	return t.pkg + " " + t.name
}

// baseline is how long tests take on the code as it is, on which they pass.
type baseline struct {
	all   time.Duration
	tests map[string]time.Duration
}

var ended = regexp.MustCompile(`(?m)^ *--- (?:PASS|SKIP): (\S+) \(([0-9.]+)s\)`)

// baseline runs tests of a package, or all of them, on the code as it is: a test
// that fails there notices nothing.
func (t *trial) baseline(ctx context.Context, pkg string, tests []string) (*baseline, error) {
	t.mu.Lock()
	key := pkg + " " + strings.Join(tests, " ")
	measure := t.baselines[key]
	if measure == nil {
		measure = sync.OnceValues(func() (*baseline, error) {
			binary, err := t.build(ctx, "", pkg)
			if err != nil {
				return nil, err
			}
			defer func() { _ = os.Remove(binary) }()
			began := time.Now()
			out, err := runTests(ctx, binary, "", pkg, tests, 30*time.Minute)
			if err != nil {
				return nil, fmt.Errorf("without it %w: %s", err, tail(out))
			}
			b := &baseline{all: time.Since(began), tests: make(map[string]time.Duration)}
			for _, m := range ended.FindAllSubmatch(out, -1) {
				b.tests[string(m[1])], _ = time.ParseDuration(string(m[2]) + "s") // as it is matched
			}
			return b, nil
		})
		t.baselines[key] = measure
	}
	t.mu.Unlock()
	return measure()
}

// build makes the program that runs the tests of a package.
func (t *trial) build(ctx context.Context, overlay, pkg string) (string, error) {
	f, err := os.CreateTemp(t.dir, "*.test")
	if err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	// Nobody debugs it, and so it is linked in half the time.
	args := []string{"test", "-c", "-vet", "off", "-ldflags", "-s -w", "-o", f.Name()}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+pkg)...) //nolint:gosec // names of our own packages
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the tests of %s: %w\n%s", pkg, err, out)
	}
	return f.Name(), nil
}

// runTests runs tests of a package, or all of them, as the go command would. What
// they build by themselves has the mutant in it as well.
func runTests(ctx context.Context, binary, overlay, pkg string, tests []string, timeout time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout+patience)
	defer cancel()
	args := []string{"-test.v", "-test.failfast", "-test.timeout", timeout.String()}
	if tests != nil {
		args = append(args, "-test.run", patternOf(tests))
	}
	cmd := exec.CommandContext(ctx, binary, args...) //nolint:gosec // was just built
	cmd.Dir = filepath.Join("..", filepath.FromSlash(pkg))
	cmd.Env = append(os.Environ(), "SVC_TEST_LONG=")
	if overlay != "" {
		cmd.Env = append(cmd.Env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	}
	cmd.WaitDelay = 10 * time.Second // for children of a test that was killed
	return cmd.CombinedOutput()
}

// patternOf matches tests, and subtests, by their names.
func patternOf(tests []string) string {
	patterns := make([]string, len(tests))
	for i, name := range tests {
		parts := strings.Split(name, "/")
		for j := range parts {
			parts[j] = "^" + regexp.QuoteMeta(parts[j]) + "$"
		}
		patterns[i] = strings.Join(parts, "/")
	}
	return strings.Join(patterns, "|")
}

var (
	failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)
	hung   = regexp.MustCompile(`(?m)^\s*running tests:\n\s*(\w+)`)
	begun  = regexp.MustCompile(`(?m)^=== RUN +(\w+)$`)
)

// failedTest is the test that failed, hung, or ran when the program ended.
func failedTest(out []byte) string {
	for _, sign := range []*regexp.Regexp{failed, hung} {
		if m := sign.FindSubmatch(out); m != nil {
			return string(m[1])
		}
	}
	passed := make(map[string]bool)
	for _, m := range ended.FindAllSubmatch(out, -1) {
		passed[string(m[1])] = true
	}
	last := ""
	for _, m := range begun.FindAllSubmatch(out, -1) {
		if name := string(m[1]); !passed[name] {
			last = name
		}
	}
	return last
}

// tail is the end of what tests said.
func tail(out []byte) string {
	const most = 2000
	if len(out) > most {
		out = out[len(out)-most:]
	}
	return strings.TrimSpace(string(out))
}
