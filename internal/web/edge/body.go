package edge

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// guardedBody is a request's body in HTTP/1. Unless it is read to its end before
// the answer begins, the answer is the last on its connection: what is left of the
// body must never be taken for a request. Where a body in chunks ends is what
// servers and proxies disagree about, so nothing follows one at all.
type guardedBody struct {
	io.ReadCloser
	answer  http.Header
	chunked bool
	ended   bool
}

func guardBody(w http.ResponseWriter, r *http.Request) *guardedBody {
	w.Header().Set("Connection", "close")
	return &guardedBody{ReadCloser: r.Body, answer: w.Header(), chunked: r.ContentLength < 0}
}

func (b *guardedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.ended = b.ended || errors.Is(err, io.EOF); b.ended && !b.chunked {
		b.answer.Del("Connection")
	}
	return n, err
}

// leave is for a handler that is done, however it ends. The server sends the answer
// and takes some of what nobody read before it closes, since closing at once would
// take the answer away from whoever is still sending; but not for long.
func (b *guardedBody) leave(control *http.ResponseController) {
	if !b.ended {
		_ = control.SetReadDeadline(time.Now().Add(restWait)) // the connection may be gone
	}
}
