package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// pullFlags are the choices for a pull.
type pullFlags struct {
	latest, dryRun, diff, asJSON, allowGlobal bool
	project, onConflict                       string
}

func (f *pullFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.onConflict, "on-conflict", string(workdir.ConflictKeep), "what to do about conflicts: keep, theirs, markers or abort")
	cmd.Flags().BoolVar(&f.allowGlobal, "allow-global", false, "let the bundle change configuration files in the home folder without asking")
}

func (a *app) pullCommand() *cobra.Command {
	var f pullFlags
	cmd := &cobra.Command{
		Use:   "pull (<bundle-id> | --latest)",
		Short: "Fetch a bundle and apply it to this folder",
		Long: `Fetches a bundle, checks it as a whole, applies it to the current folder in one
step and acknowledges it. Files that change are backed up; svc rollback takes
the pull back. If anything is wrong, nothing is written.`,
		Example: `  svc pull 01890a5d-ac96-774b-bcce-b302099a8057
  svc pull --latest --project proj_7h2k9q4w1x8c5v3b6n0m
  svc pull --latest --dry-run            # what would happen
  svc pull --latest --diff               # and to which lines
  svc pull --latest --on-conflict abort  # all or nothing`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.latest {
				return none(cmd, args)
			}
			if len(args) != 1 {
				return errors.New("name one bundle id, or use --latest")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.project != "" && !f.latest {
				return usage(cmd, errors.New("--project only goes with --latest"))
			}
			switch workdir.OnConflict(f.onConflict) {
			case workdir.ConflictKeep, workdir.ConflictTheirs, workdir.ConflictMarkers, workdir.ConflictAbort:
			default:
				return usage(cmd, fmt.Errorf("--on-conflict %q is none of keep, theirs, markers, abort", f.onConflict))
			}
			id := ""
			if !f.latest {
				id = args[0]
			}
			return a.pull(cmd.Context(), id, f)
		},
	}
	cmd.Flags().BoolVar(&f.latest, "latest", false, "pull the newest bundle that waits")
	cmd.Flags().StringVar(&f.project, "project", "", "with --latest: of this project")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would happen, write nothing, acknowledge nothing")
	cmd.Flags().BoolVar(&f.diff, "diff", false, "like --dry-run, with the lines that would change")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the log, or with --dry-run the log that would be written")
	f.add(cmd)
	return cmd
}

// pull does what svc pull does; generate uses it as well. An empty id stands
// for the latest bundle.
func (a *app) pull(ctx context.Context, id string, f pullFlags) (err error) {
	if id != "" {
		if id, err = bundleID(id); err != nil {
			return err
		}
	}
	folder, err := a.folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	looking := f.dryRun || f.diff
	if looking {
		err = whole(folder)
	} else {
		if _, err = a.recoverFolder(folder); err == nil {
			err = checkSentinel(folder)
		}
	}
	if err != nil {
		return err
	}
	c, err := a.client()
	if err != nil {
		return err
	}
	var owed workdir.Log
	if !looking {
		if owed, err = a.sendOwed(ctx, c, folder); err != nil {
			return err
		}
	}
	if id, err = a.choose(ctx, c, folder, id, owed.BundleID, f); err != nil {
		return err
	}
	if id == owed.BundleID {
		return a.tellFinished(owed, f) // what was asked for had only been interrupted
	}
	file, archive, err := a.fetch(ctx, c, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.discard()) }()
	plan, err := folder.Plan(archive, workdir.PlanOptions{BundleID: id, OnConflict: workdir.OnConflict(f.onConflict)})
	if err != nil {
		return err
	}
	for _, conflict := range plan.Conflicts() {
		a.step(yellow, "conflict:", conflict)
	}
	if looking {
		return a.showPlan(plan, f)
	}
	if err := a.askForHome(plan, f); err != nil {
		return err
	}
	if err := errors.Join(ctx.Err(), checkSentinel(folder)); err != nil {
		return err
	}
	log, err := folder.Apply(plan)
	if err != nil {
		return err
	}
	ackErr := a.acknowledge(ctx, c, folder, &log)
	if f.asJSON {
		return errors.Join(a.printJSON(log), ackErr)
	}
	return errors.Join(a.summarise(plan, log), ackErr)
}

// choose settles which bundle is pulled, and sends the acknowledgements that
// wait; the two depend on each other.
func (a *app) choose(ctx context.Context, c *client.Client, folder *workdir.Folder, id, tried string, f pullFlags) (string, error) {
	looking := f.dryRun || f.diff
	if id != "" {
		if !looking {
			a.sendPending(ctx, c, folder, id, tried)
		}
		return id, nil
	}
	b, err := c.Latest(ctx, f.project)
	// The newest that waits may be one that waits only for its acknowledgement.
	if !looking && slices.Contains(a.sendPending(ctx, c, folder, b.ID, tried), b.ID) && err == nil {
		b, err = c.Latest(ctx, f.project)
	}
	if err != nil {
		return "", err
	}
	a.note("The newest bundle is %s.", b.ID)
	return b.ID, nil
}

// fetch downloads a bundle to a temporary file and checks it.
func (a *app) fetch(ctx context.Context, c *client.Client, id string) (*tempArchive, *bundlezip.Archive, error) {
	clearTempArchives(os.TempDir(), time.Now())
	file, err := newTempArchive()
	if err != nil {
		return nil, nil, err
	}
	size, err := c.Download(ctx, id, file.File, a.progress())
	a.term.clear()
	if err != nil {
		return nil, nil, errors.Join(err, file.discard())
	}
	archive, err := bundlezip.Check(file, size)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("the bundle is refused, and nothing was written: %w", err), file.discard())
	}
	return file, archive, nil
}

// progress shows how far a download is, on a terminal.
func (a *app) progress() func(have, total int64) {
	if !a.term.errTTY {
		return nil
	}
	shown := int64(-1)
	return func(have, total int64) {
		if total < 0 {
			a.term.status("Downloading %s", size(have))
			return
		}
		if percent := have * 100 / max(total, 1); percent != shown {
			shown = percent
			const cells = 20
			filled := int(percent) * cells / 100
			a.term.status("Downloading [%s%s] %3d%% of %s", strings.Repeat("#", filled), strings.Repeat(".", cells-filled), percent, size(total))
		}
	}
}

// askForHome gets the user's yes to changes in the home folder.
func (a *app) askForHome(plan *workdir.Plan, f pullFlags) error {
	files := plan.HomeFiles()
	if len(files) == 0 || f.allowGlobal {
		return nil
	}
	refused := errors.New("the bundle changes files in your home folder (" + strings.Join(files, ", ") + "); nothing was written. Look at them with --diff and allow them with --allow-global")
	if !a.term.inTTY {
		return refused
	}
	a.note("The bundle changes these files in your home folder:\n  %s", strings.Join(files, "\n  "))
	_, _ = fmt.Fprint(a.Err, "Go on? [y/N] ")
	answer, err := bufio.NewReader(a.In).ReadString('\n')
	if yes := strings.ToLower(strings.TrimSpace(answer)); err != nil || yes != "y" && yes != "yes" {
		return refused
	}
	return nil
}
