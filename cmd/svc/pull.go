package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// pullOptions are the user's choices for a pull.
type pullOptions struct {
	bundleID    string // empty: the newest that waits
	latest      bool
	project     string
	dryRun      bool
	diff        bool
	asJSON      bool
	onConflict  string
	allowGlobal bool
	unsigned    bool // take it without an attestation
	// review, if there is one, is shown the plan in the place of a person, and its error
	// ends the pull. What an earlier command left unfinished, a person has to finish.
	review func(*workdir.Plan) error
}

// preview says whether the plan is only shown.
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
	switch workdir.OnConflict(o.onConflict) {
	case workdir.ConflictKeep, workdir.ConflictTheirs, workdir.ConflictMarkers, workdir.ConflictAbort:
		return nil
	}
	return fmt.Errorf("--on-conflict %q is none of keep, theirs, markers, abort", o.onConflict)
}

func (a *app) pullCommand() *cobra.Command {
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
			return a.pull(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVar(&opts.latest, "latest", false, "pull the newest bundle that waits")
	a.addProjectFlag(cmd, &opts.project, `with --latest: of this project; else of the one pulled here before, or "any"`)
	cmd.Flags().BoolVar(&opts.dryRun, "dry-run", false, "show what would happen, write nothing, acknowledge nothing")
	cmd.Flags().BoolVar(&opts.diff, "diff", false, "like --dry-run, with the lines that would change")
	cmd.Flags().BoolVar(&opts.asJSON, "json", false, "print the log, or with --dry-run the log that would be written")
	opts.addApplyFlags(cmd)
	cmd.ValidArgsFunction = a.completeBundles(svc.BundlePending)
	return cmd
}

// pull does what svc pull does; generate and watch use it as well.
func (a *app) pull(ctx context.Context, opts pullOptions) (err error) {
	if opts.bundleID != "" {
		if opts.bundleID, err = bundleID(opts.bundleID); err != nil {
			return err
		}
	}
	folder, err := a.folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	if err := a.makeReady(folder, opts); err != nil {
		return err
	}
	c, err := a.client()
	if err != nil {
		return err
	}
	p := pulling{app: a, pullOptions: opts, folder: folder, client: c}
	return p.run(ctx)
}

// makeReady finishes what an earlier command left unfinished, or refuses to show
// a plan for a folder in which something is.
func (a *app) makeReady(folder *workdir.Folder, opts pullOptions) error {
	if opts.preview() {
		return checkFinished(folder)
	}
	finish := a.recoverFolder
	if opts.review != nil {
		finish = checkFinished
	}
	if err := finish(folder); err != nil {
		return err
	}
	return checkSentinel(folder)
}

// pulling is one pull under way.
type pulling struct {
	*app
	pullOptions
	folder *workdir.Folder
	client *client.Client
	// Keys of the service in the folder, and in the bundle, as soon as it is searched.
	keysHere     []foundKey
	keysInBundle <-chan []foundKey
}

func (p *pulling) run(ctx context.Context) (err error) {
	var earlier workdir.Log // of a pull that had died before its acknowledgement
	if !p.preview() {
		if earlier, err = p.sendMissingAck(ctx, p.client, p.folder); err != nil {
			return err
		}
		if p.review == nil {
			if err := p.finishPush(ctx, p.client, p.folder); err != nil {
				return err
			}
		}
	}
	id, err := p.choose(ctx, earlier.BundleID)
	if err != nil {
		return err
	}
	if id == earlier.BundleID { // what was asked for had only been interrupted
		p.unheard("The bundle is applied", p.showFinished(earlier, p.pullOptions))
		return nil
	}
	keysHere := searchKeys(func() []foundKey { found, _ := keysInFolder(p.folder.Dir()); return found })
	got, err := p.fetch(ctx, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, got.file.discard()) }()
	p.keysInBundle = searchKeys(func() []foundKey { return keysInBundle(got.archive) })
	plan, err := p.folder.Plan(got.archive, workdir.PlanOptions{
		BundleID: id, State: got.state, Service: p.client.BaseURL(), Attestation: got.attestation, OnConflict: workdir.OnConflict(p.onConflict),
	})
	if err != nil {
		return err
	}
	select {
	case p.keysHere = <-keysHere: // before what is in the bundle lies there as well
	case <-ctx.Done():
		return ctx.Err()
	}
	if p.preview() {
		p.warnOfKeys()
	}
	if p.review != nil {
		if err := p.review(plan); err != nil || p.preview() {
			return err
		}
		return p.apply(ctx, plan, got.pin)
	}
	for _, conflict := range plan.Conflicts() {
		p.warnStep(yellow, "conflict:", conflict)
	}
	for _, f := range plan.Files {
		if f.EditsKept != "" {
			p.warnStep(yellow, "edits:", f.Name()+" has edits that the bundle takes out; what it holds now is kept as "+f.EditsKept)
		}
		if f.Beside != "" {
			p.warnStep(yellow, "beside:", f.Name()+" comes beside "+f.Beside+", whose name differs only in case: where file names ignore case, the two are one file")
		}
	}
	if p.preview() {
		return p.showPlan(plan, p.pullOptions)
	}
	return p.apply(ctx, plan, got.pin)
}

