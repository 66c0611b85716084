// Package modelproxy lets the agent of a run talk to a model without knowing the key.
//
// The agent sends the token of its run, at the addresses that model providers
// have: /v1/messages, /v1/chat/completions and /v1/responses. The key takes the
// place of the token here, on the way to the one address that the operator named;
// calls, tokens and money are counted on the wire, streamed or not, and a run that
// has used its budget is ended by whoever counts, not by the agent. The model that
// answers is the operator's, whatever the agent asks for. Nothing that comes back
// contains the key, also where a server repeats it.
package modelproxy

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/bundle-delivery/svc/internal/engine/llm/wire"
)

const (
	maxBody  = 32 << 20 // of a request, or of an answer that is not streamed
	maxError = 64 << 10
	maxEvent = 16 << 20
	// maxFailures is how many calls in a row may fail before the run is ended:
	// agents ask again, some of them without a pause.
	maxFailures = 20
	// maxAtOnce is how many calls of a run are under way; others wait. What they
	// send is held in memory.
	maxAtOnce = 8
)

// Config says which model is asked, and where. Where the URL ends in /v1, the addresses
// of the protocols are taken to begin with that. Without a key, the server wants none.
type Config = wire.Config

// Provider passes calls on.
type Provider struct {
	base   string
	key    string
	model  string
	stall  time.Duration
	client http.Client
	secret *secret
	held   *semaphore.Weighted // of [maxHeld]
}

// New makes a provider. Redirects are not followed: the key is for one address.
func New(c Config) (*Provider, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%q is no address of a model", c.URL)
	}
	p := &Provider{
		base: strings.TrimSuffix(strings.TrimSuffix(c.URL, "/"), "/v1"),
		key:  c.Key, model: c.Model, stall: c.Stall, secret: newSecret(c.Key), held: semaphore.NewWeighted(maxHeld),
	}
	if c.Client != nil {
		p.client = *c.Client
	}
	p.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return p, nil
}
