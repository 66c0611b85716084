package client

import (
	"context"
	"crypto/tls"
	"net/http"
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
