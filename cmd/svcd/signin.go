package main

import (
	"net/netip"
	"net/url"
	"slices"

	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/setting"
)

// signInSettings are about who gets into the console, and how.
type signInSettings struct {
	ways   []string
	signUp string
}

func defaultSignInSettings() signInSettings {
	return signInSettings{
		ways:   []string{string(accounts.WayPassword), string(accounts.WayPasskey)},
		signUp: signUpClosed,
	}
}

func (s *signInSettings) table() []setting.Setting {
	return []setting.Setting{
		setting.Of("sign-in", "the ways to sign in to the console: password, passkey; what is left out opens nothing, and svcd account reset-password prints a way back",
			setting.Choices(&s.ways, "way,…", string(accounts.WayPassword), string(accounts.WayPasskey))),
		setting.Of("sign-up", "whether anybody may make an account in the console: open or closed", setting.Choice(&s.signUp, "who", signUpOpen, signUpClosed)),
	}
}

// options are what the use cases of accounts are told.
func (s *signInSettings) options() []accounts.Option {
	ways := make([]accounts.Way, len(s.ways))
	for i, way := range s.ways {
		ways[i] = accounts.Way(way)
	}
	return []accounts.Option{accounts.WithWays(ways...)}
}

// checkBase refuses to serve where nobody could sign in: passkeys belong to names.
func (s *signInSettings) checkBase(base *url.URL) error {
	if !slices.Equal(s.ways, []string{string(accounts.WayPasskey)}) {
		return nil
	}
	if _, err := netip.ParseAddr(base.Hostname()); err == nil {
		return usagef("--sign-in passkey needs a name in --base-url: browsers keep no passkey for the address %s", base.Hostname())
	}
	return nil
}
