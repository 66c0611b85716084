// Package provenance says where a bundle comes from, in a way that others can check:
// an in-toto statement about the archive, with SLSA provenance, in a DSSE envelope
// that is signed with Ed25519.
//
// Its law: what is not understood to the last field that matters is refused, and
// the refusal says which step failed. One archive, one statement, one signature by
// one key; a key is good if it is known, or if a known one vouches for it.
//
// It is linked into the client, which starts often: standard library, nouns and wire only.
package provenance

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Types of what is signed, as in-toto and SLSA name them.
const (
	statementType = "https://in-toto.io/Statement/v1"
	predicateType = "https://slsa.dev/provenance/v1"
	// buildType says how to read the parameters of the predicate.
	buildType = "https://github.com/bundle-delivery/svc/blob/main/docs/integrate.md#attestations"

	statementPayload = "application/vnd.in-toto+json"
)

// Provenance is what a service says of an archive that it made.
type Provenance struct {
	Service string // the address that the service goes by
	Version string // of the server's program
	Bundle  string
	Project string
	Origin  svc.Origin // of the archive
	// Files is where the files in it come from, as far as it is known.
	Files   svc.Provenance
	MadeAt  time.Time
	Archive [sha256.Size]byte
}

type statement struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     predicate `json:"predicate"`
}

type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

type predicate struct {
	BuildDefinition buildDefinition `json:"buildDefinition"`
	RunDetails      runDetails      `json:"runDetails"`
}

type buildDefinition struct {
	BuildType          string     `json:"buildType"`
	ExternalParameters parameters `json:"externalParameters"`
}

type parameters struct {
	Origin      svc.Origin `json:"origin"`
	Bundle      string     `json:"bundle"`
	Project     string     `json:"project"`
	FilesOrigin svc.Origin `json:"filesOrigin,omitempty"`
	Engine      string     `json:"engine,omitempty"`
	Model       string     `json:"model,omitempty"`
	Run         string     `json:"run,omitempty"`
	Base        string     `json:"baseState,omitempty"`
	Validation  validation `json:"validation"`
}

// validation is how the files were tried. What the tools said is not part of it.
type validation struct {
	Level  string  `json:"level,omitempty"`
	Status string  `json:"status"` // none where nothing was tried
	Checks []check `json:"checks,omitempty"`
	// More is how many checks are not listed.
	More int `json:"moreChecks,omitempty"`
}

type check struct {
	Check   string  `json:"check"`
	Status  string  `json:"status"`
	Seconds float64 `json:"seconds,omitempty"`
	Version string  `json:"version,omitempty"`
}

// What a statement lists at most, and what there is of an envelope beside its payload:
// every one stays below MaxSize.
const (
	maxChecks    = 100
	maxText      = 200 // bytes of a text that others chose
	envelopeSize = 1 << 10
)

// notTried is the status of files that nobody tried.
const notTried = "none"

func newValidation(v *svc.Validation) validation {
	if v == nil {
		return validation{Status: notTried}
	}
	out := validation{Level: v.Level, Status: v.Status, More: max(0, len(v.Checks)-maxChecks)}
	for _, c := range v.Checks[:min(len(v.Checks), maxChecks)] {
		out.Checks = append(out.Checks, check{Check: cut(c.Check), Status: c.Status, Seconds: c.Seconds, Version: cut(c.Version)})
	}
	return out
}

func (v validation) read() *svc.Validation {
	if v.Status == notTried {
		return nil
	}
	out := &svc.Validation{Level: v.Level, Status: v.Status}
	for _, c := range v.Checks {
		out.Checks = append(out.Checks, svc.ValidationCheck{Check: c.Check, Status: c.Status, Seconds: c.Seconds, Version: c.Version})
	}
	return out
}

// cut shortens a text at a character.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}

type runDetails struct {
	Builder  builder  `json:"builder"`
	Metadata metadata `json:"metadata"`
}

type builder struct {
	ID      string            `json:"id"`
	Version map[string]string `json:"version"`
}

type metadata struct {
	InvocationID string `json:"invocationId"`
	FinishedOn   string `json:"finishedOn"`
}

const programName = "svcd"

