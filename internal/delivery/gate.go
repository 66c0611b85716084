package delivery

import (
	"context"
	"sync"

	svc "github.com/bundle-delivery/svc"
)

// gates let one request at a time through for each idempotent request, so that
// those which wait in this process wait for each other, not for the database.
// What other processes do, the records tell.
type gates struct {
	mu   sync.Mutex
	open map[svc.IdempotencyID]*gate
}

type gate struct {
	turn    chan struct{} // holds one token while nobody is inside
	waiting int
}

// enter waits for the turn and returns how to give it back.
func (g *gates) enter(ctx context.Context, id svc.IdempotencyID) (leave func(), err error) {
	g.mu.Lock()
	if g.open == nil {
		g.open = map[svc.IdempotencyID]*gate{}
	}
	mine := g.open[id]
	if mine == nil {
		mine = &gate{turn: make(chan struct{}, 1)}
		mine.turn <- struct{}{}
		g.open[id] = mine
	}
	mine.waiting++
	g.mu.Unlock()

	forget := func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if mine.waiting--; mine.waiting == 0 {
			delete(g.open, id)
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
