//go:build unix

package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/store/postgres"
	"github.com/bundle-delivery/svc/internal/store/s3blob"
	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/faultproxy"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/smalldisk"
	"github.com/bundle-delivery/svc/tests/torture/checker"
)

const (
	// tenantsOfTestbed is as many as keep the load below the limits most of the time.
	tenantsOfTestbed = 160
	// testbedTTL is so short that bundles expire during the test.
	testbedTTL = 45 * time.Second
	// readyAgain is how long everything may take to be ready after a fault.
	readyAgain = 3 * time.Minute
)

// testbed is a cluster in which something stands on every way from a process to an
// engine, and a checker that works on it.
type testbed struct {
	*cluster.Cluster
	dir     string
	disks   *smalldisk.Set // nil where there can be none
	noDisks error          // why there can be none
	ways    []ways         // of each process
	checker *checker.Checker
	working sync.WaitGroup
	stop    context.CancelFunc
}

// ways lead from one process to the engines.
type ways struct {
	postgres, s3 *faultproxy.Proxy
	nats         []*faultproxy.Proxy
}

func (w ways) all() []*faultproxy.Proxy {
	return append([]*faultproxy.Proxy{w.postgres, w.s3}, w.nats...)
}

func newTestbed(t *testing.T) *testbed {
	t.Helper()
	r := &testbed{dir: t.TempDir()}
	engine := newCountedEngine(t)
	engines := r.startEngines(t)
	t.Cleanup(func() { r.closeWays(t) })
	r.Cluster = cluster.ForTest(t, cluster.Config{
		Dir: r.dir, Program: binary, Engines: engines,
		Flags: []string{
			"--engine", "exec", "--engine-command", engine.command, "--workers", "6", "--queue-depth", "10000", "--queue-share", "10000",
			"--bundle-ttl", testbedTTL.String(), "--cleanup-interval", "2s",
		},
		Route: func(_ int, own cluster.Addresses) (cluster.Addresses, error) { return r.route(t.Context(), own) },
	})
	for _, variable := range r.Environment { // the keys of the bucket
		if name, text, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, text)
		}
	}
	tenants := r.populate(t)
	r.checker = checker.New(t.Context(), checker.Config{
		Base: r.Base, Client: r.Client, Tenants: tenants, BundleTTL: testbedTTL,
		Clients: 16, RunsEvery: 700 * time.Millisecond, Seed: *seed,
		Asked: engine.asked,
	})
	return r
}

// startEngines starts the engines on small disks, where there can be any.
func (r *testbed) startEngines(t *testing.T) *cluster.Engines {
	t.Helper()
	r.disks = smalldisk.NewSet(map[string]int64{
		"postgresql": 512 << 20, "s3": 512 << 20, "nats1": 256 << 20, "nats2": 256 << 20, "nats3": 256 << 20,
	})
	ctx := context.WithoutCancel(t.Context())
	probe := t.TempDir()
	if disk, err := smalldisk.Mount(probe, 1<<20); err != nil {
		r.disks, r.noDisks = nil, err
	} else {
		must.Do(t, disk.Unmount())
	}
	engines, err := cluster.StartEnginesOn(ctx, r.dir, r.disks)
	needs.Check(t, err)
	t.Cleanup(func() { must.Do(t, engines.Stop()) })
	return engines
}

// route puts a proxy on every way of a process.
func (r *testbed) route(ctx context.Context, own cluster.Addresses) (through cluster.Addresses, err error) {
	var w ways
	if w.postgres, err = faultproxy.Listen(ctx, "tcp", own.PostgreSQL); err != nil {
		return through, err
	}
	if w.s3, err = faultproxy.Listen(ctx, "tcp", own.S3); err != nil {
		return through, err
	}
	through.PostgreSQL, through.S3 = w.postgres.Address(), w.s3.Address()
	for _, address := range own.NATS {
		p, err := faultproxy.Listen(ctx, "tcp", address)
		if err != nil {
			return through, err
		}
		w.nats = append(w.nats, p)
		through.NATS = append(through.NATS, p.Address())
	}
	r.ways = append(r.ways, w)
	return through, nil
}

