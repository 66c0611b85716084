package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/web/api"
	"github.com/bundle-delivery/svc/internal/workdir"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

func newPushCommand(a *app) *cobra.Command {
	var opts pull.PushOptions
	cmd := &cobra.Command{
		Use:   "push",
		Short: "Send your edits back to the project, so that the next run sees them",
		Long: `Sends the files of the project that you changed or deleted since the last pull, and
makes them the project's next state. New files, and configuration files in which
your own lines stand beside the bundle's, are sent only when you name them with
--add. Ports go back to the numbers that the project declares.

Files that hold keys, tokens or passwords are refused by file and line: keys in the form
of their issuer, JSON web tokens, passwords in addresses (postgres://user:password@host)
and values of password, secret, token or api_key in YAML, JSON, TOML and other settings,
also in UTF-16. What stands in the place of one is none: ${PASSWORD}, changeme, a user's
own name.`,
		Example: `  svc push --dry-run                       # look first
  svc push
  svc push --add src/new.go --add package.json
  svc generate --push "now add a search"   # push, then continue the project`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return runPush(cmd.Context(), a, opts) },
	}
	cmd.Flags().StringArrayVar(&opts.Add, "add", nil, "also send this file, or the files in this folder; may be repeated")
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "show what would be sent, and send nothing")
	a.addJSONFlag(cmd, "print one JSON object")
	cmd.Flags().BoolVar(&opts.AllowSecrets, "allow-secrets", false, "send also .env files and what looks like a secret")
	return cmd
}

func runPush(ctx context.Context, a *app, opts pull.PushOptions) error {
	return a.inFolder(func(folder *workdir.Folder) error {
		p, err := a.session(folder).PreparePush(ctx, opts)
		switch {
		case err != nil:
			return err
		case opts.DryRun:
			return showPush(a, p.Plan)
		case p.Plan.Empty():
			noteNoEdits(a, p.Plan)
			if a.asJSON {
				return a.printJSON(api.Pushed{ProjectID: p.Plan.ProjectID, State: p.Plan.Base})
			}
			return nil
		}
		pushed, err := p.Send(ctx)
		if err != nil {
			return err
		}
		if a.asJSON {
			err = a.printJSON(api.Pushed{
				ProjectID: pushed.ProjectID, State: pushed.State, Changed: pushed.Changed, Added: pushed.Added, Deleted: pushed.Deleted, PushedAt: api.Time(pushed.At),
			})
		} else {
			err = a.print("project_id: %s\nstate: %s\nchanged: %d\nadded: %d\ndeleted: %d\n", pushed.ProjectID, pushed.State, pushed.Changed, pushed.Added, pushed.Deleted)
		}
		a.unheard("The changes are pushed", err)
		return nil
	})
}

func noteNoEdits(a *app, plan *workdir.PushPlan) {
	a.note("Nothing to push: the files of project %s are as the last pull or push left them.", plan.ProjectID)
}

// showPush prints what a push would send.
func showPush(a *app, plan *workdir.PushPlan) error {
	if a.asJSON {
		changed, added := plan.Paths()
		return a.printJSON(struct {
			ProjectID string   `json:"project_id"`
			Base      string   `json:"base"`
			Changed   []string `json:"changed"`
			Added     []string `json:"added"`
			Deleted   []string `json:"deleted"`
		}{plan.ProjectID, plan.Base, changed, added, append([]string{}, plan.Deleted...)})
	}
	if plan.Empty() {
		return a.print("Nothing to push.\n")
	}
	for _, f := range plan.Files {
		word := "change"
		if f.New {
			word = "add"
		}
		if err := a.print("%-8s%s (%s)\n", word, f.Path, size(int64(len(f.Content)))); err != nil {
			return err
		}
	}
	for _, name := range plan.Deleted {
		if err := a.print("%-8s%s\n", "delete", name); err != nil {
			return err
		}
	}
	a.note("Nothing was sent. To send it to project %s: svc push", plan.ProjectID)
	return nil
}
