package workdir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"runtime"

	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/merge"
)

// planner fills a plan, file by file.
type planner struct {
	*Plan
	archive  *bundlezip.Archive
	manifest bundlezip.Manifest
	past     []pastPull
	policy   merge.Policy
	dirs     dirCaches
	folders  map[string]bool // those looked at: whether they will be made
}

// target is one file of the bundle and what stands in its place.
type target struct {
	bundlezip.File
	disk   disk
	at     found
	before string
	// incoming is the content from the bundle in memory, where it is merged or
	// carries ports; nil if it goes from the archive to the disk.
	incoming []byte
	after    string
}

func (pl *planner) file(file bundlezip.File) error {
	t, err := pl.look(file)
	if err != nil {
		return err
	}
	if err := pl.load(&t); err != nil {
		return err
	}
	switch {
	case !t.at.exists:
		pl.mark(&t)
		pl.Files = append(pl.Files, t.plan(Create))
		pl.keepBase(t)
		return pl.put(t, FileWritten, pl.contentOf(t), perm{bits: t.Mode.Perm()})
	case t.MergeStrategy == bundlezip.CreateOnly:
		pl.kept(t)
		return nil
	case t.MergeStrategy == bundlezip.Overwrite:
		return pl.overwrite(t)
	}
	return pl.merge(t)
}

// mark puts the marks of a managed block around what becomes a new file, so
// that the next bundle finds its block there. Where there is no place for marks
// the file is what the bundle brings.
func (pl *planner) mark(t *target) {
	if t.MergeStrategy != bundlezip.ManagedBlock || t.incoming == nil {
		return
	}
	result := merge.Merge(t.MergeStrategy, merge.Input{
		Path: t.Path, Incoming: t.incoming, Owner: pl.manifest.ProjectID, Policy: pl.policy,
	})
	if result.Content != nil && len(result.Conflicts) == 0 {
		t.incoming, t.after = result.Content, digestOf(result.Content)
	}
}

// look finds what stands in the file's place, and refuses places that no bundle
// may change.
func (pl *planner) look(file bundlezip.File) (target, error) {
	check := pl.folder.checkHomePlaces
	if file.Base == bundlezip.Home {
		if pl.folder.home == nil {
			return target{}, fmt.Errorf("the bundle changes ~/%s, and there is no home folder; set HOME and pull again", file.Path)
		}
		check = bundlezip.CheckHomePath
	}
	if err := check(file.Path); err != nil {
		return target{}, err
	}
	t := target{File: file, disk: pl.folder.site(file.Base)}
	var err error
	if t.at, err = pl.dirs.at(file.Base).lookFile(file.Path); err != nil {
		return target{}, err
	}
	if t.at.exists {
		if t.before, err = t.disk.digest(file.Path); err != nil {
			return target{}, err
		}
	}
	pl.remember(file.Base, file.Path, t.at)
	return t, nil
}

func (pl *planner) remember(base bundlezip.Base, name string, at found) {
	pl.seen = append(pl.seen, snapshot{base: base, path: name, info: at.info})
}

// load reads the incoming content if it has to be in memory, with its ports
// settled.
func (pl *planner) load(t *target) error {
	t.after = t.SHA256
	ported := t.Base == bundlezip.ProjectRoot && usesPorts(pl.manifest.Ports, t.Path)
	merged := t.MergeStrategy != bundlezip.Overwrite && t.MergeStrategy != bundlezip.CreateOnly && t.Size <= maxMerged
	if !ported && !merged {
		return nil
	}
	content, err := pl.archive.ReadFile(t.Base, t.Path)
	if err == nil && ported {
		content, err = withPorts(content, t.Path, pl.manifest.Ports, pl.ports)
	}
	if err != nil {
		return err
	}
	if content == nil {
		content = []byte{} // an empty file is a file
	}
	t.incoming, t.after = content, digestOf(content)
	return nil
}

func usesPorts(ports []bundlezip.Port, name string) bool {
	for _, p := range ports {
		for _, use := range p.Uses {
			if use.Path == name {
				return true
			}
		}
	}
	return false
}

// contentOf is what the bundle brings.
func (pl *planner) contentOf(t target) source {
	if t.incoming != nil {
		return fromBytes(t.incoming)
	}
	return pl.archived(t.Base, t.Path)
}

// archived is a file as it is in the archive.
func (pl *planner) archived(base bundlezip.Base, name string) source {
	if content, ok := pl.archive.Verified(base, name); ok {
		return fromBytes(content)
	}
	return source{open: func() (io.ReadCloser, error) { return pl.archive.Open(base, name) }}
}

