package edge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func unauthorized(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = io.WriteString(w, "no")
}

func TestAnAnswerThatNeedsNoBodyDoesNotWaitForIt(t *testing.T) {
	for _, tc := range []struct{ name, header string }{
		{"a body that never comes", "Content-Length: 5\r\n"},
		{"a body that waits to be asked for", "Content-Length: 5\r\nExpect: 100-continue\r\n"},
		{"a large body that waits to be asked for", "Content-Length: 2000000\r\nExpect: 100-continue\r\n"},
		{"chunks that never come", "Transfer-Encoding: chunked\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near := servePipe(t, http.HandlerFunc(unauthorized))
				start := time.Now()
				if _, err := io.WriteString(near, "POST / HTTP/1.1\r\nHost: x\r\n"+tc.header+"\r\n"); err != nil {
					t.Fatal(err)
				}
				answer, err := http.ReadResponse(bufio.NewReader(near), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = answer.Body.Close() }()
				if answer.StatusCode != http.StatusUnauthorized || time.Since(start) != 0 {
					t.Errorf("got %s after %v", answer.Status, time.Since(start))
				}
			})
		})
	}
}

func TestABodyIsAskedForWhenItIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near := servePipe(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
		if _, err := io.WriteString(near, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		from := bufio.NewReader(near)
		if line, err := from.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
			t.Fatalf("got %q, %v", line, err)
		}
		if _, err := io.WriteString(near, "abc"); err != nil {
			t.Fatal(err)
		}
		if _, err := from.ReadString('\n'); err != nil { // the empty line that ends 100
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(from, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil || string(body) != "abc" {
			t.Errorf("got %q, %v", body, err)
		}
	})
}

func TestEveryRequestReachesTheHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near := servePipe(t, http.HandlerFunc(unauthorized))
		if _, err := io.WriteString(near, "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(near), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("OPTIONS * got %s", answer.Status)
		}
	})
}

// deadlineWriter notes the write deadline of an answer.
type deadlineWriter struct {
	http.ResponseWriter
	writes []time.Time
}

func (w *deadlineWriter) SetWriteDeadline(t time.Time) error {
	w.writes = append(w.writes, t)
	return nil
}

func TestTheDeadlineOfAnAnswer(t *testing.T) {
	for _, tc := range []struct {
		name  string
		major int
		want  time.Duration // 0: none
	}{
		{"HTTP/1 leaves it to the connection", 1, 0},
		{"HTTP/2 bounds each stream", 2, answerWait},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &deadlineWriter{ResponseWriter: httptest.NewRecorder()}
				r := httptest.NewRequest(http.MethodGet, "/", nil)
				r.ProtoMajor = tc.major
				bound(http.HandlerFunc(echo), nil).ServeHTTP(w, r)
				want := time.Time{}
				if tc.want != 0 {
					want = time.Now().Add(tc.want)
				}
				if len(w.writes) != 1 || !w.writes[0].Equal(want) {
					t.Errorf("deadlines %v, want %v", w.writes, want)
				}
			})
		})
	}
}

// frame is a frame of HTTP/2.
func frame(kind, flags byte, stream uint32, payload ...byte) []byte {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	head = append(head, flags)
	return append(binary.BigEndian.AppendUint32(head, stream), payload...)
}

// Frames of HTTP/2.
const (
	headers, reset, settings = 1, 3, 4
	preface                  = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
)

// Half a header keeps nobody busy, and does not keep its connection.
// Promise: http-timeouts
func TestAHeaderInHTTP2ThatDoesNotEndIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near := servePipe2(t, http.HandlerFunc(unauthorized))
		go func() {
			_, _ = io.WriteString(near, preface)
			_, _ = near.Write(frame(settings, 0, 0))
			_, _ = near.Write(frame(headers, 4|1, 1, 0x82, 0x84, 0x86)[:11])
		}()
		start := time.Now()
		_, err := io.Copy(io.Discard, near)
		if took := time.Since(start); err != nil || took < idleWait || took > idleWait+2*time.Second {
			t.Errorf("given up after %v, want %v; %v", took, idleWait, err)
		}
	})
}

func TestAClientThatTakesNoAnswerIsLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near := servePipe2(t, http.HandlerFunc(unauthorized))
		go func() {
			_, _ = io.WriteString(near, preface)
			_, _ = near.Write(frame(settings, 0, 0, 0, 4, 0, 0, 0, 0)) // a window of no bytes
			// GET / of authority x, from HPACK's static table.
			_, _ = near.Write(frame(headers, 4|1, 1, 0x82, 0x84, 0x86, 0x41, 1, 'x'))
		}()
		start := time.Now()
		for {
			head := make([]byte, 9)
			if _, err := io.ReadFull(near, head); err != nil {
				t.Fatalf("the connection ended after %v: %v", time.Since(start), err)
			}
			size := int64(binary.BigEndian.Uint32(head) >> 8)
			if _, err := io.CopyN(io.Discard, near, size); err != nil {
				t.Fatal(err)
			}
			if head[3] == reset {
				break
			}
		}
		if took := time.Since(start); took != answerWait {
			t.Errorf("let go after %v, want %v", took, answerWait)
		}
	})
}

// servePipe2 is servePipe for clients that speak HTTP/2 from the first byte.
func servePipe2(t *testing.T, h http.Handler) net.Conn {
	t.Helper()
	server := NewServer(h, log.New(io.Discard, "", 0), nil)
	server.Protocols = new(http.Protocols)
	server.Protocols.SetUnencryptedHTTP2(true)
	return pipeToServer(t, server)
}

// countedConn counts what is written.
type countedConn struct {
	net.Conn
	written atomic.Int64
}

func (c *countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// What nobody reads of a body is kept by the server, as long as the answer lasts.
// Promise: http2-unread-body
func TestLittleIsTakenOfABodyInHTTP2ThatNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near := &countedConn{Conn: servePipe2(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}))}
		transport := &http.Transport{
			Protocols:   new(http.Protocols),
			DialContext: func(context.Context, string, string) (net.Conn, error) { return near, nil },
		}
		transport.Protocols.SetUnencryptedHTTP2(true)
		defer transport.CloseIdleConnections()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x/", endless{})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := transport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		const frames = 4 << 10 // heads of frames, and those that carry no body
		if sent := near.written.Load(); sent < maxUnread || sent > maxUnread+frames {
			t.Errorf("%d bytes were taken, of %d", sent, maxUnread)
		}
		_ = answer.Body.Close()
	})
}

func TestTheErrorLogKeepsHandshakeNoiseOut(t *testing.T) {
	for _, tc := range []struct {
		line  string
		shown bool
	}{
		{"http: TLS handshake error from 192.0.2.1:99: EOF", false},
		{"http: TLS handshake error from 192.0.2.1:99: remote error: tls: unknown certificate authority", false},
		{"http: TLS handshake error from 192.0.2.1:99: remote error: tls: bad certificate", false},
		{"http: TLS handshake error from 192.0.2.1:99: read tcp 192.0.2.2:8443->192.0.2.1:99: i/o timeout", false},
		{"http: TLS handshake error from 192.0.2.1:99: " + errPlainHTTP.Error(), false},
		{"http: TLS handshake error from 192.0.2.1:99: proxyproto: proxy protocol signature not present", false},
		{"http: TLS handshake error from 192.0.2.1:99: " + errNoClient.Error(), false},
		{"http: TLS handshake error from 192.0.2.1:99: renew the certificate: no space left on device", true},
		{"http: Accept error: accept tcp: too many open files; retrying in 5ms", true},
		{"http: panic serving 192.0.2.1:99: boom", true},
	} {
		t.Run(tc.line, func(t *testing.T) {
			var out bytes.Buffer
			ErrorLog(slog.New(slog.NewTextHandler(&out, nil))).Print(tc.line)
			if shown := strings.Contains(out.String(), "level=WARN"); shown != tc.shown {
				t.Errorf("shown %v, want %v: %s", shown, tc.shown, out.String())
			}
		})
	}
}

// Promise: error-431-header
func TestAHeaderThatIsTooLargeIsRefused(t *testing.T) {
	for _, tc := range []struct {
		name   string
		size   int
		status int
	}{
		{"as large as it may be", 32<<10 - 100, http.StatusUnauthorized},
		{"larger", 32<<10 + 8<<10, http.StatusRequestHeaderFieldsTooLarge},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near := servePipe(t, http.HandlerFunc(unauthorized))
				go func() { // the server does not take all of what is too large
					_, _ = io.WriteString(near, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Large: "+strings.Repeat("x", tc.size)+"\r\n\r\n")
				}()
				answer, err := http.ReadResponse(bufio.NewReader(near), nil)
				if err != nil {
					t.Fatal(err)
				}
				_ = answer.Body.Close()
				if answer.StatusCode != tc.status {
					t.Errorf("got %s, want %d", answer.Status, tc.status)
				}
				_, _ = io.Copy(io.Discard, near) // until the server has closed
			})
		})
	}
}
