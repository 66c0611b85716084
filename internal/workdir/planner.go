package workdir

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"runtime"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir/merge"
)

// planner fills a plan, file by file.
type planner struct {
	*Plan
	archive  *bundlezip.Archive
	manifest bundlezip.Manifest
	past     []pastPull
	policy   merge.Policy
	// ancestors are of the files that earlier pulls brought.
	ancestors baseReader
	folders   map[string]bool                // those looked at: whether they will be made
	gone      map[string]bool                // files and folders that will not be there any more
	disputed  map[string]bool                // files and folders whose conflict the log has
	renamed   map[string]string              // files whose name has got another case: what it was
	names     map[string]map[string][]string // what folders hold, by folded name
}

// target is one file of the bundle and what stands in its place.
type target struct {
	bundlezip.File
	was    string // the name under which pulls have brought it
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
	if way, ok := errors.AsType[inTheWayError](err); ok && t.Base == bundlezip.ProjectRoot {
		return pl.makeWay(t, way)
	}
	if err != nil {
		return err
	}
	if err := pl.load(&t); err != nil {
		return err
	}
	switch {
	case !t.at.exists:
		return pl.missing(t)
	case t.MergeStrategy == bundlezip.CreateOnly:
		return pl.keep(t)
	case t.MergeStrategy == bundlezip.Overwrite:
		return pl.overwrite(t)
	case t.MergeStrategy == bundlezip.ThreeWay:
		return pl.threeWay(t)
	}
	return pl.merge(t, t.at.info.Mode().Perm())
}

// missing makes a file that is not there, unless the user has deleted it: then it
// stays away as long as the bundle brings nothing else than before, and is a conflict
// when it does. A file in which others have lines is made again, for what it lacks is
// added, and so is one that the bundle overwrites.
func (pl *planner) missing(t target) error {
	brought, known := lastBrought(pl.past, pl.manifest.ProjectID, t.was)
	if !known || t.Base != bundlezip.ProjectRoot || t.MergeStrategy == bundlezip.Overwrite || shared(t.DestinationType, t.MergeStrategy) {
		return pl.create(t)
	}
	conflict := merge.Conflict{Reason: "you have deleted this file, and the bundle has changed it", Whole: true, Outcome: merge.Kept}
	beside, err := t.disk.look(t.Path + NewSuffix)
	if err != nil {
		return err
	}
	declined := t.after == brought.Offered && !beside.exists
	switch {
	case t.after == brought.SHA256, declined, t.MergeStrategy != bundlezip.ThreeWay:
		pl.kept(t)
		pl.Log.Entries[len(pl.Log.Entries)-1].Detail = "you have deleted this file"
	case pl.policy == merge.Theirs:
		conflict.Outcome = merge.TakenTheirs
		pl.logConflicts(t, conflict)
		return pl.create(t, conflict)
	default:
		pl.logConflicts(t, conflict)
		if err := pl.putBeside(t, t.Path); err != nil {
			return err
		}
		brought = pl.offer(t, brought)
		pl.kept(t, conflict)
	}
	pl.brought[t.Path] = brought // so that a push sends the deletion
	return nil
}

func (pl *planner) create(t target, conflicts ...merge.Conflict) error {
	pl.mark(&t)
	p := t.plan(Create, conflicts...)
	var err error
	if p.Beside, err = pl.beside(t.Base, t.Path); err != nil {
		return err
	}
	pl.Files = append(pl.Files, p)
	pl.keepBase(t)
	pl.bring(t, true)
	if err := pl.put(t, FileWritten, pl.contentOf(t), perm{bits: t.Mode.Perm()}); err != nil || p.Beside == "" {
		return err
	}
	pl.Log.Entries[len(pl.Log.Entries)-1].Detail = "the name differs from " + p.Beside + " only in case"
	return nil
}

// keep leaves a file to the user, but for ports that have moved.
func (pl *planner) keep(t target) error {
	brought, known := fileOf(pl.past, t.was)
	if known && t.Base == bundlezip.ProjectRoot {
		pl.brought[t.Path] = brought
	}
	if t.incoming == nil || t.at.info.Size() > maxMerged {
		pl.kept(t)
		return nil
	}
	current, err := pl.currentOf(t)
	if err != nil {
		return err
	}
	moved := pl.movePorts(t.Path, current)
	if bytes.Equal(moved, current) {
		pl.kept(t)
		return nil
	}
	t.after = digestOf(moved)
	if known && t.before == brought.SHA256 {
		brought.SHA256 = t.after
		pl.brought[t.Path] = brought
	}
	pl.Files = append(pl.Files, t.plan(Merge))
	return pl.put(t, ConfigMerged, fromBytes(moved), perm{bits: t.at.info.Mode().Perm(), exact: true})
}

