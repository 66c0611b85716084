package llm

import (
	"fmt"
	"sync"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
)

// RunReached ends a run that has used what one run may.
func RunReached(what, limit string) *engine.Error {
	return &engine.Error{
		Code:    engine.CodeConstraintUnresolvable,
		Message: fmt.Sprintf("The generation reached its budget of %s (%s) and was stopped; ask for less, or let the operator raise it.", what, limit),
	}
}

// accountReached ends a run whose account has used what it may.
func accountReached(until time.Time) *engine.Error {
	e := &engine.Error{Code: engine.CodeConstraintUnresolvable, Retryable: true, Message: "The account has used what it may spend on generations"}
	if !until.IsZero() {
		e.Message += " until " + until.UTC().Format("2006-01-02 15:04 UTC")
	}
	e.Message += "."
	return e
}

// Meter counts what a run has used, all its attempts and workers together.
type Meter struct {
	run    engine.Budget
	price  Price
	before engine.Spent
	began  time.Time
	now    func() time.Time

	mu      sync.Mutex
	account engine.Budget // left to the account beside this run
	settled Usage         // as providers counted
	open    Usage         // estimated, of calls under way
}

// NewMeter begins to count what a run uses of its budget, beyond what it has used
// before.
func NewMeter(run engine.Budget, price Price, before engine.Spent, now func() time.Time) *Meter {
	return &Meter{run: run, price: price, before: before, began: now(), now: now}
}

// SetAccount sets what the account has left beside this run.
func (m *Meter) SetAccount(account engine.Budget) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.account = account
}

// Begin charges a call by its estimated input.
func (m *Meter) Begin(input int64) *OpenCall {
	c := &OpenCall{meter: m}
	c.Add(Usage{Input: input})
	return c
}

// used is what the run has used, with the calls under way. The lock is held.
func (m *Meter) used() engine.Spent {
	u := m.settled.plus(m.open)
	return engine.Spent{
		Tokens: m.before.Tokens + u.Total(), CostUSD: m.before.CostUSD + m.price.Cost(u),
		Time: m.before.Time + m.now().Sub(m.began),
	}
}

// report says what the run has used, for people.
func (m *Meter) report() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	used := m.used()
	return fmt.Sprintf("It has used %d tokens (about $%.6f).", used.Tokens, used.CostUSD)
}

// Exceeded gives the error of the budget that is reached; nil: none is.
func (m *Meter) Exceeded() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	used := m.used()
	switch {
	case m.account.Spent, reached(m.account, used) != "":
		return accountReached(m.account.Until)
	case reached(m.run, used) == "tokens":
		return RunReached("tokens", fmt.Sprint(m.run.Tokens))
	case reached(m.run, used) == "money":
		return RunReached("money", fmt.Sprintf("$%.2f", m.run.USD))
	case reached(m.run, used) == "time":
		return RunReached("time", m.run.Time.String())
	}
	return nil
}

// reached names what of a budget is used up; empty: nothing.
func reached(b engine.Budget, used engine.Spent) string {
	switch {
	case b.Tokens > 0 && used.Tokens >= b.Tokens:
		return "tokens"
	case b.USD > 0 && used.CostUSD >= b.USD:
		return "money"
	case b.Time > 0 && used.Time >= b.Time:
		return "time"
	}
	return ""
}

// OutputLeft bounds the answer of a call so that a provider stops by itself.
func (m *Meter) OutputLeft(most int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	used := m.used()
	for _, b := range []engine.Budget{m.run, m.account} {
		if b.Tokens > 0 {
			most = min(most, b.Tokens-used.Tokens)
		}
		if b.USD > 0 && m.price.Output > 0 {
			most = min(most, int64((b.USD-used.CostUSD)/m.price.Output*million))
		}
	}
	return max(most, 1)
}

// TimeLeft is 0 when time is not bounded.
func (m *Meter) TimeLeft() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := time.Duration(0)
	for _, b := range []engine.Budget{m.run, m.account} {
		if b.Time > 0 {
			rest := max(b.Time-m.used().Time, time.Nanosecond)
			if left == 0 || rest < left {
				left = rest
			}
		}
	}
	return left
}

// OpenCall is a call under way, charged by an estimate.
type OpenCall struct {
	meter    *Meter
	estimate Usage
}

// Add charges it with more.
func (c *OpenCall) Add(u Usage) {
	c.meter.mu.Lock()
	defer c.meter.mu.Unlock()
	c.estimate, c.meter.open = c.estimate.plus(u), c.meter.open.plus(u)
}

// Settle replaces the estimate by what the provider counted, and prices it.
func (c *OpenCall) Settle(u Usage) float64 {
	c.meter.mu.Lock()
	defer c.meter.mu.Unlock()
	e := c.estimate
	c.meter.open = c.meter.open.plus(Usage{-e.Input, -e.CacheRead, -e.CacheWrite, -e.Output})
	c.meter.settled = c.meter.settled.plus(u)
	return c.meter.price.Cost(u)
}
