package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/text/timestamp"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// Bundle is the record of a bundle. Size and the times but the first come with a
// [Client.List] alone.
type Bundle struct {
	ID        string
	ProjectID string
	Status    svc.BundleStatus
	FileCount int
	Size      int64 // of the archive
	CreatedAt time.Time
	// ExpiresAt is zero unless the bundle waits; one of the others is not.
	ExpiresAt    time.Time
	DownloadedAt time.Time
	ExpiredAt    time.Time
}

func bundleOf(r api.BundleRecord) Bundle {
	return Bundle{
		ID: r.BundleID, ProjectID: r.ProjectID, Status: r.Status, FileCount: r.FileCount, Size: r.TotalSizeBytes,
		CreatedAt: time.Time(r.CreatedAt), ExpiresAt: r.ExpiresAt.Given(), DownloadedAt: r.DownloadedAt.Given(), ExpiredAt: r.ExpiredAt.Given(),
	}
}

// MarshalJSON writes the record as the API does: the whole of it if it comes from a list.
func (b Bundle) MarshalJSON() ([]byte, error) {
	short := api.Bundle{BundleID: b.ID, ProjectID: b.ProjectID, Status: b.Status, FileCount: b.FileCount, CreatedAt: api.Time(b.CreatedAt)}
	if b.Size == 0 { // no archive is empty
		return json.Marshal(short)
	}
	return json.Marshal(api.BundleRecord{
		Bundle: short, TotalSizeBytes: b.Size,
		ExpiresAt: timestamp.Optional(b.ExpiresAt), DownloadedAt: timestamp.Optional(b.DownloadedAt), ExpiredAt: timestamp.Optional(b.ExpiredAt),
	})
}

// Bundle gives the record of a bundle. One that is gone is a failure with code
// BUNDLE_DOWNLOADED or BUNDLE_EXPIRED, and the record beside it.
func (c *Client) Bundle(ctx context.Context, id string) (Bundle, error) {
	var out api.BundleRecord
	err := c.call(ctx, http.MethodGet, api.RouteBundles+"/"+url.PathEscape(id), nil, nil, nil, &out.Bundle)
	if err != nil {
		out = api.BundleRecord{} // what was read of an answer that is refused is no record
	}
	if e, ok := errors.AsType[*svc.Error](err); ok && e.Bundle != nil {
		out.Bundle = api.NewBundle(*e.Bundle)
	}
	return bundleOf(out), err
}

// Latest gives the newest bundle that waits, of all projects or of one.
func (c *Client) Latest(ctx context.Context, projectID string) (Bundle, error) {
	var out api.BundleRecord
	query := queryOf(0, map[string]string{"projectId": projectID})
	err := c.call(ctx, http.MethodGet, api.RouteLatestBundle, query, nil, nil, &out.Bundle)
	return bundleOf(out), err
}

// ListQuery selects bundles.
type ListQuery struct {
	ProjectID string
	Status    svc.BundleStatus
	Limit     int    // of one page; 0 leaves it to the server
	Cursor    string // where the page before ended
}

// Page is one page of a listing.
type Page struct {
	Bundles []Bundle
	Next    string // cursor of the next page, or ""
}

// List gives bundles, the newest first.
func (c *Client) List(ctx context.Context, q ListQuery) (Page, error) {
	query := queryOf(q.Limit, map[string]string{"projectId": q.ProjectID, "status": string(q.Status), "cursor": q.Cursor})
	var out api.BundleList
	if err := c.call(ctx, http.MethodGet, api.RouteBundles, query, nil, nil, &out); err != nil {
		return Page{}, err
	}
	page := Page{Next: out.NextCursor, Bundles: make([]Bundle, 0, len(out.Bundles))}
	for _, r := range out.Bundles {
		page.Bundles = append(page.Bundles, bundleOf(r))
	}
	return page, nil
}

// queryOf leaves out the limit and the parameters that are not given.
func queryOf(limit int, parameters map[string]string) url.Values {
	query := url.Values{}
	for name, value := range parameters {
		if value != "" {
			query.Set(name, value)
		}
	}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	return query
}

// ProjectPage is one page of a listing of projects.
type ProjectPage struct {
	Projects []Project
	Next     string // cursor of the next page, or ""
}

// Project is the record of a project.
type Project struct {
	ID        string
	Name      string
	Files     int
	Size      int64 // of its files, unpacked
	CreatedAt time.Time
	UpdatedAt time.Time
	Spec      string // of [Client.Project] alone, of a project that has one
}

func projectOf(p api.Project) Project {
	return Project{
		ID: p.ProjectID, Name: p.Name, Files: p.FileCount, Size: p.TotalSizeBytes, CreatedAt: time.Time(p.CreatedAt), UpdatedAt: time.Time(p.UpdatedAt),
	}
}

// Project returns the record of a project with its spec, the text that the template
// engine makes it from.
func (c *Client) Project(ctx context.Context, id string) (Project, error) {
	var out api.ProjectRecord
	if err := c.call(ctx, http.MethodGet, api.RouteProjects+"/"+url.PathEscape(id), nil, nil, nil, &out); err != nil {
		return Project{}, err
	}
	p := projectOf(out.Project)
	p.Spec = out.Spec
	return p, nil
}

// Projects gives projects, the newest first: a page of this many, from the cursor on
// where the page before ended. With 0 the server chooses how many.
func (c *Client) Projects(ctx context.Context, limit int, cursor string) (ProjectPage, error) {
	query := queryOf(limit, map[string]string{"cursor": cursor})
	var out api.ProjectList
	if err := c.call(ctx, http.MethodGet, api.RouteProjects, query, nil, nil, &out); err != nil {
		return ProjectPage{}, err
	}
	page := ProjectPage{Next: out.NextCursor, Projects: make([]Project, 0, len(out.Projects))}
	for _, p := range out.Projects {
		page.Projects = append(page.Projects, projectOf(p))
	}
	return page, nil
}

// Acknowledge confirms that a bundle was received. It makes one attempt: the
// caller knows how often to try.
func (c *Client) Acknowledge(ctx context.Context, id string) (downloadedAt time.Time, err error) {
	var out api.Acknowledged
	err = c.once(ctx, http.MethodPost, api.RouteBundles+"/"+url.PathEscape(id)+"/ack", nil, nil, nil, &out)
	return time.Time(out.DownloadedAt), err
}

// Repackaged is a fresh bundle made from a project's files.
type Repackaged struct {
	BundleID       string
	FileCount      int
	TotalSizeBytes int64
}

// Repackage makes a fresh bundle of a project. Repeating it with the same key
// within a minute gives the same bundle.
func (c *Client) Repackage(ctx context.Context, projectID, idempotencyKey string) (Repackaged, error) {
	var out api.Repackaged
	err := c.call(ctx, http.MethodPost, api.RouteProjects+"/"+url.PathEscape(projectID)+"/bundles/repackage", nil, nil, idempotent(idempotencyKey), &out)
	return Repackaged(out), err
}

func idempotent(key string) http.Header {
	h := http.Header{}
	if key != "" {
		h.Set(api.HeaderIdempotencyKey, key)
	}
	return h
}

// NewKey returns a random key for a request that may be repeated: a UUID (version 4).
func NewKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
