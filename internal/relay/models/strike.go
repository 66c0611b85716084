package models

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// struck stands where a key stood.
const struck = "***"

// striker passes on what is written without a secret, also where the secret comes
// in pieces: what may be its beginning waits for the rest.
type striker struct {
	to     io.Writer
	secret []byte
	held   []byte
}

func (s *striker) Write(p []byte) (int, error) {
	if len(s.secret) == 0 {
		return s.to.Write(p)
	}
	text := bytes.ReplaceAll(append(s.held, p...), s.secret, []byte(struck))
	keep := 0
	for n := min(len(text), len(s.secret)-1); n > 0 && keep == 0; n-- {
		if bytes.HasSuffix(text, s.secret[:n]) {
			keep = n
		}
	}
	s.held = append([]byte(nil), text[len(text)-keep:]...)
	if _, err := s.to.Write(text[:len(text)-keep]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// end writes what has waited: it was no secret.
func (s *striker) end() error {
	if len(s.held) == 0 {
		return nil
	}
	_, err := s.to.Write(s.held)
	s.held = nil
	return err
}

// orNone is a text that stands nowhere, in place of an empty secret.
func orNone(secret string) string {
	if secret == "" {
		return "\x00"
	}
	return secret
}

// withoutKey is an error that does not repeat the key.
func (p *Provider) withoutKey(err error) error {
	if text := err.Error(); p.key != "" && strings.Contains(text, p.key) {
		return errors.New(strings.ReplaceAll(text, p.key, struck))
	}
	return err
}
