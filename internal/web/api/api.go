// Package api is the wire: where things are, how they are written as JSON, and
// which status a failure has. Server and client share it, so that they cannot
// disagree; it needs nothing but the nouns, and a JSON decoder that is strict.
//
// Field names are those of the published interface and never change. Times are
// UTC with exactly three decimals. Every failure has one shape ([Error]).
package api

import (
	"bytes"
	"encoding/json"
	"fmt"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/text/timestamp"
)

// The routes, as patterns of net/http, relative to the base address.
const (
	RouteBundles      = "/bundles"
	RouteLatestBundle = "/bundles/latest"
	RouteBundle       = "/bundles/{id}"
	RouteDownload     = "/bundles/{id}/download"
	RouteAcknowledge  = "/bundles/{id}/ack"
	RouteAttestation  = "/bundles/{id}/attestation"
	RouteProjects     = "/projects"
	RouteProject      = "/projects/{projectId}"
	RouteRepackage    = "/projects/{projectId}/bundles/repackage"
	RouteChanges      = "/projects/{projectId}/changes"
	RouteHealth       = "/healthz"
	RouteReady        = "/readyz"
	RouteOpenAPI      = "/openapi.json"
	RouteManifest     = "/schemas/manifest.v1.json"
	RouteConsole      = "/console/"
	RouteAuthority    = "/ca.pem"
	RouteSigningKeys  = "/.well-known/svc-signing-keys.json"
)

// The headers that are ours, or that net/http has no name for.
const (
	HeaderRequestID         = "X-Request-Id"
	HeaderAPIKey            = "X-Api-Key"
	HeaderIdempotencyKey    = "Idempotency-Key"
	HeaderIdempotencyReplay = "Idempotency-Replayed"
	HeaderReprDigest        = "Repr-Digest"
	HeaderRetryAfter        = "Retry-After"
	HeaderDeprecation       = "Deprecation"
)

// MaxRequestBody is the size of the largest request body, but for MaxChanges, the
// largest archive of changes.
const (
	MaxRequestBody = 1 << 20
	MaxChanges     = 32 << 20
)

// MediaTypeZIP is what an archive of changes is sent as.
const MediaTypeZIP = "application/zip"

// Time is a point in time on the wire.
type Time = timestamp.Time

// Bundle is the record of a bundle that can be fetched.
type Bundle struct {
	BundleID  string           `json:"bundleId"`
	ProjectID string           `json:"projectId"`
	Status    svc.BundleStatus `json:"status"`
	FileCount int              `json:"fileCount"`
	CreatedAt Time             `json:"createdAt"`
}

// NewBundle writes a bundle down.
func NewBundle(b svc.Bundle) Bundle {
	return Bundle{BundleID: b.ID, ProjectID: b.ProjectID, Status: b.Status, FileCount: b.FileCount, CreatedAt: Time(b.CreatedAt)}
}

// BundleRecord is the whole record, as a listing shows it.
type BundleRecord struct {
	Bundle
	TotalSizeBytes int64 `json:"totalSizeBytes"`
	ExpiresAt      *Time `json:"expiresAt,omitempty"` // while it waits
	DownloadedAt   *Time `json:"downloadedAt,omitempty"`
	ExpiredAt      *Time `json:"expiredAt,omitempty"`
}

// NewBundleRecord writes the whole record of a bundle down.
func NewBundleRecord(b svc.Bundle) BundleRecord {
	r := BundleRecord{
		Bundle: NewBundle(b), TotalSizeBytes: b.Size,
		DownloadedAt: timestamp.Optional(b.DownloadedAt), ExpiredAt: timestamp.Optional(b.ExpiredAt),
	}
	if b.Status == svc.BundlePending {
		r.ExpiresAt = timestamp.Optional(b.ExpiresAt)
	}
	return r
}

// Acknowledged is the answer to an acknowledgement.
type Acknowledged struct {
	BundleID     string           `json:"bundleId"`
	Status       svc.BundleStatus `json:"status"`
	DownloadedAt Time             `json:"downloadedAt"`
}

// Repackaged is the answer to a repackaging.
type Repackaged struct {
	BundleID       string `json:"bundleId"`
	FileCount      int    `json:"fileCount"`
	TotalSizeBytes int64  `json:"totalSizeBytes"`
}

// Changes is the changes.json of an archive of changes.
type Changes struct {
	Version int      `json:"changes_version"`
	Base    string   `json:"base"`
	Deleted []string `json:"deleted"`
}

// ChangesVersion is the only version of Changes there is.
const ChangesVersion = 1

// Pushed is the answer to a push. The numbers are those of files.
type Pushed struct {
	ProjectID string `json:"projectId"`
	State     string `json:"state"`
	Changed   int    `json:"changed"`
	Added     int    `json:"added"`
	Deleted   int    `json:"deleted"`
	PushedAt  Time   `json:"pushedAt"`
}

// NewPushed writes down what a push did.
func NewPushed(projectID string, p svc.Push) Pushed {
	return Pushed{
		ProjectID: projectID, State: p.State, PushedAt: Time(p.At),
		Changed: p.Count(svc.FileChanged), Added: p.Count(svc.FileAdded), Deleted: p.Count(svc.FileDeleted),
	}
}

// BundleList is one page of bundles.
type BundleList struct {
	Bundles    []BundleRecord `json:"bundles"`
	NextCursor string         `json:"nextCursor,omitempty"`
}

// Project is the record of a project.
type Project struct {
	ProjectID      string `json:"projectId"`
	Name           string `json:"name"`
	FileCount      int    `json:"fileCount"`
	TotalSizeBytes int64  `json:"totalSizeBytes"` // of its files, unpacked
	CreatedAt      Time   `json:"createdAt"`
	UpdatedAt      Time   `json:"updatedAt"`
}

// NewProject writes a project down.
func NewProject(p svc.Project) Project {
	return Project{
		ProjectID: p.ID, Name: p.Name,
		FileCount: p.Pack.Extent.Files, TotalSizeBytes: p.Pack.Extent.Bytes,
		CreatedAt: Time(p.CreatedAt), UpdatedAt: Time(p.UpdatedAt),
	}
}

// ProjectRecord is the record of a project, with the text that describes it.
type ProjectRecord struct {
	Project
	Spec string `json:"spec,omitempty"` // which the template engine has of its projects
}

// ProjectList is one page of projects.
type ProjectList struct {
	Projects   []Project `json:"projects"`
	NextCursor string    `json:"nextCursor,omitempty"`
}

// Health is the answer of the two probes.
type Health struct {
	Status string            `json:"status"`           // ok, degraded, unavailable or draining
	Checks map[string]string `json:"checks,omitempty"` // for readiness: what was asked, and what it is
}

// Encode writes a value as it goes over the wire: one line, with angle brackets
// as they are, for nothing here is put into a page.
func Encode(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return text.Bytes(), nil
}
