package accounts

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"

	svc "github.com/bundle-delivery/svc"
)

// A browser in which somebody has signed in to an account keeps a proof of it,
// and its tries at that account are counted by themselves. Without it whoever
// shares a network with somebody could use up every try that the network has
// left, and so keep the owner out for as long as they like.
//
// A proof opens nothing. It is a number and a code of it that only the service
// can make, because its secret is the hash of the account's password: nothing has
// to be kept, and a new password voids every proof.

const proofNumber = 16 // bytes

// BrowserProof makes what a browser keeps that is signed in to an account. It is
// empty for an account without a password. CodeNotFound.
func (s *Service) BrowserProof(ctx context.Context, accountID string) (string, error) {
	a, err := s.Get(ctx, accountID)
	if err != nil || a.PasswordHash == "" {
		return "", err
	}
	var number [proofNumber]byte
	_, _ = rand.Read(number[:]) // never fails: the runtime ends the program instead
	return base64.RawURLEncoding.EncodeToString(slices.Concat(number[:], proofCode(a, number[:]))), nil
}

func proofCode(a svc.Account, number []byte) []byte {
	return keyed([]byte(a.PasswordHash), "browser of "+a.ID+" "+string(number))
}

func keyed(key []byte, text string) []byte {
	code := hmac.New(sha256.New, key)
	_, _ = code.Write([]byte(text)) // never fails
	return code.Sum(nil)
}

// tries are the counts that a try at the sign-in belongs to: the browser's own, if
// it proves that it was signed in to this account, else those of its network.
func (s *Service) tries(ctx context.Context, in SignIn) ([]bucket, error) {
	proof, _ := base64.RawURLEncoding.DecodeString(in.Proof) // what is no proof is too short for one
	if len(proof) != proofNumber+sha256.Size {
		return buckets(in.Email, in.Network), nil
	}
	account, err := s.lookUp(ctx, in.Email)
	if err != nil {
		return nil, err
	}
	number, code := proof[:proofNumber], proof[proofNumber:]
	// The code of an account that is not there is made as well, and never right.
	right := hmac.Equal(proofCode(account, number), code)
	if !right || account.PasswordHash == "" {
		return buckets(in.Email, in.Network), nil
	}
	return []bucket{{"browser " + hex.EncodeToString(number), freeForAccount}}, nil
}

// Who signs in with a passkey or by a provider does not say first which account is
// theirs, and may have no password. For them a browser is known by a name that is made
// from the account and a secret that all processes share, with its code: it opens
// nothing either, and whoever shares its network uses up none of its tries.

// WithBrowserKey gives the secret by which browsers are known.
func WithBrowserKey(key func(context.Context) ([]byte, error)) Option {
	return func(s *Service) { s.browserKey = key }
}

// KnownBrowser makes what a browser keeps in which somebody has signed in to an
// account; empty where there is no secret.
func (s *Service) KnownBrowser(ctx context.Context, accountID string) (string, error) {
	if s.browserKey == nil {
		return "", nil
	}
	key, err := s.browserKey(ctx)
	if err != nil {
		return "", fmt.Errorf("know a browser: %w", err)
	}
	name := keyed(key, "name of "+accountID)[:proofNumber]
	return base64.RawURLEncoding.EncodeToString(slices.Concat(name, keyed(key, "known as "+string(name)))), nil
}

// place is the count that somebody belongs to before they say who they are: the
// browser's own, if it is known, else that of its network.
func (s *Service) place(ctx context.Context, kind string, free int, in SignIn) ([]bucket, error) {
	known, _ := base64.RawURLEncoding.DecodeString(in.Known) // what is no name is too short for one
	if s.browserKey == nil || len(known) != proofNumber+sha256.Size {
		return []bucket{{kind + " " + networkOf(in.Network), free}}, nil
	}
	key, err := s.browserKey(ctx)
	if err != nil {
		return nil, fmt.Errorf("know a browser: %w", err)
	}
	name, code := known[:proofNumber], known[proofNumber:]
	if !hmac.Equal(keyed(key, "known as "+string(name)), code) {
		return []bucket{{kind + " " + networkOf(in.Network), free}}, nil
	}
	return []bucket{{kind + " of " + hex.EncodeToString(name), free}}, nil
}
