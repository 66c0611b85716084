package edge

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// notes is a log that several goroutines may write.
type notes struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

// pipeTo is a connection to a server in a bubble, whose log is noted.
func pipeTo(t *testing.T, h http.Handler) (net.Conn, *notes) {
	t.Helper()
	said := &notes{}
	return pipeToServer(t, NewServer(h, log.New(said, "", 0), nil)), said
}

// breather is what net/http leaves to a client whose body it gives up.
const breather = 500 * time.Millisecond

// refusing answers everything before it reads anything, and counts.
type refusing struct{ seen int }

func (h *refusing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.seen++
	unauthorized(w, r)
}

const hidden = "POST /hidden HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"

// Promise: http1-no-smuggling, http-refused-body
func TestNothingBehindAnUnreadBodyIsTakenForARequest(t *testing.T) {
	for _, tc := range []struct {
		name  string
		head  string
		sent  string        // at once
		after string        // when the answer is there
		ends  time.Duration // from the answer on; a net.Pipe has no buffer, so the rest of a body is read as it comes
	}{
		{"a body that never comes", "Content-Length: 100000\r\n", "", "", restWait},
		{"a body that comes as a request", "Content-Length: 100000\r\n", hidden, "", restWait},
		{"a request instead of the rest", "Content-Length: 100000\r\n", "half", hidden, restWait},
		{"the whole body, and a request", "Content-Length: 5\r\n", "01234" + hidden, "", 0},
		{"the whole body later, and a request", "Content-Length: 5\r\n", "", "01234" + hidden, 0},
		// As much as net/http reads by itself, and one more: it began to read twice at once.
		{"262144 bytes", "Content-Length: 262144\r\n", strings.Repeat(" ", 262144), hidden, breather},
		{"262145 bytes", "Content-Length: 262145\r\n", strings.Repeat(" ", 262145), hidden, breather},
		{"262145 bytes later", "Content-Length: 262145\r\n", "", strings.Repeat(" ", 262145) + hidden, breather},
		{"more than that in chunks", "Transfer-Encoding: chunked\r\n", "50000\r\n" + strings.Repeat(" ", 0x50000) + "\r\n", hidden, breather},
		{"chunks that never come", "Transfer-Encoding: chunked\r\n", "", "", restWait},
		{"a request instead of a chunk", "Transfer-Encoding: chunked\r\n", hidden, "", 0},
		{"chunks and a request", "Transfer-Encoding: chunked\r\n", "1\r\nx\r\n0\r\n\r\n" + hidden, "", 0},
		{"half a chunk and a request later", "Transfer-Encoding: chunked\r\n", "ffff\r\nx", hidden, restWait},
		{"a body that waits to be asked for", "Content-Length: 5\r\nExpect: 100-continue\r\n", "", hidden, 0},
		{"one that is never asked for", "Content-Length: 5\r\nExpect: 100-continue\r\n", "", "", restWait},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				handler := &refusing{}
				near, said := pipeTo(t, handler)
				answered := make(chan struct{})
				go func() {
					_, _ = io.WriteString(near, "POST / HTTP/1.1\r\nHost: x\r\n"+tc.head+"\r\n"+tc.sent)
					<-answered
					_, _ = io.WriteString(near, tc.after)
				}()
				from := bufio.NewReader(near)
				answer, err := http.ReadResponse(from, nil)
				if err != nil {
					t.Fatal(err)
				}
				if answer.StatusCode != http.StatusUnauthorized || !answer.Close {
					t.Errorf("got %s, the last on its connection: %v", answer.Status, answer.Close)
				}
				start := time.Now()
				close(answered)
				more, err := io.ReadAll(io.MultiReader(answer.Body, from))
				if err != nil || string(more) != "no" {
					t.Errorf("got %q, %v", more, err)
				}
				if took := time.Since(start); took != tc.ends {
					t.Errorf("closed after %v, want %v", took, tc.ends)
				}
				synctest.Wait()
				if handler.seen != 1 {
					t.Errorf("%d requests were handled", handler.seen)
				}
				if said.String() != "" {
					t.Errorf("the server said %.300s", said)
				}
			})
		})
	}
}

