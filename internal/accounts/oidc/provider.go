// Package oidc signs people in at an OpenID Connect provider: it sends a browser
// there, redeems the code that comes back and checks what the provider vouches
// for. Whose account that opens is not its business.
//
// Invariants. It is the authorization code flow with PKCE (S256), a nonce and a
// state. Nothing is asked of the provider before somebody wants to sign in by it,
// and each question has a time, for all who wait for its answer together: a provider
// that is gone, or silent, keeps nobody from anything else. What it cannot tell is CodeUnavailable, what it tells and may not be
// believed CodeInvalidRequest; the reason is the error's cause, for the log.
package oidc

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	svc "github.com/bundle-delivery/svc"
)

const (
	// answerTime is how long the provider has for one question.
	answerTime = 10 * time.Second
	// freshFor is how long what the provider says of itself is believed.
	freshFor = time.Hour
	// pauseFor is how long a provider that did not answer is not asked again.
	pauseFor = 5 * time.Second
)

// Config says which provider, and who we are there.
type Config struct {
	Issuer   string
	ClientID string
	// Secret reads the secret of the client each time that it is needed, so that
	// a new one is taken without a restart.
	Secret func() (string, error)
	// Callback is the address that the provider sends browsers back to.
	Callback string
	// Roots are what vouches for the provider's certificate; nil: what the system trusts.
	Roots *x509.CertPool
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// Provider is an OpenID Connect provider.
type Provider struct {
	Config
	client *http.Client

	mu       sync.Mutex // of what follows
	found    *discovery
	foundAt  time.Time
	failure  error
	failedAt time.Time
	asking   chan struct{} // closed once the question under way is over; nil: there is none
}

// discovery is what a provider says of itself.
type discovery struct {
	*oidc.Provider
	EndSession string   `json:"end_session_endpoint"`
	Keys       string   `json:"jwks_uri"`
	Methods    []string `json:"token_endpoint_auth_methods_supported"`
}

// New makes a provider, without asking it anything.
func New(c Config) *Provider {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Provider{
		Config: c,
		client: &http.Client{Timeout: answerTime, CheckRedirect: stayThere, Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute,
			TLSClientConfig: &tls.Config{RootCAs: c.Roots, MinVersion: tls.VersionTLS12},
		}},
	}
}

// stayThere follows redirects within a host alone: what is asked may hold the secret of
// the client.
func stayThere(next *http.Request, before []*http.Request) error {
	if first := before[0].URL; next.URL.Scheme != first.Scheme || next.URL.Host != first.Host || len(before) >= 10 {
		return fmt.Errorf("%s redirects elsewhere", first.Host)
	}
	return nil
}

// discover gives what the provider says of itself. What is known is used at once, and
// after an hour renewed aside; only where nothing is known does anybody wait.
func (p *Provider) discover(ctx context.Context) (*discovery, error) {
	if asking := p.renew(ctx); asking != nil {
		select {
		case <-asking:
		case <-ctx.Done():
			return nil, unavailable(ctx.Err())
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found == nil {
		return nil, unavailable(p.failure)
	}
	return p.found, nil
}

// renew asks the provider about itself where it is time for that and nobody has done
// so yet, and gives what to wait for where nothing is known until then.
func (p *Provider) renew(ctx context.Context) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Now()
	stale := p.found == nil || now.Sub(p.foundAt) >= freshFor
	paused := p.failure != nil && now.Sub(p.failedAt) < pauseFor
	if stale && !paused && p.asking == nil {
		p.asking = make(chan struct{})
		// A browser that leaves must not spoil the answer for the others.
		go p.learn(context.WithoutCancel(ctx))
	}
	if p.found != nil {
		return nil
	}
	return p.asking
}

// learn keeps what the provider says of itself, or that it says nothing.
func (p *Provider) learn(ctx context.Context) {
	found, err := p.ask(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	// The question may have taken longer than the pause that follows it.
	if now := p.Now(); err == nil {
		p.found, p.foundAt, p.failure = found, now, nil
	} else {
		p.failure, p.failedAt = err, now
	}
	close(p.asking)
	p.asking = nil
}

func (p *Provider) ask(ctx context.Context) (*discovery, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.Issuer)
	if err != nil {
		return nil, fmt.Errorf("ask %s about itself: %w", p.Issuer, err)
	}
	d := &discovery{Provider: provider}
	if err := provider.Claims(d); err != nil {
		return nil, fmt.Errorf("ask %s about itself: %w", p.Issuer, err)
	}
	if strings.HasPrefix(p.Issuer, "https://") {
		for _, address := range []string{d.Endpoint().AuthURL, d.Endpoint().TokenURL, d.UserInfoEndpoint(), d.Keys, d.EndSession} {
			if address != "" && !strings.HasPrefix(address, "https://") {
				return nil, fmt.Errorf("ask %s about itself: its address %s is not of https", p.Issuer, address)
			}
		}
	}
	return d, nil
}

// client is who we are at the provider.
func (d *discovery) client(p *Provider, secret string) *oauth2.Config {
	endpoint := d.Endpoint()
	if len(d.Methods) > 0 && !slices.Contains(d.Methods, "client_secret_basic") && slices.Contains(d.Methods, "client_secret_post") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: secret, Endpoint: endpoint,
		RedirectURL: p.Callback, Scopes: []string{oidc.ScopeOpenID, "email"},
	}
}

