// Package edge stands between the network and the handlers.
//
// Its laws. Whoever speaks plain HTTP to the TLS port is told the right address
// and never led to it: whoever followed a redirect would have sent the key unprotected first.
// Behind a proxy that ends TLS, only the proxies that were named are answered,
// and only requests that came to them over HTTPS. A client that sends or takes
// its bytes too slowly loses its connection; one that is served for hours, as a
// stream or a large download may be, does not.
package edge

import (
	"log"
	"net/http"
	"time"
)

// The patience with clients.
const (
	// headerWait is for a request's header, the TLS handshake included.
	headerWait = 10 * time.Second
	// bodyWait is for a request's body, which is small.
	bodyWait = 30 * time.Second
	// idleWait is for the next request on a connection.
	idleWait = 2 * time.Minute
	// stallWait is for a client to take one write, at most 16 KiB of TLS.
	stallWait = time.Minute
	// maxHeader is the size of a request's header.
	maxHeader = 32 << 10
)

// NewServer makes a server with the patience of this package. It has no time
// limit for a whole request or answer.
func NewServer(h http.Handler, errorLog *log.Logger) *http.Server {
	return &http.Server{
		Handler:           limitBody(h),
		ReadHeaderTimeout: headerWait,
		IdleTimeout:       idleWait,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          errorLog,
	}
}

// limitBody gives the body of a request a time to arrive in. The deadline ends
// with the body: beyond it the server reads only to notice that a client has
// left, and a deadline met then would end an answer that is still under way.
func limitBody(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 && r.Body != nil {
			control := http.NewResponseController(w)
			if err := control.SetReadDeadline(time.Now().Add(bodyWait)); err == nil {
				r.Body = &timedBody{ReadCloser: r.Body, control: control}
			}
		}
		h.ServeHTTP(w, r)
	})
}
