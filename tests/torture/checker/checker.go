// Package checker works with the service as a steady client does, notes everything
// that it is told, and in the end holds the service to it.
//
// Its law:
//
//   - It knows the service as users do: an address, behind which any number of
//     processes may stand and fall, and keys.
//   - What it was told is a promise from that moment on. What it asked for and
//     got no answer to may have happened or not, and once.
//   - A failure is a fault of the service unless the phase of the test that the
//     request fell into expects just that failure. No phase excuses a wrong
//     answer.
package checker

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Tenant is an account that the checker uses.
type Tenant struct {
	AccountID string
	Key       string
	// ProjectID is a project with files that nobody changes, and BundleID its
	// first bundle, made no earlier than MadeAt; empty where there is none.
	ProjectID, BundleID string
	MadeAt              time.Time
	// Hobby says that the plan has a cap of generations.
	Hobby bool
}

// Config is what a checker needs.
type Config struct {
	Base    string // the address of the service
	Client  *http.Client
	Tenants []Tenant
	// BundleTTL is the life of a bundle that nobody acknowledges.
	BundleTTL time.Duration
	// Clients is how many work at a time, and RunsEvery the time between two
	// generations that they ask for.
	Clients   int
	RunsEvery time.Duration
	Seed      uint64
	// Asked is how often the engine was asked for the task of a seed; nil: nobody
	// counts.
	Asked func(seed uint64) (int, error)
}

// Checker is the client with its memory.
type Checker struct {
	config  Config
	writers []Tenant // ask for generations
	capped  []Tenant // the same, under a cap

	watching sync.WaitGroup
	ctx      context.Context //nolint:containedctx // of all who watch; Settle ends it
	giveUp   context.CancelFunc

	mu       sync.Mutex
	phases   []*phase
	problems []string
	bundles  map[string]*bundle
	keys     map[key]*attempt
	used     map[window][]*use
	digests  map[string]string // of the archives of a project that nobody changes
	runs     []*run
}

// calm begins the name of a phase in which nothing is wrong.
const calm = "calm"

// New makes a checker that has heard of the first bundles of its tenants.
func New(ctx context.Context, config Config) *Checker {
	c := &Checker{
		config: config, bundles: map[string]*bundle{}, keys: map[key]*attempt{}, used: map[window][]*use{},
		digests: map[string]string{},
	}
	c.ctx, c.giveUp = context.WithCancel(context.WithoutCancel(ctx))
	for _, t := range config.Tenants {
		if t.Hobby {
			c.capped = append(c.capped, t)
		} else {
			c.writers = append(c.writers, t)
		}
		if t.BundleID != "" {
			c.bundles[t.BundleID] = &bundle{id: t.BundleID, owner: t, projectID: t.ProjectID, made: t.MadeAt}
		}
	}
	c.Phase(calm)
	return c
}

// Work asks for things until the context ends, and lets what it began come to
// its end. Runs that were accepted are watched on.
func (c *Checker) Work(ctx context.Context) {
	var working sync.WaitGroup
	for i := range c.config.Clients {
		choices := c.choices(uint64(100 + i))
		working.Go(func() { c.client(ctx, i, choices) })
	}
	working.Go(func() { c.generations(ctx, c.choices(99)) })
	working.Wait()
}

// choices are the same for the same seed.
func (c *Checker) choices(stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(c.config.Seed, stream)) //nolint:gosec // a load, and to be repeated
}

// client does one kind of thing, again and again: what hangs with one kind must
// not keep the others from being asked.
func (c *Checker) client(ctx context.Context, number int, random *rand.Rand) {
	kinds := []func(Tenant, *rand.Rand){
		c.download, c.repackage, c.look, c.acknowledge, c.download, c.latest, c.look, c.acknowledge,
	}
	do := kinds[number%len(kinds)]
	for ctx.Err() == nil {
		do(c.writers[random.IntN(len(c.writers))], random)
		rest(ctx, time.Duration(50+random.IntN(200))*time.Millisecond)
	}
}

// rest keeps the load steady rather than as high as it can be.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// problem notes what must not be.
func (c *Checker) problem(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blame(format, args...)
}

// blame is problem for who holds the lock.
func (c *Checker) blame(format string, args ...any) {
	const enough = 12
	if len(c.problems) < enough {
		now := c.phases[len(c.phases)-1]
		c.problems = append(c.problems, fmt.Sprintf("%s in %q: ", time.Now().UTC().Format("15:04:05.000"), now.name)+fmt.Sprintf(format, args...))
	}
}

// Problems are the faults that were seen so far.
func (c *Checker) Problems() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.problems)
}
