package main

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/provenance"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

// pull pulls into a new folder and insists on the outcome.
func (s *signingService) pull(want int, said string, env map[string]string, flags ...string) string {
	s.t.Helper()
	work := s.t.TempDir()
	code, _, text := s.run(work, env, append([]string{"pull", attestedBundle}, flags...)...)
	if code != want || !strings.Contains(text, said) {
		s.t.Fatalf("exit %d: %s; want %d and %q", code, text, want, said)
	}
	if _, err := os.Stat(filepath.Join(work, "main.go")); (err == nil) != (want == exitOK) {
		s.t.Fatalf("exit %d, and the file: %v", code, err)
	}
	return work
}

// pins are the files in which the user's client keeps keys.
func (s *signingService) pins() []string {
	s.t.Helper()
	found, err := filepath.Glob(filepath.Join(s.home, ".svc", "signing-keys", "*"))
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

// Promise: pins
func TestKeysArePinnedAndFollowed(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSigningService(t)

	// A service that does not sign yet is served as ever, until it does.
	s.say(nil, nil)
	s.pull(exitOK, "", nil)
	if pins := s.pins(); len(pins) != 0 {
		t.Errorf("pinned: %v", pins)
	}
	// One that publishes keys and has no attestation is no such service.
	s.say(nil, published(s.first(1)))
	s.pull(exitUser, "no attestation", nil)
	// Keys of which one is not vouched for are not pinned at all.
	wrong := s.rotated(1, 2)
	wrong.Keys[1].Voucher = nil
	s.say(s.signed(signingKey(1), nil), published(wrong))
	s.pull(exitUser, "none of its others vouches for", nil)

	s.say(s.signed(signingKey(1), nil), published(s.first(1)))
	s.pull(exitOK, "", nil)
	if pins := s.pins(); len(pins) != 1 {
		t.Fatalf("pinned: %v", pins)
	}
	// What is known needs no keys to be published any more.
	s.say(s.signed(signingKey(1), nil), nil)
	s.pull(exitOK, "", nil)
	// A rotated key is followed, and remembered.
	s.say(s.signed(signingKey(2), nil), published(s.rotated(1, 2)))
	s.pull(exitOK, "", nil)
	s.say(s.signed(signingKey(2), nil), nil)
	s.pull(exitOK, "", nil)
	// A service that moved says so beside its keys.
	s.say(s.signed(signingKey(2), func(p *provenance.Provenance) { p.Service = "https://new.example" }), published(s.rotated(1, 2).Named("https://new.example")))
	s.pull(exitOK, "", nil)

	// Who does not care says so each time.
	s.say(nil, nil)
	s.pull(exitUser, "has signed before", nil)
	unsigned := s.pull(exitOK, "nobody vouches", nil, "--insecure-unsigned")
	s.pull(exitUser, "has signed before", nil)
	if code, _, text := s.run(unsigned, nil, "verify"); code != exitOK || !strings.Contains(text, "without an attestation") {
		t.Errorf("exit %d: %s", code, text)
	}
	if code, _, text := s.run(unsigned, nil, "show"); code != exitUser || !strings.Contains(text, "kept no attestation") {
		t.Errorf("exit %d: %s", code, text)
	}

	// A file of pins that is damaged is no first meeting.
	if err := os.WriteFile(s.pins()[0], []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.say(s.signed(signingKey(9), nil), published(s.first(9)))
	s.pull(exitUser, "before you delete", nil)
}

// encodedKey is the first key of a service as people hand it on.
func encodedKey(keys provenance.Keys) string {
	return base64.StdEncoding.EncodeToString(keys.Keys[0].Public)
}

// Promise: signing-key-variable
func TestAKeyOfTheEnvironmentIsTheOnlyOneBelieved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSigningService(t)
	env := func(seed byte) map[string]string {
		return map[string]string{pull.KeyVariable: encodedKey(s.first(seed))}
	}
	s.say(s.signed(signingKey(1), nil), nil)
	s.pull(exitOK, "", env(1))
	s.say(s.signed(signingKey(2), nil), published(s.rotated(1, 2)))
	s.pull(exitOK, "", env(1)) // through its voucher
	s.pull(exitUser, pull.KeyVariable, env(3))
	s.pull(exitUser, pull.KeyVariable, map[string]string{pull.KeyVariable: "no key"})
	s.say(nil, nil)
	s.pull(exitUser, pull.KeyVariable, env(1))
	if pins := s.pins(); len(pins) != 0 {
		t.Errorf("pinned: %v", pins)
	}
	// What was pulled so is verified so.
	s.say(s.signed(signingKey(1), nil), nil)
	work := s.pull(exitOK, "", env(1))
	if code, _, text := s.run(work, env(1), "verify"); code != exitOK || !strings.Contains(text, "signed by") {
		t.Errorf("exit %d: %s", code, text)
	}
	if code, _, text := s.run(work, nil, "verify"); code != exitUser || !strings.Contains(text, "no key of "+s.URL+" is known here") || !strings.Contains(text, pull.KeyVariable) {
		t.Errorf("exit %d: %s", code, text)
	}
}

// TestAHomeThatHoldsNothing: service users often have a home folder that is none.
// Promise: pins-unwritable
func TestAHomeThatHoldsNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSigningService(t)
	s.say(s.signed(signingKey(1), nil), published(s.first(1)))
	for _, home := range []string{"/dev/null", filepath.Join(t.TempDir(), "none"), ""} {
		work := s.pull(exitOK, "", map[string]string{"HOME": home})
		if _, err := os.Lstat(filepath.Join(work, "signing-keys")); !os.IsNotExist(err) {
			t.Errorf("with the home %q keys are kept in the folder that was pulled into (%v)", home, err)
		}
	}
	if _, err := os.Stat(s.home); err != nil || len(s.pins()) != 0 {
		t.Errorf("%v, pinned %v", err, s.pins())
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	s.pull(exitUser, "TMPDIR", nil)
}

// Promise: verify-offline
func TestVerifyAndShowSayWhoMadeThisOffline(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSigningService(t)
	s.say(s.signed(signingKey(1), nil), published(s.first(1)))
	work := s.pull(exitOK, "", nil)
	code, out, text := s.run(work, nil, "show", attestedBundle)
	if code != exitOK || strings.Count(out, "\n") != 3 {
		t.Errorf("exit %d: %s%s", code, out, text)
	}
	asked := out
	s.Close()
	code, out, text = s.run(work, nil, "show")
	want := "service: " + s.URL + " (svcd 1.2.3), 2030-01-02T03:04:05Z\nmade by: engine anthropic, model model-1, run gen_1\nchecks:  passed: go build, go test skipped\n"
	if code != exitOK || out != want || asked != want {
		t.Errorf("exit %d: %s%s", code, out, text)
	}
	if code, out, text = s.run(work, nil, "show", "--json"); code != exitOK || !strings.Contains(out, `"engine": "anthropic"`) {
		t.Errorf("exit %d: %s%s", code, out, text)
	}
	if code, out, text = s.run(work, nil, "verify"); code != exitOK || !strings.Contains(text, "signed by "+s.URL) {
		t.Errorf("exit %d: %s%s", code, out, text)
	}
	if code, out, _ = s.run(work, nil, "verify", "--json"); code != exitOK || !strings.Contains(out, `"status": "verified"`) {
		t.Errorf("exit %d: %s", code, out)
	}
	// By another key it is not good, however it lies in the folder.
	env := map[string]string{pull.KeyVariable: encodedKey(s.first(2))}
	if code, _, text = s.run(work, env, "verify"); code != exitUser || !strings.Contains(text, "no known key vouches") {
		t.Errorf("exit %d: %s", code, text)
	}
	// The files are those of the archive that was signed, or the folder says so.
	if err := os.WriteFile(filepath.Join(work, "main.go"), []byte("package evil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ = s.run(work, nil, "verify"); code != exitUser || !strings.Contains(out, "changed   main.go") {
		t.Errorf("exit %d: %s", code, out)
	}
	// Somebody else's folder proves nothing here.
	s.home = t.TempDir()
	if code, _, text = s.run(work, nil, "show"); code != exitUser || !strings.Contains(text, "not known") {
		t.Errorf("exit %d: %s", code, text)
	}
	if err := os.WriteFile(filepath.Join(work, "main.go"), []byte("package main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, text = s.run(work, nil, "verify"); code != exitOK || !strings.Contains(text, "not written by your svc") || !strings.Contains(text, "not known.") {
		t.Errorf("exit %d: %s", code, text)
	}
	if code, _, text = s.run(t.TempDir(), nil, "show"); code != exitUser || !strings.Contains(text, "in the folder of the pull, or name a bundle") {
		t.Errorf("exit %d: %s", code, text)
	}
}

// TestKeysThatCannotBeReadAreNotForgotten: a damaged file of keys is no first contact.
// Promise: pins-damaged
func TestKeysThatCannotBeReadAreNotForgotten(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSigningService(t)
	s.say(s.signed(signingKey(1), nil), published(s.first(1)))
	s.pull(exitOK, "", nil)
	name := s.pins()[0]
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	key := s.first(1).Keys[0]
	public := base64.StdEncoding.EncodeToString(key.Public)
	for what, text := range map[string]string{
		"nothing": "", "half of it": string(good[:len(good)/2]), "no fields": "{}", "null": "null",
		"no keys":         `{"base_url":"` + s.URL + `","keys":[]}`,
		"another service": strings.ReplaceAll(string(good), s.URL, "https://other.example"),
		"a short key":     strings.ReplaceAll(string(good), public, "AAAA"),
		"another key":     strings.ReplaceAll(string(good), public, base64.StdEncoding.EncodeToString(s.first(2).Keys[0].Public)),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Log(what)
		s.pull(exitUser, "cannot be read", nil)
	}
	if err := os.WriteFile(name, good, 0o600); err != nil {
		t.Fatal(err)
	}
	s.pull(exitOK, "", nil)
}
