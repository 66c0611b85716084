package workdir

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// key signs what this user's client writes into folders. The zero key signs
// nothing and recognises nothing.
type key []byte

// signed is a document with the proof of who wrote it.
type signed struct {
	MAC  string          `json:"seal"`
	Body json.RawMessage `json:"body"`
}

// The purposes keep a record from being passed off as a journal.
const (
	purposeJournal = "journal"
	purposeRecord  = "record"
	purposePush    = "push"
	purposeRequest = "push request"
)

func (k key) mac(purpose string, body []byte) string {
	if len(k) == 0 {
		return ""
	}
	mac := hmac.New(sha256.New, k)
	_, _ = mac.Write([]byte(purpose + "\n"))
	_, _ = mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func (k key) sign(purpose string, document any) ([]byte, error) {
	body, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	return json.Marshal(signed{MAC: k.mac(purpose, body), Body: body})
}

// replace puts a signed document in place as a whole.
func (k key) replace(d disk, name, temp, purpose string, document any) error {
	text, err := k.sign(purpose, document)
	if err != nil {
		return err
	}
	return d.replace(name, temp, perm{bits: 0o600}, bytes.NewReader(text))
}

// verify reads a signed document. That it is authentic is said apart: there are
// things that may be done without.
func (k key) verify(purpose string, text []byte, document any) (authentic bool, err error) {
	var s signed
	if err := json.Unmarshal(text, &s); err != nil {
		return false, err
	}
	if len(s.Body) == 0 {
		return false, errors.New("has no body")
	}
	if err := json.Unmarshal(s.Body, document); err != nil {
		return false, err
	}
	want := k.mac(purpose, s.Body)
	return want != "" && hmac.Equal([]byte(want), []byte(s.MAC)), nil
}

// folderKey gives the user's key, or the zero key if there is none.
func (f *Folder) folderKey() key {
	if f.home == nil {
		return nil
	}
	text, err := f.home.read(keyName, 256)
	if err != nil {
		return nil
	}
	k, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(k) != sha256.Size {
		return nil
	}
	return k
}

// ensureKey makes the user's key if there is none. A home folder that cannot be
// written to is no reason not to pull: what is written then has no signature.
func (f *Folder) ensureKey() (key, error) {
	if k := f.folderKey(); k != nil || f.home == nil {
		return k, nil
	}
	fresh := make([]byte, sha256.Size)
	_, _ = rand.Read(fresh)
	d := f.home.disk
	err := d.mkdirPrivate(stateDir)
	if err == nil {
		err = d.replace(keyName, keyName+".draft", perm{bits: 0o600, exact: true}, strings.NewReader(hex.EncodeToString(fresh)+"\n"))
	}
	switch {
	case f.hook.stopped != nil:
		return nil, f.hook.stopped
	case errors.Is(err, fs.ErrPermission), err != nil:
		return nil, nil //nolint:nilerr // see above
	}
	return fresh, nil
}

// newPullID makes a name for a pull that nobody can guess.
func newPullID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func isPullID(id string) bool {
	b, err := hex.DecodeString(id)
	return err == nil && len(b) == 16 && id == strings.ToLower(id)
}

// digestOf is the SHA-256 of bytes, as logs have it.
func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func isDigest(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size && s == strings.ToLower(s)
}

// checkDigest allows a digest, or nothing for "no file".
func checkDigest(s string) error {
	if s != "" && !isDigest(s) {
		return fmt.Errorf("%q is no SHA-256", s)
	}
	return nil
}
