package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// streamWatchArg makes this program the viewers: a connection for each stream.
const streamWatchArg = "stream-watch"

const (
	// dialsAtOnce bounds the handshakes under way.
	dialsAtOnce = 16
	dialTime    = 30 * time.Second
	// allArrive is how long viewers wait for events that were told.
	allArrive = time.Minute
	// Latencies are counted in steps, up to a minute.
	latencyStep  = 100 * time.Microsecond
	latencySteps = int(time.Minute / latencyStep)
)

// audience is all viewers of this process.
type audience struct {
	address string
	tls     *tls.Config
	key     string

	events atomic.Int64
	faults atomic.Int64 // events that were not the next of their stream
	breaks atomic.Int64 // connections that broke
	delays [latencySteps]atomic.Uint32

	stopping atomic.Bool
	viewers  sync.WaitGroup
	mu       sync.Mutex
	open     map[net.Conn]struct{}
}

// seen is the answer of viewers: what has come since they were asked last.
type seen struct {
	Events int64   `json:"events"`
	Faults int64   `json:"faults"`
	Breaks int64   `json:"breaks"`
	P50    float64 `json:"p50"` // milliseconds
	P99    float64 `json:"p99"`
	Max    float64 `json:"max"`
}

func watchStreams() error {
	a := &audience{open: make(map[net.Conn]struct{})}
	return obey(os.Stdin, os.Stdout, func(o order) (any, error) {
		switch o.Do {
		case "connect":
			return len(o.Paths), a.connect(o)
		case "wait":
			return a.wait(int64(o.Events))
		case "replay":
			return a.replay(o)
		case "leave":
			a.leave()
			return true, nil
		}
		return nil, errors.New("there is no such order")
	})
}

func (a *audience) target(o order) error {
	base, err := url.Parse(o.Base)
	if err != nil {
		return err
	}
	pem, err := os.ReadFile(o.CA)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s holds no certificate", o.CA)
	}
	a.address, a.key = base.Host, o.Key
	a.tls = &tls.Config{RootCAs: roots, ServerName: base.Hostname(), MinVersion: tls.VersionTLS13}
	return nil
}

// connect opens a stream for each path and returns when all have begun.
func (a *audience) connect(o order) error {
	if err := a.target(o); err != nil {
		return err
	}
	places := make(chan struct{}, dialsAtOnce)
	failed := make(chan error, len(o.Paths))
	for _, path := range o.Paths {
		places <- struct{}{}
		go func() {
			v := &viewer{audience: a, path: path}
			body, err := v.dial()
			failed <- err
			<-places
			if err == nil {
				a.viewers.Go(func() { v.watch(body) })
			}
		}()
	}
	for range o.Paths {
		if err := <-failed; err != nil {
			return err
		}
	}
	return nil
}

// wait waits for so many events and tells what came.
func (a *audience) wait(events int64) (seen, error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.Now().Add(allArrive); a.events.Load() < events && time.Now().Before(late); {
		<-tick.C
	}
	s := seen{Events: a.events.Swap(0), Faults: a.faults.Swap(0), Breaks: a.breaks.Swap(0)}
	var count int64
	for i := range a.delays {
		n := int64(a.delays[i].Swap(0))
		if n == 0 {
			continue
		}
		at := float64(i+1) * float64(latencyStep) / float64(time.Millisecond)
		if count*2 < s.Events {
			s.P50 = at
		}
		if count*100 < s.Events*99 {
			s.P99 = at
		}
		s.Max = at
		count += n
	}
	return s, nil
}

