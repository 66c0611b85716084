package generation

import (
	"context"
	"maps"
	"slices"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/sleep"
)

// renewPart is how many leases are renewed in one step. Those of two thousand runs
// would keep a processor busy for as long as a viewer notices; so the parts are
// spread over half the time until the next signs of life.
const renewPart = 400

// signsOfLife are leases that were renewed.
type signsOfLife struct {
	at          time.Time
	asked, kept []svc.RunClaim
}

// late says whether a lease should have been renewed a while ago.
func (p *Pool) late() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.held {
		if time.Since(h.renewed) > leaseTime/2 {
			return true
		}
	}
	return false
}

// giveSigns renews leases in one step.
func (p *Pool) giveSigns(ctx context.Context, claims []svc.RunClaim, now time.Time) (signsOfLife, error) {
	s := signsOfLife{at: time.Now(), asked: claims}
	if len(claims) == 0 {
		return s, nil
	}
	var err error
	s.kept, err = p.store.Runs().Renew(ctx, claims, now.Add(leaseTime))
	return s, err
}

// noteSigns stops the runs that turned out to be another worker's.
func (p *Pool) noteSigns(s signsOfLife) {
	ours := make(map[svc.RunClaim]bool, len(s.kept))
	for _, c := range s.kept {
		ours[c] = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range s.asked {
		h := p.held[c]
		if h == nil {
			continue // it ended meanwhile
		}
		if h.renewed = s.at; !ours[c] {
			h.stop(errLost)
		}
	}
}

// renew gives signs of life. When the records cannot be asked, the work goes on:
// if it was lost meanwhile, the fence keeps its outcome out.
func (p *Pool) renew(ctx context.Context) {
	claims := p.oldestFirst()
	if len(claims) == 0 {
		return
	}
	if err := p.renewAll(ctx, claims); err != nil {
		if ctx.Err() == nil {
			p.log.Warn("leases were not renewed", "error", err)
		}
		return
	}
	p.noteBills(ctx)
}

// renewAll renews leases part by part, spread over half of the time until the
// next signs are due. If the records take longer than that, the rest goes in one
// step: a large step is felt by viewers, a lost lease costs the whole run.
func (p *Pool) renewAll(ctx context.Context, claims []svc.RunClaim) error {
	begun, parts := time.Now(), (len(claims)+renewPart-1)/renewPart
	for part := 0; len(claims) > 0; part++ {
		due := begun.Add(renewEvery / 2 * time.Duration(part) / time.Duration(parts))
		if err := sleep.For(ctx, time.Until(due)); err != nil {
			return err
		}
		size := min(renewPart, len(claims))
		if time.Since(begun) > renewEvery/2 {
			size = len(claims)
		}
		now, err := p.store.Now(ctx)
		if err != nil {
			return err
		}
		signs, err := p.giveSigns(ctx, claims[:size], now)
		if err != nil {
			return err
		}
		p.noteSigns(signs)
		claims = claims[size:]
	}
	return nil
}

// oldestFirst are the runs, the one first that gave a sign of life longest ago:
// signs that the records did not take come first the next time.
func (p *Pool) oldestFirst() []svc.RunClaim {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.SortedFunc(maps.Keys(p.held), func(a, b svc.RunClaim) int {
		return p.held[a].renewed.Compare(p.held[b].renewed)
	})
}
