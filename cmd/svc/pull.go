package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/workdir"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

// pullOptions are the user's choices for a pull.
type pullOptions struct {
	bundleID    string // empty: the newest that waits
	latest      bool
	project     string
	dryRun      bool
	diff        bool
	onConflict  string
	allowGlobal bool
	unsigned    bool // take it without an attestation
}

// preview reports whether the plan is only shown.
func (o pullOptions) preview() bool { return o.dryRun || o.diff }

// addApplyFlags adds the flags that every command has which applies a bundle.
func (o *pullOptions) addApplyFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.onConflict, "on-conflict", string(workdir.ConflictKeep), "what to do about conflicts: keep, theirs, markers or abort")
	_ = cmd.RegisterFlagCompletionFunc("on-conflict", conflictStrategies()) // the flag is there
	cmd.Flags().BoolVar(&o.allowGlobal, "allow-global", false, "let the bundle change configuration files in the home folder without asking")
	cmd.Flags().BoolVar(&o.unsigned, "insecure-unsigned", false, "take this one bundle without knowing who made it: ask for no attestation")
}

func (o pullOptions) check() error {
	if o.project != "" && !o.latest {
		return errors.New("--project only goes with --latest")
	}
	if !workdir.OnConflict(o.onConflict).Valid() {
		return fmt.Errorf("--on-conflict %q is none of keep, theirs, markers, abort", o.onConflict)
	}
	return nil
}

func newPullCommand(a *app) *cobra.Command {
	var opts pullOptions
	cmd := &cobra.Command{
		Use:        "pull (<bundle-id> | --latest)",
		Short:      "Fetch a bundle and apply it to this folder",
		SuggestFor: []string{"fetch", "get", "download", "apply"},
		Long: `Fetches a bundle, checks it as a whole, applies it to the current folder in one
step and acknowledges it. Files that change are backed up; svc rollback takes
the pull back. If anything is wrong, nothing is written.`,
		Example: `  svc pull 01890a5d-ac96-774b-bcce-b302099a8057
  svc pull --latest --project proj_7h2k9q4w1x8c5v3b6n0m
  svc pull --latest                      # of the same project, in the same folder
  svc pull --latest --yes --quiet        # in a script
  svc pull --latest --dry-run            # what would happen
  svc pull --latest --diff               # and to which lines
  svc pull --latest --on-conflict abort  # all or nothing`,
		Args: func(cmd *cobra.Command, args []string) error {
			if opts.latest {
				return none(cmd, args)
			}
			return one("name one bundle id, or use --latest")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := opts.check(); err != nil {
				return usage(cmd, err)
			}
			if !opts.latest {
				opts.bundleID = args[0]
			}
			return runPull(cmd.Context(), a, opts)
		},
	}
	cmd.Flags().BoolVar(&opts.latest, "latest", false, "pull the newest bundle that waits")
	addProjectFlag(a, cmd, &opts.project, `with --latest: of this project; else of the one pulled here before, or "any"`)
	cmd.Flags().BoolVar(&opts.dryRun, "dry-run", false, "show what would happen, write nothing, acknowledge nothing")
	cmd.Flags().BoolVar(&opts.diff, "diff", false, "like --dry-run, with the lines that would change")
	a.addJSONFlag(cmd, "print the log, or with --dry-run the log that would be written")
	opts.addApplyFlags(cmd)
	cmd.ValidArgsFunction = completeBundles(a, svc.BundlePending)
	return cmd
}

// runPull does what svc pull does; generate and watch use it as well.
func runPull(ctx context.Context, a *app, opts pullOptions) (err error) {
	if opts.bundleID != "" {
		if opts.bundleID, err = bundleID(opts.bundleID); err != nil {
			return err
		}
	}
	return a.inFolder(func(folder *workdir.Folder) (err error) {
		s := a.session(folder)
		p, err := s.Prepare(ctx, pull.Options{
			BundleID: opts.bundleID, ProjectID: opts.project, OnConflict: workdir.OnConflict(opts.onConflict), Unsigned: opts.unsigned, DryRun: opts.preview(),
		})
		a.term.clear()
		a.remembered = cmp.Or(s.Remembered, a.remembered) // svc generate may know it already
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.Close()) }()
		if p.Finished != nil {
			a.unheard("The bundle is applied", a.result(p.Finished, func() error {
				a.note("To take it back: svc rollback %s", p.Finished.BundleID)
				return a.print("Bundle %s is applied: the pull that was interrupted is finished.\n", p.Finished.BundleID)
			}))
			return nil
		}
		warnOfPlan(a, p.Plan)
		if opts.preview() {
			return showPlan(a, p.Plan, opts)
		}
		if err := askForHome(ctx, a, opts, p.Plan); err != nil {
			return err
		}
		log, err := p.Apply(ctx)
		if log != nil {
			a.unheard("The bundle is applied", a.result(log, func() error { return summarise(a, p.Plan, *log) }))
		}
		return err
	})
}

// warnOfPlan warns of what a person may not expect of a pull.
func warnOfPlan(a *app, plan *workdir.Plan) {
	for _, conflict := range plan.Conflicts() {
		a.warnStep(yellow, "conflict:", conflict)
	}
	for _, f := range plan.Files {
		if f.EditsKept != "" {
			a.warnStep(yellow, "edits:", f.Name()+" has edits that the bundle takes out; what it holds now is kept as "+f.EditsKept)
		}
		if f.Beside != "" {
			a.warnStep(yellow, "beside:", f.Name()+" comes beside "+f.Beside+", whose name differs only in case: where file names ignore case, the two are one file")
		}
	}
}

// askForHome gets the user's yes to changes in the home folder.
func askForHome(ctx context.Context, a *app, opts pullOptions, plan *workdir.Plan) error {
	files := plan.HomeFiles()
	if len(files) == 0 || opts.allowGlobal || a.yes {
		return nil
	}
	refused := errors.New("the bundle changes files in your home folder (" + strings.Join(files, ", ") + "); nothing was written. Look at them with --diff and allow them with --allow-global")
	if !a.term.inTTY {
		return refused
	}
	a.warn("The bundle changes these files in your home folder:")
	for _, name := range files {
		a.warn("  %s", name)
	}
	yes, err := a.confirm(ctx, "Go on? [y/N] ", false)
	if err == nil && !yes {
		err = refused
	}
	return err
}
