package accounts

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
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
	code := hmac.New(sha256.New, []byte(a.PasswordHash))
	_, _ = code.Write([]byte("browser of " + a.ID + " ")) // never fails
	_, _ = code.Write(number)
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
