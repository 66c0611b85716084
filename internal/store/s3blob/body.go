package s3blob

import (
	"io"
	"net/http"
	"sync"
)

// reclaimTransport takes the body of a request back: when an answer is there, or
// a failure, nobody reads it any more. A server that refuses early is
// answered before its body was sent, and the goroutine that sends it goes on for
// a while; without this it would read from the very bytes that the next attempt
// sends, or that the next part is written to.
type reclaimTransport struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t reclaimTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.WithContext(r.Context()) // a copy: the caller's is not ours to change
	// Some stores leave a part of an upload unread, as that of an empty object,
	// and take it for the next request on the connection: there is none.
	r.Close = r.Method == http.MethodPut || r.Method == http.MethodPost
	if r.Body == nil || r.ContentLength <= 0 { // nothing that could be read
		return t.base.RoundTrip(r)
	}
	body := &reclaimableBody{body: r.Body, left: r.ContentLength}
	defer body.reclaim()
	r.Body, r.GetBody = body, nil
	return t.base.RoundTrip(r)
}

// reclaimableBody is the body of a request until it is taken back.
type reclaimableBody struct {
	mu        sync.Mutex
	body      io.ReadCloser
	left      int64 // of the announced length
	reclaimed bool
}

// Read implements io.Reader.
func (b *reclaimableBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.reclaimed && b.left == 0:
		return 0, io.EOF // all was read; the sender only looks whether there is more
	case b.reclaimed:
		return 0, io.ErrClosedPipe
	}
	n, err := b.body.Read(p)
	b.left -= int64(n)
	return n, err
}

// Close implements io.Closer.
func (b *reclaimableBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.body.Close()
}

// reclaim takes the body back: once it returns, nothing reads from it.
func (b *reclaimableBody) reclaim() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reclaimed = true
}
