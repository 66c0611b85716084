package generation

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	svc "github.com/bundle-delivery/svc"
)

// ending gives the last events of a final run, as its record tells them and with
// the numbers that the record keeps.
func ending(ctx context.Context, r svc.Records, run svc.Run) ([]svc.Event, error) {
	var payloads []svc.Payload
	if run.Status == svc.RunSucceeded {
		bundle, err := r.Bundles().Get(ctx, run.AccountID, run.BundleID)
		if err != nil {
			return nil, fmt.Errorf("read the bundle of %s: %w", run.ID, err)
		}
		payloads = succeeded(run, bundle)
	} else {
		payloads = append(payloads, failed(run))
	}
	events := make([]svc.Event, len(payloads))
	for i, p := range payloads {
		e, err := svc.NewEvent(p)
		if err != nil {
			return nil, err
		}
		e.Seq = run.LastEvent - int64(len(payloads)-1-i)
		events[i] = e
	}
	return events, nil
}

func succeeded(run svc.Run, b svc.Bundle) []svc.Payload {
	var cost svc.CostSummaryEvent
	if run.Cost != nil {
		cost = svc.CostSummaryEvent{
			Model: run.Cost.Model, InputTokens: run.Cost.InputTokens, OutputTokens: run.Cost.OutputTokens,
			EstimatedCostUSD: run.Cost.EstimatedUSD,
		}
	}
	return []svc.Payload{cost, svc.BundleReadyEvent{
		BundleID: b.ID, ProjectID: b.ProjectID, FileCount: b.FileCount, TotalSizeBytes: b.Size,
		SHA256: hex.EncodeToString(b.SHA256[:]), ExpiresAt: svc.FormatTime(b.ExpiresAt),
	}}
}

func failed(run svc.Run) svc.Payload {
	if run.Error == nil {
		return svc.ErrorEvent{Code: "INTERNAL", Message: "The generation failed."}
	}
	return svc.ErrorEvent{Code: run.Error.Code, Message: run.Error.Message, Retryable: run.Error.Retryable}
}

// tell makes sure that the log holds the ending of a final run, and notes it.
// It may be done by several at once: the fence lets one through, and what the
// others would have said is the same.
func tell(ctx context.Context, store svc.Store, log svc.EventLog, run svc.Run) error {
	events, err := ending(ctx, store, run)
	if errors.Is(err, svc.ErrNotFound) {
		return nil // the project was deleted meanwhile, and its runs with it
	}
	if err != nil {
		return err
	}
	for {
		w, err := log.Writer(ctx, svc.RunClaim{ID: run.ID, Epoch: run.Epoch})
		if errors.Is(err, svc.ErrConflict) {
			break // the log is not the one that the record speaks of
		}
		if err != nil {
			return fmt.Errorf("tell the end of %s: %w", run.ID, err)
		}
		missing := run.LastEvent - w.Last()
		// More missing than the ending means that the log lost a part of the
		// story. It cannot be continued; viewers are told the end from the record.
		if missing <= 0 || missing > int64(len(events)) {
			break
		}
		err = w.Append(ctx, events[int64(len(events))-missing:])
		if err == nil {
			break
		}
		if !errors.Is(err, svc.ErrConflict) {
			return fmt.Errorf("tell the end of %s: %w", run.ID, err)
		}
		// Somebody else told it at the same time: look again.
	}
	if err := store.Runs().Told(ctx, run.ID); err != nil {
		return fmt.Errorf("note that %s was told: %w", run.ID, err)
	}
	return nil
}