// Promise: http1-no-smuggling
func TestAConnectionGoesOnAfterABodyThatWasRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, _ := pipeTo(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			unauthorized(w, r)
		}))
		go func() {
			_, _ = io.WriteString(near, strings.Repeat("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 2)+
				"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
		}()
		from := bufio.NewReader(near)
		for n, last := range []bool{false, false, true} { // nothing follows chunks
			answer, err := http.ReadResponse(from, nil)
			if err != nil {
				t.Fatalf("request %d: %v", n+1, err)
			}
			if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.Close != last {
				t.Errorf("request %d: %v; the last one: %v, want %v", n+1, err, answer.Close, last)
			}
		}
	})
}

// Promise: http-refused-body
func TestAHandlerThatBreaksOffEndsAnUnreadBodyAsWell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, said := pipeTo(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
		go func() { _, _ = io.WriteString(near, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n") }()
		start := time.Now()
		if got, err := io.ReadAll(near); err != nil || len(got) > 0 || time.Since(start) != restWait || said.String() != "" {
			t.Errorf("got %q, %v after %v; the server said %s", got, err, time.Since(start), said)
		}
	})
}

// Promise: http-ambiguous-400
func TestARequestWhoseEndIsNotCertainIsRefused(t *testing.T) {
	const post, end = "POST / HTTP/1.1\r\nHost: x\r\n", "\r\n0\r\n\r\n"
	const good = post + "Content-Length: 3\r\n\r\nabc"
	for _, tc := range []struct {
		name   string
		sent   string
		before int // good requests that come first
	}{
		{"length, then encoding", post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n" + end, 0},
		{"encoding, then length", post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n" + end, 0},
		{"in other cases", post + "TRANSFER-ENCODING: chunked\r\ncontent-length: 5\r\n" + end, 0},
		{"with other words between", post + "content-Length:5\r\nX: y\r\ntransfer-encoding:chunked\r\nZ: y\r\n" + end, 0},
		{"a length of nothing", post + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n" + end, 0},
		{"bare line feeds", "POST / HTTP/1.1\nHost: x\nContent-Length: 5\nTransfer-Encoding: chunked\n\n0\n\n", 0},
		{"two lengths", post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 0},
		{"an encoding in HTTP/1.0", "POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n" + end, 0},
		{"a folded length", post + "Content-Length:\r\n 3\r\n\r\nabc", 0},
		{"a folded encoding", post + "Content-Length: 3\r\nX: y\r\n Transfer-Encoding: chunked\r\n\r\nabc", 0},
		{"behind a good one", good + post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n" + end, 1},
		{"behind good ones", good + "GET / HTTP/1.1\r\nHost: x\r\n\r\n" + good + post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n" + end, 3},
		{"an encoding in HTTP/1.0 behind an empty line", good + "\r\nPOST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n" + end, 1},
		{"length and encoding behind empty lines", good + "\r\n\n" + post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n" + end, 1},
		{"somebody who knows our word", post + faultyFraming + ": 0\r\n\r\n", 0},
	} {
		for _, pace := range []string{"whole", "byte by byte"} {
			t.Run(tc.name+", "+pace, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					seen := 0
					near, _ := pipeTo(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if text, err := io.ReadAll(r.Body); err != nil || r.ContentLength > 0 && string(text) != "abc" {
							t.Errorf("the body is %q, %v", text, err)
						}
						seen++
						unauthorized(w, r)
					}))
					go func() {
						text := []byte(tc.sent + hidden)
						for len(text) > 0 {
							n := len(text)
							if pace != "whole" {
								n = 1
							}
							if _, err := near.Write(text[:n]); err != nil {
								return
							}
							text = text[n:]
						}
					}()
					from := bufio.NewReader(near)
					for range tc.before {
						answer, err := http.ReadResponse(from, nil)
						if err != nil {
							t.Fatal(err)
						}
						if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusUnauthorized {
							t.Fatalf("got %s, %v", answer.Status, err)
						}
					}
					answer, err := http.ReadResponse(from, nil)
					if err != nil {
						t.Fatal(err)
					}
					body, err := io.ReadAll(answer.Body)
					if err != nil || answer.StatusCode != http.StatusBadRequest || !answer.Close || !strings.Contains(string(body), `"field":"Transfer-Encoding"`) {
						t.Errorf("got %s, last %v: %s, %v", answer.Status, answer.Close, body, err)
					}
					if more, err := io.ReadAll(from); err != nil || len(more) > 0 {
						t.Errorf("then came %q, %v", more, err)
					}
					synctest.Wait()
					if seen != tc.before {
						t.Errorf("%d requests were handled, want %d", seen, tc.before)
					}
				})
			})
		}
	}
}

// Promise: http-ambiguous-400
func TestRequestsPassAsTheyAre(t *testing.T) {
	long := strings.Repeat("long", 5000)
	for name, sent := range map[string]string{
		"names that only look like it": "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length-: 9\r\nX-Content-Length: 9\r\nTransfer-Encodings: y\r\nContent-Length: 3\r\n\r\nabc",
		"a long header":                "GET /b HTTP/1.1\r\nHost: x\r\nX: " + long + "\r\n\r\n",
		"a folded line of no interest": "GET /c HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n",
		"a body that looks like a head": "POST /d HTTP/1.1\r\nHost: x\r\nContent-Length: 59\r\n\r\n" +
			"X: y\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nabcd",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				go func() {
					_, _ = io.WriteString(near, sent+sent)
					_ = near.Close()
				}()
				got, err := io.ReadAll(&framedConn{Conn: far})
				if err != nil || string(got) != sent+sent {
					t.Errorf("%q came as %q, %v", sent+sent, got, err)
				}
			})
		})
	}
}

