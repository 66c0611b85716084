package httpd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// pipes is a listener within the process, which synctest can see through.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// script is a watcher that a test drives.
type script struct {
	events   chan []svc.Event
	verified atomic.Int32
	verify   error
	slow     time.Duration // that Verify takes
}

func (s *script) Next(ctx context.Context) ([]svc.Event, error) {
	select {
	case events, more := <-s.events:
		if !more {
			return nil, io.EOF
		}
		return events, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *script) Verify(ctx context.Context) error {
	s.verified.Add(1)
	select {
	case <-time.After(s.slow):
	case <-ctx.Done():
	}
	return s.verify
}

func token(seq int64, text string) []svc.Event {
	return []svc.Event{{Seq: seq, Name: svc.EventToken, Data: fmt.Appendf(nil, `{"v":1,"delta":%q}`, text)}}
}

// stand is one stream with a server and a client on a pipe.
type stand struct {
	streams *Streams
	script  *script
	usable  atomic.Bool // whether the key is
	broken  atomic.Bool // whether the records are
	silent  atomic.Bool // whether they give no answer at all
	stop    context.CancelFunc
	served  chan error
	pipes   *pipes
}

func newStand(t *testing.T) *stand {
	t.Helper()
	s := &stand{script: &script{events: make(chan []svc.Event)}, served: make(chan error, 10), pipes: newPipes()}
	s.usable.Store(true)
	s.streams = NewStreams(func(ctx context.Context, prefixes []string) ([]string, error) {
		if s.silent.Load() {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if s.broken.Load() {
			return nil, errors.New("the records cannot be asked")
		}
		if s.usable.Load() {
			return prefixes, ctx.Err()
		}
		return nil, ctx.Err()
	}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	s.stop = cancel
	var running sync.WaitGroup
	running.Go(func() { s.streams.Run(ctx) })
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.served <- s.streams.serve(w, r, "prefix00", s.script)
	})}
	running.Go(func() { _ = server.Serve(s.pipes) })
	t.Cleanup(func() {
		cancel()
		_ = server.Close()
		running.Wait()
	})
	return s
}

// connect opens the stream and returns the head of the answer and a reader of
// its body.
func (s *stand) connect(t *testing.T, method string) (http.Header, *bufio.Reader) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: s.pipes.dial, DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(t.Context(), method, "http://pipe/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the stream is answered %d", resp.StatusCode)
	}
	return resp.Header, bufio.NewReader(resp.Body)
}

// frame reads up to a blank line.
func frame(in *bufio.Reader) (string, error) {
	var text strings.Builder
	for {
		line, err := in.ReadString('\n')
		text.WriteString(line)
		if err != nil || line == "\n" {
			return text.String(), err
		}
	}
}

func wantFrame(t *testing.T, in *bufio.Reader, want string) {
	t.Helper()
	got, err := frame(in)
	if err != nil || got != want {
		t.Fatalf("read %q (%v), want %q", got, err, want)
	}
}

func wantEnd(t *testing.T, in *bufio.Reader) {
	t.Helper()
	if got, err := frame(in); err == nil {
		t.Fatalf("read %q, want the end", got)
	}
}

// Promise: sse-form, version-routes
func TestStreamOnTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t)
		header, in := s.connect(t, http.MethodGet)
		for name, want := range map[string]string{
			"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		wantFrame(t, in, "retry: 1000\n\n") // before any event
		s.script.events <- token(1, "a")
		wantFrame(t, in, "id: 1\nevent: token\ndata: {\"v\":1,\"delta\":\"a\"}\n\n")
		s.script.events <- append(token(2, "b"), token(3, "c")...)
		wantFrame(t, in, "id: 2\nevent: token\ndata: {\"v\":1,\"delta\":\"b\"}\n\n")
		wantFrame(t, in, "id: 3\nevent: token\ndata: {\"v\":1,\"delta\":\"c\"}\n\n")
		close(s.script.events)
		wantEnd(t, in)
		if err := <-s.served; err != nil {
			t.Errorf("the stream ended with %v", err)
		}
		if n := s.streams.Count(); n != 0 {
			t.Errorf("%d streams are still known", n)
		}
	})
}

func TestHeadOfAStreamEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t)
		header, in := s.connect(t, http.MethodHead)
		if header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("HEAD is answered with %v", header)
		}
		wantEnd(t, in)
	})
}

// Promise: stream-heartbeat
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t)
		begun := time.Now()
		_, in := s.connect(t, http.MethodGet)
		wantFrame(t, in, "retry: 1000\n\n")
		for i := range 4 {
			wantFrame(t, in, ":\n\n")
			if got, want := time.Since(begun), time.Duration(i+1)*heartbeat; got != want {
				t.Errorf("comment %d came after %v, want %v", i+1, got, want)
			}
		}
		if n := s.script.verified.Load(); n != 4 {
			t.Errorf("the log was asked %d times, want 4", n)
		}
		// Events do not put the heartbeat off.
		time.Sleep(heartbeat / 2)
		s.script.events <- token(1, "a")
		_, _ = frame(in)
		wantFrame(t, in, ":\n\n")
		if got, want := time.Since(begun), 5*heartbeat; got != want {
			t.Errorf("the comment after an event came after %v, want %v", got, want)
		}
	})
}

func TestStreamOfARunThatIsGoneEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t)
		s.script.verify = io.EOF
		_, in := s.connect(t, http.MethodGet)
		wantFrame(t, in, "retry: 1000\n\n")
		wantEnd(t, in)
	})
}

func TestTheFailureOfAStreamIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t)
		s.script.verify = errors.New("the log is gone")
		_, in := s.connect(t, http.MethodGet)
		wantFrame(t, in, "retry: 1000\n\n")
		wantEnd(t, in)
		if err := <-s.served; !errors.Is(err, s.script.verify) {
			t.Errorf("the stream ended with %v", err)
		}
	})
}

// Promise: stream-slow-reader
func TestClientThatStopsReadingIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t)
		_, in := s.connect(t, http.MethodGet)
		wantFrame(t, in, "retry: 1000\n\n")
		begun := time.Now()
		for seq := int64(1); ; seq++ {
			select {
			case s.script.events <- token(seq, strings.Repeat("x", 1000)):
				continue
			case err := <-s.served:
				if err == nil {
					t.Error("the stream ended as if nothing had happened")
				}
				if took := time.Since(begun); took > 20*time.Second+heartbeat {
					t.Errorf("the client was cut off after %v", took)
				}
				if seq > 100 {
					t.Errorf("%d events were taken for a client that reads nothing", seq)
				}
				return
			}
		}
	})
}

// Promise: stream-revoked
func TestRevokedKeyClosesItsStreams(t *testing.T) {
	for name, stalled := range map[string]bool{"reading": false, "stalled": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStand(t)
				_, in := s.connect(t, http.MethodGet)
				wantFrame(t, in, "retry: 1000\n\n")
				if stalled {
					s.script.events <- token(1, strings.Repeat("x", 100_000))
				}
				time.Sleep(5 * time.Second)
				s.usable.Store(false)
				begun := time.Now()
				<-s.served
				if took := time.Since(begun); took > time.Second {
					t.Errorf("the stream was closed after %v", took)
				}
			})
		})
	}
}

// Records that fail for a moment close no stream, whenever that moment falls
// between two questions; records that keep failing close it within a second.
func TestStreamsCloseWhenKeysCannotBeChecked(t *testing.T) {
	for after := time.Duration(0); after < keysEvery; after += keysEvery / 8 {
		t.Run(fmt.Sprintf("after %v", after), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStand(t)
				_, in := s.connect(t, http.MethodGet)
				wantFrame(t, in, "retry: 1000\n\n")
				time.Sleep(10*time.Second + after)
				s.broken.Store(true)
				time.Sleep(keysGrace / 4)
				s.broken.Store(false)
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if s.streams.Count() != 1 {
					t.Fatal("the stream was closed for a moment's silence")
				}
				s.broken.Store(true)
				begun := time.Now()
				<-s.served
				if took := time.Since(begun); took > time.Second {
					t.Errorf("the stream was closed after %v", took)
				}
			})
		})
	}
}

// A process that was kept waiting for the processor asks late. The records are not to
// blame for it, and what they say then counts.
// Promise: stream-survives-stall
func TestStreamsOutliveAProcessThatStoodStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t)
		_, in := s.connect(t, http.MethodGet)
		wantFrame(t, in, "retry: 1000\n\n")
		stood := time.Now().Add(-time.Minute)
		asked, _ := s.streams.check(t.Context(), stood.Add(-keysEvery), stood)
		synctest.Wait()
		if s.streams.Count() != 1 || !asked.Equal(time.Now()) {
			t.Error("the stream was closed before the records were asked")
		}
		s.usable.Store(false)
		s.streams.check(t.Context(), stood.Add(-keysEvery), stood)
		synctest.Wait()
		if s.streams.Count() != 0 {
			t.Error("the stream of a key that was revoked meanwhile is open")
		}
	})
}

// Whenever a key is revoked, and whatever the records do from then on, its
// stream is closed within a second.
func TestRevokedKeyHasNoStreamAfterASecondThoughNobodyCanBeAsked(t *testing.T) {
	for name, fail := range map[string]func(*stand){
		"refusing": func(s *stand) { s.broken.Store(true) },
		"silent":   func(s *stand) { s.silent.Store(true) },
	} {
		for _, stalled := range []bool{false, true} {
			for after := time.Duration(0); after < 2*keysEvery; after += keysEvery / 8 {
				t.Run(fmt.Sprintf("%s, stalled %t, after %v", name, stalled, after), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						s := newStand(t)
						_, in := s.connect(t, http.MethodGet)
						wantFrame(t, in, "retry: 1000\n\n")
						if stalled {
							s.script.events <- token(1, strings.Repeat("x", 100_000))
						}
						time.Sleep(5*time.Second + after)
						s.usable.Store(false)
						fail(s)
						begun := time.Now()
						<-s.served
						if took := time.Since(begun); took > time.Second {
							t.Errorf("the stream was closed after %v", took)
						}
						// Those who come back when it is over are served.
						s.usable.Store(true)
						s.broken.Store(false)
						s.silent.Store(false)
						_, again := s.connect(t, http.MethodGet)
						wantFrame(t, again, "retry: 1000\n\n")
						time.Sleep(2 * time.Second)
						synctest.Wait()
						if s.streams.Count() != 1 {
							t.Error("the stream of a client that came back was closed")
						}
					})
				})
			}
		}
	}
}

func TestStoppingClosesStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t)
		_, in := s.connect(t, http.MethodGet)
		wantFrame(t, in, "retry: 1000\n\n")
		s.stop()
		if err := <-s.served; err != nil {
			t.Errorf("the stream ended with %v", err)
		}
		_, late := s.connect(t, http.MethodGet)
		_, _ = frame(late)
		wantEnd(t, late)
	})
}