func (pl *planner) overwrite(t target) error {
	return pl.replace(t, withExecutable(t.at.info.Mode().Perm(), t.Mode))
}

// threeWay replaces a file that is still as a bundle brought it, whatever it
// holds, and merges one that somebody has edited. The executable bit follows the
// bundle when that has changed its mind about it.
func (pl *planner) threeWay(t target) error {
	bits := t.at.info.Mode().Perm()
	brought, known := fileOf(pl.past, t.was)
	if known && brought.Mode != "" && brought.Mode != t.Mode {
		bits = withExecutable(bits, t.Mode)
	}
	if brought.Offered != "" && t.before == brought.Offered { // it was taken
		if err := pl.deleteOffered(t.Path, brought); err != nil {
			return err
		}
	}
	if t.before == t.after || known && brought.unedited(t.before) {
		pl.keepBase(t)
		return pl.replace(t, bits)
	}
	return pl.merge(t, bits)
}

// replace puts what the bundle brings in the place of what is there.
func (pl *planner) replace(t target, bits fs.FileMode) error {
	if t.before == t.after && (runtime.GOOS == "windows" || bits == t.at.info.Mode().Perm()) {
		pl.bring(t, false)
		pl.kept(t)
		return nil
	}
	p := t.plan(Replace)
	if brought, known := fileOf(pl.past, t.was); t.before != t.after && (!known || !brought.unedited(t.before)) {
		p.EditsKept = displayName(t.Base, pl.backupPlace(t))
	}
	pl.bring(t, t.before != t.after)
	pl.Files = append(pl.Files, p)
	return pl.put(t, FileWritten, pl.contentOf(t), perm{bits: bits, exact: true})
}

// bring notes for the record how the bundle brings a file. Whole says that the
// pull writes it as it is, so that it is the project's from now on; else it stays
// whose it was: what another project brought is not this one's.
func (pl *planner) bring(t target, whole bool) {
	if t.Base != bundlezip.ProjectRoot {
		return
	}
	before, _ := lastBrought(pl.past, pl.manifest.ProjectID, t.was)
	pl.brought[t.Path] = recordFile{
		SHA256: t.after, Mode: t.Mode, Owned: t.DestinationType == bundlezip.Project && (whole || before.Owned),
		Shared: shared(t.DestinationType, t.MergeStrategy),
	}
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
	t := target{File: file, was: cmp.Or(pl.renamed[file.Path], file.Path), disk: pl.folder.site(file.Base)}
	err := pl.examine(&t)
	return t, err
}

// examine finds what stands at a path.
func (pl *planner) examine(t *target) (err error) {
	if pl.free(t.Base, t.Path) {
		return nil
	}
	if t.at, err = t.disk.lookFile(t.Path); err != nil {
		return err
	}
	pl.remember(t.Base, t.Path, t.at)
	t.before, err = t.disk.digest(t.Path)
	return err
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
	if content, kept := pl.archive.Verified(t.Base, t.Path); kept && !ported {
		t.incoming = content
		return nil
	}
	content, err := pl.archive.ReadFile(t.Base, t.Path)
	if err == nil && ported {
		content, err = withPorts(content, t.Path, pl.manifest.Ports, pl.ports.given)
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
	if content, kept := pl.archive.Verified(t.Base, t.Path); kept {
		return fromBytes(content)
	}
	return source{open: func() (io.ReadCloser, error) { return pl.archive.Open(t.Base, t.Path) }}
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

// putBeside puts the incoming text next to the file that it conflicts with, or in a
// folder next to the file of the user's that is in the way.
func (pl *planner) putBeside(t target, way string) error {
	content := pl.contentOf(t)
	t.Path = way + NewSuffix + t.Path[len(way):]
	if err := pl.examine(&t); err != nil || t.before == t.after {
		return err
	}
	// It is the client's own file, so its old content is no configuration of
	// the user's: it goes into the history.
	t.DestinationType = bundlezip.Project
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
	pl.keepWritten(w)
	return nil
}

func (pl *planner) backUp(t target, w *write) error {
	e := t.entry(FileBackup)
	e.SHA256Before = t.before
	w.backup = pl.backupPlace(t)
	if t.DestinationType == bundlezip.GlobalConfig {
		e.Type = GlobalConfigBackup
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

// backupPlace is where the old content of a file goes.
func (pl *planner) backupPlace(t target) string {
	if t.DestinationType == bundlezip.GlobalConfig {
		return t.Path + BackupSuffix
	}
	return pl.keepFolder(t.Base) + "/files/" + t.Path
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
		var at found
		if !pl.free(t.Base, name) {
			var err error
			if at, err = t.disk.look(name); err != nil {
				return err
			}
		}
		pl.folders[id] = !at.exists
		if !at.exists {
			if t.Base == bundlezip.ProjectRoot {
				pl.madeFolders = append(pl.madeFolders, name)
			}
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
