package workdir

import (
	"errors"
	"slices"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// ErrNotKept says that the history does not hold a content any more, or never did.
var ErrNotKept = errors.New("its delivered content is not kept")

// Delivered is the bundle of the last pull.
type Delivered struct {
	BundleID string
	State    string // SHA-256 of its archive; empty if an older client pulled it
	Origin
	Authentic bool // this user's client wrote it down
}

// Delivered tells which bundle the last pull brought, and from whom.
func (f *Folder) Delivered() (Delivered, error) {
	l, err := f.ReadLog()
	if err != nil {
		return Delivered{}, err
	}
	past, found, err := f.pastPullOf(l)
	if err != nil || !found {
		return Delivered{BundleID: l.BundleID}, err
	}
	return Delivered{BundleID: l.BundleID, State: past.State, Origin: past.Origin, Authentic: past.authentic}, nil
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

// deliveries are what the last pull delivered, and the pushes that followed it.
type deliveries struct {
	folder *Folder
	log    Log
	past   pastPull // the pull that the log describes
	// history is that up to this pull, with the pushes that followed it, as far as
	// this user's client wrote it.
	history []pastPull
}

// deliveries reads what the history knows about the pull that a log describes.
func (f *Folder) deliveries(l Log) (d deliveries, err error) {
	d = deliveries{folder: f, log: l}
	if d.past, _, err = f.pastPullOf(l); err != nil || !d.past.authentic {
		return d, err
	}
	d.history, err = f.pastPulls()
	d.history = slices.DeleteFunc(d.history, func(p pastPull) bool {
		return !p.authentic || p.Sequence > d.past.Sequence
	})
	return d, err
}

// files are the files that the last pull delivered, by their names, and what they
// should be.
func (d deliveries) files() map[string]delivery {
	all := map[string]delivery{}
	for _, e := range d.log.Entries {
		written := e.Type == FileWritten || e.Type == ConfigMerged
		switch {
		case !written && (e.Type != FileKept || !d.past.authentic || e.SHA256After == ""):
			continue
		case e.Base == bundlezip.Home && (d.folder.home == nil || !d.past.authentic):
			continue
		case IsBeside(e.Path):
			continue // it waits to be deleted
		}
		all[displayName(e.Base, e.Path)] = delivery{base: e.Base, path: e.Path, digest: e.SHA256After, kept: !written}
	}
	for _, name := range broughtNames(d.history) {
		if file, pushed := broughtBy(d.history, name); pushed || !file.Shared {
			all[name] = delivery{path: name, digest: file.SHA256}
		}
	}
	for _, past := range d.history {
		if past.push == nil {
			break
		}
		for _, name := range past.Deleted {
			if _, known := fileOf(d.history, name); !known {
				delete(all, name)
			}
		}
	}
	return all
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

// change is the change from what was delivered to what is there.
func (d deliveries) change(file delivery, gone bool) FileChange {
	return FileChange{
		Name: displayName(file.base, file.path), Deleted: gone,
		Before: func() ([]byte, error) {
			var content []byte
			var err error
			if file.base == bundlezip.Home {
				content, err = d.folder.home.show(pullFolder(d.past.PullID) + "/after/" + file.path)
			} else {
				content, err = d.content(file.path, file.digest)
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
			if gone {
				return nil, nil
			}
			return d.folder.site(file.base).show(file.path)
		},
	}
}

// content finds a content that a pull or a push brought, by its digest.
func (d deliveries) content(name, digest string) (_ []byte, err error) {
	var kept baseReader
	defer func() { err = errors.Join(err, kept.close()) }()
	for _, past := range d.history {
		if past.Bases[name] == digest {
			return kept.read(d.folder.project, past.folder, bundlezip.ProjectRoot, name)
		}
		pack, err := kept.pack(d.folder.project, past.folder+"/"+writtenName)
		if err != nil {
			continue
		}
		if content, err := pack.ReadFile(bundlezip.ProjectRoot, name); err == nil && digestOf(content) == digest {
			return content, nil
		}
	}
	return nil, ErrNotKept
}

// waitingBeside gives what the last pull put beside files, by their names, as long as it
// is there: conflicts that nobody has settled.
func (d deliveries) waitingBeside() (map[string]string, error) {
	waiting := map[string]string{}
	for _, e := range d.log.Entries {
		if e.Type != ConflictEntry || e.Name != "" || e.Base == bundlezip.Home && (d.folder.home == nil || !d.past.authentic) {
			continue
		}
		at, err := d.folder.site(e.Base).look(e.Path + NewSuffix)
		if err != nil && !errors.Is(err, ErrNotPlain) {
			return nil, err
		}
		if at.exists {
			waiting[displayName(e.Base, e.Path)] = displayName(e.Base, e.Path+NewSuffix)
		}
	}
	return waiting, nil
}
