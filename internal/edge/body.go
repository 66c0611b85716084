package edge

import (
	"io"
	"net/http"
	"time"
)

// timedBody is a request's body whose deadline goes when it has been read.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		// A connection that is gone has no deadline to lift: nothing is lost.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
