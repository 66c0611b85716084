package modelproxy

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// maxHeld is how many bytes of requests svcd holds at a time, of all runs
	// together; maxHeldByRun is the share of one run. Other requests wait.
	maxHeld      = 256 << 20
	maxHeldByRun = 64 << 20
	// sendTime is how long a request may take to come, once there is room for it: it
	// comes from this machine, and keeps that room from other runs.
	sendTime = 30 * time.Second
	// unknownSize is what a request without a length reserves: the buffer that it is
	// read into doubles, so that twice the largest body is held for a moment.
	unknownSize = 2 * maxBody
)

// room is memory for requests. Each run has its share, and a run waits for that
// first: one that fills its share does not stand in the way of others.
type room struct {
	all, own *semaphore.Weighted
}

// reserve waits until there is room for size bytes, or ctx ends.
func (r room) reserve(ctx context.Context, size int64) (*lease, error) {
	if err := r.own.Acquire(ctx, size); err != nil {
		return nil, err
	}
	if err := r.all.Acquire(ctx, size); err != nil {
		r.own.Release(size)
		return nil, err
	}
	return &lease{room: r, size: size}, nil
}

// lease is room that a request has reserved; nil: none.
type lease struct {
	room room

	mu   sync.Mutex
	size int64
}

// shrink gives back what the request does not need.
func (l *lease) shrink(size int64) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if rest := l.size - size; rest > 0 {
		l.room.own.Release(rest)
		l.room.all.Release(rest)
		l.size = size
	}
}

// receive reads the body of a request into memory that it has reserved. It ends with
// ctx, and after sendTime, or the time of the provider where that is shorter.
func (h *Handler) receive(ctx context.Context, w http.ResponseWriter, r *http.Request) ([]byte, *lease, error) {
	size := r.ContentLength
	if size > maxBody {
		return nil, nil, &http.MaxBytesError{Limit: maxBody}
	}
	if size < 0 {
		size = unknownSize
	}
	held, err := h.room.reserve(ctx, size)
	if err != nil {
		return nil, nil, err
	}
	body, err := h.readBody(ctx, w, r)
	if err != nil {
		held.shrink(0)
		return nil, nil, err
	}
	held.shrink(int64(cap(body)))
	return body, held, nil
}

func (h *Handler) readBody(ctx context.Context, w http.ResponseWriter, r *http.Request) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, min(h.p.stall, sendTime))
	defer cancel()
	interrupt := interruptible(ctx, http.NewResponseController(w).SetReadDeadline)
	defer interrupt()
	if r.ContentLength >= 0 {
		body := make([]byte, r.ContentLength)
		_, err := io.ReadFull(r.Body, body)
		return body, err
	}
	body := make([]byte, 0, 64<<10)
	from := http.MaxBytesReader(w, r.Body, maxBody)
	for {
		if len(body) == cap(body) {
			grown := make([]byte, len(body), min(2*cap(body), maxBody+1))
			copy(grown, body)
			body = grown
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch err {
		case nil:
		case io.EOF:
			return body, nil
		default:
			return nil, err
		}
	}
}

// source is what is sent to a provider. Its memory is given back when nobody reads it
// any more, also while the answer is still coming.
type source struct {
	mu    sync.Mutex
	parts [][]byte
	size  int64
	lease *lease
	users int
}

func newSource(parts [][]byte, l *lease) *source {
	s := &source{parts: parts, lease: l, users: 1}
	for _, part := range parts {
		s.size += int64(len(part))
	}
	return s
}

// reader returns another reader of it; false: its memory was given back.
func (s *source) reader() (io.ReadCloser, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 0 {
		return nil, false
	}
	s.users++
	return &sourceReader{source: s}, true
}

// release says that one user reads it no more.
func (s *source) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users == 0 {
		s.parts = nil
		s.lease.shrink(0)
	}
}

type sourceReader struct {
	source *source
	part   int
	at     int
	closed bool // the transport may close it while it reads
}

func (r *sourceReader) Read(p []byte) (int, error) {
	r.source.mu.Lock()
	defer r.source.mu.Unlock()
	if r.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	for r.part < len(r.source.parts) {
		if n := copy(p, r.source.parts[r.part][r.at:]); n > 0 || len(p) == 0 {
			r.at += n
			return n, nil
		}
		r.part, r.at = r.part+1, 0
	}
	return 0, io.EOF
}

func (r *sourceReader) Close() error {
	r.source.mu.Lock()
	closed := r.closed
	r.closed = true
	r.source.mu.Unlock()
	if !closed {
		r.source.release()
	}
	return nil
}
