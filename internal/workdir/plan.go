package workdir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir/merge"
)

// maxMerged is the size up to which a file is read into memory and merged.
const maxMerged = merge.MaxSize

// OnConflict says what becomes of conflicts.
type OnConflict string

// The choices.
const (
	ConflictKeep    OnConflict = "keep"
	ConflictTheirs  OnConflict = "theirs"
	ConflictMarkers OnConflict = "markers"
	ConflictAbort   OnConflict = "abort"
)

// Valid reports whether it is one of the choices.
func (c OnConflict) Valid() bool {
	return c == ConflictKeep || c == ConflictTheirs || c == ConflictMarkers || c == ConflictAbort
}

// Action says what a plan does with a file.
type Action string

// The actions.
const (
	Create  Action = "create"
	Replace Action = "replace"
	Merge   Action = "merge"
	Keep    Action = "keep"
	Delete  Action = "delete"
)

// FilePlan is what a plan does with one file of the bundle.
type FilePlan struct {
	Base      bundlezip.Base
	Path      string
	Action    Action
	Strategy  bundlezip.MergeStrategy
	Conflicts []merge.Conflict
	// EditsKept is where the content is kept that is replaced although no pull
	// has brought it; empty if none is.
	EditsKept string
	// Beside is a file or folder here whose name differs from that of the new one only
	// in case.
	Beside string
}

// Name is the path as people read it.
func (p FilePlan) Name() string { return displayName(p.Base, p.Path) }

func displayName(base bundlezip.Base, name string) string {
	if base == bundlezip.Home {
		return "~/" + name
	}
	return name
}

// Plan is what a pull will do, and nothing else than that.
type Plan struct {
	// Log is the log as it will be written, but for finished_at and ack.
	Log Log
	// Files are the files that the bundle has no longer, then those that it has,
	// in its order.
	Files []FilePlan

	folder    *Folder
	state     string
	origin    Origin
	portUses  []bundlezip.Port
	pullID    string
	history   string
	sequence  int
	ports     chosenPorts
	writes    []write
	deletions []deletion
	dropped   []string     // files that had gone before
	emptied   []goneFolder // inner ones first
	bases     []baseCopy
	written   []bundlezip.StateFile // what else is kept of what is written
	// brought is what the record will say of the project's files, madeFolders
	// are those that pulls have made and that are there now.
	brought     map[string]recordFile
	madeFolders []string
	seen        []snapshot
}

// write is one file that will have a new content.
type write struct {
	base          bundlezip.Base
	path          string
	before, after string
	perm          perm
	source        source
	backup        string // where the old content goes, or ""
	displaced     string // digest of an earlier backup in that place
}

// snapshot is what stood at a path when the plan was made.
type snapshot struct {
	base bundlezip.Base
	path string
	info fs.FileInfo // nil: nothing
}

// ErrConflicts says that the plan has conflicts and the user chose to stop.
var ErrConflicts = errors.New("the bundle conflicts with files here")

// ErrChanged says that the folder is not what it was when the plan was made.
var ErrChanged = errors.New("the folder changed since the plan was made; nothing was written, run the command again")

// PlanOptions are the user's choices for a pull.
type PlanOptions struct {
	BundleID string
	// State is the SHA-256 of the archive, in hexadecimal; without it nothing can be
	// pushed from the folder.
	State string
	// Service is the address that the bundle comes from, Attestation what was signed
	// there about it, if anything was: both are kept with the pull.
	Service     string
	Attestation []byte
	OnConflict  OnConflict // keep if empty
}

// Plan works out what pulling a checked archive means for this folder. It
// writes nothing. An unfinished pull or rollback must be recovered first.
func (f *Folder) Plan(a *bundlezip.Archive, opts PlanOptions) (_ *Plan, err error) {
	if !IsBundleID(opts.BundleID) {
		return nil, fmt.Errorf("%q is not a bundle id", opts.BundleID)
	}
	if err := f.CheckFinished(); err != nil {
		return nil, err
	}
	history, err := f.pastPulls()
	if err != nil {
		return nil, err
	}
	history = pushedBefore(history, opts.BundleID, opts.State)
	manifest := a.Manifest()
	p := &Plan{folder: f, pullID: newPullID(), Log: Log{
		Version: LogVersion, BundleID: opts.BundleID, ProjectID: manifest.ProjectID,
		ClientVersion: f.env.Version, StartedAt: f.now(), Entries: []Entry{}, Ack: Ack{Status: AckNotSent},
	}}
	if p.history, p.sequence, err = f.newHistory(opts.BundleID); err != nil {
		return nil, err
	}
	p.origin = Origin{Service: opts.Service, Attestation: opts.Attestation}
	p.brought, p.state, p.portUses = map[string]recordFile{}, opts.State, manifest.Ports
	if p.madeFolders, err = f.foldersMade(history); err != nil {
		return nil, err
	}
	var entries []Entry
	if p.ports, entries, err = f.choosePorts(manifest, history); err != nil {
		return nil, err
	}
	p.Log.Entries = append(p.Log.Entries, entries...)
	pl := planner{
		Plan: p, archive: a, manifest: manifest, past: history, policy: merge.Policy(opts.OnConflict), ancestors: baseReader{folder: f, history: history},
		folders: map[string]bool{}, gone: map[string]bool{}, disputed: map[string]bool{}, renamed: map[string]string{}, names: map[string]map[string][]string{},
	}
	defer func() { err = errors.Join(err, pl.ancestors.close()) }()
	if opts.OnConflict == ConflictAbort {
		pl.policy = merge.Keep
	}
	if err := pl.planDeletions(); err != nil {
		return nil, err
	}
	for _, file := range manifest.Files {
		if err := pl.file(file); err != nil {
			return nil, err
		}
	}
	if err := pl.previousLog(); err != nil {
		return nil, err
	}
	if err := pl.checkRepositories(); err != nil {
		return nil, err
	}
	if conflicts := p.Conflicts(); opts.OnConflict == ConflictAbort && len(conflicts) > 0 {
		return nil, fmt.Errorf("%w:\n  %s", ErrConflicts, strings.Join(conflicts, "\n  "))
	}
	return p, pl.checkFolders()
}

