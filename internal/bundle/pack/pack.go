// Package pack turns a state of a project into a pack and a bundle that
// become visible in one step, or not at all.
//
// Generation, import and push share it. The work has two halves. Draft writes the
// bytes: both blobs are announced in the ledger first, and written in one pass,
// for a bundle's archive is its pack. A push makes no bundle: DraftState writes the
// pack alone. Commit is a step of the caller's
// transaction, beside whatever else must become true at the same moment; it
// holds only if the project is still at the revision that the draft was made
// from. A draft that is given up, or whose process dies, is swept.
package pack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// MaxProject is the largest state that a project can have.
func MaxProject() svc.Extent { return svc.Extent{Files: 2000, Bytes: 100 << 20} }

// FirstSize is what the bundle of a project without files is taken to need, before
// anybody knows.
const FirstSize = 1 << 20

// Room says how many bytes may still come to wait for an account: what waits, and
// what the bundles of accepted runs may need, is taken off the limit. The run with
// the given id is left out.
func Room(ctx context.Context, r svc.Records, accountID, except string, limit int64) (int64, error) {
	_, room, err := LockAccount(ctx, r, accountID, except, limit)
	return room, err
}

// LockAccount locks an account, and gives it with its Room: whoever does the same
// waits until this transaction is over.
func LockAccount(ctx context.Context, r svc.Records, accountID, except string, limit int64) (svc.Account, int64, error) {
	account, reserved, err := r.Accounts().Lock(ctx, accountID, except, min(FirstSize, limit))
	if err != nil {
		return svc.Account{}, 0, fmt.Errorf("lock account %s: %w", accountID, err)
	}
	return account, limit - account.PendingBytes - reserved, nil
}

const (
	// draftLife is how long a draft may take from its first byte to its commit: the
	// records may be out of reach for most of it.
	draftLife = 30 * time.Minute
	// PreviousLife is how long the state before a project's present one stays
	// readable, unless another follows: people look at what has changed.
	PreviousLife = 7 * 24 * time.Hour
	// packGrace is how long the pack of an older state stays readable: longer than
	// any assembly that may have begun with it.
	packGrace = 10 * time.Minute
	// LateWrite is how long a blob whose writing was given up may still come to be: what
	// was sent waits somewhere on the way. Stores refuse what was signed fifteen minutes
	// ago. Deleted and forgotten before that, it would lie there for ever.
	LateWrite = 20 * time.Minute
	// DefaultBundleTTL is the life of a bundle that nobody acknowledges.
	DefaultBundleTTL = 24 * time.Hour
)

// Packager makes drafts.
type Packager struct {
	Store svc.Store
	Blobs svc.Blobs
	// BundleTTL is the life of a bundle that nobody acknowledges; zero means
	// DefaultBundleTTL.
	BundleTTL time.Duration
	// Attester signs where bundles come from; nil: nobody does.
	Attester svc.Attester
}

// Content is the next state of a project. Its files, ports and architecture are
// the State; the ProjectID in it is overwritten with the project's.
type Content struct {
	State  bundlezip.State
	Name   string // empty: as it was
	Memory string
	// MemoryRevision counts how often the memory document was revised.
	MemoryRevision int
	// Push is what the state comes from, if it comes from a push; its State and At
	// are filled in.
	Push *svc.Push
	// Provenance is where the files come from; its State and Base are filled in.
	Provenance svc.Provenance
}

// Draft is a pack and a bundle archive that no record points at yet.
type Draft struct {
	packager *Packager
	project  svc.Project // as it will be
	name     string      // that the project gets with its state; empty: the one that it has then
	isNew    bool
	oldPack  string
	older    string // the pack before the old one, if it is still there
	base     string // the state before
	bundleID string
	archive  string // of the bundle; empty: there is none
	ttl      time.Duration
	// uncertain says that the writing of a blob was given up: it may come to be later.
	uncertain bool
}

// Draft writes the pack of the next state of a project, and the archive of its
// bundle. A project without a CreatedAt is one that the records do not have yet.
//
// An error that matches bundlezip.ErrInvalid speaks of the content;
// CodeProjectTooLarge says that there is too much of it.
func (p *Packager) Draft(ctx context.Context, project svc.Project, content Content) (*Draft, error) {
	return p.draft(ctx, project, content, true)
}

// DraftState is Draft without a bundle: only CommitState can follow.
func (p *Packager) DraftState(ctx context.Context, project svc.Project, content Content) (*Draft, error) {
	return p.draft(ctx, project, content, false)
}

