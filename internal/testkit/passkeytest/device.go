// Package passkeytest is a device that holds passkeys, for tests that have no browser.
//
// It does what a security key and the browser before it do, and, where a test says
// so, what they must not do.
package passkeytest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"

	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// Device holds one passkey.
type Device struct {
	Origin string // that the browser shows
	// Careless devices do not ask who is there.
	Careless bool
	// Counter goes up with each use, unless it stands at 0 as that of passkeys which
	// are kept in sync does.
	Counter uint32

	ID     []byte // of its passkey
	Handle []byte // of the account
	host   string
	key    *ecdsa.PrivateKey
}

// The flags of what a device says.
const (
	present  = 0x01
	verified = 0x04
	attested = 0x40
)

// Copy is a device with the same passkey.
func (d *Device) Copy() *Device {
	other := *d
	return &other
}

var b64 = base64.RawURLEncoding

// Create makes a passkey as the options say, and gives the credential.
func (d *Device) Create(t testing.TB, options []byte) []byte {
	t.Helper()
	var asked struct {
		PublicKey struct {
			Challenge string
			RP        struct{ ID string }
			User      struct{ ID string }
		}
	}
	must.Do(t, json.Unmarshal(options, &asked))
	d.host = asked.PublicKey.RP.ID
	var err error
	d.Handle, err = b64.DecodeString(asked.PublicKey.User.ID)
	must.Do(t, err)
	d.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must.Do(t, err)
	d.ID = make([]byte, 32)
	_, _ = rand.Read(d.ID) // never fails: the runtime ends the program instead
	public, err := d.key.PublicKey.Bytes()
	must.Do(t, err)
	cose, err := webauthncbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: public[1:33], -3: public[33:]})
	must.Do(t, err)
	said := d.say(attested)
	said = append(said, make([]byte, 16)...) // the model, which it does not tell
	said = binary.BigEndian.AppendUint16(said, uint16(len(d.ID)))
	said = append(append(said, d.ID...), cose...)
	object, err := webauthncbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": said})
	must.Do(t, err)
	return d.credential(t, map[string]any{
		"clientDataJSON": b64.EncodeToString(d.client(t, "webauthn.create", asked.PublicKey.Challenge)), "attestationObject": b64.EncodeToString(object),
		"transports": []string{"usb"},
	})
}

// Get uses the passkey as the options say, and gives the credential.
func (d *Device) Get(t testing.TB, options []byte) []byte {
	t.Helper()
	var asked struct{ PublicKey struct{ Challenge string } }
	must.Do(t, json.Unmarshal(options, &asked))
	if d.Counter > 0 {
		d.Counter++
	}
	client := d.client(t, "webauthn.get", asked.PublicKey.Challenge)
	said := d.say(0)
	seen := sha256.Sum256(client)
	signed := sha256.Sum256(bytes.Join([][]byte{said, seen[:]}, nil))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, signed[:])
	must.Do(t, err)
	return d.credential(t, map[string]any{
		"clientDataJSON": b64.EncodeToString(client), "authenticatorData": b64.EncodeToString(said),
		"signature": b64.EncodeToString(signature), "userHandle": b64.EncodeToString(d.Handle),
	})
}

// say is what a device says of itself.
func (d *Device) say(flags byte) []byte {
	flags |= present
	if !d.Careless {
		flags |= verified
	}
	host := sha256.Sum256([]byte(d.host))
	return binary.BigEndian.AppendUint32(append(host[:], flags), d.Counter)
}

// client is what a browser says of the page.
func (d *Device) client(t testing.TB, kind, challenge string) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": d.Origin, "crossOrigin": false})
	must.Do(t, err)
	return text
}

func (d *Device) credential(t testing.TB, response map[string]any) []byte {
	t.Helper()
	id := b64.EncodeToString(d.ID)
	text, err := json.Marshal(map[string]any{
		"id": id, "rawId": id, "type": "public-key", "response": response, "clientExtensionResults": map[string]any{},
	})
	must.Do(t, err)
	return text
}
