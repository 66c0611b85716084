package generation

import (
	"context"
	"sync"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
)

// bill is what a run has used so far, over all its workers. The worker writes
// it; the pool copies it into the record with the signs of life, so that what a
// worker used is known when the worker is lost, and to the other runs of the
// account while it works.
type bill struct {
	before time.Duration // that earlier workers took
	began  time.Time

	mu          sync.Mutex
	cost, noted svc.Cost
}

// open continues a bill where the run's record has it.
func (b *bill) open(record *svc.Cost, engineName string) svc.Cost {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.began, b.cost.Model = time.Now(), engineName
	if record != nil {
		b.cost, b.before = *record, record.Time
	}
	b.noted = b.cost
	return b.cost
}

func (b *bill) set(cost svc.Cost) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cost = cost
}

// total is the bill with the time up to now.
func (b *bill) total() svc.Cost {
	b.mu.Lock()
	defer b.mu.Unlock()
	cost := b.cost
	cost.Time = b.before + time.Since(b.began)
	return cost
}

// due gives the bill if more was used than the record knows.
func (b *bill) due() (svc.Cost, bool) {
	cost := b.total()
	b.mu.Lock()
	defer b.mu.Unlock()
	grown := cost.InputTokens+cost.OutputTokens > b.noted.InputTokens+b.noted.OutputTokens || cost.EstimatedUSD > b.noted.EstimatedUSD
	return cost, grown
}

func (b *bill) note(cost svc.Cost) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.noted = cost
}

// spent tells an engine what was used before it is asked.
func (b *bill) spent() engine.Spent {
	cost := b.total()
	return engine.Spent{Tokens: cost.InputTokens + cost.OutputTokens, CostUSD: cost.EstimatedUSD, Time: cost.Time}
}

// noteBills copies the bills that grew into the records.
func (p *Pool) noteBills(ctx context.Context) {
	due := make(map[svc.RunClaim]svc.Cost)
	bills := make(map[svc.RunClaim]*bill)
	p.mu.Lock()
	for claim, h := range p.held {
		if cost, grown := h.bill.due(); grown {
			due[claim], bills[claim] = cost, h.bill
		}
	}
	p.mu.Unlock()
	if len(due) == 0 {
		return
	}
	// A run that was lost, or ended just now, is no concern of ours.
	if err := p.store.Runs().SpendAll(ctx, due); err != nil {
		if ctx.Err() == nil {
			p.log.Warn("what runs have used was not noted", "error", err)
		}
		return
	}
	for claim, cost := range due {
		bills[claim].note(cost)
	}
}
