package s3blob

import (
	"io"
	"net/http"
	"sync"
)

// lender sends requests whose bodies are only lent: when an answer is there, or
// a failure, nobody reads the body any more. A server that refuses early is
// answered before its body was sent, and the goroutine that sends it goes on for
// a while; without this it would read from the very bytes that the next attempt
// sends, or that the next part is written to.
type lender struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l lender) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.WithContext(r.Context()) // a copy: the caller's is not ours to change
	// Some stores leave a part of an upload unread, as that of an empty object,
	// and take it for the next request on the connection: there is none.
	r.Close = r.Method == http.MethodPut || r.Method == http.MethodPost
	if r.Body == nil || r.ContentLength <= 0 { // nothing that could be read
		return l.base.RoundTrip(r)
	}
	lent := &loan{body: r.Body, left: r.ContentLength}
	defer lent.end()
	r.Body, r.GetBody = lent, nil
	return l.base.RoundTrip(r)
}

// loan is a body until it is taken back.
type loan struct {
	mu   sync.Mutex
	body io.ReadCloser
	left int64 // of the announced length
	over bool
}

// Read implements io.Reader.
func (l *loan) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over && l.left == 0:
		return 0, io.EOF // all was read; the sender only looks whether there is more
	case l.over:
		return 0, io.ErrClosedPipe
	}
	n, err := l.body.Read(p)
	l.left -= int64(n)
	return n, err
}

// Close implements io.Closer.
func (l *loan) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.body.Close()
}

// end takes the body back: once it returns, nothing reads from it.
func (l *loan) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}
