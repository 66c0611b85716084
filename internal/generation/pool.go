package generation

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/sleep"
	"github.com/bundle-delivery/svc/internal/validate"
)

const (
	// leaseTime is how long a worker is taken to be alive without a renewal;
	// with the time between two looks it stays well under the fifteen
	// seconds within which a lost run is taken up.
	leaseTime  = 10 * time.Second
	renewEvery = 2 * time.Second
	// endings is how many runs are packaged and recorded at a time. Two thousand
	// that end together would stand in line for the disk, and the leases of
	// all the others behind them.
	endings = 8
	// lookEvery is how often idle workers look unasked, in turn for queued runs and
	// for those that lost their worker: with the lease, two of these are well under
	// fifteen seconds. With the other questions of a process that waits, it is one a
	// second.
	lookEvery = 1500 * time.Millisecond
	// claimBatch is how many runs are taken at a time.
	claimBatch = 16
	// clockTime is how long the clock of the records is told by this process's own.
	clockTime = 30 * time.Second
	// clockDoubt is how long an answer of the records may take whose time is to count:
	// so much less than a lease lasts beyond its renewal that no worker loses its run by it.
	clockDoubt = 2 * time.Second
	// restAfter is how long notices are not followed after one that was in vain:
	// another process was faster.
	restAfter = 20 * time.Millisecond
	// cancelEvery is how often the records are asked which runs are to stop.
	cancelEvery = 400 * time.Millisecond
	// publishEvery is how often endings are looked for that nobody published,
	// and publishAfter the time that whoever should have is given: together they are
	// under fifteen seconds, too.
	publishEvery = 7500 * time.Millisecond
	publishAfter = 5 * time.Second
	publishBatch = 100
	// publishTime is how long a worker tries to publish the ending of its run
	// before it leaves that to whoever looks next.
	publishTime = 10 * time.Second
)

// PoolConfig is what workers need.
type PoolConfig struct {
	Config
	Packager *pack.Packager
	Engine   engine.Engine
	// EngineName stands for the model in the cost of a run whose engine names none.
	EngineName string
	// Validator tries what engines make; nil: its syntax alone.
	Validator *validate.Validator
	// Workers is how many runs are worked on at a time.
	Workers int
	// TempDir is where runs keep what they write; empty: the system's.
	TempDir string
	// Only says that no other process works on these runs: no lease that it finds
	// can be another's that is about to be renewed.
	Only bool
}

// Pool works on runs.
type Pool struct {
	PoolConfig
	id string // in the records

	woken       chan struct{} // holds one when there may be something to do
	announced   atomic.Bool   // dead workers were removed
	noticed     atomic.Bool   // a queued run was heard of
	endingSlots chan struct{} // one for each run that is being packaged and recorded
	jobs        sync.WaitGroup

	stopListening func() // nil: nobody listens for queued runs; of the claiming goroutine

	failedEndings int // that could not be published at the last look

	// settling lasts until runs that are to be handed back have had their time.
	settling context.Context //nolint:containedctx // the pool's own, from Run to its end

	mu     sync.Mutex
	active map[svc.RunClaim]*activeRun
	// inReach is since when the records have answered whatever they were asked;
	// zero: the last question was in vain.
	inReach time.Time
	// clock is what the clock of the records said at a time of this process.
	clock, clockHere time.Time
}

// activeRun is a run that this process works on.
type activeRun struct {
	stop    context.CancelCauseFunc
	meter   *costMeter
	extra   bool      // taken over from a lost worker, beside the pool's own places
	renewed time.Time // from when its lease counts
}

// NewPool makes workers, which begin with Run.
func NewPool(c PoolConfig) *Pool {
	c.Config = c.withDefaults()
	if c.Validator == nil {
		c.Validator = validate.New(validate.Config{Level: validate.Syntax})
	}
	c.Workers = max(c.Workers, 1)
	return &Pool{
		PoolConfig: c, id: rand.Text(),
		woken: make(chan struct{}, 1), endingSlots: make(chan struct{}, endings),
		active: make(map[svc.RunClaim]*activeRun),
	}
}

