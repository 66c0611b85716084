package jetstream

import (
	"context"
	"fmt"
)

// Status is what the log has, and who keeps it.
type Status struct {
	Bytes    int64
	MaxBytes int64 // beyond which it refuses new events
	// Missing is how many of the servers that should keep each event are lost or
	// too late to count. The log goes on while most of them are there.
	Missing int
}

// Status asks the leader of the log.
func (b *Bus) Status(ctx context.Context) (Status, error) {
	stream, err := b.js.Stream(ctx, streamName)
	if err != nil {
		return Status{}, fmt.Errorf("ask the event log: %w", unreached(err))
	}
	info := stream.CachedInfo()
	s := Status{Bytes: int64(info.State.Bytes), MaxBytes: info.Config.MaxBytes}
	if info.Cluster == nil || info.Config.Replicas < 2 {
		return s, nil
	}
	s.Missing = info.Config.Replicas - 1 // the leader has answered
	for _, peer := range info.Cluster.Replicas {
		if peer.Current && !peer.Offline {
			s.Missing--
		}
	}
	s.Missing = max(s.Missing, 0)
	return s, nil
}
