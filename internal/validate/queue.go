package validate

import (
	"context"
	"slices"
	"sync"
)

// queue gives a few places to many. A place that becomes free is given to the
// account that holds the fewest, and of its waiters to the first: nobody with many
// runs keeps others from theirs.
type queue struct {
	mu      sync.Mutex
	free    int
	held    map[string]int
	waiting []*waiter // in the order in which they came
}

type waiter struct {
	account string
	turn    chan struct{} // closed when the place is its own
}

func newQueue(places int) *queue { return &queue{free: places, held: make(map[string]int)} }

// enter waits for a place. waits is called once, with how many wait before, if
// there is none at once. The place has to be left.
func (q *queue) enter(ctx context.Context, account string, waits func(before int) error) error {
	q.mu.Lock()
	if q.free > 0 {
		q.take(account)
		q.mu.Unlock()
		return nil
	}
	w := &waiter{account, make(chan struct{})}
	before := len(q.waiting)
	q.waiting = append(q.waiting, w)
	q.mu.Unlock()
	err := waits(before)
	if err == nil {
		select {
		case <-w.turn:
			return nil
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	q.mu.Lock()
	i := slices.Index(q.waiting, w)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	q.mu.Unlock()
	if i < 0 { // the place came in the same moment
		q.leave(account)
	}
	return err
}

func (q *queue) take(account string) {
	q.free--
	q.held[account]++
}

// leave gives a place back.
func (q *queue) leave(account string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free++
	if q.held[account]--; q.held[account] == 0 {
		delete(q.held, account)
	}
	next := -1
	for i, w := range q.waiting {
		if next < 0 || q.held[w.account] < q.held[q.waiting[next].account] {
			next = i
		}
	}
	if next < 0 {
		return
	}
	w := q.waiting[next]
	q.waiting = slices.Delete(q.waiting, next, next+1)
	q.take(w.account)
	close(w.turn)
}
