package provenance

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bundle-delivery/svc/internal/text/timestamp"
)

// voucherPayload is the type of a statement by which one key vouches for another.
const voucherPayload = "application/vnd.svc.signing-key+json"

// Key is a public key of a service.
type Key struct {
	ID        string            `json:"keyId"`
	Public    ed25519.PublicKey `json:"publicKey"` // base64
	CreatedAt timestamp.Time    `json:"createdAt"`
	// RetiredAt is when the key after it took its place.
	RetiredAt *timestamp.Time `json:"retiredAt,omitempty"`
	// Voucher is the key before it vouching for this one; the first has none.
	Voucher json.RawMessage `json:"voucher,omitempty"`
}

// KeyID names a public key: the beginning of its SHA-256.
func KeyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:16])
}

// Keys are the public keys of a service as it publishes them.
type Keys struct {
	// Names are the addresses that the service signs under, the newest last: it may
	// have moved, and each of its processes may go by one of its own.
	Names []string `json:"names"`
	Keys  []Key    `json:"keys"` // the oldest first
}

// ParseKeys reads what a service publishes.
func ParseKeys(text []byte) (k Keys, err error) {
	if err := decode(text, &k); err != nil {
		return Keys{}, fmt.Errorf("the published keys: %w", err)
	}
	return k, nil
}

// Current is the key that signs now.
func (k Keys) Current() (Key, bool) {
	if len(k.Keys) == 0 {
		return Key{}, false
	}
	return k.Keys[len(k.Keys)-1], true
}

// First gives the keys of a service that signs for the first time.
func First(service string, key ed25519.PrivateKey, now time.Time) Keys {
	return Keys{Names: []string{service}, Keys: []Key{newKey(key, now)}}
}

func newKey(key ed25519.PrivateKey, now time.Time) Key {
	public, _ := key.Public().(ed25519.PublicKey)
	return Key{ID: KeyID(public), Public: public, CreatedAt: timestamp.Time(now.UTC().Truncate(time.Second))}
}

// vouched is what a key says of the one that takes its place.
type vouched struct {
	KeyID     string            `json:"keyId"`
	Public    ed25519.PublicKey `json:"publicKey"`
	CreatedAt timestamp.Time    `json:"createdAt"`
}

// Rotate adds a key, for which the current one vouches.
func (k Keys) Rotate(current, next ed25519.PrivateKey, now time.Time) (Keys, error) {
	last, ok := k.Current()
	if public, isKey := current.Public().(ed25519.PublicKey); !ok || !isKey || !public.Equal(last.Public) {
		return Keys{}, errors.New("the key that vouches has to be the current one")
	}
	added := newKey(next, now)
	if slices.ContainsFunc(k.Keys, func(old Key) bool { return old.ID == added.ID }) {
		return Keys{}, fmt.Errorf("key %s is one of the service's already", added.ID)
	}
	said, err := json.Marshal(vouched{added.ID, added.Public, added.CreatedAt})
	if err != nil {
		return Keys{}, err
	}
	if added.Voucher, err = seal(voucherPayload, said, current); err != nil {
		return Keys{}, err
	}
	all := slices.Clone(k.Keys)
	retired := added.CreatedAt
	all[len(all)-1].RetiredAt = &retired
	return Keys{Names: k.Names, Keys: append(all, added)}, nil
}

// maxNames is how many names a service keeps: one that is started on a new port each
// time forgets the oldest.
const maxNames = 32

// Named gives the keys of a service that goes by a name from now on.
func (k Keys) Named(service string) Keys {
	names := slices.DeleteFunc(slices.Clone(k.Names), func(name string) bool { return name == service })
	names = append(names, service)
	return Keys{Names: names[max(0, len(names)-maxNames):], Keys: k.Keys}
}

// Name is the newest name of the service.
func (k Keys) Name() string {
	if len(k.Names) == 0 {
		return ""
	}
	return k.Names[len(k.Names)-1]
}

// Trust is what a client knows of a service: its names, and the keys that it
// believes.
type Trust struct {
	// Names is empty where a key came without one: then the key alone decides.
	Names []string `json:"names,omitempty"`
	Keys  []Key    `json:"keys"`
}

// Check says whether the keys can be used at all: a file may have been damaged.
func (t Trust) Check() error {
	for _, k := range t.Keys {
		if err := k.check(); err != nil {
			return err
		}
	}
	return nil
}

// ParseKey reads a public key as people hand it on: base64 of its 32 bytes.
func ParseKey(text string) (Key, error) {
	public, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(public) != ed25519.PublicKeySize {
		return Key{}, errors.New("a signing key is 44 characters of base64: the publicKey that svcd signing-key show prints")
	}
	return Key{ID: KeyID(public), Public: public}, nil
}

// Pin believes a service's keys at the first contact. Each must be what it says,
// and each after the first be vouched for by one before it.
func Pin(k Keys) (Trust, error) {
	if len(k.Names) == 0 || len(k.Keys) == 0 {
		return Trust{}, errors.New("the service publishes no keys")
	}
	if err := wellFormed(k.Keys); err != nil {
		return Trust{}, err
	}
	t, err := Trust{Names: k.Names, Keys: k.Keys[:1]}.Extend(k)
	if err == nil && len(t.Keys) != len(k.Keys) {
		err = errors.New("the service publishes a key that none of its others vouches for")
	}
	return t, err
}

// Extend adds the published keys that those in t vouch for, directly or through
// each other. Others are left out: an archive that they sign is refused. A name that
// is new needs no voucher: it is worth nothing without a key.
func (t Trust) Extend(k Keys) (Trust, error) {
	if err := wellFormed(k.Keys); err != nil {
		return Trust{}, err
	}
	trusted := slices.Clone(t.Keys)
	for added := true; added; {
		added = false
		for _, key := range k.Keys {
			known := slices.ContainsFunc(trusted, func(old Key) bool { return old.ID == key.ID })
			if !known && vouchedFor(key, trusted) == nil {
				trusted, added = append(trusted, key), true
			}
		}
	}
	names := slices.Clone(t.Names)
	for _, name := range k.Names {
		if len(t.Names) > 0 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return Trust{Names: names[max(0, len(names)-2*maxNames):], Keys: trusted}, nil
}

// maxKeys bounds what a service may publish: one key a week for twenty years.
const maxKeys = 1024

func wellFormed(keys []Key) error {
	if len(keys) > maxKeys {
		return fmt.Errorf("the service publishes %d keys", len(keys))
	}
	for _, k := range keys {
		if err := k.check(); err != nil {
			return fmt.Errorf("the service publishes a key that is none: %w", err)
		}
	}
	return nil
}

func (k Key) check() error {
	if len(k.Public) != ed25519.PublicKeySize || k.ID != KeyID(k.Public) {
		return fmt.Errorf("key %q is not what its id says", k.ID)
	}
	return nil
}

// vouchedFor says why none of the keys vouches for another.
func vouchedFor(key Key, by []Key) error {
	if len(key.Voucher) == 0 {
		return errors.New("no key vouches for it")
	}
	payload, err := open(voucherPayload, key.Voucher, by)
	if err != nil {
		return err
	}
	var said vouched
	if err := decode(payload, &said); err != nil {
		return err
	}
	if said.KeyID != key.ID || !said.Public.Equal(key.Public) || !time.Time(said.CreatedAt).Equal(time.Time(key.CreatedAt)) {
		return errors.New("it is vouched for as another")
	}
	return nil
}
