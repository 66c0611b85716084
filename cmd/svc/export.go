package main

import (
	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/web/api"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

func newExportCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export [<project-id>]",
		Short: "Make a fresh bundle from a project's files",
		Long: `Asks the service for a new bundle of what the project holds now. Nothing is
generated. Prints the new bundle's id and the command that pulls it. Without an id it
is the project that was pulled into this folder.`,
		Example: `  svc export proj_7h2k9q4w1x8c5v3b6n0m
  svc export   # in the folder of a pull`,
		SuggestFor: []string{"repackage"},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && projectHere(a, "", pull.AnyProject) != "" {
				return nil
			}
			return one("name one project id: svc export <project-id>")(cmd, args)
		},
		ValidArgsFunction: a.completeProjects,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return runExport(a, cmd, a.remembered)
			}
			return runExport(a, cmd, args[0])
		},
	}
	a.addJSONFlag(cmd, "print one JSON object")
	return cmd
}

func runExport(a *app, cmd *cobra.Command, projectID string) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	made, err := c.Repackage(cmd.Context(), projectID, client.NewKey())
	if err != nil {
		return err
	}
	if a.asJSON {
		return a.printJSON(api.Repackaged(made))
	}
	return a.print("bundle_id: %s\nfile_count: %d\ntotal_size_bytes: %d\nsvc pull %s\n", made.BundleID, made.FileCount, made.TotalSizeBytes, made.BundleID)
}
