package workdir

import (
	"encoding/json"
	"path"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// homeRecordOf reads what ~/.svc knows about a pull.
func (f *Folder) homeRecordOf(pullID string) (homeRecord, error) {
	var r homeRecord
	text, err := f.home.read(pullFolder(pullID)+"/record.json", maxRecord)
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
func (f *Folder) homeBase(kept *baseReader, history []pastPull, name string) []byte {
	for _, past := range history {
		if !past.Home || !past.authentic {
			continue
		}
		r, err := f.homeRecordOf(past.PullID)
		if err != nil {
			continue
		}
		want, ok := r.Bases[name]
		if !ok {
			continue
		}
		content, err := kept.read(*f.home, pullFolder(past.PullID), bundlezip.Home, name)
		if err != nil || digestOf(content) != want {
			return nil
		}
		return content
	}
	return nil
}

// clearHomeStaging removes what pulls and rollbacks of this folder that were
// never committed have left in ~/.svc. No journal may be open in the project.
func (f *Folder) clearHomeStaging() error {
	if f.home == nil {
		return nil
	}
	d := *f.home
	names, err := d.list(pullsDir)
	if err != nil {
		return err
	}
	for _, id := range names {
		if !isPullID(id) {
			continue
		}
		j, err := f.homeJournal(id)
		folder := path.Join(pullsDir, id)
		switch {
		case err != nil:
			continue
		case j.Kind == "" || j.Root != f.dir:
			continue
		}
		// The journal goes last: it says whose files these are.
		if err := clearStage(d, folder+"/stage"); err != nil {
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
