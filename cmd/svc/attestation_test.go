package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/bundle/provenance"
)

const attestedBundle = "01890a5d-ac96-774b-bcce-b302099a8057"

// signingService is a service that signs as it is told.
type signingService struct {
	*httptest.Server
	t       *testing.T
	archive []byte
	home    string // of the user

	mu          sync.Mutex
	attestation func() []byte // nil: there is none
	keys        func() []byte // nil: there are none
	acks        int
}

func newSigningService(t *testing.T) *signingService {
	t.Helper()
	s := &signingService{t: t, home: t.TempDir()}
	var archive bytes.Buffer
	state := bundlezip.State{ProjectID: "proj_00000000000000000000"}
	state.Put(bundlezip.StateFile{Path: "main.go", Content: bundlezip.Bytes([]byte("package main\n"))})
	if _, err := bundlezip.Write(&archive, state); err != nil {
		t.Fatal(err)
	}
	s.archive = archive.Bytes()
	answer := func(w http.ResponseWriter, r *http.Request, text func() []byte) {
		if text == nil {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(text())
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:] {
		case "download":
			_, _ = w.Write(s.archive)
		case "ack":
			s.acks++
			_, _ = w.Write([]byte(`{"bundleId":"` + attestedBundle + `","status":"downloaded","downloadedAt":"2026-01-01T00:00:00.000Z"}`))
		case "attestation":
			answer(w, r, s.attestation)
		case "svc-signing-keys.json":
			answer(w, r, s.keys)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// say changes what the service answers.
func (s *signingService) say(attestation, keys func() []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attestation, s.keys, s.acks = attestation, keys, 0
}

// run runs the real client in a folder.
func (s *signingService) run(dir string, env map[string]string, args ...string) (code int, stdout, stderr string) {
	s.t.Helper()
	s.t.Chdir(dir)
	all := map[string]string{"SVC_API_URL": s.URL, "SVC_TOKEN": "svc_abcdefgh_0123456789abcdef0123456789abcdef", "HOME": s.home}
	maps.Copy(all, env)
	var out, errs bytes.Buffer
	code = Main(context.Background(), args, Streams{
		In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(name string) string { return all[name] },
		LookupEnv: func(name string) (string, bool) { value, set := all[name]; return value, set },
	})
	return code, out.String(), errs.String()
}

func (s *signingService) provenance() provenance.Provenance {
	return provenance.Provenance{
		Service: s.URL, Version: "1.2.3", Bundle: attestedBundle, Project: "proj_00000000000000000000", Origin: svc.OriginRun,
		Files: svc.Provenance{
			Origin: svc.OriginRun, Engine: "anthropic", Model: "model-1", Run: "gen_1",
			Validation: &svc.Validation{Level: "test", Status: "passed", Checks: []svc.ValidationCheck{{Check: "go build", Status: "passed"}, {Check: "go test", Status: "skipped"}}},
		},
		MadeAt: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), Archive: sha256.Sum256(s.archive),
	}
}

// signed is an attestation with something changed before it is signed.
func (s *signingService) signed(key ed25519.PrivateKey, change func(*provenance.Provenance)) func() []byte {
	return func() []byte {
		p := s.provenance()
		if change != nil {
			change(&p)
		}
		text, err := provenance.Sign(p, key)
		if err != nil {
			panic(err)
		}
		return text
	}
}

// bent is JSON with something changed afterwards.
func bent(text func() []byte, change func(map[string]any)) func() []byte {
	return func() []byte {
		var fields map[string]any
		if err := json.Unmarshal(text(), &fields); err != nil {
			panic(err)
		}
		change(fields)
		out, err := json.Marshal(fields)
		if err != nil {
			panic(err)
		}
		return out
	}
}

// resigned is an attestation whose statement was changed and signed again: what a
// service says that has the key and is of another make.
func resigned(key ed25519.PrivateKey, text func() []byte, change func(statement map[string]any)) func() []byte {
	return bent(text, func(envelope map[string]any) {
		payload, err := base64.StdEncoding.DecodeString(envelope["payload"].(string)) //nolint:forcetypeassert // it is ours
		if err != nil {
			panic(err)
		}
		var statement map[string]any
		if err := json.Unmarshal(payload, &statement); err != nil {
			panic(err)
		}
		change(statement)
		if payload, err = json.Marshal(statement); err != nil {
			panic(err)
		}
		kind := envelope["payloadType"].(string) //nolint:forcetypeassert // it is ours
		pae := slices.Concat([]byte("DSSEv1 28 "+kind+" "), []byte(strconv.Itoa(len(payload))+" "), payload)
		envelope["payload"] = base64.StdEncoding.EncodeToString(payload)
		envelope["signatures"].([]any)[0].(map[string]any)["sig"] = base64.StdEncoding.EncodeToString(ed25519.Sign(key, pae)) //nolint:forcetypeassert // it is ours
	})
}

func signingKey(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
}

func published(keys provenance.Keys) func() []byte {
	return func() []byte {
		text, err := json.Marshal(keys)
		if err != nil {
			panic(err)
		}
		return text
	}
}

func (s *signingService) first(seed byte) provenance.Keys {
	return provenance.First(s.URL, signingKey(seed), time.Now())
}

func (s *signingService) rotated(from, to byte) provenance.Keys {
	keys, err := s.first(from).Rotate(signingKey(from), signingKey(to), time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	return keys
}

// tree is everything below folders, by name and content.
func tree(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				all[name] = "folder"
				return err
			}
			text, err := os.ReadFile(name)
			all[name] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Promise: pull-forgeries
func TestForgeriesAreRefusedAndNothingIsWritten(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSigningService(t)
	key, other := signingKey(1), signingKey(2)
	good, own := s.signed(key, nil), published(s.first(1))
	s.say(good, own)
	if code, _, text := s.run(t.TempDir(), nil, "pull", attestedBundle); code != exitOK {
		t.Fatalf("exit %d: %s", code, text)
	}
	signature := func(envelope map[string]any) map[string]any {
		return envelope["signatures"].([]any)[0].(map[string]any) //nolint:forcetypeassert // it is ours
	}
	stranger := s.rotated(2, 3)
	unvouched := s.rotated(1, 3)
	unvouched.Keys[1].Voucher = nil
	borrowed := s.rotated(1, 3)
	borrowed.Keys[1].Voucher = stranger.Keys[1].Voucher
	renamed := s.first(2)
	renamed.Keys[0].ID = s.first(1).Keys[0].ID
	longer := func(text func() []byte, more string) func() []byte {
		return func() []byte { return append(text(), more...) }
	}
	for name, c := range map[string]struct {
		attestation, keys func() []byte
		want              string
	}{
		"another's key":            {s.signed(other, nil), own, "no known key vouches"},
		"another's key, published": {s.signed(other, nil), published(s.first(2)), "no known key vouches"},
		"another's key, our id": {bent(s.signed(other, nil), func(e map[string]any) {
			signature(e)["keyid"] = s.first(1).Keys[0].ID
		}), own, "not that of key"},
		"another's key under our id, published":   {s.signed(other, nil), published(renamed), "not what its id says"},
		"another archive":                         {s.signed(key, func(p *provenance.Provenance) { p.Archive[0]++ }), own, "another archive"},
		"a statement of another bundle, replayed": {s.signed(key, func(p *provenance.Provenance) { p.Bundle = "01890a5d-ac96-774b-bcce-b302099a8058" }), own, "another bundle"},
		"another service":                         {s.signed(key, func(p *provenance.Provenance) { p.Service = "https://evil.example" }), own, "another service"},
		"no signature":                            {bent(good, func(e map[string]any) { e["signatures"] = []any{} }), own, "0 signatures"},
		"signatures stripped":                     {bent(good, func(e map[string]any) { delete(e, "signatures") }), own, "0 signatures"},
		"an empty signature":                      {bent(good, func(e map[string]any) { signature(e)["sig"] = "" }), own, "not that of key"},
		"a signature that is none":                {bent(good, func(e map[string]any) { signature(e)["sig"] = "%" }), own, "no base64"},
		"two signatures, one good": {bent(good, func(e map[string]any) {
			e["signatures"] = append([]any{map[string]any{"keyid": "x", "sig": "AAAA"}}, e["signatures"].([]any)...) //nolint:forcetypeassert // it is ours
		}), own, "2 signatures"},
		"a rotated key without its voucher":    {s.signed(signingKey(3), nil), published(unvouched), "no known key vouches"},
		"a rotated key with a strange voucher": {s.signed(signingKey(3), nil), published(stranger), "no known key vouches"},
		"a rotated key with another's voucher": {s.signed(signingKey(3), nil), published(borrowed), "no known key vouches"},
		"a service that stopped signing":       {nil, own, "has signed before"},
		"a service that never signed, it says": {nil, nil, "has signed before"},
		"no keys when one is unknown":          {s.signed(other, nil), nil, "no known key vouches"},
		"a swapped subject": {resigned(key, good, func(s map[string]any) {
			s["subject"].([]any)[0].(map[string]any)["name"] = "other.zip" //nolint:forcetypeassert // it is ours
		}), own, "is not its bundle"},
		"two subjects": {resigned(key, good, func(s map[string]any) {
			s["subject"] = append(s["subject"].([]any), s["subject"].([]any)[0]) //nolint:forcetypeassert // it is ours
		}), own, "about 2 archives"},
		"another predicate":   {resigned(key, good, func(s map[string]any) { s["predicateType"] = "https://slsa.dev/provenance/v0.2" }), own, "its predicate"},
		"another statement":   {resigned(key, good, func(s map[string]any) { s["_type"] = "https://in-toto.io/Statement/v0.1" }), own, "its type"},
		"another type":        {bent(good, func(e map[string]any) { e["payloadType"] = "text/plain" }), own, "holds"},
		"a voucher":           {func() []byte { return s.rotated(1, 3).Keys[1].Voucher }, own, "holds"},
		"an empty payload":    {bent(good, func(e map[string]any) { e["payload"] = "" }), own, "not that of key"},
		"huge":                {bent(good, func(e map[string]any) { e["x"] = strings.Repeat("x", provenance.MaxSize) }), own, "more than"},
		"something behind it": {longer(good, "{}"), own, "is not what this service says"},
		"truncated":           {func() []byte { return good()[:100] }, own, "is not what this service says"},
		"another document":    {own, own, "holds"},
		"null":                {func() []byte { return []byte("null") }, own, "holds"},
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			s.say(c.attestation, c.keys)
			work := t.TempDir()
			before := tree(t, work, s.home, os.TempDir())
			code, _, text := s.run(work, nil, "pull", attestedBundle)
			if code == exitOK || !strings.Contains(text, c.want) || !strings.Contains(text, "nothing was written") {
				t.Errorf("exit %d: %s; want %q", code, text, c.want)
			}
			if after := tree(t, work, s.home, os.TempDir()); !maps.Equal(before, after) || s.acks != 0 {
				t.Errorf("%d acknowledgements; before %v, after %v", s.acks, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
			}
		})
	}
}
