package attest

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	service  = "https://svc.example.com"
	bundleID = "01890a5d-ac96-774b-bcce-b302099a8057"
)

var (
	now     = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	archive = sha256.Sum256([]byte("an archive"))
)

func testKey(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(seed), ed25519.SeedSize)))
}

func provenance() Provenance {
	return Provenance{
		Service: service, Version: "1.2.3", Bundle: bundleID, Project: "proj_1", Origin: "run", Engine: "anthropic",
		Model: "model-1", Run: "gen_1", Base: "3", Validation: "passed", MadeAt: now, Archive: archive,
	}
}

func attestation(t *testing.T, p Provenance, key ed25519.PrivateKey) []byte {
	t.Helper()
	text, err := Sign(p, key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func pinned(t *testing.T, k Keys) Trust {
	t.Helper()
	trust, err := Pin(k)
	if err != nil {
		t.Fatal(err)
	}
	return trust
}

func TestWhatWasSignedIsReadBack(t *testing.T) {
	key := testKey(1)
	got, err := Verify(attestation(t, provenance(), key), archive, bundleID, pinned(t, First(service, key, now)))
	if diff := cmp.Diff(provenance(), got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// edit changes an envelope in its JSON.
func edit(t *testing.T, text []byte, change func(*envelope)) []byte {
	t.Helper()
	var e envelope
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	change(&e)
	out, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sealed signs a statement that was changed in its JSON: what a service would say
// that holds the key and lies, or is of another make.
func sealed(t *testing.T, key ed25519.PrivateKey, change func(*statement)) []byte {
	t.Helper()
	var s statement
	edit(t, attestation(t, provenance(), key), func(e *envelope) {
		payload, err := base64.StdEncoding.DecodeString(e.Payload)
		if err == nil {
			err = json.Unmarshal(payload, &s)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	change(&s)
	payload, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	text, err := seal(statementPayload, payload, key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestForgeriesAreRefused(t *testing.T) {
	key, other := testKey(1), testKey(2)
	trust := pinned(t, First(service, key, now))
	good := attestation(t, provenance(), key)
	with := func(change func(*Provenance)) []byte {
		p := provenance()
		change(&p)
		return attestation(t, p, key)
	}
	flip := func(text string) string { return "A" + text[1:] }
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"another's key": {attestation(t, provenance(), other), "no known key vouches"},
		"another's key, ours named": {edit(t, attestation(t, provenance(), other), func(e *envelope) {
			e.Signatures[0].KeyID = trust.Keys[0].ID
		}), "not that of key"},
		"another archive": {with(func(p *Provenance) { p.Archive[0]++ }), "another archive"},
		"another bundle":  {with(func(p *Provenance) { p.Bundle = "x" }), "another bundle"},
		"another service": {with(func(p *Provenance) { p.Service = "https://evil.example" }), "another service"},
		"no signature":    {edit(t, good, func(e *envelope) { e.Signatures = nil }), "0 signatures"},
		"two signatures":  {edit(t, good, func(e *envelope) { e.Signatures = append(e.Signatures, e.Signatures[0]) }), "2 signatures"},
		"one good of two": {edit(t, good, func(e *envelope) {
			e.Signatures = append([]signature{{KeyID: "x", Sig: "AAAA"}}, e.Signatures...)
		}), "2 signatures"},
		"an empty signature":    {edit(t, good, func(e *envelope) { e.Signatures[0].Sig = "" }), "not that of key"},
		"a changed signature":   {edit(t, good, func(e *envelope) { e.Signatures[0].Sig = flip(e.Signatures[0].Sig) }), "not that of key"},
		"a changed payload":     {edit(t, good, func(e *envelope) { e.Payload = e.Payload[:len(e.Payload)-8] }), "not that of key"},
		"a payload of no bytes": {edit(t, good, func(e *envelope) { e.Payload = "" }), "not that of key"},
		"another type":          {edit(t, good, func(e *envelope) { e.PayloadType = voucherPayload }), "holds"},
		"no base64":             {edit(t, good, func(e *envelope) { e.Payload = "%" + e.Payload }), "no base64"},
		"truncated":             {good[:len(good)/2], "no JSON"},
		"something behind it":   {append(append([]byte{}, good...), "{}"...), "follows its end"},
		"huge":                  {append(append([]byte{}, good...), strings.Repeat(" ", MaxSize)...), "more than"},
		"empty":                 {nil, "no JSON"},
		"two subjects":          {sealed(t, key, func(s *statement) { s.Subject = append(s.Subject, s.Subject[0]) }), "about 2 archives"},
		"a swapped subject":     {sealed(t, key, func(s *statement) { s.Subject[0].Name = "other.zip" }), "is not its bundle"},
		"another statement":     {sealed(t, key, func(s *statement) { s.Type = "https://in-toto.io/Statement/v0.1" }), "its type"},
		"another predicate":     {sealed(t, key, func(s *statement) { s.PredicateType = "x" }), "its predicate"},
		"another kind of build": {sealed(t, key, func(s *statement) { s.Predicate.BuildDefinition.BuildType = "x" }), "built by"},
		"a digest of another kind": {sealed(t, key, func(s *statement) {
			s.Subject[0].Digest = map[string]string{"sha1": s.Subject[0].Digest["sha256"]}
		}), "no SHA-256"},
		"no time": {sealed(t, key, func(s *statement) { s.Predicate.RunDetails.Metadata.FinishedOn = "" }), "no time"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Verify(c.text, archive, bundleID, trust)
			if err == nil || !strings.Contains(err.Error(), c.want) || p != (Provenance{}) {
				t.Errorf("%+v, %v; want an error with %q", p, err, c.want)
			}
		})
	}
}

func rotate(t *testing.T, k Keys, current, next ed25519.PrivateKey) Keys {
	t.Helper()
	out, err := k.Rotate(current, next, now.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestANewKeyIsTrustedThroughTheOldOnes(t *testing.T) {
	keys := First(service, testKey(1), now)
	old := pinned(t, keys)
	for i := byte(2); i < 5; i++ {
		keys = rotate(t, keys, testKey(i-1), testKey(i))
	}
	newest := attestation(t, provenance(), testKey(4))
	_, err := Verify(newest, archive, bundleID, old)
	if unknown, ok := errors.AsType[*UnknownKeyError](err); !ok || unknown.ID != keys.Keys[3].ID {
		t.Errorf("before the keys are asked for: %v", err)
	}
	extended, err := old.Extend(keys)
	if err != nil || len(extended.Keys) != 4 {
		t.Fatalf("%d keys, %v", len(extended.Keys), err)
	}
	for i := byte(1); i < 5; i++ {
		if _, err := Verify(attestation(t, provenance(), testKey(i)), archive, bundleID, extended); err != nil {
			t.Errorf("key %d: %v", i, err)
		}
	}
	if keys.Keys[0].RetiredAt == nil || keys.Keys[3].RetiredAt != nil {
		t.Errorf("retired: %+v", keys.Keys)
	}
	if _, err := keys.Rotate(testKey(1), testKey(9), now); err == nil {
		t.Error("a key that is retired vouches for another")
	}
	if _, err := keys.Rotate(testKey(4), testKey(1), now); err == nil {
		t.Error("a key comes back")
	}
}

func TestKeysWithoutAVoucherAreLeftOut(t *testing.T) {
	keys := First(service, testKey(1), now)
	old := pinned(t, keys)
	next := rotate(t, keys, testKey(1), testKey(2))
	strange := rotate(t, First(service, testKey(8), now), testKey(8), testKey(9))
	elsewhere := rotate(t, First("https://evil.example", testKey(1), now), testKey(1), testKey(2))
	for name, published := range map[string][]Key{
		"none":            {next.Keys[0], {ID: next.Keys[1].ID, Public: next.Keys[1].Public, CreatedAt: next.Keys[1].CreatedAt}},
		"a stranger's":    {next.Keys[0], strange.Keys[1]},
		"another key's":   {next.Keys[0], {ID: strange.Keys[1].ID, Public: strange.Keys[1].Public, CreatedAt: next.Keys[1].CreatedAt, Voucher: next.Keys[1].Voucher}},
		"another service": {next.Keys[0], elsewhere.Keys[1]},
		"another time":    {next.Keys[0], {ID: next.Keys[1].ID, Public: next.Keys[1].Public, CreatedAt: now, Voucher: next.Keys[1].Voucher}},
	} {
		k := Keys{Service: service, Keys: published}
		if got, err := old.Extend(k); err != nil || len(got.Keys) != 1 {
			t.Errorf("%s: %d keys are trusted, %v", name, len(got.Keys), err)
		}
		if _, err := Pin(k); err == nil {
			t.Errorf("%s: pinned", name)
		}
	}
	lying := Keys{Service: service, Keys: []Key{{ID: next.Keys[0].ID, Public: next.Keys[1].Public}}}
	if _, err := old.Extend(lying); err == nil {
		t.Error("a key under another's id is accepted")
	}
	if _, err := old.Extend(Keys{Service: "https://evil.example", Keys: next.Keys}); err == nil {
		t.Error("another service's keys are accepted")
	}
	for _, empty := range []Keys{{}, {Service: service}, {Service: service, Keys: make([]Key, maxKeys+1)}} {
		if _, err := Pin(empty); err == nil {
			t.Errorf("%d keys of %q are pinned", len(empty.Keys), empty.Service)
		}
	}
}

func TestAKeyGivenByHandIsEnough(t *testing.T) {
	public := testKey(1).Public().(ed25519.PublicKey) //nolint:forcetypeassert // it is one
	key, err := ParseKey(base64.StdEncoding.EncodeToString(public))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(attestation(t, provenance(), testKey(1)), archive, bundleID, Trust{Keys: []Key{key}}); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"", "AAAA", "not base64", base64.StdEncoding.EncodeToString(public) + "A"} {
		if _, err := ParseKey(text); err == nil {
			t.Errorf("%q is a key", text)
		}
	}
}

func FuzzVerify(f *testing.F) {
	key := testKey(1)
	text, err := Sign(provenance(), key)
	if err != nil {
		f.Fatal(err)
	}
	trust, err := Pin(First(service, key, now))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"payloadType":"application/vnd.in-toto+json","payload":"","signatures":[{"keyid":"","sig":""}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Verify(text, archive, bundleID, trust)
		if err == nil && p != provenance() {
			t.Errorf("%+v was never signed", p)
		}
	})
}
