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

// leave is for a handler that is done: the server reads on for a moment, since
// closing with bytes unread would take the answer away.
func (b *timedBody) leave() {
	if !b.ended {
		_ = b.control.SetReadDeadline(time.Now().Add(restWait))
	}
}
