// Long runs the tests that are too long for every change: campaigns of kills and
// faults, clusters, galleries of screenshots, evaluations, mutants. `make test-long`
// runs all of them, and a failure does not keep the others from running. The
// environment chooses:
//
//	ONLY=cluster        those whose name has this in it (a regular expression)
//	SAMPLE=8 SEED=42    as many as fit into eight minutes, chosen by the seed;
//	                    never those that no seed repeats: fuzzing, the race detector
//	KILLS=500 FAULTS=10 how often the server is killed, and every fault comes
//	OUTAGE=60s          how long records, bytes and events are out of reach
//	LIST=1              prints what would run
//
// The table has a name, minutes on two quiet cores, a lane and a command for each.
// Tests in the lane "waiting" run beside those in the lane "working", and their
// output comes at the end. All run with CI=true, so that a missing program is a
// failure: nothing passes by being skipped. What `make test` has run is not run
// again as it was: on a cluster and with the race detector it runs without the
// long tests.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "long:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	s, err := readSettings(os.Getenv, time.Now())
	if err != nil {
		return err
	}
	chosen, err := choose(s)
	if err != nil {
		return err
	}
	if s.list {
		for _, t := range chosen {
			fmt.Printf("%-15s %2d %s %s\n", t.name, t.minutes, t.lane, t.line())
		}
		return nil
	}
	tools := command(ctx, nil, "scripts/ensure-tools.sh", "long")
	tools.Stdout, tools.Stderr = os.Stdout, os.Stderr
	if err := tools.Run(); err != nil {
		return fmt.Errorf("install the tools: %w", err)
	}
	fmt.Printf("seed %s (SEED=%[1]s repeats the choices)\n", s.seed)
	began := time.Now()
	results := runLanes(ctx, chosen, os.Stdout, os.Stderr)
	fmt.Printf("== all took %.0f s (seed %s):\n", time.Since(began).Seconds(), s.seed)
	slices.SortFunc(results, func(a, b result) int { return cmp.Compare(b.took, a.took) })
	for _, r := range results {
		fmt.Println(r)
	}
	return verdict(chosen, results)
}

// result is how a test ended.
type result struct {
	name   string
	took   time.Duration
	passed bool
}

func (r result) String() string {
	ended := "FAILED"
	if r.passed {
		ended = "passed"
	}
	return fmt.Sprintf("%5.0f s  %s  %s", r.took.Seconds(), ended, r.name)
}

// verdict is an error unless every chosen test has passed. One without a result has
// not passed either.
func verdict(chosen []test, results []result) error {
	var failed []string
	for _, t := range chosen {
		if !slices.ContainsFunc(results, func(r result) bool { return r.name == t.name && r.passed }) {
			failed = append(failed, t.name)
		}
	}
	if len(failed) > 0 {
		return errors.New("FAILED: " + strings.Join(failed, ", "))
	}
	return nil
}

// runLanes runs both lanes at a time and returns how each test ended.
func runLanes(ctx context.Context, chosen []test, stdout, stderr *os.File) (results []result) {
	var (
		mu     sync.Mutex
		waited bytes.Buffer
		lanes  sync.WaitGroup
	)
	note := func(r result) {
		mu.Lock()
		defer mu.Unlock()
		results = append(results, r)
		_, _ = fmt.Fprintln(stdout, r) // the result counts, not that it is shown
	}
	lanes.Go(func() { runLane(ctx, waiting, chosen, &waited, &waited, note) })
	runLane(ctx, working, chosen, stdout, stderr, note)
	lanes.Wait()
	_, _ = stdout.Write(waited.Bytes()) // as above
	return results
}

// runLane runs the tests of one lane, one after the other.
func runLane(ctx context.Context, of lane, chosen []test, stdout, stderr io.Writer, note func(result)) {
	for _, t := range chosen {
		if t.lane != of || ctx.Err() != nil {
			continue
		}
		_, _ = fmt.Fprintf(stdout, "== %s, about %d minutes: %s\n", t.name, t.minutes, t.line()) // only shown
		began := time.Now()
		cmd := command(ctx, t.env, t.argv()...)
		cmd.Stdout, cmd.Stderr = stdout, stderr
		err := cmd.Run()
		if err != nil {
			_, _ = fmt.Fprintf(stderr, "%s: %v\n", t.name, err) // the result tells it too
		}
		note(result{name: t.name, took: time.Since(began), passed: err == nil})
	}
}

// command is a program that runs in the repository's folder, in a process group of
// its own: what ends this program ends whatever it started.
func command(ctx context.Context, env []string, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // of the table
	cmd.Dir = ".."
	cmd.Env = slices.Concat(os.Environ(), []string{"CI=true", "SVC_TEST_LONG=1"}, env)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}