// Run works on runs until ctx ends, then hands back those that are running, and
// returns when that is done.
func (p *Pool) Run(ctx context.Context) error {
	if err := p.listen(true); err != nil {
		return fmt.Errorf("start workers: %w", err)
	}
	defer func() { _ = p.listen(false) }() // which cannot fail
	var settled context.CancelFunc
	p.settling, settled = context.WithCancel(context.WithoutCancel(ctx))
	defer settled()
	// Leases are kept until the last run is handed back.
	keeping, endKeeping := context.WithCancel(context.WithoutCancel(ctx))
	var background sync.WaitGroup
	background.Go(func() { every(keeping, renewEvery, p.renew) })
	background.Go(func() { p.stayAnnounced(ctx) })
	background.Go(func() { every(keeping, cancelEvery, p.findCancelled) })
	background.Go(func() {
		// Always between two looks for runs: one connection to the records does for both.
		if sleep.For(keeping, lookEvery/2) == nil {
			every(keeping, publishEvery, p.publishMissingEndings)
		}
	})

	p.claimUntil(ctx)
	p.stopAll(errHandedBack)
	defer time.AfterFunc(settleTime, settled).Stop()
	p.jobs.Wait()
	endKeeping()
	background.Wait()
	return nil
}

// every does something now and then until ctx ends.
func every(ctx context.Context, d time.Duration, do func(context.Context)) {
	ticker := time.NewTicker(d)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			do(ctx)
		}
	}
}

func (p *Pool) wake() {
	select {
	case p.woken <- struct{}{}:
	default:
	}
}

// listen hears of queued runs, or does not. Of the processes that listen one hears of
// each run, so only those listen that have a free place.
func (p *Pool) listen(free bool) error {
	if p.Notifier == nil || free == (p.stopListening != nil) {
		return nil
	}
	if !free {
		p.stopListening()
		p.stopListening = nil
		return nil
	}
	stop, err := p.Notifier.OnQueued(func() {
		p.noticed.Store(true)
		p.wake()
	})
	if err == nil {
		p.stopListening = stop
	}
	return err
}

// claimUntil takes runs while there are places, until ctx ends.
func (p *Pool) claimUntil(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	both := look{lost: true, queued: true}
	for now, next := both, (look{lost: true}); ; {
		noticed := p.noticed.Swap(false)
		taken := p.claimAll(ctx, now)
		own, _ := p.busy()
		free := own < p.Workers
		if err := p.listen(free); err != nil {
			p.Log.Warn("workers do not hear of queued runs; they look by themselves", "error", err)
		}
		if noticed && !free {
			notifyQueued(p.Notifier, p.Log) // somebody else has a place for what is left
		}
		if noticed && taken == 0 {
			_ = sleep.For(ctx, restAfter) // its end is seen below
		}
		select {
		case <-ctx.Done():
			return
		case <-p.woken:
			now = look{queued: true}
		case <-ticker.C:
			now, next = next, look{lost: !next.lost, queued: !next.queued}
		}
	}
}

// look says which runs are looked for.
type look struct{ lost, queued bool }

// claimAll takes what there is, a batch at a time, so that others have their turn in
// between. Runs that lost their worker come first and need no free place: whoever
// waits for them has waited long enough. They are looked for by time: the notices say
// nothing about them. It returns how many runs it took.
func (p *Pool) claimAll(ctx context.Context, at look) (taken int) {
	for ctx.Err() == nil {
		asked := time.Now()
		own, all := p.busy()
		var runs []svc.Run
		var err error
		limit := 0
		if at.lost && all < 2*p.Workers {
			limit = min(2*p.Workers-all, claimBatch)
			runs, err = p.claimLost(ctx, limit)
		}
		if err == nil && len(runs) == 0 && at.queued && own < p.Workers {
			limit = min(p.Workers-own, claimBatch)
			runs, err = p.claimQueued(ctx, limit)
		}
		if time.Since(asked) > clockDoubt {
			p.outOfReach() // for others too, who could not renew their leases
		}
		if err != nil && ctx.Err() == nil {
			p.outOfReach()
			p.Log.Warn("no runs can be taken just now", "error", err)
		}
		for _, run := range runs {
			p.begin(ctx, run, asked, own >= p.Workers)
			own++
		}
		taken += len(runs)
		if len(runs) == 0 || len(runs) < limit && !(at.lost && at.queued) {
			return taken
		}
	}
	return taken
}

// now is the clock of the records. It is asked now and then; in between it goes by
// this process's own.
func (p *Pool) now(ctx context.Context) (time.Time, error) {
	p.mu.Lock()
	told, here := p.clock, p.clockHere
	p.mu.Unlock()
	if since := time.Since(here); !here.IsZero() && since < clockTime {
		return told.Add(since.Truncate(time.Millisecond)), nil
	}
	// An answer that was long on its way was given at any moment of it. By a clock that is
	// ahead of the records' own, workers that live would lose their runs.
	for range 2 {
		here = time.Now()
		told, err := p.Store.Now(ctx)
		if err != nil {
			return time.Time{}, err
		}
		if time.Since(here) <= clockDoubt {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.clock, p.clockHere = told, here
			return told, nil
		}
		p.outOfReach()
	}
	return time.Time{}, fmt.Errorf("the clock of the records is told too late: %w", svc.ErrUnavailable)
}

