// Package attest lets libraries of others judge what a real server signs.
package attest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	provenance "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"github.com/secure-systems-lab/go-securesystemslib/signerverifier"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// delivered is a bundle with what is said of it, as files.
type delivered struct {
	id                         string
	attestation, keys, archive []byte
}

// deliver fetches the bundle of a real server, whose key was rotated before.
func deliver(t *testing.T) delivered {
	t.Helper()
	dir := t.TempDir()
	program, err := harness.Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	server, err := harness.Start(context.WithoutCancel(t.Context()), program, filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	if _, err := server.Admin(t.Context(), "signing-key", "rotate"); err != nil {
		t.Fatal(err)
	}
	tree := t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "main.go"), []byte("package main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tenant, err := server.Tenant(t.Context(), "ada@example.com", tree)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(path string) []byte {
		var answer bytes.Buffer
		if status, err := server.Do(t.Context(), tenant.Key, http.MethodGet, path, &answer); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d, %v", path, status, err)
		}
		return answer.Bytes()
	}
	bundle := "/bundles/" + tenant.BundleID
	return delivered{tenant.BundleID, ask(bundle + "/attestation"), ask("/.well-known/svc-signing-keys.json"), ask(bundle + "/download")}
}

// newest gives the key that signs, for go-securesystemslib.
func (d delivered) newest(t *testing.T) dsse.Verifier {
	t.Helper()
	var published struct {
		Keys []struct{ KeyID, PublicKey string }
	}
	if err := json.Unmarshal(d.keys, &published); err != nil || len(published.Keys) != 2 {
		t.Fatalf("%s: %v", d.keys, err)
	}
	key := published.Keys[1]
	public, err := base64.StdEncoding.DecodeString(key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := signerverifier.NewED25519SignerVerifierFromSSLibKey(&signerverifier.SSLibKey{
		KeyType: signerverifier.ED25519KeyType, Scheme: signerverifier.ED25519KeyType, KeyID: key.KeyID,
		KeyVal: signerverifier.KeyVal{Public: hex.EncodeToString(public)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return verifier
}

// Promise: attestation-foreign
func TestLibrariesOfOthersVerifyAttestations(t *testing.T) {
	d := deliver(t)

	t.Run("in-toto and securesystemslib", func(t *testing.T) {
		var envelope dsse.Envelope
		if err := json.Unmarshal(d.attestation, &envelope); err != nil {
			t.Fatal(err)
		}
		verifier, err := dsse.NewEnvelopeVerifier(d.newest(t))
		if err != nil {
			t.Fatal(err)
		}
		accepted, err := verifier.Verify(t.Context(), &envelope)
		if err != nil || len(accepted) != 1 || envelope.PayloadType != "application/vnd.in-toto+json" {
			t.Fatalf("%d keys, type %q, %v", len(accepted), envelope.PayloadType, err)
		}
		payload, err := envelope.DecodeB64Payload()
		if err != nil {
			t.Fatal(err)
		}
		// Both refuse fields that they do not know.
		var statement intoto.Statement
		if err := protojson.Unmarshal(payload, &statement); err != nil {
			t.Fatal(err)
		}
		predicate, err := statement.GetPredicate().MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var made provenance.Provenance
		if err := protojson.Unmarshal(predicate, &made); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(statement.Validate(), made.Validate()); err != nil {
			t.Error(err)
		}
		sum, metadata := sha256.Sum256(d.archive), made.GetRunDetails().GetMetadata()
		if statement.GetPredicateType() != "https://slsa.dev/provenance/v1" ||
			len(statement.GetSubject()) != 1 || statement.GetSubject()[0].GetDigest()["sha256"] != hex.EncodeToString(sum[:]) ||
			metadata.GetInvocationId() != d.id || metadata.GetFinishedOn() == nil {
			t.Errorf("%s", payload)
		}
		payload[len(payload)/2] ^= 1
		envelope.Payload = base64.StdEncoding.EncodeToString(payload)
		if _, err := verifier.Verify(t.Context(), &envelope); err == nil {
			t.Error("another statement is accepted")
		}
	})

	t.Run("the script of the guide, by Python", func(t *testing.T) {
		python := needs.Program(t, "python3", "install python3")
		if err := exec.CommandContext(t.Context(), python, "-c", "import cryptography").Run(); err != nil {
			needs.Missing(t, "python3 has no cryptography: install python3-cryptography")
		}
		guide, err := os.ReadFile("../../docs/integrate.md")
		if err != nil {
			t.Fatal(err)
		}
		_, script, found := strings.Cut(string(guide), "```python\n")
		script, _, ended := strings.Cut(script, "\n```")
		if !found || !ended {
			t.Fatal("the guide has no script")
		}
		run := func(archive []byte) ([]byte, error) {
			dir := t.TempDir()
			args := []string{"-c", script}
			for name, content := range map[string][]byte{"1": d.attestation, "2": d.keys, "3": archive} {
				if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range []string{"1", "2", "3"} {
				args = append(args, filepath.Join(dir, name))
			}
			return exec.CommandContext(t.Context(), python, args...).CombinedOutput()
		}
		if out, err := run(d.archive); err != nil || !strings.Contains(string(out), `"origin": "import"`) {
			t.Errorf("%v: %s", err, out)
		}
		if out, err := run(append([]byte{}, d.archive[1:]...)); err == nil || !strings.Contains(string(out), "another archive") {
			t.Errorf("another archive: %v: %s", err, out)
		}
	})
}
