package generation

import (
	"context"
	"maps"
	"slices"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/sleep"
)

// maxRenewed is how many leases are renewed in one step. Those of two thousand runs
// would keep a processor busy for as long as a viewer notices; so the parts are
// spread over half the time until the next renewal.
const maxRenewed = 400

// renewTime is how long one step of a renewal may take. It is much less than a
// lease: whoever was out of reach has one to make itself known.
const renewTime = 4 * time.Second

// renewal is an attempt to renew leases.
type renewal struct {
	at          time.Time
	asked, kept []svc.RunClaim
}

// leasesLate says whether a lease should have been renewed a while ago.
func (p *Pool) leasesLate() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.active {
		if time.Since(h.renewed) > leaseTime/2 {
			return true
		}
	}
	return false
}

// renewLeases renews leases in one step.
func (p *Pool) renewLeases(ctx context.Context, claims []svc.RunClaim, now time.Time) (renewal, error) {
	r := renewal{at: time.Now(), asked: claims}
	if len(claims) == 0 {
		return r, nil
	}
	var err error
	r.kept, err = p.Store.Runs().Renew(ctx, claims, now.Add(leaseTime))
	return r, err
}

// applyRenewal stops the runs that turned out to be another worker's.
func (p *Pool) applyRenewal(r renewal) {
	ours := make(map[svc.RunClaim]bool, len(r.kept))
	for _, c := range r.kept {
		ours[c] = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range r.asked {
		h := p.active[c]
		if h == nil {
			continue // it ended meanwhile
		}
		if h.renewed = r.at; !ours[c] {
			h.stop(errLost)
		}
	}
}

// renew renews all leases. When the records cannot be asked, the work goes on:
// if it was lost meanwhile, the fence keeps its outcome out.
func (p *Pool) renew(ctx context.Context) {
	claims := p.oldestFirst()
	if len(claims) == 0 {
		return
	}
	if err := p.renewAll(ctx, claims); err != nil {
		if ctx.Err() == nil {
			p.outOfReach()
			p.Log.Warn("leases were not renewed", "error", err)
		}
		return
	}
	p.recordCosts(ctx)
}

// renewAll renews leases part by part, spread over half of the time until the
// next renewal is due. If the records take longer than that, the rest goes in one
// step: a large step is felt by viewers, a lost lease costs the whole run.
func (p *Pool) renewAll(ctx context.Context, claims []svc.RunClaim) error {
	begun, parts := time.Now(), (len(claims)+maxRenewed-1)/maxRenewed
	for part := 0; len(claims) > 0; part++ {
		due := begun.Add(renewEvery / 2 * time.Duration(part) / time.Duration(parts))
		if err := sleep.For(ctx, time.Until(due)); err != nil {
			return err
		}
		size := min(maxRenewed, len(claims))
		if time.Since(begun) > renewEvery/2 {
			size = len(claims)
		}
		if err := p.renewPart(ctx, claims[:size]); err != nil {
			return err
		}
		claims = claims[size:]
	}
	return nil
}

// renewPart renews some leases, or gives up soon: records that have gone silent are
// asked again on another connection, so that the leases are renewed as soon as they
// can be.
func (p *Pool) renewPart(ctx context.Context, claims []svc.RunClaim) error {
	ctx, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	now, err := p.now(ctx)
	if err != nil {
		return err
	}
	r, err := p.renewLeases(ctx, claims, now)
	if err != nil {
		return err
	}
	p.applyRenewal(r)
	return nil
}

// oldestFirst are the runs, the one first whose lease was renewed longest ago:
// those that the records did not take come first the next time.
func (p *Pool) oldestFirst() []svc.RunClaim {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.SortedFunc(maps.Keys(p.active), func(a, b svc.RunClaim) int {
		return p.active[a].renewed.Compare(p.active[b].renewed)
	})
}
