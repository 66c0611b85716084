package deliverytest

import (
	"context"
	"sync"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
)

// Seen counts what the use cases told their observer.
type Seen struct {
	mu     sync.Mutex
	counts map[any]int
}

var _ delivery.Observer = (*Seen)(nil)

// replayed is what replays are counted under.
type replayed struct{}

func (s *Seen) add(what any, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts == nil {
		s.counts = map[any]int{}
	}
	s.counts[what] += n
}

func (s *Seen) count(what any) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[what]
}

// Limited implements delivery.Observer.
func (s *Seen) Limited(_ svc.Operation, code svc.Code) { s.add(code, 1) }

// Replayed implements delivery.Observer.
func (s *Seen) Replayed(svc.Operation) { s.add(replayed{}, 1) }

// Transition implements delivery.Observer.
func (s *Seen) Transition(to svc.BundleStatus, bundles int) { s.add(to, bundles) }

// Cleaned implements delivery.Observer.
func (*Seen) Cleaned(delivery.Cleaned) {}

// Refusals says how often a code refused.
func (s *Seen) Refusals(code svc.Code) int { return s.count(code) }

// Replays says how many answers were given again.
func (s *Seen) Replays() int { return s.count(replayed{}) }

// Transitions says how many bundles reached a state.
func (s *Seen) Transitions(to svc.BundleStatus) int { return s.count(to) }

// hook is something that happens before a call, and may refuse it.
type hook[T any] struct {
	mu    sync.Mutex
	fn    func(T) error
	calls int
}

func (h *hook[T]) set(fn func(T) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fn = fn
}

func (h *hook[T]) run(with T) error {
	h.mu.Lock()
	fn := h.fn
	h.calls++
	h.mu.Unlock()
	if fn == nil {
		return nil
	}
	return fn(with)
}

// Blobs are real ones with hooks in front of deleting and opening.
type Blobs struct {
	svc.Blobs
	deleting, opening hook[string]
}

// BeforeDelete sets what happens before each deletion.
func (b *Blobs) BeforeDelete(fn func(key string) error) { b.deleting.set(fn) }

// BeforeOpen sets what happens before each opening.
func (b *Blobs) BeforeOpen(fn func(key string) error) { b.opening.set(fn) }

// Delete implements svc.Blobs.
func (b *Blobs) Delete(ctx context.Context, key string) error {
	if err := b.deleting.run(key); err != nil {
		return err
	}
	return b.Blobs.Delete(ctx, key)
}

// Open implements svc.Blobs.
func (b *Blobs) Open(ctx context.Context, key string) (svc.BlobReader, error) {
	if err := b.opening.run(key); err != nil {
		return nil, err
	}
	return b.Blobs.Open(ctx, key)
}

// Assembler is an assembler with a hook in front.
type Assembler struct {
	svc.Assembler
	assembling hook[svc.Assembly]
}

// Before sets what happens before each assembly.
func (a *Assembler) Before(fn func(svc.Assembly) error) { a.assembling.set(fn) }

// Calls says how often it was asked.
func (a *Assembler) Calls() int {
	a.assembling.mu.Lock()
	defer a.assembling.mu.Unlock()
	return a.assembling.calls
}

// Assemble implements svc.Assembler.
func (a *Assembler) Assemble(ctx context.Context, work svc.Assembly) (svc.Assembled, error) {
	if err := a.assembling.run(work); err != nil {
		return svc.Assembled{}, err
	}
	return a.Assembler.Assemble(ctx, work)
}