// claimQueued takes the next runs of the queue. It is a step alone, like all that
// is done about leases.
func (p *Pool) claimQueued(ctx context.Context, limit int) ([]svc.Run, error) {
	now, err := p.now(ctx)
	if err != nil {
		return nil, err
	}
	return p.Store.Runs().Claim(ctx, now, now.Add(leaseTime), limit)
}

// claimLost takes runs that lost their worker. A process whose own renewals
// are late, because the records were slow, gives them first, by the same time:
// it must not take its runs from itself.
func (p *Pool) claimLost(ctx context.Context, limit int) ([]svc.Run, error) {
	now, err := p.now(ctx)
	if err != nil {
		return nil, err
	}
	if p.leasesLate() {
		r, err := p.renewLeases(ctx, p.claims(), now)
		if err != nil {
			return nil, err
		}
		p.applyRenewal(r)
	}
	if !p.mayRetake() {
		return nil, nil
	}
	return p.Store.Runs().Retake(ctx, now, now.Add(leaseTime), limit)
}

// mayRetake says whether a lease that has ended tells that its worker is lost. When
// the records were out of reach for this process, they may have been so for all,
// and every worker gets the time of a whole lease to renew its own.
func (p *Pool) mayRetake() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inReach.IsZero() {
		p.inReach = time.Now()
	}
	return p.Only || time.Since(p.inReach) >= leaseTime
}

// outOfReach notes that the records did not answer. The clock is asked for anew.
func (p *Pool) outOfReach() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inReach, p.clockHere = time.Time{}, time.Time{}
}

// busy says how many of the pool's places are taken, and how many runs it has.
func (p *Pool) busy() (own, all int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.active {
		if !h.extra {
			own++
		}
	}
	return own, len(p.active)
}

// begin starts the work on a run that was asked for at a time: its lease counts
// from then, however long the records took to give it.
func (p *Pool) begin(ctx context.Context, run svc.Run, asked time.Time, extra bool) {
	clock := new(runClock)
	j := &job{pool: p, run: run, clock: clock, meter: &costMeter{waited: clock.paused}}
	// The work ends by its own causes: the end of ctx is one, given by stopAll.
	working, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	p.mu.Lock()
	p.active[j.claim()] = &activeRun{stop: stop, meter: j.meter, extra: extra, renewed: asked}
	p.mu.Unlock()
	if run.Losses > 0 {
		p.Log.Warn("a run that lost its worker is taken up", "run", run.ID, "losses", run.Losses)
	}
	if run.Epoch == 1 {
		p.Observer.Started(run.StartedAt.Sub(run.CreatedAt))
	}
	p.jobs.Go(func() {
		defer stop(nil)
		j.work(working)
		p.mu.Lock()
		delete(p.active, j.claim())
		p.mu.Unlock()
		p.wake()
	})
}

func (p *Pool) stopAll(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.active {
		h.stop(cause)
	}
}

func (p *Pool) claims() []svc.RunClaim {
	p.mu.Lock()
	defer p.mu.Unlock()
	claims := make([]svc.RunClaim, 0, len(p.active))
	for c := range p.active {
		claims = append(claims, c)
	}
	return claims
}

// findCancelled stops the runs that somebody cancelled.
func (p *Pool) findCancelled(ctx context.Context) {
	claims := p.claims()
	if len(claims) == 0 {
		return
	}
	ids := make([]string, len(claims))
	for i, c := range claims {
		ids[i] = c.ID
	}
	asked, err := p.Store.Runs().CancelRequested(ctx, ids)
	if err != nil {
		if ctx.Err() == nil {
			p.Log.Warn("cancelled runs cannot be looked for just now", "error", err)
		}
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for c, h := range p.active {
		for _, id := range asked {
			if c.ID == id {
				h.stop(errCancelled)
			}
		}
	}
}

// publishMissingEndings publishes the endings whose workers died between record
// and log.
func (p *Pool) publishMissingEndings(ctx context.Context) {
	now, err := p.now(ctx)
	var runs []svc.Run
	if err == nil {
		// Those that could not be published are asked for again, but not in place of
		// others.
		runs, err = p.Store.Runs().UnpublishedEnds(ctx, now.Add(-publishAfter), publishBatch+p.failedEndings)
	}
	p.failedEndings = 0
	for _, run := range runs {
		if failed := publishEnding(ctx, p.Store, p.Events, run); failed != nil {
			p.failedEndings++
			err = failed
			continue
		}
		p.Log.Info("the end of a run was published in place of its worker", "run", run.ID)
	}
	if err != nil && ctx.Err() == nil {
		p.Log.Warn("endings cannot be published just now", "error", err)
	}
}
