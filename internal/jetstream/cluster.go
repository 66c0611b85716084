package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// On a cluster every server that keeps the log answers questions for it, also
// one that lags behind. What the log is trusted for (its end, and that a page
// has all there is) is therefore asked of the leader, who answers for what was
// stored. While there is none, which takes some seconds after one was lost,
// the question is asked again.

const (
	// clusterReplicas is how many servers keep each event where nothing else is
	// said: the least with which one can be lost and nothing stops.
	clusterReplicas = 3
	// leaderTimeout is how long one question waits: it may have been asked of a
	// leader that was lost meanwhile.
	leaderTimeout = 2 * time.Second
	// outage is how long an append is tried again while nobody stores it.
	outage = 30 * time.Second
)

// clustered says whether the log has several servers.
func (b *Bus) clustered() bool { return b.server == nil && b.conn.ConnectedClusterName() != "" }

// replicas is what a setting for servers elsewhere means here.
func (b *Bus) replicas(cfg Config) int {
	if b.server != nil {
		return 1 // there is one server to keep them
	}
	return cfg.Replicas
}

// makeStream creates the stream or brings it up to date. A cluster that was just
// started, or has just lost a server, is given time to choose a leader.
func (b *Bus) makeStream(ctx context.Context, want jetstream.StreamConfig, replicas int) (jetstream.Stream, error) {
	for try := 0; ; try++ {
		stream, err := b.tryStream(ctx, want, replicas)
		if err == nil || !passing(err) {
			return stream, explain(err)
		}
		b.log.Debug("the stream of events cannot be made yet", "error", err)
		if stop := pause(ctx, try); stop != nil {
			return nil, err
		}
	}
}

func (b *Bus) tryStream(ctx context.Context, want jetstream.StreamConfig, replicas int) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*leaderTimeout)
	defer cancel()
	want.Replicas = replicas
	if replicas == 0 {
		want.Replicas = 1
		if b.clustered() {
			want.Replicas = clusterReplicas
		}
		present, err := b.js.Stream(ctx, streamName)
		if err == nil { // somebody may have asked for more
			want.Replicas = max(want.Replicas, present.CachedInfo().Config.Replicas)
		} else if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil, err
		}
	}
	return b.js.CreateOrUpdateStream(ctx, want)
}

// notAvailable is what a cluster answers that has no leader.
const notAvailable = jetstream.ErrorCode(10008)

// passing says whether an error may be gone when the question is asked again.
func passing(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders) ||
		errors.Is(err, jetstream.ErrNoStreamResponse) {
		return true
	}
	answer, ok := errors.AsType[*jetstream.APIError](err)
	return ok && answer.ErrorCode == notAvailable
}

// What a cluster or a single server answers that cannot keep so many replicas.
const (
	noPeers    = jetstream.ErrorCode(10005)
	noReplicas = jetstream.ErrorCode(10074)
)

func explain(err error) error {
	if answer, ok := errors.AsType[*jetstream.APIError](err); ok && (answer.ErrorCode == noPeers || answer.ErrorCode == noReplicas) {
		return fmt.Errorf("%w; add servers with JetStream to NATS, or choose fewer with --nats-replicas", err)
	}
	return err
}

// lastAtLeader asks the leader for the last message of a run.
func (l *eventLog) lastAtLeader(ctx context.Context, runID string) (stored, error) {
	question, err := json.Marshal(map[string]string{"last_by_subj": runSubject + runID})
	if err != nil {
		return stored{}, fmt.Errorf("ask for an event: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, leaderTimeout)
	defer cancel()
	msg, err := l.bus.conn.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET."+streamName, question)
	if err != nil {
		return stored{}, err
	}
	var answer struct {
		Error   *jetstream.APIError `json:"error"`
		Message *struct {
			Place uint64 `json:"seq"`
			Data  []byte `json:"data"`
		} `json:"message"`
	}
	switch err := json.Unmarshal(msg.Data, &answer); {
	case err != nil:
		return stored{}, fmt.Errorf("read the answer of the event log: %w", err)
	case answer.Error != nil && answer.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return stored{}, nil
	case answer.Error != nil:
		return stored{}, answer.Error
	case answer.Message == nil:
		return stored{}, errBadBatch
	}
	b, err := decodeBatch(answer.Message.Data)
	if err != nil {
		return stored{}, err
	}
	return stored{batch: b, place: answer.Message.Place}, nil
}

// page reads messages of a run that stand after a place in the stream: all there
// are, or as many as a page holds.
func (l *eventLog) page(ctx context.Context, runID string, place uint64) (page, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	whole := page{place: place}
	for try := 0; ; try++ {
		p, err := l.glanceSoon(ctx, runID, whole.place)
		if err == nil {
			whole = page{events: append(whole.events, p.events...), place: p.place, more: p.more}
			if whole.more || !l.bus.clustered() {
				return whole, nil
			}
			last, err := l.lastBatch(ctx, runID)
			if err != nil || last.place <= whole.place {
				return whole, err
			}
		} else if ctx.Err() != nil || !passing(err) {
			return page{}, err
		}
		if stop := pause(ctx, try); stop != nil {
			return page{}, fmt.Errorf("read events of %s: %w", runID, errors.Join(err, stop))
		}
	}
}

// glanceSoon gives up on a server that was lost while it answered.
func (l *eventLog) glanceSoon(ctx context.Context, runID string, place uint64) (page, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*leaderTimeout)
	defer cancel()
	return l.glance(ctx, runID, place)
}
