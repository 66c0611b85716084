package main

import "github.com/bundle-delivery/svc/internal/jetstream"

// checkEvents refuses an address of NATS that cannot be understood. Like those of
// the storage it is read here, because it may hold a password.
func (s *settings) checkEvents() error {
	if s.natsURL == "" {
		if s.natsReplicas > 1 {
			return usagef("--nats-replicas has no use without --nats-url: the embedded events are kept once")
		}
		return nil
	}
	if err := jetstream.CheckURL(s.natsURL); err != nil {
		return usagef("--nats-url: %w", err)
	}
	return nil
}
