package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

// env is where a benchmark runs: a temporary folder, the built server, and what
// has to be ended when the benchmark is over.
type env struct {
	dir     string
	rounds  int
	streams int // runs that are live at once
	binary  string
	ends    []func() error
}

// failure ends a benchmark as t.Fatal ends a test: after an error nothing that it
// could measure would mean anything.
type failure struct{ error }

func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

// hold runs a benchmark, ends what it has started, and gives what went wrong.
func (e *env) hold(ctx context.Context, b benchmark) (s section, err error) {
	defer func() {
		for _, end := range slices.Backward(e.ends) {
			err = errors.Join(err, end())
		}
		e.ends = nil
	}()
	err = guard(func() { s = b.run(ctx, e) })
	return s, err
}

// guard gives the failure that ends fn.
func guard(fn func()) (err error) {
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case failure:
			err = ended.error
		default:
			panic(ended)
		}
	}()
	fn()
	return nil
}

// later ends something when the benchmark is over.
func (e *env) later(end func() error) { e.ends = append(e.ends, end) }

// inRounds measures as often as is wanted. What is kept in the first round does
// not count: it warms both sides up.
func (e *env) inRounds(measure func(round int, keep func(s *sample, value float64))) {
	for round := range e.rounds + 1 {
		measure(round, func(s *sample, value float64) {
			if round > 0 {
				*s = append(*s, value)
			}
		})
	}
}

// folder makes an empty folder.
func (e *env) folder(name string) string {
	path := filepath.Join(e.dir, name)
	check(os.MkdirAll(path, 0o750))
	return path
}

// server runs the service on a folder of the benchmark.
func (e *env) server(ctx context.Context, name string, flags ...string) daemon {
	if e.binary == "" { // once
		e.binary = must(harness.Build(ctx, e.dir))
	}
	d := must(harness.Start(ctx, e.binary, filepath.Join(e.dir, name), flags...))
	e.later(d.Stop)
	return daemon{d}
}

// build builds a program as it is shipped: static and stripped.
func (e *env) build(ctx context.Context, name, source string) string {
	path := filepath.Join(e.dir, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, source)
	cmd.Dir = must(toolbox.Root(ctx))
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		check(fmt.Errorf("build %s: %w: %s", name, err, out))
	}
	return path
}

// daemon adds to a running server what measuring needs.
type daemon struct{ *harness.Server }

// tenant makes an account with a bundle of a folder.
func tenant(ctx context.Context, s *harness.Service, name, tree string) harness.Tenant {
	return must(s.Tenant(ctx, name+"@example.com", tree))
}

// clientOf is the Go client of a tenant.
func clientOf(s *harness.Service, key string) *client.Client {
	return must(client.New(client.Options{BaseURL: s.Base, APIKey: key, Transport: s.Client.Transport}))
}

// expect sends a request as a tenant and insists on a status.
func (d daemon) expect(ctx context.Context, t harness.Tenant, method, path string, want int, sink io.Writer) error {
	got, err := d.Do(ctx, t.Key, method, path, sink)
	if err == nil && got != want {
		err = fmt.Errorf("%s %s answered %d", method, path, got)
	}
	return err
}

// save downloads the tenant's first bundle to a file.
func (d daemon) save(ctx context.Context, t harness.Tenant, path string) {
	f := must(os.Create(filepath.Clean(path)))
	err := d.expect(ctx, t, http.MethodGet, "/bundles/"+t.BundleID+"/download", http.StatusOK, f)
	check(errors.Join(err, f.Close()))
}

// memory reads a line of the server's status in bytes: VmRSS now, VmHWM at its peak.
func (d daemon) memory(line string) float64 { return must(memory(d.PID(), line)) }

// memory reads a line of /proc/PID/status in bytes; one that has ended has none.
func memory(pid int, line string) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for text := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(text, line+":"); ok {
			kilobytes, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return 1024 * kilobytes, err
		}
	}
	return 0, fmt.Errorf("no %s in the process status", line)
}

// resetPeak makes VmHWM count from now.
func (d daemon) resetPeak() {
	check(os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", d.PID()), []byte("5"), 0o200))
}

// tree makes a folder with text in files of equal size. The words come from a
// fixed seed, so that every run compresses the same bytes.
func (e *env) tree(name string, files, bytesInAll int) string {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 2000)
	for i := range words {
		word := make([]byte, 3+random.IntN(9))
		for j := range word {
			word[j] = byte('a' + random.IntN(26))
		}
		words[i] = string(word)
	}
	each := bytesInAll / files
	for i := range files {
		var text bytes.Buffer
		for text.Len() < each {
			// Few words are common and many are rare, as in real text.
			often := random.Float64()
			text.WriteString(words[int(often*often*often*float64(len(words)))])
			if random.IntN(12) == 0 {
				text.WriteByte('\n')
			} else {
				text.WriteByte(' ')
			}
		}
		text.Truncate(each)
		dir := e.folder(filepath.Join(name, fmt.Sprintf("pkg%02d", i%25)))
		check(os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%03d.txt", i)), text.Bytes(), 0o600))
	}
	return filepath.Join(e.dir, name)
}
