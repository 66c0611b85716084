package workdir

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/diff"
)

// ErrNotKept says that the history does not hold a content any more, or never did.
var ErrNotKept = errors.New("its delivered content is not kept")

// Difference is how a folder differs from what was delivered to it.
type Difference struct {
	BundleID  string
	ProjectID string
	Signed    bool // the log is as this user's client wrote it
	Files     []DeliveredFile
}

// DeliveredFile is a delivered file that is not what it was: Before is what was
// delivered, After what is there now.
type DeliveredFile struct {
	FileChange
	State FileState
}

// delivery is what a file should be.
type delivery struct {
	base   bundlezip.Base
	path   string
	digest string
	// kept says that the pull found the file so and left it: it is only a delivered
	// one if a pull before had written it.
	kept bool
}

// Diff compares the folder with what was delivered: a file of the project with what
// the last bundle brought, or a push since; one in which others have lines with what
// the last pull left. It writes nothing.
func (f *Folder) Diff() (Difference, error) {
	l, err := f.ReadLog()
	if err != nil {
		return Difference{}, noLogFor(err, "compare the folder with")
	}
	history, past, signed, err := f.historyOf(l)
	if err != nil {
		return Difference{}, err
	}
	d := Difference{BundleID: l.BundleID, ProjectID: l.ProjectID, Signed: signed}
	for _, file := range f.deliveries(l, history, signed) {
		state, err := f.stateOf(file.base, file.path, file.digest)
		if err != nil {
			return Difference{}, err
		}
		if state == Intact {
			continue
		}
		change := f.deliveredChange(file, history, past, state)
		if _, err := change.Before(); file.kept && errors.Is(err, ErrNotKept) {
			continue
		}
		d.Files = append(d.Files, DeliveredFile{FileChange: change, State: state})
	}
	slices.SortFunc(d.Files, func(a, b DeliveredFile) int { return strings.Compare(a.Name, b.Name) })
	return d, nil
}

// historyOf gives the history up to the pull that a log describes, with the pushes
// that followed it, as far as this user's client wrote it.
func (f *Folder) historyOf(l Log) (history []pastPull, past pastPull, signed bool, err error) {
	past, found, err := f.pastPullOf(l)
	if err != nil || !found || !past.authentic {
		return nil, past, false, err
	}
	if history, err = f.pastPulls(); err != nil {
		return nil, past, false, err
	}
	history = slices.DeleteFunc(history, func(p pastPull) bool {
		return !p.authentic || p.Sequence > past.Sequence
	})
	return history, past, true, nil
}

// deliveries are the files that the last pull delivered, and what they should be.
func (f *Folder) deliveries(l Log, history []pastPull, signed bool) []delivery {
	all := map[string]delivery{}
	for _, e := range l.Entries {
		written := e.Type == FileWritten || e.Type == ConfigMerged
		switch {
		case !written && (e.Type != FileKept || !signed || e.SHA256After == ""):
			continue
		case e.Base == bundlezip.Home && (f.home == nil || !signed):
			continue
		case IsBeside(e.Path):
			continue // it waits to be deleted
		}
		all[displayName(e.Base, e.Path)] = delivery{base: e.Base, path: e.Path, digest: e.SHA256After, kept: !written}
	}
	for _, name := range broughtNames(history) {
		if file, pushed := broughtBy(history, name); pushed || !file.Shared {
			all[name] = delivery{path: name, digest: file.SHA256}
		}
	}
	for _, past := range history {
		if past.push == nil {
			break
		}
		for _, name := range past.Deleted {
			if _, known := fileOf(history, name); !known {
				delete(all, name)
			}
		}
	}
	return slices.Collect(maps.Values(all))
}

// broughtBy says how a file was brought last, and whether by a push.
func broughtBy(history []pastPull, name string) (file recordFile, pushed bool) {
	for _, past := range history {
		if file, ok := past.Files[name]; ok {
			return file, past.push != nil
		}
	}
	return recordFile{}, false
}

// deliveredChange is the change from what was delivered to what is there.
func (f *Folder) deliveredChange(file delivery, history []pastPull, past pastPull, state FileState) FileChange {
	return FileChange{
		Name: displayName(file.base, file.path), Deleted: state == Missing,
		Before: func() ([]byte, error) {
			var content []byte
			var err error
			if file.base == bundlezip.Home {
				content, err = f.home.show(pullFolder(past.PullID) + "/after/" + file.path)
			} else {
				content, err = f.deliveredContent(history, file.path, file.digest)
			}
			if errors.Is(err, ErrTooLarge) {
				return nil, err
			}
			if err != nil || digestOf(content) != file.digest {
				return nil, ErrNotKept
			}
			return content, nil
		},
		After: func() ([]byte, error) {
			if state == Missing {
				return nil, nil
			}
			return f.site(file.base).show(file.path)
		},
	}
}

// deliveredContent finds a content that a pull or a push brought, by its digest.
func (f *Folder) deliveredContent(history []pastPull, name, digest string) (_ []byte, err error) {
	var kept baseReader
	defer func() { err = errors.Join(err, kept.close()) }()
	for _, past := range history {
		if past.Bases[name] == digest {
			return kept.read(f.project, past.folder, bundlezip.ProjectRoot, name)
		}
		pack, err := kept.pack(f.project, past.folder+"/"+writtenName)
		if err != nil {
			continue
		}
		if content, err := pack.ReadFile(bundlezip.ProjectRoot, name); err == nil && digestOf(content) == digest {
			return content, nil
		}
	}
	return nil, ErrNotKept
}

// stateOf says how a delivered file stands. What is no plain file any more is changed.
func (f *Folder) stateOf(base bundlezip.Base, name, delivered string) (FileState, error) {
	digest, err := f.site(base).digest(name)
	switch {
	case errors.Is(err, ErrNotPlain):
		return Edited, nil
	case err != nil:
		return "", err
	case digest == delivered:
		return Intact, nil
	case digest == "":
		return Missing, nil
	}
	return Edited, nil
}

// Unified gives a change as diff -u shows it. What cannot be shown so is named in one
// line.
func (c FileChange) Unified() (string, error) {
	before, err := c.Before()
	var after []byte
	if err == nil {
		after, err = c.After()
	}
	switch {
	case errors.Is(err, ErrTooLarge):
		return "too large to show: " + c.Name + "\n", nil
	case errors.Is(err, ErrNotKept):
		return "changed, and " + ErrNotKept.Error() + ": " + c.Name + "\n", nil
	case errors.Is(err, ErrNotPlain):
		return "no plain file any more: " + c.Name + "\n", nil
	case err != nil:
		return "", err
	case !isText(before) || !isText(after):
		return "binary file: " + c.Name + "\n", nil
	}
	old, changed := "a/"+c.Name, "b/"+c.Name
	if before == nil {
		old = "/dev/null"
	}
	if c.Deleted {
		changed = "/dev/null"
	}
	return diff.Unified(old, changed, string(before), string(after)), nil
}
