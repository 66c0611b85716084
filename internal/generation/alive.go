package generation

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/sleep"
)

const (
	// workerLease is how long a process counts as one with workers after its last
	// renewal, and workerRenewal the time between two: it may miss one. It is a multiple
	// of lookEvery, so that a renewal is always between two looks for runs, and never at
	// the same time as a look for endings: a connection to the records that was used
	// within a second costs no question more.
	workerLease   = 60 * time.Second
	workerRenewal = 18 * lookEvery
)

// Announce records that this process has workers, and of which engine. Run repeats it;
// a process that also accepts requests calls it before, so that its first request
// finds the worker.
func (p *Pool) Announce(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	now, err := p.now(ctx)
	if err == nil {
		err = p.Store.Workers().Renew(ctx, svc.Worker{ID: p.id, Engine: p.EngineName, Lease: now.Add(workerLease)})
	}
	if err == nil && !p.announced.Swap(true) {
		err = p.Store.Workers().Prune(ctx, now)
	}
	if err != nil && ctx.Err() == nil {
		p.Log.Warn("the engine of this process was not recorded; it is tried again", "error", err)
	}
}

// stayAnnounced repeats Announce until ctx ends, then removes the record: other
// processes read from it which engines still work.
func (p *Pool) stayAnnounced(ctx context.Context) {
	p.Announce(ctx)
	if sleep.For(ctx, lookEvery+lookEvery/2) == nil {
		every(ctx, workerRenewal, p.Announce)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handBackTime)
	defer cancel()
	if err := p.Store.Workers().Remove(ctx, p.id); err != nil {
		p.Log.Warn("the engine of this process stays recorded until its lease ends", "error", err)
	}
}
