package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/workdir"
)

func (a *app) verifyCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Say whether this folder still holds what was delivered",
		Long: `Compares every file that the last pull wrote with what it wrote, by content.
Exits 1 if something differs. Nothing is sent over the network.`,
		Example: `  svc verify
  svc verify --json`,
		Args: none,
		RunE: func(*cobra.Command, []string) error { return a.verify(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) verify(asJSON bool) (err error) {
	folder, err := a.folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	if err := checkFinished(folder); err != nil {
		return err
	}
	v, err := folder.Verify()
	if err != nil {
		return err
	}
	if !v.Signed {
		a.warn("The log of this folder was not written by your svc, or was changed since.")
	}
	if asJSON {
		if err := a.printJSON(v); err != nil {
			return err
		}
	}
	differing := 0
	for _, f := range v.Files {
		if f.State == workdir.Intact {
			continue
		}
		differing++
		if !asJSON {
			if err := a.print("%-7s  %s\n", f.State, f.Path); err != nil {
				return err
			}
		}
	}
	if differing > 0 {
		return fmt.Errorf("%d of %s differ from what bundle %s delivered", differing, count(len(v.Files), "file"), v.BundleID)
	}
	if asJSON {
		return nil
	}
	return a.print("All %s are as bundle %s delivered them.\n", count(len(v.Files), "file"), v.BundleID)
}