func (t target) plan(a Action, conflicts ...merge.Conflict) FilePlan {
	return FilePlan{Base: t.Base, Path: t.Path, Action: a, Strategy: t.MergeStrategy, Conflicts: conflicts}
}

func (t target) entry(kind EntryType) Entry {
	return Entry{Type: kind, Path: t.Path, Base: t.Base, MergeStrategy: t.MergeStrategy}
}

func (pl *planner) kept(t target, conflicts ...merge.Conflict) {
	e := t.entry(FileKept)
	e.SHA256Before, e.SHA256After = t.before, t.before
	pl.Log.Entries = append(pl.Log.Entries, e)
	pl.Files = append(pl.Files, t.plan(Keep, conflicts...))
}

func (pl *planner) overwrite(t target) error {
	p := perm{bits: withExecutable(t.at.info.Mode().Perm(), t.Mode), exact: true}
	if t.before == t.after && (runtime.GOOS == "windows" || p.bits == t.at.info.Mode().Perm()) {
		pl.kept(t)
		return nil
	}
	pl.Files = append(pl.Files, t.plan(Replace))
	return pl.put(t, FileWritten, pl.contentOf(t), p)
}

// withExecutable gives a file the executable bits that the bundle wants and
// leaves alone who may read and write it.
func withExecutable(bits fs.FileMode, mode bundlezip.Mode) fs.FileMode {
	switch executable := bits&0o111 != 0; {
	case mode == bundlezip.Executable && !executable:
		return bits | bits&0o444>>2
	case mode == bundlezip.Plain && executable:
		return bits &^ 0o111
	}
	return bits
}

func (pl *planner) merge(t target) error {
	result, err := pl.mergeResult(t)
	if err != nil {
		return err
	}
	for _, c := range result.Conflicts {
		e := t.entry(ConflictEntry)
		e.Detail = c.String()
		pl.Log.Entries = append(pl.Log.Entries, e)
	}
	if result.WholeConflict() {
		// The ancestor stays that of the last text that found its way into the
		// file: against one that did not, the next bundle's lines would look
		// like lines that the user has deleted.
		if err := pl.putBeside(t); err != nil {
			return err
		}
	} else {
		pl.keepBase(t)
	}
	if !result.Changed {
		pl.kept(t, result.Conflicts...)
		return nil
	}
	kind, content := ConfigMerged, fromBytes(result.Content)
	if result.Content == nil { // a file as a whole, too large for memory
		kind, content = FileWritten, pl.contentOf(t)
	} else {
		t.after = digestOf(result.Content)
	}
	pl.Files = append(pl.Files, t.plan(Merge, result.Conflicts...))
	return pl.put(t, kind, content, perm{bits: t.at.info.Mode().Perm(), exact: true})
}

// mergeResult asks the merger, unless one side is too large to be read.
func (pl *planner) mergeResult(t target) (merge.Result, error) {
	if t.at.info.Size() > maxMerged || t.Size > maxMerged {
		if t.before == t.after {
			return merge.Result{}, nil
		}
		c := merge.Conflict{Reason: fmt.Sprintf("a file larger than %d bytes is not merged", maxMerged), Whole: true, Outcome: merge.Kept}
		if pl.policy == merge.Theirs {
			c.Outcome = merge.TakenTheirs
		}
		return merge.Result{Changed: pl.policy == merge.Theirs, Conflicts: []merge.Conflict{c}}, nil
	}
	current, err := t.disk.read(t.Path, maxMerged)
	if err != nil {
		return merge.Result{}, err
	}
	if digestOf(current) != t.before {
		return merge.Result{}, fmt.Errorf("%w (%s)", ErrChanged, t.Path)
	}
	if current == nil {
		current = []byte{}
	}
	return merge.Merge(t.MergeStrategy, merge.Input{
		Path: t.Path, Current: current, Incoming: t.incoming, Base: pl.baseOf(t),
		Owner: pl.manifest.ProjectID, Policy: pl.policy,
	}), nil
}

func (pl *planner) baseOf(t target) []byte {
	if !hasBase(t.MergeStrategy) {
		return nil
	}
	if t.Base == bundlezip.Home {
		return pl.folder.homeBase(pl.past, t.Path)
	}
	return pl.folder.base(pl.past, t.Path)
}

func hasBase(s bundlezip.MergeStrategy) bool {
	return s == bundlezip.DeepMerge || s == bundlezip.ThreeWay
}

