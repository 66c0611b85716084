package generation

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	svc "github.com/bundle-delivery/svc"
)

// endingEvents gives the last events of a final run, as its record has them and with
// the numbers that the record keeps.
func endingEvents(ctx context.Context, r svc.Records, run svc.Run) ([]svc.Event, error) {
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
			EstimatedCostUSD: svc.RoundUSD(run.Cost.EstimatedUSD),
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
	return svc.ErrorEvent{Code: run.Error.Code, Message: run.Error.Message, Retryable: run.Error.Retryable, Suggestion: run.Error.Suggestion}
}

// missingEvents gives what the log, which ends with the given event, lacks of a
// run's ending. Where the record expects the ending there may stand what a
// worker emitted that was believed to be dead: then all of it follows that.
func missingEvents(ctx context.Context, log svc.EventLog, run svc.Run, last int64, ending []svc.Event) ([]svc.Event, error) {
	stored := int64(len(ending)) - (run.LastEvent - last)
	switch {
	case stored < 0:
		// The log lost a part of the run's events and cannot be continued; viewers
		// get the ending from the record.
		return nil, nil
	case stored == 0:
		return ending, nil
	}
	events, err := log.Read(ctx, run.ID, last-1)
	if err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return nil, fmt.Errorf("event %d cannot be read", last)
	}
	stands := events[len(events)-1].Name
	switch {
	case stands.Terminal():
		return nil, nil
	case stored < int64(len(ending)) && stands == ending[stored-1].Name: //nolint:gosec // stored is at least 1 here
		return ending[stored:], nil
	}
	return ending, nil
}

// renumber notes that a run's ending has a higher number than its record says.
func renumber(ctx context.Context, store svc.Store, run *svc.Run, last int64) error {
	if last <= run.LastEvent {
		return nil
	}
	if err := store.Runs().Renumber(ctx, run.ID, last); err != nil {
		return fmt.Errorf("renumber the end of %s: %w", run.ID, err)
	}
	run.LastEvent = last
	return nil
}

// publishEnding makes sure that the log holds the ending of a final run, and notes it.
// It may be done by several at once: the fence lets one through, and what the
// others would have published is the same.
func publishEnding(ctx context.Context, store svc.Store, log svc.EventLog, run svc.Run) error {
	events, err := endingEvents(ctx, store, run)
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
			return fmt.Errorf("publish the end of %s: %w", run.ID, err)
		}
		missing, err := missingEvents(ctx, log, run, w.Last(), events)
		if err != nil {
			return fmt.Errorf("publish the end of %s: %w", run.ID, err)
		}
		if len(missing) > 0 {
			// The record is the first to know a new number: a viewer who asks for
			// what follows it is right.
			if err := renumber(ctx, store, &run, w.Last()+int64(len(missing))); err != nil {
				return err
			}
			err = w.Append(ctx, missing)
			if errors.Is(err, svc.ErrConflict) {
				continue // somebody else was there at the same time: look again
			}
			if err != nil {
				return fmt.Errorf("publish the end of %s: %w", run.ID, err)
			}
		}
		if err := renumber(ctx, store, &run, w.Last()); err != nil {
			return err
		}
		break
	}
	if err := store.Runs().MarkEndPublished(ctx, run.ID); err != nil {
		return fmt.Errorf("note that the end of %s was published: %w", run.ID, err)
	}
	return nil
}
