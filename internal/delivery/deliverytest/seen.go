package deliverytest

import (
	"context"
	"sync"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
)

// Seen remembers what the use cases told their observer.
type Seen struct {
	mu          sync.Mutex
	limited     map[svc.Code]int
	replayed    int
	transitions map[svc.BundleStatus]int
}

var _ delivery.Observer = (*Seen)(nil)

// Limited implements delivery.Observer.
func (s *Seen) Limited(_ svc.Operation, code svc.Code) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limited == nil {
		s.limited = map[svc.Code]int{}
	}
	s.limited[code]++
}

// Replayed implements delivery.Observer.
func (s *Seen) Replayed(svc.Operation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replayed++
}

// Transition implements delivery.Observer.
func (s *Seen) Transition(to svc.BundleStatus, bundles int, _ int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.transitions == nil {
		s.transitions = map[svc.BundleStatus]int{}
	}
	s.transitions[to] += bundles
}

// Cleaned implements delivery.Observer.
func (*Seen) Cleaned(delivery.Cleaned) {}

// Refusals says how often a code refused.
func (s *Seen) Refusals(code svc.Code) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limited[code]
}

// Replays says how many answers were given again.
func (s *Seen) Replays() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replayed
}

// Transitions says how many bundles reached a state.
func (s *Seen) Transitions(to svc.BundleStatus) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.transitions[to]
}

// Blobs are real ones with hooks in front of deleting and opening.
type Blobs struct {
	svc.Blobs
	mu     sync.Mutex
	delete func(key string) error
	open   func(key string) error
}

// BeforeDelete sets what happens before each deletion.
func (b *Blobs) BeforeDelete(hook func(key string) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.delete = hook
}

// BeforeOpen sets what happens before each opening.
func (b *Blobs) BeforeOpen(hook func(key string) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = hook
}

// Delete implements svc.Blobs.
func (b *Blobs) Delete(ctx context.Context, key string) error {
	b.mu.Lock()
	hook := b.delete
	b.mu.Unlock()
	if hook != nil {
		if err := hook(key); err != nil {
			return err
		}
	}
	return b.Blobs.Delete(ctx, key)
}

// Open implements svc.Blobs.
func (b *Blobs) Open(ctx context.Context, key string) (svc.BlobReader, error) {
	b.mu.Lock()
	hook := b.open
	b.mu.Unlock()
	if hook != nil {
		if err := hook(key); err != nil {
			return nil, err
		}
	}
	return b.Blobs.Open(ctx, key)
}