func (p *Packager) draft(ctx context.Context, project svc.Project, content Content, bundled bool) (*Draft, error) {
	if limit, n := MaxProject(), len(content.State.Files); n > limit.Files {
		return nil, tooLarge(svc.Extent{Files: n})
	}
	d, err := p.announce(ctx, project, bundled)
	if err != nil {
		return nil, err
	}
	state := content.State
	state.ProjectID = project.ID
	result, err := d.write(ctx, state)
	if err == nil {
		extent := svc.Extent{Files: result.FileCount, Bytes: result.ContentBytes}
		if extent.Bytes > MaxProject().Bytes {
			err = tooLarge(extent)
		} else {
			err = d.describe(content, extent, result)
		}
	}
	if err != nil {
		return nil, errors.Join(err, d.Discard(ctx))
	}
	return d, nil
}

// announce chooses the keys and enters them into the ledger.
func (p *Packager) announce(ctx context.Context, project svc.Project, bundled bool) (*Draft, error) {
	d := &Draft{packager: p, project: project, isNew: project.CreatedAt.IsZero(), oldPack: project.Pack.Blob, base: project.Pack.State(), ttl: p.BundleTTL}
	if d.ttl == 0 {
		d.ttl = DefaultBundleTTL
	}
	if before := project.StateProvenance(); before != nil {
		d.older = before.BasePack
	}
	err := p.Store.TxLocked(ctx, func(r svc.Records) error {
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		d.bundleID = svc.NewBundleID(now)
		if bundled {
			d.archive = BundleKey(d.bundleID)
		}
		d.project.Pack.Blob = packKey(project.ID, d.bundleID)
		until := now.Add(draftLife)
		for _, blob := range d.blobs() {
			if err := r.Ledger().Intend(ctx, blob, until); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("announce a draft of %s: %w", project.ID, err)
	}
	return d, nil
}

// blobs are the keys of the draft: that of the pack, then that of the bundle.
func (d *Draft) blobs() []string {
	if d.archive == "" {
		return []string{d.project.Pack.Blob}
	}
	return []string{d.project.Pack.Blob, d.archive}
}

// write writes all blobs in one pass.
func (d *Draft) write(ctx context.Context, state bundlezip.State) (bundlezip.Result, error) {
	var blobs []svc.BlobWriter
	var targets []io.Writer
	for _, key := range d.blobs() {
		blob, err := d.packager.Blobs.Create(ctx, key)
		if err != nil {
			return bundlezip.Result{}, fmt.Errorf("create %s: %w", key, err)
		}
		defer blob.Abort()
		blobs, targets = append(blobs, blob), append(targets, blob)
	}
	result, err := bundlezip.Write(contextWriter{ctx, io.MultiWriter(targets...)}, state)
	if err != nil {
		return bundlezip.Result{}, fmt.Errorf("write pack: %w", err)
	}
	for i, blob := range blobs {
		if err := blob.Commit(); err != nil {
			d.uncertain = true
			return bundlezip.Result{}, fmt.Errorf("commit %s: %w", d.blobs()[i], err)
		}
	}
	return result, nil
}

// describe fills in what is known once the bytes are written.
func (d *Draft) describe(content Content, extent svc.Extent, result bundlezip.Result) error {
	digest, err := hex.DecodeString(result.SHA256)
	if err != nil || len(digest) != sha256.Size {
		return fmt.Errorf("digest %q of the pack is none", result.SHA256)
	}
	sum := [sha256.Size]byte(digest)
	d.project.Pack = svc.Pack{Blob: d.project.Pack.Blob, Extent: extent, Size: result.Size, SHA256: sum}
	d.project.Revision++
	d.project.State = maps.Clone(content.State.Architecture)
	d.project.Memory, d.project.MemoryRevision = content.Memory, content.MemoryRevision
	if d.name = content.Name; d.name != "" {
		d.project.Name = d.name
	}
	d.project.Push = nil
	if content.Push != nil {
		push := *content.Push
		push.State = d.project.Pack.State()
		d.project.Push = &push
	}
	provenance := content.Provenance
	provenance.State, provenance.Base, provenance.BasePack = d.project.Pack.State(), d.base, d.oldPack
	d.project.Provenance = &provenance
	return nil
}

// BundleSize is how large the bundle's archive is.
func (d *Draft) BundleSize() int64 { return d.project.Pack.Size }

// Commit makes the draft visible: the project has its new state, the bundle
// waits to be fetched with its attestation, the old pack goes after a week, or soon
// after the next one. It is a step of the
// caller's transaction and may be run again with it. generationID may be empty.
//
// ErrConflict when the project has moved on or the draft took so long that it
// was swept, ErrNotFound when the project is gone: the draft is void then.
func (d *Draft) Commit(ctx context.Context, r svc.Records, generationID string, now time.Time) (svc.Project, svc.Bundle, error) {
	project, err := d.commitState(ctx, r, now)
	if err != nil {
		return svc.Project{}, svc.Bundle{}, err
	}
	bundle := NewBundle(d.bundleID, d.project, svc.Assembled{Size: d.project.Pack.Size, SHA256: d.project.Pack.SHA256}, now, d.ttl)
	bundle.GenerationID = generationID
	if err := r.Ledger().Fulfil(ctx, bundle.Blob); err != nil {
		return svc.Project{}, svc.Bundle{}, fmt.Errorf("claim %s: %w", bundle.Blob, err)
	}
	if err := r.Bundles().Insert(ctx, bundle); err != nil {
		return svc.Project{}, svc.Bundle{}, fmt.Errorf("insert bundle %s: %w", bundle.ID, err)
	}
	if attester := d.packager.Attester; attester != nil {
		if err := attester.Attest(ctx, r, bundle, project.Provenance.Origin, project.Provenance); err != nil {
			return svc.Project{}, svc.Bundle{}, fmt.Errorf("attest bundle %s: %w", bundle.ID, err)
		}
	}
	return project, bundle, nil
}

// CommitState is Commit of the project's state alone: the bundle's archive is given
// up, if there is one, and can be made again from the state.
func (d *Draft) CommitState(ctx context.Context, r svc.Records, now time.Time) (svc.Project, error) {
	project, err := d.commitState(ctx, r, now)
	if err != nil || d.archive == "" {
		return project, err
	}
	return project, svc.Abandon(ctx, r.Ledger(), d.archive, now)
}

func (d *Draft) commitState(ctx context.Context, r svc.Records, now time.Time) (svc.Project, error) {
	project := d.project
	project.UpdatedAt = now
	if project.Push != nil {
		push := *project.Push
		push.At = now
		project.Push = &push
	}
	if err := r.Ledger().Fulfil(ctx, project.Pack.Blob); err != nil {
		return svc.Project{}, fmt.Errorf("claim %s: %w", project.Pack.Blob, err)
	}
	var err error
	if d.isNew {
		project.CreatedAt = now
		err = r.Projects().Insert(ctx, project)
	} else {
		next := project
		next.Name = d.name // somebody may have renamed the project since it was read
		err = r.Projects().Advance(ctx, next)
	}
	if err != nil {
		return svc.Project{}, fmt.Errorf("give project %s its state: %w", project.ID, err)
	}
	if d.oldPack != "" {
		err = r.Ledger().Discard(ctx, d.oldPack, now.Add(PreviousLife))
	}
	if err == nil && d.older != "" {
		err = r.Ledger().Discard(ctx, d.older, now.Add(packGrace))
	}
	if err != nil {
		return svc.Project{}, fmt.Errorf("discard an old pack: %w", err)
	}
	return project, nil
}

// Discard gives a draft up: its bytes go with the next sweep, or when none of them can
// arrive any more. It does no harm to one that was committed, even if the commit was
// reported as failed, and works also when the context has ended.
func (d *Draft) Discard(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return d.packager.Store.TxLocked(ctx, func(r svc.Records) error {
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		return d.Abandon(ctx, r, now)
	})
}

// Abandon is Discard as a step of the caller's transaction.
func (d *Draft) Abandon(ctx context.Context, r svc.Records, now time.Time) error {
	if d.uncertain {
		now = now.Add(LateWrite)
	}
	for _, blob := range d.blobs() {
		if err := svc.Abandon(ctx, r.Ledger(), blob, now); err != nil {
			return fmt.Errorf("discard a draft of %s: %w", d.project.ID, err)
		}
	}
	return nil
}

// NewBundle is a bundle with a project's state that begins to wait, no run's yet. Its
// archive lies at BundleKey.
func NewBundle(id string, p svc.Project, archive svc.Assembled, now time.Time, ttl time.Duration) svc.Bundle {
	return svc.Bundle{
		ID: id, AccountID: p.AccountID, ProjectID: p.ID, Status: svc.BundlePending,
		FileCount: p.Pack.Extent.Files, Size: archive.Size, SHA256: archive.SHA256, Blob: BundleKey(id),
		CreatedAt: now, ExpiresAt: now.Add(ttl),
	}
}

// BundleKey is where the archive of a bundle lies.
func BundleKey(bundleID string) string { return "bundles/" + bundleID + ".zip" }

// packKey is where a pack lies. Its name is borrowed from the bundle made with
// it, which is as unique as anything.
func packKey(projectID, unique string) string { return "packs/" + projectID + "/" + unique + ".zip" }

func tooLarge(actual svc.Extent) *svc.Error {
	limit := MaxProject()
	e := svc.Errorf(svc.CodeProjectTooLarge, "The project would have %d files and %d bytes; at most %d files and %d bytes are kept.",
		actual.Files, actual.Bytes, limit.Files, limit.Bytes)
	e.Limit, e.Actual = &limit, &actual
	return e
}

// contextWriter writes until its context ends, so that a long pack can be stopped.
type contextWriter struct {
	ctx context.Context //nolint:containedctx // it lives as long as one call of bundlezip.Write
	w   io.Writer
}

func (u contextWriter) Write(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(p)
}
