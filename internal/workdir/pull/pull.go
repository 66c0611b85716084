package pull

import (
	"context"
	"errors"
	"slices"

	"github.com/bundle-delivery/svc/internal/workdir"
	"github.com/bundle-delivery/svc/internal/workdir/leaks"
)

// AnyProject is the project of Options that stands for all of them.
const AnyProject = "any"

// Options are the choices for a pull.
type Options struct {
	BundleID   string // empty: the newest that waits
	ProjectID  string // of this project; empty: of the one that was pulled here last
	OnConflict workdir.OnConflict
	Unsigned   bool // take it without an attestation
	DryRun     bool // write nothing, acknowledge nothing
}

// Prepared is a bundle that was downloaded and found good, with the plan of its pull.
type Prepared struct {
	// Plan is nil if the bundle was Finished.
	Plan *workdir.Plan
	// Finished is the log of a bundle that was applied before and lacked only its
	// acknowledgement.
	Finished *workdir.Log

	session *Session
	fetched *Fetched
	// Keys of the service in the folder, and in the bundle, as soon as it is searched.
	keysHere     []leaks.Key
	keysInBundle <-chan []leaks.Key
}

// Prepare finishes what earlier commands left unfinished, downloads a bundle and plans
// its pull. For a dry run it only downloads and plans, and refuses a folder in which
// something is unfinished. The caller closes what it returns.
func (s *Session) Prepare(ctx context.Context, opts Options) (*Prepared, error) {
	earlier, err := s.settle(ctx, opts.DryRun)
	if err != nil {
		return nil, err
	}
	id, err := s.choose(ctx, opts, earlier.BundleID)
	if err != nil {
		return nil, err
	}
	if id == earlier.BundleID { // what was asked for had only been interrupted
		return &Prepared{Finished: &earlier, session: s}, nil
	}
	keysHere := search(func() []leaks.Key { found, _ := leaks.InFolder(s.Folder.Dir()); return found })
	got, err := s.Fetch(ctx, id, opts.Unsigned)
	if err != nil {
		return nil, err
	}
	p := &Prepared{session: s, fetched: got, keysInBundle: search(func() []leaks.Key { return leaks.InBundle(got.Archive) })}
	p.Plan, err = s.Folder.Plan(got.Archive, workdir.PlanOptions{
		BundleID: id, State: got.state, Service: s.client.BaseURL(), Attestation: got.attestation, OnConflict: opts.OnConflict,
	})
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	select {
	case p.keysHere = <-keysHere: // before what is in the bundle lies there as well
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), p.Close())
	}
	if opts.DryRun {
		p.warnOfKeys()
	}
	return p, nil
}

// settle finishes what an earlier command left unfinished, and connects. It returns the
// log of a pull whose acknowledgement was missing, if there was one.
func (s *Session) settle(ctx context.Context, dryRun bool) (earlier workdir.Log, err error) {
	if err := s.ready(dryRun); err != nil {
		return earlier, err
	}
	if !dryRun {
		if err := s.checkSentinel(); err != nil {
			return earlier, err
		}
	}
	if err := s.connect(); err != nil || dryRun {
		return earlier, err
	}
	if earlier, err = s.sendMissingAck(ctx); err != nil || s.Unattended {
		return earlier, err
	}
	return earlier, s.finishPush(ctx)
}

// choose settles which bundle is pulled, and sends the acknowledgements that
// wait; the two depend on each other. The bundle that was just tried is not
// acknowledged again.
func (s *Session) choose(ctx context.Context, opts Options, tried string) (string, error) {
	sendPending := func(wanted string) []string {
		if opts.DryRun {
			return nil
		}
		return s.sendPending(ctx, wanted, tried)
	}
	if opts.BundleID != "" {
		sendPending(opts.BundleID)
		return opts.BundleID, nil
	}
	project := s.projectOf(opts.ProjectID)
	newest, err := s.client.Latest(ctx, project)
	// The newest that waits may be one that waits only for its acknowledgement.
	if sent := sendPending(newest.ID); err == nil && slices.Contains(sent, newest.ID) {
		newest, err = s.client.Latest(ctx, project)
	}
	if err != nil {
		return "", err
	}
	if project == "" {
		s.note("The newest bundle is %s.", newest.ID)
	} else {
		s.note("The newest of %s is %s.", project, newest.ID) // in eighty columns
	}
	return newest.ID, nil
}

// projectOf returns the project that was named, or that the last pull into this folder
// was of, or "". A folder that cannot be read, or that another user's svc wrote, tells
// none.
func (s *Session) projectOf(named string) string {
	switch named {
	case AnyProject:
		return ""
	case "":
		if project, err := s.Folder.Project(); err == nil {
			s.Remembered = project
		}
		return s.Remembered
	}
	return named
}

// Apply carries the plan out, remembers whom the bundle came from and acknowledges it.
// The log is nil if nothing was written. An error beside a log is about the
// acknowledgement: the pull has succeeded all the same.
func (p *Prepared) Apply(ctx context.Context) (*workdir.Log, error) {
	s := p.session
	if err := errors.Join(ctx.Err(), s.checkSentinel()); err != nil {
		return nil, err
	}
	log, err := s.Folder.Apply(p.Plan)
	if err != nil {
		return nil, err
	}
	p.warnOfKeys()
	for _, e := range log.Entries {
		if e.LeftBehind() {
			s.Tell(Note{Warning: true, Word: "kept:", Text: e.Path + " would have been deleted; " + e.Detail})
		}
	}
	if err := p.fetched.pin.save(); err != nil {
		s.note("The keys of the service could not be kept (%s); the next pull meets it as a stranger.", err)
	}
	return &log, s.acknowledge(ctx, &log)
}

// Close gives the downloaded bundle back.
func (p *Prepared) Close() error {
	if p.fetched == nil {
		return nil
	}
	return p.fetched.Close()
}

// warnOfKeys warns that the bundle, or the folder, holds keys of the service.
func (p *Prepared) warnOfKeys() {
	found := slices.Concat(<-p.keysInBundle, p.keysHere)
	for _, k := range found[:min(len(found), leaks.MaxShown)] {
		p.session.Tell(Note{Warning: true, Word: "key:", Text: k.String() + "; revoke it before others find it"})
	}
}

// search looks for keys while something else is done.
func search(look func() []leaks.Key) <-chan []leaks.Key {
	found := make(chan []leaks.Key, 1) // nobody waits for it where the pull fails
	go func() { found <- look() }()
	return found
}
