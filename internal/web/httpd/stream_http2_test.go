package httpd

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// A server that stops ends the streams of HTTP/2 as it ends every answer: a
// client must not take it for a failure.
func TestStreamOfHTTP2IsEndedNotReset(t *testing.T) {
	streams := NewStreams(func(_ context.Context, prefixes []string) ([]string, error) { return prefixes, nil }, nil)
	watch := &script{events: make(chan []svc.Event)}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := streams.serve(w, r, "prefix00", watch); err != nil {
			t.Errorf("the stream ended with %v", err)
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { streams.Run(ctx) })
	defer running.Wait()
	defer stop()

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.ProtoMajor != 2 {
		t.Fatalf("the protocol is %s", resp.Proto)
	}
	watch.events <- token(1, "x")
	var seen strings.Builder
	for buf := make([]byte, 1<<10); !strings.Contains(seen.String(), "id: 1\n"); {
		n, err := resp.Body.Read(buf)
		seen.Write(buf[:n])
		if err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if rest, err := io.ReadAll(resp.Body); err != nil {
		t.Errorf("after %q the stream ends with %v", rest, err)
	}
}

// On HTTP/2 the deadline of a write ends the stream also while nothing is written: one
// that waits for slow records is not one whose client takes nothing.
// Promise: stream-survives-stall
func TestStreamOfHTTP2OutlivesSlowRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watch := &script{events: make(chan []svc.Event), slow: time.Minute}
		streams := NewStreams(nil, nil)
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		line := newPipes()
		server := &http.Server{ReadHeaderTimeout: time.Minute, Protocols: &protocols, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := streams.serve(w, r, "prefix00", watch); err != nil {
				t.Errorf("the stream ended with %v", err)
			}
		})}
		var serving sync.WaitGroup
		serving.Go(func() { _ = server.Serve(line) })
		defer serving.Wait()
		defer func() { _ = server.Close() }()
		transport := &http.Transport{DialContext: line.dial, Protocols: &protocols}
		defer transport.CloseIdleConnections()

		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://svc", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		if resp.ProtoMajor != 2 {
			t.Fatalf("the protocol is %s", resp.Proto)
		}
		time.AfterFunc(5*time.Minute, func() {
			defer close(watch.events)
			select {
			case watch.events <- token(1, "x"):
			case <-time.After(5 * time.Minute): // the stream is gone
			}
		})
		told, err := io.ReadAll(resp.Body)
		if err != nil || !strings.Contains(string(told), "id: 1\n") {
			t.Errorf("the stream ends with %v after %q", err, told)
		}
	})
}

func TestAcceptThatWantsAStream(t *testing.T) {
	for accept, want := range map[string]bool{
		"text/event-stream":                         true,
		"Text/Event-Stream; q=0.5, */*":             true,
		"application/json, text/event-stream;q=1":   true,
		"text/event-stream;q=0":                     false,
		"text/event-stream ; Q = 0.000, */*":        false,
		"text/event-stream;charset=utf-8;q=0, */*":  false,
		"application/json":                          false,
		"*/*":                                       false,
		"":                                          false,
		"text/event-stream;q=nonsense":              true,
		"text/event-streams, text/event-stream;a=0": true,
	} {
		if got := wantsStream(http.Header{"Accept": {accept}}); got != want {
			t.Errorf("Accept: %s wants a stream: %v", accept, got)
		}
	}
}
