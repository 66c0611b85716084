package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/text/printable"
	"github.com/bundle-delivery/svc/internal/workdir"
)

func newRollbackCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rollback [<bundle-id>]",
		Short: "Take the last pull in this folder back",
		Long: `Reads resolution_log.json in the current folder, restores what the pull changed
and deletes what it wrote. Files that you edited since are kept under .svc/trash.
Pulls are taken back last first. Version control is not touched, and nothing is
sent over the network. What was done is written to rollback_log.json. Without an id
the last pull is meant, and you are asked.`,
		Example: `  svc rollback
  svc rollback --yes                                    # in a script
  svc rollback 01890a5d-ac96-774b-bcce-b302099a8057     # this pull or none
  svc history                                           # what can be taken back`,
		SuggestFor:        []string{"undo", "revert", "restore"},
		Args:              optional("name one bundle id, or none for the last pull: svc rollback [<bundle-id>]"),
		ValidArgsFunction: a.completePulled,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := optionalBundleID(args)
			if err != nil {
				return err
			}
			return runRollback(cmd.Context(), a, id)
		},
	}
	a.addJSONFlag(cmd, "print the rollback log")
	return cmd
}

// runRollback takes a pull back; without an id the last one, if the user says so.
func runRollback(ctx context.Context, a *app, id string) error {
	return a.inFolder(func(folder *workdir.Folder) (err error) {
		if id == "" {
			if id, err = lastPull(ctx, a, folder); err != nil {
				return err
			}
		}
		l, notes, err := folder.Rollback(id)
		if err != nil {
			return err
		}
		for _, n := range notes {
			a.warn("note: %s", n) // it may begin with the name of a file
		}
		a.unheard("The bundle is taken back", a.result(l, func() error { return showRollback(a, l) }))
		return nil
	})
}

// lastPull is the bundle of the last pull, if the user wants it taken back.
func lastPull(ctx context.Context, a *app, folder *workdir.Folder) (string, error) {
	id, err := folder.LastBundle()
	if err != nil {
		return "", err
	}
	if !a.yes && !a.term.inTTY {
		return "", fmt.Errorf("the last pull here was of bundle %s; to take it back without being asked: svc rollback %s, or svc rollback --yes", id, id)
	}
	about := ""
	if pulls, err := folder.History(); err == nil && len(pulls) > 0 && pulls[0].BundleID == id {
		about = " of " + pulls[0].At + " (" + whatPullDid(pulls[0]) + ")"
	}
	yes, err := a.confirm(ctx, printable.Line(fmt.Sprintf("Take back the pull of bundle %s%s? [y/N] ", id, about)), false)
	if err == nil && !yes {
		err = errors.New("nothing was taken back")
	}
	return id, err
}

// showRollback prints what a rollback did.
func showRollback(a *app, l workdir.RollbackLog) error {
	all := len(l.Restored) + len(l.Deleted) + len(l.Preserved)
	lines := 0
	for _, part := range []struct {
		verb  string
		names []string
	}{{"restored", l.Restored}, {"deleted", l.Deleted}, {"preserved", l.Preserved}} {
		for _, name := range part.names {
			line := fmt.Sprintf("%-9s  %s", part.verb, name)
			if lines == a.brief(all) {
				line = a.more(all-lines, "file")
			}
			if lines++; lines > a.brief(all)+1 {
				continue
			}
			if err := a.print("%s\n", line); err != nil {
				return err
			}
		}
	}
	return a.print("Bundle %s is taken back: %s restored, %s deleted, %s preserved.\n", l.BundleID,
		count(len(l.Restored), "file"), count(len(l.Deleted), "file"), count(len(l.Preserved), "file"))
}
