package provenance

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/api"
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
		Service: service, Version: "1.2.3", Bundle: bundleID, Project: "proj_1", Origin: svc.OriginRepackage, MadeAt: now, Archive: archive,
		Files: svc.Provenance{
			State: hex.EncodeToString(archive[:]), Origin: svc.OriginRun, Engine: "anthropic", Model: "model-1", Run: "gen_1", Base: "3",
			Validation: &svc.Validation{Level: "test", Status: "passed", Checks: []svc.ValidationCheck{{Check: "go vet", Status: "passed", Seconds: 1.5, Version: "go1.26"}}},
		},
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

// Promise: attestation-refused
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

// Promise: attestation-refused
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
			if err == nil || !strings.Contains(err.Error(), c.want) || p.Bundle != "" {
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

// Promise: signing-rotation
func TestANewKeyIsTrustedThroughTheOldOnes(t *testing.T) {
	keys := First(service, testKey(1), now)
	old := pinned(t, keys)
	for i := byte(2); i < 5; i++ {
		keys = rotate(t, keys, testKey(i-1), testKey(i))
	}
	newest := attestation(t, provenance(), testKey(4))
	if _, err := Verify(newest, archive, bundleID, old); err == nil || !strings.Contains(err.Error(), keys.Keys[3].ID) {
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

// Promise: signing-rotation
func TestKeysWithoutAVoucherAreLeftOut(t *testing.T) {
	keys := First(service, testKey(1), now)
	old := pinned(t, keys)
	next := rotate(t, keys, testKey(1), testKey(2))
	strange := rotate(t, First(service, testKey(8), now), testKey(8), testKey(9))
	long := next.Keys[1]
	said, err := json.Marshal(vouched{KeyID: long.ID, Public: long.Public, CreatedAt: long.CreatedAt})
	if err == nil {
		long.Voucher, err = seal(voucherPayload, append(said, "{}"...), testKey(1))
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, published := range map[string][]Key{
		"none":          {next.Keys[0], {ID: next.Keys[1].ID, Public: next.Keys[1].Public, CreatedAt: next.Keys[1].CreatedAt}},
		"a stranger's":  {next.Keys[0], strange.Keys[1]},
		"a longer one":  {next.Keys[0], long},
		"another key's": {next.Keys[0], {ID: strange.Keys[1].ID, Public: strange.Keys[1].Public, CreatedAt: next.Keys[1].CreatedAt, Voucher: next.Keys[1].Voucher}},
		"another time":  {next.Keys[0], {ID: next.Keys[1].ID, Public: next.Keys[1].Public, CreatedAt: api.Time(now), Voucher: next.Keys[1].Voucher}},
	} {
		k := Keys{Names: []string{service}, Keys: published}
		if got, err := old.Extend(k); err != nil || len(got.Keys) != 1 {
			t.Errorf("%s: %d keys are trusted, %v", name, len(got.Keys), err)
		}
		if _, err := Pin(k); err == nil {
			t.Errorf("%s: pinned", name)
		}
	}
	lying := Keys{Names: []string{service}, Keys: []Key{{ID: next.Keys[0].ID, Public: next.Keys[1].Public}}}
	if _, err := old.Extend(lying); err == nil {
		t.Error("a key under another's id is accepted")
	}
	for _, empty := range []Keys{{}, {Names: []string{service}}, {Keys: next.Keys}, {Names: []string{service}, Keys: make([]Key, maxKeys+1)}} {
		if _, err := Pin(empty); err == nil {
			t.Errorf("%d keys of %q are pinned", len(empty.Keys), empty.Names)
		}
	}
}

// Promise: signing-rotation
func TestAServiceMayMove(t *testing.T) {
	const elsewhere = "https://svc.example.org"
	keys := First(service, testKey(1), now)
	old := pinned(t, keys)
	moved := provenance()
	moved.Service = elsewhere
	text := attestation(t, moved, testKey(1))
	if _, err := Verify(text, archive, bundleID, old); err == nil || !strings.Contains(err.Error(), "another service") {
		t.Errorf("before the names are asked for: %v", err)
	}
	extended, err := old.Extend(keys.Named(elsewhere))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"what it signed before": attestation(t, provenance(), testKey(1)), "what it signs now": text} {
		if _, err := Verify(text, archive, bundleID, extended); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range 2 * maxNames {
		keys = keys.Named(service + strings.Repeat("/", len(keys.Names)))
	}
	if got := keys.Named(service); len(got.Names) != maxNames || got.Name() != service || got.Named(service).Name() != service {
		t.Errorf("%d names, the newest is %q", len(got.Names), got.Name())
	}
}

// Whatever a run's checks are called, a statement about it is one that is accepted.
// Promise: attestation-refused
func TestEveryStatementIsSmallEnough(t *testing.T) {
	p := provenance()
	long := strings.Repeat("\x01é<", 1000)
	p.Files.Model = long
	p.Files.Validation = &svc.Validation{Level: "test", Status: "passed"}
	for range 3 * maxChecks {
		p.Files.Validation.Checks = append(p.Files.Validation.Checks, svc.ValidationCheck{Check: long, Status: "failed_before", Seconds: 1.0 / 3, Version: long, Detail: long})
	}
	got, err := Verify(attestation(t, p, testKey(1)), archive, bundleID, pinned(t, First(service, testKey(1), now)))
	if err != nil || len(got.Files.Validation.Checks) == 0 || got.Files.Validation.Checks[0].Detail != "" {
		t.Errorf("%v, %+v", err, got.Files.Model)
	}
}

// Promise: attestation-refused
func TestWhatNobodyTriedSaysSo(t *testing.T) {
	p := provenance()
	p.Files.Validation = nil
	text := attestation(t, p, testKey(1))
	payload, err := open(statementPayload, text, []Key{newKey(testKey(1), now)})
	if err != nil || !strings.Contains(string(payload), `"validation":{"status":"none"}`) {
		t.Errorf("%s, %v", payload, err)
	}
}

// Promise: signing-rotation
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

// Promise: attestation-refused
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
		if diff := cmp.Diff(provenance(), p); err == nil && diff != "" {
			t.Errorf("this was never signed: %s", diff)
		}
	})
}
