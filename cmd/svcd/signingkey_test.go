package main

import (
	"crypto/sha256"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/provenance"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// signingKeys are the keys as the service publishes them, without its names: they
// follow the address, which is another at each start of a test.
func (i *instance) signingKeys() []byte {
	i.t.Helper()
	text, err := json.Marshal(i.published().Keys)
	if err != nil {
		i.t.Fatal(err)
	}
	return text
}

func (i *instance) published() (keys provenance.Keys) {
	i.t.Helper()
	if err := json.Unmarshal(i.want(200, "", "GET", "/.well-known/svc-signing-keys.json", "").body, &keys); err != nil {
		i.t.Fatal(err)
	}
	return keys
}

// attested downloads a bundle and verifies its attestation.
func (i *instance) attested(key, bundle string, trust provenance.Trust) provenance.Provenance {
	i.t.Helper()
	archive := i.want(200, "", "GET", "/bundles/"+bundle+"/download", key).body
	text := i.want(200, "", "GET", "/bundles/"+bundle+"/attestation", key).body
	p, err := provenance.Verify(text, sha256.Sum256(archive), bundle, trust)
	if err != nil {
		i.t.Fatal(err)
	}
	return p
}

// Promise: attestation
func TestSigningKeysOfAService(t *testing.T) {
	t.Parallel()
	i := start(t)
	key := i.account(email)
	old, err := provenance.Pin(i.published())
	if err != nil {
		t.Fatal(err)
	}

	t.Run("a run says who made it", func(t *testing.T) {
		queued := i.send("POST", "/generations", key, `{"prompt":"a todo list API"}`)
		run := queued.field(t, "generationId")
		i.want(200, "", "GET", "/generations/"+run+"/stream", key)
		bundle := i.want(200, "", "GET", "/generations/"+run, key).field(t, "bundleId")
		p := i.attested(key, bundle, old)
		if p.Origin != svc.OriginRun || p.Files.Engine != "template" || p.Files.Run != run || p.Service != i.base ||
			p.Files.Validation == nil || len(p.Files.Validation.Checks) == 0 {
			t.Errorf("%+v", p)
		}
	})

	t.Run("an import says that it is one", func(t *testing.T) {
		made := i.importFiles(email, map[string]string{"a.txt": "a"})
		if p := i.attested(key, made.BundleID, old); p.Origin != svc.OriginImport || p.Files.Validation != nil || p.Service != i.base {
			t.Errorf("%+v", p)
		}
	})

	t.Run("the next key is vouched for by the one before", func(t *testing.T) {
		rotated := i.operate("signing-key", "rotate")
		shown := strings.Split(strings.TrimSpace(i.operate("signing-key", "show")), "\n")
		if len(shown) != 2 || shown[1] != strings.TrimSpace(rotated) || strings.Contains(strings.Join(shown, ""), "PRIVATE") {
			t.Fatalf("%q after %q", shown, rotated)
		}
		extended, err := old.Extend(i.published())
		if err != nil || len(extended.Keys) != 2 {
			t.Fatalf("%d keys, %v", len(extended.Keys), err)
		}
		made := i.importFiles(email, map[string]string{"a.txt": "b"})
		i.attested(key, made.BundleID, provenance.Trust{Keys: extended.Keys[1:]})
	})

	t.Run("an operator brings a key", func(t *testing.T) {
		openssl := needs.Program(t, "openssl", "install openssl")
		file := filepath.Join(t.TempDir(), "key.pem")
		if out, err := exec.CommandContext(t.Context(), openssl, "genpkey", "-algorithm", "ed25519", "-out", file).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if code := i.stop(); code != exitOK {
			t.Fatalf("exit %d", code)
		}
		again := startIn(t, i.dir, "--signing-key-file", file)
		extended, err := old.Extend(again.published())
		if err != nil || len(extended.Keys) != 3 {
			t.Fatalf("%d keys, %v", len(extended.Keys), err)
		}
		again.stop()
		if err := os.WriteFile(file, []byte("no key"), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, text := runMain(t, nil, "serve", "--data-dir", i.dir, "--listen", "127.0.0.1:0", "--signing-key-file", file)
		if code != exitFailure || !strings.Contains(text, "--signing-key-file") {
			t.Errorf("exit %d: %s", code, text)
		}
	})
}
