package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A service that was asked for its authority is asked about the key as well: one that it
// refuses is not stored, one that it cannot be asked about is, and that is said.
// Promise: client-key-tried
func TestAKeyIsTriedOnceTheAuthorityIsKnown(t *testing.T) {
	const good, wrong = "svc_abcdefgh_0123456789abcdef0123456789abcdef", "svc_abcdefgh_00000000000000000000000000000000"
	var ca []byte
	down := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/ca.pem":
			_, _ = w.Write(ca)
		case down:
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"code":"UNAVAILABLE","error":"Not now.","requestId":"req_1"}`)
		case r.Header.Get("Authorization") != "Bearer "+good:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"code":"INVALID_API_KEY","error":"The key is unknown.","hint":"Make one.","requestId":"req_1"}`)
		default:
			_, _ = io.WriteString(w, `{"bundles":[]}`)
		}
	}))
	t.Cleanup(server.Close)
	ca, err := os.ReadFile(writeCA(t, server))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(server.Certificate().Raw)
	home := t.TempDir()
	run := func(command, key string) (code int, said string) {
		var out strings.Builder
		code = Main(context.Background(), []string{command, "--api-key", key, "--api-url", server.URL, "--ca-fingerprint", hex.EncodeToString(sum[:])}, Streams{
			In: strings.NewReader(""), Out: &out, Err: &out, Getenv: func(name string) string { return map[string]string{"HOME": home}[name] },
		})
		return code, out.String()
	}
	stored := func() []string {
		found, err := filepath.Glob(filepath.Join(home, ".svc", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for _, command := range []string{"auth", "login"} {
		code, said := run(command, wrong)
		if code != exitUser || !strings.Contains(said, "refuses this key, and nothing was stored") || !strings.Contains(said, "Make one.") {
			t.Errorf("svc %s with a wrong key: exit %d: %s", command, code, said)
		}
		if found := stored(); len(found) > 0 {
			t.Errorf("svc %s has stored %v", command, found)
		}
	}
	down = true
	if code, said := run("auth", wrong); code != exitOK || !strings.Contains(said, "Stored key") || !strings.Contains(said, "could not be tried (Not now.)") {
		t.Errorf("a service that does not answer: exit %d: %s", code, said)
	}
	down = false
	if code, said := run("auth", good); code != exitOK || !strings.Contains(said, "The service takes it.") || len(stored()) != 2 {
		t.Errorf("a good key: exit %d: %s; stored are %v", code, said, stored())
	}
	before, err := os.ReadFile(filepath.Join(home, ".svc", "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	if code, said := run("auth", wrong); code != exitUser || len(stored()) != 2 {
		t.Errorf("a wrong key after a good one: exit %d: %s; stored are %v", code, said, stored())
	}
	if after, err := os.ReadFile(filepath.Join(home, ".svc", "config.json")); err != nil || string(after) != string(before) {
		t.Errorf("the good key is gone: %v", err)
	}
}
