package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/bundle-delivery/svc/internal/ops/setting"
)

// resolved reads settings as serve does.
func resolved(t *testing.T, args, environment []string) (*settings, error) {
	t.Helper()
	s := defaultSettings()
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	all := s.table()
	setting.Register(flags, all)
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if err := s.resolve(flags, environment, all); err != nil {
		return nil, err
	}
	return s, s.check()
}

func configFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "svcd.toml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Promise: cleanup-hourly
func TestDefaultSettings(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, s := range defaultSettings().table() {
		got[s.Name] = s.Value.String()
	}
	for name, want := range map[string]string{
		"listen": "127.0.0.1:8443", "data-dir": "./svcd-data", "base-url": "", "tls-cert": "", "tls-key": "",
		"proxy-listen": "", "proxy-protocol": "false", "trusted-proxy": "", "database-url": "", "blob-url": "", "nats-url": "", "nats-replicas": "0", "event-bytes": "auto", "roles": "api,worker,assembler",
		"engine": "template", "engine-command": "", "workers": "4", "queue-depth": "100", "queue-share": "20",
		"bundle-ttl": "24h", "cleanup-interval": "1h", "pending-bytes": "4GiB", "admin-listen": "", "drain-delay": "0s", "sign-in": "password,passkey,oidc", "sign-up": "closed", "run-retention": "keep", "bundle-retention": "keep", "audit-retention": "keep", "client-dir": "",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}

func TestPrecedenceOfSettings(t *testing.T) {
	t.Parallel()
	file := configFile(t, `
listen = "127.0.0.1:1003"
data-dir = "from-file"
pending-bytes = 1000
trusted-proxy = ["10.0.0.0/8", "192.0.2.1"]
proxy-listen = "127.0.0.1:2000"
`)
	s, err := resolved(t,
		[]string{"--listen", "127.0.0.1:1001", "--config", file},
		[]string{"SVCD_LISTEN=127.0.0.1:1002", "SVCD_DATA_DIR=from-environment", "HOME=/x", "SVC_TOKEN=y"})
	if err != nil {
		t.Fatal(err)
	}
	if s.listen != "127.0.0.1:1001" {
		t.Errorf("listen is %s: a flag comes before the environment", s.listen)
	}
	if s.dataDir != "from-environment" {
		t.Errorf("data-dir is %s: the environment comes before the file", s.dataDir)
	}
	if s.limits.PendingBytes != 1000 || len(s.trustedProxy) != 2 {
		t.Errorf("pending-bytes is %d, trusted-proxy %v: the file comes before the default", s.limits.PendingBytes, s.trustedProxy)
	}
	if s, err = resolved(t, nil, []string{"SVCD_CONFIG=" + file}); err != nil || s.listen != "127.0.0.1:1003" {
		t.Errorf("a config file named by the environment: %+v, %v", s, err)
	}
}

// Promise: tls-settings
func TestWrongSettingsAreRefusedByName(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name        string
		args        []string
		environment []string
		file        string
		want        string
	}{
		{"unknown flag", []string{"--colour", "red"}, nil, "", "--colour"},
		{"unknown variable", nil, []string{"SVCD_COLOUR=red"}, "", "SVCD_COLOUR"},
		{"unknown key", nil, nil, `colour = "red"`, `"colour"`},
		{"table", nil, nil, "[listen]\nport = 1", "listen"},
		{"no TOML", nil, nil, `listen = `, "line 1"},
		{"missing file", []string{"--config", "/nowhere/svcd.toml"}, nil, "", "/nowhere/svcd.toml"},
		{"flag without a port", []string{"--listen", "localhost"}, nil, "", "--listen"},
		{"variable with a wrong port", nil, []string{"SVCD_LISTEN=localhost:99999"}, "", "SVCD_LISTEN"},
		{"an audit log that is kept too short", []string{"--audit-retention", "23h"}, nil, "", "--audit-retention"},
		{"runs that are kept too short", []string{"--run-retention", "24h"}, nil, "", "--run-retention"},
		{"empty address of the database", nil, []string{"SVCD_DATABASE_URL="}, "", "SVCD_DATABASE_URL"},
		{"empty address of the bytes", nil, nil, `blob-url = ""`, "blob-url"},
		{"empty address of the events", []string{"--nats-url", ""}, nil, "", "--nats-url"},
		{"empty certificate", nil, []string{"SVCD_TLS_CERT=", "SVCD_TLS_KEY="}, "", "SVCD_TLS_"},
		{"empty key of the model", nil, []string{"SVCD_ENGINE_KEY_FILE="}, "", "SVCD_ENGINE_KEY_FILE"},
		{"empty proxies", nil, []string{"SVCD_TRUSTED_PROXY="}, "", "SVCD_TRUSTED_PROXY"},
		{"empty variable", nil, []string{"SVCD_BUNDLE_TTL="}, "", "SVCD_BUNDLE_TTL"},
		{"key of another kind", nil, nil, `bundle-ttl = 24`, "bundle-ttl"},
		{"list of numbers", nil, nil, `roles = [1]`, "roles"},
		{"plain base address", []string{"--base-url", "http://example.com"}, nil, "", "--base-url"},
		{"base address with a query", []string{"--base-url", "https://example.com/?a=b"}, nil, "", "--base-url"},
		{"base address without a host", []string{"--base-url", "https:///path"}, nil, "", "--base-url"},
		{"base address with a step back", []string{"--base-url", "https://example.com/a/../b"}, nil, "", "--base-url"},
		{"base address with an escaped path", []string{"--base-url", "https://example.com/%C3%BC"}, nil, "", "--base-url"},
		{"base address with port 0", []string{"--base-url", "https://example.com:0"}, nil, "", "--base-url"},
		{"base address with a port beyond", []string{"--base-url", "https://example.com:65536"}, nil, "", "--base-url"},
		{"base address with an empty port", []string{"--base-url", "https://example.com:"}, nil, "", "--base-url"},
		{"base address with a wildcard", []string{"--base-url", "https://*.example.com"}, nil, "", "--base-url"},
		{"base address of everywhere", []string{"--base-url", "https://0.0.0.0:8443"}, nil, "", "--base-url"},
		{"base address of everywhere in IPv6", nil, []string{"SVCD_BASE_URL=https://[::]:8443"}, "", "SVCD_BASE_URL"},
		{"base address with a final dot", []string{"--base-url", "https://example.com."}, nil, "", "--base-url"},
		{"base address beyond ASCII", []string{"--base-url", "https://bücher.example"}, nil, "", "xn--"},
		{"unknown role", []string{"--roles", "api,cook"}, nil, "", `"cook"`},
		{"no address of NATS", []string{"--nats-url", "http://one"}, nil, "", "--nats-url"},
		{"replicas of embedded events", []string{"--nats-replicas", "3"}, nil, "", "--nats-url"},
		{"too little room for events", []string{"--event-bytes", "1MiB"}, nil, "", "64MiB"},
		{"no room for events", []string{"--event-bytes", "much"}, nil, "", "--event-bytes"},
		{"role twice", []string{"--roles", "api,api"}, nil, "", `"api"`},
		{"negative time", []string{"--bundle-ttl", "-1h"}, nil, "", "--bundle-ttl"},
		{"no size", []string{"--pending-bytes", "lots"}, nil, "", "--pending-bytes"},
		{"size beyond numbers", []string{"--pending-bytes", "99999999999TiB"}, nil, "", "--pending-bytes"},
		{"no range", []string{"--trusted-proxy", "10.0.0.0/99"}, nil, "", "--trusted-proxy"},
		{"range with an address", []string{"--trusted-proxy", "10.1.2.3/8"}, nil, "", "10.0.0.0/8"},
		{"certificate without a key", []string{"--tls-cert", "x"}, nil, "", "--tls-key"},
		{"key without a certificate", []string{"--tls-key", "x"}, nil, "", "--tls-cert"},
		{"two sources of certificates", []string{"--acme-domain", "a.example.com", "--tls-cert", "x", "--tls-key", "y"}, nil, "", "--acme-domain and --tls-cert"},
		{"authority without names", []string{"--acme-directory", "https://ca.example.com/dir"}, nil, "", "--acme-directory"},
		{"mail to an authority without names", nil, []string{"SVCD_ACME_EMAIL=you@example.com"}, "", "--acme-email"},
		{"trust in an authority without names", nil, nil, `acme-ca-file = "x"`, "--acme-ca-file"},
		{"an address for a name", []string{"--acme-domain", "192.0.2.1"}, nil, "", "192.0.2.1"},
		{"a name for many", []string{"--acme-domain", "*.example.com"}, nil, "", "one by one"},
		{"a name twice", []string{"--acme-domain", "a.example.com,A.example.com"}, nil, "", "twice"},
		{"no mail address", []string{"--acme-domain", "a.example.com", "--acme-email", "me"}, nil, "", "--acme-email"},
		{"an authority in the clear", []string{"--acme-domain", "a.example.com", "--acme-directory", "http://ca/dir"}, nil, "", "--acme-directory"},
		{"a root that is not there", []string{"--acme-domain", "a.example.com", "--acme-ca-file", "missing.pem"}, nil, "", "--acme-ca-file"},
		{"a base without a certificate", []string{"--acme-domain", "a.example.com", "--base-url", "https://b.example.com"}, nil, "", "b.example.com"},
		{"proxy address without proxies", []string{"--proxy-listen", ":80"}, nil, "", "--trusted-proxy"},
		{"proxies without an address", []string{"--trusted-proxy", "10.0.0.0/8"}, nil, "", "--proxy-listen"},
		{"announced by nobody", []string{"--proxy-protocol"}, nil, "", "--trusted-proxy"},
		{"announced perhaps", nil, []string{"SVCD_PROXY_PROTOCOL=perhaps"}, "", "SVCD_PROXY_PROTOCOL"},
		{"unknown engine", []string{"--engine", "magic"}, nil, "", `"magic"`},
		{"engine without its program", []string{"--engine", "exec"}, nil, "", "--engine-command"},
		{"program without its engine", []string{"--engine-command", "x"}, nil, "", "--engine exec"},
		{"no workers", nil, []string{"SVCD_WORKERS=0"}, "", "SVCD_WORKERS"},
		{"database of another kind", []string{"--database-url", "mysql://u:hidden@h/d"}, nil, "", "--database-url"},
		{"archives of another kind", nil, []string{"SVCD_BLOB_URL=gs://bucket"}, "", "--blob-url"},
		{"no folder", []string{"--data-dir", ""}, nil, "", "--data-dir"},
		{"no folder of clients", []string{"--client-dir", "/nowhere/dist"}, nil, "", "--client-dir"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"serve", "--data-dir", filepath.Join(t.TempDir(), "data")}, tc.args...)
			if tc.file != "" {
				args = append(args, "--config", configFile(t, tc.file))
			}
			code, _, text := runMain(t, tc.environment, args...)
			if code != exitUsage || !strings.Contains(text, tc.want) {
				t.Errorf("exit %d: %s; want exit %d and %q", code, text, exitUsage, tc.want)
			}
			if _, err := os.Stat(args[2]); !os.IsNotExist(err) {
				t.Error("the data folder was made all the same")
			}
		})
	}
}

func TestBaseURLFollowsTheListener(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ listen, bound, want string }{
		{"127.0.0.1:8443", "127.0.0.1:8443", "https://127.0.0.1:8443"},
		{":8443", "[::]:8443", "https://localhost:8443"},
		{"0.0.0.0:8443", "0.0.0.0:8443", "https://localhost:8443"},
		{"localhost:0", "127.0.0.1:4444", "https://localhost:4444"},
		{"[::1]:8443", "[::1]:8443", "https://[::1]:8443"},
	} {
		s := defaultSettings()
		s.listen = tc.listen
		address, err := net.ResolveTCPAddr("tcp", tc.bound)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.baseFor(address).String(); got != tc.want {
			t.Errorf("listening on %s gives %s, want %s", tc.listen, got, tc.want)
		}
	}
}

func TestAUsageErrorPointsToHelpOnce(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"key", "create"}, {"serve", "now"}, {"serve", "--colour"}} {
		code, _, text := runMain(t, nil, args...)
		if code != exitUsage || strings.Count(text, "--help") != 1 {
			t.Errorf("%v: exit %d: %s", args, code, text)
		}
	}
}
