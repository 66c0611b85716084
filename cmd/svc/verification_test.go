package main

import (
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/provenance"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

// TestNoHintToDeleteAPinButForAnUnknownKey: an archive that was changed on its way is no
// reason to believe another key.
// Promise: unverified-said
func TestNoHintToDeleteAPinButForAnUnknownKey(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSigningService(t)
	key, own := signingKey(1), published(s.first(1))
	s.say(s.signed(key, nil), own)
	s.pull(exitOK, "", nil)
	for name, c := range map[string]struct {
		attestation func() []byte
		hint        bool
	}{
		"a changed archive":  {s.signed(key, func(p *provenance.Provenance) { p.Archive[0]++ }), false},
		"a replay":           {s.signed(key, func(p *provenance.Provenance) { p.Bundle = "01890a5d-ac96-774b-bcce-b302099a8058" }), false},
		"no signature":       {bent(s.signed(key, nil), func(e map[string]any) { e["signatures"] = []any{} }), false},
		"a broken statement": {bent(s.signed(key, nil), func(e map[string]any) { e["payload"] = "" }), false},
		"none":               {nil, false},
		"an unknown key":     {s.signed(signingKey(2), nil), true},
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			s.say(c.attestation, own)
			for _, env := range []map[string]string{nil, {pull.KeyVariable: encodedKey(s.first(1))}} {
				code, _, text := s.run(t.TempDir(), env, "pull", attestedBundle)
				hint := strings.Contains(text, "delete") || strings.Contains(text, "holds the key")
				if code != exitUser || hint != c.hint {
					t.Errorf("exit %d, a hint: %v, want %v: %s", code, hint, c.hint, text)
				}
			}
		})
	}
}

// TestAPullThatIsNotVerifiedSaysSo, also where notes are not wanted.
// Promise: unverified-said
func TestAPullThatIsNotVerifiedSaysSo(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSigningService(t)
	s.say(nil, nil)
	s.pull(exitOK, "Not verified", nil, "--quiet")
	s.pull(exitOK, "Not verified", nil, "--quiet", "--insecure-unsigned")
	s.say(s.signed(signingKey(1), nil), published(s.first(1)))
	work := t.TempDir()
	if code, _, text := s.run(work, nil, "pull", attestedBundle); code != exitOK || strings.Contains(text, "Not verified") {
		t.Errorf("exit %d: %s", code, text)
	}
}

// TestEmptyVariablesAreRefused: a script that lost the value of a key would pull without
// what the key protects.
// Promise: empty-variables
func TestEmptyVariablesAreRefused(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSigningService(t)
	s.say(nil, nil)
	for _, name := range []string{pull.KeyVariable, "SVC_CA_FILE"} {
		work := t.TempDir()
		before := tree(t, work, s.home, os.TempDir())
		code, _, text := s.run(work, map[string]string{name: ""}, "pull", attestedBundle)
		if code != exitUser || !strings.Contains(text, name+" is set and empty") {
			t.Errorf("exit %d: %s", code, text)
		}
		if !maps.Equal(before, tree(t, work, s.home, os.TempDir())) || s.acks != 0 {
			t.Errorf("with an empty %s something was written or acknowledged", name)
		}
	}
}
