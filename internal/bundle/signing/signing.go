// Package signing keeps the keys of a service and signs with them where its bundles
// come from.
//
// Its invariants:
//
//   - The keys lie in the records, beside the certificates: all processes sign with
//     the same one, a backup has it and a move takes it along.
//   - A key that takes the place of another is vouched for by it, in one
//     transaction, so that whoever trusts any of them trusts the newest. A key that
//     was retired stays published: what it signed stays good.
//   - The private key of a retired one is deleted.
package signing

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"sync"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/provenance"
)

// Where the keys lie among the files of certificates.
const (
	publicFile  = "signing/keys.json"
	privateFile = "signing/current.pem"
)

// fresh is how long a key is used before it is read again: a retired one may sign for
// as long, which does no harm.
const fresh = 5 * time.Second

// Signer signs for a service.
type Signer struct {
	store   svc.Store
	version string

	mu      sync.Mutex
	service string // empty: the newest name of the service
	keys    keyPair
	readAt  time.Time
}

var _ svc.Attester = (*Signer)(nil)

// keyPair are the published keys and the private one of the newest.
type keyPair struct {
	public  provenance.Keys
	private ed25519.PrivateKey
}

// New makes a signer, which Open makes ready. version is that of the program.
func New(store svc.Store, version string) *Signer { return &Signer{store: store, version: version} }

