package main

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/accounts/oidc"
	"github.com/bundle-delivery/svc/internal/ops/setting"
	"github.com/bundle-delivery/svc/internal/web/console"
)

// Who may make an account in the console.
const (
	signUpOpen   = "open"
	signUpOIDC   = "oidc"
	signUpClosed = "closed"
)

// signInSettings are about who gets into the console, and how.
type signInSettings struct {
	ways   []string
	signUp string

	issuer     string // of the OpenID provider; empty: there is none
	clientID   string
	secretFile string
	domains    []string
	name       string // of the provider, for people; empty: its host
	caFile     string // empty: what the system trusts
}

func defaultSignInSettings() signInSettings {
	return signInSettings{
		ways:   []string{string(accounts.WayPassword), string(accounts.WayPasskey), string(accounts.WayOIDC)},
		signUp: signUpClosed,
	}
}

func (s *signInSettings) table() []setting.Setting {
	return []setting.Setting{
		setting.Of("sign-in", "the ways to sign in to the console, of password, passkey and oidc; what is left out opens nothing, and svcd account reset-password prints a way back",
			setting.Choices(&s.ways, "way,…", string(accounts.WayPassword), string(accounts.WayPasskey), string(accounts.WayOIDC))),
		setting.Of("sign-up", "who may make an account in the console without an invitation: open is anybody, oidc whoever --oidc-issuer vouches for, closed nobody",
			setting.Choice(&s.signUp, "who", signUpOpen, signUpOIDC, signUpClosed)),
		setting.Of("oidc-issuer", "the OpenID Connect provider that people may sign in by, as https://login.example.com; it needs the three settings that follow", issuerValue(&s.issuer)),
		setting.Of("oidc-client-id", "what the provider calls this service; its redirect address there is <base-url>"+console.CallbackPath, setting.Text(&s.clientID, "id")),
		setting.Of("oidc-client-secret-file", "file with the secret of the client; a new one is taken without a restart", setting.Text(&s.secretFile, "file")),
		setting.Of("oidc-domains", "the domains of the verified addresses that may sign in by the provider, without those below them", domainsValue(&s.domains)),
		setting.Of("oidc-name", "what the button for the provider calls it (default its host)", setting.Text(&s.name, "text")),
		setting.Of("oidc-ca-file", "PEM file with the certificates to trust when talking to the provider (default those of the system)", setting.Text(&s.caFile, "file")),
	}
}

func (s *signInSettings) check() error {
	oidcAllowed := slices.Contains(s.ways, string(accounts.WayOIDC))
	if s.issuer == "" {
		for _, other := range []struct{ name, given string }{
			{"oidc-client-id", s.clientID},
			{"oidc-client-secret-file", s.secretFile},
			{"oidc-domains", strings.Join(s.domains, ",")},
			{"oidc-name", s.name},
			{"oidc-ca-file", s.caFile},
		} {
			if other.given != "" {
				return usagef("--%s has no use without --oidc-issuer, the provider that people sign in by", other.name)
			}
		}
		switch {
		case len(s.ways) == 1 && oidcAllowed:
			return usagef("--sign-in oidc needs --oidc-issuer, the provider that people sign in by")
		case s.signUp == signUpOIDC:
			return usagef("--sign-up oidc needs --oidc-issuer, the provider that people come by")
		}
		return nil
	}
	switch {
	case s.clientID == "":
		return usagef("--oidc-issuer needs --oidc-client-id, what the provider calls this service")
	case s.secretFile == "":
		return usagef("--oidc-issuer needs --oidc-client-secret-file, the file with the secret of the client")
	case len(s.domains) == 0:
		return usagef("--oidc-issuer needs --oidc-domains, the domains whose addresses may sign in: a provider may know the whole world")
	case !oidcAllowed:
		return usagef("--oidc-issuer has no use where --sign-in leaves oidc out")
	}
	if _, err := s.secret(); err != nil {
		return usagef("--oidc-client-secret-file: %w", err)
	}
	if _, err := rootsOf(s.caFile); err != nil {
		return usagef("--oidc-ca-file: %w", err)
	}
	return nil
}

func (s *signInSettings) secret() (string, error) {
	text, err := os.ReadFile(s.secretFile)
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" {
		return "", fmt.Errorf("%s is empty", s.secretFile)
	}
	return secret, nil
}

// usable are the ways that are named and can be used: there is none by a provider without one.
func (s *signInSettings) usable() (ways []accounts.Way) {
	for _, way := range s.ways {
		if way != string(accounts.WayOIDC) || s.issuer != "" {
			ways = append(ways, accounts.Way(way))
		}
	}
	return ways
}

// options are what the use cases of accounts are told.
func (s *signInSettings) options() []accounts.Option {
	return []accounts.Option{
		accounts.WithWays(s.usable()...),
		accounts.WithIdentities(accounts.IdentityRules{Issuer: s.issuer, Domains: s.domains, SignUp: s.signUp != signUpClosed}),
	}
}

// provider is who vouches for people, and what they call it; nil where nobody does.
func (s *signInSettings) provider(base *url.URL) (*oidc.Provider, string, error) {
	if s.issuer == "" {
		return nil, "", nil
	}
	roots, err := rootsOf(s.caFile)
	if err != nil {
		return nil, "", fmt.Errorf("--oidc-ca-file: %w", err)
	}
	name := s.name
	if name == "" {
		at, err := url.Parse(s.issuer)
		if err != nil {
			return nil, "", fmt.Errorf("--oidc-issuer: %w", err)
		}
		name = at.Host
	}
	return oidc.New(oidc.Config{
		Issuer: s.issuer, ClientID: s.clientID, Secret: s.secret, Roots: roots,
		Callback: strings.TrimRight(base.String(), "/") + console.CallbackPath,
	}), name, nil
}

// checkBase refuses to serve where nobody could sign in: passkeys belong to names.
func (s *signInSettings) checkBase(base *url.URL) error {
	if !slices.Equal(s.usable(), []accounts.Way{accounts.WayPasskey}) {
		return nil
	}
	if _, err := netip.ParseAddr(base.Hostname()); err == nil {
		return usagef("--sign-in %s needs a name in --base-url: browsers keep no passkey for the address %s, and there is no other way in",
			strings.Join(s.ways, ","), base.Hostname())
	}
	return nil
}

// issuerValue holds the address of a provider, as the provider itself writes it.
func issuerValue(to *string) *setting.Value[string] {
	return setting.New(to, "url", func(text string) (string, error) {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && !isLoopback(u) {
			return "", errors.New("it is no address such as https://login.example.com; plain http is for this machine alone")
		}
		return text, nil
	}, func(s string) string { return s })
}

func isLoopback(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "http" && (err == nil && ip.IsLoopback() || u.Hostname() == "localhost")
}