// Sign states the provenance of an archive, signed.
func Sign(p Provenance, key ed25519.PrivateKey) ([]byte, error) {
	s := statement{
		Type:          statementType,
		Subject:       []subject{{Name: archiveName(p.Bundle), Digest: map[string]string{"sha256": hex.EncodeToString(p.Archive[:])}}},
		PredicateType: predicateType,
		Predicate: predicate{
			BuildDefinition: buildDefinition{BuildType: buildType, ExternalParameters: parameters{
				Origin: p.Origin, Bundle: p.Bundle, Project: p.Project, FilesOrigin: p.Files.Origin,
				Engine: cut(p.Files.Engine), Model: cut(p.Files.Model), Run: p.Files.Run, Base: p.Files.Base,
				Validation: newValidation(p.Files.Validation),
			}},
			RunDetails: runDetails{
				Builder: builder{ID: p.Service, Version: map[string]string{programName: p.Version}},
				// A bundle is made once: its id names the making.
				Metadata: metadata{InvocationID: p.Bundle, FinishedOn: p.MadeAt.UTC().Format(time.RFC3339)},
			},
		},
	}
	tried := &s.Predicate.BuildDefinition.ExternalParameters.Validation
	for {
		payload, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		n := len(tried.Checks)
		if base64.StdEncoding.EncodedLen(len(payload)) < MaxSize-envelopeSize || n == 0 {
			return seal(statementPayload, payload, key)
		}
		tried.Checks, tried.More = tried.Checks[:n/2], tried.More+n-n/2
	}
}

func archiveName(bundle string) string { return bundle + ".zip" }

// Verify reads an attestation and holds it against what is at hand: the archive
// that was received as this bundle, and the keys of the service that it was
// received from.
func Verify(attestation []byte, archive [sha256.Size]byte, bundle string, trusted Trust) (Provenance, error) {
	p, err := Read(attestation, bundle, trusted)
	if err == nil && p.Archive != archive {
		return Provenance{}, fmt.Errorf("the signed statement is about another archive: it has sha256 %x, this one %x", p.Archive, archive)
	}
	return p, err
}

// Read is Verify where no archive is at hand: it tells what is stated, by whom, and
// that it is about this bundle.
func Read(attestation []byte, bundle string, trusted Trust) (Provenance, error) {
	payload, err := open(statementPayload, attestation, trusted.Keys)
	if err != nil {
		return Provenance{}, err
	}
	p, err := read(payload)
	switch {
	case err != nil:
		return Provenance{}, fmt.Errorf("the signed statement: %w", err)
	case p.Bundle != bundle:
		return Provenance{}, fmt.Errorf("the signed statement is about another bundle, %q", p.Bundle)
	case len(trusted.Names) > 0 && !slices.Contains(trusted.Names, p.Service):
		return Provenance{}, fmt.Errorf("the signed statement is by another service, %q", p.Service)
	}
	return p, nil
}

// read understands a statement, or says what it does not understand.
func read(payload []byte) (Provenance, error) {
	var s statement
	if err := decode(payload, &s); err != nil {
		return Provenance{}, err
	}
	if s.Type != statementType {
		return Provenance{}, fmt.Errorf("its type is %q", s.Type)
	}
	if s.PredicateType != predicateType {
		return Provenance{}, fmt.Errorf("its predicate is %q", s.PredicateType)
	}
	build, details := s.Predicate.BuildDefinition, s.Predicate.RunDetails
	if build.BuildType != buildType {
		return Provenance{}, fmt.Errorf("it was built by %q", build.BuildType)
	}
	if len(s.Subject) != 1 {
		return Provenance{}, fmt.Errorf("it is about %d archives", len(s.Subject))
	}
	in := build.ExternalParameters
	if s.Subject[0].Name != archiveName(in.Bundle) {
		return Provenance{}, fmt.Errorf("its subject %q is not its bundle", s.Subject[0].Name)
	}
	p := Provenance{
		Service: details.Builder.ID, Version: details.Builder.Version[programName],
		Bundle: in.Bundle, Project: in.Project, Origin: in.Origin,
		Files: svc.Provenance{
			State: s.Subject[0].Digest["sha256"], Origin: in.FilesOrigin, Engine: in.Engine, Model: in.Model,
			Run: in.Run, Base: in.Base, Validation: in.Validation.read(),
		},
	}
	digest, err := hex.DecodeString(s.Subject[0].Digest["sha256"])
	if err != nil || len(digest) != sha256.Size {
		return Provenance{}, errors.New("its digest is no SHA-256")
	}
	p.Archive = [sha256.Size]byte(digest)
	if p.MadeAt, err = time.Parse(time.RFC3339, details.Metadata.FinishedOn); err != nil {
		return Provenance{}, errors.New("its time is no time")
	}
	return p, nil
}

// decode reads one JSON value and nothing after it.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("it is no JSON of its kind: %w", err)
	}
	if rest := strings.TrimSpace(string(text[d.InputOffset():])); rest != "" {
		return errors.New("something follows its end")
	}
	return nil
}
