package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// wire is a connection on which a test says exactly what it wants.
type wire struct {
	net.Conn
	from *bufio.Reader
}

// dialWire connects to a listener by its name in the log: "https" or "proxy".
func (i *instance) dialWire(listener string) (wire, error) {
	var dial interface {
		DialContext(ctx context.Context, network, address string) (net.Conn, error)
	} = &net.Dialer{}
	if listener == "https" {
		dial = &tls.Dialer{Config: &tls.Config{RootCAs: i.trust(), NextProtos: []string{"http/1.1"}}}
	}
	conn, err := dial.DialContext(i.t.Context(), "tcp", i.listener(listener))
	return wire{conn, bufio.NewReader(conn)}, err
}

// answer reads an answer to its end.
func (w wire) answer() (*http.Response, string, error) {
	if err := w.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		return nil, "", err
	}
	answer, err := http.ReadResponse(w.from, nil)
	if err != nil {
		return nil, "", err
	}
	text, err := io.ReadAll(answer.Body)
	return answer, string(text), errors.Join(err, answer.Body.Close())
}

// rest is what the server says within a time, and whether it has ended the
// connection by then.
func (w wire) rest(d time.Duration) (more string, closed bool) {
	_ = w.SetReadDeadline(time.Now().Add(d)) // of an open connection
	text, err := io.ReadAll(w.from)
	return string(text), !errors.Is(err, os.ErrDeadlineExceeded)
}

// unread is a request that is answered before its body is read to the end, or of
// which nobody can say where it ends.
type unread struct {
	status   int
	line     string
	key      string // header line
	length   int    // that its header gives
	inChunks int    // bytes of a body in chunks that it takes to be answered
	both     bool   // its header gives the length in both ways
}

// smuggle sends a request with another one hidden in its body, at once or after
// longer than a server can be expected to wait, and says what went wrong.
func (u unread) smuggle(w wire, chunked, slow bool, hidden string) error {
	request := u.line + " HTTP/1.1\r\nHost: x\r\nX-Forwarded-Proto: https\r\n" + u.key
	switch {
	case u.both && chunked:
		request += fmt.Sprintf("Transfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n0\r\n\r\n", u.length)
	case u.both:
		request += fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", u.length)
	case !chunked:
		request += fmt.Sprintf("Content-Length: %d\r\n\r\n", u.length)
	case u.inChunks == 0:
		request += "Transfer-Encoding: chunked\r\n\r\n"
	default:
		request += fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", u.inChunks, strings.Repeat(" ", u.inChunks))
	}
	if !slow {
		request += hidden
	}
	go func() { _, _ = io.WriteString(w, request) }() // the server may have heard enough before its end
	answer, text, err := w.answer()
	if err != nil {
		return err
	}
	if answer.StatusCode != u.status || !answer.Close {
		err = fmt.Errorf("got %s, the last on its connection: %v: %s", answer.Status, answer.Close, text)
	}
	more, closed := w.rest(6 * time.Second)
	if !closed {
		_, _ = io.WriteString(w, hidden)
		err = errors.Join(err, errors.New("the connection is still open"))
		more, _ = w.rest(2 * time.Second)
	}
	if more != "" {
		err = errors.Join(err, fmt.Errorf("then came %.200q", more))
	}
	return err
}

// Promise: http1-no-smuggling, http-ambiguous-400
func TestNothingBehindARefusedRequestIsTakenForARequest(t *testing.T) {
	t.Parallel()
	i := startOne(t, t.TempDir()+"/data", "--proxy-listen", "127.0.0.1:0", "--trusted-proxy", "127.0.0.0/8")
	key := i.account(email)
	made := i.importFiles(email, map[string]string{"a": "a"})
	limited := "/projects/" + made.ProjectID + "/bundles/repackage"
	for range 3 {
		i.want(200, "", "POST", limited, key)
	}
	authorized := "Authorization: Bearer " + key + "\r\n"
	hidden := "POST /bundles/" + made.BundleID + "/ack HTTP/1.1\r\nHost: x\r\nX-Forwarded-Proto: https\r\n" + authorized + "Content-Length: 0\r\n\r\n"
	var all sync.WaitGroup
	for _, u := range []unread{
		{status: 400, line: "GET /bundles", key: authorized, length: 5, both: true},
		{status: 401, line: "POST /generations", length: 100_000},
		{status: 404, line: "POST /nowhere", key: authorized, length: 100_000},
		{status: 405, line: "PUT /bundles", key: authorized, length: 100_000},
		{status: 413, line: "POST /generations", key: authorized, length: 2 << 20, inChunks: 1<<20 + 1},
		{status: 429, line: "POST " + limited, key: authorized, length: 100_000},
		{status: 200, line: "GET /bundles", key: authorized, length: 100_000}, // no refusal, and a body that nobody reads
	} {
		for n := range 8 {
			listener, chunked, slow := []string{"https", "proxy"}[n%2], n&2 != 0, n&4 != 0
			all.Go(func() {
				w, err := i.dialWire(listener)
				if err == nil {
					err = u.smuggle(w, chunked, slow, hidden)
					_ = w.Close()
				}
				if err != nil {
					t.Errorf("%s %d chunked=%v slow=%v: %v", listener, u.status, chunked, slow, err)
				}
			})
		}
	}
	all.Wait()
	if got := i.ask("GET", "/bundles/"+made.BundleID, key); got.status != 200 {
		t.Errorf("what stood in the body of a refused request was done: %d %s", got.status, got.body)
	}
}
