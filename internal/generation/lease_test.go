package generation

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// rollStore notes who gave signs of life, and how many at a time.
type rollStore struct {
	svc.Store
	roll *roll
}

type roll struct {
	svc.Runs
	takes time.Duration // for each step
	mu    sync.Mutex
	most  int
	signs map[svc.RunClaim]int
	lost  map[svc.RunClaim]bool
	last  map[svc.RunClaim]time.Time
	gap   time.Duration // the longest between two signs
}

func (s rollStore) Runs() svc.Runs { return s.roll }

func (r *roll) Renew(_ context.Context, claims []svc.RunClaim, _ time.Time) (kept []svc.RunClaim, err error) {
	time.Sleep(r.takes)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.most = max(r.most, len(claims))
	for _, c := range claims {
		if r.last != nil {
			r.gap = max(r.gap, time.Since(r.last[c]))
			r.last[c] = time.Now()
		}
		if r.signs[c]++; !r.lost[c] {
			kept = append(kept, c)
		}
	}
	return kept, nil
}

// TestManyRunsGiveSignsOfLifePartByPart has more runs than are renewed at once:
// each gives its sign in time, and none for another.
func TestManyRunsGiveSignsOfLifePartByPart(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		const runs = 2*maxRenewed + maxRenewed/2
		r := &roll{signs: make(map[svc.RunClaim]int), lost: make(map[svc.RunClaim]bool)}
		h.config.Store = rollStore{h.config.Store, r}
		p := NewPool(PoolConfig{Config: h.config})
		stopped := make(map[svc.RunClaim]error)
		for n := range runs {
			c := svc.RunClaim{ID: fmt.Sprintf("gen_%d", n), Epoch: 1}
			p.active[c] = &activeRun{stop: func(cause error) { stopped[c] = cause }, meter: new(costMeter), renewed: time.Now()}
			r.lost[c] = n%maxRenewed == 7
		}
		time.Sleep(leaseTime/2 + time.Second)
		if !p.leasesLate() {
			t.Error("no lease is late that nobody has renewed")
		}
		begun := time.Now()
		p.renew(t.Context())
		if took := time.Since(begun); took >= renewEvery {
			t.Errorf("renewing took %v: the next signs of life are due after %v", took, renewEvery)
		}
		if p.leasesLate() {
			t.Error("a lease is late after all were renewed")
		}
		if r.most > maxRenewed || len(r.signs) != runs {
			t.Errorf("%d runs gave signs of life, %d at a time; want %d, at most %d", len(r.signs), r.most, runs, maxRenewed)
		}
		for c, n := range r.signs {
			if n != 1 {
				t.Errorf("%s gave %d signs of life", c.ID, n)
			}
			if lost := stopped[c] != nil; lost != r.lost[c] {
				t.Errorf("%s is stopped: %t, want %t", c.ID, lost, r.lost[c])
			}
		}
	})
}

// TestSlowRecordsLoseNoLease has records that take a second for each step, and so
// many runs that step after step would take longer than a lease.
func TestSlowRecordsLoseNoLease(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		const runs = 12 * maxRenewed
		r := &roll{takes: time.Second, signs: make(map[svc.RunClaim]int), last: make(map[svc.RunClaim]time.Time)}
		h.config.Store = rollStore{h.config.Store, r}
		p := NewPool(PoolConfig{Config: h.config})
		for n := range runs {
			c := svc.RunClaim{ID: fmt.Sprintf("gen_%d", n), Epoch: 1}
			p.active[c] = &activeRun{stop: func(error) {}, meter: new(costMeter), renewed: time.Now()}
			r.last[c] = time.Now()
		}
		for range 5 {
			begun := time.Now()
			p.renew(t.Context())
			time.Sleep(max(0, renewEvery-time.Since(begun)))
		}
		if len(r.signs) != runs || r.gap > leaseTime/2 {
			t.Errorf("%d of %d runs gave signs of life, with %v between two of them", len(r.signs), runs, r.gap)
		}
	})
}