// Conflicts gives one line for each conflict: first those about ports, which
// concern several files at once, then those of each file.
func (p *Plan) Conflicts() []string {
	var out []string
	for _, e := range p.Log.Entries {
		if e.Type == ConflictEntry && e.Name != "" {
			out = append(out, displayName(e.Base, e.Path)+": "+e.Detail)
		}
	}
	for _, f := range p.Files {
		for _, c := range f.Conflicts {
			out = append(out, f.Name()+": "+c.String())
		}
	}
	return out
}

// leave notes that files are left which the plan was to delete.
func (p *Plan) leave(names []string) {
	p.Log.leave(names)
	for i, f := range p.Files {
		if f.Action == Delete && slices.Contains(names, f.Path) {
			p.Files[i].Action = Keep
		}
	}
}

// HomeFiles are the files in the home folder that the plan changes. The user
// must have said yes to them before Apply.
func (p *Plan) HomeFiles() []string {
	var out []string
	for _, w := range p.writes {
		if w.base == bundlezip.Home {
			out = append(out, displayName(w.base, w.path))
		}
	}
	return out
}

// Changes gives the contents before and after, for a diff. What is larger than
// a merge would read is ErrTooLarge.
func (p *Plan) Changes() []FileChange {
	out := make([]FileChange, 0, len(p.writes)+len(p.deletions))
	for _, w := range p.deletions {
		out = append(out, FileChange{
			Name: w.path, Deleted: true,
			Before: func() ([]byte, error) { return p.folder.project.show(w.path) },
			After:  func() ([]byte, error) { return nil, nil },
		})
	}
	for _, w := range p.writes {
		d := p.folder.site(w.base)
		out = append(out, FileChange{
			Name: displayName(w.base, w.path),
			Before: func() ([]byte, error) {
				if w.before == "" {
					return nil, nil
				}
				return d.show(w.path)
			},
			After: func() (content []byte, err error) {
				r, err := w.source.reader()
				if err != nil {
					return nil, err
				}
				defer func() { err = errors.Join(err, r.Close()) }()
				content, err = io.ReadAll(io.LimitReader(r, maxMerged+1))
				if len(content) > maxMerged {
					return nil, ErrTooLarge
				}
				return content, err
			},
		})
	}
	return out
}

// site gives the tree that a base names.
func (f *Folder) site(base bundlezip.Base) disk {
	if base == bundlezip.Home {
		return f.home.disk
	}
	return f.project
}

// unchanged says whether everything the plan looked at is still the same.
func (p *Plan) unchanged() error {
	for _, s := range p.seen {
		at, err := p.folder.site(s.base).lookFile(s.path)
		if err != nil {
			return err
		}
		same := at.exists == (s.info != nil)
		if same && at.exists {
			same = os.SameFile(at.info, s.info) && at.info.Size() == s.info.Size() &&
				at.info.ModTime().Equal(s.info.ModTime()) && at.info.Mode() == s.info.Mode()
		}
		if !same {
			return fmt.Errorf("%w (%s)", ErrChanged, displayName(s.base, s.path))
		}
	}
	folder, sequence, err := p.folder.newHistory(p.Log.BundleID)
	if err == nil && (folder != p.history || sequence != p.sequence) {
		err = ErrChanged
	}
	return err
}

// source is where a new content comes from. Its digest is compared with the planned
// one when it is staged.
type source struct {
	content []byte
	open    func() (io.ReadCloser, error) // if content is nil
}

// fromBytes makes a source of bytes, which must not be changed any more.
func fromBytes(content []byte) source {
	if content == nil {
		content = []byte{} // an empty file is a file
	}
	return source{content: content}
}

func (s source) reader() (io.ReadCloser, error) {
	if s.content != nil {
		return io.NopCloser(bytes.NewReader(s.content)), nil
	}
	return s.open()
}

// checkFolders looks whether every folder that will be written to takes files.
// What fails after the commit would have to be repaired by hand.
func (pl *planner) checkFolders() error {
	checked := map[string]bool{}
	for _, w := range pl.writes {
		d := pl.folder.site(w.base)
		folder := "."
		for _, parent := range slices.Backward(parentFolders(w.path)) {
			if pl.free(w.base, parent) {
				continue
			}
			at, err := d.look(parent)
			if err != nil {
				return err
			}
			if at.exists {
				folder = parent
				break
			}
		}
		if id := displayName(w.base, folder); !checked[id] {
			checked[id] = true
			if err := takesRenames(d.root, folder); err != nil {
				return err
			}
		}
	}
	for name := range pl.gone {
		if folder := path.Dir(name); !checked[folder] {
			checked[folder] = true
			if err := takesRenames(pl.folder.project.root, folder); err != nil {
				return err
			}
		}
	}
	return takesRenames(pl.folder.project.root, ".")
}
