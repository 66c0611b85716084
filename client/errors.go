package client

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// StatusError is a failure that the server answered with. Err says which.
type StatusError struct {
	Status    int
	RequestID string
	Err       *svc.Error
}

// Error gives the server's words.
func (e *StatusError) Error() string {
	text := e.Err.Message
	if e.Err.Hint != "" {
		text += " " + e.Err.Hint
	}
	return text
}

// Unwrap gives the *svc.Error.
func (e *StatusError) Unwrap() error { return e.Err }

// NetworkError is a failure between here and the server.
type NetworkError struct {
	Host string
	Err  error
}

// Error names the server and the cause, and what may help.
func (e *NetworkError) Error() string {
	text := fmt.Sprintf("the exchange with %s failed: %v", e.Host, e.Err)
	var op *net.OpError
	if errors.As(e.Err, &op) && op.Op == "dial" {
		text = fmt.Sprintf("%s cannot be reached: %v", e.Host, e.Err)
	}
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(e.Err, &unknown):
		text += "; if the service has a certificate authority of its own, name it with --ca-file or SVC_CA_FILE; " + signIn
	case errors.As(e.Err, new(x509.HostnameError)):
		text += "; " + signIn
	case strings.Contains(e.Err.Error(), "server gave HTTP response to HTTPS client"):
		text += "; the address speaks plain HTTP"
	}
	return text
}

// Unwrap gives the cause.
func (e *NetworkError) Unwrap() error { return e.Err }

// RedirectError says that the server sent the client elsewhere.
type RedirectError struct{ To string }

// Error names the place.
func (e *RedirectError) Error() string {
	return "the server redirects to " + e.To + ", which is another place than the one the key is for; it is not followed. If that is the right address, use it with --api-url; " + signIn
}

// signIn is what helps where a network lets nobody out before they have signed in.
const signIn = "if this network wants you to sign in first (a captive portal), do so in a browser and try again"

// errForeign says that something answered which does not speak as the service does.
var errForeign = errors.New("the answer is not what this service says; is the address right?")

// foreign is the failure of an exchange in which something else than the service has
// answered.
func foreign(req *http.Request, header http.Header, why error) error {
	if isWebPage(header) {
		return networkError(req, fmt.Errorf("%w A web page came instead: %s", errForeign, signIn))
	}
	return networkError(req, fmt.Errorf("%w (%w)", errForeign, why))
}

// isWebPage says whether an answer is for a browser.
func isWebPage(header http.Header) bool {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && (kind == "text/html" || kind == "application/xhtml+xml")
}

// networkError wraps the failure of an exchange; the end of the caller's
// patience stays what it is.
func networkError(req *http.Request, err error) error {
	ctx := req.Context()
	if errors.Is(ctx.Err(), context.Canceled) && !errors.Is(context.Cause(ctx), errSilent) {
		return ctx.Err()
	}
	return &NetworkError{Host: req.URL.Host, Err: bareError(err)}
}

// bareError leaves out method and address, which the message says already.
func bareError(err error) error {
	if inner := errors.Unwrap(err); inner != nil && strings.Contains(err.Error(), "://") {
		return inner
	}
	return err
}

// statusError reads the body of a failure, whoever wrote it.
func statusError(req *http.Request, resp *http.Response) error {
	var body api.Error
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil || json.Unmarshal(text, &body) != nil {
		body = api.Error{}
	}
	if resp.StatusCode == http.StatusNetworkAuthenticationRequired {
		return networkError(req, fmt.Errorf("%w Something on the way answered %s: %s", errForeign, resp.Status, signIn))
	}
	if err := checkAnswer(&body); err != nil {
		return foreign(req, resp.Header, err)
	}
	if body == (api.Error{}) && resp.StatusCode < http.StatusInternalServerError && isWebPage(resp.Header) {
		body.Hint = "A web page answered, and not the service. Look at the address; or, " + signIn + "."
	}
	id := body.RequestID
	if id == "" {
		id = resp.Header.Get(api.HeaderRequestID)
	}
	return &StatusError{Status: resp.StatusCode, RequestID: id, Err: body.Failure(resp.StatusCode, resp.Header)}
}

// StatusOf returns the HTTP status of an error, or 0 if no answer of the service is its
// reason.
func StatusOf(err error) int {
	if e, ok := errors.AsType[*StatusError](err); ok {
		return e.Status
	}
	return 0
}

// temporary says whether trying again may help: the network's failures and the
// server's, but not those that say what is wrong with the request, nor a
// certificate, a redirect or a stranger that will be the same next time.
func temporary(err error) bool {
	if _, ok := errors.AsType[*RedirectError](err); ok || errors.Is(err, errForeign) || errors.Is(err, errTooSlow) {
		return false
	}
	var unknown x509.UnknownAuthorityError
	var wrongName x509.HostnameError
	var invalid x509.CertificateInvalidError
	if errors.As(err, &unknown) || errors.As(err, &wrongName) || errors.As(err, &invalid) {
		return false
	}
	if _, ok := errors.AsType[*NetworkError](err); ok {
		return true
	}
	return StatusOf(err) >= 500
}
