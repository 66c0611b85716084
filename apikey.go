package svc

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"time"
)

const (
	keyScheme       = "svc_"
	keyPrefixLength = 8
	keySecretLength = 32
	keyLength       = len(keyScheme) + keyPrefixLength + 1 + keySecretLength
)

// Key is an API key as it is kept: its secret only as a hash.
type Key struct {
	Prefix    string // the public eight characters; safe to log
	AccountID string
	Name      string
	// Hash is the SHA-256 of the full key. The secret has 128 random bits, so
	// there is nothing to guess that a slow hash would protect.
	Hash       [sha256.Size]byte
	CreatedAt  time.Time
	LastUsedAt time.Time // zero: never
	ExpiresAt  time.Time // zero: never
	RevokedAt  time.Time // zero: not revoked
	// Report is who ended the key because they had found it; nil: nobody.
	Report *KeyReport
}

// KeyReport is the word of somebody who found a key and held it whole.
type KeyReport struct {
	At time.Time `json:"at"`
	// From is the network that it came from, URL where the key was found, as they
	// say: text, and nothing to follow.
	From string `json:"from"`
	URL  string `json:"url,omitempty"`
}

// Usable says whether the key opens anything at the given time.
func (k Key) Usable(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// Matches compares the full key with the hash, in constant time.
func (k Key) Matches(full string) bool {
	sum := sha256.Sum256([]byte(full))
	return subtle.ConstantTimeCompare(sum[:], k.Hash[:]) == 1
}

// NewKey makes a key: the full text, which is shown once and never kept, and
// the record without owner, name and times.
func NewKey() (full string, k Key) {
	var secret [keySecretLength / 2]byte
	_, _ = rand.Read(secret[:]) // never fails: the runtime ends the program instead
	prefix := randomText(keyPrefixLength)
	full = keyScheme + prefix + "_" + hex.EncodeToString(secret[:])
	return full, Key{Prefix: prefix, Hash: sha256.Sum256([]byte(full))}
}

// ParseKey checks the format of a full key and returns its public prefix.
// White space, a missing part or a character too many make it false.
func ParseKey(full string) (prefix string, ok bool) {
	if len(full) != keyLength || full[:len(keyScheme)] != keyScheme {
		return "", false
	}
	rest := full[len(keyScheme):]
	prefix, secret := rest[:keyPrefixLength], rest[keyPrefixLength+1:]
	if rest[keyPrefixLength] != '_' {
		return "", false
	}
	for _, c := range []byte(prefix) {
		if !isDigit(c) && !isLetter(c) {
			return "", false
		}
	}
	for _, c := range []byte(secret) {
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return "", false
		}
	}
	return prefix, true
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// Credential is what a key stands for at the moment it is looked up.
type Credential struct {
	Key  Key
	Plan Plan
}

// Keys are the steps on API keys.
type Keys interface {
	// Insert adds a key. ErrConflict when the prefix is taken, ErrNotFound when
	// the account is gone.
	Insert(ctx context.Context, k Key) error
	// Credential returns the key with this prefix, revoked or not. ErrNotFound.
	Credential(ctx context.Context, prefix string) (Credential, error)
	// List returns the keys of an account, newest first, revoked ones included.
	List(ctx context.Context, accountID string) ([]Key, error)
	// Rename gives a key of the account another name. ErrNotFound.
	Rename(ctx context.Context, accountID, prefix, name string) error
	// Revoke ends a key. A revoked key keeps its first time. ErrNotFound.
	Revoke(ctx context.Context, prefix string, at time.Time) error
	// Report ends a key that somebody found. The first report of a key stays, and so
	// does the time at which it was revoked. ErrNotFound.
	Report(ctx context.Context, prefix string, found KeyReport) error
	// Touch notes that a key was used, unless it was noted at or after the
	// time given as since.
	Touch(ctx context.Context, prefix string, at, since time.Time) error
	// Usable returns those of the prefixes whose keys are usable at the given
	// time: the question that open streams ask again and again.
	Usable(ctx context.Context, prefixes []string, now time.Time) ([]string, error)
}
