package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Promise: sign-in-settings
func TestWrongSettingsOfSignInsAreRefusedByName(t *testing.T) {
	t.Parallel()
	secret := configFile(t, "secret")
	whole := map[string]string{
		"oidc-issuer": "https://login.example.com", "oidc-client-id": "svc", "oidc-client-secret-file": secret, "oidc-domains": "example.com",
	}
	args := func(change map[string]string) (all []string) {
		for name, value := range whole {
			if _, changed := change[name]; !changed {
				all = append(all, "--"+name, value)
			}
		}
		for name, value := range change {
			if value != "" {
				all = append(all, "--"+name, value)
			}
		}
		return all
	}
	if s, err := resolved(t, args(map[string]string{"sign-in": "oidc", "sign-up": "oidc"}), nil); err != nil || len(s.signIn.options()) == 0 {
		t.Fatalf("the whole is refused: %v", err)
	}
	empty := configFile(t, " \n")
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"without a client":             {args(map[string]string{"oidc-client-id": ""}), "--oidc-client-id"},
		"without a secret":             {args(map[string]string{"oidc-client-secret-file": ""}), "--oidc-client-secret-file"},
		"without domains":              {args(map[string]string{"oidc-domains": ""}), "--oidc-domains"},
		"with a secret that is gone":   {args(map[string]string{"oidc-client-secret-file": "/nowhere/secret"}), "/nowhere/secret"},
		"with an empty secret":         {args(map[string]string{"oidc-client-secret-file": empty}), "is empty"},
		"with an authority that is no": {args(map[string]string{"oidc-ca-file": secret}), "--oidc-ca-file"},
		"with a domain that is none":   {args(map[string]string{"oidc-domains": "@example.com"}), "--oidc-domains"},
		"over plain HTTP":              {args(map[string]string{"oidc-issuer": "http://login.example.com"}), "--oidc-issuer"},
		"with a query":                 {args(map[string]string{"oidc-issuer": "https://login.example.com/?a=b"}), "--oidc-issuer"},
		"that nobody may use":          {args(map[string]string{"sign-in": "password"}), "--sign-in leaves oidc out"},
		"domains without a provider":   {[]string{"--oidc-domains", "example.com"}, "--oidc-issuer"},
		"required without a provider":  {[]string{"--sign-in", "oidc"}, "--oidc-issuer"},
		"sign-up without a provider":   {[]string{"--sign-up", "oidc"}, "--oidc-issuer"},
		"no way at all":                {[]string{"--sign-in", ""}, "--sign-in"},
		"an unknown way":               {[]string{"--sign-in", "password,telepathy"}, "telepathy"},
	} {
		if _, err := resolved(t, test.args, nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want a refusal that names %s", name, err, test.want)
		}
	}
}

// Promise: sign-in-settings
func TestPasskeysAloneNeedAName(t *testing.T) {
	t.Parallel()
	for _, ways := range []string{"passkey", "passkey,oidc"} { // without a provider they are the same
		code, _, told := runMain(t, nil, "serve", "--data-dir", filepath.Join(t.TempDir(), "data"), "--listen", "127.0.0.1:0", "--sign-in", ways)
		if code != exitUsage || !strings.Contains(told, "--sign-in "+ways+" needs a name in --base-url") {
			t.Errorf("exit %d: %s", code, told)
		}
	}
}
