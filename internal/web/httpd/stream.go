package httpd

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/bundle-delivery/svc/internal/web/api"
)

const (
	// heartbeat is how often a stream shows that it is alive, and asks whether
	// news was lost.
	heartbeat = 15 * time.Second
	// keysEvery is how often the records are asked about the keys of open
	// streams, and keysAgain how soon again when they failed. keysGrace is how
	// long what they said counts, from the moment they were asked: with the last
	// write of a stream it stays under the second within which a revoked key has no stream, also
	// when nobody can be asked. A client that is cut off for that resumes.
	keysEvery = 400 * time.Millisecond
	keysAgain = 100 * time.Millisecond
	keysGrace = 800 * time.Millisecond
)

// Why a stream is closed before its end.
var (
	errKeyRevoked = errors.New("the key was revoked")
	errUnknown    = errors.New("the key could not be checked")
	errStopping   = errors.New("the server stops")
)

// Streams are the open streams of this process.
type Streams struct {
	usable func(ctx context.Context, prefixes []string) ([]string, error)
	log    *slog.Logger

	mu     sync.Mutex
	byKey  map[string]map[*openStream]struct{}
	closed bool
}

// openStream is one stream; stop ends it, also while its client takes nothing.
type openStream struct{ stop func(cause error) }

// NewStreams keeps account of streams. usable says which of some keys are so.
func NewStreams(usable func(ctx context.Context, prefixes []string) ([]string, error), log *slog.Logger) *Streams {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Streams{usable: usable, log: log, byKey: make(map[string]map[*openStream]struct{})}
}

// Run closes the streams of keys that are revoked, as soon as that is known,
// all streams when it cannot be known, and all streams when ctx ends: their
// clients resume elsewhere.
func (s *Streams) Run(ctx context.Context) {
	due := time.Now().Add(keysEvery)
	next := time.NewTimer(keysEvery)
	defer next.Stop()
	asked := time.Now() // when the answer was asked for that counts
	for {
		select {
		case <-ctx.Done():
			s.closeAll()
			return
		case <-next.C:
		}
		var pause time.Duration
		asked, pause = s.check(ctx, asked, due)
		due = time.Now().Add(pause)
		next.Reset(pause)
	}
}

// check asks about the keys of open streams, which was due at a time. It gives the time
// from which the answer that counts does, and how long to wait before the next question.
func (s *Streams) check(ctx context.Context, asked, due time.Time) (time.Time, time.Duration) {
	begun := time.Now()
	// A process that had no processor meanwhile could ask nobody, and sent nothing
	// either: the records are given their time all the same.
	asked = asked.Add(max(begun.Sub(due), 0))
	until := asked.Add(keysGrace)
	err := s.closeRevoked(ctx, until)
	switch {
	case err == nil:
		return begun, max(keysEvery-time.Since(begun), 0)
	case ctx.Err() != nil:
		return asked, keysEvery
	case time.Now().Before(until):
		s.log.Warn("keys of open streams cannot be checked", "error", err)
		return asked, min(keysAgain, time.Until(until))
	}
	s.log.Warn("keys of open streams cannot be checked; the streams are closed", "error", err)
	s.stop(errUnknown, func(string) bool { return true })
	return time.Now(), keysEvery // streams that open from now on had their keys checked
}

// Count says how many streams are open.
func (s *Streams) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, streams := range s.byKey {
		n += len(streams)
	}
	return n
}

// closeRevoked asks which keys are usable, and has the answer by a time or none.
func (s *Streams) closeRevoked(ctx context.Context, until time.Time) error {
	s.mu.Lock()
	prefixes := make([]string, 0, len(s.byKey))
	for prefix := range s.byKey {
		prefixes = append(prefixes, prefix)
	}
	s.mu.Unlock()
	if len(prefixes) == 0 {
		return nil
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	usable, err := s.usable(ctx, prefixes)
	if err != nil {
		return err
	}
	revoked := make(map[string]bool, len(prefixes))
	for _, prefix := range prefixes {
		revoked[prefix] = true
	}
	for _, prefix := range usable {
		delete(revoked, prefix)
	}
	if len(revoked) > 0 {
		s.stop(errKeyRevoked, func(prefix string) bool { return revoked[prefix] })
	}
	return nil
}

// stop ends the streams of the keys that are chosen.
func (s *Streams) stop(cause error, chosen func(prefix string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for prefix, streams := range s.byKey {
		if chosen(prefix) {
			for o := range streams {
				o.stop(cause)
			}
		}
	}
}

func (s *Streams) closeAll() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop(errStopping, func(string) bool { return true })
}

// enter notes a stream; leave forgets it.
func (s *Streams) enter(prefix string, o *openStream) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		o.stop(errStopping)
	}
	if s.byKey[prefix] == nil {
		s.byKey[prefix] = make(map[*openStream]struct{})
	}
	s.byKey[prefix][o] = struct{}{}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if delete(s.byKey[prefix], o); len(s.byKey[prefix]) == 0 {
			delete(s.byKey, prefix)
		}
	}
}

// watcher is where a stream's events come from.
type watcher interface {
	api.EventSource
	Verify(ctx context.Context) error
}

// serve writes a stream until its run ends, its client leaves or stalls, its key
// is revoked or the server stops.
func (s *Streams) serve(w http.ResponseWriter, r *http.Request, prefix string, watch watcher) error {
	api.StreamHeaders(w.Header())
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	ctx, stop := context.WithCancelCause(r.Context())
	defer stop(nil)
	out := api.NewStreamWriter(w)
	leave := s.enter(prefix, &openStream{stop: func(cause error) {
		stop(cause)
		out.End()
	}})
	defer out.Release() // last: nobody stops what has left
	defer leave()
	if err := follow(ctx, out, watch); !errors.Is(err, api.ErrStreamEnded) {
		return err
	}
	return nil
}

// follow sends events and signs of life until there are no more.
func follow(ctx context.Context, out *api.StreamWriter, watch watcher) error {
	if err := out.Send([]byte(api.StreamOpening)); err != nil {
		return err
	}
	for {
		over, err := out.Copy(ctx, watch, heartbeat)
		if over || err != nil {
			return err
		}
		err = watch.Verify(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = out.Send([]byte(api.StreamComment))
		}
		if err != nil {
			return err
		}
	}
}
