package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/text/printable"
	"github.com/bundle-delivery/svc/internal/workdir/generate"
)

// watchFlags are the choices for following a run.
type watchFlags struct {
	pull  bool
	apply pullOptions
}

func (f *watchFlags) add(a *app, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.pull, "pull", false, "pull the bundle into this folder when it is ready")
	a.addJSONFlag(cmd, "print every event as one line of JSON")
	f.apply.addApplyFlags(cmd)
}

func newWatchCommand(a *app) *cobra.Command {
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
			return follow(cmd.Context(), a, c, args[0], f)
		},
	}
	f.add(a, cmd)
	return cmd
}

// follow shows a run to its end, and pulls its bundle if that was asked for.
func follow(ctx context.Context, a *app, c *client.Client, id string, f watchFlags) error {
	show := &eventPrinter{app: a}
	made, err := generate.Follow(ctx, c, id, show.event)
	a.term.clear()
	if err != nil {
		return err
	}
	return deliver(ctx, a, made, &show.told, f)
}

// deliver shows what came of a run, and pulls its bundle if that was asked for.
func deliver(ctx context.Context, a *app, made generate.Outcome, told *svc.Transcript, f watchFlags) error {
	if made.Record != nil {
		told.Settle(made.Record.Validation)
	}
	if !a.asJSON {
		if err := showResult(a, made.BundleID, told, f.pull); err != nil && !f.pull {
			return err
		}
	}
	if f.pull {
		f.apply.bundleID = made.BundleID
		return runPull(ctx, a, f.apply)
	}
	return nil
}

// showResult prints what came of a run, and what to do with it at the very end.
func showResult(a *app, bundleID string, told *svc.Transcript, pulled bool) error {
	text := ""
	if checks := cameTo(told.Verdict); checks != "" {
		text += "checks: " + printable.Line(checks) + "\n"
	}
	if told.LeftOut != "" {
		text += "left_out: " + printable.Line(told.LeftOut) + "\n"
	}
	text += fmt.Sprintf("bundle_id: %s\n", bundleID)
	if !pulled {
		text += fmt.Sprintf("svc pull %s\n", bundleID)
	}
	return a.print("%s", shown(text))
}

func printEvent(a *app, e svc.Event) error {
	if !json.Valid(e.Data) {
		return fmt.Errorf("event %d is not JSON", e.Seq)
	}
	return a.encodeJSON(struct {
		ID    int64           `json:"id"`
		Event svc.EventName   `json:"event"`
		Data  json.RawMessage `json:"data"`
	}{e.Seq, e.Name, e.Data}, "")
}