func (r *testbed) closeWays(t *testing.T) {
	for _, w := range r.ways {
		for _, p := range w.all() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// open opens records and bytes beside the service.
func (r *testbed) open(t *testing.T, options ...postgres.Option) (*postgres.Store, *s3blob.Store) {
	t.Helper()
	store, err := postgres.Open(t.Context(), r.Tenant.DatabaseURL(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	blobs, err := s3blob.Open(t.Context(), r.Tenant.BlobURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := blobs.Close(); err != nil {
			t.Error(err)
		}
	})
	return store, blobs
}

func (r *testbed) populate(t *testing.T) []checker.Tenant {
	t.Helper()
	tree := sampleTree(t)
	store, blobs := r.open(t)
	tenants, err := checker.Populate(t.Context(), store, blobs, tenantsOfTestbed, tree, testbedTTL)
	if err != nil {
		t.Fatal(err)
	}
	return tenants
}

// begin lets the checker work.
func (r *testbed) begin(t *testing.T) {
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	r.stop = stop
	r.working.Go(func() { r.checker.Work(ctx) })
}

// mended waits until every process and every engine serves again.
func (r *testbed) mended(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), readyAgain)
	defer cancel()
	for _, p := range r.Engines.All() {
		if err := p.AwaitReady(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range r.Servers {
		if err := s.AwaitReady(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// shown waits until a process tells of a fault in its metrics.
func (r *testbed) shown(t *testing.T, line string) {
	t.Helper()
	for end := time.Now().Add(readyAgain); line != ""; pause(t, time.Second) {
		for _, s := range r.Servers {
			var text strings.Builder
			if _, err := (&harness.Service{Base: s.Metrics, Client: http.DefaultClient}).Do(t.Context(), "", http.MethodGet, "/metrics", &text); err != nil {
				t.Error(err)
			}
			if strings.Contains(text.String(), "\n"+line+"\n") {
				return
			}
		}
		if time.Now().After(end) {
			t.Errorf("no process shows %s", line)
			return
		}
	}
}

// end lets the checker come to its judgement.
func (r *testbed) end(t *testing.T) {
	t.Helper()
	r.stop()
	r.working.Wait()
	r.checker.Settle(allEnd)
	for _, s := range r.Servers {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}
	store, blobs := r.open(t, postgres.WithClock(func() time.Time { return time.Now().Add(6 * time.Hour) }))
	if err := r.checker.Inspect(t.Context(), store, blobs, r.blobs); err != nil {
		t.Error(err)
	}
	for _, problem := range r.checker.Problems() {
		t.Error(problem)
	}
	t.Logf("what was answered, phase by phase:\n%s", r.checker.Summary())
	t.Logf("what became of the runs, fault by fault:\n%s", r.checker.RunTable())
	for _, s := range r.Servers {
		if t.Failed() {
			t.Logf("what went wrong in %s:\n%s", s.Name, wrong(s.LogFile, r.checker.Problems()...))
		}
	}
}

var runID = regexp.MustCompile(`gen_[0-9a-z]+`)

// wrong gives all that a log says of the runs of some problems, and its last lines that
// are no news.
func wrong(file string, problems ...string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	runs := runID.FindAllString(strings.Join(problems, "\n"), -1)
	var story, lines []string
	for line := range strings.Lines(string(text)) {
		if slices.ContainsFunc(runs, func(id string) bool { return strings.Contains(line, id) }) {
			story = append(story, line)
		} else if !strings.Contains(line, `"level":"INFO"`) {
			lines = append(lines, line)
		}
	}
	const enough = 60
	return strings.Join(story, "") + "...\n" + strings.Join(lines[max(0, len(lines)-enough):], "")
}

// blobs lists the keys of what lies in the bucket: this S3 keeps objects as
// files, named after their keys with exclamation marks for slashes.
func (r *testbed) blobs() (keys []string, err error) {
	address, err := url.Parse(r.Tenant.BlobURL())
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(filepath.Join(r.dir, "s3", address.Host))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.Type().IsRegular() {
			keys = append(keys, strings.ReplaceAll(f.Name(), "!", "/"))
		}
	}
	return keys, nil
}

// sampleTree is a folder for projects.
func sampleTree(t *testing.T) string {
	t.Helper()
	tree := t.TempDir()
	// Large enough to be cut, and nothing that compression could make small.
	noise, source := make([]byte, 200<<10), rand.NewChaCha8([32]byte{1})
	_, _ = source.Read(noise) // never fails
	must.Do(t, os.WriteFile(filepath.Join(tree, "noise.bin"), noise, 0o600))
	for i := range 12 {
		text := strings.Repeat(fmt.Sprintf("line of file %d, number %x\n", i, i*7919), 400)
		if err := os.WriteFile(filepath.Join(tree, fmt.Sprintf("file%d.txt", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

// buildEngine makes the engine of the runs.
func buildEngine(t *testing.T) string {
	t.Helper()
	engine := filepath.Join(t.TempDir(), "randomengine")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", engine, "../randomengine").CombinedOutput(); err != nil {
		t.Fatalf("build the engine: %v: %s", err, out)
	}
	return engine
}

// countedEngine is the engine of the runs, which notes how often it is asked.
type countedEngine struct{ command, notes string }

func newCountedEngine(t *testing.T) countedEngine {
	t.Helper()
	e := countedEngine{notes: t.TempDir()}
	e.command = fmt.Sprintf("'%s' '%s'", buildEngine(t), e.notes)
	return e
}

// asked says how often it was asked for the task of a seed.
func (e countedEngine) asked(seed uint64) (int, error) {
	found, err := filepath.Glob(filepath.Join(e.notes, fmt.Sprintf("%d-*", seed)))
	return len(found), err
}