// Open makes the service's key, if it has none. service is the address that this
// process goes by; a process that has none signs under the newest name of the
// service, or under otherwise where it has no name yet. own is a key that the
// operator brought, or nil: it takes the place of the one before.
func (s *Signer) Open(ctx context.Context, service, otherwise string, own ed25519.PrivateKey) error {
	keys, err := change(ctx, s.store, func(keys keyPair, now time.Time) (keyPair, error) {
		if keys.private == nil {
			first := own
			if first == nil {
				var err error
				if first, err = newKey(); err != nil {
					return keyPair{}, err
				}
			}
			name := service
			if name == "" {
				name = otherwise
			}
			return keyPair{public: provenance.First(name, first, now), private: first}, nil
		}
		if own != nil && !own.Equal(keys.private) {
			next, err := keys.rotate(own, now)
			if err != nil {
				return keyPair{}, err
			}
			keys = next
		}
		if service != "" && keys.public.Name() != service {
			keys.public = keys.public.Named(service)
		}
		return keys, nil
	})
	if err != nil {
		return fmt.Errorf("signing key: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.service, s.keys, s.readAt = service, keys, time.Now()
	return nil
}

// Rotate puts a key in the place of the current one, which vouches for it: next, or
// without one a new key. It gives the keys as they are published then.
func Rotate(ctx context.Context, store svc.Store, next ed25519.PrivateKey) (provenance.Keys, error) {
	keys, err := change(ctx, store, func(keys keyPair, now time.Time) (keyPair, error) {
		if keys.private == nil {
			return keyPair{}, errors.New("the service has no key yet; it makes one when it starts")
		}
		into := next
		if into == nil {
			var err error
			if into, err = newKey(); err != nil {
				return keyPair{}, err
			}
		}
		return keys.rotate(into, now)
	})
	if err != nil {
		return provenance.Keys{}, fmt.Errorf("rotate the signing key: %w", err)
	}
	return keys.public, nil
}

func (k keyPair) rotate(next ed25519.PrivateKey, now time.Time) (keyPair, error) {
	public, err := k.public.Rotate(k.private, next, now)
	return keyPair{public: public, private: next}, err
}

func newKey() (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return key, err
}

// Published are the service's public keys. svc.ErrNotFound where it has none yet.
func Published(ctx context.Context, store svc.Store) (provenance.Keys, error) {
	f, err := store.CertificateFiles().Get(ctx, publicFile)
	if err != nil {
		return provenance.Keys{}, err
	}
	return parsePublic(f)
}

// Published are the keys as all processes have them at this moment: a client asks
// for them because it has seen one that is new.
func (s *Signer) Published(ctx context.Context) (provenance.Keys, error) {
	return Published(ctx, s.store)
}

// Attest implements [svc.Attester].
func (s *Signer) Attest(ctx context.Context, r svc.Records, b svc.Bundle, origin svc.Origin, files *svc.Provenance) error {
	service, key, err := s.current(ctx, r)
	if err != nil {
		return err
	}
	p := provenance.Provenance{
		Service: service, Version: s.version, Bundle: b.ID, Project: b.ProjectID, Origin: origin,
		MadeAt: b.CreatedAt, Archive: b.SHA256, Files: svc.Provenance{Run: b.GenerationID},
	}
	if files != nil {
		p.Files = *files
	}
	envelope, err := provenance.Sign(p, key)
	if err != nil {
		return fmt.Errorf("sign: %w", err)
	}
	return r.Attestations().Put(ctx, b.ID, envelope)
}

// current gives the name and the key to sign with, read anew now and then.
func (s *Signer) current(ctx context.Context, r svc.Records) (string, ed25519.PrivateKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys.private == nil || time.Since(s.readAt) > fresh {
		keys, err := read(ctx, r)
		if err != nil {
			return "", nil, err
		}
		if keys.private == nil {
			return "", nil, errors.New("the service has no signing key")
		}
		s.keys, s.readAt = keys, time.Now()
	}
	if s.service != "" {
		return s.service, s.keys.private, nil
	}
	return s.keys.public.Name(), s.keys.private, nil
}

// change replaces the keys in one transaction, and gives them as they are then.
func change(ctx context.Context, store svc.Store, how func(keyPair, time.Time) (keyPair, error)) (after keyPair, err error) {
	err = store.Tx(ctx, func(r svc.Records) error {
		before, err := read(ctx, r)
		if err != nil {
			return err
		}
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		if after, err = how(before, now); err != nil {
			return err
		}
		return write(ctx, r, after, now)
	})
	return after, err
}

// read gives the keys; there are none before the first start.
func read(ctx context.Context, r svc.Records) (keyPair, error) {
	f, err := r.CertificateFiles().Get(ctx, publicFile)
	if errors.Is(err, svc.ErrNotFound) {
		return keyPair{}, nil
	}
	if err != nil {
		return keyPair{}, err
	}
	var keys keyPair
	if keys.public, err = parsePublic(f); err != nil {
		return keyPair{}, err
	}
	if f, err = r.CertificateFiles().Get(ctx, privateFile); err != nil {
		return keyPair{}, fmt.Errorf("read %s: %w", privateFile, err)
	}
	if keys.private, err = ParsePrivate(f.Content); err != nil {
		return keyPair{}, fmt.Errorf("%s: %w", privateFile, err)
	}
	current, ok := keys.public.Current()
	if public, isKey := keys.private.Public().(ed25519.PublicKey); !ok || !isKey || !public.Equal(current.Public) {
		return keyPair{}, fmt.Errorf("%s is not the private key of the newest in %s", privateFile, publicFile)
	}
	return keys, nil
}

func parsePublic(f svc.CertificateFile) (keys provenance.Keys, err error) {
	if err := json.Unmarshal(f.Content, &keys); err != nil {
		return provenance.Keys{}, fmt.Errorf("%s: %w", publicFile, err)
	}
	return keys, nil
}

func write(ctx context.Context, r svc.Records, keys keyPair, now time.Time) error {
	text, err := json.Marshal(keys.public)
	if err != nil {
		return err
	}
	if err := r.CertificateFiles().Put(ctx, svc.CertificateFile{Name: publicFile, Content: text, ChangedAt: now}); err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(keys.private)
	if err != nil {
		return err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	return r.CertificateFiles().Put(ctx, svc.CertificateFile{Name: privateFile, Content: block, ChangedAt: now})
}

// ParsePrivate reads a private key as operators bring it: an Ed25519 key in PKCS #8,
// as PEM.
func ParsePrivate(text []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("this is no PEM file; openssl genpkey -algorithm ed25519 makes one")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("this is no private key in PKCS #8: %w", err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("this is a key of type %T, and an Ed25519 key is needed", parsed)
	}
	return key, nil
}

// secretBytes is the length of a shared secret.
const secretBytes = 32

// Secret gives random bytes under a name that all processes share. Whoever asks first
// makes them.
func Secret(ctx context.Context, store svc.Store, name string) ([]byte, error) {
	file := "signing/secrets/" + name
	known, err := store.CertificateFiles().Get(ctx, file)
	if errors.Is(err, svc.ErrNotFound) {
		err = store.Tx(ctx, func(r svc.Records) error {
			if known, err = r.CertificateFiles().Get(ctx, file); !errors.Is(err, svc.ErrNotFound) {
				return err
			}
			now, err := r.Now(ctx)
			if err != nil {
				return err
			}
			known = svc.CertificateFile{Name: file, Content: make([]byte, secretBytes), ChangedAt: now}
			_, _ = rand.Read(known.Content) // never fails: the runtime ends the program instead
			return r.CertificateFiles().Put(ctx, known)
		})
	}
	if err != nil {
		return nil, fmt.Errorf("get the secret of %s: %w", name, err)
	}
	return known.Content, nil
}
