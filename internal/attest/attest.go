// Package attest says where a bundle comes from, in a way that others can check:
// an in-toto statement about the archive, with SLSA provenance, in a DSSE envelope
// that is signed with Ed25519.
//
// Its law: what is not understood to the last field that matters is refused, and
// the refusal says which step failed. One archive, one statement, one signature by
// one key; a key is good if it is known, or if a known one vouches for it.
//
// It is linked into the client, which starts often: standard library only.
package attest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
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
	Service    string // the address that the service goes by
	Version    string // of the server's program
	Bundle     string
	Project    string
	Origin     string // run, repackage, import, push or pre-signing
	Engine     string // empty where no engine made the files
	Model      string
	Run        string // the run that made the files, if one did
	Base       string // the state of the project that the run began from
	Validation string // how the files were tried; none where they were not
	MadeAt     time.Time
	Archive    [sha256.Size]byte
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
	Origin     string `json:"origin"`
	Bundle     string `json:"bundle"`
	Project    string `json:"project"`
	Engine     string `json:"engine,omitempty"`
	Model      string `json:"model,omitempty"`
	Run        string `json:"run,omitempty"`
	Base       string `json:"baseState,omitempty"`
	Validation string `json:"validation"`
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
				Origin: p.Origin, Bundle: p.Bundle, Project: p.Project, Engine: p.Engine, Model: p.Model,
				Run: p.Run, Base: p.Base, Validation: p.Validation,
			}},
			RunDetails: runDetails{
				Builder: builder{ID: p.Service, Version: map[string]string{programName: p.Version}},
				// A bundle is made once: its id names the making.
				Metadata: metadata{InvocationID: p.Bundle, FinishedOn: p.MadeAt.UTC().Format(time.RFC3339)},
			},
		},
	}
	payload, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return seal(statementPayload, payload, key)
}

func archiveName(bundle string) string { return bundle + ".zip" }

// Verify reads an attestation and holds it against what is at hand: the archive
// that was received as this bundle, and the keys of the service that it was
// received from.
func Verify(attestation []byte, archive [sha256.Size]byte, bundle string, trusted Trust) (Provenance, error) {
	payload, err := open(statementPayload, attestation, trusted.Keys)
	if err != nil {
		return Provenance{}, err
	}
	p, err := read(payload)
	switch {
	case err != nil:
		return Provenance{}, fmt.Errorf("the signed statement: %w", err)
	case p.Archive != archive:
		return Provenance{}, fmt.Errorf("the signed statement is about another archive: it has sha256 %x, this one %x", p.Archive, archive)
	case p.Bundle != bundle:
		return Provenance{}, fmt.Errorf("the signed statement is about another bundle, %q", p.Bundle)
	case trusted.Service != "" && p.Service != trusted.Service:
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
		Bundle: in.Bundle, Project: in.Project, Origin: in.Origin, Engine: in.Engine, Model: in.Model,
		Run: in.Run, Base: in.Base, Validation: in.Validation,
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
