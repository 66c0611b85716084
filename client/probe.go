package client

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/url"

	"github.com/bundle-delivery/svc/internal/web/api"
)

// Probed is what a probe found.
type Probed struct {
	Status int
	Header http.Header
	TLS    *tls.ConnectionState // nil over plain http
}

// Probe asks for a public path and gives the answer without its body, whatever
// its status: for finding out what stands between here and the service. The key
// is not sent.
func (c *Client) Probe(ctx context.Context, path string) (Probed, error) {
	req, err := c.request(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return Probed{}, err
	}
	req.Header.Del("Authorization")
	resp, err := c.http.Do(req)
	if err != nil {
		return Probed{}, networkError(req, err)
	}
	return Probed{Status: resp.StatusCode, Header: resp.Header, TLS: resp.TLS}, resp.Body.Close()
}

// ProbeStream opens the stream of a run and waits for its first bytes, which the
// server sends at once: if they do not come, something on the way keeps them.
// The error is a *StatusError if there is no such run.
func (c *Client) ProbeStream(ctx context.Context, generationID string) (Probed, error) {
	req, err := c.request(ctx, http.MethodGet, api.StreamPath(url.PathEscape(generationID)), nil, nil)
	if err != nil {
		return Probed{}, err
	}
	req.Header.Set("Accept", api.EventStream)
	resp, err := c.send(req)
	if err != nil {
		return Probed{}, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	probed := Probed{Status: resp.StatusCode, Header: resp.Header, TLS: resp.TLS}
	if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
		return probed, networkError(req, err)
	}
	return probed, nil
}
