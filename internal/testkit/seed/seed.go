// Package seed writes records that would take a service a month to make.
package seed

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Usage writes a month of generations into the records of an account, for pages that
// show what happened over time.
func Usage(ctx context.Context, store svc.Store, address string) error {
	return store.Tx(ctx, func(r svc.Records) error {
		account, err := r.Accounts().ByEmail(ctx, address)
		if err != nil {
			return err
		}
		project := svc.Project{ID: svc.NewProjectID(), AccountID: account.ID, Name: "Newsletter with archive", CreatedAt: account.CreatedAt, UpdatedAt: account.CreatedAt}
		if err := r.Projects().Insert(ctx, project); err != nil {
			return err
		}
		for day := range 28 {
			at := account.CreatedAt.Add(-time.Duration(day) * 24 * time.Hour)
			for n := range (day*7 + 3) % 5 {
				run := svc.Run{
					ID: svc.NewGenerationID(), AccountID: account.ID, ProjectID: project.ID, Prompt: "Add an archive page and a feed",
					CreatedAt: at.Add(-time.Duration(n) * time.Hour),
				}
				if err := r.Runs().Insert(ctx, run); err != nil {
					return err
				}
				run.Status, run.LastEvent, run.FinishedAt = svc.RunSucceeded, 1, run.CreatedAt.Add(time.Minute)
				tokens := int64(1000 + 400*((day+n)%6))
				run.Cost = &svc.Cost{Model: "template", InputTokens: tokens, OutputTokens: 3 * tokens, EstimatedUSD: float64(tokens) / 40000}
				if (day+n)%6 == 5 {
					run.Status, run.Cost = svc.RunFailed, nil
					run.Error = &svc.RunError{Code: "VALIDATION_FAILED", Message: "The files do not fit together."}
				}
				if err := r.Runs().Finish(ctx, svc.RunQueued, run); err != nil {
					return err
				}
				if err := r.Runs().MarkEndPublished(ctx, run.ID); err != nil {
					return err
				}
				if run.Status != svc.RunSucceeded || n%3 == 2 {
					continue
				}
				bundle := svc.Bundle{
					ID: svc.NewBundleID(run.FinishedAt), AccountID: account.ID, ProjectID: project.ID, GenerationID: run.ID, FileCount: 26, Size: 23_000,
					CreatedAt: run.FinishedAt, ExpiresAt: run.FinishedAt.Add(24 * time.Hour),
				}
				if err := r.Bundles().Insert(ctx, bundle); err != nil {
					return err
				}
				if _, err := r.Bundles().Acknowledge(ctx, account.ID, bundle.ID, run.FinishedAt.Add(time.Minute)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
