// Package oidctest is an OpenID Connect provider for tests, with keys of its own. It
// signs in whoever a test names, without a question, and holds clients to what the
// protocol asks of them; it tells the truth unless a test wants otherwise.
package oidctest

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// The client that the provider knows.
const (
	ClientID = "svc"
	Secret   = "a secret of the client's"
)

// Person is somebody at the provider.
type Person struct {
	Subject, Email string
	Verified       any // as the token has it: true, false, or "true"
}

// Provider is a provider. Its fields may be changed between requests.
type Provider struct {
	// Issuer is its address.
	Issuer string
	// Roots vouch for its certificate.
	Roots *x509.CertPool

	Person Person
	// Forge changes what a token says before it is signed.
	Forge func(claims map[string]any)
	// Reticent keeps the address out of the token, for those who ask with it.
	Reticent bool
	// Stranger signs with a key that is not the provider's.
	Stranger bool
	// Down answers nothing but 503.
	Down bool
	// Silent asks nothing and sends nobody back: browsers stay where they are.
	Silent bool
	// NoEnd leaves out that one can sign out.
	NoEnd bool
	Now   func() time.Time

	// Asked are the requests of browsers so far.
	Asked []*url.URL

	mu     sync.Mutex
	server *httptest.Server
	key    ed25519.PrivateKey
	codes  map[string]url.Values // what was asked when a code was given
}

// New starts a provider, over TLS or plainly.
func New(tb testing.TB, plain bool) *Provider {
	tb.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	p := &Provider{key: key, codes: map[string]url.Values{}, Now: time.Now}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /userinfo", p.userinfo)
	mux.HandleFunc("GET /end", p.end)
	p.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.Down {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	if plain {
		p.server.Start()
	} else {
		p.server.StartTLS()
		p.Roots = x509.NewCertPool()
		p.Roots.AddCert(p.server.Certificate())
	}
	tb.Cleanup(p.server.Close)
	p.Issuer = p.server.URL
	return p
}

// Set changes the provider while requests may be under way.
func (p *Provider) Set(change func(*Provider)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

// Client is a browser that follows no redirect.
func (p *Provider) Client() *http.Client {
	client := *p.server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) //nolint:errchkjson // whoever has left misses nothing
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	said := map[string]any{
		"issuer": p.Issuer, "authorization_endpoint": p.Issuer + "/authorize", "token_endpoint": p.Issuer + "/token",
		"jwks_uri": p.Issuer + "/keys", "userinfo_endpoint": p.Issuer + "/userinfo", "end_session_endpoint": p.Issuer + "/end",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"id_token_signing_alg_values_supported": []string{"EdDSA"}, "code_challenge_methods_supported": []string{"S256"},
	}
	if p.NoEnd {
		delete(said, "end_session_endpoint")
	}
	answer(w, http.StatusOK, said)
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	public, _ := p.key.Public().(ed25519.PublicKey)
	answer(w, http.StatusOK, map[string]any{"keys": []any{map[string]string{
		"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": "1", "x": base64.RawURLEncoding.EncodeToString(public),
	}}})
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	p.Asked = append(p.Asked, r.URL)
	asked := r.URL.Query()
	back, err := url.Parse(asked.Get("redirect_uri"))
	switch {
	case p.Silent:
		w.WriteHeader(http.StatusNoContent)
		return
	case err != nil || back.Host == "" || asked.Get("client_id") != ClientID || asked.Get("response_type") != "code":
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	query := url.Values{"state": {asked.Get("state")}, "iss": {p.Issuer}}
	if asked.Get("code_challenge_method") != "S256" || asked.Get("nonce") == "" || asked.Get("state") == "" {
		query.Set("error", "invalid_request")
	} else {
		code := rand.Text()
		p.codes[code] = asked
		query.Set("code", code)
	}
	back.RawQuery = query.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	if name, err := url.QueryUnescape(secret); err == nil {
		secret = name
	}
	code := r.PostFormValue("code")
	asked, known := p.codes[code]
	delete(p.codes, code)
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	switch {
	case id != ClientID || secret != Secret:
		answer(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
	case !known, r.PostFormValue("redirect_uri") != asked.Get("redirect_uri"),
		base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge"):
		answer(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
	default:
		answer(w, http.StatusOK, map[string]any{
			"access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": p.identity(asked.Get("nonce")),
		})
	}
}

// identity is a signed token about the person.
func (p *Provider) identity(nonce string) string {
	now := p.Now()
	claims := map[string]any{
		"iss": p.Issuer, "sub": p.Person.Subject, "aud": ClientID, "nonce": nonce,
		"iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
	}
	if !p.Reticent {
		claims["email"], claims["email_verified"] = p.Person.Email, p.Person.Verified
	}
	if p.Forge != nil {
		p.Forge(claims)
	}
	key := p.key
	if p.Stranger {
		_, key, _ = ed25519.GenerateKey(rand.Reader) // never fails: the runtime ends the program instead
	}
	part := func(v any) string {
		text, _ := json.Marshal(v) //nolint:errchkjson // texts, numbers and truth values
		return base64.RawURLEncoding.EncodeToString(text)
	}
	signed := part(map[string]string{"alg": "EdDSA", "kid": "1", "typ": "JWT"}) + "." + part(claims)
	return signed + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, []byte(signed)))
}

func (p *Provider) userinfo(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer access" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	answer(w, http.StatusOK, map[string]any{"sub": p.Person.Subject, "email": p.Person.Email, "email_verified": p.Person.Verified})
}

func (p *Provider) end(w http.ResponseWriter, r *http.Request) {
	p.Asked = append(p.Asked, r.URL)
	back := r.URL.Query().Get("post_logout_redirect_uri") + "?" + url.Values{"state": {r.URL.Query().Get("state")}}.Encode()
	http.Redirect(w, r, back, http.StatusFound)
}
