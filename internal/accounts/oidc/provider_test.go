package oidc

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// silent is a provider that takes every connection and says nothing, and how often it
// was asked.
func silent(t *testing.T) (*Provider, *atomic.Int64) {
	t.Helper()
	p := New(Config{Issuer: "http://login.example"})
	transport, ok := p.client.Transport.(*http.Transport)
	if !ok {
		t.Fatal("the client has no transport of its own")
	}
	var asked atomic.Int64
	transport.Proxy = nil
	transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
		asked.Add(1)
		here, _ := net.Pipe()
		return here, nil
	}
	return p, &asked
}

// known is what a provider said of itself once.
func known() *discovery {
	return &discovery{EndSession: "http://login.example/end"}
}

// Promise: oidc-silent
func TestWhoeverWaitsForASilentProviderWaitsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, asked := silent(t)
		began := time.Now()
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if _, err := p.AuthURL(t.Context(), Attempt{}); svc.CodeOf(err) != svc.CodeUnavailable {
					t.Errorf("a silent provider: %v", err)
				}
			})
		}
		synctest.Wait()
		if end := p.EndSessionURL("", "https://svc.example"); end != "" {
			t.Errorf("signing out leads to %q", end)
		}
		all.Wait()
		if took := time.Since(began); took != answerTime {
			t.Errorf("five at once waited %s", took)
		}
		// The next ones are told at once, until it is time to ask again.
		time.Sleep(pauseFor - time.Second)
		began = time.Now()
		if _, err := p.AuthURL(t.Context(), Attempt{}); svc.CodeOf(err) != svc.CodeUnavailable {
			t.Errorf("the sixth: %v", err)
		}
		if took := time.Since(began); took != 0 || asked.Load() != 1 {
			t.Errorf("the sixth waited %s, and the provider was asked %d times", took, asked.Load())
		}
		time.Sleep(time.Second)
		// Who leaves does not wait for the answer.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.AuthURL(ctx, Attempt{}); svc.CodeOf(err) != svc.CodeUnavailable || time.Since(began) > 2*time.Second {
			t.Errorf("somebody who leaves: %v after %s", err, time.Since(began))
		}
		time.Sleep(answerTime)
		if asked.Load() != 2 {
			t.Errorf("the provider was asked %d times", asked.Load())
		}
	})
}

// Promise: oidc-silent
func TestWhatAProviderSaidIsUsedWhileItIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, asked := silent(t)
		p.found, p.foundAt = known(), time.Now()
		for _, after := range []time.Duration{0, freshFor, time.Second, answerTime + pauseFor} {
			time.Sleep(after)
			began := time.Now()
			if d, err := p.discover(t.Context()); err != nil || d != p.found {
				t.Errorf("%v, %v", d, err)
			}
			if end := p.EndSessionURL("", "https://svc.example"); end == "" {
				t.Error("signing out leads nowhere")
			}
			if took := time.Since(began); took != 0 {
				t.Errorf("it took %s", took)
			}
		}
		time.Sleep(answerTime)
		// Once when the hour was over, and once after the pause.
		if asked.Load() != 2 {
			t.Errorf("the provider was asked %d times", asked.Load())
		}
	})
}

// Promise: oidc-limits
func TestAProviderThatLeadsElsewhereIsNotFollowed(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	said, leads := map[string]string{}, ""
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case leads != "" && r.URL.Path != "/here":
			http.Redirect(w, r, leads, http.StatusTemporaryRedirect)
		default:
			w.Header().Set("Content-Type", "application/json")
			if err := json.NewEncoder(w).Encode(said); err != nil {
				t.Error(err)
			}
		}
	}))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	for name, test := range map[string]struct {
		leads   string
		plain   string // which address is of http
		refused bool
	}{
		"honest": {}, "to the same host": {leads: "/here"}, "to another host": {leads: other.URL, refused: true},
		"plain token": {plain: "token_endpoint", refused: true}, "plain keys": {plain: "jwks_uri", refused: true},
		"plain sign-in": {plain: "authorization_endpoint", refused: true}, "plain sign-out": {plain: "end_session_endpoint", refused: true},
		"plain people": {plain: "userinfo_endpoint", refused: true},
	} {
		leads = test.leads
		said["issuer"] = server.URL
		for _, place := range []string{"authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "end_session_endpoint"} {
			said[place] = server.URL + "/" + place
			if place == test.plain {
				said[place] = strings.Replace(said[place], "https://", "http://", 1)
			}
		}
		p := New(Config{Issuer: server.URL, Roots: roots})
		if _, err := p.AuthURL(t.Context(), Attempt{}); (err != nil) != test.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if elsewhere.Load() != 0 {
		t.Errorf("the other host was asked %d times", elsewhere.Load())
	}
}

func TestTheHintOfASignOutIsTheTokenIfThereIsOne(t *testing.T) {
	p := New(Config{Issuer: "http://login.example", ClientID: "svc"})
	p.found = known()
	for token, want := range map[string][]string{"": nil, "a.b.c": {"a.b.c"}} {
		end, err := url.Parse(p.EndSessionURL(token, "https://svc.example"))
		if err != nil || end.Host != "login.example" || end.Query().Get("client_id") != "svc" || !slices.Equal(end.Query()["id_token_hint"], want) {
			t.Errorf("with the token %q signing out leads to %s, %v", token, end, err)
		}
	}
}

// What is not understood of a provider is not taken for nothing.
func TestAProviderThatDescribesItselfWronglyIsNotUsed(t *testing.T) {
	for end, usable := range map[string]bool{`"https://login.example/end"`: true, `7`: false} {
		mux := http.NewServeMux()
		server := httptest.NewTLSServer(mux)
		t.Cleanup(server.Close)
		mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"issuer":"%[1]s","authorization_endpoint":"%[1]s/auth","token_endpoint":"%[1]s/token","jwks_uri":"%[1]s/keys","end_session_endpoint":%[2]s}`, server.URL, end)
		})
		p := New(Config{Issuer: server.URL, ClientID: "svc"})
		p.client = server.Client()
		if _, err := p.AuthURL(t.Context(), Attempt{}); (err == nil) != usable || err != nil && svc.CodeOf(err) != svc.CodeUnavailable {
			t.Errorf("its end is %s: %v", end, err)
		}
	}
}
