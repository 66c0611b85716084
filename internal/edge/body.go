package edge

import (
	"io"
	"net/http"
	"time"
)

// timedBody is a request's body whose deadline goes when it has been read. Beyond
// it the server reads only to notice that a client has left, and a deadline met
// then would end an answer that is still under way.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	ended   bool
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.ended = true
		// A connection that is gone has no deadline to lift: nothing is lost.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// leave is for a handler that is done. What nobody read is read here, after the
// answer: closing with bytes unread would take the answer away, and the server,
// left to find the end of a body by itself, takes it for the beginning of the
// next request and gives the connection up (with full duplex, as of Go 1.26).
func (b *timedBody) leave(r *http.Request) {
	if b.ended {
		return
	}
	_ = b.control.SetReadDeadline(time.Now().Add(restWait))
	if r.ProtoMajor >= 2 || r.Header.Get("Expect") != "" {
		return // a stream of its own; or a body that nobody asked for, and that will not come
	}
	if b.control.Flush() == nil {
		_, _ = io.CopyN(io.Discard, b.ReadCloser, maxRest) // whoever sends more loses the connection
	}
}
