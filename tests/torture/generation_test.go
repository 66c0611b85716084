package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/tests/viewer"
)

const (
	// runsAtKill are started between two kills, watchersOf look at each of them.
	runsAtKill = 3
	watchersOf = 2
	// runsOfAccount stays below the downloads that an account has in a minute:
	// at the end every bundle is downloaded.
	runsOfAccount = 8
	// allEnd is how long the last runs may take: those that were lost wait for
	// their leases, perhaps several times.
	allEnd = 8 * time.Minute
	// stall is longer than a lease, which is ten seconds.
	stall = 11 * time.Second
	// lastBreath is how long engines may outlive their server.
	lastBreath = time.Minute
)

// TestKilledServerEndsEveryRun kills the server again and again in the middle of
// runs, while clients start and watch them. Every run must end, and once: with
// events without a gap, and with stream, bundle and record that agree.
// Promise: run-survives-kill
func TestKilledServerEndsEveryRun(t *testing.T) {
	random := rand.New(rand.NewPCG(*seed, 3))
	t.Logf("seed %d, %d kills", *seed, *kills)
	c := newCampaign(t, *kills*runsAtKill)
	for kill := range *kills {
		d := c.start(t)
		for range runsAtKill {
			c.begin(t, random)
		}
		// Some are killed as soon as they serve, others in the middle of work.
		pause(t, time.Duration(random.IntN(1200))*time.Millisecond)
		c.replace(nil)
		if err := d.Kill(); err != nil {
			t.Fatalf("kill %d: %v", kill+1, err)
		}
	}
	c.finish(t)
}

// TestStalledServerEndsEveryRun stops the process for longer than a lease, and
// meanwhile its runs are taken from it. When it goes on, its workers do not know
// that yet: what they say is void, no outcome of theirs becomes true, and every
// run ends with what a later worker made of it.
// Promise: run-survives-kill
func TestStalledServerEndsEveryRun(t *testing.T) {
	needs.Long(t, "a server that is stopped for longer than a lease")
	random := rand.New(rand.NewPCG(*seed, 4))
	t.Logf("seed %d", *seed)
	c := newCampaign(t, 2*runsAtKill)
	c.pieces = 150 // no run is over before the stall
	d := c.start(t)
	for range 2 * runsAtKill {
		c.begin(t, random)
	}
	var taken []string
	for try := 0; len(taken) == 0 && try < 3; try++ {
		pause(t, 700*time.Millisecond)
		signal(t, d, syscall.SIGSTOP)
		pause(t, stall)
		taken = c.takeAway(t)
		signal(t, d, syscall.SIGCONT)
	}
	if len(taken) == 0 {
		t.Error("no run could be taken from the stalled server: nothing was proved")
	}
	c.finish(t)
	for _, run := range c.runs {
		if slices.Contains(taken, run.id) && len(run.stories) > 0 && run.stories[0].Attempt == 1 {
			t.Errorf("run %s ended with what a worker said that had lost it", run.id)
		}
	}
	t.Logf("%d runs were taken from the stalled server", len(taken))
}

// takeAway takes the runs whose leases have ended, as the worker of another
// process would, and lets them go at once: their new leases are over, too. It
// takes none when the server was stopped in the middle of a transaction.
func (c *campaign) takeAway(t *testing.T) (taken []string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(c.data, "svcd.db"))
	if err != nil {
		t.Logf("the stalled server holds the records: %v", err)
		return nil
	}
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	now := time.Now()
	runs, err := store.Runs().Retake(t.Context(), now, now, 1000)
	if err != nil {
		t.Logf("the stalled server holds the records: %v", err)
	}
	for _, run := range runs {
		taken = append(taken, run.ID)
	}
	return taken
}

// pause lets time pass: the moment of a kill is what a campaign is about, and
// nothing is waited for.
func pause(t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-time.After(d):
	case <-t.Context().Done():
		t.Fatal(t.Context().Err())
	}
}

func signal(t *testing.T, d *harness.Server, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(d.PID(), s); err != nil {
		t.Fatal(err)
	}
}

// campaign is a data folder, the server that works on it just now, and the runs
// that were accepted.
type campaign struct {
	data     string
	engine   string
	accounts []tenant
	pieces   int // the least that a run writes of each file

	mu      sync.Mutex
	daemon  *harness.Server // nil while there is none
	changed chan struct{}   // closed when the daemon is another
	runs    []*watchedRun
	asked   int // requests for runs, accepted or not

	watching sync.WaitGroup
	patience context.Context //nolint:containedctx // of all watchers, ended by the campaign
	giveUp   context.CancelFunc
}

// watchedRun is a run that was accepted, with the stories that its watchers heard.
type watchedRun struct {
	id, projectID string
	continued     bool // of a project that an earlier run made
	owner         tenant
	task          string

	mu      sync.Mutex
	stories []*viewer.Viewer
	resumed int
	faults  []string
}

