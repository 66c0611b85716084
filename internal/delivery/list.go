package delivery

import (
	"context"
	"fmt"

	svc "github.com/bundle-delivery/svc"
)

// The sizes of a page.
const (
	DefaultPage = 50
	MaxPage     = 200
)

// List returns one page of bundles, newest first, and where the next one
// begins, or nil.
func (s *Service) List(ctx context.Context, q svc.BundleQuery) ([]svc.Bundle, *svc.Cursor, error) {
	limit := pageSize(q.Limit)
	if q.ProjectID != "" && !svc.ValidProjectID(q.ProjectID) {
		return nil, nil, nil
	}
	q.Limit = limit + 1
	bundles, err := s.Store.Bundles().List(ctx, q)
	if err != nil {
		return nil, nil, fmt.Errorf("list bundles: %w", err)
	}
	if len(bundles) <= limit {
		return bundles, nil, nil
	}
	last := bundles[limit-1]
	return bundles[:limit], &svc.Cursor{CreatedAt: last.CreatedAt, ID: last.ID}, nil
}

// Projects returns one page of projects, newest first, and where the next one
// begins, or nil.
func (s *Service) Projects(ctx context.Context, accountID string, after *svc.Cursor, limit int) ([]svc.Project, *svc.Cursor, error) {
	limit = pageSize(limit)
	projects, err := s.Store.Projects().List(ctx, accountID, after, limit+1)
	if err != nil {
		return nil, nil, fmt.Errorf("list projects: %w", err)
	}
	if len(projects) <= limit {
		return projects, nil, nil
	}
	last := projects[limit-1]
	return projects[:limit], &svc.Cursor{CreatedAt: last.CreatedAt, ID: last.ID}, nil
}

func pageSize(limit int) int {
	if limit <= 0 {
		return DefaultPage
	}
	return min(limit, MaxPage)
}
