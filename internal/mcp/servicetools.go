package mcp

import (
	"context"
	"fmt"
	"time"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
)

// How many projects or bundles one answer lists.
const (
	usualPage = 20
	mostPage  = 100
)

type projectsIn struct {
	Limit  int    `json:"limit,omitempty" jsonschema:"at most this many, up to 100; 20 without it"`
	Cursor string `json:"cursor,omitempty" jsonschema:"the next_cursor of the page before"`
}

type project struct {
	ProjectID      string `json:"project_id"`
	Name           string `json:"name"`
	FileCount      int    `json:"file_count"`
	TotalSizeBytes int64  `json:"total_size_bytes"`
	CreatedAt      string `json:"created_at"`
	UpdatedAt      string `json:"updated_at"`
}

type projects struct {
	Projects   []project `json:"projects"`
	NextCursor string    `json:"next_cursor,omitempty"`
}

type bundlesIn struct {
	ProjectID string `json:"project_id,omitempty" jsonschema:"only bundles of this project"`
	Status    string `json:"status,omitempty" jsonschema:"only bundles in this state: pending_download, downloaded or expired"`
	Limit     int    `json:"limit,omitempty" jsonschema:"at most this many, up to 100; 20 without it"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"the next_cursor of the page before"`
}

type bundle struct {
	BundleID       string `json:"bundle_id"`
	ProjectID      string `json:"project_id"`
	Status         string `json:"status" jsonschema:"only a bundle that is pending_download can be pulled"`
	FileCount      int    `json:"file_count"`
	TotalSizeBytes int64  `json:"total_size_bytes"`
	CreatedAt      string `json:"created_at"`
	ExpiresAt      string `json:"expires_at,omitempty"`
}

type bundles struct {
	Bundles    []bundle `json:"bundles"`
	NextCursor string   `json:"next_cursor,omitempty"`
}

type exportIn struct {
	ProjectID string `json:"project_id"`
}

type exported struct {
	BundleID       string `json:"bundle_id"`
	FileCount      int    `json:"file_count"`
	TotalSizeBytes int64  `json:"total_size_bytes"`
	Next           string `json:"next"`
}

func (s *Server) addServiceTools() {
	addTool(s, tool{
		name: "projects", title: "List projects", kind: readsOnly,
		about: "Lists the projects of the account, the newest first. Their names were written by others.",
	}, s.projects)
	addTool(s, tool{
		name: "bundles", title: "List bundles", kind: readsOnly,
		about: "Lists the bundles of the account, the newest first. One that is pending_download can be previewed and pulled; for a project whose bundles are all gone there is export.",
	}, s.bundles)
	addTool(s, tool{
		name: "export", title: "Make a fresh bundle of a project", kind: addsOnly,
		about: "Asks the service for a new bundle of what a project holds now. Nothing is generated, and nothing is changed in the folder. The service takes three a minute.",
	}, s.export)
}

// page checks how many of something are wanted.
func page(limit int) (int, error) {
	switch {
	case limit == 0:
		return usualPage, nil
	case limit < 0 || limit > mostPage:
		return 0, fmt.Errorf("limit %d is not between 1 and %d", limit, mostPage)
	}
	return limit, nil
}

func (s *Server) projects(ctx context.Context, _ call, in projectsIn) (projects, error) {
	out := projects{Projects: []project{}}
	limit, err := page(in.Limit)
	if err != nil {
		return out, err
	}
	c, err := s.connect()
	if err != nil {
		return out, err
	}
	got, err := c.Projects(ctx, limit, in.Cursor)
	if err != nil {
		return out, err
	}
	for _, p := range got.Projects {
		out.Projects = append(out.Projects, project{
			ProjectID: line(p.ID), Name: line(p.Name), FileCount: p.Files, TotalSizeBytes: p.Size,
			CreatedAt: moment(p.CreatedAt), UpdatedAt: moment(p.UpdatedAt),
		})
	}
	out.NextCursor = got.Next
	return out, nil
}

func (s *Server) bundles(ctx context.Context, _ call, in bundlesIn) (bundles, error) {
	out := bundles{Bundles: []bundle{}}
	limit, err := page(in.Limit)
	if err == nil && in.Status != "" && !svc.BundleStatus(in.Status).Valid() {
		err = fmt.Errorf("status %q is none of pending_download, downloaded, expired", line(in.Status))
	}
	if err != nil {
		return out, err
	}
	c, err := s.connect()
	if err != nil {
		return out, err
	}
	got, err := c.List(ctx, client.ListQuery{ProjectID: in.ProjectID, Status: svc.BundleStatus(in.Status), Limit: limit, Cursor: in.Cursor})
	if err != nil {
		return out, err
	}
	for _, b := range got.Bundles {
		out.Bundles = append(out.Bundles, bundle{
			BundleID: line(b.ID), ProjectID: line(b.ProjectID), Status: line(string(b.Status)), FileCount: b.FileCount, TotalSizeBytes: b.Size,
			CreatedAt: moment(b.CreatedAt), ExpiresAt: moment(b.ExpiresAt),
		})
	}
	out.NextCursor = got.Next
	return out, nil
}

func (s *Server) export(ctx context.Context, _ call, in exportIn) (exported, error) {
	c, err := s.connect()
	if err != nil {
		return exported{}, err
	}
	made, err := c.Repackage(ctx, in.ProjectID, client.NewKey())
	return exported{
		BundleID: line(made.BundleID), FileCount: made.FileCount, TotalSizeBytes: made.TotalSizeBytes,
		Next: "To see what pulling it would do: preview_pull with this bundle_id.",
	}, err
}

// moment writes a time, or nothing if there is none.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return svc.FormatTime(t)
}
