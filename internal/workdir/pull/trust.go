package pull

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/bundle/provenance"
)

// KeyVariable is the environment variable with a public key, for machines on which every
// start is the first one.
const KeyVariable = "SVC_SIGNING_KEY"

// Keyring keeps the signing keys that services are known by.
type Keyring struct {
	Dir string // empty: nowhere to keep them, so that every meeting is the first
	// Given returns the public key in the environment, or "".
	Given func() (string, error)
}

// pin is what this user's client believes of one service: a file of the keyring.
type pin struct {
	BaseURL string `json:"base_url"`
	provenance.Trust

	path  string // empty: nowhere to keep it
	given bool   // by the environment, and kept nowhere
}

// known says whether the service is known to sign.
func (p pin) known() bool { return len(p.Keys) > 0 }

// read returns what is believed of a service. Nothing is believed of one that was
// never met; a file that cannot be read is not taken for that.
func (k Keyring) read(baseURL string) (pin, error) {
	p := pin{BaseURL: baseURL}
	given, err := k.Given()
	if err != nil {
		return pin{}, err
	}
	if given != "" {
		key, err := provenance.ParseKey(strings.TrimSpace(given))
		if err != nil {
			return pin{}, fmt.Errorf("%s: %w", KeyVariable, err)
		}
		p.Keys, p.given = []provenance.Key{key}, true
		return p, nil
	}
	if k.Dir == "" {
		return p, nil
	}
	p.path = filepath.Join(k.Dir, pinName(baseURL))
	text, err := ReadFile(p.path)
	if err == nil && text == nil {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err == nil && (p.BaseURL != baseURL || !p.known()) {
		err = errors.New("it holds no keys of " + baseURL)
	}
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return pin{}, fmt.Errorf("the keys that %s is known by cannot be read (%w); ask its operator before you delete %s", baseURL, err, p.path)
	}
	return p, nil
}

// pinName is the file for an address: readable, and no other address has it.
func pinName(baseURL string) string {
	host := "service"
	if u, err := url.Parse(baseURL); err == nil {
		host = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
				return r
			}
			return '-'
		}, strings.ToLower(u.Hostname()))
	}
	sum := sha256.Sum256([]byte(baseURL))
	return host + "-" + hex.EncodeToString(sum[:6]) + ".json"
}

// save keeps what is believed. Where that cannot be, the next meeting is as this one.
func (p pin) save() error {
	if p.path == "" || p.given {
		return nil
	}
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return ReplaceFile(p.path, append(text, '\n'))
}

// ErrUnsigned says that a service which signs, or has to, did not.
var ErrUnsigned = errors.New("the bundle has no attestation")

// attestation fetches what the service signed about a bundle, and holds it against
// the archive and the keys that the service is known by. A service that never signed
// gives none. The pin is what to believe from then on.
func (s *Session) attestation(ctx context.Context, id, archive string) ([]byte, pin, error) {
	c := s.client
	p, err := s.Keys.read(c.BaseURL())
	if err != nil {
		return nil, pin{}, err
	}
	text, err := c.Attestation(ctx, id)
	if notThere(err) {
		if err := unsigned(ctx, c, p); err != nil {
			return nil, pin{}, err
		}
		s.warn("Not verified: the service signs nothing, so that nothing proves who made this bundle.")
		return nil, pin{}, nil
	}
	if err != nil {
		return nil, pin{}, err
	}
	sum, err := digest(archive)
	if err != nil {
		return nil, pin{}, err
	}
	p, err = meet(ctx, c, p, func(trust provenance.Trust) error {
		_, err := provenance.Verify(text, sum, id, trust)
		return err
	})
	return text, p, err
}

// digest reads a SHA-256 in hexadecimal.
func digest(text string) (sum [sha256.Size]byte, err error) {
	bytes, err := hex.DecodeString(text)
	if err != nil || len(bytes) != len(sum) {
		return sum, fmt.Errorf("the digest %q is none", text)
	}
	return [sha256.Size]byte(bytes), nil
}

// meet verifies with what is believed of a service, and if that does not do, with what
// it publishes now and the known keys vouch for. It gives what was learned, for the
// caller to save.
func meet(ctx context.Context, c *client.Client, p pin, verify func(provenance.Trust) error) (pin, error) {
	var refused error
	if p.known() {
		if refused = verify(p.Trust); refused == nil {
			p.path = "" // nothing is new
			return p, nil
		}
	}
	text, err := c.SigningKeys(ctx)
	if refused != nil && notThere(err) {
		return pin{}, p.explain(refused)
	}
	if err != nil {
		return pin{}, err
	}
	published, err := provenance.ParseKeys(text)
	if err != nil {
		return pin{}, err
	}
	var trust provenance.Trust
	if p.known() {
		trust, err = p.Extend(published)
	} else {
		trust, err = provenance.Pin(published)
	}
	if err == nil {
		err = verify(trust)
	}
	if err != nil {
		return pin{}, p.explain(err)
	}
	p.Trust = trust
	return p, nil
}

// explain adds what a person can do about an attestation that is refused: something only
// if its key is not known. An archive that was changed, or a statement about another
// one, is no reason to believe other keys.
func (p pin) explain(err error) error {
	switch {
	case !errors.Is(err, provenance.ErrUnknownKey):
		return err
	case p.given:
		return fmt.Errorf("%w; %s holds the key that is believed", err, KeyVariable)
	case p.known():
		return fmt.Errorf("%w; if its operator confirms that the service has a new key, delete %s", err, p.path)
	}
	return err
}

// unsigned judges a bundle without an attestation: nil if the service has never
// signed.
func unsigned(ctx context.Context, c *client.Client, p pin) error {
	switch {
	case p.given:
		return fmt.Errorf("%w, and %s says that the service signs", ErrUnsigned, KeyVariable)
	case p.known():
		return fmt.Errorf("%w, and the service has signed before", ErrUnsigned)
	}
	_, err := c.SigningKeys(ctx)
	if notThere(err) {
		return nil
	}
	return errors.Join(ErrUnsigned, err)
}

func notThere(err error) bool { return client.StatusOf(err) == http.StatusNotFound }
