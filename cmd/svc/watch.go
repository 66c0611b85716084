package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/printable"
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
	made, err := a.events(ctx, c, id, f.asJSON)
	if errors.Is(err, client.ErrStreamOver) {
		made, err = a.outcome(ctx, c, id)
	}
	if err != nil {
		return err
	}
	if !f.asJSON {
		if err := a.showResult(made, f.pull); err != nil && !f.pull {
			return err
		}
	}
	if f.pull {
		f.apply.bundleID, f.apply.asJSON = made.bundleID, f.asJSON
		return a.pull(ctx, f.apply)
	}
	return nil
}

// result is what came of a run.
type result struct {
	bundleID string
	checks   string // what was tried, and what it came to
	leftOut  string // what was asked for and is not there
}

// showResult prints what came of a run, and what to do with it at the very end.
func (a *app) showResult(made result, pulled bool) error {
	text := ""
	if made.checks != "" {
		text += "checks: " + printable.Line(made.checks) + "\n"
	}
	if made.leftOut != "" {
		text += "left_out: " + printable.Line(made.leftOut) + "\n"
	}
	text += fmt.Sprintf("bundle_id: %s\n", made.bundleID)
	if !pulled {
		text += fmt.Sprintf("svc pull %s\n", made.bundleID)
	}
	return a.print("%s", shown(text))
}

// events shows the events of a run and gives what came of it.
func (a *app) events(ctx context.Context, c *client.Client, id string, asJSON bool) (result, error) {
	show := newEventPrinter(a)
	defer a.term.clear()
	for e, err := range c.Watch(ctx, id, 0) {
		if err != nil {
			return result{}, err
		}
		if asJSON {
			if err := a.printEvent(e); err != nil {
				return result{}, err
			}
		} else {
			show.print(e)
		}
		switch e.Name {
		case svc.EventBundleReady:
			var ready svc.BundleReadyEvent
			if err := json.Unmarshal(e.Data, &ready); err != nil {
				return result{}, err
			}
			if !svc.ValidBundleID(ready.BundleID) {
				return result{}, fmt.Errorf("the run ended with a bundle whose id is none: %q", ready.BundleID)
			}
			return result{bundleID: ready.BundleID, checks: show.checks, leftOut: show.left}, nil
		case svc.EventError:
			var failed runError
			if err := json.Unmarshal(e.Data, &failed.ErrorEvent); err != nil {
				return result{}, err
			}
			if failed.Code == "" {
				return result{}, fmt.Errorf("the run ended with an error that does not say which: %.200s", e.Data)
			}
			return result{}, &failed
		default:
		}
	}
	return result{}, errors.New("the stream ended without an outcome")
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
func (a *app) outcome(ctx context.Context, c *client.Client, id string) (result, error) {
	run, err := c.Generation(ctx, id)
	switch {
	case err != nil:
		return result{}, err
	case run.Error != nil:
		return result{}, &runError{*run.Error}
	case run.BundleID == "":
		return result{}, fmt.Errorf("the run is %s and has no bundle", run.Status)
	}
	return result{bundleID: run.BundleID, checks: checksOf(run.Validation)}, nil
}

// checksOf says what was tried, as the stream does.
func checksOf(v *svc.Validation) string {
	if v == nil {
		return ""
	}
	tally := map[string]int{}
	for _, c := range v.Checks {
		tally[c.Status]++
	}
	var parts []string
	for _, status := range []string{"passed", "failed", "failed_before", "skipped"} {
		if tally[status] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", tally[status], strings.ReplaceAll(status, "_", " ")))
		}
	}
	if v.Status == "unchecked" {
		return tried(strings.Join(parts, ", "))
	}
	return strings.TrimSuffix(strings.ReplaceAll(v.Status, "_", " ")+": "+strings.Join(parts, ", "), ": ")
}
