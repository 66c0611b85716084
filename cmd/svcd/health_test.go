package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Promise: health-command
func TestHealthSaysWhetherTheServerIsReady(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		flags []string
		ask   []string
	}{
		{"everything in one process", nil, nil},
		{"below a path", []string{"--base-url", "https://bundles.example.com/svc"}, []string{"--base-url", "https://bundles.example.com/svc"}},
		{"behind a balancer on this machine", []string{"--proxy-protocol", "--trusted-proxy", "127.0.0.0/8"}, []string{"--proxy-protocol=true", "--trusted-proxy", "127.0.0.0/8"}},
		{"a worker, which has no address", []string{"--roles", "worker"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			ask := func() (int, string) {
				code, out, text := runMain(t, nil, append([]string{"health", "--data-dir", dir}, tc.ask...)...)
				if out != "" {
					t.Errorf("stdout has %q", out)
				}
				return code, text
			}
			if code, text := ask(); code != exitFailure || !strings.Contains(text, dir) {
				t.Errorf("before there is a folder: exit %d: %s", code, text)
			}
			ctx, end := context.WithCancel(t.Context())
			var log transcript
			var server sync.WaitGroup
			server.Go(func() {
				args := append([]string{"serve", "--data-dir", dir, "--listen", "127.0.0.1:0"}, tc.flags...)
				Main(ctx, args, Streams{Out: &log, Err: &log, Program: "svcd"}, nil)
			})
			eventually(t, "health", func() bool { code, _ := ask(); return code == exitOK })
			end()
			server.Wait()
			if code, text := ask(); code != exitFailure {
				t.Errorf("after the server has ended: exit %d: %s", code, text)
			}
		})
	}
}

func TestHealthAsksAnAddressThatLeadsSomewhere(t *testing.T) {
	t.Parallel()
	for listening, want := range map[string]string{
		"[::]:8443": "localhost:8443", "0.0.0.0:8443": "localhost:8443", "127.0.0.1:8443": "127.0.0.1:8443", "[2001:db8::1]:443": "[2001:db8::1]:443",
	} {
		if got := reachable(listening); got != want {
			t.Errorf("a server on %s is asked at %s, want %s", listening, got, want)
		}
	}
}

// Promise: health-command
func TestHealthOfAServerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "svcd.addr"), []byte("127.0.0.1:1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, text := runMain(t, nil, "health", "--data-dir", dir); code != exitFailure || !strings.Contains(text, "does not answer") {
		t.Errorf("exit %d: %s", code, text)
	}
}
