package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/text/printable"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// What a shell offers when the user presses Tab. Failure offers nothing: there is nobody
// to tell.

// completionPatience is how long a shell waits for the service.
const completionPatience = 3 * time.Second

// words completes from a list.
func words(list ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}

func states() cobra.CompletionFunc {
	return words(
		cobra.CompletionWithDesc(string(svc.BundlePending), "can be pulled"),
		cobra.CompletionWithDesc(string(svc.BundleDownloaded), "was pulled and acknowledged"),
		cobra.CompletionWithDesc(string(svc.BundleExpired), "was not pulled in time"),
	)
}

func conflictStrategies() cobra.CompletionFunc {
	return words(
		cobra.CompletionWithDesc(string(workdir.ConflictKeep), "your side stays, the other lies beside it"),
		cobra.CompletionWithDesc(string(workdir.ConflictTheirs), "the bundle's side"),
		cobra.CompletionWithDesc(string(workdir.ConflictMarkers), "both, between markers"),
		cobra.CompletionWithDesc(string(workdir.ConflictAbort), "write nothing"),
	)
}

// completeBundles offers the ids of bundles in a state, or in any.
func completeBundles(a *app, status svc.BundleStatus) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var ids []cobra.Completion
		_ = askForCompletion(a, cmd, func(ctx context.Context, c *client.Client) error {
			page, err := c.List(ctx, client.ListQuery{Status: status, Limit: 50})
			for _, b := range page.Bundles {
				about := printable.Line(string(b.Status)) + ", " + count(b.FileCount, "file") + ", " + ago(time.Since(b.CreatedAt))
				ids = append(ids, cobra.CompletionWithDesc(b.ID, about))
			}
			return err
		})
		return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completeProjects offers the ids of projects.
func (a *app) completeProjects(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 && cmd.Name() == "export" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []cobra.Completion
	_ = askForCompletion(a, cmd, func(ctx context.Context, c *client.Client) error {
		page, err := c.Projects(ctx, 50, "")
		for _, p := range page.Projects {
			ids = append(ids, cobra.CompletionWithDesc(p.ID, printable.Line(p.Name)))
		}
		return err
	})
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completePulled offers the bundle that can be taken back.
func (a *app) completePulled(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var id string
	err := a.inFolder(func(folder *workdir.Folder) (err error) {
		id, err = folder.LastBundle()
		return err
	})
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{cobra.CompletionWithDesc(id, "the last pull here")}, cobra.ShellCompDirectiveNoFileComp
}

// askForCompletion asks the service, quietly and not for long.
func askForCompletion(a *app, cmd *cobra.Command, ask func(context.Context, *client.Client) error) error {
	a.quiet, a.term.quiet = true, true
	c, err := a.client()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, completionPatience)
	defer cancel()
	return ask(ctx, c)
}
