package generation

import (
	"context"
	"sync"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
)

// costMeter adds up what a run has used so far, over all its workers. The worker
// writes it; the pool copies it into the record when it renews the run's lease, so
// that what a worker used is known when the worker is lost, and to the other runs
// of the account while it works.
type costMeter struct {
	before time.Duration // that earlier workers took
	began  time.Time
	waited func() time.Duration // for what could not be reached; nil: never

	mu             sync.Mutex
	cost, recorded svc.Cost
}

// resume continues from what the run's record has.
func (m *costMeter) resume(record *svc.Cost, engineName string) svc.Cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.began, m.cost.Model = time.Now(), engineName
	if m.waited != nil {
		m.began = m.began.Add(-m.waited()) // which total takes off
	}
	if record != nil {
		m.cost, m.before = *record, record.Time
	}
	m.recorded = m.cost
	return m.cost
}

func (m *costMeter) set(cost svc.Cost) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cost = cost
}

// total is the cost with the time up to now.
func (m *costMeter) total() svc.Cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	cost := m.cost
	cost.Time = m.before + time.Since(m.began)
	if m.waited != nil {
		cost.Time -= m.waited()
	}
	return cost
}

// unrecorded gives the cost, and whether more was used than the record knows.
func (m *costMeter) unrecorded() (svc.Cost, bool) {
	cost := m.total()
	m.mu.Lock()
	defer m.mu.Unlock()
	grown := cost.InputTokens+cost.OutputTokens > m.recorded.InputTokens+m.recorded.OutputTokens || cost.EstimatedUSD > m.recorded.EstimatedUSD
	return cost, grown
}

func (m *costMeter) markRecorded(cost svc.Cost) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recorded = cost
}

// spent tells an engine what was used before it is asked.
func (m *costMeter) spent() engine.Spent {
	cost := m.total()
	return engine.Spent{Tokens: cost.InputTokens + cost.OutputTokens, CostUSD: cost.EstimatedUSD, Time: cost.Time}
}

// recordCosts copies the costs that grew into the records.
func (p *Pool) recordCosts(ctx context.Context) {
	due := make(map[svc.RunClaim]svc.Cost)
	meters := make(map[svc.RunClaim]*costMeter)
	p.mu.Lock()
	for claim, h := range p.active {
		if cost, grown := h.meter.unrecorded(); grown {
			due[claim], meters[claim] = cost, h.meter
		}
	}
	p.mu.Unlock()
	if len(due) == 0 {
		return
	}
	// A run that was lost, or ended just now, is no concern of ours.
	if err := p.Store.Runs().SpendAll(ctx, due); err != nil {
		if ctx.Err() == nil {
			p.Log.Warn("what runs have used was not noted", "error", err)
		}
		return
	}
	for claim, cost := range due {
		meters[claim].markRecorded(cost)
	}
}
