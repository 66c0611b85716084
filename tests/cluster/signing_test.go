//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/provenance"
	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

// oneSigningKey has every process sign bundles, which one client pulls: all are signed
// with the key that it knows the service by. When that is rotated, every process
// publishes the next one at once and signs with it soon, and the client goes on.
func oneSigningKey(t *testing.T, c *cluster.Cluster, number *atomic.Int64) {
	t.Helper()
	user := newPuller(t)
	first := published(t, &c.Service)
	known, err := provenance.Pin(first)
	if err != nil || len(known.Keys) != 1 {
		t.Fatalf("%d keys, %v", len(known.Keys), err)
	}
	for _, s := range c.Servers {
		who, bundle := madeBy(t, c, &s.Service, number)
		if err := attestedWith(t, &s.Service, who, bundle, known); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		user.pull(t, c, who, bundle)
	}
	if keys := user.believes(t); len(keys) != 1 || keys[0].ID != known.Keys[0].ID {
		t.Errorf("the client knows the service by %v", keys)
	}

	if _, err := c.Admin(t.Context(), "signing-key", "rotate"); err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Servers {
		extended, err := known.Extend(published(t, &s.Service))
		if err != nil || len(extended.Keys) != 2 {
			t.Fatalf("%s publishes %d keys that can be believed, %v", s.Name, len(extended.Keys), err)
		}
		next := provenance.Trust{Names: extended.Names, Keys: extended.Keys[1:]}
		for {
			who, bundle := madeBy(t, c, &s.Service, number)
			user.pull(t, c, who, bundle) // by whichever of the two it was signed
			if attestedWith(t, &s.Service, who, bundle, next) == nil {
				break
			}
			if err := pause(t); err != nil {
				t.Fatalf("%s does not sign with the next key: %v", s.Name, err)
			}
		}
	}
	if keys := user.believes(t); len(keys) != 2 || keys[0].ID != known.Keys[0].ID {
		t.Errorf("after the rotation the client knows the service by %v", keys)
	}
}

// madeBy has a process make a bundle of a new account.
func madeBy(t *testing.T, c *cluster.Cluster, at *harness.Service, number *atomic.Int64) (who tenant, bundle string) {
	t.Helper()
	who = newTenant(t, c, number, "developer")
	made := who.importFiles(t, c)
	return who, want(t, at, 200, "", "POST", "/projects/"+made.ProjectID+"/bundles/repackage", who.key, "").field(t, "bundleId")
}

func published(t *testing.T, at *harness.Service) provenance.Keys {
	t.Helper()
	keys, err := provenance.ParseKeys(want(t, at, 200, "", "GET", "/.well-known/svc-signing-keys.json", "", "").body)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// attestedWith says whether the attestation of a bundle, which its user may have fetched
// before, is good for somebody who trusts these keys alone.
func attestedWith(t *testing.T, at *harness.Service, who tenant, bundle string, trust provenance.Trust) error {
	t.Helper()
	text := want(t, at, 200, "", "GET", "/bundles/"+bundle+"/attestation", who.key, "").body
	_, err := provenance.Read(text, bundle, trust)
	return err
}

// puller is a client of a person, with a home of its own.
type puller struct{ program, home string }

func newPuller(t *testing.T) puller {
	t.Helper()
	program, err := harness.BuildClient(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return puller{program, t.TempDir()}
}

// pull fetches a bundle into an empty folder; the client verifies it.
func (p puller) pull(t *testing.T, c *cluster.Cluster, who tenant, bundle string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.program, "pull", bundle)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "TMPDIR=" + t.TempDir(),
		"SVC_API_URL=" + c.Base, "SVC_TOKEN=" + who.key, "SVC_CA_FILE=" + filepath.Join(c.Data, "tls", "ca.pem"),
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("svc pull: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(cmd.Dir, "a.txt")); err != nil {
		t.Error(err)
	}
}

// believes are the keys that the client knows the service by.
func (p puller) believes(t *testing.T) []provenance.Key {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.home, ".svc", "signing-keys", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the client knows %q, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var trust provenance.Trust
	if err := json.Unmarshal(text, &trust); err != nil {
		t.Fatal(err)
	}
	return trust.Keys
}
