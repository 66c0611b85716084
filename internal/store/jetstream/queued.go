package jetstream

import (
	"fmt"

	"github.com/nats-io/nats.go"
)

const (
	queuedSubject = "svc.queued"
	// queuedGroup are those of whom one hears each notice.
	queuedGroup = "workers"
)

// NotifyQueued tells one of those who listen, in whatever process, that a run was
// queued. Nothing depends on its arrival: workers also look by themselves now and then.
func (b *Bus) NotifyQueued() error {
	if err := b.conn.Publish(queuedSubject, nil); err != nil {
		return fmt.Errorf("wake workers: %w", err)
	}
	return nil
}

// OnQueued calls back, from a goroutine of its own, for a notice of a queued run,
// until stop. Of all who listen one hears each.
func (b *Bus) OnQueued(notified func()) (stop func(), err error) {
	sub, err := b.conn.QueueSubscribe(queuedSubject, queuedGroup, func(*nats.Msg) { notified() })
	if err != nil {
		return nil, fmt.Errorf("listen for queued runs: %w", err)
	}
	return func() { _ = sub.Unsubscribe() }, nil // fails only when the connection is closed
}