// Over HTTP/2 a body that nobody reads costs its own stream, and no other.
// Promise: http2-unread-body
func TestAnUnreadBodyInHTTP2EndsItsStreamAlone(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	address, client := startTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-release
			_, _ = io.WriteString(w, "still here")
			return
		}
		unauthorized(w, r)
	}), nil)
	settings := tlsOf(t, client).Clone()
	settings.NextProtos = []string{"h2"}
	transport := &http.Transport{ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	client.Transport = transport
	var feeding sync.WaitGroup
	dials := make(chan struct{}, 10)
	transport.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		dials <- struct{}{}
		return (&tls.Dialer{Config: settings}).DialContext(ctx, network, address)
	}
	long, err := client.Get("https://" + address + "/long")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		body, feed := io.Pipe()
		feeding.Go(func() { _, _ = io.WriteString(feed, hidden) }) // and nothing more
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+address+"/", body)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set(faultyFraming, "1") // which is no word of HTTP/2
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = feed.CloseWithError(errors.New("over"))
		if err != nil || string(text) != "no" || answer.ProtoMajor != 2 {
			t.Errorf("request %d got %q, %v over %s", n+1, text, err, answer.Proto)
		}
	}
	close(release)
	text, err := io.ReadAll(long.Body)
	if err = errors.Join(err, long.Body.Close()); err != nil || string(text) != "still here" {
		t.Errorf("the other stream got %q, %v", text, err)
	}
	feeding.Wait()
	if len(dials) != 1 {
		t.Errorf("it took %d connections", len(dials))
	}
}

// The server's own client gets its answer though it sends more than is listened to.
// Promise: http-refused-body
func TestAnAnswerReachesWhoeverIsStillSending(t *testing.T) {
	t.Parallel()
	address, client := startTLS(t, http.HandlerFunc(unauthorized), nil)
	for _, size := range []int{1 << 10, 1 << 18, 1<<18 + 1, 1 << 20, 8 << 20} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			conn, err := tls.Dial("tcp", address, &tls.Config{RootCAs: tlsOf(t, client).RootCAs, NextProtos: []string{"http/1.1"}, ServerName: "example.com"})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			go func() {
				_, _ = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", size)
				_, _ = conn.Write(make([]byte, size))
			}()
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "no" {
				t.Errorf("got %q, %v", text, err)
			}
		})
	}
}

// tlsOf is how a client of startTLS speaks TLS.
func tlsOf(t *testing.T, client *http.Client) *tls.Config {
	t.Helper()
	transport, ok := client.Transport.(*http.Transport)
	if !ok {
		t.Fatalf("the client has a %T", client.Transport)
	}
	return transport.TLSClientConfig
}