// keepBase remembers what the bundle brought, for the next merge.
func (pl *planner) keepBase(t target) {
	if hasBase(t.MergeStrategy) && t.incoming != nil {
		pl.bases = append(pl.bases, baseCopy{base: t.Base, path: t.Path, content: t.incoming})
	}
}

// putBeside puts the incoming text next to the file that it conflicts with.
func (pl *planner) putBeside(t target) error {
	t.Path += NewSuffix
	var err error
	if t.at, err = t.disk.lookFile(t.Path); err != nil {
		return err
	}
	if t.before, err = t.disk.digest(t.Path); err != nil {
		return err
	}
	pl.remember(t.Base, t.Path, t.at)
	if t.before == t.after {
		return nil
	}
	// It is the client's own file, so its old content is no configuration of
	// the user's: it goes into the history.
	t.DestinationType = bundlezip.Project
	content := pl.archived(t.Base, t.Path[:len(t.Path)-len(NewSuffix)])
	if t.incoming != nil {
		content = fromBytes(t.incoming)
	}
	return pl.put(t, FileWritten, content, perm{bits: 0o644})
}

// put plans a new content, with the backup of the old one and the folders that
// it needs.
func (pl *planner) put(t target, kind EntryType, content source, p perm) error {
	w := write{base: t.Base, path: t.Path, before: t.before, after: t.after, perm: p, source: content}
	if t.at.exists {
		if err := pl.backUp(t, &w); err != nil {
			return err
		}
	} else if err := pl.makeFolders(t); err != nil {
		return err
	}
	e := t.entry(kind)
	e.Backup, e.SHA256Before, e.SHA256After = w.backup, t.before, t.after
	pl.Log.Entries = append(pl.Log.Entries, e)
	pl.writes = append(pl.writes, w)
	return nil
}

func (pl *planner) backUp(t target, w *write) error {
	e := t.entry(FileBackup)
	e.SHA256Before = t.before
	w.backup = pl.keepFolder(t.Base) + "/files/" + t.Path
	if t.DestinationType == bundlezip.GlobalConfig {
		e.Type = GlobalConfigBackup
		w.backup = t.Path + BackupSuffix
		if len(path.Base(w.backup)) > bundlezip.MaxName {
			return fmt.Errorf("the name of %s is too long for its backup to stand beside it", t.Path)
		}
		earlier, err := t.disk.lookFile(w.backup)
		if err != nil {
			return err
		}
		pl.remember(t.Base, w.backup, earlier)
		if w.displaced, err = t.disk.digest(w.backup); err != nil {
			return err
		}
		if w.displaced != "" {
			pl.Log.Entries = append(pl.Log.Entries, Entry{
				Type: FileBackup, Path: w.backup, Base: t.Base,
				Backup: pl.keepFolder(t.Base) + "/displaced/" + w.backup, SHA256Before: w.displaced,
			})
		}
	}
	e.Backup = w.backup
	pl.Log.Entries = append(pl.Log.Entries, e)
	return nil
}

// keepFolder is where the history of this pull lies at a root.
func (p *Plan) keepFolder(base bundlezip.Base) string {
	if base == bundlezip.Home {
		return pullFolder(p.pullID)
	}
	return p.history
}

func (pl *planner) makeFolders(t target) error {
	for _, name := range parentFolders(t.Path) {
		id := displayName(t.Base, name)
		if _, looked := pl.folders[id]; looked {
			continue
		}
		at, err := t.disk.look(name)
		if err != nil {
			return err
		}
		pl.folders[id] = !at.exists
		if !at.exists {
			pl.Log.Entries = append(pl.Log.Entries, Entry{Type: DirectoryCreated, Path: name, Base: t.Base})
		}
	}
	if len(path.Base(t.Path)) > bundlezip.MaxName {
		return errors.New("the name " + path.Base(t.Path) + " is too long")
	}
	return nil
}

// previousLog plans that the log of the pull before goes into the history.
func (pl *planner) previousLog() error {
	d := pl.folder.project
	at, err := d.lookFile(LogName)
	if err != nil {
		return err
	}
	pl.remember(bundlezip.ProjectRoot, LogName, at)
	digest, err := d.digest(LogName)
	if err != nil || digest == "" {
		return err
	}
	pl.Log.Entries = append(pl.Log.Entries, Entry{
		Type: FileBackup, Path: LogName, Backup: pl.history + "/" + LogName, SHA256Before: digest,
	})
	return nil
}

// logText is the log as it is written.
func (p *Plan) logText() (*bytes.Reader, error) {
	text, err := encodeDocument(p.Log)
	return bytes.NewReader(text), err
}
