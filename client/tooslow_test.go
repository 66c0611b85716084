package client

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// trickle is a server behind a pipe that sends some bytes of an archive at a time, and
// ends its answers after a number of them.
type trickle struct {
	total, bytes, breakAfter int
	pause                    time.Duration
	sent                     int
}

func (s *trickle) RoundTrip(req *http.Request) (*http.Response, error) {
	near, far := net.Pipe()
	resp := &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Etag": {`"one"`}}, Request: req, ContentLength: int64(s.total), Body: near,
	}
	if req.Header.Get("Range") != "" {
		resp.StatusCode = http.StatusPartialContent
		resp.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", s.sent, s.total-1, s.total))
	}
	go func() {
		defer far.Close()
		for n := 0; s.sent < s.total && (s.breakAfter == 0 || n < s.breakAfter); n++ {
			select {
			case <-time.After(s.pause): // of the bubble's time
			case <-req.Context().Done():
				_ = near.Close()
				return
			}
			part := min(s.bytes, s.total-s.sent)
			if _, err := far.Write(make([]byte, part)); err != nil {
				return
			}
			s.sent += part
		}
	}()
	return resp, nil
}

// TestATricklingServerIsGivenUp: each byte is a sign of life, and together they would
// never end.
// Promise: pull-trickle
func TestATricklingServerIsGivenUp(t *testing.T) {
	for name, tc := range map[string]struct {
		server   *trickle
		given    bool // up
		atLatest time.Duration
	}{
		"a byte in twenty seconds":       {&trickle{total: 1 << 20, bytes: 1, pause: 20 * time.Second}, true, slowStart},
		"a byte and a break":             {&trickle{total: 1 << 20, bytes: 1, breakAfter: 1, pause: time.Millisecond}, true, slowStart + time.Minute},
		"fast, and then slow":            {&trickle{total: 64 << 20, bytes: 12 << 10, pause: time.Second}, true, 10 * time.Minute},
		"fast enough":                    {&trickle{total: 8 << 20, bytes: 17 << 10, pause: time.Second}, false, 10 * time.Minute},
		"fast enough, with breaks":       {&trickle{total: 8 << 20, bytes: 100 << 10, breakAfter: 3, pause: time.Second}, false, 10 * time.Minute},
		"small and slow, as over modems": {&trickle{total: 100 << 10, bytes: 1 << 10, pause: time.Second}, false, slowStart},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := os.Create(filepath.Join(t.TempDir(), "bundle.zip"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			synctest.Test(t, func(t *testing.T) {
				c, err := New(Options{BaseURL: "https://svc.example.com", APIKey: testKey, Jitter: func() float64 { return 0 }, Transport: tc.server})
				if err != nil {
					t.Fatal(err)
				}
				begun := time.Now()
				got, err := c.Download(t.Context(), testBundle, file, nil)
				took := time.Since(begun)
				if tc.given && (!errors.Is(err, errTooSlow) || !strings.Contains(err.Error(), "svc.example.com")) {
					t.Errorf("%v, %v", got, err)
				}
				if !tc.given && (err != nil || got.Size != int64(tc.server.total)) {
					t.Errorf("%v, %v", got, err)
				}
				if took > tc.atLatest {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}
