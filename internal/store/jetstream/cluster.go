package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	svc "github.com/bundle-delivery/svc"
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
	// leaderTimeout is how long a question to a cluster waits before it is asked
	// again: it may have been asked of a server that was lost meanwhile.
	leaderTimeout = 2 * time.Second
	// usualMaxBytes is what the log may hold where nothing else is said. Servers
	// reserve it, and where they cannot, half of it, and so on to the least.
	usualMaxBytes = 8 << 30
	leastMaxBytes = 64 << 20
)

// clustered says whether the log has several servers.
func (b *Bus) clustered() bool { return b.server == nil && b.conn.ConnectedClusterName() != "" }

// tryTimeout is how long one question waits for its answer. One server answers late
// only when it has too much to do: asking again would give it more.
func (b *Bus) tryTimeout() time.Duration {
	if b.clustered() {
		return leaderTimeout
	}
	return askTimeout
}

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
		if err == nil || !transient(err) {
			return stream, explainResources(err)
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
	var present jetstream.StreamInfo
	if stream, err := b.js.Stream(ctx, streamName); err == nil {
		present = *stream.CachedInfo()
	} else if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, err
	}
	want.Replicas = replicas
	if replicas == 0 {
		want.Replicas = 1
		if b.clustered() {
			want.Replicas = clusterReplicas
		}
		want.Replicas = max(want.Replicas, present.Config.Replicas) // somebody may have asked for more
	}
	if want.MaxBytes > 0 {
		return b.js.CreateOrUpdateStream(ctx, want)
	}
	if want.MaxBytes = present.Config.MaxBytes; want.MaxBytes <= 0 {
		want.MaxBytes = max(usualMaxBytes, 2*int64(min(present.State.Bytes, math.MaxInt64/2)))
	}
	for ; ; want.MaxBytes /= 2 {
		stream, err := b.js.CreateOrUpdateStream(ctx, want)
		if !isAnswer(err, noPeers, noStorage) || want.MaxBytes/2 < leastMaxBytes {
			return stream, err
		}
	}
}

// transient says whether an error may be gone when the question is asked again.
func transient(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders) ||
		errors.Is(err, jetstream.ErrNoStreamResponse) {
		return true
	}
	return isAnswer(err, notAvailable)
}

// unreached says that nobody answered for the log, where that is what an error
// means.
func unreached(err error) error {
	if transient(err) || errors.Is(err, nats.ErrConnectionReconnecting) || errors.Is(err, nats.ErrDisconnected) ||
		errors.Is(err, nats.ErrReconnectBufExceeded) || errors.Is(err, nats.ErrConnectionClosed) {
		return fmt.Errorf("%w: %w", svc.ErrUnavailable, err)
	}
	return err
}

// What servers answer.
const (
	notAvailable = jetstream.ErrorCode(10008) // there is no leader
	noPeers      = jetstream.ErrorCode(10005) // too few servers have room
	noStorage    = jetstream.ErrorCode(10047) // the one that there is has not
	noReplicas   = jetstream.ErrorCode(10074) // a single server keeps no replicas
	storeFailed  = jetstream.ErrorCode(10077) // the log is full
)

// isAnswer says whether an error is one of these answers.
func isAnswer(err error, codes ...jetstream.ErrorCode) bool {
	answer, ok := errors.AsType[*jetstream.APIError](err)
	return ok && slices.Contains(codes, answer.ErrorCode)
}

func explainResources(err error) error {
	switch {
	case isAnswer(err, noReplicas):
		return fmt.Errorf("%w; add servers with JetStream to NATS, or choose fewer with --nats-replicas", err)
	case isAnswer(err, noPeers):
		return fmt.Errorf("%w; add servers with JetStream to NATS, choose fewer with --nats-replicas, or less room for events with --event-bytes", err)
	case isAnswer(err, noStorage):
		return fmt.Errorf("%w; choose less room for events with --event-bytes, or give JetStream more (max_file_store)", err)
	}
	return err
}

// lastAtLeader asks the leader for the last message of a run.
func (l *eventLog) lastAtLeader(ctx context.Context, runID string) (storedBatch, error) {
	question, err := json.Marshal(map[string]string{"last_by_subj": runSubject + runID})
	if err != nil {
		return storedBatch{}, fmt.Errorf("ask for an event: %w", err)
	}
	msg, err := l.bus.conn.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET."+streamName, question)
	if err != nil {
		return storedBatch{}, err
	}
	var answer struct {
		Error   *jetstream.APIError `json:"error"`
		Message *struct {
			Sequence uint64 `json:"seq"`
			Data     []byte `json:"data"`
		} `json:"message"`
	}
	switch err := json.Unmarshal(msg.Data, &answer); {
	case err != nil:
		return storedBatch{}, fmt.Errorf("read the answer of the event log: %w", err)
	case answer.Error != nil && answer.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return storedBatch{}, nil
	case answer.Error != nil:
		return storedBatch{}, answer.Error
	case answer.Message == nil:
		return storedBatch{}, errBadBatch
	}
	b, err := decodeBatch(answer.Message.Data)
	if err != nil {
		return storedBatch{}, err
	}
	return storedBatch{batch: b, streamSeq: answer.Message.Sequence}, nil
}

// readWhole reads messages of a run after a sequence of the stream: all there are,
// or as many as a page of so many bytes holds.
func (l *eventLog) readWhole(ctx context.Context, runID string, streamSeq uint64, maxBytes int) (page, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	whole := page{streamSeq: streamSeq}
	for try := 0; ; try++ {
		p, err := l.readPageSoon(ctx, runID, whole.streamSeq, maxBytes)
		if err == nil {
			whole = page{events: append(whole.events, p.events...), streamSeq: p.streamSeq, more: p.more}
			if whole.more || !l.bus.clustered() {
				return whole, nil
			}
			last, err := l.lastBatch(ctx, runID)
			if err != nil || last.streamSeq <= whole.streamSeq {
				return whole, err
			}
		} else if ctx.Err() != nil || !transient(err) {
			return page{}, unreached(err)
		}
		if stop := pause(ctx, try); stop != nil {
			return page{}, fmt.Errorf("read events of %s: %w", runID, unreached(errors.Join(err, stop)))
		}
	}
}

// readPageSoon gives up on a server that was lost while it answered.
func (l *eventLog) readPageSoon(ctx context.Context, runID string, streamSeq uint64, maxBytes int) (page, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*l.bus.tryTimeout())
	defer cancel()
	return l.readPage(ctx, runID, streamSeq, maxBytes)
}
