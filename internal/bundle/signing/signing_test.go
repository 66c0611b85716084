package signing_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/provenance"
	"github.com/bundle-delivery/svc/internal/bundle/signing"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
)

const service = "https://svc.example.com"

func open(t *testing.T, path string) svc.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func published(t *testing.T, store svc.Store) provenance.Keys {
	t.Helper()
	keys, err := signing.Published(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func newKey(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// timeless is a store whose clock cannot be asked.
type timeless struct{ svc.Store }

type timelessRecords struct{ svc.Records }

var errNoClock = errors.New("the clock cannot be asked")

func (s timeless) Tx(ctx context.Context, fn func(svc.Records) error) error {
	return s.Store.Tx(ctx, func(r svc.Records) error { return fn(timelessRecords{r}) })
}

func (timelessRecords) Now(context.Context) (time.Time, error) { return time.Time{}, errNoClock }

// Nothing is signed without a key, and no key is taken for one that was not stored.
func TestWithoutAKeyNothingIsSigned(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "svc.db"))
	signer := signing.New(store, "1.2.3")
	err := store.Tx(t.Context(), func(r svc.Records) error {
		return signer.Attest(t.Context(), r, svc.Bundle{ID: "x", ProjectID: "y"}, "", nil)
	})
	if err == nil {
		t.Error("a bundle is signed with no key")
	}
	if err := signer.Open(t.Context(), service, "", nil); err != nil {
		t.Fatal(err)
	}
	before := published(t, store)
	if keys, err := signing.Rotate(t.Context(), timeless{store}, nil); !errors.Is(err, errNoClock) {
		t.Errorf("rotated to %v, %v", keys, err)
	}
	if after := published(t, store); len(after.Keys) != 1 || after.Keys[0].ID != before.Keys[0].ID {
		t.Errorf("published are %v, and were %v", after.Keys, before.Keys)
	}
	// The key that is named is the one that is used.
	next := newKey(t)
	keys, err := signing.Rotate(t.Context(), store, next)
	if err != nil {
		t.Fatal(err)
	}
	if current, ok := keys.Current(); !ok || !current.Public.Equal(next.Public()) {
		t.Errorf("the current key is %v", current)
	}
}

// Promise: signing-one-key
func TestProcessesThatStartAtOnceShareOneKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svc.db")
	store := open(t, path)
	if _, err := signing.Published(t.Context(), store); !errors.Is(err, svc.ErrNotFound) {
		t.Errorf("before the first start: %v", err)
	}
	if _, err := signing.Rotate(t.Context(), store, nil); err == nil {
		t.Error("a key that there is not is rotated")
	}
	stores := []svc.Store{store, open(t, path), open(t, path)}
	var starting sync.WaitGroup
	for _, s := range stores {
		starting.Go(func() {
			if err := signing.New(s, "1").Open(t.Context(), service, "", nil); err != nil {
				t.Error(err)
			}
		})
	}
	starting.Wait()
	if keys := published(t, store); len(keys.Keys) != 1 || len(keys.Names) != 1 || keys.Name() != service {
		t.Errorf("%d keys under the names %q", len(keys.Keys), keys.Names)
	}
}

// Promise: signing-one-key
func TestAnOperatorsKeyTakesThePlaceOfTheOther(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "svc.db"))
	signer := signing.New(store, "1")
	start := func(name string, own ed25519.PrivateKey) error {
		return signer.Open(t.Context(), name, "https://else", own)
	}
	if err := start("", nil); err != nil {
		t.Fatal(err)
	}
	old, err := provenance.Pin(published(t, store))
	if err != nil || old.Names[0] != "https://else" {
		t.Fatalf("%q, %v", old.Names, err)
	}
	own := newKey(t)
	for range 2 { // the second start changes nothing
		if err := start(service, own); err != nil {
			t.Fatal(err)
		}
	}
	keys := published(t, store)
	extended, err := old.Extend(keys)
	if current, _ := keys.Current(); err != nil || len(extended.Keys) != 2 || !own.Public().(ed25519.PublicKey).Equal(current.Public) { //nolint:forcetypeassert // it is one
		t.Errorf("%d keys are trusted through the first, %v", len(extended.Keys), err)
	}
	if diff := cmp.Diff([]string{"https://else", service}, keys.Names); diff != "" {
		t.Error(diff)
	}
	if _, err := signing.Rotate(t.Context(), store, nil); err != nil {
		t.Fatal(err)
	}
	if err := start(service, own); err == nil {
		t.Error("a key that was retired comes back")
	}
}

// Promise: signing-one-key
func TestKeysOfAnotherKindAreRefused(t *testing.T) {
	for _, text := range []string{
		"", "no PEM", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
		// An EC key.
		"-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgevZzL1gdAFr88hb2\nOF/2NxApJCzGCEDdfSp6VQO30hyhRANCAAQRWz+jn65BtOMvdyHKcvjBeBSDZH2r\n1RTwjmYSi9R/zpBnuQ4EiMnCqfMPWiZqB4QdbAd0E7oH50VpuZ1P087G\n-----END PRIVATE KEY-----\n",
	} {
		if key, err := signing.ParsePrivate([]byte(text)); err == nil || key != nil {
			t.Errorf("%.40q is taken for a key", text)
		}
	}
}

// Promise: preview-isolated
func TestProcessesShareASecret(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svc.db")
	stores := []svc.Store{open(t, path), open(t, path)}
	var made [8][]byte
	var all sync.WaitGroup
	for i := range made {
		all.Go(func() {
			var err error
			if made[i], err = signing.Secret(t.Context(), stores[i%2], "preview"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, secret := range made {
		if len(secret) != 32 || !bytes.Equal(secret, made[0]) || bytes.Equal(secret, make([]byte, 32)) {
			t.Errorf("%x and %x", secret, made[0])
		}
	}
	other, err := signing.Secret(t.Context(), stores[0], "another")
	if err != nil || bytes.Equal(other, made[0]) {
		t.Errorf("two names have one secret, %v", err)
	}
}
