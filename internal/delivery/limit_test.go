package delivery

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	svc "github.com/bundle-delivery/svc"
)

// model is a limiter as the service runs it: the window is what was saved last.
type model struct {
	limit    int
	span     time.Duration
	now      time.Time
	admitted []time.Time // everything, for ever
	window   []time.Time
}

func (m *model) request() (wait time.Duration, ok bool) {
	keep, wait, ok := admit(svc.Window{Admitted: m.window, Now: m.now}, m.limit, m.span)
	if ok {
		m.window = keep
		m.admitted = append(m.admitted, m.now)
	}
	return wait, ok
}

func draw(t *rapid.T) *model {
	return &model{
		limit: rapid.IntRange(1, 12).Draw(t, "limit"),
		span:  time.Minute,
		now:   time.UnixMilli(rapid.Int64Range(0, 1<<41).Draw(t, "start")).UTC(),
	}
}

// gap favours the edges of seconds and of the window.
func gap(t *rapid.T) time.Duration {
	return rapid.OneOf(
		rapid.Map(rapid.Int64Range(0, 5), func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }),
		rapid.Map(rapid.Int64Range(0, 70_000), func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }),
		rapid.Map(rapid.Int64Range(0, 61), func(n int64) time.Duration { return time.Duration(n) * time.Second }),
		rapid.SampledFrom([]time.Duration{59_999 * time.Millisecond, time.Minute, 60_001 * time.Millisecond}),
	).Draw(t, "gap")
}

// Promise: limit-rolling
func TestRollingWindowNeverAdmitsMoreThanItsLimitInAnyMinute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t)
		for range rapid.IntRange(1, 80).Draw(t, "requests") {
			m.now = m.now.Add(gap(t))
			m.request()
		}
		for i, first := range m.admitted {
			if i+m.limit >= len(m.admitted) {
				break
			}
			if over := m.admitted[i+m.limit]; over.Sub(first) < m.span {
				t.Fatalf("%d requests were admitted within %v, the limit is %d", m.limit+1, over.Sub(first), m.limit)
			}
		}
	})
}

// Promise: limit-retry-after
func TestRollingWindowAdmitsAfterExactlyRetryAfterAndNotASecondSooner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t)
		for range rapid.IntRange(1, 80).Draw(t, "requests") {
			m.now = m.now.Add(gap(t))
			wait, ok := m.request()
			if ok {
				continue
			}
			if wait < time.Second || wait%time.Second != 0 {
				t.Fatalf("the wait %v is not a whole number of seconds", wait)
			}
			later := svc.Window{Admitted: m.window, Now: m.now.Add(wait)}
			if _, _, ok := admit(later, m.limit, m.span); !ok {
				t.Fatalf("refused after waiting %v as told", wait)
			}
			if wait > time.Second {
				sooner := svc.Window{Admitted: m.window, Now: m.now.Add(wait - time.Second)}
				if _, _, ok := admit(sooner, m.limit, m.span); ok {
					t.Fatalf("%v was told, although a second less is enough", wait)
				}
			}
		}
	})
}

func TestRollingWindowAdmitsWheneverFewerThanItsLimitWereAdmitted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t)
		for range rapid.IntRange(1, 80).Draw(t, "requests") {
			m.now = m.now.Add(gap(t))
			recent := 0
			for _, at := range m.admitted {
				if m.now.Sub(at) < m.span {
					recent++
				}
			}
			if _, ok := m.request(); ok != (recent < m.limit) {
				t.Fatalf("admitted %v with %d recent requests of %d", ok, recent, m.limit)
			}
		}
	})
}

func TestRollingWindowKeepsNoMoreThanItsLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t)
		for range rapid.IntRange(1, 80).Draw(t, "requests") {
			m.now = m.now.Add(gap(t))
			m.request()
			if len(m.window) > m.limit || !slices.IsSortedFunc(m.window, time.Time.Compare) {
				t.Fatalf("the window has %d entries for a limit of %d", len(m.window), m.limit)
			}
		}
	})
}
