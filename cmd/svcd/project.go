package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/packaging"
)

func newProjectCommand(std Streams, environment []string) *cobra.Command {
	return group("project", "Bring in projects", newProjectImportCommand(std, environment))
}

func newProjectImportCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import DIR --account ADDRESS",
		Short: "Make a project and its first bundle from a folder, and print their ids as JSON",
		Args:  cobra.ExactArgs(1),
	}
	var email, name string
	cmd.Flags().StringVar(&email, "account", "", "the e-mail address of the account")
	cmd.Flags().StringVar(&name, "name", "", "the name of the project (default that of the folder)")
	required(cmd, "account")
	return operatorCommand(cmd, std, environment, false, []string{"bundle-ttl"}, func(ctx context.Context, o *operator, args []string) (err error) {
		a, err := o.accounts.ByEmail(ctx, email)
		if err != nil {
			return err
		}
		blobs, err := o.openBlobs(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, blobs.Close()) }()
		packager := &packaging.Packager{Store: o.store, Blobs: blobs, BundleTTL: o.settings.limits.BundleTTL}
		made, err := packager.ImportDir(ctx, a, args[0], name)
		if err != nil {
			return err
		}
		for _, path := range made.Skipped {
			if _, err := fmt.Fprintf(std.Err, "svcd: left out %s, which is no regular file\n", path); err != nil {
				return err
			}
		}
		return o.print(struct {
			ProjectID string `json:"projectId"`
			BundleID  string `json:"bundleId"`
			FileCount int    `json:"fileCount"`
		}{made.Project.ID, made.Bundle.ID, made.Bundle.FileCount})
	})
}
