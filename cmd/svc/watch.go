package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/printable"
	"github.com/bundle-delivery/svc/internal/workdir/generate"
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
	f.add(cmd)
	return cmd
}

// follow shows a run to its end, and pulls its bundle if that was asked for.
func follow(ctx context.Context, a *app, c *client.Client, id string, f watchFlags) error {
	show := showEvents(a, f.asJSON)
	made, err := generate.Follow(ctx, c, id, show.event)
	a.term.clear()
	if err != nil {
		return err
	}
	return deliver(ctx, a, show.result(made), f)
}

// deliver shows what came of a run, and pulls its bundle if that was asked for.
func deliver(ctx context.Context, a *app, made result, f watchFlags) error {
	if !f.asJSON {
		if err := showResult(a, made, f.pull); err != nil && !f.pull {
			return err
		}
	}
	if f.pull {
		f.apply.bundleID, f.apply.asJSON = made.bundleID, f.asJSON
		return runPull(ctx, a, f.apply)
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
func showResult(a *app, made result, pulled bool) error {
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

// eventShow shows the events of runs, for people or as JSON.
type eventShow struct {
	*eventPrinter
	asJSON bool
}

func showEvents(a *app, asJSON bool) *eventShow {
	return &eventShow{newEventPrinter(a), asJSON}
}

func (s *eventShow) event(e svc.Event) error {
	if s.asJSON {
		return printEvent(s.app, e)
	}
	s.print(e)
	return nil
}

// result is what the events, or else the record of the run, say came of it.
func (s *eventShow) result(made generate.Outcome) result {
	if made.Record != nil {
		return result{bundleID: made.BundleID, checks: checksOf(made.Record.Validation)}
	}
	return result{bundleID: made.BundleID, checks: s.checks, leftOut: s.left}
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
