package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
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
	// leaveTime is how long viewers may need to see that they are to leave.
	leaveTime = 100 * time.Millisecond
	// audienceGarbagePercent spares the collector: viewers make next to none.
	audienceGarbagePercent = 400
	// allArrive is how long viewers wait for events that were told.
	allArrive = time.Minute
	// Latencies are counted in steps, up to a minute.
	latencyStep  = 100 * time.Microsecond
	latencySteps = int(time.Minute / latencyStep)
)

// audience is all viewers of this process. One goroutine reads for all of them,
// for what the viewers use of the processor the service cannot have.
type audience struct {
	address string
	tls     *tls.Config
	key     string

	events atomic.Int64
	faults atomic.Int64 // events that were not the next of their stream
	breaks atomic.Int64 // connections that broke
	delays [latencySteps]atomic.Uint32

	poll     *poller
	stopping atomic.Bool
	reading  sync.WaitGroup
	mu       sync.Mutex
	seats    map[int]*viewer // by socket
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
	debug.SetGCPercent(audienceGarbagePercent)
	a := &audience{seats: make(map[int]*viewer)}
	return obey(os.Stdin, os.Stdout, func(o order) (any, error) {
		switch o.Do {
		case "connect":
			return len(o.Paths), a.connect(o)
		case "wait":
			return a.wait(int64(o.Events))
		case "replay":
			return a.replay(o)
		case "leave":
			return true, a.leave()
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
func (a *audience) connect(o order) (err error) {
	if err := a.target(o); err != nil {
		return err
	}
	if a.poll, err = newPoller(); err != nil {
		return err
	}
	places := make(chan struct{}, dialsAtOnce)
	failed := make(chan error, len(o.Paths))
	for _, path := range o.Paths {
		places <- struct{}{}
		go func() {
			failed <- a.seat(&viewer{audience: a, path: path})
			<-places
		}()
	}
	for range o.Paths {
		if err := <-failed; err != nil {
			return err
		}
	}
	a.reading.Go(a.read)
	return nil
}

// seat connects a viewer and has its socket watched.
func (a *audience) seat(v *viewer) error {
	if err := v.dial(); err != nil {
		return err
	}
	// What was decrypted with the head of the answer nobody would be told of.
	if err := v.socket.unblock(); err != nil {
		return err
	}
	if err := v.read(make([]byte, 4<<10)); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seats[v.socket.fd] = v
	return a.poll.add(v.socket)
}

// read takes what comes for all viewers until they leave.
func (a *audience) read() {
	buffer := make([]byte, 32<<10)
	for !a.stopping.Load() {
		if err := a.poll.wait(leaveTime, func(fd int) {
			a.mu.Lock()
			v := a.seats[fd]
			a.mu.Unlock()
			if v == nil {
				return // it has left
			}
			v.socket.drained = false
			if err := v.read(buffer); err != nil {
				a.rise(v)
			}
		}); err != nil {
			a.faults.Add(1)
			return
		}
	}
}

// rise ends a viewer's connection, and has it come back unless its run is over.
func (a *audience) rise(v *viewer) {
	a.mu.Lock()
	delete(a.seats, v.socket.fd)
	a.mu.Unlock()
	_ = v.socket.Close() // it is at its end
	if v.over || a.stopping.Load() {
		return
	}
	a.breaks.Add(1)
	a.reading.Go(func() {
		if err := a.seat(v); err != nil {
			a.faults.Add(1)
		}
	})
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
	if err := v.dial(); err != nil {
		return 0, err
	}
	defer func() { _ = v.socket.Close() }() // all was read
	buffer := make([]byte, 32<<10)
	for v.id < int64(o.Events) {
		n, err := v.conn.Read(buffer)
		if err != nil {
			return 0, fmt.Errorf("after %d events: %w", v.id, err)
		}
		v.take(buffer[:n])
	}
	took := time.Since(begin)
	a.events.Store(before)
	if n := a.faults.Swap(0); n > 0 {
		return 0, fmt.Errorf("%d events of a replay were not the next", n)
	}
	return float64(took) / float64(time.Millisecond), nil
}

func (a *audience) leave() error {
	a.stopping.Store(true)
	a.reading.Wait()
	for _, v := range a.seats {
		_ = v.socket.Close() // nobody reads on
	}
	if a.poll == nil {
		return nil
	}
	return a.poll.close()
}
