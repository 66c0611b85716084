// Package edge makes the listeners and the HTTP server that face the network:
// HTTPS only, behind proxies or not, with bounds on how slow a client may be.
//
// Invariants. Whoever speaks plain HTTP to the TLS port is told the right address
// and not redirected: whoever followed a redirect would have sent the key
// unprotected first. Behind a proxy that ends TLS, only the proxies that were named
// are answered, and only requests that came to them over HTTPS. Whoever is named as
// a balancer that announces its clients must do so, and nobody else is believed. A
// client that sends or takes its bytes too slowly loses its connection; one that is
// served for hours, as a stream or a large download may be, does not. Where a
// request ends is certain before the next one is looked for: in HTTP/1 an answer
// that begins before its request was read to the end is the last on its connection,
// and a request that gives its length in two ways is refused. Nothing else is
// answered in place of the handlers but what net/http refuses before it has a
// request: a malformed one, one that is too large in its header, a protocol or
// transfer coding it does not know. Those answers are plain text, without a request
// id.
package edge

import (
	"log"
	"net/http"
	"time"
)

// The patience with clients.
const (
	// headerWait is for a request's header, and for the TLS handshake.
	headerWait = 10 * time.Second
	// bodyWait is for a request's body, which is small.
	bodyWait = 30 * time.Second
	// idleWait is for the next request on a connection.
	idleWait = 2 * time.Minute
	// stallWait is for a client to take one write, at most 16 KiB of TLS.
	stallWait = time.Minute
	// answerWait is for a client of HTTP/2 to take an answer, from its request on.
	// There, a client can refuse an answer while its connection goes on. Handlers
	// of long answers set deadlines of their own.
	answerWait = time.Minute
	// restWait is for the rest of a body that nobody asked for, after the answer.
	restWait = 5 * time.Second
	// maxHeader is the size of a request's header.
	maxHeader = 32 << 10
	// maxUnread is what a client of HTTP/2 may send of bodies that nobody reads: the
	// server has to keep it, as long as the answer lasts.
	maxUnread = 128 << 10
)

// NewServer makes a server with the patience of this package, for Serve. Over
// HTTP/1 it has no time limit for a whole answer: there, a stalled write ends the
// connection.
func NewServer(h http.Handler, errorLog *log.Logger, onRefusal RefusalFunc) *http.Server {
	return &http.Server{
		Handler:                      bound(h, onRefusal),
		DisableGeneralOptionsHandler: true, // OPTIONS * is a request like others
		ReadHeaderTimeout:            headerWait,
		IdleTimeout:                  idleWait,
		MaxHeaderBytes:               maxHeader,
		HTTP2:                        &http.HTTP2Config{MaxReceiveBufferPerConnection: maxUnread, MaxReceiveBufferPerStream: maxUnread},
		ErrorLog:                     errorLog,
	}
}

// bound gives the body of a request a time to arrive in, and its answer a time to
// be taken in.
func bound(h http.Handler, onRefusal RefusalFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		var until time.Time // a deadline that the request before left behind ends here
		if r.ProtoMajor >= 2 {
			until = time.Now().Add(answerWait)
		}
		// A writer without deadlines belongs to a test, and has nobody who stalls.
		_ = control.SetWriteDeadline(until)
		h := h
		if r.ProtoMajor == 1 && r.Header[faultyFraming] != nil {
			h = refuseFraming(onRefusal)
		}
		hasBody := r.ContentLength != 0 && r.Body != nil && control.SetReadDeadline(time.Now().Add(bodyWait)) == nil
		if !hasBody || r.ProtoMajor >= 2 { // where an unread body ends with its stream
			h.ServeHTTP(w, r)
			return
		}
		// The server knows its own request by its body, as when it has to ask for it
		// (Expect: 100-continue): handlers get a copy.
		body := guardBody(w, r)
		defer body.leave(control)
		request := r.WithContext(r.Context())
		request.Body = body
		h.ServeHTTP(w, request)
	})
}
