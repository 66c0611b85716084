package checker

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/bundle-delivery/svc/tests/viewer"
)

const (
	// watchersOf look at each run.
	watchersOf = 2
	// silence is how long a stream may say nothing, not even that it is alive,
	// before its viewer comes back: it does so every fifteen seconds.
	silence = 40 * time.Second
)

// run is a generation that was accepted, with what its viewers have seen.
type run struct {
	id, projectID string
	owner         Tenant
	seed          uint64
	task          string
	ending        string // that its engine was told to have
	asked         time.Time
	since         int               // the phase in which it was asked for
	before        map[string]string // the files of its project

	mu      sync.Mutex
	viewers []*viewer.Viewer
	over    bool // every viewer saw its end, and that was compared with the record
	files   map[string]string
	// cancelled says that the checker asked for its end.
	cancelled bool
	outcome   string
	until     int // the phase in which its end was seen
}

// endings are the random engine's; most runs end well.
var endings = []string{"", "", "", "", "", "", "", "outage", "invalid"}

// generations asks for runs at a steady pace.
func (c *Checker) generations(ctx context.Context, random *rand.Rand) {
	var asking sync.WaitGroup
	defer asking.Wait()
	for n := 0; ctx.Err() == nil; n++ {
		r := &run{owner: c.writers[random.IntN(len(c.writers))]}
		if len(c.capped) > 0 && n%5 == 4 {
			r.owner = c.capped[random.IntN(len(c.capped))]
		} else if random.IntN(4) == 0 {
			c.continueProject(r)
		}
		r.ending = endings[random.IntN(len(endings))]
		r.seed = random.Uint64() >> 12
		r.task = fmt.Sprintf(`{"seed":%d,"files":%d,"pieces":%d,"pause_ms":%d,"ending":%q}`,
			r.seed, 1+random.IntN(3), 5+random.IntN(30), 20+random.IntN(100), r.ending)
		twice := random.IntN(4) == 0
		var cancelAfter time.Duration
		if random.IntN(12) == 0 {
			cancelAfter = time.Duration(1 + random.IntN(int(3*time.Second)))
		}
		asking.Go(func() { c.generate(r, twice, cancelAfter) })
		rest(ctx, c.config.RunsEvery)
	}
}

// continueProject makes a run continue the project of one that is over.
func (c *Checker) continueProject(r *run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, earlier := range c.runs {
		earlier.mu.Lock()
		files := earlier.files
		earlier.files = nil // one continues it, and knows what is there
		earlier.mu.Unlock()
		if files != nil && !earlier.owner.Hobby {
			r.owner, r.projectID, r.before = c.runs[i].owner, earlier.projectID, files
			return
		}
	}
}

// generate asks for a run, watches it, and cancels it after a while, unless that is 0.
func (c *Checker) generate(r *run, twice bool, cancelAfter time.Duration) {
	body, err := json.Marshal(map[string]string{"prompt": r.task})
	if err != nil {
		c.problem("%v", err)
		return
	}
	path := "/generations"
	if r.projectID != "" {
		path = "/projects/" + r.projectID + "/generations"
	}
	r.asked, r.since = time.Now(), c.current()
	a := c.repeat(r.owner, opGenerate, path, body, twice)
	if a.status == http.StatusTooManyRequests && (a.code != "PLAN_LIMIT_REACHED" || !r.owner.Hobby) {
		c.problem("a generation is refused: %s", a.body)
	}
	if a.status != http.StatusAccepted {
		return
	}
	var said struct {
		GenerationID string `json:"generationId"`
		ProjectID    string `json:"projectId"`
	}
	if err := json.Unmarshal(a.body, &said); err != nil || said.GenerationID == "" || r.projectID != "" && r.projectID != said.ProjectID {
		c.problem("a generation is accepted with %s", a.body)
		return
	}
	r.id, r.projectID = said.GenerationID, said.ProjectID
	c.mu.Lock()
	c.runs = append(c.runs, r)
	c.phases[len(c.phases)-1].seen["run accepted"]++
	c.mu.Unlock()
	var viewers sync.WaitGroup
	for range watchersOf {
		viewers.Go(func() { c.watch(r) })
	}
	c.watching.Go(func() {
		viewers.Wait()
		c.conclude(r)
	})
	if cancelAfter > 0 {
		c.watching.Go(func() {
			rest(c.ctx, cancelAfter)
			c.cancel(r)
		})
	}
}

// cancel asks for the end of a run until somebody has heard it.
func (c *Checker) cancel(r *run) {
	r.mu.Lock()
	r.cancelled = true
	r.mu.Unlock()
	for c.ctx.Err() == nil {
		if a := c.ask(r.owner, opCancel, http.MethodPost, "/generations/"+r.id+"/cancel", nil); !a.failed() {
			return
		}
		rest(c.ctx, retryRest)
	}
}

// watch follows a run to its end, from the last event heard.
func (c *Checker) watch(r *run) {
	seen := viewer.New()
	for !seen.Over() && c.ctx.Err() == nil {
		status, ok := c.readStream(r, seen)
		if !ok {
			return
		}
		if status == http.StatusNoContent && !seen.Over() {
			c.problem("a viewer of %s that has seen %d events is told that there are no more", r.id, seen.Last)
			return
		}
		if !seen.Over() {
			rest(c.ctx, 100*time.Millisecond)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.viewers = append(r.viewers, seen)
}

// readStream reads what one connection brings; false when it brought what it must
// not. That it breaks is nothing: viewers come back.
func (c *Checker) readStream(r *run, seen *viewer.Viewer) (status int, ok bool) {
	since := c.current()
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.config.Base+"/generations/"+r.id+"/stream", nil)
	if err != nil {
		c.problem("%v", err)
		return 0, false
	}
	req.Header.Set("Authorization", "Bearer "+r.owner.Key)
	if seen.Last > 0 {
		req.Header.Set("Last-Event-ID", strconv.FormatInt(seen.Last, 10))
	}
	asked := time.Now()
	quiet := time.AfterFunc(silence, cancel)
	defer quiet.Stop()
	resp, err := c.config.Client.Do(req)
	if err != nil {
		if c.ctx.Err() == nil {
			c.tally(since, opStream, Broken, true, time.Since(asked), err.Error())
		}
		return 0, true
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNoContent {
		a := answer{status: resp.StatusCode, header: resp.Header, span: span{sent: asked, answered: time.Now()}}
		a.body, _ = io.ReadAll(resp.Body) // what came of it explains the status
		c.judge(since, opStream, req.URL.Path, &a)
		return resp.StatusCode, true
	}
	c.tally(since, opStream, strconv.Itoa(resp.StatusCode), false, time.Since(asked), "")
	var fault error
	_ = viewer.ReadEvents(alive{resp.Body, quiet}, func(e viewer.Event) error { // its error is the break, or the fault
		fault = seen.Add(e)
		return fault
	})
	if fault != nil {
		c.problem("the stream of %s: %v", r.id, fault)
	}
	return resp.StatusCode, fault == nil
}

// alive puts the end of patience off with everything that is read.
type alive struct {
	io.Reader
	quiet *time.Timer
}

func (a alive) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	a.quiet.Reset(silence)
	return n, err
}