// choose settles which bundle is pulled, and sends the acknowledgements that
// wait; the two depend on each other. The bundle that was just tried is not
// acknowledged again.
func (p *pulling) choose(ctx context.Context, tried string) (string, error) {
	sendPending := func(wanted string) []string {
		if p.preview() {
			return nil
		}
		return p.sendPending(ctx, p.client, p.folder, wanted, tried)
	}
	if p.bundleID != "" {
		sendPending(p.bundleID)
		return p.bundleID, nil
	}
	project := p.projectHere(p.project, anyProject)
	newest, err := p.client.Latest(ctx, project)
	// The newest that waits may be one that waits only for its acknowledgement.
	if sent := sendPending(newest.ID); err == nil && slices.Contains(sent, newest.ID) {
		newest, err = p.client.Latest(ctx, project)
	}
	if err != nil {
		return "", err
	}
	if project == "" {
		p.note("The newest bundle is %s.", newest.ID)
	} else {
		p.note("The newest of %s is %s.", project, newest.ID) // in eighty columns
	}
	return newest.ID, nil
}

// fetched is a bundle that was downloaded and found good.
type fetched struct {
	file        *tempArchive
	archive     *bundlezip.Archive
	state       string // the digest of the archive
	attestation []byte // nil: the service does not sign, or nobody cares
	pin         pin    // what is believed of the service from now on
}

// fetch downloads a bundle to a temporary file and checks who made it and what is in
// it.
func (p *pulling) fetch(ctx context.Context, id string) (_ fetched, err error) {
	clearTempArchives(os.TempDir(), time.Now())
	file, err := newTempArchive()
	if err != nil {
		return fetched{}, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.discard())
		}
	}()
	downloaded, err := p.client.Download(ctx, id, file.File, p.progress(time.Now))
	p.term.clear()
	if err != nil {
		return fetched{}, inTemp(err)
	}
	got := fetched{file: file, state: downloaded.SHA256}
	if p.unsigned {
		p.warn("Not verified: nobody vouches for this bundle, since its attestation is not looked at.")
	} else if got.attestation, got.pin, err = p.attestation(ctx, p.client, id, got.state); err != nil {
		return fetched{}, refused(err)
	}
	got.archive, err = bundlezip.Check(file, downloaded.Size)
	if workdir.IsFull(err) {
		return fetched{}, inTemp(err)
	}
	if err != nil {
		return fetched{}, refused(err)
	}
	return got, nil
}

func refused(err error) error {
	return fmt.Errorf("the bundle is refused, and nothing was written: %w", err)
}

// apply carries the plan out, remembers whom the bundle came from and acknowledges it.
func (p *pulling) apply(ctx context.Context, plan *workdir.Plan, from pin) error {
	if err := p.askForHome(ctx, plan); err != nil {
		return err
	}
	if err := errors.Join(ctx.Err(), checkSentinel(p.folder)); err != nil {
		return err
	}
	log, err := p.folder.Apply(plan)
	if err != nil {
		return err
	}
	p.warnOfKeys()
	for _, e := range log.Entries {
		if e.LeftBehind() {
			p.warnStep(yellow, "kept:", e.Path+" would have been deleted; "+e.Detail)
		}
	}
	if err := from.save(); err != nil {
		p.note("The keys of the service could not be kept (%s); the next pull meets it as a stranger.", err)
	}
	err = p.acknowledge(ctx, p.client, p.folder, &log)
	printed := error(nil)
	if p.asJSON {
		printed = p.printJSON(log)
	} else {
		printed = p.summarise(plan, log)
	}
	p.unheard("The bundle is applied", printed)
	return err
}

// askForHome gets the user's yes to changes in the home folder.
func (p *pulling) askForHome(ctx context.Context, plan *workdir.Plan) error {
	files := plan.HomeFiles()
	if len(files) == 0 || p.allowGlobal || p.yes {
		return nil
	}
	refused := errors.New("the bundle changes files in your home folder (" + strings.Join(files, ", ") + "); nothing was written. Look at them with --diff and allow them with --allow-global")
	if !p.term.inTTY {
		return refused
	}
	p.warn("The bundle changes these files in your home folder:")
	for _, name := range files {
		p.warn("  %s", name)
	}
	yes, err := p.confirm(ctx, "Go on? [y/N] ", false)
	if err == nil && !yes {
		err = refused
	}
	return err
}
