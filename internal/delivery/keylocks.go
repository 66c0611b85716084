package delivery

import (
	"context"
	"sync"

	svc "github.com/bundle-delivery/svc"
)

// keyLocks are mutexes of this process, one for each idempotency key in use: those
// who repeat a request here wait for each other, not for the database. What other
// processes do is in the records.
type keyLocks struct {
	mu   sync.Mutex
	byID map[svc.IdempotencyID]*keyLock
}

type keyLock struct {
	turn    chan struct{} // holds one token while nobody is inside
	waiting int
}

// lock waits for the key, until ctx ends.
func (l *keyLocks) lock(ctx context.Context, id svc.IdempotencyID) (unlock func(), err error) {
	l.mu.Lock()
	if l.byID == nil {
		l.byID = map[svc.IdempotencyID]*keyLock{}
	}
	mine := l.byID[id]
	if mine == nil {
		mine = &keyLock{turn: make(chan struct{}, 1)}
		mine.turn <- struct{}{}
		l.byID[id] = mine
	}
	mine.waiting++
	l.mu.Unlock()

	forget := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if mine.waiting--; mine.waiting == 0 {
			delete(l.byID, id)
		}
	}
	select {
	case <-mine.turn:
		return func() {
			mine.turn <- struct{}{}
			forget()
		}, nil
	case <-ctx.Done():
		forget()
		return nil, ctx.Err()
	}
}
