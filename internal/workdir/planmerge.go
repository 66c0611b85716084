package workdir

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"unicode/utf8"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir/merge"
)

func (pl *planner) merge(t target, bits fs.FileMode) error {
	result, err := pl.mergeResult(t)
	if err != nil {
		return err
	}
	pl.logConflicts(t, result.Conflicts...)
	if result.WholeConflict() {
		// The ancestor stays that of the last text that found its way into the
		// file: against one that did not, the next bundle's lines would look
		// like lines that the user has deleted.
		if err := pl.putBeside(t, t.Path); err != nil {
			return err
		}
		if brought, known := fileOf(pl.past, t.was); known && t.Base == bundlezip.ProjectRoot {
			pl.brought[t.Path] = pl.offer(t, brought)
		}
	} else {
		pl.keepBase(t)
		pl.bring(t, false)
		pl.noteLeft(t, result)
	}
	if !result.Changed && (result.Content == nil || bits == t.at.info.Mode().Perm()) {
		pl.kept(t, result.Conflicts...)
		return nil
	}
	kind, content := ConfigMerged, fromBytes(result.Content)
	if result.Content == nil { // a file as a whole, too large for memory
		kind, content = FileWritten, pl.contentOf(t)
	} else {
		t.after = digestOf(result.Content)
	}
	p := t.plan(Merge, result.Conflicts...)
	if slices.ContainsFunc(result.Conflicts, func(c merge.Conflict) bool { return c.Outcome == merge.TakenTheirs }) {
		p.EditsKept = displayName(t.Base, pl.backupPlace(t))
	}
	pl.Files = append(pl.Files, p)
	return pl.put(t, kind, content, perm{bits: bits, exact: true})
}

// offer notes what lies beside a file, which the user may take as it is or in part.
func (pl *planner) offer(t target, brought recordFile) recordFile {
	pl.keepText(t, true)
	brought.Offered, brought.Stood = t.after, t.before
	return brought
}

// noteLeft notes what a merge leaves, as long as nobody but pulls wrote the file.
func (pl *planner) noteLeft(t target, result merge.Result) {
	before, known := fileOf(pl.past, t.was)
	if !known || t.Base != bundlezip.ProjectRoot || result.Content == nil || !before.unedited(t.before) {
		return
	}
	brought := pl.brought[t.Path]
	brought.Left = digestOf(result.Content)
	pl.brought[t.Path] = brought
}

// mergeResult asks the merger, unless one side is too large to be read.
func (pl *planner) mergeResult(t target) (merge.Result, error) {
	if t.at.info.Size() > maxMerged || t.Size > maxMerged {
		if t.before == t.after {
			return merge.Result{}, nil
		}
		return pl.notMerged(fmt.Sprintf("a file larger than %d bytes is not merged", maxMerged)), nil
	}
	if t.MergeStrategy == bundlezip.ThreeWay && bundlezip.IsLockFile(t.Path) {
		return pl.notMerged("a lock file is not merged; take one side and let its tool make it anew"), nil
	}
	current, err := pl.currentOf(t)
	if err != nil {
		return merge.Result{}, err
	}
	base, err := pl.baseOf(t)
	if err != nil {
		return merge.Result{}, err
	}
	result := merge.Merge(t.MergeStrategy, merge.Input{
		Path: t.Path, Current: pl.movePorts(t.Path, current), Incoming: t.incoming, Base: pl.movePorts(t.Path, base),
		Owner: pl.manifest.ProjectID, Policy: pl.policy,
	})
	result.Changed = !bytes.Equal(result.Content, current)
	return result, nil
}

// notMerged is the result for a file that is taken as a whole or not at all.
func (pl *planner) notMerged(reason string) merge.Result {
	c := merge.Conflict{Reason: reason, Whole: true, Outcome: merge.Kept}
	if pl.policy == merge.Theirs {
		c.Outcome = merge.TakenTheirs
	}
	return merge.Result{Changed: pl.policy == merge.Theirs, Conflicts: []merge.Conflict{c}}
}

// currentOf reads the file that stands in the place of one of the bundle.
func (pl *planner) currentOf(t target) ([]byte, error) {
	current, err := t.disk.read(t.Path, maxMerged)
	if err == nil && digestOf(current) != t.before {
		err = fmt.Errorf("%w (%s)", ErrChanged, t.Path)
	}
	if current == nil {
		current = []byte{}
	}
	return current, err
}

func (pl *planner) logConflicts(t target, conflicts ...merge.Conflict) {
	for _, c := range conflicts {
		e := t.entry(ConflictEntry)
		e.Detail = c.String()
		pl.Log.Entries = append(pl.Log.Entries, e)
	}
}

// baseOf gives the ancestor of a merge. Once the user has settled a conflict, changed
// the file and taken away what lay beside it, that is what was offered then.
func (pl *planner) baseOf(t target) ([]byte, error) {
	if !hasBase(t.MergeStrategy) {
		return nil, nil
	}
	if t.Base == bundlezip.Home {
		return pl.ancestors.homeBase(t.Path), nil
	}
	if brought, known := fileOf(pl.past, t.was); known && brought.Offered != "" && t.before != brought.Stood {
		beside, err := t.disk.look(t.Path + NewSuffix)
		if err != nil {
			return nil, err
		}
		if content := pl.ancestors.offered(t.was, brought.Offered); content != nil && !beside.exists {
			return content, nil
		}
	}
	return pl.ancestors.base(t.was), nil
}

func hasBase(s bundlezip.MergeStrategy) bool {
	return s == bundlezip.DeepMerge || s == bundlezip.ThreeWay
}

func isText(content []byte) bool { return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0 }
