package workdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// Apply carries a plan out. When it returns nil, the folder is what the plan
// says, on the disk; when it returns an error, nothing was changed, unless the
// error says that the pull is committed.
func (f *Folder) Apply(p *Plan) (Log, error) {
	unlock, err := f.lock()
	if err != nil {
		return Log{}, err
	}
	defer unlock() //nolint:errcheck // the lock ends with the process at the latest
	j, err := f.stagePull(p)
	if err != nil {
		if f.hook.stopped == nil {
			err = errors.Join(err, f.tidy())
		}
		return Log{}, err
	}
	left, err := committed{j, f}.finish()
	p.leave(left)
	return p.Log, err
}

// stagePull does everything up to and including the commit.
func (f *Folder) stagePull(p *Plan) (journal, error) {
	if open, err := f.Interrupted(); err != nil || open {
		return journal{}, errors.Join(err, ErrChanged)
	}
	if err := f.clearStaging(); err != nil {
		return journal{}, err
	}
	if err := p.unchanged(); err != nil {
		return journal{}, err
	}
	k, err := f.ensureKey()
	if err != nil {
		return journal{}, err
	}
	if err := f.project.mkdir(stageDir); err != nil {
		return journal{}, err
	}
	j := journal{Version: 1, Kind: kindPull, BundleID: p.Log.BundleID, PullID: p.pullID}
	if j.Home, err = f.stageHome(p); err != nil {
		return journal{}, err
	}
	if j.Steps, err = f.stageProject(k, p, j.Home); err != nil {
		return journal{}, err
	}
	// Staging takes time; what a person saved meanwhile must not be planned over.
	if err := p.unchanged(); err != nil {
		return journal{}, err
	}
	return j, f.commit(k, j)
}

func (f *Folder) stageProject(k key, p *Plan, home bool) ([]step, error) {
	w := &staging{disk: f.project, stage: stageDir}
	bases, err := p.stageWrites(w, bundlezip.ProjectRoot)
	if err != nil {
		return nil, err
	}
	facts, err := p.Log.facts()
	if err != nil {
		return nil, err
	}
	text, err := k.sign(purposeRecord, record{
		Version: 1, Sequence: p.sequence, PullID: p.pullID, BundleID: p.Log.BundleID,
		ProjectID: p.Log.ProjectID, Facts: facts, Ports: p.ports.given, Declared: p.ports.declared, UserPorts: p.ports.users, PortUses: p.portUses, State: p.state, Origin: p.origin, Bases: bases,
		Files: p.brought, Deleted: p.deletedFiles(), Folders: p.remainingFolders(), FoldersGone: p.emptied, Home: home,
	})
	if err != nil {
		return nil, err
	}
	if _, err := w.add(p.history+"/record.json", "", perm{bits: 0o600}, bytes.NewReader(text)); err != nil {
		return nil, err
	}
	before := ""
	for _, e := range p.Log.Entries {
		if e.Type == FileBackup && e.Path == LogName {
			before = e.SHA256Before
			if err := w.keep(LogName, e.Backup, before); err != nil {
				return nil, err
			}
		}
	}
	p.Log.FinishedAt = f.now()
	logText, err := p.logText()
	if err != nil {
		return nil, err
	}
	if _, err := w.add(LogName, before, perm{bits: 0o644}, logText); err != nil {
		return nil, err
	}
	return w.steps, w.disk.syncAll(w.names)
}

// stageWrites stages backups, bases and contents at one root, in the order in
// which they will be placed, and gives the digests of the bases.
func (p *Plan) stageWrites(w *staging, base bundlezip.Base) (map[string]string, error) {
	for _, file := range p.writes {
		if file.base != base || file.backup == "" {
			continue
		}
		if file.displaced != "" {
			if err := w.keep(file.backup, p.keepFolder(base)+"/displaced/"+file.backup, file.displaced); err != nil {
				return nil, err
			}
		}
		if err := w.keep(file.path, file.backup, file.before); err != nil {
			return nil, err
		}
		w.steps[len(w.steps)-1].Before = file.displaced
	}
	if base == bundlezip.ProjectRoot {
		if err := p.stageDeletions(w); err != nil {
			return nil, err
		}
	}
	bases, err := p.stageBases(w, base)
	if err == nil && base == bundlezip.ProjectRoot {
		err = p.stagePack(w, p.history+"/"+writtenName, p.written)
	}
	if err != nil {
		return nil, err
	}
	var contents []write
	for _, file := range p.writes {
		if file.base == base {
			contents = append(contents, file)
		}
	}
	return bases, w.addAll(contents)
}

// stageDeletions stages a copy of every file that goes, and the steps that remove
// them and the folders that are empty then. They come before new contents are
// placed, which may need the room.
func (p *Plan) stageDeletions(w *staging) error {
	for _, d := range p.deletions {
		if err := w.keep(d.path, d.backup, d.before); err != nil {
			return err
		}
	}
	for _, d := range p.deletions {
		w.steps = append(w.steps, step{Op: opRemove, Path: d.path, Before: d.before})
	}
	for _, folder := range p.emptied {
		w.steps = append(w.steps, step{Op: opRmdir, Path: folder.Path})
	}
	return nil
}

func (p *Plan) deletedFiles() []string {
	out := slices.Clone(p.dropped)
	for _, d := range p.deletions {
		out = append(out, d.path)
	}
	return out
}

// remainingFolders are the folders that pulls have made, after this one.
func (p *Plan) remainingFolders() []string {
	return slices.DeleteFunc(slices.Clone(p.madeFolders), func(name string) bool {
		return slices.ContainsFunc(p.emptied, func(gone goneFolder) bool { return gone.Path == name })
	})
}

// homeRecord is what ~/.svc keeps about a pull that changed the home folder.
type homeRecord struct {
	Version  int               `json:"record_version"`
	BundleID string            `json:"bundle_id"`
	Root     string            `json:"root"`
	Entries  []Entry           `json:"entries"`
	Bases    map[string]string `json:"bases,omitempty"`
}

// stageHome stages the home folder's part and reports whether there is one.
func (f *Folder) stageHome(p *Plan) (bool, error) {
	r := homeRecord{Version: 1, BundleID: p.Log.BundleID, Root: f.dir}
	for _, e := range p.Log.Entries {
		if e.Base == bundlezip.Home {
			r.Entries = append(r.Entries, e)
		}
	}
	if len(r.Entries) == 0 {
		return false, nil
	}
	folder := pullFolder(p.pullID)
	w := &staging{disk: f.home.disk, stage: folder + "/stage"}
	// A journal without steps says whose staging this is, so that it can be
	// thrown away if nothing comes of it.
	j := journal{Version: 1, Kind: kindPull, BundleID: p.Log.BundleID, PullID: p.pullID, Root: f.dir}
	err := f.home.commit(j)
	if err != nil {
		return false, err
	}
	if r.Bases, err = p.stageWrites(w, bundlezip.Home); err != nil {
		return false, err
	}
	// The content as it was written makes it possible to take the pull out of
	// a file that changed since.
	var copies []write
	for _, file := range p.writes {
		if file.base == bundlezip.Home {
			file.path, file.before, file.perm = folder+"/after/"+file.path, "", perm{bits: 0o600, exact: true}
			copies = append(copies, file)
		}
	}
	if err := w.addAll(copies); err != nil {
		return false, err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	if _, err := w.add(folder+"/record.json", "", perm{bits: 0o600, exact: true}, bytes.NewReader(text)); err != nil {
		return false, err
	}
	if err := w.disk.syncAll(w.names); err != nil {
		return false, err
	}
	j.Steps = w.steps
	return true, f.home.commit(j)
}
