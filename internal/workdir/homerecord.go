package workdir

import (
	"encoding/json"
	"path"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// homeDisk is the user's home folder. Its ~/.svc has the home part of every pull that
// changed files there.
type homeDisk struct{ disk }

// record reads what ~/.svc knows about a pull.
func (d homeDisk) record(pullID string) (homeRecord, error) {
	var r homeRecord
	text, err := d.read(pullFolder(pullID)+"/record.json", maxRecord)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, err
	}
	for _, e := range r.Entries {
		if err := e.check(r.BundleID); err != nil {
			return r, err
		}
	}
	return r, nil
}

// homeBase gives what the last pull from this folder brought for a home file.
func (r *baseReader) homeBase(name string) []byte {
	for _, past := range r.history {
		if !past.Home || !past.authentic {
			continue
		}
		known, err := r.folder.home.record(past.PullID)
		if err != nil {
			continue
		}
		want, ok := known.Bases[name]
		if !ok {
			continue
		}
		content, err := r.read(r.folder.home.disk, pullFolder(past.PullID), bundlezip.Home, name)
		if err != nil || digestOf(content) != want {
			return nil
		}
		return content
	}
	return nil
}

// clearStaging removes what pulls and rollbacks of a project folder that were
// never committed have left in ~/.svc. No journal may be open in the project.
func (d homeDisk) clearStaging(project string) error {
	names, err := d.list(pullsDir)
	if err != nil {
		return err
	}
	for _, id := range names {
		if !isPullID(id) {
			continue
		}
		j, err := d.journal(id)
		folder := path.Join(pullsDir, id)
		switch {
		case err != nil:
			continue
		case j.Kind == "" || j.Root != project:
			continue
		}
		// The journal goes last: it says whose files these are.
		if err := clearStage(d.disk, folder+"/stage"); err != nil {
			return err
		}
		for _, name := range []string{"/journal.json.draft", "/journal.json"} {
			if err := d.remove(folder + name); err != nil {
				return err
			}
		}
		if err := d.removeEmpty(folder); err != nil {
			return err
		}
	}
	return d.removeEmpty(pullsDir)
}
