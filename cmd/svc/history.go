package main

import (
	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/workdir"
)

func newHistoryCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "List the pulls that can be taken back",
		Long: `Lists the pulls into this folder that svc rollback can take back, the last one
first: the order in which they are taken back. Nothing is sent over the network.`,
		Example: `  svc history
  svc history --json | jq -r '.[0].bundle_id'   # the one that svc rollback takes back`,
		Args: none,
		RunE: func(*cobra.Command, []string) error { return runHistory(a) },
	}
	a.addJSONFlag(cmd, "print one JSON array")
	return cmd
}

func runHistory(a *app) error {
	return a.inFolder(func(folder *workdir.Folder) error {
		if err := folder.CheckFinished(); err != nil {
			return err
		}
		pulls, err := folder.History()
		if err != nil {
			return err
		}
		if a.asJSON {
			return a.printJSON(append([]workdir.Pulled{}, pulls...))
		}
		if len(pulls) == 0 {
			a.note("Nothing was pulled into this folder, so there is nothing to take back.")
			return nil
		}
		for _, p := range pulls {
			if err := a.print("%s  %s  %s\n", p.BundleID, p.At, whatPullDid(p)); err != nil {
				return err
			}
		}
		a.note("To take the last one back: svc rollback")
		return nil
	})
}

// whatPullDid says in a few words what a pull did.
func whatPullDid(p workdir.Pulled) string {
	var did tally
	did.add(p.Written, "%d written")
	did.add(p.Merged, "%d merged")
	did.add(p.Deleted, "%d deleted")
	did.addCount(p.Conflicts, "conflict")
	did.add(p.Pushes, "pushed %d times since")
	text := did.or("nothing to do")
	if !p.Signed {
		text += " (not by your svc)"
	}
	return text
}
