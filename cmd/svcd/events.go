package main

import (
	"fmt"

	"github.com/bundle-delivery/svc/internal/ops/setting"
	"github.com/bundle-delivery/svc/internal/store/jetstream"
)

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

// eventBytesValue is a size of the event log; auto leaves it to the log.
func eventBytesValue(to *int64) *setting.Value[int64] {
	const (
		auto  = "auto"
		least = 64 << 20
	)
	var size int64
	parse := setting.Size(&size)
	return setting.New(to, "size|auto", func(text string) (int64, error) {
		if text == auto {
			return 0, nil
		}
		if err := parse.Set(text); err != nil {
			return 0, fmt.Errorf("%w, nor auto", err)
		}
		if size < least {
			return 0, fmt.Errorf("%s is less than 64MiB", text)
		}
		return size, nil
	}, func(n int64) string {
		if n == 0 {
			return auto
		}
		size = n
		return parse.String()
	})
}