func newCampaign(t *testing.T, runs int) *campaign {
	t.Helper()
	c := &campaign{
		data: filepath.Join(t.TempDir(), "data"), engine: filepath.Join(t.TempDir(), "randomengine"),
		pieces: 5, changed: make(chan struct{}),
	}
	// Killed servers leave the folders of their runs behind; they go with the test.
	t.Setenv("TMPDIR", t.TempDir())
	c.patience, c.giveUp = context.WithCancel(t.Context())
	t.Cleanup(c.giveUp)
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", c.engine, "../randomengine").CombinedOutput()
	if err != nil {
		t.Fatalf("build the engine: %v: %s", err, out)
	}
	if err := os.Mkdir(c.data, 0o700); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), filepath.Join(c.data, "svcd.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	people := accounts.New(store, time.Now)
	for i := range runs/runsOfAccount + 2 {
		a, err := people.Create(t.Context(), accounts.NewAccount{Email: fmt.Sprintf("run%d@example.com", i), Plan: svc.PlanArchitectPro})
		if err != nil {
			t.Fatal(err)
		}
		key, _, err := people.CreateKey(t.Context(), accounts.NewKey{AccountID: a.ID, Name: "torture"})
		if err != nil {
			t.Fatal(err)
		}
		c.accounts = append(c.accounts, tenant{accountID: a.ID, key: key})
	}
	return c
}

func (c *campaign) start(t *testing.T) *harness.Server {
	t.Helper()
	d, err := harness.Start(t.Context(), binary, c.data, "--engine", "exec", "--engine-command", c.engine,
		"--workers", "6", "--queue-depth", "10000", "--queue-share", "10000")
	if err != nil {
		t.Fatalf("%v\n%s", err, tail(c.data+".log"))
	}
	c.replace(d)
	return d
}

func (c *campaign) replace(d *harness.Server) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.daemon = d
	close(c.changed)
	c.changed = make(chan struct{})
}

// server waits for the one that is there; nil when the campaign gives up.
func (c *campaign) server() *harness.Server {
	for {
		c.mu.Lock()
		d, changed := c.daemon, c.changed
		c.mu.Unlock()
		if d != nil {
			return d
		}
		select {
		case <-changed:
		case <-c.patience.Done():
			return nil
		}
	}
}

// begin asks for a run, of a new project or one that is there, and watches it.
func (c *campaign) begin(t *testing.T, random *rand.Rand) {
	t.Helper()
	c.mu.Lock()
	run := &watchedRun{owner: c.accounts[c.asked/runsOfAccount]}
	c.asked++
	for _, earlier := range c.runs {
		if earlier.owner == run.owner && random.IntN(4) == 0 {
			run.projectID, run.continued = earlier.projectID, true
		}
	}
	c.mu.Unlock()
	run.task = fmt.Sprintf(`{"seed":%d,"files":%d,"pieces":%d,"pause_ms":%d,"ending":%q}`,
		random.Uint64()>>12, 1+random.IntN(4), c.pieces+random.IntN(20), 10+random.IntN(30), endings[random.IntN(len(endings))])
	if !c.post(t, run) {
		return // the server was not there for it
	}
	c.mu.Lock()
	c.runs = append(c.runs, run)
	c.mu.Unlock()
	for range watchersOf {
		c.watching.Go(func() { c.watch(run) })
	}
}

// endings are the random engine's; most runs end well.
var endings = []string{"", "", "", "", "", "", "outage", "crash", "invalid"}

func (c *campaign) post(t *testing.T, run *watchedRun) bool {
	t.Helper()
	path := "/generations"
	if run.continued {
		path = "/projects/" + run.projectID + "/generations"
	}
	body, err := json.Marshal(map[string]string{"prompt": run.task})
	if err != nil {
		t.Fatal(err)
	}
	status, answer, err := c.ask(run, "POST", path, body)
	if err != nil {
		return false
	}
	if status != 202 {
		t.Fatalf("a run was not accepted: %d %s", status, answer)
	}
	var queued struct {
		GenerationID string `json:"generationId"`
		ProjectID    string `json:"projectId"`
	}
	if err := json.Unmarshal(answer, &queued); err != nil {
		t.Fatal(err)
	}
	run.id, run.projectID = queued.GenerationID, queued.ProjectID
	return true
}

// finish lets the last server end every run, and holds the runs against what
// was heard of them.
func (c *campaign) finish(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	d := c.daemon
	c.mu.Unlock()
	if d == nil {
		d = c.start(t)
	}
	late := time.AfterFunc(allEnd, c.giveUp)
	defer late.Stop()
	c.watching.Wait()
	if c.patience.Err() != nil {
		t.Errorf("not every run ended within %s", allEnd)
	}
	c.verify(t)
	if err := d.Stop(); err != nil {
		t.Error(err)
	}
	c.noneLeft(t)
	if t.Failed() {
		t.Logf("seed %d; the end of the server's log:\n%s", *seed, tail(c.data+".log"))
	}
}
