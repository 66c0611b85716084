package generation

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// signsOfLife are leases that were renewed.
type signsOfLife struct {
	at          time.Time // zero: none were given
	asked, kept []svc.RunClaim
}

// late says whether the leases should have been renewed a while ago.
func (p *Pool) late() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.renewed) > leaseTime/2
}

// giveSigns renews the leases of all runs that this process has, in one step.
func (p *Pool) giveSigns(ctx context.Context, now time.Time) (signsOfLife, error) {
	s := signsOfLife{at: time.Now(), asked: p.claims()}
	if len(s.asked) == 0 {
		return s, nil
	}
	var err error
	s.kept, err = p.store.Runs().Renew(ctx, s.asked, now.Add(leaseTime))
	return s, err
}

// noteSigns stops the runs that turned out to be another worker's.
func (p *Pool) noteSigns(s signsOfLife) {
	if s.at.IsZero() {
		return
	}
	ours := make(map[svc.RunClaim]bool, len(s.kept))
	for _, c := range s.kept {
		ours[c] = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.renewed = s.at
	for _, c := range s.asked {
		if h := p.held[c]; h != nil && !ours[c] {
			h.stop(errLost)
		}
	}
}

// renew gives signs of life. When the records cannot be asked, the work goes on:
// if it was lost meanwhile, the fence keeps its outcome out.
func (p *Pool) renew(ctx context.Context) {
	if len(p.claims()) == 0 {
		p.noteSigns(signsOfLife{at: time.Now()})
		return
	}
	var signs signsOfLife
	now, err := p.store.Now(ctx)
	if err == nil {
		signs, err = p.giveSigns(ctx, now)
	}
	if err != nil {
		if ctx.Err() == nil {
			p.log.Warn("leases were not renewed", "error", err)
		}
		return
	}
	p.noteSigns(signs)
	p.noteBills(ctx)
}
