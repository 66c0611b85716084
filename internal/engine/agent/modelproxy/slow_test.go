package modelproxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/agent/modelproxy"
	"github.com/bundle-delivery/svc/internal/engine/llm"
)

// pipes is a listener to which a test sends connections.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "box"} }

// answers is a provider that always answers.
type answers struct{}

func (answers) RoundTrip(r *http.Request) (*http.Response, error) {
	_ = r.Body.Close()
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(whole)), Request: r,
	}, nil
}

// Four runs whose agents announce as much as there is room for, and send a byte now and
// then, do not keep the others waiting for as long as a provider may think.
// Promise: agent-relay-bounded
func TestASlowRequestKeepsItsRoomForAShortTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := modelproxy.New(modelproxy.Config{URL: "http://model.example", Key: key, Model: "chosen", Stall: 5 * time.Minute, Client: &http.Client{Transport: answers{}}})
		if err != nil {
			t.Fatal(err)
		}
		defer time.Sleep(time.Second) // of the bubble's time: a server that refuses a body closes later
		// begin sends the first bytes of a request of a new run.
		begin := func(size int, body string) (near net.Conn, end func()) {
			h := p.For(modelproxy.Run{
				Token: token, Alive: func() {}, Used: func(engine.Usage) {}, Stop: func(error) {},
				Meter: llm.NewMeter(engine.Budget{}, llm.Price{}, engine.Spent{}, time.Now),
			})
			listener, server, done := make(pipes), &http.Server{Handler: h}, make(chan error)
			go func() { done <- server.Serve(listener) }()
			near, far := net.Pipe()
			listener <- far
			if _, err := fmt.Fprintf(near, "POST /v1/messages HTTP/1.1\r\nHost: relay\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", token, size, body); err != nil {
				t.Fatal(err)
			}
			return near, func() {
				h.Close()
				_ = server.Close()
				<-done
			}
		}
		for range 8 {
			near, end := begin(largest, "{")
			defer end()
			go func() {
				for {
					time.Sleep(time.Second)
					if _, err := near.Write([]byte(" ")); err != nil {
						return
					}
				}
			}()
			go func() { _, _ = io.Copy(io.Discard, near) }()
		}
		synctest.Wait()
		began := time.Now()
		near, end := begin(2, "{}")
		defer end()
		answer, err := http.ReadResponse(bufio.NewReader(near), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if took := time.Since(began); answer.StatusCode != http.StatusOK || took > time.Minute {
			t.Errorf("%s after %v", answer.Status, took)
		}
	})
}
