package jetstream

import (
	"fmt"

	"github.com/nats-io/nats.go"
)

const queuedSubject = "svc.queued"

// Ring tells idle workers everywhere that a run was queued. Nothing depends on
// it arriving: workers also look by themselves now and then.
func (b *Bus) Ring() error {
	if err := b.conn.Publish(queuedSubject, nil); err != nil {
		return fmt.Errorf("wake workers: %w", err)
	}
	return nil
}

// Listen calls back, from a goroutine of its own, for each ring, until stop.
func (b *Bus) Listen(rung func()) (stop func(), err error) {
	sub, err := b.conn.Subscribe(queuedSubject, func(*nats.Msg) { rung() })
	if err != nil {
		return nil, fmt.Errorf("listen for queued runs: %w", err)
	}
	return func() { _ = sub.Unsubscribe() }, nil // fails only when the connection is closed
}
