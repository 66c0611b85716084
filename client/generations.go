package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// Generation is the record of a run.
type Generation struct {
	ID         string
	ProjectID  string
	Status     svc.RunStatus
	Position   int    // in the queue, when it was accepted
	BundleID   string // once it succeeded
	Error      *svc.ErrorEvent
	Cost       *svc.Cost       // as far as it is known
	Validation *svc.Validation // nil: nothing was tried
	CreatedAt  time.Time
	StartedAt  time.Time
	FinishedAt time.Time
}

// Generate asks for a run, in a new project or in one that exists. Repeating it
// with the same key gives the same run.
func (c *Client) Generate(ctx context.Context, projectID, prompt string, constraints map[string]string, idempotencyKey string) (Generation, error) {
	path := api.RouteGenerations
	if projectID != "" {
		path = api.RouteProjects + "/" + url.PathEscape(projectID) + "/generations"
	}
	var out api.Queued
	err := c.call(ctx, http.MethodPost, path, nil, api.GenerationRequest{Prompt: prompt, Constraints: constraints}, idempotent(idempotencyKey), &out)
	return Generation{
		ID: out.GenerationID, ProjectID: out.ProjectID, Status: out.Status, Position: out.QueuePosition, CreatedAt: time.Time(out.CreatedAt),
	}, err
}

// Generation gives the record of a run.
func (c *Client) Generation(ctx context.Context, id string) (Generation, error) {
	var out api.Generation
	err := c.call(ctx, http.MethodGet, api.GenerationPath(url.PathEscape(id)), nil, nil, nil, &out)
	return generationOf(out), err
}

// Cancel asks a run to end, and gives its record. A finished run stays as it is.
func (c *Client) Cancel(ctx context.Context, id string) (Generation, error) {
	var out api.Generation
	err := c.call(ctx, http.MethodPost, api.GenerationPath(url.PathEscape(id))+"/cancel", nil, nil, nil, &out)
	return generationOf(out), err
}

func generationOf(g api.Generation) Generation {
	out := Generation{
		ID: g.GenerationID, ProjectID: g.ProjectID, Status: g.Status, BundleID: g.BundleID, Validation: g.Validation,
		CreatedAt: time.Time(g.CreatedAt), StartedAt: g.StartedAt.Given(), FinishedAt: g.FinishedAt.Given(),
	}
	if g.Cost != nil {
		out.Cost = &svc.Cost{Model: g.Cost.Model, InputTokens: g.Cost.InputTokens, OutputTokens: g.Cost.OutputTokens, EstimatedUSD: g.Cost.EstimatedCostUSD}
	}
	if g.Error != nil {
		out.Error = &svc.ErrorEvent{Code: g.Error.Code, Message: g.Error.Message, Retryable: g.Error.Retryable, Suggestion: g.Error.Suggestion}
	}
	return out
}