// AuthURL is where a browser goes to sign in. CodeUnavailable.
func (p *Provider) AuthURL(ctx context.Context, a Attempt) (string, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	return d.client(p, "").AuthCodeURL(a.State, oidc.Nonce(a.nonce), oauth2.S256ChallengeOption(a.verifier)), nil
}

// claims are what the token says beyond what the library reads.
type claims struct {
	Email    string `json:"email"`
	Verified any    `json:"email_verified"` // some providers write "true"
	Party    string `json:"azp"`
}

// Redeem exchanges the code of an attempt, and gives what the provider vouches for
// and the token in which it does. CodeUnavailable, CodeInvalidRequest.
func (p *Provider) Redeem(ctx context.Context, a Attempt, code string) (svc.Assertion, string, error) {
	none := svc.Assertion{}
	d, err := p.discover(ctx)
	if err != nil {
		return none, "", err
	}
	secret, err := p.Secret()
	if err != nil {
		return none, "", unavailable(err)
	}
	ctx = oidc.ClientContext(ctx, p.client)
	tokens, err := d.client(p, secret).Exchange(ctx, code, oauth2.VerifierOption(a.verifier))
	if err != nil {
		if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.Response.StatusCode < http.StatusInternalServerError {
			return none, "", notBelieved("the provider does not redeem the code: %w", err)
		}
		return none, "", unavailable(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	if raw == "" {
		return none, "", notBelieved("the provider gave no identity token")
	}
	token, err := d.VerifierContext(ctx, &oidc.Config{ClientID: p.ClientID, Now: p.Now}).Verify(ctx, raw)
	if err != nil {
		return none, "", notBelieved("the identity token: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(a.nonce)) != 1 {
		return none, "", notBelieved("the identity token is of another sign-in: its nonce is another")
	}
	said, err := p.told(ctx, d, token, tokens)
	return said, raw, err
}

// told reads who a token speaks of; a provider may keep the address for those who
// ask it with the access token.
func (p *Provider) told(ctx context.Context, d *discovery, token *oidc.IDToken, tokens *oauth2.Token) (svc.Assertion, error) {
	var c claims
	if err := token.Claims(&c); err != nil {
		return svc.Assertion{}, notBelieved("the claims of the identity token: %w", err)
	}
	if c.Party != p.ClientID && (c.Party != "" || len(token.Audience) > 1) {
		return svc.Assertion{}, notBelieved("the identity token was made for %q", c.Party)
	}
	// The library has compared the issuer, but for one that leaves its https:// out.
	said := svc.Assertion{Issuer: p.Issuer, Subject: token.Subject, Email: c.Email, EmailVerified: c.Verified == true || c.Verified == "true"}
	if said.Subject == "" {
		return svc.Assertion{}, notBelieved("the identity token names nobody")
	}
	if c.Email == "" && d.UserInfoEndpoint() != "" {
		info, err := d.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
		if err != nil {
			return svc.Assertion{}, unavailable(fmt.Errorf("ask for the address: %w", err))
		}
		if info.Subject != said.Subject {
			return svc.Assertion{}, notBelieved("the provider tells of %q where it was asked about %q", info.Subject, said.Subject)
		}
		said.Email, said.EmailVerified = info.Email, info.EmailVerified
	}
	return said, nil
}

// EndSessionURL is where a browser goes to sign out at the provider too, before it
// comes back to an address; nothing where the provider offers none, or has not said so
// yet: nobody waits for it to sign out. The token of the sign-in may be empty.
func (p *Provider) EndSessionURL(token, back string) string {
	p.mu.Lock()
	d := p.found
	p.mu.Unlock()
	if d == nil || d.EndSession == "" {
		return ""
	}
	end, err := url.Parse(d.EndSession)
	if err != nil {
		return ""
	}
	query := end.Query()
	query.Set("client_id", p.ClientID)
	query.Set("post_logout_redirect_uri", back)
	query.Set("state", "signed-out")
	if token != "" {
		query.Set("id_token_hint", token)
	}
	end.RawQuery = query.Encode()
	return end.String()
}

func unavailable(cause error) *svc.Error {
	return &svc.Error{
		Code: svc.CodeUnavailable, Message: "The identity provider does not answer.",
		Hint: "Try again in a moment, or sign in another way.", RetryAfter: pauseFor, Err: cause,
	}
}

func notBelieved(format string, args ...any) *svc.Error {
	return &svc.Error{
		Code: svc.CodeInvalidRequest, Message: "What the identity provider says could not be verified.",
		Hint: "Begin again. If it persists, tell the operator of this service the time.", Err: fmt.Errorf(format, args...),
	}
}
