package provenance

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// MaxSize is what an attestation may have at most: a server that sends more sends
// something else.
const MaxSize = 64 << 10

// envelope is a DSSE envelope.
type envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     string      `json:"payload"`
	Signatures  []signature `json:"signatures"`
}

type signature struct {
	KeyID string `json:"keyid"`
	Sig   string `json:"sig"`
}

// signed are the bytes under the signature (DSSE's PAE): type and payload with
// their lengths, so that neither can be taken for a part of the other.
func signed(payloadType string, payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(payload), payload)
}

// seal signs a payload.
func seal(payloadType string, payload []byte, key ed25519.PrivateKey) ([]byte, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return nil, errors.New("the signing key is no Ed25519 key")
	}
	return json.Marshal(envelope{
		PayloadType: payloadType,
		Payload:     base64.StdEncoding.EncodeToString(payload),
		Signatures: []signature{{
			KeyID: KeyID(public),
			Sig:   base64.StdEncoding.EncodeToString(ed25519.Sign(key, signed(payloadType, payload))),
		}},
	})
}

// ErrUnknownKey says that a signature is by a key that is neither known nor vouched for
// by one that is.
var ErrUnknownKey = errors.New("which no known key vouches for")

// open gives the payload of an envelope that one of the keys has signed, and
// nobody else.
func open(payloadType string, text []byte, keys []Key) ([]byte, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("the attestation has %d bytes, more than the %d of any that is real", len(text), MaxSize)
	}
	var e envelope
	if err := decode(text, &e); err != nil {
		return nil, fmt.Errorf("the attestation: %w", err)
	}
	if e.PayloadType != payloadType {
		return nil, fmt.Errorf("the attestation holds %q", e.PayloadType)
	}
	if len(e.Signatures) != 1 {
		return nil, fmt.Errorf("the attestation has %d signatures instead of one", len(e.Signatures))
	}
	payload, err := base64.StdEncoding.Strict().DecodeString(e.Payload)
	if err != nil {
		return nil, errors.New("the attestation's payload is no base64")
	}
	sig, err := base64.StdEncoding.Strict().DecodeString(e.Signatures[0].Sig)
	if err != nil {
		return nil, errors.New("the attestation's signature is no base64")
	}
	at := slices.IndexFunc(keys, func(k Key) bool { return k.ID == e.Signatures[0].KeyID })
	if at < 0 {
		return nil, fmt.Errorf("the signature is by key %q, %w", e.Signatures[0].KeyID, ErrUnknownKey)
	}
	if !ed25519.Verify(keys[at].Public, signed(payloadType, payload), sig) {
		return nil, fmt.Errorf("the signature is not that of key %s", keys[at].ID)
	}
	return payload, nil
}
