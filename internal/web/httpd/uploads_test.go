package httpd

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// Promise: limit-bodies
func TestBodiesOnTheirWayAreBoundedInAll(t *testing.T) {
	var u uploads
	var release []func()
	take := func(account string, size int64) error {
		done, err := u.take(account, size)
		if err == nil {
			release = append(release, done)
		}
		return err
	}
	for i := range int64(maxUploads / maxAccountUploads) {
		if err := errors.Join(take(fmt.Sprint(i), maxAccountUploads-leastUpload), take(fmt.Sprint(i), 1)); err != nil {
			t.Fatal(err)
		}
		if err := take(fmt.Sprint(i), 1); svc.CodeOf(err) != svc.CodeTooManyRequests {
			t.Errorf("an account sends more than it may: %v", err)
		}
	}
	err := take("another", 1)
	if e, ok := errors.AsType[*svc.Error](err); !ok || e.Code != svc.CodeUnavailable || e.RetryAfter < time.Second {
		t.Errorf("more is sent than there is room for: %v", err)
	}
	for _, done := range release {
		done()
		done() // counts once
	}
	if u.total != 0 || len(u.account) != 0 {
		t.Errorf("all is done, and %d bytes are counted, of %v", u.total, u.account)
	}
}

// oneConnection is a listener that has one connection for whoever accepts.
type oneConnection struct {
	conn chan net.Conn
	done chan struct{}
}

func (l oneConnection) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conn:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l oneConnection) Close() error   { close(l.done); return nil }
func (l oneConnection) Addr() net.Addr { return &net.TCPAddr{} }

// A large body has half a minute, and a second for each 64 KiB that it says it has. One
// that does not say has the time of the largest.
// Promise: push-body-time
func TestAPushHasTimeByItsSize(t *testing.T) {
	const size = 4 << 20 // a minute and four seconds
	for name, tt := range map[string]struct {
		length string // how the request says where its body ends
		pace   int    // bytes that are sent every second
		bytes  int    // and how many in all
		cut    time.Duration
	}{
		"slow, and fast enough": {fmt.Sprintf("Content-Length: %d", size), size / 90, size, 0},
		"too slow":              {fmt.Sprintf("Content-Length: %d", size), size / 100, size, 94 * time.Second},
		"stopped":               {fmt.Sprintf("Content-Length: %d", size), size / 10, size / 2, 94 * time.Second},
		"small":                 {"Content-Length: 1000", 1, 1000, 30 * time.Second},
		"of unknown size":       {"Transfer-Encoding: chunked", 1000, 100, 542 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				read, s := make(chan error, 1), &server{}
				route := methods{http.MethodPost: {MaxBody: api.MaxChanges, Handle: func(_ http.ResponseWriter, r *http.Request, _ *Call) error {
					_, err := io.Copy(io.Discard, r.Body)
					read <- err
					return nil
				}}}
				web := &http.Server{ReadTimeout: changeTime, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_ = s.serve(&exchange{ResponseWriter: w}, r, &Call{}, route, "")
				})}
				listener := oneConnection{make(chan net.Conn, 1), make(chan struct{})}
				ours, theirs := net.Pipe()
				listener.conn <- theirs
				go func() { _ = web.Serve(listener) }()
				began := time.Now()
				go func() {
					defer func() { _, _ = io.Copy(io.Discard, ours) }() // what is answered
					_, err := fmt.Fprintf(ours, "POST / HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", tt.length)
					if tt.cut == 542*time.Second {
						_, err = fmt.Fprintf(ours, "%x\r\n", size)
					}
					for sent := 0; sent < tt.bytes && err == nil; sent += tt.pace {
						time.Sleep(time.Second)
						_, err = ours.Write(make([]byte, min(tt.pace, tt.bytes-sent)))
					}
				}()
				err := <-read
				if took := time.Since(began); (err != nil) != (tt.cut > 0) || tt.cut > 0 && took != tt.cut {
					t.Errorf("%v after %v, want it cut after %v", err, took, tt.cut)
				}
				_ = web.Close()
				_ = ours.Close()
				time.Sleep(time.Second) // which net/http takes to close a connection
			})
		})
	}
}
