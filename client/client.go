// Package client calls the HTTP interface of the bundle delivery service.
//
// A key travels only over TLS to the address that it was given for, bytes are
// handed on only when their length and digest are right, and a failure says
// whether it was the caller's, the server's or the network's.
//
// Failures that the server explained are a [*StatusError] around a *svc.Error
// with code, hint, sizes and, for a bundle that is gone, its record. Everything
// between here and the server is a [*NetworkError]. An answer of 429 is waited
// out within reason, see [Options.Wait].
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/sleep"
)

// Options say whom to talk to and how.
type Options struct {
	// BaseURL is the address of the service. Plain http is refused but for
	// this machine itself.
	BaseURL string
	// APIKey is a full key.
	APIKey string
	// CAFile is a PEM file with certificates to trust beside the system's.
	CAFile string
	// UserAgent names the program to the server.
	UserAgent string
	// Wait pauses before a request is made again, for the reason given; nil
	// sleeps. It is the place for a countdown.
	Wait func(ctx context.Context, pause time.Duration, reason error) error
	// Now is the clock; nil is the system's.
	Now func() time.Time
	// Jitter gives a number in [0,1) that spreads the waits of many clients.
	Jitter func() float64
	// Transport replaces the network; CAFile and proxies are then its business.
	Transport http.RoundTripper
}

// Client talks to one service with one key. It may be used from several
// goroutines at once.
type Client struct {
	base *url.URL
	key  string
	opts Options
	http *http.Client
}

// Times that a peer may take. A body has none: it may be large.
const (
	dialTimeout   = 10 * time.Second
	headerTimeout = 60 * time.Second
	callTimeout   = 90 * time.Second
	maxRedirects  = 5
	maxAnswer     = 8 << 20
)

// New checks the options and makes a client. It does not use the network.
func New(opts Options) (*Client, error) {
	base, err := ParseBaseURL(opts.BaseURL)
	if err != nil {
		return nil, err
	}
	if _, ok := svc.ParseKey(opts.APIKey); !ok {
		return nil, svc.Errorf(svc.CodeInvalidAPIKey, "the API key is malformed: it has the form svc_, 8 characters, an underscore and 32 hexadecimal digits")
	}
	if opts.Wait == nil {
		opts.Wait = func(ctx context.Context, pause time.Duration, _ error) error { return sleep.For(ctx, pause) }
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Jitter == nil {
		opts.Jitter = rand.Float64
	}
	if opts.Transport == nil {
		if opts.Transport, err = newTransport(opts.CAFile); err != nil {
			return nil, err
		}
	}
	c := &Client{base: base, key: opts.APIKey, opts: opts}
	c.http = &http.Client{Transport: opts.Transport, CheckRedirect: c.checkRedirect}
	return c, nil
}

// ParseBaseURL checks the address of a service: https, or http on this machine.
func ParseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Opaque != "" {
		return nil, fmt.Errorf("%q is not the address of a service; it looks like https://host/path", text)
	}
	switch {
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("the address %q must have no user, query or fragment", u.Redacted())
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, fmt.Errorf("%q is plain http, over which a key could be read by anybody; use https", text)
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%q is not an https address", text)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	return u, nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// BaseURL is the address that the client talks to, in its one spelling.
func (c *Client) BaseURL() string { return c.base.String() }

// checkRedirect follows the server only within its own origin: elsewhere a key
// has no business.
func (c *Client) checkRedirect(req *http.Request, via []*http.Request) error {
	if req.URL.Scheme != c.base.Scheme || req.URL.Host != c.base.Host {
		return &RedirectError{To: req.URL.Redacted()}
	}
	if len(via) > maxRedirects {
		return errors.New("the server redirects in circles")
	}
	return nil
}

// request makes a request to a path below the base address.
func (c *Client) request(ctx context.Context, method, path string, query url.Values, body []byte) (*http.Request, error) {
	u := *c.base
	u.Path += path
	u.RawQuery = query.Encode()
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), reader)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Accept", "application/json")
	if c.opts.UserAgent != "" {
		req.Header.Set("User-Agent", c.opts.UserAgent)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// send makes one exchange. An answer that is no success is a *StatusError.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, networkError(req, err)
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	return nil, statusError(req, resp)
}

// call makes an exchange whose answer is one JSON document, and waits out 429.
func (c *Client) call(ctx context.Context, method, path string, query url.Values, in any, header http.Header, out any) error {
	return c.retryWhenLimited(ctx, func() error { return c.once(ctx, method, path, query, in, header, out) })
}

// once is call without waiting out 429.
func (c *Client) once(ctx context.Context, method, path string, query url.Values, in any, header http.Header, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	req, err := c.request(ctx, method, path, query, body)
	if err != nil {
		return err
	}
	maps.Copy(req.Header, header)
	return c.exchange(req, out)
}

// exchange sends a request and reads its answer, one JSON document.
func (c *Client) exchange(req *http.Request, out any) error {
	resp, err := c.send(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return networkError(req, err)
	}
	if err = json.Unmarshal(text, out); err == nil {
		err = checkAnswer(out)
	}
	if err != nil {
		return foreign(req, resp.Header, err)
	}
	return nil
}
