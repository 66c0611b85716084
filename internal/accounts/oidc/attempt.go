package oidc

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// Attempt is what one sign-in at a provider is held together by. All of it comes
// from a secret that never leaves the browser and the service, and a state that
// travels by the provider: neither alone redeems a code, and nothing secret has to
// be kept between the two requests.
type Attempt struct {
	State    string
	nonce    string
	verifier string
}

// secretBytes is how much chance is in a secret, and in a state.
const secretBytes = 32

// NewSecret makes what a browser keeps while it signs in.
func NewSecret() string {
	var b [secretBytes]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime ends the program instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// ValidSecret says whether a text has the form of a secret.
func ValidSecret(text string) bool {
	b, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && len(b) == secretBytes
}

// Begin makes an attempt of a browser with a secret.
func Begin(secret string) Attempt { return Resume(secret, NewSecret()) }

// Resume makes the attempt with a state anew.
func Resume(secret, state string) Attempt {
	derive := func(purpose string) string {
		code := hmac.New(sha256.New, []byte(secret))
		_, _ = code.Write([]byte(purpose + " " + state)) // never fails
		return base64.RawURLEncoding.EncodeToString(code.Sum(nil))
	}
	return Attempt{State: state, nonce: derive("nonce"), verifier: derive("verifier")}
}
