// Package httpd answers HTTP: it reads requests, asks the use cases, and writes
// what they say in the words of package api.
//
// Its invariants: nobody gets past authentication but to the public routes: not to a
// 404, not to a 405. A handler returns an error and one place turns it into an
// answer, so that every failure has the same shape and none shows its cause.
// Every answer bears a request id, and every request leaves one line in the log,
// in which a key is named by its public prefix alone. The one exception is what
// net/http answers by itself, in plain text, before there is a request to handle
// (a malformed one, a header that is too large, an unknown protocol or transfer
// coding). What changes something is done to its end even if its client stops
// listening; where nothing was done, nothing is answered rather than a success.
package httpd

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/bundle/provenance"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// Observer is told of every request, for metrics. Route is the pattern, not the
// path, or empty for one that leads nowhere.
type Observer interface {
	Request(route, method string, status int, took time.Duration, bytes int64)
}

// Check is something that /readyz shows.
type Check struct {
	Name string
	Ask  func(context.Context) error
	// Own says that it is this process's own affair: while it fails, the process is
	// not ready. What all processes share is shown, and no more: a balancer would
	// drop all of them at once, also for requests that can do without it.
	Own bool
}

// Config is what the handler is made of. Delivery, Accounts and BaseURL are needed.
type Config struct {
	Delivery *delivery.Service
	Accounts *accounts.Service
	// BaseURL is what clients are told; the routes stand under its path.
	BaseURL  string
	Logger   *slog.Logger // nil: no log
	Observer Observer     // nil: nobody looks
	// Ready are asked by /readyz.
	Ready []Check
	// Draining says that the process is about to end; nil: it never is.
	Draining func() bool
	// Console answers below /console/, with the path of BaseURL taken away; nil:
	// there is none.
	Console http.Handler
	// Authority is the certificate, in PEM, that clients have to trust; nil: none
	// beside those that they trust already.
	Authority []byte
	// SpecOf returns the spec in a project's state, or an empty text; nil: no
	// project has one.
	SpecOf func(state map[string]string) string
	// SigningKeys gives the public keys of the service; nil: it has none.
	SigningKeys func(context.Context) (provenance.Keys, error)
	// Routes are those of other rooms, beside the ones of this package.
	Routes []Route
}

// Route is one method of one path. Handle is called for a request that is
// authenticated; what it returns becomes the answer, if none has begun.
type Route struct {
	Method  string // GET also answers HEAD
	Pattern string // of net/http.ServeMux, without method and host
	Handle  func(http.ResponseWriter, *http.Request, *Call) error
	MaxBody int64 // 0: api.MaxRequestBody
}

// Call is what is known of an authenticated request.
type Call struct {
	RequestID  string
	Credential svc.Credential
	// BundleID and RunID are what the handler made, for the log.
	BundleID, RunID string
}

// AccountID is the account that the caller's key belongs to.
func (c *Call) AccountID() string { return c.Credential.Key.AccountID }

// server is the handler.
type server struct {
	Config
	prefix  string // path of the base URL, without a slash at its end
	mux     *http.ServeMux
	uploads uploads
}

// New makes the handler of the whole interface.
func New(c Config) (http.Handler, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("base URL %q is not an address such as https://host:8443/path", c.BaseURL)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &server{Config: c, prefix: strings.TrimRight(base.EscapedPath(), "/"), mux: http.NewServeMux()}
	if err := s.publicRoutes(); err != nil {
		return nil, err
	}
	s.privateRoutes(s.bundleRoutes(), s.projectRoutes(), c.Routes)
	return s, nil
}

// hsts tells browsers to stay with HTTPS, for a year.
var (
	hsts    = []string{"max-age=31536000"}
	noSniff = []string{"nosniff"}
)

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	x := &exchange{ResponseWriter: w, requestID: svc.NewRequestID()}
	h := w.Header()
	h[api.HeaderRequestID] = []string{x.requestID}
	h["Strict-Transport-Security"] = hsts
	h["X-Content-Type-Options"] = noSniff
	defer s.finish(x, r, start)
	if !plainPath(r.URL.EscapedPath()) {
		// The mux would answer with a redirect of its own making.
		s.private(nil)(x, r)
		return
	}
	s.mux.ServeHTTP(x, r)
}

// plainPath says whether a path, as it was sent, needs no cleaning.
func plainPath(path string) bool {
	if !strings.HasPrefix(path, "/") || strings.Contains(path, "//") {
		return false
	}
	for step := range strings.SplitSeq(path, "/") {
		if step == "." || step == ".." {
			return false
		}
	}
	return true
}
