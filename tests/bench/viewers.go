package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

const (
	// dialsAtOnce bounds the handshakes under way.
	dialsAtOnce = 16
	// allArrive is how long viewers wait for events that were told.
	allArrive = time.Minute
	// Latencies are counted in steps, up to a minute.
	latencyStep  = 100 * time.Microsecond
	latencySteps = int(time.Minute / latencyStep)
)

// viewers watch streams of a server, each on a connection of its own.
type viewers struct {
	client *http.Client
	base   string
	key    string // empty: the events have no numbers

	events atomic.Int64
	faults atomic.Int64 // events that were not the next of their stream
	breaks atomic.Int64 // connections that broke
	delays [latencySteps]atomic.Uint32

	ctx      context.Context //nolint:containedctx // of all connections; leave ends it
	cancel   context.CancelFunc
	watching sync.WaitGroup
}

func newViewers(ctx context.Context, base, caFile, key string) (*viewers, error) {
	client, err := harness.Trusting(caFile)
	if err != nil {
		return nil, err
	}
	v := &viewers{client: client, base: base, key: key}
	v.ctx, v.cancel = context.WithCancel(ctx)
	return v, nil
}

// connect opens all streams and has each of them watched.
func (v *viewers) connect(paths []string) error {
	var dialling errgroup.Group
	dialling.SetLimit(dialsAtOnce)
	for _, path := range paths {
		dialling.Go(func() error {
			s := &stream{viewers: v, path: path}
			body, err := s.open()
			if err == nil {
				v.watching.Go(func() { s.follow(body) })
			}
			return err
		})
	}
	return dialling.Wait()
}

// seen is what came to all viewers since they were asked last; times are
// milliseconds.
type seen struct {
	events, faults, breaks int64
	p50, p99, slowest      float64
}

// await waits for so many events and tells what came.
func (v *viewers) await(events int64) seen {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.Now().Add(allArrive); v.events.Load() < events && time.Now().Before(late); {
		<-tick.C
	}
	s := seen{events: v.events.Swap(0), faults: v.faults.Swap(0), breaks: v.breaks.Swap(0)}
	var count int64
	for i := range v.delays {
		n := int64(v.delays[i].Swap(0))
		if n == 0 {
			continue
		}
		at := float64(i+1) * float64(latencyStep) / float64(time.Millisecond)
		if count*2 < s.events {
			s.p50 = at
		}
		if count*100 < s.events*99 {
			s.p99 = at
		}
		s.slowest = at
		count += n
	}
	return s
}

// replay reads so many events on a new connection.
func (v *viewers) replay(path string, events int64) error {
	s := &stream{viewers: v, path: path, enough: events}
	body, err := s.open()
	if err != nil {
		return err
	}
	s.read(body)
	v.events.Add(-s.number)
	if s.id < events || v.faults.Swap(0) > 0 {
		return fmt.Errorf("the replay of %d events ends after %d, or has others", events, s.id)
	}
	return nil
}

func (v *viewers) leave() {
	v.cancel()
	v.watching.Wait()
	v.client.CloseIdleConnections()
}

// stream is one stream as its viewer has seen it.
type stream struct {
	*viewers
	path   string
	id     int64 // of the last event, where events have numbers
	number int64 // in the delta of the last event
	enough int64 // the id after which no more is read; 0: none
	over   bool
}

// open asks for the events after the last one.
func (s *stream) open() (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(s.ctx, http.MethodGet, s.base+s.path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	if s.key != "" {
		req.Header.Set("Authorization", "Bearer "+s.key)
	}
	if s.id > 0 {
		req.Header.Set("Last-Event-ID", strconv.FormatInt(s.id, 10))
	}
	resp, err := s.client.Do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s", s.path, resp.Status)
		_ = resp.Body.Close() // the status says enough
	}
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// follow reads to the end of the stream, and comes back when it breaks.
func (s *stream) follow(body io.ReadCloser) {
	for {
		s.read(body)
		if s.over || s.ctx.Err() != nil {
			return
		}
		s.breaks.Add(1)
		var err error
		if body, err = s.open(); err != nil {
			s.faults.Add(1)
			return
		}
	}
}

func (s *stream) read(body io.ReadCloser) {
	defer func() { _ = body.Close() }() // it was only read
	lines := bufio.NewScanner(body)
	for !s.over && lines.Scan() {
		s.line(lines.Bytes())
	}
}

var (
	idField    = []byte("id: ")
	errorField = []byte("event: error")
	dataField  = []byte("data: ")
	deltaField = []byte(`"delta":"`)
)

// line takes one line of the stream.
func (s *stream) line(line []byte) {
	switch {
	case s.key != "" && bytes.HasPrefix(line, idField):
		id, err := strconv.ParseInt(string(line[len(idField):]), 10, 64)
		if err != nil || id != s.id+1 {
			s.faults.Add(1)
		}
		s.id = id
	case bytes.HasPrefix(line, errorField):
		s.over = true
	case bytes.HasPrefix(line, dataField):
		s.delta(line)
	case len(line) == 0:
		s.over = s.over || s.enough > 0 && s.id >= s.enough
	}
}

// delta reads number and time of an event, as numberedText wrote them.
func (s *stream) delta(data []byte) {
	_, text, found := bytes.Cut(data, deltaField)
	if !found {
		return // an event of another kind
	}
	first, rest, _ := bytes.Cut(text, []byte(" "))
	second, _, _ := bytes.Cut(rest, []byte(" "))
	number, err := strconv.ParseInt(string(first), 10, 64)
	said, errSaid := strconv.ParseInt(string(second), 10, 64)
	if err != nil || errSaid != nil || number != s.number+1 {
		s.faults.Add(1)
	}
	s.number = number
	delay := time.Duration(time.Now().UnixNano() - said)
	s.delays[min(max(int(delay/latencyStep), 0), latencySteps-1)].Add(1)
	s.events.Add(1)
}
