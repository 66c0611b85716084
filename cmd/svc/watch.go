package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
)

// watchFlags are the choices for following a run.
type watchFlags struct {
	pull, asJSON bool
	apply        pullOptions
}

func (f *watchFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.pull, "pull", false, "pull the bundle into this folder when it is ready")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print every event as one line of JSON")
	f.apply.addApplyFlags(cmd)
}

func (a *app) watchCommand() *cobra.Command {
	var f watchFlags
	cmd := &cobra.Command{
		Use:   "watch <generation-id>",
		Short: "Watch a generation run",
		Long: `Shows what a run tells, from its beginning, until its bundle is ready. A broken
connection is taken up again where it broke.`,
		Example: `  svc watch gen_7h2k9q4w1x8c5v3b6n0m
  svc watch --json gen_7h2k9q4w1x8c5v3b6n0m | jq .event`,
		Args: one("name one generation id: svc watch <generation-id>"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			return a.follow(cmd.Context(), c, args[0], f)
		},
	}
	f.add(cmd)
	return cmd
}

// follow shows a run to its end, and pulls its bundle if that was asked for.
func (a *app) follow(ctx context.Context, c *client.Client, id string, f watchFlags) error {
	ready, err := a.events(ctx, c, id, f.asJSON)
	if errors.Is(err, client.ErrStreamOver) {
		ready, err = a.outcome(ctx, c, id)
	}
	if err != nil {
		return err
	}
	if f.pull {
		f.apply.bundleID, f.apply.asJSON = ready.BundleID, f.asJSON
		return a.pull(ctx, f.apply)
	}
	if f.asJSON {
		return nil
	}
	return a.print("bundle_id: %s\nsvc pull %s\n", ready.BundleID, ready.BundleID)
}

// events shows the events of a run and gives the one that ended it.
func (a *app) events(ctx context.Context, c *client.Client, id string, asJSON bool) (svc.BundleReadyEvent, error) {
	show := newEventPrinter(a)
	defer a.term.clear()
	for e, err := range c.Watch(ctx, id, 0) {
		if err != nil {
			return svc.BundleReadyEvent{}, err
		}
		if asJSON {
			if err := a.printEvent(e); err != nil {
				return svc.BundleReadyEvent{}, err
			}
		} else {
			show.print(e)
		}
		switch e.Name {
		case svc.EventBundleReady:
			var ready svc.BundleReadyEvent
			if err := json.Unmarshal(e.Data, &ready); err != nil {
				return ready, err
			}
			if !svc.ValidBundleID(ready.BundleID) {
				return ready, fmt.Errorf("the run ended with a bundle whose id is none: %q", ready.BundleID)
			}
			return ready, nil
		case svc.EventError:
			var failed runError
			if err := json.Unmarshal(e.Data, &failed.ErrorEvent); err != nil {
				return svc.BundleReadyEvent{}, err
			}
			return svc.BundleReadyEvent{}, &failed
		default:
		}
	}
	return svc.BundleReadyEvent{}, errors.New("the stream ended without an outcome")
}

func (a *app) printEvent(e svc.Event) error {
	if !json.Valid(e.Data) {
		return fmt.Errorf("event %d is not JSON", e.Seq)
	}
	return a.encodeJSON(struct {
		ID    int64           `json:"id"`
		Event svc.EventName   `json:"event"`
		Data  json.RawMessage `json:"data"`
	}{e.Seq, e.Name, e.Data}, "")
}

// outcome asks for the record of a run whose events are all told.
func (a *app) outcome(ctx context.Context, c *client.Client, id string) (svc.BundleReadyEvent, error) {
	run, err := c.Generation(ctx, id)
	switch {
	case err != nil:
		return svc.BundleReadyEvent{}, err
	case run.Error != nil:
		return svc.BundleReadyEvent{}, &runError{*run.Error}
	case run.BundleID == "":
		return svc.BundleReadyEvent{}, fmt.Errorf("the run is %s and has no bundle", run.Status)
	}
	return svc.BundleReadyEvent{BundleID: run.BundleID, ProjectID: run.ProjectID}, nil
}