// replay reads so many events on a new connection and tells the milliseconds,
// from dialling on.
func (a *audience) replay(o order) (float64, error) {
	if err := a.target(o); err != nil {
		return 0, err
	}
	v := &viewer{audience: a, path: o.Paths[0]}
	before := a.events.Load()
	begin := time.Now()
	body, err := v.dial()
	if err != nil {
		return 0, err
	}
	defer func() { _ = v.conn.Close() }()
	lines := bufio.NewReaderSize(body, 32<<10)
	for v.id < int64(o.Events) {
		if err := v.line(lines); err != nil {
			return 0, fmt.Errorf("after %d events: %w", v.id, err)
		}
	}
	took := time.Since(begin)
	a.events.Store(before)
	if n := a.faults.Swap(0); n > 0 {
		return 0, fmt.Errorf("%d events of a replay were not the next", n)
	}
	return float64(took) / float64(time.Millisecond), nil
}

func (a *audience) leave() {
	a.stopping.Store(true)
	a.mu.Lock()
	for c := range a.open {
		_ = c.Close() // nobody reads on
	}
	a.mu.Unlock()
	a.viewers.Wait()
}

// viewer watches one stream.
type viewer struct {
	*audience
	path   string
	conn   net.Conn
	id     int64 // of the last event, where events have numbers
	number int64 // in the delta of the last event
	over   bool
}

// dial connects, asks for the events after the last one, and returns the body.
func (v *viewer) dial() (io.Reader, error) {
	ctx, cancel := context.WithTimeout(context.Background(), dialTime)
	defer cancel()
	conn, err := (&tls.Dialer{Config: v.tls}).DialContext(ctx, "tcp", v.address)
	if err != nil {
		return nil, err
	}
	request := "GET " + v.path + " HTTP/1.1\r\nHost: " + v.address + "\r\nAccept: text/event-stream\r\n"
	if v.key != "" {
		request += "Authorization: Bearer " + v.key + "\r\n"
	}
	if v.id > 0 {
		request += "Last-Event-ID: " + strconv.FormatInt(v.id, 10) + "\r\n"
	}
	if _, err := io.WriteString(conn, request+"\r\n"); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 4<<10), nil)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if resp.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("%s answers %s", v.path, resp.Status), conn.Close())
	}
	v.conn = conn
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open[conn] = struct{}{}
	return resp.Body, nil
}

// watch reads to the end of the run, and resumes where the connection breaks.
func (v *viewer) watch(body io.Reader) {
	for {
		lines := bufio.NewReaderSize(body, 4<<10)
		var err error
		for err == nil && !v.over {
			err = v.line(lines)
		}
		v.mu.Lock()
		delete(v.open, v.conn)
		v.mu.Unlock()
		_ = v.conn.Close() // it is at its end
		if v.over || v.stopping.Load() {
			return
		}
		v.breaks.Add(1)
		if body, err = v.dial(); err != nil {
			v.faults.Add(1)
			return
		}
	}
}

var deltaField = []byte(`"delta":"`)

// line takes one line of the stream.
func (v *viewer) line(in *bufio.Reader) error {
	text, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	switch {
	case v.key != "" && bytes.HasPrefix(text, []byte("id: ")):
		id, err := strconv.ParseInt(string(bytes.TrimSpace(text[4:])), 10, 64)
		if err != nil {
			return err
		}
		if id != v.id+1 {
			v.faults.Add(1)
		}
		v.id = id
	case bytes.HasPrefix(text, []byte("event: error")):
		v.over = true
	case bytes.HasPrefix(text, []byte("data: ")):
		v.delta(text)
	}
	return nil
}

// delta reads number and time of an event.
func (v *viewer) delta(data []byte) {
	at := bytes.Index(data, deltaField)
	if at < 0 {
		return // an event of another kind
	}
	words := bytes.SplitN(data[at+len(deltaField):], []byte{' '}, 3)
	if len(words) < 3 {
		v.faults.Add(1)
		return
	}
	number, err1 := strconv.ParseInt(string(words[0]), 10, 64)
	said, err2 := strconv.ParseInt(string(words[1]), 10, 64)
	if err1 != nil || err2 != nil || number != v.number+1 {
		v.faults.Add(1)
	}
	v.number = number
	delay := time.Duration(time.Now().UnixNano() - said)
	v.delays[min(max(int(delay/latencyStep), 0), latencySteps-1)].Add(1)
	v.events.Add(1)
}
