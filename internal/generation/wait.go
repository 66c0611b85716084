package generation

import (
	"context"
	"errors"
	"sync"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/sleep"
)

const (
	// outageTime is how long a run waits for records, bytes or events that cannot
	// be reached, with all that it has, before it is given up.
	outageTime = 15 * time.Minute
	// The waits between two attempts grow from the first to the last of these.
	shortestPause = 50 * time.Millisecond
	longestPause  = 2 * time.Second
)

// untilAvailable does something that needs records, bytes or events, again and again
// while they cannot be reached. None of it counts as the run's time.
func (j *job) untilAvailable(ctx context.Context, doing string, do func(context.Context) error) error {
	defer j.clock.pause()()
	begun := time.Now()
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		err := do(ctx)
		if !errors.Is(err, svc.ErrUnavailable) || ctx.Err() != nil || time.Since(begun) > outageTime {
			return err
		}
		if pause == shortestPause {
			j.pool.Log.Warn("a run waits for what cannot be reached", "run", j.run.ID, "to", doing, "error", err)
		}
		if sleep.For(ctx, pause) != nil {
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

// runClock bounds the time of a run. While the clock is paused, that does not pass.
type runClock struct {
	mu     sync.Mutex
	timer  *time.Timer
	end    time.Time
	pauses int
	since  time.Time     // of the pause
	waited time.Duration // in earlier pauses
}

// start calls late when the time of the run is over.
func (c *runClock) start(runTime time.Duration, late func()) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end = time.Now().Add(runTime)
	c.timer = time.AfterFunc(runTime, late)
	if c.pauses > 0 {
		c.timer.Stop()
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.timer.Stop()
		c.timer = nil
	}
}

// pause stops the clock until resume is called, once.
func (c *runClock) pause() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pauses++; c.pauses == 1 {
		c.since = time.Now()
		if c.timer != nil {
			c.timer.Stop()
		}
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.pauses--; c.pauses > 0 {
			return
		}
		took := time.Since(c.since)
		c.waited += took
		c.end = c.end.Add(took)
		if c.timer != nil {
			c.timer.Reset(time.Until(c.end))
		}
	}
}

// deadline is when the time of the run is over, as far as is known.
func (c *runClock) deadline() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pauses > 0 {
		return c.end.Add(time.Since(c.since))
	}
	return c.end
}

// paused is how long the clock stood still in all.
func (c *runClock) paused() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pauses > 0 {
		return c.waited + time.Since(c.since)
	}
	return c.waited
}
