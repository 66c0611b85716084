package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/workdir"
)

func (a *app) rollbackCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "rollback <bundle-id>",
		Short: "Take the last pull in this folder back",
		Long: `Reads resolution_log.json in the current folder, restores what the pull changed
and deletes what it wrote. Files that you edited since are kept under .svc/trash.
Pulls are taken back last first. Version control is not touched, and nothing is
sent over the network. What was done is written to rollback_log.json.`,
		Example: `  svc rollback 01890a5d-ac96-774b-bcce-b302099a8057`,
		Args:    one("name one bundle id: svc rollback <bundle-id>"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.rollback(args[0], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the rollback log")
	return cmd
}

func (a *app) rollback(id string, asJSON bool) (err error) {
	if id, err = bundleID(id); err != nil {
		return err
	}
	folder, err := a.folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	l, notes, err := folder.Rollback(id)
	if err != nil {
		return err
	}
	for _, n := range notes {
		a.note("note: %s", n) // it may begin with the name of a file
	}
	if asJSON {
		return a.printJSON(l)
	}
	for _, part := range []struct {
		verb  string
		names []string
	}{{"restored", l.Restored}, {"deleted", l.Deleted}, {"preserved", l.Preserved}} {
		for _, name := range part.names {
			if err := a.print("%-9s  %s\n", part.verb, name); err != nil {
				return err
			}
		}
	}
	return a.print("Bundle %s is taken back: %s restored, %s deleted, %s preserved.\n", l.BundleID,
		count(len(l.Restored), "file"), count(len(l.Deleted), "file"), count(len(l.Preserved), "file"))
}

// folder opens the current folder.
func (a *app) folder() (*workdir.Folder, error) {
	return workdir.Open(".", workdir.Env{Home: a.home(), Version: programVersion()})
}
