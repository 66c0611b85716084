package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/bundle-delivery/svc/internal/web/api"
)

// Attestation gives the signed statement where a bundle comes from, as the server
// sent it: nothing in it is checked. A server that does not sign answers with a
// *StatusError of 404.
func (c *Client) Attestation(ctx context.Context, id string) ([]byte, error) {
	return c.document(ctx, api.RouteBundles+"/"+url.PathEscape(id)+"/attestation")
}

// SigningKeys gives the public keys of the service, as Attestation does.
func (c *Client) SigningKeys(ctx context.Context) ([]byte, error) {
	return c.document(ctx, api.RouteSigningKeys)
}

// document fetches a JSON document as it is, and tries again what failed in passing.
func (c *Client) document(ctx context.Context, path string) (text json.RawMessage, err error) {
	for retries := 0; ; retries++ {
		err = c.call(ctx, http.MethodGet, path, nil, nil, nil, &text)
		if err == nil || !temporary(err) || retries == maxDownloadRetries {
			return text, err
		}
		if err := c.opts.Wait(ctx, c.jittered(firstDownloadPause<<retries), err); err != nil {
			return nil, err
		}
	}
}
