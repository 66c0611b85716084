package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/bundle/signing"
	"github.com/bundle-delivery/svc/internal/text/printable"
)

func newProjectCommand(std Streams, environment []string) *cobra.Command {
	return group("project", "Bring in projects", newProjectImportCommand(std, environment))
}

func newProjectImportCommand(std Streams, environment []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import DIR --account ADDRESS",
		Short: "Make a bundle from a folder, for a new project or as a project's next state, and print their ids as JSON",
		Long: `Makes a bundle from the files below a folder, and a project of which they are the
first state, or with --project the next one. What .gitignore files name is left out.

How files are placed, a file .svc-bundle.toml in the folder may say, and flags, which
win; what nobody says, a table decides by name:

  leave_out = ["drafts/", "*.tmp"]         # patterns as in .gitignore
  [[files]]
  match = "config/*.json"
  merge_strategy = "deep_merge"
  destination_type = "global_config"
  [[ports]]
  name = "web"
  port = 3000
  uses = [{path = ".env.example", template = "PORT={port}"}]`,
		Args: cobra.ExactArgs(1),
	}
	i := importCommand{std: std}
	flags := cmd.Flags()
	flags.StringVar(&i.email, "account", "", "the e-mail address of the account")
	flags.StringVar(&i.opts.Name, "name", "", "the name of the project (default that of the folder, or the one it has)")
	flags.StringVar(&i.opts.ProjectID, "project", "", "make the folder the next state of this project")
	flags.StringArrayVar(&i.strategies, "strategy", nil, "PATTERN=STRATEGY: how files are merged; may be repeated")
	flags.StringArrayVar(&i.destinations, "destination", nil, "PATTERN=TYPE: project or global_config; may be repeated")
	flags.StringArrayVar(&i.ports, "port", nil, "NAME=NUMBER@PATH@TEMPLATE: a port and a place of it; may be repeated")
	flags.StringArrayVar(&i.opts.Rules.LeaveOut, "leave-out", nil, "PATTERN: files that are not imported; may be repeated")
	flags.BoolVar(&i.dryRun, "dry-run", false, "print the manifest and make nothing")
	required(cmd, "account")
	return operatorCommand(cmd, std, environment, false, []string{"bundle-ttl"}, func(ctx context.Context, o *operator, args []string) error {
		return i.run(ctx, o, args[0])
	})
}

// importCommand is svcd project import.
type importCommand struct {
	std                             Streams
	email                           string
	strategies, destinations, ports []string
	dryRun                          bool
	opts                            pack.ImportOptions
}

func (i *importCommand) run(ctx context.Context, o *operator, dir string) (err error) {
	a, err := o.accounts.ByEmail(ctx, i.email)
	if err != nil {
		return err
	}
	if err := i.readRules(); err != nil {
		return err
	}
	packager := &pack.Packager{Store: o.store, BundleTTL: o.settings.limits.BundleTTL}
	if i.dryRun {
		m, skipped, err := packager.DescribeImport(ctx, a, dir, i.opts)
		if err != nil {
			return err
		}
		return i.describe(m, skipped)
	}
	blobs, err := o.openBlobs(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	signer := signing.New(o.store, programVersion())
	if err := o.settings.openSigner(ctx, signer, nil); err != nil {
		return err
	}
	packager.Blobs, packager.Attester = blobs, signer
	made, err := packager.ImportDir(ctx, a, dir, i.opts)
	if err != nil {
		return err
	}
	if err := i.reportSkipped(made.Skipped); err != nil {
		return err
	}
	return o.print(struct {
		ProjectID string `json:"projectId"`
		BundleID  string `json:"bundleId"`
		FileCount int    `json:"fileCount"`
	}{made.Project.ID, made.Bundle.ID, made.Bundle.FileCount})
}

// readRules reads the flags that say how files are placed.
func (i *importCommand) readRules() error {
	rules := &i.opts.Rules
	for _, text := range i.strategies {
		pattern, strategy, ok := cutLast(text, "=")
		if !ok {
			return fmt.Errorf("--strategy %q is not of the form PATTERN=STRATEGY", text)
		}
		rules.Files = append(rules.Files, pack.FileRule{Match: pattern, MergeStrategy: bundlezip.MergeStrategy(strategy)})
	}
	for _, text := range i.destinations {
		pattern, destination, ok := cutLast(text, "=")
		if !ok {
			return fmt.Errorf("--destination %q is not of the form PATTERN=TYPE", text)
		}
		rules.Files = append(rules.Files, pack.FileRule{Match: pattern, DestinationType: bundlezip.DestinationType(destination)})
	}
	for _, text := range i.ports {
		port, err := pack.ParsePortRule(text)
		if err != nil {
			return fmt.Errorf("--port: %w", err)
		}
		rules.Ports = append(rules.Ports, port)
	}
	return nil
}

// describe prints the manifest that the import would deliver.
func (i *importCommand) describe(m bundlezip.Manifest, skipped []string) error {
	if err := i.reportSkipped(skipped); err != nil {
		return err
	}
	text, err := m.Encode()
	if err == nil {
		_, err = i.std.Out.Write(printable.JSON(text))
	}
	return err
}

func (i *importCommand) reportSkipped(paths []string) error {
	for _, path := range paths {
		if _, err := fmt.Fprintf(i.std.Err, "svcd: left out %s, which is no regular file\n", printable.Line(path)); err != nil {
			return err
		}
	}
	return nil
}

// cutLast cuts a text around the last separator.
func cutLast(text, separator string) (before, after string, ok bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}
