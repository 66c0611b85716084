package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/text/printable"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

// listOptions say which bundles are listed, and how.
type listOptions struct {
	project, status string
	limit           int
}

func newListCommand(a *app) *cobra.Command {
	var opts listOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List bundles, the newest first",
		Example: `  svc list
  svc list --status pending_download
  svc list --verbose                                     # every column, on a terminal too
  svc list --project proj_7h2k9q4w1x8c5v3b6n0m --json
  svc list --project any                                 # in the folder of a pull`,
		SuggestFor: []string{"ls", "bundles"},
		Args:       none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.project = projectHere(a, opts.project, pull.AnyProject)
			if opts.status != "" && !svc.BundleStatus(opts.status).Valid() {
				return usage(cmd, fmt.Errorf("--status %q is none of pending_download, downloaded, expired", opts.status))
			}
			if opts.limit < 1 {
				return usage(cmd, fmt.Errorf("--limit must be at least 1"))
			}
			return runList(cmd.Context(), a, opts)
		},
	}
	addProjectFlag(a, cmd, &opts.project, `only bundles of this project; else of the one pulled here, or "any"`)
	cmd.Flags().StringVar(&opts.status, "status", "", "only bundles in this state: pending_download, downloaded or expired")
	_ = cmd.RegisterFlagCompletionFunc("status", states()) // the flag is there
	cmd.Flags().IntVar(&opts.limit, "limit", 20, "at most this many")
	a.addJSONFlag(cmd, "print one JSON array")
	return cmd
}

func runList(ctx context.Context, a *app, opts listOptions) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	all := []client.Bundle{} // in JSON no null
	q := client.ListQuery{ProjectID: opts.project, Status: svc.BundleStatus(opts.status)}
	for len(all) < opts.limit {
		q.Limit = min(opts.limit-len(all), 100)
		page, err := c.List(ctx, q)
		if err != nil {
			return err
		}
		all = append(all, page.Bundles...)
		if q.Cursor = page.Next; q.Cursor == "" || len(page.Bundles) == 0 {
			break
		}
	}
	if a.asJSON {
		return a.printJSON(all)
	}
	if a.remembered != "" {
		a.note("Bundles of project %s, which was pulled here. For all: --project any", a.remembered)
	}
	if len(all) == 0 {
		a.note("No bundles. Make one with svc generate or svc export.")
		return nil
	}
	if a.term.outTTY && !a.verbose {
		return listBriefly(a, all)
	}
	// A line of the table needs about 120 columns; below that it would be torn.
	if a.term.outTTY && a.term.width() < 120 {
		for _, b := range all {
			if err := a.print("%s\n  %s, %s, %s\n  %s\n  %s\n", b.ID, b.Status, count(b.FileCount, "file"), size(b.Size), svc.FormatTime(b.CreatedAt), b.ProjectID); err != nil {
				return err
			}
		}
		return nil
	}
	return listTable(a, all)
}

// listBriefly prints what fits in a narrow line.
func listBriefly(a *app, all []client.Bundle) error {
	for _, b := range all {
		if err := a.print("%s  %-16s  %9s  %s\n", b.ID, b.Status, count(b.FileCount, "file"), ago(time.Since(b.CreatedAt))); err != nil {
			return err
		}
	}
	return nil
}

func listTable(a *app, all []client.Bundle) error {
	table := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "BUNDLE\tSTATUS\tFILES\tSIZE\tCREATED\tPROJECT")
	for _, b := range all {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\n", b.ID, printable.Line(string(b.Status)), b.FileCount, size(b.Size), svc.FormatTime(b.CreatedAt), b.ProjectID)
	}
	return table.Flush()
}
