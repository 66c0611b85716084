package llm

import (
	"fmt"
	"sync"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
)

// Budget bounds what may be spent; zero fields are not bounded.
type Budget struct {
	Tokens int64
	USD    float64
	Time   time.Duration
	// Spent says that nothing is left, and Until when there will be.
	Spent bool
	Until time.Time
}

// within gives the tighter of a run's budget and what is left to its account.
func (b Budget) within(left Budget) (Budget, error) {
	if left.Spent {
		e := budgetReached("account", "")
		e.Retryable = true
		e.Message = "The account has used what it may spend on generations"
		if !left.Until.IsZero() {
			e.Message += " until " + left.Until.UTC().Format("2006-01-02 15:04 UTC")
		}
		e.Message += "."
		return b, e
	}
	if left.Tokens > 0 && (b.Tokens == 0 || left.Tokens < b.Tokens) {
		b.Tokens = left.Tokens
	}
	if left.USD > 0 && (b.USD == 0 || left.USD < b.USD) {
		b.USD = left.USD
	}
	return b, nil
}

func budgetReached(what, limit string) *engine.Error {
	return &engine.Error{
		Code:    engine.CodeConstraintUnresolvable,
		Message: fmt.Sprintf("The generation reached its budget of %s (%s) and was stopped; ask for less, or let the operator raise it.", what, limit),
	}
}

// meter is what a run has spent, over all attempts that this process makes.
type meter struct {
	budget Budget
	price  Price
	began  time.Time
	now    func() time.Time

	mu      sync.Mutex
	settled Usage // as providers counted
	open    Usage // guessed, of calls under way
}

// begin notes a call under way by its guessed input.
func (m *meter) begin(input int64) *tab {
	t := &tab{meter: m}
	t.grow(Usage{Input: input})
	return t
}

// over says which budget is reached; nil: none.
func (m *meter) over() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	used := m.settled.plus(m.open)
	if m.budget.Tokens > 0 && used.Total() >= m.budget.Tokens {
		return budgetReached("tokens", fmt.Sprint(m.budget.Tokens))
	}
	if m.budget.USD > 0 && m.price.Cost(used) >= m.budget.USD {
		return budgetReached("money", fmt.Sprintf("$%.2f", m.budget.USD))
	}
	return nil
}

// outputLeft bounds the answer of a call so that a provider stops by itself.
func (m *meter) outputLeft(most int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	used := m.settled.plus(m.open)
	if m.budget.Tokens > 0 {
		most = min(most, m.budget.Tokens-used.Total())
	}
	if m.budget.USD > 0 && m.price.Output > 0 {
		most = min(most, int64((m.budget.USD-m.price.Cost(used))/m.price.Output*million))
	}
	return max(most, 1)
}

// timeLeft is 0 when time is not bounded.
func (m *meter) timeLeft() time.Duration {
	if m.budget.Time == 0 {
		return 0
	}
	return max(m.budget.Time-m.now().Sub(m.began), time.Nanosecond)
}

// tab is what one call has spent.
type tab struct {
	meter *meter
	guess Usage
}

func (t *tab) grow(u Usage) {
	t.meter.mu.Lock()
	defer t.meter.mu.Unlock()
	t.guess, t.meter.open = t.guess.plus(u), t.meter.open.plus(u)
}

// settle replaces the guess by what the provider counted, and prices it.
func (t *tab) settle(u Usage) float64 {
	t.meter.mu.Lock()
	defer t.meter.mu.Unlock()
	g := t.guess
	t.meter.open = t.meter.open.plus(Usage{-g.Input, -g.CacheRead, -g.CacheWrite, -g.Output})
	t.meter.settled = t.meter.settled.plus(u)
	return t.meter.price.Cost(u)
}

// ledger remembers the meters of runs, so that further attempts of one share
// its budget. A process that takes a run over starts a new meter.
type ledger struct {
	now    func() time.Time
	mu     sync.Mutex
	meters map[string]*meter
}

// forgetAfter is longer than any run lasts.
const forgetAfter = 2 * time.Hour

func newLedger(now func() time.Time) *ledger {
	return &ledger{now: now, meters: make(map[string]*meter)}
}

// meter gives the meter of a run.
func (l *ledger) meter(id string, b Budget, p Price) *meter {
	l.mu.Lock()
	defer l.mu.Unlock()
	for old, m := range l.meters {
		if l.now().Sub(m.began) > forgetAfter {
			delete(l.meters, old)
		}
	}
	m, ok := l.meters[id]
	if !ok {
		m = &meter{began: l.now(), now: l.now, budget: b, price: p}
		l.meters[id] = m
	}
	return m
}
