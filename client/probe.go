package client

import (
	"context"
	"net/http"
)

// Probe asks for a public path and gives the answer without its body, whatever
// its status: for finding out what stands between here and the service. The key
// is not sent.
func (c *Client) Probe(ctx context.Context, path string) (*http.Response, error) {
	req, err := c.request(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Del("Authorization")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, networkError(req, err)
	}
	return resp, resp.Body.Close()
}
